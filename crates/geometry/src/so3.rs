//! Rotations by the rotation vector: exponential map, logarithm, tangent operators and their derivatives.
//!
//! With `φ = |θ|` and the Stumpff functions `c_j(φ²)`:
//!
//! ```text
//! exp(θ) = I + c_1 θ~ + c_2 θ~²
//! T(θ)   = I - c_2 θ~ + c_3 θ~² ,    exp(θ)ᵀ d exp(θ) = skew(T(θ) dθ)
//! T⁻¹(θ) = I + ½ θ~ + χ θ~² ,        χ = (1 - (φ/2) cot(φ/2))/φ²
//! ```
//!
//! `T` maps `θ̇` to the body angular velocity; `Tᵀ` maps it to the spatial one.

use crate::quaternion::EulerParameters;
use crate::tangent_operator::TangentOperator;
use crate::{Mat3, Vec3};

/// Skew matrix of `a`: `skew(a) b = a × b`.
pub fn skew(a: &Vec3) -> Mat3 {
    Mat3::new(0.0, -a.z, a.y, a.z, 0.0, -a.x, -a.y, a.x, 0.0)
}

/// Axial vector of the skew part of `m`; the inverse of [`skew`] on skew matrices.
pub fn axial(m: &Mat3) -> Vec3 {
    0.5 * Vec3::new(m[(2, 1)] - m[(1, 2)], m[(0, 2)] - m[(2, 0)], m[(1, 0)] - m[(0, 1)])
}

/// Rotation matrix of the rotation vector `theta`.
#[inline]
pub fn exp(theta: &Vec3) -> Mat3 {
    let (x, y, z) = (theta.x, theta.y, theta.z);
    let (a, b) = sine_and_cosine_quotients(x * x + y * y + z * z);
    let (bx, by, bz) = (b * x, b * y, b * z);
    let (ax, ay, az) = (a * x, a * y, a * z);
    Mat3::new(
        1.0 - by * y - bz * z,
        bx * y - az,
        bx * z + ay,
        bx * y + az,
        1.0 - bx * x - bz * z,
        by * z - ax,
        bx * z - ay,
        by * z + ax,
        1.0 - bx * x - by * y,
    )
}

/// exp(θ) − 1, accurate for small rotations.
pub fn exp_less_one(theta: &Vec3) -> Mat3 {
    let (a, b) = sine_and_cosine_quotients(theta.norm_squared());
    let turn = skew(theta);
    turn * a + turn * turn * b
}

/// (sin θ / θ, (1 − cos θ) / θ²) for θ² = `square`. Rotations in a time step are small, so this path is the
/// series: the first neglected term at θ² = ¼ is 1e-19.
#[inline(always)]
pub fn sine_and_cosine_quotients(square: f64) -> (f64, f64) {
    if square > 0.25 {
        let theta = square.sqrt();
        let half = (0.5 * theta).sin();
        return (theta.sin() / theta, 2.0 * half * half / square);
    }
    // Coefficients ratio by ratio: 1/(2k(2k+1)) for the sine, 1/((2k+1)(2k+2)) for the cosine.
    const SINE: [f64; 7] =
        [1.0 / 6.0, 1.0 / 20.0, 1.0 / 42.0, 1.0 / 72.0, 1.0 / 110.0, 1.0 / 156.0, 1.0 / 210.0];
    const COSINE: [f64; 7] =
        [1.0 / 12.0, 1.0 / 30.0, 1.0 / 56.0, 1.0 / 90.0, 1.0 / 132.0, 1.0 / 182.0, 1.0 / 240.0];
    let horner = |ratio: &[f64]| ratio.iter().rev().fold(1.0, |sum, r| 1.0 - square * r * sum);
    // Four terms are enough up to θ = 0.03, the usual case.
    if square < 1e-3 {
        return (horner(&SINE[..4]), 0.5 * horner(&COSINE[..4]));
    }
    (horner(&SINE), 0.5 * horner(&COSINE))
}

/// Rotation vector of the rotation matrix `a`, with angle in `[0, π]`.
///
/// Goes through the Euler parameters, which stay well conditioned at 0 and at π. At exactly π the two
/// opposite axes describe the same rotation; one of them is returned.
pub fn log(a: &Mat3) -> Vec3 {
    EulerParameters::from_matrix(a).rotation_vector()
}

/// Angle in `[0, π]` between two orientations.
pub fn angle_between(a: &Mat3, b: &Mat3) -> f64 {
    log(&(a.transpose() * b)).norm()
}

