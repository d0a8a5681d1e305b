//! Plates of a model: slopes of their nodes, elements, edges.

use super::parts::Parts;
use crate::diagnostic::Diagnostic;
use crate::spec::{BodyRef, PlateSpec};
use poinsot_geometry::{Mat3, Vec3};
use poinsot_mechanics::ancf::solid::PlateNode;
use poinsot_mechanics::joints::{Attachment, spherical};
use poinsot_mechanics::{Carried, Chart, Frame, GROUND, Twist};

impl Parts<'_> {
    /// Adds a plate whose nodes are there as points; returns the forces that are its elements, and the slopes
    /// r_x, r_y of every node.
    pub fn plate(&mut self, plate: &PlateSpec) -> Result<(Vec<usize>, Vec<[Carried; 2]>), Diagnostic> {
        let nodes: Vec<PlateNode> = (0..plate.reference.len()).map(|k| self.plate_node(plate, k)).collect();
        let patch = plate.patch();
        let elements = patch.add_to(&mut self.builder, &nodes).map_err(|error| {
            let message = format!("the plate `{}`: {error}", plate.name);
            Diagnostic::error(message).at(plate.span.clone(), "this plate")
        })?;
        if let Some(load) = &plate.load {
            patch.add_load(&mut self.builder, &nodes, load);
        }
        Ok((elements, nodes.iter().map(|node| [node.carried[1], node.carried[2]]).collect()))
    }

    fn plate_node(&mut self, plate: &PlateSpec, k: usize) -> PlateNode {
        let body = &self.model.bodies[plate.nodes.start + k].name;
        let reference = &plate.reference[k];
        let held = plate.held.iter().find(|(node, _, _)| *node == k);
        let place = self.nodes[plate.nodes.start + k];
        let mut carried = vec![Carried::point(place, Vec3::zeros())];
        for (vector, x) in reference.iter().enumerate().skip(1) {
            let holder = held.filter(|(_, _, vectors)| vectors[vector]);
            carried.push(match holder {
                Some((_, to, _)) => {
                    let (node, pose) = self.holder(*to);
                    Carried::direction(node, pose.rot.tr_mul(x))
                }
                None => {
                    let name = format!("{body}.{}", ["x", "y", "z"][vector - 1]);
                    let start = Frame { r: *x, rot: Mat3::identity() };
                    let linear = plate.angular_velocity.cross(x);
                    let twist = Twist { linear, angular: Vec3::zeros() };
                    Carried::slope(self.builder.node(&name, Chart::Slope, start, twist))
                }
            });
        }
        if let Some((_, to, _)) = held {
            let (node, pose) = self.holder(*to);
            let origin = pose.rot.tr_mul(&(reference[0] - pose.r));
            let on_holder = Attachment { node, origin, axes: Mat3::identity() };
            let own = Attachment { node: place, origin: Vec3::zeros(), axes: Mat3::identity() };
            self.builder.constraint(&format!("{body} on its edge"), Box::new(spherical(&on_holder, &own)));
        }
        PlateNode { carried, reference: reference.clone() }
    }

    /// The node of what holds an edge, and its frame where it is modelled.
    fn holder(&self, to: BodyRef) -> (usize, Frame) {
        match to {
            BodyRef::Ground => (GROUND, Frame { r: Vec3::zeros(), rot: Mat3::identity() }),
            BodyRef::Body(index) => {
                let pose = self.model.bodies[index].pose();
                let r = pose.r + pose.rotation * self.centres[index];
                (self.nodes[index], Frame { r, rot: pose.rotation })
            }
        }
    }
}
