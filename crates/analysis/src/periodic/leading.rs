//! The largest multipliers of a motion of a large system, without the matrices of its steps
//! (motion-interpolation-galerkin §1.18, Algorithm 2).
//!
//! ```text
//! p ↦ N_0ᵀ S⁻¹ Φ_{K−1} … Φ_0 S N_0 p
//! ```
//! needs one linearised step after the other, applied to a few changes. Its largest eigenvalues come from a
//! Krylov space of it, and the motion that closes from Newton's method, whose systems
//!
//! ```text
//! (M − I) p = −g
//! ```
//! another Krylov space solves: few directions are far from dying away within a period.

use crate::periodic::changes::Changes;
use crate::periodic::error::PeriodicError;
use crate::periodic::floquet::Floquet;
use crate::periodic::orbit::Orbit;
use crate::periodic::study::PeriodicSettings;
use poinsot_integrators::StepMap;
use poinsot_mechanics::{LawSpan, State, System};
use poinsot_numerics::dense::{Mat, c64};
use poinsot_numerics::gmres::gmres;
use poinsot_numerics::krylov::{KrylovSettings, largest_general};
use poinsot_numerics::product::ProductEigenvalue;
use std::f64::consts::TAU;

/// Corrections at most.
const CORRECTIONS: usize = 12;
/// A gap of this size, in units of the states, is closed.
const CLOSED: f64 = 1e-11;
/// Residual of Newton's systems.
const SOLVED: f64 = 1e-6;
/// Vectors of the space that solves them.
const DIRECTIONS: usize = 80;
/// Residual of multipliers, relative to them.
const RESIDUAL: f64 = 1e-10;

/// A motion with its largest multipliers.
#[derive(Clone, Debug)]
pub struct LeadingReport {
    /// The motion.
    pub orbit: Orbit,
    /// Its largest multipliers.
    pub floquet: Floquet,
    /// Gap that is left, in units of the states.
    pub gap: f64,
    /// Change of its start with twice as many elements.
    pub change: f64,
    /// Linearised turns around the period.
    pub turns: usize,
}

/// A system with its steps and changes.
struct Ring<'a, 's> {
    system: &'s System,
    /// Typical of the motion (rad/s).
    rate: f64,
    /// A step for each element; they keep what their derivatives need of the way around taken last.
    maps: Vec<Box<dyn StepMap + 's>>,
    changes: &'a mut Changes<'s>,
    settings: &'a PeriodicSettings,
    advances: &'a [(usize, f64)],
    turns: usize,
}

/// Finds the motion near a state, and so many of its multipliers as are asked for, the largest.
pub fn find_leading(
    system: &System,
    state: State,
    settings: &PeriodicSettings,
    advances: &[(usize, f64)],
    count: usize,
) -> Result<LeadingReport, PeriodicError> {
    let rate = TAU / settings.period.value();
    let mut changes = Changes::new(system, rate);
    let maps = vec![];
    let mut ring = Ring { system, rate, maps, changes: &mut changes, settings, advances, turns: 0 };
    let (coarse, gap) = ring.close(state, settings.elements)?;
    let mut floquet = ring.multipliers(&coarse, count)?;
    let (fine, _) = ring.close(coarse.states[0].clone(), 2 * settings.elements)?;
    let against = ring.multipliers(&fine, count)?;
    floquet.compare(against.multipliers.iter().map(|m| m.value));
    let mut way = vec![0.0; ring.changes.size()];
    ring.changes.difference(&coarse.states[0], &fine.states[0], &mut way);
    let change = ring.changes.measure(&way);
    Ok(LeadingReport { orbit: coarse, floquet, gap, change, turns: ring.turns })
}

impl Ring<'_, '_> {
    fn hold(&self, t: f64, h: f64) {
        if !self.settings.breaks.is_empty() {
            self.system.hold_laws(LawSpan::between(t, t + h, t.abs().max((t + h).abs()).max(h)));
        }
    }

    /// Around from a state.
    fn around(&mut self, state: &State, elements: usize) -> Result<Orbit, PeriodicError> {
        let period = self.settings.period.value();
        let fractions = PeriodicSettings { elements, ..self.settings.clone() }.first_fractions();
        while self.maps.len() < fractions.len() {
            self.maps.push(self.settings.scheme.map(self.system, self.rate)?);
        }
        let mut states = vec![state.clone()];
        let mut end = state.clone();
        for (i, fraction) in fractions.iter().enumerate() {
            let (from, h) = (states[i].clone(), fraction * period);
            self.hold(from.t, h);
            let done = self.maps[i].advance(&from, h, &mut end);
            self.system.hold_laws(LawSpan::ALL);
            done?;
            end.t = from.t + h;
            states.push(end.clone());
        }
        states.pop();
        Ok(Orbit { states, end, fractions, period })
    }

    /// Φ_{K−1} … Φ_0 δx about the way around taken last; the changes stand one after the other.
    fn push(&mut self, orbit: &Orbit, changes: &mut Vec<f64>, seen: &mut dyn FnMut(&[f64])) -> Option<()> {
        self.turns += 1;
        let mut out = vec![0.0; changes.len()];
        for (i, state) in orbit.states.iter().enumerate() {
            seen(changes);
            self.hold(state.t, orbit.fractions[i] * orbit.period);
            self.maps[i].push(changes, &mut out);
            self.system.hold_laws(LawSpan::ALL);
            std::mem::swap(changes, &mut out);
        }
        changes.iter().all(|x| x.is_finite()).then_some(())
    }