/// `T(θ)`: body angular velocity `ω̄ = T(θ) θ̇`.
#[inline]
pub fn tangent(theta: &Vec3) -> Mat3 {
    let square = theta.norm_squared();
    if square > 1e-3 {
        return TangentOperator::forward(theta).matrix(theta);
    }
    // (θ − sin θ)/θ³, four terms of its series.
    let (_, b) = sine_and_cosine_quotients(square);
    let c =
        [1.0 / 20.0, 1.0 / 42.0, 1.0 / 72.0].iter().rev().fold(1.0, |sum, r| 1.0 - square * r * sum) / 6.0;
    let k = skew(theta);
    Mat3::identity() - k * b + k * k * c
}

/// `T⁻¹(θ)`: `θ̇ = T⁻¹(θ) ω̄`. Singular (infinite entries) at `|θ| = 2π`.
pub fn tangent_inv(theta: &Vec3) -> Mat3 {
    TangentOperator::inverse(theta).matrix(theta)
}

/// `T(θ)ᵀ = T(-θ)`: spatial angular velocity `ω = T(θ)ᵀ θ̇`.
pub fn spatial_tangent(theta: &Vec3) -> Mat3 {
    TangentOperator::forward(theta).transposed().matrix(theta)
}

/// `T(θ)⁻ᵀ`: `θ̇ = T(θ)⁻ᵀ ω` for the spatial angular velocity.
pub fn spatial_tangent_inv(theta: &Vec3) -> Mat3 {
    TangentOperator::inverse(theta).transposed().matrix(theta)
}

/// `Ṫ` for given `θ̇`: body angular acceleration `ᾱ = T θ̈ + Ṫ θ̇`.
pub fn tangent_rate(theta: &Vec3, theta_dot: &Vec3) -> Mat3 {
    TangentOperator::forward(theta).rate(theta, theta_dot)
}

/// `d(T⁻¹)/dt` for given `θ̇`: `θ̈ = T⁻¹ ᾱ + d(T⁻¹)/dt ω̄`.
pub fn tangent_inv_rate(theta: &Vec3, theta_dot: &Vec3) -> Mat3 {
    TangentOperator::inverse(theta).rate(theta, theta_dot)
}

/// `∂(T(θ) w)/∂θ` at constant `w`.
pub fn tangent_derivative(theta: &Vec3, w: &Vec3) -> Mat3 {
    TangentOperator::forward(theta).derivative(theta, w)
}

/// `∂(T(θ)ᵀ w)/∂θ` at constant `w`.
pub fn tangent_transposed_derivative(theta: &Vec3, w: &Vec3) -> Mat3 {
    TangentOperator::forward(theta).transposed().derivative(theta, w)
}

/// `∂(T⁻¹(θ) w)/∂θ` at constant `w`.
pub fn tangent_inv_derivative(theta: &Vec3, w: &Vec3) -> Mat3 {
    TangentOperator::inverse(theta).derivative(theta, w)
}

/// `∂(T⁻ᵀ(θ) w)/∂θ` at constant `w`.
pub fn tangent_inv_transposed_derivative(theta: &Vec3, w: &Vec3) -> Mat3 {
    TangentOperator::inverse(theta).transposed().derivative(theta, w)
}

/// One Newton–Schulz step towards the nearest rotation, `X (3I - XᵀX)/2`.
///
/// Squares an orthonormality defect that is already small; use [`polar`] for a large one.
pub fn orthonormalize(x: &Mat3) -> Mat3 {
    x * (Mat3::from_diagonal_element(3.0) - x.transpose() * x) * 0.5
}

/// Orthogonal factor of the polar decomposition, the orthogonal matrix nearest to `x`.
///
/// The factor has the sign of `det x`. `None` when `x` is singular to working precision or not finite.
pub fn polar(x: &Mat3) -> Option<Mat3> {
    const MAX_STEPS: usize = 60;
    let scale = x.norm();
    if !scale.is_finite() || scale == 0.0 || (x / scale).determinant().abs() < 1e-14 {
        return None;
    }
    let mut y = x / scale;
    // Scaled Newton iteration Y ← (γY + Y⁻ᵀ/γ)/2; the scaling γ² = |Y⁻¹|/|Y| makes it fast from afar.
    for _ in 0..MAX_STEPS {
        let inverse_transposed = y.try_inverse()?.transpose();
        let ratio = (inverse_transposed.norm() / y.norm()).sqrt();
        let gamma = if (ratio - 1.0).abs() < 1e-2 { 1.0 } else { ratio };
        let next = 0.5 * (gamma * y + inverse_transposed / gamma);
        let change = (next - y).norm();
        y = next;
        if change < 1e-15 * 3.0 {
            break;
        }
    }
    Some(orthonormalize(&y))
}
