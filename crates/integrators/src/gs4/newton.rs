//! Newton's iteration of a GS4 step.

use crate::control::ErrorMeasure;
use crate::gs4::Gs4;
use crate::gs4::extent::Extent;
use crate::newton::constant_matrix::{AfterIncrement, Constancy};
use crate::newton::convergence::{Convergence, Next};
use crate::newton::increments::{NOT_A_NUMBER, NOT_CONVERGED, largest, not_a_number};
use crate::newton::policy;
use crate::step_failure::StepFailure;

/// What the iteration knows of itself, and its work arrays.
#[derive(Debug)]
pub(crate) struct Newton {
    /// Scaled residual of the balance and of the constraint level that closes it; then its solution.
    pub residual: Vec<f64>,
    /// Residual of S p + Gᵀμ = 0 and scaled Φ of the stabilised form; then its solution.
    pub position: Vec<f64>,
    /// p without μ.
    pub metric: Vec<f64>,
    /// Largest |Φ| at the last iterate, or largest closing row in forms that do not look at Φ.
    pub open: f64,
    /// Whether p was found with another matrix than the one in use.
    pub unsettled: bool,
    /// Whether p has left zero in this step.
    pub corrected: bool,
    pub convergence: Convergence,
    pub constancy: Constancy,
}

impl Newton {
    /// For so many equations.
    pub fn new(n: usize, is_linear: bool) -> Self {
        Newton {
            residual: vec![0.0; n],
            position: vec![0.0; n],
            metric: vec![0.0; n],
            open: 0.0,
            unsettled: false,
            corrected: false,
            convergence: Convergence::new(policy::GS4),
            constancy: Constancy::new(is_linear),
        }
    }
}

/// Relative increment below which a stalled iteration has reached round-off.
const SMALLEST_INCREMENT: f64 = 1e-12;

/// The same where the joints are closed to the last digit: short links turn that digit into a larger angle.
const CLOSED_INCREMENT: f64 = 1e-8;

/// Rounding in the increments per unit of cancellation in the pivots.
const CANCELLED: f64 = 200.0;

/// Part of the error of an adaptive step that Newton's iteration may leave, and the least error that counts.
const LEFT_OVER: f64 = 0.1;
const LEAST_SHARE: f64 = 1e-12;

