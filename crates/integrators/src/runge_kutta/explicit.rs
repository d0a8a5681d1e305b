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
pub(crate) mod method;
pub(crate) mod partition;
pub(crate) mod stiffness;

use crate::accepted_frames::accept_frames;
use crate::control::ErrorMeasure;
use crate::dense_output::DenseOutput;
use crate::linear::saddle_point::{SaddlePoint, instant, retract};
use crate::newton::increments::NOT_A_NUMBER;
use crate::runge_kutta::explicit::embedding::{Embedding, HALVE, partition_failure};
use crate::runge_kutta::explicit::method::{ExplicitMethod, ExplicitSettings, Procedure};
use crate::runge_kutta::explicit::partition::{Partition, PartitionError};
use crate::runge_kutta::explicit::stiffness::StiffnessWatch;
use crate::runge_kutta::tableau::Tableau;
use crate::step_failure::{LOOK_AT_LOADS, StepFailure};
use crate::step_report::{Attempt, Counters, StepReport};
use crate::stepper::Stepper;
use crate::work::is_powered;
use poinsot_geometry::{Vec3, so3};
use poinsot_mechanics::{Chart, Power, State, System};

/// |Φ| relative to the model's length above which a projection has failed.
const OPEN: f64 = 1e-9;

/// Weights d of Dormand and Prince: the interpolant of fourth order is the cubic through values and rates at
/// both ends plus x²(1 − x)² h Σ d_i k_i.
const DORMAND_PRINCE_BUMP: [f64; 7] = [
    -12715105075.0 / 11282082432.0,
    0.0,
    87487479700.0 / 32700410799.0,
    -10690763975.0 / 1880347072.0,
    701980252875.0 / 199316789632.0,
    -1453857185.0 / 822651844.0,
    69997945.0 / 29380423.0,
];

/// What Dormand and Prince's method bears of h|λ| on the negative real axis.
const DORMAND_PRINCE_BORDER: f64 = 3.25;

/// Distance of two stages in units of the tolerance below which rounding rules.
const INDISTINCT: f64 = 1e-3;

/// An explicit Runge–Kutta integration in progress.
#[derive(Debug)]
pub struct ExplicitRungeKutta<'s> {
    system: &'s System,
    settings: ExplicitSettings,
    tableau: Tableau,
    /// b − b̂ of a pair.
    difference: Option<Vec<f64>>,
    /// The power of the step with which the error goes.
    exponent: usize,
    /// Whether the last stage is the first one of the next step.
    reuses_last: bool,
    length: f64,
    state: State,
    /// Where the last accepted step began, and the accelerations and rates there.
    before: State,
    before_a: Vec<f64>,
    /// The state of a stage, at last that of the end.
    trial: State,
    /// Increment from `state` to `trial`.
    delta: Vec<f64>,
    stages: Vec<Stage>,
    /// Whether the first stage belongs to `state`.
    first_is_known: bool,
    measure: ErrorMeasure,
    /// Errors of positions and velocities.
    error: [Vec<f64>; 2],
    /// Energy supplied and dissipated in the last step.
    work: Power,
    /// Whether forces, drives, frictions or networks can do work at all.
    powered: bool,
    saddle: SaddlePoint,
    embedding: Option<Embedding>,
    stiffness: StiffnessWatch,
    dense: DenseOutput,
    dense_is_set: bool,
    /// Equation numbers of the variables of networks, and h Σ d_i ẏ_i of the last step.
    variables: Vec<usize>,
    bump: Vec<f64>,
    has_algebraic: bool,
    counters: Counters,
    /// Length and iterations of the step tried last.
    tried: (f64, usize),
    unknowns: Vec<usize>,
}

/// Rates at a stage.
#[derive(Clone, Debug)]
struct Stage {
    /// δ̇.
    rate: Vec<f64>,
    /// v̇ and ẏ, with λ in the constraint entries.
    a: Vec<f64>,
    power: Power,
}

/// Why a step was not possible.
enum Obstacle {
    Failure(StepFailure),
    /// The dependent coordinates were not found: another partition may help.
    Partition(PartitionError),
}

impl From<StepFailure> for Obstacle {
    fn from(failure: StepFailure) -> Self {
        Obstacle::Failure(failure)
    }
}

