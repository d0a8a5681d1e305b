//! The grammar: what expressions mean, and what they print as.

use poinsot_expr::{BUILTINS, EvalError, Expr, Node, is_name};

fn names(name: &str) -> Option<f64> {
    Some(match name {
        "x" => 3.0,
        "y" => -2.0,
        "a.b.c" => 0.25,
        "_k1" => 7.0,
        "θ" => 0.5,
        _ => return None,
    })
}

fn value(source: &str) -> f64 {
    let expr = Expr::parse(source).unwrap_or_else(|e| panic!("{source}: {e}"));
    expr.eval(&names).unwrap_or_else(|e| panic!("{source}: {e}"))
}

#[test]
fn numbers() {
    for (source, expected) in [
        ("2", 2.0),
        ("0.5", 0.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("1e3", 1000.0),
        ("1.5E-3", 0.0015),
        ("2e+2", 200.0),
        ("0e-999", 0.0),
        ("9007199254740993", 9007199254740992.0),
        ("1.7976931348623157e308", f64::MAX),
        ("5e-324", 5e-324),
    ] {
        assert_eq!(value(source), expected, "{source}");
    }
}

#[test]
fn precedence() {
    for (source, expected) in [
        ("1 + 2*3", 7.0),
        ("(1 + 2)*3", 9.0),
        ("8/4/2", 1.0),
        ("8 - 4 - 2", 2.0),
        ("2^3^2", 512.0),
        ("(2^3)^2", 64.0),
        ("-2^2", -4.0),
        ("(-2)^2", 4.0),
        ("2^-1", 0.5),
        ("2^-1*4", 2.0),
        ("2^-2^2", 0.0625),
        ("--x", 3.0),
        ("-+x", -3.0),
        ("2*-x", -6.0),
        ("2 - -x", 5.0),
        ("1 + x < 5", 1.0),
        ("x < 2 or y < 0", 1.0),
        ("x < 2 and y < 0 or x == 3", 1.0),
        ("x == 3 or x < 2 and y > 0", 1.0),
        ("not x < 2", 1.0),
        ("not x < 2 and y > 0", 0.0),
        ("not not x", 1.0),
        ("(x > 2)*5", 5.0),
        ("x >= 3", 1.0),
        ("x <= 2", 0.0),
        ("x != 3", 0.0),
        ("x == 3", 1.0),
        ("if(x < 2, 1, 2)", 2.0),
        ("if(x, 1, 2)", 1.0),
        ("1 + if (x > 2, 10, 20)*2", 21.0),
    ] {
        assert_eq!(value(source), expected, "{source}");
    }
}

#[test]
fn names_and_constants() {
    assert_eq!(value("a.b.c*4"), 1.0);
    assert_eq!(value("_k1 + θ"), 7.5);
    assert_eq!(value("pi"), std::f64::consts::PI);
    assert_eq!(value("e"), std::f64::consts::E);
    let shadow = |name: &str| (name == "e").then_some(0.8);
    assert_eq!(Expr::parse("2*e").unwrap().eval(&shadow), Ok(1.6));
    assert_eq!(Expr::parse("2e0").unwrap().eval(&shadow), Ok(2.0));
    for good in ["a", "a1", "a_b", "a.b", "a.sin", "sin.a", "e", "ω"] {
        assert!(is_name(good), "{good}");
    }
    for bad in ["", "1a", "a.", ".a", "a..b", "a b", "a-b", "a.1", "if", "max", "π"] {
        assert!(!is_name(bad), "{bad}");
    }
}

#[test]
fn functions() {
    for (source, expected) in [
        ("sin(0)", 0.0),
        ("atan2(1, -1)", 0.75 * std::f64::consts::PI),
        ("log(e)", 1.0),
        ("log10(1000)", 3.0),
        ("log2(8)", 3.0),
        ("sqrt(16)", 4.0),
        ("cbrt(-8)", -2.0),
        ("hypot(3, 4)", 5.0),
        ("hypot(2, 3, 6)", 7.0),
        ("abs(y)", 2.0),
        ("sign(y)", -1.0),
        ("sign(0)", 0.0),
        ("min(x, y)", -2.0),
        ("min(4, x, 5)", 3.0),
        ("max(4, x, 5, 1)", 5.0),
        ("clamp(x, 0, 1)", 1.0),
        ("clamp(y, 0, 1)", 0.0),
        ("clamp(0.5, 0, 1)", 0.5),
        ("floor(-0.5)", -1.0),
        ("ceil(0.5)", 1.0),
        ("round(2.5)", 3.0),
        ("mod(-1, 3)", 2.0),
        ("step(0)", 1.0),
        ("step(y)", 0.0),
        ("ramp(x) + ramp(y)", 3.0),
        ("smoothstep(0.5)", 0.5),
        ("smoothstep(-1) + smoothstep(2)", 1.0),
        ("smootherstep(0.5)", 0.5),
        ("degrees(pi)", 180.0),
        ("radians(180)", std::f64::consts::PI),
    ] {
        assert_eq!(value(source), expected, "{source}");
    }
}

#[test]
fn untaken_branches_are_not_evaluated() {
    assert_eq!(value("if(x > 0, 1, 1/0)"), 1.0);
    assert_eq!(value("if(x < 0, sqrt(-1), 2)"), 2.0);
    assert_eq!(value("x < 0 and 1/0 > 1"), 0.0);
    assert_eq!(value("x > 0 or 1/0 > 1"), 1.0);
}

#[test]
fn spans_cover_the_source_of_each_node() {
    let source = "(x) + 2*sin( y.z )";
    let expr = Expr::parse(source).unwrap();
    assert_eq!(expr.span(), 0..source.len());
    let names: Vec<_> =
        expr.variables().into_iter().map(|(name, span)| (name, source[span].to_string())).collect();
    assert_eq!(names, [("x".into(), "x".into()), ("y.z".into(), "y.z".into())]);
    let Node::Binary(_, _, product) = expr.node() else { panic!("a sum") };
    assert_eq!(&source[product.span()], "2*sin( y.z )");
}

#[test]
fn printing_has_no_needless_parentheses() {
    for (source, printed) in [
        ("((a))+((b*(c)))", "a + b*c"),
        ("a-(b-c)", "a - (b - c)"),
        ("(a-b)-c", "a - b - c"),
        ("a/(b*c)", "a/(b*c)"),
        ("a/b*c", "a/b*c"),
        ("(a^b)^c", "(a^b)^c"),
        ("a^(b^c)", "a^b^c"),
        ("(-a)^2", "(-a)^2"),
        ("-(a^2)", "-a^2"),
        ("(-a)*b", "-a*b"),
        ("-(a*b)", "-(a*b)"),
        ("a*(-b)", "a*-b"),
        ("a^(-b)", "a^-b"),
        ("a-(-b)", "a - -b"),
        ("(a<b)<c", "(a < b) < c"),
        ("not(a and b)", "not (a and b)"),
        ("(not a)and b", "not a and b"),
        ("(not a) + b", "(not a) + b"),
        ("(a or b) and c", "(a or b) and c"),
        ("if(a<b,(1),min(2,(3)))", "if(a < b, 1, min(2, 3))"),
        ("1e300 + 1e-7 + 0.1", "1e300 + 1e-7 + 0.1"),
        ("+a", "a"),
    ] {
        let expr = Expr::parse(source).unwrap();
        assert_eq!(expr.to_string(), printed, "{source}");
        assert_eq!(Expr::parse(printed).unwrap(), expr, "{source}");
    }
}

#[test]
fn numbers_as_expressions() {
    for value in [0.0, -0.0, 1.5, -1.5, 1e300, f64::MIN_POSITIVE] {
        let expr = Expr::number(value);
        assert_eq!(expr.eval(&names).unwrap().to_bits(), value.to_bits());
        assert_eq!(Expr::parse(&expr.to_string()).unwrap(), expr);
    }
    for value in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
        let expr = Expr::number(value);
        assert_eq!(Expr::parse(&expr.to_string()).unwrap(), expr);
        assert!(expr.eval(&names).is_err());
    }
    assert_eq!(Expr::name("a.b").unwrap().to_string(), "a.b");
    assert!(Expr::name("a b").is_none());
}

