//! Following curves of solutions along a parameter, whatever is followed: equilibria or periodic motions
//! (motion-interpolation-galerkin §1.13, G13).
//!
//! ```text
//! F(x; p) = 0,    n equations with n unknowns x and a parameter p: curves x(s), p(s)
//! ```
//! What is followed is a [`Curve`]: it solves F with a border, measures directions and knows what is special
//! about it. All else is here and the same for all: predictor, corrector and tangent ([`corrector`]), control
//! of the steps and their ends ([`tracer`]), roots along the arc ([`root`]), points where the parameter turns
//! back and the way onto another curve ([`switch`]). Equilibria are followed by `arc_length.rs`, periodic
//! motions by [`orbit_curve`], whose singular points are [`orbit_singular`].

pub(crate) mod corrector;
pub(crate) mod curve;
pub(crate) mod orbit_curve;
pub(crate) mod orbit_member;
pub(crate) mod orbit_point;
pub(crate) mod orbit_singular;
pub(crate) mod response;
pub(crate) mod root;
pub(crate) mod switch;
#[cfg(test)]
mod tests;
pub(crate) mod tracer;

pub(crate) use corrector::{size, tangent};
pub(crate) use curve::{Curve, Direction, Miss, OnCurve, Passed, Place, Step};
pub(crate) use root::{point_at, root};
pub(crate) use tracer::{CurveObserver, Ending, Pace, Stop, Tracer};

pub use orbit_member::{OrbitFamily, OrbitMember};
pub use orbit_point::OrbitPoint;
pub use orbit_singular::{OrbitSingular, OrbitSingularKind};
pub use response::{
    ResponseBranch, ResponseEnding, ResponseError, ResponseObserver, ResponseReport, ResponseSettings,
    ResponseStart, follow_response,
};
