//! The dimensions of an expression.
//!
//! Names have dimensions or may stand for anything; a plain number may stand for anything too, so that a
//! model without units has nothing to be checked. Only 0.5, 1 and integers that divide are pure numbers:
//! `m*v*v/2`, `q*q/(2*C)`.

use super::Dimensions;
use poinsot_expr::{BinaryOperator, Expr, Node, UnaryOperator};
use std::ops::Range;

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// It may have any dimensions.
    Any,
    /// Its dimensions.
    Known(Dimensions),
}

/// A term that does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct DimensionError {
    /// What does not fit.
    pub message: String,
    /// Where in the expression.
    pub span: Range<usize>,
}

/// A pure number.
const PURE: Measure = Measure::Known(Dimensions::NONE);

/// Greatest integer that counts as a pure number where it divides.
const GREATEST_DIVISOR: f64 = 64.0;

/// The dimensions of an expression whose names have those that `scope` tells.
pub fn dimensions_of(expr: &Expr, scope: &dyn Fn(&str) -> Measure) -> Result<Measure, DimensionError> {
    if is_number(expr) {
        return Ok(Measure::Any);
    }
    infer(expr, scope, false)
}

/// `below`: the expression is a factor of a divisor.
fn infer(expr: &Expr, scope: &dyn Fn(&str) -> Measure, below: bool) -> Result<Measure, DimensionError> {
    let plain = |x: &Expr| infer(x, scope, false);
    match expr.node() {
        Node::Number(value) => Ok(literal(*value, below)),
        Node::Name(name) => Ok(scope(name)),
        Node::Unary(UnaryOperator::Negate, x) => infer(x, scope, below),
        Node::Unary(UnaryOperator::Not, x) => plain(x).map(|_| PURE),
        Node::Binary(op, a, b) => match op {
            BinaryOperator::Add | BinaryOperator::Subtract => same([a.as_ref(), b.as_ref()], scope),
            BinaryOperator::Multiply => Ok(product(infer(a, scope, below)?, infer(b, scope, below)?, false)),
            BinaryOperator::Divide => Ok(product(infer(a, scope, below)?, infer(b, scope, true)?, true)),
            BinaryOperator::Power => power(a, b, scope),
            BinaryOperator::And | BinaryOperator::Or => plain(a).and_then(|_| plain(b)).map(|_| PURE),
            _ => same([a.as_ref(), b.as_ref()], scope).map(|_| PURE),
        },
        Node::If(parts) => {
            let [condition, value, otherwise] = parts.as_ref();
            plain(condition)?;
            same([value, otherwise], scope)
        }
        Node::Call(function, arguments) => call(function.name, arguments, scope),
        Node::Table(_, _, x) => plain(x).map(|_| Measure::Any),
        Node::Shared(part) => infer(part.expr(), scope, below),
    }
}

fn literal(value: f64, below: bool) -> Measure {
    let pure = value == 0.5 || value == 1.0;
    let divisor = below && value.fract() == 0.0 && (1.0..=GREATEST_DIVISOR).contains(&value);
    if pure || divisor { PURE } else { Measure::Any }
}

fn product(a: Measure, b: Measure, divide: bool) -> Measure {
    match (a, b) {
        (Measure::Known(a), Measure::Known(b)) => Measure::Known(if divide { a.over(b) } else { a.times(b) }),
        _ => Measure::Any,
    }
}

/// A plain number, also one made of others, may be anything in a sum, also where it would be pure in a
/// product.
fn is_number(expr: &Expr) -> bool {
    expr.variables().iter().all(|(name, _)| name == "pi")
}

/// Terms that must have the same dimensions.
fn same<'a>(
    terms: impl IntoIterator<Item = &'a Expr>,
    scope: &dyn Fn(&str) -> Measure,
) -> Result<Measure, DimensionError> {
    let mut first: Option<(Dimensions, &Expr)> = None;
    for term in terms {
        let Measure::Known(found) = dimensions_of(term, scope)? else { continue };
        match first {
            None => first = Some((found, term)),
            Some((wanted, other)) if wanted != found => {
                let message = format!("`{term}` is in {found}, but `{other}` is in {wanted}");
                return Err(DimensionError { message, span: term.span() });
            }
            Some(_) => {}
        }
    }
    Ok(first.map_or(Measure::Any, |(dimensions, _)| Measure::Known(dimensions)))
}

