//! Structure-preserving steps on a constrained system: energy–momentum, variational midpoint, averaged
//! gradient (energy-momentum-null-space I-17 … I-26).
//!
//! The step itself is that of [`poinsot_mechanics::conserving`]. The natural velocities w of all nodes are
//! carried on from step to step, w⁺ = (2/h) Δz − w; they satisfy the constraints on velocities to second
//! order only (I-06), and energy and momentum are theirs. The velocities v of the state are the rigid motions
//! with the same momenta. The variational rule projects instead: its v satisfies the constraints exactly, and
//! w follows from v.

use crate::accepted_frames::{LargestTurn, accept_frames_with};
use crate::conserving::constrained_newton::{Effort, Scale, Unsolved};
use crate::conserving::end_velocities::EndVelocities;
use crate::conserving::mean_prediction::MeanPrediction;
use crate::conserving::settings::ConservingSettings;
use crate::conserving::treatment::{Solver, Treatment, TreatmentReport};
use crate::control::ErrorMeasure;
use crate::method::Integrator;
use crate::step_failure::{HALVE, StepFailure, TURNS_FAR};
use crate::step_report::{Attempt, Counters, StepReport};
use crate::stepper::Stepper;
use poinsot_geometry::interpolation::Quadrature;
use poinsot_mechanics::conserving::{
    Conserving, ConservingScratch, ConservingStep, Coordinates, Internal, Rule,
};
use poinsot_mechanics::{Power, Scratch, State, System};
use poinsot_numerics::dense;

/// Unknowns beyond which no condition number is computed.
const LARGEST_CONDITION: usize = 3000;

/// A structure-preserving integration in progress.
#[derive(Debug)]
pub struct EnergyMomentum<'s> {
    system: &'s System,
    view: Conserving<'s>,
    settings: ConservingSettings,
    state: State,
    step: ConservingStep,
    solver: Solver,
    prediction: MeanPrediction,
    /// Velocities at the end of a step of the variational rule.
    velocities: EndVelocities,
    length: f64,
    /// Whether velocities are projected onto constraints that are driven.
    drives_project: bool,
    /// Mean accelerations and multipliers of the last step, equation order of the system.
    mean: Vec<f64>,
    /// Equations of the constraint rows in the system.
    constraint_rows: Vec<usize>,
    /// ω² of each force element, where dissipation asks for it.
    frequencies: Vec<f64>,
    /// Velocities before the last step.
    before: Vec<f64>,
    delta: Vec<f64>,
    work: Power,
    solved: Option<Effort>,
    counters: Counters,
    room: ConservingScratch,
    scratch: Scratch,
}

impl<'s> EnergyMomentum<'s> {
    /// Starts at a consistent state.
    pub fn new(system: &'s System, settings: ConservingSettings, state: State) -> Result<Self, StepFailure> {
        if let Some(refusal) = settings.refusal(system) {
            return Err(StepFailure::refused(state.t, refusal.reason, refusal.remedy));
        }
        let reduces = matches!(settings.treatment, Treatment::NullSpace | Treatment::Minimal);
        let coordinates = if reduces { Coordinates::Motion } else { settings.coordinates };
        let view = Conserving::new(system, coordinates);
        let mut step = ConservingStep::new(&view);
        step.t = state.t;
        step.start.clone_from(&state.frames);
        step.memory.clone_from(&state.memory);
        step.rest();
        let solver = Solver::new(&view, &step, settings.treatment).map_err(|e| failure(&view, &step, e))?;
        step.holds = settings.treatment.holds_exactly();
        let Quadrature { points: nodes, weights } = Quadrature::gauss_legendre(settings.points);
        step.quadrature = nodes.iter().zip(&weights).map(|(x, w)| (0.5 + 0.5 * x, 0.5 * w)).collect();
        let (n, own) = (system.size(), view.size());
        let constraint_rows = system.constraint_equations();
        let rigid = view.internal().iter().flat_map(Internal::rows);
        let rows: Vec<usize> = constraint_rows.iter().map(|&eq| view.row(eq)).chain(rigid).collect();
        let projects = settings.rule == Rule::Variational;
        let mut integration = EnergyMomentum {
            system,
            settings,
            solver,
            prediction: MeanPrediction::new(system, &state, rows),
            velocities: EndVelocities::new(system, &state, projects),
            length: system.length_scale(),
            drives_project: projects && system.constraints().iter().any(|c| c.law.is_driven()),
            mean: vec![0.0; n],
            constraint_rows,
            frequencies: vec![],
            before: vec![0.0; n],
            delta: vec![0.0; own],
            work: Power::default(),
            solved: None,
            counters: Counters::default(),
            room: ConservingScratch::default(),
            scratch: Scratch::default(),
            step,
            view,
            state,
        };
        if integration.state.rates.is_empty() {
            system.take_rates(&mut integration.state);
        }
        Ok(integration)
    }

