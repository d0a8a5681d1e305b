//! Nodes along a line: places at shares of its length, section axes carried along without turning about it.
//!
//! The axes follow by reflections in the planes between neighbouring points and tangents (double reflection,
//! Wang et al. 2008), which is exact for arcs of circles and of fourth order otherwise.

use crate::nodes::chart::Frame;
use poinsot_geometry::interpolation::Quadrature;
use poinsot_geometry::{Mat3, Vec3};

/// Pieces per node in which lengths are integrated and axes carried along.
const PIECES: usize = 32;
/// Points of the Gauss rule in each piece.
const POINTS: usize = 6;

/// Section axes with the third along a tangent and the first as near to a direction as possible; none if they
/// are parallel.
pub fn section_axes(tangent: &Vec3, first: &Vec3) -> Option<Mat3> {
    let d3 = tangent.try_normalize(f64::MIN_POSITIVE.sqrt())?;
    let d1 = (first - d3 * d3.dot(first)).try_normalize(1e-6 * first.norm())?;
    Some(Mat3::from_columns(&[d1, d3.cross(&d1), d3]))
}

/// Frames at shares of the length of a curve r(u), u from `from` to `to`; `slope` is dr/du. The first axis is
/// near to `first` at the start. None where the curve stands still or `first` is along it.
pub fn frames_along(
    curve: impl Fn(f64) -> Vec3,
    slope: impl Fn(f64) -> Vec3,
    [from, to]: [f64; 2],
    shares: &[f64],
    first: &Vec3,
) -> Option<Vec<Frame>> {
    let pieces = PIECES * shares.len().max(2);
    let at = |k: f64| from + (to - from) * k / pieces as f64;
    let Quadrature { points: places, weights } = Quadrature::gauss_legendre(POINTS);
    // Length between two parameters.
    let length = |a: f64, b: f64| -> f64 {
        let half = 0.5 * (b - a);
        let terms = places.iter().zip(&weights).map(|(x, w)| w * slope(a + half * (1.0 + x)).norm());
        half * terms.sum::<f64>() * (to - from).signum()
    };
    let mut lengths = vec![0.0];
    for k in 0..pieces {
        lengths.push(lengths[k] + length(at(k as f64), at(k as f64 + 1.0)));
    }
    let total = lengths[pieces];
    let direction = (to - from).signum();
    let mut frame = Frame { r: curve(from), rot: section_axes(&(slope(from) * direction), first)? };
    let (mut out, mut piece) = (vec![], 0);
    for share in shares {
        let wanted = share * total;
        while piece + 1 < pieces && lengths[piece + 1] <= wanted {
            piece += 1;
            let u = at(piece as f64);
            frame = carried(&frame, &curve(u), &(slope(u) * direction))?;
        }
        let u =
            parameter(wanted - lengths[piece], at(piece as f64), at(piece as f64 + 1.0), &length, &slope)?;
        out.push(carried(&frame, &curve(u), &(slope(u) * direction))?);
    }
    Some(out)
}

/// The parameter in a piece at a length from its start, by Newton's method.
fn parameter(
    wanted: f64,
    start: f64,
    end: f64,
    length: &impl Fn(f64, f64) -> f64,
    slope: &impl Fn(f64) -> Vec3,
) -> Option<f64> {
    let (mut u, direction) = (start, (end - start).signum());
    for _ in 0..30 {
        let speed = slope(u).norm();
        if !(speed > 0.0 && speed.is_finite()) {
            return None;
        }
        let step = direction * (wanted - length(start, u)) / speed;
        u += step;
        if step.abs() <= 4.0 * f64::EPSILON * (u.abs() + (end - start).abs()) {
            break;
        }
    }
    Some(u)
}

/// A frame carried to a new place with a new tangent.
fn carried(z: &Frame, r: &Vec3, tangent: &Vec3) -> Option<Frame> {
    let tangent = tangent.try_normalize(f64::MIN_POSITIVE.sqrt())?;
    let reflected = |x: &Vec3, n: &Vec3| match n.norm_squared() {
        0.0 => *x,
        square => x - n * (2.0 * n.dot(x) / square),
    };
    let step = r - z.r;
    let (d1, d3) = (z.rot.column(0).into_owned(), z.rot.column(2).into_owned());
    let (first, along) = (reflected(&d1, &step), reflected(&d3, &step));
    let first = reflected(&first, &(tangent - along));
    Some(Frame { r: *r, rot: section_axes(&tangent, &first)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn axes_on_an_arc_are_exact() {
        let curve = |u: f64| Vec3::new(u.cos(), u.sin(), 0.0) * 2.0;
        let slope = |u: f64| Vec3::new(-u.sin(), u.cos(), 0.0) * 2.0;
        for [from, to] in [[0.0, 1.5 * PI], [0.0, -1.0]] {
            let shares = [0.0, 0.1, 0.45, 1.0];
            let frames = frames_along(curve, slope, [from, to], &shares, &Vec3::x()).unwrap();
            for (z, share) in frames.iter().zip(shares) {
                let (s, c) = (from + share * (to - from)).sin_cos();
                let tangent = Vec3::new(-s, c, 0.0) * f64::signum(to - from);
                let rot = Mat3::from_columns(&[
                    Vec3::new(c, s, 0.0),
                    tangent.cross(&Vec3::new(c, s, 0.0)),
                    tangent,
                ]);
                assert!(
                    (z.r - Vec3::new(c, s, 0.0) * 2.0).norm() < 1e-13 && (z.rot - rot).norm() < 1e-12,
                    "{share}"
                );
            }
        }
    }

    /// On a helix axes that do not turn about the line turn against Frenet's by the torsion.
    #[test]
    fn axes_on_a_helix_lag_by_the_torsion() {
        let (a, b) = (1.0, 0.5);
        let curve = |u: f64| Vec3::new(a * u.cos(), a * u.sin(), b * u);
        let slope = |u: f64| Vec3::new(-a * u.sin(), a * u.cos(), b);
        let frames = frames_along(curve, slope, [0.0, 3.0], &[0.0, 0.3, 1.0], &-Vec3::x()).unwrap();
        for (z, u) in frames.iter().zip([0.0f64, 0.9, 3.0]) {
            let normal = -Vec3::new(u.cos(), u.sin(), 0.0);
            let binormal = slope(u).normalize().cross(&normal);
            let angle = -b / f64::hypot(a, b) * u;
            let expected = normal * angle.cos() + binormal * angle.sin();
            assert!((z.r - curve(u)).norm() < 1e-12);
            assert!(
                (z.rot.column(0) - expected).norm() < 1e-7,
                "{u}: {}",
                (z.rot.column(0) - expected).norm()
            );
        }
    }
}
