//! Fully implicit Runge–Kutta methods on a constrained system (lagrangian-dae-modeling §1.22 … §1.26).
//!
//! In a step the configuration moves in the chart of its start, q = q_n ∘ θ, so that all of the method
//! happens in a vector space. With increments Z_i = V_i − v_n of the velocities at the stages and W = A⁻¹,
//!
//! ```text
//! A_i = (1/h) Σ_j w_ij Z_j,     Θ_i = h Σ_j a_ij (T⁻¹(Θ_j) (V_j + p_j))
//! M(Q_i) A_i + G(Q_i)ᵀ λ_i = Q(Q_i, V_i, t_n + c_i h)
//! ```
//! and the constraints at every stage in one of the forms of [`StageForm`]. The variables of networks stand
//! among the velocities, their rates among the accelerations.
//!
//! Newton's matrix is taken at the start of the step. With T⁻¹WT = diag(μ, …) it falls apart into matrices
//! A₀ + β A₁ + β² A₂ with β = h/μ ([`StepPolynomial`]), one for every real eigenvalue and a complex one for
//! every pair. Positions follow from velocities by the quadrature, so they are no unknowns. In the stabilised
//! form p solves S p + G(Q_i)ᵀμ = 0, Φ = 0 with the same factors, as in the GS4 step: the metric S is the
//! step matrix itself. Gauss methods have no node at the end of the step, where a projection in the metric of
//! the masses M takes its place. They keep their order 2s only if p goes along the same directions, so that S
//! is M(Q_i) there, and p keeps the rows on velocities.

pub(crate) mod blocks;
pub(crate) mod collocation;
pub(crate) mod estimate;
pub(crate) mod estimator;
pub(crate) mod interpolate;
pub(crate) mod nodes;
pub(crate) mod predict;
pub(crate) mod settings;
pub(crate) mod similarity;
pub(crate) mod solve;
pub(crate) mod stages;

use crate::accepted_frames::accept_frames;
use crate::control::ErrorMeasure;
use crate::equation_rows::EquationRows;
use crate::gs4::closing::Closing;
use crate::linear::saddle_point::{SaddlePoint, instant};
use crate::method::Integrator;
use crate::newton::policy::RADAU;
use crate::runge_kutta::implicit::blocks::{Blocks, Entry};
use crate::runge_kutta::implicit::collocation::Collocation;
use crate::runge_kutta::implicit::interpolate::Collocated;
use crate::runge_kutta::implicit::settings::{ImplicitFamily, ImplicitSettings, StageForm};
use crate::runge_kutta::implicit::solve::Newton;
use crate::runge_kutta::implicit::stages::Stages;
use crate::step_failure::{SHORTEN, StepFailure};
use crate::step_report::{Attempt, Counters, StepReport};
use crate::stepper::Stepper;
use crate::work::is_powered;
use poinsot_mechanics::{Instant, Power, Scratch, State, System};
use std::sync::{Arc, Mutex, PoisonError};

/// An implicit Runge–Kutta integration in progress.
#[derive(Debug)]
pub struct ImplicitRungeKutta<'s> {
    system: &'s System,
    settings: ImplicitSettings,
    scheme: Arc<Collocation>,
    length: f64,
    past: Past,
    step: Step,
    matrix: Blocks,
    newton: Newton,
    room: Room,
    measure: ErrorMeasure,
    /// Whether a law has kinks, at which the first increment of Newton's iteration tells nothing about the
    /// rest.
    piecewise: bool,
    counters: Counters,
    saddle: SaddlePoint,
    closing: Closing,
    rows: EquationRows,
    entries: Vec<Entry>,
    powered: bool,
    scratch: Scratch,
}

/// Where the motion is, and the step that led there.
#[derive(Debug)]
struct Past {
    /// Where the last accepted step began, and its length.
    before: State,
    last_step: f64,
    state: State,
    /// Accelerations, rates and multipliers at the state, and where the last accepted step began.
    a: Vec<f64>,
    before_a: Vec<f64>,
    /// Stages of the accepted step, for prediction and dense output.
    done: Stages,
    /// Work of that step.
    work: Power,
}

