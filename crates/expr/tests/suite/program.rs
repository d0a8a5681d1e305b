//! Compiled expressions and functions with partial derivatives.

use poinsot_expr::{EvalError, Expr, Function, Program};

fn constants(name: &str) -> Option<f64> {
    match name {
        "k" => Some(4.0),
        "zero" => Some(0.0),
        "bad" => Some(f64::INFINITY),
        _ => None,
    }
}

fn compile(source: &str, variables: &[&str]) -> Result<Program, EvalError> {
    Program::compile(&Expr::parse(source).unwrap(), variables, &constants)
}

fn function(source: &str, arguments: &[&str]) -> Function {
    Function::new(&Expr::parse(source).unwrap(), arguments, &constants).unwrap()
}

#[test]
fn programs_can_be_shared_between_threads() {
    fn check<T: Clone + Send + Sync + std::fmt::Debug>() {}
    check::<Program>();
    check::<Function>();
    let program = compile("x + k", &["x"]).unwrap();
    assert_eq!(format!("{program:?}"), "Program { instructions: 3, slots: 2 }");
}

#[test]
fn constants_are_folded() {
    assert_eq!(compile("k^2 + 2*pi*0", &[]).unwrap().is_constant(), Some(16.0));
    assert_eq!(compile("if(k > 1, 2, x)", &["x"]).unwrap().is_constant(), Some(2.0));
    assert_eq!(compile("k > 5 and x > 1", &["x"]).unwrap().is_constant(), Some(0.0));
    assert_eq!(compile("k < 5 or x > 1", &["x"]).unwrap().is_constant(), Some(1.0));
    assert_eq!(compile("x", &["x"]).unwrap().is_constant(), None);
    assert_eq!(compile("k", &["x"]).unwrap().eval(&[]), 4.0);
    // Variables hide constants, and both hide `e`.
    assert_eq!(compile("k + e", &["e", "k"]).unwrap().eval(&[1.0, 2.0]), 3.0);
}

#[test]
fn constants_without_value_are_errors_where_they_matter() {
    for (source, part) in [
        ("x + 1/zero", "1/zero"),
        ("x + sqrt(-k)", "sqrt(-k)"),
        ("x*bad", "bad"),
        ("if(k > 1, x/(1/zero), x)", "1/zero"),
        ("k > 1 and 1/zero > x", "1/zero"),
    ] {
        let error = compile(source, &["x"]).unwrap_err();
        assert_eq!(&source[error.span()], part);
    }
    let guarded = compile("if(x > 1, 1/zero, x)", &["x"]).unwrap();
    assert_eq!(guarded.eval(&[0.5]), 0.5);
    assert_eq!(guarded.eval(&[2.0]), f64::INFINITY);
    assert!(compile("if(zero, 1/zero, x)", &["x"]).is_ok());
}

#[test]
fn unknown_names() {
    let error = compile("2*hinge.angel", &["t", "hinge.angle"]).unwrap_err();
    assert_eq!(error.span(), 2..13);
    assert_eq!(error.suggestion(), Some("hinge.angle"));
}

#[test]
fn nan_never_hides() {
    for source in [
        "if(x, 1, 2)",
        "if(x < 0, 1, 2)",
        "x < 1 and y",
        "y and x",
        "x or y",
        "not x",
        "x != y",
        "y == x",
        "min(x, y)",
        "min(y, x)",
        "max(x, y)",
        "clamp(y, 0, x)",
        "step(x)",
        "sign(x)",
        "smoothstep(x)",
    ] {
        let program = compile(source, &["x", "y"]).unwrap();
        assert!(program.eval(&[f64::NAN, 1.0]).is_nan(), "{source}");
    }
}

#[test]
fn right_nested_expressions_need_few_slots() {
    let mut source = "x".to_string();
    for i in 0..150 {
        source = match i % 3 {
            0 => format!("(2 - {source})"),
            1 => format!("clamp(x - 9, x - 8, {source})"),
            _ => format!("(3/(1 + {source}))"),
        };
    }
    let expr = Expr::parse(&source).unwrap();
    let program = Program::compile(&expr, &["x"], &constants).unwrap();
    let expected = expr.eval(&|_| Some(0.7)).unwrap();
    assert_eq!(program.eval(&[0.7]).to_bits(), expected.to_bits());
    assert!(format!("{program:?}").ends_with("slots: 4 }"), "{program:?}");
}

#[test]
fn balanced_expressions_beyond_the_small_stack() {
    let mut source = "x".to_string();
    for _ in 0..11 {
        source = format!("({source} - 0.4*{source})");
    }
    let expr = Expr::parse(&source).unwrap();
    let program = Program::compile(&expr, &["x"], &constants).unwrap();
    let expected = expr.eval(&|_| Some(0.7)).unwrap();
    assert_eq!(program.eval(&[0.7]).to_bits(), expected.to_bits());
}

#[test]
fn functions_have_partial_derivatives() {
    let f = function("k*x^2*y + step(t)", &["x", "y", "t"]);
    let at = [3.0, 5.0, 1.0];
    assert_eq!(f.value(&at), 181.0);
    assert_eq!(f.partial(0, &at), 120.0);
    assert_eq!(f.partial(1, &at), 36.0);
    assert_eq!(f.partial(2, &at), 0.0);
    assert_eq!(f.partial(3, &at), 0.0);
    assert!(f.depends_on(0) && f.depends_on(2) && !f.depends_on(3));
    assert!(!f.partial_is_zero(0) && f.partial_is_zero(2) && f.partial_is_zero(3));
    assert!(!f.is_zero() && f.as_constant().is_none());
}

#[test]
fn functions_that_are_constant() {
    let f = Function::constant(2.5);
    assert_eq!((f.value(&[]), f.partial(0, &[])), (2.5, 0.0));
    assert!(!f.depends_on(0) && !f.is_zero());
    assert!(Function::constant(0.0).is_zero());
    assert!(function("zero*x + 0/k", &["x"]).is_zero());
    assert_eq!(function("x^zero", &["x"]).as_constant(), Some(1.0));
}

#[test]
fn functions_check_the_whole_expression() {
    let new = |source: &str| Function::new(&Expr::parse(source).unwrap(), &["x"], &constants);
    assert!(matches!(new("0*y"), Err(EvalError::UnknownName { .. })));
    assert!(matches!(new("0*(1/zero)"), Err(EvalError::NotFinite { .. })));
    // The value is fine although the derivative is not.
    let f = new("zero^x").unwrap();
    assert_eq!(f.value(&[2.0]), 0.0);
    assert!(f.partial(0, &[2.0]).is_nan());
}
