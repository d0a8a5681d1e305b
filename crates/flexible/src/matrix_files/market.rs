//! MatrixMarket: `coordinate` and `array`, `real` or `integer`, `general` or `symmetric`.

use super::MatrixInput;
use super::entries::{Entries, Sides};
use crate::cursor::{Cursor, shown};
use crate::file_error::{Fault, FileError};

/// Reads a file of MatrixMarket.
pub fn read_matrix_market(file: &str, bytes: &[u8]) -> Result<MatrixInput, FileError> {
    let mut cursor = Cursor::new(file, bytes);
    let (coordinates, sides) = header(&mut cursor)?;
    comments(&mut cursor);
    let rows = cursor.natural("the number of rows")?;
    let columns = cursor.natural("the number of columns")?;
    let size = super::square(&cursor, rows, columns)?;
    let mut entries = Entries { size, list: vec![] };
    if coordinates {
        let count = cursor.natural("the number of entries")?;
        entries.list.reserve(cursor.at_most(count, 6));
        for _ in 0..count {
            let (i, j) = (super::index(&mut cursor, size)?, super::index(&mut cursor, size)?);
            if sides == Sides::One && i < j {
                let text = "an entry above the diagonal of a matrix that is said to be symmetric";
                return Err(cursor.error(Fault::Inconsistent(text.into())));
            }
            entries.list.push((i, j, cursor.real("an entry")?));
        }
    } else {
        for j in 0..size {
            let first = if sides == Sides::One { j } else { 0 };
            for i in first..size {
                let value = cursor.real("an entry")?;
                if value != 0.0 {
                    entries.list.push((i as u32, j as u32, value));
                }
            }
        }
    }
    if let Some(word) = cursor.word() {
        return Err(cursor.unexpected(cursor.at - word.len(), word, "the end of the file"));
    }
    Ok(MatrixInput { matrix: entries.symmetric(file, sides)?, labels: None })
}

/// `%%MatrixMarket matrix form numbers symmetry`: whether by coordinates, and which sides are given.
fn header(cursor: &mut Cursor<'_>) -> Result<(bool, Sides), FileError> {
    let line = cursor.line().unwrap_or_default();
    let words: Vec<String> = shown_words(line);
    if words.first().map(String::as_str) != Some("%%matrixmarket") {
        return Err(cursor.unexpected(0, line, "`%%MatrixMarket matrix …`"));
    }
    let word = |k: usize| words.get(k).map(String::as_str).unwrap_or_default();
    let refused = |what: String, help: &str| cursor.unsupported(0, what, help);
    let coordinates = match word(2) {
        "coordinate" => true,
        "array" => false,
        other => return Err(refused(format!("a matrix in form `{other}`"), "write `coordinate` or `array`")),
    };
    if !["real", "integer", "double"].contains(&word(3)) {
        return Err(refused(format!("a matrix of `{}` numbers", word(3)), "write real numbers"));
    }
    match word(4) {
        "general" => Ok((coordinates, Sides::Both)),
        "symmetric" => Ok((coordinates, Sides::One)),
        other => Err(refused(format!("a matrix that is `{other}`"), "write `symmetric` or `general`")),
    }
}

fn shown_words(line: &[u8]) -> Vec<String> {
    line.split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
        .map(|word| shown(word).to_lowercase())
        .collect()
}

/// Passes lines that begin with %.
fn comments(cursor: &mut Cursor<'_>) {
    loop {
        let at = cursor.at;
        match cursor.line() {
            Some(line) if line.starts_with(b"%") || line.trim_ascii().is_empty() => {}
            _ => {
                cursor.at = at;
                return;
            }
        }
    }
}
