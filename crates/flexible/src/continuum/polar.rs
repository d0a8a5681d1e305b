//! J = A U = V A: a rotation and a stretch (floating-frame-and-ancf §1.7.7).

use poinsot_geometry::Mat3;

/// Rotation and stretches of a deformation gradient.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolarDecomposition {
    /// A.
    pub rotation: Mat3,
    /// U = √C_r, right stretch.
    pub right: Mat3,
    /// V = √C_l, left stretch.
    pub left: Mat3,
}

/// The decomposition of J; nothing unless det J > 0.
///
/// Newton's iteration for AᵀA = 1: A ← ½ (A + A⁻ᵀ) from A = J. It needs no eigenvectors, so equal stretches
/// are no special case.
pub fn polar_decomposition(j: &Mat3) -> Option<PolarDecomposition> {
    if j.determinant().is_nan() || j.determinant() <= 0.0 {
        return None;
    }
    let mut rotation = *j;
    for _ in 0..60 {
        let next = (rotation + rotation.try_inverse()?.transpose()) * 0.5;
        let change = (next - rotation).abs().max();
        rotation = next;
        if change < 1e-15 {
            break;
        }
    }
    let symmetric = |m: Mat3| (m + m.transpose()) * 0.5;
    let right = symmetric(rotation.transpose() * j);
    Some(PolarDecomposition { rotation, right, left: symmetric(j * rotation.transpose()) })
}
