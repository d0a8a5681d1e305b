//! A scalar function of named arguments with its exact first and second partial derivatives.

use crate::block::Engine;
use crate::evaluate::EvalError;
use crate::expr::Expr;
use crate::function::Function;
use crate::jet::Jet;
use crate::places::Places;
use crate::program::Program;
use std::sync::{Arc, OnceLock};

/// The largest bound on the size of a second derivative, in nodes; see [`Expr::derivative_size`].
const MAX_SIZE: usize = 1_000_000;

/// A [`Function`] with its exact second partial derivatives.
///
/// Neither value nor derivative allocates; constants cost nothing.
///
/// ```
/// use poinsot_expr::{Expr, SmoothFunction};
/// let f = SmoothFunction::new(&Expr::parse("a*x^2*t + y")?, &["x", "y", "t"], &|_| Some(0.5))?;
/// let at = [2.0, 1.0, 3.0];
/// assert_eq!((f.value(&at), f.partial(0, &at)), (7.0, 6.0));
/// assert_eq!((f.second(0, 0, &at), f.second(0, 2, &at), f.second(2, 0, &at)), (3.0, 2.0, 2.0));
/// assert!(f.second_is_zero(1, 1) && f.second_is_zero(1, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct SmoothFunction {
    first: Function,
    /// The derivatives with respect to arguments i and j ≤ i at i (i + 1)/2 + j; none if constant.
    second: Box<[Program]>,
    arguments: usize,
    /// Made when it is first asked for, and shared by all copies.
    jet: Arc<OnceLock<Jet>>,
}

impl SmoothFunction {
    /// Compiles the expression and its derivatives as functions of `args`, in this order.
    ///
    /// Errors are those of [`Function::new`], and [`EvalError::TooLarge`] if the second derivatives
    /// of a long product or deep nest of functions would fill the memory.
    pub fn new(
        expr: &Expr,
        args: &[&str],
        constants: &dyn Fn(&str) -> Option<f64>,
    ) -> Result<Self, EvalError> {
        let places = Places::new(args);
        let place = |name: &str| places.of(name);
        let (first, partials) =
            Function::with_partials(expr, &place, constants).map_err(|error| error.with_candidates(args))?;
        if first.as_constant().is_some() {
            return Ok(Self { first, second: Box::default(), arguments: args.len(), jet: Arc::default() });
        }
        let mut second = vec![Program::zero(); args.len() * (args.len() + 1) / 2];
        for (i, partial) in &partials {
            if partial.derivative_size() > MAX_SIZE {
                return Err(EvalError::TooLarge { span: expr.span() });
            }
            for (j, derivative) in partial.gradient(&|name| place(name).filter(|j| j <= i)) {
                let program = Program::with_places(&derivative, &place, constants, false)?;
                second[i * (i + 1) / 2 + j] = program;
            }
        }
        Ok(Self { first, second: second.into(), arguments: args.len(), jet: Arc::default() })
    }

    /// The function with the same value everywhere, of any number of arguments.
    pub fn constant(value: f64) -> Self {
        Self { first: Function::constant(value), second: Box::default(), arguments: 0, jet: Arc::default() }
    }

    /// The same function without its second derivatives.
    pub fn function(&self) -> &Function {
        &self.first
    }

    /// The function and its derivatives compiled together, for evaluation again and again. That of
    /// [`SmoothFunction::constant`] has no arguments.
    pub fn jet(&self) -> &Jet {
        self.jet.get_or_init(|| Jet::new(&self.first, self.arguments, Engine::Native))
    }

    /// The value.
    ///
    /// # Panics
    ///
    /// If `values` ends before an argument that the function depends on.
    pub fn value(&self, values: &[f64]) -> f64 {
        self.first.value(values)
    }

    /// The partial derivative with respect to argument `i`; 0 if there is no such argument.
    ///
    /// # Panics
    ///
    /// As [`SmoothFunction::value`].
    pub fn partial(&self, i: usize, values: &[f64]) -> f64 {
        self.first.partial(i, values)
    }

    /// The second partial derivative with respect to the arguments `i` and `j`, in either order; 0 if
    /// there is no such argument.
    ///
    /// # Panics
    ///
    /// As [`SmoothFunction::value`].
    pub fn second(&self, i: usize, j: usize, values: &[f64]) -> f64 {
        self.program(i, j).map_or(0.0, |program| program.eval(values))
    }

    /// The value, if it is the same everywhere.
    pub fn as_constant(&self) -> Option<f64> {
        self.first.as_constant()
    }

    /// Whether the value is 0 everywhere.
    pub fn is_zero(&self) -> bool {
        self.first.is_zero()
    }

    /// Whether the value may change with argument `i`.
    pub fn depends_on(&self, i: usize) -> bool {
        self.first.depends_on(i)
    }

    /// As [`Function::partial_is_zero`].
    pub fn partial_is_zero(&self, i: usize) -> bool {
        self.first.partial_is_zero(i)
    }

    /// Whether the second partial derivative with respect to the arguments `i` and `j` is 0 wherever
    /// it exists: if it is for i = j, the function is linear in argument i, or is so piecewise as
    /// `abs` is.
    pub fn second_is_zero(&self, i: usize, j: usize) -> bool {
        self.program(i, j).is_none_or(|program| program.is_constant() == Some(0.0))
    }

    fn program(&self, i: usize, j: usize) -> Option<&Program> {
        let (low, high) = (i.min(j), i.max(j));
        // The square may not exist for an argument that does not either.
        let row = high.checked_mul(high.checked_add(1)?)? / 2;
        self.second.get(row.checked_add(low)?)
    }
}
