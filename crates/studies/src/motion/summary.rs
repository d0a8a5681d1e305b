//! The summary of a motion: method, work and audit.

use poinsot_results::{Common, ConstraintAudit, SingularityMet};
use serde::{Deserialize, Serialize};

/// The summary of a motion over time. All quantities are in SI units.
///
/// What a run did not get far enough to know is `None`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MotionSummary {
    /// Model, outcome, counts, expectations and files.
    #[serde(flatten)]
    pub common: Common,
    /// What was asked for, and how far the run got.
    pub study: Study,
    /// How much work it took.
    pub statistics: Statistics,
    /// Events in the order in which they happened.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<EventEntry>,
    /// Quantities that tell whether the results can be trusted.
    pub audit: Audit,
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
    /// Order of the error in smooth motions.
    #[serde(default)]
    pub order: u64,
    /// Stages, of a method that can have several numbers of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stages: Option<u64>,
    /// Why this one, where nobody has named one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<String>,
    /// What the form means for the model, of a structure-preserving method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub treatment: Option<ConstraintTreatment>,
    /// Step, in s; the mean if steps are adaptive.
    pub step: f64,
    /// Tolerance of the iteration in a step, 0 if the method has none of its own.
    pub tolerance: f64,
    /// Tolerance of the local error if steps are adaptive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local_tolerance: Option<LocalTolerance>,
}

/// How a structure-preserving method treats the constraints of a model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ConstraintTreatment {
    /// Coordinates of rigid bodies.
    pub coordinates: String,
    /// Unknowns of a step, where they were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknowns: Option<u64>,
    /// How the null space of the constraints is found, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub null_space: Option<String>,
    /// Stiffness of the penalty, of a form that has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub penalty: Option<f64>,
    /// Gauss points in a step, of a method that has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<u64>,
    /// Numerical dissipation.
    #[serde(default)]
    pub dissipation: f64,
}

/// Tolerance of the local error of adaptive steps.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct LocalTolerance {
    /// Relative to the size of each quantity.
    pub relative: f64,
    /// Relative to the nominal size of each quantity.
    pub absolute: f64,
}

/// An event of the motion.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct EventEntry {
    /// Its name.
    pub name: String,
    /// When it happened, in s.
    pub time: f64,
}

/// The shortest or the longest step.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct StepExtreme {
    /// Its length, in s.
    pub length: f64,
    /// Where it ended, in s.
    pub time: f64,
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
    /// Evaluations of the derivatives that iteration matrices are made of, by methods that keep them.
    #[serde(default)]
    pub jacobians: u64,
    /// Steps whose error was too large.
    #[serde(default)]
    pub rejected_steps: u64,
    /// Adaptive steps that Newton's iteration did not solve.
    #[serde(default)]
    pub unsolved_steps: u64,
    /// Kinks and jumps of piecewise laws at which steps were ended.
    #[serde(default)]
    pub located_kinks: u64,
    /// Steps that were tried again to end at them.
    #[serde(default)]
    pub retried_steps: u64,
    /// The shortest step (s) to which an oscillating law of time has held the motion, if one has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_step: Option<f64>,
    /// The shortest step, `None` if none was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shortest_step: Option<StepExtreme>,
    /// The longest step, `None` if none was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest_step: Option<StepExtreme>,
    /// Time the integration took, in s.
    pub wall_time_s: f64,
    /// Time from reading the model to the first step, in s.
    pub set_up_time_s: f64,
    /// Simulated time over wall time, `None` if no time passed.
    pub simulated_per_wall: Option<f64>,
}

/// Quantities that tell whether the results of a run can be trusted.
///
/// A part is `None` if it was not watched or means nothing for the model. A
/// quantity with a limit holds if it does not exceed the limit.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Audit {
    /// The error that the steps make in time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_error: Option<TimeErrorAudit>,
    /// What shorter steps change, if the run was checked so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_check: Option<StepCheck>,
    /// Energy against the work of what enters and leaves.
    pub energy: Option<EnergyAudit>,
    /// Linear and angular momentum.
    pub momentum: Option<MomentumAudit>,
    /// Residuals of the constraints.
    pub constraints: Option<ConstraintAudit>,
    /// The nearest that the motion came to a singular position, by the cancellation in the step matrix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearest_singularity: Option<SingularityMet>,
    /// Largest rotation of a body in one step.
    pub max_rotation_per_step: Option<RotationAudit>,
    /// What the user should know about the results.
    pub warnings: Vec<String>,
}

/// The error that the steps make in time, relative to the motion's own size.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TimeErrorAudit {
    /// Its estimate, `None` if it is not known.
    pub relative: Option<f64>,
    /// The quantity in which it is largest.
    pub quantity: String,
    /// Steps that were taken again by another method.
    pub retaken_steps: u64,
    /// Largest error that needs no attention.
    pub limit: Option<f64>,
}

/// The run compared with a second one in shorter steps, relative to the motion's own size.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct StepCheck {
    /// What the second run had: half the step, or a tighter tolerance.
    pub changed: String,
    /// Largest difference between the two, `None` if there is none.
    pub difference: Option<f64>,
    /// The error of the run that follows from it by the order of the method.
    pub error: Option<f64>,
    /// The quantity in which they differ most.
    pub quantity: String,
    /// Rows that were compared.
    pub rows: u64,
    /// Largest error that needs no attention.
    pub limit: Option<f64>,
    /// Why there is no difference.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
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
    /// The relative imbalance that the error of the steps explains, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explained: Option<f64>,
    /// Largest relative imbalance that needs no attention.
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

/// Largest rotation of a body in one step.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RotationAudit {
    /// The rotation, in rad.
    pub angle: f64,
    /// The body.
    pub body: String,
    /// When it occurred, in s.
    pub time: f64,
    /// Largest rotation that needs no attention, in rad.
    pub limit: Option<f64>,
}
