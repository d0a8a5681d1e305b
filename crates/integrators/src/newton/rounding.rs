//! How exactly Newton's iteration can know its increments.
//!
//! An equation is a sum of terms, which is known to ε times the sum of their sizes and not better. To first
//! order they are those of the step matrix A₀ + β A₁ + β² A₂ ([`StepPolynomial`]); constant ones are as large
//! as what they balance:
//!
//! ```text
//! s = |A₀| |a| + |A₁| |v| + |A₂| |q|      balances, with λ among a
//! s = |A₀| |v| + |A₁| |q|                 rows at velocity level, algebraic equations
//! s = |A₀| |q|                            rows at position level
//! ```
//! What residuals ± ε s make of an increment, by the factors at hand, is the floor: an iteration that stands
//! still there has converged, however small its tolerance is.

use poinsot_mechanics::{Frame, StepPolynomial, System};

/// Increments up to so many floors are rounding: signs that add up are worse than those of a trial.
pub(crate) const ROUNDINGS: f64 = 10.0;

/// At which level an equation stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    Balance,
    Velocity,
    Position,
}

/// Sizes of what the equations are made of; make one and reuse it.
#[derive(Clone, Debug)]
pub(crate) struct Rounding {
    length: f64,
    /// |a| with |λ|, |v| and |q|, equation order.
    pub a: Vec<f64>,
    pub v: Vec<f64>,
    q: Vec<f64>,
    /// s.
    terms: Vec<f64>,
}

impl Rounding {
    pub fn new(system: &System) -> Self {
        let zero = || vec![0.0; system.size()];
        Rounding { length: system.length_scale(), a: zero(), v: zero(), q: zero(), terms: zero() }
    }

    /// Sizes of positions: of where a node is and of what it carries, a radian of turns.
    pub fn place(&mut self, system: &System, frames: &[Frame]) {
        for (node, frame) in system.nodes().iter().zip(frames).skip(1) {
            let (linear, angular) = self.q[node.unknowns()].split_at_mut(node.chart.linear_dofs());
            linear.fill(self.length.max(frame.r.norm()));
            angular.fill(1.0);
        }
    }

    /// ± ε s of every equation, of alternating signs that differ with `turn`.
    pub fn residuals(
        &mut self,
        system: &System,
        polynomial: &StepPolynomial,
        depth: impl Fn(usize) -> Depth,
        turn: usize,
        out: &mut [f64],
    ) {
        let pattern = system.pattern();
        let [a0, a1, a2] = &polynomial.powers;
        let Rounding { a, v, q, terms, .. } = self;
        terms.fill(0.0);
        for column in 0..terms.len() {
            let sizes = [a[column], v[column], q[column]];
            for slot in pattern.slots(column) {
                let row = pattern.row_indices()[slot];
                let [zeroth, first, second] = match depth(row) {
                    Depth::Balance => sizes,
                    Depth::Velocity => [sizes[1], sizes[2], 0.0],
                    Depth::Position => [sizes[2], 0.0, 0.0],
                };
                terms[row] += a0[slot].abs() * zeroth + a1[slot].abs() * first + a2[slot].abs() * second;
            }
        }
        for (row, (out, size)) in out.iter_mut().zip(terms.iter()).enumerate() {
            *out = f64::EPSILON * size * sign(row, turn);
        }
    }
}

/// Signs without a pattern.
fn sign(row: usize, turn: usize) -> f64 {
    let x = (row + 1) as f64 * 0.618_033_988_749_895 + turn as f64 * 0.414_213_562_373_095;
    if x.fract() < 0.5 { 1.0 } else { -1.0 }
}
