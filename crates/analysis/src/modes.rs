//! Modes of a linearised system: eigenvalues λ and shapes y of
//!
//! ```text
//! (λ² M + λ Ĉ + K̂) y + Gᵀ μ = 0,     G y = 0,     (λ G + N̂) y = 0  on rows of velocities
//! ```
//! Small systems are reduced to independent coordinates (`reduced.rs`), and all eigenvalues come from a dense
//! pencil, each with what rounding leaves open of it. Large ones stay sparse: with the factored matrix at a
//! shift σ, the wanted eigenvalues are the largest of an operator,
//!
//! ```text
//! undamped (Ĉ = 0, K̂ symmetric):  (K̂ + sM) y⁺ + Gᵀμ = M y                                 λ² = s − 1/θ   (Lanczos)
//! else:  (K̂ + σĈ + σ²M) y⁺ + Gᵀμ = −(M u + Ĉ y + σ M y),  u⁺ = y + σ y⁺                    λ = σ + 1/θ   (Arnoldi)
//! ```
//! The constraints hold for every vector that comes out of such a solve.
//!
//! An eigenvalue is zero where it cannot be told from zero: M, Ĉ, K̂ are known to ε of their entries, so that
//!
//! ```text
//! |δλ| ≤ c ε |w|ᵀ(|K̂| + |λ||Ĉ| + |λ|²|M|)|y| / |wᵀ(2λM + Ĉ) y|          w the left vector
//! ```

use crate::coupled::{Coupled, CoupledError};
use crate::linear::{Linear, for_each_entry};
use crate::reduced::{Kind, Reduced, invert};
use crate::stability::LinearStability;
use crate::state_space::StateSpaceError;
use crate::steadiness::{Changing, changing};
use poinsot_integrators::Factors;
use poinsot_mechanics::{NodeId, State, System};
use poinsot_numerics::dense::{DenseError, DenseLu, Mat, c64};
use poinsot_numerics::krylov::{KrylovError, KrylovSettings, largest_general, largest_symmetric};
use poinsot_numerics::lu::PivotError;
use poinsot_numerics::pencil::{PencilPair, ROUNDINGS};
use poinsot_numerics::pole_placement::balance;
use thiserror::Error;

/// Up to so many unknowns and degrees of freedom the dense method is used.
const DENSE: usize = 900;
const DENSE_FREEDOM: usize = 160;
/// Up to so many it is used where the sparse one fails.
const DENSE_LATER: usize = 600;
/// Most shifts that the sparse method tries, and the lowest eigenvalue relative to a shift that is near
/// enough.
const SHIFTS: usize = 8;
const NEAR_SHIFT: f64 = 0.1;
/// Applications of the operator at all but the last shift at most: so many, and so many for each eigenvalue.
const PATIENCE: [usize; 2] = [400, 20];
/// A shift that leaves more than so many times open of a zero than the matrices do comes nearer, at most by
/// this factor.
const FAR_SHIFT: f64 = 3.0;
const LONG: f64 = 1e-4;
/// Stiffness by mass of an unknown, relative to the largest, that counts as rounding.
const SOFTEST: f64 = 1e-13;
/// An eigenvalue of the sparse method below this share of the shift is zero.
const ZERO_SHIFTED: f64 = 1e-5;
/// λ² below this share of what gravity would make is rounding of the state of rest.
const AT_REST: f64 = 1e-13;
/// Zero eigenvalues known to less than this share of the slowest other one may be anything.
const TOLD_APART: f64 = 0.1;
/// Real part, relative to the eigenvalue, below which a mode neither grows nor decays.
const NEUTRAL: f64 = 1e-8;

