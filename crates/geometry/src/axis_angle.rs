//! Rotation by an angle about an axis, and successions of such rotations (floating-frame-and-ancf §1.2.1,
//! §1.2.6).

use crate::quaternion::EulerParameters;
use crate::so3::skew;
use crate::{Mat3, Vec3};
use thiserror::Error;

/// The axis has no direction.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error("rotation axis ({}, {}, {}) has no direction: its length must be positive and finite", .axis.x, .axis.y, .axis.z)]
pub struct AxisError {
    /// The axis as given.
    pub axis: Vec3,
}

/// Unit axis and angle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AxisAngle {
    axis: Vec3,
    angle: f64,
}

impl AxisAngle {
    /// Rotation by `angle` about `axis`, which need not have unit length.
    pub fn new(axis: &Vec3, angle: f64) -> Result<Self, AxisError> {
        // Scaling first keeps very long and very short axes usable.
        let scale = axis.amax();
        if !(scale > 0.0 && scale.is_finite()) {
            return Err(AxisError { axis: *axis });
        }
        let scaled = axis / scale;
        Ok(Self { axis: scaled / scaled.norm(), angle })
    }

    /// Axis and angle in `[0, π]` of a rotation matrix; `None` for the identity, which has no axis.
    ///
    /// Uses the Euler parameters: the trace formula fails at both ends of the range (§1.2.16).
    pub fn from_matrix(a: &Mat3) -> Option<Self> {
        let theta = EulerParameters::from_matrix(a).rotation_vector();
        let angle = theta.norm();
        (angle > 0.0).then(|| Self { axis: theta / angle, angle })
    }

    /// Unit axis.
    pub fn axis(&self) -> Vec3 {
        self.axis
    }

    /// Angle in radians.
    pub fn angle(&self) -> f64 {
        self.angle
    }

    /// Rotation vector `θ v`.
    pub fn rotation_vector(&self) -> Vec3 {
        self.angle * self.axis
    }

    /// `A = I + sin θ v~ + 2 sin²(θ/2) v~²`.
    pub fn matrix(&self) -> Mat3 {
        let k = skew(&self.axis);
        let half = (0.5 * self.angle).sin();
        Mat3::identity() + self.angle.sin() * k + 2.0 * half * half * k * k
    }

    /// `∂A/∂θ = v~ A = A v~` at fixed axis.
    pub fn matrix_derivative(&self) -> Mat3 {
        skew(&self.axis) * self.matrix()
    }

    /// First-order matrix `I + θ v~`, good for infinitesimal rotations only.
    pub fn linearized(&self) -> Mat3 {
        Mat3::identity() + self.angle * skew(&self.axis)
    }

    /// `ω = 2 v×v̇ sin²(θ/2) + v̇ sin θ + v θ̇`.
    pub fn angular_velocity_space(&self, axis_rate: &Vec3, angle_rate: f64) -> Vec3 {
        self.angular_velocity(axis_rate, angle_rate, 1.0)
    }

    /// `ω̄ = 2 v̇×v sin²(θ/2) + v̇ sin θ + v θ̇`.
    pub fn angular_velocity_body(&self, axis_rate: &Vec3, angle_rate: f64) -> Vec3 {
        self.angular_velocity(axis_rate, angle_rate, -1.0)
    }

    fn angular_velocity(&self, axis_rate: &Vec3, angle_rate: f64, sign: f64) -> Vec3 {
        let half = (0.5 * self.angle).sin();
        sign * 2.0 * half * half * self.axis.cross(axis_rate)
            + self.angle.sin() * axis_rate
            + angle_rate * self.axis
    }
}

/// Single-frame method: body-fixed axes `b_k` re-expressed in the fixed frame before use,
/// `v_k = A_{k-1} … A_1 b_k`, total `A = A_n … A_1`.
pub fn successive_single_frame(rotations: &[AxisAngle]) -> Mat3 {
    rotations.iter().fold(Mat3::identity(), |total, rotation| {
        // Renormalised, or rounding in the axis would grow from factor to factor.
        let fixed = AxisAngle { axis: (total * rotation.axis).normalize(), angle: rotation.angle };
        fixed.matrix() * total
    })
}

/// Multi-frame method: body-frame axes used directly, total `A = A_1 A_2 … A_n`.
pub fn successive_multi_frame(rotations: &[AxisAngle]) -> Mat3 {
    rotations.iter().fold(Mat3::identity(), |total, rotation| total * rotation.matrix())
}
