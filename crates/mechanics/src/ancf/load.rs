//! Loads and moments per length on a cubic line that follow time and arc length.

use super::action::{Action, CableLoadKind};
use super::node::SlopeNode;
use crate::beams::TimedLoad;
use crate::element_buffers::Blocks;
use crate::force::{Extensions, Force, Motion, Power};
use crate::nodes::carried::Carried;
use poinsot_expr::Function;
use poinsot_geometry::{Mat3, Vec3};

/// A load per length, q(t, s) or m(t, s).
#[derive(Clone, Debug)]
pub struct CableLoad {
    action: Action,
    law: TimedLoad,
}

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
        let action = Action::new(ends, from, l, kind, axes, normal);
        let law = TimedLoad::new(load, action.points.iter().map(|p| p.s).collect());
        CableLoad { action, law }
    }
}

impl Force for CableLoad {
    fn kind(&self) -> &'static str {
        "load per length"
    }

    fn carried(&self) -> &[Carried] {
        &self.action.carried
    }

    fn sees_velocity(&self) -> bool {
        false
    }

    fn force(&self, at: &Motion, f: &mut [Vec3]) {
        for (k, p) in self.action.points.iter().enumerate() {
            let q = self.law.value(k, at.t) * p.weight;
            let force = self.action.force(p, &q, &Action::slope(p, at.x));
            f.iter_mut().zip(self.action.factors(p)).for_each(|(f, s)| *f += force * *s);
        }
    }

    fn tangent(&self, at: &Motion, k: &mut Blocks, _c: &mut Blocks) {
        if self.action.is_dead() {
            return;
        }
        let table = k.push_table(4);
        for (place, p) in self.action.points.iter().enumerate() {
            let q = self.law.value(place, at.t) * p.weight;
            let by_slope = self.action.by_slope(p, &q, &Action::slope(p, at.x));
            for (a, left) in self.action.factors(p).iter().enumerate() {
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
        Extensions { piecewise: Some(&self.law), ..Extensions::default() }
    }
}
