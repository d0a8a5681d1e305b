//! Structure-preserving steps on a constrained system: energy–momentum, variational midpoint, averaged
//! gradient (energy-momentum-null-space I-17 … I-26).
//!
//! The step itself is that of [`poinsot_mechanics::conserving`]. The natural velocities w of all nodes are
//! carried on from step to step, w⁺ = (2/h) Δz − w; they satisfy the constraints on velocities to second
//! order only (I-06), and energy and momentum are theirs. The velocities v of the state are the rigid motions
//! with the same momenta. The variational rule projects instead: its v satisfies the constraints exactly, and
//! w follows from v.

use crate::conserving::constrained_newton::{ConstrainedNewton, Effort, Imposed, Scale, Unsolved};
use crate::conserving::reduced_newton::ReducedNewton;
use crate::conserving::settings::ConservingSettings;
use crate::control::ErrorMeasure;
use crate::gs4::predictor::Predictor;
use crate::linear::projection::{End, Projection, ProjectionError, Projector};
use crate::method::Integrator;
use crate::step_failure::{HALVE, StepFailure, TURNS_FAR};
use crate::step_report::{Attempt, Counters, StepReport};
use crate::stepper::Stepper;
use poinsot_geometry::{Vec3, so3};
use poinsot_mechanics::conserving::{Conserving, ConservingScratch, ConservingStep, Coordinates, Rule};
use poinsot_mechanics::{Chart, Frame, Power, Scratch, State, System, Twist};
use poinsot_numerics::dense;
use poinsot_numerics::quadrature::gauss_legendre;

/// How constraints are imposed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Treatment {
    /// What is fastest: multipliers. With rigid motions as unknowns the sparse, scaled saddle point costs
    /// less per step than the dense reduced matrix for every model of the benchmark `treatments`, from one
    /// body to a thousand, because forces and joints take most of the time in both.
    #[default]
    Automatic,
    /// Lagrange multipliers (I-21).
    Multipliers,
    /// Discrete null space: the balance projected onto the directions that the constraints leave free, with
    /// the constraints as the remaining equations (I-24). Unknowns are rigid motions, whatever
    /// [`ConservingSettings::coordinates`] says.
    NullSpace,
    /// Discrete null space with as many unknowns as degrees of freedom (I-26): the coordinates of the joints
    /// of a tree, or with loops independent increments of them. Dependent rows are left out step by step. The
    /// matrix is dense: for small models, for linkages with redundant rows, and where constraints shall hold
    /// to the last digit.
    Minimal,
    /// Stiff springs μ|Φ|² in place of constraints (I-22).
    Penalty {
        /// μ.
        stiffness: f64,
    },
    /// Penalty with multipliers that are improved until the constraints hold (I-23).
    AugmentedLagrange {
        /// μ.
        stiffness: f64,
        /// Largest |Φ|.
        tolerance: f64,
    },
}

impl Treatment {
    /// Whether constraints hold at the ends of steps to round-off.
    fn holds_exactly(&self) -> bool {
        !matches!(self, Treatment::Penalty { .. } | Treatment::AugmentedLagrange { .. })
    }

    /// Whether constraints hold at the ends of steps; penalties let them give way.
    pub fn holds(&self) -> bool {
        !matches!(self, Treatment::Penalty { .. })
    }
}

/// Unknowns beyond which no condition number is computed.
const LARGEST_CONDITION: usize = 3000;

/// What solves a step.
#[derive(Debug)]
enum Solver {
    Constrained(Box<ConstrainedNewton>),
    Reduced(Box<ReducedNewton>),
}

