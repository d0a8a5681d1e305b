//! How a step fails: when, in which equation, why, and what to do.

use poinsot_mechanics::System;
use poinsot_numerics::lu::PivotError;
use thiserror::Error;

/// A step that could not be taken.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("at t = {t:.6e} s{}: {reason}{}", self.tried(), self.worst())]
pub struct StepFailure {
    /// Time at which it failed.
    pub t: f64,
    /// Step that was tried.
    pub step: f64,
    /// What went wrong.
    pub reason: &'static str,
    /// The worst equation, in words; empty if it is not a matter of one.
    pub equation: String,
    /// What to try.
    pub remedy: &'static str,
}

/// What to try where a step does not converge, of methods whose steps are bound to rotations.
pub(crate) const HALVE: &str =
    "halve the step; if it still fails, look for a jammed or nearly singular position there";

/// The same where a body would turn far.
pub(crate) const TURNS_FAR: &str =
    "take a smaller step: a body would turn by more than half a radian in this one";

/// The same of methods with tolerances of their own.
pub(crate) const SHORTEN: &str = "take a shorter step or a looser tolerance; if it still fails, look for a jump in a load or a \
                                  singular position there";

/// What to look at where a load is not a number.
pub(crate) const LOOK_AT_LOADS: &str =
    "look at the expressions of the loads there: a root, a quotient or a logarithm that leaves its range";

/// What to look for where the equations are singular.
pub(crate) const REDUNDANT: &str =
    "look for redundant constraints (`poinsot check`) or a body without inertia in that direction";

/// Why redundant joints and a form that lets joints drift do not go together.
pub const DRIFTED: &str = "the form of the constraints lets joints drift open, and redundant joints that have opened \
                           contradict each other";

impl StepFailure {
    fn tried(&self) -> String {
        if self.step == 0.0 { String::new() } else { format!(" (step {:.3e} s)", self.step) }
    }

    fn worst(&self) -> String {
        if self.equation.is_empty() { String::new() } else { format!("; worst equation: {}", self.equation) }
    }

    /// A step of length h from t that failed at an equation.
    pub(crate) fn of_step(
        [t, h]: [f64; 2],
        reason: &'static str,
        equation: String,
        remedy: &'static str,
    ) -> Self {
        StepFailure { t: t + h, step: h, reason, equation, remedy }
    }

    /// Settings that cannot work.
    pub fn refused(t: f64, reason: &'static str, remedy: &'static str) -> Self {
        StepFailure { t, step: 0.0, reason, equation: String::new(), remedy }
    }

    /// A step that cannot be made shorter.
    pub fn too_short(t: f64, step: f64) -> Self {
        StepFailure {
            t,
            step,
            reason: "the step that the tolerance asks for is too short",
            equation: String::new(),
            remedy: "look for a jump or a singularity in the model there, or loosen the tolerance",
        }
    }

    /// A method that does not exist.
    pub fn no_such_method(t: f64) -> Self {
        StepFailure {
            t,
            step: 0.0,
            reason: "there is no such method",
            equation: String::new(),
            remedy: "choose another number of stages",
        }
    }

    /// An acceleration or a multiplier that is not a number.
    pub fn not_finite(system: &System, t: f64, equation: usize) -> Self {
        StepFailure {
            t,
            step: 0.0,
            reason: "accelerations or reactions are not finite numbers",
            equation: system.equation_name(equation),
            remedy: "look at the expressions of loads and drives there: a root, a quotient or a logarithm that leaves its range",
        }
    }

    /// A motion that grows beyond all numbers, or whose rates do.
    pub fn blown_up(system: &System, t: f64, step: f64, equation: usize) -> Self {
        StepFailure {
            t,
            step,
            reason: "the motion or its rates grow beyond all bounds",
            equation: system.equation_name(equation),
            remedy: "look for what feeds energy in there, a quotient or a logarithm near a pole, or a fixed step that is too long",
        }
    }

    /// A redundant row that does not hold although the others do.
    pub fn contradiction(t: f64, equation: String) -> Self {
        StepFailure {
            t,
            step: 0.0,
            reason: "a joint or drive that was redundant at the start contradicts the others",
            equation,
            remedy: "remove one of the joints or drives that say the same thing differently",
        }
    }

    /// A redundant row that opens because all joints drift.
    pub fn drifted(t: f64, equation: String) -> Self {
        StepFailure {
            t,
            step: 0.0,
            reason: DRIFTED,
            equation,
            remedy: "choose a form that holds the joints: stabilised, embedding or projected, or project = true",
        }
    }

    /// A singular matrix.
    pub fn singular(system: &System, t: f64, error: &PivotError) -> Self {
        let (equation, remedy) = singular_at(system, system.equation_name(error.row));
        StepFailure { t, step: 0.0, reason: "the equations are singular", equation, remedy }
    }
}

/// The equation at which a matrix is singular, with the laws that may have made it so, and what to do.
pub(crate) fn singular_at(system: &System, equation: String) -> (String, &'static str) {
    let laws: Vec<String> = system.reaction_laws().map(|law| format!("`{}`", law.name)).collect();
    match laws.is_empty() {
        true => (equation, REDUNDANT),
        false => (format!("{equation}, with reactions read by {}", laws.join(", ")), CANCELLED),
    }
}

/// What to do about singular equations where laws read reactions.
const CANCELLED: &str = "a law that pushes against its own reaction as strongly as it reads it leaves the \
                         reaction undetermined: change the law, or remove a joint that is redundant";
