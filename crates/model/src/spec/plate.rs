//! Plates with everything evaluated.

use crate::diagnostic::Span;
use crate::spec::{BodyRef, Color};
use poinsot_expr::Function;
use poinsot_flexible::Material;
use poinsot_geometry::Vec3;
use poinsot_mechanics::ancf::solid::{Constitution, PlatePatch, PlateTheory};
use std::ops::Range;

/// A plate or shell.
#[derive(Clone, Debug)]
pub struct PlateSpec {
    /// Its name.
    pub name: String,
    /// Place of the name.
    pub span: Span,
    /// Its nodes: indices into [`Model::bodies`](super::Model::bodies), the first side running faster.
    pub nodes: Range<usize>,
    /// Elements along the sides.
    pub elements: [usize; 2],
    /// Ranges of the parameters.
    pub sides: [f64; 2],
    /// Thickness (m).
    pub thickness: f64,
    /// The material.
    pub material: Material,
    /// Prestress and viscosity.
    pub constitution: Constitution,
    /// The elements.
    pub theory: PlateTheory,
    /// Vectors of the nodes where the plate is free of stress but for the prestress.
    pub reference: Vec<Vec<Vec3>>,
    /// What holds nodes, with their indices in the plate: a body and which vectors.
    pub held: Vec<(usize, BodyRef, [bool; 4])>,
    /// Load per area as functions of `t`.
    pub load: Option<[Function; 3]>,
    /// Angular velocity at the start, world axes.
    pub angular_velocity: Vec3,
    /// Its colour.
    pub color: Option<Color>,
}

impl PlateSpec {
    /// Its elements, without nodes.
    pub fn patch(&self) -> PlatePatch<'_> {
        PlatePatch {
            name: &self.name,
            elements: self.elements,
            sides: self.sides,
            thickness: self.thickness,
            material: &self.material,
            constitution: self.constitution,
            theory: self.theory,
        }
    }
}

/// A node of a plate: a point without a mass of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct PlateNodeSpec {
    /// Position at the start.
    pub position: Vec3,
    /// Velocity at the start.
    pub velocity: Vec3,
}