impl Past {
    fn new(scheme: &Collocation, state: State, a: Vec<f64>) -> Self {
        Past {
            before: state.clone(),
            last_step: 0.0,
            before_a: a.clone(),
            done: Stages::new(scheme.implicit_stages(), a.len(), &state.frames),
            work: Power::default(),
            a,
            state,
        }
    }

    /// As a new one at a state, with its accelerations in `a`.
    fn reset(&mut self, at: &State) {
        let Past { before, last_step, state, a, before_a, done, work } = self;
        before.clone_from(at);
        state.clone_from(at);
        before_a.copy_from_slice(a);
        done.reset(&at.frames);
        (*last_step, *work) = (0.0, Power::default());
    }
}

/// The step in progress.
#[derive(Debug)]
struct Step {
    h: f64,
    /// h a_ij of the implicit stages.
    quadrature: Vec<f64>,
    /// The tightest tolerance.
    tightest: f64,
    stages: Stages,
    /// Its end, with accelerations and the way there.
    end: State,
    end_a: Vec<f64>,
    end_theta: Vec<f64>,
    iterations: usize,
}

impl Step {
    fn new(scheme: &Collocation, state: &State, a: &[f64], tightest: f64) -> Self {
        Step {
            h: 0.0,
            quadrature: vec![0.0; scheme.w.len()],
            tightest,
            stages: Stages::new(scheme.implicit_stages(), a.len(), &state.frames),
            end: state.clone(),
            end_a: a.to_vec(),
            end_theta: vec![0.0; a.len()],
            iterations: 0,
        }
    }

    /// As a new one at a state with accelerations; tolerance and quadrature are set with its length.
    fn reset(&mut self, state: &State, a: &[f64]) {
        let Step { h, quadrature: _, tightest: _, stages, end, end_a, end_theta, iterations } = self;
        stages.reset(&state.frames);
        end.clone_from(state);
        end_a.copy_from_slice(a);
        end_theta.fill(0.0);
        (*h, *iterations) = (0.0, 0);
    }
}

/// Work arrays.
#[derive(Debug)]
struct Room {
    error: [Vec<f64>; 3],
    values_of_rows: Vec<f64>,
    /// Sums over the stages.
    mixed: Vec<f64>,
    /// Weights of the stages of the last step in those of this one, row by row.
    prediction: Vec<f64>,
    weights: Vec<f64>,
    all_weights: Vec<f64>,
}

impl Room {
    fn new(scheme: &Collocation, n: usize) -> Self {
        Room {
            error: std::array::from_fn(|_| vec![0.0; n]),
            values_of_rows: vec![0.0; n],
            mixed: vec![0.0; scheme.implicit_stages() * n],
            prediction: vec![0.0; scheme.w.len()],
            weights: vec![0.0; scheme.implicit_stages()],
            all_weights: vec![0.0; scheme.tableau.stages()],
        }
    }
}

/// Contraction that the next step may be expected to have at most.
const LARGEST_CONTRACTION: f64 = 0.4;

impl<'s> ImplicitRungeKutta<'s> {
    /// Starts at a consistent state.
    pub fn new(
        system: &'s System,
        mut settings: ImplicitSettings,
        state: State,
    ) -> Result<Self, StepFailure> {
        let scheme = scheme(&settings).ok_or_else(|| StepFailure::no_such_method(state.t))?;
        let mut saddle = SaddlePoint::new(system);
        let mut a = vec![0.0; system.size()];
        let singular = |e| StepFailure::singular(system, state.t, &e);
        saddle.accelerations(system, &state, &mut a).map_err(singular)?;
        system.network_rates(&state, &mut a, &mut saddle.scratch);
        let rows = EquationRows::new(system);
        if rows.level.is_empty() {
            // Nothing has two levels to hold.
            settings.form = StageForm::Velocity;
        }
        let mut entries = vec![Entry::Balance; system.size()];
        rows.level.iter().for_each(|&row| entries[row] = Entry::Level);
        rows.velocity.iter().for_each(|&row| entries[row] = Entry::Rate);
        let (real, pairs) = (scheme.similarity.real.len(), scheme.similarity.pairs.len());
        let tightest = settings.tolerance.relative.max(settings.tolerance.absolute);
        Ok(ImplicitRungeKutta {
            length: system.length_scale(),
            step: Step::new(&scheme, &state, &a, tightest),
            room: Room::new(&scheme, system.size()),
            newton: Newton::new(system, scheme.implicit_stages()),
            matrix: Blocks::new(system, real, pairs, settings.estimate),
            past: Past::new(&scheme, state, a),
            measure: ErrorMeasure::new(system, settings.tolerance),
            piecewise: system.is_piecewise(),
            counters: Counters::default(),
            saddle,
            closing: Closing::new(system, settings.form.holds()),
            rows,
            entries,
            powered: is_powered(system),
            scratch: Scratch::default(),
            system,
            settings,
            scheme,
        })
    }

