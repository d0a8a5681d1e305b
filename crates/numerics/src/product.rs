//! Eigenvalues of a long product of matrices, M = A_{K−1} … A_1 A_0, without forming it.
//!
//! Orthogonal iteration around the ring: with an orthogonal Q_0,
//!
//! ```text
//! A_i Q_i = Q_{i+1} R_i,        Q_0ᵀ M Q_0 = (Q_0ᵀ Q_K) R_{K−1} … R_0
//! ```
//! and Q_K becomes the next Q_0. Directions that grow at different rates come apart; then Q_0ᵀQ_K is block
//! diagonal, and the diagonals of the triangular R_i give each eigenvalue by factors of its own: neither
//! overflow nor loss beside larger ones, which in the product itself have no digit left for 1e-20. The first
//! Q_0 is that of the sorted Schur form of the product, mostly the end already.

use crate::dense::{DenseError, Mat, c64, check_finite, eigenvalues};
use crate::schur::RealSchur;

/// Rounds at most.
const ROUNDS: usize = 60;
/// What couples two blocks that have come apart.
const APART: f64 = 1e-14;

/// An eigenvalue of a product, which may be beyond the range of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProductEigenvalue {
    /// λ; zero or infinite beyond the range of numbers.
    pub value: c64,
    /// ln |λ|.
    pub log_size: f64,
    /// arg λ, in (−π, π].
    pub angle: f64,
}

/// All eigenvalues of the product of the matrices, the first one applied first, largest first; of a pair the
/// one above the real axis first.
pub fn product_eigenvalues(factors: &[Mat<f64>]) -> Result<Vec<ProductEigenvalue>, DenseError> {
    let n = factors.first().map_or(0, Mat::nrows);
    for factor in factors {
        if factor.nrows() != n || factor.ncols() != n {
            return Err(DenseError::NotSquare { rows: factor.nrows(), columns: factor.ncols() });
        }
        check_finite(factor.as_ref())?;
    }
    if n == 0 {
        return Ok(vec![]);
    }
    let mut q = start(factors, n);
    let mut best: Option<Round> = None;
    for _ in 0..ROUNDS {
        let (round, next) = Round::of(factors, q);
        let done = round.blocks.iter().all(|block| block.len() <= 2);
        let stuck = best.as_ref().is_some_and(|best| best.blocks.len() >= round.blocks.len() && best.age > 8);
        let age =
            best.as_ref().map_or(0, |b| if b.blocks.len() < round.blocks.len() { 0 } else { b.age + 1 });
        best = Some(Round { age, ..round });
        q = next;
        if done || stuck {
            break;
        }
    }
    let mut values = vec![];
    if let Some(round) = best {
        for block in &round.blocks {
            values.extend(round.values(block)?);
        }
    }
    values.sort_by(|a, b| b.log_size.total_cmp(&a.log_size).then(b.angle.total_cmp(&a.angle)));
    Ok(values)
}

/// Q_0 of the sorted Schur form of the product, scaled as it is formed.
fn start(factors: &[Mat<f64>], n: usize) -> Mat<f64> {
    let mut product = Mat::<f64>::identity(n, n);
    for factor in factors {
        product = factor * product;
        let size = product.norm_max();
        if size > 0.0 && size.is_finite() {
            product *= 1.0 / size;
        }
    }
    let schur = check_finite(product.as_ref()).ok().and_then(|()| RealSchur::new(product));
    schur.map_or_else(
        || Mat::identity(n, n),
        |mut schur| {
            schur.sort();
            schur.z
        },
    )
}

/// One way around.
struct Round {
    /// Q_0ᵀ Q_K.
    turn: Mat<f64>,
    /// R_i.
    triangles: Vec<Mat<f64>>,
    /// Blocks that have come apart.
    blocks: Vec<std::ops::Range<usize>>,
    /// Rounds since there was a new one.
    age: usize,
}

impl Round {
    fn of(factors: &[Mat<f64>], first: Mat<f64>) -> (Self, Mat<f64>) {
        let n = first.nrows();
        let mut q = first.clone();
        let mut triangles = Vec::with_capacity(factors.len());
        for factor in factors {
            let qr = (factor * &q).qr();
            triangles.push(Mat::from_fn(n, n, |r, c| if r <= c { qr.R()[(r, c)] } else { 0.0 }));
            q = qr.compute_Q();
        }
        let turn = first.transpose() * &q;
        let mut blocks = vec![];
        let mut from = 0;
        for end in 1..=n {
            let below = (end..n).flat_map(|r| (0..end).map(move |c| (r, c)));
            if below.map(|at| turn[at].abs()).fold(0.0, f64::max) <= APART * n as f64 {
                blocks.push(from..end);
                from = end;
            }
        }
        (Round { turn, triangles, blocks, age: 0 }, q)
    }

