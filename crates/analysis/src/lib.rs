//! Consistent start, constraint analysis and studies of a system.

#![warn(missing_docs)]

mod linear;
mod modes;
mod motion;
mod redundancy;
mod start;
mod state_space;

pub use linear::Linear;
pub use modes::{EigenMethod, Mode, Modes, ModesError, Verdict, find_modes};
pub use motion::{Audit, Ending, MotionReport, MotionStudy, Observer, Sample, Worst, run_motion};
pub use redundancy::{Jacobian, RANK_TOLERANCE, RedundantRow};
pub use state_space::{MAX_DENSE, StateSpace, StateSpaceError};
pub use start::{StartError, StartReport, consistent_start, largest_residual};
