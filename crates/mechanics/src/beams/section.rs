//! What a beam needs to know of its cross-section: stiffness, mass and viscosity per length.
//!
//! Strains and stress resultants stand in the order (Γ₁, Γ₂, Γ₃, K₁, K₂, K₃): shear along the section axes 1
//! and 2, extension, bending about 1 and 2, torsion (energy-momentum-null-space I-39, I-41). A fibre at (ζ₁,
//! ζ₂) is stretched by
//!
//! ```text
//! Γ₃ + ζ₂ K₁ − ζ₁ K₂
//! ```

use super::section_mass::{AxialMass, RigidSection};
use super::section_shape::SectionArea;
use poinsot_geometry::Mat6;

/// An isotropic elastic material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Young's modulus E (Pa).
    pub young: f64,
    /// Poisson's ratio ν.
    pub poisson: f64,
    /// Density ρ (kg/m³).
    pub density: f64,
}

impl Material {
    /// Shear modulus G = E/(2(1 + ν)) (Pa).
    pub fn shear_modulus(&self) -> f64 {
        0.5 * self.young / (1.0 + self.poisson)
    }
}

/// Mass of a section per length: ∫ρ, ∫ρ ζ_κ and ∫ρ ζ_κ ζ_λ over the section. The third axis has none (I-39).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SectionMass {
    /// ∫ρ dA (kg/m).
    pub mass: f64,
    /// ∫ρ ζ_κ dA (kg), zero where the line goes through the centroids.
    pub first: [f64; 2],
    /// ∫ρ ζ₁² dA, ∫ρ ζ₂² dA, ∫ρ ζ₁ζ₂ dA (kg·m).
    pub second: [f64; 3],
}

/// Stiffness, mass and viscosity of a cross-section.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Section {
    /// Stress resultants per strain: N for forces, N·m for moments and couplings, N·m² for bending and
    /// torsion.
    pub stiffness: Mat6,
    /// Stress resultants per rate of strain (Kelvin–Voigt).
    pub viscosity: Mat6,
    /// Mass per length.
    pub mass: SectionMass,
    /// Mass per length along the line, zero for thin sections.
    pub axial_mass: AxialMass,
}

impl Section {
    /// From stiffness and mass as given.
    pub fn given(stiffness: Mat6, mass: SectionMass) -> Self {
        Section { stiffness, viscosity: Mat6::zeros(), mass, axial_mass: AxialMass::default() }
    }

    /// From stiffness as given and the mass of a rigid section.
    pub fn rigid(stiffness: Mat6, mass: &RigidSection) -> Self {
        let (mass, axial_mass) = mass.split();
        Section { axial_mass, ..Self::given(stiffness, mass) }
    }

    /// Uncoupled, D = diag(GA₁, GA₂, EA, EI₁, EI₂, GJ) (I-41).
    pub fn diagonal(stiffness: [f64; 6], mass: SectionMass) -> Self {
        Self::given(Mat6::from_diagonal(&stiffness.into()), mass)
    }

    /// A homogeneous section on a line through its centroids. Shear forces act on k_κ A through the shear
    /// centre e, so that they twist it where e is not the centroid:
    ///
    /// ```text
    /// N₃ = E A Γ₃,   M₁ = E(I₁ K₁ − I₁₂ K₂),   M₂ = E(I₂ K₂ − I₁₂ K₁)
    /// N_κ = G Σ A_κλ γ_λ,   γ = (Γ₁ − e₂ K₃, Γ₂ + e₁ K₃),   M₃ = G J K₃ − e₂ N₁ + e₁ N₂
    /// ```
    pub fn homogeneous(area: &SectionArea, material: &Material) -> Self {
        let (young, shear) = (material.young, material.shear_modulus());
        let mut c = Mat6::zeros();
        c[(2, 2)] = young * area.area;
        (c[(3, 3)], c[(4, 4)]) = (young * area.second[0], young * area.second[1]);
        (c[(3, 4)], c[(4, 3)]) = (-young * area.second[2], -young * area.second[2]);
        c[(5, 5)] = shear * area.torsion;
        // γ_κ as rows in (Γ₁, Γ₂, K₃).
        let [e1, e2] = area.shear_centre;
        let rows = [[1.0, 0.0, -e2], [0.0, 1.0, e1]];
        let at = [0, 1, 5];
        let [k11, k22, k12] = area.shear_areas;
        let table = [[k11, k12], [k12, k22]];
        for (i, row) in at.iter().enumerate() {
            for (j, column) in at.iter().enumerate() {
                for (k, left) in rows.iter().enumerate() {
                    for (l, right) in rows.iter().enumerate() {
                        c[(*row, *column)] += shear * left[i] * table[k][l] * right[j];
                    }
                }
            }
        }
        let rho = material.density;
        // second holds ∫ζ₂², ∫ζ₁², ∫ζ₁ζ₂; the mass of axis 1 is ∫ρ ζ₁².
        let second = [rho * area.second[1], rho * area.second[0], rho * area.second[2]];
        Self::given(c, SectionMass { mass: rho * area.area, first: [0.0; 2], second })
    }

