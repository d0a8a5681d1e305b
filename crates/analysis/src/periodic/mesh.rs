//! Elements of lengths that suit the motion.
//!
//! The error that an element makes is the difference of one step and two half ones,
//!
//! ```text
//! e_i = |φ_{h/2}(φ_{h/2}(x_i)) ⊖ φ_h(x_i)| ~ C(t) h^{p+1}
//! ```
//! Elements with equal errors have lengths in inverse proportion to (e_i/h_i^{p+1})^{1/(p+1)}; so many are
//! taken that their errors add up to the tolerance.

use crate::periodic::correction::Correction;
use crate::periodic::error::PeriodicError;
use crate::periodic::orbit::Orbit;
use crate::periodic::study::PeriodicSettings;
use poinsot_mechanics::State;

/// An element has at most so many times the length of its neighbour in error density.
const FLOOR: f64 = 1e-3;
/// Elements at most.
pub const MOST: usize = 800;
/// A guess has at most so many times the elements that were to be tried first.
const FIRST: usize = 16;
/// Steps of a guess in an element at the tolerance that follows; longer elements serve larger ones.
const IN_ELEMENT: f64 = 4.0;
/// That tolerance.
const FINE: f64 = 1e-8;
/// Steps of a guess in an element at most, times those.
const LONGER: f64 = 2.0;
/// Growth of the number of elements in a round.
const GROWTH: f64 = 4.0;

/// How exact the elements are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshReport {
    /// Elements.
    pub elements: usize,
    /// Σ e_i, in units of the states.
    pub error: f64,
    /// Longest and shortest element, as parts of the period.
    pub longest: f64,
    /// The shortest.
    pub shortest: f64,
    /// How often the elements were chosen anew.
    pub rounds: usize,
}

/// What steps of half the length make of elements.
pub struct Halves {
    /// e_i.
    pub errors: Vec<f64>,
    /// φ_{h/2}(φ_{h/2}(x_i)) ⊖ φ_h(x_i).
    pub ways: Vec<Vec<f64>>,
    /// φ_{h/2}(x_i).
    pub middles: Vec<State>,
}

/// Of all elements, whose own steps end at `ends`.
pub fn halves(correction: &mut Correction, orbit: &Orbit, ends: &[State]) -> Result<Halves, PeriodicError> {
    let mut halves = Halves { errors: vec![], ways: vec![], middles: vec![] };
    let (mut half, mut end) = (orbit.end.clone(), orbit.end.clone());
    for (i, (state, fraction)) in orbit.states.iter().zip(&orbit.fractions).enumerate() {
        let h = 0.5 * fraction * orbit.period;
        correction.map.resume(i, 0.0);
        correction.step(state, h, &mut half)?;
        correction.map.resume(i, 0.5);
        correction.step(&half, h, &mut end)?;
        let mut way = vec![0.0; correction.changes.size()];
        correction.changes.difference(&ends[i], &end, &mut way);
        halves.errors.push(correction.changes.measure(&way));
        halves.ways.push(way);
        halves.middles.push(half.clone());
    }
    Ok(halves)
}

/// e_i of all elements.
pub fn errors(correction: &mut Correction, orbit: &Orbit) -> Result<Vec<f64>, PeriodicError> {
    let mut ends = Vec::with_capacity(orbit.elements());
    for (i, (state, fraction)) in orbit.states.iter().zip(&orbit.fractions).enumerate() {
        let mut end = state.clone();
        correction.map.resume(i, 0.0);
        correction.step(state, fraction * orbit.period, &mut end)?;
        ends.push(end);
    }
    Ok(halves(correction, orbit, &ends)?.errors)
}

/// The same motion on other elements, which end where others must (`bounds`, parts of the period, ascending).
pub fn remeshed(
    correction: &mut Correction,
    orbit: &Orbit,
    errors: &[f64],
    (order, tolerance): (usize, f64),
    bounds: &[f64],
) -> Result<Orbit, PeriodicError> {
    let p = order as f64;
    let root = |e: f64| e.max(1e-16).powf(1.0 / (p + 1.0));
    let strongest = errors.iter().map(|e| root(*e)).fold(0.0, f64::max);
    let amounts: Vec<f64> = errors.iter().map(|e| root(*e).max(FLOOR * strongest)).collect();
    let total: f64 = amounts.iter().sum();
    let wanted = 1.1 * (total.powf(p + 1.0) / tolerance).powf(1.0 / p);
    let count = orbit.elements() as f64;
    let count = wanted.clamp(0.5 * count, GROWTH * count).ceil().min(MOST as f64) as usize;
    // Places at which the sum of amounts reaches equal parts.
    let mut ends: Vec<f64> = vec![0.0];
    let mut sums: Vec<f64> = vec![0.0];
    for (fraction, amount) in orbit.fractions.iter().zip(&amounts) {
        ends.push(ends[ends.len() - 1] + fraction);
        sums.push(sums[sums.len() - 1] + amount / total);
    }
    let place = |sum: f64| {
        let k = sums.partition_point(|s| *s < sum).clamp(1, sums.len() - 1);
        ends[k - 1]
            + (ends[k] - ends[k - 1]) * ((sum - sums[k - 1]) / (sums[k] - sums[k - 1])).clamp(0.0, 1.0)
    };
    let mut places: Vec<f64> = (1..count).map(|k| place(k as f64 / count as f64)).collect();
    let gap = 0.2 / count as f64;
    for bound in bounds.iter().filter(|b| **b > 0.0 && **b < 1.0) {
        places.retain(|place| (place - bound).abs() > gap.min(0.5 * (1.0 - bound)).min(0.5 * bound));
        places.push(*bound);
    }
    places.sort_by(f64::total_cmp);
    on_places(correction, orbit, &places)
}

