//! The table of functions and constants: the one place that says what the language knows.

use crate::suggest;
use crate::table::Table;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, LazyLock};

/// How a function computes its value.
#[derive(Debug, Clone, Copy)]
pub enum Value {
    /// One argument.
    One(fn(f64) -> f64),
    /// Two arguments.
    Two(fn(f64, f64) -> f64),
    /// Three arguments.
    Three(fn(f64, f64, f64) -> f64),
    /// Two or more arguments, combined pairwise from the left.
    Fold(fn(f64, f64) -> f64),
}

/// A function of the language.
#[derive(Debug)]
pub struct Builtin {
    /// The name as it is written.
    pub name: &'static str,
    /// The arguments as `doc`, `domain` and `differential` call them.
    pub arguments: &'static [&'static str],
    /// The value.
    pub value: Value,
    /// The total differential in the language itself; `dx` is the differential of argument `x`.
    pub differential: &'static str,
    /// The condition on the arguments for a finite value, if there is one.
    pub domain: Option<&'static str>,
    /// One line for the manual.
    pub doc: &'static str,
}

/// Functions are equal if they have the same name.
impl PartialEq for Builtin {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Builtin {
    /// Whether the function can be called with `count` arguments.
    pub fn accepts(&self, count: usize) -> bool {
        match self.value {
            Value::Fold(_) => count >= 2,
            _ => count == self.arguments.len(),
        }
    }

    /// The call as the manual shows it, e.g. `atan2(y, x)` or `min(x, y, ...)`.
    pub fn signature(&self) -> String {
        let more = match self.value {
            Value::Fold(_) => ", ...",
            _ => "",
        };
        format!("{}({}{more})", self.name, self.arguments.join(", "))
    }

    /// The value; NaN for a number of arguments that the function does not accept.
    pub fn apply(&self, arguments: &[f64]) -> f64 {
        match (self.value, arguments) {
            (Value::One(f), &[x]) => f(x),
            (Value::Two(f), &[x, y]) => f(x, y),
            (Value::Three(f), &[x, y, z]) => f(x, y, z),
            (Value::Fold(f), &[first, ref rest @ ..]) => rest.iter().fold(first, |x, &y| f(x, y)),
            _ => f64::NAN,
        }
    }
}

/// A named constant of the language. A name given by the caller takes precedence.
#[derive(Debug)]
pub struct Constant {
    /// The name as it is written.
    pub name: &'static str,
    /// The value.
    pub value: f64,
    /// One line for the manual.
    pub doc: &'static str,
}

/// All constants.
pub static CONSTANTS: &[Constant] = &[
    Constant {
        name: "pi",
        value: std::f64::consts::PI,
        doc: "ratio of a circle's circumference to its diameter, 3.14159...",
    },
    Constant { name: "e", value: std::f64::consts::E, doc: "base of the natural logarithm, 2.71828..." },
];

/// The words of the grammar; none can be a name.
pub const KEYWORDS: &[&str] = &["and", "or", "not", "if"];

/// The function of this name.
pub fn builtin(name: &str) -> Option<&'static Builtin> {
    static KNOWN: LazyLock<HashMap<&str, &Builtin>> =
        LazyLock::new(|| BUILTINS.iter().map(|b| (b.name, b)).collect());
    KNOWN.get(name).copied()
}

/// The value of the built-in constant of this name.
pub fn constant(name: &str) -> Option<f64> {
    CONSTANTS.iter().find(|c| c.name == name).map(|c| c.value)
}

/// Names that other languages give to functions of this one.
const SYNONYMS: &[(&str, &str)] = &[
    ("ln", "log"),
    ("arcsin", "asin"),
    ("arccos", "acos"),
    ("arctan", "atan"),
    ("arctan2", "atan2"),
    ("fabs", "abs"),
    ("sgn", "sign"),
    ("signum", "sign"),
    ("heaviside", "step"),
    ("fmod", "mod"),
    ("rem", "mod"),
    ("deg2rad", "radians"),
    ("rad2deg", "degrees"),
    ("rad", "radians"),
    ("deg", "degrees"),
    ("saturate", "clamp"),
    ("clip", "clamp"),
    ("ceiling", "ceil"),
];

/// The function that was probably meant by an unknown name.
pub(crate) fn suggest_function(name: &str, tables: &[Arc<Table>]) -> Option<String> {
    let lower = name.to_lowercase();
    if let Some((_, known)) = SYNONYMS.iter().find(|(synonym, _)| *synonym == lower) {
        return Some((*known).to_string());
    }
    let tables = tables.iter().map(|table| table.name());
    suggest(name, tables.chain(BUILTINS.iter().map(|b| b.name)).chain(["if"]))
}

