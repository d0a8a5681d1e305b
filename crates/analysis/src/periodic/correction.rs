//! Newton's method on all states of a periodic motion at once.
//!
//! ```text
//! A_i p_i − p_{i+1} + c_i τ = −g_i,      A_i = N_{i+1}ᵀ S⁻¹ Φ_i S N_i,   c_i = σ_i T N_{i+1}ᵀ S⁻¹ φ_h,   τ =
//! δT/T Σ b_i p_i = 0                          b_i = w_i (N_iᵀ S⁻¹ ẋ_i)ᵀ, where T is unknown
//! x_i ← x_i ∘ S N_i p_i, back on the constraints
//! ```
//! The ring is solved by [`poinsot_numerics::cyclic`], at a cost linear in K. Steps are halved until the gaps
//! shrink. What stays free, a rigid motion that nothing holds or the members of a family, is left where it is
//! and counted.

use crate::periodic::changes::Changes;
use crate::periodic::error::PeriodicError;
use crate::periodic::orbit::Orbit;
use poinsot_integrators::StepMap;
use poinsot_mechanics::{LawSpan, State, System};
use poinsot_numerics::cyclic::{Joined, Ring};
use poinsot_numerics::dense::Mat;

/// Corrections at most.
const CORRECTIONS: usize = 40;
/// A correction of this size, in units of the states, is rounding.
const ROUNDED: f64 = 1e-12;
/// Below this size a correction that no longer shrinks is rounding too.
const SETTLED: f64 = 1e-7;
/// A correction smaller than this comes near the least squares of a motion with free directions, whose gaps
/// no longer shrink.
const NEAR: f64 = 1e-2;
/// The shortest share of a correction.
const SHORTEST: f64 = 1.0 / 256.0;
/// Largest change of the period in one correction, as its part.
const LARGEST_TIME: f64 = 0.25;
/// Largest change of a state in one correction, in units of the states.
const LARGEST: f64 = 1.0;
/// Singular values below this part of the largest belong to free directions; as long as the motion is open
/// they are known by a multiple of its gaps only.
const FREE: f64 = 1e-8;
/// That multiple.
const OF_GAPS: f64 = 10.0;
/// Singular values above this part belong to no free direction.
const FREE_AT_MOST: f64 = 1e-6;
/// Gaps that least squares may leave where directions are free, in units of the states.
const LEFT_OPEN: f64 = 1e-4;

/// Conditions at the start of a motion, functions of its first state that are to vanish.
pub type Pins<'a> = &'a dyn Fn(&State) -> Vec<f64>;

/// What a correction works with.
pub struct Correction<'a, 's> {
    /// The system.
    pub system: &'s System,
    /// The step.
    pub map: &'a mut dyn StepMap,
    /// Changes of its states.
    pub changes: &'a mut Changes<'s>,
    /// Time of the start (s).
    pub start: f64,
    /// Whether the period is unknown.
    pub free_period: bool,
    /// Whether laws of time have breaks at the bounds of elements.
    pub breaks: bool,
    /// By how much variables advance in a period: equation and advance.
    pub advances: &'a [(usize, f64)],
    /// Conditions at the start, in place of the phase.
    pub pins: Option<Pins<'a>>,
}

/// What the corrections came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CorrectionReport {
    /// Corrections.
    pub iterations: usize,
    /// Largest gap that is left, in units of the states.
    pub gap: f64,
    /// Dimension of what nothing holds.
    pub free: usize,
    /// The correction that was not made any more, in units of the states.
    pub left: f64,
}

/// A motion with its linearised steps.
pub struct Linearised {
    /// N_i.
    pub bases: Vec<Mat<f64>>,
    /// A_i.
    pub blocks: Vec<Mat<f64>>,
    /// c_i, if the period is unknown.
    pub columns: Vec<Mat<f64>>,
    /// g_i.
    pub gaps: Vec<Mat<f64>>,
    /// S⁻¹ẋ_i in the basis.
    pub flows: Vec<Mat<f64>>,
    /// φ(x_i).
    pub ends: Vec<State>,
    /// The ring of the last correction, with its inner places joined.
    ring: Option<Joined>,
}

/// Where corrections begin and end.
#[derive(Clone, Copy, Debug)]
pub struct Until {
    /// A correction of this size, in units of the states, is not made any more.
    pub size: f64,
    /// Whether every other state is not known yet: it becomes the end of the step before.
    pub halves: bool,
}

