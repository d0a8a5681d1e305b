//! The exponential that does not overflow: values, derivatives, and the same bits from every engine.

use poinsot_expr::{Block, Engine, Expr, Function};

/// e^300 (1 + x - 300) above x = 300.
fn continued(x: f64) -> f64 {
    if x > 300.0 { 300f64.exp() * (1.0 + (x - 300.0)) } else { x.exp() }
}

#[test]
fn values_and_derivatives() {
    let f = Function::new(&Expr::parse("limexp(x)").unwrap(), &["x"], &|_| None).unwrap();
    for x in [-1e3, -2.0, 0.0, 0.7, 299.0, 300.0, 300.5, 1e4, 1e100] {
        assert_eq!(f.value(&[x]), continued(x));
        assert_eq!(f.partial(0, &[x]), x.min(300.0).exp());
    }
    // Value and slope are continuous where the tangent begins.
    let (below, above) = (300.0 - 1e-9, 300.0 + 1e-9);
    assert!((f.value(&[above]) / f.value(&[below]) - 1.0 - 2e-9).abs() < 1e-13);
    assert!((f.partial(0, &[above]) / f.partial(0, &[below]) - 1.0).abs() < 2e-9);
    assert!(f.value(&[f64::NAN]).is_nan());
}

/// Two diodes in series with opposite currents: inf - inf without the limit.
#[test]
fn both_engines_give_the_same_finite_bits() {
    let law = Expr::parse("Is*(exp(40*u) - 1) - Is*(exp(40*(u - w)) - 1) + w/R").unwrap();
    let limited = law.with_limited_exponentials();
    let constants = |name: &str| Some(if name == "Is" { 1e-12 } else { 100.0 });
    let names = ["u", "w"];
    let make =
        |expr: &Expr, engine| Block::new(std::slice::from_ref(expr), &names, &constants, engine).unwrap();
    let blocks = [Engine::Native, Engine::Interpreter].map(|engine| make(&limited, engine));
    let function = Function::new(&limited, &names, &constants).unwrap();
    let evaluate = |block: &Block, at: [f64; 2]| {
        let (mut value, mut slopes) = ([0.0], [0.0; 2]);
        block.eval_derivatives(&at, &mut value, &mut slopes);
        [value[0], slopes[0], slopes[1]]
    };
    let plain = make(&law, Engine::Native);
    assert!(evaluate(&plain, [100.0, 1.0])[0].is_nan());
    for at in [[0.6, 0.1], [7.5, 0.0], [8.0, 0.1], [100.0, 1.0], [1e6, -1e3], [-50.0, 60.0]] {
        let [native, tape] = [evaluate(&blocks[0], at), evaluate(&blocks[1], at)];
        assert_eq!(native.map(f64::to_bits), tape.map(f64::to_bits));
        assert!(native.iter().all(|x| x.is_finite()), "{at:?}");
        assert!((function.value(&at) - native[0]).abs() <= 1e-12 * native[0].abs());
        // Where nothing overflows it is the exponential itself.
        if at[0] < 1.0 && at[1] >= 0.0 {
            assert_eq!(native.map(f64::to_bits), evaluate(&plain, at).map(f64::to_bits));
        }
    }
}

#[test]
fn only_exponentials_are_replaced() {
    let expr = Expr::parse("if(exp(x) > 1, sinh(exp(exp(x))), e^x) + max(exp(y), 2)").unwrap();
    let limited = "if(limexp(x) > 1, sinh(limexp(limexp(x))), e^x) + max(limexp(y), 2)";
    assert_eq!(expr.with_limited_exponentials().to_string(), limited);
}
