//! The GS4-2 step on a constrained system (gs4-isochronous-integrators I-02, I-47 … I-55).
//!
//! With one unknown Δa per coordinate and the stage multipliers λ̃,
//!
//! ```text
//! q̃ = q ∘ (W₁h v + W₂Λ₂h² a + W₃Λ₃h² Δa)     ṽ = v + W₁h a + W₂Λ₅h Δa     ã = a + W₁Λ₆ Δa
//! M(q̃) ã + G(q̃)ᵀ λ̃ = Q(q̃, ṽ, t_n + W₁h)
//! q⁺ = q ∘ (h v + ½h² a + λ₃h² (Δa + p))      v⁺ = v + h a + λ₅h Δa        a⁺ = a + Δa
//! ```
//! where ∘ is the retraction of each node's chart. The constraints close the step in one of three forms:
//!
//! * *position level* (index 3): p = 0 and Φ(q⁺) = 0;
//! * *stabilised* (Gear–Gupta–Leimkuhler): G(q⁺) v⁺ = 0 and Φ(q⁺) = 0, where the position correction p solves
//!   S p + G(q̃)ᵀμ = 0. The metric S is the upper left block of the step matrix, M + O(h): it leaves stiff directions
//!   alone, and one factorisation serves both solves. Both levels hold to the tolerance, and
//!   accelerations and multipliers are second order for every member (I-53, I-54).
//!
//! * *Hamiltonian*: the stabilised form with the force (∂(Gv)/∂q)ᵀη of (3.122) in the balance, where h M⁻¹Gᵀη = λ₃h² p is
//!   the same position correction; with the midpoint member it is Algorithm 3.5.2.
//!
//! Rows are divided by W₁Λ₆ resp. λ₃h² or λ₅h, multipliers scaled likewise, so that the condition number does not
//! grow as h shrinks (I-52). The step matrix is exact, including the derivative of the constraint
//! forces, and is kept as long as Newton contracts well.

use crate::factors::Factors;
use crate::member::{DEFAULT_RHO, Member, Weights};
use crate::outcome::{Attempt, Counters, StepFailure, StepReport};
use crate::saddle_point::{SaddlePoint, retract};
use poinsot_geometry::{Mat3, so3};
use poinsot_mechanics::{Chart, Frame, Instant, Level, Linearization, Scratch, State, System};

/// How the constraints enter the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Position and velocity level together; the default.
    Stabilised,
    /// The same with the force (∂(Gv)/∂q)ᵀη that makes the pair of equations Hamiltonian.
    Hamiltonian,
    /// Position level only (index 3).
    Position,
}

/// Settings of the integrator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Member of the family.
    pub member: Member,
    /// Form of the constraints.
    pub form: Form,
    /// Newton tolerance relative to the model's own speed and length.
    pub tolerance: f64,
    /// Most Newton iterations in a step.
    pub max_iterations: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            member: Member::u0(DEFAULT_RHO, DEFAULT_RHO, DEFAULT_RHO),
            form: Form::Stabilised,
            tolerance: 1e-10,
            max_iterations: 20,
        }
    }
}

/// A GS4-2 integration in progress.
#[derive(Debug)]
pub struct Gs4<'s> {
    system: &'s System,
    settings: Settings,
    w: Weights,
    length: f64,
    state: State,
    /// Stored acceleration aⁿ ≈ q̈(t_n − φh), zero in the constraint entries.
    a: Vec<f64>,
    a_previous: Vec<f64>,
    /// The stored acceleration before the step, to go back to if it fails.
    a_start: Vec<f64>,
    h_previous: Option<f64>,
    /// Stage accelerations and multipliers of the last three steps, newest first.
    history: [Vec<f64>; 3],
    known: usize,
    /// The one of [`PREDICTORS`] that would have predicted the last step best.
    predictor: usize,
    tried: (f64, usize),
    counters: Counters,
    step: Step,
    /// Scaled residual of the balance and of the constraint level that closes it; then its solution.
    residual: Vec<f64>,
    /// Residual of S p + Gᵀμ = 0 and scaled Φ of the stabilised form; then its solution.
    position: Vec<f64>,
    /// p without μ.
    metric: Vec<f64>,
    /// Largest |Φ| at the last iterate.
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
    contraction: f64,
    /// Contraction measured right after the last factorisation: a new matrix cannot do better.
    best_contraction: f64,
    constraint_rows: Vec<usize>,
    /// Those of them that restrict velocities only.
    velocity_rows: Vec<usize>,
    scratch: Scratch,
}

