//! `.npz`: an uncompressed zip archive of `.npy` arrays, version 1.0.
//!
//! A matrix is an array of shape (rows, columns), a list one of shape (n,)
//! of texts of fixed width.

use std::path::Path;

use super::MatrixSet;
use super::stored_zip::StoredZip;
use crate::atomic_file::replace_with;
use crate::error::ResultsError;

/// Magic text, version and length of the header.
const PREAMBLE: usize = 10;

/// The data begin at a multiple of this.
const ALIGNMENT: usize = 64;

pub(super) fn write(set: &MatrixSet, path: &Path) -> Result<(), ResultsError> {
    let matrices = set.matrices.iter().map(|m| (&m.name, matrix(&m.values, m.rows, m.columns)));
    let lists = set.lists.iter().map(|l| (&l.name, texts(&l.entries)));
    replace_with(path, |file| {
        let mut archive = StoredZip::new(file);
        let mut arrays = matrices.chain(lists);
        let added = arrays.try_for_each(|(name, array)| archive.add(&format!("{name}.npy"), &array));
        added.and_then(|()| archive.finish()).map_err(ResultsError::io("write", path))
    })
}

fn matrix(values: &[f64], rows: usize, columns: usize) -> Vec<u8> {
    let mut array = header("<f8", &format!("({rows}, {columns})"));
    array.reserve(8 * values.len());
    array.extend(values.iter().flat_map(|v| v.to_le_bytes()));
    array
}

/// Texts in UTF-32, filled up with zeros to the length of the longest.
fn texts(entries: &[String]) -> Vec<u8> {
    let width = entries.iter().map(|e| e.chars().count()).max().unwrap_or(0).max(1);
    let mut array = header(&format!("<U{width}"), &format!("({},)", entries.len()));
    for entry in entries {
        let filled = entry.chars().map(u32::from).chain(std::iter::repeat(0)).take(width);
        array.extend(filled.flat_map(u32::to_le_bytes));
    }
    array
}

/// The header, filled up with spaces and ended by a line feed.
fn header(kind: &str, shape: &str) -> Vec<u8> {
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    let length = (PREAMBLE + text.len() + 1).next_multiple_of(ALIGNMENT) - PREAMBLE;
    text += &" ".repeat(length - 1 - text.len());
    text.push('\n');
    // A type and two numbers: a few alignments at most.
    let [low, high, ..] = (length as u32).to_le_bytes();
    let mut array = b"\x93NUMPY\x01\x00".to_vec();
    array.extend([low, high]);
    array.extend(text.as_bytes());
    array
}
