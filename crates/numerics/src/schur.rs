//! Real Schur form with ordered eigenvalues, A = Z T Zᵀ.
//!
//! T is block upper triangular, a 1×1 block for every real eigenvalue and a 2×2 block for
//! every complex pair. Householder reduction to Hessenberg form, the double-shift QR
//! iteration of Francis, and direct swapping of neighbouring blocks (Bai and Demmel).
//! Leading columns of Z span invariant subspaces, also where eigenvectors are defective.

use crate::dense::{Mat, c64};

/// T, Z of a real square matrix.
#[derive(Debug, Clone)]
pub struct RealSchur {
    /// Block upper triangular factor.
    pub t: Mat<f64>,
    /// Orthogonal factor.
    pub z: Mat<f64>,
}

/// QR steps per eigenvalue after which the iteration has failed.
const STEPS: usize = 300;

/// Relative difference of magnitudes below which two blocks are not swapped.
const TIE: f64 = 1e-10;

impl RealSchur {
    /// Schur form of a finite matrix; `None` where the iteration does not converge.
    pub fn new(a: Mat<f64>) -> Option<Self> {
        let n = a.nrows();
        let mut schur = RealSchur { t: a, z: Mat::identity(n, n) };
        schur.hessenberg();
        schur.iterate()?;
        Some(schur)
    }

    /// Sorts the blocks by descending magnitude of their eigenvalues.
    pub fn sort(&mut self) {
        let mut sorted = 0;
        while sorted < self.t.nrows() {
            let mut at = sorted;
            while at > 0 {
                let before = self.start_before(at);
                if self.magnitude(at) <= self.magnitude(before) * (1.0 + TIE) {
                    break;
                }
                self.swap(before, at - before, self.block(at));
                at = before;
            }
            // A swap may turn the block into two real ones; then the next pass takes the second.
            sorted += self.block(sorted);
        }
    }

    /// Eigenvalues in the order of the blocks, the one above the real axis first.
    pub fn values(&self) -> Vec<c64> {
        let mut values = Vec::with_capacity(self.t.nrows());
        while values.len() < self.t.nrows() {
            let k = values.len();
            if self.block(k) == 1 {
                values.push(c64::new(self.t[(k, k)], 0.0));
            } else {
                let (mean, discriminant) = self.quadratic(k);
                let imaginary = (-discriminant).max(0.0).sqrt();
                values.extend([c64::new(mean, imaginary), c64::new(mean, -imaginary)]);
            }
        }
        values
    }

    /// `count`, or one more where that would split a complex pair.
    pub fn whole_blocks(&self, count: usize) -> usize {
        let n = self.t.nrows();
        if count > 0 && count < n && self.t[(count, count - 1)] != 0.0 { count + 1 } else { count.min(n) }
    }

    /// Size of the block that starts at k.
    fn block(&self, k: usize) -> usize {
        if k + 1 < self.t.nrows() && self.t[(k + 1, k)] != 0.0 { 2 } else { 1 }
    }

    /// Start of the block that ends before row k > 0.
    fn start_before(&self, k: usize) -> usize {
        if k > 1 && self.t[(k - 1, k - 2)] != 0.0 { k - 2 } else { k - 1 }
    }

    fn magnitude(&self, k: usize) -> f64 {
        if self.block(k) == 1 {
            return self.t[(k, k)].abs();
        }
        let t = &self.t;
        (t[(k, k)] * t[(k + 1, k + 1)] - t[(k, k + 1)] * t[(k + 1, k)]).abs().sqrt()
    }

    /// Eigenvalues m ± √d of the 2×2 block at k as (m, d).
    fn quadratic(&self, k: usize) -> (f64, f64) {
        let t = &self.t;
        let half = 0.5 * (t[(k, k)] - t[(k + 1, k + 1)]);
        (t[(k + 1, k + 1)] + half, half * half + t[(k, k + 1)] * t[(k + 1, k)])
    }

    fn hessenberg(&mut self) {
        let n = self.t.nrows();
        for k in 0..n.saturating_sub(2) {
            let x: Vec<f64> = (k + 1..n).map(|i| self.t[(i, k)]).collect();
            self.reflect(k + 1, &x, k, n);
            for i in k + 2..n {
                self.t[(i, k)] = 0.0;
            }
        }
    }

