//! Nodes, charts, elements and their assembly into a constrained system.
//!
//! Physics is written once, in natural coordinates: an element is a function of a few *carried vectors*
//! (points and directions that move with nodes) and gives its exact derivatives. The assembly turns
//! them into equations in the unknowns of each node's chart.
//!
//! ```
//! use poinsot_geometry::{Mat3, Vec3};
//! use poinsot_mechanics::joints::{Attachment, distance};
//! use poinsot_mechanics::{Body, Chart, Frame, GROUND, MassProperties, SystemBuilder, Twist};
//!
//! // A mass on a rod of one metre, let go when the rod is level.
//! let mut builder = SystemBuilder::new(Vec3::z() * -9.81);
//! let start = Frame { r: Vec3::x(), rot: Mat3::identity() };
//! let still = Twist { linear: Vec3::zeros(), angular: Vec3::zeros() };
//! let bob = builder.node("bob", Chart::Point, start, still);
//! builder.body(Body::new(bob, &MassProperties::point(2.0, Vec3::zeros())));
//! let end = |node| Attachment { node, origin: Vec3::zeros(), axes: Mat3::identity() };
//! builder.constraint("rod", Box::new(distance(&end(GROUND), &end(bob), 1.0)));
//! let system = builder.build();
//! // Three coordinates and one multiplier.
//! assert_eq!((system.coordinates(), system.active_rows(), system.size()), (3, 1, 4));
//! ```

#![warn(missing_docs)]

pub mod ancf;
mod assembly;
pub mod beams;
mod command;
mod composite;
pub mod conserving;
mod constraint;
mod coordinate;
pub mod couplings;
mod discrete_gradients;
pub mod drives;
mod element_buffers;
pub mod element_groups;
mod energy;
mod energy_models;
mod equations;
pub mod flexible;
mod force;
pub mod forces;
mod friction;
mod itinerary;
pub mod joints;
mod mass;
mod networks;
mod nodes;
mod pressing;
mod reaction_reading;
mod reading;
mod readout;
mod room;
mod speed;
mod start_value;
mod switches;
mod system;
mod variable_reading;

pub use assembly::strain::{Slopes, StrainElement, StrainPoint};
pub use assembly::{Level, Linearization, Scratch, StepPolynomial};
pub use composite::Composite;
pub use constraint::{Configuration, Constraint, Levels};
pub use coordinate::{Coordinate, Slope};
pub use discrete_gradients::StepEnds;
pub use element_buffers::{
    Block, Blocks, Gradient, Gradients, MAX_CARRIED, MAX_CONSTRAINED, MAX_MEMORY, MAX_ROWS, MAX_SHAPES,
    MAX_UNKNOWNS,
};
pub use energy::Balance;
pub use energy_models::{
    BranchGraph, Coupled, Discipline, DisciplineVariable, EquationForm, GraphBranch, Hidden, Lagrangian,
    LagrangianEquations, LagrangianError, LagrangianStart, LagrangianStartError, Row, RowKind, Sharing,
    SpanningTree, StartGuess, Unknown, UnknownKind,
};
pub use equations::{Equation, Equations, EquationsError, Law};
pub use force::{Extensions, Force, Motion, Power};
pub use forces::{Along, CoordinateElement, PressedElement};
pub use friction::{DiscreteGrip, Friction, FrictionEntry};
pub use itinerary::Itinerary;
pub use mass::{Body, Inertia, InertiaTangent, MassProperties, mass_properties};
pub use networks::{
    Booking, Load, LoadTarget, Network, NetworkEnergy, NetworkEntry, NetworkError, NetworkStartError,
    OpenEquation, ReadingResponse, Variable,
};
pub use nodes::{Carried, Chart, Frame, FrameRate, GROUND, NodeId, Twist};
pub use reaction_reading::{MAX_REACTIONS, ReactionPart, ReactionReading, ReadDirection};
pub use reading::Reading;
pub use readout::{AngularMotion, PointMotion, Reaction};
pub use speed::Speed;
pub use start_value::{Asked, StartValue};
pub use switches::Switches;
pub use system::clock::LawSpan;
pub use system::state::{Instant, State};
pub use system::{ConstraintEntry, ForceEntry, Node, System, SystemBuilder};
pub use variable_reading::VariableReading;
