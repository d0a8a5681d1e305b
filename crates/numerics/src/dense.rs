//! Dense matrices of analysis and tests: thin helpers over faer.
//!
//! Null spaces and independent columns are in [`crate::subspace`].

use crate::pattern::Pattern;
use faer::Side;
use faer::linalg::solvers::{Eigen, PartialPivLu, Solve};
pub use faer::{Mat, MatRef, c64};

/// A dense computation that has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DenseError {
    /// An entry is infinite or not a number.
    #[error("entry ({row}, {column}) of the matrix is not finite")]
    NotFinite {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
    },
    /// The iteration for singular values or eigenvalues did not converge.
    #[error("the iteration for {0} did not converge")]
    NoConvergence(&'static str),
    /// A matrix that must be positive definite is not.
    #[error("the mass matrix is not positive definite")]
    NotPositiveDefinite,
    /// Two matrices or a vector do not fit together.
    #[error("{expected} rows are needed, not {found}")]
    Shape {
        /// Rows that fit.
        expected: usize,
        /// Rows that were given.
        found: usize,
    },
    /// The matrix is not square.
    #[error("a matrix of {rows} × {columns} is not square")]
    NotSquare {
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        columns: usize,
    },
}

/// The full matrix of a pattern and its values.
pub fn expand(pattern: &Pattern, values: &[f64]) -> Mat<f64> {
    let mut full = Mat::zeros(pattern.n(), pattern.n());
    for column in 0..pattern.n() {
        for (&row, slot) in pattern.rows(column).iter().zip(pattern.slots(column)) {
            full[(row, column)] = values[slot];
        }
    }
    full
}

/// LU with partial pivoting of a square matrix.
#[derive(Debug, Clone)]
pub struct DenseLu(PartialPivLu<f64>);

impl DenseLu {
    /// Factors the matrix. A singular matrix shows as a solution that is not finite.
    pub fn new(a: MatRef<'_, f64>) -> Result<Self, DenseError> {
        check_square(a)?;
        Ok(Self(a.partial_piv_lu()))
    }

    /// b := A⁻¹ b.
    pub fn solve(&self, b: &mut [f64]) {
        let rows = b.len();
        self.0.solve_in_place(faer::MatMut::from_column_major_slice_mut(b, rows, 1));
    }
}

/// Singular values, descending.
pub fn singular_values(a: MatRef<'_, f64>) -> Result<Vec<f64>, DenseError> {
    check_finite(a)?;
    a.singular_values().map_err(|_| DenseError::NoConvergence("singular values"))
}

/// Condition number σ_max/σ_min in the 2-norm; infinite for a singular matrix.
pub fn condition(a: MatRef<'_, f64>) -> Result<f64, DenseError> {
    let values = singular_values(a)?;
    Ok(match (values.first(), values.last()) {
        (Some(largest), Some(smallest)) => largest / smallest,
        _ => 1.0,
    })
}

/// Number of singular values above `tolerance` times the largest.
pub fn rank(a: MatRef<'_, f64>, tolerance: f64) -> Result<usize, DenseError> {
    let values = singular_values(a)?;
    let largest = values.first().copied().unwrap_or(0.0);
    Ok(values.iter().filter(|&&s| s > tolerance * largest).count())
}

/// Eigenvalues of a real square matrix, complex ones in conjugate pairs.
pub fn eigenvalues(a: MatRef<'_, f64>) -> Result<Vec<c64>, DenseError> {
    check_square(a)?;
    a.eigenvalues().map_err(|_| DenseError::NoConvergence("eigenvalues"))
}

/// Eigenvalues of a real square matrix, and its eigenvectors as columns in the
/// same order.
pub fn eigenvectors(a: MatRef<'_, f64>) -> Result<(Vec<c64>, Mat<c64>), DenseError> {
    check_square(a)?;
    let eigen = Eigen::new_from_real(a).map_err(|_| DenseError::NoConvergence("eigenvalues"))?;
    let values = (0..a.nrows()).map(|i| eigen.S()[i]).collect();
    Ok((values, eigen.U().to_owned()))
}

/// K x = λ M x for symmetric K and positive definite M: λ ascending, and vectors as columns with
/// XᵀMX = I. Only the lower triangles are read.
pub fn symmetric_eigen(k: MatRef<'_, f64>, m: MatRef<'_, f64>) -> Result<(Vec<f64>, Mat<f64>), DenseError> {
    check_square(k)?;
    check_square(m)?;
    let n = k.nrows();
    if m.nrows() != n {
        return Err(DenseError::Shape { expected: n, found: m.nrows() });
    }
    // M = L Lᵀ,  (L⁻¹ K L⁻ᵀ) y = λ y,  x = L⁻ᵀ y.
    let cholesky = m.llt(Side::Lower).map_err(|_| DenseError::NotPositiveDefinite)?;
    let l = cholesky.L();
    let mut c = Mat::from_fn(n, n, |i, j| k[(i.max(j), i.min(j))]);
    l.solve_lower_triangular_in_place(c.as_mut());
    let mut c = c.transpose().to_owned();
    l.solve_lower_triangular_in_place(c.as_mut());
    let eigen = c.self_adjoint_eigen(Side::Lower).map_err(|_| DenseError::NoConvergence("eigenvalues"))?;
    let mut x = eigen.U().to_owned();
    l.transpose().solve_upper_triangular_in_place(x.as_mut());
    Ok(((0..n).map(|i| eigen.S()[i]).collect(), x))
}

