//! First-order equations beside the mechanics.

use super::{Axis, EndSpec, InputKind, InputSpec, LagrangianSpec};
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
    /// Name of what it acts on.
    pub name: String,
    /// Place of the name.
    pub span: Span,
    /// What it acts on.
    pub on: EffortTarget,
    /// The effort; it uses no rate of a variable.
    pub law: LawSpec,
}

/// What a load acts on.
#[derive(Clone, Debug)]
pub enum EffortTarget {
    /// A coordinate, along which it acts.
    Coordinate(Quantity),
    /// A point of a body, with a force or torque along a world axis.
    Component {
        /// The body; the origin of the frame is the point.
        on: EndSpec,
        /// The axis.
        axis: Axis,
        /// Whether it is a torque.
        is_torque: bool,
    },
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

/// Block and index of a variable by its full name `block.variable`, or by its own name where only one block
/// has it; `blocks` are names with the names of their variables.
pub(crate) fn variable_named(name: &str, blocks: &[(&str, Vec<&str>)]) -> Option<(usize, usize)> {
    let full = |(k, (block, variables)): (usize, &(&str, Vec<&str>))| {
        let own = name.strip_prefix(block)?.strip_prefix('.')?;
        Some((k, variables.iter().position(|v| *v == own)?))
    };
    let found = blocks.iter().enumerate().find_map(full);
    found.or_else(|| {
        let own = |(k, (_, variables)): (usize, &(&str, Vec<&str>))| {
            Some((k, variables.iter().position(|v| *v == name)?))
        };
        let mut all = blocks.iter().enumerate().filter_map(own);
        let first = all.next()?;
        all.next().is_none().then_some(first)
    })
}

impl crate::Model {
    /// Block and index of a variable by its full name, or by its own name where only one block has it.
    pub fn variable(&self, name: &str) -> Option<(usize, usize)> {
        let names = |b: &EquationsSpec| b.variables.iter().map(|v| v.name.clone()).collect::<Vec<_>>();
        let owned: Vec<(String, Vec<String>)> =
            self.equations.iter().map(|b| (b.name.clone(), names(b))).collect();
        let blocks: Vec<(&str, Vec<&str>)> =
            owned.iter().map(|(b, v)| (b.as_str(), v.iter().map(String::as_str).collect())).collect();
        variable_named(name, &blocks)
    }

    /// Whether there are first-order equations: a block without variables is loads alone.
    pub fn has_variables(&self) -> bool {
        self.equations.iter().any(|block| !block.variables.is_empty())
    }

    /// Full names of all variables of equations.
    pub fn variable_names(&self) -> Vec<String> {
        let of = |b: &EquationsSpec| (0..b.variables.len()).map(|k| b.variable_name(k)).collect::<Vec<_>>();
        self.equations.iter().flat_map(of).collect()
    }

    /// The input of a linear system of a name: a component `NAME.x` of a force or torque, the tension of a
    /// spring, a variable, a parameter.
    pub fn input(&self, name: &str) -> Option<InputSpec> {
        let spec = |kind| Some(InputSpec { name: name.to_owned(), kind });
        let (owner, component) = name.split_once('.').map_or((name, None), |(o, c)| (o, Some(c)));
        if let Some(force) = self.forces.iter().position(|f| f.name == owner) {
            let declared = self.forces[force].kind.declaration();
            let component = declared.component(owner, component.map(Axis::from_word)).ok()?;
            return spec(InputKind::Force { force, component });
        }
        if let Some((equations, index)) = self.variable(name) {
            return spec(InputKind::Variable { equations, index });
        }
        let known = self.parameters.iter().any(|p| p.name == name);
        if known { spec(InputKind::Parameter(name.to_owned())) } else { None }
    }
}
