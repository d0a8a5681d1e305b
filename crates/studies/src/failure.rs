//! Why a study gives nothing. Each study owns its errors; they say themselves who is to blame.

use poinsot_analysis::StartError;
use poinsot_integrators::StepFailure;
use poinsot_model::Diagnostic;
use poinsot_results::{RecordError, ResultsError};
use std::error::Error;
use std::fmt;
use thiserror::Error;

/// Who is to blame where a study gives nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// The model, or what is asked of it.
    Input,
    /// The solve.
    Solve,
    /// The user has stopped it.
    User,
}

/// An error that a study may end with.
pub trait Failure: Error + Send + Sync + 'static {
    /// Who is to blame.
    fn blame(&self) -> Blame {
        Blame::Solve
    }

    /// What to try.
    fn remedy(&self) -> Option<&'static str> {
        None
    }
}

/// Why there is nothing to give.
#[derive(Debug)]
pub enum StudyError {
    /// The model is wrong, at a place of its file.
    Model(Box<Diagnostic>),
    /// What a study says itself.
    Failed(Box<dyn Failure>),
}

impl<F: Failure> From<F> for StudyError {
    fn from(failure: F) -> Self {
        StudyError::Failed(Box::new(failure))
    }
}

impl StudyError {
    /// Who is to blame.
    pub fn blame(&self) -> Blame {
        match self {
            StudyError::Model(_) => Blame::Input,
            StudyError::Failed(failure) => failure.blame(),
        }
    }

    /// What to try.
    pub fn remedy(&self) -> Option<&'static str> {
        match self {
            StudyError::Model(_) => None,
            StudyError::Failed(failure) => failure.remedy(),
        }
    }
}

impl Error for StudyError {}

impl fmt::Display for StudyError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            StudyError::Model(diagnostic) => write!(f, "{diagnostic:?}"),
            StudyError::Failed(failure) => failure.fmt(f),
        }
    }
}

/// A request that no study answers.
#[derive(Debug, Error)]
pub enum RequestError {
    /// The model has no study.
    #[error("the model has no [study]: add one with `end` and `step`, or give --until and --step")]
    NoStudy,
    /// A study of a model with first-order equations that knows none.
    #[error("a study of {0} does not know [[equations]]")]
    Equations(&'static str),
    /// Checkpoints of a study that has no course of time.
    #[error("checkpoints are for motions; the study is of type {0}")]
    NoCheckpoints(&'static str),
    /// A check of the steps of a study that has none.
    #[error("--check-step is for motions; the study is of type {0}")]
    NoSteps(&'static str),
}

impl Failure for RequestError {
    fn blame(&self) -> Blame {
        Blame::Input
    }
}

/// Stopped by the user before there was a result.
#[derive(Debug, Error)]
#[error("stopped by the user")]
pub struct Interrupted;

impl Failure for Interrupted {
    fn blame(&self) -> Blame {
        Blame::User
    }
}

impl Failure for StartError {
    fn remedy(&self) -> Option<&'static str> {
        Some(StartError::remedy(self))
    }
}

impl Failure for StepFailure {}

impl Failure for ResultsError {}

/// Names of signals that no table can have.
impl Failure for RecordError {
    fn blame(&self) -> Blame {
        Blame::Input
    }
}
