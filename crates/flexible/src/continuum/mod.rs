//! Strains and stresses of a continuum: measures and their conversions.
//!
//! J = ∂ξ/∂x is the deformation gradient, x places before and ξ places after the deformation.

mod polar;
mod principal;
mod strain;
mod stress;
mod voigt;

pub use polar::{PolarDecomposition, polar_decomposition};
pub use principal::{Principal, principal, tresca, von_mises};
pub use strain::{
    deformation_gradient, eulerian_strain, green_lagrange_strain, is_admissible, left_cauchy_green,
    line_element_strain, right_cauchy_green, small_strain,
};
pub use stress::{
    cauchy_of_kirchhoff, cauchy_of_second_piola, kirchhoff_of_cauchy, second_piola_of_cauchy, traction,
};
pub use voigt::{
    elasticity_for_tensor_shear, engineering_of_strain, strain_of_engineering, strain_of_tensor_shear,
    stress_of_voigt, tensor_shear_of_strain, voigt_of_stress,
};
