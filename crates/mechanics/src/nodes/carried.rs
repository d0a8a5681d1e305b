//! Vectors carried by a node: x = c₀ r + R c.
//!
//! A point of a body has c₀ = 1 and its body coordinates in c; a direction has c₀ = 0. A slope is what its
//! node has for r: c₀ = 1 too, but no place, so that weight, momentum and centre of mass do not count it as
//! one. All are linear in the natural coordinates (r, d₁, d₂, d₃), so an element that is a function of
//! carried vectors is written once and serves every chart.

use crate::nodes::chart::{Chart, Frame, Twist};
use poinsot_geometry::{Vec3, so3};

/// Index of a node; [`GROUND`] is always there.
pub type NodeId = usize;

/// The world: a node that does not move.
pub const GROUND: NodeId = 0;

/// A vector that moves with a node: x = c₀ r + R c.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Carried {
    /// The node that carries it.
    pub node: NodeId,
    /// Share of r: 1 for a point or a slope, 0 for a direction.
    pub c0: f64,
    /// Components in body axes.
    pub c: Vec3,
    /// Whether it is a slope, see [`Chart::Slope`]: r is then no place.
    pub slope: bool,
}

impl Carried {
    /// A point with body coordinates `c`.
    pub fn point(node: NodeId, c: Vec3) -> Self {
        Carried { node, c0: 1.0, c, slope: false }
    }

    /// A direction with body components `c`.
    pub fn direction(node: NodeId, c: Vec3) -> Self {
        Carried { node, c0: 0.0, c, slope: false }
    }

    /// The vector of a slope node.
    pub fn slope(node: NodeId) -> Self {
        Carried { node, c0: 1.0, c: Vec3::zeros(), slope: true }
    }

    /// By how much it moves when everything is shifted by one: 1 for a point, 0 for a direction or a slope.
    #[inline]
    pub fn place(&self) -> f64 {
        if self.slope { 0.0 } else { self.c0 }
    }

    /// Whether it is a place in space, not a direction or a slope.
    #[inline]
    pub fn is_place(&self) -> bool {
        self.place() != 0.0
    }

    /// x = c₀ r + R c.
    #[inline]
    pub fn value(&self, z: &Frame) -> Vec3 {
        z.r * self.c0 + z.rot * self.c
    }

    /// ẋ = c₀ ṙ + R (ω × c).
    #[inline]
    pub fn velocity(&self, z: &Frame, v: &Twist) -> Vec3 {
        v.linear * self.c0 + z.rot * v.angular.cross(&self.c)
    }

    /// ẍ = c₀ r̈ + R (α × c + ω × (ω × c)).
    #[inline]
    pub fn acceleration(&self, z: &Frame, v: &Twist, a: &Twist) -> Vec3 {
        let spin = a.angular.cross(&self.c) + v.angular.cross(&v.angular.cross(&self.c));
        a.linear * self.c0 + z.rot * spin
    }
}

/// The columns of P = ∂x/∂q of a carried vector; only the first `dofs` of the chart are meaningful.
pub type Columns = [Vec3; 6];

/// P = ∂x/∂q: [c₀ I, −R c̃] on the motion chart. With c replaced by ω × c and c₀ = 0 it is ∂ẋ/∂q.
#[inline]
pub fn columns(chart: &Chart, z: &Frame, c0: f64, c: &Vec3) -> Columns {
    let mut p = [Vec3::zeros(); 6];
    match chart {
        Chart::Fixed => {}
        Chart::Parameter | Chart::Number => p[0].x = c0,
        Chart::Point | Chart::Slope => {
            for (k, column) in p.iter_mut().take(3).enumerate() {
                column[k] = c0;
            }
        }
        Chart::Motion => {
            let turn = z.rot * so3::skew(c);
            for k in 0..3 {
                p[k][k] = c0;
                p[3 + k] = -turn.column(k);
            }
        }
        Chart::PlanarPoint { e1, e2 } | Chart::PlanarSlope { e1, e2 } => {
            p[0] = e1 * c0;
            p[1] = e2 * c0;
        }
        Chart::Planar { e1, e2, normal } => {
            p[0] = e1 * c0;
            p[1] = e2 * c0;
            p[2] = z.rot * normal.cross(c);
        }
    }
    p
}

/// Generalised force of a force `f` on a carried vector: Q = Pᵀ f, added to `q`.
#[inline]
pub fn project(chart: &Chart, z: &Frame, carried: &Carried, f: &Vec3, q: &mut [f64]) {
    match chart {
        Chart::Fixed => {}
        Chart::Parameter | Chart::Number => q[0] += carried.c0 * f.x,
        Chart::Point | Chart::Slope => {
            for k in 0..3 {
                q[k] += carried.c0 * f[k];
            }
        }
        Chart::Motion => {
            let torque = carried.c.cross(&z.rot.tr_mul(f));
            for k in 0..3 {
                q[k] += carried.c0 * f[k];
                q[3 + k] += torque[k];
            }
        }
        Chart::PlanarPoint { e1, e2 } | Chart::PlanarSlope { e1, e2 } => {
            q[0] += carried.c0 * e1.dot(f);
            q[1] += carried.c0 * e2.dot(f);
        }
        Chart::Planar { e1, e2, normal } => {
            q[0] += carried.c0 * e1.dot(f);
            q[1] += carried.c0 * e2.dot(f);
            q[2] += normal.dot(&carried.c.cross(&z.rot.tr_mul(f)));
        }
    }
}
