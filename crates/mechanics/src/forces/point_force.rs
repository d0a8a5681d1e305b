//! Force on a body-fixed point: dead (world components) or follower (body components).
//!
//! ```text
//! dead       f = F(t)
//! follower   f = Σ_k F_k(t) d_k,   d_k the directors of the body
//! ```

use super::components;
use crate::element_buffers::Blocks;
use crate::force::{Force, Motion, Power};
use crate::nodes::carried::{Carried, NodeId};
use poinsot_expr::Function;
use poinsot_geometry::{Mat3, Vec3};

/// A force F(t) on a point.
#[derive(Clone, Debug)]
pub struct PointForce {
    carried: Vec<Carried>,
    force: [Function; 3],
}

impl PointForce {
    /// A dead force: world components.
    pub fn dead(node: NodeId, point: Vec3, force: [Function; 3]) -> Self {
        PointForce { carried: vec![Carried::point(node, point)], force }
    }

    /// A follower force: components along `axes` (columns, in body axes).
    pub fn follower(node: NodeId, point: Vec3, axes: &Mat3, force: [Function; 3]) -> Self {
        let mut carried = vec![Carried::point(node, point)];
        carried.extend((0..3).map(|k| Carried::direction(node, axes.column(k).into_owned())));
        PointForce { carried, force }
    }

    fn value(&self, at: &Motion) -> Vec3 {
        let f = components(&self.force, at.t);
        match at.x.len() {
            1 => f,
            _ => at.x[1] * f[0] + at.x[2] * f[1] + at.x[3] * f[2],
        }
    }
}

impl Force for PointForce {
    fn kind(&self) -> &'static str {
        "force"
    }

    fn carried(&self) -> &[Carried] {
        &self.carried
    }

    fn force(&self, at: &Motion, f: &mut [Vec3]) {
        f[0] += self.value(at);
    }

    fn tangent(&self, at: &Motion, k: &mut Blocks, _c: &mut Blocks) {
        let f = components(&self.force, at.t);
        for b in 1..at.x.len() {
            k.push(0, b, Mat3::identity() * f[b - 1]);
        }
    }

    fn unit_input(&self, component: usize, at: &Motion, f: &mut [Vec3]) -> bool {
        match at.x.len() {
            1 => f[0][component] += 1.0,
            _ => f[0] += at.x[1 + component],
        }
        true
    }

    fn power(&self, at: &Motion) -> Power {
        Power { supplied: self.value(at).dot(&at.xdot[0]), dissipated: 0.0 }
    }
}
