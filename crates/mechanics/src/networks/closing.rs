//! Variables that satisfy the algebraic equations of networks.

use super::closing_step::{Linearised, algebraic_terms};
use super::entry::NetworkEntry;
use crate::State;
use crate::assembly::Scratch;
use crate::system::System;
use crate::system::state::Instant;

impl System {
    /// Makes the algebraic equations hold with the least change of the variables, those first whose rate
    /// stands in no equation. Returns the equation that is left most open, none if there are no algebraic
    /// ones.
    pub fn close_networks(&self, state: &mut State, s: &mut Scratch) -> Option<OpenEquation> {
        for entry in self.networks.iter().filter(|n| n.algebraic.contains(&true)) {
            self.close_network(entry, state, s);
        }
        self.most_open(state, s)
    }

    /// Closes the networks where a jump has left an algebraic equation open by more than `least` of its
    /// terms; variables with a rate keep their values where the others can do it.
    pub fn close_behind_jump(&self, least: f64, state: &mut State, s: &mut Scratch) {
        for entry in self.networks.iter().filter(|n| n.algebraic.contains(&true)) {
            if self.openness(entry, state, s) > least {
                self.close_network(entry, state, s);
            }
        }
    }

    fn most_open(&self, state: &State, s: &mut Scratch) -> Option<OpenEquation> {
        let worse = |a: &OpenEquation, b: &OpenEquation| a.relative.total_cmp(&b.relative);
        let all: Vec<OpenEquation> =
            self.networks.iter().flat_map(|entry| self.open_equations(entry, state, s)).collect();
        all.into_iter().max_by(worse)
    }

    /// How far the algebraic equations of a network are from holding at most, relative to their terms.
    fn openness(&self, entry: &NetworkEntry, state: &State, s: &mut Scratch) -> f64 {
        self.openness_from(entry, &vec![0.0; entry.laws.algebraic.equations.len()], state, s)
    }

    /// Newton's method from where the variables are; where that does not lead to the end, step by step along
    ///
    /// ```text
    /// F(y) = (1 − σ) F(y₀),     σ from 0 to 1,
    /// ```
    /// so that what has jumped comes in little by little.
    fn close_network(&self, entry: &NetworkEntry, state: &mut State, s: &mut Scratch) {
        let values = |state: &State| -> Vec<f64> { entry.eq.iter().map(|&eq| state.v[eq]).collect() };
        let set = |state: &mut State, y: &[f64]| entry.eq.iter().zip(y).for_each(|(&eq, y)| state.v[eq] = *y);
        let start = values(state);
        let group = &entry.laws.algebraic;
        let zero = vec![0.0; group.equations.len()];
        self.approach(entry, &zero, CLOSE_ITERATIONS, state, s);
        let left = self.openness(entry, state, s);
        if left <= CLOSED {
            return;
        }
        let direct = values(state);
        set(state, &start);
        self.load_start_arguments(entry, state, s);
        group.evaluate(s);
        let open = s.values.clone();
        let (mut done, mut part) = (0.0, 0.25);
        for _ in 0..MOST_PARTS {
            let (before, next) = (values(state), f64::min(1.0, done + part));
            let target: Vec<f64> = open.iter().map(|open| (1.0 - next) * open).collect();
            if self.approach(entry, &target, PART_ITERATIONS, state, s) {
                (done, part) = (next, 2.0 * part);
            } else {
                set(state, &before);
                part *= 0.25;
            }
            if done == 1.0 || part < SHORTEST_PART {
                break;
            }
        }
        self.approach(entry, &zero, CLOSE_ITERATIONS, state, s);
        if self.openness(entry, state, s) > left {
            set(state, &direct);
        }
    }

    /// Newton's method for F = `target` of the algebraic equations; whether it has got there.
    fn approach(
        &self,
        entry: &NetworkEntry,
        target: &[f64],
        most: usize,
        state: &mut State,
        s: &mut Scratch,
    ) -> bool {
        let mut known = None;
        (0..most).any(|_| !self.close_once(entry, target, state, &mut known, s))
            && self.openness_from(entry, target, state, s) <= CLOSED
    }

    /// How far each algebraic equation of a network is from holding.
    fn open_equations(&self, entry: &NetworkEntry, state: &State, s: &mut Scratch) -> Vec<OpenEquation> {
        self.open_from(entry, &vec![0.0; entry.laws.algebraic.equations.len()], state, s)
    }

    fn openness_from(&self, entry: &NetworkEntry, target: &[f64], state: &State, s: &mut Scratch) -> f64 {
        self.open_from(entry, target, state, s).iter().map(|open| open.relative).fold(0.0, f64::max)
    }

