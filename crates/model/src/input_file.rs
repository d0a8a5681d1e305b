//! The files that a model reads, each noted with a hash of its content: `poinsot resume` must find the same.

use poinsot_mechanics::input_file;
use std::cell::RefCell;
use std::io::Result;
use std::path::{Path, PathBuf};

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
    read(path, input_file::LARGEST_TEXT)
}

/// Reads a file of data.
pub(crate) fn read_data(path: &Path) -> Result<Vec<u8>> {
    read(path, input_file::LARGEST_DATA)
}

fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    let bytes = input_file::read(path, most)?;
    NOTES.with_borrow_mut(|notes| {
        if let Some(notes) = notes.as_mut().filter(|notes| notes.iter().all(|file| file.path != path)) {
            notes.push(InputFile { path: path.to_owned(), hash: fnv1a(&bytes) });
        }
    });
    Ok(bytes)
}
