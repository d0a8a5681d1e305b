//! Lines of beams: arcs, helices and splines.
//!
//! ```text
//! straight   r(u) = a + u (b − a)
//! arc        r(u) = c + R(e, u) (a − c)
//! helix      r(u) = c + R(e, u) ρ + e p u/2π
//! spline     r(u) through the points, u the sum of their distances, r″ continuous
//! ```

use super::course::LineError;
use poinsot_expr::{Extrapolation, Interpolation, Table};
use poinsot_geometry::{Vec3, so3};
use std::f64::consts::TAU;

/// Relative distance of two points that are taken as one.
pub(super) const SAME: f64 = 1e-9;

/// A smooth line r(u).
pub trait Curve {
    /// r(u).
    fn point(&self, u: f64) -> Vec3;
    /// dr/du.
    fn slope(&self, u: f64) -> Vec3;
    /// First and last u.
    fn range(&self) -> [f64; 2];
}

/// A straight line between two points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Straight {
    /// Where it starts.
    pub from: Vec3,
    /// Where it ends.
    pub to: Vec3,
}

impl Curve for Straight {
    fn point(&self, u: f64) -> Vec3 {
        self.from + (self.to - self.from) * u
    }
    fn slope(&self, _u: f64) -> Vec3 {
        self.to - self.from
    }
    fn range(&self) -> [f64; 2] {
        [0.0, 1.0]
    }
}

/// An arc or, with a pitch, a helix about an axis; u is the angle from the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Helix {
    /// Point of the axis at the level of the start.
    pub centre: Vec3,
    /// Unit vector along the axis.
    pub axis: Vec3,
    /// From the centre to the start, across the axis.
    pub radius: Vec3,
    /// Way along the axis for one turn (m).
    pub pitch: f64,
    /// Angle from start to end (rad); negative against the right-hand rule.
    pub angle: f64,
}

impl Helix {
    /// The arc about a centre that starts at a point and turns about an axis; the point need not be level
    /// with the centre.
    pub fn arc(from: &Vec3, centre: &Vec3, axis: &Vec3, angle: f64) -> Self {
        let radius = from - centre;
        let level = axis * axis.dot(&radius);
        Helix { centre: centre + level, axis: *axis, radius: radius - level, pitch: 0.0, angle }
    }

    /// The arc that starts at a point along a tangent, turns about an axis across it and has a radius.
    pub fn arc_along(
        from: &Vec3,
        tangent: &Vec3,
        axis: &Vec3,
        radius: f64,
        angle: f64,
    ) -> Result<Self, LineError> {
        let across = tangent - axis * axis.dot(tangent);
        let tangent = across.try_normalize(1e-9 * tangent.norm()).ok_or(LineError::TangentAlongAxis)?;
        let outward = tangent.cross(axis) * angle.signum();
        Ok(Self::arc(from, &(from - outward * radius), axis, angle))
    }

    /// The arc from a point through a second to a third.
    pub fn arc_through(from: &Vec3, through: &Vec3, to: &Vec3) -> Result<Self, LineError> {
        let (p, q) = (through - from, to - from);
        let normal = p.cross(&q);
        let axis = normal.try_normalize(1e-9 * p.norm() * q.norm()).ok_or(LineError::Straight)?;
        // The centre is at equal distances: 2 c·p = p², 2 c·q = q² in the plane of both.
        let c = q.cross(&normal) * p.norm_squared() - p.cross(&normal) * q.norm_squared();
        let centre = from + c / (2.0 * normal.norm_squared());
        let (start, end) = (from - centre, to - centre);
        let angle = start.cross(&end).dot(&axis).atan2(start.dot(&end)).rem_euclid(TAU);
        Ok(Self::arc(from, &centre, &axis, angle))
    }
}

impl Curve for Helix {
    fn point(&self, u: f64) -> Vec3 {
        self.centre + so3::exp(&(self.axis * u)) * self.radius + self.axis * (self.pitch * u / TAU)
    }
    fn slope(&self, u: f64) -> Vec3 {
        self.axis.cross(&(so3::exp(&(self.axis * u)) * self.radius)) + self.axis * (self.pitch / TAU)
    }
    fn range(&self) -> [f64; 2] {
        [0.0, self.angle]
    }
}

/// The cubic spline through points over the sum of their distances, with not-a-knot ends; closed and smooth
/// all round if the last point is the first.
#[derive(Clone, Debug)]
pub struct Spline {
    components: [Table; 3],
    length: f64,
}

