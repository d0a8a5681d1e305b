//! A mechanism as points and lines, and how a mode moves them.

use std::collections::HashSet;

use crate::mode_shapes::{BodyFrame, ComplexVector, LinkEnd, ModeShape, ModeShapes};

/// Coordinates beyond this are drawn at the edge: no square overflows.
const FARTHEST: f64 = 1e100;

/// Length of the axes drawn for a body without joints, over the extent.
const AXES: f64 = 0.08;

/// Points of a mechanism and the lines between them. The first points are the
/// centres of mass.
pub(super) struct Skeleton {
    pub points: Vec<LinkEnd>,
    pub lines: Vec<(usize, usize)>,
    pub bodies: usize,
}

/// A coordinate plane by the indices of its axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Plane {
    pub across: usize,
    pub up: usize,
}

impl Plane {
    const ALL: [Plane; 3] =
        [Plane { across: 0, up: 2 }, Plane { across: 0, up: 1 }, Plane { across: 1, up: 2 }];

    /// A vector in the plane.
    pub fn of(self, v: [f64; 3]) -> [f64; 2] {
        [v[self.across], v[self.up]]
    }

    /// The axis that is not seen.
    fn hidden(self) -> usize {
        3 - self.across - self.up
    }
}

impl Skeleton {
    /// Centres of mass joined through the joints; a body without a joint is
    /// shown by its axes.
    pub fn of(shapes: &ModeShapes) -> Skeleton {
        let centre = |(i, body): (usize, &BodyFrame)| LinkEnd {
            body: Some(i),
            position: bounded(body.centre_of_mass),
        };
        let points: Vec<LinkEnd> = shapes.bodies().iter().enumerate().map(centre).collect();
        let bodies = points.len();
        let mut skeleton = Skeleton { points, lines: Vec::new(), bodies };
        for link in shapes.links() {
            let ends = link.ends.map(|e| skeleton.add(e));
            if link.ends[0].position != link.ends[1].position {
                skeleton.lines.push((ends[0], ends[1]));
            }
        }
        skeleton.add_axes(shapes);
        skeleton
    }

    fn add(&mut self, end: LinkEnd) -> usize {
        let index = self.points.len();
        self.points.push(LinkEnd { position: bounded(end.position), ..end });
        if let Some(body) = end.body {
            self.lines.push((body, index));
        }
        index
    }

    fn add_axes(&mut self, shapes: &ModeShapes) {
        let all: Vec<[f64; 3]> = self.points.iter().map(|p| p.position).collect();
        let extent = match (0..3).map(|k| range(all.iter().map(|p| p[k]))).fold(0.0, f64::max) {
            0.0 => shapes.length().min(FARTHEST),
            extent => extent,
        };
        let linked: HashSet<usize> =
            shapes.links().iter().flat_map(|l| &l.ends).filter_map(|e| e.body).collect();
        for (i, body) in shapes.bodies().iter().enumerate().filter(|(i, _)| !linked.contains(i)) {
            for axis in 0..3 {
                let centre = self.points[i].position;
                let position = std::array::from_fn(|k| centre[k] + AXES * extent * body.rotation[k][axis]);
                self.add(LinkEnd { body: Some(i), position });
            }
        }
    }

    /// The amplitude of each point: u + θ × (p − c), nothing on the ground.
    pub fn amplitudes(&self, mode: &ModeShape) -> Vec<ComplexVector> {
        let amplitude = |point: &LinkEnd| {
            let Some(i) = point.body else { return ComplexVector::default() };
            let (body, centre) = (&mode.bodies[i], self.points[i].position);
            let arm = std::array::from_fn(|k| point.position[k] - centre[k]);
            let moved = body.translation.plus_cross(&body.rotation, arm);
            ComplexVector { re: bounded(moved.re), im: bounded(moved.im) }
        };
        self.points.iter().map(amplitude).collect()
    }

    /// The coordinate plane that shows most: with d and s the parts of the
    /// displacement and of the spread along the hidden axis, that of largest
    /// (1 − d)(1 − s).
    pub fn plane(&self, amplitudes: &[ComplexVector]) -> Plane {
        let displaced: [f64; 3] =
            std::array::from_fn(|k| amplitudes.iter().map(|a| a.re[k].powi(2) + a.im[k].powi(2)).sum());
        let spread: [f64; 3] =
            std::array::from_fn(|k| range(self.points.iter().map(|p| p.position[k])).powi(2));
        let seen = |parts: &[f64; 3], hidden: usize| {
            let whole: f64 = parts.iter().sum();
            if whole > 0.0 { 1.0 - parts[hidden] / whole } else { 1.0 }
        };
        let score = |plane: Plane| seen(&displaced, plane.hidden()) * seen(&spread, plane.hidden());
        let [first, rest @ ..] = Plane::ALL;
        // Clearly better, not by rounding: among equals the first is taken.
        rest.into_iter().fold(first, |best, next| if score(next) > score(best) + 1e-9 { next } else { best })
    }
}

fn bounded(v: [f64; 3]) -> [f64; 3] {
    v.map(|c| c.clamp(-FARTHEST, FARTHEST))
}

/// Largest difference of values, 0 for none.
pub(super) fn range(values: impl Iterator<Item = f64>) -> f64 {
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    (high - low).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mode_shapes::{BodyAmplitude, Link};

    /// A bar along x, hinged to the ground at the origin, centre at x = 1.
    fn bar(rotation: [f64; 3], translation: [f64; 3]) -> (Skeleton, Vec<ComplexVector>) {
        let body = BodyFrame { centre_of_mass: [1.0, 0.0, 0.0], ..BodyFrame::default() };
        let hinge = Link {
            name: "hinge".into(),
            ends: [LinkEnd::default(), LinkEnd { body: Some(0), position: [0.0; 3] }],
        };
        let real = |re: [f64; 3]| ComplexVector { re, im: [0.0; 3] };
        let amplitude = BodyAmplitude { translation: real(translation), rotation: real(rotation) };
        let mode = ModeShape { number: 1, bodies: vec![amplitude], ..ModeShape::default() };
        let shapes = ModeShapes::new(vec![body], vec![hinge], 1.0, vec![mode]).unwrap();
        let skeleton = Skeleton::of(&shapes);
        let amplitudes = skeleton.amplitudes(&shapes.modes()[0]);
        (skeleton, amplitudes)
    }

    #[test]
    fn a_hinge_point_stays_and_the_plane_shows_the_swing() {
        let (skeleton, amplitudes) = bar([0.0, 0.0, 1.0], [0.0, 1.0, 0.0]);
        assert_eq!(skeleton.lines, [(0, 2)]);
        assert_eq!(amplitudes[0].re, [0.0, 1.0, 0.0]);
        assert_eq!(amplitudes[2].re, [0.0, 0.0, 0.0]);
        assert_eq!(skeleton.plane(&amplitudes), Plane { across: 0, up: 1 });
        let (skeleton, amplitudes) = bar([0.0, -1.0, 0.0], [0.0, 0.0, 1.0]);
        assert_eq!(amplitudes[2].re, [0.0, 0.0, 0.0]);
        assert_eq!(skeleton.plane(&amplitudes), Plane { across: 0, up: 2 });
    }
}
