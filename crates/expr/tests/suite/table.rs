//! Tables: the curves, and their use in expressions.

use poinsot_expr::{
    EvalError, Expr, Extrapolation, Function, Interpolation, Node, Program, SmoothFunction, Table, TableError,
};
use std::f64::consts::PI;
use std::sync::Arc;

use Extrapolation::{Hold, Periodic};
use Interpolation::{Linear, Spline};

fn spline(points: &[(f64, f64)], outside: Extrapolation) -> Table {
    Table::new("f", points, Spline, outside).unwrap()
}

fn sampled(f: impl Fn(f64) -> f64, abscissae: &[f64]) -> Vec<(f64, f64)> {
    abscissae.iter().map(|&x| (x, f(x))).collect()
}

/// n intervals, equal but for a wave that makes neighbours differ by up to a third.
fn uneven(n: usize, length: f64) -> Vec<f64> {
    let u = |i: usize| i as f64 / n as f64;
    (0..=n).map(|i| length * (u(i) + 0.04 * (2.0 * PI * u(i)).sin())).collect()
}

/// The largest error of the derivative of the given order on a fine grid.
fn largest_error(table: &Table, order: u32, exact: impl Fn(f64) -> f64, length: f64) -> f64 {
    let at = |i: u32| length * f64::from(i) / 4000.0;
    (0..=4000).map(|i| (table.value(at(i), order) - exact(at(i))).abs()).fold(0.0, f64::max)
}

#[test]
fn a_spline_reproduces_cubics() {
    let cubic = [
        |x: f64| 2.0 - 3.0 * x + 0.5 * x * x - 0.25 * x * x * x,
        |x: f64| -3.0 + x - 0.75 * x * x,
        |x: f64| 1.0 - 1.5 * x,
        |_: f64| -1.5,
        |_: f64| 0.0,
    ];
    for abscissae in [
        &[-1.0, 0.5, 1.0, 3.0][..],
        &[-1.0, -0.9, 1.0, 1.5, 3.0],
        &[-1.0, -0.7, 0.1, 0.2, 1.9, 2.0, 2.5, 3.0],
    ] {
        let table = spline(&sampled(cubic[0], abscissae), Hold);
        assert_eq!(table.degree(), 3);
        for i in 0..=100 {
            let x = -1.0 + 0.04 * f64::from(i);
            for (order, exact) in cubic.iter().enumerate() {
                let error = (table.value(x, order as u32) - exact(x)).abs();
                assert!(error < 1e-11, "{abscissae:?}: order {order} at {x}: {error}");
            }
        }
    }
}

#[test]
fn two_points_give_the_line_and_three_the_parabola() {
    let line = spline(&[(1.0, 2.0), (3.0, -2.0)], Extrapolation::Linear);
    assert_eq!(line.degree(), 1);
    for x in [-4.0, 1.0, 1.75, 3.0, 8.0] {
        assert_eq!([0, 1, 2].map(|k| line.value(x, k)), [4.0 - 2.0 * x, -2.0, 0.0]);
    }
    let parabola = spline(&sampled(|x| x * x - 3.0 * x, &[-1.0, 0.0, 4.0]), Hold);
    assert_eq!(parabola.degree(), 2);
    for x in [-1.0, -0.25, 0.0, 1.5, 4.0] {
        let exact = [x * x - 3.0 * x, 2.0 * x - 3.0, 2.0, 0.0];
        for (order, exact) in exact.into_iter().enumerate() {
            assert!((parabola.value(x, order as u32) - exact).abs() < 1e-14, "order {order} at {x}");
        }
    }
    assert_eq!(spline(&[(0.0, 3.0), (1.0, 3.0), (2.0, 3.0), (4.0, 3.0)], Hold).degree(), 0);
}

#[test]
fn a_spline_converges_with_the_fourth_order() {
    let errors = |n: usize, order: u32, exact: fn(f64) -> f64, outside: Extrapolation, length: f64| {
        largest_error(&spline(&sampled(f64::sin, &uneven(n, length)), outside), order, exact, length)
    };
    let minus_sin = |x: f64| -x.sin();
    for (outside, length) in [(Hold, 6.0), (Periodic, 2.0 * PI)] {
        for (order, exact, expected) in
            [(0, f64::sin as fn(f64) -> f64, 4.0), (1, f64::cos, 3.0), (2, minus_sin, 2.0)]
        {
            let [coarse, fine] = [128, 256].map(|n| errors(n, order, exact, outside, length));
            let measured = (coarse / fine).log2();
            assert!((measured - expected).abs() < 0.15, "{outside:?}, order {order}: {measured}");
        }
    }
}

