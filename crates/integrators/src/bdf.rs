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

pub(crate) mod history;
pub(crate) mod settings;

use crate::bdf::history::{History, MOST, difference_weights, slopes_at_zero, weights_at};
use crate::bdf::settings::{BdfSettings, MAX_BDF_ORDER};
use crate::control::ErrorMeasure;
use crate::gs4::closing::Closing;
use crate::linear::factors::Factors;
use crate::linear::saddle_point::{SaddlePoint, instant, retract};
use crate::newton::rounding::{COARSEST, Depth, ROUNDINGS, Rounding, STANDS};
use crate::runge_kutta::implicit::ImplicitRungeKutta;
use crate::runge_kutta::implicit::settings::{ImplicitSettings, StageForm};
use crate::step_failure::StepFailure;
use crate::step_report::{Attempt, Counters, StepReport};
use crate::stepper::Stepper;
use crate::work::is_powered;
use poinsot_geometry::{Mat3, Vec3, so3};
use poinsot_mechanics::{Chart, Frame, Instant, Level, Power, Scratch, State, StepPolynomial, System};

/// Iterations at most, where the step is variable and where it is not.
const MAX_ITERATIONS: [usize; 2] = [6, 15];

/// Left-over error of Newton's iteration in units of the tolerance.
const NEWTON_GOAL: f64 = 0.03;

/// Change of β up to which the factors are kept.
const KEEP_FACTORS: f64 = 0.25;

/// Contraction above which the matrix is made anew before the next step.
const KEEP_JACOBIAN: f64 = 0.08;

/// Steps after which it is made anew in any case.
const OLDEST_JACOBIAN: usize = 50;

/// Power of the contraction that is reckoned with a step later.
const WEAR: f64 = 0.85;

/// Units of round-off below which an increment that does not shrink is taken as zero.
const ROUND_OFF: f64 = 50.0;

/// Rotation (rad) of a body over the past of a formula up to which the chart serves; it ends at 2π.
const MAX_TURN: f64 = 4.0;

/// Parts of the step that the error would just allow: at the order at hand, a lower and a higher one.
const SAFETY: [f64; 3] = [1.0 / 1.2, 1.0 / 1.3, 1.0 / 1.4];

/// Growth of the step from which it is worth a change, and the largest.
const GROWTH: (f64, f64) = (1.2, 4.0);

/// Largest growth of the step while the order rises from the start.
const START_GROWTH: f64 = 4.0;

/// The step is made shorter if that would have suited the last one; never by more than the second number.
const SHRINK: (f64, f64) = (0.88, 0.5);

/// Attempts in a row that fail before the order becomes one.
const MAX_FAILURES: usize = 3;

/// What an estimated error counts at least and at most: those of many steps add up, and BDF damp little of
/// what oscillates.
const ACCUMULATION: (f64, f64) = (5.0, 300.0);

/// The formula of a step.
#[derive(Clone, Copy, Debug)]
struct Formula {
    h: f64,
    order: usize,
    beta: f64,
    /// x_i = (t_{n+1−i} − t_{n+1})/h with x_0 = 0.
    nodes: [f64; MOST + 1],
    /// η_k = `error` (y − yᴾ).
    error: f64,
    /// Π |x_i| h over the points of the formula.
    product: f64,
}

/// What is unknown in a step, and what follows from it.
#[derive(Clone, Debug)]
struct Stage {
    v: Vec<f64>,
    /// Accelerations, with λ in the constraint entries.
    a: Vec<f64>,
    theta: Vec<f64>,
    p: Vec<f64>,
    frames: Vec<Frame>,
    /// Balance and constraints; then the increment.
    residual: Vec<f64>,
    /// Φ of the stabilised form; then the increment of p.
    position: Vec<f64>,
}

/// The polynomial P at the new time.
#[derive(Clone, Debug)]
struct Prediction {
    v: Vec<f64>,
    v_rate: Vec<f64>,
    theta: Vec<f64>,
    theta_rate: Vec<f64>,
}

/// What the next step is to be.
#[derive(Clone, Copy, Debug)]
struct Plan {
    /// Order after the step is accepted, and if it is rejected.
    order: usize,
    retry: usize,
    /// Steps at the same length and order, with this one.
    settled: usize,
    starting: bool,
}