impl Solver {
    /// For a step at rest.
    fn new(view: &Conserving, step: &ConservingStep, treatment: Treatment) -> Result<Self, Unsolved> {
        let imposed = match treatment {
            Treatment::NullSpace | Treatment::Minimal => {
                let minimal = treatment == Treatment::Minimal;
                return Ok(Solver::Reduced(Box::new(ReducedNewton::new(view, step, minimal)?)));
            }
            Treatment::Automatic | Treatment::Multipliers => Imposed::Exactly,
            Treatment::Penalty { stiffness } => Imposed::ByPenalty { stiffness },
            Treatment::AugmentedLagrange { stiffness, tolerance } => {
                Imposed::Augmented { stiffness, tolerance }
            }
        };
        Ok(Solver::Constrained(Box::new(ConstrainedNewton::new(view, imposed))))
    }
}

/// What a treatment means for a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreatmentReport {
    /// Unknowns of a step.
    pub unknowns: usize,
    /// Condition number (2-norm) of the iteration matrix in the unscaled form of energy-momentum-null-space
    /// I-64, at the start of Newton's iteration; not a number for more than 3000 unknowns.
    pub condition: f64,
    /// How the null space is found, if it is: "explicit", "semi-explicit" or "implicit".
    pub null_space: Option<&'static str>,
}

