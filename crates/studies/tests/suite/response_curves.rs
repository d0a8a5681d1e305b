//! Response curves: keys that come from the periodic study, results, and what is said about mistakes.

use poinsot_analysis::OrbitSingularKind;
use poinsot_model::{LoadError, Model};
use poinsot_studies::load_str;
use poinsot_studies::periodic::PeriodSpec;
use poinsot_studies::response_curve::ResponseSpec;
use std::f64::consts::PI;

const MODEL: &str = r#"
[parameters]
W = 2
[[body]]
name = "bob"
type = "point"
mass = 1
position = [1, 0, 0]
[[force]]
name = "push"
type = "force"
on = "bob"
force = ["cos(W*t) - bob.position.x", 0, 0]
[[signal]]
name = "x"
value = "bob.position.x"
[study]
type = "response_curve"
parameter = "W"
range = [2, 1.5]
"#;

fn load(text: &str) -> Result<Model, LoadError> {
    load_str("f.toml", &format!("{MODEL}{text}"), &[]).map(|(model, _)| model)
}

fn refusal(text: &str) -> String {
    load(text).unwrap_err().render(false)
}

#[test]
fn the_period_follows_the_parameter() {
    let model = load("period = \"2*pi/W\"\nswitch = [\"doubling.2\", \"branch.1\"]\n").unwrap();
    let spec = model.study_of::<ResponseSpec>().unwrap();
    assert_eq!(spec.motion.period, PeriodSpec::Known(PI));
    assert_eq!(spec.range, [2.0, 1.5]);
    let switches: Vec<_> = spec.switches.iter().map(|s| (s.kind, s.number)).collect();
    assert_eq!(switches, [(OrbitSingularKind::Doubling, 1), (OrbitSingularKind::Branch, 0)]);
    let value = [("W".to_owned(), 1.5)];
    let (other, _) = model.with_parameters_and_study(&value).unwrap();
    let spec = other.study_of::<ResponseSpec>().unwrap();
    assert_eq!(spec.motion.period, PeriodSpec::Known(2.0 * PI / 1.5));
    // Other studies keep what was asked for.
    let (kept, _) = model.with_parameters(&value).unwrap();
    assert_eq!(kept.study_of::<ResponseSpec>().unwrap().motion.period, PeriodSpec::Known(PI));
}

#[test]
fn mistakes_are_told_at_their_place() {
    let period = "period = \"2*pi/W\"\n";
    let told = |text: &str| refusal(&format!("{period}{text}"));
    let switch = told("switch = [\"fold.1\"]\n");
    assert!(switch.contains("no other curve can be followed at \"fold.1\""), "{switch}");
    let hold = told("hold = { x = 0 }\n");
    assert!(hold.contains("`hold` has no place"), "{hold}");
    let step = told("step = 2\n");
    assert!(step.contains("does not lie between"), "{step}");
    let unknown = told("spead = 1\n");
    assert!(unknown.contains("spead"), "{unknown}");
    let outside = told("[[expect]]\nsignal = \"response.x.amplitude\"\nat = 3\nvalue = 1\ntolerance = 1\n");
    assert!(outside.contains("not within the range"), "{outside}");
    let nothing = told("[[expect]]\nsignal = \"fold.1.speed\"\nvalue = 1\ntolerance = 1\n");
    assert!(nothing.contains("there is no result `fold.1.speed`"), "{nothing}");
    let missing = refusal("");
    assert!(missing.contains("period"), "{missing}");
}
