//! Point on a curve: the second origin stays on a curve r(s) that is fixed to the first attachment.
//!
//! ```text
//! Φ = x₂ − x₁ − Σ_k r_k(s) u_k = 0        (3 rows)
//! ```
//! The place s on the curve is an unknown of its own without mass; it is determined by the rows, and offered
//! as the joint's coordinate. Where r′(s) ≠ 0 two degrees of freedom are taken away.
//!
//! Over a step, with p = Σ_k r_k u_k, its mean p̄ over the ends, and the basis ũ_k dual to the mean axes ū_k
//! (ũ_k·ū_j = δ_kj),
//!
//! ```text
//! r_k = u_k·p   ⇒   Δr_k = ū_k·Δp + p̄·Δu_k   ⇒   ΔΦ = Δx₂ − Δx₁ + Σ_k ũ_k (p̄·Δu_k − Δr_k)
//! Gd:   I at x₂,  −I at x₁,  ũ_k ⊗ p̄ at u_k,  −Σ_k ũ_k Δr_k/Δs at s
//! ```
//! exactly, and Σ mean × force = (x̄₂ − x̄₁ − p̄)×λ vanishes on the curve (r_k times the mean would leave ¼
//! ΣΔr_k Δu_k × λ).

use super::rows::Attachment;
use crate::constraint::{Configuration, Constraint};
use crate::coordinate::Coordinate;
use crate::discrete_gradients::StepEnds;
use crate::discrete_gradients::{ScalarFunction, ScalarStep};
use crate::element_buffers::{Blocks, Gradients};
use crate::nodes::carried::{Carried, NodeId};
use poinsot_expr::SmoothFunction;
use poinsot_geometry::{Mat3, Vec3};

/// Keeps a point on a parametrised curve.
#[derive(Clone, Debug)]
pub struct PointOnCurve {
    /// x₁, x₂, u₁, u₂, u₃ and the parameter.
    carried: [Carried; 6],
    curve: [SmoothFunction; 3],
}

/// Keeps the second origin on the curve with components r_k(s) in the axes of the first attachment;
/// `parameter` is the node that holds s.
pub fn point_on_curve(
    first: &Attachment,
    second: &Attachment,
    parameter: NodeId,
    curve: [SmoothFunction; 3],
) -> PointOnCurve {
    let place = Carried::point(parameter, Vec3::zeros());
    let carried = [first.point(), second.point(), first.axis(0), first.axis(1), first.axis(2), place];
    PointOnCurve { carried, curve }
}

/// The place on the curve as a coordinate.
pub fn curve_parameter(parameter: NodeId) -> Coordinate {
    Coordinate::component(Carried::point(parameter, Vec3::zeros()), 0)
}

/// Derivatives r_k^(order).
fn components(curve: &[SmoothFunction; 3], s: f64, order: usize) -> [f64; 3] {
    curve.each_ref().map(|r| {
        let (mut first, mut second) = ([0.0; 2], [0.0]);
        match order {
            0 => r.jet().value(&[s]),
            1 => {
                r.jet().first(&[s], &mut first);
                first[1]
            }
            _ => {
                r.jet().second(&[s], &mut first, &mut second);
                second[0]
            }
        }
    })
}

impl PointOnCurve {
    /// r_k^(order) at the place of a configuration.
    fn curve(&self, x: &[Vec3], order: usize) -> [f64; 3] {
        components(&self.curve, x[5].x, order)
    }

    /// p̄, the mean of Σ_k r_k u_k over the ends.
    fn mean_place(&self, step: &StepEnds) -> Vec3 {
        let ends = [step.from, step.to].map(|x| Self::combine(&self.curve(x, 0), x));
        (ends[0] + ends[1]) * 0.5
    }

    /// Σ_k c_k u_k.
    fn combine(c: &[f64; 3], u: &[Vec3]) -> Vec3 {
        u[2] * c[0] + u[3] * c[1] + u[4] * c[2]
    }
}

impl ScalarFunction for &SmoothFunction {
    fn value(&self, y: &[f64]) -> f64 {
        SmoothFunction::value(self, y)
    }

    fn partial(&self, i: usize, y: &[f64]) -> f64 {
        SmoothFunction::partial(self, i, y)
    }

    fn second(&self, i: usize, j: usize, y: &[f64]) -> f64 {
        SmoothFunction::second(self, i, j, y)
    }
}

/// The step along the curve.
fn stretch(step: &StepEnds) -> ScalarStep {
    let mut scalars = ScalarStep { count: 1, ..ScalarStep::default() };
    scalars.from[0] = step.from[5].x;
    scalars.change[0] = step.change(5).x;
    scalars.weight[0] = 1.0;
    scalars
}

