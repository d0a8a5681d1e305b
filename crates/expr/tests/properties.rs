//! Properties of random expressions.

use poinsot_expr::{Expr, Extrapolation, Function, Interpolation, Program, SmoothFunction, Table};
use proptest::prelude::*;
use std::sync::{Arc, LazyLock};

const VARIABLES: [&str; 3] = ["x", "y", "body.rate"];
const SMOOTH: [&str; 12] =
    ["sin", "cos", "tan", "atan", "tanh", "exp", "log", "sqrt", "cosh", "cbrt", "asin", "log10"];
const KINKED: [&str; 8] = ["abs", "sign", "floor", "step", "ramp", "smoothstep", "smootherstep", "round"];

const TABLES: [&str; 3] = ["lift", "wave", "polygon"];

static TABLE_LIST: LazyLock<Vec<Arc<Table>>> = LazyLock::new(|| {
    let points = [(-2.0, 0.5), (-0.6, -1.0), (0.4, 0.2), (1.0, 2.0), (2.5, 0.5)];
    let curves = [
        (Interpolation::Spline, Extrapolation::Linear),
        (Interpolation::Spline, Extrapolation::Periodic),
        (Interpolation::Linear, Extrapolation::Hold),
    ];
    let table = |(name, (between, outside))| Table::new(name, &points, between, outside).unwrap();
    TABLES.into_iter().zip(curves).map(table).map(Arc::new).collect()
});

fn parse(source: &str) -> Expr {
    Expr::parse_with(source, &TABLE_LIST).unwrap()
}

/// The functions of one argument, tables among them.
fn one() -> Vec<&'static str> {
    [&SMOOTH[..], &KINKED, &TABLES].concat()
}

