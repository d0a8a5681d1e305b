//! Construction of nodes with the obvious simplifications.
//!
//! Every rule is exact for finite operands, up to the sign of a zero: no rule changes the rounding.

use crate::builtin::Builtin;
use crate::evaluate::finite;
use crate::expr::{Expr, Node};
use crate::operator::{BinaryOperator, UnaryOperator};
use crate::shared::Parts;
use crate::table::Table;
use std::ops::Range;
use std::sync::Arc;

impl Expr {
    /// An equal but simpler expression: constants folded, `0 + x`, `1*x`, `0*x`, `x^1` and the like
    /// reduced, decided `if`s replaced by their branch.
    ///
    /// Equal means the same value wherever all parts of the original have a finite value, except
    /// that a zero may change sign.
    ///
    /// ```
    /// use poinsot_expr::Expr;
    /// assert_eq!(Expr::parse("0*a + 1*x^(3 - 2)")?.simplify().to_string(), "x");
    /// # Ok::<(), poinsot_expr::ParseError>(())
    /// ```
    pub fn simplify(&self) -> Self {
        self.map_parts(&|expr, parts| expr.simplified(parts))
    }

    fn simplified(&self, parts: &Parts<Expr>) -> Self {
        let span = &self.span;
        let of = |x: &Expr| x.simplified(parts);
        match &self.node {
            Node::Number(_) | Node::Name(_) => self.clone(),
            Node::Unary(op, x) => unary(*op, of(x), span),
            Node::Binary(op, a, b) => binary(*op, of(a), of(b), span),
            Node::If(parts) => {
                let [condition, value, otherwise] = parts.as_ref();
                choice(of(condition), of(value), of(otherwise), span)
            }
            Node::Call(f, arguments) => call(f, arguments.iter().map(of).collect(), span),
            Node::Table(f, order, x) => table(f, *order, of(x), span),
            Node::Shared(part) => parts.expr(part, span),
        }
    }

    /// The value, if the expression is a literal with or without sign.
    pub(crate) fn literal(&self) -> Option<f64> {
        match &self.node {
            Node::Number(value) => Some(*value),
            Node::Unary(UnaryOperator::Negate, x) => x.literal().map(|value| -value),
            _ => None,
        }
    }

    pub(crate) fn is_literal(&self, value: f64) -> bool {
        self.literal() == Some(value)
    }

    /// The operand of a negation.
    fn negated(self) -> Result<Expr, Expr> {
        match self.node {
            Node::Unary(UnaryOperator::Negate, x) => Ok(*x),
            _ => Err(self),
        }
    }
}

/// A folded constant; a zero has no sign.
fn literal(value: f64, span: &Range<usize>) -> Expr {
    Expr::number_at(if value == 0.0 { 0.0 } else { value }, span.clone())
}

pub(crate) fn unary(op: UnaryOperator, x: Expr, span: &Range<usize>) -> Expr {
    if let Some(value) = x.literal() {
        return literal(op.apply(value), span);
    }
    match (op, x.negated()) {
        (UnaryOperator::Negate, Ok(x)) => x,
        // The negation of x is true exactly when x is.
        (_, Ok(x)) | (_, Err(x)) => Expr::new(Node::Unary(op, Box::new(x)), span.clone()),
    }
}

pub(crate) fn negate(x: Expr, span: &Range<usize>) -> Expr {
    unary(UnaryOperator::Negate, x, span)
}

pub(crate) fn binary(op: BinaryOperator, a: Expr, b: Expr, span: &Range<usize>) -> Expr {
    if let (Some(x), Some(y)) = (a.literal(), b.literal())
        && let Some(value) = finite(op.apply(x, y))
    {
        return literal(value, span);
    }
    match op {
        BinaryOperator::Add => add(a, b, span),
        BinaryOperator::Subtract => subtract(a, b, span),
        BinaryOperator::Multiply => multiply(a, b, span),
        BinaryOperator::Divide => divide(a, b, span),
        BinaryOperator::Power => power(a, b, span),
        BinaryOperator::And if a.is_literal(0.0) || b.is_literal(0.0) => literal(0.0, span),
        BinaryOperator::Or if is_true(&a) || is_true(&b) => literal(1.0, span),
        _ => plain(op, a, b, span),
    }
}