/// The reference of functions and constants as Markdown tables.
pub fn reference() -> String {
    let mut text = String::from("| function | value | requires | differential |\n|---|---|---|---|\n");
    for b in BUILTINS {
        let domain = b.domain.map(|d| format!("`{d}`")).unwrap_or_default();
        // Writing to a String cannot fail.
        let _ = writeln!(text, "| `{}` | {} | {domain} | `{}` |", b.signature(), b.doc, b.differential);
    }
    text.push_str("\n| constant | value |\n|---|---|\n");
    for c in CONSTANTS {
        let _ = writeln!(text, "| `{}` | {} |", c.name, c.doc);
    }
    text
}

/// One row: `name(arguments) = value, d = differential, [needs domain,] doc;`.
macro_rules! table {
    (@domain) => { None };
    (@domain $domain:literal) => { Some($domain) };
    ($($name:ident($($x:ident),+) = $kind:ident($value:expr),
        d = $d:literal, $(needs $domain:literal,)? $doc:literal;)+) => {
        &[$(Builtin {
            name: stringify!($name),
            arguments: &[$(stringify!($x)),+],
            value: Value::$kind($value),
            differential: $d,
            domain: table!(@domain $($domain)?),
            doc: $doc,
        }),+]
    };
}

/// All functions. At a kink or jump the differential is that of one side.
pub static BUILTINS: &[Builtin] = table! {
    sin(x) = One(f64::sin), d = "cos(x)*dx", "sine of an angle in radians";
    cos(x) = One(f64::cos), d = "-sin(x)*dx", "cosine of an angle in radians";
    tan(x) = One(f64::tan), d = "(1 + tan(x)^2)*dx", "tangent of an angle in radians";
    asin(x) = One(f64::asin), d = "dx/sqrt((1 - x)*(1 + x))", needs "-1 <= x and x <= 1",
        "angle in [-pi/2, pi/2] whose sine is x";
    acos(x) = One(f64::acos), d = "-dx/sqrt((1 - x)*(1 + x))", needs "-1 <= x and x <= 1",
        "angle in [0, pi] whose cosine is x";
    atan(x) = One(f64::atan), d = "dx/(1 + x^2)", "angle in (-pi/2, pi/2) whose tangent is x";
    atan2(y, x) = Two(f64::atan2), d = "(x*dy - y*dx)/(x^2 + y^2)",
        "angle in (-pi, pi] of the point (x, y)";
    sinh(x) = One(f64::sinh), d = "cosh(x)*dx", "hyperbolic sine";
    cosh(x) = One(f64::cosh), d = "sinh(x)*dx", "hyperbolic cosine";
    tanh(x) = One(f64::tanh), d = "(1 - tanh(x)^2)*dx", "hyperbolic tangent";
    asinh(x) = One(f64::asinh), d = "dx/hypot(x, 1)", "inverse hyperbolic sine";
    acosh(x) = One(f64::acosh), d = "dx/(sqrt(x - 1)*sqrt(x + 1))", needs "x >= 1",
        "inverse hyperbolic cosine";
    atanh(x) = One(f64::atanh), d = "dx/((1 - x)*(1 + x))", needs "-1 < x and x < 1",
        "inverse hyperbolic tangent";
    exp(x) = One(f64::exp), d = "exp(x)*dx", "e^x";
    limexp(x) = One(limexp), d = "exp(min(x, 300))*dx",
        "e^x, above x = 300 continued along its tangent, so that it does not overflow";
    log(x) = One(f64::ln), d = "dx/x", needs "x > 0", "natural logarithm";
    log10(x) = One(f64::log10), d = "dx/(x*log(10))", needs "x > 0", "logarithm to base 10";
    log2(x) = One(f64::log2), d = "dx/(x*log(2))", needs "x > 0", "logarithm to base 2";
    sqrt(x) = One(f64::sqrt), d = "dx/(2*sqrt(x))", needs "x >= 0", "square root";
    cbrt(x) = One(f64::cbrt), d = "dx/(3*cbrt(x)^2)", "cube root, also of negative x";
    hypot(x, y) = Fold(f64::hypot), d = "(x*dx + y*dy)/hypot(x, y)",
        "length of the vector (x, y, ...)";
    abs(x) = One(f64::abs), d = "sign(x)*dx", "absolute value";
    sign(x) = One(sign), d = "0", "-1, 0 or 1 as x is negative, zero or positive";
    min(x, y) = Fold(min), d = "if(x <= y, dx, dy)", "least of the arguments";
    max(x, y) = Fold(max), d = "if(x >= y, dx, dy)", "greatest of the arguments";
    clamp(x, low, high) = Three(|x, low, high| min(max(x, low), high)),
        d = "if(max(x, low) <= high, if(x >= low, dx, dlow), dhigh)",
        "x, but not less than low nor more than high";
    floor(x) = One(f64::floor), d = "0", "greatest integer not above x";
    ceil(x) = One(f64::ceil), d = "0", "least integer not below x";
    round(x) = One(f64::round), d = "0", "nearest integer; halves away from zero";
    mod(x, y) = Two(modulo), d = "dx - floor(x/y)*dy", needs "y != 0",
        "x - y*floor(x/y): the remainder, with the sign of y";
    step(x) = One(|x| if x.is_nan() { x } else if x >= 0.0 { 1.0 } else { 0.0 }), d = "0",
        "1 if x >= 0, otherwise 0";
    ramp(x) = One(|x| max(x, 0.0)), d = "if(x >= 0, dx, 0)", "max(x, 0)";
    smoothstep(x) = One(smoothstep), d = "if(x > 0 and x < 1, 6*x*(1 - x)*dx, 0)",
        "0 below 0, 1 above 1, between them 3*x^2 - 2*x^3 (continuous rate)";
    smootherstep(x) = One(smootherstep), d = "if(x > 0 and x < 1, 30*(x*(1 - x))^2*dx, 0)",
        "0 below 0, 1 above 1, between them 6*x^5 - 15*x^4 + 10*x^3 (continuous acceleration)";
    radians(x) = One(f64::to_radians), d = "radians(dx)", "angle in radians of x degrees";
    degrees(x) = One(f64::to_degrees), d = "degrees(dx)", "angle in degrees of x radians";
};

