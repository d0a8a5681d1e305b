//! Sliding joint: a point of the second body stays on a line of elements by places and slopes, and may follow
//! its tangent. A ring through which a cable runs is the same joint: the ring is the second body.
//!
//! ```text
//! p(s) = Σ_a S_a(s) e_a        e_a: place and slope at both ends of the element at s
//! Φ_1…3 = x₂ − p(s) = 0        (3 rows)
//! Φ_4,5 = b_j · p′(s) = 0      (2 rows, if the third axis b₃ of the body follows the tangent)
//! ```
//! The arc length s of the line as it was made is an unknown of its own without mass: its equation says that
//! the force on the body has no part along the line, λ·p′ = 0, but for friction and drives along s. The
//! polynomials S_a are those of the line (floating-frame-and-ancf §1.21.1), so that on a line by absolute
//! nodal coordinates the point is on the very line that moves. Beams with section axes lend their third axes
//! as slopes: the point is on the smooth curve through their nodes.
//!
//! Places and slopes are common to neighbours, so that p and p′ pass from element to element without a jump;
//! p″ does jump, and adaptive steps end there, as at any kink ([`Switches`](crate::Switches)).

use super::rows::Attachment;
use crate::ancf::{Cubic, SlopeNode};
use crate::constraint::{Configuration, Constraint};
use crate::coordinate::Coordinate;
use crate::element_buffers::{Blocks, Gradients};
use crate::itinerary::Itinerary;
use crate::nodes::carried::{Carried, NodeId};
use poinsot_geometry::{Mat3, Vec3};

/// Keeps a point on a line.
#[derive(Clone, Debug)]
pub struct Sliding {
    /// x₂, s, perhaps b₁ and b₂, then all places and slopes.
    carried: Vec<Carried>,
    way: Itinerary,
    follows: bool,
}

/// Places among the vectors of a stretch.
const POINT: usize = 0;
const PLACE: usize = 1;
const AXES: [usize; 2] = [2, 3];

const UNITS: [Vec3; 3] = [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 0.0, 1.0)];

/// Keeps the origin of `second` on the line of these elements, each between two nodes; element e reaches from
/// `bounds[e]` to `bounds[e + 1]`. `place` is the node that holds s; with `follows` the third axis of
/// `second` follows the tangent.
pub fn sliding(
    second: &Attachment,
    place: NodeId,
    elements: &[[SlopeNode; 2]],
    bounds: &[f64],
    follows: bool,
) -> Sliding {
    let stretch = |[from, to]: &[SlopeNode; 2]| {
        let mut carried = vec![second.point(), Carried::point(place, Vec3::zeros())];
        if follows {
            carried.extend([second.axis(0), second.axis(1)]);
        }
        carried.extend([from.place, from.slope, to.place, to.slope]);
        carried
    };
    let way = Itinerary::new(place, bounds.to_vec(), elements.iter().map(stretch).collect());
    Sliding { carried: way.all(), way, follows }
}

/// s as a coordinate.
pub fn arc_length(place: NodeId) -> Coordinate {
    Coordinate::component(Carried::point(place, Vec3::zeros()), 0)
}

/// Σ_a w_a e_a.
fn sum(weights: &[f64; 4], e: &[Vec3]) -> Vec3 {
    e[0] * weights[0] + e[1] * weights[1] + e[2] * weights[2] + e[3] * weights[3]
}

impl Sliding {
    /// The polynomials at s.
    fn shape(&self, s: f64) -> Cubic {
        let [from, to] = self.way.ends(self.way.stretch(s));
        let l = to - from;
        Cubic::at((s - from) / l, l)
    }

    /// Where the first e_a stands.
    fn first(&self) -> usize {
        if self.follows { AXES[1] + 1 } else { PLACE + 1 }
    }

    /// b_j with its row, for those that follow the tangent.
    fn axes(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        AXES.into_iter().enumerate().take(if self.follows { 2 } else { 0 }).map(|(j, axis)| (3 + j, axis))
    }
}

