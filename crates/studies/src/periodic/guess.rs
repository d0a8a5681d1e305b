//! Where the search for a periodic motion begins: the motion from a state, over one period.

use crate::failure::StudyError;
use crate::periodic::request::PeriodicSpec;
use poinsot_analysis::{
    Changes, Ending, MotionReport, MotionStudy, PeriodicError, PeriodicScheme, PeriodicSettings, Sample,
    run_motion,
};
use poinsot_integrators::Tolerance;
use poinsot_mechanics::{State, System};
use std::f64::consts::TAU;

/// Local error of motions that settle.
const SETTLING: f64 = 1e-8;
/// Local error of a motion that is a guess.
const GUESSING: f64 = 1e-7;
/// Part of the guess of a period by which the motion may come back earlier or later.
const WINDOW: f64 = 0.25;
/// A state that is nearer to the end of a period than this part of it is no state of its own.
const NEAR: f64 = 1e-4;
/// Steps of an integrator without an estimate of errors, in an element, and the fewest elements that count.
const STEPS: f64 = 16.0;
const ELEMENTS: usize = 16;

/// How a model moves on to a time.
fn study(spec: &PeriodicSpec, end: f64, period: f64, error: f64) -> MotionStudy {
    let mut method = spec.settles_by.method;
    let tolerance = Tolerance::both(error);
    if method.estimates_errors() {
        method.set_local_tolerance(tolerance, true);
        return MotionStudy::adaptive(end, tolerance, method);
    }
    let step = period / (spec.elements.max(ELEMENTS) as f64 * STEPS);
    MotionStudy::fixed(end, step, 1, method)
}

/// The state after the periods that the model moves before; its time is that of the start again.
pub fn settled(
    system: &mut System,
    state: State,
    spec: &PeriodicSpec,
    period: f64,
) -> Result<State, StudyError> {
    if spec.settle == 0.0 {
        return Ok(state);
    }
    let end = state.t + spec.settle.round().max(1.0) * period;
    let study = study(spec, end, period, SETTLING);
    let report = run_motion(system, state, &study, &mut |_: &System, _: &Sample| {})?;
    completed(&report)?;
    let mut state = report.state;
    state.t = spec.start;
    state.rates.clear();
    Ok(state)
}

/// Whether a motion has come to its end.
fn completed(report: &MotionReport) -> Result<(), StudyError> {
    match &report.ending {
        Ending::Completed => Ok(()),
        Ending::Failed(failure) => Err(PeriodicError::Step(failure.clone()).into()),
        _ => Err(PeriodicError::NoGuess.into()),
    }
}

/// When a motion comes back nearest to its start: the guess of an unknown period is looked at again within
/// a quarter of it. At the nearest state x it is the time at which the way back has no part along the motion,
///
/// ```text
/// t + (S⁻¹ẋ)·(S⁻¹(x_0 ⊖ x)) / |S⁻¹ẋ|²
/// ```
/// With it the states of the steps until then, and the nearest one at that time.
pub fn return_time(
    system: &mut System,
    state: State,
    spec: &PeriodicSpec,
    guess: f64,
) -> Result<(f64, Vec<State>), StudyError> {
    let (start, first) = (state.t, state.clone());
    let study = study(spec, start + (1.0 + WINDOW) * guess, guess, GUESSING);
    let mut states: Vec<State> = vec![];
    let report = run_motion(system, state, &study, &mut |_: &System, sample: &Sample| {
        states.push(kept(sample));
    })?;
    completed(&report)?;
    let mut changes = Changes::new(system, TAU / guess);
    let mut way = vec![0.0; changes.size()];
    let mut nearest: Option<(f64, &State)> = None;
    for state in states.iter().filter(|state| state.t - start >= (1.0 - WINDOW) * guess) {
        changes.difference(state, &first, &mut way);
        let far = changes.measure(&way);
        if nearest.is_none_or(|(least, _)| far < least) {
            nearest = Some((far, state));
        }
    }
    let Some((_, state)) = nearest else { return Ok((guess, vec![])) };
    changes.difference(state, &first, &mut way);
    let flow = changes.flow(state)?;
    let (mut along, mut size) = (0.0, 0.0);
    for (e, scale) in changes.scale().iter().enumerate().filter(|(_, scale)| **scale > 0.0) {
        along += flow[e] * way[e] / (scale * scale);
        size += (flow[e] / scale).powi(2);
    }
    let later = if size > 0.0 { along / size } else { 0.0 };
    let found = state.t - start + later;
    if (found / guess - 1.0).abs() > 1.1 * WINDOW {
        return Ok((guess, vec![]));
    }
    let mut last = state.clone();
    last.t = start + found;
    states.retain(|state| state.t < last.t - NEAR * found);
    states.push(last);
    states.dedup_by(|later, before| later.t - before.t <= 1e-12 * found);
    Ok((found, states))
}

fn kept(sample: &Sample) -> State {
    let at = &sample.at;
    let (frames, v, memory) = (at.frames.to_vec(), at.v.to_vec(), at.memory.to_vec());
    State { t: at.t, frames, v, memory, rates: vec![] }
}

/// The motion over one period from a state, in steps that suit it; also at the bounds of equal elements and
/// at breaks of laws.
pub fn course(
    system: &mut System,
    state: State,
    spec: &PeriodicSpec,
    settings: &PeriodicSettings,
) -> Result<Vec<State>, StudyError> {
    let (start, period) = (state.t, settings.period.value());
    let mut study = study(spec, start + period, period, GUESSING);
    study.kinks = settings.breaks.iter().map(|part| start + part * period).collect();
    if let PeriodicScheme::Spectral(spectral) = &settings.scheme {
        let count = spectral.times(spectral.first());
        study.times = (1..count).map(|k| start + period * k as f64 / count as f64).collect();
    } else if settings.tolerance.is_none() {
        let mut sum = 0.0;
        study.times = settings
            .first_fractions()
            .iter()
            .map(|fraction| {
                sum += fraction;
                start + sum * period
            })
            .collect();
        study.times.pop();
    }
    let mut course: Vec<State> = vec![];
    let report = run_motion(system, state, &study, &mut |_: &System, sample: &Sample| {
        course.push(kept(sample));
    })?;
    completed(&report)?;
    course.dedup_by(|later, before| later.t - before.t <= 1e-12 * period);
    Ok(course)
}
