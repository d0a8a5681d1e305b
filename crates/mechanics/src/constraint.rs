//! Constraints as functions of carried vectors: holonomic rows Φ(x, t) = 0 and rows on velocities ψ(x, ẋ, t)
//! = 0.
//!
//! Every row has a *rate* that is linear in the velocities,
//!
//! ```text
//! rate_k = Σ_a G_ka(x, t) · ẋ_a + drift_k(x, t)
//! ```
//! For a holonomic row it is Φ̇: G = ∂Φ/∂x and drift = ∂Φ/∂t. For a row on velocities (Pfaffian form) it is ψ
//! itself, and there is no Φ. Either way the constraint force on x_a is −Σ_k λ_k G_ka (the sign of `M q̈ +
//! Gᵀλ = Q`).

use crate::coordinate::Coordinate;
use crate::discrete_gradients;
use crate::discrete_gradients::StepEnds;
use crate::element_buffers::{Blocks, Gradients};
use crate::itinerary::Itinerary;
use crate::joints::LowerPair;
use crate::nodes::carried::Carried;
use poinsot_geometry::Vec3;
use std::any::Any;
use std::fmt::Debug;

/// Where a constraint is evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Configuration<'a> {
    /// Time (s).
    pub t: f64,
    /// Carried vectors x_a.
    pub x: &'a [Vec3],
    /// The constraint's remembered numbers (unwrapped angles).
    pub memory: &'a [f64],
}

/// What is wanted of a constraint besides its forces.
#[derive(Debug)]
pub struct Levels<'a> {
    /// Φ_k.
    pub position: Option<&'a mut [f64]>,
    /// The rates at the velocities ẋ_a of the carried vectors.
    pub velocity: Option<(&'a [Vec3], &'a mut [f64])>,
}

/// A few equations between carried vectors.
pub trait Constraint: Any + Send + Sync + Debug {
    /// The constraint's name for people, e.g. `revolute`.
    fn kind(&self) -> &'static str;

