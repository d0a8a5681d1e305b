//! What a network reads off the mechanics: coordinates and speeds, their rates and their derivatives.

use super::entry::NetworkEntry;
use crate::Frame;
use crate::assembly::{Scratch, add_columns};
use crate::system::state::Instant;
use crate::system::{Places, System};
use poinsot_geometry::{Mat3, Vec3};

/// ∂r/∂q and ∂r/∂v of a reading, in the unknowns of its places.
pub(super) struct Gradient {
    pub(super) position: [f64; MAX_READ],
    pub(super) velocity: [f64; MAX_READ],
}

/// Most unknowns of a reading: four frames.
pub(super) const MAX_READ: usize = 24;

impl System {
    /// Positions and velocities of the vectors of a reading into the scratch; twists must be loaded.
    pub(super) fn load_reading(&self, places: &Places, at: &Instant, s: &mut Scratch) {
        self.positions(places, at.frames, s);
        self.velocities(places, at.frames, s);
    }

    /// The arguments y, ẏ, r, t of a network into `s.arguments`; twists must be loaded.
    pub(crate) fn load_arguments(&self, entry: &NetworkEntry, at: &Instant, s: &mut Scratch) {
        s.arguments.clear();
        s.arguments.extend(entry.eq.iter().map(|&eq| at.v[eq]));
        s.arguments.extend(entry.eq.iter().map(|&eq| at.a[eq]));
        let memory = &at.memory[entry.memory.clone()];
        for ((reading, places), memory) in entry.law.readings.iter().zip(&entry.readings).zip(memory) {
            self.load_reading(places, at, s);
            let n = places.carried.len();
            s.arguments.push(reading.value(&s.x[..n], &s.xdot[..n], *memory));
        }
        s.arguments.push(self.law_time(at.t));
    }

    /// Remembers the turns of the coordinates that networks read.
    pub(crate) fn remember_readings(&self, frames: &[Frame], memory: &mut [f64], s: &mut Scratch) {
        for entry in &self.networks {
            let memory = &mut memory[entry.memory.clone()];
            for ((reading, places), memory) in entry.law.readings.iter().zip(&entry.readings).zip(memory) {
                if let Some(c) = reading.as_coordinate() {
                    self.positions(places, frames, s);
                    *memory = c.value(&s.x[..places.carried.len()], *memory);
                }
            }
        }
    }

    /// d²r/dt² of a coordinate that is read; zero for speeds. Twists must be loaded.
    pub(crate) fn reading_acceleration(
        &self,
        entry: &NetworkEntry,
        index: usize,
        at: &Instant,
        s: &mut Scratch,
    ) -> f64 {
        let Some(coordinate) = entry.law.readings[index].as_coordinate() else { return 0.0 };
        let places = &entry.readings[index];
        let n = places.carried.len();
        self.load_reading(places, at, s);
        let (x, xdot) = (&s.x[..n], &s.xdot[..n]);
        self.chain_rule(places, at, xdot, &coordinate.slope_rate(x, xdot), &coordinate.slope(x))
    }

    /// dr/dt of a reading; twists must be loaded.
    pub(crate) fn reading_rate(
        &self,
        entry: &NetworkEntry,
        index: usize,
        at: &Instant,
        s: &mut Scratch,
    ) -> f64 {
        let (reading, places) = (&entry.law.readings[index], &entry.readings[index]);
        let n = places.carried.len();
        self.load_reading(places, at, s);
        let (x, xdot) = (&s.x[..n], &s.xdot[..n]);
        let by_velocity = reading.by_velocity(x).unwrap_or_default();
        self.chain_rule(places, at, xdot, &reading.by_position(x, xdot), &by_velocity)
    }

    /// Σ_a ∂f/∂x_a · ẋ_a + ∂f/∂ẋ_a · ẍ_a, the rate of a function of the vectors of a reading; none by ẋ
    /// means that it does not see velocities.
    fn chain_rule(
        &self,
        places: &Places,
        at: &Instant,
        xdot: &[Vec3],
        by_position: &[Vec3],
        by_velocity: &[Vec3],
    ) -> f64 {
        let mut rate: f64 = by_position.iter().zip(xdot).map(|(slope, xdot)| slope.dot(xdot)).sum();
        for (place, weight) in places.carried.iter().zip(by_velocity) {
            let c = &place.carried;
            let (v, acceleration) = (self.twist(c.node, at.v), self.twist(c.node, at.a));
            rate += weight.dot(&c.acceleration(&at.frames[c.node], &v, &acceleration));
        }
        rate
    }

    /// Gradients of a reading; twists must be loaded.
    pub(super) fn reading_gradient(
        &self,
        entry: &NetworkEntry,
        index: usize,
        at: &Instant,
        tangents: &[Mat3],
        s: &mut Scratch,
    ) -> Gradient {
        let places = &entry.readings[index];
        let (n, unknowns) = (places.carried.len(), places.unknowns.len());
        self.load_reading(places, at, s);
        self.columns(places, at.frames, s);
        self.column_rates(places, at.frames, s);
        let mut g = Gradient { position: [0.0; MAX_READ], velocity: [0.0; MAX_READ] };
        let (x, xdot) = (&s.x[..n], &s.xdot[..n]);
        let reading = &entry.law.readings[index];
        add_columns(&mut g.position, places, &reading.by_position(x, xdot), &s.p);
        if let Some(weights) = reading.by_velocity(x) {
            add_columns(&mut g.velocity, places, &weights, &s.p);
            add_columns(&mut g.position, places, &weights, &s.p_rate);
        }
        s.local.g[0][..unknowns].copy_from_slice(&g.position[..unknowns]);
        self.turn_columns(&mut s.local.g[..1], places, tangents);
        g.position[..unknowns].copy_from_slice(&s.local.g[0][..unknowns]);
        g
    }
}
