//! Small motions about a periodic motion, in independent coordinates that are periodic too
//! (motion-interpolation-galerkin §1.19).
//!
//! At odd many equidistant times of a period the matrices of [`Linear`] are known. Displacements y are
//! written in an orthonormal basis N(t) of the directions that the constraints leave free, G N = 0:
//!
//! ```text
//! y = N p,     y′ = N p′ + Ṅ p,     y″ = N p″ + 2 Ṅ p′ + N̈ p
//! Nᵀ M N p″ + Nᵀ(Ĉ N + 2 M Ṅ) p′ + Nᵀ(K̂ N + Ĉ Ṅ + M N̈) p + Nᵀ Ĉ_η η = 0
//! M_η η̇ + Ĉ_ηη η + Ĉ_ηy (N p′ + Ṅ p) + K̂_ηy N p = 0
//! ```
//! N goes from time to time as the nearest basis, N_k = orth(P_k N_{k−1}) with the projector P onto the free
//! directions. After a period it comes back turned, N_n = N_0 H; N_k exp(−k/n log H) comes back as it was. Ṅ
//! and N̈ are derivatives of the trigonometric polynomials through the N_k, tilts seen in axes that stand
//! still, as [`Linear`] has them, and turned back into those of the frames.

use crate::linear::Linear;
use crate::reduced::invert;
use crate::state_space::MAX_DENSE;
use crate::tangent::units;
use poinsot_geometry::Vec3;
use poinsot_geometry::interpolation::Fourier;
use poinsot_mechanics::{Chart, GROUND, State, System};
use poinsot_numerics::dense::{DenseError, Mat, expand, symmetric_eigen};
use poinsot_numerics::subspace::{null_space, orthonormal_factor};
use std::f64::consts::PI;
use thiserror::Error;

/// Singular values of constraints below this part of the largest belong to dependent ones.
const DEPENDENT: f64 = 1e-10;
/// The cosine of the angle between the free directions at neighbouring times must be larger.
const LEAST_COSINE: f64 = 0.3;
/// Turns that are half ones within this have no real logarithm.
const HALF_TURN: f64 = 1e-6;
/// sin sφ/sin φ = s for smaller angles.
const TINY_TURN: f64 = 1e-8;

/// x′ = A(t) x, x = (p, p′, η), at equidistant times of a period.
#[derive(Clone, Debug)]
pub struct PeriodicLinear {
    /// A at each time.
    pub samples: Vec<Mat<f64>>,
    /// The period (s).
    pub period: f64,
    /// N at each time, a row for each of [`Self::unknowns`].
    pub basis: Vec<Mat<f64>>,
    /// Equations of the displacements.
    pub unknowns: Vec<usize>,
    /// Equations of the variables.
    pub variables: Vec<usize>,
}

/// Why small motions about a periodic one have no such form.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum PeriodicLinearError {
    /// Samples must be odd in number.
    #[error("{0} times in a period: an odd number is needed, at least 3")]
    Samples(usize),
    /// Too many unknowns for dense matrices.
    #[error("the system has {0} unknowns, more than the {MAX_DENSE} that dense matrices are made for")]
    TooLarge(usize),
    /// Rows on velocities.
    #[error("{0} is a constraint on velocities, which leaves more places than directions")]
    OnVelocities(String),
    /// The directions turn too far between two times.
    #[error("the free directions turn too far from one time to the next: take more than {0} times")]
    TurnsTooFar(usize),
    /// The number of free directions changes.
    #[error("the number of free directions changes on the way, at t = {0}")]
    Singular(f64),
    /// A direction that is free at the start and is to turn with given ones is held on the way.
    #[error("a free direction is held on the way, at t = {t}")]
    HeldOnTheWay {
        /// When.
        t: f64,
        /// The part of it that is held.
        share: f64,
    },
    /// The basis comes back mirrored.
    #[error("the free directions come back mirrored after one period: take two")]
    Mirrored,
    /// A variable without a rate.
    #[error("equations without rates leave no explicit rates of variables")]
    NoRates,
    /// A freedom without mass.
    #[error("a freedom has no inertia")]
    NoInertia,
    /// A dense computation failed.
    #[error(transparent)]
    Dense(#[from] DenseError),
}

