//! Dense matrices of analysis and tests: thin helpers over faer.
//!
//! Null spaces and independent columns are in [`crate::subspace`].

use crate::complex_dense::ComplexDenseLu;
use crate::pattern::Pattern;
use crate::random::irregular;
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

/// Eigenvalues nearer than this, relative to their size, count as one.
const EQUAL: f64 = 1e-7;
/// Eigenvectors of unit length whose product is above this are as good as parallel.
const PARALLEL: f64 = 0.1;
/// A residual |A x − λ x|/|x|, relative to |λ|, above which x is no eigenvector.
const POOR: f64 = 1e-6;
/// Steps of the inverse iteration.
const STEPS: usize = 3;

/// Eigenvectors of eigenvalues that are equal up to rounding come out of back substitution in any directions,
/// parallel ones too, or spoiled. They become an orthonormal basis of their space, by inverse iteration on as
/// many vectors as there are copies,
///
/// ```text
/// X := orth((A − λ)⁻¹ X)
/// ```
/// where there is such a space: a defective eigenvalue is left as it is.
pub fn part_equal(a: MatRef<'_, f64>, values: &[c64], vectors: &mut Mat<c64>) {
    let n = values.len();
    let mut seen = vec![false; n];
    for k in 0..n {
        let value = values[k];
        if seen[k] || value.norm() == 0.0 {
            continue;
        }
        let equal: Vec<usize> =
            (k..n).filter(|&j| (values[j] - value).norm() <= EQUAL * value.norm()).collect();
        equal.iter().for_each(|&j| seen[j] = true);
        if equal.len() < 2 || is_basis(a, value, vectors, &equal) {
            continue;
        }
        let mean = equal.iter().map(|&j| values[j]).sum::<c64>() / equal.len() as f64;
        let Some(space) = space_of(a, mean, equal.len()) else { continue };
        for (c, &j) in equal.iter().enumerate() {
            (0..n).for_each(|r| vectors[(r, j)] = space[(r, c)]);
        }
    }
}

fn product(x: &Mat<c64>, i: usize, y: &Mat<c64>, j: usize) -> c64 {
    (0..x.nrows()).map(|r| x[(r, i)].conj() * y[(r, j)]).sum()
}

/// |A x − λ x|/|x| for a column of vectors.
fn residual(a: MatRef<'_, f64>, value: c64, x: &Mat<c64>, column: usize) -> f64 {
    let n = x.nrows();
    let row = |i: usize| (0..n).map(|j| x[(j, column)] * a[(i, j)]).sum::<c64>() - value * x[(i, column)];
    let square: f64 = (0..n).map(|i| row(i).norm_sqr()).sum();
    (square / product(x, column, x, column).re).sqrt()
}

/// Largest residual of an eigenvector: a share of the eigenvalue, or rounding of the matrix.
fn limit(a: MatRef<'_, f64>, value: c64) -> f64 {
    (POOR * value.norm()).max(64.0 * f64::EPSILON * a.norm_max())
}

/// Whether eigenvectors of one eigenvalue are eigenvectors, and far from parallel.
fn is_basis(a: MatRef<'_, f64>, value: c64, vectors: &Mat<c64>, columns: &[usize]) -> bool {
    let cosine = |i: usize, j: usize| {
        let size = product(vectors, i, vectors, i).re * product(vectors, j, vectors, j).re;
        product(vectors, i, vectors, j).norm() / size.sqrt()
    };
    let apart = columns.iter().all(|&i| columns.iter().all(|&j| i == j || cosine(i, j) <= PARALLEL));
    apart && columns.iter().all(|&j| residual(a, value, vectors, j) <= limit(a, value))
}

/// An orthonormal basis of the eigenvectors of an eigenvalue with so many copies; none if there are fewer.
fn space_of(a: MatRef<'_, f64>, value: c64, count: usize) -> Option<Mat<c64>> {
    let n = a.nrows();
    // Beside the eigenvalue by its last digits: there the matrix is not singular.
    let shift = value * (1.0 + 8.0 * f64::EPSILON);
    let shifted = |i: usize, j: usize| a[(i, j)] - if i == j { shift } else { c64::new(0.0, 0.0) };
    let lu = ComplexDenseLu::new(n, shifted);
    let mut x = Mat::from_fn(n, count, |i, j| c64::new(irregular(i + 31 * j), irregular(3 * i + 57 * j + 7)));
    for _ in 0..STEPS {
        for j in 0..count {
            let solved = lu.solve(&(0..n).map(|r| x[(r, j)]).collect::<Vec<_>>());
            solved.into_iter().enumerate().for_each(|(r, value)| x[(r, j)] = value);
        }
        for j in 0..count {
            // Twice is enough.
            for i in (0..j).chain(0..j) {
                let share = product(&x, i, &x, j);
                (0..n).for_each(|r| {
                    let along = share * x[(r, i)];
                    x[(r, j)] -= along;
                });
            }
            let size = product(&x, j, &x, j).re.sqrt();
            (0..n).for_each(|r| x[(r, j)] /= size);
        }
    }
    (0..count).all(|j| residual(a, value, &x, j) <= limit(a, value)).then_some(x)
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