impl Spline {
    /// Through at least two points, no two neighbours in one place.
    pub fn new(points: &[Vec3]) -> Result<Self, LineError> {
        let places = distances(points)?;
        let (Some(&length), [first, .., last]) = (places.last(), points) else {
            return Err(LineError::Points);
        };
        let closed = points.len() > 3 && (last - first).norm() <= SAME * length;
        let ends = if closed { Extrapolation::Periodic } else { Extrapolation::Linear };
        let component = |i: usize| {
            let mut list: Vec<(f64, f64)> = places.iter().zip(points).map(|(u, p)| (*u, p[i])).collect();
            if let (true, Some(end)) = (closed, list.last_mut()) {
                end.1 = first[i];
            }
            Table::new("line", &list, Interpolation::Spline, ends).map_err(|_| LineError::NoLength)
        };
        Ok(Spline { components: [component(0)?, component(1)?, component(2)?], length })
    }

    fn value(&self, u: f64, order: u32) -> Vec3 {
        Vec3::from_fn(|i, _| self.components[i].value(u, order))
    }
}

impl Curve for Spline {
    fn point(&self, u: f64) -> Vec3 {
        self.value(u, 0)
    }
    fn slope(&self, u: f64) -> Vec3 {
        self.value(u, 1)
    }
    fn range(&self) -> [f64; 2] {
        [0.0, self.length]
    }
}

/// The way from the first point to each along straight lines.
pub(super) fn distances(points: &[Vec3]) -> Result<Vec<f64>, LineError> {
    let size = points.iter().map(|p| (p - points[0]).norm()).fold(0.0, f64::max);
    let mut places = vec![0.0; points.len()];
    for k in 1..points.len() {
        let step = (points[k] - points[k - 1]).norm();
        if !(step.is_finite() && step > SAME * size) {
            return Err(LineError::DoublePoint(k));
        }
        places[k] = places[k - 1] + step;
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{FRAC_PI_2, PI};

    fn ends(c: &impl Curve) -> (Vec3, Vec3, Vec3) {
        let [a, b] = c.range();
        (c.point(a), c.point(b), c.slope(a))
    }

    #[test]
    fn arcs_agree_however_they_are_given() {
        let (from, centre) = (Vec3::new(3.0, 1.0, 0.5), Vec3::new(1.0, 1.0, 0.5));
        let by_centre = Helix::arc(&from, &centre, &Vec3::z(), 1.5 * PI);
        let by_tangent = Helix::arc_along(&from, &Vec3::y(), &Vec3::z(), 2.0, 1.5 * PI).unwrap();
        let through =
            Helix::arc_through(&from, &Vec3::new(-1.0, 1.0, 0.5), &Vec3::new(1.0, -1.0, 0.5)).unwrap();
        for arc in [by_centre, by_tangent, through] {
            let (a, b, slope) = ends(&arc);
            assert!((a - from).norm() < 1e-14 && (b - Vec3::new(1.0, -1.0, 0.5)).norm() < 1e-13);
            assert!((slope - Vec3::y() * 2.0).norm() < 1e-13);
        }
        // Against the right-hand rule the centre is on the other side.
        let right = Helix::arc_along(&Vec3::zeros(), &Vec3::x(), &Vec3::z(), 1.0, -FRAC_PI_2).unwrap();
        let (_, end, _) = ends(&right);
        assert!((end - Vec3::new(1.0, -1.0, 0.0)).norm() < 1e-14);
        let line = Helix::arc_through(&Vec3::zeros(), &Vec3::x(), &(Vec3::x() * 2.0));
        assert_eq!(line, Err(LineError::Straight));
    }

    /// A cubic is its own spline; a closed spline through points of a circle is the circle to fourth order.
    #[test]
    fn splines_go_through_their_points() {
        let points: Vec<Vec3> = (0..5).map(|k| Vec3::new(f64::from(k), 0.0, 2.0)).collect();
        let line = Spline::new(&points).unwrap();
        assert!((line.point(1.7) - Vec3::new(1.7, 0.0, 2.0)).norm() < 1e-14);
        let circle = |n: u32| {
            let at = |k| f64::from(k) * TAU / f64::from(n);
            Spline::new(&(0..=n).map(|k| Vec3::new(at(k).cos(), at(k).sin(), 0.0)).collect::<Vec<_>>())
                .unwrap()
        };
        let error = |n: u32| {
            let c = circle(n);
            let u = c.range()[1] * (1.0 + 0.5) / f64::from(n);
            (c.point(u).norm() - 1.0).abs()
        };
        let order = (error(16) / error(32)).log2();
        assert!((order - 4.0).abs() < 0.1, "{order}");
        let c = circle(16);
        assert!((c.slope(0.0) - c.slope(c.range()[1])).norm() < 1e-12 && c.slope(0.0).x.abs() < 1e-12);
        let double = Spline::new(&[Vec3::zeros(), Vec3::x(), Vec3::x(), Vec3::y()]).err();
        assert_eq!(double, Some(LineError::DoublePoint(2)));
    }
}
