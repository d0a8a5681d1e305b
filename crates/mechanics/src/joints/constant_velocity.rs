//! Constant-velocity joint: points coincide, and the relative rotation is a pure bend of the two shafts.
//!
//! ```text
//! Φ = (x₂ − x₁, u₁·w₂ − u₂·w₁) = 0        (4 rows)
//! ```
//! u and w are the axes of the attachments, the third along the shafts. The last row says that the axis of
//! the relative rotation, with components u₂·w₃ − u₃·w₂ …, has none along the shaft, so it lies in the plane
//! that bisects them: both shafts turn with the same speed at any bend below 180°.

use super::rows::{Attachment, Joint, coincident};
use crate::composite::Composite;
use crate::coordinate::Coordinate;
use crate::equations::{Equation, Equations, Law};

/// Constant-velocity joint of two shafts along the third axes of the attachments.
pub fn constant_velocity(first: &Attachment, second: &Attachment) -> Composite {
    let centre = Joint {
        kind: "constant velocity",
        carried: vec![first.point(), second.point()],
        rows: coincident(0, 1).to_vec(),
        names: vec!["offset x", "offset y", "offset z"],
        second_point: 1,
        pair: None,
    };
    let cosines = vec![
        Coordinate::Cosine([first.axis(0), second.axis(1)]),
        Coordinate::Cosine([first.axis(1), second.axis(0)]),
    ];
    let twist = Equation::holonomic("twist", 2, Law::linear(vec![1.0, -1.0], 0.0));
    let twist = Equations::new("constant velocity", cosines, vec![], vec![twist], second.point());
    Composite::new("constant velocity", vec![Box::new(centre), Box::new(twist)])
}
