//! Why there is no motion.

use super::checkpoint::CheckpointError;
use crate::failure::{Blame, Failure};
use crate::live::ChangeError;
use poinsot_analysis::ResumeError;
use thiserror::Error;

/// The model cannot be made as events had left it.
#[derive(Debug, Error)]
#[error("the model cannot be made as events had left it: {0}")]
pub struct ChangedError(pub ChangeError);

impl Failure for ChangedError {
    fn blame(&self) -> Blame {
        Blame::Input
    }
}

impl Failure for CheckpointError {
    fn blame(&self) -> Blame {
        Blame::Input
    }
}

impl Failure for ResumeError {
    fn blame(&self) -> Blame {
        match self {
            ResumeError::Unreadable => Blame::Input,
            _ => Blame::Solve,
        }
    }
}
