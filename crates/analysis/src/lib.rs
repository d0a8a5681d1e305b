//! Consistent start, constraint analysis and studies of a system.

#![warn(missing_docs)]

mod audit;
pub mod bytes;
mod checkpoint;
pub mod comparison;
mod equilibrium;
mod events;
mod impulse;
mod kinematics;
mod linear;
mod linearize;
mod modes;
mod motion;
mod redundancy;
mod stability;
mod start;
mod state_space;
mod tangent;
mod timetable;

pub use audit::{Audit, Worst};
pub use checkpoint::{Checkpoint, ResumeError, resume};
pub use equilibrium::{
    Equilibrium, EquilibriumError, EquilibriumMethod, EquilibriumSettings, find_equilibrium,
};
pub use events::{Continuation, Crossing, EventHandler, Happening, NoEvents};
pub use impulse::{Blow, ImpulseError, apply_impulses, rebound};
pub use kinematics::{
    KinematicsEnding, KinematicsError, KinematicsReport, KinematicsStudy, Weakest, run_kinematics,
};
pub use linear::Linear;
pub use linearize::{Input, LinearModel, LinearizeError, Outputs, linearize};
pub use modes::{EigenMethod, Mode, Modes, ModesError, Verdict, find_modes};
pub use motion::{
    Ending, Event, KinkReport, Kinks, MotionReport, MotionStudy, Observer, Pace, Sample, run_motion,
    run_with_events,
};
pub use redundancy::{RANK_TOLERANCE, Redundancy, RedundantRow, reported_reactions};
pub use stability::{Stability, StaticStability};
pub use start::{StartError, StartReport, VariableChange, consistent_start, largest_residual};
pub use state_space::{MAX_DENSE, StateSpace, StateSpaceError};
