//! A beam of several elements along a chain of nodes.

use super::beam::{Beam, BeamError};
use super::damping::MassDamping;
use super::interpolation::MAX_NODES;
use super::mass::{consistent_mass, lumped_mass};
use super::motion_beam::{MotionBeam, MotionScheme};
use super::section::Section;
use crate::force::Force;
use crate::joints::Attachment;
use crate::nodes::carried::GROUND;
use crate::nodes::chart::Frame;
use crate::system::SystemBuilder;

/// Where the mass of a beam goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MassModel {
    /// As the interpolation says; couples the nodes of an element.
    #[default]
    Consistent,
    /// Onto the nodes: a rigid body each.
    Lumped,
}

/// What the elements of a beam interpolate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Formulation {
    /// Section axes as vectors, see [`Beam`]; orders 1 to 3.
    #[default]
    Director,
    /// Rigid motions, see [`MotionBeam`]; orders 1 to 8.
    Motion(MotionScheme),
}

impl Formulation {
    /// The highest order of an element.
    pub fn highest_order(self) -> usize {
        match self {
            Formulation::Director => 3,
            Formulation::Motion(_) => MAX_NODES - 1,
        }
    }

    /// An element, see [`Beam::new`].
    pub fn element(
        self,
        nodes: &[Attachment],
        reference: &[Frame],
        section: &Section,
    ) -> Result<Box<dyn Force>, BeamError> {
        Ok(match self {
            Formulation::Director => Box::new(Beam::new(nodes, reference, section)?),
            Formulation::Motion(scheme) => Box::new(MotionBeam::new(nodes, reference, section, scheme)?),
        })
    }
}

/// A beam along nodes in the order of the line.
#[derive(Clone, Copy, Debug)]
pub struct BeamChain<'a> {
    /// Name; elements are called `name.element0` and so on.
    pub name: &'a str,
    /// Attachments, one per node, at [`node_shares`](super::node_shares) of the length if elements are equal:
    /// third axis along the line. One to ground is a clamp, one to a body a rigid connection.
    pub nodes: &'a [Attachment],
    /// Origins and axes of the attachments, world axes, where the beam is free of stress.
    pub reference: &'a [Frame],
    /// Degree of the interpolation, from 1 to [`Formulation::highest_order`]: nodes per element less one.
    pub order: usize,
    /// The cross-section.
    pub section: &'a Section,
    /// Where the mass goes.
    pub mass: MassModel,
    /// Damping proportional to the consistent mass (1/s).
    pub mass_damping: f64,
}

impl BeamChain<'_> {
    /// The nodes of each element.
    pub fn elements(&self) -> Result<Vec<std::ops::Range<usize>>, BeamError> {
        let pieces = self.nodes.len().saturating_sub(1);
        if self.order == 0 || pieces == 0 || !pieces.is_multiple_of(self.order) {
            return Err(BeamError::Chain { nodes: self.nodes.len(), order: self.order });
        }
        if self.reference.len() != self.nodes.len() {
            return Err(BeamError::Reference { nodes: self.nodes.len(), frames: self.reference.len() });
        }
        Ok((0..pieces / self.order).map(|e| e * self.order..(e + 1) * self.order + 1).collect())
    }

    /// Adds elements with interpolated directors and mass; returns the force indices of the elements.
    pub fn add_to(&self, b: &mut SystemBuilder) -> Result<Vec<usize>, BeamError> {
        self.add_as(Formulation::Director, b)
    }

    /// Adds elements of a formulation and mass; returns the force indices of the elements.
    pub fn add_as(&self, formulation: Formulation, b: &mut SystemBuilder) -> Result<Vec<usize>, BeamError> {
        let elements = self.elements()?;
        let mut indices = vec![];
        for (e, range) in elements.iter().enumerate() {
            let (nodes, reference) = (&self.nodes[range.clone()], &self.reference[range.clone()]);
            let name = format!("{}.element{e}", self.name);
            indices.push(b.force(&name, formulation.element(nodes, reference, self.section)?));
            let inertia = consistent_mass(nodes, reference, self.section)?;
            if self.mass_damping != 0.0 {
                b.force(&format!("{name} drag"), Box::new(MassDamping::new(&inertia, self.mass_damping)));
            }
            if self.mass == MassModel::Consistent {
                b.inertia(inertia);
            }
        }
        if self.mass == MassModel::Lumped {
            let parts = elements.iter().map(|r| (&self.nodes[r.clone()], &self.reference[r.clone()]));
            let bodies = lumped_mass(parts, self.section)?;
            bodies.into_iter().filter(|body| body.node != GROUND).for_each(|body| b.body(body));
        }
        Ok(indices)
    }
}
