//! Gear pair: two shafts whose teeth mesh.
//!
//! ```text
//! Φ = z₁ θ₁ ± z₂ θ₂ − c = 0        (1 row; + for external teeth, − for internal)
//! ```
//! The angles are those of the shafts' joints to the common carrier, so planetary gears are gear pairs with a
//! carrier that turns. λ is a torque per tooth.

use super::linear;
use crate::coordinate::Coordinate;
use crate::equations::Equations;
use crate::nodes::carried::Carried;

/// Gear pair with the given numbers of teeth.
pub fn gear(angles: [Coordinate; 2], teeth: [f64; 2], internal: bool, offset: f64, at: Carried) -> Equations {
    let [first, second] = angles;
    let sign = if internal { -1.0 } else { 1.0 };
    linear("gear", vec![(first, teeth[0]), (second, sign * teeth[1])], offset, at)
}
