//! Exact symbolic differentiation.
//!
//! Operators and functions state their total differential in the language itself: `dx` is the
//! differential of the operand `x`. Differentiation puts operands and their derivatives into it.

use crate::builtin::{BUILTINS, Builtin, Value};
use crate::expr::{Expr, Node};
use crate::operator::{BinaryOperator, UnaryOperator};
use crate::shared::Parts;
use crate::simplify::{binary, call, choice, negate, table, unary};
use std::collections::{BTreeMap, HashMap};
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
        let mut slopes = self.simplify().all_slopes(&|name| (name == variable).then_some(0));
        slopes.remove(&0).unwrap_or_else(|| Self::number_at(0.0, self.span.clone()))
    }

    /// All partial derivatives that are not 0 everywhere, by the names that have an index, sorted by it. Each
    /// is what [`Expr::derivative`] gives, but all are formed together: for a sum of terms that depend on a
    /// few names each, the cost grows with the number of terms only.
    ///
    /// ```
    /// use poinsot_expr::Expr;
    /// let energy = Expr::parse("k*x^2 + m*g*y")?;
    /// let gradient = energy.gradient(&|name| ["x", "y", "z"].iter().position(|other| *other == name));
    /// let texts: Vec<_> = gradient.iter().map(|(index, expr)| (*index, expr.to_string())).collect();
    /// assert_eq!(texts, [(0, "k*(2*x)".to_string()), (1, "m*g".to_string())]);
    /// # Ok::<(), poinsot_expr::ParseError>(())
    /// ```
    pub fn gradient(&self, index: &dyn Fn(&str) -> Option<usize>) -> Vec<(usize, Expr)> {
        self.simplify().all_slopes(index).into_iter().collect()
    }

    /// The derivatives of a simplified expression; those of shared parts are shared in turn.
    fn all_slopes(&self, index: &dyn Fn(&str) -> Option<usize>) -> Slopes {
        let parts = Parts::of(self, |part, parts| {
            let slopes = part.slopes(index, parts).into_iter();
            slopes.map(|(i, d)| (i, d.shared())).collect()
        });
        self.slopes(index, &parts)
    }

    fn slopes(&self, index: &dyn Fn(&str) -> Option<usize>, parts: &Parts<Slopes>) -> Slopes {
        let span = &self.span;
        let of = |x: &Expr| x.slopes(index, parts);
        match &self.node {
            Node::Number(_) | Node::Unary(UnaryOperator::Not, _) => Slopes::new(),
            Node::Name(name) => {
                index(name).map(|i| (i, Self::number_at(1.0, span.clone()))).into_iter().collect()
            }
            Node::Unary(UnaryOperator::Negate, x) => negative(of(x), span),
            Node::Binary(op @ (BinaryOperator::Add | BinaryOperator::Subtract), a, b) => {
                merged(*op, of(a), of(b), span)
            }
            Node::Binary(op, a, b) => match differential(*op) {
                Some(rule) => {
                    let slopes = vec![of(a), of(b)];
                    Rule { names: &["a", "b"], operands: &[a, b], at: span }.slopes(parsed(rule), slopes)
                }
                None => Slopes::new(),
            },
            Node::If(parts) => {
                let [condition, value, otherwise] = parts.as_ref();
                combined(vec![of(value), of(otherwise)], span, &mut |d| {
                    let [value, otherwise] = take(d, span);
                    choice(condition.clone(), value, otherwise, span)
                })
            }
            Node::Call(f, arguments) => match f.value {
                Value::Fold(_) => self.fold_slopes(f, arguments, &of),
                _ => {
                    let slopes = arguments.iter().map(of).collect();
                    let operands: Vec<&Expr> = arguments.iter().collect();
                    Rule { names: f.arguments, operands: &operands, at: span }
                        .slopes(parsed(f.differential), slopes)
                }
            },
            // d f(x) = f'(x) dx
            Node::Table(f, order, x) => combined(vec![of(x)], span, &mut |d| {
                let [dx] = take(d, span);
                binary(BinaryOperator::Multiply, table(f, order + 1, x.as_ref().clone(), span), dx, span)
            }),
            Node::Shared(part) => match parts.get(part) {
                Some(slopes) => slopes.iter().map(|(i, d)| (*i, d.relocated(span))).collect(),
                None => part.expr().slopes(index, parts),
            },
        }
    }

    /// f(x, y, z) = f(f(x, y), z)
    fn fold_slopes(&self, f: &'static Builtin, arguments: &[Expr], of: &dyn Fn(&Expr) -> Slopes) -> Slopes {
        let Some((first, rest)) = arguments.split_first() else { return Slopes::new() };
        let mut slopes = of(first);
        for (k, next) in rest.iter().enumerate() {
            let both = vec![slopes, of(next)];
            let folded;
            let before = if k == 0 {
                first
            } else {
                folded = Self::new(Node::Call(f, arguments[..=k].to_vec()), self.span.clone());
                &folded
            };
            let rule = Rule { names: f.arguments, operands: &[before, next], at: &self.span };
            slopes = rule.slopes(parsed(f.differential), both);
        }
        slopes
    }

    /// A bound on the number of nodes of a derivative, up to a factor of a few: every node adds its
    /// rule, in which copies of the operands stand unless it is that of a sum.
    pub(crate) fn derivative_size(&self) -> usize {
        let parts = self.parts().into_iter().map(|part| part.expr().sizes().1);
        parts.fold(self.sizes().1, usize::saturating_add)
    }

    /// The number of nodes, and the bound on that of a derivative; a shared part is a node.
    fn sizes(&self) -> (usize, usize) {
        if matches!(self.node, Node::Shared(_)) {
            return (1, 1);
        }
        let (mut size, mut bound, mut condition) = (1usize, 1usize, None);
        self.visit_children(&mut |child| {
            let (nodes, nodes_of_derivative) = child.sizes();
            size = size.saturating_add(nodes);
            bound = bound.saturating_add(nodes_of_derivative);
            condition.get_or_insert(nodes);
        });
        let copied = match &self.node {
            Node::Number(_) | Node::Name(_) | Node::Unary(..) | Node::Shared(_) => 0,
            Node::Binary(BinaryOperator::Add | BinaryOperator::Subtract, ..) => 0,
            Node::If(_) => condition.unwrap_or(0),
            Node::Binary(..) | Node::Call(..) | Node::Table(..) => size,
        };
        (size, bound.saturating_add(copied))
    }
}