/// Work arrays of one step.
#[derive(Debug)]
struct Step {
    delta: Vec<f64>,
    correction: Vec<f64>,
    move_stage: Vec<f64>,
    move_end: Vec<f64>,
    stage_frames: Vec<Frame>,
    stage_v: Vec<f64>,
    stage_a: Vec<f64>,
    end_frames: Vec<Frame>,
    end_v: Vec<f64>,
    stage_tangent: Vec<Mat3>,
    end_tangent: Vec<Mat3>,
}

impl Step {
    fn new(system: &System, frames: &[Frame]) -> Self {
        let n = system.size();
        let tangents = vec![Mat3::identity(); frames.len()];
        Step {
            delta: vec![0.0; n],
            correction: vec![0.0; n],
            move_stage: vec![0.0; n],
            move_end: vec![0.0; n],
            stage_frames: frames.to_vec(),
            stage_v: vec![0.0; n],
            stage_a: vec![0.0; n],
            end_frames: frames.to_vec(),
            end_v: vec![0.0; n],
            stage_tangent: tangents.clone(),
            end_tangent: tangents,
        }
    }

    /// The instant t_n + W₁h at which the balance is collocated.
    fn stage<'a>(&'a self, before: &'a State, w1: f64, h: f64) -> Instant<'a> {
        Instant {
            t: before.t + w1 * h,
            frames: &self.stage_frames,
            v: &self.stage_v,
            a: &self.stage_a,
            memory: &before.memory,
        }
    }

    /// The instant t_n + h at which the constraints hold.
    fn end<'a>(&'a self, before: &'a State, h: f64) -> Instant<'a> {
        Instant { t: before.t + h, frames: &self.end_frames, v: &self.end_v, ..self.stage(before, 0.0, h) }
    }
}

/// Weights of the last three stages that predict the next one, and how many of them are used: constant, linear and
/// quadratic in time, and linear plus the alternating mode (−1)ⁿ that constraints leave in stage values (I-53).
const PREDICTORS: [([f64; 3], usize); 4] =
    [([1.0, 0.0, 0.0], 1), ([2.0, -1.0, 0.0], 2), ([3.0, -3.0, 1.0], 3), ([1.0, 1.0, -1.0], 3)];

/// Iterations still to come that make a new factorisation worth its cost.
const WORTH_FACTORING: f64 = 2.5;

/// Contraction expected of a new matrix until it has been measured.
const FRESH_CONTRACTION: f64 = 0.05;

/// A measured contraction is not believed to be better than this when it decides that the iteration may end.
const BEST_CREDIBLE_CONTRACTION: f64 = 0.05;

/// Relative increment below which a stalled iteration has reached round-off.
const SMALLEST_INCREMENT: f64 = 1e-12;

/// The same where the joints are closed to the last digit: short links turn that digit into a larger angle.
const CLOSED_INCREMENT: f64 = 1e-8;

/// Rounding in the increments per unit of cancellation in the pivots.
const CANCELLED: f64 = 200.0;

/// Iterations after which a matrix of this step is given up if much is left to do.
const PATIENCE: usize = 4;

