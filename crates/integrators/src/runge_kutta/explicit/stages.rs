//! The stages of an explicit step.

use crate::linear::saddle_point::{instant, retract};
use crate::newton::increments::NOT_A_NUMBER;
use crate::runge_kutta::explicit::ExplicitRungeKutta;
use crate::runge_kutta::explicit::embedding::{HALVE, partition_failure};
use crate::runge_kutta::explicit::method::Procedure;
use crate::runge_kutta::explicit::partition::PartitionError;
use crate::step_failure::{LOOK_AT_LOADS, StepFailure};
use poinsot_geometry::{Vec3, so3};
use poinsot_mechanics::{Chart, Power, State, System};

/// |Φ| relative to the model's length above which a projection has failed.
const OPEN: f64 = 1e-9;

/// The step in progress.
#[derive(Debug)]
pub(super) struct Step {
    /// The state of a stage, at last that of the end.
    pub trial: State,
    /// Increment from the state to `trial`.
    pub delta: Vec<f64>,
    pub stages: Vec<Stage>,
    /// Whether the first stage belongs to the state.
    pub first_is_known: bool,
    /// Errors of positions and velocities.
    pub error: [Vec<f64>; 2],
    /// Length and iterations of the step tried last.
    pub tried: (f64, usize),
}

impl Step {
    /// From a state, with so many stages of n unknowns.
    pub fn new(state: &State, stages: usize, n: usize) -> Self {
        let stage = Stage { rate: vec![0.0; n], a: vec![0.0; n], power: Power::default() };
        Step {
            trial: state.clone(),
            delta: vec![0.0; n],
            stages: vec![stage; stages],
            first_is_known: false,
            error: std::array::from_fn(|_| vec![0.0; n]),
            tried: (0.0, 0),
        }
    }
}

/// Rates at a stage.
#[derive(Clone, Debug)]
pub(super) struct Stage {
    /// δ̇.
    pub rate: Vec<f64>,
    /// v̇ and ẏ, with λ in the constraint entries.
    pub a: Vec<f64>,
    pub power: Power,
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

impl ExplicitRungeKutta<'_> {
    /// All stages, a second time with other independent coordinates where the dependent ones were not found.
    pub(super) fn all_stages_in_some_partition(&mut self, h: f64) -> Result<usize, StepFailure> {
        let t = self.past.state.t;
        let failure = |obstacle| match obstacle {
            Obstacle::Failure(failure) => failure,
            Obstacle::Partition(error) => partition_failure(t, h, error),
        };
        let error = match self.all_stages(h) {
            Err(Obstacle::Partition(error)) => error,
            outcome => return outcome.map_err(failure),
        };
        let Some(embedding) = &mut self.embedding else { return Err(partition_failure(t, h, error)) };
        match embedding.choose(self.system, &self.past.state) {
            Ok(true) => self.all_stages(h).map_err(failure),
            Ok(false) => Err(partition_failure(t, h, error)),
            Err(error) => Err(partition_failure(t, h, error)),
        }
    }

    /// The trial state at t + h and all rates; returns the most iterations at a stage.
    fn all_stages(&mut self, h: f64) -> Result<usize, Obstacle> {
        if !self.step.first_is_known {
            self.first_stage()?;
        }
        self.step.trial.memory.copy_from_slice(&self.past.state.memory);
        let (last, mut most) = (self.step.stages.len() - 1, 0);
        for k in 1..self.step.stages.len() - usize::from(self.scheme.reuses_last) {
            most = most.max(self.stage_at(k, h)?);
        }
        most = most.max(self.finish(h)?);
        let mut broken = self.not_a_number();
        if self.scheme.reuses_last && broken.is_none() {
            self.rates_at(last)?;
            broken = self.rates_not_a_number(last);
        }
        match broken {
            Some(equation) => Err(self.failure(h, NOT_A_NUMBER, equation, LOOK_AT_LOADS).into()),
            None => Ok(most),
        }
    }

    /// Rates at the current state.
    pub(super) fn first_stage(&mut self) -> Result<(), StepFailure> {
        self.step.first_is_known = false;
        self.step.trial.t = self.past.state.t;
        self.step.trial.frames.copy_from_slice(&self.past.state.frames);
        self.step.trial.v.copy_from_slice(&self.past.state.v);
        self.step.trial.memory.copy_from_slice(&self.past.state.memory);
        self.step.delta.fill(0.0);
        self.rates_at(0)?;
        if let Some(equation) = self.rates_not_a_number(0) {
            return Err(StepFailure::not_finite(self.system, self.past.state.t, equation));
        }
        self.step.first_is_known = true;
        Ok(())
    }

