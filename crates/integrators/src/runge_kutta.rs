//! The classical Runge–Kutta method of order 4 on a constrained system.
//!
//! Over a step the unknown is the local increment δ of the retraction, q = qₙ ∘ δ:
//!
//! ```text
//! δ̇ = T⁻¹(δ) v,     v̇ = a(q, v, t),     [ M  Gᵀ ] [ a ]   [ Q − bias ]
//!                                         [ G  0  ] [ λ ] = [ −κ       ]
//! ```
//! with T the tangent of the rotations. Both are integrated as an ordinary differential equation; what becomes of the
//! constraints is said by the [`Procedure`] (floating-frame-and-ancf §1.14.3). The embedding integrates
//! only y = (δ_i, v_i): at every stage the dependent positions follow from Φ(q, t) = 0 and the dependent velocities from
//! G v + drift = 0, so that y obeys an explicit differential equation.

use crate::dependents::Dependents;
use crate::outcome::{Attempt, Counters, StepFailure, StepReport};
use crate::partition::{Partition, PartitionError};
use crate::saddle_point::{SaddlePoint, instant, retract};
use crate::work::is_powered;
use poinsot_geometry::{Vec3, so3};
use poinsot_mechanics::{Chart, Frame, Power, State, System};

/// How the constraints are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Procedure {
    /// All accelerations are integrated; positions and velocities drift off the constraints.
    Augmented,
    /// The same, then positions and velocities are moved back onto the constraints after each step, with the least
    /// change in the sense of the masses.
    Projected,
    /// Only independent coordinates are integrated (Wehage's coordinate partitioning); the default.
    #[default]
    Embedding,
}

/// Growth of 1/σ_min(Ĝ_d) over the best value since the choice at which independent coordinates are chosen anew. A larger
/// one costs accuracy: with 3 the error of a pendulum over many swings is sixty times that with 1.5.
pub const RECHOICE_GROWTH: f64 = 1.5;

/// Nodes c and weights b of the method; stage k starts from the rates of stage k − 1.
const NODES: [f64; 4] = [0.0, 0.5, 0.5, 1.0];
const WEIGHTS: [f64; 4] = [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0];

/// Most corrections of a projection.
const MAX_PROJECTIONS: usize = 8;

/// |Φ| relative to the model's length above which a projection has failed.
const OPEN: f64 = 1e-9;

/// A Runge–Kutta integration in progress.
#[derive(Debug)]
pub struct RungeKutta4<'s> {
    system: &'s System,
    procedure: Procedure,
    length: f64,
    state: State,
    /// The state of a stage, at last that of the end.
    trial: State,
    /// Increment from `state` to `trial`.
    delta: Vec<f64>,
    stages: [Stage; 4],
    /// Mean of both middle stages.
    middle: Vec<f64>,
    /// Energy supplied and dissipated in the last step.
    work: Power,
    /// Whether forces, drives or frictions can do work at all.
    powered: bool,
    saddle: SaddlePoint,
    embedding: Option<Embedding>,
    counters: Counters,
    /// Length and iterations of the step tried last.
    tried: (f64, usize),
    b: Vec<f64>,
    frames: Vec<Frame>,
    unknowns: Vec<usize>,
}

/// Rates at a stage.
#[derive(Clone, Debug)]
struct Stage {
    /// δ̇.
    rate: Vec<f64>,
    /// v̇, with λ in the constraint entries.
    a: Vec<f64>,
    power: Power,
}

/// What the embedding needs.
#[derive(Debug)]
struct Embedding {
    solver: Dependents,
    partition: Partition,
    /// Best 1/σ_min since the choice.
    best: f64,
    choices: usize,
}

impl Embedding {
    fn new(system: &System, state: &State, independent: Option<&[usize]>) -> Result<Self, PartitionError> {
        let mut solver = Dependents::new(system);
        let partition = match independent {
            Some(wanted) => Partition::with_independent(&mut solver, system, state, wanted)?,
            None => Partition::choose(&mut solver, system, state, None)?,
        };
        Ok(Embedding { solver, best: partition.condition, partition, choices: 0 })
    }

    /// Chooses anew at a state; returns whether that changes anything.
    fn choose(&mut self, system: &System, state: &State) -> Result<bool, PartitionError> {
        let new = Partition::choose(&mut self.solver, system, state, Some(&self.partition))?;
        let changed = !new.same_split(&self.partition);
        self.choices += usize::from(changed);
        self.best = new.condition;
        self.partition = new;
        Ok(changed)
    }

    /// Dependent positions and velocities of the trial state.
    fn complete(
        &mut self,
        system: &System,
        from: &[Frame],
        delta: &mut [f64],
        trial: &mut State,
    ) -> Result<usize, PartitionError> {
        let iterations = self.solver.positions(system, &self.partition, from, delta, trial)?;
        self.solver.velocities(system, &self.partition, trial)?;
        Ok(iterations)
    }
}

