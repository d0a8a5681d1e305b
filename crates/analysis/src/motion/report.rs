//! What a run gives besides its samples.

use super::kinks::KinkReport;
use crate::audit::Audit;
use crate::events::EventId;
use crate::halt::Halt;
use poinsot_integrators::{Counters, StepFailure};
use poinsot_mechanics::State;
use serde::{Deserialize, Serialize};

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// Reached the end time, or an event that ends the motion.
    Completed,
    /// Stopped on request.
    Interrupted,
    /// Has taken as many steps as it may.
    OutOfSteps,
    /// A step failed.
    Failed(StepFailure),
    /// The observer does not go on from a sample.
    Halted(Halt),
    /// An event could not be handled.
    EventFailed(Halt),
}

/// An event that has happened.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// When (s).
    pub time: f64,
    /// What.
    pub what: EventId,
}

/// What a run gives besides its samples.
#[derive(Clone, Debug)]
pub struct MotionReport {
    /// How it ended.
    pub ending: Ending,
    /// Where it started (s).
    pub start_time: f64,
    /// The state that was reached.
    pub state: State,
    /// Cost.
    pub counters: Counters,
    /// How often an embedding has changed its independent coordinates.
    pub rechoices: usize,
    /// What the integrator has to say about the motion.
    pub warning: Option<&'static str>,
    /// Evidence.
    pub audit: Audit,
    /// Events in the order in which they happened.
    pub events: Vec<Event>,
    /// Kinks of piecewise laws.
    pub kinks: KinkReport,
}
