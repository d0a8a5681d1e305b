//! Rack and pinion: a toothed wheel drives a bar.
//!
//! ```text
//! Φ = s − r θ − c = 0        (1 row)
//! ```
//! with the rack's displacement s, the pinion's angle θ and its pitch radius r; r < 0 reverses. λ is the
//! tooth force.

use super::linear;
use crate::coordinate::Coordinate;
use crate::equations::Equations;
use crate::nodes::carried::Carried;

/// Rack and pinion with the given pitch radius.
pub fn rack_and_pinion(
    angle: Coordinate,
    displacement: Coordinate,
    radius: f64,
    offset: f64,
    at: Carried,
) -> Equations {
    linear("rack and pinion", vec![(displacement, 1.0), (angle, -radius)], offset, at)
}
