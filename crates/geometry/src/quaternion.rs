//! Unit quaternions (Euler parameters).
//!
//! `θ = (θ0, θ1, θ2, θ3)` with `θ0 = cos(φ/2)`, `θ_k = v_k sin(φ/2)` and `θᵀθ = 1`
//! (floating-frame-and-ancf §1.2.2 … §1.2.8, gs4-isochronous-integrators I-73).

use crate::so3::skew;
use crate::{Mat3, Mat3x4, Mat4, Vec3, Vec4};
use std::ops::Mul;

/// Euler parameters, scalar first.
///
/// The methods assume unit norm; [`EulerParameters::normalized`] restores it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EulerParameters {
    /// Scalar part `θ0`.
    pub scalar: f64,
    /// Vector part `(θ1, θ2, θ3)`.
    pub vector: Vec3,
}

impl EulerParameters {
    /// Quaternion from its scalar and vector parts, not normalised.
    pub fn new(scalar: f64, vector: Vec3) -> Self {
        Self { scalar, vector }
    }

    /// The identity rotation.
    pub fn identity() -> Self {
        Self::new(1.0, Vec3::zeros())
    }

    /// Quaternion from the four parameters, scalar first, not normalised.
    pub fn from_vec4(p: &Vec4) -> Self {
        Self::new(p[0], Vec3::new(p[1], p[2], p[3]))
    }

    /// The four parameters, scalar first.
    pub fn to_vec4(&self) -> Vec4 {
        Vec4::new(self.scalar, self.vector.x, self.vector.y, self.vector.z)
    }

    /// Euclidean norm of the four parameters.
    pub fn norm(&self) -> f64 {
        self.to_vec4().norm()
    }

    /// Same direction in four-space, unit norm. `None` for a zero or non-finite quaternion.
    pub fn normalized(&self) -> Option<Self> {
        let n = self.norm();
        (n > 0.0 && n.is_finite()).then(|| Self::new(self.scalar / n, self.vector / n))
    }

    /// Conjugate, the inverse rotation.
    pub fn conjugate(&self) -> Self {
        Self::new(self.scalar, -self.vector)
    }

    /// The quaternion of the same rotation with `θ0 ≥ 0`.
    pub fn canonical(&self) -> Self {
        if self.scalar < 0.0 { Self::new(-self.scalar, -self.vector) } else { *self }
    }

    /// Quaternion of the rotation by `angle` about the unit vector `axis`.
    pub fn from_axis_angle(axis: &Vec3, angle: f64) -> Self {
        let (s, c) = (0.5 * angle).sin_cos();
        Self::new(c, s * axis)
    }

    /// Quaternion of a rotation vector.
    pub fn from_rotation_vector(theta: &Vec3) -> Self {
        let half = 0.5 * theta.norm();
        let sinc = if half > 0.0 { half.sin() / half } else { 1.0 };
        Self::new(half.cos(), 0.5 * sinc * theta)
    }

    /// Rotation vector with angle in `[0, π]`.
    pub fn rotation_vector(&self) -> Vec3 {
        let q = self.canonical();
        let n = q.vector.norm();
        let factor = if n > 0.0 { 2.0 * n.atan2(q.scalar) / n } else { 2.0 };
        factor * q.vector
    }

    /// Euler parameters of a rotation matrix by Shepperd's rule: the largest of the four is the pivot.
    ///
    /// Each row of `W = 4 θθᵀ` is linear in `A`; the row of the largest diagonal entry is normalised.
    /// The result has unit norm and `θ0 ≥ 0`.
    pub fn from_matrix(a: &Mat3) -> Self {
        let w = trace_matrix(a);
        let pivot = w.diagonal().imax();
        let row: Vec4 = w.column(pivot).into_owned();
        Self::from_vec4(&(row / row.norm())).canonical()
    }

    /// Rotation matrix `A = (2θ0² - 1) I + 2 (θθᵀ + θ0 θ~)` of unit parameters.
    pub fn to_matrix(&self) -> Mat3 {
        let (e0, e) = (self.scalar, self.vector);
        let (x, y, z) = (e.x, e.y, e.z);
        Mat3::new(
            1.0 - 2.0 * (y * y + z * z),
            2.0 * (x * y - e0 * z),
            2.0 * (x * z + e0 * y),
            2.0 * (x * y + e0 * z),
            1.0 - 2.0 * (x * x + z * z),
            2.0 * (y * z - e0 * x),
            2.0 * (x * z - e0 * y),
            2.0 * (y * z + e0 * x),
            1.0 - 2.0 * (x * x + y * y),
        )
    }

    /// Rotated vector `A u`.
    pub fn rotate(&self, u: &Vec3) -> Vec3 {
        let t = 2.0 * self.vector.cross(u);
        u + self.scalar * t + self.vector.cross(&t)
    }

    /// Left product matrix `H`: `θ_j ∘ θ_k = H(θ_j) θ_k` (floating-frame-and-ancf §1.2.5);
    /// `A(q)` of motion-interpolation-galerkin §1.4.
    pub fn left_matrix(&self) -> Mat4 {
        product_matrix(self, 1.0)
    }

    /// Right product matrix `B`: `θ_j ∘ θ_k = B(θ_k) θ_j`.
    pub fn right_matrix(&self) -> Mat4 {
        product_matrix(self, -1.0)
    }

