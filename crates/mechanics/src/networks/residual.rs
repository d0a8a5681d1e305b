//! The equations of networks, and the power of their loads.

use super::entry::NetworkEntry;
use super::load::{Booking, Load};
use crate::assembly::Scratch;
use crate::forces::booked;
use crate::system::state::Instant;
use crate::system::{NO_EQUATION, System};
use crate::{Motion, Power};
use poinsot_geometry::Vec3;

impl System {
    /// The networks.
    pub fn networks(&self) -> &[NetworkEntry] {
        &self.networks
    }

    /// Numbers of the variables of networks.
    pub fn variable_equations(&self) -> Vec<usize> {
        self.networks.iter().flat_map(|n| n.eq.iter().copied()).collect()
    }

    /// Numbers of the algebraic equations of networks.
    pub fn algebraic_equations(&self) -> Vec<usize> {
        let rows = |n: &NetworkEntry| {
            (0..n.algebraic.len()).filter(|&k| n.algebraic[k]).map(|k| n.row(k)).collect::<Vec<_>>()
        };
        self.networks.iter().flat_map(rows).collect()
    }

    /// F of the equations with rates into their entries of `out`, and the loads; twists must be loaded.
    pub(crate) fn add_network_residual(&self, at: &Instant, out: &mut [f64], s: &mut Scratch) {
        for entry in &self.networks {
            self.load_arguments(entry, at, s);
            let equations = entry.laws.balance.equations.len();
            entry.laws.balance.evaluate(s);
            for (&row, value) in entry.balance.rows.iter().zip(&s.values) {
                out[row] = *value;
            }
            for (k, load) in entry.law.loads.iter().enumerate() {
                let effort = s.values[equations + k];
                let n = self.push_load(entry, (k, load), effort, at, s);
                self.scatter_force(&entry.pushed[k], at.frames, &s.f[..n], -1.0, out);
            }
        }
    }

    /// F of the algebraic equations into their entries of `out`; twists must be loaded.
    pub(crate) fn algebraic_residual(&self, at: &Instant, out: &mut [f64], s: &mut Scratch) {
        for entry in self.networks.iter().filter(|n| n.algebraic.contains(&true)) {
            self.load_arguments(entry, at, s);
            entry.laws.algebraic.evaluate(s);
            for (&row, value) in entry.constraints.rows.iter().zip(&s.values) {
                out[row] = *value;
            }
        }
    }

    /// dF/dt of the algebraic equations into their entries of `out`; twists must be loaded.
    pub(crate) fn algebraic_rate(&self, at: &Instant, out: &mut [f64], s: &mut Scratch) {
        for entry in self.networks.iter().filter(|n| n.algebraic.contains(&true)) {
            self.load_arguments(entry, at, s);
            entry.laws.algebraic.linearize(s);
            entry.constraints.rows.iter().for_each(|&row| out[row] = 0.0);
            let m = entry.law.variables.len();
            for e in &entry.constraints.all {
                let partial = s.partials[e.place];
                let rate = match e.argument {
                    j if j < m => at.a[entry.eq[j]],
                    i if i + 1 == entry.law.arguments() => 1.0,
                    i => self.reading_rate(entry, i - 2 * m, at, s),
                };
                out[entry.row(e.equation)] += partial * rate;
            }
        }
    }

    /// Zero in the entries of the variables of networks.
    pub fn hold_variables(&self, out: &mut [f64]) {
        self.networks.iter().flat_map(|n| &n.eq).for_each(|&eq| out[eq] = 0.0);
    }

    /// Accelerations and multipliers to zero, but not the rates of networks.
    pub fn clear_accelerations(&self, a: &mut [f64]) {
        self.nodes.iter().for_each(|node| a[node.unknowns()].fill(0.0));
        let rows = self.constraints.iter().flat_map(|c| &c.places.numbers);
        rows.filter(|&&eq| eq != NO_EQUATION).for_each(|&eq| a[eq] = 0.0);
    }

    /// Power of the loads of networks on the mechanics, as they book it.
    pub(crate) fn network_power(&self, at: &Instant, s: &mut Scratch) -> Power {
        let mut sum = Power::default();
        self.load_twists(at.v, s);
        for entry in self.networks.iter().filter(|n| !n.law.loads.is_empty()) {
            self.load_arguments(entry, at, s);
            let (mut added, loads) = (0.0, &entry.law.loads);
            for (k, load) in loads.iter().enumerate() {
                let effort = load.law.value(&s.arguments);
                let n = self.push_load(entry, (k, load), effort, at, s);
                added += s.f[..n].iter().zip(&s.xdot).map(|(f, v)| f.dot(v)).sum::<f64>();
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
        sum
    }

    /// Positions, velocities and forces of the vectors that load k of a network pushes with an effort, into
    /// the scratch; returns how many there are. Twists must be loaded.
    pub(super) fn push_load(
        &self,
        entry: &NetworkEntry,
        (k, load): (usize, &Load),
        effort: f64,
        at: &Instant,
        s: &mut Scratch,
    ) -> usize {
        let places = &entry.pushed[k];
        let n = places.carried.len();
        self.load_reading(places, at, s);
        s.f[..n].fill(Vec3::zeros());
        let motion =
            Motion { t: self.law_time(at.t), x: &s.x[..n], xdot: &s.xdot[..n], memory: &[], reactions: &[] };
        if let Some(path) = entry.law.path(load) {
            path.push(effort, &motion, &mut s.f[..n]);
        }
        n
    }
}
