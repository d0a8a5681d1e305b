//! Comparisons on one model: error and work of integrators, treatments of constraints.

pub mod integrators;
mod picture;
pub mod treatments;

pub use picture::{WorkCurve, WorkMark, WorkPrecision};

use std::path::PathBuf;

/// What a comparison has found; its files are written.
pub struct Told {
    /// All of it.
    pub json: String,
    /// The same in words.
    pub text: String,
    /// The picture to look at.
    pub picture: Option<PathBuf>,
    /// Why nothing could be compared.
    pub failure: Option<&'static str>,
}
