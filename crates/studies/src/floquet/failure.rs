//! Why there are no multipliers against a parameter.

use crate::failure::{Blame, Failure, StudyError};
use thiserror::Error;

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

impl Failure for AtValueError {
    fn blame(&self) -> Blame {
        self.cause.blame()
    }
    fn remedy(&self) -> Option<&'static str> {
        self.cause.remedy()
    }
}
