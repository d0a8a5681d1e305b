//! Operators `I + a1 θ~ + a2 θ~²` with coefficients depending on `φ = |θ|`, and their derivatives.
//!
//! Primes below mean `(1/φ) d/dφ`, so that `∂a/∂θ = a' θᵀ`.

use crate::so3::skew;
use crate::stumpff::Stumpff;
use crate::{Mat3, Vec3};

/// Coefficients of one operator with their first and second slopes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TangentOperator {
    a1: [f64; 3],
    a2: [f64; 3],
}

impl TangentOperator {
    /// `T(θ) = I - c_2 θ~ + c_3 θ~²`.
    pub(crate) fn forward(theta: &Vec3) -> Self {
        let s = Stumpff::new(theta.norm_squared());
        Self { a1: [-s.c[2], -s.slope(2), -s.curvature(2)], a2: [s.c[3], s.slope(3), s.curvature(3)] }
    }

    /// `T⁻¹(θ) = I + ½ θ~ + χ θ~²`.
    pub(crate) fn inverse(theta: &Vec3) -> Self {
        let s = Stumpff::new(theta.norm_squared());
        Self { a1: [0.5, 0.0, 0.0], a2: [s.chi(), s.chi_slope(), s.chi_curvature()] }
    }

    pub(crate) fn transposed(self) -> Self {
        Self { a1: self.a1.map(|a| -a), a2: self.a2 }
    }

    pub(crate) fn matrix(&self, theta: &Vec3) -> Mat3 {
        let k = skew(theta);
        Mat3::identity() + self.a1[0] * k + self.a2[0] * k * k
    }

    /// Derivative of the operator along `z`, that is its rate for `θ̇ = z`.
    pub(crate) fn rate(&self, theta: &Vec3, z: &Vec3) -> Mat3 {
        let (k, kz, s) = (skew(theta), skew(z), theta.dot(z));
        self.a1[1] * s * k + self.a1[0] * kz + self.a2[1] * s * k * k + self.a2[0] * (k * kz + kz * k)
    }

    /// `D(θ, w) = ∂(operator · w)/∂θ` at constant `w`, using `θ×(θ×w) = θ(θ·w) - w(θ·θ)`.
    pub(crate) fn derivative(&self, theta: &Vec3, w: &Vec3) -> Mat3 {
        let first = theta.cross(w);
        let second = theta.cross(&first);
        let radial = self.a1[1] * first + self.a2[1] * second;
        radial * theta.transpose() - self.a1[0] * skew(w) + self.a2[0] * double_cross_derivative(theta, w)
    }

    /// `∂(D(θ, w) z)/∂θ` at constant `w` and `z`.
    pub(crate) fn second_derivative(&self, theta: &Vec3, w: &Vec3, z: &Vec3) -> Mat3 {
        let first = theta.cross(w);
        let second = theta.cross(&first);
        let square = double_cross_derivative(theta, w);
        let row = theta.transpose();
        let radial = self.a1[1] * first + self.a2[1] * second;
        let radial_slope = self.a1[2] * first + self.a2[2] * second;
        let radial_derivative = radial_slope * row - self.a1[1] * skew(w) + self.a2[1] * square;
        let square_derivative =
            z * w.transpose() + Mat3::from_diagonal_element(w.dot(z)) - 2.0 * w * z.transpose();
        theta.dot(z) * radial_derivative
            + radial * z.transpose()
            + (self.a2[1] * square * z - self.a1[1] * w.cross(z)) * row
            + self.a2[0] * square_derivative
    }
}

/// `∂(θ×(θ×w))/∂θ = (θ·w) I + θ wᵀ - 2 w θᵀ`.
fn double_cross_derivative(theta: &Vec3, w: &Vec3) -> Mat3 {
    Mat3::from_diagonal_element(theta.dot(w)) + theta * w.transpose() - 2.0 * w * theta.transpose()
}
