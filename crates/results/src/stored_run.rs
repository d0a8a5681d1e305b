//! A run folder read back: what its page shows, with the full data where they can be had.

use crate::error::ResultsError;
use crate::frames::Frames;
use crate::mode_shapes::ModeShape;
use crate::parquet_file::read_parquet;
use crate::plain_file;
use crate::report::{Check, CheckState, Payload, ReportedRun};
use crate::run_folder::RunFolder;
use crate::scene::Scene;
use crate::table::SignalTable;
use std::path::{Component, Path, PathBuf};

/// Name of the file of signals.
const SIGNALS: &str = "signals.parquet";

/// A run folder read back.
#[derive(Debug, Clone)]
pub struct StoredRun {
    /// The folder.
    pub folder: PathBuf,
    /// What the page shows.
    pub run: ReportedRun,
    /// All frames, if they could be read.
    pub frames: Option<Frames>,
    /// All signals, if they could be read.
    pub table: Option<SignalTable>,
    /// Names of the files that the summary lists.
    pub files: Vec<String>,
    /// What could not be read.
    pub troubles: Vec<String>,
}

impl StoredRun {
    /// Reads a folder. Without a page there is nothing; frames and signals that cannot be read are named
    /// among the troubles, and the page has to do with what it holds itself.
    pub fn read(folder: &Path) -> Result<StoredRun, ResultsError> {
        check_folder(folder)?;
        let path = folder.join(Payload::FILE);
        let run = Payload::read(&path)?.runs.into_iter().next();
        let run = run.ok_or_else(|| ResultsError::NotAReport { path, message: "it holds no run".into() })?;
        let mut stored = StoredRun {
            folder: folder.to_owned(),
            files: listed(folder, &run),
            run,
            frames: None,
            table: None,
            troubles: vec![],
        };
        if stored.run.frames.is_some() {
            let frames = read_motion(folder).map(|(_, frames)| frames);
            stored.frames = stored.kept_or_told(frames);
        }
        if stored.run.signals.is_some() {
            let table = read_signals(folder);
            stored.table = stored.kept_or_told(table);
        }
        Ok(stored)
    }

    fn kept_or_told<T>(&mut self, read: Result<T, ResultsError>) -> Option<T> {
        read.map_err(|error| {
            let value = format!("{error}. Run the model again.");
            self.run.checks.push(Check {
                label: "files".into(),
                state: CheckState::Doubtful,
                value: value.clone(),
                meaning:
                    "Files of the results that cannot be read; what is shown is what the report itself holds."
                        .into(),
                at: None,
            });
            self.troubles.push(value);
        })
        .ok()
    }

    /// The modes, if the run has found any.
    pub fn modes(&self) -> Vec<ModeShape> {
        self.run.modes.clone().and_then(|modes| serde_json::from_value(modes).ok()).unwrap_or_default()
    }
}

/// Scene and frames of a folder.
pub fn read_motion(folder: &Path) -> Result<(Scene, Frames), ResultsError> {
    check_folder(folder)?;
    let (scene, text) = Scene::read(&folder.join(Scene::FILE))?;
    scene.check().map_err(|error| ResultsError::NotAScene { path: folder.join(Scene::FILE), error })?;
    let frames = Frames::read(&scene, &text, &folder.join(Frames::FILE))?;
    Ok((scene, frames))
}

/// Signals of a folder.
pub fn read_signals(folder: &Path) -> Result<SignalTable, ResultsError> {
    check_folder(folder)?;
    read_parquet(&folder.join(SIGNALS))
}

/// The whole states that a folder keeps, as they were written.
pub fn read_states(folder: &Path) -> Result<String, ResultsError> {
    check_folder(folder)?;
    plain_file::read_text(&folder.join(RunFolder::STATES))
}

/// Refuses what is no folder of results.
fn check_folder(folder: &Path) -> Result<(), ResultsError> {
    let path = || folder.to_owned();
    if !folder.exists() {
        return Err(ResultsError::NoFolder { path: path() });
    }
    if !folder.is_dir() {
        return Err(ResultsError::NotAFolder { path: path() });
    }
    let known = [RunFolder::SUMMARY, Payload::FILE, SIGNALS, Scene::FILE];
    if !known.iter().any(|name| folder.join(name).exists()) {
        return Err(ResultsError::NotAResult { path: path() });
    }
    Ok(())
}

/// The files that the summary lists, or if it cannot be read those that the page lists; plain names only.
fn listed(folder: &Path, run: &ReportedRun) -> Vec<String> {
    let summary = plain_file::read_text(&folder.join(RunFolder::SUMMARY)).ok();
    let summary: Option<serde_json::Value> = summary.and_then(|text| serde_json::from_str(&text).ok());
    let names = summary.and_then(|summary| {
        let files = summary.get("files")?.as_array()?;
        Some(files.iter().filter_map(|file| Some(file.get("name")?.as_str()?.to_owned())).collect())
    });
    let names: Vec<String> =
        names.unwrap_or_else(|| run.files.iter().map(|(name, _)| name.clone()).collect());
    names.into_iter().filter(|name| is_plain(name)).collect()
}

/// Whether a name is that of a file in a folder, not of one elsewhere.
fn is_plain(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    matches!((parts.next(), parts.next()), (Some(Component::Normal(part)), None) if part == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names() {
        assert!(is_plain("signals.svg") && is_plain("..x"));
        for name in ["", ".", "..", "../a", "/etc/passwd", "a/b", "a/..", "./a", "a/"] {
            assert!(!is_plain(name), "{name}");
        }
    }
}
