//! The switches of a network, compiled together.

use crate::assembly::Scratch;
use crate::networks::NetworkEntry;
use crate::networks::network::Network;
use poinsot_expr::{Block, Engine, Switch};

/// The switches of a network, each once.
#[derive(Debug)]
pub(crate) struct NetworkSwitches {
    pub list: Vec<Switch>,
    /// Functions and levels for people.
    pub names: Vec<String>,
    /// The functions, with derivatives by all arguments.
    block: Block,
}

impl NetworkSwitches {
    /// Functions of rates are left out: rates are not known between steps.
    pub fn new(network: &Network, engine: Engine) -> Self {
        let m = network.variables.len();
        let mut list: Vec<Switch> = vec![];
        let laws = network.equations.iter().chain(network.loads.iter().map(|load| &load.law));
        for switch in laws.flat_map(|law| law.switches()) {
            if (m..2 * m).any(|i| switch.depends_on(i)) {
                continue;
            }
            match list.iter_mut().find(|known| *known == switch) {
                Some(known) => known.merge(switch),
                None => list.push(switch.clone()),
            }
        }
        let names = list.iter().map(Switch::to_string).collect();
        let block = Block::of_switches(&list, network.arguments(), engine);
        NetworkSwitches { list, names, block }
    }

    /// The functions; the arguments must be loaded.
    pub fn values(&self, out: &mut [f64], s: &Scratch) {
        self.block.eval(&s.arguments, out);
    }

    /// The functions, and the sizes for which tolerances hold, Σ |∂g/∂x_i| (|x_i| + nominal size of x_i); the
    /// arguments must be loaded.
    pub fn sizes(&self, entry: &NetworkEntry, values: &mut [f64], sizes: &mut [f64], s: &mut Scratch) {
        s.partials.resize(self.block.entries().len(), 0.0);
        self.block.eval_derivatives(&s.arguments, values, &mut s.partials);
        sizes.fill(0.0);
        for (&(switch, i), slope) in self.block.entries().iter().zip(&s.partials) {
            sizes[switch] += slope.abs() * entry.size(i, &s.arguments);
        }
    }
}

impl NetworkEntry {
    /// |x_i| + nominal size of argument i.
    pub(crate) fn size(&self, i: usize, arguments: &[f64]) -> f64 {
        let is_time = i + 1 == arguments.len();
        let nominal = match self.law.variables.get(i) {
            Some(variable) => variable.nominal,
            None if is_time => 0.0,
            None => 1.0,
        };
        arguments[i].abs() + nominal
    }
}