/// A mode.
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// Eigenvalue (1/s); of a complex pair the one with positive imaginary part.
    pub value: c64,
    /// Deviation of the unknowns in equation order, tilts in body axes.
    pub shape: Vec<c64>,
    /// What rounding of the matrices leaves open of the eigenvalue (1/s): one that is zero may be as large as
    /// this.
    pub error: f64,
    /// Share of each node in the kinetic energy of the mode.
    pub shares: Vec<f64>,
    /// With first-order equations: names and participation factors |w_k z_k| of the states, z right and w
    /// left eigenvector with wᵀz = 1; they do not depend on units.
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
pub enum EigenvalueVerdict {
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
    pub verdict: EigenvalueVerdict,
    /// Whether all eigenvalues were looked at for it.
    pub complete: bool,
    /// Modes that cannot be told from zero although others are as slow: stiffness beside which theirs is
    /// rounding.
    pub unresolved: usize,
    /// How the linearised system changes with time: then the eigenvalues of one instant judge nothing.
    pub changing: Option<Changing>,
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
    let changing = changing(system, state, a, observer);
    let freedom = system.coordinates().saturating_sub(linear.rows.len());
    let on_velocities = linear.rows.iter().filter(|&&row| linear.on_velocities[row]).count();
    let states = 2 * freedom + on_velocities;
    let count = count.min(states);
    let is_dense = system.coordinates() <= DENSE && freedom <= DENSE_FREEDOM;
    let lowest = if is_dense { None } else { Some(sparse(system, &linear, count, [freedom, states])) };
    // Where the stiffest parts leave the iteration nothing to tell, all eigenvalues may.
    let small = system.coordinates() <= DENSE && freedom <= DENSE_LATER;
    let (mut found, method, applications) = match lowest {
        Some(Ok((modes, applications))) if !small || open(&modes) == 0 => {
            (modes, EigenMethod::ShiftInvert, applications)
        }
        Some(Err(error)) if !small || !matches!(error, ModesError::Krylov(_)) => return Err(error),
        _ => (dense(system, &linear)?, EigenMethod::Dense, 0),
    };
    found.retain(|mode| mode.value.im >= 0.0);
    found.sort_by(|a, b| order(&a.value, &b.value));
    let verdict = EigenvalueVerdict::of(found.iter().map(Solution::judged));
    let unresolved = open(&found);
    found.truncate(count);
    let modes = found.into_iter().map(|Solution { value, shape, error }| {
        let shares = shares(system, &linear, &shape);
        Mode { value, shape, error, shares, participation: vec![] }
    });
    let complete = method == EigenMethod::Dense;
    let (modes, stability) = (modes.collect(), None);
    Ok(Modes { modes, method, applications, verdict, complete, unresolved, changing, stability })
}

/// Zeros that may be as fast as the slowest of the others.
fn unresolved(found: impl Iterator<Item = (c64, f64)>) -> usize {
    let (zero, moving): (Vec<_>, Vec<_>) = found.partition(|(value, _)| value.norm() == 0.0);
    let slowest = moving.iter().map(|(value, _)| value.norm()).fold(f64::INFINITY, f64::min);
    zero.iter().filter(|(_, error)| *error > TOLD_APART * slowest).count()
}

fn open(found: &[Solution]) -> usize {
    unresolved(found.iter().map(|mode| (mode.value, mode.error)))
}

