//! What holds a line: frames tied to its nodes, clamps.
//!
//! ```text
//! tie     x_frame − r = 0,   (R c)·r′ = 0           in a plane: c is the axis of the frame across the line
//! clamp   r − x = 0,   d₁·r′ = d₂·r′ = 0            d₁ and d₂ the axes of a body across the line
//! ```
//! In a plane the frame has all that a body has, so that joints, forces, springs and markers hold the line
//! as they hold bodies. In space the slope leaves the turn about itself open, so that there are no frames;
//! a clamp holds the slope, not the torsion, which a line has not.

use super::node::SlopeNode;
use crate::joints::{Attachment, Joint, Row};
use crate::nodes::carried::{Carried, NodeId};
use poinsot_geometry::Vec3;

const ACROSS: [&str; 2] = ["slope across 1", "slope across 2"];

/// Ties a frame in a plane to the place and the slopes of a node: one slope, or two at a corner. `along` are
/// those slopes in the axes of the frame, `plane` the world axes of the plane.
pub fn planar_tie(frame: NodeId, nodes: &[(SlopeNode, Vec3)], normal: &Vec3, plane: [usize; 2]) -> Joint {
    let mut carried = vec![nodes[0].0.place, Carried::point(frame, Vec3::zeros())];
    let mut rows: Vec<Row> = plane.iter().map(|&axis| Row::Coincident { a: 0, b: 1, axis }).collect();
    let mut names = vec!["offset 1", "offset 2"];
    for ((node, along), name) in nodes.iter().zip(ACROSS) {
        let across = normal.cross(along).normalize();
        let u = carried.len();
        carried.extend([Carried::direction(frame, across), node.slope]);
        rows.push(Row::Dot { u, w: u + 1 });
        names.push(name);
    }
    Joint { kind: "tie of a line", carried, rows, names, second_point: 1, pair: None }
}

/// Clamps a node to a body: its place to the origin of an attachment, its slope to the third axis.
pub fn clamp(body: &Attachment, node: &SlopeNode) -> Joint {
    let carried = vec![body.point(), node.place, body.axis(0), body.axis(1), node.slope];
    let mut rows: Vec<Row> = (0..3).map(|axis| Row::Coincident { a: 0, b: 1, axis }).collect();
    rows.extend([Row::Dot { u: 2, w: 4 }, Row::Dot { u: 3, w: 4 }]);
    let names = vec!["offset x", "offset y", "offset z", ACROSS[0], ACROSS[1]];
    Joint { kind: "clamp of a line", carried, rows, names, second_point: 1, pair: None }
}
