//! Discontinuous Galerkin steps of degree k: one time element after the other (motion-interpolation-galerkin
//! §1.15, §1.16).
//!
//! Fields jump at the start of each step, by h^{k+1}; at its end they are of order 2k + 1. The jump tells the
//! error of the motion inside a step, and the Radau correction takes it out: see
//! [`TimeElement`](crate::TimeElement). High frequencies are damped away, as by Radau IIA with k + 1 stages,
//! whose stability function this is. Energy falls and momentum drifts with the order of the method: nothing
//! is conserved.

mod estimate;
pub(crate) mod settings;

use crate::accepted_frames::accept_frames;
use crate::control::ErrorMeasure;
use crate::dg::settings::DgSettings;
use crate::linear::saddle_point::SaddlePoint;
use crate::method::Integrator;
use crate::newton::policy::RADAU;
use crate::step_failure::StepFailure;
use crate::step_report::{Attempt, Counters, StepReport};
use crate::stepper::Stepper;
use crate::time_elements::newton::{ElementNewton, Until};
use crate::time_elements::{Course, Scheme, TimeElement};
use crate::work::is_powered;
use poinsot_mechanics::{Power, State, System};

/// A discontinuous Galerkin integration in progress.
#[derive(Debug)]
pub struct DiscontinuousGalerkin<'s> {
    system: &'s System,
    settings: DgSettings,
    element: TimeElement<'s>,
    newton: ElementNewton,
    measure: ErrorMeasure,
    length: f64,
    state: State,
    /// Accelerations, rates and multipliers at the state.
    a: Vec<f64>,
    /// The motion over the last accepted step.
    done: Course,
    work: Power,
    /// The end of the step in progress.
    end: State,
    end_a: Vec<f64>,
    iterations: usize,
    /// Projects, and frees jumps of what the constraints forbid.
    saddle: SaddlePoint,
    /// Whether its factors are those of the end in progress, or of the state.
    factored: [bool; 2],
    /// Jumps of positions and velocities, and room for rates of constraints.
    jumps: [Vec<f64>; 4],
    has_rows: bool,
    powered: bool,
    counters: Counters,
}

impl<'s> DiscontinuousGalerkin<'s> {
    /// Starts at a consistent state.
    pub fn new(system: &'s System, settings: DgSettings, state: State) -> Result<Self, StepFailure> {
        if let Some(refusal) = settings.refusal(system) {
            return Err(StepFailure::refused(state.t, refusal.reason, refusal.remedy));
        }
        let n = system.size();
        let element = TimeElement::new(system, Scheme::new(settings.degree, settings.points), &state);
        let mut integration = DiscontinuousGalerkin {
            newton: ElementNewton::new(element.size(), n),
            measure: ErrorMeasure::new(system, settings.tolerance),
            length: system.length_scale(),
            a: vec![0.0; n],
            done: element.course().clone(),
            work: Power::default(),
            end: state.clone(),
            end_a: vec![0.0; n],
            iterations: 0,
            saddle: SaddlePoint::new(system),
            factored: [false; 2],
            jumps: std::array::from_fn(|_| vec![0.0; n]),
            has_rows: !system.enforced_equations().is_empty(),
            powered: is_powered(system),
            counters: Counters::default(),
            system,
            settings,
            element,
            state,
        };
        integration.take_accelerations()?;
        Ok(integration)
    }

    /// Accelerations, rates and multipliers at the current state.
    pub fn accelerations(&self) -> &[f64] {
        &self.a
    }

    /// The element of the step that was tried last.
    pub fn element(&self) -> &TimeElement<'s> {
        &self.element
    }

    /// The settings.
    pub fn settings(&self) -> &DgSettings {
        &self.settings
    }

    fn take_accelerations(&mut self) -> Result<(), StepFailure> {
        let (system, t) = (self.system, self.state.t);
        self.a.fill(0.0);
        let found = self.saddle.accelerations(system, &self.state, &mut self.a);
        found.map_err(|e| StepFailure::singular(system, t, &e))?;
        system.network_rates(&self.state, &mut self.a, &mut self.saddle.scratch);
        self.factored = [false; 2];
        Ok(())
    }

    fn most_iterations(&self) -> usize {
        RADAU.iterations[usize::from(!self.settings.estimate)]
    }

    /// Solves for the motion over a step; returns the number of iterations.
    fn solve(&mut self, h: f64) -> Result<usize, StepFailure> {
        self.element.begin(&self.state, h);
        self.element.go_on(&self.a);
        let until = (Until::Tolerance, self.most_iterations());
        self.newton.solve(&mut self.element, &self.measure, until, &mut self.counters)
    }

    /// The end of the step.
    fn finish(&mut self) -> Result<(), StepFailure> {
        self.element.finish(&mut self.end, &mut self.end_a);
        self.factored[0] = self.settings.project && self.has_rows;
        if self.factored[0] {
            let (system, t) = (self.system, self.end.t);
            self.factored[1] = false;
            let projected = self.saddle.project(system, &mut self.end, self.length);
            projected.map_err(|e| StepFailure::singular(system, t, &e))?;
        }
        Ok(())
    }
}

impl Stepper for DiscontinuousGalerkin<'_> {
    fn state(&self) -> &State {
        &self.state
    }

    fn attempt(&mut self, h: f64) -> Result<Attempt, StepFailure> {
        self.measure.weigh_at(&self.state, h);
        self.iterations = self.solve(h)?;
        let error = match self.settings.estimate {
            true => Some(self.estimate()?),
            false => None,
        };
        self.finish()?;
        let effort = self.iterations as f64 / self.most_iterations() as f64;
        Ok(Attempt {
            iterations: self.iterations,
            error,
            exponent: self.exponent(),
            adds_up: false,
            effort,
            next: None,
            longest: f64::INFINITY,
        })
    }

    fn accept(&mut self) -> StepReport {
        self.done.copy_from(self.element.course());
        self.work = if self.powered { self.element.work() } else { Power::default() };
        let moved = &mut self.jumps[0];
        self.element.moved(moved);
        self.state.t = self.end.t;
        self.state.v.copy_from_slice(&self.end.v);
        let turn = accept_frames(self.system, &mut self.state.frames, &self.end.frames, moved);
        self.system.remember_with(&mut self.state, &mut self.element.scratch);
        self.a.copy_from_slice(&self.end_a);
        self.factored = [false, self.factored[0]];
        self.counters.accepted(self.iterations);
        turn.report(self.iterations)
    }

    fn exponent(&self) -> usize {
        self.settings.degree + 1
    }

    fn interpolate(&mut self, t: f64, out: &mut State) -> bool {
        let alpha = (t - self.done.start.t) / self.done.h;
        self.element.motion(&self.done, alpha, out);
        out.t = t;
        true
    }

    fn look_ahead(&mut self, t: f64, out: &mut State) -> bool {
        let course = self.element.course();
        self.element.motion(course, (t - course.start.t) / course.h, out);
        out.t = t;
        true
    }

    fn looks_ahead(&self) -> bool {
        true
    }

    fn restart(&mut self, state: &State) -> Result<bool, StepFailure> {
        self.state.clone_from(state);
        self.end.clone_from(state);
        self.take_accelerations()?;
        self.counters = Counters::default();
        self.work = Power::default();
        Ok(true)
    }

    fn rates(&self) -> &[f64] {
        &self.a
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

    fn stage(&self) -> (f64, &[f64]) {
        (1.0, &self.a)
    }

    fn work(&self) -> Option<Power> {
        Some(self.work)
    }
}
