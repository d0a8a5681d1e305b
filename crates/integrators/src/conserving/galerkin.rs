//! Galerkin steps of degree k: finite elements in time, cG(k), with multipliers mG(k)
//! (energy-momentum-null-space I-17, I-18).
//!
//! ```text
//! z, w of degree k and continuous, λ and all test functions of degree k − 1
//! ∫ M_i (z′/h − w) dα = 0,   ∫ M_i (M w′/h + f) dα = 0,   ∫ M_i Φ′ dα = 0,   i = 1 … k
//! ```
//! Tested with z′ and λ themselves the equations say ΔT = −∫ f·z′ dα and ∫ λ·Φ′ dα = 0: energy changes by the
//! work of forces alone. Degree one is [`Rule::Averaged`](poinsot_mechanics::conserving::Rule) in directors.
//!
//! Quadratic constraints, rigidity and friction are integrated by k Gauss points, at which z′ is the velocity
//! w: this is exact for their work, and keeps momentum besides. Forces are integrated by
//! [`GalerkinSettings::points`]: with more points than k the energy of springs is kept the better the more
//! there are, and their moment about a centre to the order of the method only; with k points momentum is kept
//! exactly and energy nearly. Elements whose force is a gradient for orthonormal directors only, such as
//! bushings, keep energy to order 2k. Friction follows λ, which takes z down to order two for degree two.
//!
//! The natural velocities w are carried on, energy and momentum are theirs. z is of order 2k, and so is the
//! part of w that the constraints permit. The part that they forbid, zero in truth, is of order k for even
//! and k + 1 for odd k: w^h differs from z′/h by a multiple of the Legendre polynomial P_k, which steps hand
//! on with the factor (−1)^k. λ is of order k in the middle of a step. The velocities v of the state are the
//! permitted part, by the metric of the mass, so that they are of order 2k, and accelerations and reactions
//! that follow from z and v too. Of degree one, v is the rigid motion with the momenta of w.
//!
//! A step asks of a node that z is linear in its unknowns: for bodies these are directors, in a plane two of
//! them with one row of rigidity; points, slopes and numbers are linear as they are. It asks of inertia that
//! M is constant, which that of a flexible body is not, since it follows its shapes; and of an element that
//! it stays the same over the step, which a joint does not that slides from one piece of a line to the next.
//! Variables of networks are of degree k as w, their equations are taken at the same k points as the
//! inertia, see [`GalerkinNewton`]. The conservation holds for every h, so that steps may follow the error,
//! see [`galerkin_estimate`].

use crate::accepted_frames::{LargestTurn, turns};
use crate::conserving::constrained_newton::{Effort, Scale, Unsolved};
use crate::conserving::galerkin_estimate::{self, Companion};
use crate::conserving::galerkin_newton::GalerkinNewton;
use crate::conserving::galerkin_settings::GalerkinSettings;
use crate::conserving::galerkin_velocities::Missing;
use crate::conserving::time_element::MAX_GALERKIN_DEGREE;
use crate::control::ErrorMeasure;
use crate::linear::saddle_point::SaddlePoint;
use crate::method::Integrator;
use crate::step_failure::StepFailure;
use crate::step_report::{Attempt, Counters, StepReport};
use crate::stepper::Stepper;
use poinsot_geometry::{EulerParameters, so3};
use poinsot_mechanics::conserving::{Conserving, Coordinates, NetworkUnknown};
use poinsot_mechanics::{Power, Scratch, State, System, Twist};

/// A Galerkin integration in progress.
#[derive(Debug)]
pub struct Galerkin<'s> {
    pub(super) system: &'s System,
    pub(super) view: Conserving<'s>,
    pub(super) settings: GalerkinSettings,
    pub(super) state: State,
    /// The state at the end of the step attempted last.
    pub(super) end: State,
    pub(super) solver: GalerkinNewton,
    /// The step of the next degree, where errors are estimated.
    pub(super) companion: Option<Box<Companion>>,
    /// Takes the forbidden part out of v.
    pub(super) saddle: SaddlePoint,
    pub(super) forbidden: Vec<f64>,
    /// Where beams share masses between nodes.
    pub(super) missing: Option<Missing>,
    length: f64,
    /// Equations of the constraint rows, in the system and in the view.
    rows: Vec<(usize, usize)>,
    /// Variables of networks.
    pub(super) variables: Vec<NetworkUnknown>,
    /// Whether algebraic equations of these read speeds.
    closes: bool,
    /// Rates of variables at the state, and the rest of `middle`.
    pub(super) rates: Vec<f64>,
    /// Coefficients of the last step, and its length.
    last: Vec<f64>,
    last_step: f64,
    /// Accelerations and multipliers in the middle of the last step, equation order of the system.
    middle: Vec<f64>,
    work: Power,
    solved: Option<Effort>,
    counters: Counters,
    pub(super) scratch: Scratch,
}

