//! Trigonometric interpolation of periodic data (motion-interpolation-galerkin §1.22, B.29–B.38).
//!
//! For `n` equidistant points of the period `T` and `d = 2π (x − x_k)/T`:
//!
//! ```text
//! n odd:   l_k = 1/n [1 + 2 Σ_{m=1}^{(n−1)/2} cos m d]                       = sin(n d/2)/(n sin(d/2))
//! n even:  l_k = 1/n [1 + 2 Σ_{m=1}^{n/2−1} cos m d + cos(n d/2)]            = sin(n d/2)/(n tan(d/2))
//! ```
//!
//! The sums are used rather than the quotients, which cancel next to a node.

use super::basis::{Basis, BasisError};
use std::f64::consts::TAU;

/// Periodic cardinal functions on `n` equidistant points `x_k = origin + k T/n`.
#[derive(Debug, Clone, PartialEq)]
pub struct Fourier {
    nodes: Vec<f64>,
    period: f64,
}

impl Fourier {
    /// Basis of `n` points on the period that starts at `origin`.
    pub fn new(n: usize, origin: f64, period: f64) -> Result<Self, BasisError> {
        if n == 0 {
            return Err(BasisError::TooFewNodes { found: 0, needed: 1 });
        }
        super::basis::ascending("ends of the interval", &[origin, origin + period], true)?;
        Ok(Self { nodes: (0..n).map(|k| origin + period * k as f64 / n as f64).collect(), period })
    }

    /// Length of the period.
    pub fn period(&self) -> f64 {
        self.period
    }

    /// `l_k'(x_j)`, depending on `j − k` only; with `η = 2π x/T` and `Δ = (η_j − η_k)/2`
    ///
    /// ```text
    /// n odd: (−1)^{j−k}/(2 sin Δ) ,   n even: (−1)^{j−k}/(2 tan Δ) ,   0 for j = k        (times 2π/T)
    /// ```
    pub fn derivative(&self, j: usize, k: usize) -> f64 {
        if j == k {
            return 0.0;
        }
        let n = self.nodes.len();
        let delta = 0.5 * TAU * (j as f64 - k as f64) / n as f64;
        let sign = if j.abs_diff(k).is_multiple_of(2) { 1.0 } else { -1.0 };
        let divisor = if n % 2 == 1 { delta.sin() } else { delta.tan() };
        sign * 0.5 / divisor * TAU / self.period
    }
}

impl Basis for Fourier {
    fn len(&self) -> usize {
        self.nodes.len()
    }

    fn nodes(&self) -> &[f64] {
        &self.nodes
    }

    fn interval(&self) -> (f64, f64) {
        (self.nodes[0], self.nodes[0] + self.period)
    }

    fn evaluate(&self, x: f64, values: &mut [f64], slopes: &mut [f64]) {
        let n = self.nodes.len();
        let rate = TAU / self.period;
        for (node, (value, slope)) in self.nodes.iter().zip(values.iter_mut().zip(slopes.iter_mut())) {
            // The whole periods are taken off first: the angle keeps its digits.
            let turns = (x - node) / self.period;
            let (sum, sum_slope) = dirichlet_kernel(n, TAU * (turns - turns.round()));
            *value = sum / n as f64;
            *slope = rate * sum_slope / n as f64;
        }
    }
}

/// `1 + 2 Σ cos m d` and its derivative with respect to `d`; the last term counts once if `n` is even.
fn dirichlet_kernel(n: usize, d: f64) -> (f64, f64) {
    let (sine, cosine) = d.sin_cos();
    let (mut s, mut c) = (0.0, 1.0);
    let (mut value, mut slope) = (1.0, 0.0);
    for m in 1..=n / 2 {
        (s, c) = (s * cosine + c * sine, c * cosine - s * sine);
        let factor = if 2 * m == n { 1.0 } else { 2.0 };
        value += factor * c;
        slope -= factor * m as f64 * s;
    }
    (value, slope)
}
