//! The way back to the conditions: a program of its own, solved by the same method,
//!
//! ```text
//! min ρ Σ (p + n) + ζ/2 |D (y − y_R)|²   subject to   c(y) − p + n = 0,   p, n ≥ 0,   bounds on y
//! ```
//! with D = 1/max(1, |y_R|), ζ = √µ, ρ = 1000 (Wächter and Biegler 2006, section 3.3). Its minimum with p + n
//! above zero is a point where the violation is least: the conditions are infeasible nearby.

use super::filter::Filter;
use super::interior_point::violation;
use super::program::{NoValue, Program, Range};
use super::standard::{Point, Standard, Values};
use std::cell::Cell;
use std::rc::Rc;

const WEIGHT: f64 = 1000.0;

/// Where the search that asked for a restoration goes on: at points with less violation that its filter
/// takes.
pub(super) struct Goal {
    pub filter: Filter,
    pub theta: f64,
    pub mu: f64,
}

pub(super) struct Restoration<'a, 'p> {
    form: &'a mut Standard<'p>,
    from: Point,
    /// ζ D².
    pull: Vec<f64>,
    point: Point,
    values: Values,
    away: Vec<f64>,
    goal: Goal,
    is_reached: Rc<Cell<bool>>,
}

impl<'a, 'p> Restoration<'a, 'p> {
    pub fn new(form: &'a mut Standard<'p>, from: &Point, mu: f64, goal: Goal) -> Self {
        let zeta = mu.sqrt();
        let scale = |i: usize| {
            // Unknowns without bounds may be no numbers of their own; their unit is taken to be one.
            let size = if form.is_bounded(i) { form.coordinate(from, i).abs().max(1.0) } else { 1.0 };
            zeta / (size * size)
        };
        Restoration {
            pull: (0..form.size).map(scale).collect(),
            from: from.clone(),
            point: from.clone(),
            values: form.room(),
            away: vec![0.0; form.size],
            goal,
            is_reached: Rc::default(),
            form,
        }
    }

    /// Tells whether the last point whose derivatives were asked for is one to go on from.
    pub fn is_reached(&self) -> Rc<Cell<bool>> {
        self.is_reached.clone()
    }

    /// The start: p and n that minimise the program with µ at the given rows.
    pub fn start(&self, rows: &[f64], mu: f64) -> Vec<f64> {
        let mut x = self.from.x.clone();
        x.extend(&self.from.s);
        let n_of = |c: f64| {
            // n² + b n + d = 0 with b, d of the stationary point; p = c + n.
            let half = (mu - WEIGHT * c) / (2.0 * WEIGHT);
            half + (half * half + mu * c / (2.0 * WEIGHT)).sqrt()
        };
        let n: Vec<f64> = rows.iter().map(|&c| n_of(c)).collect();
        x.extend(rows.iter().zip(&n).map(|(c, n)| c + n));
        x.extend(n);
        x
    }

    /// The point of the program that this one is for.
    pub fn split(&self, x: &[f64]) -> Point {
        let own = self.from.x.len();
        Point { x: x[..own].to_vec(), s: x[own..own + self.from.s.len()].to_vec() }
    }

    fn take(&mut self, x: &[f64]) {
        let own = self.from.x.len();
        self.point.x.copy_from_slice(&x[..own]);
        self.point.s.copy_from_slice(&x[own..own + self.from.s.len()]);
    }

    /// y − y_R.
    fn measure(&mut self) {
        let n = self.form.n;
        self.form.program.away(&self.point.x, &self.from.x, &mut self.away[..n]);
        let slacks = self.away[n..].iter_mut().zip(&self.point.s).zip(&self.from.s);
        slacks.for_each(|((out, s), from)| *out = s - from);
    }
}

impl Program for Restoration<'_, '_> {
    fn unknowns(&self) -> usize {
        self.form.size + 2 * self.form.m
    }

    fn rows(&self) -> usize {
        self.form.m
    }

