//! The force library, one file each. Gravity is a field of the whole system (see [`crate::System`]).

mod bushing;
mod coordinate_force;
mod point_force;
mod stop;
mod torque;

pub use bushing::Bushing;
pub use coordinate_force::CoordinateForce;
pub use point_force::PointForce;
pub use stop::Stop;
pub use torque::Torque;

use poinsot_expr::Function;
use poinsot_geometry::Vec3;

/// The three components of a load at time t.
fn components(load: &[Function; 3], t: f64) -> Vec3 {
    Vec3::new(load[0].value(&[t]), load[1].value(&[t]), load[2].value(&[t]))
}
