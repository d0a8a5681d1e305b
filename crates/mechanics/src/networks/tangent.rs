//! The share of networks in the step matrix.

use super::entry::{LoadSlots, NetworkEntry};
use super::load::Load;
use super::readings::MAX_READ;
use crate::assembly::{Scratch, Term, Terms, add_blocks, add_columns, clear_rows};
use crate::system::System;
use crate::system::state::Instant;
use crate::{Linearization, Motion};
use poinsot_geometry::Mat3;

impl System {
    /// The equations with rates and the loads in the step matrix; twists of the stage must be loaded.
    pub(crate) fn add_network_tangent(&self, at: &Linearization, terms: &mut Terms, s: &mut Scratch) {
        for entry in &self.networks {
            self.load_arguments(entry, &at.stage, s);
            entry.laws.balance.linearize(s);
            self.add_entries(entry, &at.stage, at.stage_tangent, false, terms, s);
            for (k, (load, slots)) in entry.law.loads.iter().zip(&entry.loads).enumerate() {
                self.add_load(entry, (k, load), slots, at, terms, s);
            }
        }
    }

    /// Rows that hold every variable.
    pub(crate) fn hold_networks(&self, terms: &mut Terms) {
        for &slot in self.networks.iter().flat_map(|n| &n.diagonal) {
            terms.add(Term::Constant, slot, 1.0);
        }
    }

    /// The algebraic equations in the step matrix; twists of the end must be loaded.
    pub(crate) fn add_algebraic_tangent(&self, at: &Linearization, terms: &mut Terms, s: &mut Scratch) {
        for entry in self.networks.iter().filter(|n| n.algebraic.contains(&true)) {
            self.load_arguments(entry, &at.end, s);
            entry.laws.algebraic.linearize(s);
            self.add_entries(entry, &at.end, at.end_tangent, true, terms, s);
        }
    }

    /// Rows of equations: ∂F/∂y and ∂F/∂ẏ, and ∂F/∂r times the gradients of the reading; derivatives must be
    /// loaded.
    fn add_entries(
        &self,
        entry: &NetworkEntry,
        at: &Instant,
        tangents: &[Mat3],
        algebraic: bool,
        terms: &mut Terms,
        s: &mut Scratch,
    ) {
        let m = entry.law.variables.len();
        let (by_value, by_position) =
            if algebraic { (Term::Constant, Term::Gamma) } else { (Term::Damping, Term::Stiffness) };
        let entries = if algebraic { &entry.constraints } else { &entry.balance };
        for (term, list) in [(by_value, &entries.by_value), (Term::Mass, &entries.by_rate)] {
            let (target, coefficient) = terms.target(term);
            for &(place, slot) in list {
                target[slot as usize] += coefficient * s.partials[place as usize];
            }
        }
        for e in entries.by_reading.iter().map(|&k| &entries.all[k]) {
            let partial = s.partials[e.place];
            let g = self.reading_gradient(entry, e.argument - 2 * m, at, tangents, s);
            for (i, &slot) in e.slots.iter().enumerate() {
                terms.add(by_position, slot, partial * g.position[i]);
                terms.add(by_value, slot, partial * g.velocity[i]);
            }
        }
    }

    /// −∂(e Bᵀ∂x/∂q): columns of the arguments of e, and the change of what load k pushes along. The effort e
    /// is a value, and it and its derivatives must be loaded.
    fn add_load(
        &self,
        entry: &NetworkEntry,
        (k, load): (usize, &Load),
        slots: &LoadSlots,
        at: &Linearization,
        terms: &mut Terms,
        s: &mut Scratch,
    ) {
        let m = entry.law.variables.len();
        let (places, frames) = (&entry.pushed[k], at.stage.frames);
        let unknowns = places.unknowns.len();
        let effort = s.values[entry.laws.balance.equations.len() + k];
        let n = self.push_load(entry, (k, load), 1.0, &at.stage, s);
        self.columns(places, frames, s);
        let mut along = [0.0; MAX_READ];
        add_columns(&mut along, places, &s.f[..n], &s.p);
        for (argument, place, slots) in &slots.entries {
            let partial = s.partials[*place];
            if *argument < m {
                for (along, &slot) in along[..unknowns].iter().zip(slots) {
                    terms.add(Term::Damping, slot, -along * partial);
                }
                continue;
            }
            let g = self.reading_gradient(entry, argument - 2 * m, &at.stage, at.stage_tangent, s);
            let columns = entry.readings[argument - 2 * m].unknowns.len();
            for (along, slots) in along[..unknowns].iter().zip(slots.chunks_exact(columns.max(1))) {
                for (i, &slot) in slots.iter().enumerate() {
                    terms.add(Term::Stiffness, slot, -along * partial * g.position[i]);
                    terms.add(Term::Damping, slot, -along * partial * g.velocity[i]);
                }
            }
        }
        self.push_load(entry, (k, load), effort, &at.stage, s);
        self.columns(places, frames, s);
        s.k.clear();
        let t = self.law_time(at.stage.t);
        let motion = Motion { t, x: &s.x[..n], xdot: &s.xdot[..n], memory: &[], reactions: &[] };
        if let Some(path) = entry.law.path(load) {
            path.push_tangent(effort, &motion, &mut s.k);
        }
        clear_rows(&mut s.local.k[..unknowns], unknowns);
        add_blocks(&mut s.local.k, s.k.entries(), places, &s.p, &s.p);
        self.add_geometric(places, frames, s);
        self.turn_columns(&mut s.local.k[..unknowns], places, at.stage_tangent);
        terms.add_block(Term::Stiffness, -1.0, &s.local.k, &slots.block, unknowns);
    }
}