impl Until {
    /// Corrections are rounding.
    pub const ROUNDED: Until = Until { size: ROUNDED, halves: false };
}

impl Linearised {
    /// Largest gap.
    pub fn size(&self) -> f64 {
        self.gaps
            .iter()
            .map(|gap| gap.norm_max())
            .fold(0.0, |a: f64, b| if b.is_nan() { b } else { a.max(b) })
    }

    fn norm(&self) -> f64 {
        self.gaps.iter().map(|gap| gap.squared_norm_l2()).sum::<f64>().sqrt()
    }

    /// The ring with its inner places joined.
    pub fn joined(&mut self) -> Result<Joined, PeriodicError> {
        if let Some(ring) = self.ring.take() {
            return Ok(ring);
        }
        let (count, m) = (self.blocks.len(), self.blocks.first().map_or(0, Mat::nrows));
        let ring = Ring {
            blocks: self.blocks.clone(),
            columns: vec![Mat::zeros(m, 0); count],
            rows: vec![Mat::zeros(0, m); count],
            corner: Mat::zeros(0, 0),
            right: vec![Mat::zeros(m, 0); count],
            border: Mat::zeros(0, 0),
        };
        Ok(ring.join()?)
    }
}

impl Correction<'_, '_> {
    /// One step from a state of the motion; the laws see the inside of the element.
    pub fn step(&mut self, from: &State, h: f64, end: &mut State) -> Result<(), PeriodicError> {
        if self.breaks {
            let scale = from.t.abs().max((from.t + h).abs()).max(h);
            self.system.hold_laws(LawSpan::between(from.t, from.t + h, scale));
        }
        let done = self.map.advance(from, h, end);
        if self.breaks {
            self.system.hold_laws(LawSpan::ALL);
        }
        done?;
        end.t = from.t + h;
        Ok(())
    }

    /// The state that the end of the period is to be compared with.
    fn closing(&self, orbit: &Orbit) -> State {
        let mut state = orbit.states[0].clone();
        for &(eq, advance) in self.advances {
            state.v[eq] += advance;
        }
        state
    }

    /// All steps of a motion with their derivatives.
    pub fn linearise(&mut self, orbit: &mut Orbit) -> Result<Linearised, PeriodicError> {
        self.linearise_from(orbit, false)
    }

    /// The same; with `halves` every other state is made the end of the step before it.
    fn linearise_from(&mut self, orbit: &mut Orbit, halves: bool) -> Result<Linearised, PeriodicError> {
        let count = orbit.elements();
        let size = self.changes.size();
        let mut bases = Vec::with_capacity(count);
        bases.push(self.changes.basis(&orbit.states[0])?);
        let (mut blocks, mut columns, mut gaps, mut flows, mut ends) =
            (vec![], vec![], vec![], vec![], vec![]);
        let mut end = orbit.end.clone();
        for i in 0..count {
            let h = orbit.fractions[i] * orbit.period;
            self.map.resume(i, 0.0);
            self.step(&orbit.states[i], h, &mut end)?;
            if i + 1 < count {
                if halves && i % 2 == 0 {
                    let next = &mut orbit.states[i + 1];
                    let t = next.t;
                    next.clone_from(&end);
                    next.t = t;
                }
                bases.push(self.changes.basis(&orbit.states[i + 1])?);
            }
            let (next, to) = match i + 1 == count {
                true => (&bases[0], self.closing(orbit)),
                false => (&bases[i + 1], orbit.states[i + 1].clone()),
            };
            let mut way = vec![0.0; size];
            self.changes.difference(&to, &end, &mut way);
            gaps.push(self.changes.gather(next, &way));
            let directions = self.changes.directions(&bases[i]);
            let mut images = vec![0.0; directions.len()];
            if self.breaks {
                let t = orbit.states[i].t;
                self.system.hold_laws(LawSpan::between(t, t + h, t.abs().max((t + h).abs()).max(h)));
            }
            self.map.push(&directions, &mut images);
            let mut by_length = vec![0.0; size];
            if self.free_period {
                self.map.by_length(&mut by_length);
            }
            if self.breaks {
                self.system.hold_laws(LawSpan::ALL);
            }
            if let Some(bad) = images.iter().chain(&by_length).position(|x| !x.is_finite()) {
                let equation = self.system.equation_name(bad % size % self.system.size());
                return Err(PeriodicError::NotFinite { t: orbit.states[i].t, equation });
            }
            blocks.push(self.changes.gather(next, &images));
            if self.free_period {
                by_length.iter_mut().for_each(|x| *x *= h);
                columns.push(self.changes.gather(next, &by_length));
                let flow = self.changes.flow(&orbit.states[i])?;
                flows.push(self.changes.gather(&bases[i], &flow));
            }
            if i + 1 == count {
                orbit.end.clone_from(&end);
            }
            ends.push(end.clone());
        }
        Ok(Linearised { bases, blocks, columns, gaps, flows, ends, ring: None })
    }

