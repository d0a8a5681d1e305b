//! Why a question about a model is not answered.

use crate::failure::{Blame, StudyError};
use poinsot_results::ResultsError;

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
    pub fn bad_input(text: impl Into<String>) -> Self {
        Complaint::Text(Blame::Input, text.into())
    }

    /// A solve failed.
    pub fn failed(text: impl Into<String>) -> Self {
        Complaint::Text(Blame::Solve, text.into())
    }
}

impl From<StudyError> for Complaint {
    fn from(error: StudyError) -> Self {
        Complaint::Study(error)
    }
}

impl From<ResultsError> for Complaint {
    fn from(error: ResultsError) -> Self {
        Complaint::failed(error.to_string())
    }
}
