//! The lowest vibration of a reduced body that one interface holds: what its spin is compared with.
//!
//! ```text
//! b = x + φ × X + Σ_k (S_k, φ_k) q_k = 0   →   (x, φ) = −B q,   Tᵀ = (−Bᵀ, 1):   K v = ω² TᵀM T v
//! ```

use crate::{InertiaIntegrals, Interface, ReducedBody};
use nalgebra::DMatrix;
use poinsot_geometry::{Mat3, so3};

impl InertiaIntegrals {
    /// M of the rigid motions (x, φ) about the origin and of the shapes.
    ///
    /// ```text
    /// [ m 1     −Ĩ₁    S̄_k  ]
    /// [ Ĩ₁      J      h_k  ]      J = tr(E) 1 − E,   h_k = ∫ρ X × S_k
    /// [ S̄_kᵀ   h_kᵀ   m_kl ]
    /// ```
    pub fn mass_matrix(&self) -> DMatrix<f64> {
        let n = self.mean.len();
        let mut mass = DMatrix::zeros(6 + n, 6 + n);
        let first = so3::skew(&self.first_moment);
        let inertia = Mat3::identity() * self.second_moment.trace() - self.second_moment;
        mass.view_mut((0, 0), (3, 3)).copy_from(&(Mat3::identity() * self.mass));
        mass.view_mut((0, 3), (3, 3)).copy_from(&-first);
        mass.view_mut((3, 0), (3, 3)).copy_from(&first);
        mass.view_mut((3, 3), (3, 3)).copy_from(&inertia);
        for k in 0..n {
            let turn = so3::axial(&(self.moments[k] - self.moments[k].transpose()));
            for i in 0..3 {
                (mass[(i, 6 + k)], mass[(6 + k, i)]) = (self.mean[k][i], self.mean[k][i]);
                (mass[(3 + i, 6 + k)], mass[(6 + k, 3 + i)]) = (turn[i], turn[i]);
            }
            for l in 0..n {
                mass[(6 + k, 6 + l)] = self.products[k * n + l].trace();
            }
        }
        mass
    }
}

impl ReducedBody {
    /// The lowest circular frequency with one interface held, the least of all interfaces (rad/s). None
    /// without interfaces or shapes, or where a shape has no mass.
    pub fn lowest_held_frequency(&self) -> Option<f64> {
        let mass = self.inertia.mass_matrix();
        let lowest = |interface| self.lowest_held_at(interface, &mass);
        self.interfaces.iter().filter_map(lowest).min_by(f64::total_cmp)
    }

    fn lowest_held_at(&self, interface: &Interface, mass: &DMatrix<f64>) -> Option<f64> {
        let n = self.size();
        if n == 0 {
            return None;
        }
        let mut motion = DMatrix::zeros(6 + n, n);
        for k in 0..n {
            let turn = -interface.rotations[k];
            let move_ = -interface.displacements[k] - turn.cross(&interface.place);
            motion.view_mut((0, k), (3, 1)).copy_from(&move_);
            motion.view_mut((3, k), (3, 1)).copy_from(&turn);
            motion[(6 + k, k)] = 1.0;
        }
        let factor = (motion.transpose() * mass * motion).cholesky()?.l();
        let half = factor.solve_lower_triangular(&self.stiffness)?;
        let whole = factor.solve_lower_triangular(&half.transpose())?;
        let square = whole.symmetric_eigenvalues().min();
        (square > 0.0).then(|| square.sqrt())
    }
}
