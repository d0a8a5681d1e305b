//! A rigid body in a plane by four natural coordinates: two of its place, and those of its directors, in
//! which they are linear.
//!
//! ```text
//! r = x e₁ + y e₂ + …,   R = a A + b B + R₀ n nᵀ,   A = R₀ (1 − n nᵀ),  B = R₀ ñ
//! g = ½ (a² + b² − 1) = ¼ (|R|² − 3)
//! ```
//! A turn by θ about the normal n is a = cos θ, b = sin θ. One row of rigidity is left of the six that a body
//! in space has (energy-momentum-null-space I-32): the directors stay perpendicular and equally long whatever
//! a and b are. A and B are orthogonal and of the same norm, so that the mass of a and b is the moment of
//! inertia about the normal, times two equal entries of a diagonal.

use crate::nodes::chart::{Chart, Frame};
use crate::nodes::natural::FrameRate;
use poinsot_geometry::{Mat3, Vec3, so3};

/// The directions of the four coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PlaneDirectors {
    /// Axes of the plane, world.
    axes: [Vec3; 2],
    /// A and B.
    turns: [Mat3; 2],
}

impl PlaneDirectors {
    /// Of a node that moves in a plane; `at` is one of its positions.
    pub fn of(chart: &Chart, at: &Frame) -> Option<Self> {
        let Chart::Planar { e1, e2, normal } = chart else { return None };
        let across = Mat3::identity() - normal * normal.transpose();
        Some(PlaneDirectors { axes: [*e1, *e2], turns: [at.rot * across, at.rot * so3::skew(normal)] })
    }

    /// What components stand for.
    #[inline]
    pub fn rate(&self, u: &[f64]) -> FrameRate {
        let ([e1, e2], [a, b]) = (&self.axes, &self.turns);
        FrameRate { r: e1 * u[0] + e2 * u[1], rot: a * u[2] + b * u[3] }
    }

    /// Components of a force.
    #[inline]
    pub fn components(&self, f: &FrameRate) -> [f64; 4] {
        let ([e1, e2], [a, b]) = (&self.axes, &self.turns);
        [e1.dot(&f.r), e2.dot(&f.r), a.dot(&f.rot), b.dot(&f.rot)]
    }

    /// Components of a velocity or acceleration: |A|² = |B|² = 2.
    #[inline]
    pub fn unknowns(&self, w: &FrameRate) -> [f64; 4] {
        let [x, y, a, b] = self.components(w);
        [x, y, 0.5 * a, 0.5 * b]
    }

    /// How the carried vector (c₀, c) moves with each.
    #[inline]
    pub fn directions(&self, c0: f64, c: &Vec3, p: &mut [Vec3; 12]) {
        for k in 0..2 {
            p[k] = self.axes[k] * c0;
            p[2 + k] = self.turns[k] * c;
        }
    }

    /// ∂g/∂(x, y, a, b) = (0, 0, a, b).
    #[inline]
    pub fn gradient(&self, rot: &Mat3) -> [f64; 4] {
        let [a, b] = &self.turns;
        [0.0, 0.0, 0.5 * a.dot(rot), 0.5 * b.dot(rot)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A turned frame has the coordinates cos θ and sin θ, and no part beside them.
    #[test]
    fn turns_are_linear() {
        let normal = Vec3::new(0.48, -0.6, 0.64);
        let rot = so3::exp(&Vec3::new(0.3, -0.8, 0.5));
        let e1 = (rot * normal).cross(&Vec3::x()).normalize();
        let chart = Chart::Planar { e1, e2: (rot * normal).cross(&e1), normal };
        let at = Frame { r: Vec3::new(1.0, 2.0, 3.0), rot };
        let plane = PlaneDirectors::of(&chart, &at).unwrap();
        let turned = chart.retract(&at, &[0.4, -0.2, 1.1]);
        let moved = FrameRate { r: turned.r - at.r, rot: turned.rot - at.rot };
        let u = plane.unknowns(&moved);
        let exact = [0.4, -0.2, 1.1_f64.cos() - 1.0, 1.1_f64.sin()];
        assert!(u.iter().zip(&exact).all(|(u, exact)| (u - exact).abs() < 1e-14), "{u:?}");
        let rest = moved - plane.rate(&u);
        assert!(rest.r.norm() + rest.rot.norm() < 1e-14);
        let gradient = plane.gradient(&turned.rot);
        assert!((gradient[2] - 1.1_f64.cos()).abs() + (gradient[3] - 1.1_f64.sin()).abs() < 1e-14);
    }
}
