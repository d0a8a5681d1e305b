//! Distance joint: a massless rod of constant length between two points.
//!
//! ```text
//! Φ = |x₂ − x₁| − L = 0        (1 row)
//! ```
//! Written with the length itself, so that λ is the rod's tension: the force on the
//! second point is −λ n, n = (x₂ − x₁)/|x₂ − x₁|.

use super::rows::Attachment;
use crate::constraint::{Configuration, Constraint};
use crate::coordinate::Coordinate;
use crate::discrete_gradients::StepEnds;
use crate::element_buffers::{Blocks, Gradients};
use crate::nodes::carried::Carried;
use poinsot_geometry::{Mat3, Vec3};

/// Constant distance between two points.
#[derive(Clone, Debug)]
pub struct Distance {
    carried: [Carried; 2],
    length: f64,
}

/// Distance joint of the given length between the origins of two attachments.
pub fn distance(first: &Attachment, second: &Attachment, length: f64) -> Distance {
    Distance { carried: [first.point(), second.point()], length }
}

impl Distance {
    /// The distance (m).
    pub fn length(&self) -> f64 {
        self.length
    }
}

/// Direction n and length l of d = x₂ − x₁; n = 0 where the points meet.
pub(crate) fn direction(x: &[Vec3]) -> (Vec3, f64) {
    let d = x[1] - x[0];
    let l = d.norm();
    (if l > 0.0 { d / l } else { Vec3::zeros() }, l)
}

/// ∂n/∂x₂ = (I − n nᵀ)/l, the second derivative of the length.
pub(crate) fn curvature(n: &Vec3, l: f64) -> Mat3 {
    if l > 0.0 { (Mat3::identity() - n * n.transpose()) / l } else { Mat3::zeros() }
}

impl Constraint for Distance {
    fn kind(&self) -> &'static str {
        "distance"
    }

    fn row_name(&self, _k: usize) -> &'static str {
        "length"
    }

    fn rows(&self) -> usize {
        1
    }

    fn carried(&self) -> &[Carried] {
        &self.carried
    }

    fn reaction_point(&self) -> usize {
        1
    }

    fn residual(&self, at: &Configuration, phi: &mut [f64]) {
        phi[0] = direction(at.x).1 - self.length;
    }

    fn gradients(&self, at: &Configuration, g: &mut Gradients) {
        let (n, _) = direction(at.x);
        g.push(0, 0, -n);
        g.push(0, 1, n);
    }

    fn rate_gradients(&self, at: &Configuration, xdot: &[Vec3], g: &mut Gradients) {
        let (n, l) = direction(at.x);
        let rate = curvature(&n, l) * (xdot[1] - xdot[0]);
        g.push(0, 0, -rate);
        g.push(0, 1, rate);
    }

    fn hessian(&self, at: &Configuration, lambda: &[f64], h: &mut Blocks) {
        let (n, l) = direction(at.x);
        let c = curvature(&n, l) * lambda[0];
        h.push(0, 0, c);
        h.push(1, 1, c);
        h.push(0, 1, -c);
        h.push(1, 0, -c);
    }

    fn discrete_gradients(&self, step: &StepEnds, g: &mut Gradients) {
        let slope = Coordinate::Distance(self.carried).discrete_slope(step.from, step.to);
        g.push(0, 0, slope[0]);
        g.push(0, 1, slope[1]);
    }

    fn discrete_hessian(&self, step: &StepEnds, lambda: &[f64], h: &mut Blocks) {
        Coordinate::Distance(self.carried).discrete_curvature(step.from, step.to, lambda[0], h);
    }
}