/// A motion whose states are known at many times, from its start to a period later. Its elements end at those
/// asked for where their number is; else where the same number of states lies between, as of steps that
/// suited the motion, and at breaks.
pub fn among(course: &[State], settings: &PeriodicSettings, order: usize) -> Option<Orbit> {
    let (first, last) = (course.first()?, course.last()?);
    let period = last.t - first.t;
    if course.len() < 3 || period.is_nan() || period <= 0.0 {
        return None;
    }
    let nearest = |t: f64| {
        let k = course.partition_point(|state| state.t < t).clamp(1, course.len() - 1);
        if t - course[k - 1].t < course[k].t - t { k - 1 } else { k }
    };
    let mut picked: Vec<usize> = match settings.tolerance {
        Some(tolerance) => {
            let longer = (tolerance / FINE).powf(1.0 / order as f64).clamp(1.0, LONGER);
            let in_element = (IN_ELEMENT * longer) as usize;
            let count = settings.elements.max((course.len() - 1) / in_element);
            let count = count.min(course.len() - 1).min(FIRST * settings.elements).min(MOST);
            let breaks = settings.breaks.iter().map(|part| nearest(first.t + part * period));
            (0..count).map(|k| k * (course.len() - 1) / count).chain(breaks).collect()
        }
        None => {
            let mut sum = 0.0;
            let mut bounds = vec![0];
            for fraction in settings.first_fractions() {
                sum += fraction;
                bounds.push(nearest(first.t + sum * period));
            }
            bounds
        }
    };
    picked.retain(|k| *k + 1 < course.len());
    picked.sort_unstable();
    picked.dedup();
    let bound = |k: usize| picked.get(k).map_or(last.t, |k| course[*k].t);
    Some(Orbit {
        fractions: (0..picked.len()).map(|k| (bound(k + 1) - bound(k)) / period).collect(),
        states: picked.iter().map(|k| course[*k].clone()).collect(),
        end: last.clone(),
        period: settings.period.value(),
    })
}

/// The motion with every element halved, at given states in the middle.
pub fn halved(correction: &mut Correction, orbit: &Orbit, middles: &[State]) -> Orbit {
    let both = |(state, middle): (&State, &State)| [state.clone(), middle.clone()];
    let mut fine = Orbit {
        states: orbit.states.iter().zip(middles).flat_map(both).collect(),
        fractions: orbit.fractions.iter().flat_map(|fraction| [0.5 * fraction; 2]).collect(),
        ..orbit.clone()
    };
    fine.set_times(correction.start);
    correction.map.halve();
    fine
}

/// The motion with elements that end at the given parts of the period, and at its end.
fn on_places(correction: &mut Correction, orbit: &Orbit, places: &[f64]) -> Result<Orbit, PeriodicError> {
    let mut starts = vec![0.0];
    for fraction in &orbit.fractions {
        starts.push(starts[starts.len() - 1] + fraction);
    }
    let mut states: Vec<State> = vec![orbit.states[0].clone()];
    let mut fractions = vec![];
    let mut before = 0.0;
    for place in places.iter().chain([&1.0]) {
        fractions.push(place - before);
        before = *place;
    }
    for place in places {
        let i = (starts.partition_point(|s| *s <= place + 1e-14) - 1).min(orbit.elements() - 1);
        let rest = place - starts[i];
        let mut state = orbit.states[i].clone();
        if rest > 1e-13 {
            let mut end = state.clone();
            correction.map.resume(i, 0.0);
            correction.step(&state, rest * orbit.period, &mut end)?;
            state = end;
        }
        states.push(state);
    }
    let mut fine = Orbit { states, fractions, ..orbit.clone() };
    fine.set_times(correction.start);
    Ok(fine)
}
