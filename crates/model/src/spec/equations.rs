//! First-order equations beside the mechanics.

use super::LagrangianSpec;
use crate::diagnostic::Span;
use crate::quantity::Quantity;
use poinsot_expr::{Expr, rate_name};

/// A block of first-order equations with its variables and loads.
#[derive(Clone, Debug)]
pub struct EquationsSpec {
    /// Its name.
    pub name: String,
    /// Place of the name.
    pub span: Span,
    /// The variables.
    pub variables: Vec<VariableSpec>,
    /// The equations, as many as variables.
    pub equations: Vec<LawSpec>,
    /// The loads on the mechanics.
    pub loads: Vec<EffortSpec>,
    /// The energy model that it comes from, if it does.
    pub lagrangian: Option<Box<LagrangianSpec>>,
}

/// A variable of first-order equations.
#[derive(Clone, Debug, PartialEq)]
pub struct VariableSpec {
    /// Its name in the block.
    pub name: String,
    /// Place of the name.
    pub span: Span,
    /// Value at the start.
    pub start: f64,
    /// A usual size.
    pub nominal: f64,
    /// Its unit.
    pub unit: Option<String>,
    /// Unit of its rate.
    pub rate_unit: Option<String>,
    /// What it is.
    pub description: Option<String>,
}

/// A function of variables, rates, quantities of the mechanics and time.
#[derive(Clone, Debug)]
pub struct LawSpec {
    /// As written.
    pub text: String,
    /// Place of the text.
    pub span: Span,
    /// The expression (of an equation left minus right), signals put in; parameters by name.
    pub expr: Expr,
    /// Names of the arguments.
    pub arguments: Vec<String>,
    /// The quantities the arguments stand for: variables, rates, time, positions and velocities.
    pub quantities: Vec<Quantity>,
}

/// A load on the mechanics.
#[derive(Clone, Debug)]
pub struct EffortSpec {
    /// Name of the coordinate that it acts along.
    pub name: String,
    /// Place of the name.
    pub span: Span,
    /// The coordinate.
    pub on: Quantity,
    /// The effort; it uses no rate of a variable.
    pub law: LawSpec,
}

impl EquationsSpec {
    /// The full name of a variable.
    pub fn variable_name(&self, index: usize) -> String {
        format!("{}.{}", self.name, self.variables[index].name)
    }

    /// The name that the rate of a variable has in equations: `der(block.variable)`.
    pub fn rate_name(&self, index: usize) -> String {
        rate_name(&self.variable_name(index))
    }
}
