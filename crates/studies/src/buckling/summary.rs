//! The summary of linearised buckling.

use crate::modes::{EigenMethod, Participation};
use poinsot_results::Common;
use serde::{Deserialize, Serialize};

/// The summary of the critical values of a parameter.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct BucklingSummary {
    /// Model, outcome, counts, expectations and files.
    #[serde(flatten)]
    pub common: Common,
    /// The parameter.
    pub parameter: String,
    /// Its value at the state that buckles.
    pub at: f64,
    /// Time at which loads and drives are taken, in s.
    pub time: f64,
    /// The critical values, the nearest first.
    pub critical: Vec<CriticalValue>,
    /// How they were found.
    pub method: EigenMethod,
    /// Time the analysis took, in s.
    pub wall_time_s: f64,
    /// Time from reading the model to the analysis, in s.
    pub set_up_time_s: f64,
    /// What the user should know about the results.
    pub warnings: Vec<String>,
}

/// A critical value of the parameter.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CriticalValue {
    /// Number, from 1.
    pub number: u64,
    /// The value.
    pub value: f64,
    /// What rounding leaves open of it: stiff sections cost digits.
    #[serde(default)]
    pub error: f64,
    /// The value divided by that at the state, if the latter is not zero.
    pub factor: Option<f64>,
    /// The bodies that move most, by the squares of their displacements and rotations.
    pub participation: Vec<Participation>,
}
