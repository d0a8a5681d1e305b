//! The motion over its period, as it is recorded.

use crate::failure::StudyError;
use crate::record::Recorder;
use poinsot_analysis::{Changes, FourierOrbit, Halt, Observer, Orbit, PeriodicError, Sample};
use poinsot_integrators::{StepMap, instant};
use poinsot_mechanics::{LawSpan, Scratch, State, System};

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

/// How the motion is known between the bounds of elements.
pub enum Between<'a, 's> {
    /// From the start of an element by one shorter step.
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
    let mut end = orbit.states[0].clone();
    let mut starts: Vec<f64> = vec![];
    let mut sum = orbit.states[0].t;
    for fraction in &orbit.fractions {
        starts.push(sum);
        sum += fraction * orbit.period;
    }
    for &t in times {
        let i = (starts.partition_point(|s| *s <= t + 1e-13 * orbit.period).max(1) - 1).min(starts.len() - 1);
        let length = orbit.fractions[i] * orbit.period;
        let h = (t - starts[i]).clamp(0.0, length);
        let from = State { t: starts[i], ..orbit.states[i].clone() };
        let span = LawSpan::between(from.t, from.t + length, from.t.abs().max(length));
        system.hold_laws(span);
        let done = match between {
            _ if h <= 1e-12 * length => {
                end.clone_from(&from);
                Ok(())
            }
            Between::Steps(map) => map.advance(&from, h, &mut end).map_err(PeriodicError::from),
            Between::Harmonics(orbit) => {
                end = orbit.state_at(system, t);
                changes.settle(&mut end)
            }
        };
        end.t = t;
        let a = changes.accelerations(&end);
        let at_break = Sampled { system, end: &end, recorder, scratch: &mut scratch };
        let told = match (done, a) {
            (Err(failure), _) => Err(failure.into()),
            (_, Err(error)) => Err(error.into()),
            (Ok(()), Ok(a)) => at_break.tell(&a),
        };
        system.hold_laws(LawSpan::ALL);
        told?;
    }
    Ok(())
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
