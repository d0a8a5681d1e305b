//! Room for the summary: a file that is written before a run, which shows that the folder can be written to,
//! and is given up when the summary is due, so that it finds room on a disk that has become full.

use crate::atomic_file::write_atomically;
use crate::error::ResultsError;
use std::path::{Path, PathBuf};

/// Name of the file.
pub(crate) const RESERVE: &str = ".poinsot-reserve";
/// Its size in bytes; summaries take a few kB, those of large models some hundred.
const SIZE: usize = 1 << 20;

/// Room that is kept until this is dropped.
#[derive(Debug)]
pub(crate) struct Reserve {
    path: PathBuf,
}

impl Reserve {
    /// Takes room in a folder.
    pub fn take(folder: &Path) -> Result<Self, ResultsError> {
        let path = folder.join(RESERVE);
        if path.symlink_metadata().is_ok_and(|data| !data.is_file()) {
            return Err(ResultsError::ForeignFile { path });
        }
        // No file system makes this shorter: x ← 6364136223846793005 x + 1442695040888963407.
        let mut x: u64 = 1;
        let words = (0..SIZE / 8).flat_map(|_| {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            x.to_le_bytes()
        });
        write_atomically(&path, &words.collect::<Vec<u8>>())?;
        Ok(Reserve { path })
    }
}

impl Drop for Reserve {
    fn drop(&mut self) {
        std::fs::remove_file(&self.path).ok();
    }
}
