//! The rates ẏ of networks at a state.

use crate::State;
use crate::assembly::Scratch;
use crate::networks::NetworkEntry;
use crate::networks::laws::linearize;
use crate::networks::sparse_square::{SparseSquare, SquarePattern};
use crate::system::System;
use crate::system::state::Instant;
use poinsot_expr::Block;
use poinsot_numerics::dense::Mat;
use poinsot_numerics::subspace::pseudo_solve;

/// Newton steps for rates; one is enough where the equations are linear in them.
const RATE_ITERATIONS: usize = 10;

/// Row, column and value of each entry of a matrix.
type Entries = Vec<(usize, usize, f64)>;

impl System {
    /// The rates ẏ of all networks at a state into their entries of `a`, whose other entries are known:
    /// equations with rates as they stand, algebraic ones differentiated once. Returns false where that does
    /// not determine them (an index above one); then they are those of the hidden constraints, or else the
    /// least that fit.
    pub fn network_rates(&self, at: &State, a: &mut [f64], s: &mut Scratch) -> bool {
        let mut regular = true;
        for entry in &self.networks {
            regular &= match &entry.laws.rates {
                Some(block) => self.separate_rates(entry, block, at, a, s),
                // An explicit method must not take them: it would leave the hidden constraints.
                None if !entry.is_index_one() && self.hidden_rates(entry, at, a, s) => false,
                None => self.coupled_rates(entry, at, a, s),
            };
        }
        regular
    }

    /// The rates of a network each of whose equations has one of them, F_k(…, ẏ_j, …) = 0, without
    /// allocation. Returns false where a rate has the factor zero.
    fn separate_rates(
        &self,
        entry: &NetworkEntry,
        block: &Block,
        at: &State,
        a: &mut [f64],
        s: &mut Scratch,
    ) -> bool {
        self.load_twists(&at.v, s);
        let here = Instant { t: at.t, frames: &at.frames, v: &at.v, a, memory: &at.memory, rates: &[] };
        self.load_arguments(entry, &here, s);
        let m = entry.eq.len();
        s.arguments[m..2 * m].iter_mut().filter(|rate| !rate.is_finite()).for_each(|rate| *rate = 0.0);
        for _ in 0..RATE_ITERATIONS {
            linearize(block, s);
            let mut moved = false;
            for (&(k, argument), &factor) in block.entries().iter().zip(&s.partials) {
                if factor == 0.0 {
                    return false;
                }
                let step = s.values[k] / factor;
                let rate = &mut s.arguments[argument];
                *rate -= step;
                moved |= step.abs() > 1e-12 * rate.abs();
            }
            if !moved {
                break;
            }
        }
        entry.eq.iter().zip(&s.arguments[m..2 * m]).for_each(|(&eq, rate)| a[eq] = *rate);
        true
    }

    /// The rates of a network by Newton's method. Returns false where the equations do not determine them.
    fn coupled_rates(&self, entry: &NetworkEntry, at: &State, a: &mut [f64], s: &mut Scratch) -> bool {
        let m = entry.eq.len();
        let mut regular = true;
        let mut known: Option<(Entries, Option<SparseSquare>)> = None;
        for _ in 0..RATE_ITERATIONS {
            let here = Instant { t: at.t, frames: &at.frames, v: &at.v, a, memory: &at.memory, rates: &[] };
            let (matrix, right) = self.rate_equations(entry, &here, s);
            // Equations that are linear in the rates have the same matrix again, and need no third step.
            let linear = known.as_ref().is_some_and(|(before, _)| *before == matrix);
            if !linear {
                let places = || matrix.iter().map(|&(i, j, _)| (i, j)).collect();
                let pattern = entry.rate_pattern.get_or_init(|| SquarePattern::new(m, places()));
                let values: Vec<f64> = matrix.iter().map(|(.., value)| *value).collect();
                let factors = pattern.as_ref().and_then(|pattern| pattern.factor(&values));
                known = Some((matrix, factors));
            }
            let Some((matrix, factors)) = &known else { return false };
            let closed = right.iter().all(|r| *r == 0.0);
            let step = match factors.as_ref().and_then(|factors| factors.solve(&right)) {
                Some(step) => step,
                None => {
                    let mut dense = Mat::zeros(m, m);
                    matrix.iter().for_each(|&(i, j, value)| dense[(i, j)] = value);
                    let Ok((least, rank)) = pseudo_solve(dense.as_ref(), &right, 1e-13) else { return false };
                    regular &= rank == m;
                    least
                }
            };
            entry.eq.iter().zip(&step).for_each(|(&eq, step)| a[eq] -= step);
            let small = |(step, &eq): (&f64, &usize)| step.abs() <= 1e-12 * a[eq].abs();
            if linear || closed || step.iter().zip(&entry.eq).all(small) {
                break;
            }
        }
        regular
    }

    /// The matrix of the rates, and the residuals.
    fn rate_equations(
        &self,
        entry: &NetworkEntry,
        at: &Instant,
        s: &mut Scratch,
    ) -> (Vec<(usize, usize, f64)>, Vec<f64>) {
        let m = entry.eq.len();
        let mut out = vec![0.0; self.n];
        self.load_twists(at.v, s);
        self.add_network_residual(at, &mut out, s);
        self.algebraic_rate(at, &mut out, s);
        self.load_arguments(entry, at, s);
        let mut matrix = Vec::with_capacity(entry.balance.all.len() + entry.constraints.all.len());
        entry.laws.balance.linearize(s);
        let rates = entry.balance.all.iter().filter(|e| (m..2 * m).contains(&e.argument));
        matrix.extend(rates.map(|e| (e.equation, e.argument - m, s.partials[e.place])));
        entry.laws.algebraic.linearize(s);
        let values = entry.constraints.all.iter().filter(|e| e.argument < m);
        matrix.extend(values.map(|e| (e.equation, e.argument, s.partials[e.place])));
        (matrix, (0..m).map(|k| out[entry.row(k)]).collect())
    }
}
