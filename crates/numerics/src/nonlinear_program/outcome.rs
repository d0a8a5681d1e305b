//! What comes out.

use super::program::NoValue;

/// How far a search has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Steps made.
    pub iteration: usize,
    /// Whether the search looks for a point at which the conditions hold, instead of a better one.
    pub is_restoring: bool,
    /// f.
    pub objective: f64,
    /// Largest distance of a condition from its range, in its scaled unit.
    pub violation: f64,
    /// Largest entry of the gradient of Lagrange's function, scaled.
    pub stationarity: f64,
    /// Parameter µ of the barrier.
    pub barrier: f64,
    /// Share of the Newton step that was made.
    pub step: f64,
    /// What was added to the diagonal of the Hessian.
    pub shift: f64,
}

/// A point that satisfies the first-order conditions, with positive curvature in the directions that the
/// conditions leave.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The point.
    pub x: Vec<f64>,
    /// f there.
    pub objective: f64,
    /// λ of the conditions: ∇f + Aᵀλ = 0 with the multipliers of the bounds; −λ is how f changes with the
    /// value of a condition that is held.
    pub multipliers: Vec<f64>,
    /// Of the lower bounds of unknowns, not negative.
    pub lower_multipliers: Vec<f64>,
    /// Of the upper bounds of unknowns, not negative.
    pub upper_multipliers: Vec<f64>,
    /// Largest distance of a condition from its range, in its own unit.
    pub violation: f64,
    /// Largest scaled error of the optimality conditions.
    pub error: f64,
    /// Whether that is within the tolerance; otherwise the search came to rest at rounding above it.
    pub is_within_tolerance: bool,
    /// Steps, those of restorations included.
    pub iterations: usize,
    /// Where the search ended, to go on from.
    pub barrier: f64,
}

/// Why a search ended without a solution.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Reason {
    /// A function has no value at the start.
    #[error("a function has no value at the start")]
    NoStart(#[from] NoValue),
    /// The conditions cannot hold together near the point: their violation is least there.
    #[error("the conditions cannot hold together: their violation is least at a point where they do not")]
    Infeasible,
    /// f falls without end.
    #[error("the objective falls without end")]
    Unbounded,
    /// Too many steps.
    #[error("the limit of {0} steps was reached")]
    IterationLimit(usize),
    /// No step leads on.
    #[error("no step leads on")]
    Stuck,
    /// The watcher ended it.
    #[error("it was ended")]
    Stopped,
    /// The factors of the linear system do not fit in memory.
    #[error("the factors do not fit in memory")]
    Memory,
}

/// A search without a solution, with where it ended.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{reason}")]
pub struct Failure {
    /// Why.
    pub reason: Reason,
    /// The last point.
    pub x: Vec<f64>,
    /// Rows whose conditions do not hold there, worst first, with their distance from the range.
    pub violated: Vec<(usize, f64)>,
    /// Steps made.
    pub iterations: usize,
}

/// Where a search begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    /// The point; it is moved inside its bounds.
    pub x: Vec<f64>,
    /// Multipliers of the conditions, if they are known from a problem nearby.
    pub multipliers: Option<Vec<f64>>,
    /// The first parameter µ of the barrier: small where the start is good.
    pub barrier: f64,
}

impl From<Vec<f64>> for Start {
    fn from(x: Vec<f64>) -> Self {
        Start { x, multipliers: None, barrier: 0.1 }
    }
}

/// When a search ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Of the scaled error of the optimality conditions.
    pub tolerance: f64,
    /// Most steps.
    pub most_steps: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { tolerance: 1e-9, most_steps: 3000 }
    }
}
