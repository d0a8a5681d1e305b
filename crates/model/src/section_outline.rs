//! The outline of a beam section, as it is drawn.

use crate::file::SectionTable;
use crate::value::Number;
use std::f64::consts::TAU;

/// Corners of a circle.
const CORNERS: usize = 24;
/// Most lengthening of a wall at a sharp corner, in thicknesses.
const MITRE: f64 = 3.0;

/// A corner along axes 1 and 2.
type Corner = [f64; 2];

/// The closed outline of a section about its centroid; a hollow one goes along a seam to its inner side and
/// back. `None` where only matrices are known.
pub(crate) fn outline(
    section: &SectionTable,
    mut value: impl FnMut(&Number) -> Option<f64>,
) -> Option<Vec<Corner>> {
    Some(match section {
        SectionTable::Rectangle(t) => {
            let (x, y) = (0.5 * value(&t.width)?, 0.5 * value(&t.height)?);
            vec![[x, y], [-x, y], [-x, -y], [x, -y]]
        }
        SectionTable::Circle(t) => circle(0.5 * value(&t.diameter)?),
        SectionTable::Tube(t) => {
            let radius = 0.5 * value(&t.diameter)?;
            hollow(circle(radius), circle(radius - value(&t.thickness)?))
        }
        SectionTable::I(t) => {
            let (x, y) = (0.5 * value(&t.width)?, 0.5 * value(&t.height)?);
            let (web, inner) = (0.5 * value(&t.web)?, y - value(&t.flange)?);
            let upper = [[x, inner], [x, y], [-x, y], [-x, inner], [-web, inner]];
            let right = [[web, inner]];
            // The lower half is the upper one turned by 180°.
            let lower = right.iter().chain(&upper).map(|[a, b]| [-a, -b]).collect::<Vec<_>>();
            upper.into_iter().chain(lower).chain(right).collect()
        }
        SectionTable::ThinWalled(t) => {
            let corners: Option<Vec<Corner>> =
                t.corners.value.0.iter().map(|[a, b]| Some([value(a)?, value(b)?])).collect();
            walls(&centred(corners?, t.closed), value(&t.thickness)?, t.closed)
        }
        _ => return None,
    })
}

fn circle(radius: f64) -> Vec<Corner> {
    let angle = |k: usize| TAU * k as f64 / CORNERS as f64;
    (0..CORNERS).map(|k| [radius * angle(k).cos(), radius * angle(k).sin()]).collect()
}

/// One polygon of an outer and an inner one: around, along the seam, back around, and along the seam again.
fn hollow(outer: Vec<Corner>, inner: Vec<Corner>) -> Vec<Corner> {
    let seam = [outer[0], inner[0]];
    let back = inner[1..].iter().rev().copied();
    outer.iter().copied().chain(seam).chain(back).chain([seam[1]]).collect()
}

/// The middle line moved so that its centroid, weighted by the lengths of the walls, is at the origin.
fn centred(corners: Vec<Corner>, closed: bool) -> Vec<Corner> {
    let n = corners.len();
    let walls = if closed { n } else { n.saturating_sub(1) };
    let mut sum = [0.0; 3];
    for k in 0..walls {
        let ([a, b], [c, d]) = (corners[k], corners[(k + 1) % n]);
        let length = (c - a).hypot(d - b);
        sum = [sum[0] + 0.5 * (a + c) * length, sum[1] + 0.5 * (b + d) * length, sum[2] + length];
    }
    corners.into_iter().map(|[a, b]| [a - sum[0] / sum[2], b - sum[1] / sum[2]]).collect()
}

/// Walls of a thickness along a line.
fn walls(line: &[Corner], thickness: f64, closed: bool) -> Vec<Corner> {
    let side = |offset: f64| (0..line.len()).map(|k| moved(line, k, offset, closed)).collect::<Vec<_>>();
    let (left, right) = (side(0.5 * thickness), side(-0.5 * thickness));
    match closed {
        true => hollow(left, right),
        false => left.into_iter().chain(right.into_iter().rev()).collect(),
    }
}

/// A corner of a line moved to its left: along the bisector of its walls, by offset/cos(half their angle).
fn moved(line: &[Corner], k: usize, offset: f64, closed: bool) -> Corner {
    let n = line.len();
    let normal = |i: usize, j: usize| -> Corner {
        let ([a, b], [c, d]) = (line[i], line[j]);
        let length = (c - a).hypot(d - b);
        [(b - d) / length, (c - a) / length]
    };
    let before = (closed || k > 0).then(|| normal((k + n - 1) % n, k));
    let after = (closed || k + 1 < n).then(|| normal(k, (k + 1) % n));
    let ([p, q], [r, s]) = match (before, after) {
        (Some(before), Some(after)) => (before, after),
        (Some(one), None) | (None, Some(one)) => (one, one),
        (None, None) => return line[k],
    };
    let share = (1.0 / (1.0 + p * r + q * s).max(f64::MIN_POSITIVE)).min(MITRE);
    [line[k][0] + offset * share * (p + r), line[k][1] + offset * share * (q + s)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Area of a polygon, ½ Σ (xᵢ yᵢ₊₁ − xᵢ₊₁ yᵢ).
    fn area(polygon: &[Corner]) -> f64 {
        let pairs = polygon.iter().zip(polygon.iter().cycle().skip(1));
        0.5 * pairs.map(|([a, b], [c, d])| a * d - b * c).sum::<f64>()
    }

    #[test]
    fn hollow_outlines_leave_the_bore_out() {
        let tube = hollow(circle(1.0), circle(0.8));
        let ring = 0.5 * CORNERS as f64 * (TAU / CORNERS as f64).sin() * (1.0 - 0.64);
        assert!((area(&tube) - ring).abs() < 1e-12, "{}", area(&tube));
    }

    #[test]
    fn walls_have_their_thickness() {
        // An angle of legs 3 and 4, 0.2 thick: with the mitre its area is that of both legs.
        let angle = [[3.0, 0.0], [0.0, 0.0], [0.0, 4.0]];
        assert!((area(&walls(&angle, 0.2, false)).abs() - 1.4).abs() < 1e-12);
        let square = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]];
        assert!((area(&walls(&square, 0.1, true)).abs() - (2.1 * 2.1 - 1.9 * 1.9)).abs() < 1e-12);
        let centre = centred(angle.to_vec(), false);
        // Centroid of the legs: (3·1.5, 4·2)/7.
        assert!((centre[1][0] + 4.5 / 7.0).abs() < 1e-12 && (centre[1][1] + 8.0 / 7.0).abs() < 1e-12);
    }
}
