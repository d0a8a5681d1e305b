//! Finite elements in time: the weak form of the equations of motion over an element, its exact derivatives,
//! and the fields inside it (motion-interpolation-galerkin §1.14 … §1.16, §1.18).
//!
//! An element takes the state before it and gives equations for the motion over it. It knows no steps and no
//! neighbours: an integrator solves one after the other, a periodic problem or a control all of them at once.

mod blocks;
mod course;
mod element;
mod element_map;
mod guess;
mod layout;
mod motion_path;
pub(crate) mod newton;
mod projected_velocities;
mod row_weights;
pub(crate) mod scheme;
mod slopes;
mod tangent;

pub use course::Course;
pub use element::TimeElement;
pub use element_map::ElementMap;
pub use motion_path::{MotionPath, PathPoint, PathTangent};
pub use projected_velocities::projected_velocities;
pub use scheme::{
    CollocationPoints, ConstraintPoints, MAX_COLLOCATION_POINTS, MAX_ELEMENT_DEGREE, Part, Place, Scheme,
};
