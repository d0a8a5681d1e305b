//! The numbers by which Newton's iterations with a kept matrix are judged: one table for all methods.
//!
//! Steps that are solved to a relative accuracy of their own go by a [`Policy`], those of methods that
//! estimate errors by a [`LocalPolicy`], in units of the tolerance of the local error.

/// When an iteration ends, and when its matrix is worth factoring anew.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Policy {
    /// Contraction expected of a new matrix until it has been measured.
    pub expected: f64,
    /// Growth of the expected contraction from step to step while nobody measures it: the matrix ages.
    pub ageing: f64,
    /// A measured contraction is not believed to be better than this when it decides that the iteration may
    /// end: a single quadratic step may look better than the iteration is.
    pub credible: f64,
    /// Part of the tolerance below which an increment is taken as nothing, however it contracts.
    pub negligible: f64,
    /// Contractions above which an iteration stands still that is below its floors.
    pub stands: [f64; 2],
    /// Relative increment above which the iteration is far from the solution and every iterate gets its own
    /// matrix.
    pub far: f64,
    /// Iterations still to come that make a new factorisation worth its cost.
    pub worth_factoring: f64,
    /// Contraction above which a matrix is given up if much is left to do, as it stands and in units of what
    /// it achieved when it was new.
    pub slow: [f64; 2],
    /// Iterations after which it is given up if much is left to do: one of this step, one of a step before.
    pub patience: [usize; 2],
}

/// GS4 takes steps that are near to the last one: its predictor leaves little to do, and no iterate is far.
pub(crate) const GS4: Policy = Policy {
    expected: 0.05,
    ageing: 2.0,
    credible: 0.05,
    negligible: 1e-3,
    stands: [0.1, f64::INFINITY],
    far: f64::INFINITY,
    worth_factoring: 2.5,
    slow: [0.5, 3.0],
    patience: [4, 4],
};

/// Energy–momentum steps go to round-off, which takes more iterations and costs less each, since a matrix of
/// discrete gradients is dear: a new one has to save four.
pub(crate) const CONSERVING: Policy =
    Policy { credible: 0.02, negligible: 0.0, stands: [0.2, 0.7], far: 1e-2, worth_factoring: 4.0, ..GS4 };

/// Matrices of Galerkin steps serve long steps of many unknowns badly, so that one of an earlier step is
/// given up at once, and one of this step as soon as it has been measured.
pub(crate) const GALERKIN: Policy = Policy {
    expected: 0.1,
    stands: [0.2, f64::INFINITY],
    worth_factoring: 2.5,
    slow: [f64::INFINITY; 2],
    patience: [2, 1],
    ..CONSERVING
};

/// Relative increment below which an iteration that does not contract at all has reached round-off, however
/// much that has grown near a singular position.
pub(crate) const GROWN_ROUND_OFF: f64 = 1e-9;

/// Increments above this, relative to what they change, are never taken for rounding.
pub(crate) const COARSEST: f64 = 1e-6;

/// When an iteration ends whose increments are measured in units of the local tolerance, and how long its
/// matrix is kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LocalPolicy {
    /// Iterations at most where a shorter step may be tried, and where not.
    pub iterations: [usize; 2],
    /// What the iteration may leave, in units of the tolerance.
    pub goal: f64,
    /// Part of the goal below which an increment is taken as nothing, however it contracts.
    pub negligible: f64,
    /// Units of round-off below which an increment that does not shrink is taken as zero.
    pub round_off: f64,
    /// Contractions above which an iteration stands still: at the last digit of the joints, and elsewhere.
    pub stands: [f64; 2],
    /// Whether a contraction counts that was measured where the iteration stands still.
    pub measures_rounding: bool,
    /// Contraction and left-over part of an increment until they have been measured.
    pub unmeasured: [f64; 2],
    /// How much of an increment is thought to be left over, at least.
    pub least_left_over: f64,
    /// Contraction that is reckoned with at most when what is left is estimated.
    pub slowest: f64,
    /// What the contractions before the last one count.
    pub memory: Memory,
    /// What becomes of a measured contraction a step later.
    pub wear: Wear,
    /// Increments, in units of the first and of the last one, above which the matrix leads nowhere.
    pub diverges: [f64; 2],
    /// It leads nowhere too if the iterations to come would not reach the goal: from which iteration and
    /// above which contraction that is asked.
    pub hopeless: (usize, f64),
    /// Iterations beyond the last that are reckoned with there.
    pub spare: usize,
    /// Contraction above which the matrix is made anew before the next step.
    pub keep: f64,
    /// Changes of the step between which the factors are kept.
    pub same_step: [f64; 2],
}

