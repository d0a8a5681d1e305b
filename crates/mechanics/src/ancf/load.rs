//! Loads per length on a cubic line: forces and moments (floating-frame-and-ancf §1.21.6).
//!
//! ```text
//! f_a = ∫ s_a q dx                                 dead load q(t, s)
//! f_a = ∫ s_a A(r′) q dx                           follower load: A are the section axes, turned with r′
//! f_a = ∫ s_a′ (m × r′)/|r′|² dx                   moment m(t, s)
//! ```
//! A moment turns the slope: δα = (r′ × δr′)/|r′|². What of m is along the line does nothing, as there is
//! no torsion. In a plane A r′/|r′| = A₀ t₀ turns about the normal; in space the section axes turn the
//! short way and only a load along the line is a follower.

use super::node::SlopeNode;
use super::shape::Cubic;
use crate::element_buffers::Blocks;
use crate::force::{Extensions, Force, Motion, Power};
use crate::forces::{PiecewiseElement, merged_switches};
use crate::nodes::carried::Carried;
use poinsot_expr::{Function, Switch};
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
}

#[derive(Clone, Debug)]
struct Point {
    shape: Cubic,
    weight: f64,
    s: f64,
    /// Section axes of the reference in axes of which the third is along the line: A = (e₁, e₂, t) C.
    axes: Mat3,
}

/// A load per length.
#[derive(Clone, Debug)]
pub struct CableLoad {
    carried: [Carried; 4],
    points: Vec<Point>,
    kind: CableLoadKind,
    load: [Function; 3],
    normal: Option<Vec3>,
}

/// Points of the Gauss rule.
const POINTS: usize = 5;

impl CableLoad {
    /// On the element of length l that starts at the arc length `from`, with section axes `axes` in its
    /// reference, third along the line. `normal` is that of the plane of motion; functions have the arguments
    /// (t, s).
    pub fn new(
        ends: &[SlopeNode; 2],
        from: f64,
        l: f64,
        kind: CableLoadKind,
        load: [Function; 3],
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
            Point { shape: Cubic::at(xi, l), weight: 0.5 * l * w, s: from + xi * l, axes }
        };
        let points = rule.points.iter().zip(&rule.weights).map(point).collect();
        let carried = [ends[0].place, ends[0].slope, ends[1].place, ends[1].slope];
        CableLoad { carried, points, kind, load, normal }
    }

    fn value(&self, p: &Point, t: f64) -> Vec3 {
        Vec3::from(self.load.each_ref().map(|f| p.weight * f.value(&[t, p.s])))
    }

    /// r′.
    fn slope(p: &Point, x: &[Vec3]) -> Vec3 {
        x.iter().zip(&p.shape.slope).map(|(x, s)| x * *s).sum()
    }

    /// The follower as a linear function of t: B t + what does not turn.
    fn follower(&self, p: &Point, q: &Vec3) -> (Mat3, Vec3) {
        let c = p.axes * q;
        match &self.normal {
            Some(n) => (so3::skew(n) * c.x + Mat3::identity() * c.z, n * c.y),
            None => (Mat3::identity() * q.z, Vec3::zeros()),
        }
    }
}

