//! Eigenvalues of a pencil of dense matrices that are known to rounding only:
//!
//! ```text
//! A x = λ B x,          |δA| ≤ ε |A|₊,   |δB| ≤ ε |B|₊
//! ```
//! |A|₊ holds, for every entry, the sum of the magnitudes of the terms that it was made of. Stiff and soft directions side by
//! side make eigenvalues of very unequal size, of which the small ones must not drown in the rounding of the
//! large ones:
//!
//! 1. Rows and columns are scaled so that |A|₊ has entries of about one. Then rounding is alike everywhere,
//!    and a singular value of A at rounding is a zero eigenvalue as far as anybody can know.
//! 2. Zero eigenvalues are taken out by elimination. With A N = 0, F = B N and pivots J of N, I of F
//!
//!    ```text
//!    columns J go,   rows:  A' = A − F F_I⁻¹ A_I,   B' = B − F F_I⁻¹ B_I        until A' is regular
//!    ```
//!    so that chains of zeros (a place, its speed, …) neither spoil each other nor a small eigenvalue that
//!    passes zero.
//! 3. The slow ones of the rest come from A⁻¹ B, relative to the slowest, the fast ones from B⁻¹ A, relative
//!    to the fastest, and those far between from (A + σB)⁻¹ B, relative to σ.
//! 4. Rayleigh's quotient with the left vector w makes each as good as A and B are, and its own condition and
//!    residual tell how good:
//!
//!    ```text
//!    λ = wᵀA x / wᵀB x,       |δλ| ≤ |w|ᵀ(c ε |A|₊|x| + c ε |λ| |B|₊|x| + |A x − λ B x|) / |wᵀB x|
//!    ```
//!    Where the residual is more than rounding, inverse iteration with (A − λB) makes x and w better.

use crate::complex_dense::ComplexDenseLu;
use crate::dense::{DenseError, DenseLu, Mat, c64, eigenvectors, part_equal, symmetric_eigen};
use crate::pole_placement::balance;
use crate::random::irregular;
use crate::subspace::pivoted_columns;
use faer::Side;

/// Roundings that an entry has seen, times ε.
pub const ROUNDINGS: f64 = 8.0 * f64::EPSILON;
/// Ratio of the fastest to the slowest eigenvalue up to which one of the two ways finds all of them.
const SPREAD: f64 = 1e3;
/// Relative distance of neighbours between which the two halves can be joined.
const GAP: f64 = 1e-6;
/// Ratio of the eigenvalues that one shift between the slowest and the fastest finds.
const BAND: f64 = 1e6;
/// A residual that is so many times what rounding leaves asks for inverse iteration, of so many steps, while
/// all of it costs less than so many multiplications.
const POOR: f64 = 4.0;
const BETTER: usize = 2;
const COSTLY: f64 = 2e10;
/// How much more than the root of what rounding does to the matrices it does to a chain of zeros.
const CHAIN: f64 = 4.0;
/// How much more is left open of zeros that are not surely such, and how much more of one alone than of a
/// chain says that it is none alone.
const SHAKY: f64 = 30.0;
const FAR: f64 = 1e3;
/// Rounding of the quotient and of what made the matrices, by that of one entry.
const SURE: f64 = 40.0;
/// Rounds of scaling.
const SCALINGS: usize = 8;
/// A quotient farther than this from the eigenvalue that it should improve belongs to another one.
const ASTRAY: f64 = 1e-2;

/// A pencil with the magnitudes of the terms of its entries.
#[derive(Clone, Debug)]
pub struct Pencil {
    /// A.
    pub a: Mat<f64>,
    /// B, regular.
    pub b: Mat<f64>,
    /// |A|₊.
    pub a_size: Mat<f64>,
    /// |B|₊.
    pub b_size: Mat<f64>,
}

/// An eigenvalue with its vector.
#[derive(Clone, Debug, PartialEq)]
pub struct PencilPair {
    /// λ, exactly zero where A is singular to rounding.
    pub value: c64,
    /// x; of a chain of zeros the first is an eigenvector and the others are those above it.
    pub vector: Vec<c64>,
    /// What rounding leaves open of λ.
    pub error: f64,
    /// Of a zero eigenvalue: the vectors below this one in its chain.
    pub height: usize,
}

impl Pencil {
    /// All eigenvalues, zeros first. Of symmetric matrices with positive definite B all are real.
    pub fn eigen(&self, symmetric: bool) -> Result<Vec<PencilPair>, DenseError> {
        let (pairs, stages, core) = self.deflate(symmetric, &[])?;
        // Where zeros are taken out they count as exact: the error is that beside them.
        Ok(core.beside(pairs, &stages, core.pairs(symmetric)?, ROUNDINGS, false))
    }

