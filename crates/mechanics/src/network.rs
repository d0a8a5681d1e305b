//! First-order equations beside the mechanics: circuits, controllers, heat, reactions.
//!
//! A network has variables y and as many equations,
//!
//! ```text
//! F_k(y, ẏ, r, t) = 0,
//! ```
//! where the readings r are coordinates and speeds of the mechanics. Equations without ẏ are *algebraic*.
//! Loads act back on coordinates of the mechanics, Q = e(y, r, t) ∂s/∂q.
//!
//! In the vectors of the system y stands where velocities stand and ẏ where accelerations stand: a
//! first-order system is a second-order one whose positions nobody asks for (gs4-isochronous-integrators
//! I-26). Each equation is numbered as one of the variables that it determines, so that the diagonal of the
//! step matrix is not empty.

use crate::assembly::{Scratch, Term, Terms, add_blocks, clear_block, scatter_block};
use crate::carried::Carried;
use crate::coordinate::Coordinate;
use crate::network_laws::{Group, Laws};
use crate::network_start::HiddenRates;
use crate::network_structure::Structure;
use crate::network_switches::NetworkSwitches;
use crate::sparse_square::{SparseSquare, SquarePattern};
use crate::speed::Speed;
use crate::state::Instant;
use crate::system::{NO_EQUATION, Places, System, moving};
use crate::{Frame, Linearization, Power, State};
use poinsot_expr::{Engine, Function};
use poinsot_geometry::{Mat3, Vec3};
use poinsot_numerics::dense::Mat;
use poinsot_numerics::subspace::pseudo_solve;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// A variable of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Value at the start.
    pub start: f64,
    /// A usual size: tolerances are relative to it.
    pub nominal: f64,
}

/// What a network reads of the mechanics.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// The value of a coordinate.
    Coordinate(Coordinate),
    /// A speed.
    Speed(Speed),
}

impl Reading {
    pub(crate) fn carried(&self) -> &[Carried] {
        match self {
            Reading::Coordinate(s) => s.carried(),
            Reading::Speed(w) => w.carried(),
        }
    }
}

/// A load of a network on the mechanics: the effort e along the coordinate that reading `on` is.
#[derive(Clone, Debug)]
pub struct Load {
    /// Index of a reading that is a coordinate.
    pub on: usize,
    /// e of the network's arguments; it does not depend on ẏ.
    pub law: Function,
}

/// First-order equations with their loads. All functions have the arguments y, ẏ, r, t, in this order.
#[derive(Clone, Debug)]
pub struct Network {
    /// Its name.
    pub name: String,
    /// The variables y.
    pub variables: Vec<Variable>,
    /// The readings r.
    pub readings: Vec<Reading>,
    /// The equations F_k, as many as variables.
    pub equations: Vec<Function>,
    /// The loads.
    pub loads: Vec<Load>,
}

/// Why a network cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// Not as many equations as variables.
    #[error("{} for {}", number(*equations, "equation"), number(*variables, "variable"))]
    Count {
        /// Number of equations.
        equations: usize,
        /// Number of variables.
        variables: usize,
    },
    /// No assignment of variables to equations: some equations determine fewer variables than they are.
    #[error("the equations do not determine `{0}`: it stands in none that is not needed for others")]
    Undetermined(String),
    /// A load that depends on a rate or acts on something that is no coordinate.
    #[error("load {0} depends on a rate of a variable or acts on no coordinate")]
    Load(usize),
}

