//! `poinsot stability`: the equilibrium nearest to the start, its eigenvalues, and a Lyapunov function.

use crate::complaints::answered;
use crate::message;
use crate::overrides::load_bare;
use crate::parameters::Parameters;
use clap::Args;
use poinsot_studies::equilibrium::stability::{self, StabilityRequest};
use std::path::PathBuf;
use std::process::ExitCode;

/// The equilibrium nearest to the start: its eigenvalues, its verdict, and a check of a Lyapunov
/// function.
#[derive(Args)]
#[command(after_help = "\
Examples:
  poinsot stability model.toml
  poinsot stability model.toml --lyapunov \"(k*x^2 + m*v^2)/2\"")]
pub struct Arguments {
    /// The model file; `-` reads it from standard input.
    model: PathBuf,
    #[command(flatten)]
    parameters: Parameters,
    /// Time at which loads and drives are taken (s).
    #[arg(long, value_name = "TIME")]
    time: Option<f64>,
    /// A candidate for a Lyapunov function of the variables with rates, zero at the equilibrium.
    #[arg(long, value_name = "EXPRESSION", allow_hyphen_values = true)]
    lyapunov: Option<String>,
    /// Radius of the ball in which the candidate is looked at, in nominal sizes of the variables.
    #[arg(long, value_name = "RADIUS", default_value_t = 1.0, requires = "lyapunov")]
    radius: f64,
    /// Directions in which it is looked at.
    #[arg(long, value_name = "N", default_value_t = 200, requires = "lyapunov")]
    samples: usize,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> ExitCode {
    if !arguments.radius.is_finite() || arguments.radius <= 0.0 {
        return message::bad_input("--radius must be a positive number");
    }
    if arguments.time.is_some_and(|t| !t.is_finite()) {
        return message::bad_input("--time must be a number");
    }
    let model = match load_bare(&arguments.model, &arguments.parameters) {
        Ok(model) => model,
        Err(code) => return code,
    };
    let request = StabilityRequest {
        time: arguments.time,
        lyapunov: arguments.lyapunov.clone(),
        radius: arguments.radius,
        samples: arguments.samples,
        json: arguments.json,
    };
    answered(&model, stability::stability(&model, &request))
}