/// Modes of mechanics with first-order equations: eigenvectors of the states, x = Z z.
fn coupled_modes(
    system: &System,
    (state, a): (&State, &[f64]),
    observer: NodeId,
    count: usize,
) -> Result<Modes, ModesError> {
    let coupled = Coupled::new(system, state, a, observer)?;
    let changing = changing(system, state, a, observer);
    let space = coupled.reduce(&[])?;
    let (stability, pairs) = space.judge()?;
    let z = &space.reduction.by_states;
    let n = pairs.len();
    // States in units in which their matrix is balanced, for vectors of one size.
    let t = balance(space.reduction.a.as_ref());
    let vectors = Mat::from_fn(n, n, |i, k| pairs[k].vector[i] / t[i]);
    let unit: Vec<f64> =
        (0..n).map(|k| (0..n).map(|i| vectors[(i, k)].norm()).fold(f64::MIN_POSITIVE, f64::max)).collect();
    let factors = participation(&Mat::from_fn(n, n, |i, k| vectors[(i, k)] / unit[k]));
    let mut order_of: Vec<usize> = (0..n).filter(|&k| pairs[k].value.im >= 0.0).collect();
    order_of.sort_by(|&i, &j| order(&pairs[i].value, &pairs[j].value));
    let unresolved = unresolved(order_of.iter().map(|&k| (pairs[k].value, pairs[k].error)));
    order_of.truncate(count);
    let mode = |&k: &usize| {
        let pair = &pairs[k];
        let shape = coupled.shape(|i| (0..n).map(|j| pair.vector[j] / unit[k] * z[(i, j)]).sum::<c64>());
        let taking = space.states.iter().cloned().zip(factors.iter().map(|f| f[k]));
        Mode {
            value: pair.value,
            error: pair.error,
            shares: shares(system, &coupled.linear, &shape),
            shape,
            participation: taking.collect(),
        }
    };
    Ok(Modes {
        modes: order_of.iter().map(mode).collect(),
        method: EigenMethod::Dense,
        applications: 0,
        verdict: EigenvalueVerdict::of(stability.values.iter().copied()),
        complete: true,
        unresolved,
        changing,
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

/// An eigenvalue with its shape and what rounding leaves open of it.
struct Solution {
    value: c64,
    shape: Vec<c64>,
    error: f64,
}

impl Solution {
    /// The eigenvalue on the axis if it cannot be told from there.
    fn judged(&self) -> c64 {
        if self.value.re.abs() <= self.error { c64::new(0.0, self.value.im) } else { self.value }
    }
}

type Found = Vec<Solution>;

const NOTHING: c64 = c64::new(0.0, 0.0);

/// All eigenvalues, of pairs both, from independent coordinates.
fn dense(system: &System, linear: &Linear) -> Result<Found, ModesError> {
    let reduced = Reduced::new(system, linear)?;
    let found = eigenvalues(system, &reduced)?;
    let (z, rates) = (&reduced.z.basis.value, &reduced.z.basis.value * &reduced.u.basis.value);
    let np = z.ncols();
    let solution = |Eigen { value, x, error }: Eigen| {
        let product = |m: &Mat<f64>, x: &[c64]| {
            let mut y = vec![NOTHING; system.size()];
            for (i, &eq) in reduced.unknowns.iter().enumerate() {
                y[eq] = (0..x.len()).map(|j| x[j] * m[(i, j)]).sum();
            }
            y
        };
        let mut shape = product(z, &x[..np]);
        // What stands above a zero eigenvector is a speed, not a place.
        if value == NOTHING && x.len() > np {
            let speed = product(&rates, &x[np..]);
            let size = |y: &[c64]| y.iter().map(|y| y.norm()).fold(0.0, f64::max);
            shape = if size(&shape) > 1e-6 * size(&speed) { shape } else { speed };
        }
        let error = if value == NOTHING { error.max(resolution(system, linear, &shape)) } else { error };
        Solution { value, shape, error }
    };
    Ok(found.into_iter().map(solution).collect())
}

/// An eigenvalue with the coordinates, or with coordinates and velocities (q, w).
pub(crate) struct Eigen {
    pub value: c64,
    x: Vec<c64>,
    error: f64,
}

/// All eigenvalues, of pairs both; zero where they cannot be told from that.
pub(crate) fn eigenvalues(system: &System, reduced: &Reduced) -> Result<Vec<Eigen>, StateSpaceError> {
    if reduced.mass.value.nrows() > 0 && invert(&reduced.mass.value)?.is_none() {
        return Err(StateSpaceError::NoInertia(reduced.lightest(system)));
    }
    let kind = reduced.kind();
    let pairs = reduced.pencil(kind).eigen(kind == Kind::Conservative)?;
    let rest = AT_REST * system.gravity.norm() / system.length_scale();
    let mut found = vec![];
    for PencilPair { value, vector, error, .. } in pairs {
        // What is open of a motion without stiffness the shape tells better, see `resolution`.
        let error = if value == NOTHING { 0.0 } else { error };
        if kind == Kind::General {
            let zero = value.norm() <= error;
            found.push(Eigen { value: if zero { NOTHING } else { value }, x: vector, error });
            continue;
        }
        // λ² = −μ.
        let zero = value.norm() <= error.max(rest);
        let root = if zero { NOTHING } else { (-value).sqrt() };
        // No negative zeros.
        let root = c64::new(root.re + 0.0, root.im + 0.0);
        let error = if zero { error.sqrt() } else { error / (2.0 * root.norm()) };
        found.push(Eigen { value: root, x: vector.clone(), error });
        found.push(Eigen { value: NOTHING - root, x: vector, error });
    }
    Ok(found)
}

/// The rate below which a motion without stiffness cannot be told from a slow one: λ² = c ε |y|ᵀ|K̂||y|/yᴴMy.
fn resolution(system: &System, linear: &Linear, shape: &[c64]) -> f64 {
    let y: Vec<f64> = shape.iter().map(|c| c.norm()).collect();
    let form = |matrix: &[f64]| {
        let sizes: Vec<f64> = matrix.iter().map(|v| v.abs()).collect();
        let mut by = vec![0.0; y.len()];
        system.pattern().multiply(&sizes, &y, &mut by);
        y.iter().zip(&by).map(|(y, b)| y * b).sum::<f64>()
    };
    let mass = form(&linear.mass);
    if mass > 0.0 { (ROUNDINGS * form(&linear.sizes.stiffness) / mass).sqrt() } else { 0.0 }
}

/// The lowest eigenvalues by shift-invert.
fn sparse(
    system: &System,
    linear: &Linear,
    count: usize,
    [freedom, states]: [usize; 2],
) -> Result<(Found, usize), ModesError> {
    if freedom == 0 {
        return Ok((vec![], 0));
    }
    let conservative = is_conservative(system, linear);
    // Rate that is zero by a shift, relative to it.
    let blur = if conservative { ZERO_SHIFTED.sqrt() } else { ZERO_SHIFTED };
    let mut shift = 1e-2 * softest_square(system, linear).sqrt();
    let mut applications = 0;
    for attempt in 1.. {
        // Where they cannot be told apart from here, a nearer shift does it in fewer.
        let patience = if attempt < SHIFTS {
            PATIENCE[0] + PATIENCE[1] * count
        } else {
            KrylovSettings::default().applications
        };
        let settings = KrylovSettings { applications: patience, ..KrylovSettings::default() };
        let result = match conservative {
            true => lanczos(system, linear, count.min(freedom), shift * shift, &settings),
            false => arnoldi(system, linear, (2 * count).min(states), shift, &settings),
        };
        let (mut found, applied) = match result {
            // From too far away modes cannot be told apart.
            Err(ModesError::Krylov(_)) if attempt < SHIFTS => {
                shift *= NEAR_SHIFT;
                continue;
            }
            result => result?,
        };
        applications += applied;
        let sizes = found.iter().map(|mode| mode.value.norm()).filter(|size| *size > 0.0);
        let lowest = sizes.fold(f64::INFINITY, f64::min);
        // Those that are zero from here: what the matrices leave open of them, and what the shift does.
        let zeros = found.iter_mut().filter(|mode| mode.value == NOTHING);
        let open = zeros.map(|mode| {
            let own = resolution(system, linear, &mode.shape);
            mode.error = own.max(blur * shift);
            own
        });
        let open = open.fold(f64::INFINITY, f64::min);
        let nearer = match () {
            () if open.is_finite() && blur * shift > FAR_SHIFT * open => (open / blur).max(LONG * shift),
            // Far above the modes their eigenvalues of the operator are all alike: nearer to them they are
            // found to more digits.
            () if lowest.is_finite() && lowest <= NEAR_SHIFT * shift => lowest,
            () => return Ok((found, applications)),
        };
        if attempt == SHIFTS {
            return Ok((found, applications));
        }
        shift = nearer;
    }
    Ok((vec![], applications))
}

/// Multipliers take no part in a deviation.
fn clear_rows(linear: &Linear, y: &mut [f64]) {
    y.iter_mut().zip(&linear.is_row).filter(|(_, row)| **row).for_each(|(y, _)| *y = 0.0);
}

fn lanczos(
    system: &System,
    linear: &Linear,
    count: usize,
    shift: f64,
    settings: &KrylovSettings,
) -> Result<(Found, usize), ModesError> {
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
    let found = largest_symmetric(n, &mut operator, &mut inner, count, settings)?;
    let modes = found.pairs.into_iter().map(|pair| {
        // ω² = 1/θ − s.
        let square = 1.0 / pair.value - shift;
        let value = match square {
            _ if square.abs() <= ZERO_SHIFTED * shift => c64::new(0.0, 0.0),
            _ if square > 0.0 => c64::new(0.0, square.sqrt()),
            _ => c64::new((-square).sqrt(), 0.0),
        };
        let shape: Vec<c64> = pair.vector.into_iter().map(|x| c64::new(x, 0.0)).collect();
        Solution { error: error(system, linear, value, &shape), value, shape }
    });
    Ok((modes.collect(), found.applications))
}

fn arnoldi(
    system: &System,
    linear: &Linear,
    count: usize,
    shift: f64,
    settings: &KrylovSettings,
) -> Result<(Found, usize), ModesError> {
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
    let found = largest_general(2 * n, &mut operator, count, settings)?;
    let modes = found.pairs.into_iter().map(|pair| {
        let value = c64::new(shift, 0.0) + c64::new(1.0, 0.0) / pair.value;
        let value = if value.norm() <= ZERO_SHIFTED * shift { NOTHING } else { value };
        let shape = pair.vector[..n].to_vec();
        Solution { error: error(system, linear, value, &shape), value, shape }
    });
    Ok((modes.collect(), found.applications))
}

/// What rounding of the matrices leaves open of an eigenvalue, with the shape itself as left vector.
fn error(system: &System, linear: &Linear, value: c64, shape: &[c64]) -> f64 {
    if value == NOTHING {
        return 0.0;
    }
    let sizes: Vec<f64> = shape.iter().map(|c| c.norm()).collect();
    let rate = value.norm();
    let (mut terms, mut slope) = (0.0, NOTHING);
    for_each_entry(system, |i, j, slot| {
        let (m, c) = (linear.mass[slot], linear.damping[slot]);
        let (by_rate, by_place) = (linear.sizes.damping[slot], linear.sizes.stiffness[slot]);
        terms += sizes[i] * sizes[j] * (by_place + rate * by_rate + rate * rate * m.abs());
        slope += shape[i].conj() * shape[j] * (value * (2.0 * m) + c);
    });
    if slope.norm() > 0.0 { ROUNDINGS * terms / slope.norm() } else { f64::INFINITY }
}

/// |K̂_ii|/M_ii of all unknowns with mass.
fn squares(system: &System, linear: &Linear) -> Vec<f64> {
    let unknowns = system.nodes().iter().flat_map(|node| node.unknowns());
    let slots = unknowns.filter_map(|i| system.pattern().index(i, i)).filter(|&slot| linear.mass[slot] > 0.0);
    slots.map(|slot| linear.stiffness[slot].abs() / linear.mass[slot]).collect()
}

/// The ω² of the softest unknown that has any stiffness, or 1 where nothing is stiff: thin beams have
/// rotations that are stiffer by many powers of ten.
fn softest_square(system: &System, linear: &Linear) -> f64 {
    let all = squares(system, linear);
    let stiff =
        all.iter().copied().filter(|&square| square > SOFTEST * all.iter().copied().fold(0.0, f64::max));
    let least = stiff.fold(f64::INFINITY, f64::min);
    if least.is_finite() { least } else { 1.0 }
}

/// Whether Ĉ is zero, K̂ symmetric and every constraint holonomic, and no force depends on
/// multipliers.
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
    undamped && skew <= 1e-9 * stiff && !system.is_pressed() && !linear.on_velocities.contains(&true)
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

impl EigenvalueVerdict {
    /// What eigenvalues say.
    pub fn of(values: impl IntoIterator<Item = c64>) -> EigenvalueVerdict {
        let (mut growing, mut zero, mut steady) = (false, false, false);
        for value in values {
            let size = value.norm();
            growing |= value.re > NEUTRAL * size;
            zero |= size == 0.0;
            steady |= value.re.abs() <= NEUTRAL * size;
        }
        match () {
            () if growing => EigenvalueVerdict::Unstable,
            () if zero => EigenvalueVerdict::Neutral,
            () if steady => EigenvalueVerdict::Stable,
            () => EigenvalueVerdict::AsymptoticallyStable,
        }
    }
}

fn singular(system: &System, error: &PivotError) -> ModesError {
    ModesError::Singular(system.equation_name(error.row))
}
