//! Drives: coordinates, points and angular velocities that follow a law of time, with its exact derivatives.

mod angular_velocity;
mod coordinate;
mod point;

pub use angular_velocity::{angular_velocity, angular_velocity_by};
pub use coordinate::{coordinate, coordinate_rate};
pub use point::point;
