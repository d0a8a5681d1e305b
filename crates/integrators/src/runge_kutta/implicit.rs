//! Fully implicit Runge–Kutta methods on a constrained system (lagrangian-dae-modeling §1.22 … §1.26).
//!
//! In a step the configuration moves in the chart of its start, q = q_n ∘ θ, so that all of the method
//! happens in a vector space. With increments Z_i = V_i − v_n of the velocities at the stages and W = A⁻¹,
//!
//! ```text
//! A_i = (1/h) Σ_j w_ij Z_j,     Θ_i = h Σ_j a_ij (T⁻¹(Θ_j) (V_j + p_j))
//! M(Q_i) A_i + G(Q_i)ᵀ λ_i = Q(Q_i, V_i, t_n + c_i h)
//! ```
//! and the constraints at every stage in one of the forms of [`StageForm`]. The variables of networks stand
//! among the velocities, their rates among the accelerations.
//!
//! Newton's matrix is taken at the start of the step. With T⁻¹WT = diag(μ, …) it falls apart into matrices
//! A₀ + β A₁ + β² A₂ with β = h/μ ([`StepPolynomial`]), one for every real eigenvalue and a complex one for
//! every pair. Positions follow from velocities by the quadrature, so they are no unknowns. In the stabilised
//! form p solves S p + G(Q_i)ᵀμ = 0, Φ = 0 with the same factors, as in the GS4 step: the metric S is the
//! step matrix itself. Gauss methods have no node at the end of the step, where a projection in the metric of
//! the masses M takes its place. They keep their order 2s only if p goes along the same directions, so that S
//! is M(Q_i) there, and p keeps the rows on velocities.

pub(crate) mod collocation;
pub(crate) mod estimator;
pub(crate) mod nodes;
pub(crate) mod settings;
pub(crate) mod similarity;

use crate::control::ErrorMeasure;
use crate::gs4::closing::Closing;
use crate::linear::complex_factors::ComplexFactors;
use crate::linear::factors::Factors;
use crate::linear::saddle_point::{SaddlePoint, instant, retract};
use crate::newton::rounding::{COARSEST, Depth, ROUNDINGS, Rounding, STANDS};
use crate::newton::secants::Secants;
use crate::runge_kutta::implicit::collocation::Collocation;
use crate::runge_kutta::implicit::settings::{Family, ImplicitSettings, StageForm};
use crate::runge_kutta::tableau::Tableau;
use crate::step_failure::StepFailure;
use crate::step_report::{Attempt, Counters, StepReport};
use crate::stepper::Stepper;
use crate::work::is_powered;
use poinsot_geometry::{Mat3, Vec3, so3};
use poinsot_mechanics::{
    Chart, Frame, Instant, Level, Linearization, Power, Scratch, State, StepPolynomial, System,
};
use poinsot_numerics::mix;
use std::sync::{Arc, Mutex, PoisonError};

/// Numbers at the stages, stage by stage.
#[derive(Clone, Debug)]
struct Stages {
    /// Unknowns of a stage.
    n: usize,
    /// Z_i.
    z: Vec<f64>,
    /// V_i.
    v: Vec<f64>,
    /// A_i, with λ_i in the constraint entries.
    a: Vec<f64>,
    /// λ_i in the constraint entries, zero elsewhere.
    lambda: Vec<f64>,
    /// Θ_i.
    theta: Vec<f64>,
    /// T⁻¹(Θ_i) (V_i + p_i).
    rate: Vec<f64>,
    /// p_i, with μ_i in the constraint entries.
    p: Vec<f64>,
    frames: Vec<Vec<Frame>>,
    /// Balance and constraints; then the increment.
    residual: Vec<f64>,
    /// Φ of the stabilised form; then the increment of p.
    position: Vec<f64>,
}

impl Stages {
    fn new(stages: usize, n: usize, frames: &[Frame]) -> Self {
        let zero = || vec![0.0; stages * n];
        Stages {
            n,
            z: zero(),
            v: zero(),
            a: zero(),
            lambda: zero(),
            theta: zero(),
            rate: zero(),
            p: zero(),
            frames: vec![frames.to_vec(); stages],
            residual: zero(),
            position: zero(),
        }
    }

    /// As new stages at a configuration.
    fn reset(&mut self, frames: &[Frame]) {
        let Stages { n: _, z, v, a, lambda, theta, rate, p, frames: all, residual, position } = self;
        for numbers in [z, v, a, lambda, theta, rate, p, residual, position] {
            numbers.fill(0.0);
        }
        all.iter_mut().for_each(|own| own.copy_from_slice(frames));
    }

    fn count(&self) -> usize {
        self.frames.len()
    }

    /// The entries of stage i.
    fn range(&self, i: usize) -> std::ops::Range<usize> {
        i * self.n..(i + 1) * self.n
    }

    /// What the equations are evaluated at.
    fn instant<'a>(&'a self, i: usize, t: f64, memory: &'a [f64]) -> Instant<'a> {
        let range = self.range(i);
        Instant {
            t,
            frames: &self.frames[i],
            v: &self.v[range.clone()],
            a: &self.a[range],
            memory,
            rates: &[],
        }
    }
}

/// An implicit Runge–Kutta integration in progress.
#[derive(Debug)]
pub struct ImplicitRungeKutta<'s> {
    system: &'s System,
    settings: ImplicitSettings,
    scheme: Arc<Collocation>,
    /// h a_ij of the implicit stages.
    quadrature: Vec<f64>,
    /// The tightest tolerance.
    tightest: f64,
    length: f64,
    /// Where the last accepted step began, and its length.
    before: State,
    last_step: f64,
    state: State,
    /// Accelerations, rates and multipliers at the state, and where the last accepted step began.
    a: Vec<f64>,
    before_a: Vec<f64>,
    /// Stages of the accepted step, for prediction and dense output.
    done: Stages,
    stages: Stages,
    trial: State,
    trial_a: Vec<f64>,
    trial_theta: Vec<f64>,
    h: f64,
    measure: ErrorMeasure,
    polynomial: StepPolynomial,
    /// The step that the factors belong to.
    factored_for: Option<f64>,
    real: Vec<Factors>,
    complex: Vec<ComplexFactors>,
    scalings: Vec<Scaling>,
    /// A real matrix for the estimate, where the stages have none.
    filter: Option<Factors>,
    values: Vec<f64>,
    imaginary: Vec<f64>,
    /// Error that Newton's iteration may leave.
    goal: f64,
    /// Whether a law has kinks, at which the first increment of Newton's iteration tells nothing about the
    /// rest.
    piecewise: bool,
    /// Whether p is large enough for its direction to matter.
    corrected: bool,
    /// Contraction of the last iteration.
    contraction: f64,
    /// Error left over by the last iteration relative to the increment.
    left_over: f64,
    /// Whether the last attempt has not been accepted.
    tried: bool,
    counters: Counters,
    iterations: usize,
    saddle: SaddlePoint,
    closing: Closing,
    identity: Vec<Mat3>,
    is_row: Vec<bool>,
    entries: Vec<Entry>,
    /// Constraint rows at the level of the form.
    level_rows: Vec<usize>,
    /// Rows on velocities and algebraic equations.
    velocity_rows: Vec<usize>,
    rotating: Vec<usize>,
    error: [Vec<f64>; 3],
    values_of_rows: Vec<f64>,
    work: Power,
    powered: bool,
    /// Work array of sums over the stages.
    mixed: Vec<f64>,
    /// Weights of the stages of the last step in those of this one, row by row.
    prediction: Vec<f64>,
    /// Weights of the squares of increments, of Z and of p.
    squares: Vec<f64>,
    position_squares: Vec<f64>,
    secants: Secants,
    rounding: Rounding,
    weights: Vec<f64>,
    all_weights: Vec<f64>,
    rows: Vec<usize>,
    scratch: Scratch,
}

