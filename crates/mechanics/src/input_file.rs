//! Files that are read: only plain ones, and none that is far larger than it can be meant.

use std::fs::{File, Metadata};
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// Largest file of text in bytes: models and components.
pub const LARGEST_TEXT: u64 = 64 << 20;
/// Largest file of data in bytes: tables and meshes.
pub const LARGEST_DATA: u64 = 1 << 30;

/// Reads a file of at most so many bytes. A pipe or a device, which may have no end or keep one waiting, is
/// refused.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    // Asked before the file is opened: to open a pipe is to wait for who writes into it.
    check(&std::fs::metadata(path)?, most)?;
    let mut bytes = vec![];
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large(most)) } else { Ok(bytes) }
}

/// Refuses what is no plain file, or too large.
pub fn check(data: &Metadata, most: u64) -> Result<()> {
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
