//! Fixed joint (weld): points coincide, axes stay aligned.
//!
//! ```text
//! Φ = (x₂ − x₁, u₁·w₂, u₂·w₃, u₃·w₁) = 0        (6 rows; I-80)
//! ```

use super::rows::{Attachment, Joint, Row, coincident};

/// Weld between two attachments.
pub fn fixed(first: &Attachment, second: &Attachment) -> Joint {
    let mut rows = coincident(0, 1).to_vec();
    rows.extend([Row::Dot { u: 2, w: 6 }, Row::Dot { u: 3, w: 7 }, Row::Dot { u: 4, w: 5 }]);
    Joint {
        kind: "fixed",
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
        rows,
        names: vec!["offset x", "offset y", "offset z", "turn about z", "turn about x", "turn about y"],
        second_point: 1,
    }
}
