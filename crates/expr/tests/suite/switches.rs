//! Functions whose passing a level is a kink or a jump.

use poinsot_expr::{Block, Engine, Expr, Extrapolation, Function, Interpolation, Table};
use std::sync::Arc;

fn texts(source: &str, args: &[&str]) -> Vec<String> {
    let constants = |name: &str| ["a", "b", "c"].iter().position(|n| *n == name).map(|k| k as f64 + 1.0);
    let switches = Expr::parse(source).unwrap().switches(args, &constants).unwrap();
    switches.iter().map(ToString::to_string).collect()
}

#[test]
fn what_switches() {
    let of = |source: &str| texts(source, &["x", "y", "t"]);
    assert_eq!(of("sin(x)*y^2 + t"), [""; 0]);
    assert_eq!(of("if(x > a, 1, y)"), ["x - a = 0"]);
    assert_eq!(of("a*abs(x - y) + max(x, y)"), ["x - y = 0"]);
    assert_eq!(of("min(y, x) + if(x < y, 1, 2)"), ["y - x = 0"]);
    assert_eq!(of("sign(x) + step(y) + ramp(x*y)"), ["x = 0", "y = 0", "x*y = 0"]);
    assert_eq!(of("clamp(x, a, c)"), ["x - a = 0", "x - c = 0"]);
    assert_eq!(of("min(x, y, 0)"), ["x - y = 0", "x = 0", "y = 0"]);
    assert_eq!(of("if(x > 0 and not y > 1, 1, 0)"), ["x = 0", "y - 1 = 0"]);
    // What is inside a comparison does not matter before it turns over.
    assert_eq!(of("if(a*abs(x) > 5, 1, 2)"), ["a*abs(x) - 5 = 0"]);
    // Constants do not switch, and of time alone all is known beforehand.
    assert_eq!(of("if(a > b, x, 0) + abs(t - 1)*x + if(mod(t, 2) < 1, x, 0)"), [""; 0]);
    assert_eq!(of("abs(sin(t))*x + abs(x - t)"), ["x - t = 0"]);
    // A branch that is never taken has none.
    assert_eq!(of("if(a > b, abs(x), y)"), [""; 0]);
}

#[test]
fn branches_that_are_not_taken_do_not_matter() {
    let law = Expr::parse("if(x > 0, abs(y), 0) + max(2*abs(x), 5)").unwrap();
    let switches = law.switches(&["x", "y"], &|_| None).unwrap();
    let find = |text: &str| switches.iter().find(|s| s.to_string() == text).unwrap();
    assert!(find("y = 0").matters(&[1.0, 0.0]) && !find("y = 0").matters(&[-1.0, 0.0]));
    // Zero for the comparison always, for abs(x) where that is the larger one, which it is not there.
    assert!(find("x = 0").matters(&[0.0, 0.0]));
    assert!(find("2*abs(x) - 5 = 0").matters(&[2.5, 1.0]));
    // Equal switches with different conditions matter under each of them.
    let law = Expr::parse("if(x > 0, abs(y), 0) + if(x < -1, abs(y), 0)").unwrap();
    let switches = law.switches(&["x", "y"], &|_| None).unwrap();
    let y = switches.iter().find(|s| s.to_string() == "y = 0").unwrap();
    assert_eq!([1.0, -0.5, -2.0].map(|x| y.matters(&[x, 0.0])), [true, false, true]);
}

