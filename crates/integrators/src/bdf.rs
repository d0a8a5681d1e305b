//! Backward differentiation formulas of variable step and order on a constrained system
//! (lagrangian-dae-modeling §1.27).
//!
//! In the chart of the last state, q = q_n ∘ θ, P is the polynomial of degree k through the k + 1 last points
//! and C that of degree k through the new point and the k last ones. Their difference has the k last points
//! as zeros, so the rates of C at t_{n+1} are
//!
//! ```text
//! v̇ = v̇ᴾ + (v − vᴾ)/β,     θ̇ = θ̇ᴾ + (θ − θᴾ)/β,     1/β = Σ_{i=1…k} 1/(t_{n+1} − t_{n+1−i})
//! ```
//! for any steps (variable coefficients, which bear changes of the step best). Velocities and multipliers are
//! the unknowns of
//!
//! ```text
//! M(q) v̇ + G(q)ᵀ λ = Q(q, v, t),     θ = θᴾ + β (T⁻¹(θ) v + p − θ̇ᴾ)
//! ```
//! with the constraints in one of the forms of [`StageForm`]; p is the correction of positions of the
//! stabilised form, else zero. The variables of networks stand among the velocities, their rates among the
//! accelerations. Newton's matrix is A₀ + β A₁ + β² A₂ ([`StepPolynomial`]), kept over as many steps as it
//! serves.
//!
//! The local error of order j, with the (j+1)-th divided difference over the new point and the last j + 1, is
//!
//! ```text
//! η_j = h Π_{i=1…j} (t_{n+1} − t_{n+1−i}) y[t_{n+1}, …, t_{n−j}],     η_k = h/(t_{n+1} − t_{n−k}) (y − yᴾ)
//! ```
//! It is the error of the formula times h, which for equal steps is more than that of y by the factor 1 + ½ +
//! … + 1/j.

pub(crate) mod equations;
pub(crate) mod formula;
pub(crate) mod history;
pub(crate) mod order;
pub(crate) mod settings;
pub(crate) mod solve;

use crate::accepted_frames::accept_frames;
use crate::bdf::equations::StepEquations;
use crate::bdf::formula::{Step, add};
use crate::bdf::history::{History, MOST, weights_at};
use crate::bdf::order::{LastStep, OrderControl};
use crate::bdf::settings::{BdfSettings, MAX_BDF_ORDER};
use crate::bdf::solve::NewtonMatrix;
use crate::control::ErrorMeasure;
use crate::equation_rows::EquationRows;
use crate::gs4::closing::Closing;
use crate::linear::saddle_point::{SaddlePoint, instant, retract};
use crate::newton::rounding::Rounding;
use crate::runge_kutta::implicit::ImplicitRungeKutta;
use crate::runge_kutta::implicit::settings::ImplicitSettings;
use crate::step_failure::StepFailure;
use crate::step_report::{Attempt, Counters, StepReport};
use crate::stepper::Stepper;
use crate::work::is_powered;
use poinsot_mechanics::{Power, Scratch, State, System};

/// An integration by backward differentiation formulas in progress. The order is that of the settings, and a
/// Radau IIA method makes the points before the start; [`Bdf::set_tolerances`] before the first step makes it
/// variable.
#[derive(Debug)]
pub struct Bdf<'s> {
    system: &'s System,
    settings: BdfSettings,
    length: f64,
    /// Makes the first points where the order is fixed.
    starter: Option<Box<ImplicitRungeKutta<'s>>>,
    past: Past,
    control: OrderControl,
    step: Step,
    matrix: NewtonMatrix,
    rows: EquationRows,
    equations: StepEquations,
    measure: ErrorMeasure,
    counters: Counters,
    saddle: SaddlePoint,
    closing: Closing,
    rounding: Rounding,
    powered: bool,
    scratch: Scratch,
}

/// Where the motion is, and where it has been.
#[derive(Debug)]
struct Past {
    history: History,
    state: State,
    before_memory: Vec<f64>,
    /// Accelerations, rates and multipliers at the state.
    a: Vec<f64>,
    /// p of the accepted step.
    p: Vec<f64>,
    /// Work of the accepted step.
    work: Power,
}

