//! Newton's iteration on a time element, with the exact matrix of every iterate.

use crate::control::ErrorMeasure;
use crate::newton::increments::{NOT_A_NUMBER, NOT_CONVERGED, largest, not_a_number};
use crate::newton::policy::{GROWN_ROUND_OFF, RADAU};
use crate::step_failure::{SHORTEN, StepFailure};
use crate::step_report::Counters;
use crate::time_elements::TimeElement;

/// Ratio of increments above which an iteration at the last digit stands still.
const STANDS: f64 = 0.2;

/// Increments that may grow in a row: at a kink the first one often does.
const MOST_GROWING: usize = 2;

/// When an iteration ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Until {
    /// What is left is small in units of the tolerance.
    Tolerance,
    /// Increments are rounding: the factors at hand are then those of the solution.
    Rounding,
}

/// Work arrays of the iteration.
#[derive(Debug)]
pub(crate) struct ElementNewton {
    residual: Vec<f64>,
    /// Weights of the squares of increments.
    squares: Vec<f64>,
}

impl ElementNewton {
    /// For an element of a size on a system of another.
    pub fn new(size: usize, n: usize) -> Self {
        ElementNewton { residual: vec![0.0; size], squares: vec![0.0; n] }
    }

    /// Solves an element from its guess in so many iterations at most; returns how many it took.
    pub fn solve(
        &mut self,
        element: &mut TimeElement,
        measure: &ErrorMeasure,
        (until, most): (Until, usize),
        counters: &mut Counters,
    ) -> Result<usize, StepFailure> {
        measure.weights_of_velocity(&mut self.squares);
        let (tightest, exact) = (measure.tightest(), until == Until::Rounding);
        let goal = if exact { 0.0 } else { (10.0 * f64::EPSILON / tightest).max(RADAU.goal) };
        // Increments are those of velocities and variables. A guess that is right in these may be wrong in
        // multipliers, and the factors of the first iteration with it.
        let first = if exact && element.layout.has_joints { 2 } else { 1 };
        let one = measure.round_off(element.course.h);
        let floor = RADAU.round_off * one;
        let (mut last, mut growing, mut worst) = (None, 0, 0);
        for iteration in 1..=most {
            let Some((size, entry)) = self.improve(element, counters)? else { break };
            worst = entry;
            let ratio = last.replace(size).map(|last| size / last);
            let left = match ratio {
                Some(ratio) if ratio < 1.0 => ratio / (1.0 - ratio) * size,
                _ => f64::INFINITY,
            };
            let small = size <= floor || size * tightest <= GROWN_ROUND_OFF;
            let stands = iteration > 1 && ratio.is_some_and(|ratio| ratio > STANDS) && small;
            let negligible = if exact { one } else { RADAU.negligible * goal };
            if iteration >= first && (left <= goal || size <= negligible || stands) {
                return Ok(iteration);
            }
            growing = if ratio.is_some_and(|ratio| ratio >= 1.0) { growing + 1 } else { 0 };
            if growing > MOST_GROWING {
                break;
            }
        }
        Err(failure(element, NOT_CONVERGED, worst))
    }

    /// One increment: its weighted size, and the unknown that changes most; none if it is not a number.
    fn improve(
        &mut self,
        element: &mut TimeElement,
        counters: &mut Counters,
    ) -> Result<Option<(f64, usize)>, StepFailure> {
        let s = element.scheme().stages();
        let residual = &mut self.residual;
        element.residual(residual);
        counters.residuals += s;
        if let Some(entry) = not_a_number(residual) {
            return Err(failure(element, NOT_A_NUMBER, entry / s));
        }
        let (system, t) = (element.system, element.course.start.t);
        element.factor().map_err(|mut e| {
            e.row /= s;
            StepFailure::singular(system, t, &e)
        })?;
        counters.factorisations += 1;
        counters.jacobians += 1;
        counters.iterations += 1;
        residual.iter_mut().for_each(|r| *r = -*r);
        element.solve(residual);
        let squares = residual.chunks_exact(s).zip(&self.squares);
        let square: f64 = squares.map(|(y, w)| w * y.iter().map(|y| y * y).sum::<f64>()).sum();
        if !square.is_finite() {
            return Ok(None);
        }
        element.improve(residual);
        Ok(Some(((square / s as f64).sqrt(), largest(residual, |_| true) / s)))
    }
}

fn failure(element: &TimeElement, reason: &'static str, equation: usize) -> StepFailure {
    let course = &element.course;
    StepFailure::of_step([course.start.t, course.h], reason, element.system.equation_name(equation), SHORTEN)
}
