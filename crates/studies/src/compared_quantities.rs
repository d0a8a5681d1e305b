//! What comparisons record of a motion.

use poinsot_analysis::comparison::Track;
use poinsot_integrators::QuantityLevel as Level;
use poinsot_mechanics::{Scratch, System};
use poinsot_model::spec::BodyRef;
use poinsot_model::{Assembly, Model, Probe, View};

#[derive(Clone, Copy, Debug)]
enum Item {
    Signal(usize),
    Position(usize),
    Orientation(usize),
    Velocity(usize),
    AngularVelocity(usize),
    Acceleration(usize),
    AngularAcceleration(usize),
    ReactionForce(usize),
    ReactionTorque(usize),
    Multiplier(usize),
    Variable(usize),
}

/// A list of quantities to record.
#[derive(Debug)]
pub struct Watched {
    items: Vec<(Item, Track, Level)>,
    scratch: Scratch,
    probe: Probe,
}

impl Watched {
    /// The signals of a model; positions, orientations and variables if it names none.
    pub fn signals(model: &Model, system: &System) -> Self {
        let mut list = Watched { items: vec![], scratch: Scratch::default(), probe: Probe::default() };
        list.add_signals(model);
        if list.items.is_empty() {
            for k in 0..model.bodies.len() {
                list.add_place(model, k);
            }
            list.add_variables(system);
        }
        list
    }

    /// Signals, motions of all bodies, reactions of all joints and drives, variables of networks.
    pub fn everything(model: &Model, system: &System, assembly: &Assembly) -> Self {
        let mut list = Watched { items: vec![], scratch: Scratch::default(), probe: Probe::default() };
        list.add_signals(model);
        for k in 0..model.bodies.len() {
            list.add_place(model, k);
        }
        for (k, body) in model.bodies.iter().enumerate() {
            list.add(Item::Velocity(k), format!("{}.velocity", body.name), 3, Level::Velocity);
            if !body.is_point() {
                list.add(
                    Item::AngularVelocity(k),
                    format!("{}.angular_velocity", body.name),
                    3,
                    Level::Velocity,
                );
            }
        }
        list.add_variables(system);
        for (k, body) in model.bodies.iter().enumerate() {
            list.add(Item::Acceleration(k), format!("{}.acceleration", body.name), 3, Level::Acceleration);
            if !body.is_point() {
                let name = format!("{}.angular_acceleration", body.name);
                list.add(Item::AngularAcceleration(k), name, 3, Level::Acceleration);
            }
        }
        for (k, joint) in model.joints.iter().enumerate() {
            let name = &joint.name;
            list.add(Item::ReactionForce(k), format!("{name}.reaction.force"), 3, Level::Acceleration);
            list.add(Item::ReactionTorque(k), format!("{name}.reaction.torque"), 3, Level::Acceleration);
        }
        for &c in assembly.couplings.iter().chain(&assembly.drives).chain(&assembly.equations) {
            let name = format!("{}.multiplier", system.constraints()[c].name);
            list.add(Item::Multiplier(c), name, 1, Level::Acceleration);
        }
        list
    }

    fn add(&mut self, item: Item, name: String, width: usize, level: Level) {
        self.items.push((item, Track { name, width }, level));
    }

    fn add_signals(&mut self, model: &Model) {
        for (k, signal) in model.signals.iter().enumerate() {
            self.add(Item::Signal(k), signal.name.clone(), 1, Level::Signal);
        }
    }

    fn add_place(&mut self, model: &Model, k: usize) {
        let body = &model.bodies[k];
        self.add(Item::Position(k), format!("{}.position", body.name), 3, Level::Position);
        if !body.is_point() {
            self.add(Item::Orientation(k), format!("{}.rotation", body.name), 9, Level::Position);
        }
    }

    fn add_variables(&mut self, system: &System) {
        for network in system.networks() {
            for (j, variable) in network.law.variables.iter().enumerate() {
                let name = format!("{}.{}", network.law.name, variable.name);
                self.add(Item::Variable(network.unknown(j)), name, 1, Level::Velocity);
            }
        }
    }

    /// The tracks.
    pub fn tracks(&self) -> Vec<Track> {
        self.items.iter().map(|(_, track, _)| track.clone()).collect()
    }

    /// The level of each track.
    pub fn levels(&self) -> Vec<Level> {
        self.items.iter().map(|(_, _, level)| *level).collect()
    }

    /// How many numbers of a row come from signals, which may have no value; they stand first.
    pub fn open(&self) -> usize {
        self.items.iter().take_while(|(item, ..)| matches!(item, Item::Signal(_))).count()
    }

    /// The values of a sample.
    pub fn row(&mut self, view: &View) -> Vec<f64> {
        let Watched { items, scratch, probe } = self;
        let signals = probe.signals(view);
        let at = &view.at;
        let (system, assembly) = (view.system, view.assembly);
        let mut row = Vec::new();
        for (item, ..) in items {
            let point = |k: usize| {
                let body = BodyRef::Body(k);
                system.point_motion(assembly.node(body), &assembly.from_node(body, &Default::default()), at)
            };
            let spin = |k: usize| system.angular_motion(assembly.node(BodyRef::Body(k)), at);
            match *item {
                Item::Signal(k) => row.push(signals[k]),
                Item::Position(k) => row.extend(point(k).position.iter()),
                Item::Velocity(k) => row.extend(point(k).velocity.iter()),
                Item::Acceleration(k) => row.extend(point(k).acceleration.iter()),
                Item::Orientation(k) => row.extend(spin(k).rotation.iter()),
                Item::AngularVelocity(k) => row.extend(spin(k).velocity_body.iter()),
                Item::AngularAcceleration(k) => row.extend(spin(k).acceleration_body.iter()),
                Item::ReactionForce(c) => row.extend(system.reaction(c, at, scratch).force.iter()),
                Item::ReactionTorque(c) => row.extend(system.reaction(c, at, scratch).torque.iter()),
                Item::Multiplier(c) => row.push(system.multiplier(c, 0, at)),
                Item::Variable(eq) => row.push(at.v[eq]),
            }
        }
        row
    }
}

/// Accelerations and multipliers in equation order, as an integrator has them: where they stand.
#[derive(Debug)]
pub struct OwnValues {
    places: Vec<Vec<usize>>,
    tracks: Vec<Track>,
}

impl OwnValues {
    /// Those of all bodies and constraints.
    pub fn new(system: &System) -> Self {
        let mut own = OwnValues { places: vec![], tracks: vec![] };
        for node in system.nodes().iter().filter(|n| n.chart.dofs() > 0 && !n.chart.is_number()) {
            let (all, linear) = (node.unknowns(), node.chart.linear_dofs());
            let middle = all.start + linear;
            own.add(format!("{}.acceleration (own)", node.name), (all.start..middle).collect());
            own.add(format!("{}.angular_acceleration (own)", node.name), (middle..all.end).collect());
        }
        for (c, entry) in system.constraints().iter().enumerate() {
            let rows = (0..entry.law.rows()).filter_map(|row| system.row_equation(c, row));
            own.add(format!("{}.multipliers (own)", entry.name), rows.collect());
        }
        own
    }

    fn add(&mut self, name: String, places: Vec<usize>) {
        if !places.is_empty() {
            self.tracks.push(Track { name, width: places.len() });
            self.places.push(places);
        }
    }

    /// The tracks.
    pub fn tracks(&self) -> &[Track] {
        &self.tracks
    }

    /// The values of accelerations and multipliers in equation order.
    pub fn row(&self, a: &[f64]) -> Vec<f64> {
        self.places.iter().flatten().map(|&eq| a[eq]).collect()
    }
}
