//! `poinsot path`: equilibria along a parameter.

use crate::carry_out::analysis;
use crate::numbers::{count, finite};
use crate::output::Output;
use crate::parameters::{Parameters, parameter_named};
use clap::Args;
use poinsot_studies::path::PathSpec;
use std::path::PathBuf;
use std::process::ExitCode;

/// Follow the equilibria along a parameter, past limit points and onto crossing branches.
#[derive(Args)]
#[command(after_help = "\
Examples:
  poinsot path examples/snap_through.toml
  poinsot path frame.toml --parameter P --to 2e4 --signal tip")]
pub struct Arguments {
    /// The model file; `-` reads it from standard input.
    model: PathBuf,
    #[command(flatten)]
    parameters: Parameters,
    /// The parameter that changes along the path.
    #[arg(long, value_name = "NAME")]
    parameter: Option<String>,
    /// Its value at the start; default: that of the file.
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true)]
    from: Option<f64>,
    /// Value towards which the path sets out.
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true)]
    to: Option<f64>,
    /// The signal to plot the parameter against.
    #[arg(long, value_name = "SIGNAL")]
    signal: Option<String>,
    /// Most points of each branch.
    #[arg(long, value_name = "N", value_parser = count(1..))]
    points: Option<usize>,
    /// Do not follow crossing paths.
    #[arg(long)]
    no_branches: bool,
    #[command(flatten)]
    output: Output,
}

/// Runs `poinsot path`.
pub fn run(arguments: &Arguments) -> ExitCode {
    analysis("path", &arguments.model, &arguments.parameters, &arguments.output, |model| {
        let own = model.study_of::<PathSpec>().cloned();
        let named = own.as_ref().map(|study| study.parameter.as_str());
        let parameter = parameter_named(model, &arguments.parameter, named)?;
        let to = finite("--to", arguments.to)?;
        let mut study = match (own, to) {
            (Some(study), _) if study.parameter == parameter => study,
            (_, Some(to)) => PathSpec::to(&parameter, to, model.start()),
            _ => return Err(format!("the path of `{parameter}` has no aim: give --to")),
        };
        if let Some(to) = to {
            (study.to, study.range) = (to, study.range.filter(|range| (range[0]..=range[1]).contains(&to)));
        }
        study.from = finite("--from", arguments.from)?.or(study.from);
        study.points = arguments.points.unwrap_or(study.points);
        study.branches &= !arguments.no_branches;
        if let Some(signal) = &arguments.signal {
            let names: Vec<&str> = model.signals.iter().map(|s| s.name.as_str()).collect();
            let Some(index) = names.iter().position(|name| name == signal) else {
                let hint = poinsot_expr::suggest(signal, &names).map_or_else(
                    || format!("signals: {}", names.join(", ")),
                    |s| format!("did you mean `{s}`?"),
                );
                return Err(format!("there is no signal `{signal}`; {hint}"));
            };
            if study.signal != Some(index) {
                (study.signal, study.signal_range) = (Some(index), None);
            }
        }
        Ok(study)
    })
}
