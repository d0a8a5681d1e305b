//! Plots of a run, as SVG.

pub mod axis;
pub mod canvas;
mod chosen;
mod decimate;
mod energy;
pub mod frame;
mod integrator;
pub mod labels;
mod mode_panel;
mod mode_shapes;
mod panels;
mod pixels;
mod signals;
mod skeleton;
mod svg;
mod trajectory;

use std::path::{Path, PathBuf};

pub use chosen::{ChosenCurve, ChosenPlot, chosen_sheet};
pub use energy::EnergyHistory;
pub use integrator::{IntegratorCurve, IntegratorSheet};
pub use trajectory::{PathAxes, Trajectory};

pub(crate) use energy::energy_svg;
pub(crate) use integrator::integrator_svg;
pub(crate) use mode_shapes::mode_shapes_svg;
pub(crate) use signals::signal_svgs;
pub(crate) use trajectory::path_svg;

use crate::artifact::Drawing;
use crate::atomic_file::write_atomically;
use crate::error::ResultsError;
use crate::mode_shapes::ModeShapes;
use crate::table::SignalTable;

/// Draws every signal over time: signals of one unit share a panel, panels
/// stand one above the other over a common time axis. More panels than fit on
/// a sheet go to further files, `name-2.svg` and so on; the files written are
/// given back.
pub fn plot_signals(table: &SignalTable, title: &str, path: &Path) -> Result<Vec<PathBuf>, ResultsError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut written = Vec::new();
    for (i, svg) in signal_svgs(table, title, &name)?.into_iter().enumerate() {
        let sheet = path.with_file_name(sheet_name(&name, i));
        write_atomically(&sheet, svg.as_bytes())?;
        written.push(sheet);
    }
    Ok(written)
}

/// Draws the energies in one panel and their imbalance in another below it.
pub fn plot_energy(history: &EnergyHistory, title: &str, path: &Path) -> Result<(), ResultsError> {
    write_atomically(path, energy_svg(history, title)?.as_bytes())
}

/// Draws trajectories in a plane, to the same scale along both axes; a ring
/// marks the start of each and a disc its end.
pub fn plot_path(
    trajectories: &[Trajectory<'_>],
    axes: PathAxes<'_>,
    title: &str,
    path: &Path,
) -> Result<(), ResultsError> {
    write_atomically(path, path_svg(trajectories, axes, title)?.as_bytes())
}

/// Draws a study as a whole.
pub fn plot(drawing: &dyn Drawing, title: &str, path: &Path) -> Result<(), ResultsError> {
    write_atomically(path, drawing.svg(title)?.as_bytes())
}

/// Draws the shapes of the first six modes, each in the coordinate plane that
/// shows most of it: the state they are about in grey, and the two extremes of
/// the motion, enlarged.
pub fn plot_mode_shapes(shapes: &ModeShapes, title: &str, path: &Path) -> Result<(), ResultsError> {
    write_atomically(path, mode_shapes_svg(shapes, title)?.as_bytes())
}

/// Draws what an integrator does to an oscillation: spectral radius over frequency, period elongation and
/// numerical damping over the step, the first method in colour and those that it is compared with in grey.
pub fn plot_integrator(sheet: &IntegratorSheet, title: &str, path: &Path) -> Result<(), ResultsError> {
    write_atomically(path, integrator_svg(sheet, title)?.as_bytes())
}

/// Name of the i-th sheet, from 0: `signals.svg`, `signals-2.svg`, …
pub(crate) fn sheet_name(first: &str, i: usize) -> String {
    match (i, first.rsplit_once('.')) {
        (0, _) => first.to_owned(),
        (_, Some((stem, extension))) => format!("{stem}-{}.{extension}", i + 1),
        (_, None) => format!("{first}-{}", i + 1),
    }
}

/// Refuses a curve that has too few or too many values.
pub fn check_length(name: &str, values: &[f64], abscissae: usize) -> Result<(), ResultsError> {
    match values.len() == abscissae {
        true => Ok(()),
        false => Err(ResultsError::CurveLength { curve: name.to_owned(), values: values.len(), abscissae }),
    }
}

/// Refuses a curve that has too few or too many values, or one not finite.
pub fn check_curve(name: &str, values: &[f64], abscissae: usize) -> Result<(), ResultsError> {
    check_length(name, values, abscissae)?;
    match values.iter().position(|v| !v.is_finite()) {
        Some(sample) => {
            Err(ResultsError::CurveNotFinite { curve: name.to_owned(), sample, value: values[sample] })
        }
        None => Ok(()),
    }
}

/// Refuses a plot of nothing.
pub fn nothing(title: &str, missing: &'static str) -> ResultsError {
    ResultsError::NothingToPlot { title: title.to_owned(), missing }
}