/// Iterations at most where a shorter step may be tried, and where not.
const MAX_ITERATIONS: (usize, usize) = (10, 30);

/// What Newton's iteration may leave per stage, in units of the tolerance: the higher the order, the farther
/// the error stays below its estimate.
const NEWTON_GOAL: f64 = 0.001;

/// Weight of the local errors of a motion, which add up in its phase, and the tolerance above which it grows.
const PHASE: (f64, f64) = (4.0, 1e-6);

/// The same with two stages, whatever the tolerance.
const TWO_STAGE_PHASE: f64 = 40.0;

/// Ratio of a step to the last one up to which the polynomial of that is carried on.
const FARTHEST: f64 = 25.0;

/// Increments that improve the next one.
const SECANTS: usize = 6;

/// How often the matrix is taken anew at the iterate.
const MAX_RENEWALS: usize = 3;

/// Contraction that the next step may be expected to have at most.
const LARGEST_CONTRACTION: f64 = 0.4;

/// How much of an increment is thought to be left over, at least: after a wild increment the next one looks
/// small, and the speed of the step before says little where a law has just changed, as that of a diode does.
const LEAST_LEFT_OVER: f64 = 1e-3;

/// Contraction below which the matrix of a step serves the next one too.
const KEEP_JACOBIAN: f64 = 1e-3;

/// Change of the step up to which the factors are kept.
const KEEP_STEP: (f64, f64) = (1.0, 1.2);

/// Units of round-off below which an increment that does not shrink is taken as zero.
const ROUND_OFF: f64 = 50.0;

/// Tolerances below this are so near to rounding that estimated errors may be no more than that.
const ROUNDED: f64 = 1e-10;

/// Corrections of positions whose direction does not matter, in units of what Newton's iteration may leave.
const SIGNIFICANT: f64 = 1e4;

/// Sweeps of the quadrature of rotations at most, and the change (rad) relative to the tolerance that ends
/// them.
const TURNS: (usize, f64) = (20, 1e-4);

impl<'s> ImplicitRungeKutta<'s> {
    /// Starts at a consistent state.
    pub fn new(
        system: &'s System,
        mut settings: ImplicitSettings,
        state: State,
    ) -> Result<Self, StepFailure> {
        let scheme = scheme(&settings).ok_or_else(|| StepFailure::no_such_method(state.t))?;
        let n = system.size();
        let mut saddle = SaddlePoint::new(system);
        let mut a = vec![0.0; n];
        let singular = |e| StepFailure::singular(system, state.t, &e);
        saddle.accelerations(system, &state, &mut a).map_err(singular)?;
        system.network_rates(&state, &mut a, &mut saddle.scratch);
        let is_row = system.is_constraint_row();
        let velocity_rows: Vec<usize> =
            system.velocity_equations().into_iter().chain(system.algebraic_equations()).collect();
        let mut level_rows = system.constraint_equations();
        level_rows.retain(|row| !velocity_rows.contains(row));
        if level_rows.is_empty() {
            // Nothing has two levels to hold.
            settings.form = StageForm::Velocity;
        }
        let mut entries = vec![Entry::Balance; n];
        level_rows.iter().for_each(|&row| entries[row] = Entry::Level);
        velocity_rows.iter().for_each(|&row| entries[row] = Entry::Rate);
        // Laws of networks have kinks, across which secants lead to solutions whose error the estimate does
        // not see.
        let secants = if system.networks().is_empty() { SECANTS } else { 0 };
        let (real, pairs) = (scheme.similarity.real.len(), scheme.similarity.pairs.len());
        let rotating = system.nodes().iter().filter(|n| n.chart == Chart::Motion);
        Ok(ImplicitRungeKutta {
            quadrature: vec![0.0; scheme.w.len()],
            tightest: settings.tolerance.relative.max(settings.tolerance.absolute),
            length: system.length_scale(),
            before: state.clone(),
            last_step: 0.0,
            trial: state.clone(),
            trial_a: a.clone(),
            before_a: a.clone(),
            trial_theta: vec![0.0; n],
            done: Stages::new(scheme.implicit_stages(), n, &state.frames),
            stages: Stages::new(scheme.implicit_stages(), n, &state.frames),
            mixed: vec![0.0; scheme.implicit_stages() * n],
            prediction: vec![0.0; scheme.w.len()],
            squares: vec![0.0; n],
            position_squares: vec![0.0; n],
            secants: Secants::new(scheme.implicit_stages() * n, secants),
            rounding: Rounding::new(system),
            h: 0.0,
            measure: ErrorMeasure::new(system, settings.tolerance),
            polynomial: StepPolynomial::new(system),
            factored_for: None,
            real: (0..real).map(|_| Factors::new(system)).collect(),
            complex: ComplexFactors::several(system, pairs),
            scalings: vec![Scaling::new(n); real + pairs],
            filter: (real == 0 && settings.estimate).then(|| Factors::new(system)),
            values: vec![0.0; system.pattern().nnz()],
            imaginary: vec![0.0; system.pattern().nnz()],
            goal: 0.0,
            piecewise: system.is_piecewise(),
            corrected: false,
            contraction: 1.0,
            left_over: 1.0,
            tried: false,
            counters: Counters::default(),
            iterations: 0,
            saddle,
            closing: Closing::new(system, settings.form.holds()),
            identity: vec![Mat3::identity(); system.nodes().len()],
            is_row,
            entries,
            level_rows,
            velocity_rows,
            rotating: rotating.map(|n| n.unknowns().start + 3).collect(),
            error: std::array::from_fn(|_| vec![0.0; n]),
            values_of_rows: vec![0.0; n],
            work: Power::default(),
            powered: is_powered(system),
            weights: vec![0.0; scheme.implicit_stages()],
            all_weights: vec![0.0; scheme.tableau.stages()],
            rows: system.constraint_equations(),
            scratch: Scratch::default(),
            a,
            state,
            system,
            settings,
            scheme,
        })
    }

    /// Accelerations, rates and multipliers at the current state.
    pub fn accelerations(&self) -> &[f64] {
        &self.a
    }

    /// The settings.
    pub fn settings(&self) -> &ImplicitSettings {
        &self.settings
    }