fn number(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

impl Network {
    /// Number of arguments of the functions.
    pub fn arguments(&self) -> usize {
        2 * self.variables.len() + self.readings.len() + 1
    }

    /// Whether equation k has no rates in it.
    pub fn is_algebraic(&self, k: usize) -> bool {
        let m = self.variables.len();
        (m..2 * m).all(|j| self.equations[k].partial_is_zero(j))
    }

    /// The variables whose rates stand in equation k.
    fn rates_in(&self, k: usize) -> impl Iterator<Item = usize> {
        let m = self.variables.len();
        (0..m).filter(move |&j| !self.equations[k].partial_is_zero(m + j))
    }

    /// Whether the rate of variable j stands in an equation.
    pub fn has_rate(&self, j: usize) -> bool {
        let m = self.variables.len();
        self.equations.iter().any(|f| !f.partial_is_zero(m + j))
    }

    /// Checks the network and finds which variable each equation determines, through its rate where it can.
    pub fn matching(&self) -> Result<Vec<usize>, NetworkError> {
        self.structure().map(|structure| structure.variable_of)
    }

    fn structure(&self) -> Result<Structure, NetworkError> {
        let m = self.variables.len();
        if self.equations.len() != m {
            return Err(NetworkError::Count { equations: self.equations.len(), variables: m });
        }
        for (k, load) in self.loads.iter().enumerate() {
            let rates = (m..2 * m).any(|j| load.law.depends_on(j));
            if rates || !matches!(self.readings.get(load.on), Some(Reading::Coordinate(_))) {
                return Err(NetworkError::Load(k));
            }
        }
        Structure::new(self)
    }
}

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
    closing: OnceLock<Option<Closing>>,
    least: LeastPattern,
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
    /// Entries of the equations with rates.
    pub(crate) balance: Entries,
    /// Entries of the algebraic equations.
    pub(crate) constraints: Entries,
    loads: Vec<LoadSlots>,
    /// Diagonal slots.
    pub(crate) diagonal: Vec<u32>,
}

/// Value slots of rows × columns, row by row.
type SlotsOf<'a> = dyn Fn(&[usize], &[usize]) -> Vec<u32> + 'a;

/// A derivative of an equation: the value slot, for a reading the slots of its unknowns, for time none.
#[derive(Debug)]
pub(crate) struct Entry {
    pub equation: usize,
    pub argument: usize,
    /// Place among the derivatives of the block.
    pub place: usize,
    slots: Vec<u32>,
}

/// The derivatives of a group of equations, and where they go.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    pub all: Vec<Entry>,
    /// Number of each equation of the group.
    rows: Vec<usize>,
    /// (place among the derivatives, slot) of those by variables.
    by_value: Vec<(u32, u32)>,
    /// The same of those by rates.
    by_rate: Vec<(u32, u32)>,
    /// Those by readings, in `all`.
    by_reading: Vec<usize>,
}

impl Entries {
    fn new(all: Vec<Entry>, rows: Vec<usize>, variables: usize) -> Self {
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

#[derive(Debug)]
struct LoadSlots {
    /// (argument, place among the derivatives of the block, slots of unknowns × unknowns of the argument, row
    /// by row).
    entries: Vec<(usize, usize, Vec<u32>)>,
    /// Slots of the coordinate's own block.
    block: Vec<u32>,
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

    /// Unknowns that argument i stands for.
    fn unknowns(&self, i: usize) -> Vec<usize> {
        let m = self.law.variables.len();
        match i {
            _ if i < 2 * m => vec![self.eq[i % m]],
            _ => self.readings.get(i - 2 * m).map_or(vec![], |p| p.unknowns.clone()),
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
            nodes.extend(moving(self.law.readings[load.on].carried()));
            tidy(nodes)
        });
        equations.chain(loads).collect()
    }

    /// Blocks (rows, columns) of the step matrix that the network fills.
    pub(crate) fn blocks(&self) -> Vec<(Vec<usize>, Vec<usize>)> {
        let mut blocks: Vec<_> = self.eq.iter().map(|&eq| (vec![eq], vec![eq])).collect();
        for k in 0..self.eq.len() {
            let used = self.arguments_of(k);
            blocks.push((vec![self.row(k)], used.flat_map(|i| self.unknowns(i)).collect()));
        }
        for (k, load) in self.law.loads.iter().enumerate() {
            let loaded = self.readings[load.on].unknowns.clone();
            let used = self.arguments_of_load(k);
            let mut columns: Vec<usize> = used.flat_map(|i| self.unknowns(i)).collect();
            columns.extend_from_slice(&loaded);
            blocks.push((loaded, columns));
        }
        blocks
    }

    pub(crate) fn find_slots(&mut self, slots: &SlotsOf) {
        self.diagonal = self.eq.iter().flat_map(|&eq| slots(&[eq], &[eq])).collect();
        let entries = |group: &Group| {
            let of_equation = |(place, &(output, argument)): (usize, &(usize, usize))| {
                let &equation = group.equations.get(output)?;
                let slots = slots(&[self.row(equation)], &self.unknowns(argument));
                Some(Entry { equation, argument, place, slots })
            };
            let all = group.block.entries().iter().enumerate().filter_map(of_equation).collect();
            let rows = group.equations.iter().map(|&k| self.row(k)).collect();
            Entries::new(all, rows, self.eq.len())
        };
        let (balance, constraints) = (entries(&self.laws.balance), entries(&self.laws.algebraic));
        let group = &self.laws.balance;
        let load = |(k, load): (usize, &Load)| {
            let loaded = &self.readings[load.on].unknowns;
            let of_load = |place: usize| {
                let argument = group.block.entries()[place].1;
                (argument, place, slots(loaded, &self.unknowns(argument)))
            };
            let entries = group.places(group.equations.len() + k).map(of_load).collect();
            LoadSlots { entries, block: slots(loaded, loaded) }
        };
        let loads = self.law.loads.iter().enumerate().map(load).collect();
        (self.balance, self.constraints, self.loads) = (balance, constraints, loads);
    }
}

/// ∂r/∂q and ∂r/∂v of a reading, in the unknowns of its places.
struct Gradient {
    position: [f64; MAX_READ],
    velocity: [f64; MAX_READ],
}

/// Most unknowns of a reading: four frames.
const MAX_READ: usize = 24;

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

