//! Mass of a cubic line (floating-frame-and-ancf §1.21.2, §1.21.11; gs4-isochronous-integrators I-87).
//!
//! ```text
//!             r_O        r_O′       r_A        r_A′
//! M = m [   13/35    11 l/210     9/70    −13 l/420
//!         11 l/210    l²/105   13 l/420    −l²/140
//!            9/70   13 l/420    13/35    −11 l/210
//!       −13 l/420   −l²/140  −11 l/210     l²/105 ] ⊗ 1
//! ```
//! Lumped: diag(m/2, J, m/2, J). A rigid rotation then has the inertia 2J + ml²/2, never ml²/3: no positive J
//! makes up for the masses at the ends.

use super::node::SlopeNode;
use crate::mass::inertia::Inertia;

/// Place and slope of the first node, then of the second.
fn carried(ends: &[SlopeNode; 2]) -> Vec<crate::Carried> {
    ends.iter().flat_map(|node| [node.place, node.slope]).collect()
}

/// The consistent mass of an element of length l and mass m.
pub fn cable_mass(ends: &[SlopeNode; 2], l: f64, m: f64) -> Inertia {
    let table = [
        [13.0 / 35.0, 11.0 * l / 210.0, 9.0 / 70.0, -13.0 * l / 420.0],
        [11.0 * l / 210.0, l * l / 105.0, 13.0 * l / 420.0, -l * l / 140.0],
        [9.0 / 70.0, 13.0 * l / 420.0, 13.0 / 35.0, -11.0 * l / 210.0],
        [-13.0 * l / 420.0, -l * l / 140.0, -11.0 * l / 210.0, l * l / 105.0],
    ];
    Inertia::new(carried(ends), |a, b| m * table[a][b])
}

/// The lumped mass of an element with J at each slope (kg·m²): for comparison, see above.
pub fn lumped_cable_mass(ends: &[SlopeNode; 2], m: f64, slope: f64) -> Inertia {
    let diagonal = [0.5 * m, slope, 0.5 * m, slope];
    Inertia::new(carried(ends), |a, b| if a == b { diagonal[a] } else { 0.0 })
}
