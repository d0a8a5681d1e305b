//! What is measured of a signal over the period of a motion.

use crate::failure::StudyError;
use crate::parameter_sweep::SweptModel;
use crate::periodic::results::extremes_of;
use crate::scene::FrameRecorder;
use poinsot_analysis::{Changes, Halt, OrbitMember, OrbitPoint, PeriodicError, PeriodicScheme};
use poinsot_integrators::{StepMap, instant};
use poinsot_mechanics::{LawSpan, Scratch, State};
use poinsot_model::{Probe, View};
use std::f64::consts::TAU;

/// A measure of a signal over a period: name, title.
pub type Measure = (&'static str, &'static str);

/// All measures.
pub const MEASURES: [Measure; 5] = [
    ("amplitude", "Half of the difference of the largest and the smallest value over the period"),
    ("largest", "Largest value over the period"),
    ("smallest", "Smallest value over the period"),
    ("mean", "Mean over the period"),
    ("rms", "Root of the mean square over the period"),
];

/// Measures of the course of a signal over a period.
pub fn measures(t: &[f64], x: &[f64]) -> [f64; 5] {
    let over = extremes_of(t, x);
    let period = t.last().copied().unwrap_or(0.0) - t.first().copied().unwrap_or(0.0);
    let squares = (1..t.len().min(x.len()))
        .map(|k| 0.5 * (x[k] * x[k] + x[k - 1] * x[k - 1]) * (t[k] - t[k - 1]))
        .sum::<f64>();
    let amplitude = 0.5 * (over.largest - over.smallest);
    [amplitude, over.largest, over.smallest, over.mean, (squares / period).sqrt()]
}

/// Looks at the motion of a point at equally spaced times; gives the times and the signals in rows. Frames
/// are taken over an axis that counts points, with the part of the period behind the point.
pub fn course(
    scheme: &PeriodicScheme,
    member: &OrbitMember,
    model: &SweptModel,
    point: &OrbitPoint,
    rows: usize,
    frames: Option<(&mut FrameRecorder, f64, usize)>,
) -> Result<(Vec<f64>, Vec<Vec<f64>>), StudyError> {
    let (system, orbit) = (&member.system, &point.orbit);
    let rate = TAU / orbit.period;
    let mut map = scheme.map(system, rate).map_err(PeriodicError::from)?;
    let mut changes = Changes::new(system, rate);
    let mut scratch = Scratch::default();
    let mut probe = Probe::default();
    let start = orbit.states[0].t;
    let mut bounds = vec![];
    let mut sum = start;
    for fraction in &orbit.fractions {
        bounds.push(sum);
        sum += fraction * orbit.period;
    }
    let mut frames = frames;
    let (mut times, mut table) = (vec![], vec![]);
    let mut end = orbit.states[0].clone();
    for k in 0..=rows {
        let part = k as f64 / rows as f64;
        let t = start + orbit.period * part;
        let i = (bounds.partition_point(|s| *s <= t + 1e-13 * orbit.period).max(1) - 1).min(bounds.len() - 1);
        let length = orbit.fractions[i] * orbit.period;
        let h = (t - bounds[i]).clamp(0.0, length);
        let from = State { t: bounds[i], ..orbit.states[i].clone() };
        system.hold_laws(LawSpan::between(from.t, from.t + length, from.t.abs().max(length)));
        let done = advanced(&mut *map, &from, h, length, &mut end);
        end.t = t;
        let a = changes.accelerations(&end);
        system.hold_laws(LawSpan::ALL);
        done?;
        let a = a?;
        let at = instant(&end, &a);
        let balance = system.balance(&at, &mut scratch);
        let view = View {
            model: &model.model,
            assembly: &model.assembly,
            system,
            at,
            balance: &balance,
            results: None,
        };
        table.push(probe.signals(&view).to_vec());
        times.push(t);
        if let Some((recorder, number, count)) = &mut frames {
            let stride = rows.div_ceil((*count).max(1));
            if k < rows && k % stride == 0 {
                recorder.record(&model.model, system, &model.assembly, &at, *number + part);
            }
        }
    }
    Ok((times, table))
}

fn advanced(
    map: &mut dyn StepMap,
    from: &State,
    h: f64,
    length: f64,
    end: &mut State,
) -> Result<(), StudyError> {
    match h > 1e-12 * length {
        true => Ok(map.advance(from, h, end)?),
        false => {
            end.clone_from(from);
            Ok(())
        }
    }
}

/// A failure to look at a motion, as what ends the curve.
pub fn halted(error: &StudyError) -> Halt {
    Halt::new(error.to_string(), "look at the motion with that value of the parameter")
}
