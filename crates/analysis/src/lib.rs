//! Consistent start, constraint analysis and studies of a system.

#![warn(missing_docs)]

mod motion;
mod redundancy;
mod start;

pub use motion::{Audit, Ending, MotionReport, MotionStudy, Observer, Sample, Worst, run_motion};
pub use redundancy::{Jacobian, RANK_TOLERANCE, RedundantRow};
pub use start::{StartError, StartReport, consistent_start, largest_residual};
