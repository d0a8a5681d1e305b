//! Lumped masses: integrals of inertia as sums over grid points.
//!
//! ```text
//! ∫ρ(·) → Σ_j m_j (·)_j:   I₁ = Σ m_j X_j,   S̄_k = Σ m_j N_jk,   D_k = Σ m_j N_jk X_jᵀ,   P_kl = Σ m_j N_jk N_jlᵀ
//! ```
//! with the displacement N_jk of point j in shape k (floating-frame-and-ancf §1.9.3).

use crate::InertiaIntegrals;
use poinsot_geometry::{Mat3, Vec3};

/// A grid point with mass.
#[derive(Clone, Debug, PartialEq)]
pub struct LumpedPoint {
    /// Mass (kg).
    pub mass: f64,
    /// Place in the undeformed body (m).
    pub place: Vec3,
    /// Displacement in each shape.
    pub displacements: Vec<Vec3>,
}

impl InertiaIntegrals {
    /// Sums over grid points, each with `shapes` displacements.
    pub fn lumped(points: &[LumpedPoint], shapes: usize) -> Self {
        let mut sum = InertiaIntegrals {
            mass: 0.0,
            first_moment: Vec3::zeros(),
            second_moment: Mat3::zeros(),
            mean: vec![Vec3::zeros(); shapes],
            moments: vec![Mat3::zeros(); shapes],
            products: vec![Mat3::zeros(); shapes * shapes],
        };
        for LumpedPoint { mass, place, displacements } in points {
            sum.mass += mass;
            sum.first_moment += place * *mass;
            sum.second_moment += place * place.transpose() * *mass;
            for (k, shape) in displacements.iter().enumerate() {
                sum.mean[k] += shape * *mass;
                sum.moments[k] += shape * place.transpose() * *mass;
                for (l, other) in displacements.iter().enumerate() {
                    sum.products[k * shapes + l] += shape * other.transpose() * *mass;
                }
            }
        }
        sum
    }
}
