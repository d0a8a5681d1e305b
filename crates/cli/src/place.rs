//! `poinsot place`: a state feedback u = −K x with wanted poles.

use crate::linear_system::{load_bare, with_linear_system};
use crate::message;
use crate::overrides::parse_setting;
use crate::run::{Base, answered};
use clap::Args;
use poinsot_studies::place;
use poinsot_studies::ranges::parse_poles;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of the command.
#[derive(Args)]
pub struct PlaceArguments {
    /// The model file.
    model: PathBuf,
    /// Set a parameter, e.g. --set L=0.5; may be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_setting)]
    set: Vec<(String, String)>,
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
pub fn place(arguments: &PlaceArguments) -> ExitCode {
    let poles = match parse_poles(&arguments.poles) {
        Ok(poles) => poles,
        Err(text) => return message::bad_input(&format!("--poles: {text}")),
    };
    let model = match load_bare(&arguments.model, &arguments.set) {
        Ok(model) => model,
        Err(code) => return code,
    };
    with_linear_system(&model, &arguments.base, &arguments.input, |system| {
        answered(&model, place::place(system, &poles, arguments.json))
    })
}
