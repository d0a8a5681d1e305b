//! Factors of a small full matrix, in room that is made once: P A = L U with partial pivoting, stored row by
//! row.

/// The matrix, and its factors in its place.
#[derive(Clone, Debug, Default)]
pub(crate) struct DenseFactors {
    n: usize,
    entries: Vec<f64>,
    pivots: Vec<usize>,
}

impl DenseFactors {
    /// For matrices of n rows.
    pub fn new(n: usize) -> Self {
        DenseFactors { n, entries: vec![0.0; n * n], pivots: vec![0; n] }
    }

    /// For matrices of another size from now on.
    pub fn resize(&mut self, n: usize) {
        self.n = n;
        self.entries.resize(n * n, 0.0);
        self.pivots.resize(n, 0);
    }

    /// The entries, row by row, to be set before factoring.
    pub fn entries_mut(&mut self) -> &mut [f64] {
        &mut self.entries
    }

    /// Factors in place; the error names the column without a pivot.
    pub fn factor(&mut self) -> Result<(), usize> {
        let n = self.n;
        for k in 0..n {
            let size = |i: &usize| self.entries[i * n + k].abs();
            let pivot = (k..n).max_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or(k);
            self.pivots[k] = pivot;
            if !(size(&pivot) > 0.0 && size(&pivot).is_finite()) {
                return Err(k);
            }
            let (upper, lower) = self.entries.split_at_mut((k + 1) * n);
            let row = &mut upper[k * n..];
            if pivot > k {
                row.swap_with_slice(&mut lower[(pivot - k - 1) * n..(pivot - k) * n]);
            }
            let reciprocal = 1.0 / row[k];
            for other in lower.chunks_exact_mut(n) {
                let factor = other[k] * reciprocal;
                other[k] = factor;
                if factor != 0.0 {
                    other[k + 1..].iter_mut().zip(&row[k + 1..]).for_each(|(x, r)| *x -= factor * r);
                }
            }
        }
        Ok(())
    }

    /// b := A⁻¹ b.
    pub fn solve(&self, b: &mut [f64]) {
        let n = self.n;
        for (k, &pivot) in self.pivots.iter().enumerate() {
            b.swap(k, pivot);
        }
        let product = |row: &[f64], b: &[f64]| row.iter().zip(b).map(|(r, b)| r * b).sum::<f64>();
        for k in 0..n {
            b[k] -= product(&self.entries[k * n..k * n + k], b);
        }
        for k in (0..n).rev() {
            let row = &self.entries[k * n..(k + 1) * n];
            b[k] = (b[k] - product(&row[k + 1..], &b[k + 1..])) / row[k];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_with_exchanged_rows() {
        let a = [0.0, 2.0, 1.0, 1.0, -1.0, 3.0, 4.0, 0.5, -2.0];
        let mut factors = DenseFactors::new(3);
        factors.entries_mut().copy_from_slice(&a);
        factors.factor().unwrap();
        let x = [1.0, -2.0, 0.5];
        let mut b: Vec<f64> = (0..3).map(|i| (0..3).map(|j| a[3 * i + j] * x[j]).sum()).collect();
        factors.solve(&mut b);
        assert!(b.iter().zip(&x).all(|(b, x)| (b - x).abs() < 1e-14));
        factors.entries_mut().copy_from_slice(&[1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 1.0, 0.0, 0.0]);
        assert!(factors.factor().is_err());
    }
}
