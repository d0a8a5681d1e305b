//! Hill's method for linear systems with periodic coefficients, ẋ = A(t) x with A(t + T) = A(t): exponents
//! from harmonics (motion-interpolation-galerkin §1.19, V9).
//!
//! ```text
//! x = e^{σt} y(t),   y(t + T) = y(t):        σ y = A(t) y − ẏ
//! ```
//! At n_T = 2 n_H + 1 equidistant times, y in the orthonormal basis 1, cos jWt, sin jWt, j = 1 … n_H:
//!
//! ```text
//! [(F ⊗ I) diag(A(t_k)) (Fᵀ ⊗ I) − Ω ⊗ I] ŷ = σ ŷ,     Ω = W blockdiag(0, [0 1; −1 0], …, [0 n_H; −n_H 0])
//! ```
//! Every exponent comes with copies σ + i j W, of which those at the edge of the spectrum are wrong. For each
//! solution the copy with the least centroid Σ j |ŷ_j|² / Σ |ŷ_j|² is taken: its harmonics are farthest from
//! the edge. Copies of one solution start from one x(0) = y(0), so that n of them are independent.

use crate::dense::{DenseError, eigenvectors};
use faer::{Mat, c64};
use std::f64::consts::TAU;
use thiserror::Error;

/// Directions whose independent part is smaller belong to one solution, if their multipliers are equal too.
const SAME_START: f64 = 1e-2;
/// Multipliers are equal within this many parts of the harmonics that are cut off.
const SAME_MULTIPLIER: f64 = 10.0;

/// A solution e^{σt} y(t).
#[derive(Clone, Debug, PartialEq)]
pub struct HillMode {
    /// σ (1/s); of the copies σ + i j W that with the lowest harmonics.
    pub exponent: c64,
    /// exp(σ T).
    pub multiplier: c64,
    /// Mean order of its harmonics.
    pub centroid: f64,
    /// Share of the highest harmonics that were kept: what is cut off is of this size.
    pub edge: f64,
    /// y at the times of the samples.
    pub course: Vec<Vec<c64>>,
}

/// Why there are no exponents.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum HillError {
    /// The samples do not fit.
    #[error(
        "Hill's method needs an odd number of samples, at least 3, all square and of one size; {0} are given"
    )]
    Samples(usize),
    /// The harmonics do not tell so many solutions apart.
    #[error("the harmonics show {found} solutions of {wanted}: take more samples")]
    TooFew {
        /// How many there are.
        found: usize,
        /// How many there must be.
        wanted: usize,
    },
    /// Eigenvalues could not be computed.
    #[error(transparent)]
    Dense(#[from] DenseError),
}

/// The n exponents of ẋ = A(t) x from samples of A at t_k = k T/n_T, greatest growth first. Harmonics above
/// `kept` are left out (de-aliasing); all are kept without it.
pub fn hill_exponents(
    samples: &[Mat<f64>],
    period: f64,
    kept: Option<usize>,
) -> Result<Vec<HillMode>, HillError> {
    let (count, n) = (samples.len(), samples.first().map_or(0, Mat::nrows));
    let fits = |a: &Mat<f64>| a.nrows() == n && a.ncols() == n;
    if count < 3 || count.is_multiple_of(2) || !samples.iter().all(fits) {
        return Err(HillError::Samples(count));
    }
    let highest = count / 2;
    let kept = kept.map_or(highest, |kept| kept.min(highest));
    let matrix = hill_matrix(samples, period, kept);
    let (values, vectors) = eigenvectors(matrix.as_ref())?;
    let mut candidates: Vec<Candidate> = values
        .iter()
        .enumerate()
        .map(|(k, value)| candidate(*value, &vectors, k, (n, count), period))
        .collect();
    candidates.sort_by(|a, b| a.mode.centroid.total_cmp(&b.mode.centroid));
    let mut chosen: Vec<Candidate> = vec![];
    for candidate in candidates {
        if chosen.len() < n && !is_copy(&candidate, &chosen) {
            chosen.push(candidate);
        }
    }
    if chosen.len() < n {
        return Err(HillError::TooFew { found: chosen.len(), wanted: n });
    }
    let mut modes: Vec<HillMode> = chosen.into_iter().map(|candidate| candidate.mode).collect();
    modes.sort_by(|a, b| {
        b.exponent.re.total_cmp(&a.exponent.re).then(a.exponent.im.total_cmp(&b.exponent.im))
    });
    Ok(modes)
}

/// An eigenvector and where its solution starts.
struct Candidate {
    mode: HillMode,
    /// y(0), of length one.
    start: Vec<c64>,
}