    /// Similarity with the reflector that maps x, in rows `at…`, on the first axis. Rows
    /// are changed from column `from` on, columns down to row `to`.
    fn reflect(&mut self, at: usize, x: &[f64], from: usize, to: usize) {
        let Some((v, beta)) = reflector(x) else { return };
        let n = self.t.nrows();
        for j in from..n {
            let sum: f64 = v.iter().enumerate().map(|(i, v)| v * self.t[(at + i, j)]).sum();
            for (i, v) in v.iter().enumerate() {
                self.t[(at + i, j)] -= beta * sum * v;
            }
        }
        right(&mut self.t, at, &v, beta, to.min(n));
        right(&mut self.z, at, &v, beta, n);
    }

    fn iterate(&mut self) -> Option<()> {
        let n = self.t.nrows();
        let mut end = n;
        let mut steps = 0;
        while end > 0 {
            let start = self.active_start(end);
            if end - start <= 2 {
                if end - start == 2 {
                    self.split_real(start);
                }
                end = start;
                steps = 0;
                continue;
            }
            steps += 1;
            if steps > STEPS {
                return None;
            }
            self.francis(start, end, steps % 20 == 10);
        }
        Some(())
    }

    /// First row of the unreduced block that ends before `end`.
    fn active_start(&mut self, end: usize) -> usize {
        let mut k = end - 1;
        while k > 0 {
            let mut size = self.t[(k, k)].abs() + self.t[(k - 1, k - 1)].abs();
            if size == 0.0 {
                size = (0..end).map(|i| self.t[(i, end - 1)].abs()).fold(0.0, f64::max);
            }
            if self.t[(k, k - 1)].abs() <= f64::EPSILON * size {
                self.t[(k, k - 1)] = 0.0;
                break;
            }
            k -= 1;
        }
        k
    }

    /// One double-shift step on rows start..end, at least three, with the eigenvalues of the
    /// last 2×2 block as shifts. The bulge may start lower where two consecutive small
    /// subdiagonal entries stand.
    fn francis(&mut self, start: usize, end: usize, exceptional: bool) {
        let t = &self.t;
        let (p, q) = (end - 2, end - 1);
        let mut shifts = [t[(p, p)], t[(q, q)], t[(p, q)] * t[(q, p)]];
        if exceptional {
            let w = t[(q, p)].abs() + t[(p, p - 1)].abs();
            let mean = t[(q, q)] + 0.75 * w;
            shifts = [mean, mean, -0.4375 * w * w];
        }
        let mut first = end - 3;
        while first > start && !self.may_start(first, shifts) {
            first -= 1;
        }
        let mut x = self.bulge(first, shifts);
        for k in first..end - 1 {
            let rows = (end - k).min(3);
            let from = if k > start { k - 1 } else { k };
            self.reflect(k, &x[..rows], from, (k + 4).min(end));
            if k > start {
                for i in k + 1..k + rows {
                    self.t[(i, k - 1)] = 0.0;
                }
            }
            for (i, x) in x.iter_mut().enumerate() {
                *x = if k + 1 + i < end { self.t[(k + 1 + i, k)] } else { 0.0 };
            }
        }
    }

    /// First column of (T − σ₁)(T − σ₂) from row k on, divided by t_{k+1,k}, where the shifts are
    /// the eigenvalues of [f ·; · g] with product h of the other entries.
    fn bulge(&self, k: usize, [f, g, h]: [f64; 3]) -> [f64; 3] {
        let t = &self.t;
        let (a, c) = (t[(k, k)], t[(k + 1, k + 1)]);
        let first = ((a - f) * (a - g) - h) / t[(k + 1, k)] + t[(k, k + 1)];
        [first, (a - f) + (c - g), t[(k + 2, k + 1)]]
    }

    /// Whether a bulge that starts at k leaves column k − 1 alone to working precision.
    fn may_start(&self, k: usize, shifts: [f64; 3]) -> bool {
        let t = &self.t;
        let x = self.bulge(k, shifts);
        let size = t[(k - 1, k - 1)].abs() + t[(k, k)].abs() + t[(k + 1, k + 1)].abs();
        t[(k, k - 1)].abs() * (x[1].abs() + x[2].abs()) <= f64::EPSILON * x[0].abs() * size
    }

