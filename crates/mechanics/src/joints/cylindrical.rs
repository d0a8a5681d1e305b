//! Cylindrical joint: sliding along and turning about the third axis.
//!
//! ```text
//! Φ = (u₁·d, u₂·d, u₁·w₃, u₂·w₃) = 0,   d = x₂ − x₁        (4 rows; gs4-isochronous-integrators I-80)
//! ```

use super::lower_pair::LowerPair;
use super::rows::{Attachment, Joint, Row};

/// Cylindrical joint about the third axis of the first attachment.
pub fn cylindrical(first: &Attachment, second: &Attachment) -> Joint {
    Joint {
        kind: "cylindrical",
        carried: vec![first.point(), second.point(), first.axis(0), first.axis(1), second.axis(2)],
        rows: vec![
            Row::Slide { u: 2, a: 0, b: 1 },
            Row::Slide { u: 3, a: 0, b: 1 },
            Row::Dot { u: 2, w: 4 },
            Row::Dot { u: 3, w: 4 },
        ],
        names: vec!["offset x", "offset y", "tilt about y", "tilt about x"],
        second_point: 1,
        pair: Some(LowerPair::Cylindrical),
    }
}
