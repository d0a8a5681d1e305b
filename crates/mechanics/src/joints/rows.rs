//! The rows that joints are made of (gs4-isochronous-integrators I-79), and the joint built from them.
//!
//! ```text
//! COINC        Φ = x_b − x_a            (three rows, or one of them)
//! DOT(u, w)    Φ = u · w                two directions stay perpendicular
//! SLIDE(u)     Φ = u · (x_b − x_a)      the offset stays perpendicular to a direction
//! ```
//! All are at most quadratic in the natural coordinates, so their second derivatives are constant.

use super::lower_pair::LowerPair;
use crate::constraint::{Configuration, Constraint, Levels};
use crate::element_buffers::{Blocks, Gradients};
use crate::nodes::carried::Carried;
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

impl Row {
    /// The carried vectors that the row uses.
    fn vectors(&self) -> Vec<usize> {
        match *self {
            Row::Coincident { a, b, .. } => vec![a, b],
            Row::Dot { u, w } => vec![u, w],
            Row::Slide { u, a, b } => vec![u, a, b],
        }
    }

    /// The row with its carried vectors numbered anew.
    fn renumbered(&self, place: impl Fn(usize) -> usize) -> Row {
        match *self {
            Row::Coincident { a, b, axis } => Row::Coincident { a: place(a), b: place(b), axis },
            Row::Dot { u, w } => Row::Dot { u: place(u), w: place(w) },
            Row::Slide { u, a, b } => Row::Slide { u: place(u), a: place(a), b: place(b) },
        }
    }
}

/// A joint made of [`Row`]s.
#[derive(Clone, Debug)]
pub struct Joint {
    pub(crate) kind: &'static str,
    pub(crate) carried: Vec<Carried>,
    pub(crate) rows: Vec<Row>,
    pub(crate) names: Vec<&'static str>,
    /// Index of the point on the second body.
    pub(crate) second_point: usize,
    /// What it is if it has all its rows and its motion a closed form.
    pub(crate) pair: Option<LowerPair>,
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

    fn lower_pair(&self) -> Option<LowerPair> {
        self.pair
    }

    fn is_quadratic(&self) -> bool {
        true
    }

    #[inline]
    fn residual(&self, at: &Configuration, phi: &mut [f64]) {
        let x = at.x;
        for (value, row) in phi.iter_mut().zip(&self.rows) {
            *value = match *row {
                Row::Coincident { a, b, axis } => x[b][axis] - x[a][axis],
                Row::Dot { u, w } => x[u].dot(&x[w]),
                Row::Slide { u, a, b } => x[u].dot(&(x[b] - x[a])),
            };
        }
    }

    #[inline]
    fn gradients(&self, at: &Configuration, g: &mut Gradients) {
        let x = at.x;
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

    #[inline]
    fn pull(&self, at: &Configuration, lambda: &[f64], f: &mut [Vec3], _g: &mut Gradients) {
        let x = at.x;
        for (l, row) in lambda.iter().zip(&self.rows) {
            match *row {
                Row::Coincident { a, b, axis } => {
                    f[a][axis] -= l;
                    f[b][axis] += l;
                }
                Row::Dot { u, w } => {
                    f[u] += x[w] * *l;
                    f[w] += x[u] * *l;
                }
                Row::Slide { u, a, b } => {
                    f[u] += (x[b] - x[a]) * *l;
                    f[a] -= x[u] * *l;
                    f[b] += x[u] * *l;
                }
            }
        }
    }

    #[inline]
    fn push(&self, at: &Configuration, xdot: &[Vec3], rate: &mut [f64], _g: &mut Gradients) {
        let x = at.x;
        for (rate, row) in rate.iter_mut().zip(&self.rows) {
            *rate += match *row {
                Row::Coincident { a, b, axis } => xdot[b][axis] - xdot[a][axis],
                Row::Dot { u, w } => x[u].dot(&xdot[w]) + x[w].dot(&xdot[u]),
                Row::Slide { u, a, b } => x[u].dot(&(xdot[b] - xdot[a])) + xdot[u].dot(&(x[b] - x[a])),
            };
        }
    }

    fn evaluate(
        &self,
        at: &Configuration,
        lambda: &[f64],
        f: &mut [Vec3],
        wanted: Levels,
        g: &mut Gradients,
    ) {
        if let Some(phi) = wanted.position {
            self.residual(at, phi);
        }
        self.pull(at, lambda, f, g);
        if let Some((xdot, rate)) = wanted.velocity {
            rate.fill(0.0);
            self.push(at, xdot, rate, g);
        }
    }

    fn with_rows(&self, keep: &[bool]) -> Option<Box<dyn Constraint>> {
        let chosen = |k: &usize| keep[*k];
        let rows: Vec<Row> = (0..self.rows.len()).filter(chosen).map(|k| self.rows[k]).collect();
        let names = (0..self.rows.len()).filter(chosen).map(|k| self.names[k]).collect();
        let mut used: Vec<usize> = rows.iter().flat_map(Row::vectors).collect();
        used.push(self.second_point);
        used.sort_unstable();
        used.dedup();
        let place = |old: usize| used.binary_search(&old).unwrap_or(0);
        Some(Box::new(Joint {
            kind: self.kind,
            carried: used.iter().map(|&k| self.carried[k]).collect(),
            rows: rows.iter().map(|row| row.renumbered(place)).collect(),
            names,
            second_point: place(self.second_point),
            pair: self.pair.filter(|_| keep.iter().all(|kept| *kept)),
        }))
    }

    fn rate_gradients(&self, _at: &Configuration, xdot: &[Vec3], g: &mut Gradients) {
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

    fn hessian(&self, _at: &Configuration, lambda: &[f64], h: &mut Blocks) {
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

/// Both points, then the three axes of each attachment: what joints without rotation are made of.
pub(crate) fn points_and_axes(first: &Attachment, second: &Attachment) -> Vec<Carried> {
    let axes = [first, second].into_iter().flat_map(|end| [0, 1, 2].map(|k| end.axis(k)));
    [first.point(), second.point()].into_iter().chain(axes).collect()
}

/// The three rows that keep those axes aligned: u₁·w₂ = u₂·w₃ = u₃·w₁ = 0.
pub(crate) fn aligned() -> [Row; 3] {
    [Row::Dot { u: 2, w: 6 }, Row::Dot { u: 3, w: 7 }, Row::Dot { u: 4, w: 5 }]
}

/// The three rows of coincident points.
pub(crate) fn coincident(a: usize, b: usize) -> [Row; 3] {
    [0, 1, 2].map(|axis| Row::Coincident { a, b, axis })
}
