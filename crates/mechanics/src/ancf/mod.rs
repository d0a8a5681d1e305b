//! Absolute nodal coordinates: nodes carry a place r and slopes ∂r/∂x as free vectors
//! (floating-frame-and-ancf §1.21.1).
//!
//! ```text
//! r(x) = Σ_a S_a(x) e_a,    e_a the places and slopes of the nodes
//! T = ½ Σ_ab M_ab ė_a·ė_b,  M_ab = ∫ρ S_a S_b dV               constant, no Coriolis terms
//! ```
//! A place is an ordinary point ([`Chart::Point`](crate::Chart::Point) or `PlanarPoint`), a slope a node of
//! its own with the chart [`Chart::Slope`](crate::Chart::Slope) or `PlanarSlope`. Elements see both as
//! carried vectors, [`Carried::point`](crate::Carried::point) and
//! [`Carried::slope`](crate::Carried::slope); which chart moves them they do not know. The mass is an
//! [`Inertia`](crate::Inertia) between all of them. How a slope differs from a place (digest §1.21.6):
//!
//! * weight: Q_a = Σ_b M_ab c_b g with c_b = 1 for places and 0 for slopes, so that a slope gets weight
//!   through its mass in common with places, m [½, l/12, ½, −l/12] g;
//! * centre of mass and linear momentum: the same sums over places;
//! * angular momentum: Σ x_a × M_ab ẋ_b over all vectors;
//! * frames of reference that turn act on it as on any vector, Ω × s, without a centre;
//! * its unknowns are measured by one, like turns, not by a length.

mod action;
mod batch;
mod cable;
mod curved;
mod ends;
mod floating;
mod group;
mod lane_point;
mod law;
mod load;
mod local;
mod mass;
mod measure;
mod node;
mod shape;
mod simplified;
mod slope_moment;
pub mod solid;
mod state_load;
mod triple;

pub use action::CableLoadKind;
pub use cable::{Cable, CableDesign};
pub use ends::{clamp, corner_ties, planar_tie};
pub use floating::{FloatingCoordinates, floating_coordinates, nodal_coordinates, velocity_transformation};
pub(crate) use group::LineElements;
pub use law::{CableError, CableFrame, CablePoints, CableSection, CableStrain};
pub use load::CableLoad;
pub use mass::{cable_mass, lumped_cable_mass};
pub use node::SlopeNode;
pub use shape::Cubic;
pub use slope_moment::SlopeMoment;
pub use state_load::CableStateLoad;