/// Bases at all times from those of the free directions.
type Bases<'a> = &'a dyn Fn(&[Mat<f64>]) -> Result<Vec<Mat<f64>>, PeriodicLinearError>;

/// Matrices at one time, in the unknowns of [`PeriodicLinear`].
struct Matrices {
    mass: Mat<f64>,
    damping: Mat<f64>,
    stiffness: Mat<f64>,
}

impl PeriodicLinear {
    /// About a motion of which states and accelerations (with multipliers and rates) are known at n times
    /// k T/n. It closes after T, be it up to whole turns.
    pub fn along(
        system: &System,
        motion: &[(State, Vec<f64>)],
        period: f64,
    ) -> Result<Self, PeriodicLinearError> {
        Self::with_basis(system, motion, period, &periodic_basis)
    }

    /// The same with directions that are constant seen through orthogonal matrices C(t), which come back
    /// after the period: N(t) = Cᵀ(t) C(0) N(0). A part of them that constraints do not leave free must be
    /// below a limit.
    pub fn turned(
        system: &System,
        motion: &[(State, Vec<f64>)],
        period: f64,
        turns: &[Mat<f64>],
        limit: f64,
    ) -> Result<Self, PeriodicLinearError> {
        let along = |free: &[Mat<f64>]| {
            let first = &turns[0] * &free[0];
            let mut basis = vec![];
            for (k, turn) in turns.iter().enumerate() {
                let n = turn.transpose() * &first;
                let inside = &free[k] * (free[k].transpose() * &n);
                let share = (&n - inside).norm_max();
                if share.is_nan() || share > limit {
                    return Err(PeriodicLinearError::HeldOnTheWay { t: motion[k].0.t, share });
                }
                basis.push(n);
            }
            Ok(basis)
        };
        Self::with_basis(system, motion, period, &along)
    }

    fn with_basis(
        system: &System,
        motion: &[(State, Vec<f64>)],
        period: f64,
        choose: Bases<'_>,
    ) -> Result<Self, PeriodicLinearError> {
        let count = motion.len();
        if count < 3 || count.is_multiple_of(2) {
            return Err(PeriodicLinearError::Samples(count));
        }
        let unknowns: Vec<usize> = system.nodes().iter().flat_map(|n| n.unknowns()).collect();
        let variables = system.variable_equations();
        let size = unknowns.len() + variables.len();
        if size > MAX_DENSE {
            return Err(PeriodicLinearError::TooLarge(size));
        }
        let all: Vec<usize> = unknowns.iter().chain(&variables).copied().collect();
        let (mut free, mut matrices) = (vec![], vec![]);
        for (state, a) in motion {
            let linear = Linear::about(system, state, a, GROUND);
            let on_velocities = linear.rows.iter().find(|&&row| linear.on_velocities[row]);
            if let Some(&row) = on_velocities {
                return Err(PeriodicLinearError::OnVelocities(system.equation_name(row)));
            }
            free.push(free_directions(system, &linear, &unknowns)?);
            let part = |values: &[f64]| part(&expand(system.pattern(), values), &all);
            matrices.push(Matrices {
                mass: part(&linear.mass),
                damping: part(&linear.damping),
                stiffness: part(&linear.stiffness),
            });
        }
        if let Some(k) = free.iter().position(|n: &Mat<f64>| n.ncols() != free[0].ncols()) {
            return Err(PeriodicLinearError::Singular(motion[k].0.t));
        }
        let scaled = choose(&free)?;
        let unit = units(system, system.length_scale());
        let lengths = |n: &Mat<f64>| Mat::from_fn(n.nrows(), n.ncols(), |i, j| unit[unknowns[i]] * n[(i, j)]);
        let basis: Vec<Mat<f64>> = scaled.iter().map(lengths).collect();
        // y′ and y″ are those of displacements and tilts in axes that stand still.
        let turned = |all: &[Mat<f64>], still: bool| -> Vec<Mat<f64>> {
            let at_times = all.iter().zip(motion);
            at_times.map(|(n, (state, _))| turned_tilts(system, state, &unknowns, n, still)).collect()
        };
        let still_rates = derivatives(&turned(&basis, true), period);
        let seconds = turned(&derivatives(&still_rates, period), false);
        let rates = turned(&still_rates, false);
        let samples = matrices
            .iter()
            .enumerate()
            .map(|(k, matrices)| matrices.states([&basis[k], &rates[k], &seconds[k]]))
            .collect::<Result<_, _>>()?;
        Ok(PeriodicLinear { samples, period, basis, unknowns, variables })
    }
}

