//! Nodes, charts, elements and their assembly into a constrained system.
//!
//! Physics is written once, in natural coordinates: an element is a function of a few *carried vectors*
//! (points and directions that move with nodes) and gives its exact derivatives. The assembly turns
//! them into equations in the unknowns of each node's chart.

#![warn(missing_docs)]

mod assembly;
mod body;
mod carried;
mod chart;
mod constraint;
mod coordinate;
mod energy;
mod force;
pub mod forces;
pub mod joints;
mod lists;
pub mod mass_properties;
mod observe;
mod shape;
mod state;
mod system;
mod triangle_mesh;

pub use assembly::{Level, Linearization, Scratch};
pub use body::{Body, InertiaTangent};
pub use carried::{Carried, GROUND, NodeId};
pub use chart::{Chart, Frame, Twist};
pub use constraint::Constraint;
pub use coordinate::Coordinate;
pub use energy::Balance;
pub use force::{Along, Force, Motion, Power};
pub use lists::{Block, Blocks, Gradient, Gradients, MAX_CARRIED, MAX_ROWS};
pub use mass_properties::MassProperties;
pub use observe::{AngularMotion, PointMotion, Reaction};
pub use state::{Instant, State};
pub use system::{ConstraintEntry, ForceEntry, Node, System, SystemBuilder};
