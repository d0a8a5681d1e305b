//! Loads per length along a beam element: forces and moments.
//!
//! ```text
//! f_{r_a} = ∫ N_a q(t, s) ds,      q = Σ q_i e_i (dead: world axes)  or  Σ q_i d_i(s) (follower: section axes)
//! ```
//! s is the arc length along the reference line. The follower load turns with the interpolated section axes;
//! its stiffness ∂f_{r_a}/∂d_i^b = ∫ N_a N_b q_i ds is not symmetric. A moment per length m(t, s) is a torque
//! ∫ N_a m ds on each node.

use super::beam::{BeamError, VECTORS};
use super::interpolation::MAX_NODES;
use super::timed_load::TimedLoad;
use crate::beams::point::{Point, gauss_points, nodal_vectors};
use crate::element_buffers::Blocks;
use crate::force::{Extensions, Force, Motion, Power};
use crate::forces::Torque;
use crate::joints::Attachment;
use crate::nodes::carried::Carried;
use crate::nodes::chart::Frame;
use poinsot_expr::Function;
use poinsot_geometry::{Mat3, Vec3};

/// Axes of the components of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadAxes {
    /// A dead load.
    World,
    /// A follower load.
    Section,
}

/// A load q(t, s) (N/m) on an element.
#[derive(Clone, Debug)]
pub struct DistributedLoad {
    carried: Vec<Carried>,
    points: Vec<Point>,
    axes: LoadAxes,
    law: TimedLoad,
}

impl DistributedLoad {
    /// A load on the element of these nodes, see [`Beam::new`](super::Beam::new). Functions have the
    /// arguments (t, s); the element starts at the arc length `from`.
    pub fn new(
        nodes: &[Attachment],
        reference: &[Frame],
        from: f64,
        axes: LoadAxes,
        load: [Function; 3],
    ) -> Result<Self, BeamError> {
        let points = located_points(nodes, reference, from)?;
        let carried =
            nodes.iter().flat_map(|node| [node.point(), node.axis(0), node.axis(1), node.axis(2)]).collect();
        let (points, places) = points.into_iter().unzip();
        Ok(DistributedLoad { carried, points, axes, law: TimedLoad::new(load, places) })
    }

    /// The Gauss points, each with w q_i.
    fn loaded_points(&self, t: f64) -> impl Iterator<Item = (&Point, Vec3)> {
        self.points.iter().enumerate().map(move |(k, p)| (p, self.law.value(k, t) * p.weight))
    }

    /// w q at a point in world axes.
    fn in_world(&self, p: &Point, q: &Vec3, at: &Motion) -> Vec3 {
        match self.axes {
            LoadAxes::World => *q,
            LoadAxes::Section => {
                let node = |(a, x): (usize, &[Vec3])| (x[1] * q[0] + x[2] * q[1] + x[3] * q[2]) * p.value[a];
                at.x.chunks_exact(VECTORS).enumerate().map(node).sum()
            }
        }
    }
}

/// Length (m) of the line through the nodes of an element in its reference, ∫|dr/dξ| dξ.
pub fn element_length(nodes: &[Attachment], reference: &[Frame]) -> Result<f64, BeamError> {
    let x = nodal_vectors(nodes, reference, MAX_NODES)?;
    Ok(gauss_points(&x, nodes.len().max(6) + 2)?.iter().map(|p| p.weight).sum())
}

/// Gauss points with their arc length, for an element that starts at the arc length `from`.
pub(super) fn located_points(
    nodes: &[Attachment],
    reference: &[Frame],
    from: f64,
) -> Result<Vec<(Point, f64)>, BeamError> {
    let x = nodal_vectors(nodes, reference, MAX_NODES)?;
    let length = element_length(nodes, reference)?;
    let points = gauss_points(&x, nodes.len() + 2)?;
    Ok(points.into_iter().map(|p| (p, from + 0.5 * (1.0 + p.xi) * length)).collect())
}

/// The torques on the nodes of an element under a moment m(t, s) (N) per length; arguments as in
/// [`DistributedLoad::new`].
pub fn distributed_moment(
    nodes: &[Attachment],
    reference: &[Frame],
    from: f64,
    axes: LoadAxes,
    moment: &[Function; 3],
) -> Result<Vec<Torque>, BeamError> {
    let points = located_points(nodes, reference, from)?;
    let torque = |(a, node): (usize, &Attachment)| {
        let shares = points.iter().map(|(p, s)| (p.weight * p.value[a], *s)).collect();
        let axes = (axes == LoadAxes::Section).then_some(&node.axes);
        Torque::along_line(node.node, axes, moment.clone(), shares)
    };
    Ok(nodes.iter().enumerate().map(torque).collect())
}

impl Force for DistributedLoad {
    fn kind(&self) -> &'static str {
        "distributed load"
    }

    fn carried(&self) -> &[Carried] {
        &self.carried
    }

    fn force(&self, at: &Motion, f: &mut [Vec3]) {
        for (p, q) in self.loaded_points(at.t) {
            let q = self.in_world(p, &q, at);
            f.iter_mut().step_by(VECTORS).zip(&p.value).for_each(|(f, value)| *f += q * *value);
        }
    }

    fn tangent(&self, at: &Motion, k: &mut Blocks, _c: &mut Blocks) {
        if self.axes == LoadAxes::World {
            return;
        }
        let n = self.carried.len() / VECTORS;
        for a in 0..n {
            for b in 0..n {
                let mut sum = [0.0; 3];
                for (p, q) in self.loaded_points(at.t) {
                    sum.iter_mut().zip(&q).for_each(|(sum, q)| *sum += p.value[a] * p.value[b] * q);
                }
                for (i, sum) in sum.iter().enumerate() {
                    k.push(VECTORS * a, VECTORS * b + 1 + i, Mat3::identity() * *sum);
                }
            }
        }
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions { piecewise: Some(&self.law), ..Extensions::default() }
    }

    fn power(&self, at: &Motion) -> Power {
        let mut supplied = 0.0;
        for (p, q) in self.loaded_points(at.t) {
            let q = self.in_world(p, &q, at);
            let speeds = at.xdot.iter().step_by(VECTORS).zip(&p.value);
            supplied += speeds.map(|(v, value)| q.dot(v) * value).sum::<f64>();
        }
        Power { supplied, dissipated: 0.0 }
    }
}
