//! Comparisons on one model: error and work of integrators, treatments of constraints, formulations of beams.

pub mod beams;
pub mod integrators;
mod picture;
pub mod treatments;

pub use picture::{WorkCurve, WorkMark, WorkPrecision};

use crate::integrator_argument::ArgumentError;
use std::path::PathBuf;
use thiserror::Error;

/// What is wrong with the comparison that is asked for.
#[derive(Debug, Error)]
pub enum CompareError {
    /// The integrators.
    #[error("--with {0}")]
    Integrators(ArgumentError),
    /// The treatments of constraints.
    #[error("--constraints {0}")]
    Treatments(ArgumentError),
    /// A number of a flag.
    #[error("{flag} {value} must be a positive number")]
    NotPositive {
        /// Which flag.
        flag: &'static str,
        /// What it says.
        value: f64,
    },
    /// The reference.
    #[error("--reference {0} is neither a tolerance nor a file")]
    Reference(String),
    /// No beams.
    #[error("--beams: the model has no beams")]
    NoBeams,
    /// Nothing to compare.
    #[error("--beams: the model has no signals to compare: give [[signal]], e.g. of `beam.at(s).position.x`")]
    NoSignals,
    /// A word that is no formulation.
    #[error("--beams: `{word}` is no formulation of beams; there are: {known}")]
    Formulation {
        /// The word.
        word: String,
        /// Those that there are.
        known: String,
    },
    /// No step is known.
    #[error("the study chooses its steps: give --steps, e.g. --steps 1e-2,1e-3,1e-4")]
    NoStep,
}

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