/// An integration by backward differentiation formulas in progress. The order is that of the settings, and a
/// Radau IIA method makes the points before the start; [`Bdf::set_tolerances`] before the first step makes it
/// variable.
#[derive(Debug)]
pub struct Bdf<'s> {
    system: &'s System,
    settings: BdfSettings,
    length: f64,
    /// Whether the order is variable.
    variable: bool,
    /// Makes the first points where the order is fixed.
    starter: Option<Box<ImplicitRungeKutta<'s>>>,
    history: History,
    state: State,
    before_memory: Vec<f64>,
    a: Vec<f64>,
    /// Order of the next attempt.
    next_order: usize,
    /// Step and order that were accepted last, and Π of its formula.
    last_step: f64,
    last_order: usize,
    last_product: f64,
    settled: usize,
    starting: bool,
    /// Attempts since a step was accepted.
    attempts: usize,
    plan: Plan,
    formula: Formula,
    prediction: Prediction,
    stage: Stage,
    trial: State,
    /// p of the accepted step.
    p: Vec<f64>,
    measure: ErrorMeasure,
    polynomial: StepPolynomial,
    factors: Factors,
    values: Vec<f64>,
    /// Steps since the polynomial was made, and β of the factors.
    age: Option<usize>,
    factored_for: Option<f64>,
    /// Contraction that the iteration with these factors has shown, if any, and the one to reckon with
    /// meanwhile.
    contraction: Option<f64>,
    assumed: Option<f64>,
    counters: Counters,
    iterations: usize,
    saddle: SaddlePoint,
    closing: Closing,
    identity: Vec<Mat3>,
    is_row: Vec<bool>,
    has_rows: bool,
    /// Power of β that every entry of the right side is multiplied by, plus one; whether it is a row at the
    /// level of the form.
    powers: Vec<u8>,
    is_level: Vec<bool>,
    level_rows: Vec<usize>,
    velocity_rows: Vec<usize>,
    rows: Vec<usize>,
    /// Whether an unknown is a velocity of the mechanics.
    is_mechanical: Vec<bool>,
    /// First unknown of the rotation of every body that turns in space, ascending.
    rotating: Vec<usize>,
    error: [Vec<f64>; 2],
    rounding: Rounding,
    work: Power,
    powered: bool,
    scratch: Scratch,
}

impl<'s> Bdf<'s> {
    /// Starts at a consistent state.
    pub fn new(system: &'s System, settings: BdfSettings, state: State) -> Result<Self, StepFailure> {
        if !(1..=MAX_BDF_ORDER).contains(&settings.max_order) {
            return Err(no_such_order(state.t));
        }
        let n = system.size();
        let mut saddle = SaddlePoint::new(system);
        let mut a = vec![0.0; n];
        let singular = |e| StepFailure::singular(system, state.t, &e);
        saddle.accelerations(system, &state, &mut a).map_err(singular)?;
        system.network_rates(&state, &mut a, &mut saddle.scratch);
        let powered = is_powered(system);
        let power =
            if powered { system.power(&instant(&state, &a), &mut saddle.scratch) } else { Power::default() };
        let is_row = system.is_constraint_row();
        let velocity_rows: Vec<usize> =
            system.velocity_equations().into_iter().chain(system.algebraic_equations()).collect();
        let mut level_rows = system.constraint_equations();
        level_rows.retain(|row| !velocity_rows.contains(row));
        let mut powers = vec![BALANCE; n];
        velocity_rows.iter().for_each(|&row| powers[row] = 1);
        let level_power = match settings.form {
            StageForm::Position => 0,
            StageForm::Stabilised | StageForm::Velocity => 1,
            StageForm::Acceleration => 2,
        };
        level_rows.iter().for_each(|&row| powers[row] = level_power);
        let mut is_level = vec![false; n];
        level_rows.iter().for_each(|&row| is_level[row] = true);
        let mut is_mechanical = vec![false; n];
        system.nodes().iter().for_each(|node| is_mechanical[node.unknowns()].fill(true));
        let zero = || vec![0.0; n];
        let frames = state.frames.clone();
        let rotating = system.nodes().iter().filter(|n| n.chart == Chart::Motion);
        let mut rotating: Vec<usize> = rotating.map(|n| n.unknowns().start + 3).collect();
        rotating.sort_unstable();
        Ok(Bdf {
            length: system.length_scale(),
            variable: false,
            starter: None,
            history: History::new(&state, &a, power, settings.max_order + 2),
            before_memory: state.memory.clone(),
            next_order: settings.max_order,
            last_step: 0.0,
            last_order: 0,
            last_product: 0.0,
            settled: 0,
            starting: false,
            attempts: 0,
            plan: Plan { order: 1, retry: 1, settled: 0, starting: false },
            formula: Formula {
                h: 0.0,
                order: 1,
                beta: 0.0,
                nodes: [0.0; MOST + 1],
                error: 0.5,
                product: 0.0,
            },
            prediction: Prediction { v: zero(), v_rate: zero(), theta: zero(), theta_rate: zero() },
            stage: Stage {
                v: zero(),
                a: a.clone(),
                theta: zero(),
                p: zero(),
                frames,
                residual: zero(),
                position: zero(),
            },
            trial: state.clone(),
            p: zero(),
            measure: ErrorMeasure::new(system, settings.tolerance),
            polynomial: StepPolynomial::new(system),
            factors: Factors::new(system),
            values: vec![0.0; system.pattern().nnz()],
            age: None,
            factored_for: None,
            contraction: None,
            assumed: None,
            counters: Counters::default(),
            iterations: 0,
            saddle,
            closing: Closing::new(system, settings.form.holds()),
            identity: vec![Mat3::identity(); system.nodes().len()],
            has_rows: is_row.contains(&true),
            is_row,
            powers,
            is_level,
            level_rows,
            velocity_rows,
            rows: system.constraint_equations(),
            is_mechanical,
            rotating,
            error: [zero(), zero()],
            rounding: Rounding::new(system),
            work: Power::default(),
            powered,
            scratch: Scratch::default(),
            a,
            state,
            system,
            settings,
        })
    }

