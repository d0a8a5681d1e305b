//! Nodes, charts, elements and their assembly into a constrained system.
//!
//! Physics is written once, in natural coordinates: an element is a function of a few *carried vectors*
//! (points and directions that move with nodes) and gives its exact derivatives. The assembly turns
//! them into equations in the unknowns of each node's chart.

#![warn(missing_docs)]

mod assembly;
pub mod beams;
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
mod force;
pub mod forces;
mod friction;
pub mod joints;
mod mass;
mod networks;
mod nodes;
mod readout;
mod speed;
mod switches;
mod system;

pub use assembly::strain::{Slopes, StrainElement, StrainPoint};
pub use assembly::{Level, Linearization, Scratch, StepPolynomial};
pub use composite::Composite;
pub use constraint::{Configuration, Constraint, Levels};
pub use coordinate::{Coordinate, Slope};
pub use discrete_gradients::StepEnds;
pub use element_buffers::{
    Block, Blocks, Gradient, Gradients, MAX_CARRIED, MAX_CONSTRAINED, MAX_MEMORY, MAX_ROWS,
};
pub use energy::Balance;
pub use energy_models::{
    BranchGraph, Coupled, Discipline, DisciplineVariable, Form, GraphBranch, Hidden, Lagrangian,
    LagrangianEquations, LagrangianError, LagrangianStart, LagrangianStartError, Row, RowKind, Sharing,
    SpanningTree, StartGuess, Unknown, UnknownKind,
};
pub use equations::{Equation, Equations, EquationsError, Law};
pub use force::{Extensions, Force, Motion, Power};
pub use forces::{Along, CoordinateElement};
pub use friction::{DiscreteGrip, Friction, FrictionEntry};
pub use mass::{Body, Inertia, InertiaTangent, MassProperties, mass_properties};
pub use networks::{
    Load, Network, NetworkEnergy, NetworkEntry, NetworkError, NetworkStartError, OpenEquation, Reading,
    ReadingResponse, Variable,
};
pub use nodes::{Carried, Chart, Frame, FrameRate, GROUND, NodeId, Twist};
pub use readout::{AngularMotion, PointMotion, Reaction};
pub use speed::Speed;
pub use switches::Switches;
pub use system::clock::LawSpan;
pub use system::state::{Instant, State};
pub use system::{ConstraintEntry, ForceEntry, Node, System, SystemBuilder};
