//! Lagrange polynomials on any nodes, in barycentric form (motion-interpolation-galerkin §1.22, B.9–B.16).
//!
//! ```text
//! l_k(x) = (β_k/(x − x_k)) / Σ_j β_j/(x − x_j) ,      β_k = 1/Π_{j≠k} (x_k − x_j)
//! d_jk = l_k'(x_j) = (β_k/β_j)/(x_j − x_k) ,           d_jj = −Σ_{k≠j} d_jk
//! l_k'(x) = Σ_j l_j(x) d_jk
//! ```
//!
//! The last line is exact: `l_k'` is a polynomial that its values at the nodes determine.

use super::basis::{Basis, BasisError, ascending};
use super::quadrature::Quadrature;

/// Lagrange basis of degree `n − 1` on `n` nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Lagrange {
    nodes: Vec<f64>,
    interval: (f64, f64),
    barycentric: Vec<f64>,
    /// `d_jk`, row by row.
    derivative: Vec<f64>,
}

impl Lagrange {
    /// Basis on given ascending nodes; the interval is that between the first and the last.
    pub fn new(nodes: Vec<f64>) -> Result<Self, BasisError> {
        if nodes.is_empty() {
            return Err(BasisError::TooFewNodes { found: 0, needed: 1 });
        }
        ascending("nodes", &nodes, true)?;
        let interval = (nodes[0], nodes[nodes.len() - 1]);
        let barycentric = barycentric_weights(&nodes);
        Ok(Self::assemble(nodes, interval, barycentric))
    }

    /// `n` Gauss–Legendre points, all inside [−1, 1].
    pub fn gauss_legendre(n: usize) -> Result<Self, BasisError> {
        Self::on_reference(n, 1, |n| Quadrature::gauss_legendre(n).points)
    }

    /// `n` Gauss–Lobatto points, the nodes of a spectral element of degree `n − 1`.
    pub fn gauss_lobatto(n: usize) -> Result<Self, BasisError> {
        Self::on_reference(n, 2, |n| Quadrature::gauss_lobatto(n).points)
    }

    /// `n` Gauss–Radau points with one at −1.
    pub fn gauss_radau_left(n: usize) -> Result<Self, BasisError> {
        Self::on_reference(n, 1, |n| Quadrature::gauss_radau_left(n).points)
    }

    /// `n` Gauss–Radau points with one at +1.
    pub fn gauss_radau_right(n: usize) -> Result<Self, BasisError> {
        Self::on_reference(n, 1, |n| Quadrature::gauss_radau_right(n).points)
    }

    /// `n` equidistant points from −1 to 1. Ill conditioned beyond some ten points (Runge).
    pub fn equidistant(n: usize) -> Result<Self, BasisError> {
        Self::on_reference(n, 2, |n| (0..n).map(|i| 2.0 * i as f64 / (n - 1) as f64 - 1.0).collect())
    }

    /// The same basis on another interval, `x ↦ a + (x − a₀)(b − a)/(b₀ − a₀)`.
    pub fn on(&self, a: f64, b: f64) -> Result<Self, BasisError> {
        let (a0, b0) = self.interval;
        ascending("ends of the interval", &[a0, b0], true)?;
        ascending("ends of the interval", &[a, b], true)?;
        let scale = (b - a) / (b0 - a0);
        let mut basis = self.clone();
        basis.nodes.iter_mut().for_each(|x| *x = a + (*x - a0) * scale);
        basis.derivative.iter_mut().for_each(|d| *d /= scale);
        basis.interval = (a, b);
        Ok(basis)
    }

    /// `d_jk = l_k'(x_j)`.
    pub fn derivative(&self, j: usize, k: usize) -> f64 {
        self.derivative[j * self.nodes.len() + k]
    }

    /// `l_k'(x_j)` for all `k`: the slopes at node `j`.
    pub fn derivative_row(&self, j: usize) -> &[f64] {
        let n = self.nodes.len();
        &self.derivative[j * n..(j + 1) * n]
    }

    fn on_reference(n: usize, needed: usize, points: impl Fn(usize) -> Vec<f64>) -> Result<Self, BasisError> {
        if n < needed {
            return Err(BasisError::TooFewNodes { found: n, needed });
        }
        let nodes = points(n);
        let barycentric = barycentric_weights(&nodes);
        Ok(Self::assemble(nodes, (-1.0, 1.0), barycentric))
    }

    /// Basis from nodes and barycentric weights, which may carry a common factor.
    pub(super) fn assemble(nodes: Vec<f64>, interval: (f64, f64), barycentric: Vec<f64>) -> Self {
        let n = nodes.len();
        let mut derivative = vec![0.0; n * n];
        for j in 0..n {
            let row = &mut derivative[j * n..(j + 1) * n];
            for k in (0..n).filter(|&k| k != j) {
                row[k] = barycentric[k] / barycentric[j] / (nodes[j] - nodes[k]);
                row[j] -= row[k];
            }
        }
        Self { nodes, interval, barycentric, derivative }
    }
}

impl Basis for Lagrange {
    fn len(&self) -> usize {
        self.nodes.len()
    }

    fn nodes(&self) -> &[f64] {
        &self.nodes
    }

    fn interval(&self) -> (f64, f64) {
        self.interval
    }

    fn evaluate(&self, x: f64, values: &mut [f64], slopes: &mut [f64]) {
        if let Some(j) = self.nodes.iter().position(|node| *node == x) {
            values.fill(0.0);
            values[j] = 1.0;
            slopes.copy_from_slice(self.derivative_row(j));
            return;
        }
        let mut sum = 0.0;
        for (value, (node, weight)) in values.iter_mut().zip(self.nodes.iter().zip(&self.barycentric)) {
            *value = weight / (x - node);
            sum += *value;
        }
        values.iter_mut().for_each(|value| *value /= sum);
        slopes.fill(0.0);
        for (j, value) in values.iter().enumerate() {
            for (slope, d) in slopes.iter_mut().zip(self.derivative_row(j)) {
                *slope += value * d;
            }
        }
    }
}

/// `β_k` up to a common factor. Differences are scaled by the capacity of the interval, a quarter of its
/// length, so that the products neither overflow nor underflow.
fn barycentric_weights(nodes: &[f64]) -> Vec<f64> {
    let capacity = 0.25 * (nodes[nodes.len() - 1] - nodes[0]).abs();
    let product = |k: usize| -> f64 {
        let others = nodes.iter().enumerate().filter(|&(j, _)| j != k);
        others.map(|(_, x)| (nodes[k] - x) / capacity).product()
    };
    (0..nodes.len()).map(|k| 1.0 / product(k)).collect()
}
