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
pub(crate) mod form;
pub(crate) mod local_error;
pub(crate) mod member;
pub(crate) mod named;
pub(crate) mod predictor;
pub(crate) mod settings;
pub(crate) mod spectrum;
pub(crate) mod step_arrays;
pub(crate) mod switches;

use crate::accepted_frames::accept_frames;
use crate::control::ErrorMeasure;
use crate::gs4::form::{Closure, Form, softness};
use crate::gs4::local_error::{LocalError, Normal, Trial};
use crate::gs4::member::Weights;
use crate::gs4::predictor::Predictor;
use crate::gs4::settings::Settings;
use crate::gs4::step_arrays::Step;
use crate::linear::factors::Factors;
use crate::linear::projection::{End, ProjectionError, Projector};
use crate::linear::saddle_point::{SaddlePoint, instant, retract};
use crate::newton::constant_matrix::{Constancy, Verdict};
use crate::newton::convergence::{Convergence, Next};
use crate::newton::increments::{NOT_A_NUMBER, NOT_CONVERGED, largest, not_a_number};
use crate::newton::linearity::is_linear;
use crate::newton::policy;
use crate::step_failure::{HALVE, LOOK_AT_LOADS, StepFailure, TURNS_FAR};
use crate::step_report::{Attempt, Counters, StepReport};
use crate::stepper::Stepper;
use poinsot_mechanics::{Chart, Level, Linearization, Scratch, State, System};

/// A GS4-2 integration in progress.
#[derive(Debug)]
pub struct Gs4<'s> {
    system: &'s System,
    settings: Settings,
    w: Weights,
    /// c, the weight of the position correction: λ₃ without its switch.
    lift: f64,
    /// Softness p_λ of each constraint row in force, with its diagonal slot (penalty form).
    soft: Vec<(usize, usize, f64)>,
    length: f64,
    state: State,
    /// Stored acceleration aⁿ ≈ q̈(t_n − φh) of the last step's h, zero in the constraint entries.
    stored: Vec<f64>,
    /// The same for the h of the step in progress.
    a: Vec<f64>,
    a_previous: Vec<f64>,
    h_previous: Option<f64>,
    predictor: Predictor,
    closure: Closure,
    /// Time within which Baumgarte's form pulls back (s), of the last step.
    pull: f64,
    /// Length and iterations of a step that was solved and waits to be accepted.
    solved: Option<(f64, usize)>,
    projector: Option<Box<Projector>>,
    local_error: Option<Box<LocalError>>,
    /// Measures local errors, where anybody asks.
    measure: Option<ErrorMeasure>,
    constancy: Constancy,
    counters: Counters,
    step: Step,
    /// Scaled residual of the balance and of the constraint level that closes it; then its solution.
    residual: Vec<f64>,
    /// Residual of S p + Gᵀμ = 0 and scaled Φ of the stabilised form; then its solution.
    position: Vec<f64>,
    /// p without μ.
    metric: Vec<f64>,
    /// Largest |Φ| at the last iterate, or largest closing row in forms that do not look at Φ.
    open: f64,
    /// Whether the matrix was made in this step.
    fresh: bool,
    /// Whether p was found with another matrix than the one in use.
    unsettled: bool,
    /// Whether p has left zero in this step.
    corrected: bool,
    factors: Factors,
    values: Vec<f64>,
    factored_for: Option<f64>,
    convergence: Convergence,
    /// Nodes whose end is wanted in every iteration; that of the others waits until the step is solved.
    closing_nodes: Vec<usize>,
    /// The others: their frames at the end are found when a step is solved.
    other_nodes: Vec<usize>,
    constraint_rows: Vec<usize>,
    /// Those of them that restrict velocities only.
    velocity_rows: Vec<usize>,
    /// Algebraic equations of networks.
    algebraic_rows: Vec<usize>,
    scratch: Scratch,
}

/// Relative increment below which a stalled iteration has reached round-off.
const SMALLEST_INCREMENT: f64 = 1e-12;

