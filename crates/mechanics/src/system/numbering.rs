//! Numbers the unknowns in the order in which they are eliminated.

use super::System;
use super::entries::Node;
use super::places::{NO_EQUATION, Places, moving};
use crate::element_buffers::{MAX_CARRIED, MAX_CONSTRAINED};
use crate::force::Force;
use crate::forces::reactions_of;
use crate::nodes::carried::{Carried, GROUND};
use crate::nodes::chart::Chart;
use crate::pressing::PressingRows;
use crate::reaction_reading::ReactionReading;
use crate::variable_reading::{VariableColumn, VariableReading, variables_of};
use poinsot_numerics::ordering::{Coupler, GroupOrder, order_groups_leading, order_groups_strict};

/// Who owns the nodes without mass, by node: of a parameter the first constraint that carries it, otherwise
/// the one that places it. They are eliminated with the rows that determine them. Not so in the strict order,
/// which is made for the metric of lengths.
type Owners = Vec<Option<usize>>;

impl System {
    /// Orders the unknowns, builds the pattern and the slots of every element.
    pub(super) fn number(&mut self, strict: bool) {
        let owners = self.owners(strict);
        let variables = self.networks.iter().map(|n| n.law.variables.len()).sum();
        let size = |(n, owner): (&Node, &Option<usize>)| if owner.is_some() { 0 } else { n.chart.dofs() };
        let nodes = self.nodes[1..].iter().zip(&owners[1..]).map(size);
        let sizes: Vec<usize> = nodes.chain(std::iter::repeat_n(1, variables)).collect();
        let order = self.order(&sizes, &owners, strict);
        self.n = order.n;
        self.number_nodes(&order, &owners);
        self.number_rows(&order.coupler_offset);
        self.place_elements();
        self.build_pattern();
    }

    /// The order of elimination. Constraints that place nodes lead: others act on their nodes.
    fn order(&self, sizes: &[usize], owners: &Owners, strict: bool) -> GroupOrder {
        let (mut leading, others): (Vec<usize>, Vec<usize>) =
            (0..self.constraints.len()).partition(|&k| self.constraints[k].law.placed_node().is_some());
        let first = leading.len();
        leading.extend(others);
        let couplers = self.couplers(&leading, owners);
        let mut order = match strict {
            true => order_groups_strict(sizes, &couplers),
            false => order_groups_leading(sizes, &couplers, first),
        };
        let offsets = order.coupler_offset.clone();
        leading.iter().zip(offsets).for_each(|(&k, offset)| order.coupler_offset[k] = offset);
        order
    }

    fn owners(&self, strict: bool) -> Owners {
        let mut owners = vec![None; self.nodes.len()];
        for (index, c) in self.constraints.iter().enumerate().filter(|_| !strict) {
            for k in moving(c.law.carried()) {
                let own = self.nodes[k + 1].chart == Chart::Parameter || c.law.placed_node() == Some(k + 1);
                if own && owners[k + 1].is_none() {
                    owners[k + 1] = Some(index);
                }
            }
        }
        owners
    }

    /// What ties groups of unknowns together: constraints, in the given order, with their rows and the nodes
    /// that they own, then forces, inertias and networks. What acts on a node that a constraint owns comes
    /// with the other nodes of that constraint.
    fn couplers(&self, constraints: &[usize], owners: &Owners) -> Vec<Coupler> {
        let mut couplers: Vec<Coupler> = Vec::new();
        for &index in constraints {
            let c = &self.constraints[index];
            let active = c.active.iter().filter(|&&a| a).count();
            let own = moving(c.law.carried()).into_iter().filter(|&k| owners[k + 1] == Some(index));
            let rows = active + own.map(|k| self.nodes[k + 1].chart.dofs()).sum::<usize>();
            couplers.push(Coupler { nodes: self.with_mass(c.law.carried(), owners), rows });
        }
        let forces = self.forces.iter().map(|f| self.tied_by(&*f.law, owners));
        let inertias = self.inertias.iter().map(|i| i.law.carried());
        let flexible = self.flexible.iter().map(|f| f.law.carried());
        let masses = inertias.chain(flexible).map(|carried| self.with_mass(carried, owners));
        couplers.extend(forces.chain(masses).map(|nodes| Coupler { nodes, rows: 0 }));
        let mut first = self.nodes.len() - 1;
        for n in &self.networks {
            couplers.extend(n.couplers(first).into_iter().map(|nodes| Coupler { nodes, rows: 0 }));
            first += n.law.variables.len();
        }
        couplers
    }

