//! The functions of a network, compiled together.

use crate::assembly::Scratch;
use crate::networks::network::Network;
use poinsot_expr::{Block, Engine, Function};
use std::ops::Range;

/// The functions of a network in the groups in which they are asked for, so that none is computed in vain.
#[derive(Debug)]
pub(crate) struct Laws {
    /// Equations with rates, then the loads; derivatives by all arguments but time.
    pub balance: Group,
    /// Algebraic equations; derivatives by all arguments.
    pub algebraic: Group,
    /// All equations with derivatives by rates, if each of them has one rate in it.
    pub rates: Option<Block>,
}

/// Equations with one code.
#[derive(Debug)]
pub(crate) struct Group {
    /// The equations, which come first among the functions of the block.
    pub equations: Vec<usize>,
    pub block: Block,
}

impl Laws {
    pub fn new(network: &Network, algebraic: &[bool], separate_rates: bool, engine: Engine) -> Self {
        let (m, arguments) = (network.variables.len(), network.arguments());
        let group = |wanted: bool, loads: bool, by: &dyn Fn(usize) -> bool| {
            let equations: Vec<usize> = (0..m).filter(|&k| algebraic[k] == wanted).collect();
            let loads = network.loads.iter().filter(|_| loads).map(|load| &load.law);
            let functions: Vec<&Function> =
                equations.iter().map(|&k| &network.equations[k]).chain(loads).collect();
            Group { block: Block::of(&functions, arguments, by, engine), equations }
        };
        let rates = || {
            let functions: Vec<&Function> = network.equations.iter().collect();
            Block::of(&functions, arguments, &|i| (m..2 * m).contains(&i), engine)
        };
        Laws {
            balance: group(false, true, &|i| i + 1 < arguments),
            algebraic: group(true, false, &|_| true),
            rates: separate_rates.then(rates),
        }
    }
}

impl Group {
    /// Places of the derivatives of function k, which stand together.
    pub fn places(&self, k: usize) -> Range<usize> {
        let entries = self.block.entries();
        entries.partition_point(|e| e.0 < k)..entries.partition_point(|e| e.0 <= k)
    }

    /// Arguments by which function k has a derivative.
    pub fn arguments(&self, k: usize) -> impl Iterator<Item = usize> {
        self.block.entries()[self.places(k)].iter().map(|entry| entry.1)
    }

    /// The values of the functions into `s.values`; the arguments must be loaded.
    pub fn evaluate(&self, s: &mut Scratch) {
        s.values.resize(self.block.outputs(), 0.0);
        self.block.eval(&s.arguments, &mut s.values);
    }

    /// As [`Group::evaluate`], and the derivatives into `s.partials`.
    pub fn linearize(&self, s: &mut Scratch) {
        linearize(&self.block, s);
    }
}

/// Values and derivatives of a block into the scratch; the arguments must be loaded.
pub(crate) fn linearize(block: &Block, s: &mut Scratch) {
    s.values.resize(block.outputs(), 0.0);
    s.partials.resize(block.entries().len(), 0.0);
    block.eval_derivatives(&s.arguments, &mut s.values, &mut s.partials);
}
