//! The files beside a model, each read once and noted with a hash of its content: `poinsot resume` must find
//! the same, and a model that is resolved again does not read them again.

use crate::mesh_file::{self, MeshError, Part};
use poinsot_mechanics::input_file::{LARGEST_DATA, LARGEST_TEXT, read};
use poinsot_mechanics::mass_properties::TriangleMesh;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFile {
    /// Where it is.
    pub path: PathBuf,
    /// Hash of its content, [`fnv1a`].
    pub hash: u64,
}

/// 64-bit FNV-1a of some bytes.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    fnv1a_on(0xcbf2_9ce4_8422_2325, bytes)
}

/// Goes on with a hash: h ← (h ⊕ byte) · prime.
pub fn fnv1a_on(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |h, byte| (h ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Files that were read, and what became of those that are dear to read.
#[derive(Debug, Default)]
pub(crate) struct InputFiles {
    contents: ByPath<Vec<u8>>,
    meshes: ByPath<TriangleMesh>,
    surfaces: ByPath<Vec<Part>>,
}

impl InputFiles {
    /// The content of a file of text.
    pub fn text(&self, path: &Path) -> io::Result<Arc<Vec<u8>>> {
        self.contents.get(path, || read(path, LARGEST_TEXT))
    }

    /// The content of a file of data.
    pub fn data(&self, path: &Path) -> io::Result<Arc<Vec<u8>>> {
        self.contents.get(path, || read(path, LARGEST_DATA))
    }

    /// The triangles of an STL file.
    pub fn stl(&self, path: &Path) -> io::Result<Arc<TriangleMesh>> {
        self.meshes.get(path, || TriangleMesh::from_stl(self.data(path)?.to_vec()))
    }

    /// The coloured surfaces of a file of triangles.
    pub fn surfaces(&self, path: &Path) -> Result<Arc<Vec<Part>>, MeshError> {
        self.surfaces.get(path, || mesh_file::read(path, self))
    }

    /// Whether a file is there, or was.
    pub fn has(&self, path: &Path) -> bool {
        self.contents.known(path) || path.is_file()
    }

    /// What was read so far.
    pub fn list(&self) -> Vec<InputFile> {
        let all = self.contents.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().map(|(path, bytes)| InputFile { path: path.clone(), hash: fnv1a(bytes) }).collect()
    }
}

/// What was made of files, in the order in which they were asked for.
#[derive(Debug)]
struct ByPath<T>(Mutex<Vec<(PathBuf, Arc<T>)>>);

impl<T> Default for ByPath<T> {
    fn default() -> Self {
        ByPath(Mutex::default())
    }
}

impl<T> ByPath<T> {
    fn find(&self, path: &Path) -> Option<Arc<T>> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().find(|(other, _)| other == path).map(|(_, value)| value.clone())
    }

    fn known(&self, path: &Path) -> bool {
        self.find(path).is_some()
    }

    /// What is known of a file, or else what is made of it now; a failure is not remembered.
    fn get<E>(&self, path: &Path, make: impl FnOnce() -> Result<T, E>) -> Result<Arc<T>, E> {
        if let Some(value) = self.find(path) {
            return Ok(value);
        }
        let value = Arc::new(make()?);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((path.to_owned(), value.clone()));
        Ok(value)
    }
}
