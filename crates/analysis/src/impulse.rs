//! Impulses: jumps of the velocities in no time, under the constraints.
//!
//! ```text
//! M (v⁺ − v⁻) + Gᵀ Λ = P,     G v⁺ + ∂Φ/∂t = 0
//! ```
//! P are the generalised impulses (N·s, N·m·s), Λ those of the constraints. Forces that are finite, springs,
//! gravity and friction among them, do nothing in no time. With constraints that do not depend on time the
//! energy changes by ½ (v⁺ + v⁻)·P.

use poinsot_geometry::Vec3;
use poinsot_integrators::{SaddlePoint, instant};
use poinsot_mechanics::{NodeId, State, System, Twist};
use poinsot_numerics::lu::PivotError;
use thiserror::Error;

/// An impulse on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impulse {
    /// The node of the body.
    pub node: NodeId,
    /// Point of attack from the node's origin, body axes.
    pub point: Vec3,
    /// Impulse of the force, world axes (N·s).
    pub force: Vec3,
    /// Impulse of a torque, world axes (N·m·s).
    pub torque: Vec3,
}

/// Why velocities cannot jump.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ImpulseError {
    /// The matrix is singular.
    #[error("an impulse meets singular equations: {equation}")]
    Singular {
        /// The equation, in words.
        equation: String,
    },
    /// No impulse changes the rate of a coordinate.
    #[error("no impulse changes the rate of this coordinate: the constraints hold it")]
    Held,
}

/// Part of |g|² over the masses below which a coordinate is held by the constraints.
const HELD: f64 = 1e-12;

/// The matrix [M Gᵀ; G 0] at a state.
struct Jump<'s> {
    system: &'s System,
    saddle: SaddlePoint,
}

impl<'s> Jump<'s> {
    fn at(system: &'s System, state: &State) -> Result<Self, ImpulseError> {
        let mut saddle = SaddlePoint::new(system);
        saddle
            .factor(system, state)
            .map_err(|e: PivotError| ImpulseError::Singular { equation: system.equation_name(e.row) })?;
        Ok(Jump { system, saddle })
    }

    /// v⁺ − v⁻ for impulses P that stand in `b`; the rates of the constraints vanish afterwards.
    fn solve(&mut self, state: &State, b: &mut [f64]) {
        let zero = vec![0.0; self.system.size()];
        let mut rate = zero.clone();
        self.system.constraint_rate(&instant(state, &zero), &mut rate, &mut self.saddle.scratch);
        for row in self.system.constraint_equations() {
            b[row] = -rate[row];
        }
        self.solve_freely(b);
    }

    /// The same for constraints whose rates vanish already.
    fn solve_freely(&mut self, b: &mut [f64]) {
        self.system.hold_variables(b);
        self.saddle.solve(b);
    }
}

fn add(system: &System, state: &mut State, change: &[f64], scale: f64) {
    for node in system.nodes() {
        node.unknowns().for_each(|i| state.v[i] += scale * change[i]);
    }
}

/// Lets impulses act on bodies at the same moment.
pub fn apply_impulses(system: &System, state: &mut State, impulses: &[Impulse]) -> Result<(), ImpulseError> {
    let mut jump = Jump::at(system, state)?;
    let mut p = vec![0.0; system.size()];
    for impulse in impulses {
        let node = &system.nodes()[impulse.node];
        let rotation = state.frames[impulse.node].rot;
        let force = rotation.tr_mul(&impulse.force);
        let angular = impulse.point.cross(&force) + rotation.tr_mul(&impulse.torque);
        let mut own = vec![0.0; node.chart.dofs()];
        // The charts have orthonormal axes: what takes a twist apart collects a wrench.
        node.chart.velocities(&Twist { linear: impulse.force, angular }, &mut own);
        node.unknowns().zip(&own).for_each(|(i, value)| p[i] += value);
    }
    jump.solve(state, &mut p);
    add(system, state, &p, 1.0);
    Ok(())
}

/// Throws a coordinate back: an impulse along its gradient g (equation order) turns its rate into
///
/// ```text
/// rate⁺ = −e rate⁻,     P = g p,     p = −(1 + e) rate⁻ / (gᵀ w),     [M Gᵀ; G 0] (w, ·) = (g, 0)
/// ```
/// Returns the impulse p (N·s, or N·m·s for an angle).
pub fn rebound(
    system: &System,
    state: &mut State,
    gradient: &[f64],
    rate: f64,
    restitution: f64,
) -> Result<f64, ImpulseError> {
    let mut jump = Jump::at(system, state)?;
    let mut w = vec![0.0; system.size()];
    for node in system.nodes() {
        node.unknowns().for_each(|i| w[i] = gradient[i]);
    }
    jump.solve_freely(&mut w);
    let product = |a: &[f64], b: &[f64]| -> f64 {
        system.nodes().iter().flat_map(|node| node.unknowns()).map(|i| a[i] * b[i]).sum()
    };
    let mobility = product(gradient, &w);
    let mass = system.largest_mass();
    if !(mobility.is_finite() && mobility * mass > HELD * product(gradient, gradient)) {
        return Err(ImpulseError::Held);
    }
    let p = -(1.0 + restitution) * rate / mobility;
    add(system, state, &w, p);
    Ok(p)
}