    /// The conditions at the start and their derivatives along the basis, by central differences.
    fn pinned(&mut self, orbit: &Orbit, basis: &Mat<f64>) -> Result<(Vec<f64>, Mat<f64>), PeriodicError> {
        let Some(pins) = self.pins else { return Ok((vec![], Mat::zeros(0, basis.ncols()))) };
        let first = &orbit.states[0];
        let values = pins(first);
        let mut slopes = Mat::zeros(values.len(), basis.ncols());
        let reach = 1e-5;
        for j in 0..basis.ncols() {
            let unit = Mat::from_fn(basis.ncols(), 1, |i, _| if i == j { reach } else { 0.0 });
            let step = self.changes.spread(basis, &unit);
            let back: Vec<f64> = step.iter().map(|d| -d).collect();
            let (after, before) = (self.changes.moved(first, &step)?, self.changes.moved(first, &back)?);
            let (after, before) = (pins(&after), pins(&before));
            for r in 0..values.len() {
                slopes[(r, j)] = (after[r] - before[r]) / (2.0 * reach);
            }
        }
        Ok((values, slopes))
    }

    fn ring(&mut self, orbit: &Orbit, at: &Linearised) -> Result<Ring, PeriodicError> {
        let (count, m) = (at.blocks.len(), at.blocks[0].nrows());
        let unknowns = usize::from(self.free_period);
        let (values, slopes) = self.pinned(orbit, &at.bases[0])?;
        let phase = self.free_period && values.is_empty();
        let conditions = if phase { 1 } else { values.len() };
        let mut rows = vec![Mat::zeros(conditions, m); count];
        if phase {
            let total: f64 = at.flows.iter().map(|flow| flow.squared_norm_l2()).sum::<f64>().sqrt();
            if total.is_nan() || total * orbit.period <= 1e-8 {
                return Err(PeriodicError::Rest);
            }
            for (i, row) in rows.iter_mut().enumerate() {
                let before = orbit.fractions[(i + count - 1) % count];
                let weight = 0.5 * (before + orbit.fractions[i]) * count as f64 / total;
                *row = Mat::from_fn(1, m, |_, j| weight * at.flows[i][(j, 0)]);
            }
        } else if conditions > 0 {
            rows[0] = slopes;
        }
        Ok(Ring {
            blocks: at.blocks.clone(),
            columns: match self.free_period {
                true => at.columns.clone(),
                false => vec![Mat::zeros(m, 0); count],
            },
            rows,
            corner: Mat::zeros(conditions, unknowns),
            right: at.gaps.iter().map(|gap| -gap).collect(),
            border: Mat::from_fn(conditions, 1, |r, _| values.get(r).map_or(0.0, |value| -value)),
        })
    }

    /// The motion moved by a share of a correction.
    fn moved(
        &mut self,
        orbit: &Orbit,
        at: &Linearised,
        way: &[Mat<f64>],
        tau: f64,
        share: f64,
    ) -> Result<Orbit, PeriodicError> {
        let mut moved = orbit.clone();
        moved.period *= 1.0 + share * tau;
        moved.set_times(self.start);
        for ((state, basis), p) in moved.states.iter_mut().zip(&at.bases).zip(way) {
            let change = self.changes.spread(basis, &(p * share));
            *state = self.changes.moved(state, &change)?;
        }
        Ok(moved)
    }

