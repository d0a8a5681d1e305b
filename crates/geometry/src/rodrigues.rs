//! Rodrigues parameters (Gibbs vector) `γ = v tan(θ/2)`, singular at θ = π (floating-frame-and-ancf §1.2.9).

use crate::quaternion::EulerParameters;
use crate::so3::skew;
use crate::{Mat3, Mat3x4, Mat4x3, Vec3};
use thiserror::Error;

/// Smallest `θ0 = cos(θ/2)` for which the Gibbs vector is formed.
pub const MIN_SCALAR: f64 = 1e-8;

/// The rotation is too near to a half turn.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error(
    "Rodrigues parameters are infinite at a half turn; this rotation is {from_half_turn:e} rad from it (need at least {:e})",
    2.0 * MIN_SCALAR
)]
pub struct HalfTurnError {
    /// Distance `π - θ` of the rotation angle from the singularity.
    pub from_half_turn: f64,
}

/// `A = I + 2/(1+γ²) (γ~ + γ~²)`.
pub fn matrix(gamma: &Vec3) -> Mat3 {
    let k = skew(gamma);
    Mat3::identity() + scale(gamma) * (k + k * k)
}

/// Rodrigues parameters of a rotation matrix.
pub fn from_matrix(a: &Mat3) -> Result<Vec3, HalfTurnError> {
    from_quaternion(&EulerParameters::from_matrix(a))
}

/// `γ_i = θ_i/θ0`.
pub fn from_quaternion(q: &EulerParameters) -> Result<Vec3, HalfTurnError> {
    let scalar = q.scalar.abs();
    if scalar < MIN_SCALAR || !scalar.is_finite() {
        return Err(HalfTurnError { from_half_turn: 2.0 * scalar.atan2(q.vector.norm()) });
    }
    Ok(q.vector / q.scalar)
}

/// `θ0 = 1/√(1+γ²)`, `θ_i = γ_i/√(1+γ²)`.
pub fn to_quaternion(gamma: &Vec3) -> EulerParameters {
    // Scaled before squaring, so that a huge γ becomes the half turn it stands for.
    let m = gamma.amax().max(1.0);
    let (scalar, vector) = (1.0 / m, gamma / m);
    let norm = scalar.hypot(vector.norm());
    EulerParameters::new(scalar / norm, vector / norm)
}

/// Composition: the parameters of `A(a) A(b)`, `(a + b + a×b)/(1 - a·b)`.
pub fn compose(a: &Vec3, b: &Vec3) -> Result<Vec3, HalfTurnError> {
    from_quaternion(&(to_quaternion(a) * to_quaternion(b)))
}

/// `2/(1+γ²)`.
fn scale(gamma: &Vec3) -> f64 {
    2.0 / (1.0 + gamma.norm_squared())
}

/// `Ḡ = 2/(1+γ²) (I - γ~)`: `ω̄ = Ḡ γ̇`.
pub fn rate_map_body(gamma: &Vec3) -> Mat3 {
    scale(gamma) * (Mat3::identity() - skew(gamma))
}

/// `G = 2/(1+γ²) (I + γ~)`: `ω = G γ̇`.
pub fn rate_map_space(gamma: &Vec3) -> Mat3 {
    scale(gamma) * (Mat3::identity() + skew(gamma))
}

/// `Ḡ⁻¹ = ½ (I + γ~ + γγᵀ)`: `γ̇ = Ḡ⁻¹ ω̄`, regular wherever γ is finite.
pub fn rate_map_body_inv(gamma: &Vec3) -> Mat3 {
    0.5 * (Mat3::identity() + skew(gamma) + gamma * gamma.transpose())
}

/// `G⁻¹ = ½ (I - γ~ + γγᵀ)`: `γ̇ = G⁻¹ ω`.
pub fn rate_map_space_inv(gamma: &Vec3) -> Mat3 {
    0.5 * (Mat3::identity() - skew(gamma) + gamma * gamma.transpose())
}

/// `dḠ/dt` for given `γ̇`: `ᾱ = Ḡ γ̈ + dḠ/dt γ̇`.
pub fn rate_map_body_rate(gamma: &Vec3, rate: &Vec3) -> Mat3 {
    let s = scale(gamma);
    -s * gamma.dot(rate) * rate_map_body(gamma) - s * skew(rate)
}

/// `dG/dt` for given `γ̇`: `α = G γ̈ + dG/dt γ̇`.
pub fn rate_map_space_rate(gamma: &Vec3, rate: &Vec3) -> Mat3 {
    let s = scale(gamma);
    -s * gamma.dot(rate) * rate_map_space(gamma) + s * skew(rate)
}

/// `C` of `γ̇ = C θ̇`, `C = [-θ, θ0 I]/θ0²`.
pub fn from_euler_parameter_rates(q: &EulerParameters) -> Result<Mat3x4, HalfTurnError> {
    from_quaternion(q)?;
    let mut c = Mat3x4::zeros();
    c.fixed_view_mut::<3, 1>(0, 0).copy_from(&(-q.vector / (q.scalar * q.scalar)));
    c.fixed_view_mut::<3, 3>(0, 1).copy_from(&Mat3::from_diagonal_element(1.0 / q.scalar));
    Ok(c)
}

/// `D` of `θ̇ = D γ̇`, `D = (1+γ²)^{-1/2} [0 ; I] - (1+γ²)^{-3/2} [γᵀ ; γγᵀ]`.
pub fn to_euler_parameter_rates(gamma: &Vec3) -> Mat4x3 {
    let root = 1.0 / (1.0 + gamma.norm_squared()).sqrt();
    let cube = root * root * root;
    let mut d = Mat4x3::zeros();
    d.fixed_view_mut::<1, 3>(0, 0).copy_from(&(-cube * gamma.transpose()));
    let block = Mat3::from_diagonal_element(root) - cube * gamma * gamma.transpose();
    d.fixed_view_mut::<3, 3>(1, 0).copy_from(&block);
    d
}
