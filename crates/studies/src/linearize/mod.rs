//! The linearize study: the linear system of small motions about a state.

mod run;
mod summary;
mod words;

pub use run::{linear_model, run};
pub use summary::LinearizeSummary;