    /// All eigenvalues, first those of the given columns, in which A is zero, then the other zeros, as they
    /// are beside these. Errors hold for matrices that are sums themselves and for zeros that may be none.
    pub fn eigen_beside(&self, columns: &[usize]) -> Result<Vec<PencilPair>, DenseError> {
        let (pairs, stages, core) = self.deflate(false, columns)?;
        let sums = 2.0 * self.a.nrows() as f64 * f64::EPSILON;
        Ok(core.beside(pairs, &stages, core.pairs(false)?, SURE * (ROUNDINGS + sums), true))
    }

    /// Zeros that were taken out in stages, and the eigenvalues of the rest, whose terms are known to
    /// `rounding`.
    fn beside(
        &self,
        mut pairs: Vec<PencilPair>,
        stages: &[Stage],
        rest: Vec<Raw>,
        rounding: f64,
        open_zeros: bool,
    ) -> Vec<PencilPair> {
        for (raw, mut pair) in self.better(rest, rounding) {
            if open_zeros {
                pair.error += self.by_deflation(stages, &pair, &raw.left);
            }
            for stage in stages.iter().rev() {
                pair.vector = stage.lift(pair.value, &pair.vector);
            }
            pairs.push(pair);
        }
        pairs
    }

    /// Takes out zero eigenvalues until A is regular, those of known columns first.
    fn deflate(&self, symmetric: bool, known: &[usize]) -> Result<Deflated, DenseError> {
        let (mut core, mut stages): (Pencil, Vec<Stage>) = (self.clone(), vec![]);
        let (mut zeros, mut chained): (Vec<PencilPair>, f64) = (vec![], 0.0);
        loop {
            let (rows, columns) = core.scales(symmetric);
            core = core.scaled(&rows, &columns);
            let is_known = stages.is_empty() && !known.is_empty();
            let null = match is_known {
                true => Null::of(Mat::from_fn(core.a.nrows(), known.len(), |i, k| f64::from(i == known[k]))),
                false => core.null_space()?,
            };
            let error = null.error;
            chained = chained.max(null.chained);
            let stage = Stage::new(&core, (rows, columns), null, symmetric)?;
            let height = stages.len().saturating_sub(usize::from(!known.is_empty()));
            for k in 0..stage.null.ncols() {
                let mut vector = stage.null_vector(k);
                for before in stages.iter().rev() {
                    vector = before.embed(&vector);
                }
                zeros.push(PencilPair { value: c64::new(0.0, 0.0), vector, error, height });
            }
            if height > 0 && stage.null.ncols() > 0 {
                // Rounding parts a chain of m zeros by the mth root of what it does to the matrices.
                let top = chained.powf(2.0 / (height + 1) as f64);
                zeros.iter_mut().skip(known.len()).for_each(|pair| pair.error = top.max(pair.error));
            }
            let done = stage.null.ncols() == 0;
            core = stage.rest(&core, symmetric);
            stages.push(stage);
            if done || core.a.nrows() == 0 {
                return Ok((zeros, stages, core));
            }
        }
    }

    /// Directions N that A does not see; A is scaled.
    fn null_space(&self) -> Result<Null, DenseError> {
        let n = self.a.nrows();
        crate::dense::check_finite(self.a.as_ref())?;
        let svd = self.a.svd().map_err(|_| DenseError::NoConvergence("singular values"))?;
        let zero = ROUNDINGS * self.a_size.norm_l2();
        let rank = (0..n).filter(|&k| svd.S()[k] > zero).count();
        let null = svd.V().subcols(rank, n - rank).to_owned();
        let left = svd.U().subcols(rank, n - rank).to_owned();
        // The vectors themselves are known to rounding of all of A.
        let dropped = (rank..n).map(|k| svd.S()[k].max(0.25 * zero)).collect();
        let least = |m: &Mat<f64>| -> Result<f64, DenseError> {
            Ok(crate::dense::singular_values(m.as_ref())?.last().copied().unwrap_or(f64::INFINITY))
        };
        // Copies with as many vectors: c ε |A|₊/|wᵀB x|; in a chain, where wᵀB x = 0, the root of c ε |A|₊/|B
        // x|.
        let carried = &self.b * &null;
        let (mut error, mut chained) = (0.0, 0.0);
        if rank < n {
            // Singular values of exact zeros are a fraction of rounding; larger ones may be no zeros at all.
            let shaky = if svd.S()[rank] > 0.25 * zero { SHAKY } else { 1.0 };
            chained = shaky * CHAIN * (zero / least(&carried)?).sqrt();
            let alone = shaky * zero / least(&(left.transpose() * &carried))?;
            error = if alone < FAR * chained { alone } else { chained };
        }
        let known = |x: f64| if x.is_nan() { f64::INFINITY } else { x };
        Ok(Null { null, left, dropped, error: known(error), chained: known(chained) })
    }

