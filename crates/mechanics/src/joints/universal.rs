//! Universal (Cardan) joint: points coincide, one axis of each body stay perpendicular.
//!
//! ```text
//! Φ = (x₂ − x₁, u₃·w₃) = 0        (4 rows; gs4-isochronous-integrators I-80)
//! ```
//! The cross turns about u₃ in the first body and about w₃ in the second.

use super::rows::{Attachment, Joint, Row, coincident};

/// Universal joint: the third axes of both attachments stay perpendicular.
pub fn universal(first: &Attachment, second: &Attachment) -> Joint {
    let mut rows = coincident(0, 1).to_vec();
    rows.push(Row::Dot { u: 2, w: 3 });
    Joint {
        kind: "universal",
        carried: vec![first.point(), second.point(), first.axis(2), second.axis(2)],
        rows,
        names: vec!["offset x", "offset y", "offset z", "cross angle"],
        second_point: 1,
        pair: None,
    }
}
