//! A state by the names of its things, apart from any system: it is carried from one system to another and
//! kept in files.

use crate::build::Assembly;
use crate::spec::{Model, ParameterSpec};
use poinsot_geometry::{Mat3, Vec3};
use poinsot_mechanics::{Frame, GROUND, State, System, Twist};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};

/// A state by the names of its things. Numbers are kept bit for bit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NamedState {
    /// Time (s).
    pub time: f64,
    /// Bodies, nodes of beams and parameters of curves.
    pub nodes: Vec<NamedNode>,
    /// Variables of first-order equations.
    pub variables: Vec<NamedValues>,
    /// Angles with their full turns, as elements and joints remember them.
    pub turns: Vec<NamedValues>,
    /// Parameters of the model whose state it is.
    pub parameters: Vec<NamedValues>,
}

/// A node of a state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NamedNode {
    /// Its name.
    pub name: String,
    /// Position of its origin, world axes (m).
    pub position: Vec3,
    /// Rotation from its axes to those of the world.
    pub rotation: Mat3,
    /// Velocity of its origin, world axes (m/s).
    pub velocity: Vec3,
    /// Angular velocity, its own axes (rad/s).
    pub angular_velocity: Vec3,
    /// Its origin as seen from the reference point of the body, body axes (m).
    pub centre: Vec3,
}

/// Numbers under a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NamedValues {
    /// The name.
    pub name: String,
    /// The numbers.
    pub values: Vec<f64>,
}

/// How the names of a state agree with those of a system.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Agreement {
    /// How many nodes and variables are in both.
    pub common: usize,
    /// What the state has and the system has not.
    pub missing_here: Vec<String>,
    /// What the system has and the state has not: it starts as modelled.
    pub missing_there: Vec<String>,
    /// Parameters that both have with different values: name, value there, value here.
    pub other_values: Vec<(String, f64, f64)>,
}

impl NamedState {
    /// The state of the system of a model.
    pub fn of(model: &Model, system: &System, state: &State, assembly: &Assembly) -> Self {
        let centres = centres(assembly);
        let nodes = system.nodes().iter().enumerate().filter(|(k, _)| *k != GROUND);
        let nodes = nodes.map(|(k, node)| {
            let (frame, twist) = (&state.frames[k], system.twist(k, &state.v));
            NamedNode {
                name: node.name.clone(),
                position: frame.r,
                rotation: frame.rot,
                velocity: twist.linear,
                angular_velocity: twist.angular,
                centre: centre(&centres, k),
            }
        });
        let turns = memories(system, assembly).into_iter().map(|(name, places)| {
            let values = places.into_iter().map(|place| state.memory[place]).collect();
            NamedValues { name, values }
        });
        NamedState {
            time: state.t,
            nodes: nodes.collect(),
            variables: variables(system)
                .map(|(name, unknown)| NamedValues { name, values: vec![state.v[unknown]] })
                .collect(),
            turns: turns.collect(),
            parameters: model
                .parameters
                .iter()
                .map(|p| NamedValues { name: p.name.clone(), values: vec![p.value] })
                .collect(),
        }
    }

    /// The state in the system of a model that has not started yet, at a time, and how the names agree.
    /// Bodies keep place and velocity of their reference points, not of their centres of mass.
    pub fn place(
        &self,
        model: &Model,
        system: &System,
        assembly: &Assembly,
        time: f64,
    ) -> (State, Agreement) {
        let mut state = system.start_state(time);
        let mut agreement = Agreement::default();
        let centres = centres(assembly);
        let named: HashMap<&str, &NamedNode> = self.nodes.iter().map(|n| (n.name.as_str(), n)).collect();
        for (k, node) in system.nodes().iter().enumerate().filter(|(k, _)| *k != GROUND) {
            let Some(named) = named.get(node.name.as_str()) else {
                agreement.missing_there.push(node.name.clone());
                continue;
            };
            agreement.common += 1;
            let moved = centre(&centres, k) - named.centre;
            let mut frame = Frame { r: named.position, rot: named.rotation };
            frame.r += frame.rot * moved;
            let angular = named.angular_velocity;
            let linear = named.velocity + frame.rot * angular.cross(&moved);
            node.chart.velocities(&Twist { linear, angular }, &mut state.v[node.unknowns()]);
            state.frames[k] = frame;
        }
        for (name, unknown) in variables(system) {
            match self.variables.iter().find(|other| other.name == name).map(|other| &other.values[..]) {
                Some([value]) => {
                    state.v[unknown] = *value;
                    agreement.common += 1;
                }
                _ => agreement.missing_there.push(name),
            }
        }
        for (name, places) in memories(system, assembly) {
            let same = self.turns.iter().find(|other| other.name == name);
            if let Some(turns) = same.filter(|turns| turns.values.len() == places.len()) {
                places.into_iter().zip(&turns.values).for_each(|(place, value)| state.memory[place] = *value);
            }
        }
        system.remember(&mut state);
        agreement.missing_here = self.missing_in(system);
        let other = |p: &ParameterSpec| {
            let there = self.parameters.iter().find(|there| there.name == p.name)?;
            let [value] = there.values[..] else { return None };
            (value != p.value).then(|| (p.name.clone(), value, p.value))
        };
        agreement.other_values = model.parameters.iter().filter_map(other).collect();
        (state, agreement)
    }

    /// What the state has and a system has not.
    fn missing_in(&self, system: &System) -> Vec<String> {
        let nodes = system.nodes().iter().map(|node| node.name.clone());
        let known: HashSet<String> = nodes.chain(variables(system).map(|(name, _)| name)).collect();
        let own = self.nodes.iter().map(|node| &node.name).chain(self.variables.iter().map(|v| &v.name));
        own.filter(|name| !known.contains(*name)).cloned().collect()
    }
}

/// The origin of a node as seen from the reference point of its body.
fn centre(centres: &HashMap<usize, Vec3>, node: usize) -> Vec3 {
    centres.get(&node).copied().unwrap_or_else(Vec3::zeros)
}

/// The origins of the nodes of bodies.
fn centres(assembly: &Assembly) -> HashMap<usize, Vec3> {
    assembly.nodes.iter().copied().zip(assembly.centres.iter().copied()).collect()
}

/// Names and unknowns of all variables.
fn variables(system: &System) -> impl Iterator<Item = (String, usize)> + '_ {
    let of = |entry: &poinsot_mechanics::NetworkEntry| {
        let named = entry.law.variables.iter().enumerate();
        named.map(|(j, variable)| (variable.name.clone(), entry.unknown(j))).collect::<Vec<_>>()
    };
    system.networks().iter().flat_map(of)
}

/// Remembered numbers by the names of elements and joints: their places.
fn memories(system: &System, assembly: &Assembly) -> Vec<(String, Vec<usize>)> {
    let elements = system.remembered().into_iter().map(|(name, range)| (name, range.collect()));
    let joints = assembly.coordinates.iter().enumerate().filter(|(_, tracked)| !tracked.is_empty());
    let joints = joints.map(|(joint, tracked)| {
        let places = tracked.iter().map(|&tracker| system.tracked_memory(tracker)).collect();
        (format!("joint {}", system.constraints()[joint].name), places)
    });
    elements.chain(joints).collect()
}