    /// Accelerations, rates and multipliers at the current state.
    pub fn accelerations(&self) -> &[f64] {
        &self.a
    }

    /// The settings.
    pub fn settings(&self) -> &BdfSettings {
        &self.settings
    }

    /// The order of the last step; zero before the first.
    pub fn order(&self) -> usize {
        self.last_order
    }

    /// A step of the method that makes the first points.
    fn attempt_start(&mut self, h: f64) -> Result<Attempt, StepFailure> {
        if self.starter.is_none() {
            let settings = ImplicitSettings {
                estimate: false,
                tolerance: self.settings.tolerance,
                ..Default::default()
            };
            let starter = ImplicitRungeKutta::new(self.system, settings, self.state.clone())?;
            self.starter = Some(Box::new(starter));
        }
        let starter = self.starter.as_mut().expect("made above");
        let attempt = starter.attempt(h);
        self.counters = *starter.counters();
        self.formula.h = h;
        attempt
    }

    fn accept_start(&mut self) -> StepReport {
        let starter = self.starter.as_mut().expect("only called while there is one");
        let report = starter.accept();
        self.counters = *starter.counters();
        self.work = starter.work().unwrap_or_default();
        self.state.clone_from(starter.state());
        self.a.copy_from_slice(starter.accelerations());
        self.remember_point();
        (self.last_step, self.last_order) = (self.formula.h, self.settings.max_order);
        if self.history.known() > self.settings.max_order {
            self.starter = None;
        }
        report
    }

    fn remember_point(&mut self) {
        let at = instant(&self.state, &self.a);
        let power = if self.powered { self.system.power(&at, &mut self.scratch) } else { Power::default() };
        self.history.push(&self.state, &self.a, power);
    }

    /// The order of the next attempt: as planned, or lower after failures.
    fn choose_order(&mut self) {
        if self.variable && self.attempts > 0 {
            self.starting = false;
            self.settled = 0;
            self.next_order =
                if self.attempts >= MAX_FAILURES { 1 } else { self.plan.retry.min(self.next_order) };
        }
        self.history.chart(self.system, self.next_order + 1);
        let points = self.history.known();
        while self.next_order > 1
            && (points <= self.next_order || self.history.turned(self.next_order + 1) > MAX_TURN)
        {
            self.next_order -= 1;
        }
        self.plan.retry = self.next_order;
    }

    /// Coefficients of a step of length h and the polynomial P at its end.
    fn formulate(&mut self, h: f64) {
        let (k, n) = (self.next_order, self.state.v.len());
        let known = self.history.known();
        let formula = &mut self.formula;
        (formula.h, formula.order) = (h, k);
        formula.nodes[0] = 0.0;
        // From t_n, so that rounding of t_n + h does not enter.
        self.history.nodes(self.state.t, h, &mut formula.nodes[1..=known]);
        formula.nodes[1..=known].iter_mut().for_each(|x| *x -= 1.0);
        let past = &formula.nodes[1..=k];
        formula.beta = h / past.iter().map(|x| -1.0 / x).sum::<f64>();
        formula.product = past.iter().map(|x| -x * h).product();
        let prediction = &mut self.prediction;
        if known == 1 {
            // From one point P is the tangent, a polynomial with a double node.
            formula.error = 0.5;
            for i in 0..n {
                prediction.v[i] = self.state.v[i] + h * self.a[i];
                prediction.theta[i] = h * self.state.v[i];
            }
            prediction.v_rate.copy_from_slice(&self.a);
            prediction.theta_rate.copy_from_slice(&self.state.v);
        } else {
            formula.error = -1.0 / formula.nodes[k + 1];
            let (mut values, mut slopes) = ([0.0; MOST], [0.0; MOST]);
            let nodes = &formula.nodes[1..k + 2];
            weights_at(nodes, 0.0, &mut values);
            slopes_at_zero(nodes, &values, &mut slopes);
            let Prediction { v, v_rate, theta, theta_rate } = prediction;
            [&mut *v, v_rate, theta, theta_rate].into_iter().for_each(|x| x.fill(0.0));
            for ((value, slope), past) in values.iter().zip(&slopes).zip(&self.history.points()[..=k]) {
                add(*value, &past.v, v);
                add(slope / h, &past.v, v_rate);
                add(*value, &past.theta, theta);
                add(slope / h, &past.theta, theta_rate);
            }
        }
        for (v, _) in prediction.v.iter_mut().zip(&self.is_row).filter(|(_, row)| **row) {
            *v = 0.0;
        }
    }

