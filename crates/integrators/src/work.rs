//! Work of forces, drives and frictions over a step.
//!
//! The power of a drive is λᵀ drift and that of a friction depends on λ, but the integrators know multipliers inside
//! the step only. A line through the stages of this step and the last one gives them at its middle,
//!
//! ```text
//! λ_m = λ̃ₙ + (t_m − τₙ)/(τₙ − τₙ₋₁) (λ̃ₙ − λ̃ₙ₋₁),     τₙ = tₙ + W₁h,   t_m = tₙ + ½h
//! ΔW = ½h (P(qₙ, vₙ, λ_m) + P(qₙ₊₁, vₙ₊₁, λ_m))
//! ```
//! which is of second order; with equal steps λ_m = λ̃ₙ + (½ − W₁)(λ̃ₙ − λ̃ₙ₋₁). A method with a quadrature of its own uses that.

use crate::saddle_point::instant;
use crate::stepper::Stepper;
use poinsot_mechanics::{Power, Scratch, State, System};

/// What has to be known to tell the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    /// Nothing does work.
    Nothing,
    /// Forces, whose power follows from position and velocity.
    State,
    /// Drives or frictions, whose power depends on multipliers.
    Multipliers,
}

/// Follows an integration and tells the work of each step.
#[derive(Debug)]
pub struct WorkMeter {
    need: Need,
    /// State before the step.
    before: State,
    /// Power at that state, where multipliers are not needed.
    power: Power,
    /// Stage of the last step and its time.
    stage: Vec<f64>,
    stage_time: f64,
    middle: Vec<f64>,
    scratch: Scratch,
}

impl WorkMeter {
    /// Starts where the integration stands.
    pub fn new(system: &System, stepper: &dyn Stepper) -> Self {
        let (before, mut scratch) = (stepper.state().clone(), Scratch::default());
        let need = if !system.frictions().is_empty() || has_drives(system) {
            Need::Multipliers
        } else if system.forces().is_empty() && !has_loads(system) {
            Need::Nothing
        } else {
            Need::State
        };
        let zero = vec![0.0; system.size()];
        let power = match need {
            Need::State => system.power(&instant(&before, &zero), &mut scratch),
            _ => Power::default(),
        };
        let (_, stage) = stepper.stage();
        WorkMeter { need, power, stage: stage.to_vec(), stage_time: before.t, middle: zero, before, scratch }
    }

    /// Starts anew where the integration of the same system stands.
    pub fn restart(&mut self, system: &System, stepper: &dyn Stepper) {
        if stepper.work().is_none() {
            *self = WorkMeter::new(system, stepper);
        }
    }

    /// The energy supplied and dissipated in the step of length h that was just taken.
    pub fn step(&mut self, system: &System, stepper: &dyn Stepper, h: f64) -> Power {
        if let Some(work) = stepper.work() {
            return work;
        }
        let (start, end) = match self.need {
            Need::Nothing => return Power::default(),
            Need::State => {
                let now = system.power(&instant(stepper.state(), &self.middle), &mut self.scratch);
                (std::mem::replace(&mut self.power, now), now)
            }
            Need::Multipliers => {
                self.find_middle(stepper, h);
                let start = system.power(&instant(&self.before, &self.middle), &mut self.scratch);
                let end = system.power(&instant(stepper.state(), &self.middle), &mut self.scratch);
                copy_state(stepper.state(), &mut self.before);
                (start, end)
            }
        };
        Power {
            supplied: 0.5 * h * (start.supplied + end.supplied),
            dissipated: 0.5 * h * (start.dissipated + end.dissipated),
        }
    }

    /// λ_m.
    fn find_middle(&mut self, stepper: &dyn Stepper, h: f64) {
        let (fraction, stage) = stepper.stage();
        let start = stepper.state().t - h;
        let time = start + fraction * h;
        let apart = time - self.stage_time;
        let weight = if apart > 0.0 { (start + 0.5 * h - time) / apart } else { 0.0 };
        for ((middle, new), old) in self.middle.iter_mut().zip(stage).zip(&self.stage) {
            *middle = new + weight * (new - old);
        }
        self.stage.copy_from_slice(stage);
        self.stage_time = time;
    }
}

/// Copies a state without allocation.
fn copy_state(from: &State, to: &mut State) {
    to.t = from.t;
    to.frames.copy_from_slice(&from.frames);
    to.v.copy_from_slice(&from.v);
    to.memory.copy_from_slice(&from.memory);
}

/// Whether anything in the system can do work besides gravity and springs.
pub fn is_powered(system: &System) -> bool {
    !system.forces().is_empty() || !system.frictions().is_empty() || has_drives(system) || has_loads(system)
}

/// Whether a network loads the mechanics or has energies of its own.
fn has_loads(system: &System) -> bool {
    system.has_network_energies() || system.networks().iter().any(|n| !n.law.loads.is_empty())
}

/// Whether a constraint is driven.
fn has_drives(system: &System) -> bool {
    system.constraints().iter().any(|entry| entry.law.is_driven())
}