fn leaf() -> impl Strategy<Value = String> {
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
fn source() -> impl Strategy<Value = String> {
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
fn tame(functions: Vec<&'static str>) -> impl Strategy<Value = String> {
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

fn point() -> impl Strategy<Value = [f64; 3]> {
    [-3.0..3.0f64, -3.0..3.0f64, 0.1..3.0f64]
}

fn lookup(values: [f64; 3]) -> impl Fn(&str) -> Option<f64> {
    move |name| Some(values[VARIABLES.iter().position(|v| *v == name)?])
}

fn nothing(_: &str) -> Option<f64> {
    None
}

/// The derivative of `f` at 0 by central differences extrapolated to step 0 (Ridders), with an
/// estimate of its error.
fn extrapolated(f: impl Fn(f64) -> f64) -> (f64, f64) {
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn printed_expressions_parse_back(source in source(), at in point()) {
        let expr = parse(&source);
        let again = parse(&expr.to_string());
        prop_assert_eq!(&again, &expr);
        prop_assert_eq!(again.to_string(), expr.to_string());
        let names = lookup(at);
        match (expr.eval(&names), again.eval(&names)) {
            (Ok(a), Ok(b)) => prop_assert_eq!(a.to_bits(), b.to_bits()),
            (a, b) => prop_assert_eq!(a.map_err(|e| e.to_string()), b.map_err(|e| e.to_string())),
        }
    }

    #[test]
    fn derivatives_print_and_parse_back(source in tame([&SMOOTH[..], &KINKED].concat())) {
        let slope = Expr::parse(&source).unwrap().derivative("x");
        prop_assert_eq!(Expr::parse(&slope.to_string()).unwrap(), slope);
    }

    #[test]
    fn programs_have_the_value_of_the_tree(source in source(), at in point()) {
        let expr = parse(&source);
        let Ok(value) = expr.eval(&lookup(at)) else { return Ok(()) };
        // All variables, and all but one folded in.
        let program = Program::compile(&expr, &VARIABLES, &nothing);
        if let Ok(program) = program {
            prop_assert_eq!(program.eval(&at).to_bits(), value.to_bits());
        }
        let folded = Program::compile(&expr, &["y"], &lookup(at)).unwrap();
        prop_assert_eq!(folded.eval(&[at[1]]).to_bits(), value.to_bits());
        let constant = Program::compile(&expr, &[], &lookup(at)).unwrap();
        prop_assert_eq!(constant.is_constant().map(f64::to_bits), Some(value.to_bits()));
    }

    #[test]
    fn constant_programs_fail_as_the_tree_does(source in source(), at in point()) {
        let expr = parse(&source);
        if let Err(error) = expr.eval(&lookup(at)) {
            prop_assert_eq!(Program::compile(&expr, &[], &lookup(at)).unwrap_err(), error);
        }
    }

    #[test]
    fn simplification_keeps_the_value(source in source(), at in point()) {
        let expr = parse(&source);
        let Ok(value) = expr.eval(&lookup(at)) else { return Ok(()) };
        let simple = expr.simplify();
        prop_assert_eq!(simple.simplify(), simple.clone());
        if let Ok(same) = simple.eval(&lookup(at)) {
            // atan2 tells the signs of zeros apart; everything else must agree.
            prop_assert!(same == value || source.contains("atan2"), "{} != {}", same, value);
        } else {
            prop_assert!(false, "{} has no value", simple);
        }
    }

    #[test]
    fn derivatives_agree_with_differences(source in tame(one()), at in point(), i in 0..3usize) {
        let expr = parse(&source);
        let Ok(f) = Function::new(&expr, &VARIABLES, &nothing) else { return Ok(()) };
        let (numeric, error) = extrapolated(|h| {
            let mut moved = at;
            moved[i] += h;
            f.value(&moved)
        });
        let scale = 1.0 + numeric.abs() + f.value(&at).abs();
        // Near kinks, jumps and poles, differences tell nothing.
        prop_assume!(numeric.is_finite() && error < 1e-7 * scale && scale < 1e6);
        let exact = f.partial(i, &at);
        // 0·∞ in a derivative, as that of sqrt(x^2) at 0, has no value.
        prop_assume!(exact.is_finite());
        prop_assert!((exact - numeric).abs() < 1e-5 * scale, "{} {} {}", exact, numeric, error);
        if !f.depends_on(i) || f.partial_is_zero(i) {
            prop_assert_eq!(exact, 0.0);
        }
    }

    #[test]
    fn second_derivatives_agree_with_differences(
        source in tame(one()), at in point(), i in 0..3usize, j in 0..3usize,
    ) {
        let expr = parse(&source);
        let Ok(f) = SmoothFunction::new(&expr, &VARIABLES, &nothing) else { return Ok(()) };
        let exact = f.second(i, j, &at);
        prop_assert_eq!(exact.to_bits(), f.second(j, i, &at).to_bits());
        let (numeric, error) = extrapolated(|h| {
            let mut moved = at;
            moved[j] += h;
            f.partial(i, &moved)
        });
        let scale = 1.0 + numeric.abs() + f.partial(i, &at).abs() + f.value(&at).abs();
        prop_assume!(numeric.is_finite() && error < 1e-7 * scale && scale < 1e6 && exact.is_finite());
        prop_assert!((exact - numeric).abs() < 1e-5 * scale, "{} {} {}", exact, numeric, error);
        if !f.depends_on(i) || f.partial_is_zero(j) || f.second_is_zero(i, j) {
            prop_assert_eq!(exact, 0.0);
        }
    }

    /// Differentiation in the other order gives another expression with the same value.
    #[test]
    fn second_derivatives_are_symmetric(source in tame(one()), at in point(), i in 0..3usize, j in 0..3usize) {
        let expr = parse(&source);
        let Ok(f) = SmoothFunction::new(&expr, &VARIABLES, &nothing) else { return Ok(()) };
        let second = |i: usize, j: usize| {
            let expr = expr.derivative(VARIABLES[i]).derivative(VARIABLES[j]);
            expr.eval(&lookup(at))
        };
        let (Ok(a), Ok(b)) = (second(i, j), second(j, i)) else { return Ok(()) };
        let scale = 1.0 + a.abs() + f.partial(i, &at).abs() + f.partial(j, &at).abs();
        prop_assume!(scale < 1e6);
        prop_assert!((a - b).abs() < 1e-8 * scale, "{} {}", a, b);
        prop_assert!((a - f.second(i, j, &at)).abs() < 1e-8 * scale);
    }

    #[test]
    fn any_text_gives_a_tree_or_an_error_inside_it(text in "[-+*/^()., <>=!a-z0-9_πé²]{0,24}") {
        match Expr::parse(&text) {
            Ok(expr) => prop_assert_eq!(Expr::parse(&expr.to_string()).unwrap(), expr),
            Err(error) => {
                prop_assert!(text.get(error.span.clone()).is_some(), "{:?}", error);
            }
        }
    }
}
