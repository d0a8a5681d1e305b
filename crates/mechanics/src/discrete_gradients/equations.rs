//! Rows F(s₁ … s_m, t) over a step: a discrete gradient in the space of the coordinates, and their discrete
//! slopes.
//!
//! ```text
//! Gd_a = Σ_j D_j S_ja,                          D of f(s) = ½(F(s, t) + F(s, t⁺))
//! ∂Gd_a/∂x⁺_b = Σ_j D_j ∂S_ja/∂x⁺_b + Σ_jl (∂D_j/∂s⁺_l) S_ja ⊗ (∂s_l/∂x_b)⁺
//! Σ_a Gd_a·(x⁺_a − x_a) = f(s⁺) − f(s),        the part of F⁺ − F that is due to s
//! ```
//! Momentum is kept as the coordinates keep it (energy-momentum-null-space I-14).

use crate::constraint::Configuration;
use crate::coordinate::Coordinate;
use crate::discrete_gradients::StepEnds;
use crate::discrete_gradients::scalar::{ScalarFunction, ScalarStep};
use crate::element_buffers::{Blocks, Gradients, MAX_CONSTRAINED, MAX_MEMORY};
use crate::equations::{Equation, Equations, Law, MAX_ARGUMENTS, NONE, gather, push_all, renumber};
use poinsot_geometry::Mat3;

/// f(s) = mean of F(s, t) over some times.
struct Mean<'a> {
    law: &'a Law,
    times: &'a [f64],
}

impl Mean<'_> {
    fn average(&self, y: &[f64], f: impl Fn(&[f64]) -> f64) -> f64 {
        let mut values = [0.0; MAX_ARGUMENTS];
        values[..y.len()].copy_from_slice(y);
        let sum: f64 = self
            .times
            .iter()
            .map(|&t| {
                values[y.len()] = t;
                f(&values)
            })
            .sum();
        sum / self.times.len() as f64
    }
}

impl ScalarFunction for Mean<'_> {
    fn value(&self, y: &[f64]) -> f64 {
        self.average(y, |values| self.law.value(values))
    }

    fn partial(&self, i: usize, y: &[f64]) -> f64 {
        self.average(y, |values| self.law.partial(i, values))
    }

    fn second(&self, i: usize, j: usize, y: &[f64]) -> f64 {
        self.average(y, |values| self.law.second(i, j, values))
    }
}

impl Equation {
    /// Whether F is a linear relation; an expression without second derivatives may still have kinks.
    fn is_linear(&self) -> bool {
        matches!(self.law, Law::Linear { .. })
    }

    /// The times of the mean in [`Mean`]: both ends, or one of them where t does not enter the slopes.
    fn times(&self, step: &StepEnds) -> ([f64; 2], usize) {
        let depends = match &self.law {
            Law::Expression(f) => f.depends_on(self.coordinates.len()),
            Law::Linear { .. } => false,
        };
        ([step.time(0.0), step.time(1.0)], if depends { 2 } else { 1 })
    }
}

impl Equations {
    /// Whether every holonomic row is a linear relation of coordinates that are at most quadratic, free of t.
    pub(crate) fn rows_are_quadratic(&self) -> bool {
        let quadratic = |row: &Equation| {
            let coordinates = row.coordinates.iter().all(|&j| self.coordinates[j].0.is_quadratic());
            !row.speeds.is_empty() || coordinates && row.is_linear()
        };
        let free = |row: &Equation| !row.law.is_driven(row.coordinates.len(), row.speeds.len());
        self.rows.iter().all(|row| quadratic(row) && free(row))
    }

    /// The coordinates of a row over a step.
    fn scalars(&self, row: &Equation, step: &StepEnds) -> ScalarStep {
        let mut scalars = ScalarStep { count: row.coordinates.len(), ..ScalarStep::default() };
        for (i, &j) in row.coordinates.iter().enumerate() {
            let (s, places) = &self.coordinates[j];
            let (from, to) = (gather(places, step.from), gather(places, step.to));
            scalars.from[i] = s.value(&from, step.memory[j]);
            scalars.change[i] = s.change(&from, &to);
            scalars.weight[i] = weight(s, self.arm);
        }
        scalars
    }

