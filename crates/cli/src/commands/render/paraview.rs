//! Frames as files for ParaView.

use super::drawing::ends;
use poinsot_results::scene::Scene;
use poinsot_results::{Frames, ResultsError, write_vtk};
use std::path::Path;

/// Frames for ParaView at most.
const VTK_FRAMES: usize = 2000;

/// The frames of a part of the axis.
pub(super) fn between(frames: &Frames, from: Option<f64>, to: Option<f64>) -> Result<Frames, String> {
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

/// Writes frames for ParaView; what was done, in a line.
pub fn export(scene: &Scene, frames: &Frames, folder: &Path) -> Result<String, ResultsError> {
    let few = frames.reduced(VTK_FRAMES);
    let path = write_vtk(scene, &few, folder, "motion")?;
    let of = if few.len() < frames.len() { format!(" of {}", frames.len()) } else { String::new() };
    Ok(format!("{}: {}{of} frames for ParaView\n", path.display(), few.len()))
}
