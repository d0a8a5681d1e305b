//! Kinks of piecewise laws: adaptive steps end where a switch of the system passes a level.
//!
//! Inside a step that passes a kink the polynomial of the method is wrong on both sides of it. The passing is
//! therefore located on the step that was tried and the step tried again so that it ends a little before the
//! kink, on smooth ground. From there the polynomial of that step leads the small rest of the way, and the
//! integrator starts anew on the other side, with the step that it had. A method that shows nothing before it
//! has taken the step is cut off at the passing, as at an event. Where Newton's iteration fails, the motion
//! before the step is carried on to guess whether there is a kink.

mod level;
mod locate;
mod log;
mod passings;
mod stall;
mod turn;
mod watch;

pub(super) use level::Passing;
pub(crate) use log::KinkLog;
pub(super) use turn::Turn;
pub(super) use watch::KinkWatch;

/// What a study does about kinks in its laws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kinks {
    /// Ends adaptive steps at them.
    #[default]
    Locate,
    /// Steps over those whose time is not known beforehand.
    Ignore,
}

/// What a run has seen of kinks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KinkReport {
    /// Kinks and jumps of laws at which steps were ended, besides those at known times.
    pub located: usize,
    /// Steps that were tried again to end there.
    pub retried: usize,
    /// Switches that the motion slides along, passing them again and again in no time, with the time of
    /// giving up.
    pub sliding: Vec<(String, f64)>,
    /// The shortest step to which a law of time has held the motion, lest it misses a turn of the law.
    pub held: Option<f64>,
}
