//! What every summary says, whatever was analysed.

use serde::{Deserialize, Serialize};

use super::flexible::FlexibleAudit;
use super::redundancy::RedundancyReport;

/// The part of a summary that does not depend on the analysis.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Common {
    /// The model that was analysed.
    pub model: ModelIdentity,
    /// Name of the study in the file of the model, where it has one.
    #[serde(rename = "study_name", default, skip_serializing_if = "Option::is_none")]
    pub study: Option<String>,
    /// The program that analysed it.
    pub program: Program,
    /// How the analysis ended.
    pub outcome: Outcome,
    /// How large the system is.
    pub counts: Counts,
    /// How free and how overdetermined the system is, if that was examined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redundancy: Option<RedundancyReport>,
    /// The state that the study started from, where it did not start as modelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial: Option<Initial>,
    /// What was done to the given start to satisfy the constraints.
    pub start: Option<Start>,
    /// How far flexible bodies deform.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flexible: Vec<FlexibleAudit>,
    /// Comparisons with the values the model says to expect.
    pub expectations: Vec<Expectation>,
    /// The other files of the run.
    pub files: Vec<FileEntry>,
    /// Files that could not be written, with the reason in place of a description.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<FileEntry>,
}

/// Which model was run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ModelIdentity {
    /// Name of the model.
    pub name: String,
    /// File it was read from.
    pub file: String,
    /// Hash of the bytes of that file, with the name of the hash.
    pub hash: String,
}

/// Which program ran the model.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Program {
    /// Name of the program.
    pub name: String,
    /// Version of the program.
    pub version: String,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The end time was reached.
    Completed,
    /// The user stopped the run.
    Interrupted,
    /// The run could not go on.
    #[default]
    Failed,
}

/// How a run ended, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// Completed, interrupted or failed.
    pub status: Status,
    /// What happened; empty if there is nothing to say.
    pub message: String,
    /// What the user can do about it; empty if nothing is called for.
    pub remedy: String,
}

/// How large a system is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Moving bodies: rigid ones and points.
    pub bodies: u64,
    /// Beams.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub beams: u64,
    /// Nodes of the beams.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub beam_nodes: u64,
    /// Plates.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub plates: u64,
    /// Nodes of the plates.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub plate_nodes: u64,
    /// Joints.
    pub joints: u64,
    /// Force elements.
    pub forces: u64,
    /// Coordinates.
    pub coordinates: u64,
    /// Scalar constraint equations.
    pub constraints: u64,
    /// Names of the constraints that say nothing new.
    pub redundant: Vec<String>,
    /// Degrees of freedom.
    pub degrees_of_freedom: u64,
    /// Variables of first-order equations.
    #[serde(default)]
    pub variables: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The state that a study started from.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Initial {
    /// Where it comes from.
    pub from: String,
    /// What is known of it.
    pub facts: Vec<String>,
    /// What the user should know about it.
    pub doubts: Vec<String>,
}

/// What was done to the given start to satisfy the constraints.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Start {
    /// Norm of the change of the positions.
    pub position_correction: f64,
    /// Norm of the change of the velocities.
    pub velocity_correction: f64,
    /// What joints were asked to start with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<String>,
    /// What the user should know about the start.
    pub messages: Vec<String>,
}

/// A comparison with a value the model says to expect.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Expectation {
    /// Name of the signal.
    pub signal: String,
    /// Unit of the signal.
    pub unit: String,
    /// Time of the comparison, in s.
    pub at: f64,
    /// The expected value.
    pub expected: f64,
    /// The recorded value, `None` if the run did not get there.
    pub measured: Option<f64>,
    /// Largest accepted error.
    pub tolerance: f64,
    /// |measured − expected|, `None` if there is no recorded value.
    pub error: Option<f64>,
    /// Where the expected value comes from.
    pub source: String,
    /// True if the error does not exceed the tolerance.
    pub passed: bool,
}

impl Expectation {
    /// Takes in the recorded value and judges it:
    /// passed ⇔ |measured − expected| ≤ tolerance.
    pub fn judge(mut self, measured: Option<f64>) -> Self {
        let error = measured.map(|value| (value - self.expected).abs());
        self.measured = measured;
        self.error = error;
        self.passed = error.is_some_and(|e| e <= self.tolerance);
        self
    }
}

/// A file of the run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FileEntry {
    /// Its name in the run folder.
    pub name: String,
    /// One line saying what it holds.
    pub description: String,
}
