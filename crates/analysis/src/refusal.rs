//! Refusals: who watches a study or takes part in it lets it end.

use thiserror::Error;

/// Why a study must end, and what to do about it.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{message}")]
pub struct Refusal {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub remedy: String,
}

impl Refusal {
    /// Says what is wrong and what to do.
    pub fn new(message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Refusal { message: message.into(), remedy: remedy.into() }
    }

    /// Of an event that cannot be handled.
    pub fn of_event(message: impl Into<String>) -> Self {
        Refusal::new(message, "look at the event, and at the state in which it happens")
    }
}
