//! `summary.json`: what was run, how it went and whether it can be trusted.

pub(crate) mod buckling;
pub(crate) mod campbell;
pub(crate) mod common;
pub(crate) mod equilibrium;
pub(crate) mod kinematics;
pub(crate) mod linearize;
pub(crate) mod modes;
pub(crate) mod motion;
pub(crate) mod path;
pub(crate) mod redundancy;
pub(crate) mod stability;

use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::atomic_file::write_atomically;
use crate::error::ResultsError;
use crate::finite;
use crate::plain_file;
use crate::summary_text::Tell;
use crate::summary_text::line::SummaryLine;
use buckling::BucklingSummary;
use campbell::CampbellSummary;
use common::{Common, Status};
use equilibrium::EquilibriumSummary;
use kinematics::KinematicsSummary;
use linearize::LinearizeSummary;
use modes::ModesSummary;
use motion::Summary;
use path::PathSummary;

/// The summary of an analysis, whichever it is.
pub trait RunSummary {
    /// Name of the analysis: `motion`, `kinematics`, `equilibrium`, `modes`,
    /// `linearize`, `path`, `buckling` or `campbell`; it stands in the file under `analysis`.
    fn analysis(&self) -> &'static str;

    /// Model, outcome, counts, expectations and files.
    fn common(&self) -> &Common;

    /// The same, to be changed.
    fn common_mut(&mut self) -> &mut Common;

    /// What the user should know.
    fn warnings_mut(&mut self) -> &mut Vec<String>;

    /// What it says, line by line, with what was judged.
    fn lines(&self) -> Vec<SummaryLine>;

    /// The same as a person reads it in a terminal.
    fn text(&self) -> String;

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

/// The kinds of summary differ only in their name, in where their warnings are and in what they tell.
macro_rules! summaries {
    ($($type:ty => $analysis:literal, $($warnings:ident).+;)*) => {
        $(impl RunSummary for $type {
            fn analysis(&self) -> &'static str {
                $analysis
            }
            fn common(&self) -> &Common {
                &self.common
            }
            fn common_mut(&mut self) -> &mut Common {
                &mut self.common
            }
            fn warnings_mut(&mut self) -> &mut Vec<String> {
                &mut self.$($warnings).+
            }
            fn lines(&self) -> Vec<SummaryLine> {
                Tell::tell(self).into_lines()
            }
            fn text(&self) -> String {
                Tell::tell(self).text()
            }
            fn holds(&self) -> bool {
                self.common.holds() && self.judged().iter().all(|holds| *holds != Some(false))
            }
            fn json(&self) -> Result<String, ResultsError> {
                tagged_json($analysis, self)
            }
            fn read(path: &Path) -> Result<Self, ResultsError> {
                read_tagged($analysis, path)
            }
        })*
    };
}

summaries!(
    Summary => "motion", audit.warnings;
    KinematicsSummary => "kinematics", warnings;
    EquilibriumSummary => "equilibrium", warnings;
    ModesSummary => "modes", warnings;
    LinearizeSummary => "linearize", warnings;
    PathSummary => "path", warnings;
    BucklingSummary => "buckling", warnings;
    CampbellSummary => "campbell", warnings;
);

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
