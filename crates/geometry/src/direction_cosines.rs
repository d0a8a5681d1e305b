//! Direction-cosine matrices: check, measured defect, repair (floating-frame-and-ancf §1.2.12).
//!
//! Columns are the body axes in space components, so the matrix maps body to space like every other one here.

use crate::so3;
use crate::{Mat3, Vec3};
use thiserror::Error;

/// What is wrong with a direction-cosine matrix.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum DirectionCosineError {
    /// An entry is infinite or not a number.
    #[error("direction-cosine matrix has an entry that is not finite")]
    NotFinite,
    /// `AᵀA` differs from the identity by more than the tolerance.
    #[error("matrix is not orthonormal: |AᵀA - I| = {defect:e} exceeds the tolerance {tolerance:e}")]
    NotOrthonormal {
        /// Greatest entry of `|AᵀA - I|`.
        defect: f64,
        /// Greatest defect accepted.
        tolerance: f64,
    },
    /// Orthonormal, but a reflection.
    #[error("matrix is improper (determinant {determinant:+.6}): its axes form a left-handed frame")]
    Improper {
        /// Determinant.
        determinant: f64,
    },
    /// No unique nearest rotation.
    #[error("matrix is singular (determinant {determinant:e}) and cannot be repaired into a rotation")]
    Singular {
        /// Determinant.
        determinant: f64,
    },
    /// An axis given for the frame has no direction.
    #[error("axis {index} of the frame has no direction: its length must be positive and finite")]
    ZeroAxis {
        /// Number of the axis, 1 to 3.
        index: usize,
    },
}

/// Greatest entry of `|AᵀA - I|`, the six orthonormality relations in one number.
pub fn orthonormality_defect(a: &Mat3) -> f64 {
    let gram = a.transpose() * a - Mat3::identity();
    // A running maximum would swallow NaN.
    gram.iter().fold(0.0, |m: f64, x| if x.is_nan() { f64::NAN } else { m.max(x.abs()) })
}

/// Accepts `a` when it is a proper rotation to within `tolerance`.
pub fn check(a: &Mat3, tolerance: f64) -> Result<(), DirectionCosineError> {
    if a.iter().any(|x| !x.is_finite()) {
        return Err(DirectionCosineError::NotFinite);
    }
    let defect = orthonormality_defect(a);
    if defect > tolerance {
        return Err(DirectionCosineError::NotOrthonormal { defect, tolerance });
    }
    let determinant = a.determinant();
    if determinant < 0.0 {
        return Err(DirectionCosineError::Improper { determinant });
    }
    Ok(())
}

/// Checks `a` as [`check`] does and returns the nearest exact rotation, by polar decomposition.
pub fn repair(a: &Mat3, tolerance: f64) -> Result<Mat3, DirectionCosineError> {
    check(a, tolerance)?;
    nearest_rotation(a)
}

/// Nearest rotation to any matrix of positive determinant, however large its defect.
pub fn nearest_rotation(a: &Mat3) -> Result<Mat3, DirectionCosineError> {
    if a.iter().any(|x| !x.is_finite()) {
        return Err(DirectionCosineError::NotFinite);
    }
    let determinant = a.determinant();
    let polar = so3::polar(a).ok_or(DirectionCosineError::Singular { determinant })?;
    if determinant < 0.0 {
        return Err(DirectionCosineError::Improper { determinant });
    }
    Ok(polar)
}

/// Matrix of three body axes given in space components with any lengths.
///
/// The axes must be orthogonal to within `tolerance` (a cosine) and right-handed.
pub fn from_axes(axes: &[Vec3; 3], tolerance: f64) -> Result<Mat3, DirectionCosineError> {
    let mut units = *axes;
    for (i, axis) in units.iter_mut().enumerate() {
        let norm = axis.norm();
        if !(norm > 0.0 && norm.is_finite()) {
            return Err(DirectionCosineError::ZeroAxis { index: i + 1 });
        }
        *axis /= norm;
    }
    repair(&Mat3::from_columns(&units), tolerance)
}