#[test]
fn a_spline_has_continuous_second_derivatives() {
    let points = [(0.0, 1.0), (0.3, -2.0), (1.0, 0.5), (1.1, 4.0), (2.0, 3.0), (2.9, 3.5)];
    let table = spline(&points, Hold);
    for (i, &(x, y)) in points.iter().enumerate() {
        assert_eq!(table.value(x, 0), y);
        if (1..points.len() - 1).contains(&i) {
            for order in 0..3 {
                let (left, right) = (table.value(x.next_down(), order), table.value(x, order));
                assert!((left - right).abs() < 1e-12 * (1.0 + right.abs()), "order {order} at {x}");
            }
        }
    }
    // Not-a-knot: the third derivative is continuous at the second and the last but one point.
    for (at, jumps) in [(0.3, false), (1.0, true), (1.1, true), (2.0, false)] {
        let jump = table.value(at - 1e-9, 3) - table.value(at + 1e-9, 3);
        assert_eq!(jump.abs() > 1e-10, jumps, "{at}: {jump}");
    }
}

#[test]
fn a_periodic_spline_closes_with_continuous_second_derivatives() {
    let sine = spline(&sampled(f64::sin, &uneven(24, 2.0 * PI)), Periodic);
    assert_eq!(sine.points()[24].1, 0.0);
    for order in 0..3 {
        let (left, right) = (sine.value((2.0 * PI).next_down(), order), sine.value(0.0, order));
        assert!((left - right).abs() < 1e-12, "order {order}: {left} {right}");
    }
    for x in [0.1, 2.0, 4.5, 6.0] {
        assert!((sine.value(x, 0) - x.sin()).abs() < 1e-4);
        for turns in [-3.0, -1.0, 1.0, 1000.0] {
            let again = sine.value(x + turns * 2.0 * PI, 1);
            assert!((again - sine.value(x, 1)).abs() < 1e-11, "{x} + {turns} turns");
        }
    }
    // With h = (1, 1) and s = (2, -2): 4 m₀ + 2 m₁ = 24 and 2 m₀ + 4 m₁ = -24.
    let triangle = spline(&[(0.0, 0.0), (1.0, 2.0), (2.0, 0.0)], Periodic);
    assert_eq!([0.0, 1.0, 2.0].map(|x| triangle.value(x, 2)), [12.0, -12.0, 12.0]);
    assert_eq!([0.5, 1.5, -0.5, 7.5].map(|x| triangle.value(x, 0)), [1.0; 4]);
    let level = spline(&[(0.0, 5.0), (1.0, 5.0)], Periodic);
    assert_eq!([level.value(7.3, 0), level.value(7.3, 1)], [5.0, 0.0]);
}

#[test]
fn straight_lines() {
    let points = [(0.0, 1.0), (1.0, 3.0), (4.0, 0.0)];
    let table = |outside| Table::new("f", &points, Linear, outside).unwrap();
    let held = table(Hold);
    for (x, y, slope) in [
        (-1.0, 1.0, 0.0),
        (0.0, 1.0, 2.0),
        (0.25, 1.5, 2.0),
        (1.0, 3.0, -1.0),
        (2.5, 1.5, -1.0),
        (4.0, 0.0, -1.0),
        (5.0, 0.0, 0.0),
        (f64::INFINITY, 0.0, 0.0),
    ] {
        assert_eq!([held.value(x, 0), held.value(x, 1), held.value(x, 2)], [y, slope, 0.0], "{x}");
    }
    let continued = table(Extrapolation::Linear);
    assert_eq!([-1.0, 5.0].map(|x| continued.value(x, 0)), [-1.0, -1.0]);
    assert_eq!([-1.0, 5.0].map(|x| continued.value(x, 1)), [2.0, -1.0]);
    let saw = Table::new("f", &[(1.0, 0.0), (2.0, 4.0), (3.0, 0.0)], Linear, Periodic).unwrap();
    assert_eq!([-0.75, 1.25, 3.25, 0.0].map(|x| saw.value(x, 0)), [1.0, 1.0, 1.0, 4.0]);
    assert_eq!([1.0, 3.0, 2.0].map(|x| saw.value(x, 1)), [4.0, 4.0, -4.0]);
}