    /// What the zeros that were taken out may be, other than zero, does to another eigenvalue:
    /// Σ σ |wᵀu| |vᵀx| / |wᵀB x| with the singular values and vectors that went.
    fn by_deflation(&self, stages: &[Stage], pair: &PencilPair, left: &[c64]) -> f64 {
        let n = left.len();
        let column = |j: usize| (0..n).map(|i| left[i] * self.b[(i, j)]).sum::<c64>() * pair.vector[j];
        let carried = (0..n).map(column).sum::<c64>().norm();
        let (mut x, mut w, mut open) = (pair.vector.clone(), left.to_vec(), 0.0);
        for stage in stages.iter().rev() {
            x = stage.lift(pair.value, &x);
            w = stage.lift_left(&w);
            open += stage.open(&x, &w);
            w.iter_mut().zip(&stage.rows).for_each(|(w, r)| *w *= *r);
        }
        if open == 0.0 { 0.0 } else { 4.0 * open / carried }
    }

    /// Powers of two by which the rows and columns of |A|₊ get largest entries of about one; of B where A has
    /// none.
    fn scales(&self, symmetric: bool) -> (Vec<f64>, Vec<f64>) {
        let n = self.a.nrows();
        let (mut r, mut c) = (vec![1.0; n], vec![1.0; n]);
        let tame = |largest: f64| if largest > 0.0 { 2f64.powf(-(0.5 * largest.log2())) } else { 1.0 };
        let max = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
        for _ in 0..SCALINGS {
            let rows: Vec<f64> =
                (0..n).map(|i| tame(max(&mut (0..n).map(|j| r[i] * self.a_size[(i, j)] * c[j])))).collect();
            let columns: Vec<f64> = match symmetric {
                true => rows.clone(),
                false => (0..n)
                    .map(|j| tame(max(&mut (0..n).map(|i| r[i] * self.a_size[(i, j)] * c[j]))))
                    .collect(),
            };
            r.iter_mut().zip(rows).for_each(|(r, by)| *r *= by);
            c.iter_mut().zip(columns).for_each(|(c, by)| *c *= by);
        }
        for (k, c) in c.iter_mut().enumerate() {
            if (0..n).all(|i| self.a_size[(i, k)] == 0.0) {
                let largest = max(&mut (0..n).map(|i| self.b_size[(i, k)]));
                *c = tame(largest) * if symmetric { 1.0 } else { tame(largest) };
            }
        }
        for k in 0..n {
            if symmetric {
                r[k] = c[k];
            } else if (0..n).all(|j| self.a_size[(k, j)] == 0.0) {
                r[k] = tame(max(&mut (0..n).map(|j| self.b_size[(k, j)] * c[j]))).powi(2);
            }
        }
        let round = |x: f64| 2f64.powf(x.log2().round());
        (r.into_iter().map(round).collect(), c.into_iter().map(round).collect())
    }

    fn scaled(&self, r: &[f64], c: &[f64]) -> Pencil {
        let of = |m: &Mat<f64>| Mat::from_fn(m.nrows(), m.ncols(), |i, j| r[i] * m[(i, j)] * c[j]);
        Pencil { a: of(&self.a), b: of(&self.b), a_size: of(&self.a_size), b_size: of(&self.b_size) }
    }

    /// All eigenvalues of a pencil with regular A.
    fn pairs(&self, symmetric: bool) -> Result<Vec<Raw>, DenseError> {
        if self.a.nrows() == 0 {
            return Ok(vec![]);
        }
        if symmetric {
            match self.symmetric_pairs() {
                Err(DenseError::NotPositiveDefinite) => {}
                found => return found,
            }
        }
        let mut slow = general(&self.a, &self.b)?;
        slow.iter_mut().for_each(|raw| raw.value = c64::new(1.0, 0.0) / raw.value);
        sort(&mut slow);
        if !is_wide(&slow) {
            return Ok(slow);
        }
        let mut fast = general(&self.b, &self.a)?;
        sort(&mut fast);
        let ends = [slow[0].value.norm(), fast[fast.len() - 1].value.norm()];
        let mut found = slow;
        let mut below = ends[0];
        for shift in shifts_between(ends) {
            let shifted = &self.a + &self.b * faer::Scale(shift);
            let mut middle = general(&shifted, &self.b)?;
            let unshift = |raw: &mut Raw| raw.value = c64::new(1.0, 0.0) / raw.value - shift;
            middle.iter_mut().for_each(unshift);
            sort(&mut middle);
            found = join(found, middle, (below * shift).sqrt());
            below = shift;
        }
        Ok(join(found, fast, (below * ends[1]).sqrt()))
    }

    /// All pairs refined, those with a residual above rounding made better by inverse iteration from both
    /// sides.
    fn better(&self, list: Vec<Raw>, rounding: f64) -> Vec<(Raw, PencilPair)> {
        let mut left = COSTLY;
        let each = list.into_iter().map(|mut raw| {
            let (mut pair, mut poor) = self.refined(&raw, rounding);
            for _ in 0..BETTER {
                left -= if poor { 6.0 * (pair.vector.len() as f64).powi(3) } else { 0.0 };
                if !poor || left < 0.0 {
                    break;
                }
                let Some(next) = self.inverse_iteration(&pair, &raw) else { break };
                let (better, still) = self.refined(&next, rounding);
                let near = (better.value - pair.value).norm() <= ASTRAY * pair.value.norm();
                if !near || better.error >= 0.9 * pair.error {
                    break;
                }
                (raw, pair, poor) = (Raw { value: better.value, ..next }, better, still);
            }
            (raw, pair)
        });
        each.collect()
    }