/// The same where the joints are closed to the last digit: short links turn that digit into a larger angle.
const CLOSED_INCREMENT: f64 = 1e-8;

/// Rounding in the increments per unit of cancellation in the pivots.
const CANCELLED: f64 = 200.0;

/// Part of the error of an adaptive step that Newton's iteration may leave, and the least error that counts.
const LEFT_OVER: f64 = 0.1;
const LEAST_SHARE: f64 = 1e-12;

/// Change of the time within which Baumgarte's form pulls back from one step to a shorter one.
const PULL_CHANGE: f64 = 0.98;

/// Largest translation and largest rotation in a vector of unknowns.
#[derive(Clone, Copy, Debug)]
struct Extent {
    linear: f64,
    angular: f64,
}

impl Extent {
    /// The larger of both, each in units of `scale`.
    fn relative_to(&self, scale: &Extent) -> f64 {
        (self.linear / scale.linear).max(self.angular / scale.angular)
    }
}

impl<'s> Gs4<'s> {
    /// Starts at a consistent state. `h` is the first step; the start acceleration is taken at t₀ − φh, which
    /// removes the first-order transient of a and λ (I-15).
    pub fn new(system: &'s System, settings: Settings, state: State, h: f64) -> Result<Self, StepFailure> {
        if let Some(refusal) = settings.contradiction() {
            return Err(StepFailure::refused(state.t, refusal.reason, refusal.remedy));
        }
        let w = settings.weights();
        let n = system.size();
        let mut solver = SaddlePoint::new(system);
        let mut now = vec![0.0; n];
        let fail = |e| StepFailure::singular(system, state.t, &e);
        solver.accelerations(system, &state, &mut now).map_err(fail)?;
        system.network_rates(&state, &mut now, &mut solver.scratch);
        let mut integration = Gs4 {
            system,
            settings,
            w,
            lift: settings.member.weights().l3,
            soft: softness(system, &settings.form, &state),
            length: system.length_scale(),
            stored: vec![0.0; n],
            a: vec![0.0; n],
            a_previous: vec![0.0; n],
            h_previous: None,
            predictor: Predictor::new(now.clone(), state.t),
            closure: Closure::new(&settings.form, &w, h, h),
            pull: 0.0,
            solved: None,
            projector: (settings.projection.is_wanted() && !system.enforced_equations().is_empty())
                .then(|| Box::new(Projector::new(system, &state.frames))),
            local_error: None,
            measure: None,
            constancy: Constancy::new(is_linear(system, &state)),
            counters: Counters::default(),
            step: Step::new(system, &state.frames),
            residual: vec![0.0; n],
            position: vec![0.0; n],
            metric: vec![0.0; n],
            open: 0.0,
            fresh: false,
            unsettled: false,
            corrected: false,
            factors: Factors::new(system),
            values: vec![0.0; system.pattern().nnz()],
            factored_for: None,
            convergence: Convergence::new(policy::GS4),
            closing_nodes: system.closing_nodes(),
            other_nodes: system.other_nodes(),
            constraint_rows: system.constraint_equations(),
            velocity_rows: system.velocity_equations(),
            algebraic_rows: system.algebraic_equations(),
            scratch: Scratch::default(),
            state,
        };
        integration.shift_start(&mut solver, &now, h)?;
        Ok(integration)
    }