/// Why a step was not possible.
enum Obstacle {
    Failure(StepFailure),
    /// The dependent coordinates were not found: another partition may help.
    Partition(PartitionError),
}

impl<'s> RungeKutta4<'s> {
    /// Starts at a consistent state; the embedding chooses its independent coordinates there.
    pub fn new(system: &'s System, procedure: Procedure, state: State) -> Result<Self, StepFailure> {
        let embedding = match procedure {
            Procedure::Embedding => Some(Embedding::new(system, &state, None)),
            _ => None,
        };
        let embedding = embedding.transpose().map_err(|e| partition_failure(state.t, 0.0, e))?;
        Ok(Self::with(system, procedure, state, embedding))
    }

    /// Starts the embedding with the given independent velocities (equation numbers); others may be chosen later.
    pub fn with_independent(
        system: &'s System,
        state: State,
        independent: &[usize],
    ) -> Result<Self, PartitionError> {
        let embedding = Embedding::new(system, &state, Some(independent))?;
        Ok(Self::with(system, Procedure::Embedding, state, Some(embedding)))
    }

    fn with(system: &'s System, procedure: Procedure, state: State, embedding: Option<Embedding>) -> Self {
        let n = system.size();
        let rows = system.is_constraint_row();
        let stage = Stage { rate: vec![0.0; n], a: vec![0.0; n], power: Power::default() };
        RungeKutta4 {
            system,
            procedure,
            length: system.length_scale(),
            trial: state.clone(),
            delta: vec![0.0; n],
            stages: std::array::from_fn(|_| stage.clone()),
            middle: vec![0.0; n],
            work: Power::default(),
            powered: is_powered(system),
            saddle: SaddlePoint::new(system),
            embedding,
            counters: Counters::default(),
            tried: (0.0, 0),
            b: vec![0.0; n],
            frames: state.frames.clone(),
            unknowns: (0..n).filter(|&i| !rows[i]).collect(),
            state,
        }
    }

    /// The current state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// How the constraints are kept.
    pub fn procedure(&self) -> Procedure {
        self.procedure
    }

    /// What the integration has cost so far.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// The partition in use, of the embedding.
    pub fn partition(&self) -> Option<&Partition> {
        self.embedding.as_ref().map(|e| &e.partition)
    }

    /// How often the embedding has changed its independent coordinates.
    pub fn rechoices(&self) -> usize {
        self.embedding.as_ref().map_or(0, |e| e.choices)
    }

    /// Accelerations and multipliers in the middle of the last step: the mean of both middle stages.
    pub fn middle(&self) -> &[f64] {
        &self.middle
    }

    /// Energy supplied and dissipated in the last step, by the quadrature of the method.
    pub fn work(&self) -> Power {
        self.work
    }

    /// Sets the time exactly, to keep rounding of t + h from accumulating.
    pub fn snap_time(&mut self, t: f64) {
        self.state.t = t;
    }

    /// Advances by h. On failure the state is that before the step.
    pub fn step(&mut self, h: f64) -> Result<StepReport, StepFailure> {
        self.attempt(h)?;
        Ok(self.accept())
    }

    /// Tries a step of length h; [`RungeKutta4::accept`] takes it.
    pub fn attempt(&mut self, h: f64) -> Result<Attempt, StepFailure> {
        let spent = self.cost();
        let iterations = match self.all_stages(h) {
            Err(Obstacle::Partition(error)) => {
                if !self.choose_again().map_err(|e| partition_failure(self.state.t, h, e))? {
                    return Err(partition_failure(self.state.t, h, error));
                }
                self.all_stages(h)
            }
            outcome => outcome,
        };
        let iterations = iterations.map_err(|obstacle| match obstacle {
            Obstacle::Failure(failure) => failure,
            Obstacle::Partition(error) => partition_failure(self.state.t, h, error),
        })?;
        self.tried = (h, iterations);
        let (factorisations, corrections) = self.cost();
        self.counters.factorisations += factorisations - spent.0;
        self.counters.iterations += corrections - spent.1;
        Ok(Attempt { iterations, error: None, exponent: 5, effort: 0.0, next: None, longest: f64::INFINITY })
    }

    fn cost(&self) -> (usize, usize) {
        self.embedding.as_ref().map_or((0, 0), |e| e.solver.cost())
    }

    fn choose_again(&mut self) -> Result<bool, PartitionError> {
        self.embedding.as_mut().map_or(Ok(false), |e| e.choose(self.system, &self.state))
    }

