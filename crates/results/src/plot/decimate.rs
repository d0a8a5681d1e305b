//! Thinning of long runs to what can be seen.

use super::canvas::Point;

/// Most points of a drawn trajectory.
const TRAJECTORY_POINTS: usize = 16_000;

/// The pieces of a curve between its gaps.
pub(crate) fn pieces(points: &[Point]) -> impl Iterator<Item = &[Point]> {
    let is_gap = |point: &Point| !(point.0.is_finite() && point.1.is_finite());
    points.split(is_gap).filter(|piece| !piece.is_empty())
}

/// Radius of a point that stands alone: all that there is, or between gaps of so many.
pub(crate) fn point_radius(points: usize) -> f64 {
    if points == 1 { 3.0 } else { 1.2 }
}

/// Of the samples that fall into one column of pixels, keeps the lowest and
/// the highest, in their order, and the first and last of all: the drawn band
/// is that of all samples. The points come in the order of their abscissae.
pub(crate) fn min_max(points: &[Point], columns: usize) -> Vec<Point> {
    let (Some(&first), Some(&last)) = (points.first(), points.last()) else {
        return Vec::new();
    };
    if points.len() <= 2 * columns + 2 {
        return points.to_vec();
    }
    let column = |p: &Point| p.0.floor();
    let mut kept = vec![first];
    for group in points.chunk_by(|a, b| column(a) == column(b)) {
        kept.extend(extremes(group));
    }
    kept.push(last);
    kept
}

/// The lowest and the highest point of a group, in their order.
fn extremes(group: &[Point]) -> impl Iterator<Item = Point> {
    let (mut low, mut high) = (0, 0);
    for (i, point) in group.iter().enumerate() {
        if point.1 < group[low].1 {
            low = i;
        }
        if point.1 > group[high].1 {
            high = i;
        }
    }
    let second = (low != high).then(|| group[low.max(high)]);
    std::iter::once(group[low.min(high)]).chain(second)
}

/// Leaves out points of a trajectory that lie close to the last one kept; the
/// distance grows until few enough are left.
pub(crate) fn spaced(points: &[Point]) -> Vec<Point> {
    let mut distance = 0.25;
    let mut kept = spaced_by(points, distance);
    while kept.len() > TRAJECTORY_POINTS {
        distance *= 1.4;
        kept = spaced_by(points, distance);
    }
    kept
}

fn spaced_by(points: &[Point], distance: f64) -> Vec<Point> {
    let mut kept: Vec<Point> = Vec::new();
    for &point in points {
        let far = kept.last().is_none_or(|last| (point.0 - last.0).hypot(point.1 - last.1) >= distance);
        if far {
            kept.push(point);
        }
    }
    match (kept.last().copied(), points.last().copied()) {
        (Some(end), Some(last)) if end != last => kept.push(last),
        _ => {}
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_break_at_gaps() {
        let x = [f64::NAN, 1.0, 2.0, f64::NAN, f64::NAN, 5.0];
        let points: Vec<Point> = x.iter().enumerate().map(|(i, x)| (i as f64, *x)).collect();
        let found: Vec<&[Point]> = pieces(&points).collect();
        assert_eq!(found, [&points[1..3], &points[5..]]);
    }

    #[test]
    fn a_lone_peak_survives() {
        let mut points: Vec<Point> = (0..100_000).map(|i| (i as f64 * 1e-3, 0.0)).collect();
        points[54_321].1 = 7.0;
        points[54_322].1 = -3.0;
        let kept = min_max(&points, 100);
        assert!(kept.len() <= 202);
        assert!(kept.contains(&points[54_321]) && kept.contains(&points[54_322]));
        assert!(kept.is_sorted_by(|a, b| a.0 <= b.0));
        assert_eq!((kept.first(), kept.last()), (points.first(), points.last()));
    }

    #[test]
    fn trajectories_stay_small_and_keep_their_ends() {
        let points: Vec<Point> = (0..200_000)
            .map(|i| i as f64)
            .map(|i| (400.0 * (i * 0.7).sin(), 400.0 * (i * 0.31).cos()))
            .collect();
        let kept = spaced(&points);
        assert!(kept.len() <= TRAJECTORY_POINTS + 1);
        assert_eq!((kept.first(), kept.last()), (points.first(), points.last()));
        assert!(spaced(&[]).is_empty());
    }
}