    /// a⁰ := q̈(t₀ − φh), by going back along the Taylor series of the motion.
    fn shift_start(&mut self, solver: &mut SaddlePoint, now: &[f64], h: f64) -> Result<(), StepFailure> {
        self.a.copy_from_slice(now);
        let back = -self.w.phi * h;
        if back != 0.0 {
            let mut earlier = self.state.clone();
            let mut delta = vec![0.0; now.len()];
            for i in 0..now.len() {
                delta[i] = back * self.state.v[i] + 0.5 * back * back * now[i];
                earlier.v[i] += back * now[i];
            }
            retract(self.system, &self.state.frames, &delta, &mut earlier.frames);
            earlier.t += back;
            let t = self.state.t;
            solver
                .accelerations(self.system, &earlier, &mut self.a)
                .map_err(|e| StepFailure::singular(self.system, t, &e))?;
            self.system.network_rates(&earlier, &mut self.a, &mut solver.scratch);
        }
        // Where the extrapolation changes the acceleration by more than twice itself, a stiff transient has
        // yet to decay and the value at t₀ is the better one. (A load that only begins at t₀ leaves nothing
        // to compare with.)
        let bodies: Vec<usize> = self.system.nodes().iter().flat_map(|n| n.unknowns()).collect();
        let variables: Vec<usize> = self.system.variable_equations();
        for unknowns in [bodies, variables] {
            let size = |x: &dyn Fn(usize) -> f64| unknowns.iter().map(|&i| x(i) * x(i)).sum::<f64>();
            let (change, own) = (size(&|i| self.a[i] - now[i]), size(&|i| now[i]));
            if change > 4.0 * own && own > 1e-6 * change {
                unknowns.iter().for_each(|&i| self.a[i] = now[i]);
            }
        }
        for &row in &self.constraint_rows {
            self.a[row] = 0.0;
        }
        self.stored.copy_from_slice(&self.a);
        self.a_previous.copy_from_slice(&self.a);
        Ok(())
    }

    /// The stored acceleration aⁿ ≈ q̈(t_n − φh), equation order.
    pub fn stored_acceleration(&self) -> &[f64] {
        &self.stored
    }

    /// Replaces the stored acceleration (verification of the unshifted start).
    pub fn set_stored_acceleration(&mut self, a: &[f64]) {
        self.stored.copy_from_slice(a);
        for &row in &self.constraint_rows {
            self.stored[row] = 0.0;
        }
        self.solved = None;
    }

    /// Stage accelerations ã with the stage multipliers λ̃ of the last step, at t_n + W₁h.
    pub fn stage(&self) -> &[f64] {
        self.predictor.newest()
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
        self.solved = None;
        if let Some(e) = &mut self.local_error {
            e.forget_trial();
        }
        self.closure = Closure::new(&self.settings.form, &self.w, h, self.pull_within(h));
        self.reshift(h);
        self.predict(h);
        let iterations = self.newton(h)?;
        self.step.retract_end(self.system, &self.state.frames, &self.other_nodes);
        self.project(h)?;
        self.solved = Some((h, iterations));
        Ok(iterations)
    }

    fn estimate(&mut self, h: f64) {
        let system = self.system;
        let trial = Trial {
            system,
            factors: &self.factors,
            values: &self.values,
            h,
            start: instant(&self.state, &self.a),
            end: self.step.end(&self.state, h),
            moved: &self.step.move_end,
            stage: &self.step.stage_a,
            constraint_rows: &self.constraint_rows,
            velocity_rows: &self.velocity_rows,
            normal: self.normal_errors(h),
        };
        let frames = &self.state.frames;
        let error = self.local_error.get_or_insert_with(|| Box::new(LocalError::new(system, frames)));
        error.estimate(&trial, &mut self.scratch);
    }

    /// Time within which Baumgarte's form pulls back in a step of length h. What a long step has left open a
    /// short one would pull back with great force, which asks for steps that are shorter still: the time
    /// follows slowly.
    fn pull_within(&self, h: f64) -> f64 {
        h.max(PULL_CHANGE * self.pull)
    }

    /// What becomes of errors normal to the constraints.
    fn normal_errors(&self, h: f64) -> Normal {
        let Settings { form, projection, .. } = &self.settings;
        let on_rates = matches!(form, Form::Velocity | Form::Acceleration);
        let velocity_drifts = *form == Form::Acceleration && !projection.velocity;
        let held = form.holds_velocity() || projection.velocity;
        Normal {
            position_drifts: on_rates && !projection.position,
            velocity_drifts,
            loose: !self.constraint_rows.is_empty() && !held && !velocity_drifts,
            open: (matches!(form, Form::Baumgarte { .. }) && !projection.position)
                .then(|| self.measure.as_ref().map_or(0.0, |m| h / m.span())),
        }
    }

