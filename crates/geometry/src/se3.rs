//! Rigid motions: poses, their exponential map and the 6×6 operators
//! (motion-interpolation-galerkin §0, §1.5 … §1.7).
//!
//! Six-vectors are `{linear ; angular}` and material: `v = { Rᵀ u̇ ; ω̄ }`. For `s = {s° ; s}`:
//!
//! ```text
//! exp(s):  R = exp(~s),  u = T(s)ᵀ s°
//! T6(s)   = [ T , T° ; 0 , T ],   T° = dT(s)[s°]
//! T6⁻¹(s) = [ T⁻¹ , (T⁻¹)° ; 0 , T⁻¹ ]
//! ```

use crate::so3;
use crate::tangent_operator::TangentOperator;
use crate::{Mat3, Mat4, Mat6, Vec3, Vec6};
use std::ops::Mul;

/// Position and orientation of a frame, both in space components.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Position of the frame origin.
    pub r: Vec3,
    /// Rotation from frame to space components.
    pub rotation: Mat3,
}

impl Pose {
    /// Pose from position and rotation.
    pub fn new(r: Vec3, rotation: Mat3) -> Self {
        Self { r, rotation }
    }

    /// The space frame itself.
    pub fn identity() -> Self {
        Self::new(Vec3::zeros(), Mat3::identity())
    }

    /// Pure translation.
    pub fn translation(r: Vec3) -> Self {
        Self::new(r, Mat3::identity())
    }

    /// `(Rᵀ, -Rᵀ u)`.
    pub fn inverse(&self) -> Self {
        let rt = self.rotation.transpose();
        Self::new(-(rt * self.r), rt)
    }

    /// Relative motion from `self` to `other`, `(R1ᵀ R2, R1ᵀ (u2 - u1))`.
    pub fn relative(&self, other: &Self) -> Self {
        let rt = self.rotation.transpose();
        Self::new(rt * (other.r - self.r), rt * other.rotation)
    }

    /// Space position of a point given in the frame.
    pub fn point(&self, local: &Vec3) -> Vec3 {
        self.r + self.rotation * local
    }

    /// Space components of a direction given in the frame.
    pub fn direction(&self, local: &Vec3) -> Vec3 {
        self.rotation * local
    }

    /// `self · exp(s)`, the material update.
    pub fn update(&self, s: &Vec6) -> Self {
        *self * exp(s)
    }

    /// `[[R, u], [0, 1]]` (floating-frame-and-ancf §1.2.13).
    pub fn homogeneous(&self) -> Mat4 {
        let mut h = Mat4::identity();
        h.fixed_view_mut::<3, 3>(0, 0).copy_from(&self.rotation);
        h.fixed_view_mut::<3, 1>(0, 3).copy_from(&self.r);
        h
    }

    /// Pose of a homogeneous matrix; the last row is not looked at.
    pub fn from_homogeneous(h: &Mat4) -> Self {
        Self::new(h.fixed_view::<3, 1>(0, 3).into(), h.fixed_view::<3, 3>(0, 0).into())
    }

    /// Denavit–Hartenberg transform `Rot_x(α) Trans_x(a) Rot_z(θ) Trans_z(d)` (§1.2.15).
    ///
    /// `length` and `twist` belong to the preceding link, `offset` and `angle` to the joint.
    pub fn denavit_hartenberg(length: f64, twist: f64, offset: f64, angle: f64) -> Self {
        let (st, ct) = angle.sin_cos();
        let (sa, ca) = twist.sin_cos();
        Self::new(
            Vec3::new(length, -offset * sa, offset * ca),
            Mat3::new(ct, -st, 0.0, st * ca, ct * ca, -sa, st * sa, ct * sa, ca),
        )
    }

    /// `Ad(H) = [R, ~u R ; 0, R]`: material six-vectors of the frame to space six-vectors.
    pub fn adjoint(&self) -> Mat6 {
        block(&self.rotation, &(so3::skew(&self.r) * self.rotation))
    }

    /// `Ad(H)⁻¹ = Ad(H⁻¹) = [Rᵀ, -Rᵀ ~u ; 0, Rᵀ]`.
    pub fn adjoint_inv(&self) -> Mat6 {
        let rt = self.rotation.transpose();
        block(&rt, &(-(rt * so3::skew(&self.r))))
    }
}

/// Composition `(R1, u1)(R2, u2) = (R1 R2, u1 + R1 u2)`.
impl Mul for Pose {
    type Output = Self;
    fn mul(self, b: Self) -> Self {
        Self::new(self.r + self.rotation * b.r, self.rotation * b.rotation)
    }
}

/// Six-vector of a linear and an angular part.
pub fn join(linear: &Vec3, angular: &Vec3) -> Vec6 {
    Vec6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z)
}

/// Linear and angular part of a six-vector.
pub fn split(s: &Vec6) -> (Vec3, Vec3) {
    (Vec3::new(s[0], s[1], s[2]), Vec3::new(s[3], s[4], s[5]))
}

/// `[A, B ; 0, A]`.
fn block(a: &Mat3, b: &Mat3) -> Mat6 {
    crate::dual::Dual::new(*a, *b).extended()
}

