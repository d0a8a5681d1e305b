//! Subspaces of a dense matrix: range and null space, least squares, independent columns.

use crate::dense::{DenseError, Mat, MatRef, check_finite};
use faer::linalg::solvers::Svd;

/// Columns in the order in which QR with column pivoting takes them.
#[derive(Debug, Clone, PartialEq)]
pub struct PivotedColumns {
    /// Number of the column taken at every step; the first `rank` of them are independent.
    pub order: Vec<usize>,
    /// |R_kk|, descending down to rounding errors: the distance of column `order[k]` from the span of those before it.
    pub diagonal: Vec<f64>,
}

impl PivotedColumns {
    /// Number of diagonal entries above `tolerance` times the first.
    pub fn rank(&self, tolerance: f64) -> usize {
        let first = self.diagonal.first().copied().unwrap_or(0.0);
        self.diagonal.iter().take_while(|&&d| d > tolerance * first).count()
    }
}

/// Orthonormal basis of the null space of A as columns, and the rank: the number of singular
/// values above `tolerance` times the largest.
pub fn null_space(a: MatRef<'_, f64>, tolerance: f64) -> Result<(Mat<f64>, usize), DenseError> {
    let svd = decompose(a)?;
    let rank = svd.rank(tolerance);
    let v = svd.factors.V();
    Ok((v.subcols(rank, v.ncols() - rank).to_owned(), rank))
}

/// Orthonormal basis of the range of A as columns, of which there are as many as the rank.
pub fn range(a: MatRef<'_, f64>, tolerance: f64) -> Result<Mat<f64>, DenseError> {
    let svd = decompose(a)?;
    let rank = svd.rank(tolerance);
    Ok(svd.factors.U().subcols(0, rank).to_owned())
}

/// x = A⁺ b, the shortest of the vectors that minimise |A x − b|; singular values below
/// `tolerance` times the largest count as zero. Returns x and the rank.
pub fn pseudo_solve(a: MatRef<'_, f64>, b: &[f64], tolerance: f64) -> Result<(Vec<f64>, usize), DenseError> {
    if b.len() != a.nrows() {
        return Err(DenseError::Shape { expected: a.nrows(), found: b.len() });
    }
    let svd = decompose(a)?;
    let rank = svd.rank(tolerance);
    let (u, v) = (svd.factors.U(), svd.factors.V());
    // x = Σ v_k (u_kᵀ b)/σ_k.
    let mut x = vec![0.0; a.ncols()];
    for (k, sigma) in svd.values.iter().take(rank).enumerate() {
        let part = u.col(k).iter().zip(b).map(|(u, b)| u * b).sum::<f64>() / sigma;
        x.iter_mut().zip(v.col(k).iter()).for_each(|(x, v)| *x += part * v);
    }
    Ok((x, rank))
}

/// QR with column pivoting, A P = Q R: at every step the column farthest from the span of
/// those taken. Dependent coordinates are chosen first, the rest are independent.
pub fn pivoted_columns(a: MatRef<'_, f64>) -> Result<PivotedColumns, DenseError> {
    check_finite(a)?;
    let qr = a.col_piv_qr();
    let steps = a.nrows().min(a.ncols());
    let order = qr.P().arrays().0.to_vec();
    Ok(PivotedColumns { order, diagonal: (0..steps).map(|k| qr.R()[(k, k)].abs()).collect() })
}

/// Full singular value decomposition.
struct Decomposed {
    factors: Svd<f64>,
    /// Descending.
    values: Vec<f64>,
}

impl Decomposed {
    fn rank(&self, tolerance: f64) -> usize {
        let largest = self.values.first().copied().unwrap_or(0.0);
        self.values.iter().filter(|&&s| s > tolerance * largest).count()
    }
}

fn decompose(a: MatRef<'_, f64>) -> Result<Decomposed, DenseError> {
    check_finite(a)?;
    let factors = a.svd().map_err(|_| DenseError::NoConvergence("singular values"))?;
    let values = (0..a.nrows().min(a.ncols())).map(|i| factors.S()[i]).collect();
    Ok(Decomposed { factors, values })
}

