//! Energy and power of networks that come from energy models.

use crate::assembly::Scratch;
use crate::energy::Balance;
use crate::force::Power;
use crate::system::System;
use crate::system::state::Instant;
use poinsot_expr::Function;

/// What an energy model stores, gets and loses: functions of the arguments of its network.
#[derive(Clone, Debug)]
pub struct NetworkEnergy {
    /// Σ f ∂T*/∂f − T* (J).
    pub kinetic: Function,
    /// V (J).
    pub potential: Function,
    /// Power that comes in (W).
    pub supplied: Function,
    /// Power that is lost (W).
    pub dissipated: Function,
}

impl System {
    /// Whether networks have energies.
    pub fn has_network_energies(&self) -> bool {
        !self.network_energies.is_empty()
    }

    /// Adds the energies of networks.
    pub(crate) fn add_network_energy(&self, at: &Instant, balance: &mut Balance, s: &mut Scratch) {
        self.load_twists(at.v, s);
        for (network, energy) in &self.network_energies {
            self.load_arguments(&self.networks[*network], at, s);
            balance.kinetic += energy.kinetic.value(&s.arguments);
            balance.potential += energy.potential.value(&s.arguments);
        }
    }

    /// Power that energy models get and lose.
    pub(crate) fn network_energy_power(&self, at: &Instant, s: &mut Scratch) -> Power {
        let mut sum = Power::default();
        self.load_twists(at.v, s);
        for (network, energy) in &self.network_energies {
            self.load_arguments(&self.networks[*network], at, s);
            sum.supplied += energy.supplied.value(&s.arguments);
            sum.dissipated += energy.dissipated.value(&s.arguments);
        }
        sum
    }
}
