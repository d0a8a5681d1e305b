//! The joint library, one file each.

mod constant_velocity;
mod cylindrical;
pub(crate) mod distance;
mod fixed;
mod knife_edge;
mod lower_pair;
mod planar;
mod point_on_curve;
mod point_on_line;
mod point_on_plane;
mod prismatic;
mod revolute;
mod rolling;
mod rows;
mod screw;
mod sliding;
mod spherical;
mod universal;

pub use constant_velocity::constant_velocity;
pub use cylindrical::cylindrical;
pub use distance::{Distance, distance};
pub use fixed::fixed;
pub use knife_edge::knife_edge;
pub use lower_pair::LowerPair;
pub use planar::planar;
pub use point_on_curve::{PointOnCurve, curve_parameter, point_on_curve};
pub use point_on_line::point_on_line;
pub use point_on_plane::point_on_plane;
pub use prismatic::prismatic;
pub use revolute::revolute;
pub use rolling::{rolling_ball, rolling_disk};
pub use rows::{Attachment, Joint, Row};
pub use screw::screw;
pub use sliding::{Sliding, arc_length, sliding};
pub use spherical::spherical;
pub use universal::universal;