    /// Positions and velocities of the vectors of a reading into the scratch; twists must be loaded.
    fn load_reading(&self, places: &Places, at: &Instant, s: &mut Scratch) {
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
            s.arguments.push(match reading {
                Reading::Coordinate(c) => c.value(&s.x[..n], *memory),
                Reading::Speed(w) => w.value(&s.x[..n], &s.xdot[..n]),
            });
        }
        s.arguments.push(self.law_time(at.t));
    }

    /// Remembers the turns of the coordinates that networks read.
    pub(crate) fn remember_readings(&self, frames: &[Frame], memory: &mut [f64], s: &mut Scratch) {
        for entry in &self.networks {
            let memory = &mut memory[entry.memory.clone()];
            for ((reading, places), memory) in entry.law.readings.iter().zip(&entry.readings).zip(memory) {
                if let Reading::Coordinate(c) = reading {
                    self.positions(places, frames, s);
                    *memory = c.value(&s.x[..places.carried.len()], *memory);
                }
            }
        }
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
                let (Reading::Coordinate(c), places) =
                    (&entry.law.readings[load.on], &entry.readings[load.on])
                else {
                    continue;
                };
                self.positions(places, at.frames, s);
                let slope = c.slope(&s.x[..places.carried.len()]);
                for (f, g) in s.f.iter_mut().zip(&slope) {
                    *f = g * effort;
                }
                self.scatter_force(places, at.frames, &s.f, -1.0, out);
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

    /// d²r/dt² of a coordinate that is read; zero for speeds. Twists must be loaded.
    pub(crate) fn reading_acceleration(
        &self,
        entry: &NetworkEntry,
        index: usize,
        at: &Instant,
        s: &mut Scratch,
    ) -> f64 {
        let Reading::Coordinate(coordinate) = &entry.law.readings[index] else { return 0.0 };
        let places = &entry.readings[index];
        let n = places.carried.len();
        self.load_reading(places, at, s);
        let (x, xdot) = (&s.x[..n], &s.xdot[..n]);
        let (slope, change) = (coordinate.slope(x), coordinate.slope_rate(x, xdot));
        let along = |(a, place): (usize, &crate::system::Place)| {
            let c = &place.carried;
            let (v, acceleration) = (self.twist(c.node, at.v), self.twist(c.node, at.a));
            let xddot = c.acceleration(&at.frames[c.node], &v, &acceleration);
            change[a].dot(&xdot[a]) + slope[a].dot(&xddot)
        };
        places.carried.iter().enumerate().map(along).sum()
    }

    /// dr/dt of a reading; twists must be loaded.
    pub(crate) fn reading_rate(
        &self,
        entry: &NetworkEntry,
        index: usize,
        at: &Instant,
        s: &mut Scratch,
    ) -> f64 {
        let places = &entry.readings[index];
        let n = places.carried.len();
        self.load_reading(places, at, s);
        let (x, xdot) = (&s.x[..n], &s.xdot[..n]);
        match &entry.law.readings[index] {
            Reading::Coordinate(c) => c.rate(x, xdot),
            Reading::Speed(w) => {
                let (weights, slope) = (w.weights(x), w.slope(x, xdot));
                let change = |(a, place): (usize, &crate::system::Place)| {
                    let c = &place.carried;
                    let (v, acceleration) = (self.twist(c.node, at.v), self.twist(c.node, at.a));
                    let xddot = c.acceleration(&at.frames[c.node], &v, &acceleration);
                    slope[a].dot(&xdot[a]) + weights[a].dot(&xddot)
                };
                places.carried.iter().enumerate().map(change).sum()
            }
        }
    }

    /// Gradients of a reading; twists must be loaded.
    fn reading_gradient(
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
        match &entry.law.readings[index] {
            Reading::Coordinate(c) => add_columns(&mut g.position, places, &c.slope(x), &s.p),
            Reading::Speed(w) => {
                let weights = w.weights(x);
                add_columns(&mut g.velocity, places, &weights, &s.p);
                add_columns(&mut g.position, places, &w.slope(x, xdot), &s.p);
                add_columns(&mut g.position, places, &weights, &s.p_rate);
            }
        }
        s.local_g[0][..unknowns].copy_from_slice(&g.position[..unknowns]);
        self.turn_columns(&mut s.local_g[..1], places, tangents);
        g.position[..unknowns].copy_from_slice(&s.local_g[0][..unknowns]);
        g
    }

    /// The equations with rates and the loads in the step matrix; twists of the stage must be loaded.
    pub(crate) fn add_network_tangent(&self, at: &Linearization, terms: &mut Terms, s: &mut Scratch) {
        for entry in &self.networks {
            self.load_arguments(entry, &at.stage, s);
            entry.laws.balance.linearize(s);
            self.add_entries(entry, &at.stage, at.stage_tangent, false, terms, s);
            let efforts = entry.laws.balance.equations.len();
            for (k, (load, slots)) in entry.law.loads.iter().zip(&entry.loads).enumerate() {
                self.add_load(entry, (load, efforts + k), slots, at, terms, s);
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

    /// −∂(e ∂s/∂q): columns of the arguments of e, and the change of ∂s/∂q. The effort e is a value, and it
    /// and its derivatives must be loaded.
    fn add_load(
        &self,
        entry: &NetworkEntry,
        (load, effort): (&Load, usize),
        slots: &LoadSlots,
        at: &Linearization,
        terms: &mut Terms,
        s: &mut Scratch,
    ) {
        let m = entry.law.variables.len();
        let Reading::Coordinate(coordinate) = &entry.law.readings[load.on] else { return };
        let (places, frames) = (&entry.readings[load.on], at.stage.frames);
        let (n, unknowns) = (places.carried.len(), places.unknowns.len());
        let effort = s.values[effort];
        self.load_reading(places, &at.stage, s);
        self.columns(places, frames, s);
        let slope = coordinate.slope(&s.x[..n]);
        let mut along = [0.0; MAX_READ];
        add_columns(&mut along, places, &slope, &s.p);
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
        self.load_reading(places, &at.stage, s);
        self.columns(places, frames, s);
        for (f, g) in s.f.iter_mut().zip(&slope) {
            *f = g * effort;
        }
        s.k.clear();
        coordinate.hessian(&s.x[..n], effort, &mut s.k);
        clear_block(&mut s.local_k, unknowns);
        add_blocks(&mut s.local_k, s.k.entries(), places, &s.p, &s.p);
        self.add_geometric(places, frames, s);
        self.turn_columns(&mut s.local_k[..unknowns], places, at.stage_tangent);
        scatter_block(&s.local_k, &slots.block, unknowns, Term::Stiffness, -1.0, terms);
    }

    /// Power that the loads of networks supply to the mechanics.
    pub(crate) fn network_power(&self, at: &Instant, s: &mut Scratch) -> Power {
        let mut sum = Power::default();
        self.load_twists(at.v, s);
        for entry in self.networks.iter().filter(|n| !n.law.loads.is_empty()) {
            self.load_arguments(entry, at, s);
            for load in &entry.law.loads {
                let effort = load.law.value(&s.arguments);
                sum.supplied += effort * self.reading_rate(entry, load.on, at, s);
            }
        }
        sum
    }

    /// Makes the algebraic equations hold with the least change of the variables, those first whose rate
    /// stands in no equation. Returns the equation that is left most open, none if there are no algebraic
    /// ones.
    pub fn close_networks(&self, state: &mut State, s: &mut Scratch) -> Option<OpenEquation> {
        for entry in self.networks.iter().filter(|n| n.algebraic.contains(&true)) {
            self.close_network(entry, state, s);
        }
        self.most_open(state, s)
    }

    /// Closes the networks where a jump has left an algebraic equation open by more than `least` of its
    /// terms; variables with a rate keep their values where the others can do it.
    pub fn close_behind_jump(&self, least: f64, state: &mut State, s: &mut Scratch) {
        for entry in self.networks.iter().filter(|n| n.algebraic.contains(&true)) {
            if self.openness(entry, state, s) > least {
                self.close_network(entry, state, s);
            }
        }
    }

    fn most_open(&self, state: &State, s: &mut Scratch) -> Option<OpenEquation> {
        let worse = |a: &OpenEquation, b: &OpenEquation| a.relative.total_cmp(&b.relative);
        let all: Vec<OpenEquation> =
            self.networks.iter().flat_map(|entry| self.open_equations(entry, state, s)).collect();
        all.into_iter().max_by(worse)
    }

    /// How far the algebraic equations of a network are from holding at most, relative to their terms.
    fn openness(&self, entry: &NetworkEntry, state: &State, s: &mut Scratch) -> f64 {
        self.openness_from(entry, &vec![0.0; entry.laws.algebraic.equations.len()], state, s)
    }

    /// Newton's method from where the variables are; where that does not lead to the end, step by step along
    ///
    /// ```text
    /// F(y) = (1 − σ) F(y₀),     σ from 0 to 1,
    /// ```
    /// so that what has jumped comes in little by little.
    fn close_network(&self, entry: &NetworkEntry, state: &mut State, s: &mut Scratch) {
        let values = |state: &State| -> Vec<f64> { entry.eq.iter().map(|&eq| state.v[eq]).collect() };
        let set = |state: &mut State, y: &[f64]| entry.eq.iter().zip(y).for_each(|(&eq, y)| state.v[eq] = *y);
        let start = values(state);
        let group = &entry.laws.algebraic;
        let zero = vec![0.0; group.equations.len()];
        self.approach(entry, &zero, CLOSE_ITERATIONS, state, s);
        let left = self.openness(entry, state, s);
        if left <= CLOSED {
            return;
        }
        let direct = values(state);
        set(state, &start);
        self.load_start_arguments(entry, state, s);
        group.evaluate(s);
        let open = s.values.clone();
        let (mut done, mut part) = (0.0, 0.25);
        for _ in 0..MOST_PARTS {
            let (before, next) = (values(state), f64::min(1.0, done + part));
            let target: Vec<f64> = open.iter().map(|open| (1.0 - next) * open).collect();
            if self.approach(entry, &target, PART_ITERATIONS, state, s) {
                (done, part) = (next, 2.0 * part);
            } else {
                set(state, &before);
                part *= 0.25;
            }
            if done == 1.0 || part < SHORTEST_PART {
                break;
            }
        }
        self.approach(entry, &zero, CLOSE_ITERATIONS, state, s);
        if self.openness(entry, state, s) > left {
            set(state, &direct);
        }
    }

    /// Newton's method for F = `target` of the algebraic equations; whether it has got there.
    fn approach(
        &self,
        entry: &NetworkEntry,
        target: &[f64],
        most: usize,
        state: &mut State,
        s: &mut Scratch,
    ) -> bool {
        let mut known = None;
        (0..most).any(|_| !self.close_once(entry, target, state, &mut known, s))
            && self.openness_from(entry, target, state, s) <= CLOSED
    }

    /// How far each algebraic equation of a network is from holding.
    fn open_equations(&self, entry: &NetworkEntry, state: &State, s: &mut Scratch) -> Vec<OpenEquation> {
        self.open_from(entry, &vec![0.0; entry.laws.algebraic.equations.len()], state, s)
    }

    fn openness_from(&self, entry: &NetworkEntry, target: &[f64], state: &State, s: &mut Scratch) -> f64 {
        self.open_from(entry, target, state, s).iter().map(|open| open.relative).fold(0.0, f64::max)
    }

    /// How far each algebraic equation of a network is from its target.
    fn open_from(
        &self,
        entry: &NetworkEntry,
        target: &[f64],
        state: &State,
        s: &mut Scratch,
    ) -> Vec<OpenEquation> {
        self.load_start_arguments(entry, state, s);
        let group = &entry.laws.algebraic;
        group.linearize(s);
        let terms = algebraic_terms(entry, s);
        let residuals = s.values.iter().zip(target).map(|(value, target)| (value - target).abs());
        let open = |(&k, (residual, terms)): (&usize, (f64, f64))| {
            let relative = match residual / terms {
                _ if residual == 0.0 => 0.0,
                relative if relative.is_finite() => relative,
                _ => f64::INFINITY,
            };
            OpenEquation { equation: entry.row(k), residual, relative }
        };
        group.equations.iter().zip(residuals.zip(terms)).map(open).collect()
    }

    /// The arguments of a network at a state; its rates are taken as zero, algebraic equations do not know
    /// them.
    fn load_start_arguments(&self, entry: &NetworkEntry, state: &State, s: &mut Scratch) {
        let zero = vec![0.0; self.n];
        self.load_twists(&state.v, s);
        let at = Instant {
            t: state.t,
            frames: &state.frames,
            v: &state.v,
            a: &zero,
            memory: &state.memory,
            rates: &[],
        };
        self.load_arguments(entry, &at, s);
    }

    /// One step of Newton's method, shortened until the equations are nearer to zero; false where nothing is
    /// left to do. The factors of a step that came far serve for the next one too.
    fn close_once(
        &self,
        entry: &NetworkEntry,
        target: &[f64],
        state: &mut State,
        known: &mut Option<Linearised>,
        s: &mut Scratch,
    ) -> bool {
        let m = entry.eq.len();
        let group = &entry.laws.algebraic;
        self.load_start_arguments(entry, state, s);
        group.linearize(s);
        let terms = algebraic_terms(entry, s);
        let holds = |((value, target), terms): ((&f64, &f64), &f64)| {
            (value - target).abs() <= 2.0 * f64::EPSILON * terms
        };
        if s.values.iter().zip(target).zip(&terms).all(holds) {
            return false;
        }
        let nearly = |((value, target), terms): ((&f64, &f64), &f64)| {
            (value - target).abs() <= NEARLY * f64::EPSILON * terms
        };
        let nearly = s.values.iter().zip(target).zip(&terms).all(nearly);
        // A variable with a rate is moved only where the others cannot do it.
        let weight = |j: usize| entry.law.variables[j].nominal * if entry.has_rate[j] { 1e-8 } else { 1.0 };
        let is_known = known.is_some();
        let mut linearised = known.take().unwrap_or_else(|| Linearised::new(entry, &weight, s));
        let sizes = linearised.sizes.clone();
        let scaled = |values: &[f64]| -> Vec<f64> {
            values
                .iter()
                .zip(target)
                .zip(&sizes)
                .map(|((value, target), size)| (value - target) / size)
                .collect()
        };
        let length = |open: &[f64]| open.iter().map(|r| r * r).sum::<f64>();
        let open = scaled(&s.values);
        let before = length(&open);
        if before == 0.0 || !before.is_finite() {
            return false;
        }
        let Some(step) = linearised.step(entry, &open) else { return false };
        let start = s.arguments[..m].to_vec();
        let mut part = 1.0;
        for _ in 0..CLOSE_CUTS {
            for (j, step) in step.iter().enumerate() {
                s.arguments[j] = start[j] - part * step * weight(j);
            }
            group.evaluate(s);
            let after = length(&scaled(&s.values));
            if after < before {
                let changed = |j: usize| (s.arguments[j] - start[j]).abs();
                let tiny = |j: usize| 4.0 * f64::EPSILON * start[j].abs().max(entry.law.variables[j].nominal);
                entry.eq.iter().zip(&s.arguments).for_each(|(&eq, y)| state.v[eq] = *y);
                let moved = (0..m).any(|j| changed(j) > tiny(j));
                if after <= FAR * FAR * before {
                    *known = Some(linearised);
                }
                return moved;
            }
            part *= 0.5;
        }
        // Old factors may have led astray; beside rounding there is nowhere to go.
        is_known && !nearly
    }
}

/// A step of Newton's method that makes the residual as small as this part of it has factors that serve
/// again.
const FAR: f64 = 1e-3;

/// Residuals that are as small as this many roundings of their terms may not fall any more.
const NEARLY: f64 = 100.0;

/// The algebraic equations of a network, linear about a state.
struct Linearised {
    /// What the equations are divided by.
    sizes: Vec<f64>,
    /// (equation, variable, slope) of the divided equations.
    slopes: Vec<(usize, usize, f64)>,
    /// The factors that have solved them.
    factors: Option<LinearFactors>,
}

enum LinearFactors {
    /// Of the variables without rates.
    Square(SparseSquare),
    /// Of [I Aᵀ; A 0].
    Least(SparseSquare),
}

impl Linearised {
    /// The derivatives must be loaded.
    fn new(entry: &NetworkEntry, weight: &dyn Fn(usize) -> f64, s: &Scratch) -> Self {
        let (m, group) = (entry.eq.len(), &entry.laws.algebraic);
        let mut sizes = vec![0.0f64; group.equations.len()];
        let mut slopes: Vec<(usize, usize, f64)> = Vec::with_capacity(s.partials.len());
        for (&(i, j), partial) in group.block.entries().iter().zip(&s.partials).filter(|(e, _)| e.1 < m) {
            slopes.push((i, j, partial * weight(j)));
            sizes[i] = sizes[i].max((partial * weight(j)).abs());
        }
        // At a level point of an equation there is no way to go.
        sizes.iter_mut().filter(|size| **size == 0.0).for_each(|size| *size = 1.0);
        slopes.iter_mut().for_each(|(i, _, slope)| *slope /= sizes[*i]);
        Linearised { sizes, slopes, factors: None }
    }

    /// The step that makes the linear equations hold: of the variables without rates, or else the least of
    /// all.
    fn step(&mut self, entry: &NetworkEntry, open: &[f64]) -> Option<Vec<f64>> {
        let m = entry.eq.len();
        let closing = entry.closing.get_or_init(|| Closing::new(entry)).as_ref();
        let again = match &self.factors {
            Some(LinearFactors::Square(factors)) => closing.and_then(|closing| closing.step(factors, open)),
            Some(LinearFactors::Least(factors)) => least_solution(factors, open, m),
            None => None,
        };
        if again.is_some() {
            return again;
        }
        let square = closing.and_then(|closing| {
            let factors = closing.factors(&self.slopes)?;
            Some((closing.step(&factors, open)?, LinearFactors::Square(factors)))
        });
        let least = || {
            let factors = least_factors(&entry.least, &self.slopes, open.len(), m)?;
            Some((least_solution(&factors, open, m)?, LinearFactors::Least(factors)))
        };
        match square.or_else(least) {
            Some((step, factors)) => {
                self.factors = Some(factors);
                Some(step)
            }
            None => dense_least_step(&self.slopes, open, m),
        }
    }
}

/// Σ_j |∂F/∂y_j| max(|y_j|, nominal size) of each algebraic equation; the derivatives must be loaded.
fn algebraic_terms(entry: &NetworkEntry, s: &Scratch) -> Vec<f64> {
    let group = &entry.laws.algebraic;
    let mut terms = vec![0.0; group.equations.len()];
    for (&(i, j), partial) in group.block.entries().iter().zip(&s.partials) {
        if let Some(variable) = entry.law.variables.get(j) {
            terms[i] += partial.abs() * s.arguments[j].abs().max(variable.nominal);
        }
    }
    terms
}

/// The algebraic equations as functions of the variables without rates alone, where these are as many.
#[derive(Debug)]
struct Closing {
    /// The place of each variable among them.
    column: Vec<Option<usize>>,
    pattern: SquarePattern,
}

impl Closing {
    fn new(entry: &NetworkEntry) -> Option<Self> {
        let mut column = vec![None; entry.has_rate.len()];
        let mut count = 0;
        for (column, _) in column.iter_mut().zip(&entry.has_rate).filter(|(_, has_rate)| !**has_rate) {
            *column = Some(count);
            count += 1;
        }
        let group = &entry.laws.algebraic;
        if count != group.equations.len() {
            return None;
        }
        let place = |&(i, j): &(usize, usize)| Some((i, (*column.get(j)?)?));
        let places = group.block.entries().iter().filter_map(place).collect();
        Some(Closing { pattern: SquarePattern::new(count, places)?, column })
    }

    fn factors(&self, slopes: &[(usize, usize, f64)]) -> Option<SparseSquare> {
        let own = slopes.iter().filter(|(_, j, _)| self.column[*j].is_some());
        let values: Vec<f64> = own.map(|(.., slope)| *slope).collect();
        self.pattern.factor(&values)
    }

    /// The step that makes the linear equations hold, where they determine it.
    fn step(&self, factors: &SparseSquare, right: &[f64]) -> Option<Vec<f64>> {
        let solution = factors.solve(right)?;
        Some(self.column.iter().map(|k| k.map_or(0.0, |k| solution[k])).collect())
    }
}

/// The pattern of [I Aᵀ; A 0], analysed when it is first needed.
type LeastPattern = OnceLock<Option<SquarePattern>>;

/// Factors of [I Aᵀ; A 0] for the least step of all m variables, where that is clearly regular. The slopes A
/// have the same places every time.
fn least_factors(
    known: &LeastPattern,
    slopes: &[(usize, usize, f64)],
    rows: usize,
    m: usize,
) -> Option<SparseSquare> {
    let both = |&(i, j, _): &(usize, usize, f64)| [(m + i, j), (j, m + i)];
    let places = || (0..m).map(|j| (j, j)).chain(slopes.iter().flat_map(both)).collect();
    let pattern = known.get_or_init(|| SquarePattern::new(m + rows, places())).as_ref()?;
    let twice = slopes.iter().flat_map(|(.., slope)| [*slope; 2]);
    let values: Vec<f64> = (0..m).map(|_| 1.0).chain(twice).collect();
    pattern.factor(&values)
}

fn least_solution(factors: &SparseSquare, right: &[f64], m: usize) -> Option<Vec<f64>> {
    let mut b = vec![0.0; m];
    b.extend_from_slice(right);
    let mut x = factors.solve(&b)?;
    x.truncate(m);
    Some(x)
}

/// The same by singular values.
fn dense_least_step(slopes: &[(usize, usize, f64)], right: &[f64], m: usize) -> Option<Vec<f64>> {
    let mut matrix = Mat::zeros(right.len(), m);
    slopes.iter().for_each(|&(i, j, slope)| matrix[(i, j)] += slope);
    pseudo_solve(matrix.as_ref(), right, 1e-13).ok().map(|(step, _)| step)
}

/// An algebraic equation of a network that does not hold exactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OpenEquation {
    /// Its number.
    pub equation: usize,
    /// |F|.
    pub residual: f64,
    /// |F| relative to Σ_j |∂F/∂y_j| max(|y_j|, nominal size).
    pub relative: f64,
}

/// Newton steps for the algebraic equations at the start.
const CLOSE_ITERATIONS: usize = 100;

/// Relative to its terms, how far an algebraic equation may be from holding to be closed.
const CLOSED: f64 = 1e-9;

/// Parts of the way to an open equation, the shortest of them, and Newton steps in each.
const MOST_PARTS: usize = 200;
const SHORTEST_PART: f64 = 1e-9;
const PART_ITERATIONS: usize = 30;

/// How often such a step is halved.
const CLOSE_CUTS: usize = 40;

/// Adds Σ_a g_aᵀ P_a.
fn add_columns(row: &mut [f64; MAX_READ], places: &Places, g: &[Vec3], p: &[[Vec3; 6]]) {
    for ((place, g), p) in places.carried.iter().zip(g).zip(p) {
        for (entry, column) in row[place.local..place.local + place.dofs].iter_mut().zip(p) {
            *entry += g.dot(column);
        }
    }
}