/// Weight of the local errors of a motion, which add up in its phase.
const PHASE: f64 = 4.0;

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
        let (n, rows) = (system.size(), system.is_constraint_row());
        let tableau = settings.tableau.tableau();
        let pair = tableau.embedded.as_ref();
        let stage = Stage { rate: vec![0.0; n], a: vec![0.0; n], power: Power::default() };
        let variables: Vec<usize> = system
            .networks()
            .iter()
            .flat_map(|network| (0..network.law.variables.len()).map(|j| network.unknown(j)))
            .collect();
        let mut this = ExplicitRungeKutta {
            system,
            settings,
            difference: pair.map(|pair| tableau.b.iter().zip(&pair.b).map(|(b, c)| b - c).collect()),
            exponent: 1 + pair.map_or(tableau.order, |pair| pair.order),
            reuses_last: tableau.first_same_as_last(),
            length: system.length_scale(),
            before: state.clone(),
            before_a: vec![0.0; n],
            trial: state.clone(),
            delta: vec![0.0; n],
            stages: vec![stage; tableau.stages()],
            first_is_known: false,
            measure: ErrorMeasure::new(system, settings.tolerance),
            error: std::array::from_fn(|_| vec![0.0; n]),
            work: Power::default(),
            powered: is_powered(system),
            saddle: SaddlePoint::new(system),
            embedding,
            stiffness: StiffnessWatch::default(),
            dense: DenseOutput::new(system, &state),
            dense_is_set: false,
            bump: vec![0.0; variables.len()],
            variables,
            has_algebraic: !system.algebraic_equations().is_empty(),
            counters: Counters::default(),
            tried: (0.0, 0),
            unknowns: (0..n).filter(|&i| !rows[i]).collect(),
            state,
            tableau,
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
        &self.stages[0].a
    }

    fn cost(&self) -> (usize, usize) {
        self.embedding.as_ref().map_or((0, 0), Embedding::cost)
    }

    /// All stages, a second time with other independent coordinates where the dependent ones were not found.
    fn all_stages_in_some_partition(&mut self, h: f64) -> Result<usize, StepFailure> {
        let t = self.state.t;
        let failure = |obstacle| match obstacle {
            Obstacle::Failure(failure) => failure,
            Obstacle::Partition(error) => partition_failure(t, h, error),
        };
        let error = match self.all_stages(h) {
            Err(Obstacle::Partition(error)) => error,
            outcome => return outcome.map_err(failure),
        };
        let Some(embedding) = &mut self.embedding else { return Err(partition_failure(t, h, error)) };
        match embedding.choose(self.system, &self.state) {
            Ok(true) => self.all_stages(h).map_err(failure),
            Ok(false) => Err(partition_failure(t, h, error)),
            Err(error) => Err(partition_failure(t, h, error)),
        }
    }

    /// The trial state at t + h and all rates; returns the most iterations at a stage.
    fn all_stages(&mut self, h: f64) -> Result<usize, Obstacle> {
        if !self.first_is_known {
            self.first_stage()?;
        }
        self.trial.memory.copy_from_slice(&self.state.memory);
        let (last, mut most) = (self.stages.len() - 1, 0);
        for k in 1..self.stages.len() - usize::from(self.reuses_last) {
            most = most.max(self.stage(k, h)?);
        }
        most = most.max(self.finish(h)?);
        let mut broken = self.not_a_number();
        if self.reuses_last && broken.is_none() {
            self.rates(last)?;
            broken = self.rates_not_a_number(last);
        }
        match broken {
            Some(equation) => Err(self.failure(h, NOT_A_NUMBER, equation, LOOK_AT_LOADS).into()),
            None => Ok(most),
        }
    }

    /// Rates at the current state.
    fn first_stage(&mut self) -> Result<(), StepFailure> {
        self.first_is_known = false;
        self.trial.t = self.state.t;
        self.trial.frames.copy_from_slice(&self.state.frames);
        self.trial.v.copy_from_slice(&self.state.v);
        self.trial.memory.copy_from_slice(&self.state.memory);
        self.delta.fill(0.0);
        self.rates(0)?;
        if let Some(equation) = self.rates_not_a_number(0) {
            return Err(StepFailure::not_finite(self.system, self.state.t, equation));
        }
        self.first_is_known = true;
        Ok(())
    }

    /// Rates at stage k; returns the iterations for the dependent positions.
    fn stage(&mut self, k: usize, h: f64) -> Result<usize, Obstacle> {
        self.trial.t = self.state.t + self.tableau.c[k] * h;
        self.delta.fill(0.0);
        self.trial.v.copy_from_slice(&self.state.v);
        let weights = &self.tableau.row(k)[..k];
        combine(&self.stages, weights, h, &self.unknowns, [&mut self.delta, &mut self.trial.v]);
        let iterations = self.place()?;
        self.rates(k)?;
        Ok(iterations)
    }

    /// The state at the end of the step, on the constraints if the procedure keeps them.
    fn finish(&mut self, h: f64) -> Result<usize, Obstacle> {
        self.trial.t = self.state.t + h;
        self.delta.fill(0.0);
        self.trial.v.copy_from_slice(&self.state.v);
        combine(&self.stages, &self.tableau.b, h, &self.unknowns, [&mut self.delta, &mut self.trial.v]);
        let iterations = self.place()?;
        if self.settings.procedure == Procedure::Projected {
            self.project(h)?;
        }
        if self.has_algebraic && self.settings.procedure != Procedure::Augmented {
            self.system.close_networks(&mut self.trial, &mut self.saddle.scratch);
        }
        Ok(iterations)
    }

    /// Moves the trial state by δ and, in the embedding, completes it.
    fn place(&mut self) -> Result<usize, Obstacle> {
        match &mut self.embedding {
            Some(embedding) => embedding
                .complete(self.system, &self.state, &mut self.delta, &mut self.trial)
                .map_err(Obstacle::Partition),
            None => {
                retract(self.system, &self.state.frames, &self.delta, &mut self.trial.frames);
                Ok(0)
            }
        }
    }

    /// δ̇, v̇ and ẏ at the trial state.
    fn rates(&mut self, k: usize) -> Result<(), StepFailure> {
        let (system, trial) = (self.system, &self.trial);
        let guess = if k == 0 { self.stages.len() - 1 } else { k - 1 };
        // Friction wants a first guess of the multipliers.
        let mut a = std::mem::take(&mut self.stages[k].a);
        if guess != k {
            a.copy_from_slice(&self.stages[guess].a);
        }
        let outcome = self.saddle.accelerations(system, trial, &mut a);
        let determined = system.network_rates(trial, &mut a, &mut self.saddle.scratch);
        let stage = &mut self.stages[k];
        stage.a = a;
        outcome.map_err(|e| StepFailure::singular(system, trial.t, &e))?;
        if !determined {
            return Err(undetermined_rates(system, trial.t));
        }
        chart_rate(system, &self.delta, &trial.v, &mut stage.rate);
        if self.powered {
            stage.power = system.power(&instant(trial, &stage.a), &mut self.saddle.scratch);
        }
        self.counters.residuals += 1;
        self.counters.factorisations += 1;
        Ok(())
    }

    /// Moves the trial state onto the constraints.
    fn project(&mut self, h: f64) -> Result<(), StepFailure> {
        let (system, t) = (self.system, self.trial.t);
        let open = self.saddle.project(system, &mut self.trial, self.length);
        let open = open.map_err(|e| StepFailure::singular(system, t, &e))?;
        self.counters.factorisations += 1;
        if open <= OPEN * self.length {
            return Ok(());
        }
        let residual = &mut self.error[0];
        residual.fill(0.0);
        system.constraint_residual(&instant(&self.trial, &self.trial.v), residual, &mut self.saddle.scratch);
        let entries = residual.iter().enumerate();
        let row = entries.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())).map_or(0, |(row, _)| row);
        Err(self.failure(h, "the joints did not close", row, HALVE))
    }

    /// The error of a pair, h Σ (b_i − b̂_i) k_i, in the chart of the start of the step. In the embedding
    /// that is the error of the independent coordinates, and the dependent ones may err more.
    fn estimate(&mut self, h: f64) -> Option<f64> {
        let weights = self.difference.as_ref()?;
        self.measure.weigh_at(&self.state, h);
        let [position, velocity] = &mut self.error;
        position.fill(0.0);
        velocity.fill(0.0);
        combine(&self.stages, weights, h, &self.unknowns, [position, velocity]);
        if let Some(embedding) = &mut self.embedding {
            let errors = [&mut position[..], &mut velocity[..]];
            // Where they are not to be had the step is taken again, shorter.
            if embedding.complete_errors(self.system, &self.trial, errors).is_err() {
                return Some(f64::INFINITY);
            }
        }
        let (motion, variables) = self.measure.norms(position, velocity);
        Some((PHASE * motion).hypot(variables))
    }

    /// What the stages of an accepted step tell, before they are overwritten.
    fn note_step(&mut self, h: f64) {
        self.work = Power::default();
        for (stage, b) in self.stages.iter().zip(&self.tableau.b) {
            self.work.supplied += b * h * stage.power.supplied;
            self.work.dissipated += b * h * stage.power.dissipated;
        }
        self.before_a.copy_from_slice(&self.stages[0].a);
        if self.settings.tableau != ExplicitMethod::DormandPrince {
            return;
        }
        for (bump, &i) in self.bump.iter_mut().zip(&self.variables) {
            *bump = DORMAND_PRINCE_BUMP.iter().zip(&self.stages).map(|(d, stage)| d * h * stage.a[i]).sum();
        }
        if let Some(h_lambda) = self.h_lambda(h) {
            self.stiffness.note(h_lambda, DORMAND_PRINCE_BORDER);
        }
    }

    /// h|λ| by the last two stages, both at the end of the step: y_{n+1} − Y_s = h Σ_j (b_j − a_sj) k_j.
    fn h_lambda(&mut self, h: f64) -> Option<f64> {
        let last = self.stages.len() - 1;
        let [position, velocity] = &mut self.error;
        position.fill(0.0);
        velocity.fill(0.0);
        let (stages, unknowns) = (&self.stages, &self.unknowns);
        combine(stages, &self.tableau.b, h, unknowns, [&mut *position, &mut *velocity]);
        combine(stages, self.tableau.row(last - 1), -h, unknowns, [&mut *position, &mut *velocity]);
        let distance = self.measure.norm(position, velocity);
        let ends = (&stages[last - 1], &stages[last]);
        for &i in unknowns {
            position[i] = ends.1.rate[i] - ends.0.rate[i];
            velocity[i] = ends.1.a[i] - ends.0.a[i];
        }
        (distance > INDISTINCT).then(|| h.abs() * self.measure.norm(position, velocity) / distance)
    }

    /// Makes the trial state the state; that before the step is already in `before`.
    fn take_trial(&mut self, iterations: usize) -> StepReport {
        let turn = accept_frames(self.system, &mut self.state.frames, &self.trial.frames, &self.delta);
        self.state.v.copy_from_slice(&self.trial.v);
        self.state.t = self.trial.t;
        self.state.memory.copy_from_slice(&self.before.memory);
        self.system.remember_with(&mut self.state, &mut self.saddle.scratch);
        if let Some(embedding) = &mut self.embedding {
            embedding.watch(self.system, &self.state);
        }
        turn.report(iterations)
    }

    /// The first unknown that is not a finite number at the end of the step.
    fn not_a_number(&self) -> Option<usize> {
        let finite = |i: usize| self.trial.v[i].is_finite() && self.delta[i].is_finite();
        self.unknowns.iter().copied().find(|&i| !finite(i))
    }

    /// The first rate of a stage that is not a finite number.
    fn rates_not_a_number(&self, k: usize) -> Option<usize> {
        self.stages[k].a.iter().position(|a| !a.is_finite())
    }

    fn failure(&self, h: f64, reason: &'static str, equation: usize, remedy: &'static str) -> StepFailure {
        StepFailure::of_step([self.state.t, h], reason, self.system.equation_name(equation), remedy)
    }
}

