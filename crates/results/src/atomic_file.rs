//! Files that appear whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::ResultsError;

/// How many left-over temporary names are stepped over before giving up.
const ATTEMPTS: u32 = 100;

/// Writes a file through a temporary one beside it, renamed at the end, so
/// that a reader, or a crash, never meets half a file.
pub fn write_atomically(path: &Path, content: &[u8]) -> Result<(), ResultsError> {
    replace_with(path, |file| file.write_all(content).map_err(ResultsError::io("write", path)))
}

/// As [`write_atomically`], the content being produced by `fill`.
pub(crate) fn replace_with(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> Result<(), ResultsError>,
) -> Result<(), ResultsError> {
    let (temporary, file) = create_temporary(path).map_err(ResultsError::io("write", path))?;
    let written = fill_and_rename(file, fill, &temporary, path);
    if written.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn fill_and_rename(
    file: File,
    fill: impl FnOnce(&mut BufWriter<File>) -> Result<(), ResultsError>,
    temporary: &Path,
    path: &Path,
) -> Result<(), ResultsError> {
    let mut writer = BufWriter::new(file);
    fill(&mut writer)?;
    let file = writer.into_inner().map_err(|e| ResultsError::io("write", path)(e.into_error()))?;
    // On disk before the rename: a crash leaves the old file or the new one.
    file.sync_all().map_err(ResultsError::io("write", path))?;
    drop(file);
    fs::rename(temporary, path).map_err(ResultsError::io("write", path))?;
    sync_folder_of(path).map_err(ResultsError::io("write", path))
}

/// Brings the new name in the folder to disk: without it a crash may bring the old file back.
#[cfg(unix)]
fn sync_folder_of(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match File::open(folder.unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all()) {
        // Some file systems know no such thing.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        synced => synced,
    }
}

/// Folders cannot be opened here.
#[cfg(not(unix))]
fn sync_folder_of(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// The name of the file that a temporary one was to become.
pub(crate) fn meant_by(temporary: &str) -> Option<&str> {
    let (name, number) = temporary.strip_prefix('.')?.strip_suffix(".tmp")?.rsplit_once('.')?;
    let (process, attempt) = number.split_once('-')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (digits(process) && digits(attempt)).then_some(name)
}

fn create_temporary(path: &Path) -> io::Result<(PathBuf, File)> {
    let name = path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no file name"))?;
    for attempt in 0..ATTEMPTS {
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}-{attempt}.tmp", std::process::id()));
        let candidate = path.with_file_name(hidden);
        match OpenOptions::new().read(true).write(true).create_new(true).open(&candidate) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
            opened => return opened.map(|file| (candidate, file)),
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "left-over temporary files are in the way"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failure_leaves_the_old_file_and_no_temporary() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        write_atomically(&path, b"old").unwrap();
        let failed = replace_with(&path, |file| {
            file.write_all(b"half").unwrap();
            Err(ResultsError::FileName { name: "x".into() })
        });
        assert!(failed.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn temporary_names_tell_what_they_were_to_become() {
        let folder = tempfile::tempdir().unwrap();
        let (temporary, _) = create_temporary(&folder.path().join("a.b")).unwrap();
        assert_eq!(meant_by(temporary.file_name().unwrap().to_str().unwrap()), Some("a.b"));
        for other in ["a.b", ".a.b", ".a.b.tmp", ".a.b.1-.tmp", ".a.1-x.tmp", "a.1-1.tmp"] {
            assert_eq!(meant_by(other), None, "{other}");
        }
    }

    #[test]
    fn a_missing_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = write_atomically(&folder.path().join("no/a.txt"), b"").unwrap_err();
        assert!(error.to_string().contains("a.txt"), "{error}");
    }
}
