//! Beams of a model as elements between their nodes.

use super::law::LineElement;
use super::parts::Parts;
use crate::diagnostic::Diagnostic;
use crate::spec::{BeamSpec, BeamTheory};
use poinsot_geometry::{Mat3, Vec3};
use poinsot_mechanics::Frame;
use poinsot_mechanics::beams::{
    BeamChain, BeamError, DistributedLoad, Formulation, distributed_moment, element_length, pieces,
};
use poinsot_mechanics::joints::Attachment;
use std::ops::Range;

/// What is wrong with a beam.
enum BuildError {
    Beam(BeamError),
    Law(Box<Diagnostic>),
}

impl From<BeamError> for BuildError {
    fn from(error: BeamError) -> Self {
        BuildError::Beam(error)
    }
}

impl From<Diagnostic> for BuildError {
    fn from(diagnostic: Diagnostic) -> Self {
        BuildError::Law(Box::new(diagnostic))
    }
}

impl Parts<'_> {
    /// Adds a beam; returns the forces that are its elements.
    pub fn beam(&mut self, beam: &BeamSpec) -> Result<Vec<usize>, Diagnostic> {
        let formulation = match &beam.theory {
            BeamTheory::Sections(formulation) => *formulation,
            BeamTheory::Slopes(cable) => return self.cable(beam, cable),
            BeamTheory::SectionSlopes { stiffening, tension } => {
                return self.section_line(beam, *stiffening, *tension);
            }
        };
        self.elements(beam, formulation).map_err(|error| match error {
            BuildError::Law(diagnostic) => *diagnostic,
            BuildError::Beam(error) => {
                let message = format!("the beam `{}`: {error}", beam.name);
                Diagnostic::error(message).at(beam.span.clone(), "this beam")
            }
        })
    }

    fn elements(&mut self, beam: &BeamSpec, formulation: Formulation) -> Result<Vec<usize>, BuildError> {
        let (mut forces, mut start) = (vec![], 0.0);
        for (k, piece) in pieces(beam.nodes.len(), &beam.corners).into_iter().enumerate() {
            let name = match beam.corners.is_empty() {
                true => beam.name.clone(),
                false => format!("{}.piece{k}", beam.name),
            };
            forces.extend(self.piece((beam, formulation), &name, piece, &mut start)?);
        }
        Ok(forces)
    }

    /// Adds the elements between two corners, which start at an arc length.
    fn piece(
        &mut self,
        (beam, formulation): (&BeamSpec, Formulation),
        name: &str,
        piece: Range<usize>,
        start: &mut f64,
    ) -> Result<Vec<usize>, BuildError> {
        // Behind a corner the section has other axes than the node.
        let turn = |k: usize| {
            let corner = beam.corners.iter().find(|corner| k == piece.start && corner.node == k);
            corner.map_or(Mat3::identity(), |corner| corner.turn)
        };
        let first = beam.nodes.start;
        let on = |k: usize| Attachment { node: self.nodes[first + k], origin: Vec3::zeros(), axes: turn(k) };
        let frame = |k: usize| {
            let pose = self.model.bodies[first + k].pose();
            Frame { r: pose.r, rot: pose.rotation * turn(k) }
        };
        let nodes: Vec<Attachment> = piece.clone().map(on).collect();
        let reference: Vec<Frame> = piece.clone().map(frame).collect();
        let chain = BeamChain {
            name,
            nodes: &nodes,
            reference: &reference,
            order: beam.order,
            section: &beam.section,
            mass: beam.mass,
            mass_damping: beam.mass_damping,
        };
        let forces = chain.add_as(formulation, &mut self.builder)?;
        for range in chain.elements()? {
            let (nodes, reference) = (&nodes[range.clone()], &reference[range]);
            let on = LineElement { nodes, reference, from: *start, axes: beam.load_axes };
            if let Some(load) = &beam.load {
                let law = DistributedLoad::new(nodes, reference, *start, beam.load_axes, load.clone())?;
                self.builder.force(&format!("{} load", beam.name), Box::new(law));
            }
            if let Some(law) = &beam.load_law {
                let load = self.line_load(law, &on)?;
                self.builder.force(&format!("{} load", beam.name), load);
            }
            if let Some(law) = &beam.moment_law {
                let moment = self.line_moment(law, &on)?;
                self.builder.force(&format!("{} moment", beam.name), moment);
            }
            if let Some(moment) = &beam.moment {
                for torque in distributed_moment(nodes, reference, *start, beam.load_axes, moment)? {
                    self.builder.force(&format!("{} moment", beam.name), Box::new(torque));
                }
            }
            *start += element_length(nodes, reference)?;
        }
        Ok(forces)
    }
}
