//! Symmetric tensors as six numbers, in the order 11, 22, 33, 12, 13, 23.
//!
//! The shear strain stands in two ways: as *tensor* shear ε12, or as *engineering* shear γ12 = 2 ε12. Energy
//! is σᵀε with engineering shear, and σᵀ I_t ε, I_t = diag(1, 1, 1, 2, 2, 2), with tensor shear
//! (floating-frame-and-ancf §1.7.11). Everything in this crate but `…_tensor_shear` is engineering shear.

use poinsot_geometry::{Mat3, Mat6, Vec6};

/// The six numbers of a stress.
pub fn voigt_of_stress(stress: &Mat3) -> Vec6 {
    six(stress, 1.0)
}

/// The tensor of six numbers of stress.
pub fn stress_of_voigt(stress: &Vec6) -> Mat3 {
    tensor(stress, 1.0)
}

/// (ε11, ε22, ε33, 2ε12, 2ε13, 2ε23).
pub fn engineering_of_strain(strain: &Mat3) -> Vec6 {
    six(strain, 2.0)
}

/// The tensor of strains with engineering shear.
pub fn strain_of_engineering(strain: &Vec6) -> Mat3 {
    tensor(strain, 0.5)
}

/// (ε11, ε22, ε33, ε12, ε13, ε23).
pub fn tensor_shear_of_strain(strain: &Mat3) -> Vec6 {
    six(strain, 1.0)
}

/// The tensor of strains with tensor shear.
pub fn strain_of_tensor_shear(strain: &Vec6) -> Mat3 {
    tensor(strain, 1.0)
}

/// The matrix that gives stresses of strains with tensor shear: D I_t.
pub fn elasticity_for_tensor_shear(elasticity: &Mat6) -> Mat6 {
    elasticity * Mat6::from_diagonal(&Vec6::new(1.0, 1.0, 1.0, 2.0, 2.0, 2.0))
}

fn six(t: &Mat3, shear: f64) -> Vec6 {
    let off = |i, j| 0.5 * (t[(i, j)] + t[(j, i)]) * shear;
    Vec6::new(t[(0, 0)], t[(1, 1)], t[(2, 2)], off(0, 1), off(0, 2), off(1, 2))
}

fn tensor(v: &Vec6, shear: f64) -> Mat3 {
    let (xy, xz, yz) = (v[3] * shear, v[4] * shear, v[5] * shear);
    Mat3::new(v[0], xy, xz, xy, v[1], yz, xz, yz, v[2])
}
