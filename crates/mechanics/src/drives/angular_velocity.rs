//! Driven angular velocity of a body.
//!
//! ```text
//! ψ_k = u_k·ω − f_k(t) = 0        (3 rows on velocities; floating-frame-and-ancf §1.3.2)
//! ```
//! with axes u_k of the world or of the body itself.

use crate::coordinate::Coordinate;
use crate::equations::{Equation, Equations, EquationsError, Law};
use crate::joints::Attachment;
use crate::nodes::carried::{Carried, GROUND};
use crate::speed::Speed;
use poinsot_expr::SmoothFunction;
use poinsot_geometry::Mat3;

/// Prescribes the angular velocity in world axes, or in the axes of the attachment.
pub fn angular_velocity(driven: &Attachment, in_own_axes: bool, laws: [SmoothFunction; 3]) -> Equations {
    let laws = laws.map(|offset| (vec![], Law::Linear { factors: vec![1.0], offset }));
    angular_velocity_by(driven, in_own_axes, vec![], laws).expect("three speeds fit")
}

/// The same by laws of the coordinates that each names, of the component, and of t.
pub fn angular_velocity_by(
    driven: &Attachment,
    in_own_axes: bool,
    coordinates: Vec<Coordinate>,
    laws: [(Vec<usize>, Law); 3],
) -> Result<Equations, EquationsError> {
    const NAMES: [&str; 3] = ["prescribed spin x", "prescribed spin y", "prescribed spin z"];
    let axis = |k: usize| match in_own_axes {
        true => driven.axis(k),
        false => Carried::direction(GROUND, Mat3::identity().column(k).into_owned()),
    };
    let speeds = (0..3).map(|k| Speed::spin(driven.node, axis(k))).collect();
    let row = |(k, (coordinates, law))| Equation { name: NAMES[k], coordinates, speeds: vec![k], law };
    let rows = laws.into_iter().enumerate().map(row).collect();
    let law = Equations::try_new("angular velocity drive", coordinates, speeds, rows, driven.point())?;
    Ok(law.called("drive"))
}
