//! Why there is no optimal control.

use crate::PeriodicError;
use poinsot_integrators::StepFailure;
use poinsot_numerics::nonlinear_program::Reason;
use thiserror::Error;

/// Why there is no optimal control.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum OptimalError {
    /// The start cannot be used.
    #[error("{0}")]
    Start(#[from] PeriodicError),
    /// Time elements cannot be used on the system.
    #[error("{0}")]
    Element(#[from] StepFailure),
    /// A constraint, or an equation without a rate, follows a control.
    #[error("{row} follows `{control}`, whose jumps it cannot take")]
    Jumps {
        /// The equation.
        row: String,
        /// The control.
        control: String,
    },
    /// The search ended without a solution.
    #[error("after {iterations} steps {reason}{}", worst_words(.worst))]
    Search {
        /// Why.
        reason: Reason,
        /// Steps.
        iterations: usize,
        /// What does not hold at its end, worst first: what, when, and how much.
        worst: Vec<Unmet>,
    },
}

/// A condition that does not hold where a search ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Unmet {
    /// Name of the condition, or of the unknown in which elements do not join.
    pub name: String,
    /// When (s).
    pub t: f64,
    /// By how much.
    pub by: f64,
}

fn worst_words(worst: &[Unmet]) -> String {
    match worst.first() {
        Some(unmet) => {
            format!("; furthest from holding is {} at t = {:.6} s, by {:.3e}", unmet.name, unmet.t, unmet.by)
        }
        None => String::new(),
    }
}
