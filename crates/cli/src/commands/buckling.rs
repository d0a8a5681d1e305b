//! `poinsot buckling`: critical values of a parameter.

use crate::carry_out::analysis;
use crate::numbers::{count, finite};
use crate::output::Output;
use crate::parameters::{Parameters, parameter_named};
use clap::Args;
use poinsot_studies::buckling::BucklingSpec;
use poinsot_studies::path::PathSpec;
use std::path::PathBuf;
use std::process::ExitCode;

/// Critical values of a parameter, linearised about an equilibrium, and the shapes in which the system
/// buckles.
#[derive(Args)]
#[command(after_help = "\
Examples:
  poinsot buckling column.toml --parameter P --count 3")]
pub struct Arguments {
    /// The model file; `-` reads it from standard input.
    model: PathBuf,
    #[command(flatten)]
    parameters: Parameters,
    /// The parameter whose critical values are sought.
    #[arg(long, value_name = "NAME")]
    parameter: Option<String>,
    /// Its value at the state that buckles; default: that of the file.
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true)]
    at: Option<f64>,
    /// Number of critical values, from the nearest.
    #[arg(long, value_name = "N", value_parser = count(1..))]
    count: Option<usize>,
    #[command(flatten)]
    output: Output,
}

/// Runs `poinsot buckling`.
pub fn run(arguments: &Arguments) -> ExitCode {
    analysis("buckling", &arguments.model, &arguments.parameters, &arguments.output, |model| {
        let of_path = |study: &PathSpec| BucklingSpec {
            at: study.from,
            ..BucklingSpec::of(&study.parameter, study.time)
        };
        let own = model.study_of::<BucklingSpec>().cloned().or(model.study_of().map(of_path));
        let named = own.as_ref().map(|study| study.parameter.as_str());
        let parameter = parameter_named(model, &arguments.parameter, named)?;
        let mut study = match own {
            Some(study) if study.parameter == parameter => study,
            _ => BucklingSpec::of(&parameter, model.start()),
        };
        study.at = finite("--at", arguments.at)?.or(study.at);
        study.count = arguments.count.unwrap_or(study.count);
        Ok(study)
    })
}
