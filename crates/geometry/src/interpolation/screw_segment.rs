//! Two nodes in closed form: SLERP of motions, a helix (motion-interpolation-galerkin §1.11.4, §1.11.5a).
//!
//! ```text
//! X(α) = X_0 exp(α s) ,    s = log(X_0⁻¹ X_1) ,    0 ≤ α ≤ 1
//! δu(α) = (I − C) δu_0 + C δu_1 ,     C = α T(α s) T⁻¹(s)
//! k = s ,    δk = −T⁻¹(−s) δu_0 + T⁻¹(s) δu_1                    (per unit of α)
//! ```

use crate::se3::{self, Pose};
use crate::{Mat6, Vec6};

/// The screw motion from one pose to another by the shorter way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScrewSegment {
    start: Pose,
    twist: Vec6,
}

impl ScrewSegment {
    /// Motion from `start` to `end`, which must be less than half a turn apart to be unique.
    pub fn new(start: Pose, end: &Pose) -> Self {
        Self { start, twist: se3::log(&start.relative(end)) }
    }

    /// Pose at the fraction `α`.
    pub fn pose(&self, alpha: f64) -> Pose {
        self.start.update(&(alpha * self.twist))
    }

    /// The constant curvature per unit of `α`.
    pub fn curvature(&self) -> Vec6 {
        self.twist
    }

    /// `[I − C, C]`: increment at `α` from those of the two ends.
    pub fn increments(&self, alpha: f64) -> [Mat6; 2] {
        let c = alpha * se3::tangent(&(alpha * self.twist)) * se3::tangent_inv(&self.twist);
        [Mat6::identity() - c, c]
    }

    /// Increment of the curvature from those of the two ends.
    pub fn curvature_increments(&self) -> [Mat6; 2] {
        [-se3::tangent_inv(&-self.twist), se3::tangent_inv(&self.twist)]
    }
}
