//! The text for GNU Octave, run by it.
//!
//! Without `octave-cli` what needs it is left out, unless the variable POINSOT_OCTAVE is `required`.

// Each test uses a part of the module.
#[allow(dead_code)]
use crate::random;

use poinsot_expr::{BUILTINS, Expr};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
fn forms() {
    for (source, text) in [
        ("a + b - (c - d)", "a + b - (c - d)"),
        ("2*a/(b*c)", "2*a/(b*c)"),
        ("2^3^x", "2^(3^x)"),
        ("(2^3)^x", "(2^3)^x"),
        ("2^-x", "2^(-x)"),
        ("-x^2", "-x^2"),
        ("(-x)^2", "(-x)^2"),
        ("a*-b", "a*(-b)"),
        ("sin(x)^2", "sin(x)^2"),
        ("x < 1", "double(x < 1)"),
        ("(x != 1)*2", "double(x ~= 1)*2"),
        ("not x", "double(~(x ~= 0))"),
        ("a and (b or c < 1)", "double(a ~= 0 && (b ~= 0 || c < 1))"),
        ("if(x, 1, 2)", "if_(x ~= 0, 1, 2)"),
        ("min(a, b, c, d)", "min(min(min(a, b), c), d)"),
        ("degrees(x)", "rad2deg(x)"),
        ("e^x*pi", "exp(1)^x*pi"),
        ("a.b.c + θ + _k + end + if_ + double", "a_b_c + u03b8 + x_k + end_ + if__ + double_"),
        ("1e-7 + 0.1", "1e-7 + 0.1"),
    ] {
        assert_eq!(Expr::parse(source).unwrap().to_octave(&|_| None), text, "{source}");
    }
    let rate = Expr::parse_equation("L*der(motor.i) = u", &[]).unwrap();
    assert_eq!(rate.to_octave(&|_| None), "L*der_motor_i - u");
    let given = |name: &str| (name == "x").then(|| "y(3)".to_string());
    assert_eq!(Expr::parse("2*x^2").unwrap().to_octave(&given), "2*y(3)^2");
}

/// The values that Octave computes for the texts, all helpers given.
fn octave(texts: &[String], helpers: &BTreeMap<String, String>) -> Option<Vec<f64>> {
    let mut script = String::from("1;\n");
    helpers.values().for_each(|text| script.push_str(text));
    for text in texts {
        // The bits, so that nothing is lost in printing.
        script.push_str(&format!("disp(num2hex(double({text})));\n"));
    }
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let name = format!("case_{}_{}.m", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, script).unwrap();
    let run =
        Command::new("octave-cli").args(["--no-init-file", "--no-history", "--quiet"]).arg(&file).output();
    let Ok(run) = run else {
        assert!(std::env::var("POINSOT_OCTAVE").as_deref() != Ok("required"), "octave-cli is not installed");
        println!("octave-cli is not installed: not tested");
        return None;
    };
    let (output, errors) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success(), "{}: {errors}", file.display());
    std::fs::remove_file(&file).unwrap();
    let value = |line: &str| f64::from_bits(u64::from_str_radix(line, 16).expect(line));
    let values: Vec<f64> = output.lines().map(value).collect();
    assert_eq!(values.len(), texts.len(), "{errors}");
    Some(values)
}

struct Random(u64);

impl Random {
    /// Between -1 and 1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// Compares with the value of the language at points, put in as numbers.
fn compare(cases: &[(Expr, Vec<(String, f64)>)], tolerance: f64) -> usize {
    let (mut texts, mut exact, mut helpers) = (vec![], vec![], BTreeMap::new());
    for (expr, at) in cases {
        let value = |name: &str| at.iter().find(|(other, _)| other == name).map(|(_, value)| *value);
        let Ok(known) = expr.eval(&value) else { continue };
        let number = |name: &str| value(name).map(|x| format!("({})", Expr::number(x)));
        texts.push(expr.to_octave(&number));
        let scale = at.iter().fold(known.abs(), |scale, (_, x)| scale.max(x.abs()));
        exact.push((expr.to_string(), at.clone(), known, scale));
        helpers.extend(expr.octave_helpers(&|_| None));
    }
    let Some(values) = octave(&texts, &helpers) else { return 0 };
    for ((source, at, known, scale), found) in exact.iter().zip(&values) {
        // The remainder is as exact as the arguments.
        let size = if source.contains("mod") { *scale } else { known.abs() };
        assert!((found - known).abs() <= tolerance * size, "{source} at {at:?}: {known} {found}");
    }
    values.len()
}

#[test]
fn every_function_has_its_value() {
    let mut random = Random(1);
    let mut cases = vec![];
    for b in BUILTINS {
        let call =
            |more: &str| Expr::parse(&format!("{}({}{more})", b.name, b.arguments.join(", "))).unwrap();
        for k in 0..30 {
            let size = [0.5, 1.0, 3.0, 40.0][k % 4];
            let mut at: Vec<(String, f64)> =
                b.arguments.iter().map(|x| (x.to_string(), size * random.next())).collect();
            if k % 10 == 9 {
                at.iter_mut().for_each(|(_, x)| *x = x.round());
            }
            if b.name == "limexp" && k % 2 == 0 {
                at[0].1 = 300.0 + 100.0 * random.next();
            }
            if b.accepts(b.arguments.len() + 1) {
                cases.push((call(", 0.3"), at.clone()));
            }
            cases.push((call(""), at));
        }
    }
    for op in ["+", "-", "*", "/", "^", "<", "<=", ">", ">=", "==", "!=", "and", "or"] {
        let expr = Expr::parse(&format!("a {op} b")).unwrap();
        for k in 0..8 {
            let round = |x: f64| if k % 2 == 0 { x.round() } else { x };
            let at = ["a", "b"].map(|x| (x.to_string(), round(3.0 * random.next())));
            cases.push((expr.clone(), at.to_vec()));
        }
    }
    let count = compare(&cases, 1e-14);
    println!("{count} values compared");
}

#[test]
fn choices_tables_and_numbers_have_their_value() {
    let mut random = Random(2);
    let mut cases = vec![];
    for text in [
        "if(x > 0, sqrt(x), 1/0)",
        "if(x > 0, log(x), -1) + if(not (x > 0) and y < 2 or y > 5, 1/(x - 7), 2)",
        "-x^2 + (-x)^3*2^-y",
        "x/y/2*3 - (x - (y - 1))",
        "lift(x)",
        "wave(x)*y",
        "polygon(x) - x",
        "e*pi*x",
        "0.1*x + 1.7976931348623157e308*0 + 5e-324 + 2.2250738585072014e-308",
    ] {
        let expr = random::parse(text);
        for _ in 0..20 {
            let at = ["x", "y"].map(|name| (name.to_string(), 4.0 * random.next()));
            cases.push((expr.clone(), at.to_vec()));
            if text.contains('(') && !text.contains("if") {
                cases.push((expr.derivative("x"), at.to_vec()));
                cases.push((expr.derivative("x").derivative("x"), at.to_vec()));
            }
        }
    }
    let count = compare(&cases, 2e-14);
    println!("{count} values compared");
    for value in [0.1, 1.0 / 3.0, 5e-324, f64::MAX, 123_456_789.123_456_79] {
        let text = vec![Expr::number(value).to_octave(&|_| None)];
        if let Some(values) = octave(&text, &BTreeMap::new()) {
            assert_eq!(values[0].to_bits(), value.to_bits());
        }
    }
}