/// Derivatives by the indices of names; zeros are left out.
type Slopes = BTreeMap<usize, Expr>;

fn negative(slopes: Slopes, span: &Range<usize>) -> Slopes {
    slopes.into_iter().map(|(i, d)| (i, negate(d, span))).collect()
}

/// da ± db, the smaller merged into the larger.
fn merged(op: BinaryOperator, a: Slopes, b: Slopes, span: &Range<usize>) -> Slopes {
    if a.len() < b.len() {
        let mut sum = if op == BinaryOperator::Add { b } else { negative(b, span) };
        for (i, da) in a {
            let d = match sum.remove(&i) {
                Some(db) => binary(BinaryOperator::Add, da, db, span),
                None => da,
            };
            insert(&mut sum, i, d);
        }
        return sum;
    }
    let mut sum = a;
    for (i, db) in b {
        let d = match (sum.remove(&i), op) {
            (Some(da), op) => binary(op, da, db, span),
            (None, BinaryOperator::Add) => db,
            (None, _) => negate(db, span),
        };
        insert(&mut sum, i, d);
    }
    sum
}

fn insert(slopes: &mut Slopes, index: usize, d: Expr) {
    if !d.is_literal(0.0) {
        slopes.insert(index, d);
    }
}

/// For every index the differential made of those of the operands.
fn combined(
    operands: Vec<Slopes>,
    span: &Range<usize>,
    make: &mut dyn FnMut(&mut [Option<Expr>]) -> Expr,
) -> Slopes {
    let count = operands.len();
    let mut table: BTreeMap<usize, Vec<Option<Expr>>> = BTreeMap::new();
    for (k, slopes) in operands.into_iter().enumerate() {
        for (i, d) in slopes {
            table.entry(i).or_insert_with(|| vec![None; count])[k] = Some(d);
        }
    }
    let mut sum = Slopes::new();
    for (i, mut differentials) in table {
        for d in &mut differentials {
            d.get_or_insert_with(|| Expr::number_at(0.0, span.clone()));
        }
        insert(&mut sum, i, make(&mut differentials));
    }
    sum
}

fn take<const N: usize>(differentials: &mut [Option<Expr>], span: &Range<usize>) -> [Expr; N] {
    let zero = || Expr::number_at(0.0, span.clone());
    std::array::from_fn(|k| differentials.get_mut(k).and_then(Option::take).unwrap_or_else(zero))
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
    at: &'a Range<usize>,
}

impl Rule<'_> {
    /// The rule for every index.
    fn slopes(&self, rule: &Expr, operands: Vec<Slopes>) -> Slopes {
        combined(operands, self.at, &mut |differentials| self.apply(rule, differentials))
    }

    /// The rule with operands and differentials in place of their names, simplified.
    ///
    /// Differentials are taken, not copied, when used: the derivative of a long product is long, and copying
    /// it at every factor would cost the cube of the length. A rule uses each differential at most once.
    fn apply(&self, rule: &Expr, d: &mut [Option<Expr>]) -> Expr {
        let at = self.at;
        match &rule.node {
            Node::Number(value) => Expr::number_at(*value, at.clone()),
            Node::Name(name) => self.resolve(name, d),
            Node::Unary(op, x) => unary(*op, self.apply(x, d), at),
            // What zero multiplies is not even copied.
            Node::Binary(BinaryOperator::Multiply, a, b) if self.is_zero(a, d) || self.is_zero(b, d) => {
                Expr::number_at(0.0, at.clone())
            }
            Node::Binary(op, a, b) => binary(*op, self.apply(a, d), self.apply(b, d), at),
            Node::If(parts) => {
                let [condition, value, otherwise] = parts.each_ref().map(|part| self.apply(part, d));
                choice(condition, value, otherwise, at)
            }
            Node::Call(f, arguments) => call(f, arguments.iter().map(|x| self.apply(x, d)).collect(), at),
            Node::Table(f, order, x) => table(f, *order, self.apply(x, d), at),
            Node::Shared(part) => self.apply(part.expr(), d),
        }
    }

    fn slot(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|other| *other == name)
    }

    /// Whether a part of the rule is a differential that is 0.
    fn is_zero(&self, part: &Expr, differentials: &[Option<Expr>]) -> bool {
        let Node::Name(name) = &part.node else { return false };
        let place = name.strip_prefix('d').filter(|_| self.slot(name).is_none()).and_then(|x| self.slot(x));
        place.is_some_and(|i| differentials[i].as_ref().is_some_and(|d| d.is_literal(0.0)))
    }

    fn resolve(&self, name: &str, differentials: &mut [Option<Expr>]) -> Expr {
        if let Some(i) = self.slot(name) {
            return self.operands[i].clone();
        }
        let differential = name.strip_prefix('d').and_then(|x| self.slot(x));
        // A property of the constant rules, tested below.
        differential
            .and_then(|i| differentials[i].take())
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
