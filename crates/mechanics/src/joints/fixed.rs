//! Fixed joint (weld): points coincide, axes stay aligned.
//!
//! ```text
//! Φ = (x₂ − x₁, u₁·w₂, u₂·w₃, u₃·w₁) = 0        (6 rows; gs4-isochronous-integrators I-80)
//! ```

use super::lower_pair::LowerPair;
use super::rows::{Attachment, Joint, aligned, coincident, points_and_axes};

/// Weld between two attachments.
pub fn fixed(first: &Attachment, second: &Attachment) -> Joint {
    Joint {
        kind: "fixed",
        carried: points_and_axes(first, second),
        rows: [coincident(0, 1), aligned()].concat(),
        names: vec!["offset x", "offset y", "offset z", "turn about z", "turn about x", "turn about y"],
        second_point: 1,
        pair: Some(LowerPair::Fixed),
    }
}