fn power(base: &Expr, exponent: &Expr, scope: &dyn Fn(&str) -> Measure) -> Result<Measure, DimensionError> {
    let of = infer(base, scope, false)?;
    pure(exponent, scope, "an exponent")?;
    let Measure::Known(dimensions) = of else { return Ok(Measure::Any) };
    if dimensions == Dimensions::NONE {
        return Ok(PURE);
    }
    let number = exponent.eval(&|_| None).ok();
    let raised = number.and_then(|number| dimensions.real_power(number));
    Ok(raised.map_or(Measure::Any, Measure::Known))
}

/// Demands a pure number.
fn pure(expr: &Expr, scope: &dyn Fn(&str) -> Measure, what: &str) -> Result<(), DimensionError> {
    match infer(expr, scope, false)? {
        Measure::Known(found) if found != Dimensions::NONE => {
            let message = format!("{what} is a pure number, but `{expr}` is in {found}");
            Err(DimensionError { message, span: expr.span() })
        }
        _ => Ok(()),
    }
}

fn call(name: &str, arguments: &[Expr], scope: &dyn Fn(&str) -> Measure) -> Result<Measure, DimensionError> {
    let root = |exponent: f64| {
        let of = infer(&arguments[0], scope, false)?;
        let Measure::Known(dimensions) = of else { return Ok(Measure::Any) };
        Ok(dimensions.real_power(exponent).map_or(Measure::Any, Measure::Known))
    };
    match name {
        "sqrt" => root(0.5),
        "cbrt" => root(1.0 / 3.0),
        "abs" | "min" | "max" | "clamp" | "hypot" | "floor" | "ceil" | "round" | "mod" | "ramp" => {
            same(arguments, scope)
        }
        "sign" | "step" | "atan2" => same(arguments, scope).map(|_| PURE),
        _ => {
            let what = format!("the argument of {name}");
            arguments.iter().try_for_each(|argument| pure(argument, scope, &what))?;
            // `v = sin(t)` may be a voltage: the function of something that may be anything is so too.
            let known = arguments.iter().all(|x| matches!(dimensions_of(x, scope), Ok(Measure::Known(_))));
            Ok(if known { PURE } else { Measure::Any })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Unit;
    use super::*;

    fn measure(text: &str) -> Result<String, String> {
        let scope = |name: &str| {
            let unit = match name {
                "m" => "kg",
                "v" => "m/s",
                "x" => "m",
                "k" => "N/m",
                "R" => "ohm",
                "i" => "A",
                "q" => "C",
                "C" => "F",
                "u" => "V",
                "t" => "s",
                "alpha" => "1/V",
                "pi" => "1",
                _ => return Measure::Any,
            };
            Measure::Known(Unit::parse(unit).unwrap().dimensions)
        };
        match dimensions_of(&Expr::parse(text).unwrap(), &scope) {
            Ok(Measure::Known(dimensions)) => Ok(dimensions.to_string()),
            Ok(Measure::Any) => Ok("any".into()),
            Err(error) => Err(format!("{} at {}", error.message, &text[error.span])),
        }
    }

    #[test]
    fn energies_are_joules() {
        for text in
            ["m*v*v/2", "0.5*k*x^2", "q*q/(2*C)", "q^2/2/C", "m*v^2/2 + k*x*x/2 - q*u", "k*abs(x)^2/2"]
        {
            assert_eq!(measure(text), Ok("J".into()), "{text}");
        }
        assert_eq!(measure("R*i*i/2"), Ok("W".into()));
        assert_eq!(measure("sqrt(k/m)*t"), Ok("1".into()));
        assert_eq!(measure("i - 1e-12*(exp(alpha*u) - 1)"), Ok("A".into()));
        assert_eq!(measure("x + 3"), Ok("m".into()));
        assert_eq!(measure("x + 1"), Ok("m".into()));
    }

    #[test]
    fn plain_numbers_and_unknown_names_are_anything() {
        for text in ["10*i", "3.5*q*q", "c*v*v/2", "2*x", "i^c"] {
            assert_eq!(measure(text), Ok("any".into()), "{text}");
        }
        assert_eq!(measure("u - 10*i"), Ok("V".into()));
        assert_eq!(measure("sin(c)"), Ok("any".into()));
    }

    #[test]
    fn terms_that_do_not_fit() {
        assert_eq!(
            measure("k*x*x/2 + R*i*i/2"),
            Err("`R*i*i/2` is in W, but `k*x*x/2` is in J at R*i*i/2".into())
        );
        assert_eq!(
            measure("exp(u)"),
            Err("the argument of exp is a pure number, but `u` is in V at u".into())
        );
        assert_eq!(measure("if(x > v, 1, 2)"), Err("`v` is in m/s, but `x` is in m at v".into()));
        assert_eq!(measure("2^x"), Err("an exponent is a pure number, but `x` is in m at x".into()));
    }
}
