//! Roots of functions along the arc of a step.

use crate::continuation::corrector::correct;
use crate::continuation::curve::{Curve, Miss, OnCurve, Place};

const MAX_ROOT_ITERATIONS: usize = 60;

/// The point at a distance along the arc of a step.
pub(crate) fn point_at<C: Curve>(
    curve: &mut C,
    from: &Place<C::Point, C::Way>,
    h: f64,
) -> Result<C::Point, Miss> {
    let mut point = from.point.clone();
    curve.go(&mut point, &from.tangent, h)?;
    let corrections = correct(curve, &mut point, &from.tangent)?;
    point.set_corrections(&corrections);
    point.set_arc(from.point.arc() + h);
    Ok(point)
}

/// A function of a point.
pub(crate) type OfPoint<'f, C> = &'f mut dyn FnMut(&mut C, &mut <C as Curve>::Point) -> Result<f64, Miss>;

/// The root of a function along the arc between two distances with values of different sign: the Illinois
/// form of the rule of false position, with a bisection where that gains too little.
pub(crate) fn root<C: Curve>(
    curve: &mut C,
    from: &Place<C::Point, C::Way>,
    [mut low, mut high]: [(f64, f64); 2],
    accuracy: f64,
    f: OfPoint<C>,
) -> Result<(f64, C::Point), Miss> {
    let tolerance = accuracy * (high.0 - low.0).abs();
    let mut last = f64::INFINITY;
    let mut side = 0;
    let mut width = high.0 - low.0;
    for k in 0..MAX_ROOT_ITERATIONS {
        let slow = k % 4 == 3 && high.0 - low.0 > 0.25 * width;
        if k % 4 == 3 {
            width = high.0 - low.0;
        }
        let secant = high.0 - high.1 * (high.0 - low.0) / (high.1 - low.1);
        let inside = secant > low.0 && secant < high.0;
        let h = if slow || !inside { 0.5 * (low.0 + high.0) } else { secant };
        let mut point = point_at(curve, from, h)?;
        let value = f(curve, &mut point)?;
        if value == 0.0 || (h - last).abs() <= tolerance || high.0 - low.0 <= tolerance {
            return Ok((h, point));
        }
        last = h;
        if (value > 0.0) == (high.1 > 0.0) {
            if side == 1 {
                low.1 *= 0.5;
            }
            (high, side) = ((h, value), 1);
        } else {
            if side == -1 {
                high.1 *= 0.5;
            }
            (low, side) = ((h, value), -1);
        }
    }
    let h = 0.5 * (low.0 + high.0);
    let mut point = point_at(curve, from, h)?;
    f(curve, &mut point)?;
    Ok((h, point))
}
