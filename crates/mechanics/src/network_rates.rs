//! The rates ẏ of networks at a state.

use crate::State;
use crate::assembly::Scratch;
use crate::network::NetworkEntry;
use crate::network_laws::linearize;
use crate::state::Instant;
use crate::system::System;
use poinsot_expr::Block;
use poinsot_numerics::dense::Mat;
use poinsot_numerics::subspace::pseudo_solve;

/// Newton steps for rates; one is enough where the equations are linear in them.
const RATE_ITERATIONS: usize = 10;

/// A pivot, relative to the largest, above which a scaled matrix is not taken for singular without asking further.
const SAFE_PIVOT: f64 = 1e-10;

impl System {
    /// The rates ẏ of all networks at a state into their entries of `a`, whose other entries are known: equations with
    /// rates as they stand, algebraic ones differentiated once. Returns false where that does not determine them
    /// (an index above one); then they are the least that fit.
    pub fn network_rates(&self, at: &State, a: &mut [f64], s: &mut Scratch) -> bool {
        let mut regular = true;
        for entry in &self.networks {
            regular &= match &entry.laws.rates {
                Some(block) => self.separate_rates(entry, block, at, a, s),
                None => self.coupled_rates(entry, at, a, s),
            };
        }
        regular
    }

    /// The rates of a network each of whose equations has one of them, F_k(…, ẏ_j, …) = 0, without allocation. Returns
    /// false where a rate has the factor zero.
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
        let mut regular = true;
        let mut known: Option<(Mat<f64>, Option<Elimination>)> = None;
        for _ in 0..RATE_ITERATIONS {
            let here = Instant { t: at.t, frames: &at.frames, v: &at.v, a, memory: &at.memory, rates: &[] };
            let (matrix, mut step) = self.rate_equations(entry, &here, s);
            // Equations that are linear in the rates have the same matrix again, and need no third step.
            let linear = known.as_ref().is_some_and(|(before, _)| *before == matrix);
            if !linear {
                let elimination = Elimination::new(matrix.clone());
                known = Some((matrix, elimination));
            }
            let Some((matrix, elimination)) = &known else { return false };
            let closed = step.iter().all(|r| *r == 0.0);
            match elimination {
                Some(elimination) => elimination.solve(&mut step),
                None => match pseudo_solve(matrix.as_ref(), &step, 1e-13) {
                    Ok((least, rank)) => {
                        regular &= rank == entry.eq.len();
                        step = least;
                    }
                    Err(_) => return false,
                },
            }
            entry.eq.iter().zip(&step).for_each(|(&eq, step)| a[eq] -= step);
            let small = |(step, &eq): (&f64, &usize)| step.abs() <= 1e-12 * a[eq].abs();
            if linear || closed || step.iter().zip(&entry.eq).all(small) {
                break;
            }
        }
        regular
    }

    /// The matrix of the rates, and the residuals.
    fn rate_equations(&self, entry: &NetworkEntry, at: &Instant, s: &mut Scratch) -> (Mat<f64>, Vec<f64>) {
        let m = entry.eq.len();
        let mut out = vec![0.0; self.n];
        self.load_twists(at.v, s);
        self.add_network_residual(at, &mut out, s);
        self.algebraic_rate(at, &mut out, s);
        self.load_arguments(entry, at, s);
        let mut matrix = Mat::zeros(m, m);
        entry.laws.balance.linearize(s);
        for e in entry.balance.all.iter().filter(|e| (m..2 * m).contains(&e.argument)) {
            matrix[(e.equation, e.argument - m)] = s.partials[e.place];
        }
        entry.laws.algebraic.linearize(s);
        for e in entry.constraints.all.iter().filter(|e| e.argument < m) {
            matrix[(e.equation, e.argument)] = s.partials[e.place];
        }
        (matrix, (0..m).map(|k| out[entry.row(k)]).collect())
    }
}