impl Matrices {
    /// A for y = N p.
    fn states(&self, [n, dn, ddn]: [&Mat<f64>; 3]) -> Result<Mat<f64>, PeriodicLinearError> {
        let (y, f) = (n.nrows(), n.ncols());
        let m = self.mass.nrows() - y;
        // Rows and columns of displacements and of variables.
        let block = |a: &Mat<f64>, [i, j]: [usize; 2]| {
            let sizes = [(0, y), (y, m)];
            a.submatrix(sizes[i].0, sizes[j].0, sizes[i].1, sizes[j].1).to_owned()
        };
        let at = |a: &Mat<f64>| block(a, [0, 0]);
        let (mass, damping, stiffness) = (at(&self.mass), at(&self.damping), at(&self.stiffness));
        let left = n.transpose();
        let by_velocity = left * (&damping * n + &mass * dn * 2.0);
        let by_position = left * (&stiffness * n + &damping * dn + &mass * ddn);
        let by_variables = left * block(&self.damping, [0, 1]);
        let inertia = invert(&(left * &mass * n))?.ok_or(PeriodicLinearError::NoInertia)?;
        let rates = invert(&block(&self.mass, [1, 1]))?.ok_or(PeriodicLinearError::NoRates)?;
        let (reads_speed, reads_place) = (block(&self.damping, [1, 0]), block(&self.stiffness, [1, 0]));
        let rows = [
            &inertia * by_position * -1.0,
            &inertia * by_velocity * -1.0,
            &inertia * by_variables * -1.0,
            &rates * (&reads_speed * dn + &reads_place * n) * -1.0,
            &rates * (&reads_speed * n) * -1.0,
            &rates * block(&self.damping, [1, 1]) * -1.0,
        ];
        Ok(Mat::from_fn(2 * f + m, 2 * f + m, |i, j| {
            let column = [(0, f), (f, f), (2 * f, m)].iter().position(|(first, size)| j < first + size);
            let column = column.unwrap_or(2);
            let j = j - [0, f, 2 * f][column];
            match i {
                _ if i < f => f64::from(u8::from(column == 1 && i == j)),
                _ if i < 2 * f => rows[column][(i - f, j)],
                _ => rows[3 + column][(i - 2 * f, j)],
            }
        }))
    }
}

/// Rows of tilts, which are in the axes of frames that turn, in axes that stand still, or back.
fn turned_tilts(
    system: &System,
    state: &State,
    unknowns: &[usize],
    matrix: &Mat<f64>,
    still: bool,
) -> Mat<f64> {
    let mut out = matrix.clone();
    for (node, frame) in system.nodes().iter().zip(&state.frames) {
        if node.chart != Chart::Motion {
            continue;
        }
        let tilt = node.unknowns().start + 3;
        let Some(first) = unknowns.iter().position(|&e| e == tilt) else { continue };
        for c in 0..matrix.ncols() {
            let x = Vec3::from_fn(|k, _| matrix[(first + k, c)]);
            let x = if still { frame.rot * x } else { frame.rot.tr_mul(&x) };
            (0..3).for_each(|k| out[(first + k, c)] = x[k]);
        }
    }
    out
}

/// Rows and columns of some unknowns.
fn part(full: &Mat<f64>, all: &[usize]) -> Mat<f64> {
    Mat::from_fn(all.len(), all.len(), |i, j| full[(all[i], all[j])])
}

