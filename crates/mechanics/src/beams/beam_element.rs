//! What can be read off the sections of a beam element.

use crate::force::{Force, Motion};
use poinsot_geometry::{Mat3, Vec3, Vec6};

/// A force element that is a piece of a beam.
pub trait BeamElement: Force {
    /// Strains and stress resultants at a place ξ in [−1, 1].
    fn section_state(&self, at: &Motion, xi: f64) -> SectionState;

    /// Point of the line and section axes at a place ξ in [−1, 1]; none if the axes of a node are no frame.
    fn section_place(&self, at: &Motion, xi: f64) -> Option<SectionPlace>;
}

/// Strains and stress resultants of a section, in the order (Γ₁, Γ₂, Γ₃, K₁, K₂, K₃), in section axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SectionState {
    /// Shear, extension, bending and torsion less those of the reference.
    pub strain: Vec6,
    /// Shear forces, tension, bending moments and torque.
    pub resultant: Vec6,
    /// The least length of the interpolated section axes at the Gauss points of the element: 1 without
    /// bending and torsion, cos θ/2 between two nodes that are turned by θ against each other. An element
    /// that folds has axes of no length and no stiffness.
    pub axes: f64,
}

/// Where a section is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SectionPlace {
    /// Point of the line (m).
    pub position: Vec3,
    /// Its velocity (m/s).
    pub velocity: Vec3,
    /// Section axes d₁, d₂, d₃ as columns: the rotation nearest to the interpolated ones.
    pub axes: Mat3,
}
