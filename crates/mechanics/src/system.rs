//! A constrained mechanical system: nodes, bodies, constraints and forces, numbered for elimination.
//!
//! ```text
//! M(q) a + Gᵀ(q) λ = Q(q, v, t),     Φ(q, t) = 0,     G = ∂Φ/∂q
//! ```
//! All unknown vectors (velocities, accelerations, increments) share one numbering, the *equation* order:
//! it is the elimination order of the sparse factorisation, with each joint's multipliers right after
//! the bodies that they touch. In an acceleration vector the multiplier entries hold λ; in a velocity
//! vector they are zero.

use crate::beams::PlaneBeams;
use crate::body::Body;
use crate::carried::{Carried, GROUND, NodeId};
use crate::chart::{Chart, Frame, Twist};
use crate::clock::Clock;
use crate::constraint::{Configuration, Constraint};
use crate::coordinate::Coordinate;
use crate::force::Force;
use crate::forces::{FrameInertia, Turning};
use crate::friction::{Friction, FrictionEntry};
use crate::inertia::{Inertia, InertiaEntry};
use crate::lists::{MAX_CARRIED, MAX_CONSTRAINED, MAX_ROWS};
use crate::network::{Network, NetworkEntry, NetworkError};
use crate::network_energy::NetworkEnergy;
use poinsot_expr::Engine;
use poinsot_geometry::Vec3;
use poinsot_numerics::ordering::{Coupler, order_groups, order_groups_strict};
use poinsot_numerics::pattern::{Pattern, PatternBuilder};

/// Distances below this (m) are none.
const ROUNDING: f64 = 1e-12;

/// Marks a constraint row that takes no part (dropped as redundant).
pub(crate) const NO_EQUATION: usize = usize::MAX;

/// A node: something that moves.
#[derive(Clone, Debug)]
pub struct Node {
    /// Name for messages.
    pub name: String,
    /// How it moves.
    pub chart: Chart,
    /// Natural coordinates as modelled.
    pub start: Frame,
    /// Velocity as modelled.
    pub start_velocity: Twist,
    pub(crate) eq: usize,
}

impl Node {
    /// The node's unknowns in equation order.
    #[inline]
    pub fn unknowns(&self) -> std::ops::Range<usize> {
        self.eq..self.eq + self.chart.dofs()
    }
}

/// Where a carried vector of an element writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub carried: Carried,
    pub eq: usize,
    /// First of the node's unknowns in the element's local numbering.
    pub local: usize,
    pub dofs: usize,
    /// Which of the node's unknowns move it: no translation moves a direction, no rotation the origin.
    pub first: usize,
    pub last: usize,
}

impl Place {
    /// The node's unknowns that move the vector.
    #[inline]
    pub fn moves(&self) -> std::ops::Range<usize> {
        self.first..self.last
    }
}

/// The part of an element that the assembly needs: where its numbers go.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    pub carried: Vec<Place>,
    /// Local unknown → node, for the tangent of the retraction.
    pub nodes: Vec<(NodeId, usize)>,
    pub unknowns: Vec<usize>,
    /// Equation of each row, none for a row that was dropped.
    pub numbers: Vec<usize>,
    /// The same, none for a suspended row too.
    pub rows: Vec<usize>,
    /// Value slots of the unknown × unknown block, row by row.
    pub block: Vec<u32>,
    /// Value slots (unknown, row), row by row of the constraint.
    pub upper: Vec<u32>,
    /// Value slots (row, unknown).
    pub lower: Vec<u32>,
}

/// A constraint of the system.
#[derive(Debug)]
pub struct ConstraintEntry {
    /// Name for messages and signals.
    pub name: String,
    /// The equations.
    pub law: Box<dyn Constraint>,
    /// Rows that have an equation; the others were dropped because nothing can change them.
    pub active: Vec<bool>,
    /// See [`Constraint::is_driven`].
    pub(crate) driven: bool,
    /// The equations without the dropped rows, where that is cheaper.
    pub(crate) reduced: Option<Box<dyn Constraint>>,
    /// Where its remembered numbers stand in [`State::memory`](crate::State).
    pub(crate) memory: std::ops::Range<usize>,
    pub(crate) places: Places,
}

impl ConstraintEntry {
    /// A row in words, e.g. "joint `crank_pin` (revolute), offset x".
    pub fn row_in_words(&self, row: usize) -> String {
        let (noun, kind, what) = (self.law.noun(), self.law.kind(), self.law.row_name(row));
        match kind == noun {
            true => format!("{noun} `{}`, {what}", self.name),
            false => format!("{noun} `{}` ({kind}), {what}", self.name),
        }
    }

