//! The operators: symbol, binding strength, value.
//!
//! Truth is a number: 0 is false, anything else true; comparisons and logic give 1 or 0. A NaN
//! operand gives NaN, so that a broken number never turns into a decision.

use std::fmt;

/// How tightly a construct binds, loosest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Binding {
    Or,
    And,
    Not,
    Comparison,
    Sum,
    Product,
    Sign,
    Power,
    Atom,
}

/// A prefix operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOperator {
    /// `-x`
    Negate,
    /// `not x`
    Not,
}

impl UnaryOperator {
    pub(crate) fn binding(self) -> Binding {
        match self {
            Self::Negate => Binding::Sign,
            Self::Not => Binding::Not,
        }
    }

    pub(crate) fn apply(self, x: f64) -> f64 {
        match self {
            Self::Negate => -x,
            Self::Not => not(x),
        }
    }
}

/// An infix operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinaryOperator {
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a*b`
    Multiply,
    /// `a/b`
    Divide,
    /// `a^b`
    Power,
    /// `a < b`
    Less,
    /// `a <= b`
    LessEqual,
    /// `a > b`
    Greater,
    /// `a >= b`
    GreaterEqual,
    /// `a == b`
    Equal,
    /// `a != b`
    NotEqual,
    /// `a and b`
    And,
    /// `a or b`
    Or,
}

impl BinaryOperator {
    /// The operator as it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Power => "^",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::And => "and",
            Self::Or => "or",
        }
    }

    pub(crate) fn binding(self) -> Binding {
        match self {
            Self::Add | Self::Subtract => Binding::Sum,
            Self::Multiply | Self::Divide => Binding::Product,
            Self::Power => Binding::Power,
            Self::And => Binding::And,
            Self::Or => Binding::Or,
            _ => Binding::Comparison,
        }
    }

    /// The loosest bindings that the left and the right operand may have without parentheses.
    pub(crate) fn operand_bindings(self) -> (Binding, Binding) {
        match self.binding() {
            Binding::Or => (Binding::Or, Binding::And),
            Binding::And => (Binding::And, Binding::Not),
            Binding::Comparison => (Binding::Sum, Binding::Sum),
            Binding::Sum => (Binding::Sum, Binding::Product),
            Binding::Product => (Binding::Product, Binding::Sign),
            // Right associative, and a sign may stand in the exponent: `2^-x`.
            _ => (Binding::Atom, Binding::Sign),
        }
    }

    /// The value; every evaluator of the language calls this, so all agree to the bit.
    pub(crate) fn apply(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Multiply => a * b,
            Self::Divide => a / b,
            Self::Power => power(a, b),
            Self::Less => less(a, b),
            Self::LessEqual => less_equal(a, b),
            Self::Greater => less(b, a),
            Self::GreaterEqual => less_equal(b, a),
            Self::Equal => equal(a, b),
            Self::NotEqual => not(equal(a, b)),
            Self::And => truth(a) * truth(b),
            Self::Or => truth(truth(a) + truth(b)),
        }
    }
}

impl fmt::Display for BinaryOperator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol())
    }
}

/// 1 if `x` is true, 0 if false.
pub(crate) fn truth(x: f64) -> f64 {
    decide(x, x != 0.0)
}

pub(crate) fn not(x: f64) -> f64 {
    decide(x, x == 0.0)
}

/// a^b. Squares and cubes, the common cases, are products: faster than the general power.
pub(crate) fn power(a: f64, b: f64) -> f64 {
    if b == 2.0 {
        a * a
    } else if b == 3.0 {
        a * a * a
    } else {
        a.powf(b)
    }
}

fn less(a: f64, b: f64) -> f64 {
    compare(a, b, a < b)
}

fn less_equal(a: f64, b: f64) -> f64 {
    compare(a, b, a <= b)
}

fn equal(a: f64, b: f64) -> f64 {
    compare(a, b, a == b)
}

fn compare(a: f64, b: f64, outcome: bool) -> f64 {
    if b.is_nan() { b } else { decide(a, outcome) }
}

fn decide(x: f64, outcome: bool) -> f64 {
    if x.is_nan() { x } else { f64::from(u8::from(outcome)) }
}
