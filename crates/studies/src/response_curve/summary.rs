//! The summary of a response curve.

use poinsot_results::Common;
use serde::{Deserialize, Serialize};

/// The summary of periodic motions along a parameter.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ResponseSummary {
    /// Model, outcome, counts, expectations and files.
    #[serde(flatten)]
    pub common: Common,
    /// The parameter.
    pub parameter: String,
    /// Its value at the start.
    pub from: f64,
    /// Value towards which the curve sets out.
    pub to: f64,
    /// By which steps the motions were found.
    pub scheme: String,
    /// Whether the period was unknown.
    pub unknown_period: bool,
    /// Elements of the first motion and of the last one.
    pub elements: [u64; 2],
    /// How often elements were chosen anew on the way.
    pub remeshed: u64,
    /// Change of the first motion with twice as many elements, in units of the states, if it was looked at.
    pub change: Option<f64>,
    /// ln |λ| up to which multipliers count as on the unit circle.
    pub open: f64,
    /// Multipliers left out of all counts: 1, of motions that nothing holds.
    pub idle: u64,
    /// The curves: the first one, then those that were switched to.
    pub branches: Vec<ResponseBranchSummary>,
    /// Points at which the number of growing deviations changes.
    pub singular: Vec<SingularMotion>,
    /// The measure in the table of those points.
    pub measured: String,
    /// Value of the parameter and frequency (Hz) of the Hopf point at which the curve begins.
    pub hopf: Option<[f64; 2]>,
    /// Corrections of all motions together.
    pub iterations: u64,
    /// Steps that were tried again with a shorter one.
    pub rejected_steps: u64,
    /// Models that were built for other values of the parameter.
    pub builds: u64,
    /// Time the analysis took, in s.
    pub wall_time_s: f64,
    /// Time from reading the model to the analysis, in s.
    pub set_up_time_s: f64,
    /// What the user should know about the results.
    pub warnings: Vec<String>,
}

/// A curve.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ResponseBranchSummary {
    /// Number, from 1.
    pub number: u64,
    /// Name of the point at which it begins; empty for the first one.
    pub origin: String,
    /// Points on it.
    pub points: u64,
    /// Points at which no deviation grows.
    pub stable_points: u64,
    /// Values of the parameter at its first and last point.
    pub ends: [f64; 2],
    /// Least and greatest value of the parameter.
    pub range: [f64; 2],
    /// Periods of the model in one of the motion.
    pub multiple: u64,
    /// Why it ends, in words.
    pub ending: String,
}

/// A point at which the number of growing deviations changes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SingularMotion {
    /// "fold", "doubling", "torus" or "branch".
    pub kind: String,
    /// Number among those of its kind, from 1.
    pub number: u64,
    /// Number of its curve.
    pub branch: u64,
    /// Value of the parameter.
    pub parameter: f64,
    /// The period, in s.
    pub period: f64,
    /// Frequency of the deviation that passes, in Hz.
    pub frequency_hz: f64,
    /// The first measure; not there if it has no value.
    pub value: Option<f64>,
}