    /// What depends on the length of the step alone.
    fn prepare(&mut self, h: f64) {
        self.h = h;
        self.tightest = self.measure.tightest();
        let (count, first) = (self.stages.count(), self.first());
        for (i, row) in self.quadrature.chunks_exact_mut(count).enumerate() {
            let own = &self.scheme.tableau.row(first + i)[first..];
            row.iter_mut().zip(own).for_each(|(out, a)| *out = h * a);
        }
    }

    /// Step matrix at a stage as it stands, for all steps.
    fn linearize(&mut self, h: f64, stage: usize) {
        let level = if self.settings.form == StageForm::Position { Level::Position } else { Level::Velocity };
        let t = self.state.t + self.scheme.c[stage] * h;
        let at = self.stages.instant(stage, t, &self.state.memory);
        self.system.step_polynomial(at, &self.identity, level, &mut self.polynomial, &mut self.scratch);
        self.factored_for = None;
        self.counters.jacobians += 1;
    }

    fn factor(&mut self, h: f64) -> Result<(), StepFailure> {
        let (system, t) = (self.system, self.state.t);
        let singular = |e| StepFailure::singular(system, t, &e);
        for (factors, mu) in self.real.iter_mut().zip(&self.scheme.similarity.real) {
            self.polynomial.at(h / mu, &mut self.values);
            factors.factor(system, &self.values).map_err(singular)?;
        }
        for (factors, &pair) in self.complex.iter_mut().zip(&self.scheme.similarity.pairs) {
            self.polynomial.at_complex(beta(h, pair), &mut self.values, &mut self.imaginary);
            factors.factor(system, &self.values, &self.imaginary).map_err(singular)?;
        }
        let blocks = self.scheme.similarity.real.iter().map(|mu| (h / mu, 0.0));
        let blocks = blocks.chain(self.scheme.similarity.pairs.iter().map(|&pair| beta(h, pair)));
        for (scaling, beta) in self.scalings.iter_mut().zip(blocks) {
            scaling.set(beta, &self.entries, self.settings.form);
        }
        if let Some(filter) = &mut self.filter {
            self.polynomial.at(h * self.scheme.estimator.gamma, &mut self.values);
            filter.factor(system, &self.values).map_err(singular)?;
        }
        self.counters.factorisations += 1;
        self.factored_for = Some(h);
        Ok(())
    }

    /// Solves for the stages, with derivatives taken `anew` or those at hand; returns the number of
    /// iterations.
    fn solve(&mut self, h: f64, anew: bool) -> Result<usize, StepFailure> {
        self.predict(h);
        if anew {
            self.linearize(h, self.stages.count() / 2);
        }
        if self.factored_for != Some(h) {
            self.factor(h)?;
        }
        let goal = newton_goal(self.tightest, self.settings.stages);
        self.goal = goal;
        self.corrected = false;
        self.secants.restart();
        self.left_over = self.left_over.max(f64::EPSILON).powf(0.8);
        // Joints hold to the last digit, which at position level is a velocity of that digit over the step.
        let floor = ROUND_OFF * self.measure.round_off(h);
        let (mut first, mut last): (f64, Option<f64>) = (0.0, None);
        let (mut rounding, mut worst) = (None, None);
        let most = self.most_iterations();
        let (mut renewals, end) = (0, self.stages.count() - 1);
        for iteration in 1..=most {
            worst = None;
            self.evaluate(h);
            if let Some(equation) = self.not_a_number() {
                self.factored_for = None;
                return Err(self.failure(h, "a force or a joint is not a number", equation));
            }
            let Increment { size, plain } = self.improve(h);
            self.counters.iterations += 1;
            if !size.is_finite() {
                break;
            }
            if let Some(before) = last {
                let theta = size / before;
                self.contraction = if iteration == 2 { theta } else { (theta * self.contraction).sqrt() };
                if theta > 0.1 && size <= floor {
                    return Ok(self.converged(iteration));
                }
                if theta > STANDS && size * self.tightest <= COARSEST {
                    worst = Some(self.largest_increment());
                    let corrected = self.corrected;
                    let least = *rounding.get_or_insert_with(|| ROUNDINGS * self.rounding(h));
                    self.corrected = corrected;
                    if size <= least {
                        return Ok(self.converged(iteration));
                    }
                }
                self.left_over = theta / (1.0 - theta.min(0.99));
                let remaining = (most - iteration) as i32;
                let ratio = plain / before;
                let hopeless = ratio.powi(remaining) / (1.0 - ratio.min(0.99)) * plain > goal;
                // The first ratios are often worse than those that follow.
                let diverges = plain > 2.0 * first || (iteration > 3 && plain > 0.3 * before && hopeless);
                if diverges && size > 1e-3 * goal {
                    // At a kink the matrix of the other side may lead nowhere: take that of the iterate.
                    if renewals == MAX_RENEWALS || !anew {
                        break;
                    }
                    renewals += 1;
                    // One side of the kink is the steeper one, whose matrix serves both.
                    self.linearize(h, if renewals % 2 == 1 { end } else { 0 });
                    self.factor(h)?;
                    self.secants.restart();
                    (first, last) = (size, None);
                    continue;
                }
            } else {
                first = size;
            }
            last = Some(size);
            let trusted = !self.piecewise || iteration > 1;
            if (trusted && self.left_over.max(LEAST_LEFT_OVER) * size <= goal) || size <= 1e-3 * goal {
                return Ok(self.converged(iteration));
            }
        }
        self.factored_for = None;
        self.contraction = 1.0;
        self.left_over = 1.0;
        let equation = worst.unwrap_or_else(|| self.largest_increment());
        Err(self.failure(h, "Newton's iteration did not converge", equation))
    }

    fn most_iterations(&self) -> usize {
        if self.settings.estimate { MAX_ITERATIONS.0 } else { MAX_ITERATIONS.1 }
    }

    fn converged(&mut self, iterations: usize) -> usize {
        self.iterations = iterations;
        self.counters.max_iterations = self.counters.max_iterations.max(iterations);
        iterations
    }

    /// Stages extrapolated from those of the last step: velocities by the polynomial of the step, multipliers
    /// by that through the stages.
    fn predict(&mut self, h: f64) {
        let (count, n) = (self.stages.count(), self.stages.n);
        if h > FARTHEST * self.last_step {
            for i in 0..count {
                let (range, c) = (self.stages.range(i), self.scheme.c[i] * h);
                let (z, lambda) = (&mut self.stages.z[range.clone()], &mut self.stages.lambda[range]);
                z.iter_mut().zip(&self.a).for_each(|(z, a)| *z = c * a);
                self.rows.iter().for_each(|&k| lambda[k] = self.a[k]);
            }
        } else {
            self.extrapolate(h);
        }
        self.stages.p.fill(0.0);
        for i in 0..count {
            let start = i * n;
            self.rows.iter().for_each(|&k| self.stages.z[start + k] = 0.0);
            // Rotations need a first guess of their own.
            for k in self.rotating.iter().flat_map(|&k| k..k + 3) {
                self.stages.theta[start + k] = self.scheme.c[i] * h * self.state.v[k];
            }
        }
        self.kinematics(h);
    }

