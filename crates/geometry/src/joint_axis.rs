//! Relative motion along and about a joint axis fixed in the preceding frame (floating-frame-and-ancf
//! §1.2.14).
//!
//! ```text
//! r = v d + A ū ,  ṙ = v ḋ + A_θ ū θ̇ ,  r̈ = v d̈ + A [v~ ū θ̈ + v~² ū θ̇²] ,  A_θ = v~ A = A v~
//! ```

use crate::axis_angle::AxisAngle;
use crate::se3::Pose;
use crate::so3::skew;
use crate::{Mat3, Mat4, Vec3};

/// Displacement or its rates in a joint: angle about the axis and slide along it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointCoordinates {
    /// Rotation (rad), or its rate.
    pub angle: f64,
    /// Translation along the axis, or its rate.
    pub slide: f64,
}

/// State of a cylindrical joint; a revolute one keeps the slide constant, a prismatic one the angle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointAxis {
    axis: Vec3,
    rotation: Mat3,
    slide: f64,
}

impl JointAxis {
    /// Joint with the rotation `rotation` about its axis and the translation `slide` along it.
    pub fn new(rotation: &AxisAngle, slide: f64) -> Self {
        Self { axis: rotation.axis(), rotation: rotation.matrix(), slide }
    }

    /// Relative pose `[[A, v d], [0, 1]]`.
    pub fn pose(&self) -> Pose {
        Pose::new(self.slide * self.axis, self.rotation)
    }

    /// `Ȧ4 = [[θ̇ v~ A, v ḋ], [0, 0]]`.
    pub fn homogeneous_rate(&self, rate: JointCoordinates) -> Mat4 {
        let turn = rate.angle * skew(&self.axis) * self.rotation;
        without_unit(&Pose::new(rate.slide * self.axis, turn))
    }

    /// `Ä4 = [[A (v~ θ̈ + v~² θ̇²), v d̈], [0, 0]]`.
    pub fn homogeneous_second_rate(&self, rate: JointCoordinates, second_rate: JointCoordinates) -> Mat4 {
        let k = skew(&self.axis);
        let turn = self.rotation * (second_rate.angle * k + rate.angle * rate.angle * k * k);
        without_unit(&Pose::new(second_rate.slide * self.axis, turn))
    }
}

/// Derivative blocks of a homogeneous matrix: the constant 1 of the corner drops out.
fn without_unit(blocks: &Pose) -> Mat4 {
    let mut h = blocks.homogeneous();
    h[(3, 3)] = 0.0;
    h
}
