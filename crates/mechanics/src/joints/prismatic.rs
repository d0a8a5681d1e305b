//! Prismatic joint: sliding along the third axis, no rotation.
//!
//! ```text
//! Φ = (u₁·d, u₂·d, u₁·w₂, u₂·w₃, u₃·w₁) = 0,   d = x₂ − x₁        (5 rows; I-80)
//! ```

use super::rows::{Attachment, Joint, Row};

/// Prismatic joint along the third axis of the first attachment.
pub fn prismatic(first: &Attachment, second: &Attachment) -> Joint {
    Joint {
        kind: "prismatic",
        carried: vec![
            first.point(),
            second.point(),
            first.axis(0),
            first.axis(1),
            first.axis(2),
            second.axis(0),
            second.axis(1),
            second.axis(2),
        ],
        rows: vec![
            Row::Slide { u: 2, a: 0, b: 1 },
            Row::Slide { u: 3, a: 0, b: 1 },
            Row::Dot { u: 2, w: 6 },
            Row::Dot { u: 3, w: 7 },
            Row::Dot { u: 4, w: 5 },
        ],
        names: vec!["offset x", "offset y", "turn about z", "turn about x", "turn about y"],
        second_point: 1,
    }
}
