//! The Campbell study: modes as functions of a parameter.

mod picture;
mod run;
mod summary;
mod words;

pub use picture::CampbellPlot;
pub use run::run;
pub use summary::{
    CampbellBranch, CampbellCrossing, CampbellInstability, CampbellSummary, CampbellVeering, Whirl,
};
