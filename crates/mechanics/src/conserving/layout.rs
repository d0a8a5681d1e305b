//! Unknowns of a step and where they stand.

use crate::conserving::network::NetworkPlaces;
use crate::conserving::plane_directors::PlaneDirectors;
use crate::friction::FrictionPlaces;
use crate::nodes::carried::{Carried, GROUND};
use crate::nodes::chart::Chart;
use crate::pressing::PressingRows;
use crate::system::{ForceEntry, NO_EQUATION, Node, Places, System, slots, transposed_slots};
use crate::variable_reading::VariableColumn;
use poinsot_geometry::Mat3;
use poinsot_numerics::pattern::{Pattern, PatternBuilder};

/// Which unknowns stand for the natural coordinates of a rigid body. Points have their own; bodies in a plane
/// have three, the third an angle, unless directors are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coordinates {
    /// Six increments of a rigid motion: rigidity is built in.
    #[default]
    Motion,
    /// The twelve natural coordinates, with six constraints and multipliers of rigidity
    /// (energy-momentum-null-space I-32); of a body in a plane four with one.
    Directors,
    /// Position and four Euler parameters of the rotation in the step, with their norm as an equation.
    EulerParameters,
}

/// How a node's natural coordinates follow from its unknowns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Chart(Chart),
    Directors,
    PlaneDirectors(PlaneDirectors),
    EulerParameters,
}

impl Kind {
    pub fn dofs(&self) -> usize {
        match self {
            Kind::Chart(chart) => chart.dofs(),
            Kind::Directors => 12,
            Kind::PlaneDirectors(_) => 4,
            Kind::EulerParameters => 7,
        }
    }
}

/// A node in the unknowns of the step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodePlace {
    pub kind: Kind,
    pub eq: usize,
}

/// The rows of rigidity of one node: ½(d₁·d₁ − 1), ½(d₂·d₂ − 1), ½(d₃·d₃ − 1), d₁·d₂, d₁·d₃, d₂·d₃; in a
/// plane ½(a² + b² − 1).
#[derive(Clone, Debug)]
pub struct Internal {
    /// The node.
    pub node: usize,
    /// Equation of the first row; the others follow.
    pub eq: usize,
    /// The directions of a body in a plane.
    pub(crate) plane: Option<PlaneDirectors>,
    pub(crate) upper: Vec<u32>,
    pub(crate) lower: Vec<u32>,
}

impl Internal {
    /// How many there are.
    pub fn count(&self) -> usize {
        if self.plane.is_some() { 1 } else { 6 }
    }

    /// Their equations.
    pub fn rows(&self) -> std::ops::Range<usize> {
        self.eq..self.eq + self.count()
    }

    /// Unknowns of the node.
    pub fn unknowns(&self) -> usize {
        if self.plane.is_some() { 4 } else { 12 }
    }

    /// The same rows, counted from zero.
    pub(super) fn at_zero(&self) -> Internal {
        Internal { node: self.node, eq: 0, plane: self.plane, upper: vec![], lower: vec![] }
    }
}

/// Mass of one body and where it stands in the matrix.
#[derive(Clone, Debug)]
pub(crate) struct Mass {
    pub body: usize,
    pub euler: Mat3,
    pub block: Vec<u32>,
}

/// A system in the conserving view: numbered for a choice of coordinates.
#[derive(Clone, Debug)]
pub struct Conserving<'s> {
    pub(crate) system: &'s System,
    pub(crate) nodes: Vec<NodePlace>,
    /// Slots of each node's own block, row by row.
    pub(crate) node_blocks: Vec<Vec<u32>>,
    pub(crate) masses: Vec<Mass>,
    pub(crate) internal: Vec<Internal>,
    pub(crate) constraints: Vec<Places>,
    pub(crate) forces: Vec<Places>,
    pub(crate) inertias: Vec<Places>,
    pub(crate) flexible: Vec<Places>,
    pub(crate) frictions: Vec<FrictionPlaces>,
    /// The rows of each reaction that a force reads.
    pub(crate) pressing: Vec<Vec<PressingRows>>,
    /// The variables of networks that a force reads.
    pub(crate) variables: Vec<Vec<VariableColumn>>,
    pub(crate) networks: Vec<NetworkPlaces>,
    /// Own equation of each equation of the system; of a node's, of the first only.
    pub(crate) own: Vec<usize>,
    pub(crate) pattern: Pattern,
    pub(crate) unit_slots: Vec<usize>,
    coordinates: Coordinates,
}

