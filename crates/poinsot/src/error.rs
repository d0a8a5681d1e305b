//! What can go wrong.

use poinsot_model::{LoadError, NoSuchBody};
use poinsot_results::ResultsError;
use poinsot_studies::StudyError;
use thiserror::Error;

/// Why a model could not be had, run or written.
#[derive(Debug, Error)]
pub enum Error {
    /// The model is not valid; the message names line, column and remedy.
    #[error(transparent)]
    Model(#[from] Box<LoadError>),
    /// An element cannot be added.
    #[error(transparent)]
    Addition(#[from] NoSuchBody),
    /// The study could not be carried out.
    #[error("{0}")]
    Study(Box<StudyError>),
    /// A column that is not there.
    #[error("there is no column `{name}`; there are {}", known.join(", "))]
    Column {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// A column without rows: the study ended before its first.
    #[error("the column `{name}` has no rows")]
    NoRows {
        /// The column.
        name: String,
    },
    /// A run that ends in no state.
    #[error("the run ends in no state that another one could start from")]
    NoState,
    /// A file could not be written.
    #[error(transparent)]
    Results(#[from] ResultsError),
}

impl From<LoadError> for Error {
    fn from(error: LoadError) -> Self {
        Error::Model(Box::new(error))
    }
}

impl From<StudyError> for Error {
    fn from(error: StudyError) -> Self {
        Error::Study(Box::new(error))
    }
}