fn check_square(a: MatRef<'_, f64>) -> Result<(), DenseError> {
    if a.nrows() != a.ncols() {
        return Err(DenseError::NotSquare { rows: a.nrows(), columns: a.ncols() });
    }
    check_finite(a)
}

pub(crate) fn check_finite(a: MatRef<'_, f64>) -> Result<(), DenseError> {
    for column in 0..a.ncols() {
        for row in 0..a.nrows() {
            if !a[(row, column)].is_finite() {
                return Err(DenseError::NotFinite { row, column });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: &[&[f64]]) -> Mat<f64> {
        Mat::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
    }

    #[test]
    fn solves_with_pivoting() {
        let a = matrix(&[&[0.0, 2.0], &[3.0, 1.0]]);
        let mut b = [4.0, 5.0];
        DenseLu::new(a.as_ref()).unwrap().solve(&mut b);
        assert!((b[0] - 1.0).abs() < 1e-15 && (b[1] - 2.0).abs() < 1e-15);
    }

    #[test]
    fn knows_rank_and_condition() {
        let a = matrix(&[&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0]]);
        assert_eq!(rank(a.as_ref(), 1e-12).unwrap(), 1);
        let d = matrix(&[&[1.0, 0.0], &[0.0, -1e-3]]);
        assert!((condition(d.as_ref()).unwrap() - 1e3).abs() < 1e-9);
    }

    #[test]
    fn finds_complex_eigenvalues_and_vectors() {
        // Oscillator with ω = 2 and decay 0.5: λ = −0.5 ± i √(4 − 0.25).
        let a = matrix(&[&[0.0, 1.0], &[-4.0, -1.0]]);
        let values = eigenvalues(a.as_ref()).unwrap();
        for value in &values {
            assert!((value.re + 0.5).abs() < 1e-14);
            assert!((value.im.abs() - 3.75f64.sqrt()).abs() < 1e-14);
        }
        let (values, vectors) = eigenvectors(a.as_ref()).unwrap();
        for (j, value) in values.iter().enumerate() {
            let (x, v) = (vectors[(0, j)], vectors[(1, j)]);
            assert!((*value * x - v).norm() < 1e-14);
        }
    }

    #[test]
    fn symmetric_eigenproblem_of_a_chain_with_masses() {
        // Fixed–fixed chain of unit springs in masses 2: λ = 2 sin²(jπ/2(n+1)).
        let n = 12;
        let k = Mat::from_fn(n, n, |i, j| [2.0, -1.0].get(i.abs_diff(j)).copied().unwrap_or(0.0));
        let m = Mat::from_fn(n, n, |i, j| if i == j { 2.0 } else { 0.0 });
        let (values, _) = symmetric_eigen(k.as_ref(), m.as_ref()).unwrap();
        for (j, value) in (1..).zip(&values) {
            let exact = 2.0 * (j as f64 * std::f64::consts::PI / (2 * (n + 1)) as f64).sin().powi(2);
            assert!((value - exact).abs() < 1e-14);
        }
        // A full positive definite M: XᵀMX = I and XᵀKX = Λ.
        let mut random = crate::random::Random::new(4);
        let root = Mat::from_fn(n, n, |i, j| if i == j { 3.0 } else { random.number() });
        let m = &root * root.transpose();
        let (values, x) = symmetric_eigen(k.as_ref(), m.as_ref()).unwrap();
        let unit = x.transpose() * &m * &x - Mat::<f64>::identity(n, n);
        let mut stiffness = x.transpose() * &k * &x;
        for (i, value) in values.iter().enumerate() {
            stiffness[(i, i)] -= value;
        }
        assert!(unit.norm_max() < 1e-12 && stiffness.norm_max() < 1e-12);
        assert!(values.windows(2).all(|pair| pair[0] <= pair[1]));
        let indefinite = matrix(&[&[1.0, 2.0], &[2.0, 1.0]]);
        let k = matrix(&[&[1.0, 0.0], &[0.0, 1.0]]);
        let result = symmetric_eigen(k.as_ref(), indefinite.as_ref());
        assert_eq!(result.unwrap_err(), DenseError::NotPositiveDefinite);
    }

    #[test]
    fn refuses_bad_input() {
        let a = matrix(&[&[1.0, f64::NAN], &[0.0, 1.0]]);
        assert_eq!(eigenvalues(a.as_ref()), Err(DenseError::NotFinite { row: 0, column: 1 }));
        let a = matrix(&[&[1.0, 2.0]]);
        assert!(matches!(DenseLu::new(a.as_ref()), Err(DenseError::NotSquare { .. })));
    }
}