    /// Z and λ of the stages from the last step.
    fn extrapolate(&mut self, h: f64) {
        let (count, n, first) = (self.stages.count(), self.stages.n, self.first());
        let fraction = |c: f64| 1.0 + c * h / self.last_step;
        for (row, (start, c)) in
            self.prediction.chunks_exact_mut(count).zip(self.weights.iter_mut().zip(&self.scheme.c))
        {
            *start = self.last_step * self.scheme.weights_beyond(fraction(*c), row);
        }
        mix(&self.prediction, &self.done.z, n, &mut self.stages.z);
        for (z, start) in self.stages.z.chunks_exact_mut(n).zip(&self.weights) {
            for (k, z) in z.iter_mut().enumerate() {
                *z += start * self.before_a[k] - (self.state.v[k] - self.before.v[k]);
            }
        }
        if self.rows.is_empty() {
            return;
        }
        for (i, c) in self.scheme.c.iter().enumerate() {
            self.scheme.stage_weights_beyond(fraction(*c), &mut self.all_weights);
            let (explicit, implicit) = self.all_weights.split_at(first);
            for &k in &self.rows {
                let stages = implicit.iter().enumerate();
                let own: f64 = stages.map(|(j, w)| w * self.done.lambda[j * n + k]).sum();
                self.stages.lambda[i * n + k] =
                    own + explicit.iter().map(|w| w * self.before_a[k]).sum::<f64>();
            }
        }
    }

    /// V, A, Θ and the frames of all stages from Z, λ and p.
    fn kinematics(&mut self, h: f64) {
        let n = self.stages.n;
        let Stages { z, v, a, lambda, frames, .. } = &mut self.stages;
        mix(&self.scheme.w, z, n, a);
        a.iter_mut().zip(lambda.iter()).for_each(|(a, l)| *a = *a / h + l);
        for (v, z) in v.chunks_exact_mut(n).zip(z.chunks_exact(n)) {
            v.iter_mut().zip(z.iter().zip(&self.state.v)).for_each(|(v, (z, start))| *v = start + z);
        }
        if self.scheme.has_explicit_start() {
            for (a, start) in a.chunks_exact_mut(n).zip(&self.scheme.w_start) {
                let rates = a.iter_mut().zip(&self.a).zip(&self.is_row).filter(|(_, row)| !**row);
                rates.for_each(|((a, before), _)| *a += start * before);
            }
        }
        if frames[0].len() == 1 {
            // Networks alone: nothing moves.
            self.stages.rate.copy_from_slice(&self.stages.v);
            return;
        }
        let enough = (TURNS.1 * self.tightest).max(4.0 * f64::EPSILON);
        for _ in 0..TURNS.0 {
            if self.turn(h) <= enough {
                break;
            }
        }
        for (frames, theta) in self.stages.frames.iter_mut().zip(self.stages.theta.chunks_exact(n)) {
            retract(self.system, &self.state.frames, theta, frames);
        }
    }

    /// Θ_i = h Σ a_ij (T⁻¹(Θ_j) (V_j + p_j)) once more; returns the largest change of a rotation.
    fn turn(&mut self, h: f64) -> f64 {
        let Stages { n, v, theta, rate, p, .. } = &mut self.stages;
        rate.iter_mut().zip(v.iter().zip(p.iter())).for_each(|(rate, (v, p))| *rate = v + p);
        for start in (0..v.len()).step_by(*n) {
            for &k in &self.rotating {
                let range = start + k..start + k + 3;
                let turn = so3::tangent_inv(&Vec3::from_column_slice(&theta[range.clone()]));
                let angular = turn * Vec3::from_column_slice(&rate[range.clone()]);
                rate[range].copy_from_slice(angular.as_slice());
            }
        }
        mix(&self.quadrature, rate, *n, &mut self.mixed);
        if self.scheme.has_explicit_start() {
            for (i, new) in self.mixed.chunks_exact_mut(*n).enumerate() {
                add(new, h * self.scheme.tableau.row(1 + i)[0], &self.state.v);
            }
        }
        let mut change: f64 = 0.0;
        for start in (0..v.len()).step_by(*n) {
            for k in self.rotating.iter().flat_map(|&k| start + k..start + k + 3) {
                change = change.max((self.mixed[k] - theta[k]).abs());
            }
        }
        std::mem::swap(theta, &mut self.mixed);
        change
    }

    /// Residuals of all stages.
    fn evaluate(&mut self, h: f64) {
        let (system, s) = (self.system, &mut self.scratch);
        let n = self.stages.n;
        let mut residuals = std::mem::take(&mut self.stages.residual);
        let mut positions = std::mem::take(&mut self.stages.position);
        for (i, (residual, position)) in
            residuals.chunks_exact_mut(n).zip(positions.chunks_exact_mut(n)).enumerate()
        {
            let at = self.stages.instant(i, self.state.t + self.scheme.c[i] * h, &self.state.memory);
            match self.settings.form {
                StageForm::Stabilised => {
                    position.fill(0.0);
                    let p = &self.stages.p[self.stages.range(i)];
                    if self.corrected && self.settings.family != Family::Gauss {
                        system.add_pull(&at, p, position, s);
                    }
                    system.residual_with_levels(&at, residual, Some(position), s);
                    if self.corrected && self.settings.family == Family::Gauss {
                        let (weighed, metric) = (&mut self.values_of_rows, &mut self.values);
                        system.step_matrix(&Linearization::at(at, &self.identity), metric, s);
                        weighed.fill(0.0);
                        system.pattern().accumulate(metric, p, 1.0, weighed);
                        self.level_rows.iter().for_each(|&row| weighed[row] = 0.0);
                        // Variables have no positions.
                        system.hold_variables(weighed);
                        add(position, 1.0, weighed);
                    }
                }
                StageForm::Velocity => system.residual_with_levels(&at, residual, None, s),
                StageForm::Position => {
                    system.residual_with_positions(&at, residual, s);
                    if !self.velocity_rows.is_empty() {
                        system.constraint_rate(&at, position, s);
                        self.velocity_rows.iter().for_each(|&row| residual[row] = position[row]);
                    }
                }
                StageForm::Acceleration => {
                    system.residual(&at, residual, s);
                    if !self.velocity_rows.is_empty() {
                        system.constraint_rate(&at, residual, s);
                    }
                    system.constraint_acceleration(&at, position, s);
                    self.level_rows.iter().for_each(|&row| residual[row] = position[row]);
                }
            }
        }
        self.stages.residual = residuals;
        self.stages.position = positions;
        self.counters.residuals += self.stages.count();
    }

