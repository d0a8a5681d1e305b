//! What can be wrong with a file of a mesh or of matrices, and where.

use std::fmt;

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    Whole,
    /// A line and a column of text, both counted from 1.
    Text {
        /// The line.
        line: usize,
        /// The column.
        column: usize,
    },
    /// An offset in binary data, in bytes.
    Byte(usize),
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Fault {
    /// The end comes too early.
    #[error("the file ends where {expected} is expected")]
    Ends {
        /// What should follow.
        expected: String,
    },
    /// Something else stands there.
    #[error("expected {expected}, found `{found}`")]
    Unexpected {
        /// What stands there.
        found: String,
        /// What should stand there.
        expected: String,
    },
    /// A label that nothing has.
    #[error("{what} `{label}` is not defined")]
    Unknown {
        /// What is looked for.
        what: &'static str,
        /// Its label or name.
        label: String,
    },
    /// A label that two things have.
    #[error("{what} `{label}` is defined twice")]
    Twice {
        /// What it is.
        what: &'static str,
        /// Its label or name.
        label: String,
    },
    /// Understood, but not read.
    #[error("{what} cannot be used")]
    Unsupported {
        /// What it is.
        what: String,
        /// What to do.
        help: String,
    },
    /// Parts of the file contradict each other.
    #[error("{0}")]
    Inconsistent(String),
    /// A file that is included cannot be had.
    #[error("the included file `{name}` cannot be read: {reason}")]
    Include {
        /// Its name.
        name: String,
        /// Why not.
        reason: String,
    },
    /// A matrix that should be symmetric.
    #[error(
        "the matrix is not symmetric: entry ({row}, {column}) is {above:e}, entry ({column}, {row}) is {below:e}"
    )]
    Asymmetric {
        /// Row of the worst pair, from 1.
        row: usize,
        /// Its column, from 1.
        column: usize,
        /// a_ij.
        above: f64,
        /// a_ji.
        below: f64,
        /// Whether all entries on one side of the diagonal are zero.
        triangle: bool,
    },
}

/// A file that cannot be read.
#[derive(Clone, Debug, PartialEq)]
pub struct FileError {
    /// The file.
    pub file: String,
    /// Where in it.
    pub place: Place,
    /// What is wrong.
    pub fault: Fault,
}

impl FileError {
    /// An error about a file as a whole.
    pub fn whole(file: &str, fault: Fault) -> Self {
        FileError { file: file.to_owned(), place: Place::Whole, fault }
    }

    /// What to do about it, where more can be said.
    pub fn help(&self) -> Option<String> {
        match &self.fault {
            Fault::Unsupported { help, .. } => Some(help.clone()),
            Fault::Asymmetric { triangle: true, .. } => {
                let text = "one side of the diagonal is empty: write both, or a MatrixMarket file that says \
                            `symmetric`";
                Some(text.to_owned())
            }
            _ => None,
        }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FileError { file, fault, .. } = self;
        match self.place {
            Place::Whole => write!(f, "{file}: {fault}"),
            Place::Text { line, column } => write!(f, "{file}:{line}:{column}: {fault}"),
            Place::Byte(offset) => write!(f, "{file}, byte {offset}: {fault}"),
        }
    }
}

impl std::error::Error for FileError {}

/// Something about a file that its reader should know: it was read, but not all of it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The file.
    pub file: String,
    /// The line, from 1, where there is one.
    pub line: Option<usize>,
    /// The remark.
    pub text: String,
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.text),
            None => write!(f, "{}: {}", self.file, self.text),
        }
    }
}
