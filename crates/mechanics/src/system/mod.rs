//! A constrained mechanical system: nodes, bodies, constraints and forces, numbered for elimination.
//!
//! ```text
//! M(q) a + Gᵀ(q) λ = Q(q, v, t),     Φ(q, t) = 0,     G = ∂Φ/∂q
//! ```
//! All unknown vectors (velocities, accelerations, increments) share one numbering, the *equation* order:
//! it is the elimination order of the sparse factorisation, with each joint's multipliers right after
//! the bodies that they touch. In an acceleration vector the multiplier entries hold λ; in a velocity
//! vector they are zero.

mod builder;
pub(crate) mod clock;
mod entries;
mod grouping;
mod imposed;
mod names;
mod numbering;
mod pattern;
mod places;
mod rows;
pub(crate) mod state;

pub use builder::SystemBuilder;
pub(crate) use entries::BodyEntry;
pub use entries::{ConstraintEntry, ForceEntry, Node};
pub use places::{NO_EQUATION, Place, Places};
pub(crate) use places::{moving, slots, transposed_slots};

use crate::coordinate::Coordinate;
use crate::element_groups::ElementGroup;
use crate::flexible::FlexibleEntry;
use crate::friction::FrictionEntry;
use crate::mass::body::Body;
use crate::mass::inertia::InertiaEntry;
use crate::networks::{NetworkEnergy, NetworkEntry};
use crate::nodes::carried::{Carried, GROUND};
use crate::nodes::chart::Twist;
use crate::start_value::StartValue;
use crate::system::clock::Clock;
use poinsot_geometry::Vec3;
use poinsot_numerics::pattern::Pattern;

/// Distances below this (m) are none.
const ROUNDING: f64 = 1e-12;

/// Coordinates that are followed from step to step.
#[derive(Debug)]
pub(crate) struct Trackers {
    /// The coordinates, and where their turns are counted from.
    pub list: Vec<(Coordinate, f64)>,
    /// Where the first of them stands in [`State::memory`](crate::State).
    pub memory: usize,
}

/// What is there for the start only.
#[derive(Debug)]
pub(crate) struct Start {
    /// The memory before the start: turns of angles are those nearest to it.
    pub turns: Vec<f64>,
    /// What joints are asked to start with.
    pub values: Vec<StartValue>,
    /// How many constraints at the end of the list hold these values.
    pub imposed: usize,
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
    pub(crate) flexible: Vec<FlexibleEntry>,
    /// Elements that are evaluated together.
    pub(crate) groups: Vec<Box<dyn ElementGroup>>,
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
    pub(crate) trackers: Trackers,
    pub(crate) start: Start,
    pub(crate) pattern: Pattern,
    pub(crate) n: usize,
    /// Diagonal slots of suspended rows, which hold a one.
    pub(crate) unit_slots: Vec<usize>,
    /// The times that laws see.
    pub(crate) clock: Clock,
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

    /// Whether velocities enter the equations at rest without damping, see
    /// [`is_gyroscopic`](crate::Force::is_gyroscopic).
    pub fn is_gyroscopic(&self) -> bool {
        let turning = !self.flexible.is_empty() && self.frame_rate != Vec3::zeros();
        turning || self.forces.iter().any(|entry| entry.law.is_gyroscopic())
    }

    /// Whether velocities may feed in energy, see [`is_active`](crate::Force::is_active).
    pub fn is_active(&self) -> bool {
        self.forces.iter().any(|entry| entry.law.is_active())
    }

    /// The frictions of joints.
    pub fn frictions(&self) -> &[FrictionEntry] {
        &self.frictions
    }

    /// The sparsity pattern of the step matrix.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
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

    /// The nodes that are not among [`System::closing_nodes`].
    pub fn other_nodes(&self) -> Vec<usize> {
        let closing = self.closing_nodes();
        (0..self.nodes.len()).filter(|k| closing.binary_search(k).is_err()).collect()
    }

    /// Makes a state the one from which the system starts, with its count of turns. Values that joints were
    /// asked to start with are those of the start as modelled, not of this one.
    pub fn set_start(&mut self, state: &crate::system::state::State) {
        self.start.values.clear();
        if self.start.turns.len() == state.memory.len() {
            self.start.turns.clone_from(&state.memory);
        }
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

    /// A length by which positions are measured: the largest distance between attached points as modelled or
    /// from the first body to the others; if all are in one place, the largest arm of a centre of mass.
    pub fn length_scale(&self) -> f64 {
        let start = |c: &Carried| c.value(&self.nodes[c.node].start);
        let elements = self.constraints.iter().map(|c| c.law.carried());
        let mut largest: f64 = 0.0;
        for carried in elements.chain(self.forces.iter().map(|f| f.law.carried())) {
            for c in carried.iter().filter(|c| c.is_place()) {
                let arm = if c.node == GROUND { 0.0 } else { c.c.norm() };
                largest = largest.max(arm).max((start(c) - start(&carried[0])).norm() * carried[0].place());
            }
        }
        for node in self.nodes[1..].iter().filter(|node| !node.chart.is_slope()) {
            largest = largest.max((node.start.r - self.nodes[1].start.r).norm());
        }
        // An assembled start leaves points apart by rounding.
        let arms = self.bodies.iter().map(|entry| entry.body.centre.norm());
        [largest, arms.fold(0.0, f64::max), 1.0].into_iter().find(|length| *length > ROUNDING).unwrap_or(1.0)
    }
}
