//! Explicit Runge–Kutta methods on a constrained system.
//!
//! Over a step the unknown is the local increment δ of the retraction, q = qₙ ∘ δ:
//!
//! ```text
//! δ̇ = T⁻¹(δ) v,     v̇ = a(q, v, y, t),     [ M  Gᵀ ] [ a ]   [ Q − bias ]
//!                                            [ G  0  ] [ λ ] = [ −κ       ],     F(y, ẏ, r, t) = 0
//! ```
//! with T the tangent of the rotations and y the variables of networks, whose algebraic equations are
//! differentiated once. All are integrated as an ordinary differential equation with the coefficients of a
//! [`Tableau`],
//!
//! ```text
//! Y_i = y_n + h Σ_{j<i} a_ij k_j,     y_{n+1} = y_n + h Σ b_i k_i,     error = h Σ (b_i − b̂_i) k_i
//! ```
//! and what becomes of the constraints is said by the [`Procedure`] (floating-frame-and-ancf §1.14.3). The
//! embedding integrates only (δ_i, v_i): at every stage the dependent positions follow from Φ(q, t) = 0 and
//! the dependent velocities from G v + drift = 0, so that they obey an explicit differential equation. A
//! projection comes before the rates at the end of the step, so that these are the first stage of the next
//! step in any case. First stages serve all attempts of a step.

pub(crate) mod dependents;
pub(crate) mod embedding;
pub(crate) mod estimate;
pub(crate) mod interpolation;
pub(crate) mod method;
pub(crate) mod partition;
pub(crate) mod stages;
pub(crate) mod stiffness;

use crate::accepted_frames::accept_frames;
use crate::control::ErrorMeasure;
use crate::linear::saddle_point::SaddlePoint;
use crate::runge_kutta::explicit::embedding::{Embedding, partition_failure};
use crate::runge_kutta::explicit::interpolation::Interpolation;
use crate::runge_kutta::explicit::method::{ExplicitSettings, Procedure};
use crate::runge_kutta::explicit::partition::Partition;
use crate::runge_kutta::explicit::stages::Step;
use crate::runge_kutta::explicit::stiffness::StiffnessWatch;
use crate::runge_kutta::tableau::Tableau;
use crate::step_failure::StepFailure;
use crate::step_report::{Attempt, Counters, StepReport};
use crate::stepper::Stepper;
use crate::work::is_powered;
use poinsot_mechanics::{Power, State, System};

/// An explicit Runge–Kutta integration in progress.
#[derive(Debug)]
pub struct ExplicitRungeKutta<'s> {
    system: &'s System,
    settings: ExplicitSettings,
    scheme: Scheme,
    length: f64,
    past: Past,
    step: Step,
    measure: ErrorMeasure,
    /// Whether forces, drives, frictions or networks can do work at all.
    powered: bool,
    saddle: SaddlePoint,
    embedding: Option<Embedding>,
    stiffness: StiffnessWatch,
    dense: Interpolation,
    has_algebraic: bool,
    counters: Counters,
    unknowns: Vec<usize>,
}

/// A tableau, and what follows from it.
#[derive(Debug)]
struct Scheme {
    tableau: Tableau,
    /// b − b̂ of a pair.
    difference: Option<Vec<f64>>,
    /// The power of the step with which the error goes.
    exponent: usize,
    /// Whether the last stage is the first one of the next step.
    reuses_last: bool,
}

impl Scheme {
    fn new(tableau: Tableau) -> Self {
        let pair = tableau.embedded.as_ref();
        Scheme {
            difference: pair.map(|pair| tableau.b.iter().zip(&pair.b).map(|(b, c)| b - c).collect()),
            exponent: 1 + pair.map_or(tableau.order, |pair| pair.order),
            reuses_last: tableau.first_same_as_last(),
            tableau,
        }
    }
}

/// Where the motion is, and the step that led there.
#[derive(Debug)]
struct Past {
    state: State,
    /// Where the last accepted step began, and the accelerations and rates there.
    before: State,
    before_a: Vec<f64>,
    /// Energy supplied and dissipated in the last step.
    work: Power,
}

impl<'s> ExplicitRungeKutta<'s> {
    /// Starts at a consistent state; the embedding chooses its independent coordinates there.
    pub fn new(system: &'s System, settings: ExplicitSettings, state: State) -> Result<Self, StepFailure> {
        let embedding = match settings.procedure {
            Procedure::Embedding => Some(Embedding::new(system, &state, None)),
            Procedure::Augmented | Procedure::Projected => None,
        };
        let embedding = embedding.transpose().map_err(|e| partition_failure(state.t, 0.0, e))?;
        Self::with(system, settings, state, embedding)
    }

    /// Starts the embedding with the given independent velocities (equation numbers); others may be chosen
    /// later.
    pub fn with_independent(
        system: &'s System,
        settings: ExplicitSettings,
        state: State,
        independent: &[usize],
    ) -> Result<Self, StepFailure> {
        let embedding = Embedding::new(system, &state, Some(independent));
        let embedding = embedding.map_err(|e| partition_failure(state.t, 0.0, e))?;
        Self::with(
            system,
            ExplicitSettings { procedure: Procedure::Embedding, ..settings },
            state,
            Some(embedding),
        )
    }