impl LocalPolicy {
    /// Whether factors serve a step so many times as long as theirs.
    pub fn serves(&self, change: f64) -> bool {
        let [shortest, longest] = self.same_step;
        change >= shortest && change <= longest
    }
}

/// What the contractions of an iteration before the last one count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Memory {
    /// The matrix is judged by a geometric mean that halves their weight each time, the iteration by the last
    /// one.
    Mean,
    /// Both by the worst, where an older one counts by this part.
    Worst(f64),
}

impl Memory {
    /// The contraction of the matrix, after another one.
    pub fn kept(self, rate: f64, before: Option<f64>) -> f64 {
        match (self, before) {
            (Memory::Mean, Some(before)) => (rate * before).sqrt(),
            _ => self.reckoned(rate, before),
        }
    }

    /// The contraction to reckon with in this iteration.
    pub fn reckoned(self, rate: f64, before: Option<f64>) -> f64 {
        match (self, before) {
            (Memory::Worst(part), Some(before)) => rate.max(part * before),
            _ => rate,
        }
    }
}

/// How a matrix wears: the power of what was measured that is reckoned with a step later.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Wear {
    /// Of the contraction.
    Contraction(f64),
    /// Of what it leaves of an increment.
    LeftOver(f64),
}

/// How often Radau takes the matrix of an iterate: at a kink that of the other side may lead nowhere.
pub(crate) const RENEWALS: usize = 3;

/// Steps after which backward differences take derivatives anew in any case.
pub(crate) const OLDEST_DERIVATIVES: usize = 50;

/// Radau, per stage: the higher the order, the farther the error stays below its estimate. A new matrix costs
/// little beside several stages, so that one is kept only while it is nearly exact. After a wild increment
/// the next one looks small, and the speed of the step before says little where a law has just changed, as
/// that of a diode does: a part of an increment is always thought to be left over.
pub(crate) const RADAU: LocalPolicy = LocalPolicy {
    iterations: [10, 30],
    goal: 0.001,
    negligible: 1e-3,
    round_off: 50.0,
    stands: [0.1, 0.2],
    measures_rounding: true,
    unmeasured: [1.0, 1.0],
    least_left_over: 1e-3,
    slowest: 0.99,
    memory: Memory::Mean,
    wear: Wear::LeftOver(0.8),
    diverges: [2.0, f64::INFINITY],
    hopeless: (4, 0.3),
    spare: 0,
    keep: 1e-3,
    same_step: [1.0, 1.2],
};

/// Backward differences have one or two residuals in a step, beside which a matrix is dear: they keep one
/// that contracts at all, and leave more over since their error is that of one formula.
pub(crate) const BDF: LocalPolicy = LocalPolicy {
    iterations: [6, 15],
    goal: 0.03,
    measures_rounding: false,
    unmeasured: [0.0, f64::INFINITY],
    least_left_over: 0.0,
    slowest: 0.9,
    memory: Memory::Worst(0.5),
    wear: Wear::Contraction(0.85),
    diverges: [f64::INFINITY, 0.9],
    hopeless: (2, 0.0),
    spare: 1,
    keep: 0.08,
    same_step: [0.75, 1.25],
    ..RADAU
};
