//! Matrices from files: MatrixMarket, NumPy and SciPy, Abaqus, CalculiX; and the nodes that they are about.

mod archive;
mod columns;
mod entries;
mod labelled;
mod market;
mod node_table;
mod npz;
mod numpy;

pub use columns::read_columns;
pub use labelled::{read_abaqus_matrix, read_calculix_matrix, read_calculix_unknowns};
pub use market::read_matrix_market;
pub use node_table::{NodeTable, read_node_csv, read_node_npy};
pub use npz::{read_npy, read_npz};

use crate::cursor::Cursor;
use crate::file_error::{Fault, FileError};
use crate::full_body::Component;
use poinsot_numerics::SymmetricMatrix;

/// An unknown by the label of its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownLabel {
    /// Label of the node.
    pub node: u64,
    /// Which component of its motion.
    pub component: Component,
}

/// A matrix from a file, and what its rows are where the file says so.
#[derive(Clone, Debug, PartialEq)]
pub struct MatrixInput {
    /// The matrix. Where both sides of the diagonal are given, their mean.
    pub matrix: SymmetricMatrix,
    /// Unknowns of the rows.
    pub labels: Option<Vec<UnknownLabel>>,
}

/// Reads a matrix by the end of the name of its file; `key` names an array of an archive. Files of CalculiX
/// need their unknowns: [`read_calculix_matrix`].
pub fn read_matrix(file: &str, bytes: &[u8], key: Option<&str>) -> Result<MatrixInput, FileError> {
    let end = file.rsplit_once('.').map_or(String::new(), |(_, end)| end.to_ascii_lowercase());
    match end.as_str() {
        "mtx" if bytes.starts_with(b"%%") => read_matrix_market(file, bytes),
        "mtx" => read_abaqus_matrix(file, bytes),
        "npy" => read_npy(file, bytes),
        "npz" => read_npz(file, bytes, key),
        _ => {
            let help = "matrices are read from .mtx (MatrixMarket, Abaqus), .npy, .npz, and from .sti and .mas of \
                        CalculiX with .dof";
            let what = format!("a matrix as `.{end}`");
            Err(FileError::whole(file, Fault::Unsupported { what, help: help.to_owned() }))
        }
    }
}

/// The size of a matrix that must be square.
fn square_size(file: &str, rows: u64, columns: u64) -> Result<usize, FileError> {
    let wrong = |text: String| FileError::whole(file, Fault::Inconsistent(text));
    if rows != columns {
        return Err(wrong(format!("the matrix is not square: {rows} rows, {columns} columns")));
    }
    let size = u32::try_from(rows).ok().filter(|size| *size < u32::MAX);
    size.map(|size| size as usize)
        .ok_or_else(|| wrong(format!("the matrix has {rows} rows, which are too many")))
}

/// The size of a matrix of a file of text, which has at least a number in each row.
fn square(cursor: &Cursor<'_>, rows: u64, columns: u64) -> Result<usize, FileError> {
    let size = square_size(cursor.file, rows, columns)?;
    if size > cursor.bytes.len() {
        return Err(cursor.error(Fault::Inconsistent("the matrix has hardly any entries".into())));
    }
    Ok(size)
}

/// A row or column, counted from 1.
fn index(cursor: &mut Cursor<'_>, size: usize) -> Result<u32, FileError> {
    let value = cursor.natural("a row or column")?;
    if (1..=size as u64).contains(&value) {
        return Ok((value - 1) as u32);
    }
    let text = format!("row or column {value} of a matrix of {size}");
    Err(cursor.error(Fault::Inconsistent(text)))
}
