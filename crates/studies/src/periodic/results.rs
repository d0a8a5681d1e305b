//! Results of a periodic study in expectations: `multiplier.1.magnitude`, `orbit.period`, `orbit.largest.x`.

use crate::periodic::top::top;
use poinsot_analysis::{Multiplier, PeriodicReport};
use poinsot_model::study::{Asked, NoResult, ResultFamily, StudyResult, WholeStudy};
use poinsot_results::SignalTable;
use std::f64::consts::TAU;

/// What expectations can name.
pub const RESULTS: &[ResultFamily] = &[
    ResultFamily {
        root: "multiplier",
        example: "multiplier.K.magnitude",
        fits: |rest| rest.len() == 2,
        read: |asked| of_list(asked, &MULTIPLIER),
    },
    ResultFamily {
        root: "exponent",
        example: "exponent.K.growth",
        fits: |rest| rest.len() == 2,
        read: |asked| of_list(asked, &EXPONENT),
    },
    ResultFamily { root: "orbit", example: "orbit.period", fits: |rest| !rest.is_empty(), read: of_orbit },
];

/// They belong to the whole period.
const WHOLE: WholeStudy = WholeStudy {
    belongs: "multipliers and extremes belong to the whole period",
    noun: "results of the whole period",
    mixes: "mixes results of the whole period and quantities of a state",
};

