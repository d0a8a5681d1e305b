//! Prismatic joint: sliding along the third axis, no rotation.
//!
//! ```text
//! Φ = (u₁·d, u₂·d, u₁·w₂, u₂·w₃, u₃·w₁) = 0,   d = x₂ − x₁        (5 rows; gs4-isochronous-integrators I-80)
//! ```

use super::lower_pair::LowerPair;
use super::rows::{Attachment, Joint, Row, aligned, points_and_axes};

/// Prismatic joint along the third axis of the first attachment.
pub fn prismatic(first: &Attachment, second: &Attachment) -> Joint {
    let mut rows = vec![Row::Slide { u: 2, a: 0, b: 1 }, Row::Slide { u: 3, a: 0, b: 1 }];
    rows.extend(aligned());
    Joint {
        kind: "prismatic",
        carried: points_and_axes(first, second),
        rows,
        names: vec!["offset x", "offset y", "turn about z", "turn about x", "turn about y"],
        second_point: 1,
        pair: Some(LowerPair::Prismatic),
    }
}
