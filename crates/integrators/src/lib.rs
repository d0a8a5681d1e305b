//! Time integration of constrained systems.
//!
//! A pendulum in energy–momentum steps; the lines that build it are those of the head of `poinsot_mechanics`:
//!
//! ```
//! use poinsot_integrators::{ConservingSettings, EnergyMomentum, Stepper};
//! use poinsot_mechanics::conserving::Rule;
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
//! # let system = builder.build();
//! let settings = ConservingSettings::new(Rule::EnergyMomentum);
//! let mut steps = EnergyMomentum::new(&system, settings, system.start_state(0.0))?;
//! for _ in 0..500 {
//!     steps.attempt(1e-3)?;
//!     steps.accept();
//! }
//! let (place, speed) = (steps.state().frames[1].r, &steps.state().v);
//! // What it has fallen is what it moves with: v² = 2 g (−z).
//! let squares: f64 = speed.iter().map(|v| v * v).sum();
//! assert!((squares + 2.0 * 9.81 * place.z).abs() < 1e-10);
//! # Ok::<(), poinsot_integrators::StepFailure>(())
//! ```

#![warn(missing_docs)]

mod accepted_frames;
mod amplification;
mod bdf;
mod conserving;
#[cfg(test)]
#[path = "../tests/suite/conserving_models.rs"]
#[allow(dead_code, reason = "uses a part of them")]
mod conserving_models;
mod control;
mod dense_output;
mod dg;
mod equation_rows;
mod expected_order;
mod gs4;
mod linear;
mod method;
mod named;
mod newton;
mod polynomial;
mod refusal;
mod runge_kutta;
mod setting;
mod step_failure;
mod step_map;
mod step_report;
mod stepper;
mod time_elements;
mod work;

pub use amplification::{Amplification, StabilityFunction};
pub use bdf::Bdf;
pub use bdf::settings::{BdfSettings, MAX_BDF_ORDER};
pub use conserving::energy_momentum::EnergyMomentum;
pub use conserving::galerkin::Galerkin;
pub use conserving::galerkin_settings::GalerkinSettings;
pub use conserving::settings::ConservingSettings;
pub use conserving::time_element::MAX_GALERKIN_DEGREE;
pub use conserving::treatment::{Treatment, TreatmentReport};
pub use control::{Controller, ErrorMeasure, StepDecision, Tolerance, first_step};
pub use dense_output::DenseOutput;
pub use dg::DiscontinuousGalerkin;
pub use dg::settings::DgSettings;
pub use expected_order::{ExpectedOrder, QuantityLevel};
pub use gs4::Gs4;
pub use gs4::compatibility::{ConstraintForm, Incompatibility, NormalRoots, compatibility, verdict};
pub use gs4::form::Gs4Form;
pub use gs4::member::{DEFAULT_RHO, Gs4Family, Member, MemberError, NAMED, NamedMember, Weights};
pub use gs4::settings::Settings;
pub use gs4::spectrum::{AlphaParameters, FirstStep, Overshoot, Spectrum};
pub use gs4::switches::Switches;
pub use linear::complex_factors::ComplexFactors;
pub use linear::factors::Factors;
pub use linear::jacobian::Jacobian;
pub use linear::projection::Projection;
pub use linear::saddle_point::{SaddlePoint, instant, retract};
pub use method::{Integrator, Method, integrators};
pub use named::{Key, Label, Named, Resolved, families, find, keys, owners};
pub use refusal::Refusal;
pub use runge_kutta::explicit::ExplicitRungeKutta;
pub use runge_kutta::explicit::dependents::Dependents;
pub use runge_kutta::explicit::embedding::RECHOICE_GROWTH;
pub use runge_kutta::explicit::method::{
    EXPLICIT, ExplicitMethod, ExplicitSettings, NamedExplicit, Procedure,
};
pub use runge_kutta::explicit::partition::{MAX_UNKNOWNS, Partition, PartitionError};
pub use runge_kutta::implicit::ImplicitRungeKutta;
pub use runge_kutta::implicit::collocation::{Collocation, CollocationError};
pub use runge_kutta::implicit::estimator::Estimator;
pub use runge_kutta::implicit::settings::{ImplicitFamily, ImplicitSettings, StageForm};
pub use runge_kutta::implicit::similarity::Similarity;
pub use runge_kutta::rooted_trees;
pub use runge_kutta::tableau::{Embedded, MAX_STAGES, NamedTableau, StagesError, TABLEAUS, Tableau};
pub use setting::{Counts, Given, Kind, Listed, Range, Setting, SettingError, Value, Word};
pub use step_failure::{DRIFTED, StepFailure};
pub use step_map::StepMap;
pub use step_report::{Attempt, Counters, StepReport};
pub use stepper::Stepper;
pub use time_elements::{
    CollocationPoints, ConstraintPoints, Course, ElementMap, MAX_COLLOCATION_POINTS, MAX_ELEMENT_DEGREE,
    MotionPath, Part, PathPoint, PathTangent, Place, Scheme, TimeElement, projected_velocities,
};
pub use work::{WorkMeter, is_powered};