    /// Eigenvalues of a block.
    fn values(&self, block: &std::ops::Range<usize>) -> Result<Vec<ProductEigenvalue>, DenseError> {
        let (from, n) = (block.start, block.len());
        let mut product = Mat::<f64>::identity(n, n);
        let mut log = 0.0;
        for r in &self.triangles {
            product = r.submatrix(from, from, n, n) * product;
            let size = product.norm_max();
            if size == 0.0 {
                log = f64::NEG_INFINITY;
                break;
            }
            product *= 1.0 / size;
            log += size.ln();
        }
        let matrix = self.turn.submatrix(from, from, n, n) * product;
        let of = |value: c64| {
            let log_size = log + value.norm().ln();
            let angle = if value.norm() > 0.0 { value.im.atan2(value.re) } else { 0.0 };
            let size = log_size.exp();
            let value = c64::new(size * angle.cos(), if value.im == 0.0 { 0.0 } else { size * angle.sin() });
            ProductEigenvalue { value, log_size, angle }
        };
        let values = match n {
            1 => vec![c64::new(matrix[(0, 0)], 0.0)],
            2 => pair(&matrix),
            _ => eigenvalues(matrix.as_ref())?,
        };
        Ok(values.into_iter().map(of).collect())
    }
}

/// The eigenvalues of a matrix of two rows: the product of both is their determinant to the last digit.
fn pair(m: &Mat<f64>) -> Vec<c64> {
    let half = 0.5 * (m[(0, 0)] + m[(1, 1)]);
    let difference = 0.5 * (m[(0, 0)] - m[(1, 1)]);
    let square = difference * difference + m[(0, 1)] * m[(1, 0)];
    if square < 0.0 {
        let part = (-square).sqrt();
        return vec![c64::new(half, part), c64::new(half, -part)];
    }
    let large = half + square.sqrt().copysign(half);
    let determinant = m[(0, 0)] * m[(1, 1)] - m[(0, 1)] * m[(1, 0)];
    let small = if large == 0.0 { 0.0 } else { determinant / large };
    vec![c64::new(large, 0.0), c64::new(small, 0.0)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn random(n: usize, random: &mut Random) -> Mat<f64> {
        Mat::from_fn(n, n, |_, _| random.number())
    }

    fn inverse(a: &Mat<f64>) -> Mat<f64> {
        let lu = crate::dense::DenseLu::new(a.as_ref()).unwrap();
        let mut out = Mat::identity(a.nrows(), a.nrows());
        for j in 0..a.nrows() {
            let mut b: Vec<f64> = (0..a.nrows()).map(|i| f64::from(i == j)).collect();
            lu.solve(&mut b);
            b.iter().enumerate().for_each(|(i, b)| out[(i, j)] = *b);
        }
        out
    }

    #[test]
    fn short_products_have_the_eigenvalues_of_the_product() {
        let mut source = Random::new(5);
        for (n, count) in [(1, 3), (2, 1), (4, 3), (7, 5)] {
            let factors: Vec<Mat<f64>> = (0..count).map(|_| random(n, &mut source)).collect();
            let product = factors.iter().fold(Mat::identity(n, n), |p: Mat<f64>, f| f * p);
            let exact = eigenvalues(product.as_ref()).unwrap();
            let found = product_eigenvalues(&factors).unwrap();
            assert_eq!(found.len(), n);
            for value in exact {
                let nearest = found.iter().map(|f| (f.value - value).norm()).fold(f64::INFINITY, f64::min);
                assert!(nearest < 1e-11 * product.norm_max(), "{value}: {nearest:e}");
            }
        }
    }

    /// The product spans 200 orders of magnitude; every eigenvalue is known as well as its factors are.
    #[test]
    fn long_products_keep_small_eigenvalues() {
        let mut source = Random::new(2);
        let (n, count) = (4, 50);
        let axes: Vec<Mat<f64>> = (0..count)
            .map(|_| {
                let m = random(n, &mut source);
                Mat::from_fn(n, n, |i, j| m[(i, j)] + if i == j { 3.0 } else { 0.0 })
            })
            .collect();
        // A pair that turns by 0.1 in each factor, one that grows and one that fades.
        let (c, s) = (0.1_f64.cos(), 0.1_f64.sin());
        let core = Mat::from_fn(4, 4, |i, j| match (i, j) {
            (0, 0) => 1e2,
            (1, 1) | (2, 2) => 0.9 * c,
            (1, 2) => -0.9 * s,
            (2, 1) => 0.9 * s,
            (3, 3) => 1e-2,
            _ => 0.0,
        });
        let factors: Vec<Mat<f64>> = (0..count)
            .map(|i| {
                let inverse = inverse(&axes[i]);
                &axes[(i + 1) % count] * &core * inverse
            })
            .collect();
        let found = product_eigenvalues(&factors).unwrap();
        let expected = [50.0 * 1e2_f64.ln(), 50.0 * 0.9_f64.ln(), 50.0 * 0.9_f64.ln(), 50.0 * 1e-2_f64.ln()];
        for (found, log) in found.iter().zip(expected) {
            assert!((found.log_size - log).abs() < 1e-9, "{found:?}, {log}");
        }
        let turn = 5.0 - std::f64::consts::TAU;
        assert!((found[1].angle.abs() - turn.abs()).abs() < 1e-9 && found[3].value.re > 0.0);
        assert!((found[3].value.re / 1e-100 - 1.0).abs() < 1e-9);
    }
}
