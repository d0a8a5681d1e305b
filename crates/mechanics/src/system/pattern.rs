//! The sparsity pattern, and the slots of every element in it.

use super::System;
use super::entries::Node;
use super::places::{slots, transposed_slots};
use crate::networks::NetworkEntry;
use poinsot_numerics::pattern::PatternBuilder;

impl System {
    pub(super) fn build_pattern(&mut self) {
        let mut builder = PatternBuilder::new(self.n);
        for node in &self.nodes[1..] {
            builder.add_clique(&range(node));
        }
        let flexible = self.flexible.iter().map(|f| &f.places);
        let coupled = self.inertias.iter().map(|i| &i.places).chain(flexible);
        for places in self.forces.iter().map(|f| &f.places).chain(coupled) {
            builder.add_clique(&places.unknowns);
        }
        for places in self.constraints.iter().flat_map(|c| c.all_places()) {
            builder.add_clique(&places.unknowns);
            builder.add_block(&places.active_rows(), &places.unknowns);
        }
        for (rows, columns) in self.constraints.iter().flat_map(|c| c.command_blocks()) {
            builder.add_block(&rows, &columns);
        }
        for f in &self.forces {
            for rows in &f.pressing {
                builder.add_block(&rows.equations(), &f.places.unknowns);
            }
            for variable in &f.variables {
                builder.add_block(&[variable.eq], &f.places.unknowns);
            }
        }
        for (rows, columns) in self.networks.iter().flat_map(NetworkEntry::blocks) {
            builder.add_block(&rows, &columns);
        }
        self.pattern = builder.build();
        let pattern = &self.pattern;
        for body in &mut self.bodies {
            let unknowns = range(&self.nodes[body.body.node]);
            body.block = slots(pattern, &unknowns, &unknowns);
        }
        for i in &mut self.inertias {
            i.places.block = slots(pattern, &i.places.unknowns, &i.places.unknowns);
        }
        for f in &mut self.flexible {
            f.places.block = slots(pattern, &f.places.unknowns, &f.places.unknowns);
        }
        for f in &mut self.forces {
            f.places.block = slots(pattern, &f.places.unknowns, &f.places.unknowns);
            f.pressing.iter_mut().for_each(|rows| rows.find_slots(pattern, &f.places.unknowns));
            f.variables.iter_mut().for_each(|y| y.find_slots(pattern, &f.places.unknowns));
        }
        for c in &mut self.constraints {
            for p in c.all_places_mut() {
                p.block = slots(pattern, &p.unknowns, &p.unknowns);
                p.lower = slots(pattern, &p.numbers, &p.unknowns);
                p.upper = transposed_slots(pattern, &p.numbers, &p.unknowns);
            }
            c.find_command_slots(pattern);
        }
        self.frictions.iter_mut().for_each(|f| f.at.find_slots(pattern));
        for n in &mut self.networks {
            n.find_slots(&|rows, columns| slots(pattern, rows, columns));
        }
        self.form_groups();
    }
}

fn range(node: &Node) -> Vec<usize> {
    node.unknowns().collect()
}
