//! `poinsot integrator`: what an integrator does to oscillations and to constraints.

mod constraints;
mod numbers;
mod oscillation;
mod picture;
mod report;
mod subject;

use crate::message;
use clap::Args;
use poinsot_results::plot_integrator;
use std::path::PathBuf;
use std::process::ExitCode;

/// Show what an integrator does: numerical damping, period error, overshoot, largest step, constraint
/// forms.
#[derive(Args)]
#[command(after_help = "\
Examples:
  poinsot integrator generalized-alpha --rho 0.5
  poinsot integrator optimal --rho 0.8 --out optimal.svg
  poinsot integrator --roots 0.3,0.8,0 --family v0
  poinsot integrator newmark --explicit --damping 0.05
  poinsot integrator dg --at 0.5,1,10")]
pub struct Arguments {
    /// Name, as in model files (see `poinsot integrators`).
    #[arg(value_name = "NAME", required_unless_present = "roots", conflicts_with = "roots")]
    name: Option<String>,
    /// Parameter of the integrator.
    #[arg(long, value_name = "RHO", conflicts_with = "roots")]
    rho: Option<f64>,
    /// Any member by its roots at infinite frequency, e.g. --roots 0.3,0.8,0.
    #[arg(long, value_name = "MIN,MAX,S", value_parser = parse_roots)]
    roots: Option<[f64; 3]>,
    /// Family of the member given by roots.
    #[arg(long, value_name = "FAMILY", value_parser = ["u0", "v0"], default_value = "u0", requires = "roots")]
    family: String,
    /// The explicit member, η = (0, 0, 0).
    #[arg(long, group = "explicitness")]
    explicit: bool,
    /// Explicit in positions, implicit in velocities, η = (0, 1, 0).
    #[arg(long, group = "explicitness")]
    velocity_implicit: bool,
    /// Explicit with numerical damping, η3 = 1.
    #[arg(long, requires = "explicitness")]
    dissipative: bool,
    /// Damping ratio of the oscillation itself.
    #[arg(long, value_name = "XI", default_value_t = 0.0)]
    damping: f64,
    /// Show radius and phase error at these Ω = ωh too, to all digits, e.g. --at 0.5,1,2.
    #[arg(long, value_name = "OMEGA,…", value_parser = parse_frequency, value_delimiter = ',')]
    at: Vec<f64>,
    /// Draw spectral radius, period and damping into this file (SVG).
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// MIN,MAX,S.
fn parse_roots(text: &str) -> Result<[f64; 3], String> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|part| part.trim().parse::<f64>()).collect();
    let wrong = || format!("`{text}` is not three numbers MIN,MAX,S, e.g. 0.3,0.8,0");
    numbers.ok().and_then(|n| n.try_into().ok()).ok_or_else(wrong)
}

/// An Ω.
fn parse_frequency(text: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>().ok().filter(|omega| *omega > 0.0 && omega.is_finite());
    number.ok_or_else(|| format!("`{text}` is not a positive number"))
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> ExitCode {
    let chosen = match subject::choose(arguments) {
        Ok(chosen) => chosen,
        Err(text) => return message::bad_input(&text),
    };
    let xi = arguments.damping;
    if !(xi >= 0.0 && xi.is_finite()) {
        return message::bad_input(&format!(
            "the damping ratio must be a number from 0 upwards, but is {xi}"
        ));
    }
    let mut text = report::report(&chosen, xi, &arguments.at);
    match &arguments.out {
        None => text += "\nNo picture was drawn; --out FILE.svg draws one.\n",
        Some(path) => {
            let title = if xi > 0.0 { format!("{}, ξ = {xi}", chosen.name) } else { chosen.name.clone() };
            if let Err(error) = plot_integrator(&picture::sheet(&chosen, xi), &title, path) {
                return message::bad_input(&error.to_string());
            }
            text += &format!("\nLook at {}\n", path.display());
        }
    }
    message::print(&text)
}
