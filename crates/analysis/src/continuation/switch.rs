//! Points where the parameter turns back, and the way onto another curve where two cross:
//!
//! ```text
//! turn          dp/ds = 0
//! φ⊥ = φ − τ ⟨τ, φ⟩            predictor x = x* ± ε φ⊥,  corrections orthogonal to φ⊥
//! ```
//! The curve that was followed leaves x* along τ: at the distance ε along φ⊥ only the other one is met.

use crate::continuation::corrector::{correct, size, tangent};
use crate::continuation::curve::{Curve, Direction, Miss, OnCurve, Place, Step};
use crate::continuation::root::root;

/// Tangent of the largest angle between the crossing curve and φ⊥.
const LARGEST_ANGLE: f64 = 4.0;
/// Shortest ε.
const SHORTEST: f64 = 1e-5;
/// Accuracy of turns along the arc, relative to the step.
const ROOT: f64 = 1e-11;

/// A place on a curve.
type PlaceOn<C> = Place<<C as Curve>::Point, <C as Curve>::Way>;

/// The point in a step at which the parameter turns back, with the tangent there.
pub(crate) fn turn<C: Curve>(
    curve: &mut C,
    step: &Step<C::Point, C::Way>,
) -> Result<(f64, PlaceOn<C>), Miss> {
    let from = step.from;
    let ends = [(0.0, from.tangent.p()), (step.h, step.to.tangent.p())];
    let mut slope = |curve: &mut C, at: &mut C::Point| Ok(tangent(curve, at, &from.tangent)?.p());
    let (h, mut point) = root(curve, from, ends, ROOT, &mut slope)?;
    let tangent = tangent(curve, &point, &from.tangent)?;
    point.set_slope(0.0);
    Ok((h, Place { point, tangent }))
}

/// The part of a direction that is orthogonal to the tangent of the curve, of length one, to a side.
pub(crate) fn across<C: Curve>(curve: &C, tangent: &C::Way, null: &C::Way, side: f64) -> C::Way {
    let mut across = null.clone();
    let share = curve.dot(tangent, &across);
    across.add(-share, tangent);
    let length = side * size(curve, &across);
    across.divide(length);
    across
}

/// The first point on another curve that leaves a point across a direction, with the tangent away from it.
pub(crate) fn leave<C: Curve>(
    curve: &mut C,
    origin: &C::Point,
    across: &C::Way,
    step: f64,
) -> Option<PlaceOn<C>> {
    let mut distance = step;
    while distance >= SHORTEST {
        let mut point = origin.clone();
        let gone = curve.go(&mut point, across, distance);
        let corrected = gone.and_then(|()| correct(curve, &mut point, across));
        // The crossing curve may leave at an angle to φ⊥, but what is much farther away is another one.
        if let Ok(corrections) = corrected
            && corrections.iter().sum::<f64>() < LARGEST_ANGLE * distance
        {
            point.set_corrections(&corrections);
            if let Ok(tangent) = tangent(curve, &point, across) {
                point.set_arc(distance);
                point.set_slope(tangent.p() * curve.scale());
                curve.assess(&mut point).ok();
                return Some(Place { point, tangent });
            }
        }
        distance *= 0.5;
    }
    None
}
