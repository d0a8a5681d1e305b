//! Rows of formulas as a constraint.

use super::evaluate::{gather, push_all};
use super::{Equations, NO_SECOND};
use crate::constraint::{Configuration, Constraint, Levels};
use crate::coordinate::Coordinate;
use crate::discrete_gradients::StepEnds;
use crate::element_buffers::{Blocks, Gradients, MAX_MEMORY, MAX_ROWS};
use crate::nodes::carried::Carried;
use poinsot_expr::Jet;
use poinsot_geometry::Vec3;

impl Constraint for Equations {
    fn kind(&self) -> &'static str {
        self.kind
    }

    fn noun(&self) -> &'static str {
        self.noun
    }

    fn row_name(&self, k: usize) -> &'static str {
        self.rows[k].name
    }

    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn carried(&self) -> &[Carried] {
        &self.carried
    }

    fn reaction_point(&self) -> usize {
        self.reaction_point
    }

    fn is_velocity_row(&self, k: usize) -> bool {
        !self.rows[k].speeds.is_empty()
    }

    fn memories(&self) -> usize {
        self.coordinates.len()
    }

    fn remembered(&self) -> Vec<&Coordinate> {
        self.coordinates().collect()
    }

    fn start_memory(&self, memory: &mut [f64]) {
        memory.copy_from_slice(&self.near);
    }

    fn remember(&self, at: &Configuration, memory: &mut [f64]) {
        for (k, slot) in memory.iter_mut().enumerate() {
            *slot = self.coordinate(k, at);
        }
    }

    fn residual(&self, at: &Configuration, phi: &mut [f64]) {
        for (value, row) in phi.iter_mut().zip(&self.rows) {
            if row.speeds.is_empty() {
                *value = row.law.residual(&self.arguments(row, at, None));
            }
        }
    }

    fn evaluate(
        &self,
        at: &Configuration,
        lambda: &[f64],
        f: &mut [Vec3],
        wanted: Levels,
        _g: &mut Gradients,
    ) {
        match self.rows.len() {
            1 => self.evaluate_rows::<1>(at, lambda, f, wanted),
            _ => self.evaluate_rows::<MAX_ROWS>(at, lambda, f, wanted),
        }
    }

    fn gradients(&self, at: &Configuration, g: &mut Gradients) {
        for (k, row) in self.rows.iter().enumerate() {
            if !row.speeds.is_empty() {
                self.push_velocity_gradients(k, at, g);
                continue;
            }
            let first = self.first(row, at, None);
            self.add_slopes(k, at.x, &first[1..], g);
        }
    }

    fn rate_gradients(&self, at: &Configuration, xdot: &[Vec3], g: &mut Gradients) {
        for (k, row) in self.rows.iter().enumerate() {
            let m = row.coordinates.len();
            if !row.speeds.is_empty() {
                let first = self.first(row, at, Some(xdot));
                self.add_slopes(k, at.x, &first[1..=m], g);
                for (&w, &by) in row.speeds.iter().zip(&first[1 + m..]) {
                    let (speed, places) = &self.speeds[w];
                    let slope = speed.slope(&gather(places, at.x), &gather(places, xdot));
                    push_all(k, places, speed.carried().len(), &slope, by, g);
                }
            } else if self.bent[k] {
                let mut second = NO_SECOND;
                let first = self.second(row, at, &mut second);
                let rates = self.rates(row, at.x, xdot);
                let mut by = [0.0; MAX_MEMORY];
                for (j, by) in by[..m].iter_mut().enumerate() {
                    let sum: f64 = (0..m).map(|l| second[Jet::place(j, l)] * rates[l]).sum();
                    *by = sum + second[Jet::place(j, m)];
                }
                self.add_slope_rates(k, at.x, xdot, &first[1..=m], g);
                self.add_slopes(k, at.x, &by[..m], g);
            } else {
                self.add_slope_rates(k, at.x, xdot, &self.first(row, at, None)[1..=m], g);
            }
        }
    }

    fn hessian(&self, at: &Configuration, lambda: &[f64], h: &mut Blocks) {
        for (k, &lambda) in lambda.iter().enumerate().take(self.rows.len()).filter(|(_, l)| **l != 0.0) {
            self.push_hessian(k, at, lambda, h);
        }
    }

    fn is_quadratic(&self) -> bool {
        self.rows_are_quadratic()
    }

    fn discrete_gradients(&self, step: &StepEnds, g: &mut Gradients) {
        for (k, row) in self.rows.iter().enumerate() {
            match row.speeds.len() {
                0 => self.push_discrete_gradients(k, step, g),
                _ => self.push_velocity_gradients(k, &step.middle(), g),
            }
        }
    }

    fn discrete_hessian(&self, step: &StepEnds, lambda: &[f64], h: &mut Blocks) {
        for (k, row) in self.rows.iter().enumerate().filter(|(k, _)| lambda[*k] != 0.0) {
            match row.speeds.len() {
                0 => self.push_discrete_hessian(row, step, lambda[k], h),
                _ => self.push_hessian(k, &step.middle(), 0.5 * lambda[k], h),
            }
        }
    }

    fn is_driven(&self) -> bool {
        self.rows.iter().any(|row| row.law.is_driven(row.coordinates.len(), row.speeds.len()))
    }

    fn drift(&self, at: &Configuration, out: &mut [f64]) {
        for (out, row) in out.iter_mut().zip(&self.rows) {
            *out = match row.speeds.len() {
                0 => self.first(row, at, None)[1 + row.coordinates.len()],
                _ => row.law.residual(&self.arguments(row, at, None)),
            };
        }
    }

    fn drift_rate(&self, at: &Configuration, xdot: &[Vec3], out: &mut [f64]) {
        for (out, row) in out.iter_mut().zip(&self.rows) {
            let (m, p) = (row.coordinates.len(), row.speeds.len());
            *out = if p == 0 {
                let mut second = NO_SECOND;
                self.second(row, at, &mut second);
                let rates = self.rates(row, at.x, xdot);
                second[Jet::place(m, m)] + (0..m).map(|j| second[Jet::place(j, m)] * rates[j]).sum::<f64>()
            } else {
                self.first(row, at, Some(xdot))[1 + m + p]
            };
        }
    }
}
