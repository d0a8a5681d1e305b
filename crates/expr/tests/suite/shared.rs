//! Parts that are put into each other again and again: everything costs what was written, not what it would
//! be.

use poinsot_expr::{Block, Engine, Expr, Function, Program, SmoothFunction, TimeLaw};
use std::time::Instant;

/// A chain of signals, each made of the one before by a formula in `s`.
fn chain(formula: &str, first: &str, length: usize) -> Expr {
    let rule = Expr::parse(formula).unwrap();
    (1..length).fold(Expr::parse(first).unwrap(), |signal, _| rule.substitute("s", &signal.shared()))
}

/// s' = s − s cos(s)/2 and its slope, by hand.
fn step((s, slope): (f64, f64)) -> (f64, f64) {
    (s - 0.5 * s * s.cos(), slope * (1.0 - 0.5 * s.cos() + 0.5 * s * s.sin()))
}

const SMOOTH: &str = "s - 0.5*s*cos(s)";

fn near(found: f64, wanted: f64) {
    assert!((found - wanted).abs() <= 1e-11 * wanted.abs(), "{found} is not {wanted}");
}

/// Sixty signals, each of which uses the one before twice, would be 2^60 copies of the first.
#[test]
fn a_chain_of_sixty_has_its_values_and_derivatives_everywhere() {
    let clock = Instant::now();
    let expr = chain(SMOOTH, "x + y", 61);
    let constants = |_: &str| None;
    let function = Function::new(&expr, &["x", "y"], &constants).unwrap();
    let program = Program::compile(&expr, &["x", "y"], &constants).unwrap();
    let smooth = SmoothFunction::new(&expr, &["x", "y"], &constants).unwrap();
    let block = Block::new(std::slice::from_ref(&expr), &["x", "y"], &constants, Engine::Native).unwrap();
    let mut first = [0.0; 3];
    for x in [0.3, 1.1, 2.0] {
        let (value, slope) = (0..60).fold((x + 0.25, 1.0), |at, _| step(at));
        let at = [x, 0.25];
        near(expr.eval(&|name| Some(if name == "x" { x } else { 0.25 })).unwrap(), value);
        near(program.eval(&at), value);
        near(function.value(&at), value);
        near(function.partial(0, &at), slope);
        near(function.partial(1, &at), slope);
        near(smooth.value(&at), value);
        let (mut values, mut slopes) = ([0.0], [0.0; 2]);
        block.eval_derivatives(&at, &mut values, &mut slopes);
        near(values[0], value);
        near(slopes[0], slope);
        smooth.jet().first(&at, &mut first);
        near(first[2], slope);
        // The second derivative is the difference of the first ones.
        let h = 1e-6;
        let difference =
            (function.partial(0, &[x + h, 0.25]) - function.partial(0, &[x - h, 0.25])) / (2.0 * h);
        let second = smooth.second(0, 1, &at);
        assert!((second - difference).abs() <= 1e-5 * difference.abs().max(1e-3), "{second} {difference}");
    }
    assert!(clock.elapsed().as_secs_f64() < 5.0, "{:?}", clock.elapsed());
}

/// Ten times the chain takes little more than ten times the work.
#[test]
fn size_grows_with_what_was_written() {
    let written = |length: usize| {
        let expr = chain(SMOOTH, "x", length).derivative("x").tidy();
        let (parts, rest) = Expr::with_named_parts(&[expr], &|k| format!("p{k}"));
        let texts = parts.iter().map(|(_, part)| part).chain(&rest).map(|e| e.to_string().len());
        texts.sum::<usize>()
    };
    let (short, long) = (written(60), written(600));
    assert!(long < 12 * short, "{short} {long}");
}

/// What is printed in parts is the whole: put in again from the last to the first, it has the same values.
#[test]
fn named_parts_say_the_same() {
    let expr = chain(SMOOTH, "x", 25);
    let (parts, rest) = Expr::with_named_parts(std::slice::from_ref(&expr), &|k| format!("p{k}"));
    assert!(parts.len() > 2);
    let plain = |expr: &Expr| Expr::parse(&expr.to_string()).unwrap();
    let at = |x: f64| {
        let mut known = vec![("x".to_string(), x)];
        for (name, part) in &parts {
            let value = plain(part).eval(&|n| known.iter().find(|k| k.0 == n).map(|k| k.1)).unwrap();
            known.push((name.clone(), value));
        }
        plain(&rest[0]).eval(&|n| known.iter().find(|k| k.0 == n).map(|k| k.1)).unwrap()
    };
    for x in [0.2, 1.4] {
        assert_eq!(at(x), expr.eval(&|_| Some(x)).unwrap());
    }
    // A whole that nobody could read is not written out.
    assert!(chain(SMOOTH, "x", 60).to_string().len() < 100_000);
}

