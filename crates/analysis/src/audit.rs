//! The evidence that a motion can be trusted.
//!
//! The audit compares the change of energy with what the model explains,
//!
//! ```text
//! imbalance = (T + V)(t) − (T + V)(t₀) − ∫ (supplied − dissipated) dt,
//! ```
//! follows the momenta and keeps the worst residual of the constraints at position, velocity and
//! acceleration level.

use crate::time_error::TimeError;
use poinsot_geometry::Vec3;
use poinsot_integrators::instant;
use poinsot_mechanics::{Balance, Instant, Scratch, State, System};
use serde::{Deserialize, Serialize};

/// A largest value, with where and when it occurred.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Worst {
    /// The value.
    pub value: f64,
    /// Equation or body, in words.
    pub place: String,
    /// Time (s).
    pub time: f64,
}

impl Worst {
    pub(crate) fn note(&mut self, value: f64, time: f64, place: impl FnOnce() -> String) {
        if value > self.value || (value.is_nan() && !self.value.is_nan()) {
            *self = Worst { value, place: place(), time };
        }
    }
}

/// Evidence that the answer can be trusted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Audit {
    /// Balance at the start.
    pub start: Balance,
    /// Balance at the last sample.
    pub end: Balance,
    /// Work supplied (J).
    pub supplied: f64,
    /// Work dissipated (J).
    pub dissipated: f64,
    /// Largest energy imbalance (J).
    pub imbalance: Worst,
    /// Scale of the energies in play (J).
    pub energy_scale: f64,
    /// Largest change of linear momentum (N·s).
    pub momentum_change: Worst,
    /// Largest change of angular momentum (N·m·s).
    pub angular_momentum_change: Worst,
    /// Largest |Φ|.
    pub position: Worst,
    /// Largest |Φ̇|.
    pub velocity: Worst,
    /// Largest |Φ̈|.
    pub acceleration: Worst,
    /// Largest rotation of a body in a step (rad).
    pub rotation: Worst,
    /// Largest speed of a body (m/s).
    pub speed: f64,
    /// How often a step did not converge and was halved.
    pub cut_steps: usize,
    /// How often redundant rows were exchanged for others.
    pub exchanges: usize,
    /// The least `Stepper::firmness` of a step and its time: how near the motion came to a singular position.
    pub nearest: (f64, f64),
    /// The shortest step (s).
    pub shortest_step: Worst,
    /// The longest step (s).
    pub longest_step: Worst,
    /// The error in time.
    pub time_error: TimeError,
}

impl Audit {
    /// The audit of a motion that has not begun.
    pub(crate) fn new(system: &System, start: &State) -> Self {
        let zero = vec![0.0; system.size()];
        let balance = system.balance(&instant(start, &zero), &mut Scratch::default());
        Audit {
            start: balance,
            end: balance,
            supplied: 0.0,
            dissipated: 0.0,
            imbalance: Worst::default(),
            energy_scale: balance.kinetic,
            momentum_change: Worst::default(),
            angular_momentum_change: Worst::default(),
            position: Worst::default(),
            velocity: Worst::default(),
            acceleration: Worst::default(),
            rotation: Worst::default(),
            speed: 0.0,
            cut_steps: 0,
            exchanges: 0,
            nearest: (f64::INFINITY, start.t),
            shortest_step: Worst { value: f64::INFINITY, ..Worst::default() },
            longest_step: Worst::default(),
            time_error: TimeError::new(system, start),
        }
    }

    pub(crate) fn note_balance(&mut self, balance: &Balance, t: f64) {
        let (supplied, dissipated) = (self.supplied, self.dissipated);
        let change = balance.total() - self.start.total();
        let swing = (balance.potential - self.start.potential).abs();
        let work = supplied.abs().max(dissipated.abs());
        self.energy_scale = self.energy_scale.max(balance.kinetic).max(swing).max(work);
        self.imbalance.note((change - supplied + dissipated).abs(), t, String::new);
        let moved = |a: &Vec3, b: &Vec3| (a - b).norm();
        let linear = moved(&balance.momentum, &self.start.momentum);
        let angular = moved(&balance.angular_momentum, &self.start.angular_momentum);
        self.momentum_change.note(linear, t, String::new);
        self.angular_momentum_change.note(angular, t, String::new);
        self.end = *balance;
    }

    pub(crate) fn note_constraints(
        &mut self,
        system: &System,
        state: &State,
        at: &Instant,
        rows: &mut [f64],
        s: &mut Scratch,
    ) {
        let note = |worst: &mut Worst, rows: &[f64]| {
            for (eq, value) in rows.iter().enumerate() {
                worst.note(value.abs(), at.t, || system.equation_name(eq));
            }
        };
        rows.fill(0.0);
        system.constraint_residual(at, rows, s);
        note(&mut self.position, rows);
        if let Some((value, name)) = system.dropped_residual(at.t, at.frames, at.memory) {
            self.position.note(value, at.t, || name);
        }
        for k in 1..at.frames.len() {
            self.speed = self.speed.max(system.twist(k, at.v).linear.norm());
        }
        system.constraint_rate(at, rows, s);
        note(&mut self.velocity, rows);
        if let Some((value, name)) = system.suspended_rate(state) {
            self.velocity.note(value, at.t, || name);
        }
        system.constraint_acceleration(at, rows, s);
        note(&mut self.acceleration, rows);
    }
}
