//! Exact symbolic differentiation.
//!
//! Operators and functions state their total differential in the language itself: `dx` is the
//! differential of the operand `x`. Differentiation puts operands and their derivatives into it.

use crate::builtin::{BUILTINS, Value};
use crate::expr::{Expr, Node};
use crate::operator::{BinaryOperator, UnaryOperator};
use crate::simplify::{binary, call, choice, negate, table, unary};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

impl Expr {
    /// The derivative with respect to the name `variable`; all other names are constants.
    ///
    /// Piecewise functions are differentiated branch by branch: `abs` gives `sign`, `min` and `max`
    /// an `if`, `floor`, `step` and comparisons 0. Where the function has no derivative, as `sqrt(x)`
    /// at 0, the result has no finite value, or at a kink or jump that of one side.
    ///
    /// ```
    /// use poinsot_expr::Expr;
    /// let x = Expr::parse("a*sin(w*t)")?;
    /// assert_eq!(x.derivative("t").to_string(), "a*(cos(w*t)*w)");
    /// # Ok::<(), poinsot_expr::ParseError>(())
    /// ```
    pub fn derivative(&self, variable: &str) -> Self {
        self.simplify().differentiate(variable)
    }

    fn differentiate(&self, variable: &str) -> Self {
        let span = &self.span;
        let d = |x: &Expr| x.differentiate(variable);
        match &self.node {
            Node::Name(name) if name == variable => Self::number_at(1.0, span.clone()),
            Node::Number(_) | Node::Name(_) | Node::Unary(UnaryOperator::Not, _) => {
                Self::number_at(0.0, span.clone())
            }
            Node::Unary(UnaryOperator::Negate, x) => negate(d(x), span),
            Node::Binary(op, a, b) => match differential(*op) {
                Some(rule) => Rule {
                    names: &["a", "b"],
                    operands: &[a, b],
                    differentials: vec![Some(d(a)), Some(d(b))],
                    at: span,
                }
                .apply(parsed(rule)),
                None => Self::number_at(0.0, span.clone()),
            },
            Node::If(parts) => {
                let [condition, value, otherwise] = parts.as_ref();
                choice(condition.clone(), d(value), d(otherwise), span)
            }
            Node::Call(f, arguments) => match (f.value, &arguments[..]) {
                // f(x, y, z) = f(f(x, y), z)
                (Value::Fold(_), [first @ .., last]) if first.len() > 1 => {
                    let inner = Self::new(Node::Call(f, first.to_vec()), span.clone());
                    d(&Self::new(Node::Call(f, vec![inner, last.clone()]), span.clone()))
                }
                _ => Rule {
                    names: f.arguments,
                    operands: &arguments.iter().collect::<Vec<&Expr>>(),
                    differentials: arguments.iter().map(|x| Some(d(x))).collect(),
                    at: span,
                }
                .apply(parsed(f.differential)),
            },
            // d f(x) = f'(x) dx
            Node::Table(f, order, x) => {
                let slope = table(f, order + 1, x.as_ref().clone(), span);
                binary(BinaryOperator::Multiply, slope, d(x), span)
            }
        }
    }

    /// A bound on the number of nodes of a derivative, up to a factor of a few: every node adds its
    /// rule, in which copies of the operands stand unless it is that of a sum.
    pub(crate) fn derivative_size(&self) -> usize {
        self.sizes().1
    }

    /// The number of nodes, and the bound on that of a derivative.
    fn sizes(&self) -> (usize, usize) {
        let (mut size, mut bound, mut condition) = (1usize, 1usize, None);
        self.visit_children(&mut |child| {
            let (nodes, nodes_of_derivative) = child.sizes();
            size = size.saturating_add(nodes);
            bound = bound.saturating_add(nodes_of_derivative);
            condition.get_or_insert(nodes);
        });
        let copied = match &self.node {
            Node::Number(_) | Node::Name(_) | Node::Unary(..) => 0,
            Node::Binary(BinaryOperator::Add | BinaryOperator::Subtract, ..) => 0,
            Node::If(_) => condition.unwrap_or(0),
            Node::Binary(..) | Node::Call(..) | Node::Table(..) => size,
        };
        (size, bound.saturating_add(copied))
    }
}