impl Constraint for Sliding {
    fn kind(&self) -> &'static str {
        "sliding"
    }

    fn row_name(&self, k: usize) -> &'static str {
        ["offset x", "offset y", "offset z", "x axis along the line", "y axis along the line"][k]
    }

    fn rows(&self) -> usize {
        if self.follows { 5 } else { 3 }
    }

    fn carried(&self) -> &[Carried] {
        &self.carried
    }

    fn itinerary(&self) -> Option<&Itinerary> {
        Some(&self.way)
    }

    fn reaction_point(&self) -> usize {
        POINT
    }

    fn residual(&self, at: &Configuration, phi: &mut [f64]) {
        let shape = self.shape(at.x[PLACE].x);
        let e = &at.x[self.first()..];
        let offset = at.x[POINT] - sum(&shape.value, e);
        phi[..3].copy_from_slice(offset.as_slice());
        let tangent = sum(&shape.slope, e);
        self.axes().for_each(|(row, axis)| phi[row] = at.x[axis].dot(&tangent));
    }

    fn gradients(&self, at: &Configuration, g: &mut Gradients) {
        let (shape, first) = (self.shape(at.x[PLACE].x), self.first());
        let e = &at.x[first..];
        let (tangent, bend) = (sum(&shape.slope, e), sum(&shape.curvature, e));
        for (row, unit) in UNITS.iter().enumerate() {
            g.push(row, POINT, *unit);
            g.push(row, PLACE, Vec3::x() * -tangent[row]);
            (0..4).for_each(|a| g.push(row, first + a, unit * -shape.value[a]));
        }
        for (row, axis) in self.axes() {
            g.push(row, axis, tangent);
            g.push(row, PLACE, Vec3::x() * at.x[axis].dot(&bend));
            (0..4).for_each(|a| g.push(row, first + a, at.x[axis] * shape.slope[a]));
        }
    }

    fn rate_gradients(&self, at: &Configuration, xdot: &[Vec3], g: &mut Gradients) {
        let (shape, first, speed) = (self.shape(at.x[PLACE].x), self.first(), xdot[PLACE].x);
        let (e, moved) = (&at.x[first..], &xdot[first..]);
        let bend = sum(&shape.curvature, e);
        let turn = bend * speed + sum(&shape.slope, moved);
        for (row, unit) in UNITS.iter().enumerate() {
            g.push(row, PLACE, Vec3::x() * -turn[row]);
            (0..4).for_each(|a| g.push(row, first + a, unit * (-shape.slope[a] * speed)));
        }
        let bending = sum(&shape.third, e) * speed + sum(&shape.curvature, moved);
        for (row, axis) in self.axes() {
            let (b, rate) = (at.x[axis], xdot[axis]);
            g.push(row, axis, turn);
            g.push(row, PLACE, Vec3::x() * (rate.dot(&bend) + b.dot(&bending)));
            (0..4).for_each(|a| {
                g.push(row, first + a, b * (shape.curvature[a] * speed) + rate * shape.slope[a]);
            });
        }
    }

    fn hessian(&self, at: &Configuration, lambda: &[f64], h: &mut Blocks) {
        let (shape, first) = (self.shape(at.x[PLACE].x), self.first());
        let e = &at.x[first..];
        let (bend, third) = (sum(&shape.curvature, e), sum(&shape.third, e));
        let force = Vec3::new(lambda[0], lambda[1], lambda[2]);
        let (mut own, mut across) = (-force.dot(&bend), Vec3::zeros());
        for (row, axis) in self.axes() {
            let pressed = at.x[axis] * lambda[row];
            own += pressed.dot(&third);
            across += pressed;
            let turned = bend * lambda[row];
            h.push_outer(axis, PLACE, &turned, &Vec3::x());
            h.push_outer(PLACE, axis, &Vec3::x(), &turned);
            (0..4).for_each(|a| h.push_pair(axis, first + a, lambda[row] * shape.slope[a]));
        }
        for a in 0..4 {
            let pull = across * shape.curvature[a] - force * shape.slope[a];
            h.push_outer(first + a, PLACE, &pull, &Vec3::x());
            h.push_outer(PLACE, first + a, &Vec3::x(), &pull);
        }
        h.push(PLACE, PLACE, Mat3::from_diagonal(&Vec3::new(own, 0.0, 0.0)));
    }
}
