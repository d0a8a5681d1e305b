//! Long sums and products as trees of little height.
//!
//! The tree of a chain a ± b ± c ... grows from the left. One with many operands is halved again and again
//! instead, so that the height of the tree, and with it the recursion of all that walks it, grows with the
//! logarithm of the length:
//!
//! ```text
//! a − b + c − d = (a − b) + (c − d)        a − b − c + d = (a − b) − (c − d)
//! ```
//! This changes the order of rounding. In a product only what is multiplied stands together, as `a/(b/c)` has
//! no value where `a/b*c` is 0.

use crate::expr::{Expr, Node};
use crate::operator::{BinaryOperator, Binding};
use std::convert::Infallible;

/// Operands of a chain whose tree still grows from the left.
pub(crate) const LONG: usize = 64;

/// Whether operands of the operator stand in a row without parentheses, as in a + b - c.
pub(crate) fn chains(op: BinaryOperator) -> bool {
    matches!(op.binding(), Binding::Sum | Binding::Product | Binding::And | Binding::Or)
}

/// Whether the operator undoes the other one of its binding.
fn is_inverse(op: BinaryOperator) -> bool {
    matches!(op, BinaryOperator::Subtract | BinaryOperator::Divide)
}

/// The operator of a chain, or its inverse.
fn operator(binding: Binding, inverse: bool) -> BinaryOperator {
    match (binding, inverse) {
        (Binding::Sum, false) => BinaryOperator::Add,
        (Binding::Sum, true) => BinaryOperator::Subtract,
        (Binding::Product, false) => BinaryOperator::Multiply,
        (Binding::Product, true) => BinaryOperator::Divide,
        (Binding::And, _) => BinaryOperator::And,
        _ => BinaryOperator::Or,
    }
}

/// Joins the operands of a chain, all of whose operators have the same binding.
pub(crate) fn joined<T, E>(
    first: T,
    rest: Vec<(BinaryOperator, T)>,
    join: &mut dyn FnMut(BinaryOperator, T, T) -> Result<T, E>,
) -> Result<T, E> {
    if rest.len() < LONG {
        return rest.into_iter().try_fold(first, |left, (op, right)| join(op, left, right));
    }
    let binding = rest[0].0.binding();
    let rest = rest.into_iter().map(|(op, x)| (is_inverse(op), x)).collect();
    halved(binding, (false, first), rest, join)
}

/// Joins operands, each with whether it is inverse, relative to the first.
fn halved<T, E>(
    binding: Binding,
    first: (bool, T),
    mut rest: Vec<(bool, T)>,
    join: &mut dyn FnMut(BinaryOperator, T, T) -> Result<T, E>,
) -> Result<T, E> {
    let place = middle(binding, first.0, &rest);
    let mut tail = rest.drain(place..);
    let Some(lead) = tail.next() else {
        drop(tail);
        return Ok(first.1);
    };
    let op = operator(binding, first.0 != lead.0);
    let right = tail.collect();
    let left = halved(binding, first, rest, join)?;
    let right = halved(binding, lead, right, join)?;
    join(op, left, right)
}

/// Where the second half begins.
fn middle(binding: Binding, first: bool, rest: &[(bool, impl Sized)]) -> usize {
    let half = rest.len() / 2;
    if binding != Binding::Product {
        return half;
    }
    let alike = |place: &usize| rest[*place].0 == first;
    let after = (half..rest.len()).find(alike);
    let before = (0..half).rev().find(alike);
    match (before, after) {
        (Some(before), Some(after)) if half - before < after - half => before,
        (Some(before), None) => before,
        (_, Some(after)) => after,
        // The first over the product of all others.
        (None, None) => 0,
    }
}

/// The operands of a chain that is long, with their operators; that of the first does not count.
pub(crate) fn long_chain(expr: &Expr) -> Option<Vec<(BinaryOperator, &Expr)>> {
    let Node::Binary(op, ..) = &expr.node else { return None };
    let binding = op.binding();
    if !chains(*op) || operands(expr, binding).nth(LONG).is_none() {
        return None;
    }
    Some(operands(expr, binding).map(|(inverse, x)| (operator(binding, inverse), x)).collect())
}