    /// What the law is evaluated at, given the memory of the whole system.
    #[inline]
    pub(crate) fn configuration<'a>(&self, t: f64, memory: &'a [f64], x: &'a [Vec3]) -> Configuration<'a> {
        Configuration { t, x, memory: &memory[self.memory.clone()] }
    }

    /// The equation of each row of `law`, none for a dropped row.
    fn equations(&self) -> impl Iterator<Item = Option<usize>> + '_ {
        (0..self.active.len()).map(|row| self.place(row).map(|place| self.places.numbers[place]))
    }

    /// Where row `row` of `law` stands in the working law, none for a dropped row.
    pub(crate) fn place(&self, row: usize) -> Option<usize> {
        let before = || self.active[..row].iter().filter(|&&a| a).count();
        self.active[row].then(|| if self.reduced.is_some() { before() } else { row })
    }

    /// Equation of row `row` if it is enforced.
    fn enforced_equation(&self, row: usize) -> Option<usize> {
        self.place(row).map(|place| self.places.rows[place]).filter(|&eq| eq != NO_EQUATION)
    }

    /// Whether row `row` is enforced: neither dropped nor suspended.
    pub fn in_force(&self, row: usize) -> bool {
        self.enforced_equation(row).is_some()
    }

    /// The law that is evaluated: its rows are those of [`Places::rows`].
    #[inline]
    pub(crate) fn working(&self) -> &dyn Constraint {
        self.reduced.as_deref().unwrap_or(&*self.law)
    }
}

/// An applied force of the system.
#[derive(Debug)]
pub struct ForceEntry {
    /// Name for messages and signals.
    pub name: String,
    /// The law.
    pub law: Box<dyn Force>,
    /// See [`Force::sees_velocity`].
    pub(crate) sees_velocity: bool,
    /// Whether it is among [`System::plane`].
    pub(crate) in_plane: bool,
    pub(crate) places: Places,
}

/// A body of the system, with its value slots.
#[derive(Debug)]
pub(crate) struct BodyEntry {
    pub body: Body,
    pub block: Vec<u32>,
}

/// A constrained mechanical system, numbered and ready to be solved.
#[derive(Debug)]
pub struct System {
    /// Gravity (m/s²), world axes.
    pub gravity: Vec3,
    /// Angular velocity of the frame in which everything is described (rad/s).
    pub frame_rate: Vec3,
    pub(crate) nodes: Vec<Node>,
    pub(crate) bodies: Vec<BodyEntry>,
    pub(crate) inertias: Vec<InertiaEntry>,
    /// Beams and inertias that move parallel to a plane.
    pub(crate) plane: PlaneBeams,
    /// Nodes that other forces, inertias and constraints touch.
    pub(crate) loaded: Vec<usize>,
    /// Nodes whose twists somebody wants: those and the nodes of bodies, or all.
    pub(crate) watched: Vec<usize>,
    pub(crate) constraints: Vec<ConstraintEntry>,
    pub(crate) forces: Vec<ForceEntry>,
    pub(crate) frictions: Vec<FrictionEntry>,
    pub(crate) networks: Vec<NetworkEntry>,
    /// Energies of networks, by the index of these.
    pub(crate) network_energies: Vec<(usize, NetworkEnergy)>,
    /// Tracked coordinates, and where their turns are counted from.
    pub(crate) trackers: Vec<(Coordinate, f64)>,
    pub(crate) pattern: Pattern,
    pub(crate) n: usize,
    /// Diagonal slots of suspended rows, which hold a one.
    pub(crate) unit_slots: Vec<usize>,
    /// The times that laws see.
    pub(crate) clock: Clock,
}

/// Collects the parts of a system.
#[derive(Debug)]
pub struct SystemBuilder {
    gravity: Vec3,
    nodes: Vec<Node>,
    bodies: Vec<Body>,
    inertias: Vec<InertiaEntry>,
    constraints: Vec<ConstraintEntry>,
    forces: Vec<ForceEntry>,
    frictions: Vec<FrictionEntry>,
    networks: Vec<NetworkEntry>,
    network_energies: Vec<(usize, NetworkEnergy)>,
    trackers: Vec<(Coordinate, f64)>,
    turning: Option<Turning>,
}

impl SystemBuilder {
    /// An empty system: only ground.
    pub fn new(gravity: Vec3) -> Self {
        let still = Twist { linear: Vec3::zeros(), angular: Vec3::zeros() };
        let ground = Node {
            name: "ground".into(),
            chart: Chart::Fixed,
            start: Frame::identity(),
            start_velocity: still,
            eq: 0,
        };
        SystemBuilder {
            gravity,
            nodes: vec![ground],
            bodies: vec![],
            inertias: vec![],
            constraints: vec![],
            forces: vec![],
            frictions: vec![],
            networks: vec![],
            network_energies: vec![],
            trackers: vec![],
            turning: None,
        }
    }