/// Harmonic and value of the k-th function of the orthonormal basis at t_i.
fn basis(k: usize, i: usize, count: usize) -> f64 {
    let angle = TAU * (k.div_ceil(2) * i) as f64 / count as f64;
    match k {
        0 => (1.0 / count as f64).sqrt(),
        _ if k % 2 == 1 => (2.0 / count as f64).sqrt() * angle.cos(),
        _ => (2.0 / count as f64).sqrt() * angle.sin(),
    }
}

fn hill_matrix(samples: &[Mat<f64>], period: f64, kept: usize) -> Mat<f64> {
    let (count, n, size) = (samples.len(), samples[0].nrows(), 2 * kept + 1);
    let f = Mat::from_fn(size, count, |k, i| basis(k, i, count));
    let mut matrix = Mat::zeros(n * size, n * size);
    for k in 0..size {
        for l in 0..size {
            for (i, a) in samples.iter().enumerate() {
                let factor = f[(k, i)] * f[(l, i)];
                for (r, c) in (0..n).flat_map(|r| (0..n).map(move |c| (r, c))) {
                    matrix[(n * k + r, n * l + c)] += factor * a[(r, c)];
                }
            }
        }
    }
    // d/dt (c cos jWt + s sin jWt) = jW (s cos jWt − c sin jWt)
    for j in 1..=kept {
        let rate = TAU / period * j as f64;
        for r in 0..n {
            matrix[(n * (2 * j - 1) + r, n * 2 * j + r)] -= rate;
            matrix[(n * 2 * j + r, n * (2 * j - 1) + r)] += rate;
        }
    }
    matrix
}

fn candidate(
    exponent: c64,
    vectors: &Mat<c64>,
    k: usize,
    (n, count): (usize, usize),
    period: f64,
) -> Candidate {
    let column = vectors.col(k);
    let size = column.nrows() / n;
    let part = |function: usize| (0..n).map(|r| column[n * function + r].norm_sqr()).sum::<f64>();
    let total: f64 = (0..size).map(part).sum();
    let centroid = (1..size).map(|f| f.div_ceil(2) as f64 * part(f)).sum::<f64>() / total;
    let edge = ((size.saturating_sub(2).max(1)..size).map(part).sum::<f64>() / total).sqrt();
    // Values at t = 0: sines vanish there.
    let at_start = |f: usize| basis(f, 0, size);
    let mut start: Vec<c64> =
        (0..n).map(|r| (0..size).map(|f| column[n * f + r] * at_start(f)).sum()).collect();
    let length = start.iter().map(|x| x.norm_sqr()).sum::<f64>().sqrt();
    start.iter_mut().for_each(|x| *x /= length);
    let multiplier = (exponent * period).exp();
    let at = |i: usize, r: usize| (0..size).map(|f| column[n * f + r] * basis(f, i, count)).sum();
    let course = (0..count).map(|i| (0..n).map(|r| at(i, r)).collect()).collect();
    Candidate { mode: HillMode { exponent, multiplier, centroid, edge, course }, start }
}

/// Whether a candidate is a copy of solutions that were chosen: its start is a sum of theirs.
fn is_copy(candidate: &Candidate, chosen: &[Candidate]) -> bool {
    let near = |other: &&Candidate| {
        let cut = SAME_MULTIPLIER * (candidate.mode.edge + other.mode.edge) + 1e-8;
        let size = candidate.mode.multiplier.norm().max(other.mode.multiplier.norm());
        (candidate.mode.multiplier - other.mode.multiplier).norm() <= cut * size
    };
    let mut basis: Vec<Vec<c64>> = vec![];
    for other in chosen.iter().filter(near) {
        let mut rest = other.start.clone();
        let length = without(&mut rest, &basis);
        if length > SAME_START {
            rest.iter_mut().for_each(|x| *x /= length);
            basis.push(rest);
        }
    }
    without(&mut candidate.start.clone(), &basis) <= SAME_START + candidate.mode.edge
}

/// Takes the part along orthonormal directions away; the length of the rest.
fn without(x: &mut [c64], basis: &[Vec<c64>]) -> f64 {
    for _ in 0..2 {
        for direction in basis {
            let along: c64 = direction.iter().zip(&*x).map(|(b, x)| b.conj() * x).sum();
            x.iter_mut().zip(direction).for_each(|(x, b)| *x -= along * b);
        }
    }
    x.iter().map(|x| x.norm_sqr()).sum::<f64>().sqrt()
}

/// Samples of A at n_T equidistant times of a period.
pub fn samples(count: usize, period: f64, a: impl Fn(f64) -> Mat<f64>) -> Vec<Mat<f64>> {
    (0..count).map(|k| a(period * k as f64 / count as f64)).collect()
}

/// The largest |exp(σT)| of some modes.
pub fn largest_multiplier(modes: &[HillMode]) -> f64 {
    modes.iter().map(|mode| mode.multiplier.norm()).fold(0.0, f64::max)
}
