//! Numbers the unknowns in the order in which they are eliminated.

use super::System;
use super::entries::Node;
use super::places::{NO_EQUATION, Places, moving};
use crate::element_buffers::MAX_CONSTRAINED;
use crate::nodes::carried::GROUND;
use crate::nodes::chart::Chart;
use poinsot_numerics::ordering::{Coupler, order_groups, order_groups_strict};

impl System {
    /// Orders the unknowns, builds the pattern and the slots of every element.
    pub(super) fn number(&mut self, strict: bool) {
        // A parameter has no mass: it is eliminated with the rows that determine it. Not so in the strict
        // order, which is made for the metric of lengths.
        let is_parameter = |node: &Node| node.chart == Chart::Parameter && !strict;
        let size = |n: &Node| if is_parameter(n) { 0 } else { n.chart.dofs() };
        let mut sizes: Vec<usize> = self.nodes[1..].iter().map(size).collect();
        let mut couplers: Vec<Coupler> = Vec::new();
        // The first constraint that carries a parameter owns it; later ones come with the nodes of the owner.
        let mut owner: Vec<Option<usize>> = vec![None; self.nodes.len()];
        for (index, c) in self.constraints.iter().enumerate() {
            let rows = c.active.iter().filter(|&&a| a).count();
            let (parameters, mut nodes): (Vec<usize>, Vec<usize>) =
                moving(c.law.carried()).into_iter().partition(|&k| is_parameter(&self.nodes[k + 1]));
            let mut own = 0;
            for k in parameters {
                match owner[k + 1] {
                    Some(first) => nodes.extend_from_slice(&couplers[first].nodes),
                    None => {
                        owner[k + 1] = Some(index);
                        own += 1;
                    }
                }
            }
            nodes.sort_unstable();
            nodes.dedup();
            couplers.push(Coupler { nodes, rows: rows + own });
        }
        for f in &self.forces {
            couplers.push(Coupler { nodes: moving(f.law.carried()), rows: 0 });
        }
        for i in &self.inertias {
            couplers.push(Coupler { nodes: moving(i.law.carried()), rows: 0 });
        }
        let first_variable = sizes.len();
        for n in &self.networks {
            let first = sizes.len();
            sizes.extend(std::iter::repeat_n(1, n.law.variables.len()));
            couplers.extend(n.couplers(first).into_iter().map(|nodes| Coupler { nodes, rows: 0 }));
        }
        let order =
            if strict { order_groups_strict(&sizes, &couplers) } else { order_groups(&sizes, &couplers) };
        self.n = order.n;
        self.nodes[GROUND].eq = 0;
        for (node, offset) in self.nodes[1..].iter_mut().zip(&order.node_offset) {
            node.eq = *offset;
        }
        let variables = self.networks.iter_mut().flat_map(|n| n.eq.iter_mut());
        variables.zip(&order.node_offset[first_variable..]).for_each(|(eq, offset)| *eq = *offset);
        for (index, (c, offset)) in self.constraints.iter().zip(&order.coupler_offset).enumerate() {
            let rows = c.active.iter().filter(|&&a| a).count();
            let mut own = moving(c.law.carried());
            own.retain(|&k| owner[k + 1] == Some(index));
            for (i, k) in own.into_iter().enumerate() {
                self.nodes[k + 1].eq = offset + rows + i;
            }
        }
        let nodes = &self.nodes;
        for (c, offset) in self.constraints.iter_mut().zip(&order.coupler_offset) {
            c.reduced = if c.active.contains(&false) { c.law.with_rows(&c.active) } else { None };
            let carried = c.working().carried();
            assert!(
                carried.len() <= MAX_CONSTRAINED,
                "a constraint has more carried vectors than MAX_CONSTRAINED"
            );
            c.places = Places::new(nodes, carried);
            let all = vec![true; c.working().rows()];
            let active = if c.reduced.is_some() { &all } else { &c.active };
            let mut eq = *offset;
            let number = |&active: &bool| {
                let this = if active { eq } else { NO_EQUATION };
                eq += usize::from(active);
                this
            };
            c.places.numbers = active.iter().map(number).collect();
            c.places.rows = c.places.numbers.clone();
        }
        self.unit_slots.clear();
        for f in &mut self.forces {
            f.places = Places::new(nodes, f.law.carried());
        }
        for i in &mut self.inertias {
            i.places = Places::new(nodes, i.law.carried());
        }
        for n in &mut self.networks {
            n.readings = n.law.readings.iter().map(|r| Places::new(nodes, r.carried())).collect();
        }
        for f in &mut self.frictions {
            f.at.places = Places::new(nodes, f.law.coordinate.carried());
            f.at.rows = self.constraints[f.constraint].equations().collect();
        }
        self.build_pattern();
    }
}
