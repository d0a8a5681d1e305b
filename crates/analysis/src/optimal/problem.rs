//! What is asked of an optimal control.

use poinsot_mechanics::State;
use poinsot_numerics::nonlinear_program::Range;
use std::fmt::Debug;

/// A number of a state.
pub trait Quantity: Debug + Send + Sync {
    /// What it is called.
    fn name(&self) -> &str;

    /// Its value.
    fn value(&self, state: &State) -> f64;

    /// Adds `weight` times its derivative by a change {δq ; δw} of the state.
    fn add_slope(&self, state: &State, weight: f64, out: &mut [f64]);
}

/// A variable of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct VariableQuantity {
    /// Its name.
    pub name: String,
    /// Its equation, its place in `State::v`.
    pub entry: usize,
}

impl Quantity for VariableQuantity {
    fn name(&self) -> &str {
        &self.name
    }

    fn value(&self, state: &State) -> f64 {
        state.v[self.entry]
    }

    fn add_slope(&self, state: &State, weight: f64, out: &mut [f64]) {
        out[state.v.len() + self.entry] += weight;
    }
}

/// When a variable is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// At the start of each element: a control.
    Anew,
    /// At the start: a parameter.
    Once,
}

/// A variable that the optimum sets.
#[derive(Clone, Debug, PartialEq)]
pub struct Free {
    /// Its name.
    pub name: String,
    /// Its equation, its place in `State::v`.
    pub entry: usize,
    /// When.
    pub setting: Setting,
    /// Where it may lie.
    pub range: Range,
}

/// Where a condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// At the bounds of all elements but the start.
    Everywhere,
    /// At the end.
    End,
}

/// A condition on a quantity.
#[derive(Debug)]
pub struct Condition {
    /// The quantity.
    pub quantity: Box<dyn Quantity>,
    /// Where.
    pub place: Where,
    /// Where it may lie.
    pub range: Range,
}

/// How long the motion takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Duration {
    /// As long (s).
    Given(f64),
    /// Unknown.
    Free {
        /// A guess (s).
        guess: f64,
        /// Where it may lie (s).
        range: Range,
    },
}

impl Duration {
    /// What it is, or is guessed to be.
    pub fn guess(&self) -> f64 {
        match *self {
            Duration::Given(duration) => duration,
            Duration::Free { guess, .. } => guess,
        }
    }
}

/// What is asked.
#[derive(Debug)]
pub struct OptimalProblem {
    /// Controls and parameters.
    pub free: Vec<Free>,
    /// Duration.
    pub duration: Duration,
    /// J: quantities at the end with their weights.
    pub objective: Vec<(Box<dyn Quantity>, f64)>,
    /// The weight of the duration in J.
    pub time_weight: f64,
    /// Conditions.
    pub conditions: Vec<Condition>,
}
