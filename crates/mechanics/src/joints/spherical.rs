//! Spherical joint: two points coincide, all rotations are free.
//!
//! ```text
//! Φ = x₂ − x₁ = 0        (3 rows; gs4-isochronous-integrators I-80)
//! ```

use super::lower_pair::LowerPair;
use super::rows::{Attachment, Joint, coincident};

/// Spherical joint between two attachments.
pub fn spherical(first: &Attachment, second: &Attachment) -> Joint {
    Joint {
        kind: "spherical",
        carried: vec![first.point(), second.point()],
        rows: coincident(0, 1).to_vec(),
        names: vec!["offset x", "offset y", "offset z"],
        second_point: 1,
        pair: Some(LowerPair::Spherical),
    }
}
