//! One simulation, from a loaded model to its summary: the path that `run` and `verify` share.

use crate::progress::Progress;
use crate::record::Recorder;
use crate::summarize;
use poinsot_analysis::{StartError, consistent_start, run_motion};
use poinsot_integrators::StepFailure;
use poinsot_model::{Diagnostic, Model, build, motion_study};
use poinsot_results::{EnergyHistory, RecordError, SignalTable, Summary};
use std::time::Instant;
use thiserror::Error;

/// What a simulation gives.
pub struct Simulation {
    /// The signals.
    pub table: SignalTable,
    /// The energies.
    pub energy: EnergyHistory,
    /// Everything else.
    pub summary: Summary,
}

/// Why there is nothing to give.
#[derive(Debug, Error)]
pub enum SimulationError {
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
    /// The signals cannot be recorded.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// Runs the study of a model.
pub fn simulate(model: &Model, quiet: bool) -> Result<Simulation, SimulationError> {
    let clock = Instant::now();
    let study = motion_study(model).ok_or(SimulationError::NoStudy)?;
    let start_time = model.study.as_ref().map_or(0.0, |s| s.start);
    let mut assembly = build(model).map_err(|d| SimulationError::Model(Box::new(d)))?;
    let (state, start) = consistent_start(&mut assembly.system, start_time)?;
    let set_up = clock.elapsed().as_secs_f64();
    let progress = Progress::new(start_time, study.end, quiet);
    let mut recorder = Recorder::new(model, &assembly, progress, study.step, study.end)?;
    let clock = Instant::now();
    let report = run_motion(&assembly.system, state, &study, &mut recorder);
    recorder.finish();
    let times = summarize::Times { set_up, wall: clock.elapsed().as_secs_f64() };
    let report = report?;
    let summary = summarize::summary(model, &assembly.system, &study, &start, &report, &recorder, times);
    Ok(Simulation { table: recorder.table, energy: recorder.energy, summary })
}
