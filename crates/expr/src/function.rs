//! A scalar function of named arguments with its exact partial derivatives.

use crate::builtin::constant;
use crate::evaluate::EvalError;
use crate::expr::Expr;
use crate::graph::{Graph, Id};
use crate::program::Program;
use crate::switches::Switch;
use std::collections::HashSet;
use std::sync::Arc;

/// A scalar function of an ordered list of arguments with its exact first partial derivatives.
///
/// Neither value nor derivative allocates; constants cost nothing.
///
/// ```
/// use poinsot_expr::{Expr, Function};
/// let expr = Expr::parse("-k*x - c*v")?;
/// let constants = |name: &str| match name {
///     "k" => Some(100.0),
///     "c" => Some(0.0),
///     _ => None,
/// };
/// let force = Function::new(&expr, &["x", "v"], &constants)?;
/// assert_eq!(force.value(&[0.5, 3.0]), -50.0);
/// assert_eq!(force.partial(0, &[0.5, 3.0]), -100.0);
/// assert!(force.depends_on(0) && !force.depends_on(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Function {
    body: Body,
}

#[derive(Debug, Clone)]
enum Body {
    Constant(f64),
    Variable {
        value: Program,
        /// Those that occur, by their place.
        arguments: Box<[Argument]>,
        /// The expression, constants put in.
        expr: Box<Expr>,
        switches: Arc<[Switch]>,
    },
}

#[derive(Debug, Clone)]
struct Argument {
    place: usize,
    name: String,
    partial: Program,
}

impl Function {
    /// Compiles the expression and its derivatives as functions of `args`, in this order.
    ///
    /// Errors are those of [`Program::compile`]. The expression is simplified with the values of the
    /// constants put in, so that a factor that is 0 removes what it multiplies.
    pub fn new(
        expr: &Expr,
        args: &[&str],
        constants: &dyn Fn(&str) -> Option<f64>,
    ) -> Result<Self, EvalError> {
        Ok(Self::with_partials(expr, args, constants)?.0)
    }

    /// The function and the expressions of its partial derivatives, with the values of the constants
    /// put in; none for a constant.
    pub(crate) fn with_partials(
        expr: &Expr,
        args: &[&str],
        constants: &dyn Fn(&str) -> Option<f64>,
    ) -> Result<(Self, Vec<Expr>), EvalError> {
        // The whole expression must make sense, even the parts that simplification removes.
        Program::compile(expr, args, constants)?;
        let number = |name: &str| {
            let value = constants(name).or_else(|| constant(name));
            let free = args.contains(&name);
            value.filter(|_| !free).map(Expr::number)
        };
        let bound = expr.replace_names(&number).simplify();
        let value = Program::compile_unchecked(&bound, args, constants)?;
        if let Some(value) = value.is_constant() {
            return Ok((Self::constant(value), Vec::new()));
        }
        let used: HashSet<String> = bound.variables().into_iter().map(|(name, _)| name).collect();
        let mut arguments = Vec::with_capacity(used.len());
        let mut partials = Vec::with_capacity(args.len());
        for (place, name) in args.iter().enumerate() {
            // Of arguments with the same name the first counts.
            if !used.contains(*name) || args[..place].contains(name) {
                partials.push(Expr::number(0.0));
                continue;
            }
            let derivative = bound.derivative(name);
            let partial = Program::compile_unchecked(&derivative, args, constants)?;
            arguments.push(Argument { place, name: name.to_string(), partial });
            partials.push(derivative);
        }
        let switches = expr.switches(args, constants)?.into();
        let body = Body::Variable { value, arguments: arguments.into(), expr: Box::new(bound), switches };
        Ok((Self { body }, partials))
    }

    /// The function with the same value everywhere, of any number of arguments.
    pub fn constant(value: f64) -> Self {
        Self { body: Body::Constant(value) }
    }

    /// The value.
    ///
    /// # Panics
    ///
    /// If `values` ends before an argument that the function depends on.
    pub fn value(&self, values: &[f64]) -> f64 {
        match &self.body {
            Body::Constant(value) => *value,
            Body::Variable { value, .. } => value.eval(values),
        }
    }

    /// The partial derivative with respect to argument `i`; 0 if there is no such argument.
    ///
    /// # Panics
    ///
    /// As [`Function::value`].
    pub fn partial(&self, i: usize, values: &[f64]) -> f64 {
        match self.argument(i) {
            Some(argument) => argument.partial.eval(values),
            None => 0.0,
        }
    }

    /// The value, if it is the same everywhere.
    pub fn as_constant(&self) -> Option<f64> {
        match self.body {
            Body::Constant(value) => Some(value),
            Body::Variable { .. } => None,
        }
    }

    /// Whether the value is 0 everywhere.
    pub fn is_zero(&self) -> bool {
        self.as_constant() == Some(0.0)
    }

    /// Whether the value may change with argument `i`.
    pub fn depends_on(&self, i: usize) -> bool {
        self.argument(i).is_some()
    }

    /// Whether the partial derivative with respect to argument `i` is 0 everywhere, as it is where
    /// the function does not depend on the argument or only by steps.
    pub fn partial_is_zero(&self, i: usize) -> bool {
        self.argument(i).is_none_or(|argument| argument.partial.is_constant() == Some(0.0))
    }

    /// Where the function has kinks or jumps in a variable between two of its values, see [`Expr::breaks`].
    pub fn breaks(&self, variable: &str, from: f64, to: f64) -> Vec<f64> {
        match &self.body {
            Body::Constant(_) => vec![],
            Body::Variable { expr, .. } => expr.breaks(variable, &|_| None, from, to),
        }
    }

    /// The functions of the arguments whose passing a level is a kink or a jump, see [`Expr::switches`].
    pub fn switches(&self) -> &[Switch] {
        match &self.body {
            Body::Constant(_) => &[],
            Body::Variable { switches, .. } => switches,
        }
    }

    fn argument(&self, i: usize) -> Option<&Argument> {
        match &self.body {
            Body::Constant(_) => None,
            Body::Variable { arguments, .. } => {
                let found = arguments.binary_search_by_key(&i, |argument| argument.place);
                found.ok().map(|at| &arguments[at])
            }
        }
    }

    /// The function as a node of a graph whose inputs are its arguments.
    pub(crate) fn node(&self, graph: &mut Graph) -> Id {
        match &self.body {
            Body::Constant(value) => graph.constant(*value),
            Body::Variable { arguments, expr, .. } => graph.expression(expr, &mut |graph, name| {
                let argument = arguments.iter().find(|argument| argument.name == name)?;
                Some(graph.input(argument.place))
            }),
        }
    }
}
