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

mod assembly;
pub mod beams;
mod body;
mod branch_graph;
mod carried;
mod chart;
mod clock;
mod composite;
pub mod conserving;
mod constraint;
mod coordinate;
pub mod couplings;
mod discipline;
mod discrete_coordinate;
mod discrete_equations;
mod discrete_gradient;
pub mod drives;
mod energy;
mod equations;
mod force;
pub mod forces;
mod friction;
mod hidden_equations;
mod inertia;
pub mod input_file;
mod jacobian;
pub mod joints;
mod lagrangian;
mod lagrangian_start;
mod law;
mod least_change;
mod lists;
pub mod mass_properties;
mod natural;
mod network;
mod network_energy;
mod network_laws;
mod network_rates;
mod network_start;
mod network_structure;
mod network_switches;
mod observe;
mod passage;
mod shape;
mod sparse_square;
mod speed;
mod state;
mod strain;
mod switches;
mod system;
mod triangle_mesh;

pub use assembly::{Level, Linearization, Scratch, StepPolynomial};
pub use body::{Body, InertiaTangent};
pub use branch_graph::{BranchGraph, GraphBranch, SpanningTree};
pub use carried::{Carried, GROUND, NodeId};
pub use chart::{Chart, Frame, Twist};
pub use clock::LawSpan;
pub use composite::Composite;
pub use constraint::{Configuration, Constraint, Levels};
pub use coordinate::{Coordinate, Slope};
pub use discipline::{Discipline, DisciplineVariable, Sharing};
pub use energy::Balance;
pub use equations::{Equation, Equations, EquationsError};
pub use force::{Along, Force, Motion, Power};
pub use friction::{DiscreteGrip, Friction, FrictionEntry};
pub use inertia::Inertia;
pub use lagrangian::{
    Coupled, Form, Lagrangian, LagrangianEquations, LagrangianError, Row, RowKind, Unknown, UnknownKind,
};
pub use lagrangian_start::{Hidden, LagrangianStart, LagrangianStartError, StartGuess};
pub use law::Law;
pub use lists::{Block, Blocks, Gradient, Gradients, MAX_CARRIED, MAX_CONSTRAINED, MAX_MEMORY, MAX_ROWS};
pub use mass_properties::MassProperties;
pub use natural::FrameRate;
pub use network::{Load, Network, NetworkEntry, NetworkError, OpenEquation, Reading, Variable};
pub use network_energy::NetworkEnergy;
pub use network_start::{NetworkStartError, ReadingResponse};
pub use observe::{AngularMotion, PointMotion, Reaction};
pub use passage::Passage;
pub use speed::Speed;
pub use state::{Instant, State};
pub use strain::{Slopes, StrainPoint};
pub use switches::Switches;
pub use system::{ConstraintEntry, ForceEntry, Node, System, SystemBuilder};
