//! The motion study.

use crate::progress::Progress;
use crate::record::Recorder;
use crate::study::{Prepared, Product, StudyError};
use crate::summarize;
use poinsot_analysis::run_motion;
use poinsot_model::motion_study;
use poinsot_results::EnergyHistory;
use std::time::Instant;

/// Runs it.
pub fn run(prepared: Prepared, quiet: bool) -> Result<Product, StudyError> {
    let Prepared { model, mut system, assembly, state, start, set_up } = prepared;
    let study = motion_study(model).ok_or(StudyError::NoStudy)?;
    let progress = Progress::new(state.t, study.end, quiet);
    let mut recorder = Recorder::new(model, &assembly, progress, study.end)?;
    let clock = Instant::now();
    let report = run_motion(&mut system, state, &study, &mut recorder);
    recorder.finish();
    let times = summarize::Times { set_up, wall: clock.elapsed().as_secs_f64() };
    let report = report?;
    let summary = summarize::motion(model, &system, &study, &start, &report, &recorder, times);
    let i = &summary.study.integrator;
    let family = if i.family.is_empty() { String::new() } else { format!("{}, ", i.family) };
    let steps = summary.statistics.steps;
    let method =
        format!("Integrator {} ({family}{} form), step {:e} s, {steps} steps.", i.name, i.form, i.step);
    // Equations alone have no energy that anybody could look at.
    let energy = Some(if model.bodies.is_empty() { EnergyHistory::default() } else { recorder.energy });
    Ok(Product { energy, ..Product::new(Box::new(summary), method, recorder.table) })
}
