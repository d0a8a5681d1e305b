//! The program with scaled rows and with a slack unknown for each range:
//!
//! ```text
//! min w f(x)   subject to   ω_k (c_k(x) − target_k) = 0,   ω_k c_k(x) − s_k = 0,   bounds on x and s
//! ```
//! The factors w and ω bring first derivatives at the start down to 100 (Wächter and Biegler 2006, section
//! 3.8).

use super::program::{NoValue, Program, Range};

/// Largest first derivative that is left as it is.
const STEEP: f64 = 100.0;
/// Least factor of a row or of the objective.
const LEAST_FACTOR: f64 = 1e-8;

/// Pull towards the only bound of an unknown, over µ.
pub(super) const DAMPING: f64 = 1e-5;

/// A point with its slacks.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub x: Vec<f64>,
    pub s: Vec<f64>,
}

/// All that is evaluated at a point; derivatives may be older.
#[derive(Clone, Debug)]
pub(super) struct Values {
    pub objective: f64,
    pub gradient: Vec<f64>,
    pub rows: Vec<f64>,
    pub jacobian: Vec<f64>,
}

pub(super) struct Standard<'p> {
    pub program: &'p mut dyn Program,
    /// Unknowns of the program, and with slacks.
    pub n: usize,
    pub size: usize,
    pub m: usize,
    /// Row of each slack.
    slack_rows: Vec<usize>,
    targets: Vec<f64>,
    pub lower: Vec<f64>,
    pub upper: Vec<f64>,
    /// Unknowns whose range is one number.
    pub pinned: Vec<bool>,
    pub objective_factor: f64,
    pub row_factors: Vec<f64>,
    pub jacobian_places: Vec<(usize, usize)>,
    /// How many entries of the Jacobian are the program's; those of slacks follow.
    own_entries: usize,
    pub hessian_places: Vec<(usize, usize)>,
    lambda: Vec<f64>,
}

impl<'p> Standard<'p> {
    pub fn new(program: &'p mut dyn Program) -> Self {
        let (n, m) = (program.unknowns(), program.rows());
        let ranges: Vec<Range> = (0..m).map(|row| program.row_range(row)).collect();
        let slack_rows: Vec<usize> = (0..m).filter(|&row| !ranges[row].is_one_number()).collect();
        let bounds: Vec<Range> = (0..n).map(|i| program.unknown_range(i)).collect();
        let mut jacobian_places = program.jacobian_places();
        let own_entries = jacobian_places.len();
        jacobian_places.extend(slack_rows.iter().enumerate().map(|(k, &row)| (row, n + k)));
        let hessian_places = program.hessian_places();
        let all = || bounds.iter().copied().chain(slack_rows.iter().map(|&row| ranges[row]));
        Standard {
            n,
            m,
            size: n + slack_rows.len(),
            targets: ranges.iter().map(|r| if r.is_one_number() { r.lower } else { 0.0 }).collect(),
            lower: all().map(|range| range.lower).collect(),
            upper: all().map(|range| range.upper).collect(),
            pinned: all().map(|range| range.is_one_number()).collect(),
            objective_factor: 1.0,
            row_factors: vec![1.0; m],
            jacobian_places,
            own_entries,
            hessian_places,
            lambda: vec![0.0; m],
            slack_rows,
            program,
        }
    }

    pub fn room(&self) -> Values {
        Values {
            objective: 0.0,
            gradient: vec![0.0; self.size],
            rows: vec![0.0; self.m],
            jacobian: vec![0.0; self.jacobian_places.len()],
        }
    }

    /// Number of an unknown or slack.
    pub fn coordinate(&self, at: &Point, i: usize) -> f64 {
        if i < self.n { self.program.coordinate(&at.x, i) } else { at.s[i - self.n] }
    }

    /// Whether anything bounds an unknown.
    pub fn is_bounded(&self, i: usize) -> bool {
        !self.pinned[i] && (self.lower[i].is_finite() || self.upper[i].is_finite())
    }

    pub fn move_by(&mut self, at: &Point, d: &[f64], alpha: f64, out: &mut Point) {
        self.program.move_by(&at.x, &d[..self.n], alpha, &mut out.x);
        let slacks = out.s.iter_mut().zip(&at.s).zip(&d[self.n..]);
        slacks.for_each(|((out, s), d)| *out = s + alpha * d);
    }

    /// Objective and rows.
    pub fn evaluate(&mut self, at: &Point, out: &mut Values) -> Result<(), NoValue> {
        out.objective = self.objective_factor * self.program.objective(&at.x)?;
        self.program.conditions(&at.x, &mut out.rows)?;
        for k in 0..self.m {
            out.rows[k] = self.row_factors[k] * (out.rows[k] - self.targets[k]);
        }
        self.slack_rows.iter().zip(&at.s).for_each(|(&row, s)| out.rows[row] -= s);
        let all_finite = out.objective.is_finite() && out.rows.iter().all(|row| row.is_finite());
        if all_finite { Ok(()) } else { Err(NoValue) }
    }

