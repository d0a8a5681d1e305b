//! Linear elastic materials.
//!
//! ```text
//! σ = D ε,   σ = (σ11, σ22, σ33, σ12, σ13, σ23),   ε = (ε11, ε22, ε33, 2ε12, 2ε13, 2ε23)
//! isotropic: σ_ii = λ tr ε + 2μ ε_ii,  σ_ij = 2μ ε_ij
//! ```
//! (floating-frame-and-ancf §1.7.10, whose matrices are for tensor shear ε12: twice as large there.)

use crate::FlexibleError;
use crate::continuum::{stress_of_voigt, voigt_of_stress};
use poinsot_geometry::{Mat3, Mat6, Vec6};

/// The two constants of an isotropic material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Isotropic {
    /// E (Pa).
    pub young: f64,
    /// ν.
    pub poisson: f64,
}

impl Isotropic {
    /// From Lamé's constants: E = μ (3λ + 2μ) / (λ + μ), ν = λ / (2 (λ + μ)).
    pub fn from_lame(lambda: f64, mu: f64) -> Self {
        Isotropic {
            young: mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu),
            poisson: lambda / (2.0 * (lambda + mu)),
        }
    }

    /// From bulk and shear modulus: E = 9KG / (3K + G), ν = (3K − 2G) / (2 (3K + G)).
    pub fn from_bulk_and_shear(bulk: f64, shear: f64) -> Self {
        let sum = 3.0 * bulk + shear;
        Isotropic { young: 9.0 * bulk * shear / sum, poisson: (3.0 * bulk - 2.0 * shear) / (2.0 * sum) }
    }

    /// Lamé's constants (λ, μ): λ = Eν / ((1 + ν)(1 − 2ν)), μ = E / (2 (1 + ν)).
    pub fn lame(&self) -> (f64, f64) {
        let Isotropic { young, poisson } = *self;
        (young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)), self.shear())
    }

    /// G = E / (2 (1 + ν)).
    pub fn shear(&self) -> f64 {
        self.young / (2.0 * (1.0 + self.poisson))
    }

    /// K = E / (3 (1 − 2ν)).
    pub fn bulk(&self) -> f64 {
        self.young / (3.0 * (1.0 - 2.0 * self.poisson))
    }

    /// D for engineering shear.
    pub fn elasticity(&self) -> Mat6 {
        let (lambda, mu) = self.lame();
        let mut d = Mat6::from_diagonal(&Vec6::new(2.0 * mu, 2.0 * mu, 2.0 * mu, mu, mu, mu));
        d.fixed_view_mut::<3, 3>(0, 0).add_scalar_mut(lambda);
        d
    }
}

/// The nine constants of an orthotropic material, along its own axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Orthotropic {
    /// E1, E2, E3 (Pa).
    pub young: [f64; 3],
    /// ν12, ν13, ν23: ν_ij is the contraction along j in a pull along i.
    pub poisson: [f64; 3],
    /// G12, G13, G23 (Pa).
    pub shear: [f64; 3],
}

impl Orthotropic {
    /// D⁻¹ for engineering shear: 1/E_i, −ν_ij/E_i, 1/G_ij.
    fn compliance(&self) -> Mat6 {
        let Orthotropic { young: e, poisson: [n12, n13, n23], shear: g } = *self;
        let mut s = Mat6::from_diagonal(&Vec6::new(e[0], e[1], e[2], g[0], g[1], g[2]).map(|x| 1.0 / x));
        for (i, j, coupling) in [(0, 1, -n12 / e[0]), (0, 2, -n13 / e[0]), (1, 2, -n23 / e[1])] {
            s[(i, j)] = coupling;
            s[(j, i)] = coupling;
        }
        s
    }
}

/// A linear elastic material with its density.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// D for engineering shear.
    elasticity: Mat6,
    /// ρ (kg/m³).
    density: f64,
}

impl Material {
    /// A material that is alike in all directions.
    pub fn isotropic(constants: Isotropic, density: f64) -> Result<Self, FlexibleError> {
        let Isotropic { young, poisson } = constants;
        positive("Young's modulus", young)?;
        if !(poisson > -1.0 && poisson < 0.5) {
            let must = "it must be above −1 and below 0.5";
            return Err(FlexibleError::BadMaterial { what: "Poisson's ratio", value: poisson, must });
        }
        Material::anisotropic(constants.elasticity(), density)
    }

