//! Rigidity of directors as six rows with multipliers.

use crate::conserving::Rule;
use crate::conserving::layout::{Conserving, Internal};
use crate::conserving::step::ConservingStep;
use crate::nodes::chart::Frame;
use crate::nodes::natural::FrameRate;
use poinsot_geometry::Mat3;

/// Pairs of directors whose products are the rows of rigidity.
const PAIRS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];

/// The rows of rigidity at the end. They hold at the start, so that only what changes counts: Δ(d_I·d_J) =
/// d_I·δ_J + δ_I·d_J + δ_I·δ_J, added to what is left open at the start.
pub(super) fn internal_residual(change: &FrameRate, start: &Frame, out: &mut [f64]) {
    let d = |k: usize| start.rot.column(k);
    let delta = |k: usize| change.rot.column(k);
    for (out, &(i, j)) in out.iter_mut().zip(&PAIRS) {
        let open = d(i).dot(&d(j)) - f64::from(u8::from(i == j));
        let changed = d(i).dot(&delta(j)) + delta(i).dot(&d(j)) + delta(i).dot(&delta(j));
        *out = (open + changed) * if i == j { 0.5 } else { 1.0 };
    }
}

/// λ·(g⁺ − g) of the rows of rigidity, where they give way.
pub(super) fn internal_work(i: &Internal, step: &ConservingStep) -> f64 {
    let (mut before, mut after) = ([0.0; 6], [0.0; 6]);
    internal_residual(&FrameRate::zero(), &step.start[i.node], &mut before);
    internal_residual(&step.change[i.node], &step.start[i.node], &mut after);
    (0..6).map(|k| step.lambda[i.eq + k] * (after[k] - before[k])).sum()
}

/// ∂g/∂(r, d₁, d₂, d₃).
pub(super) fn internal_gradients(z: &Frame, rows: &mut [[f64; 12]; 6]) {
    for (row, &(i, j)) in rows.iter_mut().zip(&PAIRS) {
        let share = if i == j { 0.5 } else { 1.0 };
        for k in 0..3 {
            row[3 + 3 * i + k] += share * z.rot[(k, j)];
            row[3 + 3 * j + k] += share * z.rot[(k, i)];
        }
    }
}

/// Gdᵀ λ of the rows of rigidity.
pub(super) fn internal_forces(i: &Internal, rule: Rule, step: &mut ConservingStep) {
    let z = if rule == Rule::Variational { &step.start[i.node] } else { &step.mean[i.node] };
    step.forces[i.node].rot += z.rot * internal_table(i, &step.lambda);
}

/// The multipliers of rigidity as a symmetric table: Gᵀλ = R Λ.
pub(super) fn internal_table(i: &Internal, lambda: &[f64]) -> Mat3 {
    let l = &lambda[i.eq..i.eq + 6];
    Mat3::new(l[0], l[3], l[4], l[3], l[1], l[5], l[4], l[5], l[2])
}

/// Rates of the rows of rigidity for directors that move at the given rate.
pub(super) fn internal_rates(rate: &FrameRate, z: &Frame, out: &mut [f64]) {
    for (out, &(i, j)) in out.iter_mut().zip(&PAIRS) {
        let moved = z.rot.column(i).dot(&rate.rot.column(j)) + rate.rot.column(i).dot(&z.rot.column(j));
        *out = moved * if i == j { 0.5 } else { 1.0 };
    }
}

impl Conserving<'_> {
    /// Forces of rigidity on the directors of a node, and Σ λ ∂²g/∂d² as a 3×3 table.
    pub(super) fn add_internal(
        &self,
        i: &Internal,
        rule: Rule,
        step: &ConservingStep,
        beta: f64,
        values: &mut [f64],
    ) {
        let tested = self.tested(rule, step, i.node);
        let (mut upper, mut lower) = ([[0.0; 12]; 6], [[0.0; 12]; 6]);
        internal_gradients(tested, &mut upper);
        internal_gradients(&step.end[i.node], &mut lower);
        for (slots, rows) in [(&i.upper, &upper), (&i.lower, &lower)] {
            for (slot, value) in slots.iter().zip(rows.as_flattened()) {
                values[*slot as usize] += value;
            }
        }
        if rule == Rule::Variational {
            return;
        }
        let l = &step.lambda[i.eq..i.eq + 6];
        let table = [[l[0], l[3], l[4]], [l[3], l[1], l[5]], [l[4], l[5], l[2]]];
        let block = &self.node_blocks[i.node];
        for (a, row) in table.iter().enumerate() {
            for (b, value) in row.iter().enumerate() {
                for k in 0..3 {
                    let slot = block[(3 + 3 * a + k) * 12 + 3 + 3 * b + k] as usize;
                    values[slot] += 0.5 * beta * value;
                }
            }
        }
    }
}
