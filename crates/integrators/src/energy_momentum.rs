//! Structure-preserving steps on a constrained system: energy–momentum, variational midpoint, averaged gradient
//! (energy-momentum-null-space I-17 … I-26).
//!
//! The step itself is that of [`poinsot_mechanics::conserving`]. The natural velocities w of all nodes are carried on from step to
//! step, w⁺ = (2/h) Δz − w; they satisfy the constraints on velocities to second order only (I-06), and energy and momentum are
//! theirs. The velocities v of the state are the rigid motions with the same momenta. The variational rule projects
//! instead: its v satisfies the constraints exactly, and w follows from v.

use crate::constrained_newton::{ConstrainedNewton, Effort, Imposed, Scale, Unsolved};
use crate::control::ErrorMeasure;
use crate::outcome::{Attempt, Counters, StepFailure, StepReport};
use crate::projection::{End, Projection, ProjectionError, Projector};
use poinsot_geometry::so3;
use poinsot_mechanics::conserving::{Conserving, Coordinates, Crossing, Rule, Workroom};
use poinsot_mechanics::{Chart, Power, Scratch, State, System};
use poinsot_numerics::quadrature::gauss_legendre;

/// How constraints are imposed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Treatment {
    /// Lagrange multipliers (I-21).
    #[default]
    Multipliers,
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
    /// Whether constraints hold at the ends of steps; penalties let them give way.
    pub fn holds(&self) -> bool {
        !matches!(self, Treatment::Penalty { .. })
    }
}

/// Settings of structure-preserving steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConservingSettings {
    /// Where forces are taken.
    pub rule: Rule,
    /// Points of the Gauss rule of [`Rule::Averaged`].
    pub points: usize,
    /// Unknowns of rigid bodies.
    pub coordinates: Coordinates,
    /// How constraints are imposed.
    pub treatment: Treatment,
    /// Numerical dissipation χ of elements that the step does not resolve, 0 for none: momentum is kept, energy decays. An
    /// element of frequency ω gets χ Ω²/(1 + Ω²), Ω = ωh, so that the order stays two.
    pub dissipation: f64,
    /// Relative accuracy of Newton's iteration.
    pub tolerance: f64,
    /// Newton iterations at most.
    pub max_iterations: usize,
}

impl ConservingSettings {
    /// A rule with multipliers, to round-off.
    pub fn new(rule: Rule) -> Self {
        ConservingSettings {
            rule,
            points: 3,
            coordinates: Coordinates::default(),
            treatment: Treatment::default(),
            dissipation: 0.0,
            tolerance: 1e-13,
            max_iterations: 30,
        }
    }
}

/// A structure-preserving integration in progress.
#[derive(Debug)]
pub struct EnergyMomentum<'s> {
    system: &'s System,
    view: Conserving<'s>,
    settings: ConservingSettings,
    state: State,
    step: Crossing,
    solver: ConstrainedNewton,
    projector: Option<Box<Projector>>,
    length: f64,
    /// Mean accelerations and multipliers of the last step, equation order of the system.
    mean: Vec<f64>,
    /// Velocities before the last step, and its length.
    before: Option<(Vec<f64>, f64)>,
    /// Multipliers before the last step.
    lambda_before: Vec<f64>,
    /// ω² of each force element, where dissipation asks for it.
    frequencies: Vec<f64>,
    end_v: Vec<f64>,
    delta: Vec<f64>,
    work: Power,
    solved: Option<(f64, Effort)>,
    counters: Counters,
    room: Workroom,
    scratch: Scratch,
}

