//! Collects the parts of a system.

use super::entries::{BodyEntry, ConstraintEntry, ForceEntry, Node};
use super::places::Places;
use super::{Start, System, Trackers};
use crate::command::Command;
use crate::constraint::Constraint;
use crate::coordinate::Coordinate;
use crate::element_groups::{self, ElementGroup};
use crate::flexible::{FlexibleEntry, FlexibleInertia};
use crate::force::Force;
use crate::forces::{BetweenNodes, FrameInertia, Turning};
use crate::friction::{Friction, FrictionEntry, FrictionPlaces};
use crate::mass::body::Body;
use crate::mass::inertia::{Inertia, InertiaEntry};
use crate::networks::NetworkEnergy;
use crate::networks::NetworkEntry;
use crate::networks::{Network, NetworkError};
use crate::nodes::between::Between;
use crate::nodes::carried::{Carried, GROUND, NodeId};
use crate::nodes::chart::{Chart, Frame, Twist};
use crate::start_value::StartValue;
use crate::system::clock::Clock;
use crate::variable_reading::VariableReading;
use poinsot_expr::Engine;
use poinsot_geometry::Vec3;
use poinsot_numerics::pattern::PatternBuilder;

/// Collects the parts of a system.
#[derive(Debug)]
pub struct SystemBuilder {
    gravity: Vec3,
    nodes: Vec<Node>,
    between: Between,
    bodies: Vec<Body>,
    inertias: Vec<InertiaEntry>,
    flexible: Vec<FlexibleEntry>,
    constraints: Vec<ConstraintEntry>,
    forces: Vec<ForceEntry>,
    frictions: Vec<FrictionEntry>,
    networks: Vec<NetworkEntry>,
    network_energies: Vec<(usize, NetworkEnergy)>,
    trackers: Vec<(Coordinate, f64)>,
    start_values: Vec<StartValue>,
    turning: Option<Turning>,
    groups: Vec<Box<dyn ElementGroup>>,
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
            between: Between::default(),
            bodies: vec![],
            inertias: vec![],
            flexible: vec![],
            constraints: vec![],
            forces: vec![],
            frictions: vec![],
            networks: vec![],
            network_energies: vec![],
            trackers: vec![],
            start_values: vec![],
            turning: None,
            groups: element_groups::standard(),
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
        self.flexible.iter_mut().for_each(|entry| entry.law.set_turning(frame));
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

    /// Adds a place between nodes, x = Σ w_a x_a, and returns the number by which forces alone name it: as
    /// that of a node which carries the point `(0, 0, 0)`, or the slope, that x is.
    pub fn between(&mut self, sum: Vec<(Carried, f64)>) -> NodeId {
        assert!(!sum.is_empty(), "a sum of nothing");
        self.between.add(sum)
    }

    /// How many vectors that nodes carry an element of these vectors is a function of; there may be
    /// [`MAX_CARRIED`](crate::MAX_CARRIED).
    pub fn vectors_of(&self, carried: &[Carried]) -> usize {
        self.between.resolve(carried).map_or(carried.len(), |(vectors, _)| vectors.len())
    }

    /// Whether it is a place between nodes.
    pub fn is_between(&self, of: &Carried) -> bool {
        self.between.sum(of).is_some()
    }

    /// Adds the inertia of a body to its node.
    pub fn body(&mut self, body: Body) {
        self.bodies.push(body);
    }

    /// Adds an inertia that couples nodes.
    pub fn inertia(&mut self, law: Inertia) {
        self.inertias.push(InertiaEntry { law, places: Places::default(), taken: false });
    }

    /// Adds the inertia of a flexible body.
    pub fn flexible_inertia(&mut self, law: FlexibleInertia) {
        self.flexible.push(FlexibleEntry { law, places: Places::default() });
    }

    /// Adds a number with mass, which deforms a flexible body.
    pub fn number(&mut self, name: &str, start: f64, rate: f64) -> NodeId {
        let start = Frame { r: Vec3::new(start, 0.0, 0.0), ..Frame::identity() };
        let rate = Twist { linear: Vec3::new(rate, 0.0, 0.0), angular: Vec3::zeros() };
        self.node(name, Chart::Number, start, rate)
    }

    /// Adds a number without mass for a constraint that is added later, e.g. the place on a curve.
    pub fn parameter(&mut self, name: &str, start: f64) -> NodeId {
        let still = Twist { linear: Vec3::zeros(), angular: Vec3::zeros() };
        let start = Frame { r: Vec3::new(start, 0.0, 0.0), ..Frame::identity() };
        self.node(name, Chart::Parameter, start, still)
    }

    /// Adds a constraint; returns its index.
    ///
    /// # Panics
    ///
    /// If one of its vectors is a place between nodes.
    pub fn constraint(&mut self, name: &str, law: Box<dyn Constraint>) -> usize {
        assert!(!law.carried().iter().any(|c| self.is_between(c)), "constraints hold nodes");
        self.constraints.push(ConstraintEntry::new(name, law));
        self.constraints.len() - 1
    }

    /// Lets row `row` of a constraint that was added before, a row on velocities, follow a variable of a
    /// network: its rate is less by the variable.
    pub fn command(&mut self, constraint: usize, row: usize, variable: VariableReading) {
        let entry = &mut self.constraints[constraint];
        assert!(entry.law.is_velocity_row(row), "a row on positions cannot follow a variable");
        entry.commands.push(Command::new(row, variable));
        entry.driven = true;
    }

