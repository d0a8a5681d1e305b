//! The path study: equilibria along a parameter, with limit and bifurcation points.

mod picture;
mod run;
mod summary;
mod words;

pub use picture::{LoadPath, LoadPathCurve, LoadPathMark, LoadPathPoint};
pub use run::run;
pub use summary::{BranchSummary, PathSummary, SignalValue, SingularEntry};
