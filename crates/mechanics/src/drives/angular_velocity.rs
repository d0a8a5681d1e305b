//! Driven angular velocity of a body.
//!
//! ```text
//! ψ_k = u_k·ω − f_k(t) = 0        (3 rows on velocities; floating-frame-and-ancf §1.3.2)
//! ```
//! with axes u_k of the world or of the body itself.

use crate::equations::{Equation, Equations, Law};
use crate::joints::Attachment;
use crate::nodes::carried::{Carried, GROUND};
use crate::speed::Speed;
use poinsot_expr::SmoothFunction;
use poinsot_geometry::Mat3;

/// Prescribes the angular velocity in world axes, or in the axes of the attachment.
pub fn angular_velocity(driven: &Attachment, in_own_axes: bool, laws: [SmoothFunction; 3]) -> Equations {
    const NAMES: [&str; 3] = ["prescribed spin x", "prescribed spin y", "prescribed spin z"];
    let axis = |k: usize| match in_own_axes {
        true => driven.axis(k),
        false => Carried::direction(GROUND, Mat3::identity().column(k).into_owned()),
    };
    let speeds = (0..3).map(|k| Speed::spin(driven.node, axis(k))).collect();
    let row = |(k, offset)| Equation {
        name: NAMES[k],
        coordinates: vec![],
        speeds: vec![k],
        law: Law::Linear { factors: vec![1.0], offset },
    };
    let rows = laws.into_iter().enumerate().map(row).collect();
    Equations::new("angular velocity drive", vec![], speeds, rows, driven.point()).called("drive")
}
