//! Screw joint: rotation about and translation along one axis, tied by the lead.
//!
//! ```text
//! Φ = (cylindrical rows, s − (p/2π) θ) = 0        (5 rows)
//! ```
//! with the displacement s and the unwrapped angle θ of the second attachment, and the lead p, the advance
//! per turn; p < 0 is a left-handed thread.

use super::cylindrical;
use super::rows::Attachment;
use crate::composite::Composite;
use crate::coordinate::Coordinate;
use crate::equations::{Equation, Equations, Law};
use std::f64::consts::TAU;

/// Screw joint about the third axes of the attachments with the given lead (m per turn).
pub fn screw(first: &Attachment, second: &Attachment, lead: f64) -> Composite {
    let coordinates = vec![Coordinate::displacement(first, second), Coordinate::angle(first, second)];
    let thread = Equation::holonomic("thread", 2, Law::linear(vec![1.0, -lead / TAU], 0.0));
    let thread = Equations::new("screw", coordinates, vec![], vec![thread], second.point());
    Composite::new("screw", vec![Box::new(cylindrical(first, second)), Box::new(thread)])
}
