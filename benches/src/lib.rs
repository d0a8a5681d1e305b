//! Systems that are timed, and whose instructions are counted.

#![warn(missing_docs)]

pub mod beam;
pub mod chain;
pub mod laws;
