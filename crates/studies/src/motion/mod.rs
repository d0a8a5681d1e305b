//! The motion study: motion under loads, with its audit.

mod audit;
pub mod checkpoint;
mod report;
mod run;
mod step_check;
mod summary;
pub mod treatment;
mod words;

pub use audit::TIME_ERROR_LIMIT;
pub use run::run;
pub use summary::{
    Audit, ConstraintTreatment, EnergyAudit, EventEntry, IntegratorChoice, LocalTolerance, MomentumAudit,
    MomentumChange, MotionSummary, RotationAudit, Statistics, StepCheck, StepExtreme, Study, TimeErrorAudit,
};