    /// A step of another length needs the acceleration at another shifted time (I-16).
    fn reshift(&mut self, h: f64) {
        self.a.copy_from_slice(&self.stored);
        let Some(old) = self.h_previous else { return };
        let ratio = h / old - 1.0;
        if ratio.abs() < 1e-12 {
            return;
        }
        let factor = self.w.phi * ratio;
        for (a, previous) in self.a.iter_mut().zip(&self.a_previous) {
            *a -= factor * (*a - previous);
        }
    }

    /// Stage acceleration and multipliers extrapolated from the last stages.
    fn predict(&mut self, h: f64) {
        self.predictor.aim(self.state.t + self.w.w1 * h);
        let s = &mut self.step;
        for ((d, stage), a) in s.delta.iter_mut().zip(self.predictor.stage()).zip(&self.a) {
            *d = (stage - a) / self.w.w1l6;
        }
        s.correction.fill(0.0);
        self.corrected = false;
        self.fresh = false;
    }

    /// Moves the end of the step onto the constraints, as far as that is wanted.
    fn project(&mut self, h: f64) -> Result<(), StepFailure> {
        if self.projector.is_none() {
            return Ok(());
        }
        let speed = self.speed_scale(h).linear;
        let Some(projector) = &mut self.projector else { return Ok(()) };
        let (s, wanted) = (&mut self.step, &self.settings.projection);
        let later = 1.0 + self.w.phi;
        for i in 0..s.end_a.len() {
            s.end_a[i] = self.a[i] + later * s.delta[i];
        }
        // Not needed any more; takes the change of â⁺ in.
        s.correction.fill(0.0);
        let mut end = End {
            t: self.state.t + h,
            frames: &mut s.end_frames,
            v: &mut s.end_v,
            a: &mut s.end_a,
            memory: &self.state.memory,
            scale: [self.length, speed, speed / h],
            moved: &mut s.move_end,
            accelerated: &mut s.correction,
        };
        let outcome = projector.project(self.system, wanted, &mut end, &mut self.scratch);
        if wanted.acceleration {
            s.delta.iter_mut().zip(&s.correction).for_each(|(d, change)| *d += change / later);
        }
        outcome.map_err(|e| match e {
            ProjectionError::Singular(e) => StepFailure::singular(self.system, self.state.t, &e),
            ProjectionError::Open(row) => {
                self.failure(h, "the projection onto the constraints did not converge", row)
            }
        })
    }

    /// Stage and end values for the current increments; frames at the end of `closing_nodes` only.
    fn evaluate_kinematics(&mut self, h: f64) {
        let (n, w, lift, s) = (self.state.v.len(), self.w, self.lift, &mut self.step);
        // Slices of one length, so that the loop needs no checks.
        let (v, a, delta, correction) = (&self.state.v[..n], &self.a[..n], &s.delta[..n], &s.correction[..n]);
        let (move_stage, stage_v, stage_a) =
            (&mut s.move_stage[..n], &mut s.stage_v[..n], &mut s.stage_a[..n]);
        let (move_end, end_v) = (&mut s.move_end[..n], &mut s.end_v[..n]);
        for i in 0..n {
            let d = delta[i];
            move_stage[i] = h * (w.w1 * v[i] + h * (w.w2l2 * a[i] + w.w3l3 * d));
            stage_v[i] = v[i] + h * (w.w1 * a[i] + w.w2l5 * d);
            stage_a[i] = a[i] + w.w1l6 * d;
            move_end[i] = h * (v[i] + h * (0.5 * a[i] + w.l3 * d + lift * correction[i]));
            end_v[i] = v[i] + h * (a[i] + w.l5 * d);
        }
        if self.closure.acceleration != 0.0 && !self.closure.at_stage {
            let later = 1.0 + w.phi;
            (0..v.len()).for_each(|i| s.end_a[i] = a[i] + later * s.delta[i]);
        }
        retract(self.system, &self.state.frames, &s.move_stage, &mut s.stage_frames);
        s.retract_end(self.system, &self.state.frames, &self.closing_nodes);
    }

