//! Single constraints, for treatments that eliminate them. Only rows in force count, in the order of
//! [`Conserving::rows_in_force`]; matrices are stored row by row.

use super::residual::mean_rates;
use crate::conserving::Rule;
use crate::conserving::layout::Conserving;
use crate::conserving::step::MAX_LOCAL;
use crate::conserving::step::{ConservingScratch, ConservingStep};
use crate::element_buffers::MAX_ROWS;
use crate::nodes::carried::Carried;
use crate::system::{NO_EQUATION, Places};

impl Conserving<'_> {
    /// The moving nodes that a constraint touches, with the first of their columns.
    pub fn touched_nodes(&self, index: usize) -> &[(usize, usize)] {
        &self.constraints[index].nodes
    }

    /// The unknowns that a constraint touches: the columns of its rows.
    pub fn touched_unknowns(&self, index: usize) -> &[usize] {
        &self.constraints[index].unknowns
    }

    /// Own equations of the rows of a constraint that are in force.
    pub fn rows_in_force(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        self.constraints[index].rows.iter().copied().filter(|&eq| eq != NO_EQUATION)
    }

    /// Gd B: the directions of the constraint forces in the equations.
    pub fn discrete_rows(
        &self,
        index: usize,
        rule: Rule,
        step: &ConservingStep,
        out: &mut [f64],
        s: &mut ConservingScratch,
    ) {
        let places = &self.constraints[index];
        self.load(places, step, s);
        self.load_directions(places, rule, step, s);
        self.load_discrete_rows(index, rule, step, s);
        pack(&s.upper, places, out);
    }

    /// How the rows of a constraint change with the unknowns at the end.
    pub fn end_rows(&self, index: usize, step: &ConservingStep, out: &mut [f64], s: &mut ConservingScratch) {
        let places = &self.constraints[index];
        self.load(places, step, s);
        for (k, place) in places.carried.iter().enumerate().filter(|(_, p)| p.dofs > 0) {
            let Carried { node, c0, c, .. } = place.carried;
            self.trial(node, step, c0, &c, &mut s.trial[k]);
        }
        self.load_end_rows(index, step, s);
        pack(&s.lower, places, out);
    }

    /// Φ(z⁺) of the rows of a constraint, h times the mean rate of rows on velocities.
    pub fn end_residual(
        &self,
        index: usize,
        step: &ConservingStep,
        out: &mut [f64],
        s: &mut ConservingScratch,
    ) {
        let (entry, places) = (&self.system.constraints[index], &self.constraints[index]);
        let (law, n) = (entry.working(), places.carried.len());
        self.load(places, step, s);
        let ends = s.carried.ends(self.system, step, n, &step.memory[entry.memory.clone()], 0.0);
        let mut rows = [0.0; MAX_ROWS];
        law.residual(&ends.end(), &mut rows[..law.rows()]);
        if (0..law.rows()).any(|k| law.is_velocity_row(k)) {
            mean_rates(law, &ends, &mut rows, &mut s.gradients);
        }
        let in_force = rows.iter().zip(&places.rows).filter(|(_, eq)| **eq != NO_EQUATION);
        out.iter_mut().zip(in_force).for_each(|(out, (value, _))| *out = *value);
    }
}

/// The rows in force, one after the other.
fn pack(rows: &[[f64; MAX_LOCAL]; MAX_ROWS], places: &Places, out: &mut [f64]) {
    let unknowns = places.unknowns.len();
    let in_force = rows.iter().zip(&places.rows).filter(|(_, eq)| **eq != NO_EQUATION);
    for (out, (row, _)) in out.chunks_exact_mut(unknowns.max(1)).zip(in_force) {
        out.copy_from_slice(&row[..unknowns]);
    }
}
