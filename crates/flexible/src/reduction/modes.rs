//! Vibrations of a body: K φ = ω² M φ, lowest first, with ΦᵀMΦ = I, and none missed.
//!
//! ```text
//! C M φ = φ / ω²      C: the answer to loads of the supported body, or of the free one in balance
//! ```
//! No shift is needed: rigid motions are kept apart exactly. The number of modes below a frequency is held
//! against the inertia of K − σM.

use super::supported::Supported;
use super::{ModeChoice, ReductionError, small};
use nalgebra::DMatrix;
use poinsot_numerics::krylov::{KrylovSettings, largest_symmetric};
use std::f64::consts::TAU;

/// |K φ − ω² M φ| against |K φ|, in the norm of the answers to loads.
const RESIDUAL: f64 = 1e-6;

/// Modes beyond those asked for, among which a gap for the count is looked for.
const BEYOND: usize = 3;

/// Relative gap of two eigenvalues between which can be counted.
const GAP: f64 = 1e-5;

/// Bodies with so few freedoms are treated as full matrices.
const DENSE: usize = 300;

/// Most freedoms of which all modes can be asked.
const MOST: usize = 3000;

/// Vibrations.
#[derive(Clone, Debug)]
pub struct Vibrations {
    /// ω² (1/s²), ascending.
    pub squares: Vec<f64>,
    /// φ as columns.
    pub shapes: DMatrix<f64>,
}

impl Vibrations {
    /// Frequencies (Hz).
    pub fn frequencies(&self) -> Vec<f64> {
        self.squares.iter().map(|square| hertz(*square)).collect()
    }

    fn none(rows: usize) -> Self {
        Vibrations { squares: vec![], shapes: DMatrix::zeros(rows, 0) }
    }

    fn first(self, count: usize) -> Self {
        let squares = self.squares[..count].to_vec();
        Vibrations { squares, shapes: self.shapes.columns(0, count).into_owned() }
    }
}

/// ω²/(2π) as a frequency (Hz).
pub fn hertz(square: f64) -> f64 {
    square.max(0.0).sqrt() / TAU
}

/// The vibrations that are chosen.
pub fn vibrations(body: &Supported, choice: ModeChoice) -> Result<Vibrations, ReductionError> {
    let available = body.freedoms();
    match choice {
        ModeChoice::Count(asked) if asked > available => {
            Err(ReductionError::TooManyModes { asked, available })
        }
        ModeChoice::Count(0) => Ok(Vibrations::none(body.body.size())),
        ModeChoice::Count(count) => some(body, count),
        ModeChoice::UpTo(frequency) if !(frequency > 0.0 && frequency.is_finite()) => {
            Err(ReductionError::Given(format!("modes up to {frequency} Hz: the frequency is not positive")))
        }
        ModeChoice::UpTo(frequency) => match body.count_below((TAU * frequency).powi(2))? {
            0 => Ok(Vibrations::none(body.body.size())),
            count => some(body, count),
        },
        ModeChoice::All if available > MOST => Err(ReductionError::Given(format!(
            "all {available} modes of a body are more than {MOST}: say how many, or up to which frequency"
        ))),
        // Masses that not every unknown has leave fewer vibrations than freedoms.
        ModeChoice::All => dense(body).or_else(|_| search(body, available, true)),
    }
}

/// The lowest `count`, fewer where the masses have fewer.
pub fn lowest(body: &Supported, count: usize) -> Result<Vibrations, ReductionError> {
    vibrations(body, ModeChoice::Count(count.min(body.freedoms())))
}

fn some(body: &Supported, count: usize) -> Result<Vibrations, ReductionError> {
    if body.freedoms() <= DENSE
        && let Ok(all) = dense(body)
    {
        return Ok(all.first(count));
    }
    let found = search(body, count, false)?;
    if found.squares.len() < count {
        return Err(ReductionError::TooManyModes { asked: count, available: found.squares.len() });
    }
    match check_count(body, &found, count) {
        Ok(()) => Ok(found.first(count)),
        // Copies of a multiple frequency can hide from a block; a search that checks itself finds them.
        Err(ReductionError::MissedModes { .. }) => {
            let found = search(body, count, true)?;
            check_count(body, &found, count)?;
            Ok(found.first(count))
        }
        Err(error) => Err(error),
    }
}

/// Block Krylov iteration.
fn search(body: &Supported, count: usize, check: bool) -> Result<Vibrations, ReductionError> {
    let n = body.body.size();
    let wanted = (count + BEYOND).min(body.freedoms());
    let mut load = vec![0.0; n];
    let mut respond = |x: &[f64], y: &mut [f64]| {
        body.body.mass.multiply(x, &mut load);
        y.copy_from_slice(&load);
        body.respond(y);
    };
    let mut inner = |x: &[f64], y: &mut [f64]| body.body.mass.multiply(x, y);
    let settings = KrylovSettings {
        tolerance: 1e-10,
        check,
        dimension: wanted + wanted / 2 + 16,
        ..KrylovSettings::default()
    };
    let spectrum = largest_symmetric(n, &mut respond, &mut inner, wanted, &settings)?;
    // What M does not see has θ = 0: not a vibration.
    let largest = spectrum.pairs.first().map_or(0.0, |pair| pair.value);
    let pairs: Vec<_> = spectrum.pairs.iter().filter(|pair| pair.value > 1e-14 * largest).collect();
    for (mode, pair) in pairs.iter().enumerate().take(count) {
        let residual = pair.residual / pair.value;
        if residual.is_nan() || residual > RESIDUAL {
            return Err(ReductionError::Inaccurate { mode: mode + 1, residual, limit: RESIDUAL });
        }
    }
    let mut shapes = DMatrix::zeros(n, pairs.len());
    pairs.iter().enumerate().for_each(|(k, pair)| shapes.column_mut(k).copy_from_slice(&pair.vector));
    ritz(body, &shapes)
}

/// ω² by Rayleigh's quotient of the space, which is better than 1/θ, and M-orthonormal shapes.
fn ritz(body: &Supported, shapes: &DMatrix<f64>) -> Result<Vibrations, ReductionError> {
    let k = small::congruence(&body.body.stiffness, shapes);
    let m = small::congruence(&body.body.mass, shapes);
    let (squares, vectors) = small::eigen(&k, &m)?;
    let mut shapes = shapes * vectors;
    small::fix_signs(&mut shapes);
    Ok(Vibrations { squares, shapes })
}

/// Holds the number of modes below a gap behind the last against the inertia.
fn check_count(body: &Supported, found: &Vibrations, count: usize) -> Result<(), ReductionError> {
    let squares = &found.squares;
    let gap = |k: &usize| squares[*k] - squares[k - 1] > GAP * squares[*k];
    // Behind the last asked for, or, in a cluster of equal frequencies, before it.
    let Some(place) = (count..squares.len()).find(gap).or_else(|| (1..count).rev().find(gap)) else {
        return Ok(());
    };
    let sigma = 0.5 * (squares[place - 1] + squares[place]);
    let counted = body.count_below(sigma)?;
    if counted == place {
        return Ok(());
    }
    Err(ReductionError::MissedModes { found: place, counted, frequency: hertz(sigma) })
}

/// All vibrations, with full matrices.
fn dense(body: &Supported) -> Result<Vibrations, ReductionError> {
    let basis = body.free_basis()?;
    ritz(body, &basis)
}
