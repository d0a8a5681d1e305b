//! The periodic study: a motion that repeats itself, and whether small deviations from it grow.

pub(crate) mod failure;
pub(crate) mod guess;
mod keys;
mod picture;
pub(crate) mod request;
pub mod results;
pub(crate) mod run;
mod sampling;
mod scheme;
mod summary;
mod table;
mod top;
mod words;

pub use keys::MotionKeys;
pub use picture::MultiplierPlane;
pub use request::{PeriodSpec, PeriodicSpec, resolve_by_steps};
pub use run::{FirstMotion, advances, first_motion, run, settings};
pub use scheme::SchemeSpec;
pub use summary::{MultiplierEntry, PeriodicSummary};
pub use table::{NumbersByName, PeriodKey, PeriodicTable, Points, Scheme, StartsAs};

use crate::failure::StudyError;
use crate::progress::Watch;
use crate::study::{Perform, Prepared, Product, RunOptions};
use poinsot_model::study::{Number, ResultFamily, Study, StudyContext};

/// The periodic study: a motion that repeats itself, with its multipliers.
pub struct Periodic;

impl Study for Periodic {
    const WORD: &'static str = "periodic";
    const RESULTS: &'static [ResultFamily] = results::RESULTS;
    type Table = PeriodicTable;
    type Request = PeriodicSpec;

    fn resolve(table: &PeriodicTable, context: &mut StudyContext) -> Option<PeriodicSpec> {
        request::resolve(table, context)
    }

    fn start(table: &PeriodicTable) -> Option<&Number> {
        Some(&table.start)
    }
}

impl Perform for Periodic {
    fn run(
        prepared: Prepared,
        spec: &PeriodicSpec,
        _: &RunOptions,
        watch: &dyn Watch,
    ) -> Result<Product, StudyError> {
        run(prepared, spec, watch)
    }
}
