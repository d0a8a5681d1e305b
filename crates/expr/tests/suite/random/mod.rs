//! Random expressions and points, and numerical derivatives to compare with.

use poinsot_expr::{Expr, Extrapolation, Interpolation, Table};
use proptest::prelude::*;
use std::sync::{Arc, LazyLock};

pub const VARIABLES: [&str; 3] = ["x", "y", "body.rate"];
pub const SMOOTH: [&str; 12] =
    ["sin", "cos", "tan", "atan", "tanh", "exp", "log", "sqrt", "cosh", "cbrt", "asin", "log10"];
pub const KINKED: [&str; 8] = ["abs", "sign", "floor", "step", "ramp", "smoothstep", "smootherstep", "round"];

pub const TABLES: [&str; 3] = ["lift", "wave", "polygon"];

pub static TABLE_LIST: LazyLock<Vec<Arc<Table>>> = LazyLock::new(|| {
    let points = [(-2.0, 0.5), (-0.6, -1.0), (0.4, 0.2), (1.0, 2.0), (2.5, 0.5)];
    let curves = [
        (Interpolation::Spline, Extrapolation::Linear),
        (Interpolation::Spline, Extrapolation::Periodic),
        (Interpolation::Linear, Extrapolation::Hold),
    ];
    let table = |(name, (between, outside))| Table::new(name, &points, between, outside).unwrap();
    TABLES.into_iter().zip(curves).map(table).map(Arc::new).collect()
});

pub fn parse(source: &str) -> Expr {
    Expr::parse_with(source, &TABLE_LIST).unwrap()
}

/// The functions of one argument, tables among them.
pub fn one() -> Vec<&'static str> {
    [&SMOOTH[..], &KINKED, &TABLES].concat()
}

pub fn leaf() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => prop::sample::select(&VARIABLES).prop_map(str::to_string),
        1 => prop::sample::select(&["pi", "e"]).prop_map(str::to_string),
        1 => (0..20u32).prop_map(|n| n.to_string()),
        1 => (0.0..10.0f64).prop_map(|x| x.to_string()),
        1 => prop::num::f64::POSITIVE.prop_filter("literals are finite", |x| x.is_finite())
            .prop_map(|x| format!("{x:e}")),
    ]
}

/// Source text with parentheses around every operand, so that every tree can come up.
pub fn source() -> impl Strategy<Value = String> {
    leaf().prop_recursive(5, 40, 3, |part| {
        let arithmetic = prop::sample::select(&["+", "-", "*", "/", "^"]);
        let logic = prop::sample::select(&["<", "<=", ">", ">=", "==", "!=", "and", "or"]);
        let pair = prop::sample::select(&["min", "max", "atan2", "hypot", "mod"]);
        let one = prop::sample::select(one());
        prop_oneof![
            6 => (part.clone(), arithmetic, part.clone())
                .prop_map(|(a, op, b)| format!("({a}) {op} ({b})")),
            2 => (part.clone(), logic, part.clone())
                .prop_map(|(a, op, b)| format!("({a}) {op} ({b})")),
            1 => part.clone().prop_map(|a| format!("-({a})")),
            1 => part.clone().prop_map(|a| format!("not ({a})")),
            3 => (one, part.clone()).prop_map(|(f, a)| format!("{f}({a})")),
            2 => (pair, part.clone(), part.clone()).prop_map(|(f, a, b)| format!("{f}({a}, {b})")),
            1 => (part.clone(), part.clone(), part.clone())
                .prop_map(|(a, b, c)| format!("max({a}, {b}, {c})")),
            1 => (part.clone(), part.clone(), part.clone())
                .prop_map(|(a, b, c)| format!("clamp({a}, {b}, {c})")),
            1 => (part.clone(), part.clone(), part)
                .prop_map(|(a, b, c)| format!("if({a}, {b}, {c})")),
        ]
    })
}

/// As [`source`], but with moderate numbers, so that most values and derivatives exist.
pub fn tame(functions: Vec<&'static str>) -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        3 => prop::sample::select(&VARIABLES).prop_map(str::to_string),
        1 => (1..5u32).prop_map(|n| n.to_string()),
        1 => (0.1..3.0f64).prop_map(|x| x.to_string()),
    ];
    leaf.prop_recursive(4, 20, 3, move |part| {
        let arithmetic = prop::sample::select(&["+", "-", "*", "/", "^"]);
        let pair = prop::sample::select(&["min", "max", "atan2", "hypot", "mod"]);
        let one = prop::sample::select(functions.clone());
        prop_oneof![
            5 => (part.clone(), arithmetic, part.clone())
                .prop_map(|(a, op, b)| format!("({a}) {op} ({b})")),
            1 => part.clone().prop_map(|a| format!("-({a})")),
            3 => (one, part.clone()).prop_map(|(f, a)| format!("{f}({a})")),
            2 => (pair, part.clone(), part.clone()).prop_map(|(f, a, b)| match f {
                // The jumps of a tiny modulus cannot be told from rounding.
                "mod" => format!("mod({a}, 1 + abs({b}))"),
                _ => format!("{f}({a}, {b})"),
            }),
            1 => (part.clone(), part.clone(), part.clone(), part)
                .prop_map(|(a, b, c, d)| format!("if(({a}) < ({b}), {c}, {d})")),
        ]
    })
}

pub fn point() -> impl Strategy<Value = [f64; 3]> {
    [-3.0..3.0f64, -3.0..3.0f64, 0.1..3.0f64]
}

pub fn lookup(values: [f64; 3]) -> impl Fn(&str) -> Option<f64> {
    move |name| Some(values[VARIABLES.iter().position(|v| *v == name)?])
}

pub fn nothing(_: &str) -> Option<f64> {
    None
}

/// The derivative of `f` at 0 by central differences extrapolated to step 0 (Ridders), with an
/// estimate of its error.
pub fn extrapolated(f: impl Fn(f64) -> f64) -> (f64, f64) {
    let central = |h: f64| (f(h) - f(-h)) / (2.0 * h);
    let mut row: Vec<f64> = Vec::new();
    let (mut best, mut least) = (f64::NAN, f64::INFINITY);
    let mut h = 1e-2;
    for _ in 0..7 {
        let mut next = vec![central(h)];
        let mut factor = 4.0;
        for (i, old) in row.iter().enumerate() {
            let better = (factor * next[i] - old) / (factor - 1.0);
            let error = (better - next[i]).abs().max((better - old).abs());
            if error < least {
                (best, least) = (better, error);
            }
            next.push(better);
            factor *= 4.0;
        }
        row = next;
        h /= 2.0;
    }
    // Jumps in step with h (of mod) look smooth at the large steps alone.
    let small = central(1e-6);
    if (small - best).abs() > 1e-3 * (1.0 + best.abs()) {
        least = f64::INFINITY;
    }
    (best, least)
}