/// The operands of a chain, from the left, each with whether it is inverse.
fn operands(expr: &Expr, binding: Binding) -> impl Iterator<Item = (bool, &Expr)> {
    let mut waiting = vec![(false, expr)];
    std::iter::from_fn(move || {
        let (inverse, mut left) = waiting.pop()?;
        while let Node::Binary(op, a, b) = &left.node {
            if op.binding() != binding {
                break;
            }
            waiting.push((inverse != is_inverse(*op), b));
            left = a;
        }
        Some((inverse, left))
    })
}

impl Expr {
    /// The sum of the terms, 0 if there are none; a tree of little height however many there are.
    ///
    /// ```
    /// use poinsot_expr::Expr;
    /// let terms: Vec<Expr> = (1..=100_000).map(|k| Expr::number(f64::from(k))).collect();
    /// assert_eq!(Expr::sum(terms).eval(&|_| None)?, 5_000_050_000.0);
    /// # Ok::<(), poinsot_expr::EvalError>(())
    /// ```
    pub fn sum(terms: Vec<Expr>) -> Self {
        Self::chain(BinaryOperator::Add, terms).unwrap_or_else(|| Self::number(0.0))
    }

    /// The product of the factors, 1 if there are none; a tree of little height however many there are.
    pub fn product(factors: Vec<Expr>) -> Self {
        Self::chain(BinaryOperator::Multiply, factors).unwrap_or_else(|| Self::number(1.0))
    }

    fn chain(op: BinaryOperator, operands: Vec<Expr>) -> Option<Self> {
        let mut operands = operands.into_iter();
        let first = operands.next()?;
        Some(Self::chained(first, operands.map(|x| (op, x)).collect()))
    }

    /// The operands of a chain, each with the operator before it.
    pub(crate) fn chained(first: Expr, rest: Vec<(BinaryOperator, Expr)>) -> Self {
        let mut join = |op, a: Expr, b: Expr| {
            let span = a.span.clone();
            Ok::<_, Infallible>(Expr::new(Node::Binary(op, Box::new(a), Box::new(b)), span))
        };
        match joined(first, rest, &mut join) {
            Ok(expr) => expr,
            Err(never) => match never {},
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn height(expr: &Expr) -> usize {
        let mut below = 0;
        expr.visit_children(&mut |child| below = below.max(height(child)));
        below + 1
    }

    fn random(state: &mut u64) -> u64 {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        *state >> 33
    }

    /// Height and value of random chains of + and -, and of * and / in every mixture.
    #[test]
    fn long_chains_are_low_and_have_their_value() {
        let mut state = 1;
        for n in [2, 64, 65, 66, 100, 1000, 5000] {
            for divisions in [0, 5, 50, 95, 100] {
                for (plain, inverse) in [('+', '-'), ('*', '/')] {
                    let (mut text, mut exact) = (String::from("1.5"), 1.5f64);
                    for _ in 0..n {
                        let x = 0.5 + random(&mut state) as f64 / f64::from(1u32 << 31);
                        let x = if plain == '*' { 1.0 + (x - 1.0) * 0.01 } else { x };
                        let inverted = random(&mut state) % 100 < divisions;
                        text.push(if inverted { inverse } else { plain });
                        text.push_str(&x.to_string());
                        match (plain, inverted) {
                            ('+', false) => exact += x,
                            ('+', true) => exact -= x,
                            (_, false) => exact *= x,
                            (_, true) => exact /= x,
                        }
                    }
                    let expr = Expr::parse(&text).unwrap();
                    let limit = if n < LONG { n + 1 } else { 3 * (n.ilog2() as usize + 2) };
                    assert!(height(&expr) <= limit, "{n} {divisions} {plain}: {}", height(&expr));
                    let value = expr.eval(&|_| None).unwrap();
                    assert!((value - exact).abs() <= 1e-12 * (n as f64 + exact.abs()), "{value} {exact}");
                    let printed = expr.to_string();
                    assert!(!printed.contains('('));
                    assert!(Expr::parse(&printed).unwrap() == expr);
                }
            }
        }
    }
}
