//! Consistent start, constraint analysis and studies of a system.
//!
//! A pendulum, made as in the head of `poinsot_mechanics`, from a consistent start to the end of a motion:
//!
//! ```
//! use poinsot_analysis::{Ending, MotionStudy, Sample, consistent_start, run_motion};
//! use poinsot_integrators::Settings;
//! use poinsot_mechanics::System;
//! # use poinsot_geometry::{Mat3, Vec3};
//! # use poinsot_mechanics::joints::{Attachment, distance};
//! # use poinsot_mechanics::{Body, Chart, Frame, GROUND, MassProperties, SystemBuilder, Twist};
//! #
//! # // A mass on a rod of one metre, let go when the rod is level.
//! # let mut builder = SystemBuilder::new(Vec3::z() * -9.81);
//! # let start = Frame { r: Vec3::x(), rot: Mat3::identity() };
//! # let still = Twist { linear: Vec3::zeros(), angular: Vec3::zeros() };
//! # let bob = builder.node("bob", Chart::Point, start, still);
//! # builder.body(Body::new(bob, &MassProperties::point(2.0, Vec3::zeros())));
//! # let end = |node| Attachment { node, origin: Vec3::zeros(), axes: Mat3::identity() };
//! # builder.constraint("rod", Box::new(distance(&end(GROUND), &end(bob), 1.0)));
//! # let mut system = builder.build();
//! let (state, _) = consistent_start(&mut system, 0.0)?;
//! let study = MotionStudy::fixed(1.0, 1e-3, 1, Settings::default());
//! let mut lowest: f64 = 0.0;
//! let mut watch = |_: &System, sample: &Sample| lowest = lowest.min(sample.at.frames[1].r.z);
//! let report = run_motion(&mut system, state, &study, &mut watch)?;
//! assert_eq!(report.ending, Ending::Completed);
//! assert!((lowest + 1.0).abs() < 1e-4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

mod arc_length;
mod audit;
mod bordered;
mod buckling;
mod campbell;
mod carry;
mod checkpoint;
pub mod comparison;
mod continuation;
mod coupled;
mod coupled_equilibrium;
mod equilibrium;
mod events;
mod explicit_form;
mod family;
mod floquet_sweep;
mod floquet_track;
mod forcing;
mod fourier_orbit;
mod halt;
mod hopf;
mod impulse;
mod kinematics;
mod lagrange_dirichlet;
mod linear;
mod linearize;
mod lyapunov;
mod mode_track;
mod modes;
mod motion;
mod multi_blade;
mod nearest;
mod network_start;
mod optimal;
mod path;
mod periodic;
mod periodic_linear;
mod reduced;
mod redundancy;
mod singular_points;
mod stability;
mod start;
mod start_values;
mod state_space;
mod steadiness;
mod steady;
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
pub use continuation::{
    OrbitFamily, OrbitMember, OrbitPoint, OrbitSingular, OrbitSingularKind, ResponseBranch, ResponseEnding,
    ResponseError, ResponseObserver, ResponseReport, ResponseSettings, ResponseStart, follow_response,
};
pub use coupled::CoupledError;
pub use coupled_equilibrium::{SearchRange, search_equilibria};
pub use equilibrium::{
    Equilibrium, EquilibriumError, EquilibriumMethod, EquilibriumSettings, VelocityForces, find_equilibrium,
};
pub use events::{Continuation, Crossing, EventHandler, EventId, LawTimes, NoEvents};
pub use explicit_form::{ExplicitError, explicit_form};
pub use family::{BuiltAnew, FamilyError, SystemFamily};
pub use floquet_sweep::{FloquetBranch, FloquetStudy, FloquetSweep, GrowthKind, GrowthRange, floquet_sweep};
pub use floquet_track::FloquetSpectrum;
pub use fourier_orbit::{FourierOrbit, FourierOrbitError, fourier_orbit, harmonic_balance};
pub use halt::Halt;
pub use hopf::{HopfMotion, hopf_motion};
pub use impulse::{Impulse, ImpulseError, apply_impulses, rebound};
pub use kinematics::{
    KinematicsEnding, KinematicsError, KinematicsReport, KinematicsStudy, Weakest, run_kinematics,
};
pub use lagrange_dirichlet::{Potential, PotentialError, PotentialVerdict, lagrange_dirichlet};
pub use linear::{Linear, LinearSizes};
pub use linearize::{Input, LinearModel, LinearizeError, Outputs, linearize, residuals};
pub use lyapunov::{LyapunovCheck, LyapunovError, LyapunovReport, LyapunovVerdict};
pub use mode_track::Spectrum;
pub use modes::{EigenMethod, EigenvalueVerdict, Mode, Modes, ModesError, find_modes};
pub use motion::{
    Ending, Event, KinkReport, Kinks, MotionReport, MotionStudy, Observer, Pace, Sample, run_motion,
    run_with_events,
};
pub use multi_blade::{MultiBlade, MultiBladeError, Rotor};
pub use nearest::{Nearness, nearest_equilibrium};
pub use optimal::{
    Condition, Duration, Free, OptimalError, OptimalMotion, OptimalProblem, OptimalSettings, Quantity,
    Setting, VariableQuantity, Where, find_optimal,
};
pub use path::{
    Branch, NoObserver, PathEnding, PathError, PathFailure, PathObserver, PathPoint, PathReport,
    PathSettings, SingularKind, SingularPoint, follow_path,
};
pub use periodic::{
    Changes, Closure, Correction, CorrectionReport, Dependence, Floquet, FloquetVerdict, LeadingReport,
    MeshReport, Multiplier, Orbit, PeriodGiven, PeriodicError, PeriodicReport, PeriodicScheme,
    PeriodicSettings, Shooting, Spectral, Winding, find_leading, find_periodic, find_periodic_near, swing,
};
pub use periodic_linear::{PeriodicLinear, PeriodicLinearError};
pub use redundancy::{RANK_TOLERANCE, Redundancy, RedundantRow, reported_reactions};
pub use stability::{LinearStability, LinearVerdict, Stability, StaticStability};
pub use start::{StartError, StartReport, VariableChange, consistent_start, largest_residual};
pub use start_values::ReachedValue;
pub use state_space::{MAX_DENSE, StateSpace, StateSpaceError};
pub use steadiness::{Changing, changing, moving_later};
pub use steady::{Rotation, Steady, SteadyError, SteadyMethod, find_steady};
pub use time_error::{TimeError, TimeErrorClaim};
pub use trail::Trail;