/// The orthonormal factor Q of A = Q H with H = Hᵀ ≥ 0, and the smallest singular value of A: of all matrices
/// with orthonormal columns Q is nearest to A. A has at least as many rows as columns.
pub fn orthonormal_factor(a: MatRef<'_, f64>) -> Result<(Mat<f64>, f64), DenseError> {
    let svd = decompose(a)?;
    let columns = a.ncols();
    let u = svd.factors.U().subcols(0, columns);
    let least = svd.values.last().copied().unwrap_or(f64::INFINITY);
    Ok((u * svd.factors.V().transpose(), least))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense::{DenseLu, rank};
    use crate::random::Random;

    /// Random matrix of the given rank.
    fn deficient(rows: usize, columns: usize, rank: usize, seed: u64) -> Mat<f64> {
        let mut random = Random::new(seed);
        let left = Mat::from_fn(rows, rank, |_, _| random.number());
        let right = Mat::from_fn(rank, columns, |_, _| random.number());
        left * right
    }

    const SHAPES: [(usize, usize, usize); 7] =
        [(5, 8, 3), (8, 5, 3), (6, 6, 6), (4, 9, 4), (9, 4, 4), (1, 3, 1), (30, 40, 17)];

    #[test]
    fn null_space_and_range_are_orthonormal_and_complete() {
        for (seed, (rows, columns, r)) in SHAPES.into_iter().enumerate() {
            let a = deficient(rows, columns, r, seed as u64);
            let (z, found) = null_space(a.as_ref(), 1e-12).unwrap();
            assert_eq!((found, z.nrows(), z.ncols()), (r, columns, columns - r));
            let unit = z.transpose() * &z - Mat::<f64>::identity(columns - r, columns - r);
            assert!(unit.norm_l2() < 1e-13 && (&a * &z).norm_l2() < 1e-12);
            let q = range(a.as_ref(), 1e-12).unwrap();
            assert_eq!((q.nrows(), q.ncols()), (rows, r));
            let unit = q.transpose() * &q - Mat::<f64>::identity(r, r);
            let outside = &a - &q * (q.transpose() * &a);
            assert!(unit.norm_l2() < 1e-13 && outside.norm_l2() < 1e-12);
        }
    }

    #[test]
    fn zero_and_empty_matrices_have_no_range() {
        let (z, r) = null_space(Mat::<f64>::zeros(3, 4).as_ref(), 1e-12).unwrap();
        assert_eq!((r, z.ncols()), (0, 4));
        let (z, r) = null_space(Mat::<f64>::zeros(0, 4).as_ref(), 1e-12).unwrap();
        assert_eq!((r, z.ncols()), (0, 4));
        assert_eq!(range(Mat::<f64>::zeros(3, 0).as_ref(), 1e-12).unwrap().ncols(), 0);
        assert_eq!(pivoted_columns(Mat::<f64>::zeros(3, 2).as_ref()).unwrap().rank(1e-12), 0);
        assert_eq!(pivoted_columns(Mat::<f64>::zeros(0, 2).as_ref()).unwrap().order.len(), 2);
    }

    #[test]
    fn pseudo_inverse_meets_the_conditions_of_penrose() {
        for (seed, (rows, columns, r)) in SHAPES.into_iter().enumerate() {
            let a = deficient(rows, columns, r, seed as u64);
            let mut random = Random::new(99);
            let b: Vec<f64> = (0..rows).map(|_| random.number()).collect();
            let (x, found) = pseudo_solve(a.as_ref(), &b, 1e-12).unwrap();
            assert_eq!(found, r);
            // Aᵀ(Ax − b) = 0 and x has no part in the null space.
            let x = Mat::from_fn(columns, 1, |i, _| x[i]);
            let residual = &a * &x - Mat::from_fn(rows, 1, |i, _| b[i]);
            assert!((a.transpose() * residual).norm_max() < 1e-11);
            let (z, _) = null_space(a.as_ref(), 1e-12).unwrap();
            assert!((z.transpose() * x).norm_l2() < 1e-11);
        }
        let square = deficient(6, 6, 6, 2);
        let mut b = vec![1.0, -2.0, 3.0, 0.5, 0.0, 4.0];
        let (x, _) = pseudo_solve(square.as_ref(), &b, 1e-14).unwrap();
        DenseLu::new(square.as_ref()).unwrap().solve(&mut b);
        assert!(x.iter().zip(&b).all(|(x, b)| (x - b).abs() < 1e-10 * (1.0 + b.abs())));
        let error = pseudo_solve(square.as_ref(), &[1.0], 1e-14).unwrap_err();
        assert_eq!(error, DenseError::Shape { expected: 6, found: 1 });
    }

    #[test]
    fn pivoted_columns_are_independent_and_complete() {
        for (seed, (rows, columns, r)) in SHAPES.into_iter().enumerate() {
            let a = deficient(rows, columns, r, seed as u64);
            let pivoted = pivoted_columns(a.as_ref()).unwrap();
            assert_eq!(pivoted.rank(1e-12), r);
            let mut sorted = pivoted.order.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..columns));
            assert!(pivoted.diagonal[..r].windows(2).all(|pair| pair[0] >= pair[1] * (1.0 - 1e-12)));
            let chosen = Mat::from_fn(rows, r, |i, j| a[(i, pivoted.order[j])]);
            assert_eq!(rank(chosen.as_ref(), 1e-10).unwrap(), r);
            // Π |R_kk|² = det(AᵀA) of the chosen columns.
            let gram = chosen.transpose() * &chosen;
            let product: f64 = pivoted.diagonal[..r].iter().map(|d| d * d).product();
            assert!((gram.determinant() / product - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn pivoting_takes_the_longest_column_first() {
        let a = Mat::from_fn(2, 3, |i, j| [[1.0, 0.0, 3.0], [0.0, 0.5, 4.0]][i][j]);
        let pivoted = pivoted_columns(a.as_ref()).unwrap();
        // |(3, 4)| = 5; what is left of (1, 0) is 4/5, of (0, 0.5) is 0.3.
        assert_eq!(pivoted.order[..2], [2, 0]);
        assert!((pivoted.diagonal[0] - 5.0).abs() < 1e-14 && (pivoted.diagonal[1] - 0.8).abs() < 1e-14);
    }
}
