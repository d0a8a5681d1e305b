//! Consistent start, constraint analysis and studies of a system.

#![warn(missing_docs)]

mod arc_length;
mod audit;
mod bordered;
mod branch;
mod buckling;
mod campbell;
mod checkpoint;
pub mod comparison;
mod coupled;
mod coupled_equilibrium;
mod equilibrium;
mod events;
mod explicit_form;
mod family;
mod forcing;
mod impulse;
mod kinematics;
mod lagrange_dirichlet;
mod linear;
mod linearize;
mod lyapunov;
mod mode_track;
mod modes;
mod motion;
mod nearest;
mod network_start;
mod path;
mod reduced;
mod redundancy;
mod singular_points;
mod stability;
mod start;
mod state_space;
mod steadiness;
mod tangent;
mod time_error;
mod timetable;
mod trail;

pub use audit::{Audit, Worst};
pub use buckling::{Buckling, BucklingError, BucklingMode, find_buckling};
pub use campbell::{
    Campbell, CampbellStudy, Instability, InstabilityKind, ModeBranch, OrderCrossing, Veering, campbell,
};
pub use checkpoint::{Checkpoint, ResumeError, resume};
pub use coupled::CoupledError;
pub use coupled_equilibrium::{SearchRange, search_equilibria};
pub use equilibrium::{
    Equilibrium, EquilibriumError, EquilibriumMethod, EquilibriumSettings, find_equilibrium,
};
pub use events::{Continuation, Crossing, EventHandler, Happening, LawTimes, NoEvents};
pub use explicit_form::{ExplicitError, explicit_form};
pub use family::{BuiltAnew, Family};
pub use impulse::{Blow, ImpulseError, apply_impulses, rebound};
pub use kinematics::{
    KinematicsEnding, KinematicsError, KinematicsReport, KinematicsStudy, Weakest, run_kinematics,
};
pub use lagrange_dirichlet::{Potential, PotentialError, PotentialVerdict, lagrange_dirichlet};
pub use linear::{Linear, LinearSizes};
pub use linearize::{Input, LinearModel, LinearizeError, Outputs, linearize, residuals};
pub use lyapunov::{LyapunovCheck, LyapunovError, LyapunovReport, LyapunovVerdict};
pub use mode_track::Spectrum;
pub use modes::{EigenMethod, Mode, Modes, ModesError, Verdict, find_modes};
pub use motion::{
    Ending, Event, KinkReport, Kinks, MotionReport, MotionStudy, Observer, Pace, Sample, run_motion,
    run_with_events,
};
pub use nearest::{Nearness, nearest_equilibrium};
pub use path::{
    Branch, NobodyWatches, PathEnding, PathError, PathFailure, PathObserver, PathPoint, PathReport,
    PathSettings, SingularKind, SingularPoint, follow_path,
};
pub use redundancy::{RANK_TOLERANCE, Redundancy, RedundantRow, reported_reactions};
pub use stability::{LinearStability, LinearVerdict, Stability, StaticStability};
pub use start::{StartError, StartReport, VariableChange, consistent_start, largest_residual};
pub use state_space::{MAX_DENSE, StateSpace, StateSpaceError};
pub use steadiness::{Changing, changing, moving_later};
pub use time_error::{TimeError, TimeErrorClaim};
pub use trail::Trail;
