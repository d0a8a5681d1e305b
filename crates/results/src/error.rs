//! What can go wrong while a run is recorded, written or drawn.

use std::io;
use std::path::{Path, PathBuf};

use crate::scene::SceneError;
use crate::table::RecordError;

/// A failure to record, write, read or draw the results of a run.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// A row or a column list was refused by the table.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The operating system refused a file operation.
    #[error("cannot {action} `{}`: {source}", path.display())]
    Io {
        /// What was attempted: "write", "read", "create the folder", …
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The reason given by the operating system.
        source: io::Error,
    },
    /// The Parquet library refused to write or read a file.
    #[error("`{}` as Parquet: {source}", path.display())]
    Parquet {
        /// The file.
        path: PathBuf,
        /// The reason given by the library.
        source: parquet::errors::ParquetError,
    },
    /// A page that is not the report of a run.
    #[error("`{}` is not a report: {message}", path.display())]
    NotAReport {
        /// The file.
        path: PathBuf,
        /// Why.
        message: String,
    },
    /// There is no such folder.
    #[error("there is no folder `{}`", path.display())]
    NoFolder {
        /// The path.
        path: PathBuf,
    },
    /// A folder without any file of a run.
    #[error("`{}` is not a folder of results: give one that `poinsot run` has written", path.display())]
    NotAResult {
        /// The path.
        path: PathBuf,
    },
    /// A scene whose parts do not fit each other.
    #[error("`{}` is not a scene: {error}", path.display())]
    NotAScene {
        /// The file.
        path: PathBuf,
        /// Why.
        error: SceneError,
    },
    /// The page is not part of the program.
    #[error("this program was built without its page: build it with the feature `viewer`")]
    NoPage,
    /// A picture or a movie cannot be made.
    #[error("{message}")]
    Picture {
        /// Why, and what to do.
        message: String,
    },
    /// A file is readable, but is not a table of signals.
    #[error("`{}` is not a table of signals: {message}", path.display())]
    NotATable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// A line of a CSV file cannot be understood.
    #[error("`{}`, line {line}: {message}", path.display())]
    Csv {
        /// The file.
        path: PathBuf,
        /// Line number, from 1.
        line: usize,
        /// What is wrong with it.
        message: String,
    },
    /// JSON could not be written or read.
    #[error("`{}` as JSON: {source}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// The reason given by the JSON library.
        source: serde_json::Error,
    },
    /// A summary holds a number that is not finite.
    #[error("the summary was not written: `{field}` is {value}")]
    SummaryNotFinite {
        /// Dotted path of the field, e.g. `audit.energy.start`.
        field: String,
        /// The offending value.
        value: f64,
    },
    /// A summary is that of another analysis.
    #[error("`{}` is the summary of `{found}`, not of `{expected}`", path.display())]
    OtherAnalysis {
        /// The file.
        path: PathBuf,
        /// The analysis it is of.
        found: String,
        /// The analysis that was looked for.
        expected: &'static str,
    },
    /// A matrix, or a list of names, was refused.
    #[error("matrix or list `{name}`: {reason}")]
    Matrix {
        /// Its name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The shapes of modes do not fit the bodies, or are not finite.
    #[error("the mode shapes were refused: {reason}")]
    ModeShapes {
        /// What is wrong with them.
        reason: String,
    },
    /// There is no sample, or no signal, to draw.
    #[error("nothing to plot for \"{title}\": there is no {missing}")]
    NothingToPlot {
        /// Title of the plot.
        title: String,
        /// What is missing: "sample", "signal", "mode", …
        missing: &'static str,
    },
    /// A curve does not have as many values as its abscissa.
    #[error("cannot plot `{curve}`: {values} values for {abscissae} abscissae")]
    CurveLength {
        /// Name of the curve.
        curve: String,
        /// Number of ordinates.
        values: usize,
        /// Number of abscissae.
        abscissae: usize,
    },
    /// A curve holds a number that is not finite.
    #[error("cannot plot `{curve}`: sample {sample} is {value}")]
    CurveNotFinite {
        /// Name of the curve.
        curve: String,
        /// Index of the sample, from 0.
        sample: usize,
        /// The offending value.
        value: f64,
    },
    /// The drawing library failed.
    #[error("cannot draw the plot: {message}")]
    Drawing {
        /// The reason given by the library.
        message: String,
    },
    /// The run folder's path is taken by something that is not a folder.
    #[error("`{}` exists and is not a folder", path.display())]
    NotAFolder {
        /// The path.
        path: PathBuf,
    },
    /// A file stands in the way that no earlier run wrote.
    #[error(
        "`{}` was not written by an earlier run and is not overwritten; \
         choose another results folder or move the file away", path.display()
    )]
    ForeignFile {
        /// The file.
        path: PathBuf,
    },
    /// A file is not as it was written.
    #[error("`{}` is damaged, or another version of the program wrote it", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// Another process works in the folder.
    #[error(
        "`{}` is in use by {holder}; wait until it has ended, or choose another folder with --out",
        path.display()
    )]
    Held {
        /// The folder.
        path: PathBuf,
        /// Who holds it.
        holder: String,
    },
    /// A name that cannot be that of a file inside the run folder.
    #[error("`{name}` is not a plain file name")]
    FileName {
        /// The name.
        name: String,
    },
}

impl ResultsError {
    /// Adds the attempted action and the path to an operating-system error.
    pub fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| ResultsError::Io { action, path: path.to_owned(), source }
    }

    /// Adds the path to a Parquet error.
    pub(crate) fn parquet<E: Into<parquet::errors::ParquetError>>(path: &Path) -> impl FnOnce(E) -> Self {
        move |source| ResultsError::Parquet { path: path.to_owned(), source: source.into() }
    }
}
