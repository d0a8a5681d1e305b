//! `poinsot equilibrium`: the position of rest, or all of them in a range.

use crate::carry_out::analysis;
use crate::complaints::answered;
use crate::message;
use crate::numbers::{count, finite};
use crate::output::Output;
use crate::overrides::load_bare;
use crate::parameters::Parameters;
use clap::Args;
use poinsot_studies::equilibrium::EquilibriumSpec;
use poinsot_studies::equilibrium::search::search;
use poinsot_studies::ranges::{NamedRange, parse_range};
use std::path::PathBuf;
use std::process::ExitCode;

/// Find the position of rest under the loads, and whether it is stable.
#[derive(Args)]
pub struct Arguments {
    /// The model file; `-` reads it from standard input.
    model: PathBuf,
    #[command(flatten)]
    parameters: Parameters,
    /// Time at which loads and drives are taken (s).
    #[arg(long, value_name = "TIME")]
    time: Option<f64>,
    /// Look for all equilibria with a variable of equations inside a range, e.g. --search theta=-4..4; may be
    /// repeated. Lists them with their verdicts and writes no results.
    #[arg(long, value_name = "NAME=LOW..HIGH", value_parser = parse_range, conflicts_with_all = ["out", "csv", "quiet"])]
    search: Vec<NamedRange>,
    /// Number of starts of the search.
    #[arg(long, value_name = "N", default_value_t = 60, requires = "search", value_parser = count(1..))]
    starts: usize,
    #[command(flatten)]
    output: Output,
}

/// Runs `poinsot equilibrium`.
pub fn run(arguments: &Arguments) -> ExitCode {
    if !arguments.search.is_empty() {
        return search_for(arguments);
    }
    analysis("equilibrium", &arguments.model, &arguments.parameters, &arguments.output, |model| {
        let mut study = model.study_of().cloned().unwrap_or_else(|| EquilibriumSpec::at(model.start()));
        study.time = finite("--time", arguments.time)?.unwrap_or(study.time);
        Ok(study)
    })
}

/// Runs `poinsot equilibrium --search`.
fn search_for(arguments: &Arguments) -> ExitCode {
    let model = match load_bare(&arguments.model, &arguments.parameters) {
        Ok(model) => model,
        Err(code) => return code,
    };
    let mut spec = model.study_of().cloned().unwrap_or_else(|| EquilibriumSpec::at(model.start()));
    spec.time = match finite("--time", arguments.time) {
        Ok(time) => time.unwrap_or(spec.time),
        Err(text) => return message::bad_input(&text),
    };
    answered(&model, search(&model, &spec, &arguments.search, arguments.starts, arguments.output.json))
}