impl<'s> Bdf<'s> {
    /// Starts at a consistent state.
    pub fn new(system: &'s System, settings: BdfSettings, state: State) -> Result<Self, StepFailure> {
        if !(1..=MAX_BDF_ORDER).contains(&settings.max_order) {
            return Err(no_such_order(state.t));
        }
        let mut saddle = SaddlePoint::new(system);
        let mut a = vec![0.0; system.size()];
        let singular = |e| StepFailure::singular(system, state.t, &e);
        saddle.accelerations(system, &state, &mut a).map_err(singular)?;
        system.network_rates(&state, &mut a, &mut saddle.scratch);
        let powered = is_powered(system);
        let power =
            if powered { system.power(&instant(&state, &a), &mut saddle.scratch) } else { Power::default() };
        let rows = EquationRows::new(system);
        Ok(Bdf {
            length: system.length_scale(),
            starter: None,
            control: OrderControl::new(settings.max_order),
            step: Step::new(&state, &a),
            matrix: NewtonMatrix::new(system),
            equations: StepEquations::new(system, &rows, settings.form),
            rows,
            measure: ErrorMeasure::new(system, settings.tolerance),
            counters: Counters::default(),
            saddle,
            closing: Closing::new(system, settings.form.holds()),
            rounding: Rounding::new(system),
            powered,
            scratch: Scratch::default(),
            past: Past {
                history: History::new(&state, &a, power, settings.max_order + 2),
                before_memory: state.memory.clone(),
                p: vec![0.0; system.size()],
                work: Power::default(),
                a,
                state,
            },
            system,
            settings,
        })
    }

    /// Accelerations, rates and multipliers at the current state.
    pub fn accelerations(&self) -> &[f64] {
        &self.past.a
    }

    /// The settings.
    pub fn settings(&self) -> &BdfSettings {
        &self.settings
    }

    /// The order of the last step; zero before the first.
    pub fn order(&self) -> usize {
        self.control.last.order
    }

    /// A step of the method that makes the first points.
    fn attempt_start(&mut self, h: f64) -> Result<Attempt, StepFailure> {
        if self.starter.is_none() {
            let settings = ImplicitSettings {
                estimate: false,
                tolerance: self.settings.tolerance,
                ..Default::default()
            };
            let starter = ImplicitRungeKutta::new(self.system, settings, self.past.state.clone())?;
            self.starter = Some(Box::new(starter));
        }
        let starter = self.starter.as_mut().expect("made above");
        let attempt = starter.attempt(h);
        self.counters = *starter.counters();
        self.step.formula.h = h;
        attempt
    }

    fn accept_start(&mut self) -> StepReport {
        let starter = self.starter.as_mut().expect("only called while there is one");
        let report = starter.accept();
        self.counters = *starter.counters();
        self.past.work = starter.work().unwrap_or_default();
        self.past.state.clone_from(starter.state());
        self.past.a.copy_from_slice(starter.accelerations());
        self.remember_point();
        self.control.last = LastStep { h: self.step.formula.h, order: self.settings.max_order, product: 0.0 };
        if self.past.history.known() > self.settings.max_order {
            self.starter = None;
        }
        report
    }

    fn remember_point(&mut self) {
        let at = instant(&self.past.state, &self.past.a);
        let power = if self.powered { self.system.power(&at, &mut self.scratch) } else { Power::default() };
        self.past.history.push(&self.past.state, &self.past.a, power);
    }

    /// The end of the step.
    fn finish(&mut self) -> Result<(), StepFailure> {
        self.step.end.t = self.past.state.t + self.step.formula.h;
        self.step.end.memory.copy_from_slice(&self.past.state.memory);
        self.step.end.frames.copy_from_slice(&self.step.stage.frames);
        self.step.end.v.copy_from_slice(&self.step.stage.v);
        if self.settings.project {
            let (system, t) = (self.system, self.step.end.t);
            let projected = self.saddle.project(system, &mut self.step.end, self.length);
            projected.map_err(|e| StepFailure::singular(system, t, &e))?;
        } else {
            let step = (self.step.formula.h, self.measure.tightest());
            self.closing.close(
                self.system,
                &self.matrix.factors,
                &mut self.step.end,
                step,
                &mut self.scratch,
            );
        }
        Ok(())
    }
}

