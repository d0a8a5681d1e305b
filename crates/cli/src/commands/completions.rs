//! `poinsot completions`: a completion script for a shell.

use crate::{CommandLine, message};
use clap::{Args, CommandFactory};
use std::process::ExitCode;

/// Print a completion script for a shell.
#[derive(Args)]
pub struct Arguments {
    /// The shell.
    shell: clap_complete::Shell,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut CommandLine::command(), "poinsot", &mut script);
    message::print(&String::from_utf8_lossy(&script))
}
