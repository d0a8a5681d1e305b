//! An orientation in whatever set it was written down.

use crate::axis_angle::{AxisAngle, AxisError};
use crate::direction_cosines::{self, DirectionCosineError};
use crate::euler::Sequence;
use crate::quaternion::EulerParameters;
use crate::{Mat3, Vec3, Vec4, rodrigues, so3};
use thiserror::Error;

/// Greatest `| |θ| - 1 |` accepted for Euler parameters; typed values carry few digits.
pub const NORM_TOLERANCE: f64 = 1e-3;
/// Greatest `|AᵀA - I|` accepted for a typed matrix.
pub const MATRIX_TOLERANCE: f64 = 1e-3;
/// Smallest sine of the angle between two directions that span a frame.
pub const PARALLEL_TOLERANCE: f64 = 1e-6;

/// A coordinate axis of the body frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameAxis {
    /// First axis.
    X,
    /// Second axis.
    Y,
    /// Third axis.
    Z,
}

/// Orientation of a body frame; every variant describes the rotation from body to space components.
#[derive(Debug, Clone, PartialEq)]
pub enum Orientation {
    /// Body and space axes coincide.
    Identity,
    /// Rotation by `angle` about `axis` (any length).
    AxisAngle {
        /// Axis.
        axis: Vec3,
        /// Angle in radians.
        angle: f64,
    },
    /// Euler parameters, scalar first.
    EulerParameters([f64; 4]),
    /// Rodrigues parameters `v tan(θ/2)`.
    Rodrigues(Vec3),
    /// Intrinsic Euler angles.
    Euler {
        /// Rotation sequence.
        sequence: Sequence,
        /// Angles in radians.
        angles: Vec3,
    },
    /// Rotation vector `θ v`.
    RotationVector(Vec3),
    /// Direction-cosine matrix, body to space.
    Matrix(Mat3),
    /// Body axes in space components, any lengths, orthogonal and right-handed.
    Axes([Vec3; 3]),
    /// One body axis along a direction, a second one as near as possible to another.
    TwoDirections {
        /// Axis that is met exactly.
        primary: FrameAxis,
        /// Direction of the primary axis.
        along: Vec3,
        /// Axis that lies in the plane of both directions.
        secondary: FrameAxis,
        /// Direction that fixes the plane.
        towards: Vec3,
    },
    /// Successive rotations, each about the axes left by the ones before.
    Successive(Vec<Orientation>),
}