    /// One increment of all stages.
    fn improve(&mut self, h: f64) -> Increment {
        self.solve_blocks(h);
        let stabilised = self.settings.form == StageForm::Stabilised;
        let n = self.stages.n;
        let Stages { z, lambda, p, residual, position, .. } = &mut self.stages;
        let corrections = if stabilised { &mut position[..] } else { &mut [] };
        let weights = [&self.squares[..], &self.position_squares[..]];
        let squares = self.secants.improve(weights, residual, corrections);
        for start in (0..z.len()).step_by(n) {
            for &k in &self.rows {
                lambda[start + k] += residual[start + k];
                residual[start + k] = 0.0;
            }
        }
        add(z, 1.0, residual);
        if stabilised {
            add(p, 1.0, position);
            let size = |p: &[f64]| p.iter().zip(weights[1]).map(|(p, w)| p * p * w).sum::<f64>();
            let largest = p.chunks_exact(n).map(size).fold(0.0, f64::max);
            self.corrected = largest > (SIGNIFICANT * self.goal).powi(2);
        }
        self.kinematics(h);
        let [plain, size] = squares.map(|square| (square / self.stages.count() as f64).sqrt());
        Increment { plain, size }
    }

    /// Increments of all stages from their residuals, in their place.
    fn solve_blocks(&mut self, h: f64) {
        let stabilised = self.settings.form == StageForm::Stabilised;
        let sim = &self.scheme.similarity;
        let n = self.stages.n;
        mix_stages(&sim.t_inverse, &mut self.stages, &mut self.mixed, stabilised);
        if self.corrected && self.settings.family != Family::Gauss {
            mix(&sim.t_inverse, &self.stages.p, n, &mut self.mixed);
            self.mixed.chunks_exact_mut(n).for_each(|p| self.rows.iter().for_each(|&k| p[k] = 0.0));
            self.weigh_corrections(h);
        }
        let sim = &self.scheme.similarity;
        let rows = Rows { all: &self.rows, level: &self.level_rows, stabilised, corrected: self.corrected };
        let (real, complex) = self.scalings.split_at(sim.real.len());
        let mut residual = self.stages.residual.chunks_exact_mut(n);
        let mut position = self.stages.position.chunks_exact_mut(n);
        for (factors, scaling) in self.real.iter().zip(real) {
            if let (Some(residual), Some(position)) = (residual.next(), position.next()) {
                rows.solve_real(factors, scaling, residual, position);
            }
        }
        for (factors, scaling) in self.complex.iter_mut().zip(complex) {
            if let (Some(re), Some(im), Some(p_re), Some(p_im)) =
                (residual.next(), residual.next(), position.next(), position.next())
            {
                rows.solve_complex(factors, scaling, (re, im), (p_re, p_im));
            }
        }
        mix_stages(&sim.t, &mut self.stages, &mut self.mixed, stabilised);
    }

    /// The size of an increment that is rounding alone; spoils the increments of the stages.
    fn rounding(&mut self, h: f64) -> f64 {
        let (n, count, form) = (self.stages.n, self.stages.count(), self.settings.form);
        let stabilised = form == StageForm::Stabilised;
        self.corrected = false;
        for i in 0..count {
            let range = self.stages.range(i);
            let Stages { z, v, lambda, frames, residual, position, .. } = &mut self.stages;
            self.rounding.place(self.system, &frames[i]);
            // Rates are sums of increments, which cancel.
            for k in 0..n {
                let w = self.scheme.w[i * count..(i + 1) * count].iter().enumerate();
                let rate: f64 = w.map(|(j, w)| (w * z[j * n + k]).abs()).sum();
                self.rounding.a[k] = rate / h + lambda[range.start + k].abs();
                self.rounding.v[k] = v[range.start + k].abs();
            }
            let depth = |k: usize| match (self.entries[k], form) {
                (Entry::Balance, _) | (Entry::Level, StageForm::Acceleration) => Depth::Balance,
                (Entry::Level, StageForm::Position) => Depth::Position,
                _ => Depth::Velocity,
            };
            let (system, polynomial) = (self.system, &self.polynomial);
            self.rounding.residuals(system, polynomial, depth, i, &mut residual[range.clone()]);
            if stabilised {
                let position = &mut position[range];
                self.rounding.residuals(system, polynomial, |_| Depth::Position, i, position);
                let others = self.entries.iter().zip(position).filter(|(entry, _)| **entry != Entry::Level);
                others.for_each(|(_, position)| *position = 0.0);
            }
        }
        self.solve_blocks(h);
        let weighted =
            |x: &[f64], w: &[f64]| x.iter().zip(w.iter().cycle()).map(|(x, w)| x * x * w).sum::<f64>();
        let mut square = weighted(&self.stages.residual, &self.squares);
        if stabilised {
            square += weighted(&self.stages.position, &self.position_squares);
        }
        (square / count as f64).sqrt()
    }

    /// Adds S p to the residuals of the position corrections, p in `mixed`.
    fn weigh_corrections(&mut self, h: f64) {
        let (n, pattern, sim) = (self.stages.n, self.system.pattern(), &self.scheme.similarity);
        let mut stages = self.stages.position.chunks_exact_mut(n).zip(self.mixed.chunks_exact(n));
        for mu in &sim.real {
            let Some((out, p)) = stages.next() else { return };
            let [_, _, right] = &mut self.error;
            self.polynomial.at(h / mu, &mut self.values);
            right.fill(0.0);
            pattern.accumulate(&self.values, p, 1.0, right);
            self.rows.iter().for_each(|&k| right[k] = 0.0);
            add(out, 1.0, right);
        }
        for &pair in &sim.pairs {
            let (Some((out_re, re)), Some((out_im, im))) = (stages.next(), stages.next()) else { return };
            let [_, right_im, right_re] = &mut self.error;
            self.polynomial.at_complex(beta(h, pair), &mut self.values, &mut self.imaginary);
            right_re.fill(0.0);
            right_im.fill(0.0);
            pattern.accumulate(&self.values, re, 1.0, right_re);
            pattern.accumulate(&self.imaginary, im, -1.0, right_re);
            pattern.accumulate(&self.values, im, 1.0, right_im);
            pattern.accumulate(&self.imaginary, re, 1.0, right_im);
            for &k in &self.rows {
                (right_re[k], right_im[k]) = (0.0, 0.0);
            }
            add(out_re, 1.0, right_re);
            add(out_im, 1.0, right_im);
        }
    }

