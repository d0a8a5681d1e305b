//! Measures of stress and their conversions.
//!
//! ```text
//! Kirchhoff τ = |J| σ,   second Piola–Kirchhoff S = |J| J⁻¹ σ J⁻ᵀ,   σ_n = σ n
//! ```
//! (floating-frame-and-ancf §1.7.8, §1.7.11.)

use poinsot_geometry::{Mat3, Vec3};

/// σ_n = σ n: force per area on the plane with normal n.
pub fn traction(cauchy: &Mat3, n: &Vec3) -> Vec3 {
    cauchy * n
}

/// τ = |J| σ.
pub fn kirchhoff_of_cauchy(cauchy: &Mat3, j: &Mat3) -> Mat3 {
    cauchy * j.determinant()
}

/// σ = τ / |J|.
pub fn cauchy_of_kirchhoff(kirchhoff: &Mat3, j: &Mat3) -> Mat3 {
    kirchhoff / j.determinant()
}

/// S = |J| J⁻¹ σ J⁻ᵀ; nothing if J is singular.
pub fn second_piola_of_cauchy(cauchy: &Mat3, j: &Mat3) -> Option<Mat3> {
    let inverse = j.try_inverse()?;
    Some(inverse * cauchy * inverse.transpose() * j.determinant())
}

/// σ = J S Jᵀ / |J|.
pub fn cauchy_of_second_piola(second_piola: &Mat3, j: &Mat3) -> Mat3 {
    j * second_piola * j.transpose() / j.determinant()
}
