//! Properties of random expressions.

use crate::random;

use poinsot_expr::{Expr, Function, Jet, Program, SmoothFunction};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use random::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..Default::default() })]

    #[test]
    fn printed_expressions_parse_back(source in source(), at in point()) {
        let expr = parse(&source);
        let again = parse(&expr.to_string());
        prop_assert_eq!(&again, &expr);
        prop_assert_eq!(again.to_string(), expr.to_string());
        let names = lookup(at);
        match (expr.eval(&names), again.eval(&names)) {
            (Ok(a), Ok(b)) => prop_assert_eq!(a.to_bits(), b.to_bits()),
            (a, b) => prop_assert_eq!(a.map_err(|e| e.to_string()), b.map_err(|e| e.to_string())),
        }
    }

    #[test]
    fn derivatives_print_and_parse_back(source in tame([&SMOOTH[..], &KINKED].concat())) {
        let slope = Expr::parse(&source).unwrap().derivative("x");
        prop_assert_eq!(Expr::parse(&slope.to_string()).unwrap(), slope);
    }

    #[test]
    fn programs_have_the_value_of_the_tree(source in source(), at in point()) {
        let expr = parse(&source);
        let Ok(value) = expr.eval(&lookup(at)) else { return Ok(()) };
        // All variables, and all but one folded in.
        let program = Program::compile(&expr, &VARIABLES, &nothing);
        if let Ok(program) = program {
            prop_assert_eq!(program.eval(&at).to_bits(), value.to_bits());
        }
        let folded = Program::compile(&expr, &["y"], &lookup(at)).unwrap();
        prop_assert_eq!(folded.eval(&[at[1]]).to_bits(), value.to_bits());
        let constant = Program::compile(&expr, &[], &lookup(at)).unwrap();
        prop_assert_eq!(constant.is_constant().map(f64::to_bits), Some(value.to_bits()));
    }

    #[test]
    fn constant_programs_fail_as_the_tree_does(source in source(), at in point()) {
        let expr = parse(&source);
        if let Err(error) = expr.eval(&lookup(at)) {
            prop_assert_eq!(Program::compile(&expr, &[], &lookup(at)).unwrap_err(), error);
        }
    }

    #[test]
    fn simplification_keeps_the_value(source in source(), at in point()) {
        let expr = parse(&source);
        let Ok(value) = expr.eval(&lookup(at)) else { return Ok(()) };
        let simple = expr.simplify();
        prop_assert_eq!(simple.simplify(), simple.clone());
        if let Ok(same) = simple.eval(&lookup(at)) {
            // atan2 tells the signs of zeros apart; everything else must agree.
            prop_assert!(same == value || source.contains("atan2"), "{} != {}", same, value);
        } else {
            prop_assert!(false, "{} has no value", simple);
        }
    }

    #[test]
    fn derivatives_agree_with_differences(source in tame(one()), at in point(), i in 0..3usize) {
        let expr = parse(&source);
        let Ok(f) = Function::new(&expr, &VARIABLES, &nothing) else { return Ok(()) };
        let (numeric, error) = extrapolated(|h| {
            let mut moved = at;
            moved[i] += h;
            f.value(&moved)
        });
        let scale = 1.0 + numeric.abs() + f.value(&at).abs();
        // Near kinks, jumps and poles, differences tell nothing.
        prop_assume!(numeric.is_finite() && error < 1e-7 * scale && scale < 1e6);
        let exact = f.partial(i, &at);
        // 0·∞ in a derivative, as that of sqrt(x^2) at 0, has no value.
        prop_assume!(exact.is_finite());
        prop_assert!((exact - numeric).abs() < 1e-5 * scale, "{} {} {}", exact, numeric, error);
        if !f.depends_on(i) || f.partial_is_zero(i) {
            prop_assert_eq!(exact, 0.0);
        }
    }

    #[test]
    fn second_derivatives_agree_with_differences(
        source in tame(one()), at in point(), i in 0..3usize, j in 0..3usize,
    ) {
        let expr = parse(&source);
        let Ok(f) = SmoothFunction::new(&expr, &VARIABLES, &nothing) else { return Ok(()) };
        let exact = f.second(i, j, &at);
        prop_assert_eq!(exact.to_bits(), f.second(j, i, &at).to_bits());
        let (numeric, error) = extrapolated(|h| {
            let mut moved = at;
            moved[j] += h;
            f.partial(i, &moved)
        });
        let scale = 1.0 + numeric.abs() + f.partial(i, &at).abs() + f.value(&at).abs();
        prop_assume!(numeric.is_finite() && error < 1e-7 * scale && scale < 1e6 && exact.is_finite());
        prop_assert!((exact - numeric).abs() < 1e-5 * scale, "{} {} {}", exact, numeric, error);
        if !f.depends_on(i) || f.partial_is_zero(j) || f.second_is_zero(i, j) {
            prop_assert_eq!(exact, 0.0);
        }
    }

    #[test]
    fn jets_have_the_derivatives_of_the_function(source in tame(one()), at in point()) {
        let Ok(f) = SmoothFunction::new(&parse(&source), &VARIABLES, &nothing) else { return Ok(()) };
        let (mut first, mut second) = ([0.0; 4], [0.0; 6]);
        f.jet().second(&at, &mut first, &mut second);
        let mut pairs = vec![(f.value(&at), first[0])];
        for i in 0..3 {
            pairs.push((f.partial(i, &at), first[1 + i]));
            pairs.extend((0..3).map(|j| (f.second(i, j, &at), second[Jet::place(i, j)])));
        }
        let scale = pairs.iter().fold(1.0, |scale: f64, pair| scale + pair.0.abs());
        // A power of a negative number has no derivative by its exponent; the function may have simplified
        // that exponent away.
        prop_assume!(scale < 1e6 && pairs.iter().all(|pair| pair.1.is_finite()));
        for (of_function, of_jet) in pairs {
            prop_assert!((of_function - of_jet).abs() < 1e-10 * scale, "{} {}", of_function, of_jet);
        }
    }

    /// Differentiation in the other order gives another expression with the same value.
    #[test]
    fn second_derivatives_are_symmetric(source in tame(one()), at in point(), i in 0..3usize, j in 0..3usize) {
        let expr = parse(&source);
        let Ok(f) = SmoothFunction::new(&expr, &VARIABLES, &nothing) else { return Ok(()) };
        let second = |i: usize, j: usize| {
            let expr = expr.derivative(VARIABLES[i]).derivative(VARIABLES[j]);
            expr.eval(&lookup(at))
        };
        let (Ok(a), Ok(b)) = (second(i, j), second(j, i)) else { return Ok(()) };
        let scale = 1.0 + a.abs() + f.partial(i, &at).abs() + f.partial(j, &at).abs();
        prop_assume!(scale < 1e6);
        prop_assert!((a - b).abs() < 1e-8 * scale, "{} {}", a, b);
        prop_assert!((a - f.second(i, j, &at)).abs() < 1e-8 * scale);
    }

    #[test]
    fn any_text_gives_a_tree_or_an_error_inside_it(text in "[-+*/^()., <>=!a-z0-9_πé²]{0,24}") {
        match Expr::parse(&text) {
            Ok(expr) => prop_assert_eq!(Expr::parse(&expr.to_string()).unwrap(), expr),
            Err(error) => {
                prop_assert!(text.get(error.span.clone()).is_some(), "{:?}", error);
            }
        }
    }
}