    /// How far each algebraic equation of a network is from its target.
    fn open_from(
        &self,
        entry: &NetworkEntry,
        target: &[f64],
        state: &State,
        s: &mut Scratch,
    ) -> Vec<OpenEquation> {
        self.load_start_arguments(entry, state, s);
        let group = &entry.laws.algebraic;
        group.linearize(s);
        let terms = algebraic_terms(entry, s);
        let residuals = s.values.iter().zip(target).map(|(value, target)| (value - target).abs());
        let open = |(&k, (residual, terms)): (&usize, (f64, f64))| {
            let relative = match residual / terms {
                _ if residual == 0.0 => 0.0,
                relative if relative.is_finite() => relative,
                _ => f64::INFINITY,
            };
            OpenEquation { equation: entry.row(k), residual, relative }
        };
        group.equations.iter().zip(residuals.zip(terms)).map(open).collect()
    }

    /// The arguments of a network at a state; its rates are taken as zero, algebraic equations do not know
    /// them.
    fn load_start_arguments(&self, entry: &NetworkEntry, state: &State, s: &mut Scratch) {
        let zero = vec![0.0; self.n];
        self.load_twists(&state.v, s);
        let at = Instant {
            t: state.t,
            frames: &state.frames,
            v: &state.v,
            a: &zero,
            memory: &state.memory,
            rates: &[],
        };
        self.load_arguments(entry, &at, s);
    }

    /// One step of Newton's method, shortened until the equations are nearer to zero; false where nothing is
    /// left to do. The factors of a step that came far serve for the next one too.
    fn close_once(
        &self,
        entry: &NetworkEntry,
        target: &[f64],
        state: &mut State,
        known: &mut Option<Linearised>,
        s: &mut Scratch,
    ) -> bool {
        let m = entry.eq.len();
        let group = &entry.laws.algebraic;
        self.load_start_arguments(entry, state, s);
        group.linearize(s);
        let terms = algebraic_terms(entry, s);
        let holds = |((value, target), terms): ((&f64, &f64), &f64)| {
            (value - target).abs() <= 2.0 * f64::EPSILON * terms
        };
        if s.values.iter().zip(target).zip(&terms).all(holds) {
            return false;
        }
        let nearly = |((value, target), terms): ((&f64, &f64), &f64)| {
            (value - target).abs() <= NEARLY * f64::EPSILON * terms
        };
        let nearly = s.values.iter().zip(target).zip(&terms).all(nearly);
        // A variable with a rate is moved only where the others cannot do it.
        let weight = |j: usize| entry.law.variables[j].nominal * if entry.has_rate[j] { 1e-8 } else { 1.0 };
        let is_known = known.is_some();
        let mut linearised = known.take().unwrap_or_else(|| Linearised::new(entry, &weight, s));
        let sizes = linearised.sizes.clone();
        let scaled = |values: &[f64]| -> Vec<f64> {
            values
                .iter()
                .zip(target)
                .zip(&sizes)
                .map(|((value, target), size)| (value - target) / size)
                .collect()
        };
        let length = |open: &[f64]| open.iter().map(|r| r * r).sum::<f64>();
        let open = scaled(&s.values);
        let before = length(&open);
        if before == 0.0 || !before.is_finite() {
            return false;
        }
        let Some(step) = linearised.step(entry, &open) else { return false };
        let start = s.arguments[..m].to_vec();
        let mut part = 1.0;
        for _ in 0..CLOSE_CUTS {
            for (j, step) in step.iter().enumerate() {
                s.arguments[j] = start[j] - part * step * weight(j);
            }
            group.evaluate(s);
            let after = length(&scaled(&s.values));
            if after < before {
                let changed = |j: usize| (s.arguments[j] - start[j]).abs();
                let tiny = |j: usize| 4.0 * f64::EPSILON * start[j].abs().max(entry.law.variables[j].nominal);
                entry.eq.iter().zip(&s.arguments).for_each(|(&eq, y)| state.v[eq] = *y);
                let moved = (0..m).any(|j| changed(j) > tiny(j));
                if after <= FAR * FAR * before {
                    *known = Some(linearised);
                }
                return moved;
            }
            part *= 0.5;
        }
        // Old factors may have led astray; beside rounding there is nowhere to go.
        is_known && !nearly
    }
}

/// A step of Newton's method that makes the residual as small as this part of it has factors that serve
/// again.
const FAR: f64 = 1e-3;

/// Residuals that are as small as this many roundings of their terms may not fall any more.
const NEARLY: f64 = 100.0;

/// An algebraic equation of a network that does not hold exactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OpenEquation {
    /// Its number.
    pub equation: usize,
    /// |F|.
    pub residual: f64,
    /// |F| relative to Σ_j |∂F/∂y_j| max(|y_j|, nominal size).
    pub relative: f64,
}

/// Newton steps for the algebraic equations at the start.
const CLOSE_ITERATIONS: usize = 100;

/// Relative to its terms, how far an algebraic equation may be from holding to be closed.
const CLOSED: f64 = 1e-9;

/// Parts of the way to an open equation, the shortest of them, and Newton steps in each.
const MOST_PARTS: usize = 200;

const SHORTEST_PART: f64 = 1e-9;

const PART_ITERATIONS: usize = 30;

/// How often such a step is halved.
const CLOSE_CUTS: usize = 40;
