//! Flexible bodies: from finite elements, or matrices of them, to a few modes and constant integrals.
//!
//! ```text
//! mesh → elements → FullBody (M, K, products of inertia) → reduction → ReducedBody (modes, integrals)
//! ```
//! Everything is in the axes of the body as it is meshed. What moves the body through space is in the crate
//! of mechanics, which is given the integrals.

#![warn(missing_docs)]

mod check;
mod cursor;
mod file_error;
mod full_body;
mod imported_body;
mod labels;
mod matrix_files;
mod mesh;
mod mesh_files;
mod number_type;
mod reduced_body;

pub use check::{BodyCheck, Doubt, check_body};
pub use file_error::{Fault, FileError, Place, Remark};
pub use full_body::{Component, FullBody, MassProducts, Unknown};
pub use imported_body::{BodyMatrices, ImportError, ImportedBody, ProductsFrom, import_body};
pub use matrix_files::{
    MatrixInput, NodeTable, UnknownLabel, read_abaqus_matrix, read_calculix_matrix, read_calculix_unknowns,
    read_matrix, read_matrix_market, read_node_csv, read_node_npy, read_npy, read_npz,
};
pub use mesh::{ElementKind, Group, Mesh, MeshElement};
pub use mesh_files::{
    BeamSection, ElasticData, ElementType, Include, MaterialData, MeshInput, SectionData, SectionKind,
    read_gmsh, read_inp, read_mesh, read_vtk, read_vtu,
};
pub use reduced_body::{InertiaIntegrals, Interface, ReducedBody, ShapeKind};
