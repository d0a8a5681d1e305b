//! Motion tensor and Chasles' theorem (motion-interpolation-galerkin §1.3, §1.6).
//!
//! ```text
//! R = R + ε ~u R ,   RᵀR = I
//! R(n, φ) = I + sin φ ~n + (1 - cos φ) ~n ~n ,   φ = rotation + ε translation along the axis line n
//! ```

use crate::dual::{Dual, DualMat3, DualNumber, DualVec3};
use crate::line::Line;
use crate::se3::{self, Pose};
use crate::so3::skew;
use crate::{Mat6, Vec6};

/// Dual motion tensor `R + ε ~u R` of a pose.
pub fn motion_tensor(pose: &Pose) -> DualMat3 {
    Dual::new(pose.rotation, skew(&pose.r) * pose.rotation)
}

/// Pose of a dual motion tensor, `~u = R° Rᵀ`.
pub fn pose_of_tensor(tensor: &DualMat3) -> Pose {
    Pose::new(crate::so3::axial(&(tensor.du * tensor.re.transpose())), tensor.re)
}

/// The motion tensor in extended 6×6 form; equal to [`Pose::adjoint`].
pub fn extended_motion_tensor(pose: &Pose) -> Mat6 {
    motion_tensor(pose).extended()
}

/// Lines move as `b = R a`.
pub fn move_line(pose: &Pose, line: &Line) -> Option<Line> {
    Line::from_dual(&(motion_tensor(pose) * line.dual()))
}

/// A screw displacement: rotation about and translation along one line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Screw {
    /// Screw axis.
    pub axis: Line,
    /// Rotation angle (primal) and translation along the axis (dual).
    pub angle: DualNumber,
}

impl Screw {
    /// Screw with given axis, rotation angle and translation.
    pub fn new(axis: Line, angle: f64, translation: f64) -> Self {
        Self { axis, angle: Dual::new(angle, translation) }
    }

    /// Chasles' theorem: the screw of a pose, angle in `[0, π]`. `None` for the identity.
    ///
    /// A displacement without rotation has no unique axis; the line through the origin is returned.
    pub fn of_pose(pose: &Pose) -> Option<Self> {
        let s = DualVec3::from_extended(&se3::log(pose));
        let phi = s.re.norm();
        if phi < NO_ROTATION {
            let axis = Line::new(&crate::Vec3::zeros(), &pose.r)?;
            return Some(Self::new(axis, 0.0, pose.r.norm()));
        }
        let slide = s.re.dot(&s.du) / phi;
        Some(Self { axis: Line::from_dual(&s)?, angle: Dual::new(phi, slide) })
    }

    /// Translation per radian; `None` without rotation.
    pub fn pitch(&self) -> Option<f64> {
        (self.angle.re != 0.0).then(|| self.angle.du / self.angle.re)
    }

    /// Dual motion tensor by the dual Rodrigues formula.
    pub fn motion_tensor(&self) -> DualMat3 {
        let n = self.axis.dual().skew();
        let one = DualNumber::real(1.0);
        DualMat3::identity() + self.angle.sin() * n + (one - self.angle.cos()) * (n * n)
    }

    /// Pose of the displacement.
    pub fn pose(&self) -> Pose {
        pose_of_tensor(&self.motion_tensor())
    }

    /// Twist `{s° ; s}` whose exponential is this displacement.
    pub fn twist(&self) -> Vec6 {
        (self.angle * self.axis.dual()).extended()
    }

    /// Material velocity `v = φ̇ n + sin φ ṅ - (1 - cos φ) ~n ṅ` (dual).
    pub fn velocity(&self, angle_rate: DualNumber, axis_rate: &DualVec3) -> DualVec3 {
        let n = self.axis.dual();
        let one = DualNumber::real(1.0);
        angle_rate * n + self.angle.sin() * *axis_rate - (one - self.angle.cos()) * n.cross(axis_rate)
    }
}

/// Rotation angle of a motion tensor from its trace, `tr R = 1 + 2 cos φ`, `φ° = -tr(R°)/(2 sin φ)`.
///
/// Ill conditioned near 0 and π, where [`Screw::of_pose`] is to be preferred.
pub fn dual_angle_from_trace(tensor: &DualMat3) -> DualNumber {
    let half = Dual::new(0.5 * (tensor.re.trace() - 1.0), 0.5 * tensor.du.trace());
    half.acos()
}

/// Rotation angles below this are taken as pure translations: the axis would lie 1/φ away.
const NO_ROTATION: f64 = 1e-12;
