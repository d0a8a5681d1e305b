//! `poinsot portrait`: trajectories from a grid of starts in the plane of two variables, and the equilibria.

use crate::complaints::complained;
use crate::message;
use crate::numbers::count;
use crate::output::default_folder;
use crate::overrides::load_bare;
use crate::parameters::Parameters;
use clap::Args;
use poinsot_model::Model;
use poinsot_results::write_atomically;
use poinsot_studies::portrait::{Portrait, PortraitRequest, portrait_svg};
use poinsot_studies::ranges::{NamedRange, parse_range};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Draw trajectories in the plane of two variables of equations, with the equilibria by their kind.
#[derive(Args)]
#[command(after_help = "\
Examples:
  poinsot portrait model.toml --x theta=-6..6 --y w=-10..10 --out pendulum.svg")]
pub struct Arguments {
    /// The model file; `-` reads it from standard input.
    model: PathBuf,
    #[command(flatten)]
    parameters: Parameters,
    /// The horizontal variable and its range, e.g. --x theta=-6..6.
    #[arg(long, value_name = "NAME=LOW..HIGH", value_parser = parse_range)]
    x: NamedRange,
    /// The vertical variable and its range.
    #[arg(long, value_name = "NAME=LOW..HIGH", value_parser = parse_range)]
    y: NamedRange,
    /// Starts along each axis.
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = count(2..=60))]
    grid: usize,
    /// Longest time of a trajectory (s); default: as long as a typical one needs for its length in the
    /// picture.
    #[arg(long, value_name = "TIME")]
    time: Option<f64>,
    /// The picture (SVG); default runs/MODEL-portrait.svg.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> ExitCode {
    if arguments.time.is_some_and(|t| !t.is_finite() || t <= 0.0) {
        return message::bad_input("--time must be a positive number");
    }
    let model = match load_bare(&arguments.model, &arguments.parameters) {
        Ok(model) => model,
        Err(code) => return code,
    };
    let Arguments { x, y, grid, time, .. } = arguments;
    let request = PortraitRequest { x: x.clone(), y: y.clone(), grid: *grid, time: *time };
    let found = match poinsot_studies::portrait::portrait(&model, &request) {
        Ok(found) => found,
        Err(complaint) => return complained(&model, &complaint),
    };
    if let Some(reason) = &found.doubt {
        message::complain(&format!(
            "Warning: {}: no verdict on the equilibria, and trajectories through one point differ by when they pass it: \
             {reason}",
            model.source.name
        ));
    }
    let default = || default_folder(&arguments.model, "portrait").with_extension("svg");
    let path = arguments.out.clone().unwrap_or_else(default);
    if let Err(error) = write(&found, &model, &path) {
        message::complain(&format!("Error: {error}"));
        return ExitCode::from(message::FAILED);
    }
    let Portrait { picture, left_out, .. } = found;
    let left_out = if left_out == 0 { String::new() } else { format!(", {left_out} starts left out") };
    message::print(&format!(
        "{}: {} trajectories{left_out}, {} equilibria\n\nLook at {}\n",
        model.name,
        picture.curves.len(),
        picture.marks.len(),
        path.display()
    ))
}

fn write(found: &Portrait, model: &Model, path: &Path) -> Result<(), String> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    folder.map_or(Ok(()), std::fs::create_dir_all).map_err(|e| e.to_string())?;
    let svg = portrait_svg(&found.picture, &model.name).map_err(|e| e.to_string())?;
    write_atomically(path, svg.as_bytes()).map_err(|e| e.to_string())
}
