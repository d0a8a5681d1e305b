//! `poinsot reduce`: how well the shapes of a flexible body do for all of it, and the body as a file.

use crate::message;
use crate::overrides::load_bare;
use crate::parameters::Parameters;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

/// Reduce a flexible body: frequencies full against reduced, MAC, effective mass; write it to a file.
#[derive(Args)]
#[command(after_help = "\
Examples:
  poinsot reduce model.toml rod
  poinsot reduce model.toml rod --out rod.reduced   then: source = { type = \"reduced\", file = \"rod.reduced\" }")]
pub struct Arguments {
    /// The model file; `-` reads it from standard input.
    model: PathBuf,
    /// Name of the flexible body.
    name: String,
    #[command(flatten)]
    parameters: Parameters,
    /// Write the reduced body to this file.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> ExitCode {
    let model = match load_bare(&arguments.model, &arguments.parameters) {
        Ok(model) => model,
        Err(code) => return code,
    };
    let name = &arguments.name;
    let Some(spec) = model.flexible.iter().find(|spec| spec.name == *name) else {
        let names: Vec<&str> = model.flexible.iter().map(|spec| spec.name.as_str()).collect();
        let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        return message::bad_input(&format!("there is no flexible body `{name}`; the model has {known}"));
    };
    let Some(recipe) = &spec.recipe else {
        return message::bad_input(&format!("the shapes of `{name}` are given: there is nothing to reduce"));
    };
    let (words, bytes) = match recipe.compare_and_store(&spec.body) {
        Ok(compared) => compared,
        Err(error) => return message::failed(&format!("the flexible body `{name}`: {error}"), None),
    };
    let Some(out) = &arguments.out else { return message::print(&words) };
    if let Err(error) = std::fs::write(out, bytes) {
        return message::bad_input(&format!("cannot write {}: {error}", out.display()));
    }
    message::print(&format!("{words}written to {}\n", out.display()))
}