impl Stepper for ExplicitRungeKutta<'_> {
    fn state(&self) -> &State {
        &self.state
    }

    fn attempt(&mut self, h: f64) -> Result<Attempt, StepFailure> {
        let spent = self.cost();
        let outcome = self.all_stages_in_some_partition(h);
        let (factorisations, corrections) = self.cost();
        self.counters.factorisations += factorisations - spent.0;
        self.counters.iterations += corrections - spent.1;
        let iterations = outcome?;
        self.tried = (h, iterations);
        let longest = f64::INFINITY;
        Ok(Attempt {
            iterations,
            error: self.estimate(h),
            exponent: self.exponent,
            adds_up: false,
            effort: 0.0,
            next: None,
            longest,
        })
    }

    fn accept(&mut self) -> StepReport {
        let (h, iterations) = self.tried;
        self.note_step(h);
        std::mem::swap(&mut self.before, &mut self.state);
        let report = self.take_trial(iterations);
        self.dense_is_set = false;
        if self.reuses_last {
            let last = self.stages.len() - 1;
            self.stages.swap(0, last);
            self.stages[0].rate.copy_from_slice(&self.state.v);
        } else {
            // Where this fails the next attempt tells why.
            self.first_stage().ok();
        }
        self.counters.steps += 1;
        self.counters.max_iterations = self.counters.max_iterations.max(iterations);
        report
    }

    fn set_tolerances(&mut self, measure: ErrorMeasure) {
        self.measure = measure;
    }

    fn snap_time(&mut self, t: f64) {
        self.state.t = t;
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }

    fn exponent(&self) -> usize {
        self.exponent
    }

    /// The state at a time inside the last step, from the accelerations at its ends, which are known; false
    /// before the first step.
    fn interpolate(&mut self, t: f64, out: &mut State) -> bool {
        let h = self.state.t - self.before.t;
        if h == 0.0 || !self.first_is_known {
            return false;
        }
        if !self.dense_is_set {
            let ends = ((&self.before, &self.before_a[..]), (&self.state, &self.stages[0].a[..]));
            self.dense.set(self.system, ends.0, ends.1);
            self.dense_is_set = true;
        }
        self.dense.at(self.system, t, out);
        let x = (t - self.before.t) / h;
        for (bump, &i) in self.bump.iter().zip(&self.variables) {
            out.v[i] += x * x * (1.0 - x) * (1.0 - x) * bump;
        }
        true
    }

    fn work(&self) -> Option<Power> {
        Some(self.work)
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

/// Adds h Σ_j w_j δ̇_j to positions and h Σ_j w_j v̇_j to velocities.
fn combine(
    stages: &[Stage],
    weights: &[f64],
    h: f64,
    unknowns: &[usize],
    [position, velocity]: [&mut [f64]; 2],
) {
    for (stage, weight) in stages.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
        let weight = weight * h;
        for &i in unknowns {
            position[i] += weight * stage.rate[i];
            velocity[i] += weight * stage.a[i];
        }
    }
}