    /// The state that the end is to be.
    fn closing(&self, start: &State) -> State {
        let mut state = start.clone();
        self.advances.iter().for_each(|&(eq, advance)| state.v[eq] += advance);
        state
    }

    /// The motion that closes, near a state, and the gap that is left.
    fn close(&mut self, mut state: State, elements: usize) -> Result<(Orbit, f64), PeriodicError> {
        state.t = self.settings.start;
        let mut orbit = self.around(&state, elements)?;
        let mut way = vec![0.0; self.changes.size()];
        let mut before = f64::INFINITY;
        for iteration in 0..=CORRECTIONS {
            self.changes.difference(&self.closing(&orbit.states[0]), &orbit.end, &mut way);
            let gap = self.changes.measure(&way);
            if gap <= CLOSED || (gap <= 1e-8 && gap > 0.3 * before) {
                return Ok((orbit, gap));
            }
            if iteration == CORRECTIONS || !gap.is_finite() {
                return Err(self.open(&orbit, &way, iteration, gap));
            }
            before = gap;
            let basis = self.changes.basis(&orbit.states[0])?;
            let g = self.changes.gather(&basis, &way);
            let right: Vec<f64> = (0..g.nrows()).map(|i| -g[(i, 0)]).collect();
            let mut failed = false;
            let step = {
                let mut apply = |x: &[f64], y: &mut [f64]| {
                    let p = Mat::from_fn(x.len(), 1, |i, _| x[i]);
                    let mut change = self.changes.spread(&basis, &p);
                    failed |= self.push(&orbit, &mut change, &mut |_| ()).is_none();
                    let image = self.changes.gather(&basis, &change);
                    y.iter_mut().zip(x).enumerate().for_each(|(i, (y, x))| *y = image[(i, 0)] - x);
                };
                gmres(&mut apply, &right, SOLVED, DIRECTIONS)
            };
            let Some(step) = step.filter(|_| !failed) else {
                return Err(self.open(&orbit, &way, iteration, gap));
            };
            let p = Mat::from_fn(step.len(), 1, |i, _| step[i]);
            let full = self.changes.spread(&basis, &p);
            let mut scale = 1.0;
            loop {
                let part: Vec<f64> = full.iter().map(|x| scale * x).collect();
                let tried =
                    self.changes.moved(&orbit.states[0], &part).and_then(|s| self.around(&s, elements));
                if let Ok(tried) = tried {
                    self.changes.difference(&self.closing(&tried.states[0]), &tried.end, &mut way);
                    if self.changes.measure(&way) < gap {
                        orbit = tried;
                        break;
                    }
                }
                scale *= 0.5;
                if scale < 1.0 / 64.0 {
                    return Err(self.open(&orbit, &way, iteration, gap));
                }
            }
        }
        unreachable!("the last correction returns")
    }

    fn open(&self, orbit: &Orbit, way: &[f64], iterations: usize, gap: f64) -> PeriodicError {
        let n = self.system.size();
        let measure = |e: usize| {
            let scale = self.changes.scale()[e];
            if scale > 0.0 { (way[e] / scale).abs() } else { 0.0 }
        };
        let entry = (0..2 * n).max_by(|&a, &b| measure(a).total_cmp(&measure(b))).unwrap_or(0);
        let equation = self.system.equation_name(entry % n);
        PeriodicError::Open { iterations, gap, t: orbit.end.t, equation, free: String::new() }
    }

    fn multipliers(&mut self, orbit: &Orbit, count: usize) -> Result<Floquet, PeriodicError> {
        let basis = self.changes.basis(&orbit.states[0])?;
        let n = basis.ncols();
        let settings =
            KrylovSettings { tolerance: RESIDUAL, applications: 4000, ..KrylovSettings::default() };
        let mut apply = |x: &[f64], y: &mut [f64]| {
            let p = Mat::from_fn(n, 1, |i, _| x[i]);
            let mut change = self.changes.spread(&basis, &p);
            match self.push(orbit, &mut change, &mut |_| ()) {
                Some(()) => {
                    let image = self.changes.gather(&basis, &change);
                    y.iter_mut().enumerate().for_each(|(i, y)| *y = image[(i, 0)]);
                }
                None => y.fill(f64::NAN),
            }
        };
        let found = largest_general(n, &mut apply, count.min(n), &settings)
            .map_err(|error| PeriodicError::Leading { reason: error.to_string() })?;
        let mut shapes = vec![];
        for pair in &found.pairs {
            let value = ProductEigenvalue {
                value: pair.value,
                log_size: pair.value.norm().ln(),
                angle: pair.value.arg(),
            };
            let p = Mat::from_fn(n, 2, |i, k| if k == 0 { pair.vector[i].re } else { pair.vector[i].im });
            let mut change = self.changes.spread(&basis, &p);
            let size = self.changes.size();
            let mut shape: Vec<Vec<c64>> = vec![];
            let mut see = |x: &[f64]| {
                let (re, im) = x.split_at(size);
                shape.push(re.iter().zip(im).map(|(re, im)| c64::new(*re, *im)).collect());
            };
            if self.push(orbit, &mut change, &mut see).is_none() {
                shape.clear();
            }
            shapes.push((value, pair.residual, shape));
        }
        Ok(Floquet::leading(self.system, self.changes, orbit, shapes))
    }
}
