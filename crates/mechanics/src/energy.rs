//! Energies, momenta and power of the whole system.

use crate::assembly::Scratch;
use crate::force::Power;
use crate::system::System;
use crate::system::state::Instant;
use poinsot_geometry::Vec3;
use serde::{Deserialize, Serialize};

/// Energies and momenta of the whole system at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Balance {
    /// Kinetic energy (J).
    pub kinetic: f64,
    /// Potential energy of gravity and springs (J).
    pub potential: f64,
    /// Linear momentum (N·s).
    pub momentum: Vec3,
    /// Angular momentum about the world origin (N·m·s).
    pub angular_momentum: Vec3,
    /// Centre of mass (m).
    pub centre_of_mass: Vec3,
    /// Power supplied and dissipated (W).
    pub power: Power,
}

impl Balance {
    /// Kinetic plus potential energy.
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential
    }
}

impl System {
    /// Energies and momenta.
    pub fn balance(&self, at: &Instant, s: &mut Scratch) -> Balance {
        let mut b = Balance {
            kinetic: 0.0,
            potential: 0.0,
            momentum: Vec3::zeros(),
            angular_momentum: Vec3::zeros(),
            centre_of_mass: Vec3::zeros(),
            power: Power::default(),
        };
        let mut mass = 0.0;
        for body in self.bodies() {
            let (z, v) = (&at.frames[body.node], self.twist(body.node, at.v));
            let centre = body.centre_of_mass(z);
            b.potential -= body.mass * self.gravity.dot(&centre);
            if let Some(w) = at.rates.get(body.node) {
                let p = body.natural_momentum(&body.euler_tensor(), w);
                b.kinetic += 0.5 * p.dot(w);
                b.momentum += p.r;
                b.angular_momentum += z.r.cross(&p.r) + p.moment(z);
            } else {
                b.kinetic += body.kinetic_energy(z, &v);
                b.momentum += body.momentum(z, &v);
                b.angular_momentum += body.angular_momentum(z, &v);
            }
            b.centre_of_mass += centre * body.mass;
            mass += body.mass;
        }
        mass += self.add_coupled_balance(at, &mut b);
        mass += self.add_flexible_balance(at, &mut b, s);
        if mass > 0.0 {
            b.centre_of_mass /= mass;
        }
        for (index, entry) in self.forces.iter().enumerate() {
            let (stored, spin) =
                self.with_motion(index, at, s, |m| (entry.law.potential(m), entry.law.angular_momentum(m)));
            b.potential += stored;
            b.angular_momentum += spin;
        }
        self.add_network_energy(at, &mut b, s);
        b.power = self.power(at, s);
        b
    }

    /// Power supplied to and dissipated in the system. Drives supply −λᵀ(G v).
    pub fn power(&self, at: &Instant, s: &mut Scratch) -> Power {
        let mut sum = Power::default();
        for index in 0..self.constraints.len() {
            sum.supplied += self.drive_power(index, at, s);
        }
        for index in 0..self.frictions.len() {
            let (force, rate) = self.friction(index, at, s);
            sum.dissipated += force * rate;
        }
        for (index, entry) in self.forces.iter().enumerate() {
            let p = self.with_motion(index, at, s, |m| entry.law.power(m));
            sum.supplied += p.supplied;
            sum.dissipated += p.dissipated;
        }
        for power in [self.network_power(at, s), self.network_energy_power(at, s)] {
            sum.supplied += power.supplied;
            sum.dissipated += power.dissipated;
        }
        sum
    }
}
