//! What a load or moment per length does to a cubic line (floating-frame-and-ancf §1.21.6).
//!
//! ```text
//! f_a = ∫ s_a q dx                                 dead load q
//! f_a = ∫ s_a A(r′) q dx                           follower load: A are the section axes, turned with r′
//! f_a = ∫ s_a′ (m × r′)/|r′|² dx                   moment m
//! ```
//! A moment turns the slope: δα = (r′ × δr′)/|r′|². What of m is along the line does nothing, as there is no
//! torsion. In a plane A r′/|r′| = A₀ t₀ turns about the normal; in space the section axes turn the short way
//! and only a load along the line is a follower.

use super::node::SlopeNode;
use super::shape::Cubic;
use crate::nodes::carried::Carried;
use poinsot_geometry::interpolation::Quadrature;
use poinsot_geometry::{Mat3, Vec3, so3};

/// What a load per length does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CableLoadKind {
    /// A force with components in world axes.
    Dead,
    /// A force with components in section axes.
    Follower,
    /// A moment with components in world axes.
    Moment,
    /// A moment with components in section axes: in a plane what is about the normal, in space nothing.
    SectionMoment,
}

/// A Gauss point.
#[derive(Clone, Debug)]
pub(super) struct ActionPoint {
    pub shape: Cubic,
    pub weight: f64,
    pub s: f64,
    /// Section axes of the reference in axes of which the third is along the line: A = (e₁, e₂, t) C.
    axes: Mat3,
}

/// A load or moment per length on an element.
#[derive(Clone, Debug)]
pub(super) struct Action {
    pub carried: [Carried; 4],
    pub points: Vec<ActionPoint>,
    kind: CableLoadKind,
    normal: Option<Vec3>,
}

/// Points of the Gauss rule.
const POINTS: usize = 5;

impl Action {
    /// On the element of length l that starts at the arc length `from`, with section axes `axes` in its
    /// reference, third along the line. `normal` is that of the plane of motion.
    pub fn new(
        ends: &[SlopeNode; 2],
        from: f64,
        l: f64,
        kind: CableLoadKind,
        axes: &Mat3,
        normal: Option<Vec3>,
    ) -> Self {
        let rule = Quadrature::gauss_legendre(POINTS);
        // (n × t, n, t) in a plane: what turns with the line.
        let t = axes.column(2).into_owned();
        let own = normal.map_or(*axes, |n| Mat3::from_columns(&[n.cross(&t), n, t]));
        let point = |(xi, w): (&f64, &f64)| {
            let xi = 0.5 * (1.0 + xi);
            let axes = own.tr_mul(axes);
            ActionPoint { shape: Cubic::at(xi, l), weight: 0.5 * l * w, s: from + xi * l, axes }
        };
        let points = rule.points.iter().zip(&rule.weights).map(point).collect();
        let carried = [ends[0].place, ends[0].slope, ends[1].place, ends[1].slope];
        Action { carried, points, kind, normal }
    }

    pub fn is_dead(&self) -> bool {
        self.kind == CableLoadKind::Dead
    }

    /// r′.
    pub fn slope(p: &ActionPoint, x: &[Vec3]) -> Vec3 {
        x.iter().zip(&p.shape.slope).map(|(x, s)| x * *s).sum()
    }

    /// s_a, or s_a′ of a moment.
    pub fn factors<'a>(&self, p: &'a ActionPoint) -> &'a [f64; 4] {
        match self.kind {
            CableLoadKind::Dead | CableLoadKind::Follower => &p.shape.value,
            CableLoadKind::Moment | CableLoadKind::SectionMoment => &p.shape.slope,
        }
    }

    /// A q as a linear function of t: B t + what does not turn.
    pub fn turned(&self, p: &ActionPoint, q: &Vec3) -> (Mat3, Vec3) {
        let c = p.axes * q;
        match &self.normal {
            Some(n) => (so3::skew(n) * c.x + Mat3::identity() * c.z, n * c.y),
            None => (Mat3::identity() * q.z, Vec3::zeros()),
        }
    }

    /// A moment in world axes, as far as it does something.
    fn moment(&self, p: &ActionPoint, m: &Vec3) -> Vec3 {
        match (self.kind, &self.normal) {
            (CableLoadKind::SectionMoment, Some(n)) => n * (p.axes * m).y,
            (CableLoadKind::SectionMoment, None) => Vec3::zeros(),
            _ => *m,
        }
    }

    /// L q, which is linear in q, where r′ is y.
    pub fn force(&self, p: &ActionPoint, q: &Vec3, y: &Vec3) -> Vec3 {
        match self.kind {
            CableLoadKind::Dead => *q,
            CableLoadKind::Follower => {
                let (by_t, constant) = self.turned(p, q);
                by_t * y.normalize() + constant
            }
            _ => self.moment(p, q).cross(y) / y.norm_squared(),
        }
    }

    /// ∂(L q)/∂y.
    pub fn by_slope(&self, p: &ActionPoint, q: &Vec3, y: &Vec3) -> Mat3 {
        let gamma = y.norm_squared();
        match self.kind {
            CableLoadKind::Dead => Mat3::zeros(),
            CableLoadKind::Follower => self.turned(p, q).0 * across(y),
            _ => {
                let m = self.moment(p, q);
                so3::skew(&m) / gamma - m.cross(y) * y.transpose() * (2.0 / (gamma * gamma))
            }
        }
    }
}

/// ∂t/∂y.
pub(super) fn across(y: &Vec3) -> Mat3 {
    let (length, t) = (y.norm(), y.normalize());
    (Mat3::identity() - t * t.transpose()) / length
}