/// P R A C = L U with row scales R, column scales C and the row exchanges P of partial pivoting.
struct Elimination {
    /// L below the diagonal, U on and above it.
    lu: Mat<f64>,
    rows: Vec<usize>,
    row_scale: Vec<f64>,
    column_scale: Vec<f64>,
}

impl Elimination {
    /// The factors; none unless the matrix is clearly regular.
    fn new(mut a: Mat<f64>) -> Option<Self> {
        let n = a.nrows();
        let inverse = |x: f64| if x > 0.0 && x.is_finite() { Some(1.0 / x) } else { None };
        let row = |a: &Mat<f64>, i: usize| (0..n).fold(0.0, |m: f64, j| m.max(a[(i, j)].abs()));
        let row_scale = (0..n).map(|i| inverse(row(&a, i))).collect::<Option<Vec<f64>>>()?;
        (0..n).for_each(|i| (0..n).for_each(|j| a[(i, j)] *= row_scale[i]));
        let column = |a: &Mat<f64>, j: usize| (0..n).fold(0.0, |m: f64, i| m.max(a[(i, j)].abs()));
        let column_scale = (0..n).map(|j| inverse(column(&a, j))).collect::<Option<Vec<f64>>>()?;
        (0..n).for_each(|i| (0..n).for_each(|j| a[(i, j)] *= column_scale[j]));
        let mut rows: Vec<usize> = (0..n).collect();
        let mut largest: f64 = 0.0;
        for k in 0..n {
            let pivot = (k..n).max_by(|&i, &j| a[(i, k)].abs().total_cmp(&a[(j, k)].abs()))?;
            rows.swap(k, pivot);
            (0..n).filter(|_| pivot != k).for_each(|j| {
                (a[(k, j)], a[(pivot, j)]) = (a[(pivot, j)], a[(k, j)]);
            });
            largest = largest.max(a[(k, k)].abs());
            let size = a[(k, k)].abs();
            if size.is_nan() || size <= SAFE_PIVOT * largest {
                return None;
            }
            for i in k + 1..n {
                let factor = a[(i, k)] / a[(k, k)];
                a[(i, k)] = factor;
                if factor != 0.0 {
                    (k + 1..n).for_each(|j| a[(i, j)] -= factor * a[(k, j)]);
                }
            }
        }
        Some(Elimination { lu: a, rows, row_scale, column_scale })
    }

    /// b := A⁻¹ b.
    fn solve(&self, b: &mut [f64]) {
        let n = b.len();
        let mut x: Vec<f64> = self.rows.iter().map(|&i| self.row_scale[i] * b[i]).collect();
        for i in 0..n {
            x[i] -= (0..i).map(|j| self.lu[(i, j)] * x[j]).sum::<f64>();
        }
        for i in (0..n).rev() {
            x[i] -= (i + 1..n).map(|j| self.lu[(i, j)] * x[j]).sum::<f64>();
            x[i] /= self.lu[(i, i)];
        }
        b.iter_mut().zip(x).zip(&self.column_scale).for_each(|((b, x), scale)| *b = x * scale);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elimination() {
        // The first needs exchanges and is badly scaled; the second has rank 2.
        let a = Mat::from_fn(3, 3, |i, j| [[0.0, 2e6, 1.0], [3e-9, 1e-3, 0.0], [1e-8, 4e-3, 5e-9]][i][j]);
        let x = [1.0, -2.0, 3.0];
        let mut b: Vec<f64> = (0..3).map(|i| (0..3).map(|j| a[(i, j)] * x[j]).sum()).collect();
        Elimination::new(a).unwrap().solve(&mut b);
        assert!(b.iter().zip(x).all(|(b, x)| (b - x).abs() < 1e-9), "{b:?}");
        assert!(Elimination::new(Mat::from_fn(3, 3, |i, j| (3 * i + j) as f64)).is_none());
        assert!(Elimination::new(Mat::zeros(2, 2)).is_none());
    }
}
