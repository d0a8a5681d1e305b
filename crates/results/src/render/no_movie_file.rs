//! In the place of `movie_file.rs` where movies are not part of the program.

use super::image::Image;
use super::movie::MovieKind;
use crate::error::ResultsError;
use std::path::Path;

/// Says that movies are missing.
pub fn write_movie(
    _path: &Path,
    _kind: MovieKind,
    _fps: f64,
    _count: usize,
    _image: impl FnMut(usize) -> Result<Image, ResultsError>,
) -> Result<(), ResultsError> {
    let message =
        "this program was built without movies: build it with the feature `movies`, or write a .png";
    Err(ResultsError::Picture { message: message.into() })
}
