//! The Jacobian of all constraint rows in a metric of lengths, independent of masses.
//!
//! ```text
//! [ D  Gᵀ ]        D = 1 for translations, L² for rotations with the mean arm L of the joints
//! [ G  0  ]
//! ```
//! Rank, dependence, distance to a singular position and the least reactions are questions to this matrix:
//! its answers are about geometry only, and have no units that could mislead.

use crate::assembly::{Linearization, Scratch, reported};
use crate::element_buffers::MAX_ROWS;
use crate::nodes::carried::GROUND;
use crate::nodes::chart::Chart;
use crate::system::state::Instant;
use crate::system::{NO_EQUATION, System};
use poinsot_geometry::{Mat3, Vec3};

/// An arm below this share of the model's length is rounding.
const NO_ARM: f64 = 1e-9;

impl System {
    /// The length by which rotations compare with translations: the mean distance of joints from the centres
    /// of their bodies, or the model's length where that is zero but for rounding.
    pub fn arm(&self) -> f64 {
        let length = self.length_scale();
        let points = self.constraints.iter().flat_map(|c| c.law.carried());
        let arms = points.filter(|c| c.is_place() && c.node != GROUND).map(|c| c.c.norm());
        let (sum, count) = arms
            .filter(|arm| *arm > NO_ARM * length)
            .fold((0.0, 0), |(sum, count), arm| (sum + arm, count + 1));
        if count > 0 { sum / f64::from(count) } else { length }
    }

    /// The matrix [D Gᵀ; G 0] with every row that has an equation, suspended or not, into the slots of the
    /// pattern.
    pub fn kinematic_matrix(&self, at: &Instant, length: f64, values: &mut [f64], s: &mut Scratch) {
        values.fill(0.0);
        for node in &self.nodes {
            for (k, i) in node.unknowns().enumerate() {
                if let Some(slot) = self.pattern.index(i, i) {
                    values[slot] = metric(&node.chart, k, length);
                }
            }
        }
        self.networks.iter().flat_map(|n| &n.diagonal).for_each(|&slot| values[slot as usize] = 1.0);
        for entry in &self.constraints {
            self.local_jacobian(entry, at, s);
            let places = entry.places_at(at.frames);
            let unknowns = places.unknowns.len().max(1);
            let (lower, upper) = (places.lower.chunks_exact(unknowns), places.upper.chunks_exact(unknowns));
            for (((row, lower), upper), &eq) in s.local.g.iter().zip(lower).zip(upper).zip(&places.numbers) {
                if eq != NO_EQUATION {
                    for ((value, &l), &u) in row.iter().zip(lower).zip(upper) {
                        values[l as usize] += value;
                        values[u as usize] += value;
                    }
                }
            }
        }
    }

    /// Puts the masses in the place of D into a matrix of [`System::kinematic_matrix`]; returns the mean mass
    /// of a body, which stands for parameters too.
    pub fn mass_in_place_of_metric(&self, at: &Instant, values: &mut [f64], s: &mut Scratch) -> f64 {
        let (sum, count) = self.masses().fold((0.0, 0), |(sum, count), mass| (sum + mass, count + 1));
        let mean = if sum > 0.0 { sum / f64::from(count) } else { 1.0 };
        for node in &self.nodes {
            let weight = if node.chart == Chart::Parameter { mean } else { 0.0 };
            node.unknowns().filter_map(|i| self.pattern.index(i, i)).for_each(|slot| values[slot] = weight);
        }
        let identity = vec![Mat3::identity(); self.nodes.len()];
        let linearization = Linearization::at(*at, &identity);
        self.add_inertia(&linearization, values, s);
        mean
    }

    /// Size of each row of G in the metric of lengths, √(G D⁻¹ Gᵀ)_kk, in the constraint entries of `out`.
    pub fn row_sizes(&self, at: &Instant, length: f64, out: &mut [f64], s: &mut Scratch) {
        for entry in &self.constraints {
            self.local_jacobian(entry, at, s);
            let places = entry.places_at(at.frames);
            let mut size = [0.0; MAX_ROWS];
            for &(node, local) in &places.nodes {
                let chart = &self.nodes[node].chart;
                for k in 0..chart.dofs() {
                    let weight = 1.0 / metric(chart, k, length);
                    for (size, row) in size.iter_mut().zip(s.local.g.iter()).take(places.numbers.len()) {
                        *size += weight * row[local + k] * row[local + k];
                    }
                }
            }
            for (size, &eq) in size.iter().zip(&places.numbers).filter(|(_, eq)| **eq != NO_EQUATION) {
                out[eq] = size.sqrt();
            }
        }
    }

    /// Weight of each row's multiplier in newtons: the largest translation part of its gradient, or, for a
    /// row that only turns, the rotation part over the arm; in the constraint entries of `out`.
    pub fn reaction_weights(&self, at: &Instant, arm: f64, out: &mut [f64], s: &mut Scratch) {
        for entry in &self.constraints {
            self.local_jacobian(entry, at, s);
            let places = entry.places_at(at.frames);
            for (row, &eq) in s.local.g.iter().zip(&places.numbers).filter(|(_, eq)| **eq != NO_EQUATION) {
                let (mut push, mut turn) = (0.0f64, 0.0f64);
                for &(node, local) in &places.nodes {
                    let chart = &self.nodes[node].chart;
                    let (linear, angular) = row[local..local + chart.dofs()].split_at(chart.linear_dofs());
                    let norm = |part: &[f64]| part.iter().map(|g| g * g).sum::<f64>().sqrt();
                    push = push.max(norm(linear));
                    turn = turn.max(norm(angular));
                }
                out[eq] = if push > 0.0 { push } else { turn / arm };
            }
        }
    }

    /// Adds Gᵀ(q) μ with every row that has an equation, suspended or not.
    pub fn add_all_pulls(&self, at: &Instant, mu: &[f64], out: &mut [f64], s: &mut Scratch) {
        for entry in &self.constraints {
            let (law, places) = (entry.working(), entry.places_at(at.frames));
            let n = places.carried.len();
            self.positions(places, at.frames, s);
            s.f[..n].fill(Vec3::zeros());
            let here = entry.configuration(self.law_time(at.t), at.memory, &s.x[..n]);
            law.pull(&here, &reported(places, mu)[..law.rows()], &mut s.f[..n], &mut s.gradients);
            self.scatter_force(places, at.frames, &s.f, 1.0, out);
        }
    }
}

/// D of unknown `k` of a chart.
fn metric(chart: &Chart, k: usize, length: f64) -> f64 {
    if k < chart.linear_dofs() { 1.0 } else { length * length }
}
