//! The joint library, one file each.

mod cylindrical;
pub(crate) mod distance;
mod fixed;
mod planar;
mod prismatic;
mod revolute;
mod rows;
mod spherical;
mod universal;

pub use cylindrical::cylindrical;
pub use distance::{Distance, distance};
pub use fixed::fixed;
pub use planar::planar;
pub use prismatic::prismatic;
pub use revolute::revolute;
pub use rows::{Attachment, Joint, Row};
pub use spherical::spherical;
pub use universal::universal;