    /// The end of the step.
    fn finish(&mut self, h: f64) -> Result<(), StepFailure> {
        self.trial.t = self.state.t + h;
        self.trial.memory.copy_from_slice(&self.state.memory);
        let stages = &self.stages;
        if self.scheme.tableau.is_stiffly_accurate() {
            let range = stages.range(stages.count() - 1);
            self.trial.frames.copy_from_slice(&stages.frames[stages.count() - 1]);
            self.trial.v.copy_from_slice(&stages.v[range.clone()]);
            self.trial_a.copy_from_slice(&stages.a[range.clone()]);
            self.trial_theta.copy_from_slice(&stages.theta[range]);
        } else {
            self.trial_theta.fill(0.0);
            self.trial_a.fill(0.0);
            self.trial.v.copy_from_slice(&self.state.v);
            // No method of this kind has an explicit stage.
            self.scheme.stage_weights(1.0, &mut self.all_weights);
            for (i, (d, w)) in self.scheme.d.iter().zip(&self.all_weights).enumerate() {
                let range = stages.range(i);
                add(&mut self.trial_theta, *d, &stages.theta[range.clone()]);
                add(&mut self.trial.v, *d, &stages.z[range.clone()]);
                add(&mut self.trial_a, *w, &stages.a[range]);
            }
            retract(self.system, &self.state.frames, &self.trial_theta, &mut self.trial.frames);
        }
        if self.settings.project || !self.scheme.tableau.is_stiffly_accurate() {
            let projected = self.saddle.project(self.system, &mut self.trial, self.length);
            let (system, t) = (self.system, self.trial.t);
            projected.map_err(|e| StepFailure::singular(system, t, &e))?;
        } else if let Some(factors) = self.filter.as_ref().or(self.real.first()) {
            let (system, scratch) = (self.system, &mut self.scratch);
            self.closing.close(system, factors, &mut self.trial, (h, self.tightest), scratch);
        }
        Ok(())
    }

    /// The local error, by an embedded formula of order s (§1.26, step 7), filtered by the real matrix:
    ///
    /// ```text
    /// ẏ̂ = μ (Σ (b_i − b̂_i) Y'_i − b̂₀ ẏ_n),     η = −E⁻¹ Φ(y_{n+1}, ẏ̂)
    /// ```
    /// The balance holds at the end with A_s, so Φ is M (v̇̂ − A_s) there and θ̇̂ − v in the kinematics.
    fn estimate(&mut self, h: f64) -> f64 {
        let estimator = &self.scheme.estimator;
        let mu = 1.0 / estimator.gamma;
        let n = self.state.v.len();
        let [error, kinematic, right] = &mut self.error;
        let stages = &self.stages;
        let last = stages.range(stages.count() - 1).start;
        for k in 0..n {
            if self.is_row[k] {
                (error[k], kinematic[k]) = (0.0, 0.0);
                continue;
            }
            let (mut a, mut rate) =
                (-estimator.start_weight * self.a[k], -estimator.start_weight * self.state.v[k]);
            for (i, d) in estimator.difference.iter().enumerate() {
                a += d * stages.a[i * n + k];
                rate += d * stages.rate[i * n + k];
            }
            error[k] = mu * a - stages.a[last + k];
            kinematic[k] = mu * rate - stages.rate[last + k];
        }
        let beta = h / mu;
        let [a0, a1, a2] = &self.polynomial.powers;
        let pattern = self.system.pattern();
        // Balance: −β M (v̇̂ − A) + β² K (θ̇̂ − v). Rows: G η_q = 0 or G η_v + ∂(Gv)/∂q η_q = 0 with η_q = β
        // (η_v − (θ̇̂ − v)).
        right.fill(0.0);
        pattern.accumulate(a1, kinematic, beta, right);
        for (k, &entry) in self.entries.iter().enumerate() {
            let keep =
                entry == Entry::Rate || (entry == Entry::Level && self.settings.form != StageForm::Position);
            right[k] = if keep { right[k] } else { 0.0 };
        }
        let rows = &mut self.values_of_rows;
        rows.copy_from_slice(right);
        right.fill(0.0);
        pattern.accumulate(a0, error, -beta, right);
        pattern.accumulate(a2, kinematic, beta * beta, right);
        if self.settings.form == StageForm::Position {
            rows.fill(0.0);
            pattern.accumulate(a0, kinematic, 1.0, rows);
        }
        let entries = self.entries.iter().enumerate().filter(|(_, entry)| **entry != Entry::Balance);
        entries.for_each(|(k, _)| right[k] = rows[k]);
        self.filter.as_ref().or(self.real.first()).expect("a method has a real matrix").solve(right);
        for k in 0..n {
            if self.is_row[k] {
                right[k] = 0.0;
            }
            error[k] = beta * (right[k] - kinematic[k]);
        }
        if self.settings.form == StageForm::Position {
            self.make_tangent();
        }
        let [error, _, right] = &self.error;
        let phase = phase_weight(self.measure.tightest(), self.settings.stages);
        let (motion, variables) = self.measure.norms(error, right);
        // Variables may swing too, which more stages take in their stride.
        let swing = if self.settings.stages == 2 { phase } else { 1.0 };
        (phase * motion).hypot(swing * variables)
    }

    /// At position level velocities normal to the constraints are variables of index two, an order less
    /// exact, whose errors do not propagate. What does of an error η of velocities, and grows into positions,
    /// is its tangential part
    ///
    /// ```text
    /// S η' + Gᵀ μ = M η,     G η' = 0
    /// ```
    fn make_tangent(&mut self) {
        let [_, right, velocity] = &mut self.error;
        right.fill(0.0);
        self.system.pattern().accumulate(&self.polynomial.powers[0], velocity, 1.0, right);
        for (right, entry) in right.iter_mut().zip(&self.entries) {
            *right = if *entry == Entry::Balance { *right } else { 0.0 };
        }
        self.filter.as_ref().or(self.real.first()).expect("a method has a real matrix").solve(right);
        for unknowns in self.system.nodes().iter().map(|node| node.unknowns()) {
            velocity[unknowns.clone()].copy_from_slice(&right[unknowns]);
        }
    }

    /// What of an estimated error is no rounding of the stages, η = Σ e_i Z_i: that part no shorter step
    /// would mend.
    fn beyond_rounding(&mut self, error: f64, h: f64) -> f64 {
        if error <= 1.0 || self.tightest > ROUNDED {
            return error;
        }
        let weights: f64 = self.scheme.estimator.increments.iter().map(|e| e.abs()).sum();
        let phase = phase_weight(self.tightest, self.settings.stages);
        let rounding = ROUNDINGS * weights * phase * self.rounding(h);
        (error * error - rounding * rounding).max(0.0).sqrt()
    }

    /// Work of the step by the quadrature of the method.
    fn measure_work(&mut self) {
        self.work = Power::default();
        if !self.powered {
            return;
        }
        let (h, first) = (self.last_step, self.first());
        let mut add = |weight: f64, at: &Instant| {
            let power = self.system.power(at, &mut self.scratch);
            self.work.supplied += weight * h * power.supplied;
            self.work.dissipated += weight * h * power.dissipated;
        };
        // An explicit stage is the start of the step.
        self.scheme.tableau.b[..first].iter().for_each(|b| add(*b, &instant(&self.before, &self.before_a)));
        for i in 0..self.done.count() {
            let t = self.before.t + self.scheme.c[i] * h;
            add(self.scheme.tableau.b[first + i], &self.done.instant(i, t, &self.before.memory));
        }
    }

    /// Number of explicit stages: the first, or none.
    fn first(&self) -> usize {
        usize::from(self.scheme.has_explicit_start())
    }