    /// The moving nodes that an element touches, without ground; in place of one that a constraint owns those
    /// of the constraint that none does.
    fn with_mass(&self, carried: &[Carried], owners: &Owners) -> Vec<usize> {
        let mut nodes = vec![];
        for k in moving(carried) {
            match owners[k + 1] {
                None => nodes.push(k),
                Some(owner) => {
                    let mut others = self.constraints[owner].law.carried().to_vec();
                    others.retain(|c| owners[c.node] != Some(owner));
                    nodes.extend(self.with_mass(&others, owners));
                }
            }
        }
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// The moving nodes of a force, and the variables that it reads behind all nodes.
    fn tied_by(&self, law: &dyn Force, owners: &Owners) -> Vec<usize> {
        let mut groups = self.with_mass(law.carried(), owners);
        for read in variables_of(law) {
            let before = self.networks[..read.network].iter().map(|n| n.law.variables.len());
            groups.push(self.nodes.len() - 1 + before.sum::<usize>() + read.variable);
        }
        groups
    }

    /// First equations of nodes and of variables of networks; a node without mass stands behind the rows of
    /// its owner.
    fn number_nodes(&mut self, order: &GroupOrder, owners: &Owners) {
        self.nodes[GROUND].eq = 0;
        for (node, offset) in self.nodes[1..].iter_mut().zip(&order.node_offset) {
            node.eq = *offset;
        }
        let variables = self.networks.iter_mut().flat_map(|n| n.eq.iter_mut());
        let first_variable = self.nodes.len() - 1;
        variables.zip(&order.node_offset[first_variable..]).for_each(|(eq, offset)| *eq = *offset);
        for (index, (c, offset)) in self.constraints.iter().zip(&order.coupler_offset).enumerate() {
            let rows = c.active.iter().filter(|&&a| a).count();
            let mut own = moving(c.law.carried());
            own.retain(|&k| owners[k + 1] == Some(index));
            let mut next = offset + rows;
            for k in own {
                self.nodes[k + 1].eq = next;
                next += self.nodes[k + 1].chart.dofs();
            }
        }
    }

    /// Equations of the rows of constraints from their first ones on.
    fn number_rows(&mut self, offsets: &[usize]) {
        for (c, offset) in self.constraints.iter_mut().zip(offsets) {
            c.reduced = if c.active.contains(&false) { c.law.with_rows(&c.active) } else { None };
            let carried = c.working().carried();
            let most = if c.working().is_quadratic() { MAX_CARRIED } else { MAX_CONSTRAINED };
            assert!(carried.len() <= most, "a constraint has more than {most} carried vectors");
            c.places = Places::new(&self.nodes, carried);
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
    }

    /// Places of all that has no rows.
    fn place_elements(&mut self) {
        let nodes = &self.nodes;
        for f in &mut self.forces {
            f.places = Places::new(nodes, f.law.carried());
            let rows = |r: &ReactionReading| self.constraints[r.constraint].equations().collect();
            f.pressing = reactions_of(&*f.law).iter().map(rows).map(PressingRows::new).collect();
            let number = |read: &VariableReading| self.networks[read.network].unknown(read.variable);
            f.variables = variables_of(&*f.law).iter().map(number).map(VariableColumn::new).collect();
        }
        for i in &mut self.inertias {
            i.places = Places::new(nodes, i.law.carried());
        }
        for f in &mut self.flexible {
            f.places = Places::new(nodes, f.law.carried());
        }
        for n in &mut self.networks {
            n.readings = n.law.readings.iter().map(|r| Places::new(nodes, r.carried())).collect();
            n.pushed = n.law.loads.iter().map(|load| Places::new(nodes, n.law.pushed(load))).collect();
        }
        for f in &mut self.frictions {
            f.at.places = Places::new(nodes, f.law.coordinate.carried());
            f.at.pressing = PressingRows::new(self.constraints[f.constraint].equations().collect());
        }
    }
}