    /// The stage as P and the past have it.
    fn predict(&mut self) {
        let (stage, formula) = (&mut self.stage, &self.formula);
        stage.v.copy_from_slice(&self.prediction.v);
        stage.theta.copy_from_slice(&self.prediction.theta);
        let count = self.history.known().min(formula.order + 1).min(MULTIPLIER_POINTS);
        let mut weights = [0.0; MOST];
        weights_at(&formula.nodes[1..=count], 0.0, &mut weights);
        for &row in &self.rows {
            stage.a[row] =
                weights[..count].iter().zip(self.history.points()).map(|(w, past)| w * past.a[row]).sum();
        }
        // p makes up for the error of the formula, which goes with Π.
        let ratio = if formula.order == self.last_order { formula.product / self.last_product } else { 0.0 };
        let ratio = if ratio < 2.0 { ratio } else { 0.0 };
        stage.p.iter_mut().zip(&self.p).for_each(|(p, last)| *p = ratio * last);
        self.kinematics();
    }

    /// Accelerations, θ and frames from v and p.
    fn kinematics(&mut self) {
        let (stage, at, beta) = (&mut self.stage, &self.prediction, self.formula.beta);
        for k in (0..stage.v.len()).filter(|&k| !self.is_row[k]) {
            stage.a[k] = at.v_rate[k] + (stage.v[k] - at.v[k]) / beta;
        }
        let mut next_turn = self.rotating.iter().copied().peekable();
        let mut k = 0;
        while k < stage.v.len() {
            if next_turn.next_if_eq(&k).is_some() {
                let vector = |x: &[f64]| Vec3::from_column_slice(&x[k..k + 3]);
                let known = vector(&at.theta) + beta * (vector(&stage.p) - vector(&at.theta_rate));
                let theta = turn(vector(&stage.theta), known, vector(&stage.v) * beta);
                stage.theta[k..k + 3].copy_from_slice(theta.as_slice());
                k += 3;
                continue;
            }
            stage.theta[k] = at.theta[k] + beta * (stage.v[k] + stage.p[k] - at.theta_rate[k]);
            k += 1;
        }
        retract(self.system, &self.state.frames, &stage.theta, &mut stage.frames);
    }

    /// Solves the equations of the step, with a new matrix if need be; returns the number of iterations.
    fn solve(&mut self) -> Result<usize, StepFailure> {
        self.predict();
        let (beta, worn) = (self.formula.beta, self.contraction.is_some_and(|c| c > KEEP_JACOBIAN));
        let old = self.age.is_none_or(|age| age >= OLDEST_JACOBIAN);
        let away = self.factored_for.is_none_or(|factored| (beta / factored - 1.0).abs() > KEEP_FACTORS);
        let refactored = worn && self.factored_for != Some(beta);
        if old || (worn && self.age != Some(0)) {
            self.linearize()?;
        } else if away || refactored {
            self.factor()?;
        }
        let mut solved = self.iterate();
        if solved.is_err() && self.age != Some(0) {
            self.predict();
            self.linearize()?;
            solved = self.iterate();
        }
        solved.map_err(|stuck| {
            // A shorter step predicts another point.
            self.age = None;
            self.failure(stuck)
        })
    }

    /// Step matrix at the predicted end, for all β, and its factors for this one.
    fn linearize(&mut self) -> Result<(), StepFailure> {
        let level = if self.settings.form == StageForm::Position { Level::Position } else { Level::Velocity };
        let at = Instant {
            t: self.state.t + self.formula.h,
            frames: &self.stage.frames,
            v: &self.stage.v,
            a: &self.stage.a,
            memory: &self.state.memory,
            rates: &[],
        };
        self.system.step_polynomial(at, &self.identity, level, &mut self.polynomial, &mut self.scratch);
        self.age = Some(0);
        self.counters.jacobians += 1;
        self.factor()
    }

    fn factor(&mut self) -> Result<(), StepFailure> {
        let (system, t) = (self.system, self.state.t);
        self.polynomial.at(self.formula.beta, &mut self.values);
        self.factored_for = None;
        (self.contraction, self.assumed) = (None, None);
        if let Err(error) = self.factors.factor(system, &self.values) {
            self.age = None;
            self.evaluate();
            return Err(match self.not_a_number() {
                Some(equation) => self.failure(Stuck { reason: NOT_A_NUMBER, equation }),
                None => StepFailure::singular(system, t, &error),
            });
        }
        self.counters.factorisations += 1;
        self.factored_for = Some(self.formula.beta);
        Ok(())
    }