/// The total differential of an operator on `a` and `b`; `None` for the piecewise constant ones.
pub(crate) fn differential(op: BinaryOperator) -> Option<&'static str> {
    match op {
        BinaryOperator::Add => Some("da + db"),
        BinaryOperator::Subtract => Some("da - db"),
        BinaryOperator::Multiply => Some("da*b + a*db"),
        BinaryOperator::Divide => Some("da/b - a*db/b^2"),
        BinaryOperator::Power => Some("b*a^(b - 1)*da + a^b*log(a)*db"),
        _ => None,
    }
}

const ARITHMETIC: [BinaryOperator; 5] = [
    BinaryOperator::Add,
    BinaryOperator::Subtract,
    BinaryOperator::Multiply,
    BinaryOperator::Divide,
    BinaryOperator::Power,
];

static RULES: LazyLock<HashMap<&'static str, Expr>> = LazyLock::new(|| {
    let operators = ARITHMETIC.iter().filter_map(|op| differential(*op));
    let functions = BUILTINS.iter().map(|b| b.differential);
    let parsed = |text| Some((text, Expr::parse(text).ok()?));
    operators.chain(functions).filter_map(parsed).collect()
});

pub(crate) fn parsed(rule: &'static str) -> &'static Expr {
    // The rules are constants of this crate; tests parse every one.
    RULES.get(rule).expect("differential rule parses")
}

/// What the names in a rule stand for.
struct Rule<'a> {
    names: &'a [&'a str],
    operands: &'a [&'a Expr],
    /// Taken, not copied, when used: the derivative of a long product is long, and copying it at
    /// every factor would cost the cube of the length. A rule uses each differential at most once.
    differentials: Vec<Option<Expr>>,
    at: &'a Range<usize>,
}

impl Rule<'_> {
    /// The rule with operands and differentials in place of their names, simplified.
    fn apply(&mut self, rule: &Expr) -> Expr {
        let at = self.at;
        match &rule.node {
            Node::Number(value) => Expr::number_at(*value, at.clone()),
            Node::Name(name) => self.resolve(name),
            Node::Unary(op, x) => unary(*op, self.apply(x), at),
            Node::Binary(op, a, b) => binary(*op, self.apply(a), self.apply(b), at),
            Node::If(parts) => {
                let [condition, value, otherwise] = parts.each_ref().map(|part| self.apply(part));
                choice(condition, value, otherwise, at)
            }
            Node::Call(f, arguments) => call(f, arguments.iter().map(|x| self.apply(x)).collect(), at),
            Node::Table(f, order, x) => table(f, *order, self.apply(x), at),
        }
    }

    fn resolve(&mut self, name: &str) -> Expr {
        let slot = |name: &str| self.names.iter().position(|other| *other == name);
        if let Some(i) = slot(name) {
            return self.operands[i].clone();
        }
        let differential = name.strip_prefix('d').and_then(slot);
        // A property of the constant rules, tested below.
        differential
            .and_then(|i| self.differentials[i].take())
            .expect("a rule uses its arguments, and each differential once")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every name is an operand or a differential, and no differential comes twice.
    fn check(rule: &'static str, operands: &[&str]) {
        let mut seen = Vec::new();
        for (name, _) in parsed(rule).variables() {
            if operands.contains(&name.as_str()) {
                continue;
            }
            let of = name.strip_prefix('d').unwrap_or_default().to_string();
            assert!(operands.contains(&of.as_str()), "{rule}: {name}");
            assert!(!seen.contains(&of), "{rule}: {name} twice");
            seen.push(of);
        }
    }

    #[test]
    fn every_rule_is_sound() {
        for op in ARITHMETIC {
            check(differential(op).unwrap(), &["a", "b"]);
        }
        for b in BUILTINS {
            check(b.differential, b.arguments);
        }
    }
}
