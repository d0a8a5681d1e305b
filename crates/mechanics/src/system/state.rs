//! The state of a system at an instant.

use crate::nodes::chart::{Frame, Twist};
use crate::nodes::natural::FrameRate;
use crate::system::System;
use serde::{Deserialize, Serialize};

/// Configuration, velocity and remembered angles at a time.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Time (s).
    pub t: f64,
    /// Natural coordinates of every node.
    pub frames: Vec<Frame>,
    /// Velocities in equation order, and the variables of networks; multiplier entries are zero.
    pub v: Vec<f64>,
    /// Remembered numbers (unwrapped angles): one per force, one per tracked coordinate, then those of the
    /// constraints and of what networks read.
    pub memory: Vec<f64>,
    /// Natural velocities of every node, where an integrator keeps parts of them that v cannot express; else
    /// empty.
    pub rates: Vec<FrameRate>,
}

impl Clone for State {
    fn clone(&self) -> Self {
        let State { t, frames, v, memory, rates } = self;
        State { t: *t, frames: frames.clone(), v: v.clone(), memory: memory.clone(), rates: rates.clone() }
    }

    /// Does not allocate where the sizes agree.
    fn clone_from(&mut self, source: &Self) {
        self.t = source.t;
        self.frames.clone_from(&source.frames);
        self.v.clone_from(&source.v);
        self.memory.clone_from(&source.memory);
        self.rates.clone_from(&source.rates);
    }
}

/// What the equations are evaluated at: a configuration, velocities, accelerations with multipliers.
#[derive(Clone, Copy, Debug)]
pub struct Instant<'a> {
    /// Time (s).
    pub t: f64,
    /// Natural coordinates of every node.
    pub frames: &'a [Frame],
    /// Velocities in equation order.
    pub v: &'a [f64],
    /// Accelerations in equation order, rates of the variables of networks, multipliers λ in the constraint
    /// entries.
    pub a: &'a [f64],
    /// Remembered numbers, see [`State::memory`].
    pub memory: &'a [f64],
    /// Natural velocities, see [`State::rates`]; energy and momentum are theirs where there are any.
    pub rates: &'a [FrameRate],
}

impl<'a> Instant<'a> {
    /// The instant of a state, with its velocities as accelerations: give others.
    pub(crate) fn of(state: &'a State) -> Self {
        let State { t, frames, v, memory, .. } = state;
        Instant { t: *t, frames, v, a: v, memory, rates: &[] }
    }
}

impl System {
    /// The state as modelled.
    pub fn start_state(&self, t: f64) -> State {
        let frames = self.nodes.iter().map(|n| n.start).collect();
        let mut v = vec![0.0; self.n];
        for node in &self.nodes {
            node.chart.velocities(&node.start_velocity, &mut v[node.unknowns()]);
        }
        for entry in &self.networks {
            entry.eq.iter().zip(&entry.law.variables).for_each(|(&eq, y)| v[eq] = y.start);
        }
        let mut state = State { t, frames, v, memory: self.start.turns.clone(), rates: vec![] };
        self.remember(&mut state);
        state
    }

    /// The twist of a node for velocities (or accelerations) `v` in equation order.
    #[inline]
    pub fn twist(&self, node: usize, v: &[f64]) -> Twist {
        let n = &self.nodes[node];
        n.chart.twist(&v[n.unknowns()])
    }
}
