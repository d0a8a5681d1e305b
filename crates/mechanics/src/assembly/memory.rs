//! What elements remember from step to step.

use super::scratch::Scratch;
use crate::element_buffers::MAX_MEMORY;
use crate::system::System;
use crate::system::state::State;
use poinsot_geometry::Vec3;
use std::ops::Range;

impl System {
    /// Where the numbers stand that named elements remember: forces, constraints, and what networks read.
    pub fn remembered(&self) -> Vec<(String, Range<usize>)> {
        let forces = self.forces.iter().filter(|f| !f.memory.is_empty());
        let forces = forces.map(|f| (format!("force {}", f.name), f.memory.clone()));
        let constraints = self.constraints.iter().filter(|c| !c.memory.is_empty());
        let constraints = constraints.map(|c| (format!("constraint {}", c.name), c.memory.clone()));
        let networks = self.networks.iter().enumerate().filter(|(_, n)| !n.memory.is_empty());
        let networks = networks.map(|(k, n)| (format!("readings {k}"), n.memory.clone()));
        forces.chain(constraints).chain(networks).collect()
    }

    /// Where the turns of a tracked coordinate stand among the remembered numbers.
    pub fn tracked_memory(&self, tracker: usize) -> usize {
        self.trackers.memory + tracker
    }

    /// Lets every element remember its unwrapped coordinates.
    pub fn remember(&self, state: &mut State) {
        let mut s = Scratch::default();
        self.remember_with(state, &mut s);
    }

    /// [`System::remember`] without allocation.
    pub fn remember_with(&self, state: &mut State, s: &mut Scratch) {
        self.load_twists(&state.v, s);
        for entry in self.forces.iter().filter(|entry| !entry.memory.is_empty()) {
            let n = entry.places.carried.len();
            self.positions(&entry.places, &state.frames, s);
            self.velocities(&entry.places, &state.frames, s);
            s.remembered.resize(entry.memory.len(), 0.0);
            let at = entry.motion(self.law_time(state.t), &state.memory, &s.x[..n], &s.xdot[..n]);
            entry.law.remember(&at, &mut s.remembered);
            state.memory[entry.memory.clone()].copy_from_slice(&s.remembered);
        }
        for entry in self.constraints.iter().filter(|c| !c.memory.is_empty()) {
            let law = &entry.law;
            let carried = entry.carried_at(&state.frames);
            let x: &mut [Vec3] = &mut s.x[..carried.len()];
            for (x, c) in x.iter_mut().zip(carried) {
                *x = c.value(&state.frames[c.node]);
            }
            let mut new = [0.0; MAX_MEMORY];
            let new = &mut new[..entry.memory.len()];
            law.remember(&entry.configuration(self.law_time(state.t), &state.memory, x), new);
            state.memory[entry.memory.clone()].copy_from_slice(new);
        }
        let trackers = &mut state.memory[self.trackers.memory..];
        for ((coordinate, _), memory) in self.trackers.list.iter().zip(trackers) {
            for (x, c) in s.x.iter_mut().zip(coordinate.carried()) {
                *x = c.value(&state.frames[c.node]);
            }
            *memory = coordinate.value(&s.x[..coordinate.carried().len()], *memory);
        }
        self.remember_readings(&state.frames, &mut state.memory, s);
    }
}
