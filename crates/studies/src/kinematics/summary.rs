//! The summary of a kinematic motion, which the drives alone determine.

use poinsot_results::{Common, ConstraintAudit, SingularityMet};
use serde::{Deserialize, Serialize};

/// The summary of a kinematic motion. All quantities are in SI units.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct KinematicsSummary {
    /// Model, outcome, counts, expectations and files.
    #[serde(flatten)]
    pub common: Common,
    /// Start time, in s.
    pub t_start: f64,
    /// End time asked for, in s.
    pub t_end: f64,
    /// Time reached, in s.
    pub t_reached: f64,
    /// Positions computed.
    pub steps: u64,
    /// Newton iterations over all steps.
    pub iterations: u64,
    /// Most Newton iterations in one step.
    pub max_iterations: u64,
    /// Degrees of freedom left by the joints, which drives have to take up.
    pub mobility: u64,
    /// Scalar equations of the drives.
    pub driven_rows: u64,
    /// The nearest the motion came to a singular position.
    pub nearest_singularity: Option<SingularityMet>,
    /// Largest residuals of the constraints.
    pub residuals: Option<ConstraintAudit>,
    /// Time the analysis took, in s.
    pub wall_time_s: f64,
    /// Time from reading the model to the analysis, in s.
    pub set_up_time_s: f64,
    /// What the user should know about the results.
    pub warnings: Vec<String>,
}
