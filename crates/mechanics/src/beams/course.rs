//! The course of a beam: frames of its nodes along a line, corners, twist.
//!
//! ```text
//! piece         d₃ along the line, d₁ and d₂ carried along without turning about it
//! corner        the axes turn with the line, by the least rotation from one tangent to the other
//! twist ψ(s)    d₁ → cos ψ d₁ + sin ψ d₂,   d₂ → cos ψ d₂ − sin ψ d₁
//! ```
//! The node of a corner has the axes of the piece that ends there. The next piece is fixed to it rigidly,
//! with axes of its own.

use super::curve::{Curve, SAME, Straight, distances};
use super::interpolation::node_shares;
use super::line::{frames_along, section_axes};
use crate::nodes::chart::Frame;
use poinsot_geometry::interpolation::Quadrature;
use poinsot_geometry::{Mat3, Vec3, so3};
use std::ops::Range;
use thiserror::Error;

/// Pieces per element in which lengths are integrated.
const PIECES: usize = 64;

/// Why there is no beam along a line. Points are counted from 0.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum LineError {
    /// Fewer than two points.
    #[error("a line needs at least two points")]
    Points,
    /// A point is where the one before it is.
    #[error("points {} and {} are in one place", .0, .0 + 1)]
    DoublePoint(usize),
    /// The line goes straight back at a point.
    #[error("the line turns straight back at point {}", .0 + 1)]
    Reversal(usize),
    /// The line stands still or is not finite somewhere.
    #[error("the line has no length somewhere")]
    NoLength,
    /// Axis 1 is along the line where it starts.
    #[error("axis 1 is along the line where it starts")]
    AxisAlongLine,
    /// The tangent of an arc is along its axis.
    #[error("the tangent of the arc is along its axis")]
    TangentAlongAxis,
    /// Three points on a straight line make no arc.
    #[error("the three points of the arc are on a straight line")]
    Straight,
    /// Fewer elements than straight pieces, or lists of different lengths.
    #[error("{elements} elements do not make {pieces} straight pieces")]
    Elements {
        /// Elements, or entries of their list.
        elements: usize,
        /// Pieces of the line.
        pieces: usize,
    },
}

/// The axes with which a beam goes on behind a corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corner {
    /// Node at the corner.
    pub node: usize,
    /// Section axes of the piece that starts here, in the axes of the node.
    pub turn: Mat3,
}

/// Nodes of a beam along its line.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// Origin and section axes of each node.
    pub frames: Vec<Frame>,
    /// Corners, in the order of the line.
    pub corners: Vec<Corner>,
    /// Arc length at the ends of the elements, one more than there are elements (m).
    pub bounds: Vec<f64>,
}

impl Course {
    /// Equal elements of an order along a smooth line; axis 1 is near to `first` where it starts.
    pub fn along(curve: &dyn Curve, elements: usize, order: usize, first: &Vec3) -> Result<Self, LineError> {
        let [from, to] = curve.range();
        let slope = |u: f64| curve.slope(u);
        let start = slope(from) * (to - from).signum();
        let standing = !(start.norm() > 0.0 && start.norm().is_finite());
        if !standing && section_axes(&start, first).is_none() {
            return Err(LineError::AxisAlongLine);
        }
        let shares = node_shares(elements, order);
        let frames = frames_along(|u| curve.point(u), slope, [from, to], &shares, first);
        let finite = |z: &Frame| z.r.iter().chain(z.rot.iter()).all(|x| x.is_finite());
        let frames = frames.filter(|list| list.iter().all(finite)).ok_or(LineError::NoLength)?;
        let length = length(curve, PIECES * elements);
        if !(length > 0.0 && length.is_finite()) {
            return Err(LineError::NoLength);
        }
        let bounds = (0..=elements).map(|e| length * e as f64 / elements as f64).collect();
        Ok(Course { frames, corners: vec![], bounds })
    }

