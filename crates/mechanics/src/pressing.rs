//! Multipliers that press: where forces that depend on reactions find them, and the columns ∂R/∂λ that come
//! of it.

use crate::assembly::add_columns;
use crate::constraint::{Configuration, Constraint};
use crate::element_buffers::{Blocks, Gradients, MAX_CARRIED, MAX_ROWS};
use crate::force::Force;
use crate::forces::reactions_of;
use crate::reaction_reading::{MAX_REACTIONS, ReactionReading};
use crate::system::{NO_EQUATION, Places, System, transposed_slots};
use crate::variable_reading::VariableColumn;
use poinsot_geometry::Vec3;
use poinsot_numerics::pattern::Pattern;

/// The rows of a constraint whose multipliers press a force, and the slots (unknown of the force, row).
#[derive(Clone, Debug, Default)]
pub(crate) struct PressingRows {
    /// Equation of each row, none for rows out of force.
    pub rows: Vec<Option<usize>>,
    upper: Vec<u32>,
}

impl PressingRows {
    /// For the equations of a constraint's rows.
    pub fn new(rows: Vec<Option<usize>>) -> Self {
        PressingRows { rows, upper: vec![] }
    }

    /// Finds the slots in a pattern.
    pub fn find_slots(&mut self, pattern: &Pattern, unknowns: &[usize]) {
        let rows: Vec<usize> = self.rows.iter().map(|eq| eq.unwrap_or(NO_EQUATION)).collect();
        self.upper = transposed_slots(pattern, &rows, unknowns);
    }

    /// The equations of the rows that have one.
    pub fn equations(&self) -> Vec<usize> {
        self.rows.iter().copied().flatten().collect()
    }

    /// λ of the rows, zero for those out of force.
    pub fn multipliers(&self, a: &[f64]) -> [f64; MAX_ROWS] {
        let mut lambda = [0.0; MAX_ROWS];
        for (l, eq) in lambda.iter_mut().zip(&self.rows) {
            *l = eq.map_or(0.0, |eq| a[eq]);
        }
        lambda
    }

    /// Adds the columns ∂R_i/∂λ_k = scale along_i by_k, `along` for the unknowns of the force.
    pub fn add_columns(&self, by_lambda: &[f64; MAX_ROWS], along: &[f64], scale: f64, values: &mut [f64]) {
        let slots = self.upper.chunks_exact(along.len().max(1));
        for ((slots, by), _) in slots.zip(by_lambda).zip(&self.rows).filter(|(_, eq)| eq.is_some()) {
            for (&slot, along) in slots.iter().zip(along) {
                values[slot as usize] += scale * by * along;
            }
        }
    }
}

/// What the reactions that a force reads follow from.
#[derive(Clone, Copy)]
pub(crate) struct Pressing<'a> {
    /// The rows of each reaction.
    pub rows: &'a [PressingRows],
    /// The time that laws see.
    pub t: f64,
    /// Of the whole system.
    pub memory: &'a [f64],
    /// λ in the entries of the rows.
    pub lambda: &'a [f64],
    /// The variables of networks that it reads besides.
    pub variables: &'a [VariableColumn],
    /// y in the entries of the variables.
    pub v: &'a [f64],
    /// The carried vectors of the force.
    pub x: &'a [Vec3],
}

/// Nothing that is read; conserving steps know no networks.
pub(crate) const NO_VARIABLES: Pressing<'static> =
    Pressing { rows: &[], t: 0.0, memory: &[], lambda: &[], variables: &[], v: &[], x: &[] };

/// One reaction that a force reads, with the law that it belongs to.
struct Source<'a> {
    reading: &'a ReactionReading,
    law: &'a dyn Constraint,
    at: Configuration<'a>,
    lambda: [f64; MAX_ROWS],
}

/// How a force changes with one of its reactions, in the unknowns: ∂Q/∂ρ, ∂ρ/∂q and ∂ρ/∂λ.
pub(crate) struct PressedColumns<const L: usize> {
    pub force: [f64; L],
    pub by_position: [f64; L],
    pub by_lambda: [f64; MAX_ROWS],
}

impl<const L: usize> PressedColumns<L> {
    /// Adds scale ∂Q/∂ρ ⊗ ∂ρ/∂q.
    pub fn add_stiffness(&self, unknowns: usize, scale: f64, local: &mut [[f64; L]; L]) {
        for (row, force) in local.iter_mut().zip(&self.force[..unknowns]) {
            for (entry, by) in row.iter_mut().zip(&self.by_position[..unknowns]) {
                *entry += scale * force * by;
            }
        }
    }
}

impl System {
    fn source<'a>(&'a self, reading: &'a ReactionReading, j: usize, from: &Pressing<'a>) -> Source<'a> {
        let entry = &self.constraints[reading.constraint];
        let at = entry.configuration(from.t, from.memory, from.x);
        Source { reading, law: &*entry.law, at, lambda: from.rows[j].multipliers(from.lambda) }
    }

    /// The reactions that a force reads, then the variables, as many as it has.
    pub(crate) fn reactions_read(
        &self,
        law: &dyn Force,
        from: &Pressing,
        g: &mut Gradients,
    ) -> [f64; MAX_REACTIONS] {
        let mut read = [0.0; MAX_REACTIONS];
        for (read, variable) in read[from.rows.len()..].iter_mut().zip(from.variables) {
            *read = from.v[variable.eq];
        }
        if from.rows.is_empty() {
            return read;
        }
        for (j, (read, reading)) in read.iter_mut().zip(reactions_of(law)).enumerate() {
            let source = self.source(reading, j, from);
            *read = reading.value(source.law, &source.at, &source.lambda, g);
        }
        read
    }

    /// How a force changes with reaction j; `by` are ∂f_a/∂ρ_j. Rows are tested with the first directions,
    /// and the unknowns move along the second.
    pub(crate) fn pressed_columns<const L: usize, const W: usize>(
        &self,
        (law, j): (&dyn Force, usize),
        from: &Pressing,
        by: &[Vec3],
        places: &Places,
        [test, trial]: [&[[Vec3; W]]; 2],
        buffers: (&mut Gradients, &mut Blocks),
    ) -> PressedColumns<L> {
        let source = self.source(&reactions_of(law)[j], j, from);
        let response = source.reading.response(source.law, &source.at, &source.lambda, buffers);
        let mut slope = [Vec3::zeros(); MAX_CARRIED];
        source.reading.add_slope(&response, &mut slope);
        let (mut force, mut by_position) = ([0.0; L], [0.0; L]);
        add_columns(&mut force, places, by, test);
        add_columns(&mut by_position, places, &slope, trial);
        PressedColumns { force, by_position, by_lambda: response.by_lambda }
    }

    /// Whether forces depend on multipliers: friction of joints, and laws that read reactions.
    pub fn is_pressed(&self) -> bool {
        !self.frictions.is_empty() || self.reaction_laws().next().is_some()
    }

    /// The forces whose laws read reactions.
    pub fn reaction_laws(&self) -> impl Iterator<Item = &crate::ForceEntry> {
        self.forces.iter().filter(|entry| !entry.pressing.is_empty())
    }

    /// The constraints whose multipliers press.
    pub fn pressing_constraints(&self) -> Vec<usize> {
        let read = self.reaction_laws().flat_map(|entry| reactions_of(&*entry.law)).map(|r| r.constraint);
        let mut all: Vec<usize> = self.frictions.iter().map(|f| f.constraint).chain(read).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}
