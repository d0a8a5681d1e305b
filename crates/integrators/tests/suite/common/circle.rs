//! A point on the unit circle.

use poinsot_geometry::{Mat3, Vec3};
use poinsot_mechanics::*;

/// Φ = x·x − 1 in the plane of x and y.
#[derive(Debug)]
pub struct Circle(pub [Carried; 1]);

impl Constraint for Circle {
    fn kind(&self) -> &'static str {
        "circle"
    }

    fn row_name(&self, _k: usize) -> &'static str {
        "radius"
    }

    fn rows(&self) -> usize {
        1
    }

    fn carried(&self) -> &[Carried] {
        &self.0
    }

    fn reaction_point(&self) -> usize {
        0
    }

    fn residual(&self, at: &Configuration, phi: &mut [f64]) {
        phi[0] = at.x[0].norm_squared() - 1.0;
    }

    fn gradients(&self, at: &Configuration, g: &mut Gradients) {
        g.push(0, 0, 2.0 * at.x[0]);
    }

    fn rate_gradients(&self, _at: &Configuration, xdot: &[Vec3], g: &mut Gradients) {
        g.push(0, 0, 2.0 * xdot[0]);
    }

    fn hessian(&self, _at: &Configuration, lambda: &[f64], h: &mut Blocks) {
        h.push(0, 0, Mat3::identity() * (2.0 * lambda[0]));
    }
}
