//! Equations with rates.

use poinsot_expr::{Expr, Function, rate_name, rate_of};

#[test]
fn both_sides() {
    let printed = |text: &str| Expr::parse_equation(text, &[]).unwrap().to_string();
    assert_eq!(printed("a = b"), "a - b");
    assert_eq!(printed("L*der(i) = U - R*i"), "L*der(i) - (U - R*i)");
    assert_eq!(printed("der( motor.i ) + x"), "der(motor.i) + x");
    assert_eq!(
        printed("if(x == 1, a, b) = if(x <= 2 and x != 3, 1, 0)"),
        "if(x == 1, a, b) - if(x <= 2 and x != 3, 1, 0)"
    );
    assert_eq!(printed("x == 1"), "x == 1");
}

#[test]
fn rates_are_names_of_their_own() {
    let equation = Expr::parse_equation("  2*der(x) = x", &[]).unwrap();
    assert_eq!(equation.variables(), [("der(x)".to_string(), 4..10), ("x".to_string(), 13..14)]);
    assert_eq!(rate_name("x"), "der(x)");
    assert_eq!(rate_of("der(x)"), Some("x"));
    assert_eq!(rate_of("derx"), None);
    let f = Function::new(&equation, &["x", "der(x)"], &|_| None).unwrap();
    assert_eq!(f.value(&[3.0, 5.0]), 7.0);
    assert_eq!((f.partial(0, &[3.0, 5.0]), f.partial(1, &[3.0, 5.0])), (-1.0, 2.0));
}

#[test]
fn mistakes_point_into_the_whole_text() {
    let error = |text: &str| {
        let error = Expr::parse_equation(text, &[]).unwrap_err();
        (error.message, error.span)
    };
    assert_eq!(error("a = "), ("nothing stands after the `=`".into(), 2..3));
    assert_eq!(error(" = b"), ("nothing stands before the `=`".into(), 1..2));
    let twice = "an equation has one `=`; equality in a condition is written `==`";
    assert_eq!(error("a = b = c"), (twice.into(), 6..7));
    assert_eq!(error("a = 2*(b + )").1, 9..12);
    assert_eq!(error("a = if(b = 1, 2, 3)"), ("`=` is written `==`".into(), 9..10));
    let whose = "`der(x)` is the rate of a variable, not of an expression";
    assert_eq!(error("a = der(2*x)"), (whose.into(), 8..11));
    assert_eq!(error("a = der(der(x))"), (whose.into(), 8..14));
    assert_eq!(error("a = der(x, y)").1, 11..12);
    assert_eq!(error("der() = 1").1, 0..5);
    let elsewhere = Expr::parse("der(x)").unwrap_err();
    assert_eq!(elsewhere.message, "`der(x)`, the rate of a variable, is known only in equations");
    assert_eq!(elsewhere.span, 0..3);
}
