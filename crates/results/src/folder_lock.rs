//! One run at a time in a folder.
//!
//! The lock is the operating system's, on a hidden file: it ends with the process that holds it, however that
//! ends, so that a file left by a killed run is in nobody's way. The file says who holds it.

use crate::error::ResultsError;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// Name of the file.
pub(crate) const LOCK: &str = ".poinsot-lock";
/// How often a lock file that its holder has just removed is made anew.
const ATTEMPTS: usize = 10;
/// Bytes that are read of what a lock file says.
const SAYS: u64 = 500;

/// A folder that is ours until this is dropped.
#[derive(Debug)]
pub(crate) struct FolderLock {
    /// Open while it is locked.
    _file: File,
    path: PathBuf,
}

impl FolderLock {
    /// Takes the lock of a folder, or says who holds it.
    pub fn take(folder: &Path) -> Result<Self, ResultsError> {
        let path = folder.join(LOCK);
        if path.symlink_metadata().is_ok_and(|data| !data.is_file()) {
            return Err(ResultsError::ForeignFile { path });
        }
        let fail = |error: io::Error| ResultsError::io("write", &path)(error);
        for _ in 0..ATTEMPTS {
            let options = OpenOptions::new().read(true).write(true).create(true).truncate(false).to_owned();
            let mut file = options.open(&path).map_err(fail)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(ResultsError::Held { path: folder.to_owned(), holder: says(&mut file) });
                }
                // A file system without locks: better a run without one than none.
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
                Err(TryLockError::Error(error)) => return Err(fail(error)),
            }
            if is_at(&file, &path) {
                let words: Vec<String> = std::env::args().take(8).collect();
                let holder = format!("process {} ({})\n", std::process::id(), words.join(" "));
                file.set_len(0).and_then(|()| file.write_all(holder.as_bytes())).map_err(fail)?;
                return Ok(FolderLock { _file: file, path });
            }
        }
        Err(ResultsError::Held { path: folder.to_owned(), holder: "another process".into() })
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // Removed while it is locked: who opened it in the meantime sees in `is_at` that it is gone.
        fs::remove_file(&self.path).ok();
    }
}

/// Who holds a lock, in its own words.
fn says(file: &mut File) -> String {
    let mut text = vec![];
    let read = file.rewind().and_then(|()| file.take(SAYS).read_to_end(&mut text));
    let text = String::from_utf8_lossy(&text).lines().next().unwrap_or_default().to_owned();
    if read.is_err() || text.is_empty() { "another process".into() } else { text }
}

/// Whether an open file is still the one at a path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let number = |data: fs::Metadata| (data.dev(), data.ino());
    match (file.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(there)) => number(open) == number(there),
        _ => false,
    }
}

/// Open files cannot be removed here.
#[cfg(not(unix))]
fn is_at(_file: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_is_refused_and_a_file_left_behind_is_not_in_the_way() {
        let folder = tempfile::tempdir().unwrap();
        let first = FolderLock::take(folder.path()).unwrap();
        let error = FolderLock::take(folder.path()).unwrap_err().to_string();
        assert!(error.contains(&format!("process {}", std::process::id())), "{error}");
        drop(first);
        assert!(!folder.path().join(LOCK).exists());
        fs::write(folder.path().join(LOCK), "process 1 (long dead)\n").unwrap();
        let _second = FolderLock::take(folder.path()).unwrap();
        let text = fs::read_to_string(folder.path().join(LOCK)).unwrap();
        assert!(text.contains(&std::process::id().to_string()) && !text.contains("dead"), "{text}");
    }
}