    /// The section moved by e = (e₁, e₂) along its axes, so that the line goes past it. At the point e of the
    /// section
    ///
    /// ```text
    /// Γ_e = Γ + K × e,   K_e = K      ε_e = T ε,   C → Tᵀ C T,   C_v → Tᵀ C_v T
    /// S_κ → S_κ + m e_κ,   M_κλ → M_κλ + e_κ S_λ + e_λ S_κ + m e_κ e_λ
    /// ```
    pub fn offset(self, [e1, e2]: [f64; 2]) -> Self {
        let mut t = Mat6::identity();
        (t[(0, 5)], t[(1, 5)]) = (-e2, e1);
        (t[(2, 3)], t[(2, 4)]) = (e2, -e1);
        let moved = |c: Mat6| t.transpose() * c * t;
        let SectionMass { mass: m, first: [s1, s2], second: [m11, m22, m12] } = self.mass;
        let mass = SectionMass {
            mass: m,
            first: [s1 + m * e1, s2 + m * e2],
            second: [
                m11 + 2.0 * e1 * s1 + m * e1 * e1,
                m22 + 2.0 * e2 * s2 + m * e2 * e2,
                m12 + e1 * s2 + e2 * s1 + m * e1 * e2,
            ],
        };
        let AxialMass { first: s3, second: [m13, m23, m33] } = self.axial_mass;
        let axial_mass = AxialMass { first: s3, second: [m13 + e1 * s3, m23 + e2 * s3, m33] };
        Section { stiffness: moved(self.stiffness), viscosity: moved(self.viscosity), mass, axial_mass }
    }

    /// With a viscosity proportional to the stiffness, by a time (s).
    pub fn with_stiffness_damping(self, time: f64) -> Self {
        Section { viscosity: self.viscosity + self.stiffness * time, ..self }
    }

    /// With a given viscosity (Kelvin–Voigt).
    pub fn with_viscosity(self, viscosity: Mat6) -> Self {
        Section { viscosity: self.viscosity + viscosity, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::beams::SectionShape;
    use poinsot_geometry::Vec6;

    /// A section past the line: tension bends by N e, torsion and shear follow the shear centre, and back
    /// again is where it was.
    #[test]
    fn an_offset_couples_what_it_should() {
        let mass = SectionMass { mass: 2.0, first: [0.0; 2], second: [0.3, 0.2, 0.0] };
        let section = Section::diagonal([5.0, 6.0, 70.0, 8.0, 9.0, 10.0], mass);
        let moved = section.offset([0.1, -0.2]);
        // Γ₃ = 1 stretches all fibres: N = EA, M₁ = e₂ N, M₂ = −e₁ N.
        let s = moved.stiffness * Vec6::new(0.0, 0.0, 1.0, 0.0, 0.0, 0.0);
        assert!((s - Vec6::new(0.0, 0.0, 70.0, -14.0, -7.0, 0.0)).norm() < 1e-13);
        // The theorem of parallel axes.
        assert!((moved.stiffness[(3, 3)] - (8.0 + 70.0 * 0.04)).abs() < 1e-13);
        assert!((moved.stiffness[(4, 4)] - (9.0 + 70.0 * 0.01)).abs() < 1e-13);
        assert!((moved.stiffness[(5, 5)] - (10.0 + 5.0 * 0.04 + 6.0 * 0.01)).abs() < 1e-13);
        assert_eq!(moved.mass.first, [0.2, -0.4]);
        let wanted = [0.3 + 2.0 * 0.01, 0.2 + 2.0 * 0.04, -0.04];
        assert!(moved.mass.second.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-15));
        let back = moved.offset([-0.1, 0.2]);
        assert!((back.stiffness - section.stiffness).norm() < 1e-13);
        assert!(back.mass.first.iter().all(|x| x.abs() < 1e-15) && (back.mass.second[1] - 0.2).abs() < 1e-15);
    }

    /// The shear centre of an open section moves with it: shear through it does not twist.
    #[test]
    fn the_shear_centre_moves_with_the_section() {
        let corners = vec![[0.1, 0.1], [0.0, 0.1], [0.0, -0.1], [0.1, -0.1]];
        let shape = SectionShape::ThinWalled { corners, thickness: vec![0.004; 3], closed: false };
        let area = shape.properties(0.3).unwrap();
        let section = Section::homogeneous(&area, &Material { young: 2e11, poisson: 0.3, density: 7800.0 });
        let [e1, e2] = area.shear_centre;
        // With the line through the shear centre C couples shear and torsion no more.
        let moved = section.offset([-e1, -e2]);
        let coupling = [(0, 5), (1, 5)].map(|at| moved.stiffness[at].abs());
        assert!(coupling.iter().all(|c| *c < 1e-9 * section.stiffness[(0, 0)]), "{coupling:?}");
    }
}
