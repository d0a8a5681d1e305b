//! The GS4-2 step on a constrained system (gs4-isochronous-integrators I-02, I-47 … I-60).
//!
//! With one unknown Δa per coordinate and the stage multipliers λ̃,
//!
//! ```text
//! q̃ = q ∘ (W₁h v + W₂Λ₂h² a + W₃Λ₃h² Δa)     ṽ = v + W₁h a + W₂Λ₅h Δa     ã = a + W₁Λ₆ Δa
//! M(q̃) ã + G(q̃)ᵀ λ̃ = Q(q̃, ṽ, t_n + W₁h)
//! q⁺ = q ∘ (h v + ½h² a + λ₃h² Δa + c h² p)   v⁺ = v + h a + λ₅h Δa        a⁺ = a + Δa
//! γ₃ Φa + γ₂ Φv + γ₁ Φ = p_λ λ̃
//! ```
//! where ∘ is the retraction of each node's chart. The last line closes the step; its weights say which form
//! the constraints take, see [`crate::gs4::form`]. In most forms the position correction p is zero. In the
//! stabilised one:
//!
//! * *stabilised* (Gear–Gupta–Leimkuhler): G(q⁺) v⁺ = 0 and Φ(q⁺) = 0, where the position correction p solves
//!   S p + G(q̃)ᵀμ = 0. The metric S is the upper left block of the step matrix, M + O(h): it leaves stiff
//!   directions alone, and one factorisation serves both solves. Both levels hold to the tolerance, and
//!   accelerations and multipliers are second order for every member (I-53, I-54). c is the member's λ₃
//!   without its switch.
//!
//! * *Hamiltonian*: the stabilised form with the force (∂(Gv)/∂q)ᵀη of (3.122) in the balance, where h M⁻¹Gᵀη
//!   = c h² p is the same position correction; with the midpoint member it is Algorithm 3.5.2.
//!
//! Rows are divided by their leading coefficient, W₁Λ₆ or that of the closing row, and multipliers scaled
//! likewise, so that the condition number does not grow as h shrinks (I-52). The step matrix is exact for the
//! position and velocity levels, including the derivative of the constraint forces, and up to O(h) for the
//! others; it is kept as long as Newton contracts well. Explicit members take the same path: the weights of
//! the forces in the matrix are zero.

pub(crate) mod closing;
pub(crate) mod compatibility;
pub(crate) mod equations;
pub(crate) mod extent;
pub(crate) mod form;
pub(crate) mod local_error;
pub(crate) mod matrix;
pub(crate) mod member;
pub(crate) mod named;
pub(crate) mod newton;
pub(crate) mod past;
pub(crate) mod predictor;
pub(crate) mod settings;
pub(crate) mod solved;
pub(crate) mod spectrum;
pub(crate) mod step;
pub(crate) mod switches;

use crate::accepted_frames::{LargestTurn, accept_frames};
use crate::control::ErrorMeasure;
use crate::equation_rows::EquationRows;
use crate::gs4::form::{Closure, softness};
use crate::gs4::local_error::LocalError;
use crate::gs4::matrix::StepMatrix;
use crate::gs4::member::Weights;
use crate::gs4::newton::Newton;
use crate::gs4::past::Past;
use crate::gs4::settings::Settings;
use crate::gs4::step::{EndNodes, Step};
use crate::linear::projection::Projector;
use crate::linear::saddle_point::SaddlePoint;
use crate::newton::increments::not_a_number;
use crate::newton::linearity::is_linear;
use crate::step_failure::{HALVE, LOOK_AT_LOADS, StepFailure, TURNS_FAR};
use crate::step_report::{Attempt, Counters, StepReport};
use crate::stepper::Stepper;
use poinsot_mechanics::{Scratch, State, System};

/// A GS4-2 integration in progress.
#[derive(Debug)]
pub struct Gs4<'s> {
    system: &'s System,
    settings: Settings,
    w: Weights,
    /// c, the weight of the position correction: λ₃ without its switch.
    lift: f64,
    length: f64,
    rows: EquationRows,
    nodes: EndNodes,
    past: Past,
    step: Step,
    newton: Newton,
    matrix: StepMatrix,
    projector: Option<Box<Projector>>,
    local_error: Option<Box<LocalError>>,
    /// Measures local errors, where anybody asks.
    measure: Option<ErrorMeasure>,
    counters: Counters,
    scratch: Scratch,
}

impl<'s> Gs4<'s> {
    /// Starts at a consistent state. `h` is the first step; the start acceleration is taken at t₀ − φh, which
    /// removes the first-order transient of a and λ (I-15).
    pub fn new(system: &'s System, settings: Settings, state: State, h: f64) -> Result<Self, StepFailure> {
        if let Some(refusal) = settings.contradiction() {
            return Err(StepFailure::refused(state.t, refusal.reason, refusal.remedy));
        }
        let mut solver = SaddlePoint::new(system);
        let mut now = vec![0.0; system.size()];
        let fail = |e| StepFailure::singular(system, state.t, &e);
        solver.accelerations(system, &state, &mut now).map_err(fail)?;
        system.network_rates(&state, &mut now, &mut solver.scratch);
        let w = settings.weights();
        let is_projected = settings.projection.is_wanted() && !system.enforced_equations().is_empty();
        let mut integration = Gs4 {
            system,
            settings,
            w,
            lift: settings.member.weights().l3,
            length: system.length_scale(),
            rows: EquationRows::new(system),
            nodes: EndNodes::new(system),
            step: Step::new(system, &state.frames, Closure::new(&settings.form, &w, h, h)),
            newton: Newton::new(system.size(), is_linear(system, &state)),
            matrix: StepMatrix::new(system, softness(system, &settings.form, &state)),
            projector: is_projected.then(|| Box::new(Projector::new(system, &state.frames))),
            local_error: None,
            measure: None,
            counters: Counters::default(),
            scratch: Scratch::default(),
            past: Past::new(state, now.clone()),
        };
        integration.shift_start(&mut solver, &now, h)?;
        Ok(integration)
    }

