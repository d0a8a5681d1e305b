//! What holds a line: frames tied to its nodes, clamps.
//!
//! ```text
//! tie     x_frame − r = 0,   (R c)·r′ = 0           in a plane: c is the axis of the frame across the line
//! corner  x_frame − r = 0,   (R c_k)·r′ = 0, (R d_k)·s′ = 0, k = 1, 2       in space: r′ before, s′ behind it
//! clamp   r − x = 0,   d₁·r′ = d₂·r′ = 0            d₁ and d₂ the axes of a body across the line
//! ```
//! In a plane the frame has all that a body has, so that joints, forces, springs and markers hold the line
//! as they hold bodies. In space the slope leaves the turn about itself open, so that there are no frames but
//! at corners, where two slopes turn one frame: seven equations for its six unknowns, of which the one that
//! is left keeps the angle. A clamp holds the slope, not the torsion, which a line has not: one side of a
//! corner turns freely about the other.

use super::node::SlopeNode;
use crate::joints::{Attachment, Joint, Row};
use crate::nodes::carried::{Carried, NodeId};
use poinsot_geometry::{Mat3, Vec3};

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

/// Ties a frame in space to the place and both slopes of a corner, `along` being those in the axes of the
/// frame: a clamp of what is before it, and the slope behind it.
pub fn corner_ties(frame: NodeId, nodes: &[(SlopeNode, Vec3); 2]) -> [Joint; 2] {
    let normal = nodes[0].1.cross(&nodes[1].1).normalize();
    let [before, behind] = nodes;
    let axes = |along: &Vec3| Mat3::from_columns(&[normal.cross(along).normalize(), normal, *along]);
    let hold = Attachment { node: frame, origin: Vec3::zeros(), axes: axes(&before.1) };
    let across = [normal, normal.cross(&behind.1).normalize()].map(|c| Carried::direction(frame, c));
    let rows = vec![Row::Dot { u: 1, w: 3 }, Row::Dot { u: 2, w: 3 }];
    let carried = vec![behind.0.place, across[0], across[1], behind.0.slope];
    let kind = "corner of a line";
    let turned = Joint { kind, carried, rows, names: ACROSS.to_vec(), second_point: 0, pair: None };
    [Joint { kind, ..clamp(&hold, &before.0) }, turned]
}

/// Clamps a node to a body: its place to the origin of an attachment, its slope to the third axis.
pub fn clamp(body: &Attachment, node: &SlopeNode) -> Joint {
    let carried = vec![body.point(), node.place, body.axis(0), body.axis(1), node.slope];
    let mut rows: Vec<Row> = (0..3).map(|axis| Row::Coincident { a: 0, b: 1, axis }).collect();
    rows.extend([Row::Dot { u: 2, w: 4 }, Row::Dot { u: 3, w: 4 }]);
    let names = vec!["offset x", "offset y", "offset z", ACROSS[0], ACROSS[1]];
    Joint { kind: "clamp of a line", carried, rows, names, second_point: 1, pair: None }
}
