//! What a study gives besides its summary. Each thing knows its own files; folder, page and text go through
//! the list and need not know which study gave it.

use crate::beam_shape::BeamShape;
use crate::error::ResultsError;
use crate::frames::Frames;
use crate::matrix_file::{MatrixFormat, MatrixSet};
use crate::mode_shapes::ModeShapes;
use crate::plot::EnergyHistory;
use crate::report::{AxisName, SignalPlot};
use crate::run_folder::RunFolder;
use crate::scene::Scene;
use crate::table::SignalTable;

/// Something that a study gives.
pub enum Artifact {
    /// The signals.
    Signals(Signals),
    /// Energies over time, with a plot.
    Energies(EnergyHistory),
    /// What there is to see, and where everything is.
    Scene(Scene, Frames),
    /// Shapes of modes; drawn too, or for the page alone.
    Shapes {
        /// The shapes.
        shapes: ModeShapes,
        /// Whether the first ones are drawn.
        drawn: bool,
    },
    /// A drawing of the study as a whole.
    Drawing(Box<dyn Drawing + Send>),
    /// Matrices, and the formats to write them in.
    Matrices(MatrixSet, Vec<MatrixFormat>),
    /// A file that the run has left in its folder and that is to stay: its name and description.
    Left(&'static str, &'static str),
}

/// Signals along the axis of a study.
#[derive(Debug, Clone)]
pub struct Signals {
    /// The values.
    pub table: SignalTable,
    /// What the frames of the study run over.
    pub axis: AxisName,
    /// Plots that the page begins with, if it should not choose itself.
    pub plots: Vec<SignalPlot>,
    /// Whether they are a course of time, which is drawn.
    pub course: bool,
}

/// A drawing of a study as a whole, which the page shows too: a Campbell diagram, a load path.
pub trait Drawing {
    /// Name of its file.
    fn file(&self) -> &'static str;

    /// What it shows.
    fn title(&self) -> String;

    /// The drawing under a heading.
    fn svg(&self, heading: &str) -> Result<String, ResultsError>;
}

impl Artifact {
    /// Writes its files, signals also as text with `csv`; returns what could not be written. A file that
    /// cannot be written keeps no other from being written.
    pub fn write(&mut self, folder: &mut RunFolder, heading: &str, csv: bool) -> Vec<ResultsError> {
        match self {
            Artifact::Signals(signals) => signals.write(folder, heading, csv),
            Artifact::Energies(energy) => failures([folder.plot_energy(energy, heading)]),
            Artifact::Scene(scene, _) if scene.bodies.is_empty() => vec![],
            Artifact::Scene(scene, frames) => {
                let mut written = vec![folder.write_scene(scene)];
                written.extend((!frames.is_empty()).then(|| folder.write_frames(scene, frames)));
                failures(written)
            }
            Artifact::Shapes { shapes, drawn } => {
                let mut written = vec![folder.write_mode_shapes(shapes)];
                written.extend(drawn.then(|| folder.plot_mode_shapes(shapes, heading)));
                failures(written)
            }
            Artifact::Drawing(drawing) => failures([folder.draw(&**drawing, heading)]),
            Artifact::Matrices(set, formats) => {
                failures(formats.iter().map(|format| folder.write_matrices("linear", set, *format)))
            }
            Artifact::Left(name, description) => {
                folder.keep(name, description);
                vec![]
            }
        }
    }
}

impl Signals {
    /// Signals of one state, or over something else than time.
    pub fn new(table: SignalTable) -> Self {
        Signals { table, axis: AxisName::default(), plots: vec![], course: false }
    }

    /// A course of time.
    pub fn course(table: SignalTable) -> Self {
        Signals { course: true, ..Signals::new(table) }
    }

    fn write(&mut self, folder: &mut RunFolder, heading: &str, csv: bool) -> Vec<ResultsError> {
        let beams = match BeamShape::take_from(&mut self.table) {
            Ok(beams) => beams,
            Err(error) => return vec![error.into()],
        };
        let any = !self.table.is_empty() && !self.table.columns().is_empty();
        let mut troubles = vec![];
        if any || self.course {
            troubles.extend(folder.write_signals_parquet(&self.table).err());
        }
        if csv && any {
            troubles.extend(folder.write_signals_csv(&self.table).err());
        }
        for beam in &beams {
            troubles.extend(folder.write_beam_shape(beam, false).err());
            if csv {
                troubles.extend(folder.write_beam_shape(beam, true).err());
            }
        }
        if any && self.course {
            troubles.extend(folder.plot_signals(&self.table, heading).err());
        }
        troubles
    }
}

fn failures<T>(written: impl IntoIterator<Item = Result<T, ResultsError>>) -> Vec<ResultsError> {
    written.into_iter().filter_map(Result::err).collect()
}