    /// Their first derivatives.
    pub fn differentiate(&mut self, at: &Point, out: &mut Values) -> Result<(), NoValue> {
        self.program.gradient(&at.x, &mut out.gradient[..self.n])?;
        out.gradient[..self.n].iter_mut().for_each(|g| *g *= self.objective_factor);
        out.gradient[self.n..].fill(0.0);
        let (own, slacks) = out.jacobian.split_at_mut(self.own_entries);
        self.program.jacobian(&at.x, own)?;
        own.iter_mut().zip(&self.jacobian_places).for_each(|(a, &(row, _))| *a *= self.row_factors[row]);
        slacks.fill(-1.0);
        for (entry, &(_, i)) in out.jacobian.iter_mut().zip(&self.jacobian_places) {
            if self.pinned[i] {
                *entry = 0.0;
            }
        }
        out.gradient.iter_mut().zip(&self.pinned).filter(|(_, pinned)| **pinned).for_each(|(g, _)| *g = 0.0);
        let mut numbers = out.gradient.iter().chain(&out.jacobian);
        if numbers.all(|number| number.is_finite()) { Ok(()) } else { Err(NoValue) }
    }

    /// Distances from the bounds, infinite without.
    pub fn distances(&self, at: &Point, i: usize) -> [f64; 2] {
        let value = self.coordinate(at, i);
        // Rounding must not put a point on its bound.
        let least = f64::EPSILON * value.abs().max(f64::MIN_POSITIVE);
        [(value - self.lower[i]).max(least), (self.upper[i] - value).max(least)]
    }

    /// φ = f − µ Σ ln(y − l) − µ Σ ln(u − y), with a pull towards bounds that stand alone.
    pub fn barrier(&self, at: &Point, values: &Values, mu: f64) -> f64 {
        let mut phi = values.objective;
        for i in (0..self.size).filter(|&i| self.is_bounded(i)) {
            let [below, above] = self.distances(at, i);
            for distance in [below, above].into_iter().filter(|distance| distance.is_finite()) {
                phi -= mu * distance.ln();
            }
            if below.is_finite() != above.is_finite() {
                phi += DAMPING * mu * below.min(above);
            }
        }
        phi
    }

    /// Entries of the Hessian of Lagrange's function.
    pub fn hessian(&mut self, at: &Point, lambda: &[f64], out: &mut [f64]) -> Result<(), NoValue> {
        let scaled = self.lambda.iter_mut().zip(lambda).zip(&self.row_factors);
        scaled.for_each(|((out, lambda), factor)| *out = lambda * factor);
        self.program.hessian(&at.x, self.objective_factor, &self.lambda, out)?;
        for (entry, &(i, j)) in out.iter_mut().zip(&self.hessian_places) {
            if self.pinned[i] || self.pinned[j] {
                *entry = 0.0;
            }
        }
        if out.iter().all(|number| number.is_finite()) { Ok(()) } else { Err(NoValue) }
    }

    /// Chooses the factors by the derivatives at the start.
    pub fn scale(&mut self, at: &Point) -> Result<(), NoValue> {
        let mut values = self.room();
        self.differentiate(at, &mut values)?;
        let factor = |steepest: f64| (STEEP / steepest.max(STEEP)).max(LEAST_FACTOR);
        let steepest = values.gradient.iter().fold(0.0, |most: f64, g| most.max(g.abs()));
        self.objective_factor = factor(steepest);
        let mut most = vec![0.0_f64; self.m];
        let own = values.jacobian[..self.own_entries].iter().zip(&self.jacobian_places);
        own.for_each(|(a, &(row, _))| most[row] = most[row].max(a.abs()));
        self.row_factors = most.into_iter().map(factor).collect();
        for (k, &row) in self.slack_rows.iter().enumerate() {
            self.lower[self.n + k] *= self.row_factors[row];
            self.upper[self.n + k] *= self.row_factors[row];
        }
        Ok(())
    }

    /// y += Aᵀ λ.
    pub fn add_transposed(&self, jacobian: &[f64], lambda: &[f64], y: &mut [f64]) {
        for (entry, &(row, i)) in jacobian.iter().zip(&self.jacobian_places) {
            y[i] += entry * lambda[row];
        }
    }

    /// Slacks that make the rows of ranges hold at x, where their bounds let them.
    pub fn slacks_of(&mut self, x: &[f64]) -> Result<Vec<f64>, NoValue> {
        let mut rows = vec![0.0; self.m];
        self.program.conditions(x, &mut rows)?;
        Ok(self.slack_rows.iter().map(|&row| self.row_factors[row] * rows[row]).collect())
    }

    /// Distance of each row of the program from its range, in its own unit.
    pub fn violations(&mut self, x: &[f64]) -> Result<Vec<f64>, NoValue> {
        let mut rows = vec![0.0; self.m];
        self.program.conditions(x, &mut rows)?;
        let outside = |(k, value): (usize, &f64)| {
            let range = self.program.row_range(k);
            (range.lower - value).max(value - range.upper).max(0.0)
        };
        Ok(rows.iter().enumerate().map(outside).collect())
    }
}
