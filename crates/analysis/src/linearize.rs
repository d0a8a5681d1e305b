//! Linear state-space models: ẋ = A x + B u, y = C x + D u about a state.
//!
//! A and B are exact: they come from the elements' own derivatives (see [`Linear`] and [`StateSpace`]). The
//! outputs are any function of the state, its accelerations and multipliers; C and D are fourth-order central
//! differences of it along the states and inputs,
//!
//! ```text
//! y′ = (8 (y(h) − y(−h)) − (y(2h) − y(−2h)))/12h
//! ```
//! with accelerations and multipliers solved anew at each deviated state.
//!
//! Systems with first-order equations, and inputs that are variables or parameters, go through the descriptor
//! system of `coupled.rs`: the outputs are differenced along x = Z z + X₀ u and ẋ = Z (A z + B u), on which
//! the linearised equations hold.

use crate::coupled::{Coupled, CoupledError, CoupledSpace};
use crate::linear::Linear;
use crate::modes::eigenvalues;
use crate::reduced::Reduced;
use crate::stability::LinearStability;
use crate::state_space::{StateSpace, StateSpaceError};
use crate::steadiness::{Changing, changing};
use poinsot_integrators::{SaddlePoint, instant};
use poinsot_mechanics::{NodeId, Scratch, State, System};
use poinsot_numerics::dense::{DenseError, Mat, c64};
use poinsot_numerics::lu::PivotError;
use thiserror::Error;

/// Relative size of the deviations that C is measured with.
const DEVIATION: f64 = 1e-3;

/// An input.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// An addition to a component of a load, or to the tension of a spring.
    Force {
        /// Index of the force.
        force: usize,
        /// Its component, 0 for a spring.
        component: usize,
    },
    /// An addition to a variable of a network: the algebraic equation that determines it makes it larger by
    /// the input.
    Variable {
        /// Index of the network.
        network: usize,
        /// Index of the variable in it.
        variable: usize,
    },
    /// Anything that changes the equations, such as a parameter: the change of all residuals by a unit of it,
    /// in equation order, see [`residuals`].
    Residuals(Vec<f64>),
}

/// The residuals of all equations at a state: R = M a + Gᵀλ − Q, the equations of networks, Φ, and the rates
/// of rows on velocities; zero for suspended rows.
pub fn residuals(system: &System, state: &State, a: &[f64]) -> Vec<f64> {
    let (at, mut s) = (instant(state, a), Scratch::default());
    let mut values = vec![0.0; system.size()];
    let mut rates = values.clone();
    system.residual(&at, &mut values, &mut s);
    system.constraint_residual(&at, &mut values, &mut s);
    system.constraint_rate(&at, &mut rates, &mut s);
    for eq in system.velocity_equations().into_iter().chain(system.algebraic_equations()) {
        values[eq] = rates[eq];
    }
    values
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
    /// See [`Modes::changing`](crate::Modes).
    pub changing: Option<Changing>,
    /// What the poles say; of systems with first-order equations only.
    pub stability: Option<LinearStability>,
    /// Number of differentiations that the algebraic equations took; 0 without any.
    pub index: usize,
    /// What the first rate of each input adds to each output, beside D; zero unless a system of higher index
    /// has the inputs in its algebraic equations.
    pub d_rate: Mat<f64>,
    /// Deviations of the variables of networks from the states: rows by variable, columns by state.
    pub variables: Mat<f64>,
    /// The same from the inputs.
    pub variables_by_inputs: Mat<f64>,
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
    /// A variable that an equation with rates determines.
    #[error("`{0}` is no input: it has a rate of its own, no algebraic equation gives its value")]
    NotAlgebraic(String),
    /// The descriptor system could not be reduced.
    #[error(transparent)]
    Coupled(#[from] CoupledError),
    /// The outputs take higher rates of the inputs.
    #[error("outputs depend on second rates of the inputs: D cannot say that")]
    Improper,
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
    let plain = inputs.iter().all(|input| matches!(input, Input::Force { .. }));
    if !system.networks().is_empty() || !plain {
        return linearize_coupled(system, (state, a), observer, inputs, outputs);
    }
    let linear = Linear::about(system, state, a, observer);
    let changing = changing(system, state, a, observer);
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
    let found = eigenvalues(system, &Reduced::new(system, &linear)?)?;
    let mut poles: Vec<c64> = found.iter().map(|eigen| eigen.value).collect();
    poles.sort_by(|x, y| x.norm().total_cmp(&y.norm()).then(y.im.total_cmp(&x.im)));
    Ok(LinearModel {
        d_rate: Mat::zeros(d.nrows(), d.ncols()),
        variables: Mat::zeros(0, n),
        variables_by_inputs: Mat::zeros(0, inputs.len()),
        a: space.a,
        b,
        c,
        d,
        states: space.states,
        poles,
        changing,
        stability: None,
        index: 0,
    })
}

/// The same through the descriptor system.
fn linearize_coupled(
    system: &System,
    (state, a): (&State, &[f64]),
    observer: NodeId,
    inputs: &[Input],
    outputs: Outputs,
) -> Result<LinearModel, LinearizeError> {
    let coupled = Coupled::new(system, state, a, observer)?;
    let changing = changing(system, state, a, observer);
    let space = coupled.reduce(&input_forces(system, state, a, inputs)?)?;
    let CoupledSpace { reduction, states, .. } = &space;
    if reduction.improper {
        return Err(LinearizeError::Improper);
    }
    let along = Along { coupled: &coupled, at: (state, a) };
    let z = &reduction.by_states;
    let none = Mat::<f64>::zeros(z.nrows(), inputs.len());
    let c = along.slopes(z, &(z * &reduction.a), outputs);
    let d = along.slopes(&reduction.by_inputs, &(z * &reduction.b), outputs);
    // By the rate of an input x moves as X₁, ẋ as X₀; X₁ of second rates is left out, it is zero here or
    // improper.
    let d_rate = match reduction.by_inputs.norm_max() + reduction.by_input_rates.norm_max() {
        0.0 => Mat::zeros(d.nrows(), d.ncols()),
        _ => along.slopes(&reduction.by_input_rates, &(&reduction.by_inputs + &none), outputs),
    };
    let (stability, _) = space.judge()?;
    let variables = |of: &Mat<f64>| {
        let (first, count) = coupled.variables();
        Mat::from_fn(count, of.ncols(), |i, j| of[(first + i, j)])
    };
    Ok(LinearModel {
        variables: variables(z),
        variables_by_inputs: variables(&reduction.by_inputs),
        a: reduction.a.clone(),
        b: reduction.b.clone(),
        c,
        d,
        d_rate,
        states: states.clone(),
        poles: stability.values.clone(),
        changing,
        index: reduction.index,
        stability: Some(stability),
    })
}

/// Slopes of outputs along deviations.
struct Along<'a> {
    coupled: &'a Coupled<'a>,
    at: (&'a State, &'a [f64]),
}

