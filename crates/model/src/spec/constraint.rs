//! Constraints given by equations.

use super::LawSpec;
use crate::diagnostic::Span;
use crate::quantity::Quantity;
use poinsot_expr::Expr;
use poinsot_expr::SmoothFunction;

/// A constraint `function(quantities) = 0`.
#[derive(Clone, Debug)]
pub struct ConstraintSpec {
    /// Its name.
    pub name: String,
    /// Place of the name.
    pub span: Span,
    /// The equation as written.
    pub text: String,
    /// The parsed equation, signals put in; parameters by name.
    pub expr: Expr,
    /// Names of the arguments.
    pub arguments: Vec<String>,
    /// The quantities the arguments stand for: time, positions and velocities.
    pub quantities: Vec<Quantity>,
    /// The equation's left side as a function of the arguments, parameters inserted.
    pub function: SmoothFunction,
    /// True if a velocity is among the quantities; the function is linear in them.
    pub velocity_level: bool,
    /// What the velocities follow, if variables of first-order equations are in it: function = command. The
    /// function then has the velocities alone.
    pub command: Option<LawSpec>,
}
