//! The clock of the laws: a law of time that jumps has two limits at the jump.
//!
//! Between two breaks τ₁ < τ₂ of the laws of time a step must see one smooth function, up to its very ends:
//! the limit from the right at τ₁, from the left at τ₂, however the jump is written (`<` or `<=`). The laws
//! are therefore evaluated at times held inside the open interval by a few units of rounding,
//!
//! ```text
//! t_law = min(max(t, τ₁ + δ), τ₂ − δ),
//! ```
//! while the motion keeps its own time t. Whoever drives an integration sets the interval.

use crate::system::System;
use std::cell::Cell;

/// How far inside of the breaks the laws are evaluated, relative to the times: more than the rounding of a
/// break and of the condition that makes it.
const INSIDE: f64 = 8.0 * f64::EPSILON;

/// Times between two breaks of the laws of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LawSpan {
    first: f64,
    last: f64,
}

impl LawSpan {
    /// Everything: no law has a break.
    pub const ALL: LawSpan = LawSpan { first: f64::NEG_INFINITY, last: f64::INFINITY };

    /// Between two breaks, infinite where there is none; `scale` is a time by which rounding is measured
    /// there.
    ///
    /// ```
    /// use poinsot_mechanics::LawSpan;
    /// let span = LawSpan::between(0.5, 0.7, 1.0);
    /// assert_eq!(span.hold(0.6), 0.6);
    /// assert!(span.hold(0.5) > 0.5 && span.hold(0.5) < 0.5 + 1e-14);
    /// assert!(span.hold(0.7) < 0.7 && span.hold(0.7) > 0.7 - 1e-14);
    /// ```
    pub fn between(from: f64, to: f64, scale: f64) -> Self {
        let inside = INSIDE * scale.abs();
        let (first, last) = (from + inside, to - inside);
        if first <= last {
            return LawSpan { first, last };
        }
        let middle = from + 0.5 * (to - from);
        LawSpan { first: middle, last: middle }
    }

    /// The time nearest to `t` inside.
    #[inline]
    pub fn hold(&self, t: f64) -> f64 {
        t.max(self.first).min(self.last)
    }
}

/// The interval in which the laws of a system are evaluated now.
#[derive(Debug)]
pub(crate) struct Clock(Cell<LawSpan>);

impl Default for Clock {
    fn default() -> Self {
        Clock(Cell::new(LawSpan::ALL))
    }
}

impl System {
    /// Lets the laws see times of an interval only, until the next call.
    pub fn hold_laws(&self, span: LawSpan) {
        self.clock.0.set(span);
    }

    /// The interval of times that the laws see.
    pub fn law_span(&self) -> LawSpan {
        self.clock.0.get()
    }

    /// The time that laws see at time `t`.
    #[inline]
    pub fn law_time(&self, t: f64) -> f64 {
        self.clock.0.get().hold(t)
    }
}
