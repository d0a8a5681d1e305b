//! The modes study: small free motions about a state.

mod request;
pub mod results;
mod run;
mod spectrum;
mod summary;
mod words;

pub use request::{ModesSpec, ModesTable};
pub use run::{run, verdict};
pub use spectrum::{Spectrum, SpectrumPoint, drawn};
pub use summary::{EigenMethod, Mode, ModesSummary, Participation};

use crate::failure::StudyError;
use crate::progress::Watch;
use crate::study::{Perform, Prepared, Product, RunOptions};
use poinsot_model::study::{ResultFamily, Study, StudyContext};

/// The modes study: small free motions about a state.
pub struct Modes;

impl Study for Modes {
    const WORD: &'static str = "modes";
    const RESULTS: &'static [ResultFamily] = &[results::family(|asked| {
        results::read(asked, asked.request::<ModesSpec>().map(|study| study.count))
    })];
    type Table = ModesTable;
    type Request = ModesSpec;

    fn resolve(table: &ModesTable, context: &mut StudyContext) -> Option<ModesSpec> {
        request::resolve(table, context)
    }
}

impl Perform for Modes {
    fn run(
        prepared: Prepared,
        spec: &ModesSpec,
        _: &RunOptions,
        _: &dyn Watch,
    ) -> Result<Product, StudyError> {
        run(prepared, spec)
    }
}