    /// Describes everything in a frame that turns: every body and inertia that the system has when it is
    /// built gets the forces of [`FrameInertia`]. Ground, and what is fixed to it, turns with the frame;
    /// gravity is constant in it.
    pub fn turning(&mut self, frame: Turning) {
        self.turning = Some(frame);
    }

    /// Adds the inertia forces of the turning frame behind all other forces.
    fn add_frame_inertia(&mut self) {
        let Some(frame) = self.turning.filter(|frame| frame.rate != Vec3::zeros()) else { return };
        let name = |node: NodeId| format!("{} in the turning frame", self.nodes[node].name);
        let bodies = self.bodies.iter().map(|body| {
            let law = FrameInertia::on_body(body, &self.nodes[body.node].chart, frame);
            (name(body.node), law)
        });
        let inertias = self.inertias.iter().map(|entry| {
            let law = FrameInertia::on_inertia(&entry.law, frame);
            (name(entry.law.carried().first().map_or(GROUND, |c| c.node)), law)
        });
        let laws: Vec<_> = bodies.chain(inertias).collect();
        for (name, law) in laws {
            self.force(&name, Box::new(law));
        }
    }

    /// Adds a node.
    pub fn node(&mut self, name: &str, chart: Chart, start: Frame, velocity: Twist) -> NodeId {
        self.nodes.push(Node { name: name.into(), chart, start, start_velocity: velocity, eq: 0 });
        self.nodes.len() - 1
    }

    /// Adds the inertia of a body to its node.
    pub fn body(&mut self, body: Body) {
        self.bodies.push(body);
    }

    /// Adds an inertia that couples nodes.
    pub fn inertia(&mut self, law: Inertia) {
        self.inertias.push(InertiaEntry { law, places: Places::default(), in_plane: false });
    }

    /// Adds a number without mass for a constraint that is added later, e.g. the place on a curve.
    pub fn parameter(&mut self, name: &str, start: f64) -> NodeId {
        let still = Twist { linear: Vec3::zeros(), angular: Vec3::zeros() };
        let start = Frame { r: Vec3::new(start, 0.0, 0.0), ..Frame::identity() };
        self.node(name, Chart::Parameter, start, still)
    }

    /// Adds a constraint; returns its index.
    pub fn constraint(&mut self, name: &str, law: Box<dyn Constraint>) -> usize {
        let active = vec![true; law.rows()];
        self.constraints.push(ConstraintEntry {
            name: name.into(),
            driven: law.is_driven(),
            law,
            active,
            reduced: None,
            memory: 0..0,
            places: Places::default(),
        });
        self.constraints.len() - 1
    }

    /// Adds a force; returns its index.
    pub fn force(&mut self, name: &str, law: Box<dyn Force>) -> usize {
        let sees_velocity = law.sees_velocity();
        self.forces.push(ForceEntry {
            name: name.into(),
            law,
            sees_velocity,
            in_plane: false,
            places: Places::default(),
        });
        self.forces.len() - 1
    }

    /// Adds friction to a joint that was added before; returns its index. Its coordinate must be one of the
    /// joint's own.
    pub fn friction(&mut self, constraint: usize, law: Friction) -> usize {
        let places = Places::default();
        self.frictions.push(FrictionEntry { constraint, law, places, rows: vec![], upper: vec![] });
        self.frictions.len() - 1
    }

    /// Adds first-order equations; returns their index.
    pub fn network(&mut self, law: Network) -> Result<usize, NetworkError> {
        self.network_on(law, Engine::default())
    }

    /// As [`SystemBuilder::network`], with a choice of what evaluates the equations.
    pub fn network_on(&mut self, law: Network, engine: Engine) -> Result<usize, NetworkError> {
        self.networks.push(NetworkEntry::new(law, engine)?);
        Ok(self.networks.len() - 1)
    }

    /// Adds what a network that was added before stores, gets and loses; several may belong to one network.
    pub fn network_energy(&mut self, network: usize, energy: NetworkEnergy) {
        self.network_energies.push((network, energy));
    }

    /// Follows a coordinate from step to step, so that an angle is counted over full turns, starting in the
    /// turn nearest to `near`; returns its index.
    pub fn track(&mut self, coordinate: Coordinate, near: f64) -> usize {
        self.trackers.push((coordinate, near));
        self.trackers.len() - 1
    }

    /// The start frame of a node, to place attachments.
    pub fn start(&self, node: NodeId) -> &Frame {
        &self.nodes[node].start
    }

