//! Blocks of functions: both back ends give the same bits, derivatives are exact, equal parts are shared.

// Each test uses a part of the module.
#[allow(dead_code)]
use crate::random;

use poinsot_expr::{Block, Engine, Expr, Function};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use random::*;

fn functions(exprs: &[Expr]) -> Option<Vec<Function>> {
    exprs.iter().map(|expr| Function::new(expr, &VARIABLES, &nothing).ok()).collect()
}

fn block(functions: &[Function], engine: Engine) -> Block {
    Block::of(&functions.iter().collect::<Vec<_>>(), VARIABLES.len(), &|_| true, engine)
}

/// Values, then values and derivatives.
fn results(block: &Block, at: &[f64]) -> [Vec<f64>; 3] {
    let (mut alone, mut values) = (vec![0.5; block.outputs()], vec![0.5; block.outputs()]);
    let mut derivatives = vec![0.5; block.entries().len()];
    block.eval(at, &mut alone);
    block.eval_derivatives(at, &mut values, &mut derivatives);
    [alone, values, derivatives]
}

/// The bits, of NaN only that it is one.
fn bits(x: f64) -> u64 {
    if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() }
}

fn same(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| bits(*a) == bits(*b))
}

fn wild() -> impl Strategy<Value = [f64; 3]> {
    let any = prop_oneof![
        6 => -3.0..3.0f64,
        1 => prop::sample::select(vec![0.0, -0.0, 1.0, -1.0, 0.5, f64::INFINITY, f64::NAN, 1e-310, 1e200]),
        1 => prop::num::f64::ANY,
    ];
    [any.clone(), any.clone(), any]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::with_cases(1500) })]

    #[test]
    fn native_code_and_interpreter_agree_to_the_bit(
        sources in prop::collection::vec(source(), 1..4), points in prop::collection::vec(wild(), 6)
    ) {
        let mut exprs: Vec<Expr> = sources.iter().map(|s| parse(s)).collect();
        // A part that several functions have in common, in a branch and outside.
        let first = sources[0].clone();
        exprs.push(parse(&format!("if(x > y, sin({first}) + x, y/({first}))")));
        let Some(functions) = functions(&exprs) else { return Ok(()) };
        let (native, tape) = (block(&functions, Engine::Native), block(&functions, Engine::Interpreter));
        prop_assert_eq!(tape.engine(), Engine::Interpreter);
        prop_assert_eq!(native.entries(), tape.entries());
        for at in points {
            let (a, b) = (results(&native, &at), results(&tape, &at));
            for (a, b) in a.iter().zip(&b) {
                prop_assert!(same(a, b), "{:?}: {:?} {:?} at {:?}", sources, a, b, at);
            }
            prop_assert!(same(&a[0], &a[1]));
            for (f, value) in functions.iter().zip(&a[0]) {
                let expected = f.value(&at);
                // A zero may change its sign.
                prop_assert!(*value == expected || (value.is_nan() && expected.is_nan()),
                    "{:?}: {} for {} at {:?}", sources, value, expected, at);
            }
        }
    }

    #[test]
    fn derivatives_are_those_of_the_values(text in tame(one()), at in point()) {
        let Some(functions) = functions(&[parse(&text), parse(&format!("x*({text})"))]) else { return Ok(()) };
        let block = block(&functions, Engine::Native);
        let [_, values, derivatives] = results(&block, &at);
        for (&(output, input), &derivative) in block.entries().iter().zip(&derivatives) {
            let (numerical, error) = extrapolated(|h| {
                let mut moved = at;
                moved[input] += h;
                let mut values = [0.0; 2];
                block.eval(&moved, &mut values);
                values[output]
            });
            let smooth = error < 1e-6 * (1.0 + numerical.abs());
            if !smooth || !values[output].is_finite() || !derivative.is_finite() {
                continue;
            }
            prop_assert!((derivative - numerical).abs() <= 1e-5 * (1.0 + numerical.abs()),
                "{text}: {derivative} for {numerical} by {input} at {at:?}");
        }
    }

    #[test]
    fn derivatives_are_those_of_the_functions(text in source(), at in point()) {
        let Some(functions) = functions(&[parse(&text), parse(&format!("({text})*(2 - ({text}))"))])
        else { return Ok(()) };
        let block = block(&functions, Engine::Native);
        let [_, _, derivatives] = results(&block, &at);
        for (k, f) in functions.iter().enumerate() {
            for i in 0..VARIABLES.len() {
                let entry = block.entries().iter().position(|entry| *entry == (k, i));
                let (expected, found) = (f.partial(i, &at), entry.map_or(0.0, |e| derivatives[e]));
                // Sums in another order may cancel or overflow differently; that is not judged here.
                if f.value(&at).is_finite() && expected.is_finite() && found.is_finite() && expected.abs() < 1e100 {
                    let scale = 1.0 + expected.abs() + f.value(&at).abs();
                    prop_assert!((expected - found).abs() <= 1e-6 * scale, "{text}: {found} for {expected}");
                }
            }
        }
    }
}