impl<'s> EnergyMomentum<'s> {
    /// Starts at a consistent state.
    pub fn new(system: &'s System, settings: ConservingSettings, state: State) -> Result<Self, StepFailure> {
        if !system.networks().is_empty() {
            let reason = "structure-preserving steps know mechanics only, not equations of other domains";
            let remedy = "choose another integrator, for example generalized-alpha or radau";
            return Err(StepFailure::refused(state.t, reason, remedy));
        }
        let view = Conserving::new(system, settings.coordinates);
        let imposed = match settings.treatment {
            Treatment::Multipliers => Imposed::Exactly,
            Treatment::Penalty { stiffness } => Imposed::ByPenalty { stiffness },
            Treatment::AugmentedLagrange { stiffness, tolerance } => {
                Imposed::Augmented { stiffness, tolerance }
            }
        };
        let mut step = Crossing::new(&view);
        step.holds = imposed == Imposed::Exactly;
        let (nodes, weights) = gauss_legendre(settings.points);
        step.quadrature = nodes.iter().zip(&weights).map(|(x, w)| (0.5 + 0.5 * x, 0.5 * w)).collect();
        let (n, own) = (system.size(), view.size());
        let mut integration = EnergyMomentum {
            system,
            settings,
            solver: ConstrainedNewton::new(&view, imposed),
            projector: (settings.rule == Rule::Variational && !system.enforced_equations().is_empty())
                .then(|| Box::new(Projector::new(system, &state.frames))),
            length: system.length_scale(),
            mean: vec![0.0; n],
            before: None,
            lambda_before: vec![0.0; own],
            frequencies: vec![],
            end_v: vec![0.0; n],
            delta: vec![0.0; own],
            work: Power::default(),
            solved: None,
            counters: Counters::default(),
            room: Workroom::default(),
            scratch: Scratch::default(),
            step,
            view,
            state,
        };
        if integration.state.rates.is_empty() {
            integration.take_rates();
        }
        Ok(integration)
    }

    /// w = ż of the velocities.
    fn take_rates(&mut self) {
        let state = &mut self.state;
        state.rates.clear();
        let rate = |id: usize| state.frames[id].rate(&self.system.twist(id, &state.v));
        state.rates.extend((0..state.frames.len()).map(rate));
    }

    /// The current state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Sets the time exactly.
    pub fn snap_time(&mut self, t: f64) {
        self.state.t = t;
    }

