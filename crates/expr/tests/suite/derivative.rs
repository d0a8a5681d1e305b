//! Symbolic derivatives: form, and value against differences.

use poinsot_expr::{BUILTINS, Expr};

#[test]
fn forms() {
    for (source, derivative) in [
        ("5", "0"),
        ("x", "1"),
        ("y", "0"),
        ("-x", "-1"),
        ("x + y", "1"),
        ("3*x - y*x", "3 - y"),
        ("x*y", "y"),
        ("x^2", "2*x"),
        ("x^3", "3*x^2"),
        ("y*x^n", "y*(n*x^(n - 1))"),
        ("1/x", "-(1/x^2)"),
        ("x/y", "1/y"),
        ("2^x", "2^x*0.6931471805599453"),
        ("sin(y)", "0"),
        ("cos(2*x)", "-(sin(2*x)*2)"),
        ("sqrt(x)", "1/(2*sqrt(x))"),
        ("abs(x)", "sign(x)"),
        ("min(x, y)", "if(x <= y, 1, 0)"),
        ("max(y, x, 0)", "if(max(y, x) >= 0, if(y >= x, 0, 1), 0)"),
        ("floor(x) + step(x) + (x < 2)", "0"),
        ("not x", "0"),
        ("ramp(x)", "if(x >= 0, 1, 0)"),
        ("mod(x, 2)", "1"),
        ("if(x < 1, x^2, y)", "if(x < 1, 2*x, 0)"),
        ("if(x < 1, 2*x, 2*x)", "2"),
        ("atan2(y, x)", "-(y/(x^2 + y^2))"),
        ("e^x", "e^x*log(e)"),
    ] {
        let expr = Expr::parse(source).unwrap();
        assert_eq!(expr.derivative("x").to_string(), derivative, "{source}");
    }
}

#[test]
fn simplification() {
    for (source, simple) in [
        ("0 + x", "x"),
        ("x - 0", "x"),
        ("0 - x", "-x"),
        ("x + -y", "x - y"),
        ("x - -y", "x + y"),
        ("--x", "x"),
        ("1*x*1", "x"),
        ("-1*x", "-x"),
        ("-x*-y", "x*y"),
        ("-x/y", "-(x/y)"),
        ("0*x", "0"),
        ("0/x", "0"),
        ("x/1", "x"),
        ("x^1 + x^0", "x + 1"),
        ("2*3 + x", "6 + x"),
        ("2 - 5 + x", "-3 + x"),
        ("sqrt(16)*x", "4*x"),
        ("1/0 + x", "1/0 + x"),
        ("sqrt(-1)", "sqrt(-1)"),
        ("if(2 > 1, x, y)", "x"),
        ("x < 1 and 0", "0"),
        ("x < 1 or 3", "1"),
        ("not -x", "not x"),
        ("pi*1", "pi"),
    ] {
        let expr = Expr::parse(source).unwrap();
        assert_eq!(expr.simplify().to_string(), simple, "{source}");
    }
}

#[test]
fn second_derivatives() {
    let expr = Expr::parse("exp(-a*t)*cos(w*t)").unwrap();
    let second = expr.derivative("t").derivative("t");
    let (a, w, t) = (0.3f64, 2.0f64, 0.7f64);
    let names = |name: &str| match name {
        "a" => Some(a),
        "w" => Some(w),
        "t" => Some(t),
        _ => None,
    };
    let exact = (-a * t).exp() * ((a * a - w * w) * (w * t).cos() + 2.0 * a * w * (w * t).sin());
    assert!((second.eval(&names).unwrap() - exact).abs() < 1e-13);
}

/// Every function of the table, in every argument, at points away from its kinks.
#[test]
fn every_rule_agrees_with_differences() {
    let points = [-1.73, -0.61, -0.23, 0.17, 0.37, 0.71, 1.37, 2.43];
    let h = 1e-5;
    for b in BUILTINS {
        let call = format!("{}({})", b.name, b.arguments.join(", "));
        let expr = Expr::parse(&call).unwrap();
        for variable in b.arguments {
            let slope = expr.derivative(variable);
            let mut compared = 0;
            for (shift, &x) in points.iter().enumerate() {
                let at = |step: f64| {
                    move |name: &str| {
                        let place = b.arguments.iter().position(|a| *a == name)?;
                        // Never equal to x, where min, max and clamp have kinks.
                        let other = 0.05 + points[(3 * place + 2 * shift + 1) % points.len()];
                        Some(if name == *variable { x + step } else { other })
                    }
                };
                let values = (expr.eval(&at(h)), expr.eval(&at(-h)));
                let (Ok(up), Ok(down)) = values else { continue };
                let numeric = (up - down) / (2.0 * h);
                let exact = slope.eval(&at(0.0)).unwrap();
                let error = (numeric - exact).abs() / (1.0 + exact.abs());
                assert!(error < 1e-7, "d {call}/d{variable}: {exact}, {numeric}");
                compared += 1;
            }
            assert!(compared >= 2, "{call}: {compared} points");
        }
    }
}
