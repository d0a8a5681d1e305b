//! A picture or a movie of a motion.

use super::Arguments;
use poinsot_results::render::{MovieKind, Playback, Renderer, Style, write_movie};
use poinsot_results::scene::Scene;
use poinsot_results::{AxisName, Frames, Payload, ResultsError, Snapshot};
use std::path::Path;

/// States that the view of a picture is chosen from.
const STATES: usize = 60;

/// What is drawn, how and where to.
pub(super) struct Drawing<'a> {
    pub(super) arguments: &'a Arguments,
    pub(super) scene: &'a Scene,
    pub(super) frames: &'a Frames,
    pub(super) style: Style,
    pub(super) out: &'a Path,
}

impl Drawing<'_> {
    /// One picture of a state.
    pub(super) fn still(&self) -> Result<String, ResultsError> {
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

    /// A movie of the motion.
    pub(super) fn movie(&self, kind: MovieKind) -> Result<String, ResultsError> {
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

    /// Pictures in a second.
    pub(super) fn fps(&self, kind: MovieKind) -> f64 {
        self.arguments.fps.unwrap_or(if kind == MovieKind::Gif { 20.0 } else { 30.0 })
    }

    /// What was done, in a line.
    pub(super) fn told(&self, pictures: usize, speed: String) -> String {
        let [width, height] = self.style.size;
        let number = if pictures == 1 { String::new() } else { format!("{pictures} pictures of ") };
        format!("{}: {number}{width}x{height} pixels{speed}\n", self.out.display())
    }
}

/// Where the axis begins and ends.
pub(super) fn ends(frames: &Frames) -> (f64, f64) {
    let axis = frames.axis();
    (axis.first().copied().unwrap_or(0.0), axis.last().copied().unwrap_or(0.0))
}