    /// Scaled residuals: the balance and the closing rows into `residual`, Φ of corrected forms into
    /// `position`.
    fn evaluate_residual(&mut self, h: f64) {
        let stage = self.step.stage(&self.state, self.w.w1, h);
        self.system.residual(&stage, &mut self.residual, &mut self.scratch);
        if self.settings.form == Form::Hamiltonian {
            // η = −c h μ, because S p + Gᵀμ = 0 and c h² p = h S⁻¹Gᵀη.
            let (mu, scale) = (&self.step.correction, -self.lift * h);
            self.system.add_rate_pull(&stage, mu, scale, &mut self.residual, &mut self.scratch);
        }
        let balance = 1.0 / self.w.w1l6;
        self.residual.iter_mut().for_each(|r| *r *= balance);
        if self.settings.form.is_corrected() {
            self.close_both_levels(h);
        } else {
            self.close(h);
        }
        self.counters.residuals += 1;
    }

    /// Velocity level into `residual`, S p + Gᵀμ and the position level into `position`.
    fn close_both_levels(&mut self, h: f64) {
        let (system, s) = (self.system, &mut self.scratch);
        let stage = self.step.stage(&self.state, self.w.w1, h);
        let end = self.step.end(&self.state, h);
        self.position.fill(0.0);
        if self.corrected && (!self.fresh || self.unsettled) {
            self.unsettled = false;
            // S p with the matrix in use, Gᵀμ with the directions of this stage. With a matrix of this step
            // the solve itself keeps both in balance.
            self.metric.copy_from_slice(&self.step.correction);
            self.constraint_rows.iter().for_each(|&row| self.metric[row] = 0.0);
            system.pattern().multiply(&self.values, &self.metric, &mut self.position);
            system.add_pull(&stage, &self.step.correction, &mut self.position, s);
        }
        system.constraint_levels(&end, &mut self.position, &mut self.residual, s);
        self.open = self.constraint_rows.iter().map(|&row| self.position[row].abs()).fold(0.0, f64::max);
        let scale = 1.0 / self.closure.lead;
        let (by_position, moved) = (1.0 / (self.lift * h * h), self.w.l3 / self.lift);
        for &row in &self.constraint_rows {
            self.residual[row] *= scale;
            // The increment of Δa moves q⁺ too: G δa = −Φ̇ to first order in the rotation of the step.
            self.position[row] = self.position[row] * by_position - moved * self.residual[row];
        }
        // Algebraic equations of networks are closed at the end like velocities.
        let by_velocity = 1.0 / (self.w.l5 * h);
        self.algebraic_rows.iter().for_each(|&row| self.residual[row] *= by_velocity);
        // The position correction respects rows on velocities as they stand.
        self.velocity_rows.iter().for_each(|&row| self.position[row] = 0.0);
    }

    /// (γ₃ Φa + γ₂ Φv + γ₁ Φ − p_λ λ̃) / ℓ into the constraint rows of `residual`.
    fn close(&mut self, h: f64) {
        let (system, s, c) = (self.system, &mut self.scratch, &self.closure);
        let at = if c.at_stage {
            self.step.stage(&self.state, self.w.w1, h)
        } else {
            self.step.end(&self.state, h)
        };
        let level = &mut self.position;
        level.fill(0.0);
        let mut add = |weight: f64, level: &[f64]| {
            self.constraint_rows.iter().for_each(|&row| self.residual[row] += weight * level[row]);
        };
        if c.position != 0.0 {
            system.constraint_residual(&at, level, s);
            add(c.position, level);
        }
        if c.acceleration != 0.0 {
            system.constraint_acceleration(&at, level, s);
            add(c.acceleration, level);
        }
        if c.velocity != 0.0 {
            system.constraint_rate(&at, level, s);
            add(c.velocity, level);
        }
        if !self.velocity_rows.is_empty() && !c.at_stage {
            if c.velocity == 0.0 {
                system.constraint_rate(&at, level, s);
            }
            let scale = c.lead / (self.w.l5 * h);
            self.velocity_rows.iter().for_each(|&row| self.residual[row] = scale * level[row]);
        }
        for &(row, _, softness) in &self.soft {
            self.residual[row] -= softness * self.step.stage_a[row];
        }
        if !self.algebraic_rows.is_empty() {
            let end = self.step.end(&self.state, h);
            system.constraint_rate(&end, level, s);
            let by_velocity = 1.0 / (self.w.l5 * h);
            self.algebraic_rows.iter().for_each(|&row| self.residual[row] = by_velocity * level[row]);
        }
        self.open = self.constraint_rows.iter().map(|&row| self.residual[row].abs()).fold(0.0, f64::max);
        let scale = 1.0 / c.lead;
        self.constraint_rows.iter().for_each(|&row| self.residual[row] *= scale);
    }