    /// Makes the 2×2 block at k triangular where its eigenvalues are real.
    fn split_real(&mut self, k: usize) {
        let (mean, discriminant) = self.quadratic(k);
        if discriminant < 0.0 {
            return;
        }
        // (r, t₂₁) is an eigenvector where r is the root of r² − (t₁₁ − t₂₂) r − t₁₂ t₂₁.
        let half = mean - self.t[(k + 1, k + 1)];
        let r = half + discriminant.sqrt().copysign(half);
        let vector = [r, self.t[(k + 1, k)]];
        self.reflect(k, &vector, k, k + 2);
        self.t[(k + 1, k)] = 0.0;
    }

    /// Exchanges the block of size p at j with the block of size q behind it.
    ///
    /// The columns of [−X; I] with T₁₁ X − X T₂₂ = T₁₂ span the subspace of T₂₂.
    fn swap(&mut self, j: usize, p: usize, q: usize) {
        let x = self.sylvester(j, p, q);
        let mut w: Vec<Vec<f64>> = (0..q)
            .map(|c| (0..p + q).map(|r| if r < p { -x[r + c * p] } else { f64::from(r == p + c) }).collect())
            .collect();
        for c in 0..q {
            let column = w[c][c..].to_vec();
            if let Some((v, beta)) = reflector(&column) {
                for other in &mut w[c..] {
                    let sum: f64 = v.iter().zip(&other[c..]).map(|(v, x)| v * x).sum();
                    for (x, v) in other[c..].iter_mut().zip(&v) {
                        *x -= beta * sum * v;
                    }
                }
            }
            self.reflect(j + c, &column, j, j + p + q);
        }
        for row in j + q..j + p + q {
            for column in j..j + q {
                self.t[(row, column)] = 0.0;
            }
        }
        for (start, size) in [(j, q), (j + q, p)] {
            if size == 2 {
                self.split_real(start);
            }
        }
    }

    /// X of T₁₁ X − X T₂₂ = T₁₂ by columns.
    fn sylvester(&self, j: usize, p: usize, q: usize) -> Vec<f64> {
        let t = &self.t;
        let n = p * q;
        let mut a = vec![0.0; n * n];
        let mut b = vec![0.0; n];
        for c in 0..q {
            for r in 0..p {
                let row = r + c * p;
                b[row] = t[(j + r, j + p + c)];
                for i in 0..p {
                    a[row * n + i + c * p] += t[(j + r, j + i)];
                }
                for i in 0..q {
                    a[row * n + r + i * p] -= t[(j + p + i, j + p + c)];
                }
            }
        }
        solve_small(&mut a, &mut b);
        b
    }
}

/// m := m (I − β v vᵀ) in columns `at…`, rows above `to`.
fn right(m: &mut Mat<f64>, at: usize, v: &[f64], beta: f64, to: usize) {
    // Column by column, as they lie in memory.
    let mut sums = vec![0.0; to];
    for (j, v) in v.iter().enumerate() {
        sums.iter_mut().zip(m.col_as_slice(at + j)).for_each(|(sum, m)| *sum += v * m);
    }
    for (j, v) in v.iter().enumerate() {
        m.col_as_slice_mut(at + j).iter_mut().zip(&sums).for_each(|(m, sum)| *m -= beta * sum * v);
    }
}

/// v, β such that (I − β v vᵀ) x lies on the first axis; `None` where x = 0.
fn reflector(x: &[f64]) -> Option<(Vec<f64>, f64)> {
    let largest = x.iter().fold(0.0, |l: f64, x| l.max(x.abs()));
    if largest == 0.0 {
        return None;
    }
    let mut v: Vec<f64> = x.iter().map(|x| x / largest).collect();
    let norm = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    v[0] += norm.copysign(v[0]);
    let square: f64 = v.iter().map(|x| x * x).sum();
    Some((v, 2.0 / square))
}