    /// The law of a constraint that was added before.
    pub fn constraint_law(&self, index: usize) -> &dyn Constraint {
        &*self.constraints[index].law
    }

    /// How many unknowns an element of these vectors touches; there may be
    /// [`MAX_UNKNOWNS`](crate::MAX_UNKNOWNS).
    pub fn unknowns_of(&self, carried: &[Carried]) -> usize {
        let resolved = self.between.resolve(carried);
        let carried = resolved.as_ref().map_or(carried, |(vectors, _)| vectors);
        let mut nodes: Vec<NodeId> = carried.iter().map(|c| c.node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes.iter().map(|&id| self.nodes[id].chart.dofs()).sum()
    }

    /// Adds a force; returns its index. Its vectors may be places between nodes.
    pub fn force(&mut self, name: &str, law: Box<dyn Force>) -> usize {
        let law = match self.between.resolve(law.carried()) {
            Some((vectors, terms)) => Box::new(BetweenNodes::new(law, vectors, terms)),
            None => law,
        };
        let sees_velocity = law.sees_velocity();
        self.forces.push(ForceEntry {
            name: name.into(),
            law,
            sees_velocity,
            memory: 0..0,
            taken: false,
            places: Places::default(),
            pressing: vec![],
            variables: vec![],
        });
        self.forces.len() - 1
    }

    /// Adds friction to a joint that was added before; returns its index. Its coordinate must be one of the
    /// joint's own.
    pub fn friction(&mut self, constraint: usize, law: Friction) -> usize {
        self.frictions.push(FrictionEntry { constraint, law, at: FrictionPlaces::default() });
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

    /// Adds elements that are evaluated together; those that came before choose first.
    pub fn group(&mut self, group: Box<dyn ElementGroup>) {
        self.groups.push(group);
    }

    /// Follows a coordinate from step to step, so that an angle is counted over full turns, starting in the
    /// turn nearest to `near`; returns its index.
    pub fn track(&mut self, coordinate: Coordinate, near: f64) -> usize {
        self.trackers.push((coordinate, near));
        self.trackers.len() - 1
    }

    /// Asks a joint to start with a value; see [`StartValue`].
    pub fn start_value(&mut self, value: StartValue) {
        self.start_values.push(value);
    }

    /// The start frame of a node, to place attachments.
    pub fn start(&self, node: NodeId) -> &Frame {
        &self.nodes[node].start
    }

    /// Numbers the unknowns and builds the sparsity pattern.
    pub fn build(mut self) -> System {
        self.add_frame_inertia();
        let bodies =
            self.bodies.into_iter().map(|body| BodyEntry { body, block: vec![], taken: false }).collect();
        let mut system = System {
            gravity: self.gravity,
            frame_rate: self.turning.map_or(Vec3::zeros(), |frame| frame.rate),
            nodes: self.nodes,
            bodies,
            inertias: self.inertias,
            flexible: self.flexible,
            groups: self.groups,
            loaded: vec![],
            watched: vec![],
            constraints: self.constraints,
            forces: self.forces,
            frictions: self.frictions,
            networks: self.networks,
            network_energies: self.network_energies,
            trackers: Trackers { list: self.trackers, memory: 0 },
            start: Start { turns: vec![], values: self.start_values, imposed: 0 },
            pattern: PatternBuilder::new(0).build(),
            n: 0,
            unit_slots: vec![],
            clock: Clock::default(),
        };
        let mut next = 0;
        for f in &mut system.forces {
            f.memory = next..next + f.law.memories();
            next = f.memory.end;
        }
        system.trackers.memory = next;
        next += system.trackers.list.len();
        for c in &mut system.constraints {
            c.memory = next..next + c.law.memories();
            next = c.memory.end;
        }
        for n in &mut system.networks {
            n.memory = next..next + n.law.readings.len();
            next = n.memory.end;
        }
        system.start.turns = system.first_turns(next);
        system.number(false);
        system
    }
}

impl System {
    /// The memory before the start. What acts along a tracked coordinate, or reads it, counts its turns from
    /// where the tracker does.
    fn first_turns(&self, memories: usize) -> Vec<f64> {
        let mut turns = vec![0.0; memories];
        let Trackers { list, memory } = &self.trackers;
        let counted: Vec<_> = list.iter().filter(|(_, near)| *near != 0.0).collect();
        let near =
            |s: &Coordinate| counted.iter().find(|(other, _)| other == s).map_or(0.0, |(_, near)| *near);
        for entry in &self.forces {
            entry.law.start_memory(&near, &mut turns[entry.memory.clone()]);
        }
        for (turn, (_, near)) in turns[*memory..].iter_mut().zip(list) {
            *turn = *near;
        }
        for entry in &self.constraints {
            let own = &mut turns[entry.memory.clone()];
            entry.law.start_memory(own);
            for (turn, s) in own.iter_mut().zip(entry.law.remembered()).filter(|(turn, _)| **turn == 0.0) {
                *turn = near(s);
            }
        }
        for entry in &self.networks {
            for (turn, reading) in turns[entry.memory.clone()].iter_mut().zip(&entry.law.readings) {
                *turn = reading.as_coordinate().map_or(0.0, near);
            }
        }
        turns
    }
}
