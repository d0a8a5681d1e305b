//! How fast an iteration contracts whose increments are measured in units of the local tolerance.
//!
//! As in [`crate::newton::convergence`] the ratio θ of increments tells what is left, θ/(1 − θ)·|δ|. It has
//! to come below a part of the tolerance of the step in few iterations, else a shorter step is the cheaper
//! way: where θ^m of m more iterations would not reach it, the matrix leads nowhere.

use crate::newton::convergence::Next;
use crate::newton::policy::{COARSEST, LocalPolicy, Wear};

/// Part of an increment that two more iterations leave where they stand still.
const STANDS_TWICE: f64 = 0.25;

#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalConvergence {
    policy: LocalPolicy,
    /// Error that the iteration may leave, and iterations at most.
    goal: f64,
    most: usize,
    iteration: usize,
    /// The first and the last increment with this matrix and in this step.
    first: f64,
    last: Option<f64>,
    /// The increment before the last.
    before_last: Option<f64>,
    /// Contraction that the matrix has shown.
    contraction: f64,
    /// The one to reckon with in a step before it is measured, and what it leaves of an increment.
    assumed: f64,
    left_over: f64,
}

impl LocalConvergence {
    pub fn new(policy: LocalPolicy) -> Self {
        let [contraction, left_over] = policy.unmeasured;
        LocalConvergence {
            policy,
            goal: 0.0,
            most: 0,
            iteration: 0,
            first: 0.0,
            last: None,
            before_last: None,
            contraction,
            assumed: 1.0,
            left_over,
        }
    }

    /// Nothing is known of the matrix.
    pub fn forget(&mut self) {
        let [contraction, left_over] = self.policy.unmeasured;
        (self.contraction, self.assumed, self.left_over) = (contraction, 1.0, left_over);
    }

    /// A new iteration: what was measured in steps before is trusted less.
    pub fn begin(&mut self, goal: f64, most: usize) {
        (self.goal, self.most, self.iteration) = (goal, most, 0);
        (self.last, self.before_last) = (None, None);
        match self.policy.wear {
            Wear::Contraction(power) => {
                self.assumed = self.assumed.max(f64::EPSILON).powf(power);
                self.left_over = self.assumed / (1.0 - self.assumed);
            }
            Wear::LeftOver(power) => self.left_over = self.left_over.max(f64::EPSILON).powf(power),
        }
    }

    /// What was measured in steps before says nothing about this one.
    pub fn distrust(&mut self) {
        (self.assumed, self.left_over) = (1.0, f64::INFINITY);
    }

    /// A new matrix in the midst of an iteration.
    pub fn renewed(&mut self) {
        (self.last, self.before_last) = (None, None);
    }

    /// The last increment: rounding makes none that is larger.
    pub fn last_increment(&self) -> f64 {
        self.last.unwrap_or(f64::INFINITY)
    }

    /// Contraction that the matrix has shown.
    pub fn contraction(&self) -> f64 {
        self.contraction
    }

    /// Whether the matrix is to be made anew before the next step.
    pub fn is_worn(&self) -> bool {
        self.contraction > self.policy.keep
    }

    /// Whether an increment relative to this tolerance may be rounding: then the second of its floors is
    /// wanted.
    pub fn is_doubtful(&self, size: f64, tolerance: f64) -> bool {
        self.last.is_some_and(|last| size / last > self.policy.stands[1]) && size * tolerance <= COARSEST
    }

    /// An increment of this size, which was `plain` as the matrix gave it; below its `floors` it may be
    /// round-off.
    pub fn judge(&mut self, size: f64, plain: f64, floors: [f64; 2]) -> Next {
        let policy = self.policy;
        self.iteration += 1;
        let negligible = size <= policy.negligible * self.goal;
        let before_last = std::mem::replace(&mut self.before_last, self.last);
        match self.last.replace(size) {
            None => self.first = size,
            Some(last) => {
                let rate = size / last;
                let before = (self.iteration > 2).then_some(self.contraction);
                let [at_joints, elsewhere] = policy.stands;
                // The floor elsewhere is a bound, often a wide one: one slow iteration proves nothing.
                let may_be_rounding = rate > elsewhere && size <= floors[1];
                let stands = (rate > at_joints && size <= floors[0])
                    || (may_be_rounding && before_last.is_some_and(|before| size > STANDS_TWICE * before));
                if !(stands || may_be_rounding) || policy.measures_rounding {
                    self.contraction = policy.memory.kept(rate, before);
                }
                if stands {
                    return Next::Done;
                }
                let reckoned = policy.memory.reckoned(rate, before);
                self.assumed = reckoned.min(policy.slowest);
                self.left_over = reckoned / (1.0 - self.assumed);
                if !negligible && !may_be_rounding && self.leads_nowhere(plain, last, before) {
                    return Next::Factor;
                }
            }
        }
        match negligible || self.left_over.max(policy.least_left_over) * size <= self.goal {
            true => Next::Done,
            false => Next::Iterate,
        }
    }

