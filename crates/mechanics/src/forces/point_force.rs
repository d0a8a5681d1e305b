//! Force on a body-fixed point: dead (world components) or follower (body components).
//!
//! ```text
//! dead       f = F(t)
//! follower   f = Σ_k F_k(t) d_k,   d_k the directors of the body
//! ```

use super::{InputElement, components};
use crate::element_buffers::Blocks;
use crate::force::{Extensions, Force, Motion, Power};
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

    fn in_world(&self, f: &[f64], at: &Motion) -> Vec3 {
        match at.x.len() {
            1 => Vec3::new(f[0], f[1], f[2]),
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
        self.push(components(&self.force, at.t).as_slice(), at, f);
    }

    fn tangent(&self, at: &Motion, k: &mut Blocks, _c: &mut Blocks) {
        self.push_tangent(components(&self.force, at.t).as_slice(), at, k);
    }

    fn power(&self, at: &Motion) -> Power {
        let force = self.in_world(components(&self.force, at.t).as_slice(), at);
        Power { supplied: force.dot(&at.xdot[0]), dissipated: 0.0 }
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions { input: Some(self), ..Extensions::default() }
    }
}

/// The components.
impl InputElement for PointForce {
    fn inputs(&self) -> usize {
        3
    }

    fn pushed(&self) -> usize {
        1
    }

    fn is_idle(&self) -> bool {
        self.force.iter().all(Function::is_zero)
    }

    fn push(&self, force: &[f64], at: &Motion, f: &mut [Vec3]) {
        f[0] += self.in_world(force, at);
    }

    fn push_tangent(&self, force: &[f64], at: &Motion, k: &mut Blocks) {
        for b in 1..at.x.len() {
            k.push(0, b, Mat3::identity() * force[b - 1]);
        }
    }
}
