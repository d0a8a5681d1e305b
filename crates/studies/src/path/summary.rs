//! The summary of paths of equilibria.

use poinsot_results::Common;
use serde::{Deserialize, Serialize};

/// The summary of the equilibria along a parameter.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PathSummary {
    /// Model, outcome, counts, expectations and files.
    #[serde(flatten)]
    pub common: Common,
    /// The parameter.
    pub parameter: String,
    /// Its value at the start.
    pub from: f64,
    /// Value towards which the path sets out.
    pub to: f64,
    /// Time at which loads and drives are taken, in s.
    pub time: f64,
    /// The paths: the first one, then those that cross it.
    pub branches: Vec<BranchSummary>,
    /// Points where the parameter turns back.
    pub limit_points: Vec<SingularEntry>,
    /// Points where paths cross.
    pub bifurcations: Vec<SingularEntry>,
    /// Points where small motions begin to grow, in models that are not large.
    #[serde(default)]
    pub hopf_points: Vec<SingularEntry>,
    /// Corrections of all points together.
    pub iterations: u64,
    /// Steps that were tried again with a shorter one.
    pub rejected_steps: u64,
    /// Systems that were built for other values of the parameter.
    pub builds: u64,
    /// Time the analysis took, in s.
    pub wall_time_s: f64,
    /// Time from reading the model to the analysis, in s.
    pub set_up_time_s: f64,
    /// What the user should know about the results.
    pub warnings: Vec<String>,
}

/// A path of equilibria.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct BranchSummary {
    /// Number of the branch, from 1.
    pub number: u64,
    /// Number of the bifurcation at which it starts; none for the first path.
    pub bifurcation: Option<u64>,
    /// Points on it.
    pub points: u64,
    /// Values of the parameter at its first and last point.
    pub ends: [f64; 2],
    /// Least and greatest value of the parameter.
    pub range: [f64; 2],
    /// Points that are stable.
    pub stable_points: u64,
    /// Why it ends, in words.
    pub ending: String,
}

/// A singular point of a path.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SingularEntry {
    /// Number among those of its kind, from 1.
    pub number: u64,
    /// Number of its branch.
    pub branch: u64,
    /// Value of the parameter.
    pub parameter: f64,
    /// Singular directions.
    pub multiplicity: u64,
    /// Frequency of small motions that begin to grow, in Hz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frequency_hz: Option<f64>,
    /// Unstable directions on the more stable side.
    pub unstable: Option<u64>,
    /// Values of the signals.
    pub signals: Vec<SignalValue>,
}

/// The value of a signal.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SignalValue {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// Its unit; empty for a pure number.
    pub unit: String,
}
