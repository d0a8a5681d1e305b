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
use poinsot_numerics::ordering::{Coupler, GroupOrder, order_groups, order_groups_strict};

/// Who owns the parameters: the first constraint that carries one, by node. A parameter has no mass: it is
/// eliminated with the rows that determine it. Not so in the strict order, which is made for the metric of
/// lengths.
type Owners = Vec<Option<usize>>;

impl System {
    /// Orders the unknowns, builds the pattern and the slots of every element.
    pub(super) fn number(&mut self, strict: bool) {
        let owners = self.parameter_owners(strict);
        let size = |n: &Node| if n.chart == Chart::Parameter && !strict { 0 } else { n.chart.dofs() };
        let variables = self.networks.iter().map(|n| n.law.variables.len()).sum();
        let nodes = self.nodes[1..].iter().map(size);
        let sizes: Vec<usize> = nodes.chain(std::iter::repeat_n(1, variables)).collect();
        let couplers = self.couplers(&owners);
        let order =
            if strict { order_groups_strict(&sizes, &couplers) } else { order_groups(&sizes, &couplers) };
        self.n = order.n;
        self.number_nodes(&order, &owners);
        self.number_rows(&order.coupler_offset);
        self.place_elements();
        self.build_pattern();
    }

    fn parameter_owners(&self, strict: bool) -> Owners {
        let mut owners = vec![None; self.nodes.len()];
        for (index, c) in self.constraints.iter().enumerate().filter(|_| !strict) {
            for k in moving(c.law.carried()) {
                if self.nodes[k + 1].chart == Chart::Parameter && owners[k + 1].is_none() {
                    owners[k + 1] = Some(index);
                }
            }
        }
        owners
    }

    /// What ties groups of unknowns together: constraints with their rows and parameters, then forces,
    /// inertias and networks. A constraint with a parameter that is not its own comes with the nodes of the
    /// owner.
    fn couplers(&self, owners: &Owners) -> Vec<Coupler> {
        let mut couplers: Vec<Coupler> = Vec::new();
        for (index, c) in self.constraints.iter().enumerate() {
            let mut rows = c.active.iter().filter(|&&a| a).count();
            let mut nodes = vec![];
            for k in moving(c.law.carried()) {
                match owners[k + 1] {
                    None => nodes.push(k),
                    Some(owner) if owner == index => rows += 1,
                    Some(owner) => nodes.extend_from_slice(&couplers[owner].nodes),
                }
            }
            nodes.extend(c.commands.iter().map(|command| self.group_of(command.variable)));
            nodes.sort_unstable();
            nodes.dedup();
            couplers.push(Coupler { nodes, rows });
        }
        let forces = self.forces.iter().map(|f| self.tied_by(&*f.law));
        let inertias = self.inertias.iter().map(|i| moving(i.law.carried()));
        let flexible = self.flexible.iter().map(|f| moving(f.law.carried()));
        couplers.extend(forces.chain(inertias).chain(flexible).map(|nodes| Coupler { nodes, rows: 0 }));
        let mut first = self.nodes.len() - 1;
        for n in &self.networks {
            couplers.extend(n.couplers(first).into_iter().map(|nodes| Coupler { nodes, rows: 0 }));
            first += n.law.variables.len();
        }
        couplers
    }

    /// The moving nodes of a force, and the variables that it reads behind all nodes.
    fn tied_by(&self, law: &dyn Force) -> Vec<usize> {
        let mut groups = moving(law.carried());
        groups.extend(variables_of(law).iter().map(|read| self.group_of(*read)));
        groups
    }

    /// The group of unknowns that a variable is, behind all nodes.
    fn group_of(&self, variable: VariableReading) -> usize {
        let before = self.networks[..variable.network].iter().map(|n| n.law.variables.len());
        self.nodes.len() - 1 + before.sum::<usize>() + variable.variable
    }

    /// First equations of nodes and of variables of networks; a parameter stands behind the rows of its
    /// owner.
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
            for (i, k) in own.into_iter().enumerate() {
                self.nodes[k + 1].eq = offset + rows + i;
            }
        }
    }

    /// Equations of the rows of constraints from their first ones on.
    fn number_rows(&mut self, offsets: &[usize]) {
        for (c, offset) in self.constraints.iter_mut().zip(offsets) {
            c.reduced = if c.active.contains(&false) { c.law.with_rows(&c.active) } else { None };
            let most = if c.working().is_quadratic() { MAX_CARRIED } else { MAX_CONSTRAINED };
            let fits = |carried: &[Carried]| {
                assert!(carried.len() <= most, "a constraint has more than {most} carried vectors");
            };
            let stretches = c.law.itinerary().map_or(&[][..], |way| way.stretches());
            c.stretches = stretches.iter().map(|carried| Places::new(&self.nodes, carried)).collect();
            stretches.iter().for_each(|carried| fits(carried));
            if stretches.is_empty() {
                fits(c.working().carried());
            }
            c.places = Places::of_all(&self.nodes, c.working().carried());
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
            for stretch in &mut c.stretches {
                stretch.numbers.clone_from(&c.places.numbers);
                stretch.rows.clone_from(&c.places.rows);
            }
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
        for command in self.constraints.iter_mut().flat_map(|c| &mut c.commands) {
            command.eq = self.networks[command.variable.network].unknown(command.variable.variable);
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
