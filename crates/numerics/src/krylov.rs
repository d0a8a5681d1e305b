//! A few eigenvalues of large operators, and the smallest singular values of constraints.
//!
//! The operator is a closure, typically a solve with a factored matrix, so that the
//! eigenvalues nearest to a shift σ come out as those of largest magnitude:
//!
//! ```text
//! A x = λ M x   ⇔   (A − σM)⁻¹ M x = θ x,   λ = σ + 1/θ
//! ```
//!
//! Block Krylov–Schur iteration with full reorthogonalisation; where the operator is
//! self-adjoint this is the thick-restart Lanczos method. A Krylov space from a block of b
//! vectors contains at most b copies of a multiple eigenvalue. Therefore a converged set is
//! *checked*: its vectors are kept, everything else is replaced by random vectors, and the
//! iteration goes on until it has either found a further copy (then the new set is checked
//! in turn) or seen that all else is smaller.

use crate::arnoldi::{Arnoldi, dot};
use crate::dense::{self, DenseError, Mat, c64};
use crate::schur::RealSchur;
use faer::Side;

/// y = A x: reads its first argument, overwrites the second.
pub type Operator<'a> = &'a mut dyn FnMut(&[f64], &mut [f64]);

/// How the iteration runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KrylovSettings {
    /// Residual |A x − θ x| of a converged pair, relative to |θ|.
    pub tolerance: f64,
    /// Vectors of a block: copies of a multiple eigenvalue that are found at once.
    pub block: usize,
    /// Dimension of the space at which it is restarted; 0 for one that suits the count.
    pub dimension: usize,
    /// Applications of the operator after which the iteration gives up.
    pub applications: usize,
    /// Whether a converged set is checked for missed copies.
    pub check: bool,
}

impl Default for KrylovSettings {
    fn default() -> Self {
        Self { tolerance: 1e-12, block: 2, dimension: 0, applications: 10_000, check: true }
    }
}

/// An iteration without result.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum KrylovError {
    /// The operator or the inner product returned infinity or not a number.
    #[error("the operator is not finite after {applications} applications")]
    NotFinite {
        /// Applications of the operator so far.
        applications: usize,
    },
    /// xᵀMx < 0 for some x.
    #[error("the inner product is indefinite: the square of a norm is {square:e}")]
    Indefinite {
        /// The negative square.
        square: f64,
    },
    /// The limit of applications was reached.
    #[error("{converged} of {wanted} eigenvalues converged within {applications} applications")]
    NoConvergence {
        /// Leading eigenvalues that have converged.
        converged: usize,
        /// Eigenvalues asked for.
        wanted: usize,
        /// Applications of the operator.
        applications: usize,
    },
    /// The projected matrix has no eigenvalues.
    #[error("projected matrix: {0}")]
    Projected(#[from] DenseError),
}

/// Part of a spectrum.
#[derive(Debug, Clone, PartialEq)]
pub struct Spectrum<P> {
    /// What was found, most wanted first.
    pub pairs: Vec<P>,
    /// Number of applications of the operator.
    pub applications: usize,
}

/// Eigenvalue of a non-symmetric operator.
#[derive(Debug, Clone, PartialEq)]
pub struct Eigenpair {
    /// θ.
    pub value: c64,
    /// x with |x| = 1.
    pub vector: Vec<c64>,
    /// |A x − θ x| by the Krylov decomposition.
    pub residual: f64,
}

/// Eigenvalue of a self-adjoint operator.
#[derive(Debug, Clone, PartialEq)]
pub struct SymmetricEigenpair {
    /// θ.
    pub value: f64,
    /// x with xᵀMx = 1; vectors of different pairs are M-orthogonal.
    pub vector: Vec<f64>,
    /// |A x − θ x| in the norm of M by the Krylov decomposition.
    pub residual: f64,
}

/// Singular value of a matrix of constraints.
#[derive(Debug, Clone, PartialEq)]
pub struct SingularValue {
    /// σ.
    pub value: f64,
    /// Unit vector of the combination of rows that is shortened to σ.
    pub rows: Vec<f64>,
}

/// The `count` eigenvalues of largest magnitude of a real operator of dimension n, descending.
///
/// A complex pair is returned whole, λ with positive imaginary part first, so that there
/// may be one more than `count`; there are fewer where n is smaller. Defective eigenvalues
/// are found with their algebraic multiplicity, to the accuracy that they have.
pub fn largest_general(
    n: usize,
    op: Operator<'_>,
    count: usize,
    settings: &KrylovSettings,
) -> Result<Spectrum<Eigenpair>, KrylovError> {
    let sizes = Sizes::new(n, count, settings);
    let arnoldi = Arnoldi::new(n, op, None, sizes.capacity, sizes.block);
    let found = Search { arnoldi, sizes, settings, symmetric: false }.run()?;
    Ok(Spectrum { pairs: general_pairs(&found)?, applications: found.applications })
}

