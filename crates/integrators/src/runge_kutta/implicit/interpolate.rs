//! The motion inside a step.

use crate::linear::saddle_point::retract;
use crate::runge_kutta::implicit::stages::{Stages, add};
use poinsot_mechanics::{State, System};

/// A step as its polynomial shows it: where it begins, the rates there, its stages.
pub(super) struct Collocated<'a> {
    pub from: &'a State,
    pub a: &'a [f64],
    pub stages: &'a Stages,
}

impl Collocated<'_> {
    /// The state with a weight of the rates at the start and weights of the stages.
    pub fn at(
        &self,
        system: &System,
        start: f64,
        weights: &[f64],
        theta: &mut [f64],
        is_row: &[bool],
        out: &mut State,
    ) {
        for (i, theta) in theta.iter_mut().enumerate() {
            *theta = start * self.from.v[i];
            out.v[i] = self.from.v[i] + start * self.a[i];
        }
        out.memory.copy_from_slice(&self.from.memory);
        for (i, w) in weights.iter().enumerate() {
            let range = self.stages.range(i);
            add(theta, *w, &self.stages.theta[range.clone()]);
            add(&mut out.v, *w, &self.stages.z[range]);
        }
        is_row.iter().zip(&mut out.v).filter(|(row, _)| **row).for_each(|(_, v)| *v = 0.0);
        retract(system, &self.from.frames, theta, &mut out.frames);
    }
}
