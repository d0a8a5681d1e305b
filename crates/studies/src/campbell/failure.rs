//! Why there is no Campbell diagram.

use crate::failure::{Blame, Failure, StudyError};
use crate::live::ChangeError;
use thiserror::Error;

/// A model that cannot be made with a value of the parameter that is changed.
#[derive(Debug, Error)]
#[error("with {parameter} = {value}: {reason}")]
pub struct SweptError {
    /// Name of the parameter.
    pub parameter: String,
    /// Its value.
    pub value: f64,
    /// Why.
    pub reason: ChangeError,
}

impl Failure for SweptError {
    fn blame(&self) -> Blame {
        Blame::Input
    }
}

/// A failure at a value of the parameter that is changed.
#[derive(Debug, Error)]
#[error("at {parameter} = {value}: {cause}")]
pub struct AtValueError {
    /// Name of the parameter.
    pub parameter: String,
    /// Its value.
    pub value: f64,
    /// The failure.
    pub cause: Box<StudyError>,
}

impl Failure for AtValueError {}