    /// Assembles and factors the step matrix at the current iterate.
    fn factor(&mut self, h: f64) -> Result<(), StepFailure> {
        let w = self.w;
        for (k, node) in self.system.nodes().iter().enumerate() {
            if node.chart == Chart::Motion {
                let range = node.unknowns();
                self.step.stage_tangent[k] = node.chart.tangent(&self.step.move_stage[range.clone()]);
                self.step.end_tangent[k] = node.chart.tangent(&self.step.move_end[range]);
            }
        }
        let (c, step) = (&self.closure, &self.step);
        let stage = step.stage(&self.state, w.w1, h);
        let (end, end_tangent) = match c.at_stage {
            true => (stage, &step.stage_tangent),
            false => (step.end(&self.state, h), &step.end_tangent),
        };
        let linearization = Linearization {
            stage,
            stage_tangent: &step.stage_tangent,
            end,
            end_tangent,
            mass: 1.0,
            damping: h * w.w2l5 / w.w1l6,
            stiffness: h * h * w.w3l3 / w.w1l6,
            level: if c.velocity + c.acceleration == 0.0 { Level::Position } else { Level::Velocity },
            gamma: c.gamma,
            networks: true,
        };
        self.system.step_matrix(&linearization, &mut self.values, &mut self.scratch);
        for &(_, slot, softness) in &self.soft {
            self.values[slot] -= softness * w.w1l6 / c.lead;
        }
        let outcome = self.factors.factor(self.system, &self.values);
        self.counters.factorisations += 1;
        self.factored_for = outcome.is_ok().then_some(h);
        self.fresh = true;
        self.unsettled = self.corrected;
        self.convergence.factored();
        self.constancy.forget();
        outcome.map_err(|e| StepFailure::singular(self.system, self.state.t, &e))
    }

    /// Newton's iteration; returns the number of iterations.
    fn newton(&mut self, h: f64) -> Result<usize, StepFailure> {
        let speed = self.speed_scale(h);
        let length = Extent { linear: self.length, angular: 1.0 };
        let round_off = self.round_off(h, &speed);
        let tolerance = self.newton_tolerance(h).max(0.1 * round_off);
        self.evaluate_kinematics(h);
        if self.factored_for != Some(h) {
            self.factor(h)?;
        }
        self.convergence.begin();
        for iteration in 1..=self.settings.max_iterations {
            self.evaluate_residual(h);
            if let Some(equation) = not_a_number(&self.residual) {
                self.factored_for = None;
                return Err(self.failure(h, NOT_A_NUMBER, equation));
            }
            let before = if self.constancy.is_established() { size_of(&self.residual) } else { 0.0 };
            let size = self.improve(h, &speed, &length);
            if !size.is_finite() {
                break;
            }
            self.evaluate_kinematics(h);
            if let (2, Some(last)) = (iteration, self.convergence.last()) {
                self.constancy.measure(last, size);
            }
            let floor = (100.0 * round_off).max(self.smallest_increment(h, &speed));
            let next = self.convergence.judge(size, tolerance, [floor, 0.0]);
            if next == Next::Done || (iteration == 1 && self.is_solved(h, &speed, [size, tolerance, before]))
            {
                return Ok(iteration);
            }
            if next == Next::Factor {
                self.factor(h)?;
            }
        }
        self.factored_for = None;
        let worst = largest(&self.residual, |k| !self.constraint_rows.contains(&k));
        Err(self.failure(h, NOT_CONVERGED, worst))
    }

