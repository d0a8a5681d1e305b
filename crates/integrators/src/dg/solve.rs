//! Newton's iteration on a time element, with the exact matrix of every iterate.

use crate::dg::DiscontinuousGalerkin;
use crate::newton::increments::{NOT_A_NUMBER, NOT_CONVERGED, largest, not_a_number};
use crate::newton::policy::{GROWN_ROUND_OFF, RADAU};
use crate::step_failure::{SHORTEN, StepFailure};

/// Ratio of increments above which an iteration at the last digit stands still.
const STANDS: f64 = 0.2;

/// Increments that may grow in a row: at a kink the first one often does.
const MOST_GROWING: usize = 2;

/// Work arrays of the iteration.
#[derive(Debug)]
pub(super) struct Newton {
    residual: Vec<f64>,
    /// Weights of the squares of increments.
    squares: Vec<f64>,
}

impl Newton {
    pub fn new(size: usize, n: usize) -> Self {
        Newton { residual: vec![0.0; size], squares: vec![0.0; n] }
    }
}

impl DiscontinuousGalerkin<'_> {
    pub(super) fn most_iterations(&self) -> usize {
        RADAU.iterations[usize::from(!self.settings.estimate)]
    }

    /// Solves for the motion over a step; returns the number of iterations.
    pub(super) fn solve(&mut self, h: f64) -> Result<usize, StepFailure> {
        self.element.begin(&self.state, h);
        self.element.go_on(&self.a);
        self.measure.weights_of_velocity(&mut self.newton.squares);
        let tightest = self.measure.tightest();
        let goal = (10.0 * f64::EPSILON / tightest).max(RADAU.goal);
        let floor = RADAU.round_off * self.measure.round_off(h);
        let (mut last, mut growing, mut worst) = (None, 0, 0);
        for iteration in 1..=self.most_iterations() {
            let Some((size, entry)) = self.improve(h)? else { break };
            worst = entry;
            let ratio = last.replace(size).map(|last| size / last);
            let left = match ratio {
                Some(ratio) if ratio < 1.0 => ratio / (1.0 - ratio) * size,
                _ => f64::INFINITY,
            };
            let small = size <= floor || size * tightest <= GROWN_ROUND_OFF;
            let stands = iteration > 1 && ratio.is_some_and(|ratio| ratio > STANDS) && small;
            if left <= goal || size <= RADAU.negligible * goal || stands {
                return Ok(iteration);
            }
            growing = if ratio.is_some_and(|ratio| ratio >= 1.0) { growing + 1 } else { 0 };
            if growing > MOST_GROWING {
                break;
            }
        }
        Err(self.failure(h, NOT_CONVERGED, worst))
    }

    /// One increment: its weighted size, and the unknown that changes most; none if it is not a number.
    fn improve(&mut self, h: f64) -> Result<Option<(f64, usize)>, StepFailure> {
        let s = self.element.scheme().stages();
        let residual = &mut self.newton.residual;
        self.element.residual(residual);
        self.counters.residuals += s;
        if let Some(entry) = not_a_number(residual) {
            return Err(self.failure(h, NOT_A_NUMBER, entry / s));
        }
        let (system, t) = (self.system, self.state.t);
        self.element.factor().map_err(|mut e| {
            e.row /= s;
            StepFailure::singular(system, t, &e)
        })?;
        self.counters.factorisations += 1;
        self.counters.jacobians += 1;
        self.counters.iterations += 1;
        residual.iter_mut().for_each(|r| *r = -*r);
        self.element.solve(residual);
        let squares = residual.chunks_exact(s).zip(&self.newton.squares);
        let square: f64 = squares.map(|(y, w)| w * y.iter().map(|y| y * y).sum::<f64>()).sum();
        if !square.is_finite() {
            return Ok(None);
        }
        self.element.improve(residual);
        Ok(Some(((square / s as f64).sqrt(), largest(residual, |_| true) / s)))
    }

    fn failure(&self, h: f64, reason: &'static str, equation: usize) -> StepFailure {
        StepFailure::of_step([self.state.t, h], reason, self.system.equation_name(equation), SHORTEN)
    }
}