fn is_true(x: &Expr) -> bool {
    x.literal().is_some_and(|value| value != 0.0)
}

fn plain(op: BinaryOperator, a: Expr, b: Expr, span: &Range<usize>) -> Expr {
    Expr::new(Node::Binary(op, Box::new(a), Box::new(b)), span.clone())
}

/// 0 + b = b, a + 0 = a, a + (-b) = a - b.
fn add(a: Expr, b: Expr, span: &Range<usize>) -> Expr {
    if a.is_literal(0.0) {
        return b;
    }
    if b.is_literal(0.0) {
        return a;
    }
    match b.negated() {
        Ok(b) => plain(BinaryOperator::Subtract, a, b, span),
        Err(b) => plain(BinaryOperator::Add, a, b, span),
    }
}

/// a - 0 = a, 0 - b = -b, a - (-b) = a + b.
fn subtract(a: Expr, b: Expr, span: &Range<usize>) -> Expr {
    if b.is_literal(0.0) {
        return a;
    }
    if a.is_literal(0.0) {
        return negate(b, span);
    }
    match b.negated() {
        Ok(b) => plain(BinaryOperator::Add, a, b, span),
        Err(b) => plain(BinaryOperator::Subtract, a, b, span),
    }
}

/// 0 b = 0, 1 b = b, (-a) b = -(a b), and the same from the right.
fn multiply(a: Expr, b: Expr, span: &Range<usize>) -> Expr {
    if a.is_literal(0.0) || b.is_literal(0.0) {
        return literal(0.0, span);
    }
    if a.is_literal(1.0) {
        return b;
    }
    if b.is_literal(1.0) {
        return a;
    }
    signed(BinaryOperator::Multiply, a, b, span)
}

/// 0/b = 0, a/1 = a, (-a)/b = a/(-b) = -(a/b).
fn divide(a: Expr, b: Expr, span: &Range<usize>) -> Expr {
    if b.is_literal(1.0) {
        return a;
    }
    if a.is_literal(0.0) && !b.is_literal(0.0) {
        return a;
    }
    signed(BinaryOperator::Divide, a, b, span)
}

/// A product or quotient with the signs of its operands drawn to the front.
fn signed(op: BinaryOperator, a: Expr, b: Expr, span: &Range<usize>) -> Expr {
    match (a.negated(), b.negated()) {
        (Ok(a), Ok(b)) => binary(op, a, b, span),
        (Ok(a), Err(b)) | (Err(a), Ok(b)) => negate(binary(op, a, b, span), span),
        (Err(a), Err(b)) => plain(op, a, b, span),
    }
}

/// a^0 = 1, a^1 = a, 1^b = 1.
fn power(a: Expr, b: Expr, span: &Range<usize>) -> Expr {
    if b.is_literal(0.0) || a.is_literal(1.0) {
        return literal(1.0, span);
    }
    if b.is_literal(1.0) {
        return a;
    }
    plain(BinaryOperator::Power, a, b, span)
}

pub(crate) fn choice(condition: Expr, value: Expr, otherwise: Expr, span: &Range<usize>) -> Expr {
    match condition.literal() {
        Some(0.0) => otherwise,
        Some(_) => value,
        None if value == otherwise => value,
        None => {
            let parts = Box::new([condition, value, otherwise]);
            Expr::new(Node::If(parts), span.clone())
        }
    }
}

pub(crate) fn call(f: &'static Builtin, arguments: Vec<Expr>, span: &Range<usize>) -> Expr {
    let values: Option<Vec<f64>> = arguments.iter().map(Expr::literal).collect();
    if let Some(value) = values.and_then(|values| finite(f.apply(&values))) {
        return literal(value, span);
    }
    Expr::new(Node::Call(f, arguments), span.clone())
}

/// Derivatives above the degree of the table are 0.
pub(crate) fn table(f: &Arc<Table>, order: u32, x: Expr, span: &Range<usize>) -> Expr {
    if order > f.degree() {
        return literal(0.0, span);
    }
    if let Some(value) = x.literal().and_then(|x| finite(f.value(x, order))) {
        return literal(value, span);
    }
    Expr::new(Node::Table(Arc::clone(f), order, Box::new(x)), span.clone())
}
