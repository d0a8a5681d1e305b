//! Triangles from files: STL, OBJ, glTF and GLB, for looks.

mod gltf;
mod obj;

use crate::input_file;
use crate::spec::Color;
use poinsot_mechanics::mass_properties::TriangleMesh;
use std::path::{Path, PathBuf};

/// The endings of the files that can be read.
const ENDINGS: &str = "`.stl`, `.obj`, `.gltf` or `.glb`";

/// Triangles of one colour.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Part {
    pub mesh: TriangleMesh,
    /// The colour that the file gives.
    pub color: Option<Color>,
}

/// Why a file gives no triangles.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MeshError {
    /// It is not there, or may not be read.
    #[error("cannot read it: {0}")]
    Io(#[from] std::io::Error),
    /// Its name ends with something else.
    #[error("it is of no known type")]
    Kind,
    /// It is not what its name says.
    #[error("{0}")]
    Content(String),
}

impl MeshError {
    /// A word for its place in the model file.
    pub fn label(&self) -> &'static str {
        match self {
            MeshError::Io(_) => "not found",
            MeshError::Kind => "unknown type",
            MeshError::Content(_) => "in this file",
        }
    }

    /// What to do.
    pub fn help(&self, path: &Path) -> String {
        match self {
            MeshError::Io(_) => format!("looked for {}", path.display()),
            MeshError::Kind => format!("the file must end with {ENDINGS}"),
            MeshError::Content(_) => "export the file again, as triangles and without compression".into(),
        }
    }
}

/// Why an STL file gives no solid.
#[derive(Debug, thiserror::Error)]
#[error("cannot read the STL file {}: {source}", .path.display())]
pub struct StlError {
    path: PathBuf,
    source: std::io::Error,
}

/// Reads an STL file as a solid.
pub fn read_stl(path: &Path) -> Result<TriangleMesh, StlError> {
    let mesh = input_file::read_data(path).and_then(TriangleMesh::from_stl);
    mesh.map_err(|source| StlError { path: path.to_owned(), source })
}

/// Reads a file by its ending.
pub(crate) fn read(path: &Path) -> Result<Vec<Part>, MeshError> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    let parts = match ending.as_deref() {
        Some("stl") => {
            let mesh = TriangleMesh::from_stl(input_file::read_data(path)?);
            let mesh = mesh.map_err(|error| MeshError::Content(format!("as STL: {error}")))?;
            vec![Part { mesh, color: None }]
        }
        Some("obj") => vec![Part { mesh: obj::read(&input_file::read_data(path)?)?, color: None }],
        Some("gltf") => gltf::read_text(&input_file::read_data(path)?, path)?,
        Some("glb") => gltf::read_binary(&input_file::read_data(path)?, path)?,
        _ => return Err(MeshError::Kind),
    };
    let finite = |part: &Part| part.mesh.vertices.iter().all(|v| v.iter().all(|x| x.is_finite()));
    if !parts.iter().all(finite) {
        return Err(MeshError::Content("a corner is not a finite number".into()));
    }
    if parts.iter().all(|part| part.mesh.triangles.is_empty()) {
        return Err(MeshError::Content("it holds no triangle".into()));
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_stl_file_is_named() {
        let missing = read_stl(Path::new("no-such-part.stl")).unwrap_err();
        assert!(missing.to_string().starts_with("cannot read the STL file no-such-part.stl: "), "{missing}");
    }
}