    fn unknown_range(&self, unknown: usize) -> Range {
        if unknown >= self.form.size {
            Range::at_least(0.0)
        } else if self.form.pinned[unknown] {
            // It does not move, whatever its number is.
            Range::exactly(self.form.coordinate(&self.from, unknown))
        } else {
            Range { lower: self.form.lower[unknown], upper: self.form.upper[unknown] }
        }
    }

    fn row_range(&self, _row: usize) -> Range {
        Range::exactly(0.0)
    }

    fn coordinate(&self, x: &[f64], unknown: usize) -> f64 {
        let own = self.from.x.len();
        if unknown < self.form.n {
            self.form.program.coordinate(&x[..own], unknown)
        } else {
            // Slacks, p and n lie behind each other.
            x[own + unknown - self.form.n]
        }
    }

    fn move_by(&mut self, x: &[f64], d: &[f64], alpha: f64, out: &mut [f64]) {
        let own = self.from.x.len();
        let n = self.form.n;
        self.form.program.move_by(&x[..own], &d[..n], alpha, &mut out[..own]);
        let rest = out[own..].iter_mut().zip(&x[own..]).zip(&d[n..]);
        rest.for_each(|((out, x), d)| *out = x + alpha * d);
    }

    fn objective(&mut self, x: &[f64]) -> Result<f64, NoValue> {
        self.take(x);
        self.measure();
        let both: f64 = x[x.len() - 2 * self.form.m..].iter().sum();
        let pull: f64 = self.away.iter().zip(&self.pull).map(|(away, pull)| 0.5 * pull * away * away).sum();
        Ok(WEIGHT * both + pull)
    }

    fn gradient(&mut self, x: &[f64], out: &mut [f64]) -> Result<(), NoValue> {
        self.take(x);
        self.measure();
        out.fill(WEIGHT);
        let parts = out.iter_mut().zip(&self.away).zip(&self.pull);
        parts.for_each(|((out, away), pull)| *out = pull * away);
        Ok(())
    }

    fn conditions(&mut self, x: &[f64], out: &mut [f64]) -> Result<(), NoValue> {
        self.take(x);
        self.form.evaluate(&self.point, &mut self.values)?;
        let m = self.form.m;
        let (p, n) = x[x.len() - 2 * m..].split_at(m);
        for k in 0..m {
            out[k] = self.values.rows[k] - p[k] + n[k];
        }
        Ok(())
    }

    fn jacobian_places(&self) -> Vec<(usize, usize)> {
        let (size, m) = (self.form.size, self.form.m);
        let mut places = self.form.jacobian_places.clone();
        places.extend((0..m).map(|k| (k, size + k)));
        places.extend((0..m).map(|k| (k, size + m + k)));
        places
    }

    fn jacobian(&mut self, x: &[f64], out: &mut [f64]) -> Result<(), NoValue> {
        self.take(x);
        self.form.evaluate(&self.point, &mut self.values)?;
        self.form.differentiate(&self.point, &mut self.values)?;
        let theta = violation(&self.values.rows);
        let phi = self.form.barrier(&self.point, &self.values, self.goal.mu);
        self.is_reached.set(theta <= self.goal.theta && self.goal.filter.accepts(theta, phi));
        let own = self.values.jacobian.len();
        out[..own].copy_from_slice(&self.values.jacobian);
        out[own..own + self.form.m].fill(-1.0);
        out[own + self.form.m..].fill(1.0);
        Ok(())
    }

    fn hessian_places(&self) -> Vec<(usize, usize)> {
        let mut places = self.form.hessian_places.clone();
        places.extend((0..self.form.size).map(|i| (i, i)));
        places
    }

    fn hessian(&mut self, x: &[f64], w: f64, lambda: &[f64], out: &mut [f64]) -> Result<(), NoValue> {
        self.take(x);
        let own = out.len() - self.form.size;
        // Of the rows alone.
        let factor = std::mem::replace(&mut self.form.objective_factor, 0.0);
        let result = self.form.hessian(&self.point, lambda, &mut out[..own]);
        self.form.objective_factor = factor;
        out[own..].iter_mut().zip(&self.pull).for_each(|(out, pull)| *out = w * pull);
        result
    }
}