    /// D of a holonomic row.
    fn mean_partials(&self, row: &Equation, step: &StepEnds) -> [f64; MAX_MEMORY] {
        let (times, count) = row.times(step);
        let mean = Mean { law: &row.law, times: &times[..count] };
        if row.is_linear() {
            let y = [0.0; MAX_MEMORY];
            let m = row.coordinates.len();
            return std::array::from_fn(|j| if j < m { mean.partial(j, &y[..m]) } else { 0.0 });
        }
        self.scalars(row, step).gradient(&mean)
    }

    /// Gd of holonomic row `k`.
    pub(crate) fn push_discrete_gradients(&self, k: usize, step: &StepEnds, g: &mut Gradients) {
        let row = &self.rows[k];
        let d = self.mean_partials(row, step);
        for (&j, &d) in row.coordinates.iter().zip(&d).filter(|(_, d)| **d != 0.0) {
            let (s, places) = &self.coordinates[j];
            let slope = s.discrete_slope(&gather(places, step.from), &gather(places, step.to));
            push_all(k, places, s.carried().len(), &slope, d, g);
        }
    }

    /// λ ∂Gd_a/∂x⁺_b of a holonomic row.
    pub(crate) fn push_discrete_hessian(&self, row: &Equation, step: &StepEnds, lambda: f64, h: &mut Blocks) {
        let d = self.mean_partials(row, step);
        for (&j, &d) in row.coordinates.iter().zip(&d).filter(|(_, d)| **d != 0.0) {
            let (s, places) = &self.coordinates[j];
            let from = h.entries().len();
            s.discrete_curvature(&gather(places, step.from), &gather(places, step.to), lambda * d, h);
            renumber(h, from, places);
        }
        if !row.is_linear() {
            self.push_discrete_cross_terms(row, step, lambda, h);
        }
    }

    /// λ Σ_jl (∂D_j/∂s⁺_l) S_ja ⊗ (∂s_l/∂x_b)⁺, pair by pair of carried vectors.
    fn push_discrete_cross_terms(&self, row: &Equation, step: &StepEnds, lambda: f64, h: &mut Blocks) {
        let (times, count) = row.times(step);
        let mean = Mean { law: &row.law, times: &times[..count] };
        let by = self.scalars(row, step).derivative(&mean);
        let mut grid = [[Mat3::zeros(); MAX_CONSTRAINED]; MAX_CONSTRAINED];
        for (&j, line) in row.coordinates.iter().zip(&by) {
            let (s, rows) = &self.coordinates[j];
            let left = s.discrete_slope(&gather(rows, step.from), &gather(rows, step.to));
            for (&l, &second) in row.coordinates.iter().zip(line).filter(|(_, second)| **second != 0.0) {
                let columns = &self.coordinates[l].1;
                let right = self.slope(l, step.to);
                for (a, left) in rows.iter().zip(&left).filter(|(a, _)| **a != NONE) {
                    for (b, right) in columns.iter().zip(&right).filter(|(b, _)| **b != NONE) {
                        grid[*a][*b] += left * right.transpose() * (second * lambda);
                    }
                }
            }
        }
        self.push_grid(&grid, h);
    }

    /// G at the mean of a row on velocities.
    pub(crate) fn push_velocity_gradients(&self, k: usize, at: &Configuration, g: &mut Gradients) {
        let row = &self.rows[k];
        let first = self.first(row, at, None);
        let m = row.coordinates.len();
        for (&w, &by) in row.speeds.iter().zip(&first[1 + m..]) {
            let (speed, places) = &self.speeds[w];
            let weights = speed.weights(&gather(places, at.x));
            push_all(k, places, speed.carried().len(), &weights, by, g);
        }
    }
}

/// Weight of a coordinate among those of a row: 1/L² for a length, 1 for a number.
fn weight(s: &Coordinate, arm: f64) -> f64 {
    let is_length = match s {
        Coordinate::Distance(_) | Coordinate::Displacement(_) => true,
        Coordinate::Component([of], _) => of.is_place(),
        Coordinate::Angle(_) | Coordinate::Cosine(_) => false,
    };
    if is_length { 1.0 / (arm * arm) } else { 1.0 }
}
