//! Which equations of a system are what.

use poinsot_mechanics::{Chart, System};

/// The rows of the equations of a step, equation order.
#[derive(Clone, Debug)]
pub(crate) struct EquationRows {
    /// Rows of constraints.
    pub constraints: Vec<usize>,
    /// Those of them that a form imposes at its level: no rows on velocities.
    pub level: Vec<usize>,
    /// Rows on velocities, then algebraic equations of networks.
    pub velocity: Vec<usize>,
    /// Whether an equation is that of a multiplier.
    pub is_row: Vec<bool>,
    /// How many of these are rows on velocities.
    on_velocities: usize,
    /// First unknown of the rotation of every body that turns in space, ascending.
    pub rotating: Vec<usize>,
}

impl EquationRows {
    pub fn new(system: &System) -> Self {
        let constraints = system.constraint_equations();
        let mut velocity = system.velocity_equations();
        let on_velocities = velocity.len();
        velocity.extend(system.algebraic_equations());
        let level = constraints.iter().copied().filter(|row| !velocity.contains(row)).collect();
        let rotating = system.nodes().iter().filter(|node| node.chart == Chart::Motion);
        let mut rotating: Vec<usize> = rotating.map(|node| node.unknowns().start + 3).collect();
        rotating.sort_unstable();
        let is_row = system.is_constraint_row();
        EquationRows { constraints, level, velocity, is_row, on_velocities, rotating }
    }

    /// Rows on velocities.
    pub fn on_velocities(&self) -> &[usize] {
        &self.velocity[..self.on_velocities]
    }

    /// Algebraic equations of networks.
    pub fn algebraic(&self) -> &[usize] {
        &self.velocity[self.on_velocities..]
    }
}
