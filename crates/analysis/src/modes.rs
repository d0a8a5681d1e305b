//! Modes of a linearised system: eigenvalues λ and shapes y of
//!
//! ```text
//! (λ² M + λ Ĉ + K̂) y + Gᵀ μ = 0,     G y = 0,     (λ G + N̂) y = 0  on rows of velocities
//! ```
//! Small systems are reduced to independent coordinates and solved by a dense method. Large ones stay sparse, and so do the soft modes of
//! small ones that have stiff modes too: with the factored matrix at a shift σ, the wanted eigenvalues are the largest of an operator,
//!
//! ```text
//! undamped (Ĉ = 0, K̂ symmetric):  (K̂ + sM) y⁺ + Gᵀμ = M y                                 λ² = s − 1/θ   (Lanczos)
//! else:  (K̂ + σĈ + σ²M) y⁺ + Gᵀμ = −(M u + Ĉ y + σ M y),  u⁺ = y + σ y⁺                    λ = σ + 1/θ   (Arnoldi)
//! ```
//! The constraints hold for every vector that comes out of such a solve.

use crate::coupled::{Coupled, CoupledError};
use crate::linear::{Linear, for_each_entry};
use crate::stability::LinearStability;
use crate::state_space::{StateSpace, StateSpaceError};
use poinsot_integrators::Factors;
use poinsot_mechanics::{NodeId, State, System};
use poinsot_numerics::dense::{DenseError, DenseLu, Mat, c64, eigenvectors};
use poinsot_numerics::krylov::{KrylovError, KrylovSettings, largest_general, largest_symmetric};
use poinsot_numerics::lu::PivotError;
use poinsot_numerics::pole_placement::balance;
use thiserror::Error;

/// Up to so many unknowns and degrees of freedom the dense method is used.
const DENSE: usize = 900;
const DENSE_FREEDOM: usize = 160;
/// The dense method balances units where the largest entry of A falls below this share by that.
const UNEVEN: f64 = 1e-4;
/// Modes of small systems below this share of the largest are found again from the factored stiffness.
const SOFT: f64 = 1e-3;
/// Most shifts that the sparse method tries, and the lowest eigenvalue relative to a shift that is near enough.
const SHIFTS: usize = 4;
const NEAR_SHIFT: f64 = 0.1;
/// Stiffness by mass of an unknown, relative to the largest, that counts as rounding.
const SOFTEST: f64 = 1e-13;
/// The same where soft modes are looked for beside stiff ones, and what is found is checked.
const SOFTEST_SMALL: f64 = 1e-18;
/// Difference of λ² and Rayleigh's quotient, relative, in a mode that was found.
const QUOTIENT: f64 = 1e-6;
/// An eigenvalue of the sparse method below this share of the shift is zero.
const ZERO_SHIFTED: f64 = 1e-5;
/// An eigenvalue below this share of the largest is zero: that is how well a double zero can be found.
const ZERO: f64 = 5e-7;
/// Real part, relative to the eigenvalue, below which a mode neither grows nor decays.
const NEUTRAL: f64 = 1e-8;

/// A mode.
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// Eigenvalue (1/s); of a complex pair the one with positive imaginary part.
    pub value: c64,
    /// Deviation of the unknowns in equation order, tilts in body axes.
    pub shape: Vec<c64>,
    /// Share of each node in the kinetic energy of the mode.
    pub shares: Vec<f64>,
    /// With first-order equations: names and participation factors |w_k z_k| of the states, z right and w left
    /// eigenvector with wᵀz = 1; they do not depend on units.
    pub participation: Vec<(String, f64)>,
}

impl Mode {
    /// Frequency of the oscillation (Hz), zero for a mode that does not oscillate.
    pub fn frequency(&self) -> f64 {
        self.value.im / std::f64::consts::TAU
    }

    /// Damping ratio −Re λ/|λ|.
    pub fn damping_ratio(&self) -> f64 {
        let size = self.value.norm();
        if size > 0.0 { -self.value.re / size } else { 0.0 }
    }
}

/// How eigenvalues were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EigenMethod {
    /// All of them from a dense matrix.
    Dense,
    /// The lowest from a factored sparse matrix.
    ShiftInvert,
}

/// What the eigenvalues say about stability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every deviation decays.
    AsymptoticallyStable,
    /// Deviations neither grow nor all decay.
    Stable,
    /// A deviation grows.
    Unstable,
    /// An eigenvalue is zero: the linear system cannot tell.
    Neutral,
}

