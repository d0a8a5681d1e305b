//! A network of a system: where its variables, equations and loads stand.

use super::closing_step::{Closing, LeastPattern};
use super::network::{Network, NetworkError};
use crate::networks::laws::{Group, Laws};
use crate::networks::sparse_square::SquarePattern;
use crate::networks::start::HiddenRates;
use crate::networks::structure::Structure;
use crate::networks::switches::NetworkSwitches;
use crate::system::{Places, moving};
use poinsot_expr::Engine;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// A network in a system, with its numbers and slots.
#[derive(Debug)]
pub struct NetworkEntry {
    /// The equations.
    pub law: Network,
    /// Their code.
    pub(crate) laws: Laws,
    /// Made when somebody asks for the first time.
    switches: OnceLock<Arc<NetworkSwitches>>,
    engine: Engine,
    /// The variable that each equation determines.
    pub(crate) variable_of: Vec<usize>,
    structure: Structure,
    /// Made when somebody asks for the first time; none where nothing is known.
    pub(crate) hidden: OnceLock<Option<HiddenRates>>,
    /// The same for the matrices that close algebraic equations and that give the rates.
    pub(super) closing: OnceLock<Option<Closing>>,
    pub(super) least: LeastPattern,
    pub(crate) rate_pattern: OnceLock<Option<SquarePattern>>,
    /// Whether each equation is algebraic.
    pub(crate) algebraic: Vec<bool>,
    /// Whether the rate of each variable stands in an equation.
    pub(crate) has_rate: Vec<bool>,
    /// Equation number of every variable.
    pub(crate) eq: Vec<usize>,
    /// Where its coordinates remember their turns.
    pub(crate) memory: Range<usize>,
    pub(crate) readings: Vec<Places>,
    /// Where the loads push.
    pub(crate) pushed: Vec<Places>,
    /// Entries of the equations with rates.
    pub(crate) balance: Entries,
    /// Entries of the algebraic equations.
    pub(crate) constraints: Entries,
    pub(super) loads: Vec<LoadSlots>,
    /// Diagonal slots.
    pub(crate) diagonal: Vec<u32>,
}

/// Value slots of rows × columns, row by row.
type SlotsOf<'a> = dyn Fn(&[usize], &[usize]) -> Vec<u32> + 'a;

/// Where the variables of a network, what it reads and what it pushes stand: in the system, or in a view.
pub(crate) struct Numbers<'a> {
    /// Number of every variable.
    pub eq: &'a [usize],
    pub readings: &'a [Places],
    pub pushed: &'a [Places],
}

/// A derivative of an equation: the value slot, for a reading the slots of its unknowns, for time none.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub equation: usize,
    pub argument: usize,
    /// Place among the derivatives of the block.
    pub place: usize,
    pub(crate) slots: Vec<u32>,
}

/// The derivatives of a group of equations, and where they go.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entries {
    pub all: Vec<Entry>,
    /// Number of each equation of the group.
    pub(crate) rows: Vec<usize>,
    /// (place among the derivatives, slot) of those by variables.
    pub(crate) by_value: Vec<(u32, u32)>,
    /// The same of those by rates.
    pub(crate) by_rate: Vec<(u32, u32)>,
    /// Those by readings, in `all`.
    pub(crate) by_reading: Vec<usize>,
}