    /// Rates at stage k; returns the iterations for the dependent positions.
    fn stage_at(&mut self, k: usize, h: f64) -> Result<usize, Obstacle> {
        self.step.trial.t = self.past.state.t + self.scheme.tableau.c[k] * h;
        self.step.delta.fill(0.0);
        self.step.trial.v.copy_from_slice(&self.past.state.v);
        let weights = &self.scheme.tableau.row(k)[..k];
        combine(
            &self.step.stages,
            weights,
            h,
            &self.unknowns,
            [&mut self.step.delta, &mut self.step.trial.v],
        );
        let iterations = self.place()?;
        self.rates_at(k)?;
        Ok(iterations)
    }

    /// The state at the end of the step, on the constraints if the procedure keeps them.
    fn finish(&mut self, h: f64) -> Result<usize, Obstacle> {
        self.step.trial.t = self.past.state.t + h;
        self.step.delta.fill(0.0);
        self.step.trial.v.copy_from_slice(&self.past.state.v);
        combine(
            &self.step.stages,
            &self.scheme.tableau.b,
            h,
            &self.unknowns,
            [&mut self.step.delta, &mut self.step.trial.v],
        );
        let mut iterations = self.place()?;
        if self.has_algebraic && self.system.has_commands() && self.settings.procedure != Procedure::Augmented
        {
            // Rows follow variables as they will be.
            self.system.close_networks(&mut self.step.trial, &mut self.saddle.scratch);
            iterations = self.place()?;
        }
        if self.settings.procedure == Procedure::Projected {
            self.project(h)?;
        }
        if self.has_algebraic && self.settings.procedure != Procedure::Augmented {
            self.system.close_networks(&mut self.step.trial, &mut self.saddle.scratch);
        }
        Ok(iterations)
    }

    /// Moves the trial state by δ and, in the embedding, completes it.
    fn place(&mut self) -> Result<usize, Obstacle> {
        match &mut self.embedding {
            Some(embedding) => embedding
                .complete(self.system, &self.past.state, &mut self.step.delta, &mut self.step.trial)
                .map_err(Obstacle::Partition),
            None => {
                retract(self.system, &self.past.state.frames, &self.step.delta, &mut self.step.trial.frames);
                Ok(0)
            }
        }
    }

    /// δ̇, v̇ and ẏ at the trial state.
    fn rates_at(&mut self, k: usize) -> Result<(), StepFailure> {
        let (system, trial) = (self.system, &self.step.trial);
        let guess = if k == 0 { self.step.stages.len() - 1 } else { k - 1 };
        // Friction wants a first guess of the multipliers.
        let mut a = std::mem::take(&mut self.step.stages[k].a);
        if guess != k {
            a.copy_from_slice(&self.step.stages[guess].a);
        }
        let outcome = self.saddle.accelerations(system, trial, &mut a);
        let determined = system.network_rates(trial, &mut a, &mut self.saddle.scratch);
        let stage = &mut self.step.stages[k];
        stage.a = a;
        outcome.map_err(|e| StepFailure::singular(system, trial.t, &e))?;
        if !determined {
            return Err(undetermined_rates(system, trial.t));
        }
        chart_rate(system, &self.step.delta, &trial.v, &mut stage.rate);
        if self.powered {
            stage.power = system.power(&instant(trial, &stage.a), &mut self.saddle.scratch);
        }
        self.counters.residuals += 1;
        self.counters.factorisations += 1;
        Ok(())
    }

    /// Moves the trial state onto the constraints.
    fn project(&mut self, h: f64) -> Result<(), StepFailure> {
        let (system, t) = (self.system, self.step.trial.t);
        let open = self.saddle.project(system, &mut self.step.trial, self.length);
        let open = open.map_err(|e| StepFailure::singular(system, t, &e))?;
        self.counters.factorisations += 1;
        if open <= OPEN * self.length {
            return Ok(());
        }
        let residual = &mut self.step.error[0];
        residual.fill(0.0);
        system.constraint_residual(
            &instant(&self.step.trial, &self.step.trial.v),
            residual,
            &mut self.saddle.scratch,
        );
        let entries = residual.iter().enumerate();
        let row = entries.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())).map_or(0, |(row, _)| row);
        Err(self.failure(h, "the joints did not close", row, HALVE))
    }

    /// The first unknown that is not a finite number at the end of the step.
    fn not_a_number(&self) -> Option<usize> {
        let finite = |i: usize| self.step.trial.v[i].is_finite() && self.step.delta[i].is_finite();
        self.unknowns.iter().copied().find(|&i| !finite(i))
    }

    /// The first rate of a stage that is not a finite number.
    fn rates_not_a_number(&self, k: usize) -> Option<usize> {
        self.step.stages[k].a.iter().position(|a| !a.is_finite())
    }

    fn failure(&self, h: f64, reason: &'static str, equation: usize, remedy: &'static str) -> StepFailure {
        StepFailure::of_step([self.past.state.t, h], reason, self.system.equation_name(equation), remedy)
    }
}

/// Adds h Σ_j w_j δ̇_j to positions and h Σ_j w_j v̇_j to velocities.
pub(super) fn combine(
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