impl<'s> Conserving<'s> {
    /// Numbers the unknowns in the order of the system's own equations, which is an elimination order.
    pub fn new(system: &'s System, coordinates: Coordinates) -> Self {
        let kind = |node: &Node| match (node.chart, coordinates) {
            (Chart::Motion, Coordinates::Directors) => Kind::Directors,
            (Chart::Motion, Coordinates::EulerParameters) => Kind::EulerParameters,
            (chart, Coordinates::Directors) => {
                PlaneDirectors::of(&chart, &node.start).map_or(Kind::Chart(chart), Kind::PlaneDirectors)
            }
            (chart, _) => Kind::Chart(chart),
        };
        let mut first_of = vec![None; system.n];
        for (id, node) in system.nodes.iter().enumerate().filter(|(_, n)| n.chart.dofs() > 0) {
            first_of[node.eq] = Some(id);
        }
        let ground = NodePlace { kind: Kind::Chart(Chart::Fixed), eq: 0 };
        let mut nodes = vec![ground; system.nodes.len()];
        let (mut own, mut internal) = (vec![NO_EQUATION; system.n], vec![]);
        let (mut next, mut eq) = (0, 0);
        while eq < system.n {
            own[eq] = next;
            let Some(id) = first_of[eq] else {
                next += 1;
                eq += 1;
                continue;
            };
            let chart = system.nodes[id].chart;
            nodes[id] = NodePlace { kind: kind(&system.nodes[id]), eq: next };
            next += nodes[id].kind.dofs();
            let plane = match nodes[id].kind {
                Kind::Directors => Some(None),
                Kind::PlaneDirectors(plane) => Some(Some(plane)),
                _ => None,
            };
            if let Some(plane) = plane {
                let rows = Internal { node: id, eq: next, plane, upper: vec![], lower: vec![] };
                next += rows.count();
                internal.push(rows);
            }
            eq += chart.dofs();
        }
        let mut view = Conserving {
            system,
            nodes,
            node_blocks: vec![],
            masses: vec![],
            internal,
            constraints: vec![],
            forces: vec![],
            inertias: vec![],
            flexible: vec![],
            frictions: vec![],
            pressing: vec![],
            variables: vec![],
            networks: vec![],
            own,
            pattern: PatternBuilder::new(next).build(),
            unit_slots: vec![],
            coordinates,
        };
        view.place_elements(next);
        view
    }

    /// Number of equations.
    pub fn size(&self) -> usize {
        self.pattern.n()
    }

