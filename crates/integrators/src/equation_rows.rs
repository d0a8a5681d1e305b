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
    /// First unknown of the rotation of every body that turns in space, ascending.
    pub rotating: Vec<usize>,
}

impl EquationRows {
    pub fn new(system: &System) -> Self {
        let constraints = system.constraint_equations();
        let velocity: Vec<usize> =
            system.velocity_equations().into_iter().chain(system.algebraic_equations()).collect();
        let level = constraints.iter().copied().filter(|row| !velocity.contains(row)).collect();
        let rotating = system.nodes().iter().filter(|node| node.chart == Chart::Motion);
        let mut rotating: Vec<usize> = rotating.map(|node| node.unknowns().start + 3).collect();
        rotating.sort_unstable();
        EquationRows { constraints, level, velocity, is_row: system.is_constraint_row(), rotating }
    }
}
