//! Measures of strain of a deformation gradient.

use poinsot_geometry::{Mat3, Vec3};

/// J = 1 + ∂u/∂x (floating-frame-and-ancf §1.7.1).
pub fn deformation_gradient(displacement_gradient: &Mat3) -> Mat3 {
    Mat3::identity() + displacement_gradient
}

/// A deformation is possible where det J > 0.
pub fn is_admissible(j: &Mat3) -> bool {
    j.determinant() > 0.0
}

/// ε = ½ (JᵀJ − 1), Green and Lagrange (§1.7.3, V24).
pub fn green_lagrange_strain(j: &Mat3) -> Mat3 {
    (right_cauchy_green(j) - Mat3::identity()) * 0.5
}

/// ε = ½ (J̄ + J̄ᵀ) of J̄ = ∂u/∂x (§1.7.4): of small deformations alone, a rotation about an axis by θ has
/// the strain cos θ − 1 across it (V25).
pub fn small_strain(displacement_gradient: &Mat3) -> Mat3 {
    (displacement_gradient + displacement_gradient.transpose()) * 0.5
}

/// C_r = JᵀJ (§1.7.6).
pub fn right_cauchy_green(j: &Mat3) -> Mat3 {
    j.transpose() * j
}

/// C_l = JJᵀ.
pub fn left_cauchy_green(j: &Mat3) -> Mat3 {
    j * j.transpose()
}

/// ½ (1 − C_l⁻¹), Euler and Almansi; nothing if J is singular.
pub fn eulerian_strain(j: &Mat3) -> Option<Mat3> {
    Some((Mat3::identity() - left_cauchy_green(j).try_inverse()?) * 0.5)
}

/// Change of length of a line element along the unit vector n over its length: −1 + √(1 + 2 nᵀ ε n) with the
/// Green strain ε (§1.7.5, 4.25 … 4.32).
pub fn line_element_strain(green: &Mat3, n: &Vec3) -> f64 {
    // x / (1 + √(1 + x)) = √(1 + x) − 1 without the difference of near numbers.
    let x = 2.0 * n.dot(&(green * n));
    x / (1.0 + (1.0 + x).sqrt())
}
