//! The buckling study: critical values of a parameter, linearised about an equilibrium.

mod picture;
mod run;
mod summary;
mod words;

pub use picture::CriticalPlot;
pub use run::run;
pub use summary::{BucklingSummary, CriticalValue};
