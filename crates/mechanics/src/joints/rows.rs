//! The rows that joints are made of (gs4-isochronous-integrators I-79), and the joint built from them.
//!
//! ```text
//! COINC        Φ = x_b − x_a            (three rows, or one of them)
//! DOT(u, w)    Φ = u · w                two directions stay perpendicular
//! SLIDE(u)     Φ = u · (x_b − x_a)      the offset stays perpendicular to a direction
//! ```
//! All are at most quadratic in the natural coordinates, so their second derivatives are constant.

use crate::carried::Carried;
use crate::constraint::Constraint;
use crate::lists::{Blocks, Gradients};
use poinsot_geometry::Vec3;

/// One row of a joint, on indices of its carried vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Row {
    /// (x_b − x_a)·e_axis = 0.
    Coincident {
        /// Point on the first body.
        a: usize,
        /// Point on the second body.
        b: usize,
        /// World axis.
        axis: usize,
    },
    /// u · w = 0.
    Dot {
        /// First direction.
        u: usize,
        /// Second direction.
        w: usize,
    },
    /// u · (x_b − x_a) = 0.
    Slide {
        /// Direction.
        u: usize,
        /// Point on the first body.
        a: usize,
        /// Point on the second body.
        b: usize,
    },
}

/// A joint made of [`Row`]s.
#[derive(Clone, Debug)]
pub struct Joint {
    pub(crate) kind: &'static str,
    pub(crate) carried: Vec<Carried>,
    pub(crate) rows: Vec<Row>,
    pub(crate) names: &'static [&'static str],
    /// Index of the point on the second body.
    pub(crate) second_point: usize,
}

impl Constraint for Joint {
    fn kind(&self) -> &'static str {
        self.kind
    }

    fn row_name(&self, k: usize) -> &'static str {
        self.names[k]
    }

    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn carried(&self) -> &[Carried] {
        &self.carried
    }

    fn reaction_point(&self) -> usize {
        self.second_point
    }

    #[inline]
    fn residual(&self, x: &[Vec3], _t: f64, phi: &mut [f64]) {
        for (value, row) in phi.iter_mut().zip(&self.rows) {
            *value = match *row {
                Row::Coincident { a, b, axis } => x[b][axis] - x[a][axis],
                Row::Dot { u, w } => x[u].dot(&x[w]),
                Row::Slide { u, a, b } => x[u].dot(&(x[b] - x[a])),
            };
        }
    }

    #[inline]
    fn gradients(&self, x: &[Vec3], _t: f64, g: &mut Gradients) {
        for (k, row) in self.rows.iter().enumerate() {
            match *row {
                Row::Coincident { a, b, axis } => {
                    let mut e = Vec3::zeros();
                    e[axis] = 1.0;
                    g.push(k, a, -e);
                    g.push(k, b, e);
                }
                Row::Dot { u, w } => {
                    g.push(k, u, x[w]);
                    g.push(k, w, x[u]);
                }
                Row::Slide { u, a, b } => {
                    g.push(k, u, x[b] - x[a]);
                    g.push(k, a, -x[u]);
                    g.push(k, b, x[u]);
                }
            }
        }
    }

    fn gradient_rates(&self, _x: &[Vec3], xdot: &[Vec3], _t: f64, g: &mut Gradients) {
        // The gradients are linear in x except for the constant ones of COINC.
        for (k, row) in self.rows.iter().enumerate() {
            match *row {
                Row::Coincident { .. } => {}
                Row::Dot { u, w } => {
                    g.push(k, u, xdot[w]);
                    g.push(k, w, xdot[u]);
                }
                Row::Slide { u, a, b } => {
                    g.push(k, u, xdot[b] - xdot[a]);
                    g.push(k, a, -xdot[u]);
                    g.push(k, b, xdot[u]);
                }
            }
        }
    }

    fn hessian(&self, _x: &[Vec3], _t: f64, lambda: &[f64], h: &mut Blocks) {
        for (l, row) in lambda.iter().zip(&self.rows) {
            match *row {
                Row::Coincident { .. } => {}
                Row::Dot { u, w } => h.push_pair(u, w, *l),
                Row::Slide { u, a, b } => {
                    h.push_pair(u, a, -l);
                    h.push_pair(u, b, *l);
                }
            }
        }
    }
}

/// A joint's attachment to one body: a frame on a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attachment {
    /// The node.
    pub node: usize,
    /// Origin of the joint frame in body axes.
    pub origin: Vec3,
    /// Axes of the joint frame in body axes (columns); the third is the joint's axis.
    pub axes: poinsot_geometry::Mat3,
}

impl Attachment {
    /// The origin as a carried point.
    pub fn point(&self) -> Carried {
        Carried::point(self.node, self.origin)
    }

    /// Axis `k` as a carried direction.
    pub fn axis(&self, k: usize) -> Carried {
        Carried::direction(self.node, self.axes.column(k).into_owned())
    }
}

/// The three rows of coincident points.
pub(crate) fn coincident(a: usize, b: usize) -> [Row; 3] {
    [0, 1, 2].map(|axis| Row::Coincident { a, b, axis })
}
