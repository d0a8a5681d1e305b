//! Where the things of a model are while its system is made.

use super::line_place::HeldPlace;
use crate::spec::{BodyKind, BodyRef, EndSpec, Model};
use poinsot_geometry::Vec3;
use poinsot_mechanics::joints::Attachment;
use poinsot_mechanics::{Carried, Coordinate, GROUND, NodeId};

/// What laws of forces and drives need to become elements of a system.
#[derive(Clone, Copy, Debug)]
pub struct Site<'a> {
    /// The model.
    pub model: &'a Model,
    pub(super) nodes: &'a [NodeId],
    pub(super) centres: &'a [Vec3],
    pub(super) coordinates: &'a [Vec<Coordinate>],
    pub(super) places: &'a [HeldPlace],
}

impl Site<'_> {
    /// Node of a body or ground.
    pub fn node(&self, body: BodyRef) -> NodeId {
        match body {
            BodyRef::Ground => GROUND,
            BodyRef::Body(index) => self.nodes[index],
        }
    }

    /// A point of a body as seen from its node.
    pub fn seen_from_node(&self, body: BodyRef, point: &Vec3) -> Vec3 {
        match body {
            BodyRef::Ground => *point,
            BodyRef::Body(index) => point - self.centres[index],
        }
    }

    /// The frame of an end on its node; of a place along a line the point alone counts.
    pub fn attach(&self, end: &EndSpec) -> Attachment {
        if let Some(held) = self.held(end) {
            return Attachment { node: held.point, origin: Vec3::zeros(), axes: end.frame.rotation };
        }
        let origin = self.seen_from_node(end.body, &end.frame.r);
        Attachment { node: self.node(end.body), origin, axes: end.frame.rotation }
    }

    fn held(&self, end: &EndSpec) -> Option<&HeldPlace> {
        let place = end.line?;
        self.places.iter().find(|held| held.place == place)
    }

    /// The slope of a line at a place along it, or at a node that has no frame.
    pub fn slope(&self, end: &EndSpec) -> Option<Carried> {
        if end.line.is_some() {
            return self.held(end)?.slope;
        }
        let BodyRef::Body(index) = end.body else { return None };
        let BodyKind::CableNode(cable) = &self.model.bodies[index].kind else { return None };
        // The slope of a node follows its place, see `SlopeNode::add_to`.
        (!cable.is_framed && !cable.sections).then(|| Carried::slope(self.nodes[index] + 1))
    }

    /// A coordinate of a joint.
    pub fn coordinate(&self, joint: usize, index: usize) -> &Coordinate {
        &self.coordinates[joint][index]
    }

    /// Where a drive or the joint itself wants a coordinate to start, zero if neither does.
    pub fn driven_to(&self, joint: usize, coordinate: usize) -> f64 {
        let start = self.model.study.as_ref().map_or(0.0, |study| study.start());
        let drives = self.model.drives.iter().map(|drive| &drive.kind);
        let mut along = drives.filter(|drive| drive.coordinate() == Some((joint, coordinate)));
        along
            .find_map(|drive| drive.position(start))
            .or_else(|| self.model.joints[joint].starts_at(coordinate))
            .unwrap_or(0.0)
    }
}
