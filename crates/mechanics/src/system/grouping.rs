//! Gives elements to the groups that evaluate them together, and finds the nodes that are left to be looked
//! after one by one.

use super::System;
use crate::element_groups::Offer;

impl System {
    /// Offers all elements to the groups.
    pub(super) fn form_groups(&mut self) {
        self.bodies.iter_mut().for_each(|entry| entry.taken = false);
        self.inertias.iter_mut().for_each(|entry| entry.taken = false);
        self.forces.iter_mut().for_each(|entry| entry.taken = false);
        self.constraints.iter_mut().for_each(|entry| entry.taken = false);
        let mut offer = Offer {
            nodes: &self.nodes,
            bodies: &mut self.bodies,
            inertias: &mut self.inertias,
            forces: &mut self.forces,
            constraints: &mut self.constraints,
        };
        self.groups.iter_mut().for_each(|group| group.take(&mut offer));
        self.find_loaded();
    }

    fn find_loaded(&mut self) {
        let mut loaded = vec![false; self.nodes.len()];
        let forces = self.forces.iter().filter(|f| !f.taken).map(|f| &f.places);
        let inertias = self.inertias.iter().filter(|i| !i.taken).map(|i| &i.places);
        let constraints = self.constraints.iter().filter(|c| !c.taken).map(|c| &c.places);
        for places in constraints.chain(forces).chain(inertias) {
            places.carried.iter().for_each(|place| loaded[place.carried.node] = true);
        }
        let list = |marked: &[bool]| (0..marked.len()).filter(|&k| marked[k]).collect();
        self.loaded = list(&loaded);
        // Rates of constraints, and what forces remember, are asked of taken ones too.
        let remembering = self.forces.iter().filter(|f| !f.memory.is_empty()).map(|f| &f.places);
        for places in self.constraints.iter().map(|c| &c.places).chain(remembering) {
            places.carried.iter().for_each(|place| loaded[place.carried.node] = true);
        }
        self.bodies.iter().filter(|b| !b.taken).for_each(|b| loaded[b.body.node] = true);
        self.watched = if self.networks.is_empty() { list(&loaded) } else { (0..self.nodes.len()).collect() };
    }
}
