//! Rows of constraints: their equations, and which of them are in force.

use super::System;
use super::entries::ConstraintEntry;
use super::places::NO_EQUATION;
use crate::forces::reactions_of;
use crate::nodes::carried::Carried;
use crate::nodes::chart::Frame;
use poinsot_geometry::Vec3;

impl System {
    /// Number of constraint rows in force.
    pub fn active_rows(&self) -> usize {
        let rows = self.constraints.iter().flat_map(|c| &c.active).filter(|&&a| a).count();
        rows - self.unit_slots.len()
    }

    /// Equation of row `row` of constraint `c`, if it was not dropped.
    pub fn row_equation(&self, c: usize, row: usize) -> Option<usize> {
        self.constraints[c].equations().nth(row).flatten()
    }

    /// The equations that belong to constraints, in the order of the constraints.
    pub fn constraint_equations(&self) -> Vec<usize> {
        self.constraints.iter().flat_map(|c| c.equations().flatten()).collect()
    }

    /// The equations of constraint rows that restrict velocities only.
    pub fn velocity_equations(&self) -> Vec<usize> {
        let rows = self.constraints.iter().flat_map(|c| {
            c.equations().enumerate().filter(|(row, _)| c.law.is_velocity_row(*row)).filter_map(|(_, eq)| eq)
        });
        rows.collect()
    }

    /// The equations of constraint rows in force: neither dropped nor suspended.
    pub fn enforced_equations(&self) -> Vec<usize> {
        let rows = self.constraints.iter().flat_map(|c| &c.places.rows);
        rows.copied().filter(|&eq| eq != NO_EQUATION).collect()
    }

    /// Which equations belong to constraints.
    pub fn is_constraint_row(&self) -> Vec<bool> {
        let mut mask = vec![false; self.n];
        self.constraint_equations().into_iter().for_each(|eq| mask[eq] = true);
        mask
    }

    /// The constraint and row behind an equation.
    pub fn row_at(&self, eq: usize) -> Option<(usize, usize)> {
        self.constraints
            .iter()
            .enumerate()
            .find_map(|(c, entry)| entry.equations().position(|e| e == Some(eq)).map(|row| (c, row)))
    }

    /// The constraints and rows behind equations, in the order of the constraints.
    pub fn rows_at(&self, equations: &[usize]) -> Vec<(usize, usize)> {
        let mut wanted = vec![false; self.n];
        equations.iter().for_each(|&eq| wanted[eq] = true);
        let rows = self.constraints.iter().enumerate().flat_map(|(c, entry)| {
            entry.equations().enumerate().filter_map(move |(row, eq)| eq.map(|eq| (eq, (c, row))))
        });
        rows.filter(|(eq, _)| wanted[*eq]).map(|(_, place)| place).collect()
    }

    /// Takes rows (constraint, row) out of the system and numbers it anew; `strict` as in
    /// [`System::restore_rows`].
    pub fn drop_rows(&mut self, rows: &[(usize, usize)], strict: bool) {
        for &(c, row) in rows {
            self.constraints[c].active[row] = false;
        }
        self.number(strict);
    }

    /// Suspends these rows (constraint, row) and no others: they keep their equations, but λ = 0 takes the
    /// place of the constraint.
    pub fn suspend_rows(&mut self, rows: &[(usize, usize)]) {
        for c in &mut self.constraints {
            c.places.rows.copy_from_slice(&c.places.numbers);
            c.stretches.iter_mut().for_each(|p| p.rows.copy_from_slice(&p.numbers));
        }
        self.unit_slots.clear();
        for &(c, row) in rows {
            let entry = &mut self.constraints[c];
            let Some(place) = entry.place(row) else { continue };
            let eq = entry.places.numbers[place];
            entry.places.rows[place] = NO_EQUATION;
            entry.stretches.iter_mut().for_each(|p| p.rows[place] = NO_EQUATION);
            self.unit_slots.extend(self.pattern.index(eq, eq));
        }
        let in_force = |c: usize| {
            let entry: &ConstraintEntry = &self.constraints[c];
            (0..entry.active.len()).map(|row| entry.enforced_equation(row)).collect()
        };
        for f in &mut self.frictions {
            f.at.pressing.rows = in_force(f.constraint);
        }
        for f in &mut self.forces {
            for (reading, pressing) in reactions_of(&*f.law).iter().zip(&mut f.pressing) {
                pressing.rows = in_force(reading.constraint);
            }
        }
        if self.constraints.iter().any(|c| c.taken) {
            self.form_groups();
        }
    }

    /// The suspended rows.
    pub fn suspended_rows(&self) -> Vec<(usize, usize)> {
        let rows = self.constraints.iter().enumerate().flat_map(|(c, entry)| {
            (0..entry.active.len()).filter(|&r| entry.active[r] && !entry.in_force(r)).map(move |r| (c, r))
        });
        rows.collect()
    }

    /// Puts every row in force again, in the strict order that a rank analysis needs: no multiplier before
    /// the last of its bodies.
    pub fn restore_rows(&mut self) {
        for c in &mut self.constraints {
            c.active.fill(true);
        }
        self.number(true);
    }

    /// The largest |Φ| among holonomic rows out of force, with its name; they must hold although nobody
    /// enforces them.
    pub fn dropped_residual(&self, t: f64, frames: &[Frame], memory: &[f64]) -> Option<(f64, String)> {
        let mut worst: Option<(f64, String)> = None;
        for entry in &self.constraints {
            if (0..entry.active.len()).all(|row| entry.in_force(row)) {
                continue;
            }
            let x: Vec<Vec3> = entry.carried_at(frames).iter().map(|c| c.value(&frames[c.node])).collect();
            let mut phi = vec![0.0; entry.law.rows()];
            entry.law.residual(&entry.configuration(self.law_time(t), memory, &x), &mut phi);
            for (k, value) in phi.iter().enumerate().filter(|(k, _)| !entry.in_force(*k)) {
                if worst.as_ref().is_none_or(|w| value.abs() > w.0) {
                    worst = Some((value.abs(), entry.row_in_words(k)));
                }
            }
        }
        worst
    }

    /// The largest rate among suspended rows, with its name; it must be zero although nobody enforces it.
    pub fn suspended_rate(&self, state: &crate::system::state::State) -> Option<(f64, String)> {
        let mut worst: Option<(f64, String)> = None;
        for (c, row) in self.suspended_rows() {
            let entry = &self.constraints[c];
            let law = &entry.law;
            let place = |c: &Carried| c.value(&state.frames[c.node]);
            let speed = |c: &Carried| c.velocity(&state.frames[c.node], &self.twist(c.node, &state.v));
            let carried = entry.carried_at(&state.frames);
            let x: Vec<Vec3> = carried.iter().map(place).collect();
            let xdot: Vec<Vec3> = carried.iter().map(speed).collect();
            let at = entry.configuration(self.law_time(state.t), &state.memory, &x);
            let mut rate = vec![0.0; law.rows()];
            law.drift(&at, &mut rate);
            law.push(&at, &xdot, &mut rate, &mut Default::default());
            let commands = entry.commands.iter();
            commands.for_each(|command| rate[command.row()] -= state.v[command.eq]);
            if worst.as_ref().is_none_or(|w| rate[row].abs() > w.0) {
                worst = Some((rate[row].abs(), entry.row_in_words(row)));
            }
        }
        worst
    }
}