    fn not_a_number(&self) -> Option<usize> {
        let residual = &self.stages.residual;
        if residual.iter().sum::<f64>().is_finite() {
            return None;
        }
        residual.iter().position(|r| !r.is_finite()).map(|k| k % self.stages.n)
    }

    fn largest_increment(&self) -> usize {
        let last = self.stages.residual.chunks_exact(self.stages.n).next_back();
        let entries = last.into_iter().flatten().enumerate();
        entries.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())).map_or(0, |(k, _)| k)
    }

    fn failure(&self, h: f64, reason: &'static str, equation: usize) -> StepFailure {
        let equation = self.system.equation_name(equation);
        let remedy = "take a shorter step or a looser tolerance; if it still fails, look for a jump in a load or a \
                      singular position there";
        StepFailure { t: self.state.t + h, step: h, reason, equation, remedy }
    }
}

impl Stepper for ImplicitRungeKutta<'_> {
    fn state(&self) -> &State {
        &self.state
    }

    fn attempt(&mut self, h: f64) -> Result<Attempt, StepFailure> {
        if std::mem::replace(&mut self.tried, true) {
            // The last attempt was not accepted: its matrix and its speed are those of a place where nobody
            // goes.
            (self.contraction, self.left_over) = (1.0, 1.0);
        }
        self.prepare(h);
        self.measure.weigh_at(&self.state, h);
        self.measure.weights_of_velocity(&mut self.squares);
        self.measure.weights_of_position(h, &mut self.position_squares);
        let anew = self.contraction > KEEP_JACOBIAN || self.factored_for.is_none();
        let mut solved = self.solve(h, anew);
        if solved.is_err() && !anew {
            solved = self.solve(h, true);
        }
        let iterations = solved?;
        self.finish(h)?;
        let error = self.settings.estimate.then(|| {
            let error = self.estimate(h);
            self.beyond_rounding(error, h)
        });
        let effort = iterations as f64 / self.most_iterations() as f64;
        // The contraction goes with the step.
        let longest = if iterations > 1 { h * LARGEST_CONTRACTION / self.contraction } else { f64::INFINITY };
        Ok(Attempt {
            iterations,
            error,
            exponent: self.exponent(),
            adds_up: false,
            effort,
            next: None,
            longest,
        })
    }

    fn accept(&mut self) -> StepReport {
        self.tried = false;
        let (mut rotation, mut body) = (0.0, 0);
        std::mem::swap(&mut self.before, &mut self.state);
        let state = &mut self.state;
        state.t = self.before.t + self.h;
        state.v.copy_from_slice(&self.trial.v);
        state.memory.copy_from_slice(&self.before.memory);
        for (k, (node, (z, new))) in
            self.system.nodes().iter().zip(state.frames.iter_mut().zip(&self.trial.frames)).enumerate()
        {
            *z = *new;
            if matches!(node.chart, Chart::Motion | Chart::Planar { .. }) {
                z.rot = so3::orthonormalize(&z.rot);
                let angle = node.chart.twist(&self.trial_theta[node.unknowns()]).angular.norm();
                if angle > rotation {
                    (rotation, body) = (angle, k);
                }
            }
        }
        self.system.remember_with(&mut self.state, &mut self.scratch);
        std::mem::swap(&mut self.before_a, &mut self.a);
        self.a.copy_from_slice(&self.trial_a);
        // Gauss methods have no node at the end: there multipliers of hidden constraints have order s − 1 or
        // s − 2, that is none.
        if self.settings.family == Family::Gauss {
            self.system.settle_multipliers(&mut self.state, &self.a, &mut self.scratch);
        }
        std::mem::swap(&mut self.done, &mut self.stages);
        self.last_step = self.h;
        self.measure_work();
        self.counters.steps += 1;
        StepReport { iterations: self.iterations, rotation, body }
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
        self.settings.stages + 1
    }

    fn convenient_step(&self, h: f64) -> f64 {
        match self.factored_for {
            Some(old) if self.contraction <= KEEP_JACOBIAN && in_range(h / old, KEEP_STEP) => old,
            _ => h,
        }
    }

    fn interpolate(&mut self, t: f64, out: &mut State) -> bool {
        let fraction = (t - self.before.t) / self.last_step;
        let start = self.last_step * self.scheme.weights(fraction, &mut self.weights);
        let step = Collocated { from: &self.before, a: &self.before_a, stages: &self.done };
        step.at(self.system, start, &self.weights, &mut self.error[0], &self.is_row, out);
        out.t = t;
        true
    }

    fn look_ahead(&mut self, t: f64, out: &mut State) -> bool {
        let fraction = (t - self.state.t) / self.h;
        let start = self.h * self.scheme.weights(fraction, &mut self.weights);
        let step = Collocated { from: &self.state, a: &self.a, stages: &self.stages };
        step.at(self.system, start, &self.weights, &mut self.error[0], &self.is_row, out);
        out.t = t;
        true
    }

    fn restart(&mut self, state: &State) -> Result<bool, StepFailure> {
        let system = self.system;
        let singular = |e| StepFailure::singular(system, state.t, &e);
        self.a.fill(0.0);
        self.saddle.accelerations(system, state, &mut self.a).map_err(singular)?;
        system.network_rates(state, &mut self.a, &mut self.saddle.scratch);
        for known in [&mut self.trial_a, &mut self.before_a] {
            known.copy_from_slice(&self.a);
        }
        for known in [&mut self.state, &mut self.before, &mut self.trial] {
            known.clone_from(state);
        }
        for stages in [&mut self.done, &mut self.stages] {
            stages.reset(&state.frames);
        }
        self.trial_theta.fill(0.0);
        self.mixed.fill(0.0);
        (self.h, self.last_step) = (0.0, 0.0);
        self.factored_for = None;
        (self.contraction, self.left_over, self.tried) = (1.0, 1.0, false);
        (self.counters, self.iterations) = (Counters::default(), 0);
        self.work = Power::default();
        Ok(true)
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

    fn looks_ahead(&self) -> bool {
        true
    }
}

/// The method of the settings, if there is one; each is worked out once.
fn scheme(settings: &ImplicitSettings) -> Option<Arc<Collocation>> {
    static KNOWN: Mutex<Vec<(Family, Arc<Collocation>)>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let same = |(family, scheme): &&(Family, Arc<Collocation>)| {
        *family == settings.family && scheme.tableau.stages() == settings.stages
    };
    if let Some((_, scheme)) = known.iter().find(same) {
        return Some(scheme.clone());
    }
    let tableau = match settings.family {
        Family::Radau => Tableau::radau_iia(settings.stages),
        Family::Gauss => Tableau::gauss(settings.stages),
        Family::Lobatto => Tableau::lobatto_iiia(settings.stages),
    };
    let scheme = Arc::new(Collocation::new(tableau.ok()?).ok()?);
    known.push((settings.family, scheme.clone()));
    Some(scheme)
}

/// β = h/μ for μ = α − iβ.
fn beta(h: f64, [re, im]: [f64; 2]) -> (f64, f64) {
    let square = re * re + im * im;
    (h * re / square, h * im / square)
}