#[test]
fn a_spline_continues_with_the_slope_of_its_end() {
    let table = spline(&sampled(|x| x * x * x, &[0.0, 1.0, 2.0, 3.0]), Extrapolation::Linear);
    for (x, exact) in [(5.0, [81.0, 27.0, 0.0, 0.0]), (-2.0, [0.0; 4])] {
        for (order, exact) in exact.into_iter().enumerate() {
            assert!((table.value(x, order as u32) - exact).abs() < 1e-12, "order {order} at {x}");
        }
    }
}

#[test]
fn nan_is_not_hidden() {
    for outside in [Hold, Extrapolation::Linear, Periodic] {
        let table = spline(&[(0.0, 1.0), (0.4, 3.0), (1.0, 1.0)], outside);
        assert!((0..6).all(|order| table.value(f64::NAN, order).is_nan()), "{outside:?}");
    }
}

#[test]
fn faulty_tables_are_refused() {
    let new = |points: &[(f64, f64)], outside| Table::new("f", points, Spline, outside).unwrap_err();
    for (error, expected, text) in [
        (new(&[], Hold), TableError::TooFewPoints { count: 0 }, "at least 2 points, but has 0"),
        (new(&[(0.0, 1.0)], Hold), TableError::TooFewPoints { count: 1 }, "but has 1"),
        (
            new(&[(0.0, 1.0), (2.0, 1.0), (2.0, 3.0)], Hold),
            TableError::NotIncreasing { index: 2, before: 2.0, x: 2.0 },
            "the abscissae must increase, but point 2 has 2 and point 3 has 2",
        ),
        (
            new(&[(0.0, 1.0), (-2.0, 1.0)], Hold),
            TableError::NotIncreasing { index: 1, before: 0.0, x: -2.0 },
            "point 1 has 0 and point 2 has -2",
        ),
        (
            new(&[(0.0, 1.0), (2.0, f64::INFINITY)], Hold),
            TableError::NotFinite { index: 1, x: 2.0, y: f64::INFINITY },
            "point 2 is (2, inf), which is not finite",
        ),
        (
            new(&[(0.0, 1.0), (1.0, 5.0), (2.0, 1.0 + 5e-9)], Periodic),
            TableError::EndsDiffer { index: 2, first: 1.0, last: 1.0 + 5e-9 },
            "must agree, but point 1 has 1 and point 3 has 1.000000005",
        ),
        (
            new(&[(0.0, -1e308), (1.0, 1e308)], Hold),
            TableError::Overflow { index: 1, before: (0.0, -1e308), point: (1.0, 1e308) },
            "overflow: the curve from point 1",
        ),
        (
            new(&[(0.0, 0.0), (1.0, 0.0), (1.0 + 1e-15, 1e300), (2.0, 0.0)], Hold),
            TableError::Overflow { index: 2, before: (1.0, 0.0), point: (1.0 + 1e-15, 1e300) },
            "is too steep",
        ),
        (
            new(&[(0.0, -1e308), (1.0, 0.0), (2.0, 1e308)], Periodic),
            TableError::EndsDiffer { index: 2, first: -1e308, last: 1e308 },
            "must agree",
        ),
    ] {
        assert!(error.to_string().contains(text), "{error}");
        assert_eq!(error, expected);
    }
    // Every slope is finite, but not the second derivatives.
    let curved = new(&[(0.0, 0.0), (1.0, 0.0), (1.0 + 1e-8, 1e300), (2.0, 0.0), (3.0, 0.0)], Hold);
    assert!(matches!(curved, TableError::Overflow { index: 2, .. }), "{curved}");
    let nan = new(&[(f64::NAN, 1.0), (2.0, 1.0)], Hold);
    assert!(matches!(nan, TableError::NotFinite { index: 0, x, .. } if x.is_nan()));
    for name in ["sin", "if", "pi", "e", "", "2f", "f g"] {
        let error = Table::new(name, &[(0.0, 1.0), (1.0, 1.0)], Spline, Hold).unwrap_err();
        assert_eq!(error, TableError::Name { name: name.to_string() });
        assert!(error.to_string().starts_with(&format!("`{name}` cannot name a table")));
    }
    // Within the tolerance a period is closed.
    let closed = spline(&[(0.0, 1.0), (1.0, 5.0), (2.0, 1.0 + 3e-9)], Periodic);
    assert_eq!(closed.points()[2], (2.0, 1.0));
}

