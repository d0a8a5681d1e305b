//! The value of an expression, with errors that point at the part that has none.

use crate::builtin::{Builtin, CONSTANTS, constant};
use crate::expr::{Expr, Node};
use crate::operator::{BinaryOperator, truth};
use crate::print::table_name;
use crate::shared::Parts;
use crate::suggest::{hint, suggest};
use crate::table::Table;
use std::ops::Range;

/// Why an expression has no value.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EvalError {
    /// A name that stands for nothing.
    #[error("unknown name `{name}`{}", hint(suggestion))]
    UnknownName {
        /// The name.
        name: String,
        /// Where it stands in the source.
        span: Range<usize>,
        /// A known name that is near to it.
        suggestion: Option<String>,
    },
    /// An operation whose result is not a finite number.
    #[error("{message}")]
    NotFinite {
        /// The operator, function or name without a finite value, e.g. `/` or `sqrt`.
        operation: String,
        /// What went wrong, with the numbers.
        message: String,
        /// Where the operation stands in the source.
        span: Range<usize>,
    },
    /// An expression whose derivatives are too long to be formed.
    #[error(
        "the second derivatives of this expression are too large; split its products or nested functions"
    )]
    TooLarge {
        /// Where the expression stands in the source.
        span: Range<usize>,
    },
}

impl EvalError {
    /// The bytes of the source at fault.
    pub fn span(&self) -> Range<usize> {
        match self {
            Self::UnknownName { span, .. } | Self::NotFinite { span, .. } | Self::TooLarge { span } => {
                span.clone()
            }
        }
    }

    /// What was probably meant: text to put in place of the span.
    pub fn suggestion(&self) -> Option<&str> {
        match self {
            Self::UnknownName { suggestion, .. } => suggestion.as_deref(),
            Self::NotFinite { .. } | Self::TooLarge { .. } => None,
        }
    }

    /// Completes an unknown name with the nearest of the names that the caller knows.
    pub fn with_candidates<S: AsRef<str>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        if let Self::UnknownName { name, suggestion, .. } = &mut self {
            let nearest = suggest(name, names);
            *suggestion = nearest.or(suggestion.take());
        }
        self
    }

    /// The same error at another place.
    pub(crate) fn relocated(mut self, to: &Range<usize>) -> Self {
        match &mut self {
            Self::UnknownName { span, .. } | Self::NotFinite { span, .. } | Self::TooLarge { span } => {
                *span = to.clone();
            }
        }
        self
    }

    pub(crate) fn unknown(name: &str, span: &Range<usize>) -> Self {
        Self::UnknownName {
            name: name.to_string(),
            span: span.clone(),
            suggestion: suggest(name, CONSTANTS.iter().map(|c| c.name)),
        }
    }

    pub(crate) fn infinite_name(name: &str, value: f64, span: &Range<usize>) -> Self {
        Self::NotFinite {
            operation: name.to_string(),
            message: format!("the value of `{name}` is not finite ({value})"),
            span: span.clone(),
        }
    }

    pub(crate) fn operator(op: BinaryOperator, a: f64, b: f64, span: &Range<usize>) -> Self {
        let reason = match op {
            BinaryOperator::Divide if b == 0.0 => "division by zero",
            BinaryOperator::Power if a == 0.0 && b < 0.0 => "zero to a negative power",
            BinaryOperator::Power if a < 0.0 && b != b.round() => {
                "a negative number to a power that is not an integer"
            }
            _ => "overflow: the result is too large",
        };
        Self::NotFinite {
            operation: op.symbol().to_string(),
            message: format!("{reason}: {}", shown(op, a, b)),
            span: span.clone(),
        }
    }

    pub(crate) fn function(f: &Builtin, arguments: &[f64], span: &Range<usize>) -> Self {
        let values: Vec<Expr> = arguments.iter().map(|&x| Expr::number(x)).collect();
        let values: Vec<String> = values.iter().map(Expr::to_string).collect();
        let call = format!("{}({})", f.name, values.join(", "));
        let message = match f.domain {
            Some(domain) => format!("{call} has no finite value: `{}` needs {domain}", f.signature()),
            None => format!("overflow: the result of {call} is too large"),
        };
        Self::NotFinite { operation: f.name.to_string(), message, span: span.clone() }
    }

    pub(crate) fn table(f: &Table, order: u32, x: f64, span: &Range<usize>) -> Self {
        let operation = table_name(f, order);
        let message = format!("overflow: the result of {operation}({}) is too large", Expr::number(x));
        Self::NotFinite { operation, message, span: span.clone() }
    }
}