    /// Whether the goal is out of reach with this matrix. The first ratios are often worse than those that
    /// follow.
    fn leads_nowhere(&self, plain: f64, last: f64, before: Option<f64>) -> bool {
        let policy = &self.policy;
        let [of_first, of_last] = policy.diverges;
        let rate = plain / last;
        if plain > of_first * self.first || rate > of_last {
            return true;
        }
        let rate = policy.memory.reckoned(rate, before);
        let (from, least) = policy.hopeless;
        let to_come = (self.most + policy.spare - self.iteration) as i32;
        let left_over = rate.powi(to_come) / (1.0 - rate.min(policy.slowest)) * plain;
        self.iteration >= from && rate > least && left_over > self.goal
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::newton::policy::{BDF, RADAU};

    fn begun(policy: LocalPolicy) -> LocalConvergence {
        let mut convergence = LocalConvergence::new(policy);
        convergence.begin(1.0, policy.iterations[0]);
        convergence
    }

    #[test]
    fn what_is_left_ends_the_iteration() {
        let mut convergence = begun(BDF);
        assert_eq!(convergence.judge(100.0, 100.0, [0.0; 2]), Next::Iterate);
        // 0.02/0.98 of 2 is 0.04.
        assert_eq!(convergence.judge(2.0, 2.0, [0.0; 2]), Next::Done);
        assert!(!convergence.is_worn() && convergence.contraction() == 0.02);
        // A step later 0.02^0.85 = 0.036 is reckoned with, which leaves 0.037 of an increment.
        convergence.begin(1.0, 6);
        assert_eq!(convergence.judge(26.0, 26.0, [0.0; 2]), Next::Done);
        convergence.begin(1.0, 6);
        convergence.distrust();
        assert_eq!(convergence.judge(0.5, 0.5, [0.0; 2]), Next::Iterate);
    }

    #[test]
    fn a_matrix_that_leads_nowhere_is_given_up() {
        let mut convergence = begun(BDF);
        convergence.judge(100.0, 100.0, [0.0; 2]);
        assert_eq!(convergence.judge(95.0, 95.0, [0.0; 2]), Next::Factor);
        // Half of each increment stays: more than the goal after six. Radau looks that far ahead later.
        let mut convergence = begun(BDF);
        convergence.judge(100.0, 100.0, [0.0; 2]);
        assert_eq!(convergence.judge(50.0, 50.0, [0.0; 2]), Next::Factor);
        let mut convergence = begun(RADAU);
        let next = [4096.0, 2048.0, 1024.0, 512.0].map(|size| convergence.judge(size, size, [0.0; 2]));
        assert_eq!(next, [Next::Iterate, Next::Iterate, Next::Iterate, Next::Factor]);
        convergence.renewed();
        assert_eq!(convergence.judge(1e9, 1e9, [0.0; 2]), Next::Iterate);
    }

    #[test]
    fn increments_that_stand_still_at_a_floor_are_rounding() {
        let mut convergence = begun(BDF);
        convergence.judge(10.0, 10.0, [0.0; 2]);
        assert!(convergence.is_doubtful(9.0, 1e-8) && !convergence.is_doubtful(9.0, 1e-6));
        assert!(!convergence.is_doubtful(1.9, 1e-8));
        assert_eq!(convergence.judge(9.0, 9.0, [0.0, 9.0]), Next::Iterate);
        assert_eq!(convergence.judge(8.0, 8.0, [0.0, 9.0]), Next::Done);
        // They tell nothing about the matrix.
        assert!(!convergence.is_worn());
    }

    #[test]
    fn slow_increments_below_a_wide_floor_are_no_rounding() {
        let mut convergence = begun(RADAU);
        let sizes = [1000.0, 300.0, 90.0, 27.0];
        let next = sizes.map(|size| convergence.judge(size, size, [0.0, 1e4]));
        assert!(!next.contains(&Next::Done), "{next:?}");
    }
}
