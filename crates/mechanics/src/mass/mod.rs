//! What has mass: bodies, mass shared between nodes, and the mass properties of solids.

pub(crate) mod body;
pub(crate) mod inertia;
pub mod mass_properties;
mod shape;
mod triangle_mesh;

pub use body::{Body, InertiaTangent};
pub use inertia::Inertia;
pub use mass_properties::MassProperties;
