//! The motion study: motion under loads, with its audit.

mod audit;
pub mod checkpoint;
mod events;
mod failure;
mod law_times;
mod refusal;
mod report;
mod request;
mod run;
mod slope;
mod step_check;
mod study;
mod summary;
mod table;
pub mod treatment;
mod words;

pub use audit::TIME_ERROR_LIMIT;
pub use events::ModelEvents;
pub(crate) use law_times::kinks as law_kinks;
pub use refusal::refusal;
pub use run::run;
pub use study::motion_study;
pub use summary::{
    Audit, ConstraintTreatment, EnergyAudit, EventEntry, IntegratorChoice, LocalTolerance, MomentumAudit,
    MomentumChange, MotionSummary, RotationAudit, Statistics, StepCheck, StepExtreme, Study, TimeErrorAudit,
};

use crate::failure::StudyError;
use crate::progress::Watch;
use crate::study::{Perform, Prepared, Product, RunOptions};
use poinsot_model::spec::MotionSpec;
use poinsot_model::study::{Number, Study as StudyOf, StudyContext};

/// The motion study: motion under loads, with its audit.
pub struct Motion;

impl StudyOf for Motion {
    const WORD: &'static str = MotionSpec::WORD;
    type Table = table::MotionTable;
    type Request = MotionSpec;

    fn resolve(table: &table::MotionTable, context: &mut StudyContext) -> Option<MotionSpec> {
        request::resolve(table, context)
    }

    fn start(table: &table::MotionTable) -> Option<&Number> {
        Some(&table.start)
    }
}

impl Perform for Motion {
    const IN_STEPS: bool = true;

    fn run(
        prepared: Prepared,
        spec: &MotionSpec,
        options: &RunOptions,
        watch: &dyn Watch,
    ) -> Result<Product, StudyError> {
        run(prepared, spec, options, watch)
    }
}