    /// A material with three planes of symmetry.
    pub fn orthotropic(constants: &Orthotropic, density: f64) -> Result<Self, FlexibleError> {
        for (&young, &shear) in constants.young.iter().zip(&constants.shear) {
            positive("Young's modulus", young)?;
            positive("shear modulus", shear)?;
        }
        let compliance = constants.compliance();
        check_definite(&compliance)?;
        let elasticity = compliance.try_inverse().expect("positive definite");
        Material::anisotropic((elasticity + elasticity.transpose()) * 0.5, density)
    }

    /// A material with 21 constants: D for engineering shear, which must be symmetric and positive definite.
    pub fn anisotropic(elasticity: Mat6, density: f64) -> Result<Self, FlexibleError> {
        positive("density", density)?;
        check_definite(&elasticity)?;
        Ok(Material { elasticity, density })
    }

    /// D for engineering shear.
    pub fn elasticity(&self) -> &Mat6 {
        &self.elasticity
    }

    /// ρ (kg/m³).
    pub fn density(&self) -> f64 {
        self.density
    }

    /// The same material with its axes along the columns of the rotation matrix `axes`.
    pub fn turned(&self, axes: &Mat3) -> Self {
        Material { elasticity: turned(&self.elasticity, axes), density: self.density }
    }
}

/// D' = T D Tᵀ with σ' = T σ, the components of A σ Aᵀ: power is the same in both axes (σ̄ = Aᵀ σ A, §1.7.8).
pub(crate) fn turned(elasticity: &Mat6, axes: &Mat3) -> Mat6 {
    let mut t = Mat6::zeros();
    for k in 0..6 {
        let unit = Vec6::ith(k, 1.0);
        t.set_column(k, &voigt_of_stress(&(axes * stress_of_voigt(&unit) * axes.transpose())));
    }
    t * elasticity * t.transpose()
}

/// D of plane stress: σ33 = σ13 = σ23 = 0 solved for the strains 33, 13, 23. Rows and columns of these are
/// zero; of an isotropic material the rest is E/(1 − ν²) [[1, ν, 0], [ν, 1, 0], [0, 0, (1 − ν)/2]].
///
/// # Panics
///
/// If the matrix is not definite; that of a [`Material`] always is.
pub fn plane_stress(elasticity: &Mat6) -> Mat6 {
    const KEPT: [usize; 3] = [0, 1, 3];
    const FREE: [usize; 3] = [2, 4, 5];
    let part =
        |rows: [usize; 3], columns: [usize; 3]| Mat3::from_fn(|i, j| elasticity[(rows[i], columns[j])]);
    let free = part(FREE, FREE).try_inverse().expect("the elasticity matrix is positive definite");
    let reduced = part(KEPT, KEPT) - part(KEPT, FREE) * free * part(FREE, KEPT);
    let mut d = Mat6::zeros();
    for (i, &row) in KEPT.iter().enumerate() {
        for (j, &column) in KEPT.iter().enumerate() {
            d[(row, column)] = reduced[(i, j)];
        }
    }
    d
}

/// D of plane strain: the strains 33, 13, 23 are zero, stresses are those of the material. Of an isotropic
/// one the entries of 11, 22, 12 are E/((1 + ν)(1 − 2ν)) [[1 − ν, ν, 0], [ν, 1 − ν, 0], [0, 0, (1 − 2ν)/2]].
pub fn plane_strain(elasticity: &Mat6) -> Mat6 {
    let mut d = *elasticity;
    for column in [2, 4, 5] {
        d.column_mut(column).fill(0.0);
    }
    d
}

fn positive(what: &'static str, value: f64) -> Result<(), FlexibleError> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(FlexibleError::BadMaterial { what, value, must: "it must be positive" })
}

fn check_definite(matrix: &Mat6) -> Result<(), FlexibleError> {
    let unstable = |why: String| Err(FlexibleError::UnstableMaterial { why });
    if !matrix.iter().all(|entry| entry.is_finite()) {
        return unstable("an entry is not finite".into());
    }
    let skew = (matrix - matrix.transpose()).abs().max();
    if skew > 1e-9 * matrix.abs().max() {
        return unstable(format!("entries (i, j) and (j, i) differ by {skew:.3e}"));
    }
    let least = matrix.symmetric_eigenvalues().min();
    if least <= 0.0 {
        return unstable(format!("its least eigenvalue is {least:.3e}"));
    }
    Ok(())
}
