//! Matrices of any size in a file: numbers of rows and columns, and the entries column by column.

use nalgebra::DMatrix;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub fn serialize<S: Serializer>(matrix: &DMatrix<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    (matrix.nrows(), matrix.ncols(), matrix.as_slice()).serialize(serializer)
}

pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<DMatrix<f64>, D::Error> {
    let (rows, columns, entries) = <(usize, usize, Vec<f64>)>::deserialize(deserializer)?;
    match rows.checked_mul(columns) == Some(entries.len()) {
        true => Ok(DMatrix::from_vec(rows, columns, entries)),
        false => Err(D::Error::custom("a matrix without all of its entries")),
    }
}
