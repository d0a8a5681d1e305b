//! Point on a line: the second origin stays on the third axis of the first attachment.
//!
//! ```text
//! Φ = (u₁·d, u₂·d) = 0,  d = x₂ − x₁        (2 rows)
//! ```

use super::rows::{Attachment, Joint, Row};

/// Keeps the second origin on the line through the first along its third axis.
pub fn point_on_line(first: &Attachment, second: &Attachment) -> Joint {
    Joint {
        kind: "point on line",
        carried: vec![first.point(), second.point(), first.axis(0), first.axis(1)],
        rows: vec![Row::Slide { u: 2, a: 0, b: 1 }, Row::Slide { u: 3, a: 0, b: 1 }],
        names: vec!["offset x", "offset y"],
        second_point: 1,
        pair: None,
    }
}