    /// Mean accelerations and multipliers of the last step.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The conserving view that the steps are made in.
    pub fn view(&self) -> &Conserving<'s> {
        &self.view
    }

    /// The step solved last.
    pub fn crossing(&self) -> &ConservingStep {
        &self.step
    }

    /// Unknowns and condition number for steps of length h from the state as it is.
    pub fn report(&mut self, h: f64) -> Result<TreatmentReport, StepFailure> {
        self.solved = None;
        let lambda = self.step.lambda.clone();
        self.begin(h);
        self.step.lambda.copy_from_slice(&lambda);
        // The first iterate of the digest: the start itself.
        self.delta.fill(0.0);
        self.step.rest();
        let scale = self.scale(h);
        let (rule, view, step) = (self.settings.rule, &self.view, &mut self.step);
        let (matrix, null_space) = match &mut self.solver {
            Solver::Constrained(solver) => (Ok(solver.iteration_matrix(view, rule, step)), None),
            Solver::Reduced(solver) => {
                (solver.iteration_matrix(view, rule, step, &self.delta, &scale), Some(solver.kind()))
            }
        };
        self.step.lambda.copy_from_slice(&lambda);
        let matrix = matrix.map_err(|e| failure(&self.view, &self.step, e))?;
        let unknowns = matrix.nrows();
        let condition = match unknowns <= LARGEST_CONDITION {
            true => dense::condition(matrix.as_ref()).unwrap_or(f64::NAN),
            false => f64::NAN,
        };
        Ok(TreatmentReport { unknowns, condition, null_space })
    }

    /// Start of the step, and a guess of its end from the velocities and their last change.
    fn begin(&mut self, h: f64) {
        let (step, state) = (&mut self.step, &self.state);
        (step.t, step.h) = (state.t, h);
        step.start.clone_from(&state.frames);
        step.rates.clone_from(&state.rates);
        step.memory.clone_from(&state.memory);
        step.rest();
        if self.settings.dissipation > 0.0 {
            if self.frequencies.is_empty() {
                self.frequencies = self.view.frequencies(step, &mut self.room);
            }
            for (chi, square) in step.dissipation.iter_mut().zip(&self.frequencies) {
                let square = h * h * square;
                *chi = self.settings.dissipation * square / (1.0 + square);
            }
        }
        self.prediction.guess(&self.view, state, step, &mut self.delta);
        step.advance(&self.view, &self.delta);
    }

    fn scale(&self, h: f64) -> Scale {
        let s = &self.settings;
        Scale::of_step(&self.state.rates, h, self.length, s.tolerance, s.max_iterations)
    }
}

impl Stepper for EnergyMomentum<'_> {
    fn state(&self) -> &State {
        &self.state
    }

    fn attempt(&mut self, h: f64) -> Result<Attempt, StepFailure> {
        self.solved = None;
        self.begin(h);
        let scale = self.scale(h);
        let (rule, view, step) = (self.settings.rule, &self.view, &mut self.step);
        let outcome = self.solver.solve(view, rule, step, &self.delta, &scale);
        let effort = outcome.map_err(|e| failure(&self.view, &self.step, e))?;
        self.counters.residuals += effort.residuals;
        self.counters.iterations += effort.iterations;
        self.counters.factorisations += effort.factorisations;
        if self.settings.rule == Rule::Variational {
            self.view.half_impulse_rates(&mut self.step);
            self.velocities.find(self.system, &self.step, &mut self.mean, &mut self.scratch)?;
        }
        self.solved = Some(effort);
        let effort_share = effort.iterations as f64 / self.settings.max_iterations as f64;
        Ok(Attempt {
            iterations: effort.iterations,
            error: None,
            exponent: 3,
            adds_up: false,
            effort: effort_share.min(1.0),
            next: None,
            longest: f64::INFINITY,
        })
    }

    fn accept(&mut self) -> StepReport {
        let Some(effort) = self.solved.take() else {
            return LargestTurn::default().report(0);
        };
        let h = self.step.h;
        if !self.drives_project {
            self.work = self.view.work(self.settings.rule, &self.step, &mut self.room);
        }
        self.before.copy_from_slice(&self.state.v);
        let turn = self.prediction.take(&self.view, &self.step);
        let (view, frames) = (&self.view, &mut self.state.frames);
        accept_frames_with(self.system, frames, &self.step.end, |id| view.is_rigid(id));
        self.state.t += h;
        if self.settings.rule == Rule::Variational {
            self.state.v.copy_from_slice(&self.velocities.v);
            self.system.take_rates(&mut self.state);
        } else {
            self.view.follow_shapes(&mut self.step);
            for id in 1..self.state.rates.len() {
                self.state.rates[id] = self.step.end_rate(id);
            }
            let State { frames, rates, v, .. } = &mut self.state;
            self.system.velocities_of(frames, rates, v, &mut self.scratch);
        }
        for ((a, new), old) in self.mean.iter_mut().zip(&self.state.v).zip(&self.before) {
            *a = (new - old) / h;
        }
        for (&eq, lambda) in self.constraint_rows.iter().zip(self.prediction.multipliers()) {
            self.mean[eq] = *lambda;
            self.state.v[eq] = 0.0;
        }
        self.system.remember_with(&mut self.state, &mut self.scratch);
        self.counters.accepted(effort.iterations);
        turn.report(effort.iterations)
    }

    fn set_tolerances(&mut self, _measure: ErrorMeasure) {}

    fn snap_time(&mut self, t: f64) {
        self.state.t = t;
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Work of forces in the last step, exact for the rule. None where the variational rule meets drives: it
    /// projects the velocities after the step, and that does work on them too.
    fn work(&self) -> Option<Power> {
        (!self.drives_project).then_some(self.work)
    }

    fn exponent(&self) -> usize {
        3
    }

    fn stage(&self) -> (f64, &[f64]) {
        (0.5, self.mean())
    }

    fn rates(&self) -> &[f64] {
        self.mean()
    }
}

/// A step that was not solved, in words.
fn failure(view: &Conserving, step: &ConservingStep, error: Unsolved) -> StepFailure {
    let turn = (1..step.start.len()).map(|id| step.rotation(id)).fold(0.0, f64::max);
    let remedy = if turn > 0.5 { TURNS_FAR } else { HALVE };
    error.failure(view, [step.t, step.h], remedy)
}
