//! Driven point: components of a point's position in given axes follow laws of time.
//!
//! ```text
//! Φ_k = u_k·(x₂ − x₁) − f_k(t) = 0        (one row per component that is driven)
//! ```

use crate::coordinate::Coordinate;
use crate::equations::{Equation, Equations, Law};
use crate::joints::Attachment;
use poinsot_expr::SmoothFunction;

/// Drives the second origin relative to the first attachment's axes; a component without a law is free.
pub fn point(reference: &Attachment, driven: &Attachment, laws: [Option<SmoothFunction>; 3]) -> Equations {
    const NAMES: [&str; 3] = ["prescribed x", "prescribed y", "prescribed z"];
    let (mut coordinates, mut rows) = (vec![], vec![]);
    for (k, law) in laws.into_iter().enumerate() {
        let Some(offset) = law else { continue };
        let law = Law::Linear { factors: vec![1.0], offset };
        rows.push(Equation { name: NAMES[k], coordinates: vec![coordinates.len()], speeds: vec![], law });
        coordinates.push(Coordinate::displacement_along(reference, driven, k));
    }
    Equations::new("point drive", coordinates, vec![], rows, driven.point()).called("drive")
}
