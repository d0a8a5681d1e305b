//! Rigidity of directors as rows with multipliers: six of a body in space, one of a body in a plane.

use crate::conserving::Rule;
use crate::conserving::layout::{Conserving, Internal};
use crate::conserving::step::ConservingStep;
use crate::nodes::chart::Frame;
use crate::nodes::natural::FrameRate;
use poinsot_geometry::Mat3;

/// Pairs of directors whose products are the rows of rigidity of a body in space.
const PAIRS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];

impl Internal {
    /// The rows of rigidity at the end. They hold at the start, so that only what changes counts: Δ(d_I·d_J)
    /// = d_I·δ_J + δ_I·d_J + δ_I·δ_J, added to what is left open at the start. In a plane Δg = ½ R:δ + ¼ δ:δ.
    pub(super) fn residual(&self, change: &FrameRate, start: &Frame, out: &mut [f64]) {
        let out = &mut out[self.rows()];
        if self.plane.is_some() {
            let (r, delta) = (&start.rot, &change.rot);
            out[0] = 0.25 * (r.norm_squared() - 3.0) + 0.5 * r.dot(delta) + 0.25 * delta.norm_squared();
            return;
        }
        let d = |k: usize| start.rot.column(k);
        let delta = |k: usize| change.rot.column(k);
        for (out, &(i, j)) in out.iter_mut().zip(&PAIRS) {
            let open = d(i).dot(&d(j)) - f64::from(u8::from(i == j));
            let changed = d(i).dot(&delta(j)) + delta(i).dot(&d(j)) + delta(i).dot(&delta(j));
            *out = (open + changed) * if i == j { 0.5 } else { 1.0 };
        }
    }

    /// λ·(g⁺ − g), where the rows give way.
    pub(super) fn work(&self, step: &ConservingStep) -> f64 {
        let (mut before, mut after) = ([0.0; 6], [0.0; 6]);
        let here = self.at_zero();
        here.residual(&FrameRate::zero(), &step.start[self.node], &mut before);
        here.residual(&step.change[self.node], &step.start[self.node], &mut after);
        (0..self.count()).map(|k| step.lambda[self.eq + k] * (after[k] - before[k])).sum()
    }

    /// ∂g/∂(r, d₁, d₂, d₃), or in a plane ∂g/∂(x, y, a, b): the first entries of the first row.
    pub fn gradients(&self, rot: &Mat3) -> [[f64; 12]; 6] {
        let mut rows = [[0.0; 12]; 6];
        if let Some(plane) = &self.plane {
            rows[0][..4].copy_from_slice(&plane.gradient(rot));
            return rows;
        }
        for (row, &(i, j)) in rows.iter_mut().zip(&PAIRS) {
            let share = if i == j { 0.5 } else { 1.0 };
            for k in 0..3 {
                row[3 + 3 * i + k] += share * rot[(k, j)];
                row[3 + 3 * j + k] += share * rot[(k, i)];
            }
        }
        rows
    }

    /// Adds the gradients to their slots.
    pub(super) fn add_gradients(&self, rot: &Mat3, slots: &[u32], values: &mut [f64]) {
        let rows = self.gradients(rot);
        for (slots, row) in slots.chunks_exact(self.unknowns()).zip(&rows) {
            slots.iter().zip(row).for_each(|(&slot, value)| values[slot as usize] += value);
        }
    }

    /// The multipliers as a symmetric table: Gᵀλ = R Λ.
    pub(super) fn table(&self, lambda: &[f64]) -> Mat3 {
        let l = &lambda[self.rows()];
        if self.plane.is_some() {
            return Mat3::identity() * (0.5 * l[0]);
        }
        Mat3::new(l[0], l[3], l[4], l[3], l[1], l[5], l[4], l[5], l[2])
    }

    /// Rates of the rows for directors that move at the given rate.
    pub(super) fn rates(&self, rate: &FrameRate, z: &Frame, out: &mut [f64]) {
        let out = &mut out[self.rows()];
        if self.plane.is_some() {
            out[0] = 0.5 * z.rot.dot(&rate.rot);
            return;
        }
        for (out, &(i, j)) in out.iter_mut().zip(&PAIRS) {
            let moved = z.rot.column(i).dot(&rate.rot.column(j)) + rate.rot.column(i).dot(&z.rot.column(j));
            *out = moved * if i == j { 0.5 } else { 1.0 };
        }
    }

    /// Adds `factor` Σ λ ∂²g/∂d² to the block of the node, of which `slots` are the places row by row. In a
    /// plane that is λ on the diagonal of a and b.
    pub(super) fn add_hessian(&self, lambda: &[f64], factor: f64, slots: &[u32], values: &mut [f64]) {
        let n = self.unknowns();
        let mut add = |i: usize, j: usize, value: f64| values[slots[i * n + j] as usize] += factor * value;
        if self.plane.is_some() {
            let l = lambda[self.eq];
            add(2, 2, l);
            add(3, 3, l);
            return;
        }
        let table = self.table(lambda);
        for a in 0..3 {
            for b in 0..3 {
                (0..3).for_each(|k| add(3 + 3 * a + k, 3 + 3 * b + k, table[(a, b)]));
            }
        }
    }
}

/// Gdᵀ λ of the rows of rigidity.
pub(super) fn internal_forces(i: &Internal, rule: Rule, step: &mut ConservingStep) {
    let z = if rule == Rule::Variational { &step.start[i.node] } else { &step.mean[i.node] };
    step.forces[i.node].rot += z.rot * i.table(&step.lambda);
}

impl Conserving<'_> {
    /// Forces of rigidity on the directors of a node, and Σ λ ∂²g/∂d².
    pub(super) fn add_internal(
        &self,
        i: &Internal,
        rule: Rule,
        step: &ConservingStep,
        beta: f64,
        values: &mut [f64],
    ) {
        i.add_gradients(&self.tested(rule, step, i.node).rot, &i.upper, values);
        i.add_gradients(&step.end[i.node].rot, &i.lower, values);
        if rule != Rule::Variational {
            i.add_hessian(&step.lambda, 0.5 * beta, &self.node_blocks[i.node], values);
        }
    }
}
