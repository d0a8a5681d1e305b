//! Flexible bodies: from finite elements, or matrices of them, to a few modes and constant integrals.
//!
//! ```text
//! mesh → elements → FullBody (M, K, products of inertia) → reduction → ReducedBody (modes, integrals)
//! ```
//! Everything is in the axes of the body as it is meshed. What moves the body through space is in the crate
//! of mechanics, which is given the integrals.

#![warn(missing_docs)]

mod assemble;
mod check;
pub mod continuum;
mod cursor;
mod elements;
mod error;
mod file_error;
mod full_body;
mod held_frequency;
mod imported_body;
mod kept_matrix;
mod labels;
mod lumped;
mod material;
mod matrix_files;
mod mesh;
mod mesh_checks;
mod mesh_files;
mod number_type;
mod reduced_body;
pub mod reduction;
mod section;
mod shape_stresses;
mod skin;
mod stress;

pub use assemble::{FiniteElements, assemble};
pub use check::{BodyCheck, Doubt, check_body, doubts_of_units};
pub use elements::{BarSection, BeamOrientation, BeamSection, CrossSection, Integration, SectionForces};
pub use error::{FlexibleError, MeshPart};
pub use file_error::{Fault, FileError, Place, Remark};
pub use full_body::{Component, FullBody, MassProducts, Unknown};
pub use imported_body::{BodyMatrices, ImportError, ImportedBody, ProductsFrom, import_body};
pub use lumped::{Ball, LumpedPoint};
pub use material::{Isotropic, Material, Orthotropic, plane_strain, plane_stress};
pub use matrix_files::{
    MatrixInput, NodeTable, UnknownLabel, read_abaqus_matrix, read_calculix_matrix, read_calculix_unknowns,
    read_columns, read_matrix, read_matrix_market, read_node_csv, read_node_npy, read_npy, read_npz,
};
pub use mesh::{ElementKind, Group, Mesh, MeshElement};
pub use mesh_files::{
    BeamData, ElasticData, ElementType, Include, MaterialData, MeshInput, SectionData, SectionKind,
    read_gmsh, read_inp, read_mesh, read_vtk, read_vtu,
};
/// What matrices of bodies are.
pub use poinsot_numerics::SymmetricMatrix;
pub use reduced_body::{InertiaIntegrals, Interface, ReducedBody, ShapeKind};
pub use section::{PlaneSection, PlaneState, Section, SectionOf, ShellSection, SolidSection};
pub use shape_stresses::ShapeStresses;
pub use skin::Skin;
pub use stress::{ShellStress, Stresses};
