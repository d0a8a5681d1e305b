//! A scalar function of named arguments with its exact partial derivatives.

use crate::builtin::constant;
use crate::evaluate::EvalError;
use crate::expr::Expr;
use crate::graph::{Graph, Id};
use crate::places::Places;
use crate::program::Program;
use crate::switches::Switch;
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
        let places = Places::new(args);
        Self::with_places(expr, &|name| places.of(name), constants)
            .map_err(|error| error.with_candidates(args))
    }

    /// As [`Function::new`], with the place of each argument: for many functions of many arguments, of which
    /// each uses a few. The cost does not depend on the number of arguments.
    ///
    /// ```
    /// use poinsot_expr::{Expr, Function};
    /// use std::collections::HashMap;
    /// let names: Vec<String> = (0..1000).map(|k| format!("x{k}")).collect();
    /// let places: HashMap<&str, usize> = names.iter().enumerate().map(|(k, x)| (x.as_str(), k)).collect();
    /// let place = |name: &str| places.get(name).copied();
    /// let f = Function::with_places(&Expr::parse("2*x7 - x8")?, &place, &|_| None)?;
    /// assert!(f.depends_on(7) && f.depends_on(8) && !f.depends_on(9));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_places(
        expr: &Expr,
        place: &dyn Fn(&str) -> Option<usize>,
        constants: &dyn Fn(&str) -> Option<f64>,
    ) -> Result<Self, EvalError> {
        Ok(Self::with_partials(expr, place, constants)?.0)
    }

    /// The function and the expressions of its partial derivatives that are not 0, sorted by the place of
    /// their argument, with the values of the constants put in.
    pub(crate) fn with_partials(
        expr: &Expr,
        place: &dyn Fn(&str) -> Option<usize>,
        constants: &dyn Fn(&str) -> Option<f64>,
    ) -> Result<(Self, Vec<(usize, Expr)>), EvalError> {
        // The whole expression must make sense, even the parts that simplification removes.
        Program::with_places(expr, place, constants, true)?;
        let number = |name: &str| {
            if place(name).is_some() {
                return None;
            }
            constants(name).or_else(|| constant(name)).map(Expr::number)
        };
        let bound = expr.replace_names(&number).simplify();
        let compile = |expr: &Expr| Program::with_places(expr, place, constants, false);
        let value = compile(&bound)?;
        if let Some(value) = value.is_constant() {
            return Ok((Self::constant(value), Vec::new()));
        }
        let partials = bound.gradient(place);
        let mut arguments: Vec<Argument> = bound
            .names_at(place)
            .into_iter()
            .map(|(place, name)| Argument { place, name, partial: Program::zero() })
            .collect();
        for (place, partial) in &partials {
            if let Ok(at) = arguments.binary_search_by_key(place, |argument| argument.place) {
                arguments[at].partial = compile(partial)?;
            }
        }
        let switches = expr.switches_at(place, constants)?.into();
        let body = Body::Variable { value, arguments: arguments.into(), expr: Box::new(bound), switches };
        Ok((Self { body }, partials))
    }

    /// The function with the same value everywhere, of any number of arguments.
    pub fn constant(value: f64) -> Self {
        Self { body: Body::Constant(value) }
    }

    /// The function that is the argument at a place.
    pub fn input(place: usize) -> Self {
        let expr = Expr::name("x").expect("a name");
        Self::with_places(&expr, &|_| Some(place), &|_| None).expect("an argument has a value")
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

    /// The expression with constants put in, unless it is constant.
    pub fn expression(&self) -> Option<&Expr> {
        match &self.body {
            Body::Constant(_) => None,
            Body::Variable { expr, .. } => Some(expr),
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
            Body::Variable { arguments, expr, .. } => {
                let places = Places::at(arguments.iter().map(|a| (a.name.as_str(), a.place)));
                graph.expression(expr, &mut |graph, name| Some(graph.input(places.of(name)?)))
            }
        }
    }
}
