//! Bar: two nodes in space, pulled along its axis only.
//!
//! ```text
//! S = [(1 − ξ) 1, ξ 1],   ∫ρ S_aᵀ S_b = m/6 [[2, 1], [1, 2]] 1,   K = EA/l [[1, −1], [−1, 1]] ⊗ c cᵀ
//! K_σ = P/l [[1, −1], [−1, 1]] 1
//! ```
//! (floating-frame-and-ancf §1.19, V43.)

use super::{
    Element, ElementInertia, ElementStress, GeometryFault, SectionForces, StressState, TRANSLATIONS,
};
use crate::{Component, FlexibleError};
use nalgebra::DMatrix;
use poinsot_geometry::{Mat3, Vec3};

/// What a bar is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BarSection {
    /// A (m²).
    pub area: f64,
    /// E (Pa).
    pub young: f64,
    /// ρ (kg/m³).
    pub density: f64,
}

impl BarSection {
    pub(crate) fn check(&self) -> Result<(), FlexibleError> {
        let numbers = [("area", self.area), ("Young's modulus", self.young), ("density", self.density)];
        super::cross_section::check_positive(&numbers)
    }
}

/// A bar in its place.
pub(crate) struct Bar {
    section: BarSection,
    places: [Vec3; 2],
}

impl Bar {
    pub fn new(section: BarSection, places: [Vec3; 2]) -> Self {
        Bar { section, places }
    }

    fn length(&self) -> f64 {
        (self.places[1] - self.places[0]).norm()
    }

    fn direction(&self) -> Vec3 {
        (self.places[1] - self.places[0]) / self.length()
    }

    /// P = EA c·(u_B − u_A)/l.
    fn axial_force(&self, u: &[f64]) -> f64 {
        let stretch = (0..3).map(|k| self.direction()[k] * (u[3 + k] - u[k])).sum::<f64>();
        self.section.young * self.section.area * stretch / self.length()
    }
}

/// [[1, −1], [−1, 1]] ⊗ block.
fn between_ends(block: Mat3) -> DMatrix<f64> {
    let signs = DMatrix::from_row_slice(2, 2, &[1.0, -1.0, -1.0, 1.0]);
    signs.kronecker(&block)
}

impl Element for Bar {
    fn components(&self) -> &'static [Component] {
        &TRANSLATIONS
    }

    fn check(&self) -> Result<(), GeometryFault> {
        check_length(&self.places)
    }

    fn stiffness(&self) -> DMatrix<f64> {
        let c = self.direction();
        between_ends(c * c.transpose() * (self.section.young * self.section.area / self.length()))
    }

    fn inertia(&self) -> ElementInertia {
        let mass = self.section.density * self.section.area * self.length();
        let m = DMatrix::from_row_slice(2, 2, &[2.0, 1.0, 1.0, 2.0]) * (mass / 6.0);
        ElementInertia::nodal(m, &self.places, self.components())
    }

    fn geometric(&self, state: &StressState) -> DMatrix<f64> {
        let c = self.direction();
        let force = match state {
            StressState::Uniform(stress) => self.section.area * c.dot(&(stress * c)),
            StressState::Of(unknowns) => self.axial_force(unknowns),
        };
        between_ends(Mat3::identity() * (force / self.length()))
    }

    fn stresses(&self, unknowns: &[f64]) -> ElementStress {
        let forces = SectionForces { axial: self.axial_force(unknowns), ..SectionForces::default() };
        ElementStress::Sections([forces, forces])
    }
}

/// A line needs a length, beyond the rounding of its places.
pub(super) fn check_length(places: &[Vec3; 2]) -> Result<(), GeometryFault> {
    let length = (places[1] - places[0]).norm();
    if length > 1e-12 * (places[0].norm() + places[1].norm()) {
        return Ok(());
    }
    Err(GeometryFault::NoVolume)
}
