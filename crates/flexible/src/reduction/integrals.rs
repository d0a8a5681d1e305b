//! Integrals of inertia of shapes, from those of the unknowns of the full body.
//!
//! ```text
//! S̄_k = Σ_a ∫ρS_a U_ak,   D_k = Σ_a ∫ρS_a Xᵀ U_ak,   P_kl = Σ_ab U_ak ∫ρS_a S_bᵀ U_bl
//! ```
//! The undeformed part stays explicit, with its offsets within a section (floating-frame-and-ancf 1.16,
//! 1.20).

use crate::{Component, FullBody, InertiaIntegrals, MassProducts};
use nalgebra::DMatrix;
use poinsot_geometry::{Mat3, Vec3};
use poinsot_numerics::SymmetricMatrix;

/// Integrals of shapes given as columns over the unknowns of the full body.
pub fn inertia_integrals(body: &FullBody, shapes: &DMatrix<f64>) -> InertiaIntegrals {
    let mean = &body.mean * shapes;
    let moments = &body.moments * shapes;
    InertiaIntegrals {
        mass: body.total_mass,
        first_moment: body.first_moment,
        second_moment: body.second_moment,
        mean: mean.column_iter().map(|s| Vec3::new(s[0], s[1], s[2])).collect(),
        moments: moments.column_iter().map(|d| Mat3::from_fn(|i, j| d[3 * j + i])).collect(),
        products: match &body.products {
            MassProducts::Nodal(masses) => of_nodes(masses, &displacements(body, shapes)),
            MassProducts::Pairs(pairs) => of_pairs(pairs, shapes),
        },
    }
}

/// Displacements of the nodes: 3 rows for each.
pub fn displacements(body: &FullBody, shapes: &DMatrix<f64>) -> DMatrix<f64> {
    let mut all = DMatrix::zeros(3 * body.nodes.len(), shapes.ncols());
    for (a, unknown) in body.unknowns.iter().enumerate() {
        if let Component::Translation(axis) = unknown.component {
            all.row_mut(3 * unknown.node + axis).copy_from(&shapes.row(a));
        }
    }
    all
}

/// P_kl = Σ_ij m_ij u_ik u_jlᵀ, one vector m u at a time.
fn of_nodes(masses: &SymmetricMatrix, displacements: &DMatrix<f64>) -> Vec<Mat3> {
    let (nodes, shapes) = (masses.size(), displacements.ncols());
    let part = |k: usize, axis: usize| -> Vec<f64> {
        displacements.column(k).iter().skip(axis).step_by(3).copied().collect()
    };
    let mut products = vec![Mat3::zeros(); shapes * shapes];
    let mut image = vec![0.0; nodes];
    for l in 0..shapes {
        for j in 0..3 {
            masses.multiply(&part(l, j), &mut image);
            for k in 0..shapes {
                let column = displacements.column(k);
                let mut sums = [0.0; 3];
                for (node, image) in image.iter().enumerate() {
                    (0..3).for_each(|i| sums[i] += column[3 * node + i] * image);
                }
                (0..3).for_each(|i| products[k * shapes + l][(i, j)] = sums[i]);
            }
        }
    }
    products
}

fn of_pairs(pairs: &[(usize, usize, Mat3)], shapes: &DMatrix<f64>) -> Vec<Mat3> {
    let count = shapes.ncols();
    let mut products = vec![Mat3::zeros(); count * count];
    // Rows of the shapes lie one behind the other.
    let rows = shapes.transpose();
    for (a, b, value) in pairs {
        let (of_a, of_b) = (rows.column(*a), rows.column(*b));
        let mirror = value.transpose();
        for k in 0..count {
            for l in 0..count {
                let product = &mut products[k * count + l];
                *product += value * (of_a[k] * of_b[l]);
                if a != b {
                    *product += mirror * (of_b[k] * of_a[l]);
                }
            }
        }
    }
    products
}

impl InertiaIntegrals {
    /// Number of shapes.
    pub fn size(&self) -> usize {
        self.mean.len()
    }

    /// M of the shapes: m_ff = Σ_i (P_kl)_ii.
    pub fn shape_mass(&self) -> DMatrix<f64> {
        let n = self.size();
        DMatrix::from_fn(n, n, |k, l| self.products[k * n + l].trace())
    }

    /// ∫ρ (X − c) × S_k of each shape: angular momentum about a point of its unit rate.
    pub fn angular(&self, centre: &Vec3) -> Vec<Vec3> {
        let about = |(moments, mean): (&Mat3, &Vec3)| {
            // D = ∫ρ S Xᵀ: (X × S)_1 = X_2 S_3 − X_3 S_2
            let d = moments;
            let about_origin = Vec3::new(d[(2, 1)] - d[(1, 2)], d[(0, 2)] - d[(2, 0)], d[(1, 0)] - d[(0, 1)]);
            about_origin - centre.cross(mean)
        };
        self.moments.iter().zip(&self.mean).map(about).collect()
    }
}
