//! Rows that are there for a while: the values with which joints are asked to start.

use super::System;
use super::entries::ConstraintEntry;
use crate::constraint::Constraint;
use crate::start_value::StartValue;
use std::ops::Range;

impl System {
    /// The values that joints are asked to start with; the system forgets them. Whoever starts it makes them
    /// hold.
    pub fn take_start_values(&mut self) -> Vec<StartValue> {
        std::mem::take(&mut self.start.values)
    }

    /// Adds the rows of start values behind all others, until [`System::release`]; every row is in force, as
    /// after [`System::restore_rows`].
    pub fn impose(&mut self, values: &[StartValue]) {
        self.withdraw();
        for value in values {
            let law = value.rows();
            let memory = self.start.turns.len()..self.start.turns.len() + law.memories();
            self.start.turns.resize(memory.end, 0.0);
            law.start_memory(&mut self.start.turns[memory.clone()]);
            let name = format!("{}.{}", value.joint, value.word);
            let entry = ConstraintEntry::new(&name, Box::new(law));
            self.constraints.push(ConstraintEntry { memory, ..entry });
        }
        self.start.imposed = values.len();
        self.restore_rows();
    }

    /// Takes the imposed rows away again and puts all others in force.
    pub fn release(&mut self) {
        self.withdraw();
        self.restore_rows();
    }

    /// Forgets the imposed rows, without numbering anew.
    fn withdraw(&mut self) {
        if let Some(first) = self.constraints.get(self.constraints.len() - self.start.imposed) {
            self.start.turns.truncate(first.memory.start);
        }
        self.constraints.truncate(self.constraints.len() - self.start.imposed);
        self.start.imposed = 0;
    }

    /// The constraints that are imposed, in the order of the start values.
    pub fn imposed(&self) -> Range<usize> {
        self.constraints.len() - self.start.imposed..self.constraints.len()
    }
}