    /// Numbers the unknowns and builds the sparsity pattern.
    pub fn build(mut self) -> System {
        self.add_frame_inertia();
        let bodies = self.bodies.into_iter().map(|body| BodyEntry { body, block: vec![] }).collect();
        let mut system = System {
            gravity: self.gravity,
            frame_rate: self.turning.map_or(Vec3::zeros(), |frame| frame.rate),
            nodes: self.nodes,
            bodies,
            inertias: self.inertias,
            plane: PlaneBeams::default(),
            loaded: vec![],
            watched: vec![],
            constraints: self.constraints,
            forces: self.forces,
            frictions: self.frictions,
            networks: self.networks,
            network_energies: self.network_energies,
            trackers: self.trackers,
            pattern: PatternBuilder::new(0).build(),
            n: 0,
            unit_slots: vec![],
            clock: Clock::default(),
        };
        let mut next = system.forces.len() + system.trackers.len();
        for c in &mut system.constraints {
            c.memory = next..next + c.law.memories();
            next = c.memory.end;
        }
        for n in &mut system.networks {
            n.memory = next..next + n.law.readings.len();
            next = n.memory.end;
        }
        system.number(false);
        system
    }
}

impl System {
    /// Number of equations: unknowns of all nodes plus constraint rows that were not dropped.
    pub fn size(&self) -> usize {
        self.n
    }

    /// Number of coordinates (unknowns of the nodes).
    pub fn coordinates(&self) -> usize {
        self.nodes.iter().map(|n| n.chart.dofs()).sum()
    }

    /// Number of constraint rows in force.
    pub fn active_rows(&self) -> usize {
        let rows = self.constraints.iter().flat_map(|c| &c.active).filter(|&&a| a).count();
        rows - self.unit_slots.len()
    }

    /// The bodies.
    pub fn bodies(&self) -> impl Iterator<Item = &Body> {
        self.bodies.iter().map(|b| &b.body)
    }

    /// The nodes; the first is ground.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The constraints.
    pub fn constraints(&self) -> &[ConstraintEntry] {
        &self.constraints
    }

    /// The forces.
    pub fn forces(&self) -> &[ForceEntry] {
        &self.forces
    }

    /// Whether velocities enter the equations at rest without damping, see [`Force::is_gyroscopic`].
    pub fn is_gyroscopic(&self) -> bool {
        self.forces.iter().any(|entry| entry.law.is_gyroscopic())
    }

    /// The frictions of joints.
    pub fn frictions(&self) -> &[FrictionEntry] {
        &self.frictions
    }

    /// The sparsity pattern of the step matrix.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Equation of row `row` of constraint `c`, if it was not dropped.
    pub fn row_equation(&self, c: usize, row: usize) -> Option<usize> {
        self.constraints[c].equations().nth(row).flatten()
    }

    /// The equations that belong to constraints, in the order of the constraints.
    pub fn constraint_equations(&self) -> Vec<usize> {
        self.constraints.iter().flat_map(|c| c.equations().flatten()).collect()
    }

    /// The equations of constraint rows that restrict velocities only.
    pub fn velocity_equations(&self) -> Vec<usize> {
        let rows = self.constraints.iter().flat_map(|c| {
            c.equations().enumerate().filter(|(row, _)| c.law.is_velocity_row(*row)).filter_map(|(_, eq)| eq)
        });
        rows.collect()
    }

    /// The equations of constraint rows in force: neither dropped nor suspended.
    pub fn enforced_equations(&self) -> Vec<usize> {
        let rows = self.constraints.iter().flat_map(|c| &c.places.rows);
        rows.copied().filter(|&eq| eq != NO_EQUATION).collect()
    }

