//! Movies: when their pictures are taken, and what they are written as.

use crate::error::ResultsError;
use std::path::Path;

/// Most pictures of a movie.
const LONGEST: usize = 20_000;
/// Seconds that a movie lasts if nothing is said, at least and at most.
const LASTS: [f64; 2] = [4.0, 15.0];

/// When the pictures of a movie are taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Playback {
    /// First value of the axis.
    pub from: f64,
    /// Last value of the axis.
    pub to: f64,
    /// Pictures in a second.
    pub fps: f64,
    /// Values of the axis in a second; 1 is real time.
    pub speed: f64,
}

impl Playback {
    /// Real time, or as much slower or faster as makes the movie last some seconds, in steps 1, 2, 5.
    pub fn chosen_speed(from: f64, to: f64) -> f64 {
        let span = (to - from).max(f64::MIN_POSITIVE);
        let wanted = 1f64.clamp(span / LASTS[1], span / LASTS[0]);
        if wanted == 1.0 {
            return 1.0;
        }
        let power = 10f64.powf(wanted.log10().floor());
        let near = |digit: &f64| (digit * power / wanted).ln().abs();
        let digit = [1.0, 2.0, 5.0, 10.0].into_iter().min_by(|a, b| near(a).total_cmp(&near(b)));
        digit.unwrap_or(1.0) * power
    }

    /// The values of the axis, first and last included where they fall on a picture.
    pub fn values(&self) -> Result<Vec<f64>, ResultsError> {
        let count = ((self.to - self.from) / self.speed * self.fps + 1e-6).floor();
        if !(0.0..LONGEST as f64).contains(&count) {
            let message = format!(
                "the movie would have {count} pictures: lower --fps, raise --speed or narrow --from and --to"
            );
            return Err(ResultsError::Picture { message });
        }
        Ok((0..=count as usize).map(|k| self.from + k as f64 / self.fps * self.speed).collect())
    }
}

/// What a movie is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MovieKind {
    /// A GIF that repeats.
    Gif,
    /// H.264 in MP4, by ffmpeg.
    Mp4,
    /// VP9 in WebM, by ffmpeg.
    WebM,
}

impl MovieKind {
    /// By the ending of a name.
    pub fn of(path: &Path) -> Option<MovieKind> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "gif" => Some(MovieKind::Gif),
            "mp4" => Some(MovieKind::Mp4),
            "webm" => Some(MovieKind::WebM),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pace_of_a_movie() {
        let playback = Playback { from: 1.0, to: 3.0, fps: 10.0, speed: 0.5 };
        let values = playback.values().unwrap();
        assert_eq!((values.len(), values[0], values[40]), (41, 1.0, 3.0));
        assert!(Playback { speed: 1e-9, ..playback }.values().is_err());
        assert_eq!(Playback::chosen_speed(0.0, 10.0), 1.0);
        assert!((Playback::chosen_speed(0.0, 0.8) - 0.2).abs() < 1e-12);
        assert!((Playback::chosen_speed(0.0, 3000.0) - 200.0).abs() < 1e-9);
    }
}