    /// Accelerations, rates and multipliers at the current state.
    pub fn accelerations(&self) -> &[f64] {
        &self.past.a
    }

    /// The settings.
    pub fn settings(&self) -> &ImplicitSettings {
        &self.settings
    }

    /// What depends on the length of the step alone.
    fn prepare(&mut self, h: f64) {
        self.step.h = h;
        self.step.tightest = self.measure.tightest();
        let (count, first) = (self.step.stages.count(), self.first());
        for (i, row) in self.step.quadrature.chunks_exact_mut(count).enumerate() {
            let own = &self.scheme.tableau.row(first + i)[first..];
            row.iter_mut().zip(own).for_each(|(out, a)| *out = h * a);
        }
    }

    /// Work of the step by the quadrature of the method.
    fn measure_work(&mut self) {
        self.past.work = Power::default();
        if !self.powered {
            return;
        }
        let (h, first) = (self.past.last_step, self.first());
        let mut add = |weight: f64, at: &Instant| {
            let power = self.system.power(at, &mut self.scratch);
            self.past.work.supplied += weight * h * power.supplied;
            self.past.work.dissipated += weight * h * power.dissipated;
        };
        // An explicit stage is the start of the step.
        self.scheme.tableau.b[..first]
            .iter()
            .for_each(|b| add(*b, &instant(&self.past.before, &self.past.before_a)));
        for i in 0..self.past.done.count() {
            let t = self.past.before.t + self.scheme.c[i] * h;
            add(self.scheme.tableau.b[first + i], &self.past.done.instant(i, t, &self.past.before.memory));
        }
    }

    /// Number of explicit stages: the first, or none.
    fn first(&self) -> usize {
        usize::from(self.scheme.has_explicit_start())
    }

    fn failure(&self, h: f64, reason: &'static str, equation: usize) -> StepFailure {
        StepFailure::of_step([self.past.state.t, h], reason, self.system.equation_name(equation), SHORTEN)
    }
}