    /// The nodes that constraints and networks look at.
    pub fn closing_nodes(&self) -> Vec<usize> {
        if !self.networks.is_empty() {
            return (0..self.nodes.len()).collect();
        }
        let carried =
            self.constraints.iter().flat_map(|c| c.law.carried().iter().chain(c.working().carried()));
        let mut nodes: Vec<usize> = carried.map(|c| c.node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// How many numbers [`State::memory`](crate::State) holds.
    pub(crate) fn memories(&self) -> usize {
        let own = self.constraints.iter().map(|c| c.memory.len()).sum::<usize>();
        let read = self.networks.iter().map(|n| n.memory.len()).sum::<usize>();
        self.forces.len() + self.trackers.len() + own + read
    }

    /// Which equations belong to constraints.
    pub fn is_constraint_row(&self) -> Vec<bool> {
        let mut mask = vec![false; self.n];
        self.constraint_equations().into_iter().for_each(|eq| mask[eq] = true);
        mask
    }

    /// The constraint and row behind an equation.
    pub fn row_at(&self, eq: usize) -> Option<(usize, usize)> {
        self.constraints
            .iter()
            .enumerate()
            .find_map(|(c, entry)| entry.equations().position(|e| e == Some(eq)).map(|row| (c, row)))
    }

    /// The constraints and rows behind equations, in the order of the constraints.
    pub fn rows_at(&self, equations: &[usize]) -> Vec<(usize, usize)> {
        let mut wanted = vec![false; self.n];
        equations.iter().for_each(|&eq| wanted[eq] = true);
        let rows = self.constraints.iter().enumerate().flat_map(|(c, entry)| {
            entry.equations().enumerate().filter_map(move |(row, eq)| eq.map(|eq| (eq, (c, row))))
        });
        rows.filter(|(eq, _)| wanted[*eq]).map(|(_, place)| place).collect()
    }

    /// An equation in words, e.g. "joint `crank_pin` (revolute), offset x".
    pub fn equation_name(&self, eq: usize) -> String {
        if let Some((c, row)) = self.row_at(eq) {
            return self.constraints[c].row_in_words(row);
        }
        const SPATIAL: [&str; 6] = ["x", "y", "z", "rotation x", "rotation y", "rotation z"];
        for node in &self.nodes {
            let dofs = node.chart.dofs();
            if eq >= node.eq && eq < node.eq + dofs {
                let k = eq - node.eq;
                let along =
                    |e: &Vec3, other| e.iter().position(|c| *c == 1.0).map_or(other, |i| ["x", "y", "z"][i]);
                let what = match &node.chart {
                    Chart::Parameter => return format!("joint `{}`, parameter", node.name),
                    Chart::Planar { e1, e2, .. } | Chart::PlanarPoint { e1, e2 } => match k {
                        0 => along(e1, "first in-plane direction"),
                        1 => along(e2, "second in-plane direction"),
                        _ => "rotation",
                    },
                    _ => SPATIAL[k],
                };
                return format!("body `{}`, {what}", node.name);
            }
        }
        for entry in &self.networks {
            if let Some(k) = (0..entry.eq.len()).find(|&k| entry.row(k) == eq) {
                let variable = &entry.law.variables[entry.variable_of[k]].name;
                return format!("equations `{}`, number {} (for `{variable}`)", entry.law.name, k + 1);
            }
        }
        format!("equation {eq}")
    }

    /// Takes rows (constraint, row) out of the system and numbers it anew; `strict` as in
    /// [`System::restore_rows`].
    pub fn drop_rows(&mut self, rows: &[(usize, usize)], strict: bool) {
        for &(c, row) in rows {
            self.constraints[c].active[row] = false;
        }
        self.number(strict);
    }

    /// Suspends these rows (constraint, row) and no others: they keep their equations, but λ = 0 takes the
    /// place of the constraint.
    pub fn suspend_rows(&mut self, rows: &[(usize, usize)]) {
        for c in &mut self.constraints {
            c.places.rows.copy_from_slice(&c.places.numbers);
        }
        self.unit_slots.clear();
        for &(c, row) in rows {
            let entry = &mut self.constraints[c];
            let Some(place) = entry.place(row) else { continue };
            let eq = entry.places.numbers[place];
            entry.places.rows[place] = NO_EQUATION;
            self.unit_slots.extend(self.pattern.index(eq, eq));
        }
        for f in &mut self.frictions {
            let entry = &self.constraints[f.constraint];
            f.rows = (0..entry.active.len()).map(|row| entry.enforced_equation(row)).collect();
        }
    }

    /// The suspended rows.
    pub fn suspended_rows(&self) -> Vec<(usize, usize)> {
        let rows = self.constraints.iter().enumerate().flat_map(|(c, entry)| {
            (0..entry.active.len()).filter(|&r| entry.active[r] && !entry.in_force(r)).map(move |r| (c, r))
        });
        rows.collect()
    }

    /// Makes a state the one from which the system starts.
    pub fn set_start(&mut self, state: &crate::state::State) {
        let twists: Vec<Twist> = (0..self.nodes.len()).map(|k| self.twist(k, &state.v)).collect();
        for ((node, frame), twist) in self.nodes.iter_mut().zip(&state.frames).zip(twists) {
            node.start = *frame;
            node.start_velocity = twist;
        }
        for entry in &mut self.networks {
            for (variable, &eq) in entry.law.variables.iter_mut().zip(&entry.eq) {
                variable.start = state.v[eq];
            }
        }
    }

    /// Puts every row in force again, in the strict order that a rank analysis needs: no multiplier before
    /// the last of its bodies.
    pub fn restore_rows(&mut self) {
        for c in &mut self.constraints {
            c.active.fill(true);
        }
        self.number(true);
    }

    /// A length by which positions are measured: the largest distance between attached points as modelled or
    /// from the first body to the others; if all are in one place, the largest arm of a centre of mass.
    pub fn length_scale(&self) -> f64 {
        let start = |c: &Carried| c.value(&self.nodes[c.node].start);
        let elements = self.constraints.iter().map(|c| c.law.carried());
        let mut largest: f64 = 0.0;
        for carried in elements.chain(self.forces.iter().map(|f| f.law.carried())) {
            for c in carried.iter().filter(|c| c.c0 != 0.0) {
                let arm = if c.node == GROUND { 0.0 } else { c.c.norm() };
                largest = largest.max(arm).max((start(c) - start(&carried[0])).norm() * carried[0].c0);
            }
        }
        for node in &self.nodes[1..] {
            largest = largest.max((node.start.r - self.nodes[1].start.r).norm());
        }
        // An assembled start leaves points apart by rounding.
        let arms = self.bodies.iter().map(|entry| entry.body.centre.norm());
        [largest, arms.fold(0.0, f64::max), 1.0].into_iter().find(|length| *length > ROUNDING).unwrap_or(1.0)
    }

    /// The largest |Φ| among holonomic rows out of force, with its name; they must hold although nobody
    /// enforces them.
    pub fn dropped_residual(&self, t: f64, frames: &[Frame], memory: &[f64]) -> Option<(f64, String)> {
        let mut worst: Option<(f64, String)> = None;
        for entry in &self.constraints {
            if (0..entry.active.len()).all(|row| entry.in_force(row)) {
                continue;
            }
            let x: Vec<Vec3> = entry.law.carried().iter().map(|c| c.value(&frames[c.node])).collect();
            let mut phi = vec![0.0; entry.law.rows()];
            entry.law.residual(&entry.configuration(self.law_time(t), memory, &x), &mut phi);
            for (k, value) in phi.iter().enumerate().filter(|(k, _)| !entry.in_force(*k)) {
                if worst.as_ref().is_none_or(|w| value.abs() > w.0) {
                    worst = Some((value.abs(), entry.row_in_words(k)));
                }
            }
        }
        worst
    }

    /// The largest rate among suspended rows, with its name; it must be zero although nobody enforces it.
    pub fn suspended_rate(&self, state: &crate::state::State) -> Option<(f64, String)> {
        let mut worst: Option<(f64, String)> = None;
        for (c, row) in self.suspended_rows() {
            let entry = &self.constraints[c];
            let law = &entry.law;
            let place = |c: &Carried| c.value(&state.frames[c.node]);
            let speed = |c: &Carried| c.velocity(&state.frames[c.node], &self.twist(c.node, &state.v));
            let x: Vec<Vec3> = law.carried().iter().map(place).collect();
            let xdot: Vec<Vec3> = law.carried().iter().map(speed).collect();
            let at = entry.configuration(self.law_time(state.t), &state.memory, &x);
            let mut rate = vec![0.0; law.rows()];
            law.drift(&at, &mut rate);
            law.push(&at, &xdot, &mut rate, &mut Default::default());
            if worst.as_ref().is_none_or(|w| rate[row].abs() > w.0) {
                worst = Some((rate[row].abs(), entry.row_in_words(row)));
            }
        }
        worst
    }

    /// Orders the unknowns, builds the pattern and the slots of every element.
    fn number(&mut self, strict: bool) {
        // A parameter has no mass: it is eliminated with the rows that determine it. Not so in the strict
        // order, which is made for the metric of lengths.
        let is_parameter = |node: &Node| node.chart == Chart::Parameter && !strict;
        let size = |n: &Node| if is_parameter(n) { 0 } else { n.chart.dofs() };
        let mut sizes: Vec<usize> = self.nodes[1..].iter().map(size).collect();
        let mut couplers: Vec<Coupler> = Vec::new();
        // The first constraint that carries a parameter owns it; later ones come with the nodes of the owner.
        let mut owner: Vec<Option<usize>> = vec![None; self.nodes.len()];
        for (index, c) in self.constraints.iter().enumerate() {
            let rows = c.active.iter().filter(|&&a| a).count();
            let (parameters, mut nodes): (Vec<usize>, Vec<usize>) =
                moving(c.law.carried()).into_iter().partition(|&k| is_parameter(&self.nodes[k + 1]));
            let mut own = 0;
            for k in parameters {
                match owner[k + 1] {
                    Some(first) => nodes.extend_from_slice(&couplers[first].nodes),
                    None => {
                        owner[k + 1] = Some(index);
                        own += 1;
                    }
                }
            }
            nodes.sort_unstable();
            nodes.dedup();
            couplers.push(Coupler { nodes, rows: rows + own });
        }
        for f in &self.forces {
            couplers.push(Coupler { nodes: moving(f.law.carried()), rows: 0 });
        }
        for i in &self.inertias {
            couplers.push(Coupler { nodes: moving(i.law.carried()), rows: 0 });
        }
        let first_variable = sizes.len();
        for n in &self.networks {
            let first = sizes.len();
            sizes.extend(std::iter::repeat_n(1, n.law.variables.len()));
            couplers.extend(n.couplers(first).into_iter().map(|nodes| Coupler { nodes, rows: 0 }));
        }
        let order =
            if strict { order_groups_strict(&sizes, &couplers) } else { order_groups(&sizes, &couplers) };
        self.n = order.n;
        self.nodes[GROUND].eq = 0;
        for (node, offset) in self.nodes[1..].iter_mut().zip(&order.node_offset) {
            node.eq = *offset;
        }
        let variables = self.networks.iter_mut().flat_map(|n| n.eq.iter_mut());
        variables.zip(&order.node_offset[first_variable..]).for_each(|(eq, offset)| *eq = *offset);
        for (index, (c, offset)) in self.constraints.iter().zip(&order.coupler_offset).enumerate() {
            let rows = c.active.iter().filter(|&&a| a).count();
            let mut own = moving(c.law.carried());
            own.retain(|&k| owner[k + 1] == Some(index));
            for (i, k) in own.into_iter().enumerate() {
                self.nodes[k + 1].eq = offset + rows + i;
            }
        }
        let nodes = &self.nodes;
        for (c, offset) in self.constraints.iter_mut().zip(&order.coupler_offset) {
            c.reduced = if c.active.contains(&false) { c.law.with_rows(&c.active) } else { None };
            let carried = c.working().carried();
            assert!(
                carried.len() <= MAX_CONSTRAINED,
                "a constraint has more carried vectors than MAX_CONSTRAINED"
            );
            c.places = Places::new(nodes, carried);
            let all = vec![true; c.working().rows()];
            let active = if c.reduced.is_some() { &all } else { &c.active };
            let mut eq = *offset;
            let number = |&active: &bool| {
                let this = if active { eq } else { NO_EQUATION };
                eq += usize::from(active);
                this
            };
            c.places.numbers = active.iter().map(number).collect();
            c.places.rows = c.places.numbers.clone();
        }
        self.unit_slots.clear();
        for f in &mut self.forces {
            f.places = Places::new(nodes, f.law.carried());
        }
        for i in &mut self.inertias {
            i.places = Places::new(nodes, i.law.carried());
        }
        for n in &mut self.networks {
            n.readings = n.law.readings.iter().map(|r| Places::new(nodes, r.carried())).collect();
        }
        for f in &mut self.frictions {
            f.places = Places::new(nodes, f.law.coordinate.carried());
            f.rows = self.constraints[f.constraint].equations().collect();
        }
        self.build_pattern();
    }

    fn build_pattern(&mut self) {
        let mut builder = PatternBuilder::new(self.n);
        for node in &self.nodes[1..] {
            builder.add_clique(&range(node));
        }
        let coupled = self.inertias.iter().map(|i| &i.places);
        for places in self.forces.iter().map(|f| &f.places).chain(coupled) {
            builder.add_clique(&places.unknowns);
        }
        for places in self.constraints.iter().map(|c| &c.places) {
            builder.add_clique(&places.unknowns);
            builder.add_block(&places.active_rows(), &places.unknowns);
        }
        for (rows, columns) in self.networks.iter().flat_map(NetworkEntry::blocks) {
            builder.add_block(&rows, &columns);
        }
        self.pattern = builder.build();
        let pattern = &self.pattern;
        for body in &mut self.bodies {
            let unknowns = range(&self.nodes[body.body.node]);
            body.block = slots(pattern, &unknowns, &unknowns);
        }
        for i in &mut self.inertias {
            i.places.block = slots(pattern, &i.places.unknowns, &i.places.unknowns);
        }
        for f in &mut self.forces {
            f.places.block = slots(pattern, &f.places.unknowns, &f.places.unknowns);
        }
        for c in &mut self.constraints {
            let p = &mut c.places;
            p.block = slots(pattern, &p.unknowns, &p.unknowns);
            p.lower = slots(pattern, &p.numbers, &p.unknowns);
            p.upper = transposed_slots(pattern, &p.numbers, &p.unknowns);
        }
        for f in &mut self.frictions {
            f.places.block = slots(pattern, &f.places.unknowns, &f.places.unknowns);
            let rows: Vec<usize> = f.rows.iter().map(|eq| eq.unwrap_or(NO_EQUATION)).collect();
            f.upper = transposed_slots(pattern, &rows, &f.places.unknowns);
        }
        for n in &mut self.networks {
            n.find_slots(&|rows, columns| slots(pattern, rows, columns));
        }
        self.find_plane();
    }

    /// Gives beams and inertias that move parallel to a plane to [`PlaneBeams`].
    fn find_plane(&mut self) {
        let beams = self.forces.iter().map(|f| f.law.as_beam().map(|beam| (beam, &f.places)));
        let inertias = self.inertias.iter().map(|i| (&i.law, &i.places));
        let (plane, [beams, inertias]) = PlaneBeams::new(&self.nodes, beams, inertias);
        self.plane = plane;
        self.forces.iter_mut().zip(beams).for_each(|(f, in_plane)| f.in_plane = in_plane);
        self.inertias.iter_mut().zip(inertias).for_each(|(i, in_plane)| i.in_plane = in_plane);
        let mut loaded = vec![false; self.nodes.len()];
        let forces = self.forces.iter().filter(|f| !f.in_plane).map(|f| &f.places);
        let inertias = self.inertias.iter().filter(|i| !i.in_plane).map(|i| &i.places);
        for places in self.constraints.iter().map(|c| &c.places).chain(forces).chain(inertias) {
            places.carried.iter().for_each(|place| loaded[place.carried.node] = true);
        }
        let list = |marked: &[bool]| (0..marked.len()).filter(|&k| marked[k]).collect();
        self.loaded = list(&loaded);
        self.bodies.iter().for_each(|entry| loaded[entry.body.node] = true);
        self.watched = if self.networks.is_empty() { list(&loaded) } else { (0..self.nodes.len()).collect() };
    }
}

/// The moving nodes that an element touches, as indices without ground.
pub(crate) fn moving(carried: &[Carried]) -> Vec<usize> {
    let mut nodes: Vec<usize> = carried.iter().map(|c| c.node).filter(|&n| n != GROUND).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes.iter().map(|n| n - 1).collect()
}

fn range(node: &Node) -> Vec<usize> {
    node.unknowns().collect()
}

/// No slot: the entry is not stored (a dropped row).
pub(crate) const NO_SLOT: u32 = u32::MAX;

fn slot(pattern: &Pattern, row: usize, column: usize) -> u32 {
    if row == NO_EQUATION || column == NO_EQUATION {
        return NO_SLOT;
    }
    pattern.index(row, column).map_or(NO_SLOT, |i| i as u32)
}

pub(crate) fn slots(pattern: &Pattern, rows: &[usize], columns: &[usize]) -> Vec<u32> {
    rows.iter().flat_map(|&r| columns.iter().map(move |&c| slot(pattern, r, c))).collect()
}

pub(crate) fn transposed_slots(pattern: &Pattern, rows: &[usize], columns: &[usize]) -> Vec<u32> {
    rows.iter().flat_map(|&r| columns.iter().map(move |&c| slot(pattern, c, r))).collect()
}

impl Places {
    fn new(nodes: &[Node], carried: &[Carried]) -> Self {
        let mut places = Self::of(carried, |id| (nodes[id].eq, nodes[id].chart.dofs()));
        for place in &mut places.carried {
            let linear = nodes[place.carried.node].chart.linear_dofs();
            if place.carried.c0 == 0.0 {
                place.first = linear;
            }
            if place.carried.c == Vec3::zeros() {
                place.last = linear;
            }
        }
        places
    }

    /// For nodes with the first unknown and the number of unknowns that `place` tells.
    pub fn of(carried: &[Carried], place: impl Fn(NodeId) -> (usize, usize)) -> Self {
        assert!(carried.len() <= MAX_CARRIED, "an element has more carried vectors than MAX_CARRIED");
        let mut places = Places::default();
        for c in carried {
            let (eq, dofs) = place(c.node);
            let local = match places.nodes.iter().find(|(id, _)| *id == c.node) {
                Some(&(_, local)) => local,
                None => {
                    let local = places.unknowns.len();
                    if dofs > 0 {
                        places.nodes.push((c.node, local));
                    }
                    places.unknowns.extend(eq..eq + dofs);
                    local
                }
            };
            places.carried.push(Place { carried: *c, eq, local, dofs, first: 0, last: dofs });
        }
        places
    }

    pub fn active_rows(&self) -> Vec<usize> {
        debug_assert!(self.numbers.len() <= MAX_ROWS);
        self.numbers.iter().copied().filter(|&r| r != NO_EQUATION).collect()
    }
}
