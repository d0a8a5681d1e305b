//! Revolute joint: points coincide, the third axes of both attachments stay parallel.
//!
//! ```text
//! Φ = (x₂ − x₁, u₁·w₃, u₂·w₃) = 0        (5 rows; gs4-isochronous-integrators I-80)
//! ```
//! with u on the first body and w on the second. The free coordinate is the angle of w₁ about the axis,
//! measured from u₁.

use super::lower_pair::LowerPair;
use super::rows::{Attachment, Joint, Row, coincident};

/// Revolute joint about the third axes of the attachments.
pub fn revolute(first: &Attachment, second: &Attachment) -> Joint {
    let mut rows = coincident(0, 1).to_vec();
    rows.extend([Row::Dot { u: 2, w: 4 }, Row::Dot { u: 3, w: 4 }]);
    Joint {
        kind: "revolute",
        carried: vec![first.point(), second.point(), first.axis(0), first.axis(1), second.axis(2)],
        rows,
        names: vec!["offset x", "offset y", "offset z", "tilt about y", "tilt about x"],
        second_point: 1,
        pair: Some(LowerPair::Revolute),
    }
}
