//! `poinsot render`: pictures and movies of results, and files for ParaView.

use crate::message;
use clap::{Args, ValueEnum};
use poinsot_results::render::{MovieKind, Playback, Renderer, Style, View, write_movie};
use poinsot_results::scene::Scene;
use poinsot_results::{
    AxisName, Frames, ModeShape, Payload, ResultsError, Snapshot, StoredRun, read_motion, write_vtk,
};
use std::f64::consts::TAU;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Largest motion of a mode, in lengths of the scene.
const MODE: f64 = 0.15;
/// Seconds of one oscillation of a mode in a movie.
const PERIOD: f64 = 2.0;
/// States that the view of a picture is chosen from.
const STATES: usize = 60;
/// Frames for ParaView at most.
const VTK_FRAMES: usize = 2000;

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
        let part = between(&frames, arguments.from, arguments.to)?;
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
    let view = match arguments.view {
        ViewWord::Iso => View::Iso,
        ViewWord::Front => View::Front,
        ViewWord::Top => View::Top,
        ViewWord::Side => View::Side,
    };
    let usual = if movie == Some(MovieKind::Gif) { [800, 450] } else { [1280, 720] };
    let style = Style {
        size: arguments.size.unwrap_or(usual),
        view,
        dark: arguments.dark && !arguments.light,
        forces: arguments.forces,
        reactions: arguments.reactions,
    };
    let job = Job { arguments, scene: &scene, frames: &frames, style, out: &out };
    told += &match (arguments.mode, movie) {
        (Some(number), movie) => job.mode(number, movie)?,
        (None, None) => job.still().map_err(text)?,
        (None, Some(kind)) => job.movie(kind).map_err(text)?,
    };
    Ok(told)
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

/// The frames of a part of the axis.
fn between(frames: &Frames, from: Option<f64>, to: Option<f64>) -> Result<Frames, String> {
    let wanted = from.unwrap_or(f64::NEG_INFINITY)..=to.unwrap_or(f64::INFINITY);
    let mut part = Frames::new(frames.size());
    for (k, at) in frames.axis().iter().enumerate().filter(|(_, at)| wanted.contains(at)) {
        part.push(*at, frames.frame(k));
    }
    if part.is_empty() {
        let (first, last) = ends(frames);
        return Err(format!(
            "there is no frame between --from and --to: the results go from {first} to {last}"
        ));
    }
    Ok(part)
}

fn ends(frames: &Frames) -> (f64, f64) {
    let axis = frames.axis();
    (axis.first().copied().unwrap_or(0.0), axis.last().copied().unwrap_or(0.0))
}

/// Writes frames for ParaView; what was done, in a line.
pub fn export(scene: &Scene, frames: &Frames, folder: &Path) -> Result<String, ResultsError> {
    let few = frames.reduced(VTK_FRAMES);
    let path = write_vtk(scene, &few, folder, "motion")?;
    let of = if few.len() < frames.len() { format!(" of {}", frames.len()) } else { String::new() };
    Ok(format!("{}: {}{of} frames for ParaView\n", path.display(), few.len()))
}

struct Job<'a> {
    arguments: &'a Arguments,
    scene: &'a Scene,
    frames: &'a Frames,
    style: Style,
    out: &'a Path,
}

