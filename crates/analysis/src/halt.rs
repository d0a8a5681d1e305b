//! Halts: who watches a study or takes part in it lets it end.

use thiserror::Error;

/// Why a study must end, and what to do about it.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{message}")]
pub struct Halt {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub remedy: String,
}

impl Halt {
    /// Says what is wrong and what to do.
    pub fn new(message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Halt { message: message.into(), remedy: remedy.into() }
    }

    /// Of an event that cannot be handled.
    pub fn of_event(message: impl Into<String>) -> Self {
        Halt::new(message, "look at the event, and at the state in which it happens")
    }
}