/// Modes of a system.
#[derive(Clone, Debug)]
pub struct Modes {
    /// The modes, by |λ| ascending.
    pub modes: Vec<Mode>,
    /// How they were found.
    pub method: EigenMethod,
    /// Applications of the operator of the sparse method.
    pub applications: usize,
    /// What all eigenvalues found say.
    pub verdict: Verdict,
    /// Whether all eigenvalues were looked at for it.
    pub complete: bool,
    /// See [`Linear::unsteadiness`], per 1 % of the turn of the fastest body; zero at rest.
    pub unsteadiness: f64,
    /// What all eigenvalues say; of systems with first-order equations only.
    pub stability: Option<LinearStability>,
}

/// Why modes cannot be found.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ModesError {
    /// The system could not be reduced.
    #[error(transparent)]
    StateSpace(#[from] StateSpaceError),
    /// The shifted matrix is singular.
    #[error("the shifted stiffness is singular: {0}")]
    Singular(String),
    /// The sparse iteration failed.
    #[error("the iteration for the lowest modes failed: {0}")]
    Krylov(#[from] KrylovError),
    /// The dense iteration failed.
    #[error(transparent)]
    Dense(#[from] DenseError),
    /// The descriptor system could not be reduced.
    #[error(transparent)]
    Coupled(#[from] CoupledError),
}

/// The `count` lowest modes about a state with its accelerations and multipliers, seen by `observer`.
pub fn find_modes(
    system: &System,
    state: &State,
    a: &[f64],
    observer: NodeId,
    count: usize,
) -> Result<Modes, ModesError> {
    if !system.networks().is_empty() {
        return coupled_modes(system, (state, a), observer, count);
    }
    let linear = Linear::about(system, state, a, observer);
    let unsteadiness = unsteadiness(system, &linear, state, observer).map_err(|e| singular(system, &e))?;
    let freedom = system.coordinates().saturating_sub(linear.rows.len());
    let on_velocities = linear.rows.iter().filter(|&&row| linear.on_velocities[row]).count();
    let states = 2 * freedom + on_velocities;
    let count = count.min(states);
    let is_dense = system.coordinates() <= DENSE && freedom <= DENSE_FREEDOM;
    let (mut found, method, applications) = if is_dense {
        let all = dense(system, &linear)?;
        let (all, applications) = with_soft_ones(system, &linear, all, count, [freedom, states]);
        (all, EigenMethod::Dense, applications)
    } else {
        let (modes, applications) = sparse(system, &linear, count, [freedom, states], SOFTEST)?;
        (modes, EigenMethod::ShiftInvert, applications)
    };
    found.retain(|(value, _)| value.im >= 0.0);
    found.sort_by(|(a, _), (b, _)| order(a, b));
    let verdict = Verdict::of(found.iter().map(|(value, _)| *value));
    found.truncate(count);
    let modes = found.into_iter().map(|(value, shape)| {
        let shares = shares(system, &linear, &shape);
        Mode { value, shape, shares, participation: vec![] }
    });
    let complete = method == EigenMethod::Dense;
    let stability = None;
    Ok(Modes { modes: modes.collect(), method, applications, verdict, complete, unsteadiness, stability })
}

/// Modes of mechanics with first-order equations: eigenvectors of the states, x = Z z.
fn coupled_modes(
    system: &System,
    (state, a): (&State, &[f64]),
    observer: NodeId,
    count: usize,
) -> Result<Modes, ModesError> {
    let coupled = Coupled::new(system, state, a, observer)?;
    let unsteadiness =
        unsteadiness(system, &coupled.linear, state, observer).map_err(|e| singular(system, &e))?;
    let space = coupled.reduce(&[])?;
    let stability = space.judge()?;
    let (z, matrix) = (&space.reduction.by_states, &space.reduction.a);
    let n = matrix.nrows();
    // Vectors of the matrix with states in balanced units.
    let t = balance(matrix.as_ref());
    let even = Mat::from_fn(n, n, |i, j| matrix[(i, j)] * t[j] / t[i]);
    let (mut values, vectors) =
        if n == 0 { (vec![], Mat::zeros(0, 0)) } else { eigenvectors(even.as_ref())? };
    let factors = participation(&vectors);
    let scale = even.norm_max();
    for value in &mut values {
        // The judgement knows better which of them are rounding.
        let better =
            stability.values.iter().min_by(|x, y| (*x - *value).norm().total_cmp(&(*y - *value).norm()));
        if let Some(better) = better.filter(|b| (*b - *value).norm() <= 1e-6 * scale) {
            *value = *better;
        }
    }
    let mut order_of: Vec<usize> = (0..n).filter(|&k| values[k].im >= 0.0).collect();
    order_of.sort_by(|&i, &j| order(&values[i], &values[j]));
    order_of.truncate(count);
    let mode = |&k: &usize| {
        let entry = |i: usize| (0..n).map(|j| vectors[(j, k)] * (t[j] * z[(i, j)])).sum::<c64>();
        let shape = coupled.shape(entry);
        let taking = space.states.iter().cloned().zip(factors.iter().map(|f| f[k]));
        Mode {
            value: values[k],
            shares: shares(system, &coupled.linear, &shape),
            shape,
            participation: taking.collect(),
        }
    };
    Ok(Modes {
        modes: order_of.iter().map(mode).collect(),
        method: EigenMethod::Dense,
        applications: 0,
        verdict: Verdict::of(stability.values.iter().copied()),
        complete: true,
        unsteadiness,
        stability: Some(stability),
    })
}

/// |w_k z_k| of every state and mode, by states; |z_k|² where there are not enough eigenvectors.
fn participation(vectors: &Mat<c64>) -> Vec<Vec<f64>> {
    let n = vectors.nrows();
    let real = Mat::from_fn(2 * n, 2 * n, |i, j| {
        let v = vectors[(i % n, j % n)];
        match (i < n, j < n) {
            (true, true) | (false, false) => v.re,
            (true, false) => -v.im,
            (false, true) => v.im,
        }
    });
    let lu = DenseLu::new(real.as_ref()).ok();
    let mut factors = vec![vec![0.0; n]; n];
    for (i, of_state) in factors.iter_mut().enumerate() {
        // Column i of V⁻¹: entry k is w_k of state i.
        let mut column = vec![0.0; 2 * n];
        column[i] = 1.0;
        if let Some(lu) = &lu {
            lu.solve(&mut column);
        }
        for (k, factor) in of_state.iter_mut().enumerate() {
            let left = c64::new(column[k], column[n + k]);
            let product = (left * vectors[(i, k)]).norm();
            *factor = if product.is_finite() { product } else { f64::NAN };
        }
    }
    for k in 0..n {
        let total: f64 = (0..n).map(|i| factors[i][k]).sum();
        let usable = total.is_finite() && total > 0.0 && total < 1e4;
        let square: f64 = (0..n).map(|i| vectors[(i, k)].norm().powi(2)).sum();
        for (i, of_state) in factors.iter_mut().enumerate() {
            let plain = vectors[(i, k)].norm().powi(2) / square;
            of_state[k] = if usable { of_state[k] / total } else { plain };
        }
    }
    factors
}

/// By |λ|, then by the imaginary, then by the real part.
fn order(a: &c64, b: &c64) -> std::cmp::Ordering {
    let (x, y) = (a.norm(), b.norm());
    if (x - y).abs() > 1e-9 * x.max(y) {
        return x.total_cmp(&y);
    }
    if (a.im - b.im).abs() > 1e-9 * x.max(y) {
        return a.im.total_cmp(&b.im);
    }
    a.re.total_cmp(&b.re)
}

type Found = Vec<(c64, Vec<c64>)>;

/// All eigenvalues from the state space.
fn dense(system: &System, linear: &Linear) -> Result<Found, ModesError> {
    let space = StateSpace::new(system, linear)?;
    if space.a.nrows() == 0 {
        return Ok(vec![]);
    }
    // Where directions are of very unequal stiffness, states in balanced units: stiff directions would spoil the soft ones.
    let n = space.a.nrows();
    let scaled = |t: &[f64]| Mat::from_fn(n, n, |i, j| space.a[(i, j)] * t[j] / t[i]);
    let mut t = balance(space.a.as_ref());
    if scaled(&t).norm_max() > UNEVEN * space.a.norm_max() {
        t = vec![1.0; n];
    }
    let even = scaled(&t);
    let (values, vectors) = eigenvectors(even.as_ref())?;
    let values = cleaned(system, linear, values);
    let mode = |(k, value): (usize, &c64)| {
        let mut shape = vec![c64::new(0.0, 0.0); system.size()];
        for (i, &eq) in space.unknowns.iter().enumerate() {
            shape[eq] = (0..n).map(|j| vectors[(j, k)] * (t[j] * space.positions[(i, j)])).sum();
        }
        (*value, shape)
    };
    Ok(values.iter().enumerate().map(mode).collect())
}

/// The dense method finds every λ² to ε of the largest, so that soft modes are lost beside stiff ones: those are found again from the
/// factored stiffness, to ε of themselves as far as the stiffness itself is known so well. Where that fails they stay as they are.
fn with_soft_ones(
    system: &System,
    linear: &Linear,
    mut all: Found,
    count: usize,
    sizes: [usize; 2],
) -> (Found, usize) {
    all.retain(|(value, _)| value.im >= 0.0);
    all.sort_by(|(a, _), (b, _)| order(a, b));
    let largest = all.last().map_or(0.0, |(value, _)| value.norm());
    let soft = all.iter().take_while(|(value, _)| value.norm() < SOFT * largest).count();
    let conservative = is_conservative(system, linear);
    // Double zeros of other systems are not found to more digits there.
    let has_zeros = all.iter().take(soft).any(|(value, _)| value.norm() == 0.0);
    if soft == 0 || !stiff(system, linear) || (has_zeros && !conservative) {
        return (all, 0);
    }
    let Ok((mut found, applications)) = sparse(system, linear, soft.min(count), sizes, SOFTEST_SMALL) else {
        return (all, 0);
    };
    if conservative {
        // λ and −λ are one mode, which the list above has twice where it does not oscillate.
        let still = found.iter().filter(|(value, _)| value.im == 0.0);
        let back: Found = still.map(|(v, shape)| (c64::new(0.0 - v.re, 0.0), shape.clone())).collect();
        found.extend(back);
    }
    found.retain(|(value, _)| value.im >= 0.0 && value.norm() < SOFT * largest);
    found.sort_by(|(a, _), (b, _)| order(a, b));
    if conservative {
        let sound =
            found.iter().take_while(|(value, shape)| is_quotient(system, linear, value, shape)).count();
        found.truncate(sound);
    }
    let Some(reach) = found.last().map(|(value, _)| value.norm()) else { return (all, applications) };
    // Those beyond stay as they are; λ of the highest has an error there.
    let error = (4.0 * f64::EPSILON * (largest / reach).powi(2)).clamp(QUOTIENT, 0.1);
    all.retain(|(value, _)| value.norm() > reach * (1.0 + error));
    found.extend(all);
    (found, applications)
}

/// Whether −λ² is the quotient yᵀK̂y / yᵀMy, unless it is zero.
fn is_quotient(system: &System, linear: &Linear, value: &c64, shape: &[c64]) -> bool {
    let y: Vec<f64> = shape.iter().map(|c| c.re).collect();
    let product = |matrix: &[f64]| {
        let mut by = vec![0.0; y.len()];
        system.pattern().multiply(matrix, &y, &mut by);
        y.iter().zip(&by).map(|(y, b)| y * b).sum::<f64>()
    };
    let (square, quotient) = ((value * value).re, product(&linear.stiffness) / product(&linear.mass));
    square == 0.0 || (square + quotient).abs() <= QUOTIENT * square.abs()
}

/// The lowest eigenvalues by shift-invert.
fn sparse(
    system: &System,
    linear: &Linear,
    count: usize,
    [freedom, states]: [usize; 2],
    rounding: f64,
) -> Result<(Found, usize), ModesError> {
    if freedom == 0 {
        return Ok((vec![], 0));
    }
    let conservative = is_conservative(system, linear);
    let mut shift = 1e-2 * softest_square(system, linear, rounding).sqrt();
    let mut applications = 0;
    for attempt in 1.. {
        let result = match conservative {
            true => lanczos(system, linear, count.min(freedom), shift * shift),
            false => arnoldi(system, linear, (2 * count).min(states), shift),
        };
        let (found, applied) = match result {
            // From too far away modes cannot be told apart.
            Err(ModesError::Krylov(_)) if attempt < SHIFTS => {
                shift *= NEAR_SHIFT;
                continue;
            }
            result => result?,
        };
        applications += applied;
        let sizes = found.iter().map(|(value, _)| value.norm()).filter(|size| *size > 0.0);
        let lowest = sizes.fold(f64::INFINITY, f64::min);
        // Far above the modes their eigenvalues of the operator are all alike: nearer to them they are found to more digits.
        if attempt == SHIFTS || !lowest.is_finite() || lowest > NEAR_SHIFT * shift {
            return Ok((found, applications));
        }
        shift = lowest;
    }
    Ok((vec![], applications))
}

/// Multipliers take no part in a deviation.
fn clear_rows(linear: &Linear, y: &mut [f64]) {
    y.iter_mut().zip(&linear.is_row).filter(|(_, row)| **row).for_each(|(y, _)| *y = 0.0);
}

fn lanczos(system: &System, linear: &Linear, count: usize, shift: f64) -> Result<(Found, usize), ModesError> {
    let mut factors = Factors::new(system);
    factors
        .factor(system, &linear.combine(system, [1.0, 0.0, shift], 0.0))
        .map_err(|e| singular(system, &e))?;
    let pattern = system.pattern();
    let mut inner = |x: &[f64], y: &mut [f64]| pattern.multiply(&linear.mass, x, y);
    let mut operator = |x: &[f64], y: &mut [f64]| {
        pattern.multiply(&linear.mass, x, y);
        factors.solve(y);
        clear_rows(linear, y);
    };
    let n = system.size();
    let found = largest_symmetric(n, &mut operator, &mut inner, count, &KrylovSettings::default())?;
    let modes = found.pairs.into_iter().map(|pair| {
        // ω² = 1/θ − s.
        let square = 1.0 / pair.value - shift;
        let value = match square {
            _ if square.abs() <= ZERO_SHIFTED * shift => c64::new(0.0, 0.0),
            _ if square > 0.0 => c64::new(0.0, square.sqrt()),
            _ => c64::new((-square).sqrt(), 0.0),
        };
        (value, pair.vector.into_iter().map(|x| c64::new(x, 0.0)).collect())
    });
    Ok((modes.collect(), found.applications))
}

fn arnoldi(system: &System, linear: &Linear, count: usize, shift: f64) -> Result<(Found, usize), ModesError> {
    let n = system.size();
    let matrix = linear.combine(system, [1.0, shift, shift * shift], shift);
    let mut factors = Factors::new(system);
    factors.factor(system, &matrix).map_err(|e| singular(system, &e))?;
    let pattern = system.pattern();
    let mut rows = vec![0.0; linear.mass.len()];
    for_each_entry(system, |row, column, slot| {
        if linear.on_velocities[row] && !linear.is_row[column] {
            rows[slot] = linear.constraints[slot];
        }
    });
    let mut operator = |x: &[f64], out: &mut [f64]| {
        let (y, u) = x.split_at(n);
        let (y_new, u_new) = out.split_at_mut(n);
        y_new.fill(0.0);
        pattern.accumulate(&linear.mass, u, -1.0, y_new);
        pattern.accumulate(&linear.mass, y, -shift, y_new);
        pattern.accumulate(&linear.damping, y, -1.0, y_new);
        // Rows on velocities: (σG + N̂) y⁺ = −G y.
        pattern.accumulate(&rows, y, -1.0, y_new);
        factors.solve(y_new);
        clear_rows(linear, y_new);
        for i in 0..n {
            u_new[i] = y[i] + shift * y_new[i];
        }
    };
    let found = largest_general(2 * n, &mut operator, count, &KrylovSettings::default())?;
    let modes = found.pairs.into_iter().map(|pair| {
        let value = c64::new(shift, 0.0) + c64::new(1.0, 0.0) / pair.value;
        let small = value.norm() <= ZERO_SHIFTED * shift;
        (if small { c64::new(0.0, 0.0) } else { value }, pair.vector[..n].to_vec())
    });
    Ok((modes.collect(), found.applications))
}

/// Eigenvalues of A with those that are rounding set to zero.
pub(crate) fn cleaned(system: &System, linear: &Linear, mut values: Vec<c64>) -> Vec<c64> {
    let largest = values.iter().map(|v| v.norm()).fold(0.0, f64::max);
    let zero = (ZERO * largest).max(noise(system, linear));
    values.iter_mut().filter(|v| v.norm() <= zero).for_each(|v| *v = c64::new(0.0, 0.0));
    values
}

/// A rate below which an eigenvalue is rounding: a small share of what gravity and stiffness would make.
fn noise(system: &System, linear: &Linear) -> f64 {
    let fall = system.gravity.norm() / system.length_scale();
    ZERO * (fall + if stiff(system, linear) { typical_square(system, linear) } else { 0.0 }).sqrt()
}

/// Whether K̂ has any entry.
fn stiff(system: &System, linear: &Linear) -> bool {
    let diagonal = |i: usize| system.pattern().index(i, i).map_or(0.0, |slot| linear.stiffness[slot].abs());
    system.nodes().iter().flat_map(|n| n.unknowns()).any(|i| diagonal(i) > 0.0)
}

/// |K̂_ii|/M_ii of all unknowns with mass.
fn squares(system: &System, linear: &Linear) -> Vec<f64> {
    let unknowns = system.nodes().iter().flat_map(|node| node.unknowns());
    let slots = unknowns.filter_map(|i| system.pattern().index(i, i)).filter(|&slot| linear.mass[slot] > 0.0);
    slots.map(|slot| linear.stiffness[slot].abs() / linear.mass[slot]).collect()
}

/// A typical ω²: the mean of |K̂_ii|/M_ii, or 1 where nothing is stiff.
fn typical_square(system: &System, linear: &Linear) -> f64 {
    let all = squares(system, linear);
    let sum: f64 = all.iter().sum();
    if sum > 0.0 { sum / all.len() as f64 } else { 1.0 }
}

/// The ω² of the softest unknown that has any stiffness, or 1 where nothing is stiff: thin beams have rotations that are stiffer by
/// many powers of ten.
fn softest_square(system: &System, linear: &Linear, rounding: f64) -> f64 {
    let all = squares(system, linear);
    let stiff =
        all.iter().copied().filter(|&square| square > rounding * all.iter().copied().fold(0.0, f64::max));
    let least = stiff.fold(f64::INFINITY, f64::min);
    if least.is_finite() { least } else { 1.0 }
}

/// Whether Ĉ is zero, K̂ symmetric and every constraint holonomic and without friction.
fn is_conservative(system: &System, linear: &Linear) -> bool {
    let size = |x: &[f64]| x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let stiff = size(&linear.stiffness);
    let mut skew: f64 = 0.0;
    for_each_entry(system, |row, column, slot| {
        if let Some(other) = system.pattern().index(column, row) {
            skew = skew.max((linear.stiffness[slot] - linear.stiffness[other]).abs());
        }
    });
    let undamped = size(&linear.damping) <= 1e-12 * (stiff * size(&linear.mass)).sqrt();
    undamped && skew <= 1e-9 * stiff && system.frictions().is_empty() && !linear.on_velocities.contains(&true)
}

/// Share of each node in yᴴ M y.
fn shares(system: &System, linear: &Linear, shape: &[c64]) -> Vec<f64> {
    let n = system.size();
    let mut energy = vec![0.0; n];
    for part in [|c: &c64| c.re, |c: &c64| c.im] {
        let y: Vec<f64> = shape.iter().map(part).collect();
        let mut my = vec![0.0; n];
        system.pattern().multiply(&linear.mass, &y, &mut my);
        (0..n).for_each(|i| energy[i] += y[i] * my[i]);
    }
    let total: f64 = energy.iter().sum();
    let share = |range: std::ops::Range<usize>| energy[range].iter().sum::<f64>() / total;
    system.nodes().iter().map(|node| if total > 0.0 { share(node.unknowns()) } else { 0.0 }).collect()
}

impl Verdict {
    /// What eigenvalues say.
    pub fn of(values: impl IntoIterator<Item = c64>) -> Verdict {
        let (mut growing, mut zero, mut steady) = (false, false, false);
        for value in values {
            let size = value.norm();
            growing |= value.re > NEUTRAL * size;
            zero |= size == 0.0;
            steady |= value.re.abs() <= NEUTRAL * size;
        }
        match () {
            () if growing => Verdict::Unstable,
            () if zero => Verdict::Neutral,
            () if steady => Verdict::Stable,
            () => Verdict::AsymptoticallyStable,
        }
    }
}

/// Change of the matrices while the fastest body turns by one per cent of a radian.
pub(crate) fn unsteadiness(
    system: &System,
    linear: &Linear,
    state: &State,
    observer: NodeId,
) -> Result<f64, PivotError> {
    let twists = (0..system.nodes().len()).map(|k| system.twist(k, &state.v));
    let length = system.length_scale();
    let fastest = twists.map(|t| t.angular.norm().max(t.linear.norm() / length)).fold(0.0, f64::max);
    if fastest == 0.0 { Ok(0.0) } else { linear.unsteadiness(system, state, observer, 0.01 / fastest) }
}

fn singular(system: &System, error: &PivotError) -> ModesError {
    ModesError::Singular(system.equation_name(error.row))
}