    /// One step with (A − λB): x from B x, w from Bᵀ w.
    fn inverse_iteration(&self, pair: &PencilPair, raw: &Raw) -> Option<Raw> {
        let n = raw.right.len();
        let b = |i: usize, j: usize| c64::new(self.b[(i, j)], 0.0);
        let lu = ComplexDenseLu::new(n, |i, j| self.a[(i, j)] - pair.value * b(i, j));
        let sized = |x: Vec<c64>| -> Option<Vec<c64>> {
            let size = x.iter().map(|x| x.norm()).fold(0.0, f64::max);
            (size.is_finite() && size > 0.0).then(|| x.iter().map(|x| x / size).collect())
        };
        let right: Vec<c64> = (0..n).map(|i| (0..n).map(|j| b(i, j) * raw.right[j]).sum()).collect();
        let left: Vec<c64> = (0..n).map(|j| (0..n).map(|i| b(i, j) * raw.left[i]).sum()).collect();
        let (right, left) = (sized(lu.solve(&right))?, sized(lu.solve_transposed(&left))?);
        Some(Raw { value: pair.value, right, left })
    }

    /// The same of symmetric A and positive definite B = L Lᵀ: Lᵀ A⁻¹ L u = u/λ, x = A⁻¹ L u.
    fn symmetric_pairs(&self) -> Result<Vec<Raw>, DenseError> {
        let n = self.a.nrows();
        let cholesky = self.b.llt(Side::Lower).map_err(|_| DenseError::NotPositiveDefinite)?;
        let l = Mat::from_fn(n, n, |i, j| if i >= j { cholesky.L()[(i, j)] } else { 0.0 });
        let x = solve_columns(&DenseLu::new(self.a.as_ref())?, &l);
        let s = l.transpose() * &x;
        let mean = Mat::from_fn(n, n, |i, j| 0.5 * (s[(i, j)] + s[(j, i)]));
        crate::dense::check_finite(mean.as_ref())?;
        let eigen =
            mean.self_adjoint_eigen(Side::Lower).map_err(|_| DenseError::NoConvergence("eigenvalues"))?;
        let vectors = &x * eigen.U();
        let raw = |value: f64, vectors: &Mat<f64>, k: usize| {
            let vector: Vec<c64> = (0..n).map(|i| c64::new(vectors[(i, k)], 0.0)).collect();
            Raw { value: c64::new(value, 0.0), left: vector.clone(), right: vector }
        };
        let mut slow: Vec<Raw> = (0..n).map(|k| raw(1.0 / eigen.S()[k], &vectors, k)).collect();
        sort(&mut slow);
        if !is_wide(&slow) {
            return Ok(slow);
        }
        let (values, vectors) = symmetric_eigen(self.a.as_ref(), self.b.as_ref())?;
        let mut fast: Vec<Raw> = (0..n).map(|k| raw(values[k], &vectors, k)).collect();
        sort(&mut fast);
        let middle = (slow[0].value.norm() * fast[n - 1].value.norm()).sqrt();
        Ok(join(slow, fast, middle))
    }

    /// An eigenvalue by Rayleigh's quotient wᵀA x/wᵀB x, with its error where terms are known to `rounding`,
    /// and whether its residual |w|ᵀ|A x − λ B x| is more than that. Matrices are read column by column.
    fn refined(&self, Raw { value, right, left }: &Raw, rounding: f64) -> (PencilPair, bool) {
        let n = right.len();
        let (mut by_a, mut by_b) = (c64::new(0.0, 0.0), c64::new(0.0, 0.0));
        let (mut a_size, mut b_size) = (0.0, 0.0);
        let w: Vec<f64> = left.iter().map(|w| w.norm()).collect();
        for (j, right) in right.iter().enumerate() {
            let (mut a, mut b) = (c64::new(0.0, 0.0), c64::new(0.0, 0.0));
            let (mut of_a, mut of_b) = (0.0, 0.0);
            let columns = (self.a.col_as_slice(j), self.b.col_as_slice(j));
            let sizes = (self.a_size.col_as_slice(j), self.b_size.col_as_slice(j));
            for i in 0..n {
                a += left[i] * columns.0[i];
                b += left[i] * columns.1[i];
                of_a += w[i] * sizes.0[i];
                of_b += w[i] * sizes.1[i];
            }
            by_a += a * right;
            by_b += b * right;
            a_size += of_a * right.norm();
            b_size += of_b * right.norm();
        }
        let mut better = by_a / by_b;
        if value.im == 0.0 {
            better.im = 0.0;
        }
        let near = (better - value).norm() <= ASTRAY * value.norm();
        let value = if near { better } else { *value };
        let mut open = vec![c64::new(0.0, 0.0); n];
        for (j, right) in right.iter().enumerate() {
            let columns = self.a.col_as_slice(j).iter().zip(self.b.col_as_slice(j));
            open.iter_mut().zip(columns).for_each(|(open, (a, b))| *open += right * (a - value * b));
        }
        let residual: f64 = w.iter().zip(&open).map(|(w, open)| w * open.norm()).sum();
        let size = a_size + value.norm() * b_size;
        // The residual itself is a sum of n terms, which is not known better.
        let residual = (residual - n as f64 * f64::EPSILON * size).max(0.0);
        let error = (rounding * size + residual) / by_b.norm();
        let error = if error.is_finite() { error } else { f64::INFINITY };
        (PencilPair { value, vector: right.clone(), error, height: 0 }, residual > POOR * rounding * size)
    }
}

