//! Networks at an instant inside a step, in natural coordinates.
//!
//! ```text
//! F(y, ẏ, r(x, ẋ), t) = 0,      loads  f_a = e(y, r, t) ∂s/∂x_a
//! ```
//! What is read are functions of carried vectors, as forces are; directors need not be orthonormal.

use super::instant::{Derivatives, StepInstant};
use super::instant_elements::load_inside;
use super::layout::Conserving;
use super::residual::scatter;
use super::step::{ConservingScratch, MAX_LOCAL};
use crate::assembly::{add_blocks, add_columns, clear_rows, scatter_block};
use crate::force::{Motion, Power};
use crate::forces::booked;
use crate::networks::{Booking, Entries, LoadSlots, NetworkEntry, Numbers};
use crate::nodes::natural::FrameRate;
use crate::system::{Places, slots};
use poinsot_geometry::Vec3;
use poinsot_numerics::pattern::Pattern;

/// A network in the numbers of a view.
#[derive(Clone, Debug)]
pub(crate) struct NetworkPlaces {
    /// Own equation of every variable.
    eq: Vec<usize>,
    readings: Vec<Places>,
    pushed: Vec<Places>,
    balance: Entries,
    algebraic: Entries,
    loads: Vec<LoadSlots>,
}

/// An equation of a network in a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkRow {
    /// Its own equation.
    pub eq: usize,
    /// Whether no rates stand in it.
    pub is_algebraic: bool,
}

/// A variable of a network in a view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NetworkUnknown {
    /// Its own equation, and that in the system.
    pub eq: [usize; 2],
    /// Whether it has a rate, or follows from algebraic equations that hold by themselves. Otherwise these
    /// have to be differentiated for it, as constraints on positions for their multipliers.
    pub is_determined: bool,
    /// Its usual size.
    pub nominal: f64,
}

impl NetworkPlaces {
    pub(super) fn new(view: &Conserving, entry: &NetworkEntry) -> Self {
        NetworkPlaces {
            eq: entry.eq.iter().map(|&eq| view.row(eq)).collect(),
            readings: entry.law.readings.iter().map(|r| view.places(r.carried())).collect(),
            pushed: entry.law.loads.iter().map(|l| view.places(entry.law.pushed(l))).collect(),
            balance: Entries::default(),
            algebraic: Entries::default(),
            loads: vec![],
        }
    }

    pub(super) fn numbers(&self) -> Numbers<'_> {
        Numbers { eq: &self.eq, readings: &self.readings, pushed: &self.pushed }
    }

    pub(super) fn find_slots(&mut self, entry: &NetworkEntry, pattern: &Pattern) {
        let found = entry.slots_of(&self.numbers(), &|rows, columns| slots(pattern, rows, columns));
        (self.balance, self.algebraic, self.loads) = found;
    }
}

/// ∂r/∂x and ∂r/∂ẋ of a reading in the unknowns of its places.
struct Gradient {
    position: [f64; MAX_LOCAL],
    velocity: [f64; MAX_LOCAL],
}