    fn with(
        system: &'s System,
        settings: ExplicitSettings,
        state: State,
        embedding: Option<Embedding>,
    ) -> Result<Self, StepFailure> {
        let rows = system.is_constraint_row();
        let scheme = Scheme::new(settings.tableau.tableau());
        let mut this = ExplicitRungeKutta {
            system,
            settings,
            length: system.length_scale(),
            step: Step::new(&state, scheme.tableau.stages(), system.size()),
            scheme,
            measure: ErrorMeasure::new(system, settings.tolerance),
            powered: is_powered(system),
            saddle: SaddlePoint::new(system),
            embedding,
            stiffness: StiffnessWatch::default(),
            dense: Interpolation::new(system, &state),
            has_algebraic: !system.algebraic_equations().is_empty(),
            counters: Counters::default(),
            unknowns: (0..system.size()).filter(|&i| !rows[i]).collect(),
            past: Past {
                before: state.clone(),
                before_a: vec![0.0; system.size()],
                work: Power::default(),
                state,
            },
        };
        this.first_stage()?;
        Ok(this)
    }

    /// The settings.
    pub fn settings(&self) -> &ExplicitSettings {
        &self.settings
    }

    /// The partition in use, of the embedding.
    pub fn partition(&self) -> Option<&Partition> {
        self.embedding.as_ref().map(Embedding::partition)
    }

    /// Accelerations, rates and multipliers at the current state.
    pub fn accelerations(&self) -> &[f64] {
        &self.step.stages[0].a
    }

    fn cost(&self) -> (usize, usize) {
        self.embedding.as_ref().map_or((0, 0), Embedding::cost)
    }

    /// Makes the trial state the state; that before the step is already in `before`.
    fn take_trial(&mut self, iterations: usize) -> StepReport {
        let turn = accept_frames(
            self.system,
            &mut self.past.state.frames,
            &self.step.trial.frames,
            &self.step.delta,
        );
        self.past.state.v.copy_from_slice(&self.step.trial.v);
        self.past.state.t = self.step.trial.t;
        self.past.state.memory.copy_from_slice(&self.past.before.memory);
        self.system.remember_with(&mut self.past.state, &mut self.saddle.scratch);
        if let Some(embedding) = &mut self.embedding {
            embedding.watch(self.system, &self.past.state);
        }
        turn.report(iterations)
    }
}

impl Stepper for ExplicitRungeKutta<'_> {
    fn state(&self) -> &State {
        &self.past.state
    }

    fn attempt(&mut self, h: f64) -> Result<Attempt, StepFailure> {
        let spent = self.cost();
        let outcome = self.all_stages_in_some_partition(h);
        let (factorisations, corrections) = self.cost();
        self.counters.factorisations += factorisations - spent.0;
        self.counters.iterations += corrections - spent.1;
        let iterations = outcome?;
        self.step.tried = (h, iterations);
        let longest = f64::INFINITY;
        Ok(Attempt {
            iterations,
            error: self.estimate(h),
            exponent: self.scheme.exponent,
            adds_up: false,
            effort: 0.0,
            next: None,
            longest,
        })
    }

    fn accept(&mut self) -> StepReport {
        let (h, iterations) = self.step.tried;
        self.note_step(h);
        std::mem::swap(&mut self.past.before, &mut self.past.state);
        let report = self.take_trial(iterations);
        self.dense.is_set = false;
        if self.scheme.reuses_last {
            let last = self.step.stages.len() - 1;
            self.step.stages.swap(0, last);
            self.step.stages[0].rate.copy_from_slice(&self.past.state.v);
        } else {
            // Where this fails the next attempt tells why.
            self.first_stage().ok();
        }
        self.counters.accepted(iterations);
        report
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
        self.scheme.exponent
    }

    /// The state at a time inside the last step, from the accelerations at its ends, which are known; false
    /// before the first step.
    fn interpolate(&mut self, t: f64, out: &mut State) -> bool {
        let h = self.past.state.t - self.past.before.t;
        if h == 0.0 || !self.step.first_is_known {
            return false;
        }
        if !self.dense.is_set {
            let ends = (
                (&self.past.before, &self.past.before_a[..]),
                (&self.past.state, &self.step.stages[0].a[..]),
            );
            self.dense.output.set(self.system, ends.0, ends.1);
            self.dense.is_set = true;
        }
        self.dense.at(self.system, t, (t - self.past.before.t) / h, out);
        true
    }

    fn work(&self) -> Option<Power> {
        Some(self.past.work)
    }

    fn rechoices(&self) -> usize {
        self.embedding.as_ref().map_or(0, Embedding::rechoices)
    }

    fn warning(&self) -> Option<&'static str> {
        self.stiffness.found().then_some(
            "the motion is stiff: stability and not accuracy limits the steps of this explicit method; an implicit integrator (radau, bdf) takes longer ones",
        )
    }

    fn stage(&self) -> (f64, &[f64]) {
        (1.0, self.accelerations())
    }

    fn rates(&self) -> &[f64] {
        self.accelerations()
    }
}
