//! The linearised system in independent coordinates: ẋ = A x + B u.
//!
//! The states x = (q, w) of [`Reduced`](crate::reduced::Reduced) are deviations of named coordinates and
//! velocities:
//!
//! ```text
//! QᵀM Z U ẇ = −Qᵀ (Ĉ Z − M Z P) U w − Qᵀ (K̂ Z − (Ĉ Z − M Z P) P) q + Qᵀ F u,     q̇ = U w − P q
//! ```

use crate::linear::Linear;
use crate::reduced::{Reduced, invert};
use poinsot_mechanics::{State, System};
use poinsot_numerics::dense::{DenseError, Mat};
use thiserror::Error;

/// A linear system in independent coordinates.
#[derive(Clone, Debug)]
pub struct StateSpace {
    /// A.
    pub a: Mat<f64>,
    /// (QᵀM Z U)⁻¹ Qᵀ with rows for the velocities w and columns for the unknowns: B = this × F.
    pub input: Mat<f64>,
    /// Deviations y of all unknowns from the states.
    pub positions: Mat<f64>,
    /// y′ from the states.
    pub rates: Mat<f64>,
    /// The states in words, coordinates then velocities.
    pub states: Vec<String>,
    /// Equations of the unknowns, in the order of the rows of `positions`.
    pub unknowns: Vec<usize>,
    /// How many of the states are coordinates.
    pub coordinates: usize,
}

/// Why a system cannot be reduced.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum StateSpaceError {
    /// Too many unknowns for dense matrices.
    #[error("the system has {0} unknowns, more than the {MAX_DENSE} that dense matrices are made for")]
    TooLarge(usize),
    /// The mass matrix is singular on the freedoms.
    #[error("a freedom has no inertia: {0}")]
    NoInertia(String),
    /// A dense computation failed.
    #[error(transparent)]
    Dense(#[from] DenseError),
}

/// Most unknowns of a dense reduction.
pub const MAX_DENSE: usize = 1200;

impl StateSpace {
    /// Reduces a linearised system.
    pub fn new(system: &System, linear: &Linear) -> Result<Self, StateSpaceError> {
        let reduced = Reduced::new(system, linear)?;
        let inverse = invert(&reduced.mass.value)?
            .ok_or_else(|| StateSpaceError::NoInertia(reduced.lightest(system)))?;
        let Reduced { z, u, p, q, by_rate, by_position, unknowns, .. } = reduced;
        let p = p.value;
        let name = |k: usize| system.equation_name(unknowns[z.independent[k]]);
        let velocities: Vec<String> = u.independent.iter().map(|&k| format!("rate of {}", name(k))).collect();
        let (w_by_q, w_by_w) = (&inverse * by_position.value * -1.0, &inverse * by_rate.value * -1.0);
        let (basis, u) = (&z.basis.value, &u.basis.value);
        let (np, nv) = (basis.ncols(), u.ncols());
        let a = Mat::from_fn(np + nv, np + nv, |i, j| match (i < np, j < np) {
            (true, true) => -p[(i, j)],
            (true, false) => u[(i, j - np)],
            (false, true) => w_by_q[(i - np, j)],
            (false, false) => w_by_w[(i - np, j - np)],
        });
        let (zu, zp) = (basis * u, basis * &p);
        let positions =
            Mat::from_fn(unknowns.len(), np + nv, |i, j| if j < np { basis[(i, j)] } else { 0.0 });
        let rates =
            Mat::from_fn(unknowns.len(), np + nv, |i, j| if j < np { -zp[(i, j)] } else { zu[(i, j - np)] });
        let mut states: Vec<String> = (0..np).map(name).collect();
        states.extend(velocities);
        let input = inverse * q.value.transpose();
        Ok(StateSpace { a, input, positions, rates, states, unknowns, coordinates: np })
    }

    /// A deviation of the states as a state of the system, `size` times the states `x`: q ∘ y, v + y′ + W y.
    pub fn deviate(&self, system: &System, linear: &Linear, state: &State, x: &[f64], size: f64) -> State {
        let mut moved = state.clone();
        let mut delta = vec![0.0; system.size()];
        for (i, &eq) in self.unknowns.iter().enumerate() {
            delta[eq] = size * (0..x.len()).map(|j| self.positions[(i, j)] * x[j]).sum::<f64>();
        }
        poinsot_integrators::retract(system, &state.frames, &delta, &mut moved.frames);
        for (i, &eq) in self.unknowns.iter().enumerate() {
            moved.v[eq] += size * (0..x.len()).map(|j| self.rates[(i, j)] * x[j]).sum::<f64>();
        }
        for (node, w) in system.nodes().iter().zip(&linear.turning) {
            let y = &delta[node.unknowns()];
            for (v, w) in moved.v[node.unknowns()].iter_mut().zip(w) {
                *v += w.iter().zip(y).map(|(w, y)| w * y).sum::<f64>();
            }
        }
        moved
    }
}
