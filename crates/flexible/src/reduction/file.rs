//! A reduced body in a file.
//!
//! ```text
//! poinsot reduced body 1⏎
//! checksum of the full body (16 hexadecimal digits)⏎
//! content (postcard)
//! checksum of all bytes before it (8 bytes)
//! ```

use crate::{FullBody, MassProducts, ReducedBody};
use poinsot_numerics::SymmetricMatrix;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The first line begins so.
const WHAT: &str = "poinsot reduced body ";

/// Version of the form.
const VERSION: u32 = 1;

/// Why a file of a reduced body is not read or written.
#[derive(Debug, Error)]
pub enum ReducedFileError {
    /// The file cannot be read or written.
    #[error("{path}: {error}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// The bytes are of something else.
    #[error("{0}: this is not a file of a reduced body")]
    Other(PathBuf),
    /// Written by a program of another version.
    #[error(
        "{path}: a reduced body of form {found}; this program reads form {VERSION}: reduce the body again"
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its form.
        found: String,
    },
    /// Bytes have changed or are missing.
    #[error("{0}: the file is damaged: its checksum does not fit; reduce the body again")]
    Damaged(PathBuf),
    /// The mesh or the matrices are not those of which the file was made.
    #[error(
        "{path}: made of another body (checksum {found:016x}, not {expected:016x}); reduce the body again"
    )]
    Source {
        /// The file.
        path: PathBuf,
        /// Checksum in the file.
        found: u64,
        /// Checksum of the body at hand.
        expected: u64,
    },
}

/// A reduced body as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredBody {
    /// The body.
    pub body: ReducedBody,
    /// [`checksum`] of the full body.
    pub source: u64,
}

impl StoredBody {
    /// All of it as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = format!("{WHAT}{VERSION}\n{:016x}\n", self.source).into_bytes();
        bytes.extend(postcard::to_stdvec(self).expect("writing to memory does not fail"));
        let sum = hash(START, &bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    /// Reads bytes that [`StoredBody::to_bytes`] has made; `path` is for messages.
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Self, ReducedFileError> {
        let damaged = || ReducedFileError::Damaged(path.to_owned());
        let other = || ReducedFileError::Other(path.to_owned());
        let rest = bytes.strip_prefix(WHAT.as_bytes()).ok_or_else(other)?;
        let (version, rest) = line(rest).ok_or_else(damaged)?;
        if version != VERSION.to_string() {
            return Err(ReducedFileError::Version { path: path.to_owned(), found: version.to_string() });
        }
        let (content, sum) = bytes.split_last_chunk::<8>().ok_or_else(damaged)?;
        if hash(START, content) != u64::from_le_bytes(*sum) {
            return Err(damaged());
        }
        let (source, rest) = line(rest).ok_or_else(damaged)?;
        let inner = rest.len().checked_sub(8).map(|end| &rest[..end]).ok_or_else(damaged)?;
        let (stored, left) = postcard::take_from_bytes::<StoredBody>(inner).map_err(|_| damaged())?;
        let fits = left.is_empty() && u64::from_str_radix(source, 16) == Ok(stored.source);
        if fits { Ok(stored) } else { Err(damaged()) }
    }

    /// Writes a file, whole or not at all.
    pub fn write(&self, path: &Path) -> Result<(), ReducedFileError> {
        let failed = |error| ReducedFileError::File { path: path.to_owned(), error };
        let mut beside = path.as_os_str().to_owned();
        beside.push(".part");
        std::fs::write(&beside, self.to_bytes()).map_err(failed)?;
        std::fs::rename(&beside, path).map_err(failed)
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, ReducedFileError> {
        let bytes =
            std::fs::read(path).map_err(|error| ReducedFileError::File { path: path.to_owned(), error })?;
        Self::from_bytes(&bytes, path)
    }

    /// Reads a file that must have been made of this body.
    pub fn read_of(path: &Path, full: &FullBody) -> Result<Self, ReducedFileError> {
        let (stored, expected) = (Self::read(path)?, checksum(full));
        match stored.source {
            found if found == expected => Ok(stored),
            found => Err(ReducedFileError::Source { path: path.to_owned(), found, expected }),
        }
    }
}

/// The first line, and what follows it.
fn line(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let end = bytes.iter().take(64).position(|byte| *byte == b'\n')?;
    Some((std::str::from_utf8(&bytes[..end]).ok()?, &bytes[end + 1..]))
}

/// FNV-1a.
const START: u64 = 0xcbf2_9ce4_8422_2325;

fn hash(start: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(start, |h, byte| (h ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// A number that changes with any number of a body: its places, matrices and integrals.
pub fn checksum(full: &FullBody) -> u64 {
    let mut sum = Sum(START);
    full.nodes.iter().for_each(|place| sum.numbers(place.as_slice()));
    for unknown in &full.unknowns {
        sum.word(unknown.node as u64);
        sum.0 = hash(sum.0, format!("{:?}", unknown.component).as_bytes());
    }
    sum.matrix(&full.stiffness);
    sum.matrix(&full.mass);
    sum.numbers(&[full.total_mass]);
    sum.numbers(full.first_moment.as_slice());
    sum.numbers(full.second_moment.as_slice());
    sum.numbers(full.mean.as_slice());
    sum.numbers(full.moments.as_slice());
    match &full.products {
        MassProducts::Nodal(masses) => sum.matrix(masses),
        MassProducts::Pairs(pairs) => {
            for (a, b, value) in pairs {
                sum.word(*a as u64);
                sum.word(*b as u64);
                sum.numbers(value.as_slice());
            }
        }
    }
    sum.0
}

struct Sum(u64);

impl Sum {
    fn word(&mut self, word: u64) {
        self.0 = hash(self.0, &word.to_le_bytes());
    }

    fn numbers(&mut self, numbers: &[f64]) {
        self.word(numbers.len() as u64);
        numbers.iter().for_each(|number| self.word(number.to_bits()));
    }

    fn matrix(&mut self, matrix: &SymmetricMatrix) {
        self.word(matrix.size() as u64);
        matrix.starts().iter().for_each(|start| self.word(*start as u64));
        matrix.rows().iter().for_each(|row| self.word(u64::from(*row)));
        self.numbers(matrix.values());
    }
}
