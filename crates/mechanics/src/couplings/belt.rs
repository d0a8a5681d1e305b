//! Belt or chain over two wheels, without slip.
//!
//! ```text
//! Φ = r₁ θ₁ ∓ r₂ θ₂ − c = 0        (1 row; + for a crossed belt)
//! ```
//! λ is the difference of the belt's tensions.

use super::linear;
use crate::coordinate::Coordinate;
use crate::equations::Equations;
use crate::nodes::carried::Carried;

/// Belt over wheels with the given radii.
pub fn belt(angles: [Coordinate; 2], radii: [f64; 2], crossed: bool, offset: f64, at: Carried) -> Equations {
    let [first, second] = angles;
    let sign = if crossed { 1.0 } else { -1.0 };
    linear("belt", vec![(first, radii[0]), (second, sign * radii[1])], offset, at)
}
