//! What a step reports, and what an integration costs.

use serde::{Deserialize, Serialize};

/// What a tried step tells before it is accepted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attempt {
    /// Newton iterations.
    pub iterations: usize,
    /// The estimated local error in units of the tolerance, if the method estimates any.
    pub error: Option<f64>,
    /// The power of the step with which the error goes.
    pub exponent: usize,
    /// Whether the estimate is that of the result itself, so that the errors of all steps add up to that of
    /// the motion. Where it is that of a less exact result the error of each step is so much smaller that
    /// they do not.
    pub adds_up: bool,
    /// How much of the iterations that it may take Newton has needed, between 0 and 1.
    pub effort: f64,
    /// The step that the method itself would take next, if it knows better than the controller.
    pub next: Option<f64>,
    /// The longest step that Newton's iteration can be expected to solve next.
    pub longest: f64,
}

/// Report of an accepted step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport {
    /// Newton iterations.
    pub iterations: usize,
    /// Largest rotation of a body in the step (rad).
    pub rotation: f64,
    /// The node of that body.
    pub body: usize,
}

/// What an integration has cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Accepted steps.
    pub steps: usize,
    /// Newton iterations.
    pub iterations: usize,
    /// Most iterations in one step.
    pub max_iterations: usize,
    /// Residual evaluations.
    pub residuals: usize,
    /// Factorisations of step matrices.
    pub factorisations: usize,
    /// Evaluations of the derivatives that step matrices are made of, by methods that keep them.
    pub jacobians: usize,
    /// Steps whose error was too large.
    pub rejected: usize,
    /// Steps that Newton's iteration did not solve.
    pub unsolved: usize,
}

impl Counters {
    /// A step was accepted after so many iterations.
    pub(crate) fn accepted(&mut self, iterations: usize) {
        self.steps += 1;
        self.max_iterations = self.max_iterations.max(iterations);
    }

    /// Adds the cost of another integration.
    pub fn add(&mut self, other: &Counters) {
        self.steps += other.steps;
        self.iterations += other.iterations;
        self.max_iterations = self.max_iterations.max(other.max_iterations);
        self.residuals += other.residuals;
        self.factorisations += other.factorisations;
        self.jacobians += other.jacobians;
        self.rejected += other.rejected;
        self.unsolved += other.unsolved;
    }
}
