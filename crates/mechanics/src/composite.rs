//! Several constraints under one name: the rows of a screw are those of a cylindrical joint and one relation.

use crate::constraint::{Configuration, Constraint};
use crate::coordinate::Coordinate;
use crate::discrete_gradients::StepEnds;
use crate::element_buffers::{Blocks, Gradients};
use crate::nodes::carried::Carried;
use poinsot_geometry::Vec3;

/// Constraints whose rows, carried vectors and memories follow each other.
#[derive(Debug)]
pub struct Composite {
    kind: &'static str,
    parts: Vec<Box<dyn Constraint>>,
    carried: Vec<Carried>,
}

/// The share of one part.
struct Part<'a> {
    law: &'a dyn Constraint,
    first_row: usize,
    first_carried: usize,
    first_memory: usize,
}

impl Part<'_> {
    fn rows(&self) -> std::ops::Range<usize> {
        self.first_row..self.first_row + self.law.rows()
    }

    fn vectors(&self) -> std::ops::Range<usize> {
        self.first_carried..self.first_carried + self.law.carried().len()
    }

    fn memory(&self) -> std::ops::Range<usize> {
        self.first_memory..self.first_memory + self.law.memories()
    }

    fn configuration<'a>(&self, at: &Configuration<'a>) -> Configuration<'a> {
        Configuration { t: at.t, x: &at.x[self.vectors()], memory: &at.memory[self.memory()] }
    }

    fn step_ends<'a>(&self, step: &StepEnds<'a>) -> StepEnds<'a> {
        StepEnds {
            from: &step.from[self.vectors()],
            to: &step.to[self.vectors()],
            mean: &step.mean[self.vectors()],
            rate: &step.rate[self.vectors()],
            memory: &step.memory[self.memory()],
            ..*step
        }
    }
}

impl Composite {
    /// Puts parts together; reactions are reported at the point of the first.
    pub fn new(kind: &'static str, parts: Vec<Box<dyn Constraint>>) -> Self {
        let carried = parts.iter().flat_map(|p| p.carried().to_vec()).collect();
        Composite { kind, parts, carried }
    }

    fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        let (mut row, mut vector, mut memory) = (0, 0, 0);
        self.parts.iter().map(move |law| {
            let part = Part { law: &**law, first_row: row, first_carried: vector, first_memory: memory };
            row += law.rows();
            vector += law.carried().len();
            memory += law.memories();
            part
        })
    }

    fn part_of(&self, row: usize) -> Option<(Part<'_>, usize)> {
        self.parts().find(|p| p.rows().contains(&row)).map(|p| {
            let local = row - p.first_row;
            (p, local)
        })
    }
}

/// Moves gradients pushed since `from` to the composite's numbering.
fn move_gradients(g: &mut Gradients, from: usize, part: &Part) {
    for entry in g.entries_mut(from) {
        entry.row += part.first_row;
        entry.carried += part.first_carried;
    }
}

/// Moves blocks pushed since `from` to the composite's numbering.
fn move_blocks(h: &mut Blocks, from: usize, part: &Part) {
    for block in h.entries_mut(from) {
        block.a += part.first_carried;
        block.b += part.first_carried;
    }
}

impl Constraint for Composite {
    fn kind(&self) -> &'static str {
        self.kind
    }

    fn row_name(&self, k: usize) -> &'static str {
        self.part_of(k).map_or("", |(part, row)| part.law.row_name(row))
    }

    fn rows(&self) -> usize {
        self.parts.iter().map(|p| p.rows()).sum()
    }

    fn carried(&self) -> &[Carried] {
        &self.carried
    }

    fn reaction_point(&self) -> usize {
        self.parts[0].reaction_point()
    }

    fn is_velocity_row(&self, k: usize) -> bool {
        self.part_of(k).is_some_and(|(part, row)| part.law.is_velocity_row(row))
    }

    fn memories(&self) -> usize {
        self.parts.iter().map(|p| p.memories()).sum()
    }

    fn remembered(&self) -> Vec<&Coordinate> {
        self.parts.iter().flat_map(|part| part.remembered()).collect()
    }

    fn start_memory(&self, memory: &mut [f64]) {
        for part in self.parts() {
            part.law.start_memory(&mut memory[part.memory()]);
        }
    }

    fn remember(&self, at: &Configuration, memory: &mut [f64]) {
        for part in self.parts() {
            part.law.remember(&part.configuration(at), &mut memory[part.memory()]);
        }
    }

    fn residual(&self, at: &Configuration, phi: &mut [f64]) {
        for part in self.parts() {
            part.law.residual(&part.configuration(at), &mut phi[part.rows()]);
        }
    }

    fn gradients(&self, at: &Configuration, g: &mut Gradients) {
        for part in self.parts() {
            let from = g.entries().len();
            part.law.gradients(&part.configuration(at), g);
            move_gradients(g, from, &part);
        }
    }

    fn rate_gradients(&self, at: &Configuration, xdot: &[Vec3], g: &mut Gradients) {
        for part in self.parts() {
            let from = g.entries().len();
            part.law.rate_gradients(&part.configuration(at), &xdot[part.vectors()], g);
            move_gradients(g, from, &part);
        }
    }

    fn hessian(&self, at: &Configuration, lambda: &[f64], h: &mut Blocks) {
        for part in self.parts() {
            let from = h.entries().len();
            part.law.hessian(&part.configuration(at), &lambda[part.rows()], h);
            move_blocks(h, from, &part);
        }
    }

    fn is_quadratic(&self) -> bool {
        self.parts.iter().all(|part| part.is_quadratic())
    }

    fn discrete_gradients(&self, step: &StepEnds, g: &mut Gradients) {
        for part in self.parts() {
            let from = g.entries().len();
            part.law.discrete_gradients(&part.step_ends(step), g);
            move_gradients(g, from, &part);
        }
    }

    fn discrete_hessian(&self, step: &StepEnds, lambda: &[f64], h: &mut Blocks) {
        for part in self.parts() {
            let from = h.entries().len();
            part.law.discrete_hessian(&part.step_ends(step), &lambda[part.rows()], h);
            move_blocks(h, from, &part);
        }
    }

    fn is_driven(&self) -> bool {
        self.parts.iter().any(|part| part.is_driven())
    }

    fn drift(&self, at: &Configuration, out: &mut [f64]) {
        for part in self.parts() {
            part.law.drift(&part.configuration(at), &mut out[part.rows()]);
        }
    }

    fn drift_rate(&self, at: &Configuration, xdot: &[Vec3], out: &mut [f64]) {
        for part in self.parts() {
            part.law.drift_rate(&part.configuration(at), &xdot[part.vectors()], &mut out[part.rows()]);
        }
    }
}
