//! Where an expression is not smooth.

use crate::diagnostic::Span;
use poinsot_expr::{BinaryOperator, Expr, Interpolation, Node, Shared};
use std::collections::HashMap;
use std::sync::Arc;

/// How rough a function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Roughness {
    /// The value is continuous, the rate is not.
    Kink,
    /// The value itself may jump.
    Jump,
}

/// The roughest part of an expression that depends on `variable`, and its place in the source.
pub(crate) fn kink(expr: &Expr, variable: &str) -> Option<(Roughness, Span)> {
    roughest(expr, variable, &mut HashMap::new())
}

type Found = Option<(Roughness, Span)>;

/// `known`: what was found in shared parts, which stand where they are used.
fn roughest(expr: &Expr, variable: &str, known: &mut HashMap<*const Shared, Found>) -> Found {
    if !expr.contains(variable) {
        return None;
    }
    // A power of two or more smooths a kink at zero.
    if let Node::Binary(operator, base, exponent) = expr.node()
        && operator.symbol() == "^"
        && matches!(exponent.node(), Node::Number(n) if *n >= 2.0)
    {
        return roughest(base, variable, known).filter(|(roughness, _)| *roughness == Roughness::Jump);
    }
    if let Node::Shared(part) = expr.node() {
        let found = match known.get(&Arc::as_ptr(part)) {
            Some(found) => found.clone(),
            None => {
                let found = roughest(part.expr(), variable, known);
                known.insert(Arc::as_ptr(part), found.clone());
                found
            }
        };
        return found.map(|(roughness, _)| (roughness, expr.span()));
    }
    let own = roughness(expr.node()).map(|roughness| (roughness, expr.span()));
    let inner = children(expr.node()).into_iter().map(|child| roughest(child, variable, known));
    // The outermost of equally rough parts says most.
    inner.fold(own, |worst, found| match (&worst, found) {
        (Some((a, _)), Some((b, span))) if b > *a => Some((b, span)),
        (None, found) => found,
        _ => worst,
    })
}

fn roughness(node: &Node) -> Option<Roughness> {
    match node {
        Node::If(_) => Some(Roughness::Jump),
        Node::Binary(operator, ..) => is_comparison(*operator).then_some(Roughness::Jump),
        Node::Unary(..) | Node::Number(_) | Node::Name(_) | Node::Shared(_) => None,
        Node::Table(table, ..) => (table.interpolation() == Interpolation::Linear).then_some(Roughness::Kink),
        Node::Call(function, _) => match function.name {
            "abs" | "min" | "max" | "clamp" | "ramp" => Some(Roughness::Kink),
            "sign" | "floor" | "ceil" | "round" | "mod" | "step" => Some(Roughness::Jump),
            _ => None,
        },
    }
}

/// Comparisons and the words `and`, `or` give 0 or 1.
fn is_comparison(operator: BinaryOperator) -> bool {
    !["+", "-", "*", "/", "^"].contains(&operator.symbol())
}

fn children(node: &Node) -> Vec<&Expr> {
    match node {
        Node::Number(_) | Node::Name(_) => Vec::new(),
        Node::Shared(part) => vec![part.expr()],
        Node::Unary(_, x) | Node::Table(_, _, x) => vec![x],
        Node::Binary(_, a, b) => vec![a, b],
        Node::If(parts) => parts.iter().collect(),
        Node::Call(_, arguments) => arguments.iter().collect(),
    }
}
