//! Newton's iteration of a step, and its matrix.

use crate::bdf::Bdf;
use crate::bdf::formula::Stage;
use crate::bdf::order::ACCUMULATION;
use crate::linear::factors::Factors;
use crate::newton::convergence::Next;
use crate::newton::increments::{NOT_A_NUMBER, NOT_CONVERGED, largest, not_a_number};
use crate::newton::local_convergence::LocalConvergence;
use crate::newton::policy::{BDF, OLDEST_DERIVATIVES};
use crate::newton::rounding::{Depth, ROUNDINGS};
use crate::runge_kutta::implicit::settings::StageForm;
use crate::step_failure::{SHORTEN, StepFailure};
use poinsot_geometry::Mat3;
use poinsot_mechanics::{Instant, Level, StepPolynomial, System};

/// Newton's matrix A₀ + β A₁ + β² A₂, kept over as many steps as it serves.
#[derive(Debug)]
pub(super) struct NewtonMatrix {
    pub polynomial: StepPolynomial,
    pub factors: Factors,
    values: Vec<f64>,
    /// Steps since the polynomial was made, and β of the factors.
    pub age: Option<usize>,
    factored_for: Option<f64>,
    /// What the iteration with these factors has shown.
    convergence: LocalConvergence,
    identity: Vec<Mat3>,
}

impl NewtonMatrix {
    pub fn new(system: &System) -> Self {
        NewtonMatrix {
            polynomial: StepPolynomial::new(system),
            factors: Factors::new(system),
            values: vec![0.0; system.pattern().nnz()],
            age: None,
            factored_for: None,
            convergence: LocalConvergence::new(BDF),
            identity: vec![Mat3::identity(); system.nodes().len()],
        }
    }
}

/// Where and why the iteration does not go on.
pub(super) struct NewtonFailure {
    reason: &'static str,
    equation: usize,
}