/// Why an orientation has no rotation matrix.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum OrientationError {
    /// A number is infinite or not a number.
    #[error("orientation by {set}: a value is not finite")]
    NotFinite {
        /// Name of the set.
        set: &'static str,
    },
    /// Axis without direction.
    #[error(transparent)]
    Axis(#[from] AxisError),
    /// Euler parameters off the unit sphere.
    #[error("Euler parameters must have unit norm; these have norm {norm} (tolerance {NORM_TOLERANCE:e})")]
    NotUnit {
        /// Norm found.
        norm: f64,
    },
    /// Matrix or axes are not a proper rotation.
    #[error(transparent)]
    DirectionCosines(#[from] DirectionCosineError),
    /// Both directions are for the same body axis.
    #[error("the two directions are both for the {axis:?} axis; name two different body axes")]
    SameAxis {
        /// The axis named twice.
        axis: FrameAxis,
    },
    /// The directions do not span a plane.
    #[error("the two directions are parallel (sine of their angle {sine:e}) and do not fix a frame")]
    ParallelDirections {
        /// Sine of the angle between the directions.
        sine: f64,
    },
}

impl Orientation {
    /// Rotation matrix, exactly orthonormal to rounding.
    pub fn to_matrix(&self) -> Result<Mat3, OrientationError> {
        self.check_finite()?;
        match self {
            Self::Identity => Ok(Mat3::identity()),
            Self::AxisAngle { axis, angle } => Ok(AxisAngle::new(axis, *angle)?.matrix()),
            Self::EulerParameters(p) => euler_parameters(p),
            Self::Rodrigues(gamma) => Ok(rodrigues::to_quaternion(gamma).to_matrix()),
            Self::Euler { sequence, angles } => Ok(sequence.matrix(angles)),
            Self::RotationVector(theta) => Ok(so3::exp(theta)),
            Self::Matrix(a) => Ok(direction_cosines::repair(a, MATRIX_TOLERANCE)?),
            Self::Axes(axes) => Ok(direction_cosines::from_axes(axes, MATRIX_TOLERANCE)?),
            Self::TwoDirections { primary, along, secondary, towards } => {
                two_directions(*primary, along, *secondary, towards)
            }
            Self::Successive(list) => {
                list.iter().try_fold(Mat3::identity(), |total, o| Ok(total * o.to_matrix()?))
            }
        }
    }

    /// Unit quaternion with non-negative scalar part.
    pub fn to_quaternion(&self) -> Result<EulerParameters, OrientationError> {
        Ok(EulerParameters::from_matrix(&self.to_matrix()?))
    }

    /// Name of the set, for messages.
    pub fn set_name(&self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::AxisAngle { .. } => "axis and angle",
            Self::EulerParameters(_) => "Euler parameters",
            Self::Rodrigues(_) => "Rodrigues parameters",
            Self::Euler { .. } => "Euler angles",
            Self::RotationVector(_) => "rotation vector",
            Self::Matrix(_) => "direction-cosine matrix",
            Self::Axes(_) => "body axes",
            Self::TwoDirections { .. } => "two directions",
            Self::Successive(_) => "successive rotations",
        }
    }

    fn check_finite(&self) -> Result<(), OrientationError> {
        let finite = |v: &Vec3| v.iter().all(|x| x.is_finite());
        let all = match self {
            Self::Identity | Self::Successive(_) => true,
            Self::AxisAngle { axis, angle } => finite(axis) && angle.is_finite(),
            Self::EulerParameters(p) => p.iter().all(|x| x.is_finite()),
            Self::Rodrigues(v) | Self::RotationVector(v) | Self::Euler { angles: v, .. } => finite(v),
            Self::Matrix(a) => a.iter().all(|x| x.is_finite()),
            Self::Axes(axes) => axes.iter().all(finite),
            Self::TwoDirections { along, towards, .. } => finite(along) && finite(towards),
        };
        if all { Ok(()) } else { Err(OrientationError::NotFinite { set: self.set_name() }) }
    }
}

fn euler_parameters(p: &[f64; 4]) -> Result<Mat3, OrientationError> {
    let raw = EulerParameters::from_vec4(&Vec4::from(*p));
    let norm = raw.norm();
    match raw.normalized() {
        Some(unit) if (norm - 1.0).abs() <= NORM_TOLERANCE => Ok(unit.to_matrix()),
        _ => Err(OrientationError::NotUnit { norm }),
    }
}

/// Frame with one axis along a direction and a second one in the half plane of another (Gram–Schmidt).
fn two_directions(
    primary: FrameAxis,
    along: &Vec3,
    secondary: FrameAxis,
    towards: &Vec3,
) -> Result<Mat3, OrientationError> {
    if primary == secondary {
        return Err(OrientationError::SameAxis { axis: primary });
    }
    let unit = |v: &Vec3| AxisAngle::new(v, 0.0).map(|a| a.axis());
    let (p, t) = (unit(along)?, unit(towards)?);
    let sine = p.cross(&t).norm();
    if sine < PARALLEL_TOLERANCE {
        return Err(OrientationError::ParallelDirections { sine });
    }
    let (i, j) = (primary as usize, secondary as usize);
    let normal = p.cross(&t) / sine;
    let s = normal.cross(&p);
    let sign = if (j + 3 - i) % 3 == 1 { 1.0 } else { -1.0 };
    let mut axes = [Vec3::zeros(); 3];
    (axes[i], axes[j], axes[3 - i - j]) = (p, s, sign * normal);
    Ok(direction_cosines::from_axes(&axes, MATRIX_TOLERANCE)?)
}