/// Solves a system of at most four rows, stored by rows, with full pivoting. A pivot at
/// rounding level is raised to it: the subspaces are then not distinct to working precision.
fn solve_small(a: &mut [f64], b: &mut [f64]) {
    let n = b.len();
    let floor = f64::EPSILON * a.iter().fold(f64::MIN_POSITIVE, |l, x| l.max(x.abs()));
    let mut order: Vec<usize> = (0..n).collect();
    for k in 0..n {
        let (mut row, mut column) = (k, k);
        for i in k..n {
            for j in k..n {
                if a[i * n + j].abs() > a[row * n + column].abs() {
                    (row, column) = (i, j);
                }
            }
        }
        b.swap(k, row);
        order.swap(k, column);
        for j in 0..n {
            a.swap(k * n + j, row * n + j);
        }
        for i in 0..n {
            a.swap(i * n + k, i * n + column);
        }
        if a[k * n + k].abs() < floor {
            a[k * n + k] = floor;
        }
        for i in k + 1..n {
            let l = a[i * n + k] / a[k * n + k];
            for j in k..n {
                a[i * n + j] -= l * a[k * n + j];
            }
            b[i] -= l * b[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| a[k * n + j] * b[j]).sum();
        b[k] = (b[k] - known) / a[k * n + k];
    }
    let x = b.to_vec();
    for (&place, x) in order.iter().zip(x) {
        b[place] = x;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense::eigenvalues;
    use crate::random::Random;

    fn check(a: &Mat<f64>, tolerance: f64) -> RealSchur {
        let n = a.nrows();
        let mut schur = RealSchur::new(a.clone()).unwrap();
        schur.sort();
        let back = &schur.z * &schur.t * schur.z.transpose();
        assert!((&back - a).norm_max() <= tolerance * a.norm_max(), "{:e}", (&back - a).norm_max());
        let unit = schur.z.transpose() * &schur.z - Mat::<f64>::identity(n, n);
        assert!(unit.norm_max() <= tolerance);
        for j in 0..n {
            for i in j + 1..n {
                assert!(i == j + 1 || schur.t[(i, j)] == 0.0);
            }
            assert!(j + 2 >= n || schur.t[(j + 1, j)] == 0.0 || schur.t[(j + 2, j + 1)] == 0.0);
        }
        let values = schur.values();
        for pair in values.windows(2) {
            assert!(pair[0].norm() >= pair[1].norm() * (1.0 - 1e-9));
        }
        schur
    }

    #[test]
    fn random_matrices_are_reduced_and_sorted() {
        for n in (1..30).chain([60]) {
            let mut random = Random::new(n as u64);
            let a = Mat::from_fn(n, n, |_, _| random.number());
            let schur = check(&a, 1e-13);
            let mut exact = eigenvalues(a.as_ref()).unwrap();
            exact.sort_by(|x, y| y.norm().total_cmp(&x.norm()));
            for (x, y) in schur.values().iter().zip(&exact) {
                assert!((x.norm() - y.norm()).abs() < 1e-10);
            }
        }
    }

    #[test]
    fn defective_and_multiple_eigenvalues_are_handled() {
        // Two Jordan blocks at 2, a triple eigenvalue −3, a double pair ±4i, hidden by a rotation.
        let mut t = Mat::<f64>::zeros(11, 11);
        for i in 0..4 {
            t[(i, i)] = 2.0;
        }
        (t[(0, 1)], t[(2, 3)]) = (1.0, 1.0);
        for i in 4..7 {
            t[(i, i)] = -3.0;
        }
        for i in [7, 9] {
            (t[(i, i + 1)], t[(i + 1, i)]) = (4.0, -4.0);
        }
        let mut random = Random::new(3);
        let q = Mat::from_fn(11, 11, |_, _| random.number()).qr().compute_Q();
        let schur = check(&(&q * &t * q.transpose()), 1e-13);
        let values = schur.values();
        for value in &values[..4] {
            assert!((value.norm() - 4.0).abs() < 1e-7 && value.re.abs() < 1e-7);
        }
        for value in &values[4..7] {
            assert!((value.re + 3.0).abs() < 1e-7);
        }
        assert_eq!(schur.whole_blocks(1), 2);
        assert_eq!(schur.whole_blocks(4), 4);
    }

    #[test]
    fn cyclic_permutation_needs_the_exceptional_shift() {
        let a = Mat::from_fn(6, 6, |i, j| f64::from(i == (j + 1) % 6));
        check(&a, 1e-14);
    }
}
