//! Time integration of constrained systems.

#![warn(missing_docs)]

mod amplification;
mod collocation;
mod compatibility;
mod complex_factors;
mod control;
mod dense_output;
mod dependents;
mod elimination;
mod estimator;
mod factors;
mod gs4;
mod implicit_runge_kutta;
mod jacobian;
mod member;
mod nodes;
mod outcome;
mod partition;
mod polynomial;
pub mod rooted_trees;
mod runge_kutta;
mod saddle_point;
mod similarity;
mod spectrum;
mod stepper;
mod switches;
mod tableau;
mod work;

pub use amplification::{Amplification, StabilityFunction, runge_kutta_4_stability};
pub use collocation::{Collocation, CollocationError};
pub use compatibility::{ConstraintForm, Incompatibility, NormalRoots, compatibility, verdict};
pub use complex_factors::ComplexFactors;
pub use control::{Controller, ErrorMeasure, Tolerance, Verdict, first_step};
pub use dense_output::DenseOutput;
pub use dependents::Dependents;
pub use estimator::Estimator;
pub use factors::Factors;
pub use gs4::{Form, Gs4, Settings};
pub use implicit_runge_kutta::{Family as ImplicitFamily, ImplicitRungeKutta, ImplicitSettings, StageForm};
pub use jacobian::Jacobian;
pub use member::{DEFAULT_RHO, Family, Member, MemberError, NAMED, NamedMember, Weights};
pub use outcome::{Attempt, Counters, StepFailure, StepReport};
pub use partition::{MAX_UNKNOWNS, Partition, PartitionError};
pub use runge_kutta::{Procedure, RECHOICE_GROWTH, RungeKutta4};
pub use saddle_point::{SaddlePoint, instant, retract};
pub use similarity::Similarity;
pub use spectrum::{AlphaParameters, FirstStep, Overshoot, Spectrum};
pub use stepper::{Method, RUNGE_KUTTA_4, Stepper};
pub use switches::Switches;
pub use tableau::{Embedded, MAX_STAGES, NamedTableau, StagesError, TABLEAUS, Tableau};
pub use work::WorkMeter;
