//! `poinsot converge`: the order with which every quantity of a model converges when the step is halved.

use crate::complaints::answered;
use crate::numbers::count;
use crate::overrides::load_motion;
use crate::parameters::Parameters;
use crate::progress::{Bar, catch_interrupt};
use clap::Args;
use poinsot_studies::converge::{self, ConvergeRequest};
use std::path::PathBuf;
use std::process::ExitCode;

/// Measure the order with which every quantity converges as the step is halved.
#[derive(Args)]
#[command(after_help = "\
Examples:
  poinsot converge model.toml
  poinsot converge model.toml --integrator midpoint:position --step 1e-2 --levels 5")]
pub struct Arguments {
    /// The model file; `-` reads it from standard input.
    model: PathBuf,
    /// The integrator as in `poinsot compare`: name, name:form, name(rho=0.8); default that of the study.
    #[arg(long, value_name = "INTEGRATOR")]
    integrator: Option<String>,
    /// The longest step (s); default that of the study.
    #[arg(long, value_name = "TIME")]
    step: Option<f64>,
    /// Number of steps, each half the one before.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = count(2..=12))]
    levels: usize,
    /// Compare each run with the next finer one instead of a reference.
    #[arg(long = "self")]
    by_itself: bool,
    #[command(flatten)]
    parameters: Parameters,
    /// End time (s).
    #[arg(long, value_name = "TIME")]
    until: Option<f64>,
    /// Print the findings as JSON.
    #[arg(long)]
    json: bool,
    /// No progress bar.
    #[arg(long, short)]
    quiet: bool,
}

/// Runs `poinsot converge`.
pub fn run(arguments: &Arguments) -> ExitCode {
    let loaded =
        load_motion(&arguments.model, &arguments.parameters, arguments.until, "converge with their steps");
    let (model, study) = match loaded {
        Ok(loaded) => loaded,
        Err(code) => return code,
    };
    catch_interrupt();
    let request = ConvergeRequest {
        integrator: arguments.integrator.clone(),
        step: arguments.step,
        levels: arguments.levels,
        by_itself: arguments.by_itself,
        json: arguments.json,
    };
    let bar = Bar::new(arguments.quiet);
    let answer = converge::converge(&request, &model, &study, &bar);
    drop(bar);
    answered(&model, answer)
}
