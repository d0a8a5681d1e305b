//! Why a question about a model is not answered.

use crate::failure::{Blame, StudyError};
use poinsot_results::ResultsError;
use std::fmt::Display;

/// What is said instead of an answer.
#[derive(Debug)]
pub enum Complaint {
    /// A study that gave nothing.
    Study(StudyError),
    /// What was asked for, or a solve that failed, in words.
    Text(Blame, String),
}

impl Complaint {
    /// The question is wrong.
    pub fn bad_input(reason: impl Display) -> Self {
        Complaint::Text(Blame::Input, reason.to_string())
    }

    /// A solve failed.
    pub fn failed(reason: impl Display) -> Self {
        Complaint::Text(Blame::Solve, reason.to_string())
    }
}

impl From<StudyError> for Complaint {
    fn from(error: StudyError) -> Self {
        Complaint::Study(error)
    }
}

impl From<ResultsError> for Complaint {
    fn from(error: ResultsError) -> Self {
        Complaint::failed(error)
    }
}