    /// The system.
    pub fn system(&self) -> &'s System {
        self.system
    }

    /// The coordinates of rigid bodies.
    pub fn coordinates(&self) -> Coordinates {
        self.coordinates
    }

    /// The sparsity pattern of the step matrix.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// The rows of rigidity, if the coordinates have any.
    pub fn internal(&self) -> &[Internal] {
        &self.internal
    }

    /// The unknowns of a node.
    pub fn unknowns(&self, node: usize) -> std::ops::Range<usize> {
        let place = &self.nodes[node];
        place.eq..place.eq + place.kind.dofs()
    }

    /// How many unknowns there are without multipliers.
    pub fn coordinate_count(&self) -> usize {
        self.nodes.iter().map(|n| n.kind.dofs()).sum()
    }

    /// Own equation of a constraint row's equation in the system.
    pub fn row(&self, equation: usize) -> usize {
        self.own[equation]
    }

    /// Own equations of the constraint rows in force, those of rigidity included.
    pub fn enforced_equations(&self) -> Vec<usize> {
        let internal = self.internal.iter().flat_map(Internal::rows);
        let rows = self.constraints.iter().flat_map(|p| p.rows.iter().copied().filter(|&r| r != NO_EQUATION));
        internal.chain(rows).collect()
    }

    /// The equations that are no balance of forces: constraint rows in force and norms of Euler parameters.
    /// They are solved in units of h²/2.
    pub fn level_rows(&self) -> Vec<usize> {
        let norms = self.nodes.iter().filter(|n| n.kind == Kind::EulerParameters).map(|n| n.eq + 3);
        self.enforced_equations().into_iter().chain(norms).collect()
    }

    /// Own equations of holonomic rows in force, those of rigidity included.
    pub fn holonomic_equations(&self) -> Vec<usize> {
        let velocity: Vec<usize> = self.system.velocity_equations().iter().map(|&eq| self.own[eq]).collect();
        self.enforced_equations().into_iter().filter(|eq| !velocity.contains(eq)).collect()
    }

    /// An equation in words.
    pub fn equation_name(&self, eq: usize) -> String {
        if let Some(i) = self.internal.iter().find(|i| i.rows().contains(&eq)) {
            return format!("body `{}`, rigidity", self.system.nodes[i.node].name);
        }
        if let Some(id) = (1..self.nodes.len()).find(|&id| self.unknowns(id).contains(&eq)) {
            let node = &self.system.nodes[id];
            let k = (eq - self.nodes[id].eq).min(node.chart.dofs() - 1);
            return self.system.equation_name(node.eq + k);
        }
        let equation = self.own.iter().position(|&own| own == eq);
        equation.map_or_else(|| format!("equation {eq}"), |eq| self.system.equation_name(eq))
    }

    fn place_elements(&mut self, n: usize) {
        let system = self.system;
        let own = |eq: &usize| if *eq == NO_EQUATION { NO_EQUATION } else { self.own[*eq] };
        for c in &system.constraints {
            let mut places = self.places(c.working().carried());
            places.numbers = c.places.numbers.iter().map(own).collect();
            places.rows = c.places.rows.iter().map(own).collect();
            self.constraints.push(places);
        }
        self.forces = system.forces.iter().map(|f| self.places(f.law.carried())).collect();
        self.inertias = system.inertias.iter().map(|i| self.places(i.law.carried())).collect();
        self.flexible = system.flexible().map(|f| self.places(&f.natural_carried())).collect();
        for f in &system.frictions {
            let places = self.places(f.law.coordinate.carried());
            self.frictions.push(FrictionPlaces { places, pressing: self.own_rows(&f.at.pressing) });
        }
        let pressing = |f: &ForceEntry| f.pressing.iter().map(|rows| self.own_rows(rows)).collect();
        self.pressing = system.forces.iter().map(pressing).collect();
        let column = |v: &VariableColumn| VariableColumn::new(self.own[v.eq]);
        self.variables = system.forces.iter().map(|f| f.variables.iter().map(column).collect()).collect();
        self.networks = system.networks.iter().map(|entry| NetworkPlaces::new(self, entry)).collect();
        let mut builder = PatternBuilder::new(n);
        for id in 1..self.nodes.len() {
            builder.add_clique(&self.unknowns(id).collect::<Vec<_>>());
        }
        for i in &self.internal {
            let [rows, unknowns]: [Vec<usize>; 2] = [i.rows(), self.unknowns(i.node)].map(Iterator::collect);
            builder.add_block(&rows, &unknowns);
        }
        let coupled = self.inertias.iter().chain(&self.flexible);
        for places in self.constraints.iter().chain(&self.forces).chain(coupled) {
            builder.add_clique(&places.unknowns);
        }
        for places in &self.constraints {
            builder.add_block(&places.active_rows(), &places.unknowns);
        }
        for (places, pressing) in self.forces.iter().zip(&self.pressing) {
            for rows in pressing {
                builder.add_block(&rows.equations(), &places.unknowns);
            }
        }
        for (places, variables) in self.forces.iter().zip(&self.variables) {
            for v in variables {
                builder.add_block(&[v.eq], &places.unknowns);
            }
        }
        for (entry, places) in system.networks.iter().zip(&self.networks) {
            for (rows, columns) in entry.blocks_of(&places.numbers()) {
                builder.add_block(&rows, &columns);
            }
        }
        for ([row], [variable]) in system.constraints.iter().flat_map(|c| c.command_blocks()) {
            builder.add_block(&[self.own[row]], &[self.own[variable]]);
        }
        self.pattern = builder.build();
        self.find_slots();
    }

    fn find_slots(&mut self) {
        let pattern = &self.pattern;
        let all = |places: &Places| slots(pattern, &places.unknowns, &places.unknowns);
        for place in &self.nodes {
            let unknowns: Vec<usize> = (place.eq..place.eq + place.kind.dofs()).collect();
            self.node_blocks.push(slots(pattern, &unknowns, &unknowns));
        }
        for (k, entry) in self.system.bodies.iter().enumerate() {
            let place = &self.nodes[entry.body.node];
            let unknowns: Vec<usize> = (place.eq..place.eq + place.kind.dofs()).collect();
            let block = slots(pattern, &unknowns, &unknowns);
            self.masses.push(Mass { body: k, euler: entry.body.euler_tensor(), block });
        }
        for i in &mut self.internal {
            let place = &self.nodes[i.node];
            let unknowns: Vec<usize> = (place.eq..place.eq + i.unknowns()).collect();
            let rows: Vec<usize> = i.rows().collect();
            i.lower = slots(pattern, &rows, &unknowns);
            i.upper = transposed_slots(pattern, &rows, &unknowns);
        }
        for places in self.forces.iter_mut().chain(&mut self.inertias).chain(&mut self.flexible) {
            places.block = all(places);
        }
        for p in &mut self.constraints {
            p.block = slots(pattern, &p.unknowns, &p.unknowns);
            p.lower = slots(pattern, &p.numbers, &p.unknowns);
            p.upper = transposed_slots(pattern, &p.numbers, &p.unknowns);
            let suspended =
                p.numbers.iter().zip(&p.rows).filter(|(n, r)| **n != NO_EQUATION && **r == NO_EQUATION);
            self.unit_slots.extend(suspended.filter_map(|(&eq, _)| pattern.index(eq, eq)));
        }
        self.frictions.iter_mut().for_each(|f| f.find_slots(pattern));
        for (places, pressing) in self.forces.iter().zip(&mut self.pressing) {
            pressing.iter_mut().for_each(|rows| rows.find_slots(pattern, &places.unknowns));
        }
        for (places, variables) in self.forces.iter().zip(&mut self.variables) {
            variables.iter_mut().for_each(|v| v.find_slots(pattern, &places.unknowns));
        }
        for (entry, places) in self.system.networks.iter().zip(&mut self.networks) {
            places.find_slots(entry, pattern);
        }
    }

    /// The rows of a constraint of the system in own equations.
    fn own_rows(&self, pressing: &PressingRows) -> PressingRows {
        PressingRows::new(pressing.rows.iter().map(|eq| eq.map(|eq| self.own[eq])).collect())
    }

    pub(super) fn places(&self, carried: &[Carried]) -> Places {
        Places::of(carried, |id| match id {
            GROUND => (0, 0),
            _ => (self.nodes[id].eq, self.nodes[id].kind.dofs()),
        })
    }
}
