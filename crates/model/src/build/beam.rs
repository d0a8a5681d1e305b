//! Beams of a model as elements between their nodes.

use super::parts::Parts;
use crate::diagnostic::Diagnostic;
use crate::spec::BeamSpec;
use poinsot_geometry::{Mat3, Vec3};
use poinsot_mechanics::Frame;
use poinsot_mechanics::beams::{Beam, BeamChain, BeamError, DistributedLoad, distributed_moment};
use poinsot_mechanics::joints::Attachment;

impl Parts<'_> {
    /// Adds a beam; returns the forces that are its elements.
    pub fn beam(&mut self, beam: &BeamSpec) -> Result<Vec<usize>, Diagnostic> {
        self.elements(beam).map_err(|error| {
            Diagnostic::error(format!("the beam `{}`: {error}", beam.name)).at(beam.span.clone(), "this beam")
        })
    }

    fn elements(&mut self, beam: &BeamSpec) -> Result<Vec<usize>, BeamError> {
        let on = |k: usize| Attachment { node: self.nodes[k], origin: Vec3::zeros(), axes: Mat3::identity() };
        let nodes: Vec<Attachment> = beam.nodes.clone().map(on).collect();
        let frame = |k: usize| {
            let pose = self.model.bodies[k].pose();
            Frame { r: pose.r, rot: pose.rotation }
        };
        let reference: Vec<Frame> = beam.nodes.clone().map(frame).collect();
        let chain = BeamChain {
            name: &beam.name,
            nodes: &nodes,
            reference: &reference,
            order: beam.order,
            section: &beam.section,
            mass: beam.mass,
            mass_damping: beam.mass_damping,
        };
        let forces = chain.add_to(&mut self.builder)?;
        let mut start = 0.0;
        for range in chain.elements()? {
            let (nodes, reference) = (&nodes[range.clone()], &reference[range]);
            if let Some(load) = &beam.load {
                let law = DistributedLoad::new(nodes, reference, start, beam.load_axes, load.clone())?;
                self.builder.force(&format!("{} load", beam.name), Box::new(law));
            }
            if let Some(moment) = &beam.moment {
                for torque in distributed_moment(nodes, reference, start, beam.load_axes, moment)? {
                    self.builder.force(&format!("{} moment", beam.name), Box::new(torque));
                }
            }
            start += Beam::new(nodes, reference, &beam.section)?.length();
        }
        Ok(forces)
    }
}
