//! `poinsot campbell`: modes as functions of a parameter.

use crate::base::{Base, rebase};
use crate::carry_out::analysis;
use crate::numbers::count;
use crate::output::Output;
use crate::parameters::Parameters;
use clap::Args;
use poinsot_model::study::InitialSpec;
use poinsot_studies::campbell::CampbellSpec;
use poinsot_studies::ranges::{NamedRange, parse_range};
use std::path::PathBuf;
use std::process::ExitCode;

/// Modes as functions of a parameter, mostly a speed: Campbell diagram, engine orders, instabilities.
#[derive(Args)]
#[command(after_help = "\
Examples:
  poinsot campbell rotor.toml
  poinsot campbell rotor.toml --over Omega=0..500 --orders 1,2,3 --count 8 --csv")]
pub struct Arguments {
    /// The model file; `-` reads it from standard input.
    model: PathBuf,
    #[command(flatten)]
    parameters: Parameters,
    /// The parameter that is changed and its range, e.g. --over Omega=0..500.
    #[arg(long, value_name = "NAME=LOW..HIGH", value_parser = parse_range)]
    over: Option<NamedRange>,
    /// Number of values of the parameter.
    #[arg(long, value_name = "N", value_parser = count(2..))]
    points: Option<usize>,
    /// Number of modes, from the lowest.
    #[arg(long, value_name = "N", value_parser = count(1..))]
    count: Option<usize>,
    /// Engine orders, e.g. --orders 1,2,3.
    #[arg(long, value_name = "K,…", value_delimiter = ',')]
    orders: Option<Vec<f64>>,
    /// The parameter that is the speed of rotation (rad/s); default: the one that is changed.
    #[arg(long, value_name = "NAME")]
    speed: Option<String>,
    #[command(flatten)]
    base: Base,
    #[command(flatten)]
    output: Output,
}

/// Runs `poinsot campbell`.
pub fn run(arguments: &Arguments) -> ExitCode {
    analysis("campbell", &arguments.model, &arguments.parameters, &arguments.output, |model| {
        let mut study = match (model.study_of::<CampbellSpec>(), &arguments.over) {
            (Some(study), _) => study.clone(),
            (_, Some(range)) => CampbellSpec::over(&range.name, [range.low, range.high], model.start()),
            (_, None) => {
                return Err("the model has no study of type \"campbell\": give --over NAME=LOW..HIGH".into());
            }
        };
        if let Some(range) = &arguments.over {
            if range.name != study.parameter && study.speed == study.parameter {
                study.speed.clone_from(&range.name);
            }
            (study.parameter, study.range) = (range.name.clone(), [range.low, range.high]);
        }
        study.points = arguments.points.unwrap_or(study.points);
        study.count = arguments.count.unwrap_or(study.count);
        study.orders = arguments.orders.clone().unwrap_or(study.orders);
        study.speed = arguments.speed.clone().unwrap_or(study.speed);
        if let Some(order) = study.orders.iter().find(|k| !(k.is_finite() && **k > 0.0)) {
            return Err(format!("the engine order {order} must be positive"));
        }
        let names: Vec<&str> = model.parameters.iter().map(|p| p.name.as_str()).collect();
        for name in [&study.parameter, &study.speed] {
            if !names.contains(&name.as_str()) {
                let hint = poinsot_expr::suggest(name, &names)
                    .map_or(String::new(), |s| format!("; did you mean `{s}`?"));
                return Err(format!("there is no parameter `{name}`{hint}"));
            }
        }
        let own = model.study_of::<CampbellSpec>().is_some();
        let steady = matches!(model.initial, InitialSpec::Steady(_));
        let elsewhere = steady && arguments.parameters.chosen.starts_elsewhere(model, own);
        rebase(&arguments.base, model, elsewhere, &mut study.about, &mut study.time, &mut study.observer)?;
        Ok(study)
    })
}
