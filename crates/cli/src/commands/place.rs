//! `poinsot place`: a state feedback u = −K x with wanted poles.

use crate::base::Base;
use crate::complaints::answered;
use crate::linear_system::with_linear_system;
use crate::message;
use crate::overrides::load_bare;
use crate::parameters::Parameters;
use clap::Args;
use poinsot_studies::place;
use poinsot_studies::ranges::parse_poles;
use std::path::PathBuf;
use std::process::ExitCode;

/// A state feedback u = -K x that gives the linearised model wanted poles.
#[derive(Args)]
#[command(after_help = "\
Examples:
  poinsot place model.toml --input F --poles \"-10+1i,-10-1i,-10+2i,-10-2i\"")]
pub struct Arguments {
    /// The model file; `-` reads it from standard input.
    model: PathBuf,
    #[command(flatten)]
    parameters: Parameters,
    #[command(flatten)]
    base: Base,
    /// An input that the feedback uses; may be repeated. Default: those of the file's study of type
    /// linearize.
    #[arg(long, value_name = "NAME")]
    input: Vec<String>,
    /// The poles, one for each state, complex ones in conjugate pairs, e.g. "-10+1i,-10-1i,-3".
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    poles: String,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> ExitCode {
    let poles = match parse_poles(&arguments.poles) {
        Ok(poles) => poles,
        Err(error) => return message::bad_input(&format!("--poles: {error}")),
    };
    let model = match load_bare(&arguments.model, &arguments.parameters) {
        Ok(model) => model,
        Err(code) => return code,
    };
    with_linear_system(&model, &arguments.base, &arguments.input, |system| {
        answered(&model, place::place(system, &poles, arguments.json))
    })
}