    /// The stored acceleration aⁿ ≈ q̈(t_n − φh), equation order.
    pub fn stored_acceleration(&self) -> &[f64] {
        &self.past.stored
    }

    /// Replaces the stored acceleration (verification of the unshifted start).
    pub fn set_stored_acceleration(&mut self, a: &[f64]) {
        self.past.stored.copy_from_slice(a);
        for &row in &self.rows.constraints {
            self.past.stored[row] = 0.0;
        }
        self.step.solved = None;
    }

    /// Stage accelerations ã with the stage multipliers λ̃ of the last step, at t_n + W₁h.
    pub fn stage(&self) -> &[f64] {
        self.past.predictor.newest()
    }

    /// The weights in use.
    pub fn weights(&self) -> &Weights {
        &self.w
    }

    /// The local error of the last attempt, q in increments of the chart and v, equation order: an
    /// asymptotically correct estimate of q⁺ and v⁺ minus the exact motion through (qₙ, vₙ). Zero before the
    /// first attempt.
    pub fn local_error(&self, position: &mut [f64], velocity: &mut [f64]) {
        match &self.local_error {
            Some(e) => {
                position.copy_from_slice(&e.position);
                velocity.copy_from_slice(&e.velocity);
            }
            None => {
                position.fill(0.0);
                velocity.fill(0.0);
            }
        }
    }

    /// Solves a step; what it leads to waits in the work arrays.
    fn solve(&mut self, h: f64) -> Result<usize, StepFailure> {
        self.step.solved = None;
        if let Some(e) = &mut self.local_error {
            e.forget_trial();
        }
        self.step.closure = Closure::new(&self.settings.form, &self.w, h, self.past.pull_within(h));
        self.past.shifted(self.w.phi, h, &mut self.step.a);
        self.predict(h);
        let iterations = self.iterate(h)?;
        self.step.retract_end(self.system, &self.past.state.frames, &self.nodes.others);
        self.project(h)?;
        self.step.solved = Some((h, iterations));
        Ok(iterations)
    }

    /// A step that failed at an equation, with what to try.
    fn failure(&self, h: f64, reason: &'static str, equation: usize) -> StepFailure {
        let remedy = if not_a_number(&self.newton.residual).is_some() {
            LOOK_AT_LOADS
        } else if self.largest_turn() > 0.5 {
            TURNS_FAR
        } else {
            HALVE
        };
        StepFailure::of_step([self.past.state.t, h], reason, self.system.equation_name(equation), remedy)
    }
}

impl Stepper for Gs4<'_> {
    fn state(&self) -> &State {
        &self.past.state
    }

    /// Solves a step of length h without taking it, and estimates its local error if there are tolerances.
    /// Another attempt starts again from the state before; [`Gs4::accept`] takes the last one.
    fn attempt(&mut self, h: f64) -> Result<Attempt, StepFailure> {
        let iterations = self.solve(h)?;
        let mut error = None;
        if self.measure.is_some() {
            self.estimate(h);
            if let (Some(measure), Some(local)) = (&mut self.measure, &self.local_error) {
                measure.weigh_at(&self.past.state, h);
                measure.weigh_lasting(&local.velocity, &self.past.state.v, h);
                error = Some(measure.norm(&local.position, &local.velocity));
            }
        }
        let effort = iterations as f64 / self.settings.max_iterations as f64;
        Ok(Attempt {
            iterations,
            error,
            exponent: 3,
            adds_up: true,
            effort,
            next: None,
            longest: f64::INFINITY,
        })
    }

    fn accept(&mut self) -> StepReport {
        let Some((h, iterations)) = self.step.solved.take() else {
            return LargestTurn::default().report(0);
        };
        self.past.pull = self.past.pull_within(h);
        let s = &mut self.step;
        std::mem::swap(&mut self.past.previous, &mut s.a);
        for ((stored, a), d) in self.past.stored.iter_mut().zip(&self.past.previous).zip(&s.delta) {
            *stored = a + d;
        }
        for &row in &self.rows.constraints {
            self.past.stored[row] = 0.0;
        }
        self.past.predictor.take(self.system, &s.stage_a, self.past.state.t + self.w.w1 * h);
        self.past.h = Some(h);
        let turn = accept_frames(self.system, &mut self.past.state.frames, &s.end_frames, &s.move_end);
        self.past.state.v.copy_from_slice(&s.end_v);
        for &row in &self.rows.constraints {
            self.past.state.v[row] = 0.0;
        }
        self.past.state.t += h;
        if let Some(e) = &mut self.local_error {
            e.accept(self.past.state.t);
            if let Some(measure) = &mut self.measure {
                measure.note(&e.velocity, &self.past.state, h);
            }
        }
        self.system.remember_with(&mut self.past.state, &mut self.scratch);
        self.counters.accepted(iterations);
        turn.report(iterations)
    }

    fn set_tolerances(&mut self, mut measure: ErrorMeasure) {
        measure.let_velocities_last();
        self.measure = Some(measure);
    }

    fn snap_time(&mut self, t: f64) {
        self.past.state.t = t;
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }

    fn firmness(&self) -> Option<f64> {
        Some(self.matrix.factors.cancellation().sqrt().recip())
    }

    fn exponent(&self) -> usize {
        3
    }

    fn stage(&self) -> (f64, &[f64]) {
        (self.w.w1, self.stage())
    }

    fn rates(&self) -> &[f64] {
        self.stored_acceleration()
    }
}
