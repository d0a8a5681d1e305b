//! LU with partial pivoting of full complex matrices.
//!
//! Ours and not faer's, which would have to be compiled for complex numbers beside real ones: these systems
//! are small and few (docs/performance.md, "What we keep by hand").

use crate::dense::c64;

/// P A = L U.
#[derive(Debug, Clone)]
pub struct ComplexDenseLu {
    n: usize,
    /// L below the diagonal, whose ones are not stored, and U, row by row.
    factors: Vec<c64>,
    /// The row that came to each place.
    rows: Vec<usize>,
}

impl ComplexDenseLu {
    /// Factors the matrix of these entries. A singular one shows as a solution that is not finite.
    pub fn new(n: usize, entry: impl Fn(usize, usize) -> c64) -> Self {
        let mut factors: Vec<c64> = (0..n * n).map(|k| entry(k / n, k % n)).collect();
        let mut rows: Vec<usize> = (0..n).collect();
        for k in 0..n {
            let size = |i: usize| factors[i * n + k].norm_sqr();
            let pivot = (k + 1..n).fold(k, |best, i| if size(i) > size(best) { i } else { best });
            if pivot != k {
                rows.swap(k, pivot);
                (0..n).for_each(|j| factors.swap(k * n + j, pivot * n + j));
            }
            let (above, below) = factors.split_at_mut((k + 1) * n);
            let upper = &above[k * n..];
            for row in below.chunks_exact_mut(n) {
                let factor = row[k] / upper[k];
                row[k] = factor;
                row[k + 1..].iter_mut().zip(&upper[k + 1..]).for_each(|(x, u)| *x -= factor * u);
            }
        }
        ComplexDenseLu { n, factors, rows }
    }

    fn row(&self, i: usize) -> &[c64] {
        &self.factors[i * self.n..(i + 1) * self.n]
    }

    /// x = A⁻¹ b.
    pub fn solve(&self, b: &[c64]) -> Vec<c64> {
        let dot = |row: &[c64], x: &[c64]| row.iter().zip(x).map(|(a, x)| a * x).sum::<c64>();
        let mut x: Vec<c64> = self.rows.iter().map(|&i| b[i]).collect();
        for i in 1..self.n {
            let known = dot(&self.row(i)[..i], &x[..i]);
            x[i] -= known;
        }
        for i in (0..self.n).rev() {
            let rest = dot(&self.row(i)[i + 1..], &x[i + 1..]);
            x[i] = (x[i] - rest) / self.row(i)[i];
        }
        x
    }

    /// x = A⁻ᵀ b, without conjugation.
    pub fn solve_transposed(&self, b: &[c64]) -> Vec<c64> {
        let mut y = b.to_vec();
        for i in 0..self.n {
            y[i] /= self.row(i)[i];
            let (known, rest) = y.split_at_mut(i + 1);
            rest.iter_mut().zip(&self.row(i)[i + 1..]).for_each(|(y, u)| *y -= u * known[i]);
        }
        for i in (1..self.n).rev() {
            let (rest, known) = y.split_at_mut(i);
            rest.iter_mut().zip(self.row(i)).for_each(|(y, l)| *y -= l * known[0]);
        }
        let mut x = vec![c64::new(0.0, 0.0); self.n];
        self.rows.iter().zip(y).for_each(|(&i, y)| x[i] = y);
        x
    }
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