/// δ̇ = T⁻¹(δ) v on rotations, δ̇ = v elsewhere.
fn chart_rate(system: &System, delta: &[f64], v: &[f64], rate: &mut [f64]) {
    rate.copy_from_slice(v);
    for node in system.nodes().iter().filter(|n| n.chart == Chart::Motion) {
        let range = node.unknowns().start + 3..node.unknowns().end;
        let turn = so3::tangent_inv(&Vec3::from_column_slice(&delta[range.clone()]));
        let angular = turn * Vec3::from_column_slice(&v[range.clone()]);
        rate[range].copy_from_slice(angular.as_slice());
    }
}

/// A network that is no ordinary differential equation even after its algebraic equations are differentiated.
fn undetermined_rates(system: &System, t: f64) -> StepFailure {
    let networks = system.networks().iter();
    let suspect = networks.clone().find(|n| !n.is_index_one()).or(networks.clone().next());
    let algebraic = system.algebraic_equations();
    let row = suspect.and_then(|n| {
        let rows = (0..n.law.equations.len()).map(|k| n.row(k));
        rows.clone().find(|row| algebraic.contains(row)).or(rows.clone().next())
    });
    StepFailure {
        t,
        step: 0.0,
        reason: "rates of a network are not determined: an algebraic equation of index 2 or more, or a rate with a zero factor",
        equation: row.map_or(String::new(), |row| system.equation_name(row)),
        remedy: "use an implicit integrator (radau or bdf), or differentiate that equation",
    }
}
