//! Why there is no linear system.

use crate::failure::{Blame, Failure};
use crate::live::ChangeError;
use poinsot_analysis::LinearizeError;
use thiserror::Error;

/// A parameter cannot be changed a little.
#[derive(Debug, Error)]
#[error("the parameter `{name}` cannot be an input: {reason}")]
pub struct ParameterError {
    /// Its name.
    pub name: String,
    /// Why.
    pub reason: ParameterFault,
}

/// What is wrong with other values of a parameter.
#[derive(Debug, Error)]
pub enum ParameterFault {
    /// The model cannot have them.
    #[error(transparent)]
    Change(ChangeError),
    /// The model becomes another one.
    #[error("the number of equations changes with it")]
    OtherEquations,
}

impl Failure for ParameterError {
    fn blame(&self) -> Blame {
        Blame::Input
    }
}

impl Failure for LinearizeError {
    fn blame(&self) -> Blame {
        match self {
            LinearizeError::NotAlgebraic(_) | LinearizeError::NoInput(_) => Blame::Input,
            _ => Blame::Solve,
        }
    }
}