/// The `count` eigenvalues of largest magnitude, descending in magnitude, of an operator that
/// is self-adjoint in the semi-inner product yᵀMx, where `inner` computes M x.
///
/// M may be singular: the search runs in the range of the operator, and the vectors
/// returned are images of the operator. There are fewer pairs where the operator, seen by M,
/// has fewer eigenvalues that are not zero.
pub fn largest_symmetric(
    n: usize,
    op: Operator<'_>,
    inner: Operator<'_>,
    count: usize,
    settings: &KrylovSettings,
) -> Result<Spectrum<SymmetricEigenpair>, KrylovError> {
    let sizes = Sizes::new(n, count, settings);
    let arnoldi = Arnoldi::new(n, op, Some(inner), sizes.capacity, sizes.block);
    let found = Search { arnoldi, sizes, settings, symmetric: true }.run()?;
    let Found { vectors, t, coupling, applications } = found;
    let pair = |(j, vector)| {
        let column: Vec<f64> = coupling.col(j).iter().copied().collect();
        SymmetricEigenpair { value: t[(j, j)], vector, residual: dot(&column, &column).sqrt() }
    };
    Ok(Spectrum { pairs: vectors.into_iter().enumerate().map(pair).collect(), applications })
}

/// The `count` smallest singular values of constraints, ascending, in the metric of the masses.
///
/// ```text
/// σ = 1/√μ,   S⁻¹ r = μ r,   S = G M⁻¹ Gᵀ
/// ```
///
/// `inverse` computes S⁻¹ r for the n rows of G; that is −λ of the solution of
/// M v + Gᵀ λ = 0, G v = r.
pub fn smallest_singular_values(
    n: usize,
    inverse: Operator<'_>,
    count: usize,
    settings: &KrylovSettings,
) -> Result<Spectrum<SingularValue>, KrylovError> {
    let mut identity = |x: &[f64], y: &mut [f64]| y.copy_from_slice(x);
    let found = largest_symmetric(n, inverse, &mut identity, count, settings)?;
    let value =
        |pair: SymmetricEigenpair| SingularValue { value: 1.0 / pair.value.abs().sqrt(), rows: pair.vector };
    Ok(Spectrum { pairs: found.pairs.into_iter().map(value).collect(), applications: found.applications })
}

/// Sizes of the search.
#[derive(Clone, Copy)]
struct Sizes {
    count: usize,
    block: usize,
    /// Dimension at which the space is restarted.
    capacity: usize,
}

impl Sizes {
    fn new(n: usize, count: usize, settings: &KrylovSettings) -> Self {
        let count = count.min(n);
        let block = settings.block.clamp(1, n.max(1));
        let least = count + 2 * block + 4;
        let capacity = match settings.dimension {
            0 => 3 * count + 4 * block + 10,
            dimension => dimension.max(least),
        };
        Self { count, block, capacity: capacity.min(n) }
    }
}

/// H = Z T Zᵀ with the wanted eigenvalues first.
struct Ritz {
    t: Mat<f64>,
    z: Mat<f64>,
    /// Magnitudes of the eigenvalues.
    sizes: Vec<f64>,
    /// |B z_j|.
    residuals: Vec<f64>,
    /// Eigenvalues asked for, whole pairs.
    wanted: usize,
    schur: Option<RealSchur>,
}

impl Ritz {
    /// Leading columns, without splitting a pair.
    fn whole(&self, count: usize) -> usize {
        self.schur.as_ref().map_or(count, |schur| schur.whole_blocks(count))
    }

    fn is_converged(&self, j: usize, tolerance: f64) -> bool {
        self.residuals[j] <= (tolerance * self.sizes[j]).max(f64::EPSILON * self.sizes[0])
    }

    fn converged(&self, tolerance: f64) -> usize {
        (0..self.sizes.len()).take_while(|&j| self.is_converged(j, tolerance)).count()
    }

    /// Z and T of the leading columns.
    fn leading(&self, count: usize) -> (Mat<f64>, Mat<f64>) {
        let z = self.z.subcols(0, count).to_owned();
        (z, self.t.submatrix(0, 0, count, count).to_owned())
    }

    /// Whether the largest eigenvalue that is not wanted is known to be smaller, or well enough
    /// to say that it is equal.
    fn rest_is_smaller(&self) -> bool {
        let w = self.wanted;
        let Some((&next, &residual)) = self.sizes.get(w).zip(self.residuals.get(w)) else { return false };
        let last = self.sizes[w - 1];
        residual <= 0.1 * (last - next) || residual <= 1e-3 * next || residual <= 1e-10 * last
    }
}