fn tables() -> Vec<Arc<Table>> {
    let points = [(-2.0, 1.0), (-0.5, -1.0), (0.4, 0.2), (1.0, 2.0), (2.5, 1.5)];
    let kinked = Table::new("kinked", &points, Linear, Extrapolation::Linear).unwrap();
    let lift = Table::new("lift", &points, Spline, Hold).unwrap();
    let wave = Table::new("wave", &sampled(f64::sin, &uneven(12, 2.0 * PI)), Spline, Periodic).unwrap();
    [kinked, lift, wave].map(Arc::new).to_vec()
}

fn parsed(source: &str) -> Expr {
    Expr::parse_with(source, &tables()).unwrap()
}

#[test]
fn expressions_call_tables() {
    let tables = tables();
    let expr = Expr::parse_with("2*lift(x^2 - wave(y)) + 1", &tables).unwrap();
    let names = |name: &str| Some(if name == "x" { 0.9 } else { 0.3 });
    let expected = 2.0 * tables[1].value(0.9 * 0.9 - tables[2].value(0.3, 0), 0) + 1.0;
    assert_eq!(expr.eval(&names).unwrap(), expected);
    assert_eq!(expr.to_string(), "2*lift(x^2 - wave(y)) + 1");
    assert_eq!(Expr::parse_with(&expr.to_string(), &tables).unwrap(), expr);
    assert_eq!(expr.substitute("y", &parsed("kinked(x)")).to_string(), "2*lift(x^2 - wave(kinked(x))) + 1");
    assert_eq!(expr.variables(), [("x".to_string(), 7..8), ("y".to_string(), 18..19)]);
    let Node::Table(table, 0, x) = parsed("lift(x)").node().clone() else { panic!("a table") };
    assert_eq!((table.name(), x.to_string().as_str()), ("lift", "x"));
    // Equal tables make equal expressions, others of the same name do not.
    assert_eq!(parsed("lift(x)"), parsed("lift(x)"));
    let other = Table::new("lift", &[(0.0, 1.0), (1.0, 1.0)], Spline, Hold).unwrap();
    assert_ne!(Expr::parse_with("lift(x)", &[Arc::new(other)]).unwrap(), parsed("lift(x)"));
}

#[test]
fn derivatives_of_tables_have_primes() {
    for (source, first, second) in [
        ("lift(x)", "lift'(x)", "lift''(x)"),
        ("lift(2*x)", "lift'(2*x)*2", "lift''(2*x)*2*2"),
        ("kinked(x)*x", "kinked'(x)*x + kinked(x)", "kinked'(x) + kinked'(x)"),
        ("kinked(3*x)", "kinked'(3*x)*3", "0"),
        ("wave(y)", "0", "0"),
    ] {
        let slope = parsed(source).derivative("x");
        assert_eq!(slope.to_string(), first, "{source}");
        assert_eq!(slope.derivative("x").to_string(), second, "{source}");
    }
    let third = parsed("lift(x)").derivative("x").derivative("x").derivative("x");
    assert_eq!((third.to_string().as_str(), third.derivative("x").to_string().as_str()), ("lift'''(x)", "0"));
    assert_eq!(parsed("lift(-2 + 0)*x").simplify().to_string(), "x");
}

