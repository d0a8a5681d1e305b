//! A guess of a periodic motion near an equilibrium: the swing that grows most, or dies away least, as it is
//! born where a pair of eigenvalues crosses the imaginary axis (a Hopf point).
//!
//! ```text
//! Φ(h) S N u = μ S N u,     σ = ln μ / h,     T = 2π/|Im σ|,     x(t) = x_0 ∘ a S N Re(u e^{i |Im σ| t})
//! ```
//! with the derivative Φ of a short step from the equilibrium, u of the largest entry one.

use crate::periodic::changes::Changes;
use crate::periodic::error::PeriodicError;
use crate::periodic::scheme::PeriodicScheme;
use poinsot_integrators::CollocationPoints;
use poinsot_mechanics::{State, System};
use poinsot_numerics::dense::{Mat, c64, eigenvectors};
use std::f64::consts::TAU;

/// Largest |ln μ| of a step.
const LARGEST: f64 = 0.5;
/// The step is made shorter so often, by four each time.
const SHORTER: usize = 24;
/// States of the guess.
const STATES: usize = 64;
/// |Im σ| below this part of the largest |σ| is rounding.
const STILL: f64 = 1e-9;

/// The period and the states over it of the swing about a state of rest, of an amplitude in units of the
/// states. The longest step that is tried is the first.
pub fn swing(
    system: &System,
    rest: &State,
    longest: f64,
    amplitude: f64,
) -> Result<(f64, Vec<State>), PeriodicError> {
    let mut changes = Changes::new(system, TAU / longest);
    let basis = changes.basis(rest)?;
    let Some((exponents, vectors)) = exponents(system, rest, longest)? else {
        return Err(PeriodicError::NoSwing);
    };
    let count = exponents.len();
    let largest = exponents.iter().map(|sigma| sigma.norm()).fold(0.0, f64::max);
    let swings = (0..count).filter(|&k| exponents[k].im > STILL * largest);
    let found = swings
        .max_by(|&a, &b| exponents[a].re.total_cmp(&exponents[b].re))
        .map(|k| (exponents[k], (0..count).map(|i| vectors[(i, k)]).collect::<Vec<c64>>()));
    let Some((sigma, u)) = found else { return Err(PeriodicError::NoSwing) };
    let period = TAU / sigma.im;
    let parts = Mat::from_fn(count, 2, |i, k| if k == 0 { u[i].re } else { u[i].im });
    let full = changes.spread(&basis, &parts);
    let (re, im) = full.split_at(changes.size());
    // Velocities count by their own rate, not by that of the first step.
    let own = Changes::new(system, sigma.im);
    let size = |(e, scale): (usize, &f64)| if *scale > 0.0 { re[e].hypot(im[e]) / scale } else { 0.0 };
    let largest = own.scale().iter().enumerate().map(size).fold(0.0, f64::max);
    let mut states = vec![];
    for k in 0..=STATES {
        let angle = TAU * k as f64 / STATES as f64;
        let (cos, sin) = (amplitude / largest * angle.cos(), amplitude / largest * angle.sin());
        let change: Vec<f64> = re.iter().zip(im).map(|(re, im)| re * cos - im * sin).collect();
        let mut state = changes.moved(rest, &change)?;
        state.t = rest.t + period * k as f64 / STATES as f64;
        states.push(state);
    }
    Ok((period, states))
}

/// σ, and u in the columns.
type Exponents = (Vec<c64>, Mat<c64>);

/// Exponents σ of small motions from a state as if it stood still, and their u; none if no step is short
/// enough.
pub(super) fn exponents(
    system: &System,
    state: &State,
    longest: f64,
) -> Result<Option<Exponents>, PeriodicError> {
    let scheme = PeriodicScheme::Collocation { points: 3, at: CollocationPoints::Gauss };
    let mut changes = Changes::new(system, TAU / longest);
    let mut map = scheme.map(system, TAU / longest)?;
    let basis = changes.basis(state)?;
    let count = basis.ncols();
    let directions = changes.spread(&basis, &Mat::identity(count, count));
    let mut images = vec![0.0; directions.len()];
    let mut end = state.clone();
    let mut h = longest;
    for _ in 0..SHORTER {
        if map.advance(state, h, &mut end).is_ok() {
            map.push(&directions, &mut images);
            if images.iter().all(|x| x.is_finite()) {
                let (values, vectors) = eigenvectors(changes.gather(&basis, &images).as_ref())?;
                let logs: Vec<c64> = values.iter().map(|mu| mu.ln()).collect();
                if logs.iter().all(|log| log.norm() <= LARGEST) {
                    return Ok(Some((logs.into_iter().map(|log| log / h).collect(), vectors)));
                }
            }
        }
        h *= 0.25;
    }
    Ok(None)
}
