//! Sums of vectors, as the stages of a Runge–Kutta method need them.

use crate::kernels::{Lanes, Task, dispatch};

struct Mix<'a> {
    m: &'a [f64],
    x: &'a [f64],
    n: usize,
    out: &'a mut [f64],
}

impl Task for Mix<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Mix { m, x, n, out } = self;
        let count = x.len() / n;
        for (row, out) in m.chunks_exact(count).zip(out.chunks_exact_mut(n)) {
            let mut rest = row.iter().zip(x.chunks_exact(n));
            // Three vectors at a time keep the sum in registers.
            match count % 3 {
                0 => out.fill(0.0),
                1 => {
                    if let Some((a, x)) = rest.next() {
                        out.iter_mut().zip(x).for_each(|(out, x)| *out = a * x);
                    }
                }
                _ => {
                    if let (Some((a, x)), Some((b, y))) = (rest.next(), rest.next()) {
                        out.iter_mut().zip(x.iter().zip(y)).for_each(|(out, (x, y))| *out = a * x + b * y);
                    }
                }
            }
            while let (Some((a, x)), Some((b, y)), Some((c, z))) = (rest.next(), rest.next(), rest.next()) {
                let xyz = x.iter().zip(y.iter().zip(z));
                out.iter_mut().zip(xyz).for_each(|(out, (x, (y, z)))| *out += a * x + b * y + c * z);
            }
        }
    }
}

/// out_i = Σ_j m_ij x_j for vectors of n numbers that stand one after the other; m is square, stored row by row.
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
        for (count, n) in [(1, 5), (2, 4), (3, 7), (5, 41), (7, 3)] {
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
