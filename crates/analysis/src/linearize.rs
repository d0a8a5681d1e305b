//! Linear state-space models: ẋ = A x + B u, y = C x + D u about a state.
//!
//! A and B are exact: they come from the elements' own derivatives (see [`Linear`] and [`StateSpace`]). The outputs are any
//! function of the state, its accelerations and multipliers; C and D are fourth-order central differences of it
//! along the states and inputs,
//!
//! ```text
//! y′ = (8 (y(h) − y(−h)) − (y(2h) − y(−2h)))/12h
//! ```
//! with accelerations and multipliers solved anew at each deviated state.

use crate::linear::Linear;
use crate::modes::{cleaned, unsteadiness};
use crate::state_space::{StateSpace, StateSpaceError};
use poinsot_integrators::{SaddlePoint, instant};
use poinsot_mechanics::{NodeId, Scratch, State, System};
use poinsot_numerics::dense::{DenseError, Mat, c64, eigenvalues};
use poinsot_numerics::lu::PivotError;
use thiserror::Error;

/// Relative size of the deviations that C is measured with.
const DEVIATION: f64 = 1e-3;

/// An input: a component of a load, or the tension of a spring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input {
    /// Index of the force.
    pub force: usize,
    /// Its component, 0 for a spring.
    pub component: usize,
}

/// A linear state-space model.
#[derive(Clone, Debug)]
pub struct LinearModel {
    /// A.
    pub a: Mat<f64>,
    /// B.
    pub b: Mat<f64>,
    /// C.
    pub c: Mat<f64>,
    /// D.
    pub d: Mat<f64>,
    /// The states in words.
    pub states: Vec<String>,
    /// Eigenvalues of A, by magnitude; of a pair first the one with positive imaginary part.
    pub poles: Vec<c64>,
    /// See [`Modes::unsteadiness`](crate::Modes).
    pub unsteadiness: f64,
}

/// Why a system cannot be linearised.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum LinearizeError {
    /// It could not be reduced.
    #[error(transparent)]
    StateSpace(#[from] StateSpaceError),
    /// Accelerations could not be found at a deviated state.
    #[error("the equations are singular near the state: {0}")]
    Singular(String),
    /// The element has no such input.
    #[error("`{0}` has no input")]
    NoInput(String),
    /// The eigenvalues could not be found.
    #[error(transparent)]
    Dense(#[from] DenseError),
}

/// What the outputs are, as a function of a state with accelerations and multipliers.
pub type Outputs<'a> = &'a mut dyn FnMut(&State, &[f64]) -> Vec<f64>;

/// Linearises about a state with its accelerations and multipliers `a`, seen by `observer`.
pub fn linearize(
    system: &System,
    state: &State,
    a: &[f64],
    observer: NodeId,
    inputs: &[Input],
    outputs: Outputs,
) -> Result<LinearModel, LinearizeError> {
    let linear = Linear::about(system, state, a, observer);
    let unsteadiness = unsteadiness(system, &linear, state, observer).map_err(|e| singular(system, &e))?;
    let space = StateSpace::new(system, &linear)?;
    let forces = input_forces(system, state, a, inputs)?;
    let (n, np) = (space.a.nrows(), space.coordinates);
    let b = Mat::from_fn(n, inputs.len(), |i, j| match i < np {
        true => 0.0,
        false => {
            (0..space.unknowns.len()).map(|k| space.input[(i - np, k)] * forces[j][space.unknowns[k]]).sum()
        }
    });
    let c = by_states(system, &linear, &space, state, outputs)?;
    let d = by_inputs(system, state, a, &forces, outputs)?;
    let poles = if n == 0 { vec![] } else { eigenvalues(space.a.as_ref())? };
    let mut poles = cleaned(system, &linear, poles);
    poles.sort_by(|x, y| x.norm().total_cmp(&y.norm()).then(y.im.total_cmp(&x.im)));
    Ok(LinearModel { a: space.a, b, c, d, states: space.states, poles, unsteadiness })
}

/// Generalised forces of a unit of each input.
fn input_forces(
    system: &System,
    state: &State,
    a: &[f64],
    inputs: &[Input],
) -> Result<Vec<Vec<f64>>, LinearizeError> {
    let at = instant(state, a);
    let force = |input: &Input| {
        let mut f = vec![0.0; system.size()];
        match system.unit_input(input.force, input.component, &at, &mut f, &mut Scratch::default()) {
            true => Ok(f),
            false => Err(LinearizeError::NoInput(system.forces()[input.force].name.clone())),
        }
    };
    inputs.iter().map(force).collect()
}

/// y′ from the values at h, −h, 2h, −2h.
fn slope([p, m, pp, mm]: [&Vec<f64>; 4], h: f64) -> Vec<f64> {
    (0..p.len()).map(|i| (8.0 * (p[i] - m[i]) - (pp[i] - mm[i])) / (12.0 * h)).collect()
}

fn columns(list: Vec<Vec<f64>>) -> Mat<f64> {
    let rows = list.first().map_or(0, Vec::len);
    Mat::from_fn(rows, list.len(), |i, j| list[j][i])
}

const STEPS: [f64; 4] = [1.0, -1.0, 2.0, -2.0];

/// C.
fn by_states(
    system: &System,
    linear: &Linear,
    space: &StateSpace,
    state: &State,
    outputs: Outputs,
) -> Result<Mat<f64>, LinearizeError> {
    let mut saddle = SaddlePoint::new(system);
    let mut list = Vec::with_capacity(space.states.len());
    for j in 0..space.states.len() {
        let mut x = vec![0.0; space.states.len()];
        x[j] = 1.0;
        let mut values = vec![];
        for step in STEPS {
            let moved = space.deviate(system, linear, state, &x, step * DEVIATION);
            let mut a = vec![0.0; system.size()];
            saddle.accelerations(system, &moved, &mut a).map_err(|e| singular(system, &e))?;
            values.push(outputs(&moved, &a));
        }
        list.push(slope([&values[0], &values[1], &values[2], &values[3]], DEVIATION));
    }
    Ok(columns(list))
}

/// D: an input changes accelerations and multipliers only.
fn by_inputs(
    system: &System,
    state: &State,
    a: &[f64],
    forces: &[Vec<f64>],
    outputs: Outputs,
) -> Result<Mat<f64>, LinearizeError> {
    let mut saddle = SaddlePoint::new(system);
    saddle.factor_at(system, state, a).map_err(|e| singular(system, &e))?;
    let size = a.iter().fold(1.0, |m: f64, a| m.max(a.abs()));
    let mut list = Vec::with_capacity(forces.len());
    for force in forces {
        let mut change = force.clone();
        saddle.solve(&mut change);
        let largest = change.iter().fold(f64::MIN_POSITIVE, |m: f64, c| m.max(c.abs()));
        let h = DEVIATION * size / largest;
        let at = |step: f64| -> Vec<f64> { a.iter().zip(&change).map(|(a, c)| a + step * h * c).collect() };
        let values = STEPS.map(|step| outputs(state, &at(step)));
        list.push(slope(values.each_ref(), h));
    }
    Ok(columns(list))
}

fn singular(system: &System, error: &PivotError) -> LinearizeError {
    LinearizeError::Singular(system.equation_name(error.row))
}