/// An eigenvalue with vectors of both sides, wᵀA = λ wᵀB.
struct Raw {
    value: c64,
    right: Vec<c64>,
    left: Vec<c64>,
}

fn sort(list: &mut [Raw]) {
    list.sort_by(|x, y| x.value.norm().total_cmp(&y.value.norm()));
}

/// Whether the slowest and the fastest lie so far apart that one way does not do for both.
fn is_wide(sorted: &[Raw]) -> bool {
    let ends = sorted.first().zip(sorted.last());
    ends.is_some_and(|(slow, fast)| slow.value.norm() / fast.value.norm() < 1.0 / SPREAD)
}

/// Shifts between the slowest and the fastest eigenvalue, each the middle of a band; away from round numbers,
/// where an eigenvalue could be.
fn shifts_between([slow, fast]: [f64; 2]) -> Vec<f64> {
    let bands = (fast / slow).ln() / BAND.ln();
    let count = if bands.is_finite() { (bands.ceil() as usize).saturating_sub(1).min(8) } else { 0 };
    let at = |k: usize| slow * (fast / slow).powf((k + 1) as f64 / (count + 1) as f64);
    (0..count).map(|k| 1.0372 * at(k)).collect()
}

/// The slow ones of one list and the fast ones of the other, parted near the middle where both have a gap.
fn join(mut slow: Vec<Raw>, mut fast: Vec<Raw>, middle: f64) -> Vec<Raw> {
    let n = slow.len();
    let size = |raw: &Raw| raw.value.norm();
    let gap = |list: &[Raw], m: usize| size(&list[m - 1]) < (1.0 - GAP) * size(&list[m]);
    let away = |m: usize| (size(&slow[m]) / middle).ln().abs();
    let best = (1..n)
        .filter(|&m| gap(&slow, m) && gap(&fast, m))
        .min_by(|&x, &y| away(x).total_cmp(&away(y)))
        .unwrap_or(n);
    slow.truncate(best);
    slow.extend(fast.drain(best..));
    slow
}

fn solve_columns(lu: &DenseLu, b: &Mat<f64>) -> Mat<f64> {
    let mut x = Mat::zeros(b.nrows(), b.ncols());
    for j in 0..b.ncols() {
        let mut column: Vec<f64> = (0..b.nrows()).map(|i| b[(i, j)]).collect();
        lu.solve(&mut column);
        column.iter().enumerate().for_each(|(i, v)| x[(i, j)] = *v);
    }
    x
}

/// θ, x and w of A⁻¹ B x = θ x.
fn general(a: &Mat<f64>, b: &Mat<f64>) -> Result<Vec<Raw>, DenseError> {
    let n = a.nrows();
    let by_a = solve_columns(&DenseLu::new(a.as_ref())?, b);
    let t = balance(by_a.as_ref());
    let even = Mat::from_fn(n, n, |i, j| by_a[(i, j)] * t[j] / t[i]);
    let (values, mut vectors) = eigenvectors(even.as_ref())?;
    part_equal(even.as_ref(), &values, &mut vectors);
    // Rows of X⁻¹ are left vectors; a grain of noise lets defective X have one.
    let grain = |i: usize, j: usize| c64::new(1e-15 * irregular(i + n * j), 0.0);
    let inverse = ComplexDenseLu::new(n, |i, j| vectors[(i, j)] + grain(i, j)).inverse();
    let transposed = DenseLu::new(a.transpose())?;
    let solve = |part: fn(&c64) -> f64, row: &[c64]| {
        let mut x: Vec<f64> = row.iter().map(part).collect();
        transposed.solve(&mut x);
        x
    };
    let raw = |(k, value): (usize, c64)| {
        let z: Vec<c64> = (0..n).map(|j| inverse[(k, j)] / t[j]).collect();
        let (re, im) = (solve(|c| c.re, &z), solve(|c| c.im, &z));
        let right = (0..n).map(|i| vectors[(i, k)] * t[i]).collect();
        Raw { value, right, left: re.into_iter().zip(im).map(|(re, im)| c64::new(re, im)).collect() }
    };
    Ok(values.into_iter().enumerate().map(raw).collect())
}

