//! Why a part of the run stops.

use super::Ending;
use crate::events::EventId;
use poinsot_integrators::StepFailure;
use poinsot_mechanics::State;

/// Why a part of the run stops.
pub(super) enum Stop {
    /// The motion ends here.
    Ended(Ending),
    /// A failure that leaves nothing to report.
    Failure(StepFailure),
    /// A law has a kink: here, or at this state inside the last step, where a switch has passed its level.
    Kink(Option<Box<State>>),
    /// A redundant row has become weak in its dependence.
    WeakRow,
    /// A step has left a redundant row open: the rows in force were satisfied elsewhere. With the state
    /// before it.
    Astray(Box<State>),
    /// Something has happened, each with the side of zero a signal comes from, with the state there.
    Events(Vec<(EventId, f64)>, Box<State>),
    /// It is time for a checkpoint.
    Checkpoint,
}

impl Stop {
    /// A failure ends the motion, and what was found before it is kept.
    pub fn reported(self) -> Self {
        match self {
            Stop::Failure(failure) => Ending::Failed(failure).into(),
            stop => stop,
        }
    }
}

impl From<StepFailure> for Stop {
    fn from(failure: StepFailure) -> Self {
        Stop::Failure(failure)
    }
}

impl From<Ending> for Stop {
    fn from(ending: Ending) -> Self {
        Stop::Ended(ending)
    }
}
