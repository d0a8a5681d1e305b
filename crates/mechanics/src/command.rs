//! Rows on velocities that follow a variable of a network.
//!
//! ```text
//! rate_k = Σ_a G_ka · ẋ_a + drift_k − u,      ∂(rate_k)/∂u = −1,      d(rate_k)/dt = … − u̇
//! ```
//! u is a command: the row makes the mechanics follow it, and −λ_k G_ka acts on the mechanics alone. A
//! variable has no effort that belongs to it, so nothing acts back on the network; the row supplies the power
//! −λ_k u. u stands where velocities stand, its rate where accelerations stand, so a row on velocities holds
//! it as it holds ẋ; a row on positions would need its derivatives as well.

use crate::assembly::{Linearization, Term, Terms};
use crate::element_buffers::MAX_ROWS;
use crate::system::{ConstraintEntry, NO_EQUATION, System};
use crate::variable_reading::VariableReading;
use poinsot_numerics::pattern::Pattern;

/// What a row of a constraint follows, and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Command {
    /// The row of the law.
    row: usize,
    /// The variable.
    pub variable: VariableReading,
    /// Equation number of the variable.
    pub eq: usize,
    /// Slot (row, variable), if the row has an equation.
    slot: Option<u32>,
}

impl Command {
    pub fn new(row: usize, variable: VariableReading) -> Self {
        Command { row, variable, eq: 0, slot: None }
    }

    /// The row of the law.
    pub fn row(&self) -> usize {
        self.row
    }
}

impl ConstraintEntry {
    /// Takes the values of commands, velocities of variables or their rates, off the rows of the working law.
    #[inline]
    pub(crate) fn follow(&self, of_variables: &[f64], rows: &mut [f64; MAX_ROWS]) {
        self.follow_by(|eq| of_variables[eq], rows);
    }

    /// The same for values of variables by their equation number.
    #[inline]
    pub(crate) fn follow_by(&self, value: impl Fn(usize) -> f64, rows: &mut [f64; MAX_ROWS]) {
        for command in &self.commands {
            if let Some(place) = self.place(command.row) {
                rows[place] -= value(command.eq);
            }
        }
    }

    /// Equation of a commanded row, none if it was dropped.
    fn commanded(&self, command: &Command) -> Option<usize> {
        self.place(command.row).map(|place| self.places.numbers[place]).filter(|&eq| eq != NO_EQUATION)
    }

    /// Rows and columns that commands fill.
    pub(crate) fn command_blocks(&self) -> impl Iterator<Item = ([usize; 1], [usize; 1])> {
        self.commands.iter().filter_map(|command| Some(([self.commanded(command)?], [command.eq])))
    }

    /// Finds the slots in a pattern.
    pub(crate) fn find_command_slots(&mut self, pattern: &Pattern) {
        for k in 0..self.commands.len() {
            let row = self.commanded(&self.commands[k]);
            let slot = row.and_then(|row| pattern.index(row, self.commands[k].eq));
            self.commands[k].slot = slot.map(|slot| slot as u32);
        }
    }

    /// Adds ∂(rate_k)/∂u of the rows in force.
    pub(crate) fn add_commands(&self, at: &Linearization, terms: &mut Terms) {
        for command in self.commands.iter().filter(|command| at.networks && self.in_force(command.row)) {
            if let Some(slot) = command.slot {
                terms.add(Term::Constant, slot, -1.0);
            }
        }
    }
}

impl System {
    /// Whether rows follow variables of networks, so that accelerations follow from rates of variables.
    pub fn has_commands(&self) -> bool {
        self.constraints.iter().any(|entry| !entry.commands.is_empty())
    }

    /// The equations of rows in force that follow variables.
    pub fn commanded_equations(&self) -> Vec<usize> {
        let rows = self.constraints.iter().flat_map(|entry| {
            let in_force = |command: &&Command| entry.in_force(command.row);
            entry.commands.iter().filter(in_force).filter_map(|command| entry.commanded(command))
        });
        rows.collect()
    }

    /// Whether a variable of a network is followed by a row.
    pub fn is_command(&self, network: usize, variable: usize) -> bool {
        let wanted = VariableReading { network, variable };
        self.constraints.iter().flat_map(|entry| &entry.commands).any(|command| command.variable == wanted)
    }
}
