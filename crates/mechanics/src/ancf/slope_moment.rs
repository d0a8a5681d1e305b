//! Moments on slopes.

use crate::element_buffers::Blocks;
use crate::force::{Extensions, Force, Motion, Power};
use crate::forces::{PiecewiseElement, merged_switches};
use crate::nodes::carried::Carried;
use poinsot_expr::{Function, Switch};
use poinsot_geometry::{Vec3, so3};

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
