//! Variables of networks that laws of forces read: y stands in the Motion of an element behind the reactions.
//!
//! ```text
//! f_a = f_a(x, ẋ, t, ρ, y),     ∂R/∂y = −Σ_a P_aᵀ ∂f_a/∂y
//! ```

use crate::force::Force;
use crate::system::{System, transposed_slots};
use poinsot_numerics::pattern::Pattern;

/// A variable of a network that a law reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VariableReading {
    /// The network, as the system numbers it.
    pub network: usize,
    /// The variable, as the network numbers it.
    pub variable: usize,
}

/// Where a variable that a force reads stands among the unknowns, and the slots (unknown of the force, y).
#[derive(Clone, Debug)]
pub(crate) struct VariableColumn {
    pub eq: usize,
    slots: Vec<u32>,
}

impl VariableColumn {
    pub fn new(eq: usize) -> Self {
        VariableColumn { eq, slots: vec![] }
    }

    /// Finds the slots in a pattern.
    pub fn find_slots(&mut self, pattern: &Pattern, unknowns: &[usize]) {
        self.slots = transposed_slots(pattern, &[self.eq], unknowns);
    }

    /// Adds the column ∂R_i/∂y = −along_i.
    pub fn add(&self, along: &[f64], scale: f64, values: &mut [f64]) {
        for (&slot, along) in self.slots.iter().zip(along) {
            values[slot as usize] -= scale * along;
        }
    }
}

/// The variables that a force reads.
pub(crate) fn variables_of(law: &dyn Force) -> &[VariableReading] {
    law.extensions().pressed.map_or(&[], |element| element.variables())
}

impl System {
    /// Whether the law of a force reads a variable of a network.
    pub fn is_read(&self, network: usize, variable: usize) -> bool {
        let wanted = VariableReading { network, variable };
        self.forces.iter().any(|force| variables_of(&*force.law).contains(&wanted))
    }
}
