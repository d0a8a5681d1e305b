//! Dual unit quaternions (motion-interpolation-galerkin §1.4, §1.7).
//!
//! `q = {η, q_v}` with `η = cos(φ/2)`, `q_v = sin(φ/2) n`, all dual; `q·q = 1` (dual).

use crate::dual::{Dual, DualMat3, DualMat4, DualNumber, DualVec3, DualVec4};
use crate::quaternion::{EulerParameters, homogeneous_trace_matrix, trace_matrix};
use crate::se3::Pose;
use crate::{Vec3, Vec4};
use std::ops::Mul;

/// Dual unit quaternion, scalar first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DualQuaternion {
    /// The four dual parameters.
    pub q: DualVec4,
}

impl DualQuaternion {
    /// Quaternion of a pose: primal from `R` (with `η ≥ 0`), `q° = ½ {0, u} ∘ q`.
    pub fn from_pose(pose: &Pose) -> Self {
        let primal = EulerParameters::from_matrix(&pose.rotation);
        let dual = EulerParameters::new(0.0, 0.5 * pose.r) * primal;
        Self { q: Dual::new(primal.to_vec4(), dual.to_vec4()) }
    }

    /// Pose of the quaternion, `u = 2 vec(q° ∘ q̄)`.
    pub fn pose(&self) -> Pose {
        let primal = self.primal();
        let u = self.dual() * primal.conjugate();
        Pose::new(2.0 * u.vector, primal.to_matrix())
    }

    /// Singularity-free extraction from a dual motion tensor, wholly in dual arithmetic.
    ///
    /// `W(R) = 4 q qᵀ`; with `m` the largest primal diagonal entry, `q_i = W_im/(2 √W_mm)`.
    pub fn from_tensor(tensor: &DualMat3) -> Self {
        let w = dual_trace_matrix(tensor);
        let m = w.re.diagonal().imax();
        let root = DualNumber::new(w.re[(m, m)], w.du[(m, m)]).sqrt();
        let mut q = Dual::new(Vec4::zeros(), Vec4::zeros());
        for i in 0..4 {
            let entry = DualNumber::new(w.re[(i, m)], w.du[(i, m)]) / (DualNumber::real(2.0) * root);
            (q.re[i], q.du[i]) = (entry.re, entry.du);
        }
        Self { q }.canonical()
    }

    /// Motion tensor `R(q) = I + 2 η ~q + 2 ~q ~q` (dual).
    pub fn tensor(&self) -> DualMat3 {
        let k = self.vector().skew();
        let two = DualNumber::real(2.0);
        DualMat3::identity() + two * self.scalar() * k + two * (k * k)
    }

    /// Dual scalar part `η`.
    pub fn scalar(&self) -> DualNumber {
        Dual::new(self.q.re[0], self.q.du[0])
    }

    /// Dual vector part `q_v`.
    pub fn vector(&self) -> DualVec3 {
        let tail = |v: &Vec4| Vec3::new(v[1], v[2], v[3]);
        Dual::new(tail(&self.q.re), tail(&self.q.du))
    }

    /// The inverse motion.
    pub fn conjugate(&self) -> Self {
        let (a, b) = (self.primal().conjugate(), self.dual().conjugate());
        Self { q: Dual::new(a.to_vec4(), b.to_vec4()) }
    }

    /// The quaternion of the same motion with primal `η ≥ 0`.
    pub fn canonical(&self) -> Self {
        if self.q.re[0] < 0.0 { Self { q: -self.q } } else { *self }
    }

    /// `q·q` (dual); one for a unit quaternion, so the defect of both constraints is visible here.
    pub fn norm_squared(&self) -> DualNumber {
        self.q.dot(&self.q)
    }

    /// `A(q) = [η, -qᵀ ; q, η I + ~q]`: `q1 ∘ q2 = A(q1) q2`.
    pub fn left_matrix(&self) -> DualMat4 {
        Dual::new(self.primal().left_matrix(), self.dual().left_matrix())
    }

    /// `B(q) = [η, -qᵀ ; q, η I - ~q]`: `q1 ∘ q2 = B(q2) q1`.
    pub fn right_matrix(&self) -> DualMat4 {
        Dual::new(self.primal().right_matrix(), self.dual().right_matrix())
    }

    /// `q̇ = ½ A(q) {0, v}` for the material velocity `v` (dual).
    pub fn rate(&self, velocity: &DualVec3) -> DualVec4 {
        half(self.left_matrix() * pure(velocity))
    }

    /// Rate of a relative quaternion of `R1ᵀ R2`: `q̇ = ½ [A(q) {0,v2} - B(q) {0,v1}]`.
    pub fn relative_rate(&self, v1: &DualVec3, v2: &DualVec3) -> DualVec4 {
        half(self.left_matrix() * pure(v2) - self.right_matrix() * pure(v1))
    }

    fn primal(&self) -> EulerParameters {
        EulerParameters::from_vec4(&self.q.re)
    }

    fn dual(&self) -> EulerParameters {
        EulerParameters::from_vec4(&self.q.du)
    }
}

/// Composition of motions.
impl Mul for DualQuaternion {
    type Output = Self;
    fn mul(self, b: Self) -> Self {
        Self { q: self.left_matrix() * b.q }
    }
}

/// `{0, v}`.
fn pure(v: &DualVec3) -> DualVec4 {
    let raise = |v: &Vec3| Vec4::new(0.0, v.x, v.y, v.z);
    Dual::new(raise(&v.re), raise(&v.du))
}

fn half(v: DualVec4) -> DualVec4 {
    DualNumber::real(0.5) * v
}

/// `W(G)` of the dual trace identity `1 + tr(RᵀG) = qᵀ W(G) q`.
pub fn dual_trace_matrix(g: &DualMat3) -> DualMat4 {
    Dual::new(trace_matrix(&g.re), homogeneous_trace_matrix(&g.du))
}
