//! Recognises a model whose step matrix is constant: one factorisation and one iteration per step serve it.
//!
//! A linear model is solved by the first increment, so the second is round-off. When a few steps in a row
//! have shown that with a matrix that is no longer new, a residual without an increment is enough to confirm
//! the next ones. It is left out in most steps of a model that was found linear by probing its elements (see
//! [`crate::newton::linearity`]): there it is taken every few steps, and whenever an increment is larger than
//! the one before.

/// What the contraction of the last steps says about the model.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Constancy {
    /// Whether the elements of the model are linear.
    linear: bool,
    /// Steps in a row that showed a constant matrix.
    evidence: usize,
    /// Largest contraction that they measured.
    worst: f64,
    /// First increment of the last step.
    last: f64,
    /// Steps since the last test.
    untested: usize,
}

/// Contraction of a constant matrix, all of it round-off.
const CONSTANT: f64 = 1e-6;

/// An increment of round-off.
const ROUND_OFF: f64 = 1e-14;

/// First increments below this measure nothing.
const MEASURABLE: f64 = 1e-11;

/// Steps in a row that establish the belief.
const ENOUGH: usize = 3;

/// Steps between tests of a linear model.
const INTERVAL: usize = 8;

/// Growth of the increment from one step to the next that calls for a test.
const JUMP: f64 = 1.5;

/// What a single iteration in a step calls for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AfterIncrement {
    /// A second increment.
    Continue,
    /// A residual that confirms.
    Test,
    /// Nothing.
    Converged,
}

impl Constancy {
    /// For a model whose elements are linear as far as one can tell, or not.
    pub fn new(linear: bool) -> Self {
        Constancy { linear, ..Constancy::default() }
    }

    /// There is a new matrix, or the belief was wrong.
    pub fn forget(&mut self) {
        *self = Constancy::new(self.linear);
    }

    /// Two increments in a row with the same matrix.
    pub fn measure(&mut self, first: f64, second: f64) {
        if first < MEASURABLE {
            return;
        }
        if second > (CONSTANT * first).max(ROUND_OFF) {
            self.forget();
            return;
        }
        self.evidence += 1;
        self.worst = self.worst.max(second.max(f64::EPSILON) / first);
        self.last = first;
        self.untested = 0;
    }

    /// Whether the belief is established.
    pub fn is_established(&self) -> bool {
        self.evidence >= ENOUGH
    }

    /// Whether a first increment may be the last.
    pub fn judge(&mut self, increment: f64, tolerance: f64) -> AfterIncrement {
        let expected = 10.0 * self.worst * increment;
        if !self.is_established() || expected > tolerance {
            return AfterIncrement::Continue;
        }
        let jump = increment > JUMP * self.last;
        self.last = increment;
        self.untested += 1;
        if self.linear && !jump && self.untested < INTERVAL {
            AfterIncrement::Converged
        } else {
            AfterIncrement::Test
        }
    }

    /// The residuals before and after the increment of a test; whether they confirm the belief.
    pub fn test(&mut self, before: f64, after: f64) -> bool {
        let confirmed = after <= CONSTANT * before;
        if confirmed {
            self.untested = 0;
        } else {
            self.forget();
        }
        confirmed
    }
}
