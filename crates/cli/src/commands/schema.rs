//! `poinsot schema`: the JSON Schema of the model file.

use crate::message;
use clap::Args;
use std::process::ExitCode;

/// Print the JSON Schema of the model file.
#[derive(Args)]
pub struct Arguments;

/// Runs the command.
pub fn run(_: &Arguments) -> ExitCode {
    match serde_json::to_string_pretty(&poinsot_studies::schema()) {
        Ok(text) => message::print(&(text + "\n")),
        Err(error) => message::bad_input(&error.to_string()),
    }
}