/// Vectors of the zeros, the rounds in which these were taken out, and what is left.
type Deflated = (Vec<PencilPair>, Vec<Stage>, Pencil);

/// Directions that a matrix does not see, as columns.
struct Null {
    null: Mat<f64>,
    /// The same from the left.
    left: Mat<f64>,
    /// Singular values that count as zero.
    dropped: Vec<f64>,
    /// How large their eigenvalues may be, alone and as part of a chain of two.
    error: f64,
    chained: f64,
}

impl Null {
    /// Directions that are exactly such.
    fn of(null: Mat<f64>) -> Self {
        let left = Mat::zeros(null.nrows(), null.ncols());
        Null { dropped: vec![0.0; null.ncols()], left, null, error: 0.0, chained: 0.0 }
    }
}

/// One round of taking out zeros.
struct Stage {
    /// Scales of rows.
    rows: Vec<f64>,
    /// Left null vectors, and the singular values that were taken for zero.
    left: Mat<f64>,
    dropped: Vec<f64>,
    symmetric: bool,
    /// Scales of columns.
    columns: Vec<f64>,
    /// N, in scaled columns.
    null: Mat<f64>,
    /// Columns and rows that stay.
    kept: Vec<usize>,
    kept_rows: Vec<usize>,
    /// Rows I that go, with A_I and B_I in the kept columns.
    gone_rows: Vec<usize>,
    /// F F_I⁻¹ in the kept rows; of symmetric pencils (NᵀF)⁻¹ Fᵀ in the kept columns.
    by_gone: Mat<f64>,
    /// ξ of x = x' + N ξ: F_I⁻¹ A_I and F_I⁻¹ B_I in the kept columns, ξ = (F_I⁻¹ A_I/λ − F_I⁻¹ B_I) x'.
    along: Option<(Mat<f64>, Mat<f64>)>,
}

fn others(n: usize, gone: &[usize]) -> Vec<usize> {
    (0..n).filter(|k| !gone.contains(k)).collect()
}

fn part(m: &Mat<f64>, rows: &[usize], columns: &[usize]) -> Mat<f64> {
    Mat::from_fn(rows.len(), columns.len(), |i, j| m[(rows[i], columns[j])])
}

fn magnitude(m: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)].abs())
}

impl Stage {
    fn new(
        core: &Pencil,
        (rows, columns): (Vec<f64>, Vec<f64>),
        Null { null, left, dropped, .. }: Null,
        symmetric: bool,
    ) -> Result<Self, DenseError> {
        let (n, k) = (core.a.nrows(), null.ncols());
        let all: Vec<usize> = (0..n).collect();
        let mut stage = Stage {
            rows,
            left,
            dropped,
            symmetric,
            columns,
            kept: all.clone(),
            kept_rows: all,
            gone_rows: vec![],
            by_gone: Mat::zeros(n, 0),
            along: None,
            null,
        };
        if k == 0 {
            return Ok(stage);
        }
        let f = &core.b * &stage.null;
        let gone = pivoted_columns(stage.null.transpose())?.order[..k].to_vec();
        stage.kept = others(n, &gone);
        if symmetric {
            let product = stage.null.transpose() * &f;
            let right = Mat::from_fn(k, stage.kept.len(), |i, j| f[(stage.kept[j], i)]);
            stage.by_gone = solve_columns(&DenseLu::new(product.as_ref())?, &right);
            (stage.kept_rows, stage.gone_rows) = (stage.kept.clone(), gone);
            return Ok(stage);
        }
        stage.gone_rows = pivoted_columns(f.transpose())?.order[..k].to_vec();
        stage.kept_rows = others(n, &stage.gone_rows);
        let own: Vec<usize> = (0..k).collect();
        let f_gone = part(&f, &stage.gone_rows, &own);
        let lu = DenseLu::new(f_gone.as_ref())?;
        let transposed = DenseLu::new(f_gone.transpose())?;
        let f_kept = part(&f, &stage.kept_rows, &own);
        stage.by_gone = solve_columns(&transposed, &f_kept.transpose().to_owned()).transpose().to_owned();
        let along = |m: &Mat<f64>| solve_columns(&lu, &part(m, &stage.gone_rows, &stage.kept));
        stage.along = Some((along(&core.a), along(&core.b)));
        Ok(stage)
    }