    /// What people call it: a joint, a coupling, a drive or a constraint.
    fn noun(&self) -> &'static str {
        "joint"
    }

    /// What row `k` forbids, for messages.
    fn row_name(&self, k: usize) -> &'static str;

    /// Number of rows.
    fn rows(&self) -> usize;

    /// The carried vectors x_a.
    fn carried(&self) -> &[Carried];

    /// Where it travels, if at any place it is a function of few of its carried vectors: [`Configuration::x`]
    /// and all indices are then those of the stretch where it is.
    fn itinerary(&self) -> Option<&Itinerary> {
        None
    }

    /// The point at which reactions are reported, as an index into `carried`, on the second body.
    fn reaction_point(&self) -> usize;

    /// The lower pair it is, if it has a closed form: it then carries its two points, and after them the axes
    /// that [`LowerPair::axes`] names.
    fn lower_pair(&self) -> Option<LowerPair> {
        None
    }

    /// Whether row `k` restricts velocities only.
    fn is_velocity_row(&self, _k: usize) -> bool {
        false
    }

    /// How many numbers the constraint remembers from step to step, at most
    /// [`MAX_MEMORY`](crate::element_buffers::MAX_MEMORY).
    fn memories(&self) -> usize {
        0
    }

    /// The coordinates that it remembers, in order.
    fn remembered(&self) -> Vec<&Coordinate> {
        vec![]
    }

    /// What it remembers before the start: unwrapped angles begin in the turn nearest to it.
    fn start_memory(&self, memory: &mut [f64]) {
        memory.fill(0.0);
    }

    /// The numbers to remember when a step is accepted.
    fn remember(&self, _at: &Configuration, _memory: &mut [f64]) {}

    /// Φ_k(x, t); rows on velocities are left alone.
    fn residual(&self, at: &Configuration, phi: &mut [f64]);

    /// G_ka.
    fn gradients(&self, at: &Configuration, g: &mut Gradients);

    /// Adds Σ_k λ_k G_ka to `f`; the default goes through [`Constraint::gradients`].
    fn pull(&self, at: &Configuration, lambda: &[f64], f: &mut [Vec3], g: &mut Gradients) {
        g.clear();
        self.gradients(at, g);
        for g in g.entries() {
            f[g.carried] += g.value * lambda[g.row];
        }
    }

    /// Adds Σ_a G_ka · ẋ_a to `rate`; the default goes through [`Constraint::gradients`].
    fn push(&self, at: &Configuration, xdot: &[Vec3], rate: &mut [f64], g: &mut Gradients) {
        g.clear();
        self.gradients(at, g);
        for g in g.entries() {
            rate[g.row] += g.value.dot(&xdot[g.carried]);
        }
    }

    /// Adds Σ_k λ_k G_ka to `f` and sets the levels that are wanted, as a stage of an implicit method needs
    /// them: in one pass.
    fn evaluate(
        &self,
        at: &Configuration,
        lambda: &[f64],
        f: &mut [Vec3],
        wanted: Levels,
        g: &mut Gradients,
    ) {
        if let Some(phi) = wanted.position {
            self.residual(at, phi);
        }
        let Some((xdot, rate)) = wanted.velocity else { return self.pull(at, lambda, f, g) };
        self.drift(at, rate);
        g.clear();
        self.gradients(at, g);
        for g in g.entries() {
            f[g.carried] += g.value * lambda[g.row];
            rate[g.row] += g.value.dot(&xdot[g.carried]);
        }
    }

    /// The same constraint with only the rows marked, if it can be had more cheaply than by ignoring the
    /// others.
    fn with_rows(&self, _keep: &[bool]) -> Option<Box<dyn Constraint>> {
        None
    }

    /// ∂(rate_k)/∂x_a at fixed ẋ; of a holonomic row also d/dt ∂Φ_k/∂x_a.
    fn rate_gradients(&self, at: &Configuration, xdot: &[Vec3], g: &mut Gradients);

    /// Σ_k λ_k ∂G_ka/∂x_b as blocks (a, b).
    fn hessian(&self, at: &Configuration, lambda: &[f64], h: &mut Blocks);

    /// Whether it is driven, so that its forces may do work.
    fn is_driven(&self) -> bool {
        false
    }

    /// drift_k, zero unless the constraint is driven.
    fn drift(&self, _at: &Configuration, _out: &mut [f64]) {}

    /// ∂(rate_k)/∂t at fixed x and ẋ, zero unless the constraint is driven.
    fn drift_rate(&self, _at: &Configuration, _xdot: &[Vec3], _out: &mut [f64]) {}

    /// Whether every Φ_k is at most quadratic in x and free of t, so that G at the mean is its discrete
    /// gradient.
    fn is_quadratic(&self) -> bool {
        false
    }

    /// Gd_ka, a discrete gradient of the holonomic rows over a step (see [`StepEnds`]), and G at the mean of
    /// rows on velocities. Σ_a Gd_ka·(x⁺_a − x_a) is the part of Φ⁺ − Φ that is due to x, with t averaged
    /// over the ends. The default is right for every function of the carried vectors, but keeps momentum only
    /// if Φ is quadratic.
    fn discrete_gradients(&self, step: &StepEnds, g: &mut Gradients) {
        if self.is_quadratic() {
            self.gradients(&step.middle(), g);
        } else {
            discrete_gradients::gradients(self, step, g);
        }
    }

    /// Σ_k λ_k ∂Gd_ka/∂x⁺_b as blocks (a, b).
    fn discrete_hessian(&self, step: &StepEnds, lambda: &[f64], h: &mut Blocks) {
        if self.is_quadratic() {
            discrete_gradients::half_hessian(self, &step.middle(), lambda, h);
        } else {
            discrete_gradients::hessian(self, step, lambda, h);
        }
    }
}
