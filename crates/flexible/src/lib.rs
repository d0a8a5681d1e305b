//! Flexible bodies: from finite elements, or matrices of them, to a few modes and constant integrals.
//!
//! ```text
//! mesh → elements → FullBody (M, K, products of inertia) → reduction → ReducedBody (modes, integrals)
//! ```
//! Everything is in the axes of the body as it is meshed. What moves the body through space is in the crate
//! of mechanics, which is given the integrals.

#![warn(missing_docs)]

mod assemble;
pub mod continuum;
mod elements;
mod error;
mod full_body;
mod kept_matrix;
mod lumped;
mod material;
mod mesh;
mod mesh_checks;
mod reduced_body;
pub mod reduction;
mod section;
mod stress;

pub use assemble::{FiniteElements, assemble};
pub use elements::{BarSection, BeamOrientation, BeamSection, CrossSection, Integration, SectionForces};
pub use error::{FlexibleError, MeshPart};
pub use full_body::{Component, FullBody, MassProducts, Unknown};
pub use lumped::{Ball, LumpedPoint};
pub use material::{Isotropic, Material, Orthotropic, plane_strain, plane_stress};
pub use mesh::{ElementKind, Group, Mesh, MeshElement};
pub use reduced_body::{InertiaIntegrals, Interface, ReducedBody, ShapeKind};
pub use section::{PlaneSection, PlaneState, Section, SectionOf, ShellSection, SolidSection};
pub use stress::{ShellStress, Stresses};