    /// `E = [-θ, θ0 I + θ~]`: spatial angular velocity `ω = 2 E θ̇`.
    pub fn e_space(&self) -> Mat3x4 {
        semi_transformation(self, 1.0)
    }

    /// `Ē = [-θ, θ0 I - θ~]`: body angular velocity `ω̄ = 2 Ē θ̇`; `A = E Ēᵀ`.
    pub fn e_body(&self) -> Mat3x4 {
        semi_transformation(self, -1.0)
    }

    /// Spatial angular velocity `ω = 2 E θ̇`.
    pub fn angular_velocity_space(&self, rate: &Vec4) -> Vec3 {
        2.0 * self.e_space() * rate
    }

    /// Body angular velocity `ω̄ = 2 Ē θ̇`.
    pub fn angular_velocity_body(&self, rate: &Vec4) -> Vec3 {
        2.0 * self.e_body() * rate
    }

    /// `θ̇ = ½ Eᵀ ω` from the spatial angular velocity.
    pub fn rate_from_space(&self, omega: &Vec3) -> Vec4 {
        0.5 * self.e_space().transpose() * omega
    }

    /// `θ̇ = ½ Ēᵀ ω̄` from the body angular velocity.
    pub fn rate_from_body(&self, omega: &Vec3) -> Vec4 {
        0.5 * self.e_body().transpose() * omega
    }

    /// Spatial angular acceleration `α = 2 E θ̈`; no rate term because `Ė θ̇ = 0`.
    pub fn angular_acceleration_space(&self, second_rate: &Vec4) -> Vec3 {
        2.0 * self.e_space() * second_rate
    }

    /// Body angular acceleration `ᾱ = 2 Ē θ̈`.
    pub fn angular_acceleration_body(&self, second_rate: &Vec4) -> Vec3 {
        2.0 * self.e_body() * second_rate
    }

    /// `θ̈ = ½ Eᵀ α - ¼ (ω·ω) θ` from spatial angular velocity and acceleration.
    ///
    /// The second term keeps `d²(θᵀθ)/dt² = 0`, since `θ̇ᵀθ̇ = ω·ω/4`.
    pub fn second_rate_from_space(&self, omega: &Vec3, alpha: &Vec3) -> Vec4 {
        self.rate_from_space(alpha) - 0.25 * omega.norm_squared() * self.to_vec4()
    }

    /// `θ̈ = ½ Ēᵀ ᾱ - ¼ (ω̄·ω̄) θ` from body angular velocity and acceleration.
    pub fn second_rate_from_body(&self, omega: &Vec3, alpha: &Vec3) -> Vec4 {
        self.rate_from_body(alpha) - 0.25 * omega.norm_squared() * self.to_vec4()
    }
}

/// Hamilton product; `A(p ∘ q) = A(p) A(q)`.
impl Mul for EulerParameters {
    type Output = Self;

    fn mul(self, q: Self) -> Self {
        Self::new(
            self.scalar * q.scalar - self.vector.dot(&q.vector),
            self.scalar * q.vector + q.scalar * self.vector + self.vector.cross(&q.vector),
        )
    }
}

/// `W(G)` of the trace identity `1 + tr(AᵀG) = θᵀ W(G) θ`; equals `4 θθᵀ` when `G` is the rotation of `θ`.
///
/// ```text
/// W(G) = [ 1 + tr G ,  2 axial(G)ᵀ ;  2 axial(G) ,  (1 - tr G) I + G + Gᵀ ]
/// ```
pub fn trace_matrix(g: &Mat3) -> Mat4 {
    let mut w = homogeneous_trace_matrix(g);
    for i in 0..4 {
        w[(i, i)] += 1.0;
    }
    w
}

/// The part of [`trace_matrix`] that is linear in `G`, so also its derivative along `G` (the dual part).
pub fn homogeneous_trace_matrix(g: &Mat3) -> Mat4 {
    let (tr, ax) = (g.trace(), 2.0 * crate::so3::axial(g));
    let mut w = Mat4::zeros();
    w[(0, 0)] = tr;
    w.fixed_view_mut::<3, 1>(1, 0).copy_from(&ax);
    w.fixed_view_mut::<1, 3>(0, 1).copy_from(&ax.transpose());
    let block = Mat3::from_diagonal_element(-tr) + g + g.transpose();
    w.fixed_view_mut::<3, 3>(1, 1).copy_from(&block);
    w
}

/// `[θ0, -θᵀ ; θ, θ0 I ± θ~]`.
fn product_matrix(q: &EulerParameters, sign: f64) -> Mat4 {
    let mut m = Mat4::zeros();
    m[(0, 0)] = q.scalar;
    m.fixed_view_mut::<1, 3>(0, 1).copy_from(&(-q.vector.transpose()));
    m.fixed_view_mut::<3, 1>(1, 0).copy_from(&q.vector);
    let block = Mat3::from_diagonal_element(q.scalar) + sign * skew(&q.vector);
    m.fixed_view_mut::<3, 3>(1, 1).copy_from(&block);
    m
}

/// `[-θ, θ0 I ± θ~]`.
fn semi_transformation(q: &EulerParameters, sign: f64) -> Mat3x4 {
    let mut e = Mat3x4::zeros();
    e.fixed_view_mut::<3, 1>(0, 0).copy_from(&(-q.vector));
    let block = Mat3::from_diagonal_element(q.scalar) + sign * skew(&q.vector);
    e.fixed_view_mut::<3, 3>(0, 1).copy_from(&block);
    e
}
