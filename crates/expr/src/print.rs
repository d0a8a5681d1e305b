//! Tree to text, with no more parentheses than the parser needs.

use crate::expr::{Expr, Node};
use crate::operator::{BinaryOperator, Binding, UnaryOperator};
use crate::table::Table;
use std::fmt;

/// Prints text that parses back to an equal expression, except for the derivatives of a table: they
/// have a prime for each order, `lift'(x)`, and no notation in the language.
impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.node {
            Node::Number(value) => number(*value, f),
            Node::Name(name) => f.write_str(name),
            Node::Unary(op, x) => {
                f.write_str(match op {
                    UnaryOperator::Negate => "-",
                    UnaryOperator::Not => "not ",
                })?;
                operand(x, op.binding(), f)
            }
            Node::Binary(op, a, b) => {
                let (left, right) = op.operand_bindings();
                operand(a, left, f)?;
                match op.binding() {
                    Binding::Product | Binding::Power => write!(f, "{op}")?,
                    _ => write!(f, " {op} ")?,
                }
                operand(b, right, f)
            }
            Node::If(parts) => call("if", parts.as_slice(), f),
            Node::Call(function, arguments) => call(function.name, arguments, f),
            Node::Table(table, order, x) => call(&table_name(table, *order), std::slice::from_ref(x), f),
        }
    }
}

fn binding(expr: &Expr) -> Binding {
    match &expr.node {
        Node::Unary(op, _) => op.binding(),
        Node::Binary(op, ..) => BinaryOperator::binding(*op),
        _ => Binding::Atom,
    }
}

fn operand(expr: &Expr, loosest: Binding, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if binding(expr) < loosest { write!(f, "({expr})") } else { write!(f, "{expr}") }
}

/// The name of a table, or of its derivative.
pub(crate) fn table_name(table: &Table, order: u32) -> String {
    format!("{}{}", table.name(), "'".repeat(order as usize))
}

fn call(name: &str, arguments: &[Expr], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "{name}(")?;
    for (i, argument) in arguments.iter().enumerate() {
        let comma = if i == 0 { "" } else { ", " };
        write!(f, "{comma}{argument}")?;
    }
    f.write_str(")")
}

/// The shortest digits that read back to the same number; an exponent if that is shorter to read.
fn number(value: f64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if value == 0.0 || (1e-5..1e16).contains(&value) { write!(f, "{value}") } else { write!(f, "{value:e}") }
}
