//! Small dense matrices of a reduction.

use super::ReductionError;
use nalgebra::DMatrix;
use poinsot_numerics::dense::{Mat, symmetric_eigen};
use poinsot_numerics::{SymmetricMatrix, subspace};

/// The same matrix for the other library.
fn to_mat(a: &DMatrix<f64>) -> Mat<f64> {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)])
}

fn from_mat(a: &Mat<f64>) -> DMatrix<f64> {
    DMatrix::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)])
}

/// K x = λ M x: λ ascending and x as columns with XᵀMX = I, the largest part of each positive.
pub fn eigen(k: &DMatrix<f64>, m: &DMatrix<f64>) -> Result<(Vec<f64>, DMatrix<f64>), ReductionError> {
    if k.nrows() == 0 {
        return Ok((vec![], DMatrix::zeros(0, 0)));
    }
    let (values, vectors) = symmetric_eigen(to_mat(k).as_ref(), to_mat(m).as_ref())?;
    Ok((values, from_mat(&vectors)))
}

/// Orthonormal basis of what the rows of C do not see, and their rank. Rows are weighed alike.
pub fn null_space(c: &DMatrix<f64>) -> Result<(DMatrix<f64>, usize), ReductionError> {
    if c.nrows() == 0 || c.ncols() == 0 {
        return Ok((DMatrix::identity(c.ncols(), c.ncols()), 0));
    }
    let mut rows = c.clone();
    for mut row in rows.row_iter_mut() {
        let size = row.norm();
        if size > 0.0 {
            row /= size;
        }
    }
    let (basis, rank) = subspace::null_space(to_mat(&rows).as_ref(), 1e-9)?;
    Ok((from_mat(&basis), rank))
}

/// A X.
pub fn product(a: &SymmetricMatrix, x: &DMatrix<f64>) -> DMatrix<f64> {
    let mut y = DMatrix::zeros(x.nrows(), x.ncols());
    let rows = x.nrows().max(1);
    for (x, y) in x.as_slice().chunks(rows).zip(y.as_mut_slice().chunks_mut(rows)) {
        a.multiply(x, y);
    }
    y
}

/// Xᵀ A X, symmetric to the last bit.
pub fn congruence(a: &SymmetricMatrix, x: &DMatrix<f64>) -> DMatrix<f64> {
    symmetric_part(&x.tr_mul(&product(a, x)))
}

/// ½ (A + Aᵀ).
pub fn symmetric_part(a: &DMatrix<f64>) -> DMatrix<f64> {
    (a + a.transpose()) * 0.5
}

/// Columns side by side.
pub fn beside(parts: &[&DMatrix<f64>]) -> DMatrix<f64> {
    let rows = parts.iter().map(|part| part.nrows()).max().unwrap_or(0);
    let mut all = DMatrix::zeros(rows, parts.iter().map(|part| part.ncols()).sum());
    let mut first = 0;
    for part in parts {
        all.columns_mut(first, part.ncols()).copy_from(*part);
        first += part.ncols();
    }
    all
}

/// Each column with its largest entry positive, so that signs do not depend on how it was found.
pub fn fix_signs(x: &mut DMatrix<f64>) {
    for mut column in x.column_iter_mut() {
        let largest = column.amax();
        // Entries that are equal but for rounding: the first of them decides.
        if column.iter().find(|value| value.abs() > 0.999 * largest).is_some_and(|value| *value < 0.0) {
            column.neg_mut();
        }
    }
}
