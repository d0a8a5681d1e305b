//! Matrices of NumPy and SciPy: `.npy`, `.npz`, and what `scipy.sparse.save_npz` writes.

use super::entries::{Entries, Sides};
use super::numpy::Array;
use super::{MatrixInput, archive};
use crate::file_error::{Fault, FileError};

/// Reads a full matrix from a `.npy` file.
pub fn read_npy(file: &str, bytes: &[u8]) -> Result<MatrixInput, FileError> {
    full(file, &Array::parse(file, bytes)?)
}

/// Reads a matrix from an archive: the array of a key, or without one the sparse matrix of SciPy, or the only
/// array of two dimensions.
pub fn read_npz(file: &str, bytes: &[u8], key: Option<&str>) -> Result<MatrixInput, FileError> {
    let contents = unpacked(file, bytes)?;
    let find = |name: &str| contents.iter().find(|(known, _)| known == name);
    let array = |name: &str| match find(name) {
        Some((_, bytes)) => Array::parse(file, bytes),
        None => Err(FileError::whole(file, Fault::Unknown { what: "the array", label: name.to_owned() })),
    };
    if let Some(key) = key {
        let found = array(key).and_then(|array| full(file, &array));
        return found.map_err(|error| among(error, &contents));
    }
    if find("format").is_some() {
        return sparse(file, array);
    }
    let mut tables = contents
        .iter()
        .filter_map(|(_, bytes)| Array::parse(file, bytes).ok().filter(|array| array.shape.len() == 2));
    match (tables.next(), tables.next()) {
        (Some(only), None) => full(file, &only),
        (None, _) => Err(FileError::whole(file, Fault::Inconsistent("the archive has no matrix".into()))),
        _ => {
            let names: Vec<&str> = contents.iter().map(|(name, _)| name.as_str()).collect();
            let text = format!("the archive has several matrices: name one of {}", names.join(", "));
            Err(FileError::whole(file, Fault::Inconsistent(text)))
        }
    }
}

/// Adds the names that there are.
fn among(error: FileError, contents: &[(String, Vec<u8>)]) -> FileError {
    let Fault::Unknown { what, label } = error.fault else { return error };
    let names: Vec<&str> = contents.iter().map(|(name, _)| name.as_str()).collect();
    let fault = Fault::Inconsistent(format!("{what} `{label}` is not there; there are {}", names.join(", ")));
    FileError { fault, ..error }
}

/// Names and bytes of the arrays of an archive.
fn unpacked(file: &str, bytes: &[u8]) -> Result<Vec<(String, Vec<u8>)>, FileError> {
    let contents = archive::unpacked(bytes).map_err(|error| {
        FileError::whole(file, Fault::Inconsistent(format!("the archive cannot be read: {error}")))
    })?;
    let named = |(name, data): (String, Vec<u8>)| (name.trim_end_matches(".npy").to_owned(), data);
    Ok(contents.into_iter().map(named).collect())
}

/// A matrix of which all entries are given.
fn full(file: &str, array: &Array<'_>) -> Result<MatrixInput, FileError> {
    let (rows, columns, at) = array.table()?;
    let size = super::square_size(file, rows as u64, columns as u64)?;
    let places = (0..size).flat_map(|i| (0..size).map(move |j| (i, j)));
    let list = places.map(|(i, j)| (i as u32, j as u32, at(i, j))).filter(|(.., value)| *value != 0.0);
    let entries = Entries { size, list: list.collect() };
    Ok(MatrixInput { matrix: entries.symmetric(file, Sides::Both)?, labels: None })
}

/// A matrix of SciPy: by rows, by columns or by coordinates.
fn sparse<'a>(
    file: &str,
    array: impl Fn(&str) -> Result<Array<'a>, FileError>,
) -> Result<MatrixInput, FileError> {
    let wrong = |text: &str| FileError::whole(file, Fault::Inconsistent(text.to_owned()));
    let format = array("format")?.text();
    let shape = array("shape")?.naturals()?;
    let [rows, columns] = shape[..] else { return Err(wrong("the shape is not one of a matrix")) };
    let values = array("data")?.reals()?;
    let size = super::square_size(file, rows as u64, columns as u64)?;
    let (first, second) = match format.as_str() {
        "coo" => match array("row") {
            Ok(row) => (row.naturals()?, array("col")?.naturals()?),
            // As newer versions write it: both lists in one array.
            Err(_) => {
                let mut both = array("coords")?.naturals()?;
                let second = both.split_off(both.len() / 2);
                (both, second)
            }
        },
        "csr" | "csc" => {
            let starts = array("indptr")?.naturals()?;
            // Each list must begin where the one before it ends, and the last end with the entries.
            let ordered = starts.windows(2).all(|pair| pair[0] <= pair[1]);
            if starts.len() != size + 1 || !ordered || starts.last() != Some(&values.len()) {
                return Err(wrong("`indptr` does not fit the matrix"));
            }
            let of_entry = starts.windows(2).enumerate().flat_map(|(k, pair)| vec![k; pair[1] - pair[0]]);
            (of_entry.collect(), array("indices")?.naturals()?)
        }
        other => {
            let what = format!("a sparse matrix of format `{}`", crate::cursor::shown(other.as_bytes()));
            let help = "save it by rows: scipy.sparse.save_npz(file, matrix.tocsr())".to_owned();
            return Err(FileError::whole(file, Fault::Unsupported { what, help }));
        }
    };
    // By columns the lists are exchanged, which is all the same where symmetry is checked.
    if first.len() != values.len() || second.len() != values.len() {
        return Err(wrong("indices and entries are not as many"));
    }
    if first.iter().chain(&second).any(|index| *index >= size) {
        return Err(wrong("an index is not one of the matrix"));
    }
    // A matrix has entries in its rows: more rows than some for each entry would be a mistake of the file.
    if size > 64 * (values.len() + 1) {
        return Err(wrong("the matrix has hardly any entries"));
    }
    let pairs = first.into_iter().zip(second).zip(values);
    let list = pairs.map(|((i, j), value)| (i as u32, j as u32, value)).collect();
    let entries = Entries { size, list };
    Ok(MatrixInput { matrix: entries.symmetric(file, Sides::Both)?, labels: None })
}