    /// Newton's iteration with the factors at hand.
    fn iterate(&mut self) -> Result<usize, Stuck> {
        let moving = self.state.frames.len() > 1;
        let part = if moving { ACCUMULATION.0 / self.accumulation() } else { 1.0 };
        let goal = (NEWTON_GOAL * part).max(10.0 * f64::EPSILON / self.measure.tightest());
        // Joints hold to the last digit, which at position level is a velocity of that digit over the step.
        let floor = ROUND_OFF * self.measure.round_off(self.formula.beta);
        // The matrix gets worse from step to step; where it was made it was too good to tell.
        let worn = self.assumed.map(|rate| rate.max(f64::EPSILON).powf(WEAR));
        self.assumed = worn.filter(|_| self.age != Some(1));
        let (mut last, most): (Option<f64>, _) = (None, self.max_iterations());
        let (mut rounding, mut worst) = (None, None);
        for iteration in 1..=most {
            worst = None;
            self.evaluate();
            if let Some(equation) = self.not_a_number() {
                self.contraction = Some(1.0);
                return Err(Stuck { reason: NOT_A_NUMBER, equation });
            }
            let size = self.improve();
            self.counters.iterations += 1;
            if !size.is_finite() {
                break;
            }
            if let Some(last) = last {
                let rate = size / last;
                if rate > 0.1 && size <= floor {
                    return Ok(self.converged(iteration));
                }
                if rate > STANDS && size * self.measure.tightest() <= COARSEST {
                    worst = Some(self.largest_increment());
                    if size <= *rounding.get_or_insert_with(|| ROUNDINGS * self.rounding()) {
                        return Ok(self.converged(iteration));
                    }
                }
                if rate > 0.9 && size > 1e-3 * goal {
                    break;
                }
                let worst = if iteration == 2 {
                    rate
                } else {
                    self.contraction.map_or(rate, |old| rate.max(0.5 * old))
                };
                self.contraction = Some(worst);
                self.assumed = Some(worst.min(0.9));
            }
            last = Some(size);
            let left_over = self.assumed.map(|rate| rate / (1.0 - rate) * size);
            if size <= 1e-3 * goal || left_over.is_some_and(|error| error <= goal) {
                return Ok(self.converged(iteration));
            }
            let remaining = (most - iteration) as i32;
            let hopeless = |rate: f64| left_over.unwrap_or(0.0) * rate.powi(remaining) > goal;
            if iteration > 1 && self.assumed.is_some_and(hopeless) {
                break;
            }
        }
        self.contraction = Some(1.0);
        let equation = worst.unwrap_or_else(|| self.largest_increment());
        Err(Stuck { reason: "Newton's iteration did not converge", equation })
    }