impl Gs4<'_> {
    /// Newton's iteration; returns the number of iterations.
    pub(super) fn iterate(&mut self, h: f64) -> Result<usize, StepFailure> {
        let speed = self.speed_scale(h);
        let length = Extent { linear: self.length, angular: 1.0 };
        let round_off = self.round_off(h, &speed);
        let tolerance = self.newton_tolerance(h).max(0.1 * round_off);
        self.evaluate_kinematics(h);
        if self.matrix.factored_for != Some(h) {
            self.factor(h)?;
        }
        self.newton.convergence.begin();
        for iteration in 1..=self.settings.max_iterations {
            self.evaluate_residual(h);
            if let Some(equation) = not_a_number(&self.newton.residual) {
                self.matrix.factored_for = None;
                return Err(self.failure(h, NOT_A_NUMBER, equation));
            }
            let before =
                if self.newton.constancy.is_established() { size_of(&self.newton.residual) } else { 0.0 };
            let size = self.improve(h, &speed, &length);
            if !size.is_finite() {
                break;
            }
            self.evaluate_kinematics(h);
            if let (2, Some(last)) = (iteration, self.newton.convergence.last()) {
                self.newton.constancy.measure(last, size);
            }
            let floor = (100.0 * round_off).max(self.smallest_increment(h, &speed));
            let next = self.newton.convergence.judge(size, tolerance, [floor, 0.0]);
            if next == Next::Done || (iteration == 1 && self.is_solved(h, &speed, [size, tolerance, before]))
            {
                return Ok(iteration);
            }
            if next == Next::Factor {
                self.factor(h)?;
            }
        }
        self.matrix.factored_for = None;
        let worst = largest(&self.newton.residual, |k| !self.rows.constraints.contains(&k));
        Err(self.failure(h, NOT_CONVERGED, worst))
    }

    /// Adds one Newton increment; returns its size relative to the model's speed and length.
    fn improve(&mut self, h: f64, speed: &Extent, length: &Extent) -> f64 {
        let stabilised = self.settings.form.is_corrected();
        if stabilised {
            self.matrix.factors.solve2(&mut self.newton.residual, &mut self.newton.position);
        } else {
            self.matrix.factors.solve(&mut self.newton.residual);
        }
        self.counters.iterations += 1;
        for (d, r) in self.step.delta.iter_mut().zip(&self.newton.residual) {
            *d -= r;
        }
        let (by_position, by_velocity) = (self.lift * h * h, self.w.l5 * h);
        let extent = self.extent(&self.newton.residual);
        let mut size = by_velocity * extent.relative_to(speed);
        size = size.max(by_position * extent.relative_to(length));
        size = size.max(by_velocity * self.extent_of_variables(&self.newton.residual));
        if stabilised {
            for (p, r) in self.step.correction.iter_mut().zip(&self.newton.position) {
                *p -= r;
            }
            self.newton.corrected = true;
            size = size.max(by_position * self.extent(&self.newton.position).relative_to(length));
        }
        if self.newton.residual.iter().sum::<f64>().is_finite() { size } else { f64::NAN }
    }

    /// What Newton's iteration may leave: no more than a tenth of what a step may err where the errors of
    /// steps are to add up to a tolerance, as far as rounding allows.
    fn newton_tolerance(&self, h: f64) -> f64 {
        let share = |m: &ErrorMeasure| LEFT_OVER * (m.tightest() * h / m.span()).max(LEAST_SHARE);
        let known = self.measure.as_ref().filter(|m| m.span().is_finite());
        known.map_or(self.settings.tolerance, |m| self.settings.tolerance.min(share(m)))
    }

    /// Whether the first increment of the given size solved the step because the model's matrix is constant;
    /// `before` is the residual that it started from.
    fn is_solved(&mut self, h: f64, speed: &Extent, [size, tolerance, before]: [f64; 3]) -> bool {
        match self.newton.constancy.judge(size, tolerance) {
            AfterIncrement::Continue => false,
            AfterIncrement::Converged => true,
            AfterIncrement::Test => {
                self.evaluate_residual(h);
                let closed = self.newton.open <= tolerance * self.size_of_rows(h, speed);
                self.newton.constancy.test(before, size_of(&self.newton.residual)) && closed
            }
        }
    }

    /// Increment below which an iteration that stands still has reached round-off.
    fn smallest_increment(&self, h: f64, speed: &Extent) -> f64 {
        let closed = self.newton.open <= 16.0 * f64::EPSILON * self.size_of_rows(h, speed);
        // Near a singular position the last digit of the joints is worth more still.
        let worth = CANCELLED * f64::EPSILON * self.matrix.factors.cancellation();
        if closed { worth.max(CLOSED_INCREMENT) } else { SMALLEST_INCREMENT }
    }

    /// Rounding of the constraint residuals, as a relative increment of velocity. At position level Φ is
    /// divided by h².
    fn round_off(&self, h: f64, speed: &Extent) -> f64 {
        let c = &self.step.closure;
        let of_position = c.position * self.length * self.w.l5 * h / (c.lead * speed.linear);
        f64::EPSILON * of_position.max(1.0)
    }

    /// What the rows of `open` are measured by.
    fn size_of_rows(&self, h: f64, speed: &Extent) -> f64 {
        match self.settings.form.is_corrected() {
            true => self.length,
            false => self.step.closure.size(self.length, speed.linear, h),
        }
    }
}

fn size_of(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, x| m.max(x.abs()))
}