    /// Increment below which an iteration that stands still has reached round-off.
    fn smallest_increment(&self, h: f64, speed: &Extent) -> f64 {
        let closed = self.open <= 16.0 * f64::EPSILON * self.size_of_rows(h, speed);
        // Near a singular position the last digit of the joints is worth more still.
        let worth = CANCELLED * f64::EPSILON * self.factors.cancellation();
        if closed { worth.max(CLOSED_INCREMENT) } else { SMALLEST_INCREMENT }
    }

    /// What Newton's iteration may leave: no more than a tenth of what a step may err where the errors of
    /// steps are to add up to a tolerance, as far as rounding allows.
    fn newton_tolerance(&self, h: f64) -> f64 {
        let share = |m: &ErrorMeasure| LEFT_OVER * (m.tightest() * h / m.span()).max(LEAST_SHARE);
        let known = self.measure.as_ref().filter(|m| m.span().is_finite());
        known.map_or(self.settings.tolerance, |m| self.settings.tolerance.min(share(m)))
    }

    /// Whether the first increment of the given size solved the step because the model's matrix is constant;
    /// `before` is the residual that it started from.
    fn is_solved(&mut self, h: f64, speed: &Extent, [size, tolerance, before]: [f64; 3]) -> bool {
        match self.constancy.judge(size, tolerance) {
            Verdict::Continue => false,
            Verdict::Converged => true,
            Verdict::Test => {
                self.evaluate_residual(h);
                let closed = self.open <= tolerance * self.size_of_rows(h, speed);
                self.constancy.test(before, size_of(&self.residual)) && closed
            }
        }
    }

    /// What the rows of `open` are measured by.
    fn size_of_rows(&self, h: f64, speed: &Extent) -> f64 {
        match self.settings.form.is_corrected() {
            true => self.length,
            false => self.closure.size(self.length, speed.linear, h),
        }
    }

    /// Rounding of the constraint residuals, as a relative increment of velocity. At position level Φ is
    /// divided by h².
    fn round_off(&self, h: f64, speed: &Extent) -> f64 {
        let c = &self.closure;
        let of_position = c.position * self.length * self.w.l5 * h / (c.lead * speed.linear);
        f64::EPSILON * of_position.max(1.0)
    }

    /// Adds one Newton increment; returns its size relative to the model's speed and length.
    fn improve(&mut self, h: f64, speed: &Extent, length: &Extent) -> f64 {
        let stabilised = self.settings.form.is_corrected();
        if stabilised {
            self.factors.solve2(&mut self.residual, &mut self.position);
        } else {
            self.factors.solve(&mut self.residual);
        }
        self.counters.iterations += 1;
        for (d, r) in self.step.delta.iter_mut().zip(&self.residual) {
            *d -= r;
        }
        let (by_position, by_velocity) = (self.lift * h * h, self.w.l5 * h);
        let extent = self.measure(&self.residual);
        let mut size = by_velocity * extent.relative_to(speed);
        size = size.max(by_position * extent.relative_to(length));
        size = size.max(by_velocity * self.measure_variables(&self.residual));
        if stabilised {
            for (p, r) in self.step.correction.iter_mut().zip(&self.position) {
                *p -= r;
            }
            self.corrected = true;
            size = size.max(by_position * self.measure(&self.position).relative_to(length));
        }
        if self.residual.iter().sum::<f64>().is_finite() { size } else { f64::NAN }
    }

    fn measure(&self, x: &[f64]) -> Extent {
        let mut extent = Extent { linear: 0.0, angular: 0.0 };
        for node in &self.system.nodes()[1..] {
            let (translation, rotation) = x[node.unknowns()].split_at(node.chart.linear_dofs());
            extent.linear = translation.iter().fold(extent.linear, |m, t| m.max(t.abs()));
            extent.angular = rotation.iter().fold(extent.angular, |m, r| m.max(r.abs()));
        }
        extent
    }