    /// The pencil without the zeros of this round.
    fn rest(&self, core: &Pencil, symmetric: bool) -> Pencil {
        if self.null.ncols() == 0 {
            return core.clone();
        }
        let keep = |m: &Mat<f64>| part(m, &self.kept_rows, &self.kept);
        if symmetric {
            let f = &core.b * &self.null;
            let all: Vec<usize> = (0..self.null.ncols()).collect();
            let taken = part(&f, &self.kept, &all) * &self.by_gone;
            let b_size = keep(&core.b_size) + magnitude(&taken);
            return Pencil { a: keep(&core.a), b: keep(&core.b) - taken, a_size: keep(&core.a_size), b_size };
        }
        let size = magnitude(&self.by_gone);
        let take = |m: &Mat<f64>| keep(m) - &self.by_gone * part(m, &self.gone_rows, &self.kept);
        let grow = |m: &Mat<f64>| keep(m) + &size * part(m, &self.gone_rows, &self.kept);
        Pencil { a: take(&core.a), b: take(&core.b), a_size: grow(&core.a_size), b_size: grow(&core.b_size) }
    }

    /// A column of N in the unknowns before this round.
    fn null_vector(&self, k: usize) -> Vec<c64> {
        (0..self.columns.len()).map(|i| c64::new(self.columns[i] * self.null[(i, k)], 0.0)).collect()
    }

    /// A vector of what stays in the unknowns before this round.
    fn embed(&self, x: &[c64]) -> Vec<c64> {
        let mut out = vec![c64::new(0.0, 0.0); self.columns.len()];
        self.kept.iter().zip(x).for_each(|(&k, x)| out[k] = *x * self.columns[k]);
        out
    }

    /// A left vector of the scaled pencil before this round from that after it: wᵀB N = 0.
    fn lift_left(&self, after: &[c64]) -> Vec<c64> {
        let mut w = vec![c64::new(0.0, 0.0); self.columns.len()];
        if self.symmetric {
            self.kept.iter().zip(after).for_each(|(&k, v)| w[k] = *v);
            for k in 0..self.null.ncols() {
                let amount: c64 = (0..after.len()).map(|j| after[j] * self.by_gone[(k, j)]).sum();
                w.iter_mut().enumerate().for_each(|(i, w)| *w -= amount * self.null[(i, k)]);
            }
            return w;
        }
        self.kept_rows.iter().zip(after).for_each(|(&k, v)| w[k] = *v);
        for (c, &row) in self.gone_rows.iter().enumerate() {
            w[row] = -(0..after.len()).map(|i| after[i] * self.by_gone[(i, c)]).sum::<c64>();
        }
        w
    }

    /// Σ σ |wᵀu| |vᵀx| with x in the unknowns before this round and w in its scaled rows.
    fn open(&self, x: &[c64], w: &[c64]) -> f64 {
        let of = |k: usize| {
            let right: c64 = (0..x.len()).map(|i| x[i] / self.columns[i] * self.null[(i, k)]).sum();
            let left: c64 = (0..w.len()).map(|i| w[i] * self.left[(i, k)]).sum();
            self.dropped[k] * left.norm() * right.norm()
        };
        (0..self.dropped.len()).map(of).sum()
    }

    /// An eigenvector of the pencil before this round from that after it.
    fn lift(&self, value: c64, after: &[c64]) -> Vec<c64> {
        let times =
            |m: &Mat<f64>, row: usize| -> c64 { (0..after.len()).map(|j| after[j] * m[(row, j)]).sum() };
        let mut x = vec![c64::new(0.0, 0.0); self.columns.len()];
        self.kept.iter().zip(after).for_each(|(&k, v)| x[k] = *v);
        for k in 0..self.null.ncols() {
            let amount = match &self.along {
                Some((a, b)) => times(a, k) / value - times(b, k),
                None => -times(&self.by_gone, k),
            };
            x.iter_mut().enumerate().for_each(|(i, x)| *x += amount * self.null[(i, k)]);
        }
        x.iter().zip(&self.columns).map(|(x, c)| x * *c).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: &[&[f64]]) -> Mat<f64> {
        Mat::from_fn(rows.len(), rows.len(), |i, j| rows[i][j])
    }

    fn pencil(a: Mat<f64>, b: Mat<f64>) -> Pencil {
        let (a_size, b_size) = (magnitude(&a), magnitude(&b));
        Pencil { a, b, a_size, b_size }
    }

    fn sorted(pencil: &Pencil, symmetric: bool) -> Vec<PencilPair> {
        let mut found = pencil.eigen(symmetric).unwrap();
        found.sort_by(|x, y| x.value.norm().total_cmp(&y.value.norm()));
        found
    }

    fn residual(pencil: &Pencil, pair: &PencilPair) -> f64 {
        let n = pair.vector.len();
        let mut worst: f64 = 0.0;
        for i in 0..n {
            let open: c64 = (0..n)
                .map(|j| pair.vector[j] * pencil.a[(i, j)] - pair.value * pair.vector[j] * pencil.b[(i, j)])
                .sum();
            let size: f64 = (0..n)
                .map(|j| {
                    let terms = pencil.a_size[(i, j)] + pair.value.norm() * pencil.b_size[(i, j)];
                    pair.vector[j].norm() * terms
                })
                .sum();
            worst = worst.max(open.norm() / size.max(f64::MIN_POSITIVE));
        }
        worst
    }

