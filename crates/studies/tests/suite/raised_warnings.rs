//! Warnings that come with values which parameters have later: told once, with the value.

use poinsot_model::Model;
use poinsot_studies::{RunOptions, Unwatched, load_str, perform};

/// A mass on a spring whose damping a parameter gives.
fn model(rest: &str) -> Model {
    let text = format!(
        r#"
        [parameters]
        d = 1
        k = 100
        [model]
        gravity = [0, 0, 0]
        [[body]]
        name = "a"
        type = "point"
        mass = 1
        position = [0, 0, -1]
        [[joint]]
        name = "guide"
        type = "point_on_line"
        between = ["ground", "a"]
        axis = [0, 0, 1]
        [[force]]
        name = "f"
        type = "spring"
        between = ["ground", "a"]
        stiffness = "k"
        length = 1.1
        damping = "d"
        {rest}
        "#
    );
    let (model, warnings) = load_str("model.toml", &text, &[]).unwrap_or_else(|error| panic!("{error}"));
    assert!(warnings.is_empty());
    model
}

/// The warnings of the study that speak of energy which is fed in.
fn told(model: &Model) -> Vec<String> {
    let mut product =
        perform(model, &RunOptions::default(), &Unwatched).unwrap_or_else(|error| panic!("{error}"));
    let all = product.summary.warnings_mut().iter();
    all.filter(|text| text.contains("it feeds energy in")).cloned().collect()
}

/// Several events set values that raise the same warning.
#[test]
fn of_events() {
    let events = r#"
        [study]
        end = 0.5
        [[event]]
        name = "first"
        at = 0.1
        set = { d = -0.25 }
        [[event]]
        name = "second"
        at = 0.2
        set = { d = "2*d" }
        [[event]]
        name = "third"
        at = 0.3
        set = { d = 1 }
    "#;
    let model = model(events);
    for _ in 0..2 {
        let told = told(&model);
        let [only] = &told[..] else { panic!("{told:?}") };
        assert!(only.starts_with("with `d` = -0.25: ") && only.contains("(model.toml:"), "{only}");
    }
}

/// A path goes through many values that raise it.
#[test]
fn of_sweeps() {
    let path = r#"
        [study]
        type = "path"
        parameter = "d"
        from = 0.5
        to = -0.5
        step = 0.1
    "#;
    let told = told(&model(path));
    let [only] = &told[..] else { panic!("{told:?}") };
    assert!(only.starts_with("with `d` = -"), "{only}");
}

/// What was told when the model was loaded is not told again.
#[test]
fn not_those_of_the_model() {
    let event = r#"
        [study]
        end = 0.2
        [[event]]
        name = "stiffer"
        at = 0.1
        set = { k = 200 }
    "#;
    let (active, warnings) = model(event).with_parameters(&[("d".into(), -1.0)]).unwrap();
    assert_eq!(warnings.len(), 1);
    assert_eq!(told(&active), [""; 0]);
}
