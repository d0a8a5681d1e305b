//! Parameters given as expressions of each other.

use poinsot_expr::{EvalError, ParameterError, resolve_parameters};

fn list(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(a, b): &(&str, &str)| (a.to_string(), b.to_string());
    pairs.iter().map(owned).collect()
}

fn failure(pairs: &[(&str, &str)]) -> ParameterError {
    resolve_parameters(&list(pairs)).unwrap_err()
}

#[test]
fn any_order() {
    let values = resolve_parameters(&list(&[
        ("I", "0.5*m*r^2"),
        ("m", "rho*V"),
        ("V", "pi*r^2*h"),
        ("r", "0.1"),
        ("h", "2*r"),
        ("rho", "7850"),
    ]))
    .unwrap();
    let names: Vec<&str> = values.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["I", "m", "V", "r", "h", "rho"]);
    let volume = std::f64::consts::PI * 0.1 * 0.1 * 0.2;
    assert!((values[0].1 - 0.5 * 7850.0 * volume * 0.01).abs() < 1e-12);
    assert_eq!(resolve_parameters(&[]), Ok(vec![]));
}

#[test]
fn cycles_are_named() {
    let error = failure(&[("z", "a"), ("b", "1 + c"), ("c", "2*a"), ("a", "b + q"), ("q", "1")]);
    assert_eq!(error.to_string(), "parameters depend on each other in a circle: b -> c -> a -> b");
    assert_eq!((error.index(), error.span()), (1, Some(4..5)));
    let error = failure(&[("a", "1"), ("b", "b + 1")]);
    assert_eq!(error, ParameterError::Cycle { index: 1, names: vec!["b".into()], span: 0..1 });
    assert!(error.to_string().ends_with("b -> b"));
}

#[test]
fn unknown_names_have_place_span_and_suggestion() {
    let error = failure(&[("length", "2"), ("area", "length*widht"), ("width", "1")]);
    assert_eq!(error.index(), 1);
    assert_eq!(error.span(), Some(7..12));
    assert_eq!(error.suggestion(), Some("width"));
    assert!(matches!(error, ParameterError::Eval { error: EvalError::UnknownName { .. }, .. }));
}

#[test]
fn names_must_be_free_and_valid() {
    for (name, kind) in [("sin", "function"), ("pi", "constant"), ("e", "constant"), ("if", "keyword")] {
        let error = failure(&[("a", "1"), (name, "2")]);
        assert_eq!(error, ParameterError::Reserved { index: 1, name: name.into(), kind });
        assert_eq!(error.span(), None);
    }
    assert!(matches!(failure(&[("2a", "1")]), ParameterError::InvalidName { index: 0, .. }));
    assert!(matches!(
        failure(&[("a", "1"), ("b", "1"), ("a", "2")]),
        ParameterError::Duplicate { index: 2, first: 0, .. }
    ));
}

#[test]
fn faults_in_expressions_are_located() {
    let error = failure(&[("a", "1"), ("b", "2a")]);
    assert_eq!((error.index(), error.span()), (1, Some(0..2)));
    assert_eq!(error.suggestion(), Some("2*a"));
    let error = failure(&[("b", "1 + 1/a"), ("a", "0")]);
    assert_eq!((error.index(), error.span()), (0, Some(4..7)));
    assert_eq!(error.to_string(), "parameter `b`: division by zero: 1/0");
}

#[test]
fn long_chains() {
    let count = 20_000;
    let name = |i: usize| format!("p{i}");
    let mut chain: Vec<(String, String)> =
        (1..count).rev().map(|i| (name(i), format!("{} + 1", name(i - 1)))).collect();
    chain.push((name(0), "0".into()));
    let values = resolve_parameters(&chain).unwrap();
    assert_eq!(values[0].1, (count - 1) as f64);
    chain.last_mut().unwrap().1 = name(count - 1);
    assert!(matches!(
        resolve_parameters(&chain),
        Err(ParameterError::Cycle { names, .. }) if names.len() == count
    ));
}
