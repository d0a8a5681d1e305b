//! `summary.json`: what was run, how it went and whether it can be trusted.

pub(crate) mod common;
pub(crate) mod flexible;
pub(crate) mod redundancy;
pub(crate) mod residual;
pub(crate) mod stability;

use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::atomic_file::write_atomically;
use crate::error::ResultsError;
use crate::finite;
use crate::plain_file;
use crate::summary_text::Report;
use crate::summary_text::line::SummaryLine;
use common::{Common, Status};

/// The summary of one kind of analysis: its fields are the file, `tell` its words.
pub trait StudySummary: Serialize + DeserializeOwned {
    /// Name of the analysis: `motion`, `modes`, …; it stands in the file under `analysis`.
    const ANALYSIS: &'static str;

    /// Model, outcome, counts, expectations and files.
    fn common(&self) -> &Common;

    /// The same, to be changed.
    fn common_mut(&mut self) -> &mut Common;

    /// What the user should know.
    fn warnings_mut(&mut self) -> &mut Vec<String>;

    /// The summary, line by line.
    fn tell(&self) -> Report;

    /// Whether what was judged holds, `None` where there is no limit.
    fn judged(&self) -> Vec<Option<bool>> {
        vec![]
    }
}

/// The summary of an analysis, whichever it is.
pub trait RunSummary {
    /// Name of the analysis.
    fn analysis(&self) -> &'static str;

    /// Model, outcome, counts, expectations and files.
    fn common(&self) -> &Common;

    /// The same, to be changed.
    fn common_mut(&mut self) -> &mut Common;

    /// What the user should know.
    fn warnings_mut(&mut self) -> &mut Vec<String>;

    /// What it says, line by line, with what was judged.
    fn lines(&self) -> Vec<SummaryLine>;

    /// The same as a person reads it, in lines as long as they are.
    fn text(&self) -> String {
        self.text_within(None)
    }

    /// The same as a person reads it in a terminal of so many columns, if that is known.
    fn text_within(&self, columns: Option<usize>) -> String;

    /// True if the analysis completed and everything that was judged holds.
    fn holds(&self) -> bool;

    /// The summary as indented JSON; a number that is not finite is refused.
    fn json(&self) -> Result<String, ResultsError>;

    /// Writes the summary as JSON, whole or not at all; a number that is not
    /// finite is refused and nothing is written.
    fn write(&self, path: &Path) -> Result<(), ResultsError> {
        write_atomically(path, self.json()?.as_bytes())
    }

    /// Reads a summary written by [`write`](Self::write); that of another
    /// analysis is refused.
    fn read(path: &Path) -> Result<Self, ResultsError>
    where
        Self: Sized;
}

impl<S: StudySummary> RunSummary for S {
    fn analysis(&self) -> &'static str {
        S::ANALYSIS
    }

    fn common(&self) -> &Common {
        StudySummary::common(self)
    }

    fn common_mut(&mut self) -> &mut Common {
        StudySummary::common_mut(self)
    }

    fn warnings_mut(&mut self) -> &mut Vec<String> {
        StudySummary::warnings_mut(self)
    }

    fn lines(&self) -> Vec<SummaryLine> {
        self.tell().into_lines()
    }

    fn text_within(&self, columns: Option<usize>) -> String {
        self.tell().text_within(columns)
    }

    fn holds(&self) -> bool {
        StudySummary::common(self).holds() && self.judged().iter().all(|holds| *holds != Some(false))
    }

    fn json(&self) -> Result<String, ResultsError> {
        tagged_json(S::ANALYSIS, self)
    }

    fn read(path: &Path) -> Result<Self, ResultsError> {
        read_tagged(S::ANALYSIS, path)
    }
}

impl Common {
    /// True if the analysis completed and every expectation was met.
    fn holds(&self) -> bool {
        self.outcome.status == Status::Completed && self.expectations.iter().all(|e| e.passed)
    }
}

/// A summary under the name of its analysis.
#[derive(Serialize)]
struct Tagged<'a, S> {
    analysis: &'static str,
    #[serde(flatten)]
    summary: &'a S,
}

/// The name alone; summaries of motions were once written without it.
#[derive(Deserialize)]
struct Tag {
    #[serde(default = "motion")]
    analysis: String,
}

fn motion() -> String {
    "motion".into()
}

fn tagged_json<S: Serialize>(analysis: &'static str, summary: &S) -> Result<String, ResultsError> {
    finite::check(summary)
        .map_err(|found| ResultsError::SummaryNotFinite { field: found.field, value: found.value })?;
    let text = serde_json::to_string_pretty(&Tagged { analysis, summary })
        .map_err(|source| ResultsError::Json { path: "summary.json".into(), source })?;
    Ok(text + "\n")
}

fn read_tagged<S: DeserializeOwned>(analysis: &'static str, path: &Path) -> Result<S, ResultsError> {
    let text = plain_file::read_text(path)?;
    let json = |source| ResultsError::Json { path: path.to_owned(), source };
    let Tag { analysis: found } = serde_json::from_str(&text).map_err(json)?;
    if found != analysis {
        return Err(ResultsError::OtherAnalysis { path: path.to_owned(), found, expected: analysis });
    }
    serde_json::from_str(&text).map_err(json)
}
