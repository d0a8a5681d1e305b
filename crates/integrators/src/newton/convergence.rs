//! How fast an iteration with a kept matrix contracts, and what follows from it.
//!
//! The ratio θ of increments measures the contraction, so that θ/(1 − θ)·|δ| estimates what is left. A matrix
//! is kept from step to step and made anew only when what is left would take several iterations with the old
//! one.

use crate::newton::policy::Policy;

/// What to do after an increment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Done,
    Iterate,
    /// A matrix of this iterate takes the place of one that contracts slowly.
    Factor,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Convergence {
    policy: Policy,
    contraction: f64,
    /// What the matrix achieved when it was new.
    best: f64,
    last: Option<f64>,
    used: usize,
    /// Whether the matrix is of this step.
    fresh: bool,
}

impl Convergence {
    pub fn new(policy: Policy) -> Self {
        Convergence { contraction: policy.expected, best: 0.0, last: None, used: 0, fresh: true, policy }
    }

    /// With a new matrix for every iterate.
    #[cfg(test)]
    pub fn always_factoring(policy: Policy) -> Self {
        Convergence::new(Policy { far: 0.0, ..policy })
    }

    /// A new step: what was measured is trusted less.
    pub fn begin(&mut self) {
        (self.last, self.used, self.fresh) = (None, 0, false);
        self.contraction = (self.policy.ageing * self.contraction).min(0.9);
    }

    /// A new matrix.
    pub fn factored(&mut self) {
        *self = Convergence::new(self.policy);
    }

    /// The increment before, with the same matrix and in the same step.
    pub fn last(&self) -> Option<f64> {
        self.last
    }

    /// An increment of this size relative to the way of a step; below its `floors` it may be round-off.
    pub fn judge(&mut self, size: f64, tolerance: f64, floors: [f64; 2]) -> Next {
        let policy = self.policy;
        if let Some(last) = self.last {
            self.contraction = (size / last).max(1e-10);
            if self.best == 0.0 {
                self.best = self.contraction;
            }
        }
        let theta = self.contraction.max(policy.credible);
        let left_over = if theta < 1.0 { theta / (1.0 - theta) * size } else { f64::INFINITY };
        let mut floors = policy.stands.iter().zip(floors);
        let stands = self.last.is_some() && floors.any(|(least, at)| self.contraction > *least && size <= at);
        if left_over <= tolerance || size <= policy.negligible * tolerance || stands {
            return Next::Done;
        }
        let left = match self.contraction < 1.0 {
            true => (tolerance / size).ln() / self.contraction.ln(),
            false => f64::INFINITY,
        };
        self.used += 1;
        self.last = Some(size);
        let [slow, aged] = policy.slow;
        let gives_up = (self.best > 0.0 && self.contraction > aged * self.best)
            || self.contraction > slow
            || self.used >= policy.patience[usize::from(!self.fresh)];
        match size > policy.far || (left > policy.worth_factoring && gives_up) {
            true => Next::Factor,
            false => Next::Iterate,
        }
    }
}
