//! The Campbell study: modes as functions of a parameter.

mod failure;
mod picture;
mod request;
pub mod results;
mod run;
mod summary;
mod words;

pub use picture::CampbellPlot;
pub use request::{CampbellSpec, CampbellTable};
pub use run::run;
pub use summary::{
    CampbellBranch, CampbellCrossing, CampbellInstability, CampbellSummary, CampbellVeering, Whirl,
};

use crate::failure::StudyError;
use crate::progress::Watch;
use crate::study::{Perform, Prepared, Product, RunOptions};
use poinsot_model::study::{ResultFamily, Study, StudyContext};

/// The Campbell study: modes as functions of a parameter.
pub struct Campbell;

impl Study for Campbell {
    const WORD: &'static str = "campbell";
    const NO_END: Option<&'static str> = Some("it looks at many values of a parameter, each with its state");
    const RESULTS: &'static [ResultFamily] = results::RESULTS;
    type Table = CampbellTable;
    type Request = CampbellSpec;

    fn resolve(table: &CampbellTable, context: &mut StudyContext) -> Option<CampbellSpec> {
        request::resolve(table, context)
    }
}

impl Perform for Campbell {
    fn run(
        prepared: Prepared,
        spec: &CampbellSpec,
        _: &RunOptions,
        watch: &dyn Watch,
    ) -> Result<Product, StudyError> {
        run(prepared, spec, watch)
    }
}
