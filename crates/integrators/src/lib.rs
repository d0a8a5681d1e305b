//! Time integration of constrained systems.

#![warn(missing_docs)]

mod factors;
mod gs4;
mod member;
mod outcome;
mod saddle_point;

pub use factors::Factors;
pub use gs4::{Form, Gs4, Settings};
pub use member::{DEFAULT_RHO, Family, Member, MemberError, NAMED, NamedMember, Weights};
pub use outcome::{Counters, StepFailure, StepReport};
pub use saddle_point::{SaddlePoint, instant, retract};
