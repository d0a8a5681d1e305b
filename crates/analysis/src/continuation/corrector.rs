//! Steps along a curve by arc length (Keller, Crisfield):
//!
//! ```text
//! predictor     x = x_A + h τ,                          x = (unknowns, p),  |τ| = 1
//! corrector     [ F_x   F_p ] (δx)     (F)
//!               [ τᵀW   τ_p ] (δp) = − (0)              corrections are orthogonal to the tangent
//! tangent       [ F_x   F_p ; τ_AᵀW  τ_p ] τ = (0, 1)    scaled to |τ| = 1: it keeps its sense where p turns back
//! ```

use crate::continuation::curve::{Curve, Direction, Miss, OnCurve, Place};

/// Corrections at most.
const MAX_CORRECTIONS: usize = 12;
/// A correction larger than this has lost the curve.
const LOST: f64 = 2.0;
/// A correction that no longer shrinks is rounding below this size.
const ROUNDED: f64 = 1e-6;

/// |a|.
pub(crate) fn size<C: Curve>(curve: &C, a: &C::Way) -> f64 {
    curve.dot(a, a).sqrt()
}

/// Brings a point onto the curve; all corrections are orthogonal to `normal`. Gives their sizes.
pub(crate) fn correct<C: Curve>(curve: &mut C, at: &mut C::Point, normal: &C::Way) -> Result<Vec<f64>, Miss> {
    let mut corrections: Vec<f64> = Vec::with_capacity(MAX_CORRECTIONS);
    for k in 0..MAX_CORRECTIONS {
        match curve.linearise(at, normal) {
            // Exactly where curves cross, as on a straight one, there is nothing to correct.
            Err(Miss::Singular(_)) if curve.is_balanced(at) => {
                corrections.push(0.0);
                return Ok(corrections);
            }
            other => other?,
        }
        let delta = curve.correction()?;
        let length = size(curve, &delta);
        let before = corrections.last().copied().unwrap_or(f64::INFINITY);
        corrections.push(length);
        curve.note();
        let settled = length <= ROUNDED && length >= 0.25 * before;
        if !length.is_finite() || length > LOST || (k >= 3 && length > before && !settled) {
            return Err(curve.diverged());
        }
        curve.go(at, &delta, 1.0)?;
        if length <= curve.tolerance() || settled {
            return Ok(corrections);
        }
    }
    Err(curve.diverged())
}

/// The unit tangent of the curve in a point of it, to the side of `along`.
pub(crate) fn tangent<C: Curve>(curve: &mut C, at: &C::Point, along: &C::Way) -> Result<C::Way, Miss> {
    match curve.linearise(at, along) {
        // Where curves cross: on along the one that was come by.
        Err(Miss::Singular(_)) if curve.is_balanced(at) => return Ok(along.clone()),
        other => other?,
    }
    let mut tangent = curve.along()?;
    let length = size(curve, &tangent);
    if !(length.is_finite() && length > 0.0) {
        return Err(Miss::Singular("the tangent of the path".into()));
    }
    tangent.divide(length);
    Ok(tangent)
}

/// The point of the curve at a distance from another one along its tangent, and the sizes of the corrections.
#[expect(clippy::type_complexity, reason = "a place with what it took")]
pub(crate) fn at_distance<C: Curve>(
    curve: &mut C,
    from: &Place<C::Point, C::Way>,
    h: f64,
) -> Result<(Place<C::Point, C::Way>, Vec<f64>), Miss> {
    let mut point = from.point.clone();
    curve.go(&mut point, &from.tangent, h)?;
    let corrections = correct(curve, &mut point, &from.tangent)?;
    point.set_corrections(&corrections);
    let tangent = tangent(curve, &point, &from.tangent)?;
    point.set_arc(from.point.arc() + h);
    point.set_slope(tangent.p() * curve.scale());
    Ok((Place { point, tangent }, corrections))
}