/// A converged invariant subspace: A V = V T + F B with small B.
struct Found {
    vectors: Vec<Vec<f64>>,
    t: Mat<f64>,
    coupling: Mat<f64>,
    applications: usize,
}

/// Converged set under check.
struct Candidate {
    found: Found,
    sizes: Vec<f64>,
    /// Dimension at the start of the check.
    start: usize,
}

/// The space grows by this part of itself between two looks at its eigenvalues.
const LOOKS: usize = 6;
/// Relative growth of an eigenvalue in a sorted list that shows a missed one.
const MISSED: f64 = 1e-6;

struct Search<'a, 'b, 's> {
    arnoldi: Arnoldi<'a, 'b>,
    sizes: Sizes,
    settings: &'s KrylovSettings,
    symmetric: bool,
}

impl Search<'_, '_, '_> {
    fn run(mut self) -> Result<Found, KrylovError> {
        let Sizes { count, block, capacity } = self.sizes;
        if count == 0 {
            return Ok(self.found(&self.reduce()?, 0));
        }
        self.arnoldi.refresh(Vec::new(), &Mat::zeros(0, 0), block)?;
        let mut candidate: Option<Candidate> = None;
        let mut target = count + block;
        loop {
            self.arnoldi.expand(target.min(capacity))?;
            let ritz = self.reduce()?;
            let converged = ritz.converged(self.settings.tolerance);
            if self.arnoldi.exhausted() {
                return Ok(self.found(&ritz, ritz.wanted));
            }
            let enough = converged >= ritz.wanted && ritz.sizes.len() >= count;
            if enough {
                match &mut candidate {
                    _ if !self.settings.check => return Ok(self.found(&ritz, ritz.wanted)),
                    Some(checked) if self.arnoldi.done() < checked.start + 2 * block => {}
                    Some(checked) if !ritz.rest_is_smaller() => {}
                    Some(checked) if !has_grown(&checked.sizes, &ritz.sizes) => {
                        checked.found.applications = self.arnoldi.applications;
                        return Ok(candidate
                            .map(|c| c.found)
                            .unwrap_or_else(|| self.found(&ritz, ritz.wanted)));
                    }
                    _ => {
                        candidate = Some(self.start_check(&ritz, converged)?);
                        target = self.arnoldi.done() + 2 * block;
                        continue;
                    }
                }
            }
            self.check_limit(converged)?;
            if self.arnoldi.done() >= capacity {
                self.restart(&ritz, converged);
                if let Some(candidate) = &mut candidate {
                    candidate.start = 0;
                }
            }
            // A look costs the cube of the dimension, more than the vectors in between.
            target = self.arnoldi.done() + block.max(2).max(self.arnoldi.done() / LOOKS);
        }
    }

    fn check_limit(&self, converged: usize) -> Result<(), KrylovError> {
        let (wanted, applications) = (self.sizes.count, self.arnoldi.applications);
        if applications < self.settings.applications {
            return Ok(());
        }
        Err(KrylovError::NoConvergence { converged: converged.min(wanted), wanted, applications })
    }

    fn reduce(&self) -> Result<Ritz, KrylovError> {
        let h = self.arnoldi.projected();
        let (t, z, sizes, schur) = if self.symmetric { symmetric_form(h)? } else { general_form(h)? };
        let coupling = self.arnoldi.coupling(&z);
        let residuals = (0..z.ncols()).map(|j| coupling.col(j).norm_l2()).collect();
        let mut ritz = Ritz { t, z, sizes, residuals, wanted: 0, schur };
        ritz.wanted = ritz.whole(self.sizes.count.min(ritz.sizes.len()));
        Ok(ritz)
    }

    fn found(&self, ritz: &Ritz, count: usize) -> Found {
        let (z, t) = ritz.leading(count);
        let vectors = self.vectors(&z, &t);
        Found { vectors, coupling: self.arnoldi.coupling(&z), t, applications: self.arnoldi.applications }
    }

    fn vectors(&self, z: &Mat<f64>, t: &Mat<f64>) -> Vec<Vec<f64>> {
        if self.symmetric { self.arnoldi.combine_purified(z, t) } else { self.arnoldi.combine(z) }
    }

    /// Keeps the converged vectors, as far as they leave room for a search, and draws new ones.
    fn start_check(&mut self, ritz: &Ritz, converged: usize) -> Result<Candidate, KrylovError> {
        let Sizes { block, capacity, .. } = self.sizes;
        let room = capacity.saturating_sub(2 * block + 2).max(ritz.wanted);
        let mut kept = converged.min(room).max(ritz.wanted);
        if ritz.whole(kept) != kept {
            kept -= 1;
        }
        let (z, t) = ritz.leading(kept);
        let candidate = Candidate {
            found: self.found(ritz, ritz.wanted),
            sizes: ritz.sizes[..ritz.wanted].to_vec(),
            start: kept,
        };
        let vectors = self.vectors(&z, &t);
        self.arnoldi.refresh(vectors, &t, block)?;
        Ok(candidate)
    }

    /// Keeps the wanted vectors and half of the others.
    fn restart(&mut self, ritz: &Ritz, converged: usize) {
        let Sizes { block, capacity, .. } = self.sizes;
        let wanted = ritz.wanted;
        let spare = (capacity.saturating_sub(wanted) / 2).max(converged.saturating_sub(wanted));
        let kept = ritz.whole((wanted + spare).min(capacity.saturating_sub(block + 2)).max(wanted));
        let (z, t) = ritz.leading(kept);
        self.arnoldi.restart(&z, &t);
    }
}