impl Job<'_> {
    /// What the frames run over.
    fn axis(&self) -> AxisName {
        let page = Payload::read(&self.arguments.result.join(Payload::FILE)).ok();
        page.and_then(|page| page.runs.into_iter().next()).map_or(AxisName::default(), |run| run.axis)
    }

    /// Some states that show how far everything moves.
    fn states(&self) -> Vec<Snapshot> {
        let last = self.frames.len() - 1;
        (0..=STATES.min(last))
            .map(|k| Snapshot::frame(self.frames, k * last / STATES.min(last).max(1)))
            .collect()
    }

    fn state(&self, at: f64) -> Snapshot {
        Snapshot::at(self.frames, at).unwrap_or_default()
    }

    fn caption(&self, axis: &AxisName, at: f64, step: f64) -> String {
        let decimals = (-step.log10()).ceil().clamp(0.0, 6.0) as usize;
        format!("{}    {} = {at:.decimals$} {}", self.scene.name, axis.name, axis.unit)
    }

    fn still(&self) -> Result<String, ResultsError> {
        let (first, last) = ends(self.frames);
        let at = self.arguments.at.unwrap_or(last);
        if !(first..=last).contains(&at) {
            return Err(ResultsError::Picture {
                message: format!("--at {at}: the results go from {first} to {last}"),
            });
        }
        let renderer = Renderer::new(self.scene, &self.states(), self.style.clone())?;
        let caption = self.caption(&self.axis(), at, 1e-2 * (last - first).clamp(1e-4, 1.0));
        renderer.draw(&self.state(at), &caption)?.write_png(self.out)?;
        Ok(self.told(1, String::new()))
    }

    fn movie(&self, kind: MovieKind) -> Result<String, ResultsError> {
        let (first, last) = ends(self.frames);
        let (from, to) =
            (self.arguments.from.unwrap_or(first).max(first), self.arguments.to.unwrap_or(last).min(last));
        let playback = Playback {
            from,
            to,
            fps: self.fps(kind),
            speed: self.arguments.speed.unwrap_or_else(|| Playback::chosen_speed(from, to)),
        };
        if from > to {
            return Err(ResultsError::Picture {
                message: format!("--from and --to: the results go from {first} to {last}"),
            });
        }
        let values = playback.values()?;
        let states: Vec<Snapshot> = values.iter().map(|at| self.state(*at)).collect();
        let renderer = Renderer::new(self.scene, &states, self.style.clone())?;
        let axis = self.axis();
        let caption = |k: usize| self.caption(&axis, values[k], 0.5 * playback.speed / playback.fps);
        write_movie(self.out, kind, playback.fps, values.len(), |k| renderer.draw(&states[k], &caption(k)))?;
        Ok(self.told(values.len(), format!(", {} times real time", playback.speed)))
    }

    fn fps(&self, kind: MovieKind) -> f64 {
        self.arguments.fps.unwrap_or(if kind == MovieKind::Gif { 20.0 } else { 30.0 })
    }

    fn mode(&self, number: u64, movie: Option<MovieKind>) -> Result<String, String> {
        let text = |error: ResultsError| error.to_string();
        let modes = StoredRun::read(&self.arguments.result).map_err(text)?.modes();
        let Some(mode) = modes.iter().find(|mode| mode.number == number) else {
            let folder = self.arguments.result.display();
            return Err(match modes.len() {
                0 => format!("`{folder}` has no modes: give a result of `poinsot modes`"),
                n => format!("`{folder}` has the modes 1 to {n}, but not {number}"),
            });
        };
        self.draw_mode(mode, movie).map_err(text)
    }

    fn draw_mode(&self, mode: &ModeShape, movie: Option<MovieKind>) -> Result<String, ResultsError> {
        let rest = Snapshot::frame(self.frames, mode.frame.min(self.frames.len() - 1));
        let at = |share: f64| rest.of_mode(self.scene, mode, MODE * self.scene.length, TAU * share);
        let count = movie.map_or(8, |kind| (PERIOD * self.fps(kind)).round().max(2.0) as usize);
        let states: Vec<Snapshot> = (0..count).map(|k| at(k as f64 / count as f64)).collect();
        let renderer = Renderer::new(self.scene, &states, self.style.clone())?;
        let what = match mode.name.as_str() {
            "" => format!("mode {}: {:.4} Hz", mode.number, mode.frequency_hz),
            name => name.to_owned(),
        };
        let caption = format!("{}    {what}", self.scene.name);
        match movie {
            None => renderer.draw(&at(self.arguments.at.unwrap_or(0.0)), &caption)?.write_png(self.out)?,
            Some(kind) => {
                write_movie(self.out, kind, self.fps(kind), count, |k| renderer.draw(&states[k], &caption))?
            }
        }
        Ok(self.told(if movie.is_some() { count } else { 1 }, String::new()))
    }

    fn told(&self, pictures: usize, speed: String) -> String {
        let [width, height] = self.style.size;
        let number = if pictures == 1 { String::new() } else { format!("{pictures} pictures of ") };
        format!("{}: {number}{width}x{height} pixels{speed}\n", self.out.display())
    }
}
