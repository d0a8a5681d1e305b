//! Parts of a run, and why they end.

use super::{Ending, MotionStudy, Pace};
use crate::events::Happening;
use poinsot_integrators::StepFailure;
use poinsot_mechanics::State;

/// Relative to its terms, how far an algebraic equation must be from holding to have been opened by a jump.
pub(super) const OPEN_BEHIND_JUMP: f64 = 1e-10;

/// How a part of the run ended.
pub(super) enum Segment {
    Ended(Ending),
    /// A redundant row has become weak in its dependence.
    Weak,
    /// A step has left a redundant row open: the rows in force were satisfied elsewhere. With the state
    /// before it.
    Astray(Box<State>),
    /// Something has happened, each with the side of zero a signal comes from, with the state there.
    Events(Vec<(Happening, f64)>, Box<State>),
    /// It is time for a checkpoint.
    Checkpoint,
    /// A law has a kink here.
    Kink,
    /// A piecewise law has a kink, behind which is this state.
    Passed(Box<State>),
}

impl Segment {
    /// How far an algebraic equation must be from holding at the new start to have been opened by a jump: at
    /// a kink that was located on a polynomial more than its error.
    pub(super) fn least_opening(&self, study: &MotionStudy) -> f64 {
        match (self, &study.pace) {
            (Segment::Kink, _) => OPEN_BEHIND_JUMP,
            (Segment::Passed(_), Pace::Adaptive { tolerance, .. }) => {
                100.0 * tolerance.relative.max(tolerance.absolute)
            }
            _ => f64::INFINITY,
        }
    }
}

/// Why a part of the run ends.
pub(super) enum Break {
    Segment(Segment),
    Failure(StepFailure),
}

impl From<StepFailure> for Break {
    fn from(failure: StepFailure) -> Self {
        Break::Failure(failure)
    }
}

impl From<Ending> for Break {
    fn from(ending: Ending) -> Self {
        Break::Segment(Segment::Ended(ending))
    }
}