/// A structure-preserving integration in progress.
#[derive(Debug)]
pub struct EnergyMomentum<'s> {
    system: &'s System,
    view: Conserving<'s>,
    settings: ConservingSettings,
    state: State,
    step: ConservingStep,
    solver: Solver,
    projector: Option<Box<Projector>>,
    length: f64,
    /// Whether velocities are projected onto constraints that are driven.
    drives_project: bool,
    /// Mean accelerations and multipliers of the last step, equation order of the system.
    mean: Vec<f64>,
    /// Mean velocities (turns in world axes) of the last step, and the middle of it.
    last: (Vec<f64>, f64),
    /// Their rates of change from step to step, extrapolated from those of the last steps. Unlike the
    /// velocities at the ends of steps, mean velocities are free of the alternating part that constraints
    /// leave (I-06).
    rates: Predictor,
    rate: Vec<f64>,
    /// Multipliers, which alternate, in the order of `rows`.
    multipliers: Predictor,
    multiplier: Vec<f64>,
    /// Own equations of the constraint rows, those of rigidity last.
    rows: Vec<usize>,
    /// Equations of the constraint rows in the system.
    constraint_rows: Vec<usize>,
    /// ω² of each force element, where dissipation asks for it.
    frequencies: Vec<f64>,
    /// Velocities before the last step.
    before: Vec<f64>,
    end_v: Vec<f64>,
    projected: Projected,
    delta: Vec<f64>,
    work: Power,
    solved: Option<(f64, Effort)>,
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
        let (nodes, weights) = gauss_legendre(settings.points);
        step.quadrature = nodes.iter().zip(&weights).map(|(x, w)| (0.5 + 0.5 * x, 0.5 * w)).collect();
        let (n, own) = (system.size(), view.size());
        let constraint_rows = system.constraint_equations();
        let rigid = view.internal().iter().flat_map(|i| i.eq..i.eq + 6);
        let rows: Vec<usize> = constraint_rows.iter().map(|&eq| view.row(eq)).chain(rigid).collect();
        let mut integration = EnergyMomentum {
            system,
            settings,
            solver,
            projector: (settings.rule == Rule::Variational && !system.enforced_equations().is_empty())
                .then(|| Box::new(Projector::new(system, &state.frames))),
            length: system.length_scale(),
            drives_project: settings.rule == Rule::Variational
                && system.constraints().iter().any(|c| c.law.is_driven()),
            mean: vec![0.0; n],
            last: (first_mean(system, &state), state.t),
            rates: Predictor::new(vec![0.0; n], state.t),
            rate: vec![0.0; n],
            multipliers: Predictor::new(vec![0.0; rows.len()], state.t),
            multiplier: vec![0.0; rows.len()],
            rows,
            constraint_rows,
            frequencies: vec![],
            before: vec![0.0; n],
            end_v: vec![0.0; n],
            projected: Projected::default(),
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
        let middle = state.t + 0.5 * h;
        if (middle - state.t) * (state.t - self.last.1) < 0.0 {
            // Time runs backwards from here.
            self.last = (first_mean(self.system, state), state.t);
            self.rates = Predictor::new(vec![0.0; self.rate.len()], state.t);
            self.multipliers = Predictor::new(self.multiplier.clone(), state.t);
        }
        self.multipliers.aim(middle);
        for (&own, lambda) in self.rows.iter().zip(self.multipliers.stage()) {
            step.lambda[own] = lambda;
        }
        self.rates.aim(middle);
        let (last, at) = (&self.last.0, self.last.1);
        for ((mean, last), rate) in self.rate.iter_mut().zip(last).zip(self.rates.stage()) {
            *mean = last + (middle - at) * rate;
        }
        for (id, node) in self.system.nodes().iter().enumerate().skip(1) {
            let (mean, delta) = (&self.rate[node.unknowns()], &mut self.delta[self.view.unknowns(id)]);
            if node.chart == Chart::Motion {
                let (r, theta) = (Vec3::from_column_slice(&mean[..3]), Vec3::from_column_slice(&mean[3..]));
                self.view.guess(id, &state.frames[id], &(r * h), &(theta * h), delta);
            } else {
                delta.iter_mut().zip(mean).for_each(|(delta, mean)| *delta = h * mean);
            }
        }
        step.advance(&self.view, &self.delta);
    }

    /// Mean velocities (turns in world axes) and multipliers of the step just solved, for the prediction of
    /// the next ones; the body that turns farthest, and its angle.
    fn take_means(&mut self, h: f64) -> (f64, usize) {
        let (rate, mut farthest) = (&mut self.rate, (0.0, 0));
        let middle = self.state.t + 0.5 * h;
        for (id, node) in self.system.nodes().iter().enumerate().skip(1) {
            let (linear, mut angular) = (self.step.change[id].r / h, Vec3::zeros());
            if matches!(node.chart, Chart::Motion | Chart::Planar { .. }) {
                angular = self.step.rotation_vector(id);
                let turn = angular.norm();
                if turn > farthest.0 {
                    farthest = (turn, id);
                }
                angular /= h;
            }
            if node.chart != Chart::Motion {
                angular = self.step.start[id].rot.tr_mul(&angular);
            }
            node.chart.velocities(&Twist { linear, angular }, &mut rate[node.unknowns()]);
        }
        for (mean, last) in rate.iter_mut().zip(&mut self.last.0) {
            let now = *mean;
            *mean = (now - *last) / (middle - self.last.1);
            *last = now;
        }
        self.last.1 = middle;
        self.rates.take(self.system, rate, middle);
        for (lambda, &own) in self.multiplier.iter_mut().zip(&self.rows) {
            *lambda = self.step.lambda[own];
        }
        self.multipliers.take_measuring(&self.multiplier, middle, 0..self.rows.len());
        farthest
    }

    fn scale(&self, h: f64) -> Scale {
        let s = &self.settings;
        Scale::of_step(&self.state.rates, h, self.length, s.tolerance, s.max_iterations)
    }

    /// Variational rule: p⁺ = M Δz/h less half the impulse of forces, projected onto the constraints at the
    /// end.
    fn project(&mut self, h: f64) -> Result<(), StepFailure> {
        self.view.half_impulse_rates(&mut self.step);
        self.system.velocities_of(&self.step.end, &self.step.rates, &mut self.end_v);
        let Some(projector) = &mut self.projector else { return Ok(()) };
        let scale = self.step.change.iter().fold(1e-6 * self.length, |m, c| m.max(c.r.amax())) / h;
        let room = &mut self.projected;
        room.frames.clone_from(&self.step.end);
        for change in [&mut room.moved, &mut room.accelerated] {
            change.resize(self.system.size(), 0.0);
            change.fill(0.0);
        }
        let mut end = End {
            t: self.state.t + h,
            frames: &mut room.frames,
            v: &mut self.end_v,
            a: &mut self.mean,
            memory: &self.state.memory,
            scale: [self.length, scale, scale / h],
            moved: &mut room.moved,
            accelerated: &mut room.accelerated,
        };
        let wanted = Projection { position: false, velocity: true, acceleration: false };
        let outcome = projector.project(self.system, &wanted, &mut end, &mut self.scratch);
        outcome.map_err(|e| match e {
            ProjectionError::Singular(e) => StepFailure::singular(self.system, self.state.t, &e),
            ProjectionError::Open(row) => StepFailure::of_step(
                [self.state.t, h],
                "the projection of the velocities did not converge",
                self.system.equation_name(row),
                HALVE,
            ),
        })
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
        let outcome = match &mut self.solver {
            Solver::Constrained(solver) => solver.solve(view, rule, step, &scale),
            Solver::Reduced(solver) => solver.solve(view, rule, step, &self.delta, &scale),
        };
        let effort = outcome.map_err(|e| failure(&self.view, &self.step, e))?;
        self.counters.residuals += effort.residuals;
        self.counters.iterations += effort.iterations;
        self.counters.factorisations += effort.factorisations;
        if self.settings.rule == Rule::Variational {
            self.project(h)?;
        }
        self.solved = Some((h, effort));
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
        let Some((h, effort)) = self.solved.take() else {
            return StepReport { iterations: 0, rotation: 0.0, body: 0 };
        };
        if !self.drives_project {
            self.work = self.view.work(self.settings.rule, &self.step, &mut self.room);
        }
        self.before.copy_from_slice(&self.state.v);
        let (rotation, body) = self.take_means(h);
        for (id, node) in self.system.nodes().iter().enumerate().skip(1) {
            self.state.frames[id] = self.step.end[id];
            if matches!(node.chart, Chart::Motion | Chart::Planar { .. }) && self.view.is_rigid(id) {
                self.state.frames[id].rot = so3::orthonormalize(&self.state.frames[id].rot);
            }
        }
        self.state.t += h;
        if self.settings.rule == Rule::Variational {
            self.state.v.copy_from_slice(&self.end_v);
            self.system.take_rates(&mut self.state);
        } else {
            for id in 1..self.state.rates.len() {
                self.state.rates[id] = self.step.end_rate(id);
            }
            self.system.velocities_of(&self.state.frames, &self.state.rates, &mut self.state.v);
        }
        for ((a, new), old) in self.mean.iter_mut().zip(&self.state.v).zip(&self.before) {
            *a = (new - old) / h;
        }
        for (&eq, lambda) in self.constraint_rows.iter().zip(&self.multiplier) {
            self.mean[eq] = *lambda;
            self.state.v[eq] = 0.0;
        }
        self.system.remember_with(&mut self.state, &mut self.scratch);
        self.counters.steps += 1;
        self.counters.max_iterations = self.counters.max_iterations.max(effort.iterations);
        StepReport { iterations: effort.iterations, rotation, body }
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

/// Room for the projection of velocities.
#[derive(Debug, Default)]
struct Projected {
    frames: Vec<Frame>,
    moved: Vec<f64>,
    accelerated: Vec<f64>,
}

/// The velocities of a state, turns in world axes.
fn first_mean(system: &System, state: &State) -> Vec<f64> {
    let mut mean = state.v.clone();
    for (id, node) in system.nodes().iter().enumerate().filter(|(_, n)| n.chart == Chart::Motion) {
        let omega = state.frames[id].rot * system.twist(id, &state.v).angular;
        mean[node.unknowns()][3..].copy_from_slice(omega.as_slice());
    }
    mean
}

/// A step that was not solved, in words.
fn failure(view: &Conserving, step: &ConservingStep, error: Unsolved) -> StepFailure {
    let turn = (1..step.start.len()).map(|id| step.rotation(id)).fold(0.0, f64::max);
    let remedy = if turn > 0.5 { TURNS_FAR } else { HALVE };
    error.failure(view, [step.t, step.h], remedy)
}
