//! The equilibrium study: the position at rest under the loads.

mod potential;
mod request;
pub mod results;
mod run;
pub mod search;
pub mod stability;
mod summary;
mod words;

pub use request::{EquilibriumSpec, EquilibriumTable};
pub use run::{judged, nearness_words, place, run, settings, solve};
pub use summary::{BodyPlacement, EquilibriumMethod, EquilibriumSummary, OutOfBalance, VariableValue};

use crate::failure::StudyError;
use crate::progress::Watch;
use crate::study::{Perform, Prepared, Product, RunOptions};
use poinsot_model::study::{ResultFamily, Study, StudyContext};

/// The equilibrium study: the position at rest under the loads.
pub struct Equilibrium;

impl Study for Equilibrium {
    const WORD: &'static str = "equilibrium";
    const RESULTS: &'static [ResultFamily] = &[results::stable("")];
    type Table = EquilibriumTable;
    type Request = EquilibriumSpec;

    fn resolve(table: &EquilibriumTable, context: &mut StudyContext) -> Option<EquilibriumSpec> {
        request::resolve(table, context)
    }
}

impl Perform for Equilibrium {
    fn run(
        prepared: Prepared,
        spec: &EquilibriumSpec,
        _: &RunOptions,
        _: &dyn Watch,
    ) -> Result<Product, StudyError> {
        run(prepared, spec)
    }
}
