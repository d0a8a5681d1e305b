//! Monitor of the contraction of a Newton iteration.
//!
//! With successive increments δ₁, δ₂, … the contraction rate is estimated by
//!
//! ```text
//! θ_k = |δ_k| / |δ_{k−1}|
//! ```
//!
//! If the iteration contracts with rate θ < 1, the increments still to come sum
//! to at most (geometric series)
//!
//! ```text
//! |x* − x_k| ≤ θ/(1 − θ) · |δ_k|
//! ```
//!
//! which is the test for convergence. With a tangent kept over several steps the
//! iteration contracts linearly, and θ of the previous solve is a fair estimate
//! for the first increment of the next; [`Contraction::restart`] keeps it for that.

/// What an increment says about the iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// The estimated remaining error is within the tolerance.
    Converged,
    /// Contracting fast enough to finish with this tangent.
    Contracting,
    /// Contracting, but too slowly to finish within the allowed increments:
    /// factor a new tangent.
    Slow,
    /// Not contracting, or not finite.
    Diverging,
}

/// Watches the norms of the increments of one Newton solve after another.
#[derive(Debug, Clone)]
pub struct Contraction {
    tolerance: f64,
    allowed: usize,
    taken: usize,
    previous: f64,
    rate: f64,
    /// Rate of an earlier solve with the same tangent; used for the first increment.
    carried: Option<f64>,
}

/// From this rate on the iteration counts as diverging.
const DIVERGING_RATE: f64 = 0.99;

/// A carried rate is trusted no further than this.
const SMALLEST_CARRIED_RATE: f64 = 1e-3;

impl Contraction {
    /// Monitor for a tolerance on the error in the norm of the increments, and
    /// for at most `allowed` increments per solve.
    pub fn new(tolerance: f64, allowed: usize) -> Self {
        Self { tolerance, allowed, taken: 0, previous: 0.0, rate: 0.0, carried: None }
    }

    /// Begins a solve. `same_tangent` says that the factors of the last solve are
    /// still in use, so that its rate may judge the first increment.
    pub fn restart(&mut self, same_tangent: bool) {
        let known = self.taken > 1 && self.rate < 1.0;
        self.carried = match same_tangent {
            true if known => Some(self.rate.max(SMALLEST_CARRIED_RATE)),
            true => self.carried,
            false => None,
        };
        self.taken = 0;
    }

    /// Judges the increment with this norm.
    ///
    /// * not finite, or θ ≥ 0.99 from the second increment on: [`Progress::Diverging`];
    /// * |δ| = 0 or θ/(1−θ)·|δ| ≤ tolerance: [`Progress::Converged`];
    /// * θ^r/(1−θ)·|δ| > tolerance, where r increments are still allowed:
    ///   [`Progress::Slow`];
    /// * otherwise [`Progress::Contracting`].
    ///
    /// The first increment has no rate of its own; with none carried over it is
    /// converged only if it is zero.
    pub fn judge(&mut self, norm: f64) -> Progress {
        self.taken += 1;
        if !norm.is_finite() {
            self.rate = f64::INFINITY;
            return Progress::Diverging;
        }
        if norm == 0.0 {
            self.previous = norm;
            return Progress::Converged;
        }
        let first = self.taken == 1;
        let rate = if first { self.carried } else { Some(norm / self.previous) };
        self.previous = norm;
        let Some(rate) = rate else {
            self.rate = 0.0;
            return Progress::Contracting;
        };
        self.rate = rate;
        if rate >= DIVERGING_RATE {
            // An increment at the level of rounding no longer contracts.
            let done = norm <= ROUNDING_SHARE * self.tolerance;
            return if done { Progress::Converged } else { Progress::Diverging };
        }
        if rate / (1.0 - rate) * norm <= self.tolerance {
            return Progress::Converged;
        }
        let left = self.allowed.saturating_sub(self.taken) as i32;
        if rate.powi(left) / (1.0 - rate) * norm > self.tolerance {
            Progress::Slow
        } else {
            Progress::Contracting
        }
    }

    /// Estimated rate θ of the last increment; zero before the second.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// Increments judged since the last restart.
    pub fn increments(&self) -> usize {
        self.taken
    }

    /// Estimated error θ/(1−θ)·|δ| after the last increment.
    pub fn error(&self) -> f64 {
        if self.rate < 1.0 { self.rate / (1.0 - self.rate) * self.previous } else { f64::INFINITY }
    }
}

/// Increments below this share of the tolerance count as converged at any rate.
const ROUNDING_SHARE: f64 = 0.01;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_contraction_converges_with_error_below_tolerance() {
        let mut monitor = Contraction::new(1e-8, 30);
        let rate = 0.3;
        let mut norm = 1.0;
        loop {
            match monitor.judge(norm) {
                Progress::Converged => break,
                Progress::Contracting => norm *= rate,
                other => panic!("{other:?}"),
            }
        }
        // The remaining increments sum to the estimate.
        assert!(norm * rate / (1.0 - rate) <= 1e-8);
        assert!((monitor.error() - norm * rate / (1.0 - rate)).abs() < 1e-20);
        // The one before would not have been enough.
        assert!(norm / rate * rate / (1.0 - rate) > 1e-8);
    }

    #[test]
    fn slow_and_diverging() {
        let mut monitor = Contraction::new(1e-8, 5);
        assert_eq!(monitor.judge(1.0), Progress::Contracting);
        assert_eq!(monitor.judge(0.5), Progress::Slow);
        monitor.restart(false);
        assert_eq!(monitor.judge(1.0), Progress::Contracting);
        assert_eq!(monitor.judge(1.5), Progress::Diverging);
        monitor.restart(false);
        assert_eq!(monitor.judge(f64::NAN), Progress::Diverging);
    }

    #[test]
    fn rate_is_carried_only_with_the_tangent() {
        let mut monitor = Contraction::new(1e-6, 10);
        monitor.judge(1.0);
        monitor.judge(0.01);
        monitor.restart(true);
        assert_eq!(monitor.judge(1e-5), Progress::Converged);
        monitor.restart(true);
        assert_eq!(monitor.judge(1e-3), Progress::Contracting);
        monitor.restart(false);
        assert_eq!(monitor.judge(1e-9), Progress::Contracting);
        assert_eq!(monitor.judge(0.0), Progress::Converged);
    }

    #[test]
    fn rounding_level_counts_as_converged() {
        let mut monitor = Contraction::new(1e-8, 10);
        monitor.judge(1e-16);
        assert_eq!(monitor.judge(1.1e-16), Progress::Converged);
    }
}