/// Growth of the expected contraction from step to step while nobody measures it: the matrix ages.
const AGEING: f64 = 2.0;

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
        if settings.member.check().is_err() {
            return Err(StepFailure::inadmissible(state.t));
        }
        let w = settings.member.weights();
        let n = system.size();
        let mut solver = SaddlePoint::new(system);
        let mut now = vec![0.0; n];
        let fail = |e| StepFailure::singular(system, state.t, &e);
        solver.accelerations(system, &state, &mut now).map_err(fail)?;
        let mut integration = Gs4 {
            system,
            settings,
            w,
            length: system.length_scale(),
            a: vec![0.0; n],
            a_previous: vec![0.0; n],
            a_start: vec![0.0; n],
            h_previous: None,
            history: [now.clone(), vec![0.0; n], vec![0.0; n]],
            known: 1,
            predictor: 0,
            tried: (0.0, 0),
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
            contraction: FRESH_CONTRACTION,
            best_contraction: 0.0,
            constraint_rows: system.constraint_equations(),
            velocity_rows: system.velocity_equations(),
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
        }
        // Where the extrapolation changes the acceleration by more than twice itself, a stiff transient has yet to decay
        // and the value at t₀ is the better one. (A load that only begins at t₀ leaves nothing to compare with.)
        let unknowns: Vec<usize> = self.system.nodes().iter().flat_map(|n| n.unknowns()).collect();
        let size = |x: &dyn Fn(usize) -> f64| unknowns.iter().map(|&i| x(i) * x(i)).sum::<f64>();
        let (change, own) = (size(&|i| self.a[i] - now[i]), size(&|i| now[i]));
        if change > 4.0 * own && own > 1e-6 * change {
            self.a.copy_from_slice(now);
        }
        for &row in &self.constraint_rows {
            self.a[row] = 0.0;
        }
        self.a_previous.copy_from_slice(&self.a);
        Ok(())
    }

    /// The current state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The stored acceleration aⁿ ≈ q̈(t_n − φh), equation order.
    pub fn stored_acceleration(&self) -> &[f64] {
        &self.a
    }

    /// Replaces the stored acceleration (verification of the unshifted start).
    pub fn set_stored_acceleration(&mut self, a: &[f64]) {
        self.a.copy_from_slice(a);
        for &row in &self.constraint_rows {
            self.a[row] = 0.0;
        }
    }

    /// Stage accelerations ã with the stage multipliers λ̃ of the last step, at t_n + W₁h.
    pub fn stage(&self) -> &[f64] {
        &self.history[0]
    }

    /// The weights in use.
    pub fn weights(&self) -> &Weights {
        &self.w
    }

    /// About the sine of the angle between a constraint row and the others, in the step matrix made last.
    pub fn firmness(&self) -> f64 {
        self.factors.cancellation().sqrt().recip()
    }

    /// What the integration has cost so far.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Sets the time exactly, to keep rounding of t + h from accumulating.
    pub fn snap_time(&mut self, t: f64) {
        self.state.t = t;
    }

    /// Advances by h.
    pub fn step(&mut self, h: f64) -> Result<StepReport, StepFailure> {
        self.attempt(h)?;
        Ok(self.accept())
    }

    /// tmp
    pub fn attempt(&mut self, h: f64) -> Result<Attempt, StepFailure> {
        self.a_start.copy_from_slice(&self.a);
        self.reshift(h);
        self.predict();
        match self.newton(h) {
            Ok(iterations) => {
                self.tried = (h, iterations);
                Ok(Attempt {
                    iterations,
                    error: None,
                    exponent: 3,
                    effort: 0.0,
                    next: None,
                    longest: f64::INFINITY,
                })
            }
            Err(failure) => {
                self.a.copy_from_slice(&self.a_start);
                Err(failure)
            }
        }
    }

    /// tmp
    pub fn set_tolerances(&mut self, _m: crate::control::ErrorMeasure) {}

    /// A step of another length needs the acceleration at another shifted time (I-16).
    fn reshift(&mut self, h: f64) {
        let Some(old) = self.h_previous else { return };
        let ratio = h / old - 1.0;
        if ratio.abs() < 1e-12 {
            return;
        }
        let factor = self.w.phi * ratio;
        for (a, previous) in self.a.iter_mut().zip(&self.a_previous) {
            *a -= factor * (*a - previous);
        }
        self.known = self.known.min(1);
        self.predictor = 0;
    }

    /// Stage acceleration and multipliers extrapolated from the last stages, which unlike aⁿ are smooth in time
    /// for every member.
    fn predict(&mut self) {
        let [s1, s2, s3] = &self.history;
        let s = &mut self.step;
        let [w1, w2, w3] = PREDICTORS[self.predictor].0;
        for i in 0..s.delta.len() {
            let stage = w1 * s1[i] + w2 * s2[i] + w3 * s3[i];
            s.delta[i] = (stage - self.a[i]) / self.w.w1l6;
        }
        s.correction.fill(0.0);
        self.corrected = false;
        self.fresh = false;
    }

    /// Chooses the predictor that would have served the converged stage best.
    fn choose_predictor(&mut self) {
        let [s1, s2, s3] = &self.history;
        let mut error = [0.0f64; PREDICTORS.len()];
        for node in self.system.nodes() {
            for i in node.unknowns() {
                let stage = self.step.stage_a[i];
                for (error, ([w1, w2, w3], _)) in error.iter_mut().zip(&PREDICTORS) {
                    let miss = stage - (w1 * s1[i] + w2 * s2[i] + w3 * s3[i]);
                    *error += miss * miss;
                }
            }
        }
        let usable = (0..PREDICTORS.len()).filter(|&k| PREDICTORS[k].1 <= self.known);
        self.predictor = usable.min_by(|a, b| error[*a].total_cmp(&error[*b])).unwrap_or(0);
    }

    /// Stage and end values for the current increments.
    fn evaluate_kinematics(&mut self, h: f64) {
        let w = &self.w;
        let (v, a, s) = (&self.state.v, &self.a, &mut self.step);
        for i in 0..v.len() {
            let d = s.delta[i];
            s.move_stage[i] = h * (w.w1 * v[i] + h * (w.w2l2 * a[i] + w.w3l3 * d));
            s.stage_v[i] = v[i] + h * (w.w1 * a[i] + w.w2l5 * d);
            s.stage_a[i] = a[i] + w.w1l6 * d;
            s.move_end[i] = h * (v[i] + h * (0.5 * a[i] + w.l3 * (d + s.correction[i])));
            s.end_v[i] = v[i] + h * (a[i] + w.l5 * d);
        }
        retract(self.system, &self.state.frames, &s.move_stage, &mut s.stage_frames);
        retract(self.system, &self.state.frames, &s.move_end, &mut s.end_frames);
    }

    /// Scaled residuals: the balance and the constraint level that closes it into `residual`, Φ into `position`.
    fn evaluate_residual(&mut self, h: f64) {
        let (system, s) = (self.system, &mut self.scratch);
        let stage = self.step.stage(&self.state, self.w.w1, h);
        let end = self.step.end(&self.state, h);
        system.residual(&stage, &mut self.residual, s);
        if self.settings.form == Form::Hamiltonian {
            // η = −λ₃h μ, because S p + Gᵀμ = 0 and λ₃h² p = h S⁻¹Gᵀη.
            system.add_rate_pull(&stage, &self.step.correction, -self.w.l3 * h, &mut self.residual, s);
        }
        let balance = 1.0 / self.w.w1l6;
        self.residual.iter_mut().for_each(|r| *r *= balance);
        let scale = match self.settings.form {
            Form::Position => {
                system.constraint_residual(&end, &mut self.residual, s);
                if !self.velocity_rows.is_empty() {
                    system.constraint_rate(&end, &mut self.position, s);
                }
                1.0 / (self.w.l3 * h * h)
            }
            Form::Stabilised | Form::Hamiltonian => {
                self.position.fill(0.0);
                if self.corrected && (!self.fresh || self.unsettled) {
                    self.unsettled = false;
                    // S p with the matrix in use, Gᵀμ with the directions of this stage. With a matrix of this step the
                    // solve itself keeps both in balance.
                    self.metric.copy_from_slice(&self.step.correction);
                    self.constraint_rows.iter().for_each(|&row| self.metric[row] = 0.0);
                    system.pattern().multiply(&self.values, &self.metric, &mut self.position);
                    system.add_pull(&stage, &self.step.correction, &mut self.position, s);
                }
                system.constraint_levels(&end, &mut self.position, &mut self.residual, s);
                1.0 / (self.w.l5 * h)
            }
        };
        self.open = self.largest_opening();
        for &row in &self.velocity_rows {
            if self.settings.form == Form::Position {
                self.residual[row] = self.position[row] * self.w.l3 * h / self.w.l5;
            }
        }
        for &row in &self.constraint_rows {
            self.residual[row] *= scale;
            // The increment of Δa moves q⁺ too: G δa = −Φ̇ to first order in the rotation of the step.
            self.position[row] = self.position[row] / (self.w.l3 * h * h) - self.residual[row];
        }
        // The position correction respects rows on velocities as they stand.
        self.velocity_rows.iter().for_each(|&row| self.position[row] = 0.0);
        self.counters.residuals += 1;
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
        let level = match self.settings.form {
            Form::Position => Level::Position,
            Form::Stabilised | Form::Hamiltonian => Level::Velocity,
        };
        let linearization = Linearization {
            stage: self.step.stage(&self.state, w.w1, h),
            stage_tangent: &self.step.stage_tangent,
            end: self.step.end(&self.state, h),
            end_tangent: &self.step.end_tangent,
            mass: 1.0,
            damping: h * w.w2l5 / w.w1l6,
            stiffness: h * h * w.w3l3 / w.w1l6,
            level,
            gamma: w.l3 * h / w.l5,
            networks: true,
        };
        self.system.step_matrix(&linearization, &mut self.values, &mut self.scratch);
        let outcome = self.factors.factor(self.system, &self.values);
        self.counters.factorisations += 1;
        self.factored_for = outcome.is_ok().then_some(h);
        self.fresh = true;
        self.unsettled = self.corrected;
        self.contraction = FRESH_CONTRACTION;
        self.best_contraction = 0.0;
        outcome.map_err(|e| StepFailure::singular(self.system, self.state.t, &e))
    }

    /// Newton's iteration; returns the number of iterations.
    ///
    /// The increments' ratio θ measures the contraction, so θ/(1−θ)·|δ| estimates what is left. The matrix is kept
    /// from step to step and made anew only when what is left would take several iterations with the old one.
    fn newton(&mut self, h: f64) -> Result<usize, StepFailure> {
        let speed = self.speed_scale(h);
        let length = Extent { linear: self.length, angular: 1.0 };
        let round_off = self.round_off(h, &speed);
        let tolerance = self.settings.tolerance.max(0.1 * round_off);
        self.evaluate_kinematics(h);
        if self.factored_for != Some(h) {
            self.factor(h)?;
        }
        self.contraction = (self.contraction * AGEING).min(0.9);
        let mut last: Option<f64> = None;
        let mut used = 0;
        for iteration in 1..=self.settings.max_iterations {
            self.evaluate_residual(h);
            if let Some(equation) = self.not_a_number() {
                self.factored_for = None;
                return Err(self.failure(h, "a force or a joint is not a number", equation));
            }
            let size = self.improve(h, &speed, &length);
            if !size.is_finite() {
                break;
            }
            self.evaluate_kinematics(h);
            if let Some(last) = last {
                self.contraction = (size / last).max(1e-10);
                if self.best_contraction == 0.0 {
                    self.best_contraction = self.contraction;
                }
            }
            let theta = self.contraction;
            // A single quadratic step may look better than the iteration is.
            let rate = theta.max(BEST_CREDIBLE_CONTRACTION);
            let left_over = if rate < 1.0 { rate / (1.0 - rate) * size } else { f64::INFINITY };
            let converged = left_over <= tolerance || size <= 1e-3 * tolerance;
            // Round-off ends the contraction: such increments cannot be improved.
            let closed = self.open <= 16.0 * f64::EPSILON * self.length;
            // Near a singular position the last digit of the joints is worth more still.
            let worth = CANCELLED * f64::EPSILON * self.factors.cancellation();
            let smallest = if closed { worth.max(CLOSED_INCREMENT) } else { SMALLEST_INCREMENT };
            let exhausted = last.is_some() && theta > 0.1 && size <= (100.0 * round_off).max(smallest);
            if converged || exhausted {
                return Ok(iteration);
            }
            last = Some(size);
            let left = if theta < 1.0 { (tolerance / size).ln() / theta.ln() } else { f64::INFINITY };
            let aged = self.best_contraction > 0.0 && theta > 3.0 * self.best_contraction;
            used += 1;
            if left > WORTH_FACTORING && (aged || theta > 0.5 || used >= PATIENCE) {
                self.factor(h)?;
                last = None;
                used = 0;
            }
        }
        self.factored_for = None;
        Err(self.failure(h, "Newton's iteration did not converge", self.largest_increment()))
    }

    /// The first equation whose residual is not a finite number.
    fn not_a_number(&self) -> Option<usize> {
        if self.residual.iter().sum::<f64>().is_finite() {
            return None;
        }
        self.residual.iter().position(|r| !r.is_finite())
    }

    /// The unknown with the largest last increment.
    fn largest_increment(&self) -> usize {
        let unknowns = self.system.nodes().iter().flat_map(|n| n.unknowns());
        let size = |i: &usize| self.residual[*i].abs();
        unknowns.max_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or(0)
    }

    /// Largest unscaled |Φ| of the position level.
    fn largest_opening(&self) -> f64 {
        let phi = if self.settings.form == Form::Position { &self.residual } else { &self.position };
        self.constraint_rows.iter().map(|&row| phi[row].abs()).fold(0.0, f64::max)
    }

    /// Rounding of the constraint residuals, as a relative increment of velocity. At position level Φ is divided by h².
    fn round_off(&self, h: f64, speed: &Extent) -> f64 {
        match self.settings.form {
            Form::Stabilised | Form::Hamiltonian => f64::EPSILON,
            Form::Position => f64::EPSILON * self.length * self.w.l5 / (self.w.l3 * h * speed.linear),
        }
    }

    /// Adds one Newton increment; returns its size relative to the model's speed and length.
    fn improve(&mut self, h: f64, speed: &Extent, length: &Extent) -> f64 {
        let stabilised = self.settings.form != Form::Position;
        if stabilised {
            self.factors.solve2(&mut self.residual, &mut self.position);
        } else {
            self.factors.solve(&mut self.residual);
        }
        self.counters.iterations += 1;
        for (d, r) in self.step.delta.iter_mut().zip(&self.residual) {
            *d -= r;
        }
        let (by_position, by_velocity) = (self.w.l3 * h * h, self.w.l5 * h);
        let extent = self.measure(&self.residual);
        let mut size = by_velocity * extent.relative_to(speed);
        size = size.max(by_position * extent.relative_to(length));
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

    /// The model's own speeds: what moves now, what acceleration adds in a step, and a floor at rest.
    fn speed_scale(&self, h: f64) -> Extent {
        let (now, gained) = (self.measure(&self.state.v), self.measure(&self.history[0]));
        let linear = now.linear.max(gained.linear * h).max(1e-6 * self.length / h);
        let angular = now.angular.max(gained.angular * h).max(linear / self.length);
        Extent { linear, angular }
    }

    /// tmp
    pub fn accept(&mut self) -> StepReport {
        let (h, iterations) = self.tried;
        let s = &mut self.step;
        let (mut rotation, mut body) = (0.0, 0);
        self.a_previous.copy_from_slice(&self.a);
        for (a, d) in self.a.iter_mut().zip(&s.delta) {
            *a += d;
        }
        for &row in &self.constraint_rows {
            self.a[row] = 0.0;
        }
        self.choose_predictor();
        let s = &mut self.step;
        self.history.rotate_right(1);
        self.history[0].copy_from_slice(&s.stage_a);
        self.known = (self.known + 1).min(3);
        if self.h_previous.is_none() {
            // The start value stands for t₀, not for a stage.
            self.known = 1;
        }
        self.h_previous = Some(h);
        let frames = self.state.frames.iter_mut().zip(&s.end_frames);
        for (k, (node, (z, new))) in self.system.nodes().iter().zip(frames).enumerate() {
            *z = *new;
            if matches!(node.chart, Chart::Motion | Chart::Planar { .. }) {
                z.rot = so3::orthonormalize(&z.rot);
                let step = node.chart.twist(&s.move_end[node.unknowns()]);
                let angle = step.angular.norm();
                if angle > rotation {
                    (rotation, body) = (angle, k);
                }
            }
        }
        self.state.v.copy_from_slice(&s.end_v);
        for &row in &self.constraint_rows {
            self.state.v[row] = 0.0;
        }
        self.state.t += h;
        self.system.remember_with(&mut self.state, &mut self.scratch);
        self.counters.steps += 1;
        self.counters.max_iterations = self.counters.max_iterations.max(iterations);
        StepReport { iterations, rotation, body }
    }

    /// Largest rotation of a body that the failed step attempted (rad).
    fn largest_turn(&self) -> f64 {
        let turn = |k: usize| self.system.twist(k, &self.step.move_end).angular.norm();
        (1..self.system.nodes().len()).map(turn).fold(0.0, f64::max)
    }

    /// A step that failed at an equation, with what to try.
    fn failure(&self, h: f64, reason: &'static str, equation: usize) -> StepFailure {
        let remedy = if self.not_a_number().is_some() {
            "look at the expressions of the loads there: a root, a quotient or a logarithm that leaves its range"
        } else if self.largest_turn() > 0.5 {
            "take a smaller step: a body would turn by more than half a radian in this one"
        } else {
            "halve the step; if it still fails, look for a jammed or nearly singular position there"
        };
        let equation = self.system.equation_name(equation);
        StepFailure { t: self.state.t + h, step: h, reason, equation, remedy }
    }
}
