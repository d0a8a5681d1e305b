//! The floquet study: multipliers of periodic motions as functions of a parameter.

mod failure;
mod harmonics;
mod leading;
mod motion;
mod picture;
mod request;
pub mod results;
mod run;
mod shapes;
mod summary;
mod words;

pub use picture::{GrowthPlot, MultiplierPaths};
pub use request::{FloquetSpec, FloquetTable, MultipliersBy};
pub use run::run;
pub use summary::{FloquetBranchEntry, FloquetRange, FloquetSummary, MultiBladeEntry};

use crate::failure::StudyError;
use crate::progress::Watch;
use crate::study::{Perform, Prepared, Product, RunOptions};
use poinsot_model::study::{Number, ResultFamily, Study, StudyContext};

/// The floquet study: multipliers of periodic motions as functions of a parameter.
pub struct FloquetSweepStudy;

impl Study for FloquetSweepStudy {
    const WORD: &'static str = "floquet";
    const NO_END: Option<&'static str> = Some("it looks at many values of a parameter, each with its motion");
    const RESULTS: &'static [ResultFamily] = results::RESULTS;
    type Table = FloquetTable;
    type Request = FloquetSpec;

    fn resolve(table: &FloquetTable, context: &mut StudyContext) -> Option<FloquetSpec> {
        request::resolve(table, context)
    }

    fn start(table: &FloquetTable) -> Option<&Number> {
        Some(&table.motion.0.start)
    }
}

impl Perform for FloquetSweepStudy {
    fn run(
        prepared: Prepared,
        spec: &FloquetSpec,
        _: &RunOptions,
        watch: &dyn Watch,
    ) -> Result<Product, StudyError> {
        run(prepared, spec, watch)
    }
}