/// The operation with its operands, in the notation of the language.
fn shown(op: BinaryOperator, a: f64, b: f64) -> String {
    let (a, b) = (Box::new(Expr::number(a)), Box::new(Expr::number(b)));
    Expr::new(Node::Binary(op, a, b), 0..0).to_string()
}

impl Expr {
    /// The value, where `names` gives the value of each name.
    ///
    /// `pi` and `e` have their usual values unless `names` gives them another. Only the branch of an
    /// `if` that is taken is evaluated, and the right side of `and` and `or` only if it matters. A
    /// result that is not finite is an error, wherever in the expression it arises.
    ///
    /// ```
    /// use poinsot_expr::Expr;
    /// let names = |name: &str| (name == "L").then_some(2.0);
    /// assert_eq!(Expr::parse("0.5*L^2")?.eval(&names)?, 2.0);
    ///
    /// let error = Expr::parse("1 + 3/(L - 2)")?.eval(&names).unwrap_err();
    /// assert_eq!(error.to_string(), "division by zero: 3/0");
    /// assert_eq!(error.span(), 4..13);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn eval(&self, names: &dyn Fn(&str) -> Option<f64>) -> Result<f64, EvalError> {
        // A part without a value is an error only where it is used.
        let parts = Parts::of(self, |part, parts| Values { names, parts }.of(part));
        Values { names, parts: &parts }.of(self)
    }
}

/// What names and shared parts stand for.
struct Values<'a> {
    names: &'a dyn Fn(&str) -> Option<f64>,
    parts: &'a Parts<Result<f64, EvalError>>,
}

impl Values<'_> {
    fn of(&self, expr: &Expr) -> Result<f64, EvalError> {
        let span = &expr.span;
        match &expr.node {
            Node::Number(value) => Ok(*value),
            Node::Name(name) => match (self.names)(name).or_else(|| constant(name)) {
                Some(value) if value.is_finite() => Ok(value),
                Some(value) => Err(EvalError::infinite_name(name, value, span)),
                None => Err(EvalError::unknown(name, span)),
            },
            Node::Unary(op, x) => Ok(op.apply(self.of(x)?)),
            Node::Binary(op, a, b) => self.binary(*op, self.of(a)?, b, span),
            Node::If(parts) => {
                let [condition, value, otherwise] = parts.as_ref();
                self.of(if self.of(condition)? == 0.0 { otherwise } else { value })
            }
            Node::Call(f, arguments) => {
                let values: Result<Vec<f64>, _> = arguments.iter().map(|x| self.of(x)).collect();
                let values = values?;
                finite(f.apply(&values)).ok_or_else(|| EvalError::function(f, &values, span))
            }
            Node::Table(f, order, x) => {
                let x = self.of(x)?;
                finite(f.value(x, *order)).ok_or_else(|| EvalError::table(f, *order, x, span))
            }
            Node::Shared(part) => match self.parts.get(part) {
                Some(value) => value.clone().map_err(|error| error.relocated(span)),
                None => self.of(part.expr()),
            },
        }
    }

    fn binary(&self, op: BinaryOperator, a: f64, b: &Expr, span: &Range<usize>) -> Result<f64, EvalError> {
        match op {
            BinaryOperator::And if a == 0.0 => Ok(0.0),
            BinaryOperator::Or if a != 0.0 => Ok(1.0),
            BinaryOperator::And | BinaryOperator::Or => Ok(truth(self.of(b)?)),
            _ => {
                let b = self.of(b)?;
                finite(op.apply(a, b)).ok_or_else(|| EvalError::operator(op, a, b, span))
            }
        }
    }
}

pub(crate) fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