    fn largest_increment(&self) -> usize {
        let entries = self.stage.residual.iter().enumerate().filter(|(k, _)| !self.is_row[*k]);
        entries.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())).map_or(0, |(k, _)| k)
    }

    /// The size of an increment that is rounding alone; spoils the increments of the stage.
    fn rounding(&mut self) -> f64 {
        let (form, beta) = (self.settings.form, self.formula.beta);
        let (stage, at, rounding) = (&mut self.stage, &self.prediction, &mut self.rounding);
        rounding.place(self.system, &stage.frames);
        for k in 0..stage.v.len() {
            // Rates are differences of velocities, which cancel.
            let parts = at.v_rate[k].abs() + (stage.v[k].abs() + at.v[k].abs()) / beta;
            rounding.a[k] = if self.is_row[k] { stage.a[k].abs() } else { parts };
            rounding.v[k] = stage.v[k].abs();
        }
        let depth = |k: usize| match self.powers[k] {
            0 => Depth::Position,
            1 => Depth::Velocity,
            _ => Depth::Balance,
        };
        rounding.residuals(self.system, &self.polynomial, depth, 0, &mut stage.residual);
        stage.position.fill(0.0);
        if form == StageForm::Stabilised {
            let depth = |_| Depth::Position;
            rounding.residuals(self.system, &self.polynomial, depth, 1, &mut stage.position);
        }
        self.increment()
    }

    fn max_iterations(&self) -> usize {
        MAX_ITERATIONS[usize::from(!self.variable)]
    }

    fn converged(&mut self, iterations: usize) -> usize {
        self.iterations = iterations;
        self.counters.max_iterations = self.counters.max_iterations.max(iterations);
        iterations
    }

    fn evaluate(&mut self) {
        let (system, s) = (self.system, &mut self.scratch);
        let Stage { v, a, frames, residual, position, .. } = &mut self.stage;
        let at = Instant {
            t: self.state.t + self.formula.h,
            frames,
            v,
            a,
            memory: &self.state.memory,
            rates: &[],
        };
        system.residual(&at, residual, s);
        match self.settings.form {
            StageForm::Stabilised => {
                position.fill(0.0);
                system.constraint_levels(&at, position, residual, s);
            }
            StageForm::Velocity => system.constraint_rate(&at, residual, s),
            StageForm::Position => {
                system.constraint_residual(&at, residual, s);
                if !self.velocity_rows.is_empty() {
                    system.constraint_rate(&at, position, s);
                    self.velocity_rows.iter().for_each(|&row| residual[row] = position[row]);
                }
            }
            StageForm::Acceleration => {
                if !self.velocity_rows.is_empty() {
                    system.constraint_rate(&at, residual, s);
                }
                system.constraint_acceleration(&at, position, s);
                self.level_rows.iter().for_each(|&row| residual[row] = position[row]);
            }
        }
        self.counters.residuals += 1;
    }

    /// One increment; returns its weighted size.
    fn improve(&mut self) -> f64 {
        let size = self.increment();
        let (stage, beta) = (&mut self.stage, self.formula.beta);
        for k in 0..stage.v.len() {
            if self.is_row[k] {
                stage.a[k] += stage.residual[k] / beta;
            } else {
                stage.v[k] += stage.residual[k];
                stage.p[k] += stage.position[k] / beta;
            }
        }
        self.kinematics();
        size
    }

    /// The increment δv and β δλ, with β δp of the stabilised form, in place of residuals; returns its
    /// weighted size. The balance is multiplied by β, rows at position level are divided by it, those at
    /// acceleration level multiplied. In the stabilised form G δp = −Φ/β + Φ̇, because δv moves positions
    /// too.
    fn increment(&mut self) -> f64 {
        let beta = self.formula.beta;
        let stabilised = self.settings.form == StageForm::Stabilised && !self.level_rows.is_empty();
        let stage = &mut self.stage;
        let scale = [1.0 / beta, 1.0, beta];
        for k in 0..stage.v.len() {
            let open = stage.residual[k] - stage.position[k] / beta;
            stage.position[k] = if stabilised && self.is_level[k] { open } else { 0.0 };
            stage.residual[k] *= -scale[usize::from(self.powers[k])];
        }
        if stabilised {
            self.factors.solve2(&mut stage.residual, &mut stage.position);
        } else {
            self.factors.solve(&mut stage.residual);
        }
        // Between M, which does not depend on β, and β C: only without joints, which must not be scaled.
        let factored = self.factored_for.unwrap_or(beta);
        let correction = if self.has_rows { 1.0 } else { 2.0 / (1.0 + beta / factored) };
        for k in (0..stage.v.len()).filter(|&k| !self.is_row[k]) {
            stage.residual[k] *= correction;
            stage.position[k] *= beta;
        }
        // Multipliers have no weight.
        let size = self.measure.square_of_velocity(&stage.residual);
        size.max(self.measure.square_of_position(&stage.position)).sqrt()
    }

    /// The end of the step.
    fn finish(&mut self) -> Result<(), StepFailure> {
        self.trial.t = self.state.t + self.formula.h;
        self.trial.memory.copy_from_slice(&self.state.memory);
        self.trial.frames.copy_from_slice(&self.stage.frames);
        self.trial.v.copy_from_slice(&self.stage.v);
        if self.settings.project {
            let (system, t) = (self.system, self.trial.t);
            let projected = self.saddle.project(system, &mut self.trial, self.length);
            projected.map_err(|e| StepFailure::singular(system, t, &e))?;
        } else {
            let step = (self.formula.h, self.measure.tightest());
            self.closing.close(self.system, &self.factors, &mut self.trial, step, &mut self.scratch);
        }
        Ok(())
    }

    /// The norm of η_k.
    fn estimate(&mut self) -> f64 {
        let [position, velocity] = &mut self.error;
        let (stage, at, c) = (&self.stage, &self.prediction, self.formula.error);
        for k in 0..stage.v.len() {
            position[k] = c * (stage.theta[k] - at.theta[k]);
            velocity[k] = c * (stage.v[k] - at.v[k]);
        }
        self.norm_of_error()
    }

    /// The norm of η_j, for which j + 1 points of the past must be known.
    fn error_of_order(&mut self, j: usize) -> f64 {
        let nodes = &self.formula.nodes[..j + 2];
        let mut weights = [0.0; MOST];
        difference_weights(nodes, &mut weights);
        let product: f64 = nodes[1..=j].iter().map(|x| -x).product();
        let [position, velocity] = &mut self.error;
        position.fill(0.0);
        velocity.fill(0.0);
        self.history.chart(self.system, j + 1);
        add(product * weights[0], &self.stage.theta, position);
        add(product * weights[0], &self.stage.v, velocity);
        for (w, past) in weights[1..j + 2].iter().zip(self.history.points()) {
            add(product * w, &past.theta, position);
            add(product * w, &past.v, velocity);
        }
        self.norm_of_error()
    }

    /// The norm of the errors in `error`. At position level velocities normal to the constraints follow from
    /// differences of positions and are an order less exact, but do not propagate: those of a velocity error
    /// η that do are
    ///
    /// ```text
    /// S η' + Gᵀ μ = M η,     G η' = 0
    /// ```
    fn norm_of_error(&mut self) -> f64 {
        let [position, velocity] = &mut self.error;
        if self.settings.form == StageForm::Position && self.has_rows {
            let right = &mut self.stage.residual;
            right.fill(0.0);
            self.system.pattern().accumulate(&self.polynomial.powers[0], velocity, 1.0, right);
            let rows = right.iter_mut().zip(&self.powers).filter(|(_, power)| **power != BALANCE);
            rows.for_each(|(right, _)| *right = 0.0);
            self.factors.solve(right);
            for k in (0..right.len()).filter(|&k| self.is_mechanical[k]) {
                velocity[k] = right[k];
            }
        }
        let (motion, variables) = self.measure.norms(position, velocity);
        (self.accumulation() * motion).hypot(ACCUMULATION.0 * variables)
    }

    /// What an estimated error of the motion counts: a fifth of the number of steps, within limits. Errors of
    /// many steps add up in the phase of a motion, and at the start steps are short for a while only.
    fn accumulation(&self) -> f64 {
        let (least, most) = ACCUMULATION;
        let steps = if self.measure.span().is_finite() { self.measure.span() / self.formula.h } else { 0.0 };
        (0.2 * steps).clamp(least, most)
    }

    /// Plans order and step after one with this error; returns the step.
    fn make_plan(&mut self, error: f64) -> Option<f64> {
        let Formula { h, order: k, .. } = self.formula;
        let same_step = (h / self.last_step - 1.0).abs() < 1e-6;
        let settled = if same_step && k == self.last_order { self.settled + 1 } else { 1 };
        self.plan = Plan { order: k, retry: k, settled, starting: false };
        if !self.variable {
            return None;
        }
        let growth = growth(error, k, SAFETY[0]);
        let highest = self.settings.max_order;
        if self.starting && growth >= 1.0 {
            let raise = k < highest && self.history.known() > k;
            self.plan.order = if raise { k + 1 } else { k };
            self.plan.starting = self.plan.order < highest;
            return Some(h * growth.min(START_GROWTH));
        }
        let mut best = (growth, k);
        if growth < SHRINK.0 || settled > k {
            if k > 1 {
                let lower = self::growth(self.error_of_order(k - 1), k - 1, SAFETY[1]);
                best = if lower > best.0 { (lower, k - 1) } else { best };
            }
            if settled > k && k < highest && self.history.known() >= k + 2 {
                let higher = self::growth(self.error_of_order(k + 1), k + 1, SAFETY[2]);
                best = if higher > best.0 { (higher, k + 1) } else { best };
            }
        }
        if error > 1.0 {
            self.plan.retry = best.1.min(k);
            return None;
        }
        if growth < SHRINK.0 {
            self.plan.order = best.1;
            return Some(h * best.0.clamp(SHRINK.1, 1.0));
        }
        if settled <= k || best.0 < GROWTH.0 {
            return Some(h);
        }
        self.plan.order = best.1;
        Some(h * best.0.min(GROWTH.1))
    }

    fn not_a_number(&self) -> Option<usize> {
        self.stage.residual.iter().position(|r| !r.is_finite())
    }

    fn failure(&self, Stuck { reason, equation }: Stuck) -> StepFailure {
        let h = self.formula.h;
        let equation = self.system.equation_name(equation);
        let remedy = "take a shorter step or a looser tolerance; if it still fails, look for a jump in a load or a \
                      singular position there";
        StepFailure { t: self.state.t + h, step: h, reason, equation, remedy }
    }
}

