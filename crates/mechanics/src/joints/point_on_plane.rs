//! Point on a plane: the second origin stays in the plane normal to the third axis of the first attachment.
//!
//! ```text
//! Φ = u₃·(x₂ − x₁) = 0        (1 row)
//! ```

use super::rows::{Attachment, Joint, Row};

/// Keeps the second origin in the plane through the first, normal to its third axis.
pub fn point_on_plane(first: &Attachment, second: &Attachment) -> Joint {
    Joint {
        kind: "point on plane",
        carried: vec![first.point(), second.point(), first.axis(2)],
        rows: vec![Row::Slide { u: 2, a: 0, b: 1 }],
        names: vec!["height"],
        second_point: 1,
        pair: None,
    }
}
