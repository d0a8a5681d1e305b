//! Files that are read back: plain ones only, since a pipe may keep one waiting for ever.

use crate::error::ResultsError;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Largest file of text that is read, in bytes.
const LARGEST_TEXT: u64 = 1 << 30;

/// Opens a file for reading.
pub(crate) fn open(path: &Path) -> Result<File, ResultsError> {
    let fail = |error: io::Error| ResultsError::io("read", path)(error);
    // Asked before the file is opened: to open a pipe is to wait for who writes into it.
    if !std::fs::metadata(path).map_err(fail)?.is_file() {
        return Err(fail(io::Error::new(io::ErrorKind::InvalidInput, "it is not a plain file")));
    }
    File::open(path).map_err(fail)
}

/// Reads a file of text. Of one that is cut inside a character the rest is read: the reader knows what is
/// missing.
pub(crate) fn read_text(path: &Path) -> Result<String, ResultsError> {
    let fail = |error: io::Error| ResultsError::io("read", path)(error);
    let mut file = open(path)?;
    if file.metadata().map_err(fail)?.len() > LARGEST_TEXT {
        return Err(fail(io::Error::new(io::ErrorKind::FileTooLarge, "it is too large")));
    }
    let mut bytes = vec![];
    file.read_to_end(&mut bytes).map_err(fail)?;
    String::from_utf8(bytes).or_else(|error| {
        let (valid, cut) = (error.utf8_error().valid_up_to(), error.utf8_error().error_len().is_none());
        let mut bytes = error.into_bytes();
        bytes.truncate(valid);
        let text = String::from_utf8(bytes).ok().filter(|_| cut);
        text.ok_or_else(|| fail(io::Error::new(io::ErrorKind::InvalidData, "it is not text")))
    })
}
