//! Forces that read reactions, over a step and at an instant inside it; there they may read variables too.
//!
//! Over a step ρ follows from the multipliers of the step and the mean of the vectors:
//!
//! ```text
//! ρ = ρ(x̄, λ),     ∂ρ/∂x⁺ = ½ ∂ρ/∂x
//! ```

use super::averaged::between;
use super::instant::{Derivatives, StepInstant};
use crate::assembly::{add_columns, clear_rows, scatter_block};
use crate::conserving::Rule;
use crate::conserving::layout::Conserving;
use crate::conserving::step::{ConservingScratch, ConservingStep, MAX_LOCAL};
use crate::discrete_gradients::StepEnds;
use crate::element_buffers::{Gradients, MAX_CARRIED};
use crate::force::Motion;
use crate::pressing::{NO_VARIABLES, PressedColumns, Pressing};
use crate::reaction_reading::MAX_REACTIONS;
use poinsot_geometry::Vec3;

impl Conserving<'_> {
    fn pressing_over_step<'a>(
        &'a self,
        index: usize,
        step: &'a ConservingStep,
        x: &'a [Vec3],
    ) -> Pressing<'a> {
        let t = self.system.law_span().hold(step.t + 0.5 * step.h);
        Pressing {
            rows: &self.pressing[index],
            t,
            memory: &step.memory,
            lambda: &step.lambda,
            x,
            ..NO_VARIABLES
        }
    }

    /// The reactions that a force reads over the step; its carried vectors must be loaded.
    pub(super) fn reactions_over_step(
        &self,
        index: usize,
        step: &ConservingStep,
        s: &mut ConservingScratch,
    ) -> [f64; MAX_REACTIONS] {
        let n = self.forces[index].carried.len();
        let from = self.pressing_over_step(index, step, &s.carried.mean[..n]);
        self.system.reactions_read(&*self.system.forces[index].law, &from, &mut s.gradients)
    }

    /// The share of reactions in the stiffness of a force into `s.local`, and the columns ∂R/∂λ; its carried
    /// vectors and directions must be loaded.
    pub(super) fn add_pressed(
        &self,
        index: usize,
        rule: Rule,
        step: &ConservingStep,
        reactions: &[f64],
        values: &mut [f64],
        s: &mut ConservingScratch,
    ) {
        let (entry, places) = (&self.system.forces[index], &self.forces[index]);
        let (n, unknowns) = (places.carried.len(), places.unknowns.len());
        let Some(element) = entry.law.extensions().pressed else { return };
        for (j, rows) in self.pressing[index].iter().enumerate() {
            let memory = &step.memory[entry.memory.clone()];
            let ends = StepEnds {
                reactions: &reactions[..self.pressing[index].len()],
                ..s.carried.ends(self.system, step, n, memory, step.dissipation[index])
            };
            let mut by = [Vec3::zeros(); MAX_CARRIED];
            match rule {
                Rule::EnergyMomentum => element.by_reaction_over_step(j, &ends, &mut by[..n]),
                Rule::Variational => element.by_reaction(j, &ends.motion(), &mut by[..n]),
                Rule::Averaged => {
                    for (alpha, weight) in &step.quadrature {
                        let mut here = [Vec3::zeros(); MAX_CARRIED];
                        element.by_reaction(j, &between(&ends, *alpha, &mut s.between), &mut here[..n]);
                        by.iter_mut().zip(&here).for_each(|(by, here)| *by += here * *weight);
                    }
                }
            }
            let from = self.pressing_over_step(index, step, &s.carried.mean[..n]);
            let columns: PressedColumns<MAX_LOCAL> = self.system.pressed_columns(
                (&*entry.law, j),
                &from,
                &by[..n],
                places,
                [&s.test[..], &s.trial[..]],
                (&mut s.gradients, &mut s.k),
            );
            columns.add_stiffness(unknowns, 0.5, &mut s.local);
            rows.add_columns(&columns.by_lambda, &columns.force[..unknowns], -1.0, values);
        }
    }

    /// The reactions that a force reads at an instant inside a step; `x` are its carried vectors.
    pub(super) fn reactions_inside(
        &self,
        index: usize,
        at: &StepInstant,
        x: &[Vec3],
        g: &mut Gradients,
    ) -> [f64; MAX_REACTIONS] {
        let t = self.system.law_time(at.t);
        let from = Pressing {
            rows: &self.pressing[index],
            t,
            memory: at.memory,
            lambda: at.lambda,
            variables: &self.variables[index],
            v: at.variables,
            x,
        };
        self.system.reactions_read(&*self.system.forces[index].law, &from, g)
    }

    /// What changes with reactions at an instant inside a step; the force's carried vectors and directions
    /// must be loaded.
    pub(super) fn add_pressed_inside(
        &self,
        index: usize,
        at: &StepInstant,
        reactions: &[f64],
        to: &mut Derivatives,
        s: &mut ConservingScratch,
    ) {
        let (entry, places) = (&self.system.forces[index], &self.forces[index]);
        let (n, unknowns) = (places.carried.len(), places.unknowns.len());
        let Some(element) = entry.law.extensions().pressed else { return };
        let t = self.system.law_time(at.t);
        clear_rows(&mut s.local[..unknowns], unknowns);
        for (j, rows) in self.pressing[index].iter().enumerate() {
            let (x, xdot) = (&s.carried.from[..n], &s.carried.rate[..n]);
            let mut by = [Vec3::zeros(); MAX_CARRIED];
            let here = Motion { reactions, ..entry.motion(t, at.memory, x, xdot) };
            element.by_reaction(j, &here, &mut by[..n]);
            let from = Pressing {
                rows: &self.pressing[index],
                t,
                memory: at.memory,
                lambda: at.lambda,
                x,
                ..NO_VARIABLES
            };
            let columns: PressedColumns<MAX_LOCAL> = self.system.pressed_columns(
                (&*entry.law, j),
                &from,
                &by[..n],
                places,
                [&s.trial[..], &s.trial[..]],
                (&mut s.gradients, &mut s.k),
            );
            columns.add_stiffness(unknowns, 1.0, &mut s.local);
            rows.add_columns(&columns.by_lambda, &columns.force[..unknowns], -1.0, to.by_position);
        }
        scatter_block(&s.local, &places.block, unknowns, -1.0, to.by_position);
        for (j, variable) in self.variables[index].iter().enumerate() {
            let (x, xdot) = (&s.carried.from[..n], &s.carried.rate[..n]);
            let mut by = [Vec3::zeros(); MAX_CARRIED];
            let here = Motion { reactions, ..entry.motion(t, at.memory, x, xdot) };
            element.by_reaction(self.pressing[index].len() + j, &here, &mut by[..n]);
            let mut along = [0.0; MAX_LOCAL];
            add_columns(&mut along, places, &by[..n], &s.trial[..]);
            variable.add(&along[..unknowns], 1.0, to.by_position);
        }
    }
}