impl Stepper for Bdf<'_> {
    fn state(&self) -> &State {
        &self.state
    }

    fn attempt(&mut self, h: f64) -> Result<Attempt, StepFailure> {
        if !self.variable && self.history.known() <= self.settings.max_order {
            return self.attempt_start(h);
        }
        self.choose_order();
        self.attempts += 1;
        self.measure.weigh_at(&self.state, h);
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
            exponent: self.formula.order + 1,
            adds_up: false,
            effort,
            next,
            longest,
        })
    }

    fn accept(&mut self) -> StepReport {
        self.before_memory.copy_from_slice(&self.state.memory);
        if self.starter.is_some() {
            return self.accept_start();
        }
        let formula = self.formula;
        let (mut rotation, mut body) = (0.0, 0);
        self.state.t += formula.h;
        self.state.v.copy_from_slice(&self.trial.v);
        let frames = self.state.frames.iter_mut().zip(&self.trial.frames);
        for (k, (node, (z, new))) in self.system.nodes().iter().zip(frames).enumerate() {
            *z = *new;
            if matches!(node.chart, Chart::Motion | Chart::Planar { .. }) {
                z.rot = so3::orthonormalize(&z.rot);
                let angle = node.chart.twist(&self.stage.theta[node.unknowns()]).angular.norm();
                if angle > rotation {
                    (rotation, body) = (angle, k);
                }
            }
        }
        self.system.remember_with(&mut self.state, &mut self.scratch);
        self.a.copy_from_slice(&self.stage.a);
        self.p.copy_from_slice(&self.stage.p);
        self.remember_point();
        self.work = if self.powered { self.history.work(formula.order + 1) } else { Power::default() };
        (self.last_step, self.last_order, self.last_product) = (formula.h, formula.order, formula.product);
        (self.next_order, self.settled, self.starting) =
            (self.plan.order, self.plan.settled, self.plan.starting);
        self.attempts = 0;
        self.age = self.age.map(|age| age + 1);
        self.counters.steps += 1;
        StepReport { iterations: self.iterations, rotation, body }
    }

    fn set_tolerances(&mut self, measure: ErrorMeasure) {
        self.measure = measure;
        if !self.variable && self.last_order == 0 {
            (self.variable, self.starting, self.next_order, self.starter) = (true, true, 1, None);
        }
    }

    fn snap_time(&mut self, t: f64) {
        self.state.t = t;
        self.history.snap_time(t);
        if let Some(starter) = &mut self.starter {
            starter.snap_time(t);
        }
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }

    fn exponent(&self) -> usize {
        self.next_order + 1
    }

    fn interpolate(&mut self, t: f64, out: &mut State) -> bool {
        if let Some(starter) = &mut self.starter {
            return starter.interpolate(t, out);
        }
        let count = (self.last_order + 1).min(self.history.known());
        self.history.chart(self.system, count);
        let (mut nodes, mut weights) = ([0.0; MOST], [0.0; MOST]);
        self.history.nodes(t, self.last_step, &mut nodes[..count]);
        weights_at(&nodes[..count], 0.0, &mut weights);
        let theta = &mut self.error[0];
        out.t = t;
        out.memory.copy_from_slice(&self.before_memory);
        theta.fill(0.0);
        out.v.fill(0.0);
        for (w, past) in weights[..count].iter().zip(self.history.points()) {
            add(*w, &past.theta, theta);
            add(*w, &past.v, &mut out.v);
        }
        retract(self.system, &self.state.frames, theta, &mut out.frames);
        true
    }

    fn work(&self) -> Option<Power> {
        Some(self.work)
    }

    fn stage(&self) -> (f64, &[f64]) {
        (1.0, self.accelerations())
    }

    fn rates(&self) -> &[f64] {
        self.accelerations()
    }
}

