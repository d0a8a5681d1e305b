//! The modes study: small free motions about a state.

mod run;
mod spectrum;
mod summary;
mod words;

pub use run::{run, verdict};
pub use spectrum::{Spectrum, SpectrumPoint, drawn};
pub use summary::{EigenMethod, Mode, ModesSummary, Participation};
