//! From unknowns of nodes along body axes to those of an element along its own.

use nalgebra::DMatrix;
use poinsot_geometry::{Mat3, Vec3, so3};

/// Three translations and three rotations of each node: u_c = Cᵀ (u + θ × d), θ_c = Cᵀ θ, of the point that a
/// rigid link d joins with the node. Small rotations turn as vectors do (floating-frame-and-ancf §1.18).
pub(super) fn to_local(axes: &Mat3, links: &[Vec3]) -> DMatrix<f64> {
    let turn = axes.transpose();
    let mut t = DMatrix::zeros(6 * links.len(), 6 * links.len());
    for (node, link) in links.iter().enumerate() {
        let k = 6 * node;
        t.fixed_view_mut::<3, 3>(k, k).copy_from(&turn);
        t.fixed_view_mut::<3, 3>(k, k + 3).copy_from(&-(turn * so3::skew(link)));
        t.fixed_view_mut::<3, 3>(k + 3, k + 3).copy_from(&turn);
    }
    t
}
