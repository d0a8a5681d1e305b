//! Named matrices and lists of names, and the files that hold them.

mod json;
mod mat;
mod npz;
mod stored_zip;

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::ResultsError;

/// Longest name that MATLAB takes for a variable.
const LONGEST_NAME: usize = 63;

/// Named real matrices and lists of names.
///
/// Names are those of variables in every format: an ASCII letter, then
/// letters, digits and underscores. Every number is finite.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MatrixSet {
    matrices: Vec<NamedMatrix>,
    lists: Vec<NamedList>,
}

/// A real matrix with a name.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedMatrix {
    name: String,
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}

/// The size of a matrix.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MatrixShape {
    /// Name of the matrix.
    pub name: String,
    /// Number of rows.
    pub rows: u64,
    /// Number of columns.
    pub columns: u64,
}

/// A list of texts with a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedList {
    name: String,
    entries: Vec<String>,
}

/// The format of a file of matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixFormat {
    /// Text that any program reads.
    Json,
    /// `.npz` of NumPy.
    Npz,
    /// `.mat` of MATLAB, level 5.
    Mat,
}

impl MatrixFormat {
    /// All formats.
    pub const ALL: [MatrixFormat; 3] = [MatrixFormat::Json, MatrixFormat::Npz, MatrixFormat::Mat];

    /// The ending of file names, without a dot.
    pub fn extension(self) -> &'static str {
        match self {
            MatrixFormat::Json => "json",
            MatrixFormat::Npz => "npz",
            MatrixFormat::Mat => "mat",
        }
    }

    /// The program or language the format is for.
    pub fn program(self) -> &'static str {
        match self {
            MatrixFormat::Json => "JSON",
            MatrixFormat::Npz => "NumPy",
            MatrixFormat::Mat => "MATLAB",
        }
    }
}

impl NamedMatrix {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Its elements, row by row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }
}

impl NamedList {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its entries.
    pub fn entries(&self) -> &[String] {
        &self.entries
    }
}

impl MatrixSet {
    /// A set of nothing.
    pub fn new() -> MatrixSet {
        MatrixSet::default()
    }

    /// Adds a matrix whose elements are given row by row.
    pub fn add_matrix(
        &mut self,
        name: &str,
        rows: usize,
        columns: usize,
        values: Vec<f64>,
    ) -> Result<(), ResultsError> {
        self.check_name(name)?;
        if rows.checked_mul(columns) != Some(values.len()) {
            return Err(refuse(name, format!("{} elements for {rows} rows of {columns}", values.len())));
        }
        if let Some(i) = values.iter().position(|v| !v.is_finite()) {
            let (row, column) = (i / columns + 1, i % columns + 1);
            return Err(refuse(name, format!("row {row}, column {column} is {}", values[i])));
        }
        self.matrices.push(NamedMatrix { name: name.to_owned(), rows, columns, values });
        Ok(())
    }

    /// Adds a list of texts.
    pub fn add_list(&mut self, name: &str, entries: Vec<String>) -> Result<(), ResultsError> {
        self.check_name(name)?;
        // NumPy ends a text of fixed width at its zeros.
        if let Some(i) = entries.iter().position(|e| e.contains('\0')) {
            return Err(refuse(name, format!("entry {} contains a zero character", i + 1)));
        }
        self.lists.push(NamedList { name: name.to_owned(), entries });
        Ok(())
    }

    /// The matrices, in the order in which they were added.
    pub fn matrices(&self) -> &[NamedMatrix] {
        &self.matrices
    }

    /// The lists, in the order in which they were added.
    pub fn lists(&self) -> &[NamedList] {
        &self.lists
    }

    /// The sizes of the matrices, as a summary records them.
    pub fn shapes(&self) -> Vec<MatrixShape> {
        let shape = |m: &NamedMatrix| MatrixShape {
            name: m.name.clone(),
            rows: m.rows as u64,
            columns: m.columns as u64,
        };
        self.matrices.iter().map(shape).collect()
    }

    /// Writes the set in a format, whole or not at all.
    pub fn write(&self, format: MatrixFormat, path: &Path) -> Result<(), ResultsError> {
        match format {
            MatrixFormat::Json => json::write(self, path),
            MatrixFormat::Npz => npz::write(self, path),
            MatrixFormat::Mat => mat::write(self, path),
        }
    }

    fn check_name(&self, name: &str) -> Result<(), ResultsError> {
        let plain = name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !plain || name.len() > LONGEST_NAME {
            return Err(refuse(name, "not the name of a variable".into()));
        }
        let taken = (self.matrices.iter().map(|m| &m.name)).chain(self.lists.iter().map(|l| &l.name));
        match { taken }.any(|t| t == name) {
            true => Err(refuse(name, "the name is taken".into())),
            false => Ok(()),
        }
    }
}

fn refuse(name: &str, reason: String) -> ResultsError {
    ResultsError::Matrix { name: name.to_owned(), reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_file_could_hold_is_refused() {
        let mut set = MatrixSet::new();
        set.add_matrix("A", 1, 2, vec![1.0, 2.0]).unwrap();
        let reason = |result: Result<(), ResultsError>| result.unwrap_err().to_string();
        assert!(reason(set.add_matrix("B", 2, 2, vec![1.0; 3])).contains("3 elements for 2 rows of 2"));
        let bad = vec![0.0, 0.0, 0.0, f64::NAN, 0.0, 0.0];
        assert!(reason(set.add_matrix("B", 2, 3, bad)).contains("row 2, column 1 is NaN"));
        assert!(reason(set.add_matrix("B", usize::MAX, 2, vec![])).contains("0 elements"));
        assert!(reason(set.add_list("A", vec![])).contains("taken"));
        for name in ["", "1a", "a-b", "_a", "ä", "a.b", &"a".repeat(64)] {
            assert!(reason(set.add_list(name, vec![])).contains("name of a variable"), "{name}");
        }
        assert!(reason(set.add_list("names", vec!["a\0".into()])).contains("entry 1"));
        assert_eq!((set.matrices().len(), set.lists().len()), (1, 0));
        set.add_matrix("E", 0, 3, vec![]).unwrap();
        assert_eq!(set.shapes()[1], MatrixShape { name: "E".into(), rows: 0, columns: 3 });
    }
}
