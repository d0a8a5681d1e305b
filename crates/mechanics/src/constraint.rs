//! Holonomic constraints Φ(q, t) = 0 as functions of carried vectors.

use crate::carried::Carried;
use crate::lists::{Blocks, Gradients};
use poinsot_geometry::Vec3;

/// A holonomic constraint: rows Φ_k(x, t) = 0 of a few carried vectors x_a.
///
/// The constraint force on x_a is −Σ_k λ_k ∂Φ_k/∂x_a (the sign of `M q̈ + Gᵀλ = Q`).
pub trait Constraint: Send + Sync + std::fmt::Debug {
    /// The joint's name for people, e.g. `revolute`.
    fn kind(&self) -> &'static str;

    /// What row `k` forbids, for messages.
    fn row_name(&self, k: usize) -> &'static str;

    /// Number of rows.
    fn rows(&self) -> usize;

    /// The carried vectors x_a.
    fn carried(&self) -> &[Carried];

    /// The point at which reactions are reported, as an index into `carried`, on the second body.
    fn reaction_point(&self) -> usize;

    /// Φ_k(x, t).
    fn residual(&self, x: &[Vec3], t: f64, phi: &mut [f64]);

    /// ∂Φ_k/∂x_a.
    fn gradients(&self, x: &[Vec3], t: f64, g: &mut Gradients);

    /// Adds Σ_k λ_k ∂Φ_k/∂x_a to `f`; the default goes through [`Constraint::gradients`].
    fn pull(&self, x: &[Vec3], t: f64, lambda: &[f64], f: &mut [Vec3], g: &mut Gradients) {
        g.clear();
        self.gradients(x, t, g);
        for g in g.entries() {
            f[g.carried] += g.value * lambda[g.row];
        }
    }

    /// Adds Σ_a ∂Φ_k/∂x_a · ẋ_a to `rate`; the default goes through [`Constraint::gradients`].
    fn push(&self, x: &[Vec3], xdot: &[Vec3], t: f64, rate: &mut [f64], g: &mut Gradients) {
        g.clear();
        self.gradients(x, t, g);
        for g in g.entries() {
            rate[g.row] += g.value.dot(&xdot[g.carried]);
        }
    }

    /// The same constraint with only the rows marked, if it can be had more cheaply than by ignoring the others.
    fn with_rows(&self, _keep: &[bool]) -> Option<Box<dyn Constraint>> {
        None
    }

    /// d/dt ∂Φ_k/∂x_a along ẋ, i.e. Σ_b ∂²Φ_k/∂x_a∂x_b ẋ_b.
    fn gradient_rates(&self, x: &[Vec3], xdot: &[Vec3], t: f64, g: &mut Gradients);

    /// Σ_k λ_k ∂²Φ_k/∂x_a∂x_b.
    fn hessian(&self, x: &[Vec3], t: f64, lambda: &[f64], h: &mut Blocks);

    /// ∂Φ_k/∂t, zero unless the constraint is driven.
    fn time_rate(&self, _x: &[Vec3], _t: f64, _out: &mut [f64]) {}

    /// ∂²Φ_k/∂t², zero unless the constraint is driven.
    fn time_acceleration(&self, _x: &[Vec3], _t: f64, _out: &mut [f64]) {}
}