impl Stepper for Bdf<'_> {
    fn state(&self) -> &State {
        &self.past.state
    }

    fn attempt(&mut self, h: f64) -> Result<Attempt, StepFailure> {
        if !self.control.variable && self.past.history.known() <= self.settings.max_order {
            return self.attempt_start(h);
        }
        self.choose_order();
        self.control.attempts += 1;
        self.measure.weigh_at(&self.past.state, h);
        self.formulate(h);
        let iterations = self.solve()?;
        self.finish()?;
        let error = self.estimate();
        let next = self.make_plan(error);
        let effort = iterations as f64 / self.max_iterations() as f64;
        let longest = f64::INFINITY;
        Ok(Attempt {
            iterations,
            error: Some(error),
            exponent: self.step.formula.order + 1,
            adds_up: false,
            effort,
            next,
            longest,
        })
    }

    fn accept(&mut self) -> StepReport {
        self.past.before_memory.copy_from_slice(&self.past.state.memory);
        if self.starter.is_some() {
            return self.accept_start();
        }
        let formula = self.step.formula;
        self.past.state.t += formula.h;
        self.past.state.v.copy_from_slice(&self.step.end.v);
        let turn = accept_frames(
            self.system,
            &mut self.past.state.frames,
            &self.step.end.frames,
            &self.step.stage.theta,
        );
        self.system.remember_with(&mut self.past.state, &mut self.scratch);
        self.past.a.copy_from_slice(&self.step.stage.a);
        self.past.p.copy_from_slice(&self.step.stage.p);
        self.remember_point();
        self.past.work =
            if self.powered { self.past.history.work(formula.order + 1) } else { Power::default() };
        self.control.last = LastStep { h: formula.h, order: formula.order, product: formula.product };
        (self.control.next, self.control.settled, self.control.starting) =
            (self.control.plan.order, self.control.plan.settled, self.control.plan.starting);
        self.control.attempts = 0;
        self.matrix.age = self.matrix.age.map(|age| age + 1);
        self.counters.steps += 1;
        turn.report(self.step.iterations)
    }

    fn set_tolerances(&mut self, measure: ErrorMeasure) {
        self.measure = measure;
        if !self.control.variable && self.control.last.order == 0 {
            (self.control.variable, self.control.starting, self.control.next, self.starter) =
                (true, true, 1, None);
        }
    }

    fn snap_time(&mut self, t: f64) {
        self.past.state.t = t;
        self.past.history.snap_time(t);
        if let Some(starter) = &mut self.starter {
            starter.snap_time(t);
        }
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }

    fn exponent(&self) -> usize {
        self.control.next + 1
    }

    fn interpolate(&mut self, t: f64, out: &mut State) -> bool {
        if let Some(starter) = &mut self.starter {
            return starter.interpolate(t, out);
        }
        let count = (self.control.last.order + 1).min(self.past.history.known());
        self.past.history.chart(self.system, count);
        let (mut nodes, mut weights) = ([0.0; MOST], [0.0; MOST]);
        self.past.history.nodes(t, self.control.last.h, &mut nodes[..count]);
        weights_at(&nodes[..count], 0.0, &mut weights);
        let theta = &mut self.step.error[0];
        out.t = t;
        out.memory.copy_from_slice(&self.past.before_memory);
        theta.fill(0.0);
        out.v.fill(0.0);
        for (w, past) in weights[..count].iter().zip(self.past.history.points()) {
            add(*w, &past.theta, theta);
            add(*w, &past.v, &mut out.v);
        }
        retract(self.system, &self.past.state.frames, theta, &mut out.frames);
        true
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
}

fn no_such_order(t: f64) -> StepFailure {
    StepFailure {
        t,
        step: 0.0,
        reason: "backward differentiation formulas have orders 1 to 6",
        equation: String::new(),
        remedy: "choose a highest order from 1 to 6",
    }
}
