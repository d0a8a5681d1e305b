//! Nodes, how they move, and the vectors that move with them.

pub(crate) mod between;
pub(crate) mod carried;
pub(crate) mod chart;
pub(crate) mod natural;

pub use carried::{Carried, GROUND, NodeId};
pub use chart::{Chart, Frame, Twist};
pub use natural::FrameRate;
