//! The path study: equilibria along a parameter, with limit and bifurcation points.

mod failure;
mod picture;
mod request;
pub mod results;
mod run;
mod summary;
mod words;

pub use picture::{LoadPath, LoadPathCurve, LoadPathMark, LoadPathPoint};
pub use request::{PathSpec, PathTable};
pub use run::run;
pub use summary::{BranchSummary, PathSummary, SignalValue, SingularEntry};

use crate::failure::StudyError;
use crate::progress::Watch;
use crate::study::{Perform, Prepared, Product, RunOptions};
use poinsot_model::study::{ResultFamily, Study, StudyContext};

/// The path study: equilibria along a parameter, with limit and bifurcation points.
pub struct Path;

impl Study for Path {
    const WORD: &'static str = "path";
    const WITHOUT_EQUATIONS: Option<&'static str> = Some("a path of equilibria");
    const RESULTS: &'static [ResultFamily] = results::RESULTS;
    type Table = PathTable;
    type Request = PathSpec;

    fn resolve(table: &PathTable, context: &mut StudyContext) -> Option<PathSpec> {
        request::resolve(table, context)
    }
}

impl Perform for Path {
    fn run(
        prepared: Prepared,
        spec: &PathSpec,
        _: &RunOptions,
        watch: &dyn Watch,
    ) -> Result<Product, StudyError> {
        run(prepared, spec, watch)
    }
}
