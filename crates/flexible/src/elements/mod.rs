//! Finite elements: stiffness, inertia, geometric stiffness and stresses of one element, in body axes.
//!
//! ```text
//! K = ∫ Bᵀ D B,   K_σ = ∫ ∇Sᵀ σ ∇S,   ∫ρ S_a S_bᵀ,   ∫ρ S_a,   ∫ρ S_a Xᵀ,   ∫ρ (1, X, X Xᵀ)
//! ```
//! (floating-frame-and-ancf §1.15, §1.16.)

mod bar;
mod beam;
mod cross_section;
mod frame;
mod inertia;
mod isoparametric;
mod jet;
mod plate;
mod quadrature;
mod shapes;
mod shell;

pub(crate) use bar::Bar;
pub use bar::BarSection;
pub(crate) use beam::Beam;
pub use beam::{BeamOrientation, BeamSection, SectionForces};
pub use cross_section::CrossSection;
pub(crate) use inertia::{ElementInertia, ElementProducts};
pub use isoparametric::Integration;
pub(crate) use isoparametric::Isoparametric;
pub(crate) use quadrature::line as gauss_on_line;
pub(crate) use shapes::Shape;
pub(crate) use shell::Shell;

use crate::Component;
use nalgebra::DMatrix;
use poinsot_geometry::Mat3;

/// Three translations of a node.
pub(crate) const TRANSLATIONS: [Component; 3] =
    [Component::Translation(0), Component::Translation(1), Component::Translation(2)];

/// Three translations and three rotations of a node.
pub(crate) const ALL: [Component; 6] = [
    Component::Translation(0),
    Component::Translation(1),
    Component::Translation(2),
    Component::Rotation(0),
    Component::Rotation(1),
    Component::Rotation(2),
];

/// Why an element cannot be: its Jacobian is negative, or it has no extent, or it leaves its plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum GeometryFault {
    Inverted(f64),
    NoVolume,
    OutOfPlane,
}

/// The stress that makes geometric stiffness.
pub(crate) enum StressState<'a> {
    /// The same in the whole element, body axes.
    Uniform(Mat3),
    /// That of displacements: the unknowns of the element.
    Of(&'a [f64]),
}

/// Stresses of an element.
pub(crate) enum ElementStress {
    /// At its nodes.
    Nodes(Vec<Mat3>),
    /// At its nodes, above and below the middle surface.
    Faces { above: Vec<Mat3>, below: Vec<Mat3> },
    /// In its two end sections.
    Sections([SectionForces; 2]),
}

/// An element in its place. Unknowns are counted node by node, those of a node in the order of `components`.
pub(crate) trait Element {
    /// Unknowns of each node.
    fn components(&self) -> &'static [Component];
    /// Whether its shape is possible.
    fn check(&self) -> Result<(), GeometryFault>;
    /// K.
    fn stiffness(&self) -> DMatrix<f64>;
    /// Integrals of inertia.
    fn inertia(&self) -> ElementInertia;
    /// K_σ.
    fn geometric(&self, state: &StressState) -> DMatrix<f64>;
    /// Stresses of displacements.
    fn stresses(&self, unknowns: &[f64]) -> ElementStress;
}