fn failure(source: &str) -> (String, String, String) {
    match Expr::parse(source).unwrap().eval(&names).unwrap_err() {
        EvalError::NotFinite { operation, message, span } => (operation, message, source[span].to_string()),
        other => panic!("{source}: {other}"),
    }
}

#[test]
fn values_that_are_not_finite_are_errors() {
    for (source, operation, message, part) in [
        ("1 + x/(y + 2)", "/", "division by zero: 3/0", "x/(y + 2)"),
        ("2*0^y", "^", "zero to a negative power: 0^-2", "0^y"),
        ("y^0.5 + 1", "^", "a negative number to a power that is not an integer: (-2)^0.5", "y^0.5"),
        ("1e300*1e300", "*", "overflow: the result is too large: 1e300*1e300", "1e300*1e300"),
        ("1 + sqrt(y)", "sqrt", "sqrt(-2) has no finite value: `sqrt(x)` needs x >= 0", "sqrt(y)"),
        ("log(0)", "log", "log(0) has no finite value: `log(x)` needs x > 0", "log(0)"),
        ("exp(1000)", "exp", "overflow: the result of exp(1000) is too large", "exp(1000)"),
    ] {
        let expected = (operation.into(), message.into(), part.into());
        assert_eq!(failure(source), expected, "{source}");
    }
    let nan = |_: &str| Some(f64::NAN);
    let error = Expr::parse("1 + q").unwrap().eval(&nan).unwrap_err();
    assert_eq!(error.to_string(), "the value of `q` is not finite (NaN)");
    assert_eq!(error.span(), 4..5);
}

#[test]
fn domains_are_where_values_are_finite() {
    let points = [-2.5, -1.0, -0.5, 0.0, 0.5, 1.0, 2.5];
    for b in BUILTINS.iter().filter(|b| b.arguments.len() == 1) {
        let domain = Expr::parse(b.domain.unwrap_or("1")).unwrap();
        for x in points {
            let inside = domain.eval(&|_| Some(x)).unwrap() != 0.0;
            assert_eq!(b.apply(&[x]).is_finite(), inside, "{} at {x}", b.name);
        }
    }
}

#[test]
fn unknown_names_are_errors() {
    let expr = Expr::parse("2*lenght + P1").unwrap();
    let error = expr.eval(&|_| None).unwrap_err();
    assert_eq!(error.span(), 2..8);
    assert_eq!(error.suggestion(), None);
    let error = error.with_candidates(["mass", "length"]);
    assert_eq!(error.to_string(), "unknown name `lenght` (did you mean `length`?)");
    let error = Expr::parse("2*Pi").unwrap().eval(&|_| None).unwrap_err();
    assert_eq!(error.suggestion(), Some("pi"));
}

#[test]
fn substitution() {
    let expr = Expr::parse("x^2 + y*x").unwrap();
    let other = Expr::parse("x + 1").unwrap();
    let result = expr.substitute("x", &other);
    assert_eq!(result.to_string(), "(x + 1)^2 + y*(x + 1)");
    let spans: Vec<_> = result.variables().into_iter().map(|(_, s)| s).collect();
    assert_eq!(spans, [0..1, 6..7, 8..9]);
    assert!(expr.contains("y") && !expr.contains("z"));
}
