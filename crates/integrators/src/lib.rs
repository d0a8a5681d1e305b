//! Time integration of constrained systems.

#![warn(missing_docs)]

mod dependents;
mod factors;
mod gs4;
mod jacobian;
mod member;
mod outcome;
mod partition;
mod runge_kutta;
mod saddle_point;
mod stepper;
mod work;

pub use dependents::Dependents;
pub use factors::Factors;
pub use gs4::{Form, Gs4, Settings};
pub use jacobian::Jacobian;
pub use member::{DEFAULT_RHO, Family, Member, MemberError, NAMED, NamedMember, Weights};
pub use outcome::{Counters, StepFailure, StepReport};
pub use partition::{MAX_UNKNOWNS, Partition, PartitionError};
pub use runge_kutta::{Procedure, RECHOICE_GROWTH, RungeKutta4};
pub use saddle_point::{SaddlePoint, instant, retract};
pub use stepper::{Method, RUNGE_KUTTA_4, Stepper};
pub use work::WorkMeter;