/// Where and why the iteration does not go on.
struct Stuck {
    reason: &'static str,
    equation: usize,
}

const NOT_A_NUMBER: &str = "a force or a joint is not a number";

/// Entry of `powers` for a balance.
const BALANCE: u8 = 2;

/// Points of the past that multipliers are extrapolated from, at most.
const MULTIPLIER_POINTS: usize = 4;

/// The factor by which the step could change for an error to become one, of which a part is taken.
fn growth(error: f64, order: usize, safety: f64) -> f64 {
    safety * error.max(1e-12).powf(-1.0 / (order + 1) as f64)
}

/// y += w x.
fn add(w: f64, x: &[f64], y: &mut [f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += w * x);
}

/// Solves θ = known + T⁻¹(θ) w from a guess, with the derivative −½ ŵ of T⁻¹(θ) w at θ = 0:
///
/// ```text
/// (I + b̂) δ = r,     δ = (r − b × r + (b·r) b)/(1 + b·b),     b = ½ w
/// ```
fn turn(mut theta: Vec3, known: Vec3, w: Vec3) -> Vec3 {
    let b = 0.5 * w;
    for _ in 0..MAX_SWEEPS {
        let r = known + so3::tangent_inv(&theta) * w - theta;
        let step = (r - b.cross(&r) + b * b.dot(&r)) / (1.0 + b.norm_squared());
        theta += step;
        let size = step.amax();
        if size <= 1e-13 || size.is_nan() {
            break;
        }
    }
    theta
}

/// Newton steps for a rotation at most.
const MAX_SWEEPS: usize = 8;

fn no_such_order(t: f64) -> StepFailure {
    StepFailure {
        t,
        step: 0.0,
        reason: "backward differentiation formulas have orders 1 to 6",
        equation: String::new(),
        remedy: "choose a highest order from 1 to 6",
    }
}
