//! Functions with second partial derivatives.

use poinsot_expr::{EvalError, Expr, SmoothFunction};

fn constants(name: &str) -> Option<f64> {
    match name {
        "k" => Some(4.0),
        "zero" => Some(0.0),
        _ => None,
    }
}

fn function(source: &str, arguments: &[&str]) -> SmoothFunction {
    SmoothFunction::new(&Expr::parse(source).unwrap(), arguments, &constants).unwrap()
}

#[test]
fn second_partial_derivatives() {
    let f = function("k*x^2*y + sin(x*y) + step(t)", &["x", "y", "t"]);
    let (x, y) = (0.3f64, 0.7f64);
    let at = [x, y, 1.0];
    let (s, c) = (x * y).sin_cos();
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-15, "{a} {b}");
    close(f.value(&at), 4.0 * x * x * y + s + 1.0);
    close(f.partial(0, &at), 8.0 * x * y + y * c);
    close(f.second(0, 0, &at), 8.0 * y - y * y * s);
    close(f.second(0, 1, &at), 8.0 * x + c - x * y * s);
    close(f.second(1, 1, &at), -x * x * s);
    assert_eq!(f.second(1, 0, &at).to_bits(), f.second(0, 1, &at).to_bits());
    assert!(!f.second_is_zero(0, 0) && !f.second_is_zero(1, 0) && !f.second_is_zero(1, 1));
    assert!(f.depends_on(2) && f.partial_is_zero(2));
    // No derivative, no such argument.
    for (i, j) in [(0, 2), (2, 1), (2, 2), (0, 3), (7, 1), (usize::MAX, 0)] {
        assert!(f.second_is_zero(i, j) && f.second(i, j, &at) == 0.0, "({i}, {j})");
    }
    assert_eq!(f.function().partial(1, &at), f.partial(1, &at));
}

#[test]
fn vanishing_second_derivatives_are_known() {
    let f = function("k*x*y - 3*x + y/k + zero*x^5 + abs(y)", &["x", "y"]);
    assert!(f.second_is_zero(0, 0) && f.second_is_zero(1, 1) && !f.second_is_zero(0, 1));
    assert_eq!(f.second(1, 0, &[2.0, 5.0]), 4.0);
    assert!(function("if(x < 1, 2*x, 3*x - 1)", &["x"]).second_is_zero(0, 0));
}

#[test]
fn constants_have_no_derivatives() {
    let f = SmoothFunction::constant(2.5);
    assert_eq!((f.value(&[]), f.partial(0, &[]), f.second(0, 0, &[])), (2.5, 0.0, 0.0));
    assert_eq!(f.as_constant(), Some(2.5));
    assert!(f.second_is_zero(0, 0) && f.partial_is_zero(0) && !f.depends_on(0) && !f.is_zero());
    assert!(function("zero*x", &["x"]).is_zero());
    fn check<T: Clone + Send + Sync + std::fmt::Debug>() {}
    check::<SmoothFunction>();
}

#[test]
fn errors_are_those_of_functions() {
    let new = |source: &str| SmoothFunction::new(&Expr::parse(source).unwrap(), &["x"], &constants);
    assert!(matches!(new("0*y"), Err(EvalError::UnknownName { .. })));
    assert!(matches!(new("0*(1/zero)"), Err(EvalError::NotFinite { .. })));
}

/// A switch far from its threshold has derivatives that are 0, not 0·∞.
#[test]
fn saturated_switches_have_finite_derivatives() {
    let f = function("tanh(x)", &["x"]);
    for x in [-1e5, -400.0, 400.0, 800.0] {
        assert_eq!((f.partial(0, &[x]), f.second(0, 0, &[x])), (0.0, 0.0), "{x}");
    }
    let (x, t) = (0.8f64, 0.8f64.tanh());
    assert!((f.second(0, 0, &[x]) + 2.0 * t * (1.0 - t * t)).abs() < 1e-15);
}

/// Large expressions get their derivatives or an error, in little time and memory.
#[test]
fn size_is_limited() {
    let long = |n: usize, op: &str, part: &str| vec![part; n].join(op);
    let nested = |n: usize| format!("{}x{}", "sin(".repeat(n), ")".repeat(n));
    let chosen = |n: usize| format!("{}x{}", "if(".repeat(n), ", x^2, 3)".repeat(n));
    let new = |source: &str| SmoothFunction::new(&Expr::parse(source).unwrap(), &["x"], &constants);
    let sum = new(&long(990, " + ", "sin(3*x)")).unwrap();
    let exact = -990.0 * 9.0 * 1.2f64.sin();
    assert!((sum.second(0, 0, &[0.4]) - exact).abs() < 1e-9);
    for n in [50, 1000] {
        let product = new(&long(n, "*", "x")).unwrap();
        assert_eq!(product.second(0, 0, &[1.0]), (n * (n - 1)) as f64);
    }
    assert!(new(&nested(60)).unwrap().second(0, 0, &[1.0]).is_finite());
    assert!(new(&chosen(300)).unwrap().second(0, 0, &[1.0]).is_finite());
    for source in [long(20_000, "*", "x"), nested(390), long(390, "^", "x")] {
        let error = new(&source).unwrap_err();
        assert_eq!(error, EvalError::TooLarge { span: 0..source.len() });
        assert!(error.to_string().contains("too large") && error.suggestion().is_none());
    }
}