impl Conserving<'_> {
    /// The equations of networks.
    pub fn network_rows(&self) -> Vec<NetworkRow> {
        let of = |(entry, places): (&NetworkEntry, &NetworkPlaces)| -> Vec<NetworkRow> {
            let row = |k: usize| places.eq[entry.variable_of[k]];
            let rows = entry.algebraic.iter().enumerate();
            rows.map(|(k, &is_algebraic)| NetworkRow { eq: row(k), is_algebraic }).collect()
        };
        self.system.networks.iter().zip(&self.networks).flat_map(of).collect()
    }

    /// The variables of networks.
    pub fn network_unknowns(&self) -> Vec<NetworkUnknown> {
        let of = |(entry, places): (&NetworkEntry, &NetworkPlaces)| -> Vec<NetworkUnknown> {
            let unknown = |(j, (&own, &eq)): (usize, (&usize, &usize))| NetworkUnknown {
                eq: [own, eq],
                is_determined: entry.has_rate[j] || entry.index(j) <= 1,
                nominal: entry.law.variables[j].nominal,
            };
            places.eq.iter().zip(&entry.eq).enumerate().map(unknown).collect()
        };
        self.system.networks.iter().zip(&self.networks).flat_map(of).collect()
    }

    /// Whether algebraic equations of networks read speeds of the mechanics.
    pub fn levels_read_speeds(&self) -> bool {
        self.system.networks.iter().any(|entry| {
            let m = entry.law.variables.len();
            let speed = |k: &usize| entry.law.readings[entry.constraints.all[*k].argument - 2 * m].is_speed();
            entry.constraints.by_reading.iter().any(speed)
        })
    }

    /// The arguments y, ẏ, r, t of a network.
    fn load_network(&self, index: usize, at: &StepInstant, s: &mut ConservingScratch) {
        let (entry, places) = (&self.system.networks[index], &self.networks[index]);
        s.laws.arguments.clear();
        s.laws.arguments.extend(places.eq.iter().map(|&eq| at.variables[eq]));
        s.laws.arguments.extend(places.eq.iter().map(|&eq| at.lambda[eq]));
        let memory = &at.memory[entry.memory.clone()];
        for ((reading, places), memory) in entry.law.readings.iter().zip(&places.readings).zip(memory) {
            load_inside(places, at, s);
            let n = places.carried.len();
            let value = reading.value(&s.carried.from[..n], &s.carried.rate[..n], *memory);
            s.laws.arguments.push(value);
        }
        s.laws.arguments.push(self.system.law_time(at.t));
    }

    /// Forces of load k with an effort on its carried vectors into `s.f`; returns how many there are.
    fn push_inside(
        &self,
        (index, k): (usize, usize),
        effort: f64,
        at: &StepInstant,
        s: &mut ConservingScratch,
    ) -> usize {
        let (law, places) = (&self.system.networks[index].law, &self.networks[index].pushed[k]);
        let n = places.carried.len();
        load_inside(places, at, s);
        s.f[..n].fill(Vec3::zeros());
        let (x, xdot) = (&s.carried.from[..n], &s.carried.rate[..n]);
        let here = Motion { t: self.system.law_time(at.t), x, xdot, memory: &[], reactions: &[] };
        if let Some(path) = law.path(&law.loads[k]) {
            path.push(effort, &here, &mut s.f[..n]);
        }
        n
    }

    /// F of the equations with rates into their entries of `out`, loads into the forces on nodes.
    pub(super) fn network_inside(
        &self,
        index: usize,
        at: &StepInstant,
        forces: &mut [FrameRate],
        out: &mut [f64],
        s: &mut ConservingScratch,
    ) {
        let (entry, places) = (&self.system.networks[index], &self.networks[index]);
        self.load_network(index, at, s);
        let group = &entry.laws.balance;
        group.evaluate(&mut s.laws);
        places.balance.rows.iter().zip(&s.laws.values).for_each(|(&row, value)| out[row] = *value);
        for (k, pushed) in places.pushed.iter().enumerate() {
            let effort = s.laws.values[group.equations.len() + k];
            self.push_inside((index, k), effort, at, s);
            scatter(pushed, &s.f, -1.0, forces);
        }
    }

    /// F of the algebraic equations into their entries of `out`.
    pub(super) fn levels_inside(
        &self,
        index: usize,
        at: &StepInstant,
        out: &mut [f64],
        s: &mut ConservingScratch,
    ) {
        let group = &self.system.networks[index].laws.algebraic;
        if group.equations.is_empty() {
            return;
        }
        self.load_network(index, at, s);
        group.evaluate(&mut s.laws);
        let rows = &self.networks[index].algebraic.rows;
        rows.iter().zip(&s.laws.values).for_each(|(&row, value)| out[row] = *value);
    }

    /// Derivatives of [`Self::network_inside`].
    pub(super) fn network_tangent_inside(
        &self,
        index: usize,
        at: &StepInstant,
        to: &mut Derivatives,
        s: &mut ConservingScratch,
    ) {
        let (entry, places) = (&self.system.networks[index], &self.networks[index]);
        self.load_network(index, at, s);
        entry.laws.balance.linearize(&mut s.laws);
        self.add_entries_inside(index, &places.balance, at, to, s);
        for k in 0..places.loads.len() {
            self.load_tangent_inside((index, k), at, to, s);
        }
    }

    /// Derivatives of [`Self::levels_inside`].
    pub(super) fn levels_tangent_inside(
        &self,
        index: usize,
        at: &StepInstant,
        to: &mut Derivatives,
        s: &mut ConservingScratch,
    ) {
        let group = &self.system.networks[index].laws.algebraic;
        if group.equations.is_empty() {
            return;
        }
        self.load_network(index, at, s);
        group.linearize(&mut s.laws);
        self.add_entries_inside(index, &self.networks[index].algebraic, at, to, s);
    }

    /// ∂F/∂y, ∂F/∂ẏ and ∂F/∂r times the gradients of the reading; derivatives must be loaded.
    fn add_entries_inside(
        &self,
        index: usize,
        entries: &Entries,
        at: &StepInstant,
        to: &mut Derivatives,
        s: &mut ConservingScratch,
    ) {
        let m = self.networks[index].eq.len();
        for &(place, slot) in &entries.by_value {
            to.by_position[slot as usize] += s.laws.partials[place as usize];
        }
        for &(place, slot) in &entries.by_rate {
            to.by_rate[slot as usize] += s.laws.partials[place as usize];
        }
        for e in entries.by_reading.iter().map(|&k| &entries.all[k]) {
            let partial = s.laws.partials[e.place];
            let g = self.gradient_inside(index, e.argument - 2 * m, at, s);
            for (i, &slot) in e.slots.iter().enumerate() {
                to.by_position[slot as usize] += partial * g.position[i];
                to.by_rate[slot as usize] += partial * g.velocity[i];
            }
        }
    }

    fn gradient_inside(
        &self,
        index: usize,
        reading: usize,
        at: &StepInstant,
        s: &mut ConservingScratch,
    ) -> Gradient {
        let places = &self.networks[index].readings[reading];
        let law = &self.system.networks[index].law.readings[reading];
        let n = places.carried.len();
        load_inside(places, at, s);
        self.directions_inside(places, s);
        let (x, xdot) = (&s.carried.from[..n], &s.carried.rate[..n]);
        let mut g = Gradient { position: [0.0; MAX_LOCAL], velocity: [0.0; MAX_LOCAL] };
        add_columns(&mut g.position, places, &law.by_position(x, xdot), &s.trial[..]);
        if let Some(weights) = law.by_velocity(x) {
            add_columns(&mut g.velocity, places, &weights, &s.trial[..]);
        }
        g
    }

    /// −∂(e ∂s/∂x): by what e depends on, and the change of what load k pushes along. The effort and its
    /// derivatives must be loaded.
    fn load_tangent_inside(
        &self,
        (index, k): (usize, usize),
        at: &StepInstant,
        to: &mut Derivatives,
        s: &mut ConservingScratch,
    ) {
        let (entry, places) = (&self.system.networks[index], &self.networks[index]);
        let (m, pushed, load) = (places.eq.len(), &places.pushed[k], &places.loads[k]);
        let unknowns = pushed.unknowns.len();
        let effort = s.laws.values[entry.laws.balance.equations.len() + k];
        let n = self.push_inside((index, k), 1.0, at, s);
        self.directions_inside(pushed, s);
        let mut along = [0.0; MAX_LOCAL];
        add_columns(&mut along, pushed, &s.f[..n], &s.trial[..]);
        for (argument, place, slots) in &load.entries {
            let partial = s.laws.partials[*place];
            if *argument < m {
                for (along, &slot) in along[..unknowns].iter().zip(slots) {
                    to.by_position[slot as usize] -= along * partial;
                }
                continue;
            }
            let g = self.gradient_inside(index, argument - 2 * m, at, s);
            let columns = places.readings[argument - 2 * m].unknowns.len();
            for (along, slots) in along[..unknowns].iter().zip(slots.chunks_exact(columns.max(1))) {
                for (i, &slot) in slots.iter().enumerate() {
                    to.by_position[slot as usize] -= along * partial * g.position[i];
                    to.by_rate[slot as usize] -= along * partial * g.velocity[i];
                }
            }
        }
        load_inside(pushed, at, s);
        self.directions_inside(pushed, s);
        s.k.clear();
        let (x, xdot) = (&s.carried.from[..n], &s.carried.rate[..n]);
        let here = Motion { t: self.system.law_time(at.t), x, xdot, memory: &[], reactions: &[] };
        if let Some(path) = entry.law.path(&entry.law.loads[k]) {
            path.push_tangent(effort, &here, &mut s.k);
        }
        clear_rows(&mut s.local[..unknowns], unknowns);
        add_blocks(&mut s.local, s.k.entries(), pushed, &s.trial[..], &s.trial[..]);
        scatter_block(&s.local, &load.block, unknowns, -1.0, to.by_position);
    }

    /// Adds the power of the loads of a network on the mechanics, as they book it.
    pub(super) fn network_power_inside(
        &self,
        index: usize,
        at: &StepInstant,
        sum: &mut Power,
        s: &mut ConservingScratch,
    ) {
        let loads = &self.system.networks[index].law.loads;
        if loads.is_empty() {
            return;
        }
        self.load_network(index, at, s);
        let mut added = 0.0;
        for (k, load) in loads.iter().enumerate() {
            let effort = load.law.value(&s.laws.arguments);
            let n = self.push_inside((index, k), effort, at, s);
            added += s.f[..n].iter().zip(&s.carried.rate).map(|(f, v)| f.dot(v)).sum::<f64>();
            let power = match load.booking {
                Booking::Exchanged => Power { supplied: added, dissipated: 0.0 },
                law if loads.get(k + 1).is_some_and(|next| next.booking == law) => continue,
                Booking::Law(_) => booked(added),
            };
            added = 0.0;
            sum.supplied += power.supplied;
            sum.dissipated += power.dissipated;
        }
    }
}
