//! Accelerations and multipliers that belong to a given position and velocity.
//!
//! ```text
//! [ M  Gᵀ ] [ a ]   [ Q − bias ]
//! [ G  0  ] [ λ ] = [ −κ       ]
//! ```
//! Reported accelerations and reactions come from here: they are as accurate as q and v at the instant
//! that they are reported for, whatever the integrator stores internally. The same matrix projects
//! positions and velocities onto the constraints with the least change in the sense of the masses.

use crate::factors::Factors;
use poinsot_geometry::Mat3;
use poinsot_mechanics::{Frame, Instant, Level, Linearization, Scratch, State, System};
use poinsot_numerics::lu::PivotError;

/// The factored matrix [M Gᵀ; G 0] of a system; make one and reuse it.
#[derive(Debug)]
pub struct SaddlePoint {
    factors: Factors,
    values: Vec<f64>,
    zero: Vec<f64>,
    identity: Vec<Mat3>,
    /// Work arrays, free for the caller's own evaluations.
    pub scratch: Scratch,
}

impl SaddlePoint {
    /// For the given system as it is numbered now.
    pub fn new(system: &System) -> Self {
        SaddlePoint {
            factors: Factors::new(system),
            values: vec![0.0; system.pattern().nnz()],
            zero: vec![0.0; system.size()],
            identity: vec![Mat3::identity(); system.nodes().len()],
            scratch: Scratch::default(),
        }
    }

    fn assemble(&mut self, system: &System, state: &State) {
        let at = instant(state, &self.zero);
        let linearization = Linearization {
            stage: at,
            stage_tangent: &self.identity,
            end: at,
            end_tangent: &self.identity,
            damping: 0.0,
            stiffness: 0.0,
            level: Level::Velocity { gamma: 0.0 },
        };
        system.step_matrix(&linearization, &mut self.values, &mut self.scratch);
    }

    /// Factors at a state.
    pub fn factor(&mut self, system: &System, state: &State) -> Result<(), PivotError> {
        self.assemble(system, state);
        self.factors.factor(system, &self.values)
    }

    /// Factors at a state and returns the constraint equations that depend on the others.
    pub fn dependent_rows(
        &mut self,
        system: &System,
        state: &State,
        tolerance: f64,
    ) -> Result<Vec<usize>, PivotError> {
        self.assemble(system, state);
        self.factors.factor_dropping(&self.values, &system.is_constraint_row(), tolerance)
    }

    /// Whether no unknown can change this row (a joint row across the plane of a planar model).
    pub fn is_void(&self, system: &System, row: usize) -> bool {
        system.pattern().slots(row).all(|slot| self.values[slot] == 0.0)
    }

    /// Solves in place.
    pub fn solve(&self, b: &mut [f64]) {
        self.factors.solve(b);
    }

    /// Accelerations, with λ in the constraint entries, at the given state.
    pub fn accelerations(&mut self, system: &System, state: &State, a: &mut [f64]) -> Result<(), PivotError> {
        let at = instant(state, &self.zero);
        system.residual(&at, a, &mut self.scratch);
        system.constraint_acceleration(&at, a, &mut self.scratch);
        self.factor(system, state)?;
        a.iter_mut().for_each(|r| *r = -*r);
        self.factors.solve(a);
        Ok(())
    }
}

/// A state with the given accelerations, as the equations want it.
pub fn instant<'a>(state: &'a State, a: &'a [f64]) -> Instant<'a> {
    Instant { t: state.t, frames: &state.frames, v: &state.v, a, memory: &state.memory }
}

/// Moves the configuration by `delta` (equation order) into `out`.
pub fn retract(system: &System, frames: &[Frame], delta: &[f64], out: &mut [Frame]) {
    for ((node, z), new) in system.nodes().iter().zip(frames).zip(out) {
        *new = node.chart.retract(z, &delta[node.unknowns()]);
    }
}