fn laws(texts: &[&str]) -> Vec<Expr> {
    texts.iter().map(|text| parse(text)).collect()
}

/// The machines on which the project is tested have native code.
#[cfg(all(feature = "native", any(target_arch = "x86_64", target_arch = "aarch64")))]
#[test]
fn native_code_is_what_runs() {
    let block = Block::new(&laws(&["x + 1"]), &["x"], &nothing, Engine::default()).unwrap();
    assert_eq!(block.engine(), Engine::Native);
}

#[test]
fn values_derivatives_and_entries() {
    let exprs = laws(&["k*sin(x) - t", "3", "x*y + lift(t)", "y"]);
    for engine in [Engine::Native, Engine::Interpreter] {
        let block =
            Block::new(&exprs, &["x", "y", "t"], &|name| (name == "k").then_some(2.0), engine).unwrap();
        assert_eq!((block.inputs(), block.outputs()), (3, 4));
        assert_eq!(block.entries(), [(0, 0), (0, 2), (2, 0), (2, 1), (2, 2), (3, 1)]);
        let at = [0.5, 3.0, 0.25];
        let [alone, values, derivatives] = results(&block, &at);
        let lift = &TABLE_LIST[0];
        assert_eq!(alone, [2.0 * 0.5f64.sin() - 0.25, 3.0, 1.5 + lift.value(0.25, 0), 3.0]);
        assert_eq!(values, alone);
        assert_eq!(derivatives, [2.0 * 0.5f64.cos(), -1.0, 3.0, 0.5, lift.value(0.25, 1), 1.0]);
        // Other threads and copies, which outlive the block.
        let copy = block.clone();
        drop(block);
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let block = copy.clone();
                std::thread::spawn(move || results(&block, &at))
            })
            .collect();
        drop(copy);
        threads.into_iter().for_each(|thread| assert_eq!(thread.join().unwrap()[2], derivatives));
    }
}

#[test]
fn only_chosen_derivatives() {
    let exprs = laws(&["x*y*body.rate"]);
    let functions = functions(&exprs).unwrap();
    let block = Block::of(&[&functions[0]], 3, &|input| input == 1, Engine::Native);
    assert_eq!(block.entries(), [(0, 1)]);
    assert_eq!(results(&block, &[2.0, 3.0, 5.0])[2], [10.0]);
}

#[test]
fn errors_are_those_of_programs() {
    let make = |text: &str| Block::new(&laws(&["x", text]), &["x"], &nothing, Engine::Native).map(|_| ());
    assert!(make("x + nowhere").unwrap_err().to_string().contains("unknown name `nowhere`"));
    assert!(make("x + 1/0").unwrap_err().to_string().contains("division by zero"));
    assert!(make("x + if(x > 0, 1/0, 2)").is_ok());
}

