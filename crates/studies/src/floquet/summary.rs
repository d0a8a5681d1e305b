//! The summary of multipliers as functions of a parameter.

use poinsot_results::Common;
use serde::{Deserialize, Serialize};

/// The summary of a floquet study.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FloquetSummary {
    /// Model, outcome, counts, expectations and files.
    #[serde(flatten)]
    pub common: Common,
    /// The parameter that is changed.
    pub parameter: String,
    /// First and last value of the parameter.
    pub range: [f64; 2],
    /// Periods at the first and last value, in s.
    pub periods: [f64; 2],
    /// By which steps the motions were found.
    pub scheme: String,
    /// How multipliers were computed.
    pub method: String,
    /// Number of values, those put in included.
    pub values: u64,
    /// How many were put in where modes change quickly or meet.
    pub inserted: u64,
    /// Motions that were computed.
    pub evaluations: u64,
    /// Fewest and most elements of a motion.
    pub elements: [u64; 2],
    /// The modes that were followed, by their frequency at the first value.
    pub branches: Vec<FloquetBranchEntry>,
    /// Ranges in which deviations grow, by value.
    pub instabilities: Vec<FloquetRange>,
    /// Accuracy of their ends.
    pub accuracy: f64,
    /// Values at which deviations die away, grow, and neither as far as is known.
    pub verdicts: [u64; 3],
    /// Whether only the largest multipliers were computed.
    pub largest_only: bool,
    /// Largest of the errors of the largest multipliers.
    pub error: f64,
    /// Largest |λ − 1| of the motions themselves, where nothing depends on time.
    pub gauge: Option<f64>,
    /// What multi-blade coordinates come to, where blades are named.
    pub multi_blade: Option<MultiBladeEntry>,
    /// Time the analysis took, in s.
    pub wall_time_s: f64,
    /// Time from reading the model to the analysis, in s.
    pub set_up_time_s: f64,
    /// What the user should know about the results.
    pub warnings: Vec<String>,
}

/// A mode at the ends of the range.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FloquetBranchEntry {
    /// Number of the mode, from 1.
    pub number: u64,
    /// Frequency of the strongest harmonic at the first and last value, in Hz.
    pub frequency_hz: [f64; 2],
    /// Growth rate there, in 1/s.
    pub growth: [f64; 2],
    /// Largest growth rate at the values, in 1/s.
    pub largest_growth: f64,
    /// Bodies and variables that move most at the first value.
    pub moving_most: Vec<(String, f64)>,
}

/// What multi-blade coordinates come to.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MultiBladeEntry {
    /// Motions about which the equations are constant.
    pub constant: u64,
    /// Those about which they are not.
    pub not_at: u64,
    /// Largest periodic part of constant ones.
    pub variation: f64,
    /// Largest difference between exp(σT) and the multipliers.
    pub difference: f64,
    /// What of such a difference the accuracy of the multiplier does not explain, at most.
    #[serde(default)]
    pub unexplained: f64,
    /// Why they are not, at the first value where that is so.
    pub reason: Option<String>,
}

/// A range in which deviations grow.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FloquetRange {
    /// Where it begins; `None` if before the range of the study.
    pub from: Option<f64>,
    /// Where it ends; `None` if behind it.
    pub to: Option<f64>,
    /// `divergence`, `doubling` or `pair`.
    pub kind: String,
    /// Where deviations grow most.
    pub peak: f64,
    /// Largest |λ|.
    pub magnitude: f64,
    /// Growth rate there, in 1/s.
    pub growth: f64,
    /// Frequency there, in Hz.
    pub frequency_hz: f64,
}