    /// Springs over 24 powers of ten in a row: each slow eigenvalue is as good as the fast ones, in both
    /// ways.
    #[test]
    fn soft_springs_beside_stiff_ones() {
        let stiffness = [1e12, 1e4, 1e-4, 1e-12];
        let n = stiffness.len();
        // Each mass hangs on the ground by its own spring, and weakly on its neighbour.
        let couple = |i: usize| 1e-3 * stiffness[i + 1];
        let k = Mat::from_fn(n, n, |i, j| match i.abs_diff(j) {
            0 => {
                stiffness[i]
                    + if i + 1 < n { couple(i) } else { 0.0 }
                    + if i > 0 { couple(i - 1) } else { 0.0 }
            }
            1 => -couple(i.min(j)),
            _ => 0.0,
        });
        let m = Mat::<f64>::identity(n, n);
        // A small coupling moves an eigenvalue by its square over the distance, below rounding here.
        for symmetric in [true, false] {
            let pencil = pencil(k.clone(), m.clone());
            for (pair, i) in sorted(&pencil, symmetric).iter().zip((0..n).rev()) {
                let own = k[(i, i)];
                assert!((pair.value.re / own - 1.0).abs() < 1e-5, "{own:e}: {:e}", pair.value.re);
                assert!(pair.error < 1e-13 * own, "{own:e} {:e}", pair.error);
            }
        }
    }

    /// A free chain of stiff links on a soft guide: the guide is slow, moving along has no stiffness at all.
    #[test]
    fn free_chain_has_one_zero() {
        let n = 6;
        let k = Mat::from_fn(n, n, |i, j| {
            let ends = usize::from(i > 0) + usize::from(i + 1 < n);
            if i == j {
                1e10 * ends as f64
            } else if i.abs_diff(j) == 1 {
                -1e10
            } else {
                0.0
            }
        });
        let m = Mat::<f64>::identity(n, n);
        for symmetric in [true, false] {
            let pencil = pencil(k.clone(), m.clone());
            let found = sorted(&pencil, symmetric);
            assert_eq!(found.iter().filter(|p| p.value.norm() == 0.0).count(), 1);
            let first = &found[0].vector;
            assert!(first.iter().all(|x| (x / first[0] - 1.0).norm() < 1e-13));
            for (j, pair) in found.iter().enumerate().skip(1) {
                let exact = 4e10 * (j as f64 * std::f64::consts::PI / (2 * n) as f64).sin().powi(2);
                assert!((pair.value.re / exact - 1.0).abs() < 1e-13);
                assert!(residual(&pencil, pair) < 1e-14 && pair.error < 1e-13 * exact);
            }
        }
    }

    /// A chain of three zeros beside a small eigenvalue that passes zero: y˙ = v ψ, ψ˙ = r, r˙ = c r. Without
    /// elimination rounding would leave ε^(1/4) of all.
    #[test]
    fn small_eigenvalue_among_zeros() {
        for c in [1e-9, -1e-9, 1e-3, 0.0] {
            // States mixed by a rotation so that no column is zero to the eye.
            let plain = matrix(&[
                &[0.0, 5.0, 0.0, 0.0, 0.3],
                &[0.0, 0.0, 1.0, 0.0, -2.0],
                &[0.0, 0.0, c, 0.0, 0.0],
                &[0.0, 0.0, 1.0, 0.0, 0.7],
                &[0.0, 0.0, 0.0, 0.0, -3.0],
            ]);
            let turn = |i: usize, j: usize| irregular(7 * i + 3 * j + 1);
            let q = Mat::from_fn(5, 5, turn).qr().compute_Q();
            let a = &q * &plain * q.transpose();
            let found = sorted(&pencil(a, Mat::identity(5, 5)), false);
            let zeros = found.iter().filter(|p| p.value.norm() == 0.0).count();
            assert_eq!(zeros, if c == 0.0 { 4 } else { 3 });
            if c != 0.0 {
                assert!(
                    (found[3].value.re - c).abs() < 1e-14 && found[3].value.im == 0.0,
                    "{}",
                    found[3].value
                );
                assert!(found[3].error < 1e-12);
            }
            assert!((found[4].value.re + 3.0).abs() < 1e-13);
        }
    }

    /// Rows of B that differ by 13 powers of ten and pairs of complex eigenvalues.
    #[test]
    fn uneven_masses_flutter() {
        let k = matrix(&[&[1.0, -2.0, 0.0], &[2.0, 1.0, 0.0], &[0.0, 0.0, 3.0]]);
        let m = matrix(&[&[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0], &[0.0, 0.0, 1e-13]]);
        let found = sorted(&pencil(k, m), false);
        assert!(
            (found[0].value.norm() - 5f64.sqrt()).abs() < 1e-14 && (found[0].value.re - 1.0).abs() < 1e-14
        );
        assert!((found[2].value.re / 3e13 - 1.0).abs() < 1e-14);
        assert!(found.iter().all(|p| p.error < 1e-13 * p.value.norm()));
    }
}
