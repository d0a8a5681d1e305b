//! `poinsot render`: pictures and movies of results, and files for ParaView.

mod drawing;
mod mode;
mod paraview;

use crate::message;
use clap::{Args, ValueEnum};
use drawing::Drawing;
pub use paraview::export;
use poinsot_results::render::{MovieKind, Style, View};
use poinsot_results::{ResultsError, read_motion};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Where the scene is looked at from.
#[derive(Clone, Copy, ValueEnum)]
enum ViewWord {
    Iso,
    Front,
    Top,
    Side,
}

/// Draw results as a picture or a movie, or write them for ParaView.
#[derive(Args)]
#[command(after_help = "\
Examples:
  poinsot render runs/robot_arm --at 1.5 --out arm.png
  poinsot render runs/robot_arm --out arm.gif --view front --speed 0.5
  poinsot render runs/bicycle-modes --mode 2 --out weave.gif
  poinsot render runs/robot_arm --vtk arm_vtk")]
pub struct Arguments {
    /// Folder of results.
    result: PathBuf,
    /// The file: .png for a picture; .gif, .mp4 or .webm for a movie (the last two need ffmpeg). Default
    /// RESULT.png, here.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Time of the picture (s), or the parameter of a path; of a mode the part of its oscillation, from 0 to
    /// 1. Default: the end.
    #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
    at: Option<f64>,
    /// Begin of a movie.
    #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
    from: Option<f64>,
    /// End of a movie.
    #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
    to: Option<f64>,
    /// Pictures of a movie in a second; default 30, of a GIF 20.
    #[arg(long, value_name = "N")]
    fps: Option<f64>,
    /// Simulated seconds in a second of the movie; default real time, or what makes it last some seconds.
    #[arg(long, value_name = "FACTOR")]
    speed: Option<f64>,
    /// Pixels across and down; default 1280x720, of a GIF 800x450.
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    size: Option<[usize; 2]>,
    /// Where it is looked at from: iso in perspective, the others to scale.
    #[arg(long, value_enum, default_value = "iso")]
    view: ViewWord,
    /// Dark on light (default).
    #[arg(long, conflicts_with = "dark")]
    light: bool,
    /// Light on dark.
    #[arg(long)]
    dark: bool,
    /// Show the shape of this number (results of `poinsot modes`, `buckling` and `campbell`).
    #[arg(long, value_name = "N")]
    mode: Option<u64>,
    /// Draw forces as arrows.
    #[arg(long)]
    forces: bool,
    /// Draw reactions of joints as arrows.
    #[arg(long)]
    reactions: bool,
    /// Write the frames for ParaView into this folder: VTK files and a .pvd that lists them.
    #[arg(long, value_name = "FOLDER")]
    vtk: Option<PathBuf>,
}

fn parse_size(text: &str) -> Result<[usize; 2], String> {
    let sides = text
        .split_once(['x', 'X', '×'])
        .and_then(|(w, h)| Some([w.trim().parse().ok()?, h.trim().parse().ok()?]));
    sides.ok_or_else(|| format!("`{text}` is not of the form 1280x720"))
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> ExitCode {
    match try_render(arguments) {
        Ok(text) => message::print(&text),
        Err(text) => message::bad_input(&text),
    }
}

fn try_render(arguments: &Arguments) -> Result<String, String> {
    let text = |error: ResultsError| error.to_string();
    let (scene, frames) = read_motion(&arguments.result).map_err(text)?;
    if frames.is_empty() {
        return Err(format!("`{}` has no frames to draw", arguments.result.display()));
    }
    check_numbers(arguments)?;
    let mut told = String::new();
    if let Some(folder) = &arguments.vtk {
        let part = paraview::between(&frames, arguments.from, arguments.to)?;
        told += &export(&scene, &part, folder).map_err(text)?;
        if arguments.out.is_none() {
            return Ok(told);
        }
    }
    let out =
        arguments.out.clone().unwrap_or_else(|| PathBuf::from(format!("{}.png", stem(&arguments.result))));
    let ending = out.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    let movie = MovieKind::of(&out);
    if movie.is_none() && ending.as_deref() != Some("png") {
        return Err(format!("--out {}: the file must end with .png, .gif, .mp4 or .webm", out.display()));
    }
    let style = style(arguments, movie);
    let drawing = Drawing { arguments, scene: &scene, frames: &frames, style, out: &out };
    told += &match (arguments.mode, movie) {
        (Some(number), movie) => drawing.mode(number, movie)?,
        (None, None) => drawing.still().map_err(text)?,
        (None, Some(kind)) => drawing.movie(kind).map_err(text)?,
    };
    Ok(told)
}

fn style(arguments: &Arguments, movie: Option<MovieKind>) -> Style {
    let view = match arguments.view {
        ViewWord::Iso => View::Iso,
        ViewWord::Front => View::Front,
        ViewWord::Top => View::Top,
        ViewWord::Side => View::Side,
    };
    let usual = if movie == Some(MovieKind::Gif) { [800, 450] } else { [1280, 720] };
    Style {
        size: arguments.size.unwrap_or(usual),
        view,
        dark: arguments.dark && !arguments.light,
        forces: arguments.forces,
        reactions: arguments.reactions,
    }
}

fn check_numbers(arguments: &Arguments) -> Result<(), String> {
    for (flag, value) in [("--fps", arguments.fps), ("--speed", arguments.speed)] {
        if value.is_some_and(|value| !value.is_finite() || value <= 0.0) {
            return Err(format!("{flag} must be a positive number"));
        }
    }
    for (flag, value) in [("--at", arguments.at), ("--from", arguments.from), ("--to", arguments.to)] {
        if value.is_some_and(|value| !value.is_finite()) {
            return Err(format!("{flag} must be a number"));
        }
    }
    if let (Some(from), Some(to)) = (arguments.from, arguments.to)
        && from > to
    {
        return Err(format!("--from {from} lies after --to {to}"));
    }
    Ok(())
}

/// The name of a folder.
pub fn stem(folder: &Path) -> String {
    let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    whole.file_name().map_or("result".into(), |name| name.to_string_lossy().into_owned())
}