#[test]
fn values_changes_and_levels() {
    let constants = |name: &str| (name == "k").then_some(3.0);
    let law = Expr::parse("if(k*x - y^2 > 1, 1, 0)").unwrap();
    let force = Function::new(&law, &["x", "y", "z"], &constants).unwrap();
    let [switch] = force.switches() else { panic!("{:?}", force.switches()) };
    assert_eq!(switch.value(&[2.0, 1.0, 9.0]), 4.0);
    // |3| 0.1 + |−2 y| 0.1
    assert!((switch.change(&[2.0, 1.5, 9.0], &|_| 0.1) - 0.6).abs() < 1e-15);
    assert!(switch.depends_on(0) && switch.depends_on(1) && !switch.depends_on(2));
    let zero = switch.levels();
    assert_eq!(zero.around(-2.0), Some((f64::NEG_INFINITY, 0.0)));
    assert_eq!(zero.around(2.0), Some((0.0, f64::INFINITY)));
    assert_eq!((zero.around(0.0), zero.around(f64::NAN)), (None, None));

    let levels = |source: &str, tables: &[Arc<Table>]| {
        let law = Expr::parse_with(source, tables).unwrap();
        law.switches(&["x"], &|_| None).unwrap().first().map(|s| s.levels().clone())
    };
    let rounded = levels("round(x)", &[]).unwrap();
    assert_eq!(rounded.around(-0.2), Some((-0.5, 0.5)));
    assert_eq!((rounded.above(1.5), rounded.below(1.5), rounded.around(1.5)), (2.5, 0.5, None));
    let points = [(0.0, 0.0), (1.0, 2.0), (4.0, 0.0)];
    let table = |interpolation, extrapolation| {
        [Arc::new(Table::new("lift", &points, interpolation, extrapolation).unwrap())]
    };
    let linear = levels("lift(x)", &table(Interpolation::Linear, Extrapolation::Hold)).unwrap();
    assert_eq!(linear.around(2.0), Some((1.0, 4.0)));
    assert_eq!(linear.around(-1.0), Some((f64::NEG_INFINITY, 0.0)));
    let periodic = levels("lift(x)", &table(Interpolation::Linear, Extrapolation::Periodic)).unwrap();
    assert_eq!(
        [3.9, 4.5, 5.5, -0.5].map(|x| periodic.around(x)),
        [Some((1.0, 4.0)), Some((4.0, 5.0)), Some((5.0, 8.0)), Some((-3.0, 0.0))]
    );
    assert_eq!(levels("lift(x)", &table(Interpolation::Spline, Extrapolation::Periodic)), None);
    let spline = levels("lift(x)", &table(Interpolation::Spline, Extrapolation::Hold)).unwrap();
    assert_eq!(spline.around(2.0), Some((0.0, 4.0)));
}

/// The functions of all switches from one block are those of each switch alone.
#[test]
fn one_block_for_all() {
    let constants = |name: &str| (name == "k").then_some(3.0);
    let points = [(0.0, 0.0), (1.0, 2.0), (4.0, 0.0)];
    let table = Table::new("lift", &points, Interpolation::Linear, Extrapolation::Hold).unwrap();
    let source = "abs(k*x - y^2) + max(k*x - y^2, z*e) + if(x*y > 1, lift(x - z), clamp(x - z, -k, pi))";
    let law = Expr::parse_with(source, &[Arc::new(table)]).unwrap();
    let switches = law.switches(&["x", "y", "z"], &constants).unwrap();
    assert_eq!(switches.len(), 6);
    for engine in [Engine::Native, Engine::Interpreter] {
        let block = Block::of_switches(&switches, 3, engine);
        let (mut values, mut slopes) = (vec![0.0; 6], vec![0.0; block.entries().len()]);
        for at in [[2.0, 1.0, 0.5], [-1.3, 0.4, 7.0], [0.0, -2.0, 1e-3]] {
            block.eval(&at, &mut values);
            for (switch, value) in switches.iter().zip(&values) {
                assert!(
                    (switch.value(&at) - value).abs() <= 1e-15 * value.abs().max(1.0),
                    "{switch} at {at:?}"
                );
            }
            block.eval_derivatives(&at, &mut values, &mut slopes);
            for (k, switch) in switches.iter().enumerate() {
                let own = block.entries().iter().zip(&slopes).filter(|(entry, _)| entry.0 == k);
                let change: f64 = own.map(|(_, slope)| 0.1 * slope.abs()).sum();
                assert!((switch.change(&at, &|_| 0.1) - change).abs() < 1e-14, "{switch} at {at:?}");
            }
        }
    }
}
