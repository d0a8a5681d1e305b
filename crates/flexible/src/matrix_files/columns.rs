//! Columns of numbers: shapes of another program.

use super::numpy::Array;
use crate::cursor::{Cursor, real_of};
use crate::file_error::{Fault, FileError};
use nalgebra::DMatrix;

/// Reads a table of numbers, rows of the same length: `.npy`, or text with commas, semicolons or blanks.
pub fn read_columns(file: &str, bytes: &[u8]) -> Result<DMatrix<f64>, FileError> {
    let columns = match file.to_ascii_lowercase().ends_with(".npy") {
        true => {
            let array = Array::parse(file, bytes)?;
            let (rows, columns, at) = array.table()?;
            DMatrix::from_fn(rows, columns, at)
        }
        false => of_text(file, bytes)?,
    };
    match columns.iter().position(|value| !value.is_finite()) {
        None if columns.ncols() > 0 && columns.nrows() > 0 => Ok(columns),
        None => Err(FileError::whole(file, Fault::Inconsistent("the table has no numbers".into()))),
        Some(place) => {
            let (row, column) = (place % columns.nrows() + 1, place / columns.nrows() + 1);
            let text = format!("the number in row {row}, column {column} is not finite");
            Err(FileError::whole(file, Fault::Inconsistent(text)))
        }
    }
}

fn of_text(file: &str, bytes: &[u8]) -> Result<DMatrix<f64>, FileError> {
    let mut cursor = Cursor::new(file, bytes);
    let (mut numbers, mut width): (Vec<f64>, Option<usize>) = (vec![], None);
    loop {
        let at = cursor.at;
        let Some(line) = cursor.line() else { break };
        let text = line.trim_ascii();
        if text.is_empty() || text.starts_with(b"#") {
            continue;
        }
        let split = text.split(|byte| b",;".contains(byte) || byte.is_ascii_whitespace());
        let before = numbers.len();
        for field in split.filter(|field| !field.is_empty()) {
            numbers.push(real_of(field).ok_or_else(|| cursor.unexpected(at, field, "a number"))?);
        }
        let own = numbers.len() - before;
        let expected = *width.get_or_insert(own);
        if own != expected {
            let text = format!("a row of {own} numbers after rows of {expected}");
            return Err(cursor.error_at(at, Fault::Inconsistent(text)));
        }
    }
    let width = width.unwrap_or(0).max(1);
    Ok(DMatrix::from_row_slice(numbers.len() / width, width, &numbers))
}
