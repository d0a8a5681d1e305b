//! Tree to text, with no more parentheses than the parser needs.

use crate::chain::long_chain;
use crate::expr::{Expr, Node};
use crate::operator::{BinaryOperator, Binding, UnaryOperator};
use crate::table::Table;
use std::fmt;

/// Nodes up to which a shared part is written out.
const LONGEST: usize = 2000;

/// Prints text that parses back to an equal expression, except for the derivatives of a table: they have a
/// prime for each order, `lift'(x)`, and no notation in the language. In a sum or product of more than 64
/// operands the parentheses that do not change the value are left out; what is parsed back may then be
/// grouped differently. Of a shared part that would be very long if written out, an ellipsis stands for the
/// whole; [`Expr::with_named_parts`] gives names to such parts.
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
            Node::Binary(op, a, b) => match long_chain(self) {
                Some(operands) => {
                    for (place, (op, x)) in operands.into_iter().enumerate() {
                        if place > 0 {
                            infix(op, f)?;
                        }
                        let (left, right) = op.operand_bindings();
                        operand(x, if place > 0 { right } else { left }, f)?;
                    }
                    Ok(())
                }
                None => {
                    let (left, right) = op.operand_bindings();
                    operand(a, left, f)?;
                    infix(*op, f)?;
                    operand(b, right, f)
                }
            },
            Node::If(parts) => call("if", parts.as_slice(), f),
            Node::Call(function, arguments) => call(function.name, arguments, f),
            Node::Table(table, order, x) => call(&table_name(table, *order), std::slice::from_ref(x), f),
            Node::Shared(part) if part.expr().written_out() <= LONGEST => part.expr().fmt(f),
            Node::Shared(_) => f.write_str("…"),
        }
    }
}

fn infix(op: BinaryOperator, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match op.binding() {
        Binding::Product | Binding::Power => write!(f, "{op}"),
        _ => write!(f, " {op} "),
    }
}

pub(crate) fn binding(expr: &Expr) -> Binding {
    match &expr.node {
        Node::Unary(op, _) => op.binding(),
        Node::Binary(op, ..) => BinaryOperator::binding(*op),
        Node::Shared(part) => binding(part.expr()),
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