impl<'s> Galerkin<'s> {
    /// Starts at a consistent state.
    pub fn new(system: &'s System, settings: GalerkinSettings, state: State) -> Result<Self, StepFailure> {
        if let Some(refusal) = settings.refusal(system) {
            return Err(StepFailure::refused(state.t, refusal.reason, refusal.remedy));
        }
        let view = Conserving::new(system, Coordinates::Directors);
        let solver = GalerkinNewton::new(&view, settings.degree, settings.points);
        let companion = settings.estimate.then(|| Box::new(Companion::new(&view, &settings, &state)));
        let mut integration = Galerkin {
            system,
            companion,
            settings,
            length: system.length_scale(),
            rows: system.constraint_equations().iter().map(|&eq| (eq, view.row(eq))).collect(),
            variables: view.network_unknowns(),
            closes: view.levels_read_speeds(),
            rates: vec![0.0; system.size()],
            last: vec![0.0; solver.course.u.len()],
            last_step: 0.0,
            middle: vec![0.0; system.size()],
            work: Power::default(),
            solved: None,
            counters: Counters::default(),
            scratch: Scratch::default(),
            end: state.clone(),
            saddle: SaddlePoint::new(system),
            forbidden: vec![0.0; system.size()],
            missing: system.inertias().next().map(|_| Missing::new(view.size())),
            solver,
            view,
            state,
        };
        if integration.state.rates.is_empty() {
            system.take_rates(&mut integration.state);
        }
        integration.end.rates.clone_from(&integration.state.rates);
        if let Some(companion) = &mut integration.companion {
            companion.end.rates.clone_from(&integration.state.rates);
        }
        system.network_rates(&integration.state, &mut integration.rates, &mut integration.scratch);
        Ok(integration)
    }

    /// Accelerations and multipliers in the middle of the last step.
    pub fn middle(&self) -> &[f64] {
        &self.middle
    }

    /// The view that the steps are made in.
    pub fn view(&self) -> &Conserving<'s> {
        &self.view
    }

    /// Newton's iteration, from the last step carried on; if that leads nowhere, from bodies that turn on as
    /// they do.
    fn solve(&mut self, h: f64) -> Result<Effort, Unsolved> {
        self.begin(h);
        let scale = self.scale(h);
        if self.last_step > 0.0 {
            self.carry_on(h);
            match self.solver.solve(&self.view, &scale) {
                Err(Unsolved::NoConvergence(_)) => {}
                outcome => return outcome.inspect(|effort| self.count(effort)),
            }
        }
        self.turn_on(h);
        let effort = self.solver.solve(&self.view, &scale)?;
        self.count(&effort);
        Ok(effort)
    }

    pub(super) fn count(&mut self, effort: &Effort) {
        self.counters.residuals += effort.residuals;
        self.counters.iterations += effort.iterations;
        self.counters.factorisations += effort.factorisations;
    }

    /// Start of the step.
    pub(super) fn begin(&mut self, h: f64) {
        let (course, state) = (&mut self.solver.course, &self.state);
        (course.t, course.h) = (state.t, h);
        course.start.clone_from(&state.frames);
        course.rates.clone_from(&state.rates);
        course.memory.clone_from(&state.memory);
        course.frames.clone_from(&state.frames);
        for v in &self.variables {
            course.start_variables[v.eq[0]] = state.v[v.eq[1]];
            course.variables[v.eq[0]] = state.v[v.eq[1]];
        }
    }

    /// Guess: the polynomials of the last step.
    fn carry_on(&mut self, h: f64) {
        let k = self.settings.degree;
        let carry = self.solver.element.continuation(h / self.last_step);
        for (u, last) in self.solver.course.u.chunks_exact_mut(k).zip(self.last.chunks_exact(k)) {
            for (u, row) in u.iter_mut().zip(&carry) {
                *u = row.iter().zip(last).map(|(e, last)| e * last).sum();
            }
        }
    }

    /// Guess: bodies turn at the rate that they have, R̈ = R₀ exp(hα ω̃) ω̃², and nothing else accelerates.
    fn turn_on(&mut self, h: f64) {
        let (k, u) = (self.settings.degree, &mut self.solver.course.u);
        u.fill(0.0);
        let nodes = self.system.nodes().iter().enumerate();
        for (id, _) in nodes.filter(|(_, node)| turns(&node.chart)) {
            let rot = &self.state.frames[id].rot;
            let omega = so3::axial(&rot.tr_mul(&self.state.rates[id].rot));
            let square = so3::skew(&omega) * so3::skew(&omega);
            for point in &self.solver.element.collocation {
                let a = rot * so3::exp(&(omega * (h * point.alpha))) * square * point.weight;
                self.view.add_turning(id, &a, |e, a| {
                    u[k * e..k * e + k].iter_mut().zip(&point.base).for_each(|(u, m)| *u += m * a);
                });
            }
        }
    }

    /// The state at the end: z_k, w_k = w₀ + h a₁ as all other M_j have no mean, and v.
    pub(super) fn finish(&mut self, h: f64) -> Result<(), StepFailure> {
        let (k, end) = (self.solver.element.degree, &mut self.end);
        let (course, element) = (&mut self.solver.course, &self.solver.element);
        course.visit(&self.view, k, &element.end);
        let mut mean = [0.0; MAX_GALERKIN_DEGREE];
        mean[0] = 1.0;
        for id in 1..end.frames.len() {
            end.rates[id] = course.rates[id] + course.combined(&self.view, id, k, &mean) * h;
            end.frames[id] = course.frames[id];
        }
        end.t = self.state.t + h;
        end.memory.copy_from_slice(&self.state.memory);
        self.system.velocities_of(&end.frames, &end.rates, &mut end.v, &mut self.scratch);
        self.rows.iter().for_each(|&(eq, _)| end.v[eq] = 0.0);
        self.variables.iter().for_each(|v| end.v[v.eq[1]] = course.variables[v.eq[0]]);
        if k > 1 && (!self.rows.is_empty() || self.missing.is_some()) {
            self.permit()?;
        }
        if self.closes {
            self.system.close_behind_jump(OPEN, &mut self.end, &mut self.scratch);
        }
        Ok(())
    }

    pub(super) fn scale(&self, h: f64) -> Scale {
        let s = &self.settings;
        Scale::of_step(&self.state.rates, h, self.length, s.tolerance, s.max_iterations)
    }

    /// Why Newton's iteration has not solved the step that is worked on, in words.
    pub(super) fn unsolved(&self, error: Unsolved) -> StepFailure {
        error.failure(&self.view, [self.state.t, self.solver.course.h], HALVE)
    }

    /// ẇ as accelerations, the rotation from the skew part of Rᵀ R̈, and λ, both at α = ½.
    fn take_middle(&mut self) {
        let k = self.settings.degree;
        let (course, point) = (&mut self.solver.course, &self.solver.element.middle);
        course.visit(&self.view, k, point);
        for (id, node) in self.system.nodes().iter().enumerate().skip(1) {
            let a = course.combined(&self.view, id, k, &point.base);
            let twist = Twist { linear: a.r, angular: so3::axial(&course.frames[id].rot.tr_mul(&a.rot)) };
            node.chart.velocities(&twist, &mut self.middle[node.unknowns()]);
        }
        for &(eq, row) in &self.rows {
            self.middle[eq] = course.lambda[row];
        }
        self.variables.iter().for_each(|v| self.middle[v.eq[1]] = course.lambda[v.eq[0]]);
    }
}

