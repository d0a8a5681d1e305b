//! The row space of a few rows J (m × n, m ≤ n) and its complement, by orthogonalisation.
//!
//! ```text
//! Jᵀ = Q R,     right inverse J⁺ = Q R⁻ᵀ,     U: orthonormal columns that complete Q
//! (1 − J'⁺ J') U    columns in the null space of J', for every J' near J (energy-momentum-null-space I-25)
//! ```
//! The columns of U stay fixed while J' changes, so that the null space matrix changes smoothly.

/// Rows count as dependent below this share of their length.
const DEPENDENT: f64 = 1e-7;

/// Room for the decomposition of matrices up to a size.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowSpace {
    n: usize,
    m: usize,
    /// Orthonormal columns, one after the other.
    q: Vec<f64>,
    /// R, column by column: the entries above and on the diagonal of column k start at k(k+1)/2.
    r: Vec<f64>,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn subtract(x: &mut [f64], factor: f64, q: &[f64]) {
    x.iter_mut().zip(q).for_each(|(x, q)| *x -= factor * q);
}

impl RowSpace {
    /// Room for `m` rows of length `n`.
    pub fn with_room(n: usize, m: usize) -> Self {
        RowSpace { n: 0, m: 0, q: Vec::with_capacity(n * m), r: Vec::with_capacity(m * (m + 1) / 2) }
    }

    fn clear(&mut self, n: usize) {
        (self.n, self.m) = (n, 0);
        self.q.clear();
        self.r.clear();
    }

    /// Adds a row; false, and the row is left out, if it depends on those before.
    fn add(&mut self, row: &[f64]) -> bool {
        let (n, from) = (self.n, self.q.len());
        self.q.extend_from_slice(row);
        let (before, new) = self.q.split_at_mut(from);
        let length = dot(row, row).sqrt();
        let first = self.r.len();
        self.r.resize(first + self.m + 1, 0.0);
        // Twice is enough.
        for _ in 0..2 {
            for (r, q) in self.r[first..].iter_mut().zip(before.chunks_exact(n.max(1))) {
                let part = dot(new, q);
                *r += part;
                subtract(new, part, q);
            }
        }
        let left = dot(new, new).sqrt();
        if left.is_nan() || left <= DEPENDENT * length {
            self.q.truncate(from);
            self.r.truncate(first);
            return false;
        }
        new.iter_mut().for_each(|x| *x /= left);
        self.r[first + self.m] = left;
        self.m += 1;
        true
    }