/// Whether a sorted list has gained an eigenvalue among those it had.
fn has_grown(before: &[f64], after: &[f64]) -> bool {
    before.iter().zip(after).any(|(before, after)| *after > before * (1.0 + MISSED))
}

type ReducedForm = (Mat<f64>, Mat<f64>, Vec<f64>, Option<RealSchur>);

fn symmetric_form(h: Mat<f64>) -> Result<ReducedForm, KrylovError> {
    let n = h.nrows();
    let mean = Mat::from_fn(n, n, |i, j| 0.5 * (h[(i, j)] + h[(j, i)]));
    let eigen = mean.self_adjoint_eigen(Side::Lower).map_err(|_| no_convergence())?;
    let values: Vec<f64> = (0..n).map(|i| eigen.S()[i]).collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| values[j].abs().total_cmp(&values[i].abs()));
    let t = Mat::from_fn(n, n, |i, j| if i == j { values[order[i]] } else { 0.0 });
    let z = Mat::from_fn(n, n, |i, j| eigen.U()[(i, order[j])]);
    let sizes = order.iter().map(|&i| values[i].abs()).collect();
    Ok((t, z, sizes, None))
}

fn general_form(h: Mat<f64>) -> Result<ReducedForm, KrylovError> {
    let mut schur = RealSchur::new(h).ok_or_else(no_convergence)?;
    schur.sort();
    let sizes = schur.values().iter().map(|value| value.norm()).collect();
    Ok((schur.t.clone(), schur.z.clone(), sizes, Some(schur)))
}

fn no_convergence() -> KrylovError {
    KrylovError::Projected(DenseError::NoConvergence("eigenvalues"))
}

/// Eigenvectors V y of an invariant subspace from T y = θ y.
fn general_pairs(found: &Found) -> Result<Vec<Eigenpair>, KrylovError> {
    let Some(first) = found.vectors.first() else { return Ok(Vec::new()) };
    let (values, mut y) = dense::eigenvectors(found.t.as_ref())?;
    dense::part_equal(found.t.as_ref(), &values, &mut y);
    let mut pairs = Vec::with_capacity(values.len());
    for (j, &value) in values.iter().enumerate() {
        let mut vector = vec![c64::new(0.0, 0.0); first.len()];
        for (i, v) in found.vectors.iter().enumerate() {
            let factor = y[(i, j)];
            vector.iter_mut().zip(v).for_each(|(x, v)| *x += factor * *v);
        }
        let norm = vector.iter().map(|x| x.norm_sqr()).sum::<f64>().sqrt();
        vector.iter_mut().for_each(|x| *x /= norm);
        let mut residual: f64 = 0.0;
        for row in 0..found.coupling.nrows() {
            let terms = (0..values.len()).map(|i| y[(i, j)] * found.coupling[(row, i)]);
            residual += terms.fold(c64::new(0.0, 0.0), |sum, term| sum + term).norm_sqr();
        }
        pairs.push(Eigenpair { value, vector, residual: residual.sqrt() / norm });
    }
    sort_pairs(&mut pairs);
    Ok(pairs)
}

/// Descending magnitude with conjugates together: their magnitudes agree to the last digit or so.
fn sort_pairs(pairs: &mut Vec<Eigenpair>) {
    pairs.sort_by(|x, y| y.value.norm().total_cmp(&x.value.norm()));
    let mut sorted: Vec<Eigenpair> = Vec::with_capacity(pairs.len());
    while !pairs.is_empty() {
        let first = pairs.remove(0);
        let partner = (first.value.im != 0.0)
            .then(|| {
                let distance = |pair: &Eigenpair| (pair.value - first.value.conj()).norm();
                let closest = |&i: &usize, &j: &usize| distance(&pairs[i]).total_cmp(&distance(&pairs[j]));
                (0..pairs.len()).min_by(closest)
            })
            .flatten();
        match partner.map(|i| pairs.remove(i)) {
            Some(second) if first.value.im > 0.0 => sorted.extend([first, second]),
            Some(second) => sorted.extend([second, first]),
            None => sorted.push(first),
        }
    }
    *pairs = sorted;
}
