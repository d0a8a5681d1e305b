//! The study of response curves: periodic motions along a parameter, with folds, period doublings, tori and
//! branch points.

mod failure;
mod family;
mod measure;
mod picture;
mod request;
pub mod results;
mod run;
mod summary;
mod table;
mod words;

pub use measure::{MEASURES, Measure};
pub use picture::{ResponseCurveLine, ResponseMark, ResponsePlot, ResponsePlotPoint};
pub use request::{ResponseSpec, Switch};
pub use run::run;
pub use summary::{ResponseBranchSummary, ResponseSummary, SingularMotion};
pub use table::{Begins, ResponseTable};

use crate::failure::StudyError;
use crate::progress::Watch;
use crate::study::{Perform, Prepared, Product, RunOptions};
use poinsot_model::study::{Number, ResultFamily, Study, StudyContext};

/// The study of response curves.
pub struct ResponseCurve;

impl Study for ResponseCurve {
    const WORD: &'static str = "response_curve";
    const RESULTS: &'static [ResultFamily] = results::RESULTS;
    type Table = ResponseTable;
    type Request = ResponseSpec;

    fn resolve(table: &ResponseTable, context: &mut StudyContext) -> Option<ResponseSpec> {
        request::resolve(table, context)
    }

    fn start(table: &ResponseTable) -> Option<&Number> {
        Some(&table.motion.0.start)
    }
}

impl Perform for ResponseCurve {
    fn run(
        prepared: Prepared,
        spec: &ResponseSpec,
        _: &RunOptions,
        watch: &dyn Watch,
    ) -> Result<Product, StudyError> {
        run(prepared, spec, watch)
    }
}