/// An orthonormal basis of the directions that the constraints leave free, lengths in units of the model.
fn free_directions(
    system: &System,
    linear: &Linear,
    unknowns: &[usize],
) -> Result<Mat<f64>, PeriodicLinearError> {
    let n = unknowns.len();
    if linear.rows.is_empty() {
        return Ok(Mat::identity(n, n));
    }
    let unit = units(system, system.length_scale());
    let full = expand(system.pattern(), &linear.constraints);
    let mut g =
        Mat::from_fn(linear.rows.len(), n, |i, j| full[(linear.rows[i], unknowns[j])] * unit[unknowns[j]]);
    for i in 0..g.nrows() {
        let norm = (0..n).map(|j| g[(i, j)].powi(2)).sum::<f64>().sqrt();
        (0..n).for_each(|j| g[(i, j)] /= norm.max(f64::MIN_POSITIVE));
    }
    Ok(null_space(g.as_ref(), DEPENDENT)?.0)
}

/// Bases of the same spaces that go from one to the next, and from the last to the first, without a jump.
fn periodic_basis(free: &[Mat<f64>]) -> Result<Vec<Mat<f64>>, PeriodicLinearError> {
    let (count, f) = (free.len(), free[0].ncols());
    if f == 0 {
        return Ok(free.to_vec());
    }
    let next = |space: &Mat<f64>, before: &Mat<f64>| -> Result<Mat<f64>, PeriodicLinearError> {
        let (turn, cosine) = orthonormal_factor((space.transpose() * before).as_ref())?;
        if cosine < LEAST_COSINE {
            return Err(PeriodicLinearError::TurnsTooFar(count));
        }
        Ok(space * turn)
    };
    let mut basis = vec![free[0].clone()];
    for space in &free[1..] {
        basis.push(next(space, &basis[basis.len() - 1])?);
    }
    let back = next(&free[0], &basis[count - 1])?;
    let turned = basis[0].transpose() * back;
    let turned = Rotation::new(&turned)?;
    for (k, n) in basis.iter_mut().enumerate() {
        *n = &*n * turned.power(-(k as f64) / count as f64);
    }
    Ok(basis)
}

/// Powers of an orthogonal matrix H. With C = (H + Hᵀ)/2, S = (H − Hᵀ)/2, C v = cos φ v:
///
/// ```text
/// H^s = Σ_v [cos sφ + (sin sφ/sin φ) S] v vᵀ
/// ```
struct Rotation {
    angles: Vec<f64>,
    vectors: Mat<f64>,
    /// S v.
    turned: Mat<f64>,
}

impl Rotation {
    fn new(h: &Mat<f64>) -> Result<Self, PeriodicLinearError> {
        let f = h.nrows();
        let part = |sign: f64| Mat::from_fn(f, f, |i, j| 0.5 * (h[(i, j)] + sign * h[(j, i)]));
        let (cosines, vectors) = symmetric_eigen(part(1.0).as_ref(), Mat::identity(f, f).as_ref())?;
        let turned = part(-1.0) * &vectors;
        let angle = |(k, cosine): (usize, &f64)| turned.col(k).norm_l2().atan2(*cosine);
        let angles: Vec<f64> = cosines.iter().enumerate().map(angle).collect();
        if angles.iter().any(|angle| PI - angle < HALF_TURN) {
            return Err(PeriodicLinearError::Mirrored);
        }
        Ok(Rotation { angles, vectors, turned })
    }

    /// H^s.
    fn power(&self, s: f64) -> Mat<f64> {
        let f = self.angles.len();
        let scaled = Mat::from_fn(f, f, |i, k| {
            let angle = self.angles[k];
            let share = if angle < TINY_TURN { s } else { (s * angle).sin() / angle.sin() };
            (s * angle).cos() * self.vectors[(i, k)] + share * self.turned[(i, k)]
        });
        scaled * self.vectors.transpose()
    }
}

/// Derivatives at all times of the trigonometric polynomials through some matrices.
pub(crate) fn derivatives(values: &[Mat<f64>], period: f64) -> Vec<Mat<f64>> {
    let basis = Fourier::new(values.len(), 0.0, period).expect("an odd number of times, and a period");
    let derivative = |k: usize| {
        let mut sum = Mat::zeros(values[0].nrows(), values[0].ncols());
        for (j, value) in values.iter().enumerate() {
            sum += value * basis.derivative(k, j);
        }
        sum
    };
    (0..values.len()).map(derivative).collect()
}
