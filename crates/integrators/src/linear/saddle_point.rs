//! Accelerations and multipliers that belong to a given position and velocity.
//!
//! ```text
//! [ M  Gᵀ ] [ a ]   [ Q − bias ]
//! [ G  0  ] [ λ ] = [ −κ       ]
//! ```
//! Reported accelerations and reactions come from here: they are as accurate as q and v at the instant
//! that they are reported for, whatever the integrator stores internally. The same matrix projects
//! positions and velocities onto the constraints with the least change in the sense of the masses.

use crate::linear::factors::Factors;
use poinsot_geometry::Mat3;
use poinsot_mechanics::{Frame, Instant, Linearization, Scratch, State, System};
use poinsot_numerics::lu::PivotError;

/// The factored matrix [M Gᵀ; G 0] of a system; make one and reuse it.
#[derive(Debug)]
pub struct SaddlePoint {
    factors: Factors,
    values: Vec<f64>,
    zero: Vec<f64>,
    residual: Vec<f64>,
    before: Vec<f64>,
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
            residual: vec![0.0; system.size()],
            before: Vec::with_capacity(system.size()),
            identity: vec![Mat3::identity(); system.nodes().len()],
            scratch: Scratch::default(),
        }
    }

    fn assemble(&mut self, system: &System, state: &State, a: Option<&[f64]>) {
        let at = instant(state, a.unwrap_or(&self.zero));
        let linearization = match a {
            Some(_) => Linearization::at(at, &self.identity),
            None => Linearization::of_constraints(at, &self.identity),
        };
        system.step_matrix(&linearization, &mut self.values, &mut self.scratch);
    }

    /// Factors at a state.
    pub fn factor(&mut self, system: &System, state: &State) -> Result<(), PivotError> {
        self.assemble(system, state, None);
        self.factors.factor(system, &self.values)
    }

    /// Factors at a state with the given accelerations and multipliers, on which friction depends.
    pub fn factor_at(&mut self, system: &System, state: &State, a: &[f64]) -> Result<(), PivotError> {
        self.assemble(system, state, Some(a));
        self.factors.factor(system, &self.values)
    }

    /// Solves in place.
    pub fn solve(&self, b: &mut [f64]) {
        self.factors.solve(b);
    }

    /// b := A⁻ᵀ b.
    pub fn solve_transposed(&self, b: &mut [f64]) {
        self.factors.solve_transposed(b);
    }

    /// Accelerations, with λ in the constraint entries, at the given state. Friction and laws that read
    /// reactions make the equations nonlinear in λ; then `a` is the first guess.
    pub fn accelerations(&mut self, system: &System, state: &State, a: &mut [f64]) -> Result<(), PivotError> {
        if system.has_commands() {
            return self.commanded_accelerations(system, state, a);
        }
        self.free_accelerations(system, state, a)
    }

    /// Rows that follow variables take the rates of these, which may follow from accelerations in turn.
    fn commanded_accelerations(
        &mut self,
        system: &System,
        state: &State,
        a: &mut [f64],
    ) -> Result<(), PivotError> {
        let size = |a: &[f64]| a.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        for _ in 0..MAX_FRICTION_ITERATIONS {
            self.before.clear();
            self.before.extend_from_slice(a);
            // Rates that are not determined at once are those that the integrator has.
            if !system.network_rates(state, a, &mut self.scratch) {
                a.copy_from_slice(&self.before);
            }
            self.free_accelerations(system, state, a)?;
            let change = a.iter().zip(&self.before).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
            if change <= 1e-13 * size(a) {
                break;
            }
        }
        Ok(())
    }

    /// Accelerations at rates of variables that are known.
    fn free_accelerations(
        &mut self,
        system: &System,
        state: &State,
        a: &mut [f64],
    ) -> Result<(), PivotError> {
        if !system.is_pressed() {
            system.clear_accelerations(a);
            return self.improve(system, state, a).map(|_| ());
        }
        let (mut change, mut size) = (0.0, 0.0);
        for _ in 0..MAX_FRICTION_ITERATIONS {
            change = self.improve(system, state, a)?;
            size = a.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            if change <= 1e-12 * size {
                return Ok(());
            }
        }
        // Friction bends the equations a little; a law can leave them without a solution.
        match system.reaction_laws().next() {
            Some(law) if change > UNSOLVED * size || !change.is_finite() => {
                let first = law.law.carried().iter().map(|c| &system.nodes()[c.node]);
                let row = first.flat_map(|node| node.unknowns()).next().unwrap_or(0);
                Err(PivotError { row, pivot: change, scale: size })
            }
            _ => Ok(()),
        }
    }

    /// Moves a state onto the constraints with the least change in the sense of the masses: positions by
    /// [ M Gᵀ; G 0 ] (δ, μ) = (0, −Φ), then velocities likewise. Returns the largest |Φ| left.
    pub fn project(&mut self, system: &System, state: &mut State, length: f64) -> Result<f64, PivotError> {
        self.factor(system, state)?;
        let mut b = std::mem::take(&mut self.residual);
        let mut open = f64::INFINITY;
        for _ in 0..MAX_PROJECTIONS {
            b.fill(0.0);
            system.constraint_residual(&instant(state, &self.zero), &mut b, &mut self.scratch);
            let size = b.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            if size <= f64::EPSILON * length || size > 0.5 * open || !size.is_finite() {
                open = open.min(size);
                break;
            }
            open = size;
            b.iter_mut().for_each(|b| *b = -*b);
            self.factors.solve(&mut b);
            for (node, z) in system.nodes().iter().zip(&mut state.frames) {
                *z = node.chart.retract(z, &b[node.unknowns()]);
            }
        }
        self.residual = b;
        self.close_velocities(system, state);
        Ok(open)
    }

    /// Moves the velocities of a state onto the constraints with the least change in the sense of the masses.
    pub fn project_velocities(&mut self, system: &System, state: &mut State) -> Result<(), PivotError> {
        self.factor(system, state)?;
        self.close_velocities(system, state);
        Ok(())
    }

    /// The same with the factors at hand.
    pub(crate) fn close_velocities(&mut self, system: &System, state: &mut State) {
        let mut b = std::mem::take(&mut self.residual);
        let mut last = f64::INFINITY;
        for _ in 0..MAX_PROJECTIONS {
            b.fill(0.0);
            system.constraint_rate(&instant(state, &self.zero), &mut b, &mut self.scratch);
            system.hold_variables(&mut b);
            let size = b.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            if size == 0.0 || size.is_nan() || size > 0.5 * last {
                break;
            }
            last = size;
            self.factors.solve(&mut b);
            for node in system.nodes() {
                node.unknowns().for_each(|i| state.v[i] -= b[i]);
            }
        }
        self.residual = b;
    }

    /// One Newton step for a and λ; returns its size.
    fn improve(&mut self, system: &System, state: &State, a: &mut [f64]) -> Result<f64, PivotError> {
        let mut residual = std::mem::take(&mut self.residual);
        let at = instant(state, a);
        system.residual(&at, &mut residual, &mut self.scratch);
        system.constraint_acceleration(&at, &mut residual, &mut self.scratch);
        system.hold_variables(&mut residual);
        self.assemble(system, state, Some(a));
        let outcome = self.factors.factor(system, &self.values);
        if outcome.is_ok() {
            self.factors.solve(&mut residual);
            a.iter_mut().zip(&residual).for_each(|(a, r)| *a -= r);
        }
        let change = residual.iter().fold(0.0, |m: f64, r| m.max(r.abs()));
        self.residual = residual;
        outcome.map(|()| change)
    }
}

/// Newton steps of a projection at most.
const MAX_PROJECTIONS: usize = 8;

/// Change of the last Newton step, relative to the accelerations and multipliers, that is no solution.
const UNSOLVED: f64 = 1e-6;

/// Newton steps for the multipliers that friction and laws depend on.
const MAX_FRICTION_ITERATIONS: usize = 20;

/// A state with the given accelerations, as the equations want it.
pub fn instant<'a>(state: &'a State, a: &'a [f64]) -> Instant<'a> {
    Instant { t: state.t, frames: &state.frames, v: &state.v, a, memory: &state.memory, rates: &state.rates }
}

/// Moves the configuration by `delta` (equation order) into `out`.
pub fn retract(system: &System, frames: &[Frame], delta: &[f64], out: &mut [Frame]) {
    for ((node, z), new) in system.nodes().iter().zip(frames).zip(out) {
        node.chart.retract_to(z, &delta[node.unknowns()], new);
    }
}