impl Force for CableLoad {
    fn kind(&self) -> &'static str {
        "load per length"
    }

    fn carried(&self) -> &[Carried] {
        &self.carried
    }

    fn sees_velocity(&self) -> bool {
        false
    }

    fn force(&self, at: &Motion, f: &mut [Vec3]) {
        for p in &self.points {
            let q = self.value(p, at.t);
            let (force, factors) = match self.kind {
                CableLoadKind::Dead => (q, &p.shape.value),
                CableLoadKind::Follower => {
                    let (by_t, constant) = self.follower(p, &q);
                    (by_t * Self::slope(p, at.x).normalize() + constant, &p.shape.value)
                }
                CableLoadKind::Moment => {
                    let y = Self::slope(p, at.x);
                    (q.cross(&y) / y.norm_squared(), &p.shape.slope)
                }
            };
            f.iter_mut().zip(factors).for_each(|(f, s)| *f += force * *s);
        }
    }

    fn tangent(&self, at: &Motion, k: &mut Blocks, _c: &mut Blocks) {
        if self.kind == CableLoadKind::Dead {
            return;
        }
        let table = k.push_table(4);
        for p in &self.points {
            let (q, y) = (self.value(p, at.t), Self::slope(p, at.x));
            let gamma = y.norm_squared();
            let (by_slope, factors) = match self.kind {
                CableLoadKind::Moment => {
                    let twice = q.cross(&y) * y.transpose() * (2.0 / (gamma * gamma));
                    (so3::skew(&q) / gamma - twice, &p.shape.slope)
                }
                _ => {
                    let t = y / gamma.sqrt();
                    let across = (Mat3::identity() - t * t.transpose()) / gamma.sqrt();
                    (self.follower(p, &q).0 * across, &p.shape.value)
                }
            };
            for (a, left) in factors.iter().enumerate() {
                for (b, right) in p.shape.slope.iter().enumerate() {
                    table[4 * a + b].value += by_slope * (left * right);
                }
            }
        }
    }

    fn power(&self, at: &Motion) -> Power {
        let mut f = [Vec3::zeros(); 4];
        self.force(at, &mut f);
        Power { supplied: f.iter().zip(at.xdot).map(|(f, v)| f.dot(v)).sum(), dissipated: 0.0 }
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions { piecewise: Some(self), ..Extensions::default() }
    }
}

impl PiecewiseElement for CableLoad {
    fn switches(&self) -> Vec<Switch> {
        let mut switches = merged_switches(&self.load);
        switches.retain(|switch| switch.depends_on(0));
        switches
    }

    fn switch_arguments(&self, at: &Motion, arguments: &mut Vec<f64>) {
        self.switch_arguments_at(0, at, arguments);
    }

    fn places(&self) -> usize {
        self.points.len()
    }

    fn is_local(&self, _switch: &Switch) -> bool {
        true
    }

    fn switch_arguments_at(&self, place: usize, at: &Motion, arguments: &mut Vec<f64>) {
        arguments.extend([at.t, self.points[place].s]);
    }
}

/// A moment M(t) on a slope, world axes: f = (M × s)/|s|².
#[derive(Clone, Debug)]
pub struct SlopeMoment {
    carried: [Carried; 1],
    moment: [Function; 3],
}

impl SlopeMoment {
    /// On a slope; functions have the argument t.
    pub fn new(slope: Carried, moment: [Function; 3]) -> Self {
        SlopeMoment { carried: [slope], moment }
    }

    fn value(&self, t: f64) -> Vec3 {
        Vec3::from(self.moment.each_ref().map(|f| f.value(&[t])))
    }
}

impl Force for SlopeMoment {
    fn kind(&self) -> &'static str {
        "moment on a slope"
    }

    fn carried(&self) -> &[Carried] {
        &self.carried
    }

    fn sees_velocity(&self) -> bool {
        false
    }

    fn force(&self, at: &Motion, f: &mut [Vec3]) {
        f[0] += self.value(at.t).cross(&at.x[0]) / at.x[0].norm_squared();
    }

    fn tangent(&self, at: &Motion, k: &mut Blocks, _c: &mut Blocks) {
        let (m, s, gamma) = (self.value(at.t), at.x[0], at.x[0].norm_squared());
        k.push(0, 0, so3::skew(&m) / gamma - m.cross(&s) * s.transpose() * (2.0 / (gamma * gamma)));
    }

    fn power(&self, at: &Motion) -> Power {
        let supplied = self.value(at.t).cross(&at.x[0]).dot(&at.xdot[0]) / at.x[0].norm_squared();
        Power { supplied, dissipated: 0.0 }
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions { piecewise: Some(self), ..Extensions::default() }
    }
}

impl PiecewiseElement for SlopeMoment {
    fn switches(&self) -> Vec<Switch> {
        merged_switches(&self.moment)
    }

    fn switch_arguments(&self, at: &Motion, arguments: &mut Vec<f64>) {
        arguments.push(at.t);
    }
}
