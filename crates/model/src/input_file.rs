//! The files that a model reads: plain ones alone, and none that is far larger than it can be meant. Each is
//! read once and noted with a hash of its content: `poinsot resume` must find the same, and a model that is
//! resolved again does not read them again.

use crate::flexible_recipe::MadeBodies;
use crate::mesh_file::{self, MeshError, Part};
use poinsot_flexible::{FileError, MatrixInput, MeshInput};
use poinsot_mechanics::mass_properties::TriangleMesh;
use std::fs::{File, Metadata};
use std::io::{self, Error, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Largest file of text in bytes: models and components.
pub(crate) const LARGEST_TEXT: u64 = 64 << 20;
/// Largest file of data in bytes: tables and meshes.
const LARGEST_DATA: u64 = 1 << 30;

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
    element_meshes: ByPath<MeshInput>,
    matrices: ByPath<MatrixInput>,
    /// Flexible bodies that were made.
    pub flexible: MadeBodies,
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

    /// A mesh of finite elements, read by `read` if it is new.
    pub fn element_mesh(
        &self,
        path: &Path,
        read: impl FnOnce() -> Result<MeshInput, FileError>,
    ) -> Result<Arc<MeshInput>, FileError> {
        self.element_meshes.get(path, read)
    }

    /// A matrix, read by `read` if it is new; `path` goes on with the key of an archive.
    pub fn matrix(
        &self,
        path: &Path,
        read: impl FnOnce() -> Result<MatrixInput, FileError>,
    ) -> Result<Arc<MatrixInput>, FileError> {
        self.matrices.get(path, read)
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

/// Reads a file of at most so many bytes. A pipe or a device, which may have no end or keep one waiting, is
/// refused.
pub(crate) fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    // Asked before the file is opened: to open a pipe is to wait for who writes into it.
    check(&std::fs::metadata(path)?, most)?;
    let mut bytes = vec![];
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large(most)) } else { Ok(bytes) }
}

/// Refuses what is no plain file, or too large.
fn check(data: &Metadata, most: u64) -> io::Result<()> {
    if data.is_dir() {
        return Err(Error::new(ErrorKind::IsADirectory, "it is a folder"));
    }
    if !data.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, "it is a pipe or a device, not a file"));
    }
    if data.len() > most { Err(too_large(most)) } else { Ok(()) }
}

fn too_large(most: u64) -> Error {
    Error::new(ErrorKind::FileTooLarge, format!("it is larger than {} MB", most >> 20))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_files_of_reasonable_size() {
        let folder = std::env::temp_dir().join(format!("poinsot-input-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("a");
        std::fs::write(&file, "12345").unwrap();
        assert_eq!(read(&file, 5).unwrap(), b"12345");
        assert_eq!(read(&file, 4).unwrap_err().kind(), ErrorKind::FileTooLarge);
        assert_eq!(read(&folder, 9).unwrap_err().to_string(), "it is a folder");
        assert_eq!(read(&folder.join("b"), 9).unwrap_err().kind(), ErrorKind::NotFound);
        if cfg!(unix) {
            assert!(read(Path::new("/dev/zero"), 9).unwrap_err().to_string().contains("device"));
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