impl Entries {
    pub(super) fn new(all: Vec<Entry>, rows: Vec<usize>, variables: usize) -> Self {
        let of = |arguments: Range<usize>| {
            let single = all.iter().filter(|e| arguments.contains(&e.argument));
            single.map(|e| (e.place as u32, e.slots[0])).collect()
        };
        let reading = |k: &usize| all[*k].argument >= 2 * variables && !all[*k].slots.is_empty();
        Entries {
            by_value: of(0..variables),
            by_rate: of(variables..2 * variables),
            by_reading: (0..all.len()).filter(reading).collect(),
            all,
            rows,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct LoadSlots {
    /// (argument, place among the derivatives of the block, slots of unknowns × unknowns of the argument, row
    /// by row).
    pub(crate) entries: Vec<(usize, usize, Vec<u32>)>,
    /// Slots of the block of the unknowns that it pushes.
    pub(crate) block: Vec<u32>,
}

impl NetworkEntry {
    pub(crate) fn new(law: Network, engine: Engine) -> Result<Self, NetworkError> {
        let structure = law.structure()?;
        let variable_of = structure.variable_of.clone();
        let m = law.variables.len();
        let algebraic: Vec<bool> = (0..m).map(|k| law.is_algebraic(k)).collect();
        let separate_rates = (0..m).all(|k| law.rates_in(k).eq([variable_of[k]]));
        Ok(NetworkEntry {
            laws: Laws::new(&law, &algebraic, separate_rates, engine),
            switches: OnceLock::new(),
            engine,
            algebraic,
            has_rate: (0..m).map(|j| law.has_rate(j)).collect(),
            variable_of,
            structure,
            hidden: OnceLock::new(),
            closing: OnceLock::new(),
            least: LeastPattern::new(),
            rate_pattern: OnceLock::new(),
            eq: vec![0; m],
            memory: 0..0,
            readings: vec![],
            pushed: vec![],
            balance: Entries::default(),
            constraints: Entries::default(),
            loads: vec![],
            diagonal: vec![],
            law,
        })
    }

    /// The functions of the state at which the equations have kinks or jumps.
    pub(crate) fn switches(&self) -> &Arc<NetworkSwitches> {
        self.switches.get_or_init(|| Arc::new(NetworkSwitches::new(&self.law, self.engine)))
    }

    pub(crate) fn structure(&self) -> &Structure {
        &self.structure
    }

    /// Equation number of equation k.
    pub fn row(&self, k: usize) -> usize {
        self.eq[self.variable_of[k]]
    }

    /// Equation number of variable j, where its value stands in velocities and its rate in accelerations.
    pub fn unknown(&self, j: usize) -> usize {
        self.eq[j]
    }

    /// Whether variable j is algebraic: its rate stands in no equation.
    pub fn is_algebraic(&self, j: usize) -> bool {
        !self.has_rate[j]
    }

    /// The index of variable j as far as the structure of the equations tells: 0 if it has a rate of its own,
    /// 1 if it follows from algebraic equations, above 1 if these have to be differentiated for it.
    pub fn index(&self, j: usize) -> usize {
        self.structure.index[j]
    }

    /// Whether no algebraic equation has to be differentiated to determine the variables, as far as the
    /// structure of the equations tells; otherwise the index is above one.
    pub fn is_index_one(&self) -> bool {
        self.structure.index.iter().all(|&index| index <= 1)
    }

    fn numbers(&self) -> Numbers<'_> {
        Numbers { eq: &self.eq, readings: &self.readings, pushed: &self.pushed }
    }

    /// Unknowns that argument i stands for.
    fn unknowns(&self, i: usize, at: &Numbers) -> Vec<usize> {
        let m = self.law.variables.len();
        match i {
            _ if i < 2 * m => vec![at.eq[i % m]],
            _ => at.readings.get(i - 2 * m).map_or(vec![], |p| p.unknowns.clone()),
        }
    }

    /// Arguments by which equation k has a derivative.
    fn arguments_of(&self, k: usize) -> impl Iterator<Item = usize> {
        let group = if self.algebraic[k] { &self.laws.algebraic } else { &self.laws.balance };
        group.equations.binary_search(&k).into_iter().flat_map(|output| group.arguments(output))
    }

    /// Arguments by which load k has a derivative.
    fn arguments_of_load(&self, k: usize) -> impl Iterator<Item = usize> {
        let balance = &self.laws.balance;
        balance.arguments(balance.equations.len() + k)
    }

    /// What the network ties together, for the elimination order: its variables, numbered from `first`, and
    /// nodes.
    pub(crate) fn couplers(&self, first: usize) -> Vec<Vec<usize>> {
        let m = self.law.variables.len();
        let touched = |arguments: &mut dyn Iterator<Item = usize>| {
            let mut nodes: Vec<usize> = Vec::new();
            for i in arguments.filter(|&i| i + 1 < self.law.arguments()) {
                match i < 2 * m {
                    true => nodes.push(first + i % m),
                    false => nodes.extend(moving(self.law.readings[i - 2 * m].carried())),
                }
            }
            nodes
        };
        let tidy = |mut nodes: Vec<usize>| {
            nodes.sort_unstable();
            nodes.dedup();
            nodes
        };
        let equations = (0..m).map(|k| {
            let mut nodes = touched(&mut self.arguments_of(k));
            nodes.push(first + self.variable_of[k]);
            tidy(nodes)
        });
        let loads = self.law.loads.iter().enumerate().map(|(k, load)| {
            let mut nodes = touched(&mut self.arguments_of_load(k));
            nodes.extend(moving(self.law.pushed(load)));
            tidy(nodes)
        });
        equations.chain(loads).collect()
    }

    /// Blocks (rows, columns) of the step matrix that the network fills.
    pub(crate) fn blocks(&self) -> Vec<(Vec<usize>, Vec<usize>)> {
        self.blocks_of(&self.numbers())
    }

    /// The same in other numbers.
    pub(crate) fn blocks_of(&self, at: &Numbers) -> Vec<(Vec<usize>, Vec<usize>)> {
        let mut blocks: Vec<_> = at.eq.iter().map(|&eq| (vec![eq], vec![eq])).collect();
        for k in 0..at.eq.len() {
            let used = self.arguments_of(k);
            let row = at.eq[self.variable_of[k]];
            blocks.push((vec![row], used.flat_map(|i| self.unknowns(i, at)).collect()));
        }
        for (k, pushed) in at.pushed.iter().enumerate() {
            let loaded = pushed.unknowns.clone();
            let used = self.arguments_of_load(k);
            let mut columns: Vec<usize> = used.flat_map(|i| self.unknowns(i, at)).collect();
            columns.extend_from_slice(&loaded);
            blocks.push((loaded, columns));
        }
        blocks
    }

    pub(crate) fn find_slots(&mut self, slots: &SlotsOf) {
        self.diagonal = self.eq.iter().flat_map(|&eq| slots(&[eq], &[eq])).collect();
        (self.balance, self.constraints, self.loads) = self.slots_of(&self.numbers(), slots);
    }

    /// Entries of the equations with rates, of the algebraic ones, and of the loads.
    pub(crate) fn slots_of(&self, at: &Numbers, slots: &SlotsOf) -> (Entries, Entries, Vec<LoadSlots>) {
        let row = |k: usize| at.eq[self.variable_of[k]];
        let entries = |group: &Group| {
            let of_equation = |(place, &(output, argument)): (usize, &(usize, usize))| {
                let &equation = group.equations.get(output)?;
                let slots = slots(&[row(equation)], &self.unknowns(argument, at));
                Some(Entry { equation, argument, place, slots })
            };
            let all = group.block.entries().iter().enumerate().filter_map(of_equation).collect();
            let rows = group.equations.iter().map(|&k| row(k)).collect();
            Entries::new(all, rows, at.eq.len())
        };
        let (balance, constraints) = (entries(&self.laws.balance), entries(&self.laws.algebraic));
        let group = &self.laws.balance;
        let load = |(k, pushed): (usize, &Places)| {
            let loaded = &pushed.unknowns;
            let of_load = |place: usize| {
                let argument = group.block.entries()[place].1;
                (argument, place, slots(loaded, &self.unknowns(argument, at)))
            };
            let entries = group.places(group.equations.len() + k).map(of_load).collect();
            LoadSlots { entries, block: slots(loaded, loaded) }
        };
        let loads = at.pushed.iter().enumerate().map(load).collect();
        (balance, constraints, loads)
    }
}
