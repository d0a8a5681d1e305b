//! `.mat`: MATLAB's level 5, uncompressed and little-endian.
//!
//! After a header of 128 bytes come data elements: a tag of type and size,
//! then the data filled up to a multiple of 8 bytes; data of at most 4 bytes
//! share the 8 bytes of their tag. A matrix is an array of doubles, column by
//! column, a list a column of cells with a text each. The size of a text is
//! that in UTF-16 units, as MATLAB counts; SciPy counts characters and fails
//! on those beyond U+FFFF.

use std::path::Path;

use super::{MatrixSet, NamedList, NamedMatrix, refuse};
use crate::atomic_file::write_atomically;
use crate::error::ResultsError;

/// Types of data elements.
const INT8: u32 = 1;
const INT32: u32 = 5;
const UINT32: u32 = 6;
const DOUBLE: u32 = 9;
const MATRIX: u32 = 14;
const UTF16: u32 = 17;

/// Classes of arrays.
const CELL_CLASS: u32 = 1;
const CHAR_CLASS: u32 = 4;
const DOUBLE_CLASS: u32 = 6;

/// Sizes are 32-bit, and MATLAB takes them as signed.
const LARGEST: usize = i32::MAX as usize;

pub(super) fn write(set: &MatrixSet, path: &Path) -> Result<(), ResultsError> {
    let mut file = header();
    for m in &set.matrices {
        check_size(&m.name, m.rows.max(m.columns), 8 * m.values.len())?;
        element(&mut file, MATRIX, &matrix(m));
    }
    for l in &set.lists {
        // Upper bound: tags, flags and sizes of a cell, and its text in UTF-16.
        let size: usize = l.entries.iter().map(|e| 72 + 2 * e.len()).sum();
        check_size(&l.name, l.entries.len(), size)?;
        element(&mut file, MATRIX, &list(l));
    }
    write_atomically(path, &file)
}

fn check_size(name: &str, side: usize, bytes: usize) -> Result<(), ResultsError> {
    // Room for the tags, flags, sizes and name of the array.
    if side > LARGEST || bytes > LARGEST - 256 {
        return Err(refuse(name, "too large for a .mat file, which holds 2 GiB".into()));
    }
    Ok(())
}

/// Text, no subsystem data, version 1, and the mark of the byte order.
fn header() -> Vec<u8> {
    let mut header = b"MATLAB 5.0 MAT-file, written by Poinsot".to_vec();
    header.resize(116, b' ');
    header.resize(124, 0);
    header.extend(0x0100u16.to_le_bytes());
    header.extend(b"IM");
    header
}

fn matrix(m: &NamedMatrix) -> Vec<u8> {
    let mut array = array(DOUBLE_CLASS, [m.rows, m.columns], &m.name);
    let columns = (0..m.columns).flat_map(|j| (0..m.rows).map(move |i| m.values[i * m.columns + j]));
    let data: Vec<u8> = columns.flat_map(f64::to_le_bytes).collect();
    element(&mut array, DOUBLE, &data);
    array
}

fn list(l: &NamedList) -> Vec<u8> {
    let mut cells = array(CELL_CLASS, [l.entries.len(), 1], &l.name);
    for entry in &l.entries {
        let units: Vec<u16> = entry.encode_utf16().collect();
        // MATLAB's empty text has no rows either.
        let mut text = array(CHAR_CLASS, [usize::from(!units.is_empty()), units.len()], "");
        let data: Vec<u8> = units.into_iter().flat_map(u16::to_le_bytes).collect();
        element(&mut text, UTF16, &data);
        element(&mut cells, MATRIX, &text);
    }
    cells
}

/// The beginning of an array: flags, size and name.
fn array(class: u32, size: [usize; 2], name: &str) -> Vec<u8> {
    let mut array = Vec::new();
    let bytes = |words: [u32; 2]| words.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<u8>>();
    element(&mut array, UINT32, &bytes([class, 0]));
    element(&mut array, INT32, &bytes(size.map(|n| n as u32)));
    element(&mut array, INT8, name.as_bytes());
    array
}

fn element(out: &mut Vec<u8>, kind: u32, data: &[u8]) {
    let size = data.len() as u32;
    if (1..=4).contains(&size) {
        out.extend((size << 16 | kind).to_le_bytes());
        out.extend(data);
        out.resize(out.len().next_multiple_of(8), 0);
        return;
    }
    out.extend(kind.to_le_bytes());
    out.extend(size.to_le_bytes());
    out.extend(data);
    out.resize(out.len().next_multiple_of(8), 0);
}
