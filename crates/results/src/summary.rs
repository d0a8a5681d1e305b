//! `summary.json`: what was run, how it went and whether it can be trusted.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::atomic_file::write_atomically;
use crate::error::ResultsError;
use crate::finite;

/// The summary of a run. Lengths, masses and times are in SI units.
///
/// What a run did not get far enough to know is `None`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Summary {
    /// The model that was run.
    pub model: ModelIdentity,
    /// The program that ran it.
    pub program: Program,
    /// What was asked for, and how far the run got.
    pub study: Study,
    /// How the run ended.
    pub outcome: Outcome,
    /// How much work it took.
    pub statistics: Statistics,
    /// How large the system is.
    pub counts: Counts,
    /// What was done to the given start to satisfy the constraints.
    pub start: Option<Start>,
    /// Quantities that tell whether the results can be trusted.
    pub audit: Audit,
    /// Comparisons with the values the model says to expect.
    pub expectations: Vec<Expectation>,
    /// The other files of the run.
    pub files: Vec<FileEntry>,
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

/// What was asked for, and how far the run got.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Study {
    /// The integration method.
    pub integrator: IntegratorChoice,
    /// Start time, in s.
    pub t_start: f64,
    /// End time asked for, in s.
    pub t_end: f64,
    /// Time reached, in s.
    pub t_reached: f64,
}

/// The integration method and its settings.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct IntegratorChoice {
    /// Name of the method.
    pub name: String,
    /// Family it belongs to.
    pub family: String,
    /// Roots at infinite frequency that select the member of the family.
    pub roots: Vec<f64>,
    /// Form in which the constraints are imposed.
    pub form: String,
    /// Step, in s.
    pub step: f64,
    /// Tolerance of the iteration in a step.
    pub tolerance: f64,
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

/// How much work a run took.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Statistics {
    /// Steps taken.
    pub steps: u64,
    /// Newton iterations over all steps.
    pub newton_iterations: u64,
    /// Most Newton iterations in one step.
    pub max_newton_iterations: u64,
    /// Evaluations of the residual.
    pub residual_evaluations: u64,
    /// Factorisations of the iteration matrix.
    pub factorisations: u64,
    /// Time the integration took, in s.
    pub wall_time_s: f64,
    /// Time from reading the model to the first step, in s.
    pub set_up_time_s: f64,
    /// Simulated time over wall time, `None` if no time passed.
    pub simulated_per_wall: Option<f64>,
}

/// How large a system is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Moving bodies.
    pub bodies: u64,
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
}

/// What was done to the given start to satisfy the constraints.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Start {
    /// Norm of the change of the positions.
    pub position_correction: f64,
    /// Norm of the change of the velocities.
    pub velocity_correction: f64,
    /// What the user should know about the start.
    pub messages: Vec<String>,
}

/// Quantities that tell whether the results of a run can be trusted.
///
/// A part is `None` if it was not watched or means nothing for the model. A
/// quantity with a limit holds if it does not exceed the limit.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Audit {
    /// Energy against the work of what enters and leaves.
    pub energy: Option<EnergyAudit>,
    /// Linear and angular momentum.
    pub momentum: Option<MomentumAudit>,
    /// Residuals of the constraints.
    pub constraints: Option<ConstraintAudit>,
    /// Largest rotation of a body in one step.
    pub max_rotation_per_step: Option<RotationAudit>,
    /// What the user should know about the results.
    pub warnings: Vec<String>,
}

/// Energy against the work of what enters and leaves, in J.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct EnergyAudit {
    /// Total energy at the start.
    pub start: f64,
    /// Total energy at the end.
    pub end: f64,
    /// Kinetic energy at the end.
    pub kinetic: f64,
    /// Potential energy at the end.
    pub potential: f64,
    /// Work done on the system by drives and applied loads.
    pub supplied_work: f64,
    /// Work lost in dampers and friction.
    pub dissipated_work: f64,
    /// Largest |E − E₀ − W_supplied + W_dissipated|, relative to the energies
    /// in play.
    pub max_relative_imbalance: f64,
    /// When it occurred, in s.
    pub time_of_max: f64,
    /// Largest relative imbalance that is accepted.
    pub limit: Option<f64>,
}

/// Linear and angular momentum of the whole system.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MomentumAudit {
    /// Linear momentum, in kg·m/s.
    pub linear: MomentumChange,
    /// Angular momentum about the origin, in kg·m²/s.
    pub angular: MomentumChange,
}

/// A momentum at both ends of a run and its largest change.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MomentumChange {
    /// At the start.
    pub start: [f64; 3],
    /// At the end.
    pub end: [f64; 3],
    /// Largest norm of the difference from the start.
    pub max_change: f64,
    /// Largest change that is accepted, where it should be conserved.
    pub limit: Option<f64>,
}

/// Largest residuals of the constraints.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ConstraintAudit {
    /// Of the constraints themselves.
    pub position: Residual,
    /// Of their first time derivative.
    pub velocity: Residual,
    /// Of their second time derivative.
    pub acceleration: Residual,
}

/// The largest residual of a kind and where it occurred.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Residual {
    /// Its size.
    pub max: f64,
    /// The joint in which it occurred.
    pub joint: String,
    /// When it occurred, in s.
    pub time: f64,
    /// Largest residual that is accepted.
    pub limit: Option<f64>,
}

/// Largest rotation of a body in one step.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RotationAudit {
    /// The rotation, in rad.
    pub angle: f64,
    /// The body.
    pub body: String,
    /// When it occurred, in s.
    pub time: f64,
    /// Largest rotation that is accepted, in rad.
    pub limit: Option<f64>,
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

impl Summary {
    /// The summary as indented JSON; a number that is not finite is refused.
    pub fn json(&self) -> Result<String, ResultsError> {
        finite::check(self)
            .map_err(|found| ResultsError::SummaryNotFinite { field: found.field, value: found.value })?;
        let text = serde_json::to_string_pretty(self)
            .map_err(|source| ResultsError::Json { path: "summary.json".into(), source })?;
        Ok(text + "\n")
    }

    /// Writes the summary as JSON, whole or not at all; a number that is not
    /// finite is refused and nothing is written.
    pub fn write(&self, path: &Path) -> Result<(), ResultsError> {
        write_atomically(path, self.json()?.as_bytes())
    }

    /// Reads a summary written by [`write`](Self::write).
    pub fn read(path: &Path) -> Result<Summary, ResultsError> {
        let text = fs::read_to_string(path).map_err(ResultsError::io("read", path))?;
        serde_json::from_str(&text).map_err(|source| ResultsError::Json { path: path.to_owned(), source })
    }
}