fn in_range(x: f64, (low, high): (f64, f64)) -> bool {
    x >= low && x <= high
}

/// Left-over error of Newton's iteration in units of the tolerance (§1.26, step 5).
fn newton_goal(tolerance: f64, stages: usize) -> f64 {
    (10.0 * f64::EPSILON / tolerance).max(NEWTON_GOAL * stages as f64)
}

/// Weight of the local errors of a motion. The estimate goes with the power s + 1 of the step, the error at
/// the end with 2s − 1: the looser the tolerance, the less the estimate promises. For the error to go with
/// the tolerance ε the weight goes with ε^((s−2)/(2s−1)), for s = 3 with ε^(1/5). With two stages both have
/// the same power, and the error of ten radians is fifty times the estimate.
fn phase_weight(tolerance: f64, stages: usize) -> f64 {
    match stages {
        2 => TWO_STAGE_PHASE,
        _ => PHASE.0 * (tolerance / PHASE.1).max(1.0).powf(0.2),
    }
}

/// x += c y.
#[inline]
fn add(x: &mut [f64], c: f64, y: &[f64]) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x += c * y);
}

/// Weighted sizes of an increment of all stages.
struct Increment {
    /// As the factored matrix gives it.
    plain: f64,
    /// As it was taken, with what the increments before it tell.
    size: f64,
}

/// Residuals of all stages mixed by a matrix.
fn mix_stages(matrix: &[f64], stages: &mut Stages, mixed: &mut Vec<f64>, stabilised: bool) {
    mix(matrix, &stages.residual, stages.n, mixed);
    std::mem::swap(mixed, &mut stages.residual);
    if stabilised {
        mix(matrix, &stages.position, stages.n, mixed);
        std::mem::swap(mixed, &mut stages.position);
    }
}

/// A step as its polynomial shows it: where it begins, the rates there, its stages.
struct Collocated<'a> {
    from: &'a State,
    a: &'a [f64],
    stages: &'a Stages,
}

impl Collocated<'_> {
    /// The state with a weight of the rates at the start and weights of the stages.
    fn at(
        &self,
        system: &System,
        start: f64,
        weights: &[f64],
        theta: &mut [f64],
        is_row: &[bool],
        out: &mut State,
    ) {
        for (i, theta) in theta.iter_mut().enumerate() {
            *theta = start * self.from.v[i];
            out.v[i] = self.from.v[i] + start * self.a[i];
        }
        out.memory.copy_from_slice(&self.from.memory);
        for (i, w) in weights.iter().enumerate() {
            let range = self.stages.range(i);
            add(theta, *w, &self.stages.theta[range.clone()]);
            add(&mut out.v, *w, &self.stages.z[range]);
        }
        is_row.iter().zip(&mut out.v).filter(|(row, _)| **row).for_each(|(_, v)| *v = 0.0);
        retract(system, &self.from.frames, theta, &mut out.frames);
    }
}

/// What an entry of the residual is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    /// Balance of an unknown, or an equation of a network with rates.
    Balance,
    /// A row on velocities, or an algebraic equation of a network.
    Rate,
    /// A holonomic row at the level of the form.
    Level,
}

/// How residuals become right sides and solutions increments: the balance is multiplied by β, rows at
/// position level are divided by it, those at acceleration level multiplied; the solution is δv and β δλ. For
/// the stabilised form G δp = −Φ/β + Φ̇, because δv moves positions too.
#[derive(Clone, Debug)]
struct Scaling {
    beta: (f64, f64),
    /// 1/β.
    inverse: (f64, f64),
    /// What each entry of the right side is multiplied by, real and imaginary part.
    real: Vec<f64>,
    imaginary: Vec<f64>,
}

impl Scaling {
    fn new(n: usize) -> Self {
        Scaling { beta: (1.0, 0.0), inverse: (1.0, 0.0), real: vec![0.0; n], imaginary: vec![0.0; n] }
    }

    fn set(&mut self, beta: (f64, f64), entries: &[Entry], form: StageForm) {
        let square = beta.0 * beta.0 + beta.1 * beta.1;
        self.beta = beta;
        self.inverse = (beta.0 / square, -beta.1 / square);
        for (k, &entry) in entries.iter().enumerate() {
            (self.real[k], self.imaginary[k]) = match (entry, form) {
                (Entry::Balance, _) | (Entry::Level, StageForm::Acceleration) => (-beta.0, -beta.1),
                (Entry::Level, StageForm::Position) => (-self.inverse.0, -self.inverse.1),
                _ => (-1.0, 0.0),
            };
        }
    }
}

/// A product of complex numbers.
#[inline]
fn times((a, b): (f64, f64), (c, d): (f64, f64)) -> (f64, f64) {
    (a * c - b * d, a * d + b * c)
}

/// Which entries of the residual are rows.
struct Rows<'a> {
    all: &'a [usize],
    level: &'a [usize],
    stabilised: bool,
    /// Whether the position corrections have a balance of their own.
    corrected: bool,
}

impl Rows<'_> {
    fn solve_real(&self, factors: &Factors, scaling: &Scaling, residual: &mut [f64], position: &mut [f64]) {
        if self.stabilised {
            let shift = scaling.inverse.0;
            if self.corrected {
                position.iter_mut().for_each(|x| *x = -*x);
                self.level.iter().for_each(|&k| position[k] = residual[k] + position[k] * shift);
            } else {
                self.level.iter().for_each(|&k| position[k] = residual[k] - position[k] * shift);
            }
        }
        residual.iter_mut().zip(&scaling.real).for_each(|(r, s)| *r *= s);
        if self.stabilised {
            factors.solve2(residual, position);
        } else {
            factors.solve(residual);
        }
        self.all.iter().for_each(|&k| residual[k] *= scaling.inverse.0);
    }

    fn solve_complex(
        &self,
        factors: &mut ComplexFactors,
        scaling: &Scaling,
        (re, im): (&mut [f64], &mut [f64]),
        (p_re, p_im): (&mut [f64], &mut [f64]),
    ) {
        if self.stabilised {
            let sign = if self.corrected { -1.0 } else { 1.0 };
            if self.corrected {
                p_re.iter_mut().chain(p_im.iter_mut()).for_each(|x| *x = -*x);
            }
            for &k in self.level {
                let open = times((p_re[k], p_im[k]), scaling.inverse);
                (p_re[k], p_im[k]) = (re[k] - sign * open.0, im[k] - sign * open.1);
            }
        }
        for ((re, im), (a, b)) in
            re.iter_mut().zip(im.iter_mut()).zip(scaling.real.iter().zip(&scaling.imaginary))
        {
            (*re, *im) = times((*re, *im), (*a, *b));
        }
        if self.stabilised {
            factors.solve2([re, im], [p_re, p_im]);
        } else {
            factors.solve(re, im);
        }
        for &k in self.all {
            (re[k], im[k]) = times((re[k], im[k]), scaling.inverse);
        }
    }
}