/// A branch that is not taken has no say, whatever its values and derivatives are.
#[test]
fn branches_are_taken_alike() {
    let texts = [
        "if(x > 0, log(x)*exp(sin(x)) + sqrt(x)/x, cos(x)^1.5 + 1/x)",
        "if(x > 0 and y > 0, log(x*y)*sqrt(x), exp(x)*if(y > 0, log(y), atan(y)*y^4))",
        "max(sqrt(x), 1)",
        "clamp(log(x), -1, 1)",
        "min(x, y, body.rate)*log(y)",
    ];
    let functions = functions(&laws(&texts)).unwrap();
    let (native, tape) = (block(&functions, Engine::Native), block(&functions, Engine::Interpreter));
    let values = [-2.0, -0.0, 0.0, 1e-3, 0.7, 3.0, f64::NAN, f64::INFINITY];
    for x in values {
        for y in values {
            let at = [x, y, 0.5];
            let (a, b) = (results(&native, &at), results(&tape, &at));
            assert!(a.iter().zip(&b).all(|(a, b)| same(a, b)), "{at:?}");
            for (f, value) in functions.iter().zip(&a[0]) {
                assert!(*value == f.value(&at) || (value.is_nan() && f.value(&at).is_nan()), "{at:?}");
            }
        }
    }
    // sqrt has an infinite slope at 0, but 1 is greater.
    let [_, _, derivatives] = results(&native, &[0.0, 1.0, 0.5]);
    let entry = native.entries().iter().position(|entry| *entry == (2, 0)).unwrap();
    assert_eq!(derivatives[entry], 0.0);
}

/// A hundred times so many terms; the parser wants them in groups.
fn long_sum(groups: u32) {
    let group = |g: u32| {
        let terms: Vec<String> = (0..100).map(|k| format!("{}.5*sin({k}*x + {g}*y)", k + 1)).collect();
        format!("({})", terms.join(" + "))
    };
    let text = (0..groups).map(group).collect::<Vec<_>>().join(" + ");
    let exprs = [Expr::parse(&text).unwrap()];
    let block = |engine| Block::new(&exprs, &["x", "y"], &nothing, engine).unwrap();
    let tape = results(&block(Engine::Interpreter), &[0.3, 0.7]);
    let native = results(&block(Engine::Native), &[0.3, 0.7]);
    assert!(tape.iter().zip(&native).all(|(a, b)| same(a, b)));
    let (mut value, mut slope) = (0.0, [0.0; 2]);
    for g in (0..groups).map(f64::from) {
        for k in (0..100).map(f64::from) {
            let (size, phase) = (k + 1.5, k * 0.3 + g * 0.7);
            value += size * phase.sin();
            slope[0] += k * size * phase.cos();
            slope[1] += g * size * phase.cos();
        }
    }
    // Up to 10 000 terms of up to 100, and of up to 10 000 in the derivatives.
    let [_, values, derivatives] = native;
    assert!((values[0] - value).abs() < 1e-8, "{} {value}", values[0]);
    assert!(derivatives.iter().zip(slope).all(|(a, b)| (a - b).abs() < 1e-6), "{derivatives:?} {slope:?}");
}

#[test]
fn long_sums_compile() {
    long_sum(25);
    long_sum(100);
}

/// The potential energy of a chain of 200 links, written out: 20 000 terms with all but 200 in common.
#[test]
fn the_energy_of_a_chain_compiles() {
    let n = 200;
    let names: Vec<String> = (0..n).map(|k| format!("q{k}")).collect();
    let heights: Vec<String> =
        (1..=n).map(|k| (0..k).map(|j| format!("cos(q{j})")).collect::<Vec<_>>().join(" + ")).collect();
    let text = heights.iter().map(|h| format!("({h})^2")).collect::<Vec<_>>().join(" + ");
    let (expr, names) = (Expr::parse(&text).unwrap(), names.iter().map(String::as_str).collect::<Vec<_>>());
    let block = Block::new(&[expr], &names, &nothing, Engine::Native).unwrap();
    let at: Vec<f64> = (0..n).map(|k| 0.01 * k as f64).collect();
    let [_, values, derivatives] = results(&block, &at);
    let heights: Vec<f64> = (1..=n).map(|k| at[..k].iter().map(|q| q.cos()).sum()).collect();
    let energy: f64 = heights.iter().map(|h| h * h).sum();
    assert!((values[0] - energy).abs() < 1e-12 * energy);
    for j in 0..n {
        let slope: f64 = heights[j..].iter().map(|h| -2.0 * h * at[j].sin()).sum();
        assert!((derivatives[j] - slope).abs() < 1e-12 * energy, "{j}");
    }
}