impl Along<'_> {
    /// One column for each column of x with that of ẋ.
    fn slopes(&self, x: &Mat<f64>, xdot: &Mat<f64>, outputs: Outputs) -> Mat<f64> {
        let column = |m: &Mat<f64>, j: usize| (0..m.nrows()).map(|i| m[(i, j)]).collect::<Vec<f64>>();
        let sizes = self.coupled.deviations(self.at.0, self.at.1);
        let mut list = Vec::with_capacity(x.ncols());
        for j in 0..x.ncols() {
            let (x, xdot) = (column(x, j), column(xdot, j));
            let relative = x.iter().zip(&sizes).map(|(x, size)| (x / size).abs());
            let largest = relative.fold(0.0, f64::max);
            let h = if largest > 0.0 { DEVIATION / largest } else { DEVIATION };
            let values = STEPS.map(|step| {
                let (state, a) = self.coupled.deviate(self.at, (&x, &xdot), step * h);
                outputs(&state, &a)
            });
            list.push(slope(values.each_ref(), h));
        }
        if list.is_empty() { Mat::zeros(outputs(self.at.0, self.at.1).len(), 0) } else { columns(list) }
    }
}

/// Forces of a unit of each input on all equations.
fn input_forces(
    system: &System,
    state: &State,
    a: &[f64],
    inputs: &[Input],
) -> Result<Vec<Vec<f64>>, LinearizeError> {
    let at = instant(state, a);
    let force = |input: &Input| match input {
        Input::Force { force, component } => {
            let mut f = vec![0.0; system.size()];
            match system.unit_input(*force, *component, &at, &mut f, &mut Scratch::default()) {
                true => Ok(f),
                false => Err(LinearizeError::NoInput(system.forces()[*force].name.clone())),
            }
        }
        Input::Variable { network, variable } => variable_force(system, (state, a), *network, *variable),
        Input::Residuals(change) => Ok(change.iter().map(|r| -r).collect()),
    };
    inputs.iter().map(force).collect()
}

/// F_k(y_j − u, …) = 0 in the algebraic equation k that determines variable j: the force ∂F_k/∂y_j on it.
fn variable_force(
    system: &System,
    (state, a): (&State, &[f64]),
    network: usize,
    variable: usize,
) -> Result<Vec<f64>, LinearizeError> {
    let entry = &system.networks()[network];
    let row = entry.unknown(variable);
    if !system.algebraic_equations().contains(&row) {
        return Err(LinearizeError::NotAlgebraic(entry.law.variables[variable].name.clone()));
    }
    let linear = Linear::about(system, state, a, 0);
    let mut f = vec![0.0; system.size()];
    f[row] = system.pattern().index(row, row).map_or(0.0, |slot| linear.damping[slot]);
    Ok(f)
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
