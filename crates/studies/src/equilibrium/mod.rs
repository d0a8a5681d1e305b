//! The equilibrium study: the position at rest under the loads.

mod run;
mod summary;
mod words;

pub use run::{judged, nearness_words, place, run, settings, solve};
pub use summary::{BodyPlacement, EquilibriumMethod, EquilibriumSummary, OutOfBalance, VariableValue};
