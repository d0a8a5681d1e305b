//! The kinematics study: the motion that joints and drives alone determine.

mod run;
mod summary;
mod words;

pub use run::run;
pub use summary::KinematicsSummary;
