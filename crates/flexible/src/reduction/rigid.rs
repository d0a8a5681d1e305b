//! Rigid motions of a body: six small ones, less those that its unknowns cannot make.
//!
//! ```text
//! u(X) = d + φ × (X − c),   θ = φ
//! ```
//! A planar body has three, a straight line of points five.

use crate::{Component, FullBody, Unknown};
use nalgebra::DMatrix;
use poinsot_geometry::Vec3;

/// The six motions in words.
pub const MOTIONS: [&str; 6] = [
    "a displacement along x",
    "a displacement along y",
    "a displacement along z",
    "a rotation about x",
    "a rotation about y",
    "a rotation about z",
];

/// What an unknown does in each of six rigid motions about a point: d along x, y, z, φ about x, y, z.
pub fn row(component: Component, from: &Vec3) -> [f64; 6] {
    match component {
        Component::Translation(axis) => {
            // (φ × r)_axis = φ·(r × e_axis)
            let turned = from.cross(&Vec3::ith(axis, 1.0));
            let mut row = [0.0, 0.0, 0.0, turned.x, turned.y, turned.z];
            row[axis] = 1.0;
            row
        }
        Component::Rotation(axis) => std::array::from_fn(|k| f64::from(u8::from(k == 3 + axis))),
    }
}

/// Rows of unknowns about a point.
pub fn rows<'a>(
    body: &'a FullBody,
    unknowns: impl Iterator<Item = &'a Unknown>,
    centre: &Vec3,
) -> DMatrix<f64> {
    let rows: Vec<[f64; 6]> =
        unknowns.map(|unknown| row(unknown.component, &(body.nodes[unknown.node] - centre))).collect();
    DMatrix::from_fn(rows.len(), 6, |i, k| rows[i][k])
}

/// Columns that are independent of those before them, by their directions alone.
pub fn independent(columns: &DMatrix<f64>) -> Vec<usize> {
    let mut basis: Vec<nalgebra::DVector<f64>> = vec![];
    let mut kept = vec![];
    for k in 0..columns.ncols() {
        let size = columns.column(k).norm();
        if size == 0.0 {
            continue;
        }
        let mut rest = columns.column(k) / size;
        for _ in 0..2 {
            basis.iter().for_each(|b| rest -= b * b.dot(&rest));
        }
        if rest.norm() > 1e-7 {
            basis.push(&rest / rest.norm());
            kept.push(k);
        }
    }
    kept
}
