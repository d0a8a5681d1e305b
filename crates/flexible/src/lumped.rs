//! Lumped masses: integrals of inertia as sums over grid points.
//!
//! ```text
//! ∫ρ(·) → Σ_j m_j (·)_j:   I₁ = Σ m_j X_j,   S̄_k = Σ m_j N_jk,   D_k = Σ m_j N_jk X_jᵀ,   P_kl = Σ m_j N_jk N_jlᵀ
//! ```
//! with the displacement N_jk of point j in shape k (floating-frame-and-ancf §1.9.3).

use crate::{InertiaIntegrals, Interface};
use poinsot_geometry::{Mat3, Vec3, so3};

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

/// A small ball that moves and turns with a point of the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// Mass (kg).
    pub mass: f64,
    /// Moment of inertia about any axis through its centre (kg·m²).
    pub inertia: f64,
}

impl InertiaIntegrals {
    /// Takes a ball at an interface out of the body. With the Euler tensor ½J 1 of the ball and its field
    /// S_k + φ_k × ξ the sums are
    ///
    /// ```text
    /// E: m X Xᵀ + ½J 1,   D_k: m S_k Xᵀ + ½J φ̃_k,   P_kl: m S_k S_lᵀ + ½J φ̃_k φ̃_lᵀ
    /// ```
    pub fn remove_ball(&mut self, ball: &Ball, at: &Interface) {
        let Ball { mass, inertia } = *ball;
        let (x, n) = (&at.place, self.mean.len());
        let turn = |k: usize| so3::skew(&at.rotations[k]) * (0.5 * inertia);
        self.mass -= mass;
        self.first_moment -= x * mass;
        self.second_moment -= x * x.transpose() * mass + Mat3::identity() * (0.5 * inertia);
        for k in 0..n {
            let shape = &at.displacements[k];
            self.mean[k] -= shape * mass;
            self.moments[k] -= shape * x.transpose() * mass + turn(k);
            for l in 0..n {
                let turned = turn(k) * so3::skew(&at.rotations[l]).transpose();
                self.products[k * n + l] -= shape * at.displacements[l].transpose() * mass + turned;
            }
        }
    }

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