    /// Largest change of a variable of a network, relative to its size.
    fn measure_variables(&self, x: &[f64]) -> f64 {
        let mut largest: f64 = 0.0;
        for network in self.system.networks() {
            for (j, variable) in network.law.variables.iter().enumerate() {
                let eq = network.unknown(j);
                largest = largest.max(x[eq].abs() / self.state.v[eq].abs().max(variable.nominal));
            }
        }
        largest
    }

    /// The model's own speeds: what moves now, what acceleration adds in a step, and a floor at rest.
    fn speed_scale(&self, h: f64) -> Extent {
        let (now, gained) = (self.measure(&self.state.v), self.measure(self.predictor.newest()));
        let linear = now.linear.max(gained.linear * h).max(1e-6 * self.length / h);
        let angular = now.angular.max(gained.angular * h).max(linear / self.length);
        Extent { linear, angular }
    }

    /// Largest rotation of a body that the failed step attempted (rad).
    fn largest_turn(&self) -> f64 {
        let turn = |k: usize| self.system.twist(k, &self.step.move_end).angular.norm();
        (1..self.system.nodes().len()).map(turn).fold(0.0, f64::max)
    }

    /// A step that failed at an equation, with what to try.
    fn failure(&self, h: f64, reason: &'static str, equation: usize) -> StepFailure {
        let remedy = if not_a_number(&self.residual).is_some() {
            LOOK_AT_LOADS
        } else if self.largest_turn() > 0.5 {
            TURNS_FAR
        } else {
            HALVE
        };
        StepFailure::of_step([self.state.t, h], reason, self.system.equation_name(equation), remedy)
    }
}

impl Stepper for Gs4<'_> {
    fn state(&self) -> &State {
        &self.state
    }

    /// Solves a step of length h without taking it, and estimates its local error if there are tolerances.
    /// Another attempt starts again from the state before; [`Gs4::accept`] takes the last one.
    fn attempt(&mut self, h: f64) -> Result<Attempt, StepFailure> {
        let iterations = self.solve(h)?;
        let mut error = None;
        if self.measure.is_some() {
            self.estimate(h);
            if let (Some(measure), Some(local)) = (&mut self.measure, &self.local_error) {
                measure.weigh_at(&self.state, h);
                measure.weigh_lasting(&local.velocity, &self.state.v, h);
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
        let Some((h, iterations)) = self.solved.take() else {
            return StepReport { iterations: 0, rotation: 0.0, body: 0 };
        };
        self.pull = self.pull_within(h);
        let s = &mut self.step;
        std::mem::swap(&mut self.a_previous, &mut self.a);
        for ((stored, a), d) in self.stored.iter_mut().zip(&self.a_previous).zip(&s.delta) {
            *stored = a + d;
        }
        for &row in &self.constraint_rows {
            self.stored[row] = 0.0;
        }
        self.predictor.take(self.system, &s.stage_a, self.state.t + self.w.w1 * h);
        self.h_previous = Some(h);
        let turn = accept_frames(self.system, &mut self.state.frames, &s.end_frames, &s.move_end);
        self.state.v.copy_from_slice(&s.end_v);
        for &row in &self.constraint_rows {
            self.state.v[row] = 0.0;
        }
        self.state.t += h;
        if let Some(e) = &mut self.local_error {
            e.accept(self.state.t);
            if let Some(measure) = &mut self.measure {
                measure.note(&e.velocity, &self.state, h);
            }
        }
        self.system.remember_with(&mut self.state, &mut self.scratch);
        self.counters.steps += 1;
        self.counters.max_iterations = self.counters.max_iterations.max(iterations);
        turn.report(iterations)
    }

    fn set_tolerances(&mut self, mut measure: ErrorMeasure) {
        measure.let_velocities_last();
        self.measure = Some(measure);
    }

    fn snap_time(&mut self, t: f64) {
        self.state.t = t;
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }

    fn firmness(&self) -> Option<f64> {
        Some(self.factors.cancellation().sqrt().recip())
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

fn size_of(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, x| m.max(x.abs()))
}
