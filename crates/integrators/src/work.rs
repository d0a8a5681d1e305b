//! Work of forces, drives and frictions over a step.
//!
//! Powers are taken at the ends of the step with its positions and velocities, but a moment inside it, so
//! that a load which jumps between two steps is on its right side in both,
//!
//! ```text
//! Pₙ⁺ = P(qₙ, vₙ, tₙ + εh),     Pₙ₊₁⁻ = P(qₙ₊₁, vₙ₊₁, tₙ₊₁ − εh)
//! ```
//! The work is the integral over the step of the polynomial through these two and the two before, where no
//! jump lies between: with equal steps ΔW = h (9 Pₙ₊₁ + 19 Pₙ − 5 Pₙ₋₁ + Pₙ₋₂)/24, a rule of fourth order.
//! After a start or a jump it begins with two and three points.
//!
//! The power of a drive is λᵀ drift and that of a friction depends on λ, but the integrators know multipliers
//! inside the step only. A line through the stages of this step and the last one gives them at its middle,
//!
//! ```text
//! λ_m = λ̃ₙ + (t_m − τₙ)/(τₙ − τₙ₋₁) (λ̃ₙ − λ̃ₙ₋₁),     τₙ = tₙ + W₁h,   t_m = tₙ + ½h
//! ΔW = ½h (P⁺(qₙ, vₙ, λ_m) + P⁻(qₙ₊₁, vₙ₊₁, λ_m))
//! ```
//! which is of second order, as the multipliers are. A method with a quadrature of its own uses that.

use crate::linear::saddle_point::instant;
use crate::stepper::Stepper;
use poinsot_mechanics::{Instant, Power, Scratch, State, System};

/// ε.
const INSIDE: f64 = 1e-6;
/// Change of the power between both sides of an instant, relative to the largest of the step, that is a jump.
const JUMP: f64 = 1e-4;
/// Points of the polynomial.
const POINTS: usize = 4;
/// Gauss's points on [0, 1], ½ (1 ± 1/√3): exact for cubics.
const GAUSS: [f64; 2] = [0.211_324_865_405_187_1, 0.788_675_134_594_812_9];

/// What has to be known to tell the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    /// Nothing does work.
    Nothing,
    /// Forces, whose power follows from position and velocity.
    State,
    /// Drives, frictions or laws that read reactions, whose power depends on multipliers.
    Multipliers,
}

/// Follows an integration and tells the work of each step.
#[derive(Debug)]
pub struct WorkMeter {
    need: Need,
    /// State before the step.
    before: State,
    /// Times and powers of the last points, the newest last, and how many there are.
    points: [(f64, Power); POINTS],
    known: usize,
    /// Stage of the last step and its time.
    stage: Vec<f64>,
    stage_time: f64,
    middle: Vec<f64>,
    scratch: Scratch,
}

impl WorkMeter {
    /// Starts where the integration stands.
    pub fn new(system: &System, stepper: &dyn Stepper) -> Self {
        let need = if system.is_pressed() || has_drives(system) {
            Need::Multipliers
        } else if system.forces().is_empty() && !has_loads(system) {
            Need::Nothing
        } else {
            Need::State
        };
        let before = stepper.state().clone();
        let (_, stage) = stepper.stage();
        WorkMeter {
            need,
            points: [(0.0, Power::default()); POINTS],
            known: 0,
            stage: stage.to_vec(),
            stage_time: before.t,
            middle: vec![0.0; system.size()],
            before,
            scratch: Scratch::default(),
        }
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
        if self.need == Need::Nothing {
            return Power::default();
        }
        if self.need == Need::Multipliers {
            self.find_middle(stepper, h);
        }
        let WorkMeter { before, middle, scratch, .. } = self;
        let from = before.t;
        let mut power =
            |state: &State, t: f64| system.power(&Instant { t, ..instant(state, middle) }, scratch);
        let start = power(before, from + INSIDE * h);
        let end = power(stepper.state(), from + h - INSIDE * h);
        copy_state(stepper.state(), &mut self.before);
        if self.need == Need::Multipliers {
            self.known = 0;
        }
        self.begin(from, start, end);
        self.add(from + h, end);
        self.integral(from, h)
    }

    /// Makes the power on the near side of the start of the step the last point; what lies behind a jump is
    /// forgotten.
    fn begin(&mut self, t: f64, start: Power, end: Power) {
        let jumps = |part: fn(&Power) -> f64| {
            let [a, b, c] = [&self.points[POINTS - 1].1, &start, &end].map(part);
            (a - b).abs() > JUMP * a.abs().max(b.abs()).max(c.abs())
        };
        if jumps(|p| p.supplied) || jumps(|p| p.dissipated) {
            self.known = 0;
        }
        if self.known == 0 {
            self.add(t, start);
        }
    }

    fn add(&mut self, t: f64, power: Power) {
        self.points.rotate_left(1);
        self.points[POINTS - 1] = (t, power);
        self.known = (self.known + 1).min(POINTS);
    }

    /// The integral of the polynomial through the points over the last step.
    fn integral(&self, from: f64, h: f64) -> Power {
        let points = &self.points[POINTS - self.known..];
        let mut work = Power::default();
        for s in GAUSS {
            let t = from + s * h;
            for (i, (ti, power)) in points.iter().enumerate() {
                let others = points.iter().enumerate().filter(|(j, _)| *j != i);
                let weight = 0.5 * h * others.map(|(_, (tj, _))| (t - tj) / (ti - tj)).product::<f64>();
                work.supplied += weight * power.supplied;
                work.dissipated += weight * power.dissipated;
            }
        }
        work
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
    to.rates.clone_from(&from.rates);
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
    system.constraints().iter().any(|entry| entry.is_driven())
}
