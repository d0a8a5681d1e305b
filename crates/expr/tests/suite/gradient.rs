//! Partial derivatives by many names at once, and functions of many arguments.

// Each test uses a part of the module.
#[allow(dead_code)]
use crate::random;

use poinsot_expr::{Expr, Function};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use random::*;
use std::collections::HashMap;

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, rng_seed: RngSeed::Fixed(2), ..Default::default() })]

    #[test]
    fn gradients_are_the_derivatives(source in source()) {
        let expr = parse(&source);
        let place = |name: &str| VARIABLES.iter().position(|v| *v == name).map(|k| 7 - 2 * k);
        let gradient = expr.gradient(&place);
        prop_assert!(gradient.is_sorted_by_key(|entry| entry.0));
        for (k, name) in VARIABLES.iter().enumerate() {
            let found = gradient.iter().find(|entry| entry.0 == 7 - 2 * k);
            let derivative = expr.derivative(name);
            match found {
                Some((_, partial)) => prop_assert_eq!(partial, &derivative),
                None => prop_assert_eq!(derivative.to_string(), "0"),
            }
        }
    }
}

/// T - V of a chain of n masses between springs, in a pattern that models write.
fn chain(n: usize) -> Expr {
    let kinetic: Vec<String> = (1..=n).map(|k| format!("m*v{k}^2")).collect();
    let springs: Vec<String> = (1..n).map(|k| format!("c*(x{} - x{k})^2", k + 1)).collect();
    Expr::parse(&format!("({})/2 - 0.5*({})", kinetic.join(" + "), springs.join(" + "))).unwrap()
}

#[test]
fn the_gradient_of_a_long_sum() {
    for n in [1000, 10_000] {
        let expr = chain(n);
        let names: Vec<String> = (1..=n).flat_map(|k| [format!("x{k}"), format!("v{k}")]).collect();
        let places: HashMap<&str, usize> = names.iter().enumerate().map(|(k, x)| (x.as_str(), k)).collect();
        let gradient = expr.gradient(&|name| places.get(name).copied());
        assert_eq!(gradient.len(), 2 * n);
        for k in [0, 1, 2, 777, n, 2 * n - 1] {
            assert_eq!(gradient[k].0, k);
            assert_eq!(gradient[k].1, expr.derivative(&names[k]), "{}", names[k]);
        }
        assert_eq!(gradient[1].1.tidy().to_string(), "m*v1");
        assert_eq!(gradient[0].1.tidy().to_string(), "c*(x2 - x1)");
    }
}

#[test]
fn functions_of_many_arguments() {
    let names: Vec<String> = (0..2000).map(|k| format!("node{k}.u")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let equations: Vec<Expr> = (0..600)
        .map(|k| {
            let [a, b, c, d, e] = [0, 1, 600, 601, 1300].map(|shift| names[k + shift]);
            Expr::parse(&format!("({a} - {b})/R + C*({c} - {d}) + if({e} > 0, {e}^2, 0)")).unwrap()
        })
        .collect();
    let constants = |name: &str| (name == "R" || name == "C").then_some(2.0);
    let places: HashMap<&str, usize> = names.iter().enumerate().map(|(k, x)| (*x, k)).collect();
    let place = |name: &str| places.get(name).copied();
    let fast: Vec<Function> =
        equations.iter().map(|e| Function::with_places(e, &place, &constants).unwrap()).collect();
    let slow: Vec<Function> =
        equations.iter().map(|e| Function::new(e, &names, &constants).unwrap()).collect();
    let at: Vec<f64> = (0..2000).map(|k| f64::from(k) * 0.01).collect();
    for (k, (f, g)) in fast.iter().zip(&slow).enumerate() {
        assert_eq!(f.value(&at).to_bits(), g.value(&at).to_bits());
        assert_eq!((f.partial(k, &at), f.partial(k + 1, &at), f.partial(k + 600, &at)), (0.5, -0.5, 2.0));
        assert_eq!(f.partial(k + 1300, &at), 2.0 * at[k + 1300]);
        assert_eq!((0..2000).filter(|&i| f.depends_on(i)).count(), 5);
        assert_eq!(f.switches().len(), 1);
    }
    let error = Function::new(&Expr::parse("2*node7.v").unwrap(), &names, &constants).unwrap_err();
    assert_eq!(error.suggestion(), Some("node7.u"));
}