impl Bdf<'_> {
    /// Solves the equations of the step, with a new matrix if need be; returns the number of iterations.
    pub(super) fn solve(&mut self) -> Result<usize, StepFailure> {
        self.predict();
        let (beta, worn) = (self.step.formula.beta, self.matrix.convergence.is_worn());
        let old = self.matrix.age.is_none_or(|age| age >= OLDEST_DERIVATIVES);
        let away = self.matrix.factored_for.is_none_or(|factored| !BDF.serves(beta / factored));
        let refactored = worn && self.matrix.factored_for != Some(beta);
        if old || (worn && self.matrix.age != Some(0)) {
            self.linearize()?;
        } else if away || refactored {
            self.factor()?;
        }
        let mut solved = self.iterate();
        if solved.is_err() && self.matrix.age != Some(0) {
            self.predict();
            self.linearize()?;
            solved = self.iterate();
        }
        solved.map_err(|stuck| {
            // A shorter step predicts another point.
            self.matrix.age = None;
            self.failure(stuck)
        })
    }

    /// Step matrix at the predicted end, for all β, and its factors for this one.
    fn linearize(&mut self) -> Result<(), StepFailure> {
        let level = if self.settings.form == StageForm::Position { Level::Position } else { Level::Velocity };
        let at = Instant {
            t: self.past.state.t + self.step.formula.h,
            frames: &self.step.stage.frames,
            v: &self.step.stage.v,
            a: &self.step.stage.a,
            memory: &self.past.state.memory,
            rates: &[],
        };
        self.system.step_polynomial(
            at,
            &self.matrix.identity,
            level,
            &mut self.matrix.polynomial,
            &mut self.scratch,
        );
        self.matrix.age = Some(0);
        self.counters.jacobians += 1;
        self.factor()
    }

    fn factor(&mut self) -> Result<(), StepFailure> {
        let (system, t) = (self.system, self.past.state.t);
        self.matrix.polynomial.at(self.step.formula.beta, &mut self.matrix.values);
        self.matrix.factored_for = None;
        self.matrix.convergence.forget();
        if let Err(error) = self.matrix.factors.factor(system, &self.matrix.values) {
            self.matrix.age = None;
            self.evaluate();
            return Err(match not_a_number(&self.step.stage.residual) {
                Some(equation) => self.failure(NewtonFailure { reason: NOT_A_NUMBER, equation }),
                None => StepFailure::singular(system, t, &error),
            });
        }
        self.counters.factorisations += 1;
        self.matrix.factored_for = Some(self.step.formula.beta);
        Ok(())
    }

    /// Newton's iteration with the factors at hand.
    fn iterate(&mut self) -> Result<usize, NewtonFailure> {
        let moving = self.past.state.frames.len() > 1;
        let part = if moving { ACCUMULATION.0 / self.accumulation() } else { 1.0 };
        let goal = (BDF.goal * part).max(10.0 * f64::EPSILON / self.measure.tightest());
        // Joints hold to the last digit, which at position level is a velocity of that digit over the step.
        let floor = BDF.round_off * self.measure.round_off(self.step.formula.beta);
        let most = self.max_iterations();
        self.matrix.convergence.begin(goal, most);
        if self.matrix.age == Some(1) {
            // Where the matrix was made it was too good to tell.
            self.matrix.convergence.distrust();
        }
        let (mut rounding, mut worst) = (None, None);
        for iteration in 1..=most {
            worst = None;
            self.evaluate();
            if let Some(equation) = not_a_number(&self.step.stage.residual) {
                return Err(NewtonFailure { reason: NOT_A_NUMBER, equation });
            }
            let size = self.improve();
            self.counters.iterations += 1;
            if !size.is_finite() {
                break;
            }
            let mut floors = [floor, 0.0];
            if size > floor && self.matrix.convergence.is_doubtful(size, self.measure.tightest()) {
                worst = Some(self.largest_increment());
                floors[1] = *rounding.get_or_insert_with(|| ROUNDINGS * self.rounding());
            }
            match self.matrix.convergence.judge(size, size, floors) {
                Next::Done => return Ok(self.converged(iteration)),
                Next::Iterate => {}
                Next::Factor => break,
            }
        }
        let equation = worst.unwrap_or_else(|| self.largest_increment());
        Err(NewtonFailure { reason: NOT_CONVERGED, equation })
    }

    fn largest_increment(&self) -> usize {
        largest(&self.step.stage.residual, |k| !self.rows.is_row[k])
    }

    /// The size of an increment that is rounding alone; spoils the increments of the stage.
    fn rounding(&mut self) -> f64 {
        let (form, beta) = (self.settings.form, self.step.formula.beta);
        let (stage, at, rounding) = (&mut self.step.stage, &self.step.prediction, &mut self.rounding);
        rounding.place(self.system, &stage.frames);
        for k in 0..stage.v.len() {
            // Rates are differences of velocities, which cancel.
            let parts = at.v_rate[k].abs() + (stage.v[k].abs() + at.v[k].abs()) / beta;
            rounding.a[k] = if self.rows.is_row[k] { stage.a[k].abs() } else { parts };
            rounding.v[k] = stage.v[k].abs();
        }
        let depth = |k: usize| match self.equations.powers[k] {
            0 => Depth::Position,
            1 => Depth::Velocity,
            _ => Depth::Balance,
        };
        rounding.residuals(self.system, &self.matrix.polynomial, depth, 0, &mut stage.residual);
        stage.position.fill(0.0);
        if form == StageForm::Stabilised {
            let depth = |_| Depth::Position;
            rounding.residuals(self.system, &self.matrix.polynomial, depth, 1, &mut stage.position);
        }
        self.increment()
    }

    pub(super) fn max_iterations(&self) -> usize {
        BDF.iterations[usize::from(!self.control.variable)]
    }

    fn converged(&mut self, iterations: usize) -> usize {
        self.step.iterations = iterations;
        self.counters.max_iterations = self.counters.max_iterations.max(iterations);
        iterations
    }

    fn evaluate(&mut self) {
        let (system, s) = (self.system, &mut self.scratch);
        let Stage { v, a, frames, residual, position, .. } = &mut self.step.stage;
        let at = Instant {
            t: self.past.state.t + self.step.formula.h,
            frames,
            v,
            a,
            memory: &self.past.state.memory,
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
                if !self.rows.velocity.is_empty() {
                    system.constraint_rate(&at, position, s);
                    self.rows.velocity.iter().for_each(|&row| residual[row] = position[row]);
                }
            }
            StageForm::Acceleration => {
                if !self.rows.velocity.is_empty() {
                    system.constraint_rate(&at, residual, s);
                }
                system.constraint_acceleration(&at, position, s);
                self.rows.level.iter().for_each(|&row| residual[row] = position[row]);
            }
        }
        self.counters.residuals += 1;
    }

    /// One increment; returns its weighted size.
    fn improve(&mut self) -> f64 {
        let size = self.increment();
        let (stage, beta) = (&mut self.step.stage, self.step.formula.beta);
        for k in 0..stage.v.len() {
            if self.rows.is_row[k] {
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
        let beta = self.step.formula.beta;
        let stabilised = self.settings.form == StageForm::Stabilised && !self.rows.level.is_empty();
        let stage = &mut self.step.stage;
        let scale = [1.0 / beta, 1.0, beta];
        for k in 0..stage.v.len() {
            let open = stage.residual[k] - stage.position[k] / beta;
            stage.position[k] = if stabilised && self.equations.is_level[k] { open } else { 0.0 };
            stage.residual[k] *= -scale[usize::from(self.equations.powers[k])];
        }
        if stabilised {
            self.matrix.factors.solve2(&mut stage.residual, &mut stage.position);
        } else {
            self.matrix.factors.solve(&mut stage.residual);
        }
        // Between M, which does not depend on β, and β C: only without joints, which must not be scaled.
        let factored = self.matrix.factored_for.unwrap_or(beta);
        let correction = if self.equations.has_rows { 1.0 } else { 2.0 / (1.0 + beta / factored) };
        for k in (0..stage.v.len()).filter(|&k| !self.rows.is_row[k]) {
            stage.residual[k] *= correction;
            stage.position[k] *= beta;
        }
        // Multipliers have no weight.
        let size = self.measure.square_of_velocity(&stage.residual);
        size.max(self.measure.square_of_position(&stage.position)).sqrt()
    }

    fn failure(&self, NewtonFailure { reason, equation }: NewtonFailure) -> StepFailure {
        let step = [self.past.state.t, self.step.formula.h];
        StepFailure::of_step(step, reason, self.system.equation_name(equation), SHORTEN)
    }
}