#[test]
fn derivatives_of_tables_agree_with_differences() {
    for source in ["lift(x)", "2*lift(sin(3*x)) - x*wave(5*x)", "exp(lift(x)*wave(x^2))", "kinked(lift(x))/3"]
    {
        let expr = parsed(source);
        let f = SmoothFunction::new(&expr, &["x"], &|_| None).unwrap();
        let h = 1e-5;
        for i in 0..60 {
            let x = -2.83 + 0.1 * f64::from(i);
            let slope = (f.value(&[x + h]) - f.value(&[x - h])) / (2.0 * h);
            let curvature = (f.partial(0, &[x + h]) - f.partial(0, &[x - h])) / (2.0 * h);
            for (exact, numeric) in [(f.partial(0, &[x]), slope), (f.second(0, 0, &[x]), curvature)] {
                // Third derivatives jump, so that the error is of first order at worst.
                let error = (exact - numeric).abs() / (1.0 + exact.abs());
                assert!(error < 1e-3, "{source} at {x}: {exact} {numeric}");
            }
        }
    }
}

#[test]
fn programs_of_tables() {
    let expr = parsed("lift(x)*wave(x*y) - kinked(lift(y)) + if(x < 0, lift(1 - x), wave(2))");
    let slope = expr.derivative("x");
    for expr in [&expr, &slope] {
        let program = Program::compile(expr, &["x", "y"], &|_| None).unwrap();
        for i in 0..200 {
            let (x, y) = (-4.0 + 0.04 * f64::from(i), 3.0 - 0.07 * f64::from(i));
            let tree = expr.eval(&|name| Some(if name == "x" { x } else { y })).unwrap();
            assert_eq!(program.eval(&[x, y]).to_bits(), tree.to_bits(), "({x}, {y})");
        }
        assert!(program.eval(&[f64::NAN, 1.0]).is_nan());
    }
    let constant = Program::compile(&parsed("lift(k - 1)"), &["x"], &|_| Some(2.0)).unwrap();
    assert_eq!(constant.is_constant(), Some(2.0));
    let linear = Function::new(&parsed("kinked(x)"), &["x"], &|_| None).unwrap();
    assert_eq!(linear.partial(0, &[-1.0]), -2.0 / 1.5);
}

#[test]
fn tables_without_finite_value() {
    let source = "1 + kinked(x*1e300)";
    let steep = Table::new("kinked", &[(0.0, 0.0), (1.0, 1e10)], Linear, Extrapolation::Linear).unwrap();
    let expr = Expr::parse_with(source, &[Arc::new(steep)]).unwrap();
    let error = expr.eval(&|_| Some(1.0)).unwrap_err();
    assert_eq!(&source[error.span()], "kinked(x*1e300)");
    assert_eq!(error.to_string(), "overflow: the result of kinked(1e300) is too large");
    assert_eq!(Program::compile(&expr, &[], &|_| Some(1.0)).unwrap_err(), error);
    let program = Program::compile(&expr, &["x"], &|_| None).unwrap();
    assert_eq!(program.eval(&[1.0]), f64::INFINITY);
    assert!(matches!(error, EvalError::NotFinite { operation, .. } if operation == "kinked"));
}

#[test]
fn mistaken_calls() {
    for (source, message, part, suggestion) in [
        ("1 + lfit(x)", "unknown function `lfit`", "lfit", Some("lift")),
        ("Wave(x)", "unknown function `Wave`", "Wave", Some("wave")),
        ("sine(x)", "unknown function `sine`", "sine", Some("sin")),
        ("other(x)", "a product needs its `*`", "other(", Some("other*(")),
        ("lift(x, y, z)", "the table `lift(x)` takes 1 argument, but 3 are given", "y, z", None),
        ("2*lift()", "takes 1 argument, but 0 are given", "lift()", None),
        ("2*lift", "the function `lift` needs its arguments in parentheses", "lift", None),
        ("lift x", "needs its arguments in parentheses", "lift x", Some("lift(x)")),
        ("lift wave", "needs its arguments in parentheses", "lift", None),
    ] {
        let error = Expr::parse_with(source, &tables()).unwrap_err();
        assert!(error.message.contains(message), "{source}: {error}");
        assert_eq!((&source[error.span], error.suggestion.as_deref()), (part, suggestion), "{source}");
    }
    assert_eq!(
        Expr::parse("lift(x)").unwrap_err().message,
        "unknown function `lift`; a product needs its `*`"
    );
}
