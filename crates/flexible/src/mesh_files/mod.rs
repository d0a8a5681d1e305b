//! Files of meshes: Gmsh's `.msh`, the `.inp` of Abaqus and CalculiX, VTK's `.vtk` and `.vtu`.
//!
//! Readers are given bytes and give a [`MeshInput`]. They never panic, whatever the bytes are, and take no
//! more memory than the bytes are worth.

mod cells;
mod gmsh;
mod inp;
mod vtk;

pub use gmsh::read_gmsh;
pub use inp::{BeamData, ElasticData, Include, MaterialData, SectionData, SectionKind, read_inp};
pub use vtk::{read_vtk, read_vtu};

use crate::file_error::{Fault, FileError, Remark};
use crate::mesh::Mesh;

/// Reads a mesh by the end of the name of its file. `include` is asked for the files that an `.inp` includes.
pub fn read_mesh(file: &str, bytes: &[u8], include: &mut Include<'_>) -> Result<MeshInput, FileError> {
    let end = file.rsplit_once('.').map_or(String::new(), |(_, end)| end.to_ascii_lowercase());
    match end.as_str() {
        "msh" => read_gmsh(file, bytes),
        "inp" => read_inp(file, bytes, include),
        "vtk" => read_vtk(file, bytes),
        "vtu" => read_vtu(file, bytes),
        _ => {
            let help = "meshes are read from .msh (Gmsh), .inp (Abaqus, CalculiX), .vtk and .vtu".to_owned();
            Err(FileError::whole(file, Fault::Unsupported { what: format!("a mesh as `.{end}`"), help }))
        }
    }
}

/// A mesh from a file, and what else the file says.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshInput {
    /// The mesh. Lines that may be bars or beams are `Beam2` where the file does not tell.
    pub mesh: Mesh,
    /// The label of each node in the file.
    pub node_labels: Vec<u64>,
    /// Elements by the names of their types, of an input file: they tell what a shape does not, plane stress
    /// from shells and how stiffness is integrated.
    pub types: Vec<ElementType>,
    /// Materials of an input file.
    pub materials: Vec<MaterialData>,
    /// Sections of an input file.
    pub sections: Vec<SectionData>,
    /// What the reader should be told.
    pub remarks: Vec<Remark>,
}

/// The elements of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElementType {
    /// Its name in capitals, as `C3D8I`.
    pub name: String,
    /// Elements of the mesh.
    pub elements: Vec<usize>,
}

impl MeshInput {
    /// Of a file that has a mesh alone.
    fn plain(mesh: Mesh, node_labels: Vec<u64>, remarks: Vec<Remark>) -> Self {
        MeshInput { mesh, node_labels, types: vec![], materials: vec![], sections: vec![], remarks }
    }
}
