//! What the unknowns and equations of a system are in a time element.

use poinsot_mechanics::{Chart, System};
use std::ops::Range;

/// What an unknown is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unknown {
    /// A coordinate of a vector space.
    Coordinate,
    /// Of a frame that turns in space.
    Motion,
    /// A variable of a network.
    Variable,
    /// A multiplier.
    Multiplier,
}

/// What an equation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Equation {
    /// Balance of forces.
    Balance,
    /// A row on positions.
    Level,
    /// A row on velocities.
    Velocity,
    /// Of a network, with rates of variables.
    Rate,
    /// Of a network, without.
    Algebraic,
    /// A row out of force.
    Idle,
}

/// Unknowns that belong together, and what they and their equations are.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub unknowns: Range<usize>,
    pub unknown: Unknown,
    pub equation: Equation,
    /// Place in [`Layout::motions`].
    pub motion: usize,
}

/// The unknowns of a system in groups, in the order of the equations.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub groups: Vec<Group>,
    /// Nodes that turn in space.
    pub motions: Vec<usize>,
    /// Whether anything stands at the points of the constraints.
    pub has_joints: bool,
    /// Whether forces follow multipliers.
    pub is_pressed: bool,
    pub has_networks: bool,
}

impl Layout {
    pub fn new(system: &System) -> Self {
        let (mut groups, mut motions) = (Vec::new(), Vec::new());
        for (id, node) in system.nodes().iter().enumerate().filter(|(_, node)| node.chart.dofs() > 0) {
            let turns = node.chart == Chart::Motion;
            groups.push(Group {
                unknowns: node.unknowns(),
                unknown: if turns { Unknown::Motion } else { Unknown::Coordinate },
                equation: Equation::Balance,
                motion: motions.len(),
            });
            motions.extend(turns.then_some(id));
        }
        let mut single = |eq: usize, unknown, equation| {
            groups.push(Group { unknowns: eq..eq + 1, unknown, equation, motion: 0 });
        };
        let (in_force, on_velocities) = (system.enforced_equations(), system.velocity_equations());
        let rows = system.constraint_equations();
        for &eq in &rows {
            let equation = match (in_force.contains(&eq), on_velocities.contains(&eq)) {
                (false, _) => Equation::Idle,
                (true, true) => Equation::Velocity,
                (true, false) => Equation::Level,
            };
            single(eq, Unknown::Multiplier, equation);
        }
        let algebraic = system.algebraic_equations();
        for network in system.networks() {
            for j in 0..network.law.variables.len() {
                let eq = network.unknown(j);
                let equation = if algebraic.contains(&eq) { Equation::Algebraic } else { Equation::Rate };
                single(eq, Unknown::Variable, equation);
            }
        }
        groups.sort_by_key(|group| group.unknowns.start);
        let has_networks = !system.networks().is_empty();
        Layout {
            has_joints: has_networks || !in_force.is_empty(),
            is_pressed: system.is_pressed(),
            has_networks,
            groups,
            motions,
        }
    }
}
