//! Time integration of constrained systems.

#![warn(missing_docs)]

mod saddle_point;
mod gs4;
mod member;
mod outcome;

pub use saddle_point::{SaddlePoint, instant, retract};
pub use gs4::{Form, Gs4, Settings};
pub use member::{Family, Member, MemberError, NAMED, NamedMember, Weights};
pub use outcome::{Counters, StepFailure, StepReport};
