//! Sums of vectors, as the stages of a Runge–Kutta method need them.

// As in the kernels: loops over registers count explicitly.
#![allow(clippy::needless_range_loop)]

use crate::lanes::{Lanes, Quad, Task, dispatch};

struct Mix<'a> {
    m: &'a [f64],
    x: &'a [f64],
    n: usize,
    out: &'a mut [f64],
}

impl Task for Mix<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, on: L::Processor) {
        match self.x.len() / self.n {
            1 => self.of::<L, 1>(on),
            2 => self.of::<L, 2>(on),
            3 => self.of::<L, 3>(on),
            4 => self.of::<L, 4>(on),
            5 => self.of::<L, 5>(on),
            6 => self.of::<L, 6>(on),
            7 => self.of::<L, 7>(on),
            _ => self.of_many(),
        }
    }
}

impl Mix<'_> {
    /// Sums of C vectors, four places at a time: every number is read once.
    #[inline(always)]
    fn of<L: Lanes, const C: usize>(self, on: L::Processor) {
        let Mix { m, x, n, out } = self;
        assert!(m.len() == C * C && x.len() == C * n && out.len() == C * n, "C vectors of length n");
        let mut k = 0;
        while k + 4 <= n {
            let mut own = [L::zero(on); C];
            for j in 0..C {
                own[j] = L::set(on, [x[j * n + k], x[j * n + k + 1], x[j * n + k + 2], x[j * n + k + 3]]);
            }
            for i in 0..C {
                let mut sum = L::splat(on, m[i * C]).mul(own[0]);
                for j in 1..C {
                    sum = sum.add(L::splat(on, m[i * C + j]).mul(own[j]));
                }
                let mut numbers = Quad::default();
                sum.store(&mut numbers);
                out[i * n + k..i * n + k + 4].copy_from_slice(&numbers.0);
            }
            k += 4;
        }
        while k < n {
            let mut own = [0.0; C];
            for j in 0..C {
                own[j] = x[j * n + k];
            }
            for i in 0..C {
                let mut sum = m[i * C] * own[0];
                for j in 1..C {
                    sum += m[i * C + j] * own[j];
                }
                out[i * n + k] = sum;
            }
            k += 1;
        }
    }

    #[inline(always)]
    fn of_many(self) {
        let count = self.x.len() / self.n;
        for (row, out) in self.m.chunks_exact(count).zip(self.out.chunks_exact_mut(self.n)) {
            out.fill(0.0);
            for (a, x) in row.iter().zip(self.x.chunks_exact(self.n)) {
                out.iter_mut().zip(x).for_each(|(out, x)| *out += a * x);
            }
        }
    }
}

/// out_i = Σ_j m_ij x_j for vectors of n numbers that stand one after the other; m is square, stored row by
/// row.
///
/// # Panics
///
/// If n is zero.
pub fn mix(m: &[f64], x: &[f64], n: usize, out: &mut [f64]) {
    dispatch(Mix { m, x, n, out });
}

#[cfg(test)]
mod tests {
    use super::mix;
    use crate::irregular;

    #[test]
    fn sums_of_any_number_of_vectors() {
        for (count, n) in [(1, 5), (2, 4), (3, 7), (4, 9), (5, 41), (6, 8), (7, 3), (9, 6)] {
            let m: Vec<f64> = (0..count * count).map(irregular).collect();
            let x: Vec<f64> = (0..count * n).map(|k| irregular(k + 100)).collect();
            let mut out = vec![f64::NAN; count * n];
            mix(&m, &x, n, &mut out);
            for i in 0..count {
                for k in 0..n {
                    let sum: f64 = (0..count).map(|j| m[i * count + j] * x[j * n + k]).sum();
                    assert!((out[i * n + k] - sum).abs() < 1e-14);
                }
            }
        }
    }
}
