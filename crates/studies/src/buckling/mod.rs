//! The buckling study: critical values of a parameter, linearised about an equilibrium.

mod failure;
mod picture;
mod request;
pub mod results;
mod run;
mod summary;
mod words;

pub use picture::CriticalPlot;
pub use request::{BucklingSpec, BucklingTable, Side};
pub use run::run;
pub use summary::{BucklingSummary, CriticalValue};

use crate::failure::StudyError;
use crate::progress::Watch;
use crate::study::{Perform, Prepared, Product, RunOptions};
use poinsot_model::study::{ResultFamily, Study, StudyContext};

/// The buckling study: critical values of a parameter, linearised about an equilibrium.
pub struct Buckling;

impl Study for Buckling {
    const WORD: &'static str = "buckling";
    const WITHOUT_EQUATIONS: Option<&'static str> = Some("a study of buckling");
    const RESULTS: &'static [ResultFamily] = &[results::CRITICAL];
    type Table = BucklingTable;
    type Request = BucklingSpec;

    fn resolve(table: &BucklingTable, context: &mut StudyContext) -> Option<BucklingSpec> {
        request::resolve(table, context)
    }
}

impl Perform for Buckling {
    fn run(
        prepared: Prepared,
        spec: &BucklingSpec,
        _: &RunOptions,
        _: &dyn Watch,
    ) -> Result<Product, StudyError> {
        run(prepared, spec)
    }
}
