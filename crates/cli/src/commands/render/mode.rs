//! A picture or a movie of the shape of a mode.

use super::drawing::Drawing;
use poinsot_results::render::{MovieKind, Renderer, write_movie};
use poinsot_results::{ModeShape, ResultsError, Snapshot, StoredRun};
use std::f64::consts::TAU;

/// Largest motion of a mode, in lengths of the scene.
const MODE: f64 = 0.15;
/// Seconds of one oscillation of a mode in a movie.
const PERIOD: f64 = 2.0;

impl Drawing<'_> {
    /// The mode of a number.
    pub(super) fn mode(&self, number: u64, movie: Option<MovieKind>) -> Result<String, String> {
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
}
