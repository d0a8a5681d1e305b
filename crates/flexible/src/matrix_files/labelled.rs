//! Matrices with labels of nodes: what Abaqus writes for `*MATRIX OUTPUT`, and CalculiX' `.sti`, `.mas` and
//! `.dof`.

use super::entries::{Entries, Sides};
use super::{MatrixInput, UnknownLabel};
use crate::cursor::{Cursor, integer_of, real_of};
use crate::file_error::{Fault, FileError};
use crate::full_body::Component;

/// Reads a matrix that Abaqus has written as text: lines `node, dof, node, dof, value`, or `row, column,
/// value` in the format COORDINATE. One side of a symmetric matrix may be missing.
pub fn read_abaqus_matrix(file: &str, bytes: &[u8]) -> Result<MatrixInput, FileError> {
    let mut cursor = Cursor::new(file, bytes);
    let mut labelled: Vec<(UnknownLabel, UnknownLabel, f64)> = vec![];
    let mut plain: Vec<(u32, u32, f64)> = vec![];
    loop {
        let at = cursor.at;
        let Some(line) = cursor.line() else { break };
        let text = line.trim_ascii();
        if text.is_empty() || text.starts_with(b"*") || text.starts_with(b"%") {
            continue;
        }
        let split = line.split(|byte| *byte == b',' || byte.is_ascii_whitespace());
        let fields: Vec<&[u8]> = split.filter(|field| !field.is_empty()).collect();
        let wrong = || cursor.unexpected(at, text, "`node, dof, node, dof, value` or `row, column, value`");
        let value = fields.last().and_then(|field| real_of(field)).ok_or_else(wrong)?;
        let whole = |k: usize| integer_of(fields[k]);
        match fields.len() {
            5 => {
                let numbers = [0, 1, 2, 3].map(whole);
                let [Some(a), Some(b), Some(c), Some(d)] = numbers else { return Err(wrong()) };
                labelled.push((label(&cursor, at, a, b)?, label(&cursor, at, c, d)?, value));
            }
            3 => {
                let index = |k| whole(k).filter(|n| *n > 0).and_then(|n| u32::try_from(n - 1).ok());
                let (Some(i), Some(j)) = (index(0), index(1)) else { return Err(wrong()) };
                plain.push((i, j, value));
            }
            _ => return Err(wrong()),
        }
    }
    match (labelled.is_empty(), plain.is_empty()) {
        (false, true) => of_labels(file, &labelled),
        (true, false) => of_indices(file, bytes.len(), plain, None),
        (true, true) => Err(FileError::whole(file, Fault::Inconsistent("the file has no entries".into()))),
        (false, false) => {
            let text = "lines with labels and lines with rows and columns are mixed";
            Err(FileError::whole(file, Fault::Inconsistent(text.into())))
        }
    }
}

/// Reads a matrix that CalculiX has stored (`*FREQUENCY, SOLVER=MATRIXSTORAGE`): lines `row column value` of
/// one side, and its file of unknowns `node.direction`.
pub fn read_calculix_matrix(
    file: &str,
    bytes: &[u8],
    labels: Vec<UnknownLabel>,
) -> Result<MatrixInput, FileError> {
    let mut cursor = Cursor::new(file, bytes);
    let mut list = Vec::with_capacity(cursor.at_most(u64::MAX, 24));
    while let Some(word) = cursor.word() {
        cursor.at -= word.len();
        let (i, j) = (super::index(&mut cursor, labels.len())?, super::index(&mut cursor, labels.len())?);
        list.push((i, j, cursor.real("an entry")?));
    }
    of_indices(file, bytes.len(), list, Some(labels))
}

/// Reads the unknowns of matrices of CalculiX: lines `node.direction`.
pub fn read_calculix_unknowns(file: &str, bytes: &[u8]) -> Result<Vec<UnknownLabel>, FileError> {
    let mut cursor = Cursor::new(file, bytes);
    let mut labels = vec![];
    while let Some(word) = cursor.word() {
        let at = cursor.at - word.len();
        let dot = word.iter().position(|byte| *byte == b'.');
        let pair = dot.and_then(|dot| Some((integer_of(&word[..dot])?, integer_of(&word[dot + 1..])?)));
        let (node, dof) = pair.ok_or_else(|| cursor.unexpected(at, word, "an unknown `node.direction`"))?;
        labels.push(label(&cursor, at, node, dof)?);
    }
    Ok(labels)
}

/// An unknown by the numbers of its node and of its direction, 1 to 3 and rotations 4 to 6.
pub(super) fn label(cursor: &Cursor<'_>, at: usize, node: i64, dof: i64) -> Result<UnknownLabel, FileError> {
    let component = match dof {
        1..=3 => Component::Translation(dof as usize - 1),
        4..=6 => Component::Rotation(dof as usize - 4),
        _ => {
            let help = "write a model of displacements and rotations alone: degrees of freedom 1 to 6";
            return Err(cursor.unsupported(at, format!("degree of freedom {dof} of node {node}"), help));
        }
    };
    let node = u64::try_from(node).map_err(|_| {
        let help =
            "matrices with internal nodes, as of hybrid elements or constraints, have no places for them";
        cursor.unsupported(at, format!("the internal node {node}"), help)
    })?;
    Ok(UnknownLabel { node, component })
}

/// The order of unknowns: by node, translations before rotations.
fn place(label: &UnknownLabel) -> (u64, usize) {
    match label.component {
        Component::Translation(axis) => (label.node, axis),
        Component::Rotation(axis) => (label.node, 3 + axis),
    }
}

fn of_labels(file: &str, labelled: &[(UnknownLabel, UnknownLabel, f64)]) -> Result<MatrixInput, FileError> {
    let mut labels: Vec<UnknownLabel> = labelled.iter().flat_map(|(a, b, _)| [*a, *b]).collect();
    labels.sort_by_key(place);
    labels.dedup();
    let index = |label| labels.binary_search_by_key(&place(label), place).unwrap_or(0) as u32;
    let list = labelled.iter().map(|(a, b, value)| (index(a), index(b), *value)).collect();
    let entries = Entries { size: labels.len(), list };
    let matrix = entries.symmetric(file, entries.sides())?;
    Ok(MatrixInput { matrix, labels: Some(labels) })
}

fn of_indices(
    file: &str,
    length: usize,
    list: Vec<(u32, u32, f64)>,
    labels: Option<Vec<UnknownLabel>>,
) -> Result<MatrixInput, FileError> {
    let size = list.iter().map(|(i, j, _)| *i.max(j) as usize + 1).max().unwrap_or(0);
    let size = labels.as_ref().map_or(size, Vec::len);
    if size > length {
        return Err(FileError::whole(file, Fault::Inconsistent("the matrix has hardly any entries".into())));
    }
    let entries = Entries { size, list };
    let sides = if labels.is_some() { Sides::One } else { entries.sides() };
    // A file that gives one side by rule must not give both.
    let sides = if entries.sides() == Sides::Both { Sides::Both } else { sides };
    Ok(MatrixInput { matrix: entries.symmetric(file, sides)?, labels })
}