    /// The trial state at t + h; returns the most iterations at a stage.
    fn all_stages(&mut self, h: f64) -> Result<usize, Obstacle> {
        self.trial.memory.copy_from_slice(&self.state.memory);
        let mut most = 0;
        for k in 0..NODES.len() {
            most = most.max(self.stage(k, h)?);
        }
        self.delta.fill(0.0);
        self.trial.v.copy_from_slice(&self.state.v);
        for (stage, b) in self.stages.iter().zip(WEIGHTS) {
            for &i in &self.unknowns {
                self.delta[i] += b * h * stage.rate[i];
                self.trial.v[i] += b * h * stage.a[i];
            }
        }
        self.trial.t = self.state.t + h;
        let last = match self.procedure {
            Procedure::Embedding => self.complete()?,
            Procedure::Augmented | Procedure::Projected => {
                retract(self.system, &self.state.frames, &self.delta, &mut self.trial.frames);
                if self.procedure == Procedure::Projected { self.project(h)? } else { 0 }
            }
        };
        match self.not_a_number() {
            Some(equation) => Err(Obstacle::Failure(self.failure(
                h,
                "a force or a joint is not a number",
                equation,
                "look at the expressions of the loads there: a root, a quotient or a logarithm that leaves its range",
            ))),
            None => Ok(most.max(last)),
        }
    }

    /// Rates at stage k; returns the iterations for the dependent positions.
    fn stage(&mut self, k: usize, h: f64) -> Result<usize, Obstacle> {
        let c = NODES[k] * h;
        self.trial.t = self.state.t + c;
        self.delta.fill(0.0);
        self.trial.v.copy_from_slice(&self.state.v);
        let mut iterations = 0;
        if k == 0 {
            self.trial.frames.copy_from_slice(&self.state.frames);
        } else {
            let before = &self.stages[k - 1];
            for &i in &self.unknowns {
                self.delta[i] = c * before.rate[i];
                self.trial.v[i] += c * before.a[i];
            }
            if self.embedding.is_some() {
                iterations = self.complete()?;
            } else {
                retract(self.system, &self.state.frames, &self.delta, &mut self.trial.frames);
            }
        }
        self.rates(k)?;
        Ok(iterations)
    }

    fn complete(&mut self) -> Result<usize, Obstacle> {
        let Some(embedding) = &mut self.embedding else { return Ok(0) };
        let outcome = embedding.complete(self.system, &self.state.frames, &mut self.delta, &mut self.trial);
        outcome.map_err(Obstacle::Partition)
    }

    /// δ̇ and v̇ at the trial state.
    fn rates(&mut self, k: usize) -> Result<(), Obstacle> {
        let (system, trial) = (self.system, &self.trial);
        let guess = if k == 0 { 3 } else { k - 1 };
        // Friction wants a first guess of the multipliers.
        let mut a = std::mem::take(&mut self.stages[k].a);
        a.copy_from_slice(&self.stages[guess].a);
        let outcome = self.saddle.accelerations(system, trial, &mut a);
        let stage = &mut self.stages[k];
        stage.a = a;
        outcome.map_err(|e| Obstacle::Failure(StepFailure::singular(system, trial.t, &e)))?;
        chart_rate(system, &self.delta, &trial.v, &mut stage.rate);
        if self.powered {
            stage.power = system.power(&instant(trial, &stage.a), &mut self.saddle.scratch);
        }
        self.counters.residuals += 1;
        self.counters.factorisations += 1;
        Ok(())
    }

    /// Moves the trial state onto the constraints: [ M Gᵀ; G 0 ] (δ, μ) = (0, −Φ), then the same for velocities.
    fn project(&mut self, h: f64) -> Result<usize, Obstacle> {
        let system = self.system;
        let singular = |t, e| Obstacle::Failure(StepFailure::singular(system, t, &e));
        self.saddle.factor(system, &self.trial).map_err(|e| singular(self.trial.t, e))?;
        self.counters.factorisations += 1;
        let (mut last, mut iterations) = (f64::INFINITY, 0);
        loop {
            self.b.fill(0.0);
            system.constraint_residual(&instant(&self.trial, &[]), &mut self.b, &mut self.saddle.scratch);
            let size = largest(&self.b);
            let closed = size <= f64::EPSILON * self.length || size > 0.5 * last;
            last = size;
            if closed || size.is_nan() || iterations == MAX_PROJECTIONS {
                break;
            }
            self.b.iter_mut().for_each(|b| *b = -*b);
            self.saddle.solve(&mut self.b);
            self.frames.copy_from_slice(&self.trial.frames);
            retract(system, &self.frames, &self.b, &mut self.trial.frames);
            iterations += 1;
        }
        if last.is_nan() || last > OPEN * self.length {
            let row = self.largest_entry();
            return Err(Obstacle::Failure(self.failure(h, "the joints did not close", row, HALVE)));
        }
        self.project_velocity();
        self.counters.iterations += iterations;
        Ok(iterations)
    }