    /// What the integration has cost so far.
    pub fn counters(&self) -> &Counters {
        &self.counters
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
    pub fn crossing(&self) -> &Crossing {
        &self.step
    }

    /// Work of forces in the last step, exact for the rule.
    pub fn work(&self) -> Power {
        self.work
    }

    /// No local errors are estimated.
    pub fn set_tolerances(&mut self, _measure: ErrorMeasure) {}

    /// Solves a step of length h without taking it.
    pub fn attempt(&mut self, h: f64) -> Result<Attempt, StepFailure> {
        self.solved = None;
        self.begin(h);
        let scale = self.scale(h);
        let effort = self
            .solver
            .solve(&self.view, self.settings.rule, &mut self.step, &scale)
            .map_err(|e| self.failure(h, e))?;
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
            effort: effort_share.min(1.0),
            next: None,
            longest: f64::INFINITY,
        })
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
        if self.counters.steps > 0 {
            for (new, old) in step.lambda.iter_mut().zip(&mut self.lambda_before) {
                let now = *new;
                *new += now - *old;
                *old = now;
            }
        }
        let gained = |i: usize| match &self.before {
            Some((v, last)) => 0.5 * h / last * (state.v[i] - v[i]),
            None => 0.0,
        };
        let mut v = [0.0; 6];
        for (id, node) in self.system.nodes().iter().enumerate().skip(1) {
            let (unknowns, dofs) = (node.unknowns(), node.chart.dofs());
            for (v, i) in v.iter_mut().zip(unknowns) {
                *v = h * (state.v[i] + gained(i));
            }
            let delta = &mut self.delta[self.view.unknowns(id)];
            if node.chart == Chart::Motion {
                let twist = node.chart.twist(&v);
                self.view.guess(id, &state.frames[id], &twist, delta);
            } else {
                delta.copy_from_slice(&v[..dofs]);
            }
        }
        step.advance(&self.view, &self.delta);
    }

    /// The way of a step at the present speed, or at least a millionth of the model.
    fn scale(&self, h: f64) -> Scale {
        let (mut linear, mut angular) = (0.0_f64, 0.0_f64);
        for w in &self.state.rates {
            linear = linear.max(w.r.amax());
            angular = angular.max(w.rot.amax());
        }
        let linear = (linear * h).max(1e-6 * self.length);
        Scale {
            linear,
            angular: (angular * h).max(linear / self.length).max(1e-6),
            tolerance: self.settings.tolerance,
            max_iterations: self.settings.max_iterations,
        }
    }

    /// Variational rule: p⁺ = M Δz/h less half the impulse of forces, projected onto the constraints at the end.
    fn project(&mut self, h: f64) -> Result<(), StepFailure> {
        self.view.half_impulse_rates(&mut self.step);
        self.system.velocities_of(&self.step.end, &self.step.rates, &mut self.end_v);
        let Some(projector) = &mut self.projector else { return Ok(()) };
        let scale = self.step.change.iter().fold(1e-6 * self.length, |m, c| m.max(c.r.amax())) / h;
        let mut frames = self.step.end.clone();
        let mut end = End {
            t: self.state.t + h,
            frames: &mut frames,
            v: &mut self.end_v,
            a: &mut self.mean,
            memory: &self.state.memory,
            scale: [self.length, scale, scale / h],
            moved: &mut vec![0.0; self.system.size()],
            accelerated: &mut vec![0.0; self.system.size()],
        };
        let wanted = Projection { position: false, velocity: true, acceleration: false };
        let outcome = projector.project(self.system, &wanted, &mut end, &mut self.scratch);
        outcome.map_err(|e| match e {
            ProjectionError::Singular(e) => StepFailure::singular(self.system, self.state.t, &e),
            ProjectionError::Open(row) => StepFailure {
                t: self.state.t + h,
                step: h,
                reason: "the projection of the velocities did not converge",
                equation: self.system.equation_name(row),
                remedy: "halve the step; if it still fails, look for a jammed or nearly singular position there",
            },
        })
    }

    /// Takes the step that was attempted last. Without one nothing happens.
    pub fn accept(&mut self) -> StepReport {
        let Some((h, effort)) = self.solved.take() else {
            return StepReport { iterations: 0, rotation: 0.0, body: 0 };
        };
        self.work = self.view.work(self.settings.rule, &self.step, &mut self.room);
        let (mut before, _) = self.before.take().unwrap_or_else(|| (self.state.v.clone(), h));
        before.copy_from_slice(&self.state.v);
        let (mut rotation, mut body) = (0.0, 0);
        for (id, node) in self.system.nodes().iter().enumerate().skip(1) {
            self.state.frames[id] = self.step.end[id];
            if matches!(node.chart, Chart::Motion | Chart::Planar { .. }) {
                let turn = self.step.rotation(id);
                if turn > rotation {
                    (rotation, body) = (turn, id);
                }
                if self.view.is_rigid(id) {
                    self.state.frames[id].rot = so3::orthonormalize(&self.state.frames[id].rot);
                }
            }
        }
        self.state.t += h;
        if self.settings.rule == Rule::Variational {
            self.state.v.copy_from_slice(&self.end_v);
            self.take_rates();
        } else {
            for id in 1..self.state.rates.len() {
                self.state.rates[id] = self.step.end_rate(id);
            }
            self.system.velocities_of(&self.state.frames, &self.state.rates, &mut self.state.v);
        }
        for ((a, new), old) in self.mean.iter_mut().zip(&self.state.v).zip(&before) {
            *a = (new - old) / h;
        }
        for &eq in &self.system.constraint_equations() {
            self.mean[eq] = self.step.lambda[self.view.row(eq)];
            self.state.v[eq] = 0.0;
        }
        self.before = Some((before, h));
        self.system.remember_with(&mut self.state, &mut self.scratch);
        self.counters.steps += 1;
        self.counters.max_iterations = self.counters.max_iterations.max(effort.iterations);
        StepReport { iterations: effort.iterations, rotation, body }
    }

    fn failure(&self, h: f64, error: Unsolved) -> StepFailure {
        let turn = (1..self.step.start.len()).map(|id| self.step.rotation(id)).fold(0.0, f64::max);
        let (reason, equation, remedy) = match error {
            Unsolved::Singular(eq) => (
                "the equations are singular",
                eq,
                "look for redundant constraints (`poinsot check`) or a body without inertia in that direction",
            ),
            Unsolved::NotANumber(eq) => (
                "a force or a joint is not a number",
                eq,
                "look at the expressions of the loads there: a root, a quotient or a logarithm that leaves its range",
            ),
            Unsolved::NoConvergence(eq) if turn > 0.5 => (
                "Newton's iteration did not converge",
                eq,
                "take a smaller step: a body would turn by more than half a radian in this one",
            ),
            Unsolved::NoConvergence(eq) => (
                "Newton's iteration did not converge",
                eq,
                "halve the step; if it still fails, look for a jammed or nearly singular position there",
            ),
        };
        let equation = self.view.equation_name(equation);
        StepFailure { t: self.state.t + h, step: h, reason, equation, remedy }
    }
}
