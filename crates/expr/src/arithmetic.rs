//! Arithmetic of expressions, with the obvious simplifications: `x + 0` is `x`.

use crate::equation::rate_name;
use crate::expr::{Expr, Node};
use crate::operator::BinaryOperator;
use crate::simplify::{binary, negate};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// The result stands where the first operand stood.
fn combine(op: BinaryOperator, a: Expr, b: Expr) -> Expr {
    let span = a.span();
    binary(op, a, b, &span)
}

impl Add for Expr {
    type Output = Expr;
    fn add(self, other: Expr) -> Expr {
        combine(BinaryOperator::Add, self, other)
    }
}

impl Sub for Expr {
    type Output = Expr;
    fn sub(self, other: Expr) -> Expr {
        combine(BinaryOperator::Subtract, self, other)
    }
}

impl Mul for Expr {
    type Output = Expr;
    fn mul(self, other: Expr) -> Expr {
        combine(BinaryOperator::Multiply, self, other)
    }
}

impl Div for Expr {
    type Output = Expr;
    fn div(self, other: Expr) -> Expr {
        combine(BinaryOperator::Divide, self, other)
    }
}

impl Neg for Expr {
    type Output = Expr;
    fn neg(self) -> Expr {
        let span = self.span();
        negate(self, &span)
    }
}

impl Expr {
    /// The rate of a variable, a name of its own: `der(x)`.
    pub fn rate(variable: &str) -> Self {
        Expr::new(Node::Name(rate_name(variable)), 0..0)
    }

    /// The expression with other names: every name that `value` has an expression for, at once.
    pub fn with_names(&self, value: &dyn Fn(&str) -> Option<Expr>) -> Self {
        self.replace_names(value)
    }

    /// Whether it is the literal zero.
    pub fn is_zero(&self) -> bool {
        self.is_literal(0.0)
    }
}