impl Stepper for ImplicitRungeKutta<'_> {
    fn state(&self) -> &State {
        &self.past.state
    }

    fn attempt(&mut self, h: f64) -> Result<Attempt, StepFailure> {
        if std::mem::replace(&mut self.newton.tried, true) {
            // The last attempt was not accepted: its matrix and its speed are those of a place where nobody
            // goes.
            self.newton.convergence.forget();
        }
        self.prepare(h);
        self.measure.weigh_at(&self.past.state, h);
        self.measure.weights_of_velocity(&mut self.newton.squares);
        self.measure.weights_of_position(h, &mut self.newton.position_squares);
        let anew = self.newton.convergence.is_worn() || self.matrix.factored_for.is_none();
        let mut solved = self.solve(h, anew);
        if solved.is_err() && !anew {
            solved = self.solve(h, true);
        }
        let iterations = solved?;
        self.finish(h)?;
        let error = self.settings.estimate.then(|| {
            let error = self.estimate(h);
            self.beyond_rounding(error, h)
        });
        let effort = iterations as f64 / self.most_iterations() as f64;
        // The contraction goes with the step.
        let contraction = self.newton.convergence.contraction();
        let longest = if iterations > 1 { h * LARGEST_CONTRACTION / contraction } else { f64::INFINITY };
        Ok(Attempt {
            iterations,
            error,
            exponent: self.exponent(),
            adds_up: false,
            effort,
            next: None,
            longest,
        })
    }

    fn accept(&mut self) -> StepReport {
        self.newton.tried = false;
        std::mem::swap(&mut self.past.before, &mut self.past.state);
        let state = &mut self.past.state;
        state.t = self.past.before.t + self.step.h;
        state.v.copy_from_slice(&self.step.end.v);
        state.memory.copy_from_slice(&self.past.before.memory);
        let turn = accept_frames(self.system, &mut state.frames, &self.step.end.frames, &self.step.end_theta);
        self.system.remember_with(&mut self.past.state, &mut self.scratch);
        std::mem::swap(&mut self.past.before_a, &mut self.past.a);
        self.past.a.copy_from_slice(&self.step.end_a);
        // Gauss methods have no node at the end: there multipliers of hidden constraints have order s − 1 or
        // s − 2, that is none.
        if self.settings.family == ImplicitFamily::Gauss {
            self.system.settle_multipliers(&mut self.past.state, &self.past.a, &mut self.scratch);
        }
        std::mem::swap(&mut self.past.done, &mut self.step.stages);
        self.past.last_step = self.step.h;
        self.measure_work();
        self.counters.steps += 1;
        turn.report(self.step.iterations)
    }

    fn set_tolerances(&mut self, measure: ErrorMeasure) {
        self.measure = measure;
    }

    fn snap_time(&mut self, t: f64) {
        self.past.state.t = t;
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }

    fn exponent(&self) -> usize {
        self.settings.stages + 1
    }

    fn convenient_step(&self, h: f64) -> f64 {
        match self.matrix.factored_for {
            Some(old) if !self.newton.convergence.is_worn() && RADAU.serves(h / old) => old,
            _ => h,
        }
    }

    fn interpolate(&mut self, t: f64, out: &mut State) -> bool {
        let fraction = (t - self.past.before.t) / self.past.last_step;
        let start = self.past.last_step * self.scheme.weights(fraction, &mut self.room.weights);
        let step = Collocated { from: &self.past.before, a: &self.past.before_a, stages: &self.past.done };
        step.at(self.system, start, &self.room.weights, &mut self.room.error[0], &self.rows.is_row, out);
        out.t = t;
        true
    }

    fn look_ahead(&mut self, t: f64, out: &mut State) -> bool {
        let fraction = (t - self.past.state.t) / self.step.h;
        let start = self.step.h * self.scheme.weights(fraction, &mut self.room.weights);
        let step = Collocated { from: &self.past.state, a: &self.past.a, stages: &self.step.stages };
        step.at(self.system, start, &self.room.weights, &mut self.room.error[0], &self.rows.is_row, out);
        out.t = t;
        true
    }

    fn restart(&mut self, state: &State) -> Result<bool, StepFailure> {
        let system = self.system;
        let singular = |e| StepFailure::singular(system, state.t, &e);
        let a = &mut self.past.a;
        a.fill(0.0);
        self.saddle.accelerations(system, state, a).map_err(singular)?;
        system.network_rates(state, a, &mut self.saddle.scratch);
        self.step.reset(state, a);
        self.past.reset(state);
        self.newton.reset();
        self.room.mixed.fill(0.0);
        self.matrix.factored_for = None;
        self.counters = Counters::default();
        Ok(true)
    }

    fn work(&self) -> Option<Power> {
        Some(self.past.work)
    }

    fn stage(&self) -> (f64, &[f64]) {
        (1.0, self.accelerations())
    }

    fn rates(&self) -> &[f64] {
        self.accelerations()
    }

    fn looks_ahead(&self) -> bool {
        true
    }
}

/// The method of the settings, if there is one; each is worked out once.
fn scheme(settings: &ImplicitSettings) -> Option<Arc<Collocation>> {
    static KNOWN: Mutex<Vec<(ImplicitFamily, Arc<Collocation>)>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let same = |(family, scheme): &&(ImplicitFamily, Arc<Collocation>)| {
        *family == settings.family && scheme.tableau.stages() == settings.stages
    };
    if let Some((_, scheme)) = known.iter().find(same) {
        return Some(scheme.clone());
    }
    let scheme = Arc::new(Collocation::new(settings.tableau()?).ok()?);
    known.push((settings.family, scheme.clone()));
    Some(scheme)
}
