//! A study, from a loaded model to what it gives: the path that all commands share.

use crate::{equilibrium, kinematics, linearize, modes, motion};
use poinsot_analysis::{
    EquilibriumError, KinematicsError, LinearizeError, ModesError, StartError, StartReport, consistent_start,
};
use poinsot_integrators::StepFailure;
use poinsot_mechanics::{State, System};
use poinsot_model::spec::{MatrixFormat, StudySpec};
use poinsot_model::{Assembly, Diagnostic, Model, build};
use poinsot_results::{
    EnergyHistory, MatrixSet, ModeShapes, RecordError, ResultsError, RunFolder, RunSummary, SignalTable,
    SpectrumPoint,
};
use std::path::PathBuf;
use std::time::Instant;
use thiserror::Error;

/// What a study gives.
pub struct Product {
    /// What was done, and the evidence.
    pub summary: Box<dyn RunSummary + Send>,
    /// How it was done, in one sentence.
    pub method: String,
    /// The signals.
    pub table: SignalTable,
    /// The energies of a motion.
    pub energy: Option<EnergyHistory>,
    /// Mode shapes.
    pub shapes: Option<ModeShapes>,
    /// Eigenvalues to be plotted.
    pub spectrum: Vec<SpectrumPoint>,
    /// Matrices and the formats to write them in.
    pub matrices: Option<(MatrixSet, Vec<MatrixFormat>)>,
}

impl Product {
    /// A summary with signals, and nothing else yet.
    pub fn new(summary: Box<dyn RunSummary + Send>, method: String, table: SignalTable) -> Self {
        Product { summary, method, table, energy: None, shapes: None, spectrum: vec![], matrices: None }
    }

    /// Writes everything; returns the path of the summary.
    pub fn write(&mut self, folder: PathBuf, title: &str, csv: bool) -> Result<PathBuf, ResultsError> {
        let mut folder = RunFolder::create(folder)?;
        let signals = !self.table.is_empty() && !self.table.columns().is_empty();
        if signals || self.energy.is_some() {
            folder.write_signals_parquet(&self.table)?;
        }
        if csv && signals {
            folder.write_signals_csv(&self.table)?;
        }
        if let Some(energy) = &self.energy {
            if signals {
                folder.plot_signals(&self.table, title)?;
            }
            if !energy.time.is_empty() {
                folder.plot_energy(energy, title)?;
            }
        }
        if let Some(shapes) = &self.shapes {
            folder.write_mode_shapes(shapes)?;
            folder.plot_mode_shapes(shapes, title)?;
        }
        if !self.spectrum.is_empty() {
            folder.plot_spectrum(&self.spectrum, title)?;
        }
        if let Some((matrices, formats)) = &self.matrices {
            for format in formats {
                folder.write_matrices("linear", matrices, matrix_format(*format))?;
            }
        }
        folder.finish(&mut *self.summary)
    }
}

fn matrix_format(format: MatrixFormat) -> poinsot_results::MatrixFormat {
    match format {
        MatrixFormat::Json => poinsot_results::MatrixFormat::Json,
        MatrixFormat::Npz => poinsot_results::MatrixFormat::Npz,
        MatrixFormat::Mat => poinsot_results::MatrixFormat::Mat,
    }
}

/// Why there is nothing to give.
#[derive(Debug, Error)]
pub enum StudyError {
    /// The model is wrong.
    #[error("{0:?}")]
    Model(Box<Diagnostic>),
    /// The model has no study.
    #[error("the model has no [study]: add one with `end` and `step`, or give --until and --step")]
    NoStudy,
    /// The mechanism cannot start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// Not even the first accelerations could be had.
    #[error(transparent)]
    Step(#[from] StepFailure),
    /// A study of a model with first-order equations that knows none.
    #[error("{0} does not know [[equations]]: only motions with an implicit integrator can be computed")]
    Equations(&'static str),
    /// The drives do not determine the motion.
    #[error(transparent)]
    Kinematics(#[from] KinematicsError),
    /// There is no equilibrium.
    #[error(transparent)]
    Equilibrium(#[from] EquilibriumError),
    /// There are no modes.
    #[error(transparent)]
    Modes(#[from] ModesError),
    /// There is no linear system.
    #[error(transparent)]
    Linearize(#[from] LinearizeError),
    /// The signals cannot be recorded.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The results cannot be kept.
    #[error(transparent)]
    Results(#[from] ResultsError),
}

impl StudyError {
    /// Whether the model is to blame rather than the solve.
    pub fn is_bad_input(&self) -> bool {
        matches!(self, StudyError::NoStudy | StudyError::Record(_) | StudyError::Equations(_))
    }
}

/// A model as a system at its consistent start.
pub struct Prepared<'a> {
    /// The model.
    pub model: &'a Model,
    /// The system.
    pub system: System,
    /// Where the model's things are in it.
    pub assembly: Assembly,
    /// The consistent start.
    pub state: State,
    /// What the start changed.
    pub start: StartReport,
    /// Time it took (s).
    pub set_up: f64,
}

/// Runs the study of a model.
pub fn perform(model: &Model, quiet: bool) -> Result<Product, StudyError> {
    let clock = Instant::now();
    let study = model.study.as_ref().ok_or(StudyError::NoStudy)?;
    if !model.equations.is_empty() && study.motion().is_none() {
        return Err(StudyError::Equations(study.word()));
    }
    let (mut system, assembly) = build(model).map_err(|d| StudyError::Model(Box::new(d)))?;
    let (state, start) = consistent_start(&mut system, study.start())?;
    let prepared = Prepared { model, system, assembly, state, start, set_up: clock.elapsed().as_secs_f64() };
    match study {
        StudySpec::Motion(_) => motion::run(prepared, quiet),
        StudySpec::Kinematics(study) => kinematics::run(prepared, study, quiet),
        StudySpec::Equilibrium(study) => equilibrium::run(prepared, study),
        StudySpec::Modes(study) => modes::run(prepared, study),
        StudySpec::Linearize(study) => linearize::run(prepared, study),
    }
}
