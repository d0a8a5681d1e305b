//! How fast an iteration with a kept matrix contracts, and what follows from it.

/// Iterations still to come that make a new factorisation worth its cost.
const WORTH_FACTORING: f64 = 4.0;

/// A measured contraction is not believed to be better than this when it decides that the iteration may end.
const BEST_CREDIBLE_CONTRACTION: f64 = 0.02;

/// Relative increment below which an iteration that does not contract at all has reached round-off, however
/// much that has grown near a singular position.
const GROWN_ROUND_OFF: f64 = 1e-9;

/// Relative increment above which the iteration is far from the solution and every iterate gets its own
/// matrix.
const FAR: f64 = 1e-2;

/// Contraction expected of a new matrix until it has been measured.
const FRESH_CONTRACTION: f64 = 0.05;

/// Growth of the expected contraction from step to step while nobody measures it: the matrix ages.
const AGEING: f64 = 2.0;

/// Iterations after which a matrix is given up if much is left to do.
const PATIENCE: usize = 4;

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
    contraction: f64,
    /// What the matrix achieved when it was new.
    best: f64,
    last: Option<f64>,
    used: usize,
    worth_factoring: f64,
}

impl Default for Convergence {
    fn default() -> Self {
        Convergence {
            contraction: FRESH_CONTRACTION,
            best: 0.0,
            last: None,
            used: 0,
            worth_factoring: WORTH_FACTORING,
        }
    }
}

impl Convergence {
    /// With a new matrix for every iterate.
    #[cfg(test)]
    pub fn always_factoring() -> Self {
        Convergence { worth_factoring: 0.0, ..Convergence::default() }
    }

    /// A new step: what was measured is trusted less.
    pub fn begin(&mut self) {
        (self.last, self.used) = (None, 0);
        self.contraction = (AGEING * self.contraction).min(0.9);
    }

    /// A new matrix.
    pub fn factored(&mut self) {
        *self = Convergence { worth_factoring: self.worth_factoring, ..Convergence::default() };
    }

    /// An increment of this size relative to the way of a step; `round_off` is that of positions.
    pub fn judge(&mut self, size: f64, tolerance: f64, round_off: f64) -> Next {
        if let Some(last) = self.last {
            self.contraction = (size / last).max(1e-10);
            if self.best == 0.0 {
                self.best = self.contraction;
            }
        }
        let theta = self.contraction.max(BEST_CREDIBLE_CONTRACTION);
        let left_over = if theta < 1.0 { theta / (1.0 - theta) * size } else { f64::INFINITY };
        let floor = |least: f64, limit: f64| self.contraction > least && size <= limit;
        let stalled = self.last.is_some() && (floor(0.2, 100.0 * round_off) || floor(0.7, GROWN_ROUND_OFF));
        if left_over <= tolerance || stalled {
            return Next::Done;
        }
        let left = match self.contraction < 1.0 {
            true => (tolerance / size).ln() / self.contraction.ln(),
            false => f64::INFINITY,
        };
        self.used += 1;
        let aged = self.best > 0.0 && self.contraction > 3.0 * self.best;
        let slow = left > self.worth_factoring && (aged || self.contraction > 0.5 || self.used >= PATIENCE);
        self.last = Some(size);
        if size > FAR || slow || self.worth_factoring == 0.0 { Next::Factor } else { Next::Iterate }
    }
}