    /// Straight pieces between points, with so many elements each.
    pub fn polyline(
        points: &[Vec3],
        elements: &[usize],
        order: usize,
        first: &Vec3,
    ) -> Result<Self, LineError> {
        let places = distances(points)?;
        if points.len() < 2 {
            return Err(LineError::Points);
        }
        let pieces = points.len() - 1;
        if elements.len() != pieces {
            return Err(LineError::Elements { elements: elements.len(), pieces });
        }
        let mut course = Course { frames: vec![], corners: vec![], bounds: vec![0.0] };
        let mut axes = section_axes(&(points[1] - points[0]), first).ok_or(LineError::AxisAlongLine)?;
        for (k, ends) in points.windows(2).enumerate() {
            let tangent = (ends[1] - ends[0]).normalize();
            if k > 0 {
                let turned =
                    least_turn(&axes.column(2).into(), &tangent).ok_or(LineError::Reversal(k))? * axes;
                course.corners.push(Corner { node: course.frames.len() - 1, turn: axes.tr_mul(&turned) });
                axes = turned;
            }
            let straight = Straight { from: ends[0], to: ends[1] };
            let shares = node_shares(elements[k], order);
            let frames = shares.iter().map(|share| Frame { r: straight.point(*share), rot: axes });
            course.frames.extend(frames.skip(usize::from(k > 0)));
            let step = (places[k + 1] - places[k]) / elements[k] as f64;
            course.bounds.extend((1..=elements[k]).map(|e| places[k] + step * e as f64));
        }
        Ok(course)
    }

    /// The course with section axes turned about the line by the angle ψ(s).
    pub fn twisted(mut self, order: usize, angle: impl Fn(f64) -> f64) -> Self {
        let places = self.places(order);
        for corner in &mut self.corners {
            let turn = about_line(angle(places[corner.node]));
            corner.turn = turn.transpose() * corner.turn * turn;
        }
        for (z, s) in self.frames.iter_mut().zip(&places) {
            z.rot *= about_line(angle(*s));
        }
        self
    }

    /// Arc length of each node (m).
    pub fn places(&self, order: usize) -> Vec<f64> {
        let shares = node_shares(1, order);
        let inside = |ends: &[f64]| {
            let [a, b] = [ends[0], ends[1]];
            shares[1..].iter().map(move |share| a + share * (b - a)).collect::<Vec<_>>()
        };
        std::iter::once(0.0).chain(self.bounds.windows(2).flat_map(inside)).collect()
    }

    /// Length of the whole line (m).
    pub fn length(&self) -> f64 {
        self.bounds.last().copied().unwrap_or(0.0)
    }

    /// The element at an arc length and ξ in it; at the end of an element that element. None beyond the ends.
    pub fn locate(&self, s: f64) -> Option<(usize, f64)> {
        let slack = SAME * self.length();
        if !(-slack..=self.length() + slack).contains(&s) {
            return None;
        }
        let end = self.bounds[1..].iter().position(|bound| s <= bound + slack)?;
        let (a, b) = (self.bounds[end], self.bounds[end + 1]);
        Some((end, (2.0 * (s - a) / (b - a) - 1.0).clamp(-1.0, 1.0)))
    }
}

/// Nodes of the straight or smooth pieces between corners, of a beam of so many nodes; neighbours share one.
pub fn pieces(nodes: usize, corners: &[Corner]) -> Vec<Range<usize>> {
    let ends = corners.iter().map(|corner| corner.node).chain([nodes.saturating_sub(1)]);
    let mut start = 0;
    ends.map(|end| std::mem::replace(&mut start, end)..end + 1).collect()
}

/// Shares out elements to pieces of given lengths: one each, then always to the piece with the longest
/// elements.
pub fn shared_out(elements: usize, lengths: &[f64]) -> Result<Vec<usize>, LineError> {
    let pieces = lengths.len();
    if elements < pieces || pieces == 0 {
        return Err(LineError::Elements { elements, pieces });
    }
    let mut counts = vec![1; pieces];
    for _ in pieces..elements {
        let size = |k: usize| lengths[k] / counts[k] as f64;
        // The first of equal ones; 1e-9 so that round-off does not choose.
        let longest =
            (1..pieces).fold(0, |best, k| if size(k) > size(best) * (1.0 + 1e-9) { k } else { best });
        counts[longest] += 1;
    }
    Ok(counts)
}

/// The least rotation that turns one unit vector into another; none if they are opposite.
fn least_turn(from: &Vec3, to: &Vec3) -> Option<Mat3> {
    let across = from.cross(to);
    let (sine, cosine) = (across.norm(), from.dot(to));
    if sine <= 1e-9 {
        return (cosine > 0.0).then(Mat3::identity);
    }
    Some(so3::exp(&(across * (sine.atan2(cosine) / sine))))
}

fn about_line(angle: f64) -> Mat3 {
    so3::exp(&(Vec3::z() * angle))
}

