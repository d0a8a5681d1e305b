//! The linearize study: the linear system of small motions about a state.

mod failure;
mod request;
pub mod results;
mod run;
mod summary;
mod system;
mod words;

pub use request::{LinearizeSpec, LinearizeTable, MatrixFormat};
pub use run::{linear_model, run};
pub use summary::LinearizeSummary;
pub use system::{LinearSystem, NameError, state_named, variable, with_inputs};

use crate::failure::StudyError;
use crate::modes::results as modes;
use crate::progress::Watch;
use crate::study::{Perform, Prepared, Product, RunOptions};
use poinsot_model::study::{ResultFamily, Study, StudyContext};

/// The linearize study: the linear system of small motions about a state.
pub struct Linearize;

impl Study for Linearize {
    const WORD: &'static str = "linearize";
    const RESULTS: &'static [ResultFamily] =
        &[modes::family(|asked| modes::read(asked, None)), results::MATRIX];
    type Table = LinearizeTable;
    type Request = LinearizeSpec;

    fn resolve(table: &LinearizeTable, context: &mut StudyContext) -> Option<LinearizeSpec> {
        request::resolve(table, context)
    }
}

impl Perform for Linearize {
    fn run(
        prepared: Prepared,
        spec: &LinearizeSpec,
        _: &RunOptions,
        _: &dyn Watch,
    ) -> Result<Product, StudyError> {
        run(prepared, spec)
    }
}