/// Exponential map of a twist `{s° ; s}`.
pub fn exp(s: &Vec6) -> Pose {
    let (linear, angular) = split(s);
    Pose::new(so3::spatial_tangent(&angular) * linear, so3::exp(&angular))
}

/// Twist of a pose, rotation angle in `[0, π]`.
pub fn log(pose: &Pose) -> Vec6 {
    let s = so3::log(&pose.rotation);
    join(&(so3::spatial_tangent_inv(&s) * pose.r), &s)
}

/// `ad(v) = [~ω, ~v ; 0, ~ω]`.
pub fn ad(v: &Vec6) -> Mat6 {
    let (linear, angular) = split(v);
    block(&so3::skew(&angular), &so3::skew(&linear))
}

/// `up(p) = [0, ~p_f ; ~p_f, ~p_m]`, the skew matrix with `ad(k)ᵀ p = up(p) k`.
pub fn up(p: &Vec6) -> Mat6 {
    let (force, moment) = split(p);
    let mut m = Mat6::zeros();
    m.fixed_view_mut::<3, 3>(0, 3).copy_from(&so3::skew(&force));
    m.fixed_view_mut::<3, 3>(3, 0).copy_from(&so3::skew(&force));
    m.fixed_view_mut::<3, 3>(3, 3).copy_from(&so3::skew(&moment));
    m
}

/// Commutation `δv = d(δu)/dt + ad(v) δu` (§1.6); the same holds for curvatures, `δk = (δu)' + ad(k) δu`.
pub fn velocity_variation(v: &Vec6, du: &Vec6, du_dot: &Vec6) -> Vec6 {
    du_dot + ad(v) * du
}

/// `T6(s)`: material velocity `v = T6(s) ṡ` of `exp(s)`.
pub fn tangent(s: &Vec6) -> Mat6 {
    let (linear, angular) = split(s);
    let t = TangentOperator::forward(&angular);
    block(&t.matrix(&angular), &t.rate(&angular, &linear))
}

/// `T6⁻¹(s)`: `ṡ = T6⁻¹(s) v`. Singular at `|angular part| = 2π`.
pub fn tangent_inv(s: &Vec6) -> Mat6 {
    let (linear, angular) = split(s);
    let t = TangentOperator::inverse(&angular);
    block(&t.matrix(&angular), &t.rate(&angular, &linear))
}

/// `dT6/dt` for given `ṡ`: material acceleration `v̇ = T6 s̈ + Ṫ6 ṡ`.
pub fn tangent_rate(s: &Vec6, s_dot: &Vec6) -> Mat6 {
    let columns: [Vec6; 6] = std::array::from_fn(|k| tangent_derivative(s, &Vec6::ith(k, 1.0)) * s_dot);
    Mat6::from_columns(&columns)
}

/// `∂(T6(s) w)/∂s` at constant `w`.
pub fn tangent_derivative(s: &Vec6, w: &Vec6) -> Mat6 {
    derivative(TangentOperator::forward(&split(s).1), s, w)
}

/// `∂(T6(s)ᵀ w)/∂s` at constant `w`.
pub fn tangent_transposed_derivative(s: &Vec6, w: &Vec6) -> Mat6 {
    transposed_derivative(TangentOperator::forward(&split(s).1), s, w)
}

/// `∂(T6⁻¹(s) w)/∂s` at constant `w`.
pub fn tangent_inv_derivative(s: &Vec6, w: &Vec6) -> Mat6 {
    derivative(TangentOperator::inverse(&split(s).1), s, w)
}

/// `∂(T6⁻ᵀ(s) w)/∂s` at constant `w`.
pub fn tangent_inv_transposed_derivative(s: &Vec6, w: &Vec6) -> Mat6 {
    transposed_derivative(TangentOperator::inverse(&split(s).1), s, w)
}

/// `T w° + D(s,w) s°` over `T w`, differentiated; `D(s, w) = ∂(T w)/∂s`.
fn derivative(t: TangentOperator, s: &Vec6, w: &Vec6) -> Mat6 {
    let ((sl, sa), (wl, wa)) = (split(s), split(w));
    let d = t.derivative(&sa, &wa);
    block(&d, &(t.derivative(&sa, &wl) + t.second_derivative(&sa, &wa, &sl)))
}

/// `Tᵀ w°` over `T°ᵀ w° + Tᵀ w`, differentiated.
fn transposed_derivative(t: TangentOperator, s: &Vec6, w: &Vec6) -> Mat6 {
    let ((sl, sa), (wl, wa)) = (split(s), split(w));
    let t = t.transposed();
    let d = t.derivative(&sa, &wl);
    let mut m = Mat6::zeros();
    m.fixed_view_mut::<3, 3>(0, 3).copy_from(&d);
    m.fixed_view_mut::<3, 3>(3, 0).copy_from(&d);
    let corner = t.second_derivative(&sa, &wl, &sl) + t.derivative(&sa, &wa);
    m.fixed_view_mut::<3, 3>(3, 3).copy_from(&corner);
    m
}
