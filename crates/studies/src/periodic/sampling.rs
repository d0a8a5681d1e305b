//! The motion over its period, as it is recorded.

use crate::failure::StudyError;
use crate::record::Recorder;
use poinsot_analysis::{Changes, FourierOrbit, Halt, Observer, Orbit, PeriodicError, Sample};
use poinsot_integrators::{StepMap, instant};
use poinsot_mechanics::{LawSpan, Scratch, State, System};
use poinsot_model::{Assembly, Model, Probe, View};

/// Times at which the motion is looked at: equally spaced, with those that are asked for.
pub fn times(orbit: &Orbit, rows: usize, asked: impl Iterator<Item = f64>) -> Vec<f64> {
    let start = orbit.states[0].t;
    let end = start + orbit.period;
    let mut times: Vec<f64> = (0..=rows).map(|k| start + orbit.period * (k as f64 / rows as f64)).collect();
    times.extend(asked.filter(|t| (start..=end).contains(t)));
    times.sort_by(f64::total_cmp);
    times.dedup_by(|a, b| (*a - *b).abs() <= 1e-12 * orbit.period);
    times
}

/// So many rows in an element are many.
const MANY: usize = 3;

/// How the motion is known between the bounds of elements.
pub enum Between<'a, 's> {
    /// From the start of an element by one shorter step; the step over the whole element tells where that
    /// begins, once it has been taken.
    Steps(Box<dyn StepMap + 's>),
    /// By its harmonics.
    Harmonics(&'a FourierOrbit),
}

/// Shows the recorder the motion at some times.
pub fn record(
    system: &System,
    orbit: &Orbit,
    between: &mut Between,
    changes: &mut Changes,
    times: &[f64],
    recorder: &mut Recorder,
) -> Result<(), StudyError> {
    let mut scratch = Scratch::default();
    let mut whole = None;
    for (k, &t) in times.iter().enumerate() {
        let (i, length) = element_at(orbit, t);
        // Where an element has many rows, its own step is worth taking first.
        let has_many = times.get(k + MANY - 1).is_some_and(|&later| element_at(orbit, later).0 == i);
        if has_many && whole.replace(i) != Some(i) {
            let end = orbit.states[i].t + length;
            state_in(system, orbit, between, changes, (i, end))?;
        }
        let end = state_at(system, orbit, between, changes, t)?;
        system.hold_laws(within(orbit, i, length));
        let a = changes.accelerations(&end);
        let at_break = Sampled { system, end: &end, recorder, scratch: &mut scratch };
        let told = match a {
            Err(error) => Err(error.into()),
            Ok(a) => at_break.tell(&a),
        };
        system.hold_laws(LawSpan::ALL);
        told?;
    }
    Ok(())
}

/// The element of a time and its length.
fn element_at(orbit: &Orbit, t: f64) -> (usize, f64) {
    let starts = orbit.states.partition_point(|state| state.t <= t + 1e-13 * orbit.period);
    let i = starts.clamp(1, orbit.elements()) - 1;
    (i, orbit.fractions[i] * orbit.period)
}

/// The times of an element.
fn within(orbit: &Orbit, i: usize, length: f64) -> LawSpan {
    let t = orbit.states[i].t;
    LawSpan::between(t, t + length, t.abs().max(length))
}

/// The state at a time of the period.
pub fn state_at(
    system: &System,
    orbit: &Orbit,
    between: &mut Between,
    changes: &mut Changes,
    t: f64,
) -> Result<State, PeriodicError> {
    let (i, _) = element_at(orbit, t);
    state_in(system, orbit, between, changes, (i, t))
}

/// The state at a time of an element.
fn state_in(
    system: &System,
    orbit: &Orbit,
    between: &mut Between,
    changes: &mut Changes,
    (i, t): (usize, f64),
) -> Result<State, PeriodicError> {
    let from = &orbit.states[i];
    let length = orbit.fractions[i] * orbit.period;
    let h = (t - from.t).clamp(0.0, length);
    let mut end = from.clone();
    if h > 1e-12 * length {
        match between {
            Between::Steps(map) => {
                system.hold_laws(within(orbit, i, length));
                map.resume(i, 0.0);
                let done = map.advance(from, h, &mut end);
                system.hold_laws(LawSpan::ALL);
                done?;
            }
            Between::Harmonics(orbit) => {
                end = orbit.state_at(system, t);
                changes.settle(&mut end)?;
            }
        }
    }
    end.t = t;
    Ok(end)
}

/// What signals are at a time.
pub fn signals_at(
    (model, system, assembly): (&Model, &System, &Assembly),
    orbit: &Orbit,
    between: &mut Between,
    changes: &mut Changes,
    t: f64,
) -> Result<Vec<f64>, PeriodicError> {
    let (i, length) = element_at(orbit, t);
    let state = state_in(system, orbit, between, changes, (i, t))?;
    system.hold_laws(within(orbit, i, length));
    let found = changes.accelerations(&state).map(|a| {
        let at = instant(&state, &a);
        let balance = system.balance(&at, &mut Scratch::default());
        Probe::default().signals(&View { model, assembly, system, at, balance: &balance, results: None })
    });
    system.hold_laws(LawSpan::ALL);
    found
}

struct Sampled<'a, 'w> {
    system: &'a System,
    end: &'a State,
    recorder: &'a mut Recorder<'w>,
    scratch: &'a mut Scratch,
}

impl Sampled<'_, '_> {
    fn tell(self, a: &[f64]) -> Result<(), StudyError> {
        let at = instant(self.end, a);
        let balance = self.system.balance(&at, self.scratch);
        let sample = Sample { at, balance: &balance, supplied: 0.0, dissipated: 0.0 };
        self.recorder.sample(self.system, &sample).map_err(|halt: Halt| halted(&halt))
    }
}

/// A signal that has no value.
#[derive(Debug, thiserror::Error)]
#[error("{message}; {remedy}")]
struct Halted {
    message: String,
    remedy: String,
}

impl crate::failure::Failure for Halted {}

fn halted(halt: &Halt) -> StudyError {
    Halted { message: halt.message.clone(), remedy: halt.remedy.to_string() }.into()
}
