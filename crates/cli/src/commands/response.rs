//! `poinsot response`: step, impulse and initial response of the linearised model.

use crate::base::Base;
use crate::complaints::unkept;
use crate::linear_system::with_linear_system;
use crate::message;
use crate::numbers::count;
use crate::output::default_folder;
use crate::overrides::load_bare;
use crate::parameters::Parameters;
use clap::Args;
use poinsot_studies::ranges::parse_value;
use poinsot_studies::response::{Response, ResponseRequest};
use std::path::PathBuf;
use std::process::ExitCode;

/// Step, impulse or initial response of the linearised model, by the matrix exponential.
#[derive(Args)]
#[command(after_help = "\
Examples:
  poinsot response model.toml --input push.x --step 1 --until 5
  poinsot response model.toml --deviation theta=0.1 --until 2")]
pub struct Arguments {
    /// The model file; `-` reads it from standard input.
    model: PathBuf,
    #[command(flatten)]
    parameters: Parameters,
    #[command(flatten)]
    base: Base,
    /// The input that is changed: NAME.x of a force, a spring, a variable that an algebraic equation gives, a
    /// parameter.
    #[arg(long, value_name = "NAME")]
    input: Option<String>,
    /// Height of a step of the input (default 1).
    #[arg(long, value_name = "SIZE", group = "kind", allow_hyphen_values = true, requires = "input")]
    step: Option<f64>,
    /// Area of an impulse of the input.
    #[arg(long, value_name = "AREA", group = "kind", allow_hyphen_values = true, requires = "input")]
    impulse: Option<f64>,
    /// Deviation of a state at the start, e.g. --deviation theta=0.1; may be repeated.
    #[arg(long, value_name = "STATE=VALUE", value_parser = parse_value)]
    deviation: Vec<(String, f64)>,
    /// How long (s).
    #[arg(long, value_name = "TIME")]
    until: f64,
    /// Points in time.
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = count(2..=100_000))]
    points: usize,
    /// Folder for the table and the picture; default runs/MODEL-response.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Print nothing.
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> ExitCode {
    let finite = |x: &Option<f64>| x.is_none_or(|x| x.is_finite());
    if !arguments.until.is_finite() || arguments.until <= 0.0 {
        return message::bad_input(&format!("--until {} must be a positive number", arguments.until));
    }
    if !finite(&arguments.step) || !finite(&arguments.impulse) {
        return message::bad_input("--step and --impulse must be finite numbers");
    }
    if arguments.input.is_none() && arguments.deviation.is_empty() {
        return message::bad_input(
            "nothing moves: give --input with --step or --impulse, or --deviation STATE=VALUE",
        );
    }
    let model = match load_bare(&arguments.model, &arguments.parameters) {
        Ok(model) => model,
        Err(code) => return code,
    };
    let request = ResponseRequest {
        input: arguments.input.clone(),
        step: arguments.step,
        impulse: arguments.impulse,
        initial: arguments.deviation.clone(),
        until: arguments.until,
        points: arguments.points,
    };
    let inputs: Vec<String> = arguments.input.iter().cloned().collect();
    with_linear_system(&model, &arguments.base, &inputs, |system| match Response::of(system, &request) {
        Ok(response) => tell(arguments, &response),
        Err(error) => message::bad_input(&error.to_string()),
    })
}

/// Writes the response and says how it went.
fn tell(arguments: &Arguments, response: &Response) -> ExitCode {
    let folder = arguments.out.clone().unwrap_or_else(|| default_folder(&arguments.model, "response"));
    match response.write(&folder) {
        Err(error) => unkept(&error),
        Ok(_) if arguments.quiet => ExitCode::SUCCESS,
        Ok(picture) => message::print(&format!("{}\nLook at {}\n", response.text(), picture.display())),
    }
}