/// The basis ũ_k dual to the mean axes, as columns.
fn dual(step: &StepEnds) -> Mat3 {
    let axes = Mat3::from_columns(&[step.mean[2], step.mean[3], step.mean[4]]);
    axes.try_inverse().map_or(axes, |inverse| inverse.transpose())
}

const AXES: [Vec3; 3] = [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 0.0, 1.0)];

impl Constraint for PointOnCurve {
    fn kind(&self) -> &'static str {
        "point on curve"
    }

    fn row_name(&self, k: usize) -> &'static str {
        ["offset x", "offset y", "offset z"][k]
    }

    fn rows(&self) -> usize {
        3
    }

    fn carried(&self) -> &[Carried] {
        &self.carried
    }

    fn reaction_point(&self) -> usize {
        1
    }

    fn residual(&self, at: &Configuration, phi: &mut [f64]) {
        let offset = at.x[1] - at.x[0] - Self::combine(&self.curve(at.x, 0), at.x);
        phi.copy_from_slice(offset.as_slice());
    }

    fn gradients(&self, at: &Configuration, g: &mut Gradients) {
        let r = self.curve(at.x, 0);
        let tangent = Self::combine(&self.curve(at.x, 1), at.x);
        for (row, e) in AXES.iter().enumerate() {
            g.push(row, 0, -e);
            g.push(row, 1, *e);
            (0..3).for_each(|k| g.push(row, 2 + k, e * -r[k]));
            g.push(row, 5, Vec3::x() * -tangent[row]);
        }
    }

    fn rate_gradients(&self, at: &Configuration, xdot: &[Vec3], g: &mut Gradients) {
        let (slope, bend) = (self.curve(at.x, 1), self.curve(at.x, 2));
        let speed = xdot[5].x;
        let tangent = Self::combine(&bend, at.x) * speed + Self::combine(&slope, xdot);
        for (row, e) in AXES.iter().enumerate() {
            (0..3).for_each(|k| g.push(row, 2 + k, e * (-slope[k] * speed)));
            g.push(row, 5, Vec3::x() * -tangent[row]);
        }
    }

    fn hessian(&self, at: &Configuration, lambda: &[f64], h: &mut Blocks) {
        let lambda = Vec3::new(lambda[0], lambda[1], lambda[2]);
        let (slope, bend) = (self.curve(at.x, 1), self.curve(at.x, 2));
        for (k, slope) in slope.iter().enumerate() {
            let across = lambda * -slope;
            h.push_outer(2 + k, 5, &across, &Vec3::x());
            h.push_outer(5, 2 + k, &Vec3::x(), &across);
        }
        let own = -lambda.dot(&Self::combine(&bend, at.x));
        h.push(5, 5, Mat3::from_diagonal(&Vec3::new(own, 0.0, 0.0)));
    }

    fn discrete_gradients(&self, step: &StepEnds, g: &mut Gradients) {
        let (along, dual, place) = (stretch(step), dual(step), self.mean_place(step));
        let tangent = dual * Vec3::from(self.curve.each_ref().map(|r| along.gradient(&r)[0]));
        for (row, e) in AXES.iter().enumerate() {
            g.push(row, 0, -e);
            g.push(row, 1, *e);
            (0..3).for_each(|k| g.push(row, 2 + k, place * dual[(row, k)]));
            g.push(row, 5, Vec3::x() * -tangent[row]);
        }
    }

    /// With α_k = ũ_k·λ the sums are α_k p̄ at u_k and −Σ_k α_k Δr_k/Δs at s; ∂α_k/∂u⁺_j = −½ α_j ũ_k.
    fn discrete_hessian(&self, step: &StepEnds, lambda: &[f64], h: &mut Blocks) {
        let (along, dual, place) = (stretch(step), dual(step), self.mean_place(step));
        let tangent = dual * Vec3::from(self.curve.each_ref().map(|r| along.gradient(&r)[0]));
        let bends = Vec3::from(self.curve.each_ref().map(|r| along.derivative(&r)[0][0]));
        let alpha = dual.tr_mul(&Vec3::new(lambda[0], lambda[1], lambda[2]));
        let (end, end_tangent) = (self.curve(step.to, 0), Self::combine(&self.curve(step.to, 1), step.to));
        for k in 0..3 {
            for j in 0..3 {
                let turn = place * dual.column(k).transpose() * (-0.5 * alpha[j]);
                h.push(2 + k, 2 + j, turn + Mat3::identity() * (0.5 * alpha[k] * end[j]));
            }
            h.push_outer(2 + k, 5, &(end_tangent * (0.5 * alpha[k])), &Vec3::x());
            h.push_outer(5, 2 + k, &(Vec3::x() * (0.5 * alpha[k])), &tangent);
        }
        h.push(5, 5, Mat3::from_diagonal(&Vec3::new(-alpha.dot(&bends), 0.0, 0.0)));
    }
}
