//! Energy models.

use super::LawSpec;
use poinsot_mechanics::{EquationForm, Lagrangian, Unknown};

/// The energy model that a block of first-order equations comes from.
#[derive(Clone, Debug)]
pub struct LagrangianSpec {
    /// Energies and constraints in the names of its own text; time is `t`.
    pub lagrangian: Lagrangian,
    /// The level at which displacement constraints stand in the equations.
    pub form: EquationForm,
    /// The unknowns q, f, s, e, λ, μ, ν, as the variables of the block.
    pub unknowns: Vec<Unknown>,
    /// Kinetic and potential energy, power supplied and dissipated.
    pub energies: [LawSpec; 4],
}