/// ∫|dr/du| du.
fn length(curve: &dyn Curve, pieces: usize) -> f64 {
    let [from, to] = curve.range();
    let Quadrature { points: places, weights } = Quadrature::gauss_legendre(6);
    let half = 0.5 * (to - from).abs() / pieces as f64;
    let piece = |k: usize| {
        let middle = from + (to - from) * (k as f64 + 0.5) / pieces as f64;
        places.iter().zip(&weights).map(|(x, w)| w * curve.slope(middle + half * x).norm()).sum::<f64>()
    };
    half * (0..pieces).map(piece).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::beams::curve::Helix;
    use std::f64::consts::PI;

    #[test]
    fn corners_turn_the_axes_with_the_line() {
        let points = [Vec3::zeros(), Vec3::x() * 2.0, Vec3::new(2.0, 1.0, 0.0), Vec3::new(2.0, 1.0, 3.0)];
        assert_eq!(shared_out(6, &[2.0, 1.0, 3.0]).unwrap(), [2, 1, 3]);
        assert_eq!(shared_out(2, &[2.0, 1.0, 3.0]), Err(LineError::Elements { elements: 2, pieces: 3 }));
        let course = Course::polyline(&points, &[2, 1, 3], 2, &Vec3::z()).unwrap();
        assert_eq!((course.frames.len(), course.length()), (13, 6.0));
        assert_eq!(course.bounds, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(pieces(13, &course.corners), [0..5, 4..7, 6..13]);
        // The node of a corner keeps the axes of the piece before it: d₁ = z, d₃ = x.
        let [first, second] = [&course.corners[0], &course.corners[1]];
        assert_eq!((first.node, second.node), (4, 6));
        let behind = course.frames[4].rot * first.turn;
        assert!(
            (behind.column(2) - Vec3::y()).norm() < 1e-15 && (behind.column(0) - Vec3::z()).norm() < 1e-15
        );
        assert!((course.frames[5].rot - behind).norm() < 1e-15);
        // From y up to z the least turn takes d₁ from z to −y.
        let behind = course.frames[6].rot * second.turn;
        assert!(
            (behind.column(2) - Vec3::z()).norm() < 1e-15 && (behind.column(0) + Vec3::y()).norm() < 1e-15
        );
        let back = Course::polyline(&[Vec3::zeros(), Vec3::x(), Vec3::zeros()], &[1, 1], 1, &Vec3::z());
        assert_eq!(back, Err(LineError::Reversal(1)));
    }

    #[test]
    fn places_are_found_by_arc_length() {
        let arc = Helix::arc(&Vec3::x(), &Vec3::zeros(), &Vec3::z(), PI);
        let course = Course::along(&arc, 4, 3, &Vec3::x()).unwrap();
        assert!((course.length() - PI).abs() < 1e-14);
        let (element, xi) = course.locate(0.6 * PI).unwrap();
        assert!(element == 2 && (xi + 0.2).abs() < 1e-12);
        assert_eq!(course.locate(0.5 * PI).map(|(e, _)| e), Some(1));
        assert_eq!((course.locate(0.0), course.locate(4.0)), (Some((0, -1.0)), None));
        let along = Course::along(&arc, 4, 3, &Vec3::y());
        assert_eq!(along, Err(LineError::AxisAlongLine));
    }

    /// Turned by ψ = s/2, on both sides of a corner.
    #[test]
    fn twist_turns_about_the_line() {
        let points = [Vec3::zeros(), Vec3::x() * 2.0, Vec3::new(2.0, 1.0, 0.0)];
        let course = Course::polyline(&points, &[1, 1], 2, &Vec3::z()).unwrap().twisted(2, |s| 0.5 * s);
        let (sin, cos) = 1.0f64.sin_cos();
        let node = course.frames[2].rot;
        // Axes 1 and 2 of the first piece are z and −y, of the second z and x.
        assert!((node.column(0) - Vec3::new(0.0, -sin, cos)).norm() < 1e-15);
        let behind = node * course.corners[0].turn;
        assert!((behind.column(0) - Vec3::new(sin, 0.0, cos)).norm() < 1e-15);
        assert!((behind.column(2) - Vec3::y()).norm() < 1e-15);
        let (sin, cos) = 1.5f64.sin_cos();
        assert!((course.frames[4].rot.column(0) - Vec3::new(sin, 0.0, cos)).norm() < 1e-15);
    }
}