fn sign(x: f64) -> f64 {
    // Unlike f64::signum, zero has no sign.
    if x == 0.0 || x.is_nan() { x.abs() } else { x.signum() }
}

/// Unlike f64::min, NaN is not ignored.
fn min(x: f64, y: f64) -> f64 {
    if x.is_nan() || x <= y { x } else { y }
}

/// Unlike f64::max, NaN is not ignored.
fn max(x: f64, y: f64) -> f64 {
    if x.is_nan() || x >= y { x } else { y }
}

/// x - y floor(x/y), from the exact remainder of the truncated division.
pub(crate) fn modulo(x: f64, y: f64) -> f64 {
    let remainder = x % y;
    if remainder != 0.0 && (remainder < 0.0) != (y < 0.0) { remainder + y } else { remainder }
}

/// e^x below x₀ = 300, above it e^x₀ (1 + x - x₀).
fn limexp(x: f64) -> f64 {
    const LAST: f64 = 300.0;
    if x > LAST { LAST.exp() * (1.0 + (x - LAST)) } else { x.exp() }
}

/// 3x² - 2x³ on [0, 1].
fn smoothstep(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

/// 6x⁵ - 15x⁴ + 10x³ on [0, 1].
fn smootherstep(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x * x * x * (x * (6.0 * x - 15.0) + 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Expr;

    #[test]
    fn names_are_distinct() {
        let names: Vec<&str> = BUILTINS
            .iter()
            .map(|b| b.name)
            .chain(CONSTANTS.iter().map(|c| c.name))
            .chain(KEYWORDS.iter().copied())
            .collect();
        let distinct: std::collections::HashSet<&str> = names.iter().copied().collect();
        assert_eq!(names.len(), distinct.len());
    }

    #[test]
    fn every_rule_and_domain_parses_and_uses_its_arguments_only() {
        for b in BUILTINS {
            let allowed = |name: &str| {
                let argument = |a: &&str| name == *a || name.strip_prefix('d') == Some(a);
                b.arguments.iter().any(argument)
            };
            let rule = Expr::parse(b.differential).unwrap();
            assert!(rule.variables().iter().all(|(n, _)| allowed(n)), "{}", b.name);
            if let Some(domain) = b.domain {
                let domain = Expr::parse(domain).unwrap();
                assert!(domain.variables().iter().all(|(n, _)| allowed(n)), "{}", b.name);
            }
        }
    }

    #[test]
    fn arguments_match_the_value() {
        for b in BUILTINS {
            let count = match b.value {
                Value::One(_) => 1,
                Value::Two(_) | Value::Fold(_) => 2,
                Value::Three(_) => 3,
            };
            assert_eq!(b.arguments.len(), count, "{}", b.name);
            assert!(b.accepts(count) && !b.accepts(count - 1));
            assert_eq!(b.accepts(count + 1), matches!(b.value, Value::Fold(_)));
        }
    }

    #[test]
    fn no_function_hides_nan() {
        for b in BUILTINS {
            for slot in 0..b.arguments.len() {
                let mut x = vec![0.5; b.arguments.len()];
                x[slot] = f64::NAN;
                assert!(b.apply(&x).is_nan(), "{} hides NaN", b.name);
            }
        }
    }

    #[test]
    fn synonyms_lead_to_functions() {
        for (synonym, known) in SYNONYMS {
            assert!(builtin(synonym).is_none() && builtin(known).is_some());
        }
    }

    #[test]
    fn remainder_has_the_sign_of_the_divisor() {
        assert_eq!(modulo(7.0, 3.0), 1.0);
        assert_eq!(modulo(-7.0, 3.0), 2.0);
        assert_eq!(modulo(7.0, -3.0), -2.0);
        assert_eq!(modulo(-7.0, -3.0), -1.0);
    }

    #[test]
    fn reference_lists_everything() {
        let text = reference();
        assert!(BUILTINS.iter().all(|b| text.contains(&b.signature())));
        assert!(text.contains("| `min(x, y, ...)` |") && text.contains("| `pi` |"));
    }
}