/// Algebraic equations that read speeds, which are those of w inside a step and v at its end, are closed
/// there where they are open by more than this part of their terms.
const OPEN: f64 = 1e-12;

/// What to try where a step does not converge.
const HALVE: &str = "halve the step, so that no body turns by more than about half a radian in it; if it still fails, look for a \
                     jammed or nearly singular position there";

impl Stepper for Galerkin<'_> {
    fn state(&self) -> &State {
        &self.state
    }

    fn attempt(&mut self, h: f64) -> Result<Attempt, StepFailure> {
        self.solved = None;
        let effort = self.solve(h).map_err(|e| self.unsolved(e))?;
        self.finish(h)?;
        let estimate = self.estimate(h)?;
        self.solved = Some(effort);
        let effort_share = effort.iterations as f64 / self.settings.max_iterations as f64;
        Ok(Attempt {
            iterations: effort.iterations,
            error: estimate.map(|estimate| estimate.error),
            exponent: self.exponent(),
            adds_up: self.settings.degree < MAX_GALERKIN_DEGREE,
            effort: effort_share.min(1.0),
            next: None,
            longest: estimate.map_or(f64::INFINITY, |estimate| estimate.longest),
        })
    }

    fn accept(&mut self) -> StepReport {
        let Some(effort) = self.solved.take() else {
            return LargestTurn::default().report(0);
        };
        self.work = self.solver.work(&self.view);
        self.take_middle();
        let mut largest = LargestTurn::default();
        for (id, node) in self.system.nodes().iter().enumerate().skip(1) {
            if turns(&node.chart) {
                let turn = self.state.frames[id].rot.tr_mul(&self.end.frames[id].rot);
                largest.note(id, EulerParameters::from_matrix(&turn).rotation_vector().norm());
            }
        }
        std::mem::swap(&mut self.state, &mut self.end);
        self.last.copy_from_slice(&self.solver.course.u);
        self.last_step = self.solver.course.h;
        self.system.remember_with(&mut self.state, &mut self.scratch);
        self.rates.copy_from_slice(&self.middle);
        if !self.variables.is_empty() {
            self.system.network_rates(&self.state, &mut self.rates, &mut self.scratch);
        }
        self.counters.accepted(effort.iterations);
        largest.report(effort.iterations)
    }

    fn set_tolerances(&mut self, measure: ErrorMeasure) {
        if let Some(companion) = &mut self.companion {
            companion.measure = measure;
        }
    }

    fn snap_time(&mut self, t: f64) {
        self.state.t = t;
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }

    fn exponent(&self) -> usize {
        galerkin_estimate::exponent(self.settings.degree)
    }

    fn work(&self) -> Option<Power> {
        Some(self.work)
    }

    fn stage(&self) -> (f64, &[f64]) {
        (0.5, self.middle())
    }

    fn rates(&self) -> &[f64] {
        &self.rates
    }
}
