//! Universal (Cardan) joint: points coincide, one axis of each body stay perpendicular.
//!
//! ```text
//! Φ = (x₂ − x₁, u₃·w₂) = 0        (4 rows; I-80)
//! ```
//! The cross turns about u₃ in the first body and about w₂ in the second.

use super::rows::{Attachment, Joint, Row, coincident};

/// Universal joint: third axis of the first attachment, second axis of the second.
pub fn universal(first: &Attachment, second: &Attachment) -> Joint {
    let mut rows = coincident(0, 1).to_vec();
    rows.push(Row::Dot { u: 2, w: 3 });
    Joint {
        kind: "universal",
        carried: vec![first.point(), second.point(), first.axis(2), second.axis(1)],
        rows,
        names: vec!["offset x", "offset y", "offset z", "cross angle"],
        second_point: 1,
    }
}
