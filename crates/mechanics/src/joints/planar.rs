//! Planar joint: the second point slides in the plane normal to the third axis, turning about it.
//!
//! ```text
//! Φ = (u₃·d, u₁·w₃, u₂·w₃) = 0,   d = x₂ − x₁        (3 rows; gs4-isochronous-integrators I-80)
//! ```

use super::lower_pair::LowerPair;
use super::rows::{Attachment, Joint, Row};

/// Planar joint with the third axis of the first attachment as normal.
pub fn planar(first: &Attachment, second: &Attachment) -> Joint {
    Joint {
        kind: "planar",
        carried: vec![
            first.point(),
            second.point(),
            first.axis(0),
            first.axis(1),
            first.axis(2),
            second.axis(2),
        ],
        rows: vec![Row::Slide { u: 4, a: 0, b: 1 }, Row::Dot { u: 2, w: 5 }, Row::Dot { u: 3, w: 5 }],
        names: vec!["offset along normal", "tilt about y", "tilt about x"],
        second_point: 1,
        pair: Some(LowerPair::Planar),
    }
}
