//! LU with partial pivoting of full complex matrices, on faer.

use crate::dense::{Mat, c64};
use faer::linalg::solvers::{DenseSolveCore, PartialPivLu, Solve};

/// P A = L U.
#[derive(Debug, Clone)]
pub struct ComplexDenseLu {
    factors: PartialPivLu<c64>,
}

impl ComplexDenseLu {
    /// Factors the matrix of these entries. A singular one shows as a solution that is not finite.
    pub fn new(n: usize, entry: impl Fn(usize, usize) -> c64) -> Self {
        ComplexDenseLu { factors: Mat::from_fn(n, n, entry).partial_piv_lu() }
    }

    /// x = A⁻¹ b.
    pub fn solve(&self, b: &[c64]) -> Vec<c64> {
        let x = self.factors.solve(&column(b));
        (0..b.len()).map(|i| x[(i, 0)]).collect()
    }

    /// x = A⁻ᵀ b, without conjugation.
    pub fn solve_transposed(&self, b: &[c64]) -> Vec<c64> {
        let x = self.factors.solve_transpose(&column(b));
        (0..b.len()).map(|i| x[(i, 0)]).collect()
    }

    /// A⁻¹.
    pub fn inverse(&self) -> Mat<c64> {
        self.factors.inverse()
    }
}

fn column(b: &[c64]) -> Mat<c64> {
    Mat::from_fn(b.len(), 1, |i, _| b[i])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn solves_with_pivoting() {
        let mut random = Random::new(3);
        for n in [1, 2, 3, 7, 40] {
            let mut number = || c64::new(random.number(), random.number());
            let mut a: Vec<c64> = (0..n * n).map(|_| number()).collect();
            if n > 1 {
                // A zero where the first pivot would be.
                a[0] = c64::new(0.0, 0.0);
            }
            let x: Vec<c64> = (0..n).map(|_| number()).collect();
            let lu = ComplexDenseLu::new(n, |i, j| a[i * n + j]);
            let times = |at: &dyn Fn(usize, usize) -> c64| -> Vec<c64> {
                (0..n).map(|i| (0..n).map(|j| at(i, j) * x[j]).sum()).collect()
            };
            for found in
                [lu.solve(&times(&|i, j| a[i * n + j])), lu.solve_transposed(&times(&|i, j| a[j * n + i]))]
            {
                let error = found.iter().zip(&x).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
                assert!(error < 1e-12, "{n}: {error:e}");
            }
        }
    }

    #[test]
    fn a_singular_matrix_shows() {
        let lu = ComplexDenseLu::new(2, |_, _| c64::new(1.0, 1.0));
        assert!(!lu.solve(&[c64::new(1.0, 0.0), c64::new(0.0, 0.0)])[1].norm().is_finite());
    }
}
