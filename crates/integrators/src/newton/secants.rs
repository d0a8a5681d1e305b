//! Broyden's updates of a matrix that stays factored.
//!
//! With the matrix A of its start Newton's iteration converges linearly. Broyden's matrices B_{k+1} = B_k +
//! F_{k+1} d_kᵀ/⟨d_k, d_k⟩ also know how F has changed along the increments d_0 … d_k taken so far. By the
//! formula of Sherman and Morrison their increments follow from those of A, d = −A⁻¹F, by inner products
//! alone:
//!
//! ```text
//! d ← d + α_j d_{j+1}  for j = 0 … k−1,     d_{k+1} = d/(1 − α_k),     α_j = ⟨d_j, d⟩/⟨d_j, d_j⟩
//! ```

/// Largest α_k that is taken into account: beyond, the iteration hardly converges and its secants mislead.
const LARGEST: f64 = 0.5;

/// Increments of an iteration, each of two vectors.
#[derive(Clone, Debug)]
pub(crate) struct Secants {
    past: Vec<Past>,
    count: usize,
}

#[derive(Clone, Debug)]
struct Past {
    increment: [Vec<f64>; 2],
    /// ⟨d, d⟩.
    square: f64,
}

impl Secants {
    /// For vectors of so many numbers each, of which so many are kept; with more the updates begin anew.
    pub(crate) fn new(size: usize, kept: usize) -> Self {
        let past = Past { increment: [vec![0.0; size], vec![0.0; size]], square: 0.0 };
        Secants { past: vec![past; kept], count: 0 }
    }

    /// Begins an iteration with another matrix or another equation.
    pub(crate) fn restart(&mut self) {
        self.count = 0;
    }

    /// Improves the increment (`d`, `more`) of the matrix A; the second part may be empty. The inner products
    /// of both parts have these weights, over and over. Returns ⟨d, d⟩ before and after.
    pub(crate) fn improve(&mut self, weights: [&[f64]; 2], d: &mut [f64], more: &mut [f64]) -> [f64; 2] {
        let square = |d: &[f64], more: &[f64]| product(weights[0], d, d) + product(weights[1], more, more);
        let plain = square(d, more);
        if self.past.is_empty() {
            return [plain; 2];
        }
        for j in 0..self.count {
            let Past { increment: [past, past_more], square } = &self.past[j];
            let alpha = (product(weights[0], past, d) + product(weights[1], past_more, more)) / square;
            if j + 1 < self.count {
                let [next, next_more] = &self.past[j + 1].increment;
                d.iter_mut().zip(next).for_each(|(d, next)| *d += alpha * next);
                more.iter_mut().zip(next_more).for_each(|(d, next)| *d += alpha * next);
            } else if alpha.abs() < LARGEST {
                let factor = 1.0 / (1.0 - alpha);
                d.iter_mut().chain(more.iter_mut()).for_each(|d| *d *= factor);
            }
        }
        if self.count == self.past.len() {
            self.count = 0;
        }
        let past = &mut self.past[self.count];
        past.increment[0].copy_from_slice(d);
        past.increment[1][..more.len()].copy_from_slice(more);
        let improved = square(d, more);
        past.square = improved.max(f64::MIN_POSITIVE);
        self.count += 1;
        [plain, improved]
    }
}

/// ⟨x, y⟩.
fn product(weights: &[f64], x: &[f64], y: &[f64]) -> f64 {
    let n = weights.len();
    let part =
        |(x, y): (&[f64], &[f64])| weights.iter().zip(x).zip(y).map(|((w, x), y)| w * x * y).sum::<f64>();
    x.chunks_exact(n).zip(y.chunks_exact(n)).map(part).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Increments until the iteration with the unit matrix has solved x = M x + b in the plane, x₁ in the
    /// first part.
    fn iterations(m: [[f64; 2]; 2], with_secants: bool) -> usize {
        let mut secants = Secants::new(1, 6);
        let mut x = [0.0; 2];
        for iteration in 1..100 {
            let residual = |i: usize| m[i][0] * x[0] + m[i][1] * x[1] + 1.0 - x[i];
            let (mut d, mut more) = ([residual(0)], [residual(1)]);
            if with_secants {
                secants.improve([&[1.0], &[1.0]], &mut d, &mut more);
            }
            x = [x[0] + d[0], x[1] + more[0]];
            if d[0].abs().max(more[0].abs()) < 1e-12 {
                return iteration;
            }
        }
        100
    }

    #[test]
    fn a_linear_equation_in_the_plane_takes_few_secants() {
        // Broyden's method ends after 2n = 4 steps on n linear equations; the fifth sees that nothing is
        // left.
        let m = [[0.3, 0.1], [-0.2, 0.25]];
        assert!(iterations(m, true) <= 5, "{}", iterations(m, true));
        assert!(iterations(m, false) > 20);
    }

    #[test]
    fn one_direction_is_found_at_once() {
        // With M of rank one the second increment is exact.
        assert_eq!(iterations([[0.2, 0.2], [0.2, 0.2]], true), 3);
    }
}