type Words = [(&'static str, (&'static str, Option<&'static str>))];

/// Of a multiplier, the largest first; that of the motion itself is not among them.
const MULTIPLIER: [(&str, (&str, Option<&str>)); 5] = [
    ("magnitude", ("multiplier.magnitude", Some("1"))),
    ("real", ("multiplier.real", Some("1"))),
    ("imaginary", ("multiplier.imaginary", Some("1"))),
    ("log_magnitude", ("multiplier.log_magnitude", Some("1"))),
    ("error", ("multiplier.error", Some("1"))),
];

/// Of its exponent.
const EXPONENT: [(&str, (&str, Option<&str>)); 3] = [
    ("growth", ("exponent.growth", Some("1/s"))),
    ("frequency", ("exponent.frequency", Some("Hz"))),
    ("circular_frequency", ("exponent.circular_frequency", Some("rad/s"))),
];

/// Of the motion.
const ORBIT: [(&str, (&str, Option<&str>)); 5] = [
    ("period", ("orbit.period", Some("s"))),
    ("error", ("orbit.error", Some("1"))),
    ("gauge", ("orbit.gauge", Some("1"))),
    ("elements", ("orbit.elements", Some("1"))),
    ("free", ("orbit.free", Some("1"))),
];

/// Of a signal over the period.
const EXTREMES: [(&str, (&str, Option<&str>)); 3] = [
    ("largest", ("orbit.largest", None)),
    ("smallest", ("orbit.smallest", None)),
    ("mean", ("orbit.mean", None)),
];

fn whole(what: &'static str, at: [usize; 2], unit: Option<&'static str>) -> StudyResult {
    StudyResult { whole: Some(&WHOLE), ..StudyResult::new(what, at, unit) }
}

fn of_list(asked: &Asked, words: &Words) -> Result<StudyResult, NoResult> {
    let index = asked.counted(asked.rest[0])?;
    let (what, unit) = asked.pick(asked.rest[1], words)?;
    Ok(whole(what, [index, 0], unit))
}

fn of_orbit(asked: &Asked) -> Result<StudyResult, NoResult> {
    if asked.rest.len() == 1 {
        let known =
            [ORBIT.map(|(word, _)| (word, ())).as_slice(), &EXTREMES.map(|(word, _)| (word, ()))].concat();
        asked.pick(asked.rest[0], &known)?;
        let found = ORBIT.iter().find(|(word, _)| *word == asked.rest[0]);
        let Some((_, (what, unit))) = found else {
            return Err(asked.none(format!("of which signal? orbit.{}.SIGNAL", asked.rest[0])));
        };
        return Ok(whole(what, [0, 0], *unit));
    }
    let (what, unit) = asked.pick(asked.rest[0], &EXTREMES)?;
    // Names of signals may have dots.
    let signal = asked.rest[1..].join(".");
    match asked.signals.iter().position(|name| *name == signal) {
        Some(index) => Ok(whole(what, [index, 0], unit)),
        None if asked.study.is_none() => Ok(whole(what, [0, 0], unit)),
        None if asked.signals.is_empty() => {
            Err(asked.none("signals are named in [[signal]], and there is none".to_owned()))
        }
        None => Err(asked.none(asked.one_of(&signal, &asked.signals))),
    }
}

/// Largest, smallest and mean value of a signal over the period.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extremes {
    /// Largest.
    pub largest: f64,
    /// Smallest.
    pub smallest: f64,
    /// Mean over time.
    pub mean: f64,
}

/// Of all signals of a table over a period. Largest and smallest are those of the parabola through a row and
/// its neighbours in time.
pub fn extremes(table: &SignalTable, signals: usize) -> Vec<Extremes> {
    let times = table.time();
    (0..signals).map(|k| extremes_of(times, table.samples(k).unwrap_or(&[]))).collect()
}

/// The signal whose largest (true) or smallest value a result is.
pub fn asked_extreme(result: &StudyResult) -> Option<(usize, bool)> {
    match result.what {
        "orbit.largest" => Some((result.at[0], true)),
        "orbit.smallest" => Some((result.at[0], false)),
        _ => None,
    }
}

/// Largest and smallest values that are asked for, at their own times between the rows: as exact as the
/// motion.
pub fn sharpen(
    all: &mut [Extremes],
    asked: &[(usize, bool)],
    table: &SignalTable,
    at: &mut dyn FnMut(f64) -> Option<Vec<f64>>,
) {
    let t = table.time();
    for &(signal, is_largest) in asked {
        let (Some(own), Some(x)) = (all.get_mut(signal), table.samples(signal)) else { continue };
        if t.len() < 3 || x.len() != t.len() || x.iter().any(|x| !x.is_finite()) {
            continue;
        }
        let (start, period, count) = (t[0], t[t.len() - 1] - t[0], t.len() - 1);
        let sign = if is_largest { 1.0 } else { -1.0 };
        let best = (0..count).max_by(|&a, &b| (sign * x[a]).total_cmp(&(sign * x[b]))).unwrap_or(0);
        let before =
            if best == 0 { (t[count - 1] - period, x[count - 1]) } else { (t[best - 1], x[best - 1]) };
        let rows = [before, (t[best], x[best]), (t[best + 1], x[best + 1])];
        let mut value = |time: f64| at(start + (time - start).rem_euclid(period))?.get(signal).copied();
        let found = top(rows, sign, &mut value);
        *(if is_largest { &mut own.largest } else { &mut own.smallest }) = found;
    }
}

/// Of the course of a signal over a period.
pub fn extremes_of(t: &[f64], x: &[f64]) -> Extremes {
    let n = t.len();
    if n < 3 || x.len() != n || x.iter().any(|x| !x.is_finite()) {
        return Extremes { largest: f64::NAN, smallest: f64::NAN, mean: f64::NAN };
    }
    // Row n − 1 is row 0 a period later.
    let period = t[n - 1] - t[0];
    let best = |sign: f64| {
        let at = (0..n - 1).max_by(|&a, &b| (sign * x[a]).total_cmp(&(sign * x[b]))).unwrap_or(0);
        vertex(t, x, at, period, sign)
    };
    let mean = (1..n).map(|k| 0.5 * (x[k] + x[k - 1]) * (t[k] - t[k - 1])).sum::<f64>() / period;
    Extremes { largest: best(1.0), smallest: best(-1.0), mean }
}

/// The value at the top of the interpolating polynomial of degree six through a row and three neighbours on
/// each side; the row itself where there are fewer.
fn vertex(t: &[f64], x: &[f64], at: usize, period: f64, sign: f64) -> f64 {
    const SIDE: i64 = 3;
    let count = t.len() as i64 - 1;
    if count < 2 * SIDE + 1 {
        return x[at];
    }
    let row = |k: i64| {
        let around = (at as i64 + k).rem_euclid(count);
        let turns = (at as i64 + k).div_euclid(count);
        (t[around as usize] + turns as f64 * period - t[at], x[around as usize])
    };
    let rows: Vec<(f64, f64)> = (-SIDE..=SIDE).map(row).collect();
    let value = |s: f64| {
        let weight = |j: usize| {
            rows.iter()
                .enumerate()
                .filter(|(k, _)| *k != j)
                .map(|(_, (t, _))| (s - t) / (rows[j].0 - t))
                .product::<f64>()
        };
        (0..rows.len()).map(|j| rows[j].1 * weight(j)).sum::<f64>()
    };
    // Golden section between the neighbours, where the polynomial has one top.
    let (mut a, mut b) = (rows[SIDE as usize - 1].0, rows[SIDE as usize + 1].0);
    let ratio = 0.5 * (5.0_f64.sqrt() - 1.0);
    for _ in 0..80 {
        let (c, d) = (b - ratio * (b - a), a + ratio * (b - a));
        if sign * value(c) > sign * value(d) { b = d } else { a = c }
    }
    let top = value(0.5 * (a + b));
    if sign * top > sign * x[at] { top } else { x[at] }
}

/// Of a motion and its multipliers.
pub fn answer(result: StudyResult, found: &PeriodicReport, extremes: &[Extremes]) -> Option<f64> {
    let own = |of: &dyn Fn(&Multiplier) -> f64| {
        found.floquet.multipliers.iter().filter(|m| !m.trivial).nth(result.at[0]).map(of)
    };
    let signal = |of: fn(&Extremes) -> f64| extremes.get(result.at[0]).map(of).filter(|x| x.is_finite());
    match result.what {
        "multiplier.magnitude" => own(&|m| m.log_size.exp()),
        "multiplier.real" => own(&|m| m.value.re),
        "multiplier.imaginary" => own(&|m| m.value.im),
        "multiplier.log_magnitude" => own(&|m| m.log_size),
        "multiplier.error" => own(&|m| m.error),
        "exponent.growth" => own(&|m| m.growth),
        "exponent.frequency" => own(&|m| m.frequency / TAU),
        "exponent.circular_frequency" => own(&|m| m.frequency),
        "orbit.period" => Some(found.orbit.period),
        "orbit.error" => Some(found.change),
        "orbit.gauge" => found.floquet.gauge,
        "orbit.elements" => Some(found.mesh.elements as f64),
        "orbit.free" => Some(found.correction.free as f64),
        "orbit.largest" => signal(|e| e.largest),
        "orbit.smallest" => signal(|e| e.smallest),
        "orbit.mean" => signal(|e| e.mean),
        _ => None,
    }
}
