//! From the request to the motion, its record and its summary.

use crate::failure::{RequestError, StudyError};
use crate::live::LiveModel;
use crate::motion::checkpoint::{FILES, Keeper};
use crate::motion::failure::ChangedError;
use crate::motion::report::{RunFindings, Times, summarize};
use crate::motion::step_check::{Checked, step_check};
use crate::motion::{EventEntry, ModelEvents, MotionSummary, motion_study, refusal};
use crate::progress::{Progress, Watch};
use crate::record::Recorder;
use crate::scene::scene;
use crate::study::{Checkpoints, Prepared, Product, RunOptions};
use poinsot_analysis::{Ending, MotionReport, Trail, resume, run_with_events};
use poinsot_model::quantity::EventQuantity;
use poinsot_model::spec::MotionSpec;
use poinsot_model::study::evaluate;
use poinsot_model::{Model, Quantity};
use poinsot_results::{Artifact, Signals};
use std::cell::RefCell;
use std::rc::Rc;

/// Runs it.
pub fn run(
    prepared: Prepared,
    spec: &MotionSpec,
    options: &RunOptions,
    watch: &dyn Watch,
) -> Result<Product, StudyError> {
    let Prepared { model, mut system, assembly, state, start, set_up, .. } = prepared;
    if let Some(diagnostic) = refusal(model, &system) {
        return Err(StudyError::Model(Box::new(diagnostic)));
    }
    let mut study = motion_study(model, &system, &assembly).ok_or(RequestError::NoStudy)?;
    study.max_steps = spec.max_steps;
    let progress = Progress::new(state.t, study.end, watch);
    let scene = scene(model, &system, &assembly);
    let live = Rc::new(RefCell::new(LiveModel::new(model.clone(), assembly)));
    let mut recorder = Recorder::new(live.clone(), &scene, progress)?;
    recorder.trail = options.check_step.then(Trail::default);
    let mut events = ModelEvents::new(live.clone());
    if let Some(checkpoints) = &options.checkpoints {
        study.checkpoint = Some(checkpoints.every);
        let Checkpoints { folder, identity, from, .. } = checkpoints;
        if let Some(saved) = from {
            recorder.restore(saved)?;
        }
        let keeper = Keeper::new(folder, identity.clone(), from.as_ref(), &recorder.recorded())?;
        recorder.keep(keeper);
    }
    let report = match options.checkpoints.as_ref().and_then(|checkpoints| checkpoints.from.as_ref()) {
        None => {
            run_with_events(&mut system, state, &study, &mut recorder, &mut events).map_err(StudyError::from)
        }
        Some(saved) => {
            if !saved.notes.changes.is_empty() {
                system = live.borrow_mut().redo(&saved.notes.changes).map_err(ChangedError)?;
            }
            resume(&mut system, &saved.motion, &study, &mut recorder, &mut events).map_err(StudyError::from)
        }
    };
    let times = Times { set_up, wall: recorder.wall() };
    recorder.finish(report.as_ref().is_ok_and(|report| report.ending == Ending::Completed));
    let report = report?;
    measure_events(model, &report, &events, &mut recorder.measured);
    let completed = report.ending == Ending::Completed;
    let step_check = recorder.trail.as_ref().filter(|_| completed).map(|trail| {
        let step = study.typical_step(&report);
        let checked = Checked { model, spec, system: &system, report: &report, step, trail };
        step_check(&checked, watch)
    });
    let findings = RunFindings {
        measured: &recorder.measured,
        events: entries(model, &report, &events),
        times,
        flexible: recorder.flexible.audits(),
        step_check,
    };
    let summary = summarize(model, spec, &system, &study, &start, &report, findings);
    let method = sentence(&summary);
    report.events.iter().for_each(|event| recorder.table.mark(event.time));
    // Equations alone have no energy that anybody could look at.
    let seen = !model.bodies.is_empty() && !recorder.energy.time.is_empty();
    let energy = seen.then_some(Artifact::Energies(recorder.energy));
    let stopped = report.ending == Ending::Interrupted || recorder.checkpoint_lost;
    let resumable = stopped && options.checkpoints.is_some();
    let left = if resumable { &FILES[..] } else { &[] };
    let end = live.borrow().state(&system, &report.state);
    let product = Product::new(Box::new(summary), method, Signals::course(recorder.table));
    let product = product.ending(recorder.kept, end);
    let product = product.with(energy).with(Artifact::Scene(scene, recorder.frames.frames));
    Ok(left.iter().fold(product, |product, (name, what)| product.with(Artifact::Left(name, what))))
}

/// The events that happened, by name.
fn entries(model: &Model, report: &MotionReport, events: &ModelEvents) -> Vec<EventEntry> {
    let name = |what| model.events[events.event(what)].name.clone();
    report.events.iter().map(|event| EventEntry { name: name(event.what), time: event.time }).collect()
}

/// Expectations about events.
fn measure_events(model: &Model, report: &MotionReport, events: &ModelEvents, measured: &mut [Option<f64>]) {
    let mut times = vec![vec![]; model.events.len()];
    for event in &report.events {
        times[events.event(event.what)].push(event.time);
    }
    let answers = |quantity| {
        let Quantity::Event { event, what } = quantity else { return None };
        let times: &Vec<f64> = times.get(event)?;
        match what {
            EventQuantity::Count => Some(times.len() as f64),
            EventQuantity::FirstTime => times.first().copied(),
            EventQuantity::LastTime => times.last().copied(),
        }
    };
    for (expect, measured) in model.expects.iter().zip(measured) {
        let quantities = &expect.formula.quantities;
        if quantities.iter().any(|quantity| matches!(quantity, Quantity::Event { .. })) {
            *measured = Some(evaluate(&expect.formula, &answers)).filter(|value| value.is_finite());
        }
    }
}

/// How the motion was found, in one sentence.
fn sentence(summary: &MotionSummary) -> String {
    let (i, steps) = (&summary.study.integrator, summary.statistics.steps);
    let family = if i.family.is_empty() { String::new() } else { format!("{}, ", i.family) };
    let stages = i.stages.map_or(String::new(), |stages| format!("{stages} stages, "));
    let coordinates = i
        .treatment
        .as_ref()
        .map_or(String::new(), |treatment| format!(", coordinates {}", treatment.coordinates));
    let pace = match &i.local_tolerance {
        Some(tolerance) => format!("tolerance {:e}", tolerance.relative),
        None => format!("step {:e} s", i.step),
    };
    format!("Integrator {} ({family}{stages}{} form{coordinates}), {pace}, {steps} steps.", i.name, i.form)
}
