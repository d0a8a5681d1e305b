//! A dead load per area of a plate: Q_a = ∫S_a dA p(t), over the reference.

use crate::element_buffers::Blocks;
use crate::force::{Force, Motion, Power};
use crate::nodes::carried::Carried;
use poinsot_expr::Function;
use poinsot_geometry::Vec3;

/// A load per area on the vectors of one element.
#[derive(Clone, Debug)]
pub struct AreaLoad {
    carried: Vec<Carried>,
    /// ∫S_a dA (m²; for slopes m³).
    shares: Vec<f64>,
    law: [Function; 3],
}

impl AreaLoad {
    /// p(t) in world axes (N/m²).
    pub(super) fn new(carried: Vec<Carried>, shares: Vec<f64>, law: [Function; 3]) -> Self {
        AreaLoad { carried, shares, law }
    }

    fn pressure(&self, t: f64) -> Vec3 {
        Vec3::from_fn(|k, _| self.law[k].value(&[t]))
    }
}

impl Force for AreaLoad {
    fn kind(&self) -> &'static str {
        "load"
    }

    fn carried(&self) -> &[Carried] {
        &self.carried
    }

    fn force(&self, at: &Motion, f: &mut [Vec3]) {
        let p = self.pressure(at.t);
        f.iter_mut().zip(&self.shares).for_each(|(f, share)| *f += p * *share);
    }

    fn tangent(&self, _at: &Motion, _k: &mut Blocks, _c: &mut Blocks) {}

    fn sees_velocity(&self) -> bool {
        false
    }

    fn power(&self, at: &Motion) -> Power {
        let p = self.pressure(at.t);
        let supplied = at.xdot.iter().zip(&self.shares).map(|(v, share)| p.dot(v) * share).sum();
        Power { supplied, dissipated: 0.0 }
    }
}