    /// The motion moved by what other ways of its steps than its own make of it in first order.
    pub fn shifted(
        &mut self,
        orbit: &Orbit,
        at: &Linearised,
        ways: &[Vec<f64>],
    ) -> Result<Orbit, PeriodicError> {
        let mut ring = self.ring(orbit, at)?;
        let count = ways.len();
        for (i, (right, way)) in ring.right.iter_mut().zip(ways).enumerate() {
            *right -= self.changes.gather(&at.bases[(i + 1) % count], way);
        }
        let solved = ring.join()?.close(FREE_AT_MOST)?;
        let tau = if self.free_period { solved.border[(0, 0)] } else { 0.0 };
        let size = solved.around.iter().map(|p| p.norm_max()).fold(tau.abs(), f64::max);
        // What is no small change is no estimate.
        if size.is_nan() || size > NEAR {
            return Ok(orbit.clone());
        }
        self.moved(orbit, at, &solved.around, tau, 1.0)
    }

    /// Closes a motion.
    pub fn close(
        &mut self,
        orbit: &mut Orbit,
        until: Until,
    ) -> Result<(Linearised, CorrectionReport), PeriodicError> {
        orbit.set_times(self.start);
        if !until.halves {
            self.map.forget();
        }
        let guessed = orbit.period;
        let mut at = self.linearise_from(orbit, until.halves)?;
        let mut report = CorrectionReport::default();
        let mut last = f64::INFINITY;
        for iteration in 0..CORRECTIONS {
            let known = (OF_GAPS * at.size()).clamp(FREE, FREE_AT_MOST);
            let joined = self.ring(orbit, &at)?.join()?;
            let solved = joined.close(known)?;
            at.ring = Some(joined);
            report.free = solved.free;
            let tau = if self.free_period { solved.border[(0, 0)] } else { 0.0 };
            let size = solved.around.iter().map(|p| p.norm_max()).fold(tau.abs(), f64::max);
            if !size.is_finite() {
                return Err(self.open(orbit, &at, &report));
            }
            if size <= until.size.max(ROUNDED) || (size <= SETTLED && size > 0.3 * last) {
                (report.gap, report.left) = (at.size(), size);
                if report.gap.is_nan() || report.gap > LEFT_OPEN {
                    return Err(self.open(orbit, &at, &report));
                }
                return Ok((at, report));
            }
            last = size;
            report.iterations = iteration + 1;
            let mut share = (LARGEST_TIME / tau.abs()).min(LARGEST.max(0.0) / size).min(1.0);
            // A linear system takes any step at once.
            if !self.free_period {
                share = 1.0;
            }
            let before = at.norm();
            loop {
                let tried = self.moved(orbit, &at, &solved.around, tau, share).and_then(|mut moved| {
                    let then = self.linearise(&mut moved)?;
                    Ok((moved, then))
                });
                match tried {
                    Ok((moved, then))
                        if then.norm() <= (1.0 - 0.1 * share) * before
                            || then.norm() <= 1e-9
                            || (report.free > 0 && size < NEAR && then.norm() <= 2.0 * before) =>
                    {
                        (*orbit, at) = (moved, then);
                        break;
                    }
                    _ if share > SHORTEST => share *= 0.5,
                    Err(error @ PeriodicError::Step(_)) => return Err(error),
                    _ => return Err(self.open(orbit, &at, &report)),
                }
            }
            if !(orbit.period > 1e-2 * guessed && orbit.period < 1e2 * guessed) {
                return Err(PeriodicError::Period { period: orbit.period });
            }
        }
        Err(self.open(orbit, &at, &report))
    }

    /// Where the motion is open.
    fn open(&self, orbit: &Orbit, at: &Linearised, report: &CorrectionReport) -> PeriodicError {
        let count = at.gaps.len();
        let worst = (0..count).max_by(|&a, &b| at.gaps[a].norm_max().total_cmp(&at.gaps[b].norm_max()));
        let i = worst.unwrap_or(0);
        let change = self.changes.spread(&at.bases[(i + 1) % count], &at.gaps[i]);
        let n = self.system.size();
        let measure = |e: usize| {
            let scale = self.changes.scale()[e];
            if scale > 0.0 { (change[e] / scale).abs() } else { 0.0 }
        };
        let entry = (0..2 * n).max_by(|&a, &b| measure(a).total_cmp(&measure(b))).unwrap_or(0);
        let free = match report.free {
            0 => String::new(),
            1 => "; 1 direction is free, nothing in the model holds it".to_owned(),
            k => format!("; {k} directions are free, nothing in the model holds them"),
        };
        PeriodicError::Open {
            iterations: report.iterations,
            gap: at.size(),
            t: orbit.time(self.start, i) + orbit.fractions[i] * orbit.period,
            equation: self.system.equation_name(entry % n),
            free,
        }
    }
}
