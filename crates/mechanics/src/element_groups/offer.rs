//! The elements that a group may take over.

use crate::constraint::Constraint;
use crate::force::Force;
use crate::mass::inertia::InertiaEntry;
use crate::mass::{Body, Inertia};
use crate::system::{BodyEntry, ConstraintEntry, ForceEntry, Node, Places};

/// The elements of a system that no group has taken over yet. Each method asks about one element after the
/// other, by its index in the system, its law and where its numbers go, and gives away those that are wanted.
#[derive(Debug)]
pub struct Offer<'a> {
    pub(crate) nodes: &'a [Node],
    pub(crate) bodies: &'a mut [BodyEntry],
    pub(crate) inertias: &'a mut [InertiaEntry],
    pub(crate) forces: &'a mut [ForceEntry],
    pub(crate) constraints: &'a mut [ConstraintEntry],
}

impl<'a> Offer<'a> {
    /// The nodes; the first is ground.
    pub fn nodes(&self) -> &'a [Node] {
        self.nodes
    }

    /// Bodies, with the value slots of the block of their node's unknowns, row by row.
    pub fn bodies(&mut self, mut wanted: impl FnMut(usize, &Body, &[u32]) -> bool) {
        for (k, entry) in self.bodies.iter_mut().enumerate().filter(|(_, entry)| !entry.taken) {
            entry.taken = wanted(k, &entry.body, &entry.block);
        }
    }

    /// Inertias that couple nodes.
    pub fn inertias(&mut self, mut wanted: impl FnMut(usize, &Inertia, &Places) -> bool) {
        for (k, entry) in self.inertias.iter_mut().enumerate().filter(|(_, entry)| !entry.taken) {
            entry.taken = wanted(k, &entry.law, &entry.places);
        }
    }

    /// Forces. A group recognises its own by [`Any`](std::any::Any), which every force is.
    pub fn forces(&mut self, mut wanted: impl FnMut(usize, &dyn Force, &Places) -> bool) {
        for (k, entry) in self.forces.iter_mut().enumerate().filter(|(_, entry)| !entry.taken) {
            entry.taken = wanted(k, &*entry.law, &entry.places);
        }
    }

    /// Constraints, without rows that were dropped where that is cheaper. A group recognises its own by
    /// [`Any`](std::any::Any), which every constraint is.
    pub fn constraints(&mut self, mut wanted: impl FnMut(usize, &dyn Constraint, &Places) -> bool) {
        for (k, entry) in self.constraints.iter_mut().enumerate().filter(|(_, entry)| !entry.taken) {
            entry.taken = entry.commands.is_empty() && wanted(k, entry.working(), &entry.places);
        }
    }
}