/// Kinks of the chain s' = |s − 1| + |s − 1|²/8 are where the first is as far away as falls back to one.
#[test]
fn kinks_and_jumps_in_parts_are_found_once() {
    let clock = Instant::now();
    let rule = "abs(s - 1) + (s - 1)^2/8";
    let of = |x: f64, length: usize| (1..length).fold(x, |s, _| (s - 1.0).abs() + (s - 1.0).powi(2) / 8.0);
    let expr = chain(rule, "x*y", 40);
    let switches = expr.switches(&["x", "y"], &|_| None).unwrap();
    assert_eq!(switches.len(), 39);
    for (k, switch) in switches.iter().enumerate() {
        let length = 39 - k;
        near(switch.value(&[1.3, 2.0]), of(2.6, length) - 1.0);
        assert!(switch.matters(&[1.3, 2.0]) && switch.depends_on(0) && switch.depends_on(1));
    }
    let wave = chain(rule, "3*t", 12);
    let breaks = wave.breaks("t", &|_| None, 0.0, 1.0);
    // On either side of a break some |s_k − 1| turns over: s_k = 1 for some k.
    assert!(breaks.len() > 5, "{breaks:?}");
    for t in breaks {
        let nearest = (1..12).map(|k| (of(3.0 * t, k) - 1.0).abs()).fold(f64::INFINITY, f64::min);
        assert!(nearest < 1e-9, "{t}: {nearest}");
    }
    assert!(clock.elapsed().as_secs_f64() < 10.0, "{:?}", clock.elapsed());
}

/// A part that only one branch uses has kinks only while that branch is taken.
#[test]
fn kinks_of_a_part_matter_where_one_of_its_users_is_taken() {
    let long = (0..60).map(|k| format!("{k}*x^{k}")).collect::<Vec<_>>().join(" + ");
    let part = Expr::parse(&format!("abs(y - 2) + 0*({long})")).unwrap().shared();
    let law = Expr::parse("if(x > 1, s, 0) + if(x < -1, 2*s, 0)").unwrap().substitute("s", &part);
    let switches = law.switches(&["x", "y"], &|_| None).unwrap();
    let inner = switches.iter().find(|switch| switch.to_string() == "y - 2 = 0").unwrap();
    for (x, matters) in [(-3.0, true), (-0.5, false), (0.5, false), (1.5, true)] {
        assert_eq!(inner.matters(&[x, 0.0]), matters, "{x}");
    }
}

/// Explicit functions of time inside a part are seen.
#[test]
fn laws_of_time_in_parts_are_found() {
    let long = (0..60).map(|k| format!("{k}*x^{k}")).collect::<Vec<_>>().join(" + ");
    let part = Expr::parse(&format!("sin(7*t)*x + {long}")).unwrap().shared();
    let law = Expr::parse("s*s").unwrap().substitute("s", &part);
    let laws = law.time_laws("t", &|_| None);
    let alone = Expr::parse("sin(7*t)").unwrap().time_laws("t", &|_| None);
    assert_eq!(laws, alone);
    let _: &TimeLaw = &laws[0];
}

/// An error inside a part is one only where the part is used, and points there.
#[test]
fn errors_in_parts_point_at_the_use() {
    let long = (0..60).map(|k| format!("{k}*x^{k}")).collect::<Vec<_>>().join(" + ");
    let part = Expr::parse(&format!("log(x) + {long}")).unwrap().shared();
    let law = Expr::parse("if(x > 0, s, 5)").unwrap().substitute("s", &part);
    assert_eq!(law.eval(&|_| Some(-1.0)).unwrap(), 5.0);
    let law = Expr::parse("2 + s").unwrap().substitute("s", &part);
    let error = law.eval(&|_| Some(-1.0)).unwrap_err();
    assert_eq!(error.span(), 4..5);
    assert!(Program::compile(&law, &[], &|_| Some(-1.0)).is_err());
}

/// Deep chains take no stack.
#[test]
fn a_long_row_of_parts_needs_no_stack() {
    let mut signal = Expr::parse("x").unwrap();
    let rule = Expr::parse("s - 1e-4*s*cos(s) + 1e-4*sin(s)*cos(s)").unwrap();
    for _ in 0..1500 {
        signal = rule.substitute("s", &signal.shared());
    }
    let slope = signal.derivative("x");
    let at = |x: f64| move |_: &str| Some(x);
    let h = 1e-5;
    let difference = (signal.eval(&at(0.7 + h)).unwrap() - signal.eval(&at(0.7 - h)).unwrap()) / (2.0 * h);
    assert!((slope.eval(&at(0.7)).unwrap() - difference).abs() < 1e-8 * difference.abs());
}
