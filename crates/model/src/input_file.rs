//! The files that a model reads: plain ones alone, and none that is far larger than it can be meant. Each is
//! noted with a hash of its content: `poinsot resume` must find the same.

use std::cell::RefCell;
use std::fs::{File, Metadata};
use std::io::{Error, ErrorKind, Read, Result};
use std::path::{Path, PathBuf};

/// Largest file of text in bytes: models and components.
const LARGEST_TEXT: u64 = 64 << 20;
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

thread_local! {
    /// What is read on this thread while somebody takes notes.
    static NOTES: RefCell<Option<Vec<InputFile>>> = const { RefCell::new(None) };
}

/// 64-bit FNV-1a of some bytes.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    fnv1a_on(0xcbf2_9ce4_8422_2325, bytes)
}

/// Goes on with a hash: h ← (h ⊕ byte) · prime.
pub fn fnv1a_on(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |h, byte| (h ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Does some work and tells which files it read, each once.
pub(crate) fn noting<T>(work: impl FnOnce() -> T) -> (T, Vec<InputFile>) {
    let outer = NOTES.replace(Some(vec![]));
    let done = work();
    (done, NOTES.replace(outer).unwrap_or_default())
}

/// Reads a file of text.
pub(crate) fn read_text(path: &Path) -> Result<Vec<u8>> {
    read(path, LARGEST_TEXT)
}

/// Reads a file of data.
pub(crate) fn read_data(path: &Path) -> Result<Vec<u8>> {
    read(path, LARGEST_DATA)
}

fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    let bytes = read_plain(path, most)?;
    NOTES.with_borrow_mut(|notes| {
        if let Some(notes) = notes.as_mut().filter(|notes| notes.iter().all(|file| file.path != path)) {
            notes.push(InputFile { path: path.to_owned(), hash: fnv1a(&bytes) });
        }
    });
    Ok(bytes)
}

/// Reads a file of at most so many bytes. A pipe or a device, which may have no end or keep one waiting, is
/// refused.
fn read_plain(path: &Path, most: u64) -> Result<Vec<u8>> {
    // Asked before the file is opened: to open a pipe is to wait for who writes into it.
    check(&std::fs::metadata(path)?, most)?;
    let mut bytes = vec![];
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large(most)) } else { Ok(bytes) }
}

/// Refuses what is no plain file, or too large.
fn check(data: &Metadata, most: u64) -> Result<()> {
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
        assert_eq!(read_plain(&file, 5).unwrap(), b"12345");
        assert_eq!(read_plain(&file, 4).unwrap_err().kind(), ErrorKind::FileTooLarge);
        assert_eq!(read_plain(&folder, 9).unwrap_err().to_string(), "it is a folder");
        assert_eq!(read_plain(&folder.join("b"), 9).unwrap_err().kind(), ErrorKind::NotFound);
        if cfg!(unix) {
            assert!(read_plain(Path::new("/dev/zero"), 9).unwrap_err().to_string().contains("device"));
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
