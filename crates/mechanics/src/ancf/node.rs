//! A node of a line: its place and its slope.

use crate::nodes::carried::{Carried, NodeId};
use crate::nodes::chart::{Chart, Frame, Twist};
use crate::system::SystemBuilder;
use poinsot_geometry::{Mat3, Vec3};

/// Place and slope of a node as carried vectors.
///
/// They may belong to a point and a slope node ([`SlopeNode::add_to`]), or both to one rigid body: then the
/// line is fixed to that body, with a slope of constant length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlopeNode {
    /// r.
    pub place: Carried,
    /// ∂r/∂x.
    pub slope: Carried,
}

impl SlopeNode {
    /// Of a point and a slope node.
    pub fn of(place: NodeId, slope: NodeId) -> Self {
        SlopeNode { place: Carried::point(place, Vec3::zeros()), slope: Carried::slope(slope) }
    }

    /// Adds a point `name` and a slope `name.slope` that start here and move with these rates; `plane`
    /// holds the axes of the plane that they stay in.
    pub fn add_to(
        b: &mut SystemBuilder,
        name: &str,
        plane: Option<[Vec3; 2]>,
        start: [Vec3; 2],
        rates: [Vec3; 2],
    ) -> Self {
        let charts = match plane {
            Some([e1, e2]) => [Chart::PlanarPoint { e1, e2 }, Chart::PlanarSlope { e1, e2 }],
            None => [Chart::Point, Chart::Slope],
        };
        let names = [name.to_string(), format!("{name}.slope")];
        let mut node = |k: usize| {
            let twist = Twist { linear: rates[k], angular: Vec3::zeros() };
            b.node(&names[k], charts[k], Frame { r: start[k], rot: Mat3::identity() }, twist)
        };
        let place = node(0);
        SlopeNode::of(place, node(1))
    }
}
