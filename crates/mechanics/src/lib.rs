//! Nodes, charts, elements and their assembly into a constrained system.
//!
//! Physics is written once, in natural coordinates: an element is a function of a few *carried vectors*
//! (points and directions that move with nodes) and gives its exact derivatives. The assembly turns
//! them into equations in the unknowns of each node's chart.

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
