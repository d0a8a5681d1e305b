//! Changing to the other path at a simple bifurcation:
//!
//! ```text
//! φ⊥ = (φ, 0) − τ ⟨τ, φ⟩          predictor x = x* ± ε φ⊥,  corrections orthogonal to φ⊥
//! ```
//! The path that was followed leaves x* along τ: at the distance ε along φ⊥ only the other one is met.

use crate::arc_length::{ArcLength, Direction, Place};
use crate::singular_points::Found;

/// Tangent of the largest angle between the crossing path and φ⊥.
const LARGEST_ANGLE: f64 = 4.0;
/// Shortest ε.
const SHORTEST: f64 = 1e-5;

/// The first point on the other path, to one side of the bifurcation, with the tangent away from it.
pub(crate) fn switch(arc: &mut ArcLength, at: &Found, side: f64, step: f64) -> Option<Place> {
    let origin = &at.singular.point;
    let mut across = Direction { q: at.singular.null.clone(), p: 0.0 };
    let share = arc.dot(&at.tangent, &across);
    across.q.iter_mut().zip(&at.tangent.q).for_each(|(a, t)| *a -= share * t);
    across.p = -share * at.tangent.p;
    let size = side * arc.size(&across);
    across.q.iter_mut().for_each(|a| *a /= size);
    across.p /= size;
    let mut distance = step;
    while distance >= SHORTEST {
        let mut point = origin.clone();
        arc.go(&mut point, &across, distance);
        let corrected = arc.correct(&mut point, &across);
        // The crossing path may leave at an angle to φ⊥, but what is much farther away is another one.
        if corrected.is_ok() && arc.corrections.iter().sum::<f64>() < LARGEST_ANGLE * distance {
            point.corrections.clone_from(&arc.corrections);
            if let Ok(tangent) = arc.tangent(&point, &across) {
                point.arc = distance;
                point.slope = tangent.p * arc.members.scale;
                point.unstable = arc.unstable(&point).ok().flatten();
                return Some(Place { point, tangent });
            }
        }
        distance *= 0.5;
    }
    None
}
