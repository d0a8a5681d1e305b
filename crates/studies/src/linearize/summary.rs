//! The summary of a linearisation.

use poinsot_results::{Common, Complex, MatrixShape, Stability};
use serde::{Deserialize, Serialize};

/// The summary of a linear state-space model about a state.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LinearizeSummary {
    /// Model, outcome, counts, expectations and files.
    #[serde(flatten)]
    pub common: Common,
    /// The state the model is about: `start`, `equilibrium`, …
    pub about: String,
    /// Time of that state, in s.
    pub time: f64,
    /// Frame in which the state is at rest.
    pub observer: String,
    /// Names of the states, in the order of the rows.
    pub states: Vec<String>,
    /// Names of the inputs, in the order of the columns.
    pub inputs: Vec<String>,
    /// Names of the outputs, in the order of the rows.
    pub outputs: Vec<String>,
    /// The matrices written and their sizes.
    pub matrices: Vec<MatrixShape>,
    /// Poles, in 1/s.
    pub poles: Vec<Complex>,
    /// Whether small motions stay small, if that was examined.
    pub stability: Option<Stability>,
    /// Time the analysis took, in s.
    pub wall_time_s: f64,
    /// Time from reading the model to the analysis, in s.
    pub set_up_time_s: f64,
    /// What the user should know about the results.
    pub warnings: Vec<String>,
}