    fn project_velocity(&mut self) {
        let mut last = f64::INFINITY;
        for _ in 0..MAX_PROJECTIONS {
            self.b.fill(0.0);
            self.system.constraint_rate(&instant(&self.trial, &[]), &mut self.b, &mut self.saddle.scratch);
            let size = largest(&self.b);
            if size == 0.0 || size.is_nan() || size > 0.5 * last {
                break;
            }
            last = size;
            self.b.iter_mut().for_each(|b| *b = -*b);
            self.saddle.solve(&mut self.b);
            self.unknowns.iter().for_each(|&i| self.trial.v[i] += self.b[i]);
        }
    }

    /// Takes the step that was tried last.
    pub fn accept(&mut self) -> StepReport {
        let (h, iterations) = self.tried;
        let (mut rotation, mut body) = (0.0, 0);
        let frames = self.state.frames.iter_mut().zip(&self.trial.frames);
        for (k, (node, (z, new))) in self.system.nodes().iter().zip(frames).enumerate() {
            *z = *new;
            if matches!(node.chart, Chart::Motion | Chart::Planar { .. }) {
                z.rot = so3::orthonormalize(&z.rot);
                let angle = node.chart.twist(&self.delta[node.unknowns()]).angular.norm();
                if angle > rotation {
                    (rotation, body) = (angle, k);
                }
            }
        }
        self.state.v.copy_from_slice(&self.trial.v);
        self.state.t = self.trial.t;
        self.system.remember_with(&mut self.state, &mut self.saddle.scratch);
        self.middle.copy_from_slice(&self.stages[1].a);
        for (m, a) in self.middle.iter_mut().zip(&self.stages[2].a) {
            *m = 0.5 * (*m + a);
        }
        self.work = Power::default();
        for (stage, b) in self.stages.iter().zip(WEIGHTS) {
            self.work.supplied += b * h * stage.power.supplied;
            self.work.dissipated += b * h * stage.power.dissipated;
        }
        self.counters.steps += 1;
        self.counters.max_iterations = self.counters.max_iterations.max(iterations);
        self.watch_partition();
        StepReport { iterations, rotation, body }
    }

    /// Chooses independent coordinates anew where those in use have become badly conditioned.
    fn watch_partition(&mut self) {
        let Some(embedding) = &mut self.embedding else { return };
        if embedding.partition.dependent.is_empty() {
            return;
        }
        let now = embedding.solver.condition();
        embedding.best = embedding.best.min(now);
        // Where no choice is possible the next step tells whether the old one still serves.
        if now > RECHOICE_GROWTH * embedding.best && embedding.choose(self.system, &self.state).is_err() {
            embedding.best = now;
        }
    }

    fn largest_entry(&self) -> usize {
        let entries = self.b.iter().enumerate();
        entries.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())).map_or(0, |(k, _)| k)
    }

    /// The first unknown that is not a finite number at the end of the step.
    fn not_a_number(&self) -> Option<usize> {
        let finite = |i: usize| self.trial.v[i].is_finite() && self.delta[i].is_finite();
        self.unknowns.iter().copied().find(|&i| !finite(i))
    }

    fn failure(&self, h: f64, reason: &'static str, equation: usize, remedy: &'static str) -> StepFailure {
        let equation = self.system.equation_name(equation);
        StepFailure { t: self.state.t + h, step: h, reason, equation, remedy }
    }
}

const HALVE: &str = "halve the step; if it still fails, look for a jammed or nearly singular position there";

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

/// Largest size of an entry; what is not a number is not lost.
fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m: f64, x| if x.abs() > m || x.is_nan() { x.abs() } else { m })
}

/// A step that failed at the dependent coordinates.
fn partition_failure(t: f64, step: f64, error: PartitionError) -> StepFailure {
    let (reason, remedy) = match &error {
        PartitionError::Rank { .. } => (
            "the constraints depend on each other",
            "look for redundant constraints (`poinsot check`) or a singular position",
        ),
        PartitionError::TooLarge(_) => (
            "the system is too large for a choice of independent coordinates",
            "use the projected procedure or another integrator",
        ),
        PartitionError::Count { .. } | PartitionError::NotACoordinate(_) => (
            "the independent coordinates do not fit the degrees of freedom",
            "leave the choice to the integrator",
        ),
        PartitionError::Singular { .. } | PartitionError::Open { .. } => {
            ("the dependent coordinates were not found", HALVE)
        }
    };
    let equation = match error {
        PartitionError::Rank { equation }
        | PartitionError::Singular { equation }
        | PartitionError::Open { equation, .. } => equation,
        _ => "none".into(),
    };
    StepFailure { t: t + step, step, reason, equation, remedy }
}
