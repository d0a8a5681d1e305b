//! Beams of a model with formulation "ancf" and element "beam": places, and axes of sections as slopes.
//!
//! What names a node gets a rigid section there: a frame whose axes are the slopes.

use super::cable::axes_of;
use super::law::LineElement;
use super::parts::Parts;
use crate::diagnostic::Diagnostic;
use crate::spec::{BeamSpec, BodySpec, CableNodeSpec, Plane};
use poinsot_geometry::{Mat3, Vec3, Vec6};
use poinsot_mechanics::ancf::solid::{SolidBeam, SolidError};
use poinsot_mechanics::beams::{BeamError, DistributedLoad, LoadAxes, element_length, pieces};
use poinsot_mechanics::joints::Attachment;
use poinsot_mechanics::{Carried, Chart, Frame, GROUND, NodeId, SystemBuilder, Twist};
use std::ops::Range;
use thiserror::Error;

/// Why a piece of a beam has no elements.
#[derive(Debug, Error)]
enum PieceError {
    #[error(transparent)]
    Elements(#[from] SolidError),
    #[error(transparent)]
    Line(#[from] BeamError),
    #[error("a load")]
    Law(Box<Diagnostic>),
}

/// Adds a node: a frame of the given chart, or a place and two slopes, which are told then.
pub(super) fn add_section_node(
    b: &mut SystemBuilder,
    plane: Option<Plane>,
    body: &BodySpec,
    cable: &CableNodeSpec,
    chart: Chart,
) -> (NodeId, Option<Vec<Carried>>) {
    let CableNodeSpec { node, is_framed, .. } = cable;
    let (r, rotation, spin) = (node.pose.r, node.pose.rotation, &node.angular_velocity);
    if *is_framed {
        let twist = Twist { linear: node.velocity, angular: rotation.tr_mul(spin) };
        return (b.node(&body.name, chart, Frame { r, rot: rotation }, twist), None);
    }
    let axes = plane.map(|plane| axes_of(plane).map(|k| Vec3::ith(k, 1.0)));
    let mut add = |name: &str, charts: [Chart; 2], r: Vec3, linear: Vec3| {
        let chart = if axes.is_some() { charts[1] } else { charts[0] };
        let start = Frame { r, rot: Mat3::identity() };
        b.node(name, chart, start, Twist { linear, angular: Vec3::zeros() })
    };
    let [e1, e2] = axes.unwrap_or([Vec3::x(), Vec3::y()]);
    let place = add(&body.name, [Chart::Point, Chart::PlanarPoint { e1, e2 }], r, node.velocity);
    let mut carried = vec![Carried::point(place, Vec3::zeros())];
    for k in 0..2 {
        let axis = rotation.column(k).into_owned();
        if plane.is_some_and(|plane| plane.normal().dot(&axis).abs() > 0.5) {
            carried.push(Carried::direction(GROUND, axis));
            continue;
        }
        let name = format!("{}.d{}", body.name, k + 1);
        let slope = add(&name, [Chart::Slope, Chart::PlanarSlope { e1, e2 }], axis, spin.cross(&axis));
        carried.push(Carried::slope(slope));
    }
    (place, Some(carried))
}

impl Parts<'_> {
    /// Adds a line with section axes as slopes; returns the forces that are its elements.
    pub(super) fn section_line(
        &mut self,
        beam: &BeamSpec,
        stiffening: f64,
        tension: f64,
    ) -> Result<Vec<usize>, Diagnostic> {
        let (mut forces, mut start) = (vec![], 0.0);
        let pieces = pieces(beam.nodes.len(), &beam.corners);
        for (k, piece) in pieces.into_iter().enumerate() {
            let name = match beam.corners.is_empty() {
                true => beam.name.clone(),
                false => format!("{}.piece{k}", beam.name),
            };
            let made = self.section_piece((beam, stiffening, tension), &name, piece, &mut start);
            forces.extend(made.map_err(|error| match error {
                PieceError::Law(diagnostic) => *diagnostic,
                error => {
                    let message = format!("the beam `{}` cannot have element \"beam\": {error}", beam.name);
                    Diagnostic::error(message).at(beam.span.clone(), "this beam")
                }
            })?);
        }
        Ok(forces)
    }

    fn section_piece(
        &mut self,
        (beam, stiffening, tension): (&BeamSpec, f64, f64),
        name: &str,
        piece: Range<usize>,
        start: &mut f64,
    ) -> Result<Vec<usize>, PieceError> {
        // Behind a corner the section has other axes than the node.
        let turn = |k: usize| {
            let corner = beam.corners.iter().find(|corner| k == piece.start && corner.node == k);
            corner.map_or(Mat3::identity(), |corner| corner.turn)
        };
        let kind = SolidBeam::Sections {
            order: beam.order,
            section: &beam.section,
            initial: Vec6::new(0.0, 0.0, tension, 0.0, 0.0, 0.0),
            stiffening,
        };
        let first = beam.nodes.start;
        let on = |k: usize| Attachment { node: self.nodes[first + k], origin: Vec3::zeros(), axes: turn(k) };
        let vectors = |k: usize| self.sections[first + k].clone().unwrap_or_else(|| kind.held(&on(k)));
        let frame = |k: usize| {
            let node = &self.model.bodies[first + k];
            let pose = node.line_pose();
            Frame { r: pose.r, rot: pose.rotation * turn(k) }
        };
        let nodes: Vec<Vec<Carried>> = piece.clone().map(vectors).collect();
        let attachments: Vec<Attachment> = piece.clone().map(on).collect();
        let reference: Vec<Frame> = piece.clone().map(frame).collect();
        let forces = kind.add_to(&mut self.builder, name, &nodes, &reference, beam.mass_damping)?;
        for from in (0..piece.len() - 1).step_by(beam.order) {
            let range = from..from + beam.order + 1;
            let vectors = &nodes[range.clone()];
            let (nodes, reference) = (&attachments[range.clone()], &reference[range]);
            if let Some(load) = &beam.load {
                let law = DistributedLoad::new(nodes, reference, *start, LoadAxes::World, load.clone())?;
                self.builder.force(&format!("{} load", beam.name), Box::new(law));
            }
            if let Some(law) = &beam.load_law {
                let on = LineElement { nodes, reference, from: *start, axes: LoadAxes::World };
                let load = self.section_line_load(law, &on, vectors);
                let load = load.map_err(|diagnostic| PieceError::Law(Box::new(diagnostic)))?;
                self.builder.force(&format!("{} load", beam.name), load);
            }
            *start += element_length(nodes, reference)?;
        }
        Ok(forces)
    }
}
