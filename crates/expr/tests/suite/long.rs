//! Long chains and high trees, on a thread with the usual stack.

use poinsot_expr::{Block, Engine, Expr, Function, Program};

/// Runs on a thread with the stack that threads have by default.
fn on_thread(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap();
}

/// Everything that walks a tree, with the value at x = 1 of the expression and of its derivative.
fn walk(text: &str, value: f64, slope: f64) {
    let names = |_: &str| Some(1.0);
    let expr = Expr::parse(text).unwrap();
    let near = |a: f64, b: f64| assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "{a} {b}");
    near(expr.eval(&names).unwrap(), value);
    near(expr.simplify().eval(&names).unwrap(), value);
    near(expr.tidy().eval(&names).unwrap(), value);
    let derivative = expr.derivative("x");
    near(derivative.eval(&names).unwrap(), slope);
    let printed = expr.to_string();
    let again = Expr::parse(&printed).unwrap();
    assert!(again == expr && again.to_string() == printed);
    near(Program::compile(&expr, &["x"], &|_| None).unwrap().eval(&[1.0]), value);
    near(Function::new(&expr, &["x"], &|_| None).unwrap().partial(0, &[1.0]), slope);
    let block = Block::new(std::slice::from_ref(&expr), &["x"], &|_| None, Engine::Native).unwrap();
    let (mut values, mut slopes) = ([0.0], [0.0]);
    block.eval_derivatives(&[1.0], &mut values, &mut slopes);
    near(values[0], value);
    near(slopes[0], slope);
    assert!(!expr.to_latex(&|_| None).is_empty() && !expr.to_octave(&|_| None).is_empty());
    assert!(expr.breaks("x", &|_| None, 0.0, 2.0).is_empty());
    assert!(expr.switches(&["x"], &|_| None).unwrap().is_empty());
    assert!(expr.clone().substitute("x", &Expr::number(1.0)).contains("x").eq(&false));
}

#[test]
fn sums_and_products_of_ten_thousand_operands() {
    on_thread(|| {
        let n = 10_000;
        let of = |op: &str| vec!["x"; n].join(op);
        walk(&of(" + "), n as f64, n as f64);
        walk(&of(" - "), 2.0 - n as f64, 2.0 - n as f64);
        walk(&of("*"), 1.0, n as f64);
        walk(&of("/"), 1.0, 2.0 - n as f64);
        let mixed: String =
            (0..n).map(|k| format!("{} {k}*x^2", if k % 3 == 0 { "+" } else { "-" })).collect();
        let sum = (0..n).map(|k| if k % 3 == 0 { k as f64 } else { -(k as f64) }).sum::<f64>();
        walk(&mixed, sum, 2.0 * sum);
    });
}

#[test]
fn logic_may_be_long_too() {
    on_thread(|| {
        let text = (0..20_000).map(|k| format!("x > {k}")).collect::<Vec<_>>();
        for (op, value) in [(" and ", 0.0), (" or ", 1.0)] {
            let expr = Expr::parse(&text.join(op)).unwrap();
            assert_eq!(expr.eval(&|_| Some(7.5)).unwrap(), value);
            assert_eq!(Expr::parse(&expr.to_string()).unwrap(), expr);
        }
        // What does not matter is not evaluated, however the chain is grouped.
        let guarded = format!("x > 0 {} and 1/x > 0", "and x > 0 ".repeat(1000));
        assert_eq!(Expr::parse(&guarded).unwrap().eval(&|_| Some(0.0)), Ok(0.0));
    });
}

#[test]
fn a_hundred_thousand_terms_parse_and_compile() {
    on_thread(|| {
        let text: Vec<String> = (0..100_000).map(|k| format!("{k}*sin(x{k})*x{}", k + 1)).collect();
        let names: Vec<String> = (0..=100_000).map(|k| format!("x{k}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let text = text.join(" + ");
        let expr = Expr::parse(&text).unwrap();
        let program = Program::compile(&expr, &names, &|_| None).unwrap();
        let at = vec![0.5; names.len()];
        let exact = 99_999.0 * 50_000.0 * 0.5f64.sin() * 0.5;
        assert!((program.eval(&at) - exact).abs() < 1e-12 * exact);
        let block = Block::new(&[expr], &names, &|_| None, Engine::Native).unwrap();
        let mut value = [0.0];
        block.eval(&at, &mut value);
        assert!((value[0] - exact).abs() < 1e-12 * exact);
        // The first term is 0.
        assert_eq!(block.entries().len(), names.len() - 1);
    });
}

/// Chains of 60 operands, whose trees grow from the left, one within the other: as high as a tree may be.
#[test]
fn the_highest_trees_can_be_walked() {
    on_thread(|| {
        let nest = |levels: usize| {
            (0..levels).fold("x".to_string(), |inner, k| {
                let more = if k % 2 == 0 { " + 0.5*x" } else { "*1" };
                format!("({inner}){}", more.repeat(59))
            })
        };
        let mut levels = 1;
        while Expr::parse(&nest(levels + 1)).is_ok() {
            levels += 1;
        }
        println!("{levels} levels");
        let value = 1.0 + 29.5 * levels.div_ceil(2) as f64;
        walk(&nest(levels), value, value);
        let (expr, names) = (Expr::parse(&nest(levels)).unwrap(), |_: &str| Some(1.0));
        assert!(expr.derivative("x").derivative("x").eval(&names).unwrap().abs() < 1e-9);
        // x within products and powers: the derivative is twice as high. f = x² f/3 + 1, f' = 2 x f/3 + x²
        // f'/3.
        let products = (0..levels / 2 * 12).fold("x".to_string(), |inner, _| format!("x*({inner})*x/3 + 1"));
        let slope = Expr::parse(&products).unwrap().derivative("x");
        assert!((slope.eval(&names).unwrap() - 1.5).abs() < 1e-9);
        assert!((slope.tidy().eval(&names).unwrap() - 1.5).abs() < 1e-9);
        assert!(!slope.to_octave(&|_| None).is_empty() && slope.contains("x"));
        let power = (0..40).fold("x".to_string(), |inner, _| format!("1 + x*({inner})/2"));
        let deep = Expr::parse(&power).unwrap();
        // f = 1 + x f/2, f' = f/2 + x f'/2, f'' = f' + x f''/2 from level to level.
        let next = |(f, d, dd): (f64, f64, f64)| (1.0 + f / 2.0, f / 2.0 + d / 2.0, d + dd / 2.0);
        let (_, _, exact) = (0..40).fold((1.0, 1.0, 0.0), |f, _| next(f));
        let second = deep.derivative("x").derivative("x");
        assert!((second.eval(&names).unwrap() - exact).abs() < 1e-12 && (exact - 4.0).abs() < 1e-8);
        assert!((second.tidy().eval(&names).unwrap() - exact).abs() < 1e-12);
        assert!(!second.to_string().is_empty() && !second.to_latex(&|_| None).is_empty());
    });
}

#[test]
fn sums_and_products_of_lists() {
    assert_eq!(Expr::sum(vec![]).to_string(), "0");
    assert_eq!(Expr::product(vec![]).to_string(), "1");
    let list = || ["a + b", "c", "-d"].map(|text| Expr::parse(text).unwrap()).to_vec();
    assert_eq!(Expr::sum(list()).to_string(), "a + b + c + -d");
    assert_eq!(Expr::product(list()).to_string(), "(a + b)*c*-d");
}