    /// Decomposes rows of length n, each given by its number; false if they are dependent.
    pub fn decompose<'a>(&mut self, n: usize, rows: impl Iterator<Item = &'a [f64]>) -> bool {
        self.clear(n);
        let mut independent = true;
        for row in rows {
            independent &= self.add(row);
        }
        independent
    }

    /// Decomposes as many of the rows as are independent, always that next which stands farthest from those
    /// taken; `taken` tells which. `rows` is spoilt.
    pub fn decompose_independent(&mut self, n: usize, rows: &mut [f64], taken: &mut [bool]) {
        self.clear(n);
        taken.fill(false);
        if n == 0 {
            return;
        }
        for row in rows.chunks_exact_mut(n) {
            let length = dot(row, row).sqrt();
            row.iter_mut().for_each(|x| *x /= if length > 0.0 { length } else { 1.0 });
        }
        for _ in 0..taken.len().min(n) {
            let lengths = rows.chunks_exact(n).map(|row| dot(row, row));
            let free = lengths.enumerate().filter(|(k, _)| !taken[*k]);
            let Some((k, length)) = free.max_by(|a, b| a.1.total_cmp(&b.1)) else { break };
            if length.is_nan() || length.sqrt() <= DEPENDENT || !self.add(&rows[k * n..(k + 1) * n]) {
                break;
            }
            taken[k] = true;
            let q = &self.q[(self.m - 1) * n..];
            for row in rows.chunks_exact_mut(n) {
                let part = dot(row, q);
                subtract(row, part, q);
            }
        }
    }

    /// U, row by row (n × (n − m)).
    pub fn complement(&self, u: &mut [f64]) {
        let (n, free) = (self.n, self.n - self.m);
        let columns = |k: usize| self.q.chunks_exact(n.max(1)).map(move |q| q[k] * q[k]).sum::<f64>();
        for j in 0..free {
            // The axis that stands farthest from what is taken.
            let taken =
                |k: usize, u: &[f64]| columns(k) + (0..j).map(|i| u[k * free + i].powi(2)).sum::<f64>();
            let axis = (0..n).min_by(|&a, &b| taken(a, u).total_cmp(&taken(b, u))).unwrap_or(0);
            for k in 0..n {
                u[k * free + j] = f64::from(u8::from(k == axis));
            }
            for _ in 0..2 {
                for q in self.q.chunks_exact(n) {
                    let part: f64 = (0..n).map(|k| q[k] * u[k * free + j]).sum();
                    (0..n).for_each(|k| u[k * free + j] -= part * q[k]);
                }
                for i in 0..j {
                    let part: f64 = (0..n).map(|k| u[k * free + i] * u[k * free + j]).sum();
                    (0..n).for_each(|k| u[k * free + j] -= part * u[k * free + i]);
                }
            }
            let length = (0..n).map(|k| u[k * free + j].powi(2)).sum::<f64>().sqrt();
            (0..n).for_each(|k| u[k * free + j] /= length);
        }
    }

    /// x = J⁺ y: Rᵀ w = y, x = Q w; `y` is overwritten by w.
    pub fn right_inverse(&self, y: &mut [f64], x: &mut [f64]) {
        x.fill(0.0);
        for k in 0..self.m {
            let column = &self.r[k * (k + 1) / 2..(k + 1) * (k + 2) / 2];
            y[k] = (y[k] - dot(&column[..k], &y[..k])) / column[k];
            subtract(x, -y[k], &self.q[k * self.n..(k + 1) * self.n]);
        }
    }

    /// y = J⁺ᵀ x, the least squares solution of Jᵀ y = x: R y = Qᵀ x.
    pub fn left_inverse(&self, x: &[f64], y: &mut [f64]) {
        for (y, q) in y.iter_mut().zip(self.q.chunks_exact(self.n.max(1))) {
            *y = dot(q, x);
        }
        for k in (0..self.m).rev() {
            let column = &self.r[k * (k + 1) / 2..(k + 1) * (k + 2) / 2];
            y[k] /= column[k];
            for i in 0..k {
                y[i] -= column[i] * y[k];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverses_and_complement() {
        let rows = [[1.0, 2.0, 0.5, -1.0], [0.3, -1.0, 2.0, 0.7]];
        let mut space = RowSpace::with_room(4, 3);
        assert!(space.decompose(4, rows.iter().map(|r| &r[..])));
        let (mut x, mut y) = ([0.0; 4], [3.0, -2.0]);
        space.right_inverse(&mut y, &mut x);
        assert!((dot(&rows[0], &x) - 3.0).abs() < 1e-14 && (dot(&rows[1], &x) + 2.0).abs() < 1e-14);
        let f: Vec<f64> = (0..4).map(|k| 1.5 * rows[0][k] - 0.4 * rows[1][k]).collect();
        space.left_inverse(&f, &mut y);
        assert!((y[0] - 1.5).abs() < 1e-14 && (y[1] + 0.4).abs() < 1e-14);
        let mut u = [0.0; 8];
        space.complement(&mut u);
        for j in 0..2 {
            let column: Vec<f64> = (0..4).map(|k| u[2 * k + j]).collect();
            assert!((dot(&column, &column) - 1.0).abs() < 1e-14);
            assert!(rows.iter().all(|r| dot(r, &column).abs() < 1e-14));
        }
    }

    #[test]
    fn leaves_dependent_rows_out() {
        let mut rows = [1.0, 0.0, 1.0, 100.0, 0.0, 100.0, 0.0, 1e-3, 0.0];
        let (mut taken, mut space) = ([false; 3], RowSpace::with_room(3, 3));
        space.decompose_independent(3, &mut rows, &mut taken);
        assert_eq!(taken.iter().filter(|t| **t).count(), 2);
        assert!(taken[2]);
    }
}
