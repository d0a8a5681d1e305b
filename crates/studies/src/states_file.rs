//! `states.json`: the whole states of a run, for studies that start from them. Numbers are kept bit for bit.

use crate::study::Product;
use poinsot_model::{Model, NamedState};
use poinsot_results::{ResultsError, RunFolder, Status, read_states};
use serde::{Deserialize, Serialize};
use std::path::Path;
use thiserror::Error;

/// The file.
#[derive(Debug, Serialize, Deserialize)]
pub struct StatesFile {
    /// Title of the model.
    pub model: String,
    /// Name of the study, where it has one.
    pub study: Option<String>,
    /// The states in their order; the last one is the end.
    pub states: Vec<NamedState>,
}

/// Why there is no state to start from.
#[derive(Debug, Error)]
pub enum StatesError {
    /// The folder cannot be read.
    #[error("{0}")]
    Folder(#[from] ResultsError),
    /// The file is no such file.
    #[error("{} keeps no states: {source}", folder.display())]
    Format {
        /// The folder.
        folder: std::path::PathBuf,
        /// What is wrong.
        #[source]
        source: serde_json::Error,
    },
    /// There is none at this time.
    #[error(
        "{place} keeps no state at {time} s; it keeps {}; `keep = [{time}]` in that study keeps one",
        list(known)
    )]
    Time {
        /// Where it was looked for.
        place: String,
        /// The time.
        time: f64,
        /// Times that there are.
        known: Vec<f64>,
    },
}

fn list(times: &[f64]) -> String {
    let words: Vec<String> = times.iter().map(|time| format!("{time} s")).collect();
    if words.is_empty() { "none".into() } else { words.join(", ") }
}

/// Writes the states of a study that did not fail.
pub fn write(folder: &mut RunFolder, model: &Model, product: &Product) -> Result<(), ResultsError> {
    let failed = product.summary.common().outcome.status == Status::Failed;
    let empty = |state: &NamedState| state.nodes.is_empty() && state.variables.is_empty();
    if failed || product.states.iter().all(empty) {
        return Ok(());
    }
    let file = StatesFile {
        model: model.name.clone(),
        study: model.study_name.clone(),
        states: product.states.clone(),
    };
    let path = || folder.path().join(RunFolder::STATES);
    let text = serde_json::to_string(&file).map_err(|source| ResultsError::Json { path: path(), source })?;
    let description = "Whole states for studies that start from them: the end, and those kept";
    folder.write(RunFolder::STATES, description, text.as_bytes()).map(|_| ())
}

/// The state that a run folder keeps at a time, or its end; and whose it is.
pub fn read(folder: &Path, time: Option<f64>) -> Result<(NamedState, StatesFile), StatesError> {
    let text = read_states(folder)?;
    let fail = |source| StatesError::Format { folder: folder.to_owned(), source };
    let file: StatesFile = serde_json::from_str(&text).map_err(fail)?;
    let state = at(&file.states, time, &folder.display().to_string())?;
    Ok((state, file))
}

/// The state at a time, or the last one.
pub fn at(states: &[NamedState], time: Option<f64>, place: &str) -> Result<NamedState, StatesError> {
    let wanted = time.or(states.last().map(|state| state.time)).unwrap_or_default();
    let near = |state: &&NamedState| (state.time - wanted).abs() <= 1e-9 * wanted.abs().max(1e-3);
    // Of several at one time the last one is meant: events change a state.
    states.iter().rev().find(near).cloned().ok_or_else(|| StatesError::Time {
        place: place.to_owned(),
        time: wanted,
        known: states.iter().map(|state| state.time).collect(),
    })
}
