//! Studies that start from another state: from rest, from a steady rotation, from each other, from a run that
//! was kept; and studies that leave something out.

use poinsot_model::study::InitialSpec;
use poinsot_model::{Model, NamedState};
use poinsot_results::{RunFolder, Status};
use poinsot_studies::{Chain, Product, RunOptions, StudyError, Unwatched, load_str, perform};

pub(crate) fn model(text: &str) -> Model {
    load_str("model.toml", text, &[]).unwrap_or_else(|error| panic!("{error}")).0
}

pub(crate) fn run(model: &Model) -> Result<Product, StudyError> {
    perform(model, &RunOptions::default(), &Unwatched)
}

/// The model with another start.
pub(crate) fn starting(model: &Model, initial: InitialSpec) -> Model {
    let mut model = model.clone();
    model.initial = initial;
    model
}

/// The run of a study of a model.
fn study(model: &Model, name: &str) -> Product {
    let chosen = model.with_study_named(name).unwrap();
    run(&chosen).unwrap_or_else(|error| panic!("{name}: {error}"))
}

pub(crate) fn end(product: &Product) -> &NamedState {
    product.states.last().expect("an end")
}

/// The largest distance of a node between two states.
fn distance(one: &NamedState, other: &NamedState) -> f64 {
    let pairs = one.nodes.iter().zip(&other.nodes);
    pairs.map(|(a, b)| (a.position - b.position).norm()).fold(0.0, f64::max)
}

/// A beam with a pendulum that hangs on its tip, and a slider-crank-like link between them.
const SAGGING: &str = r#"
[parameters]
load = 0
[[beam]]
name = "beam"
from = [0, 0, 0]
to = [2, 0, 0]
axis1 = [0, 0, 1]
elements = 3
order = 2
start = "clamped"
section = { type = "rectangle", width = 0.02, height = 0.04, young = 7e10, poisson = 0.3, density = 2700 }
[[body]]
name = "arm"
mass = 0.4
inertia = [1e-3, 1e-3, 1e-3]
position = [2, 0, -0.2]
[[joint]]
name = "hinge"
type = "revolute"
between = ["beam.end", "arm"]
at = [2, 0, 0]
axis = [0, 1, 0]
[[force]]
name = "push"
type = "force"
on = "arm"
force = ["load", 0, 0]
"#;

/// From equilibrium nothing moves for ten seconds, by more than 1e-9 of the length.
#[test]
fn what_starts_in_equilibrium_stays_there() {
    let text = format!(
        "{SAGGING}[[study]]\nname = \"wait\"\ninitial = \"equilibrium\"\nend = 10\nstep = 2e-3\n\
         keep = [0, 2.5, 5, 7.5]\n"
    );
    let product = study(&model(&text), "wait");
    assert_eq!(product.states.len(), 5, "four that were kept, and the end");
    let first = &product.states[0];
    for later in &product.states[1..] {
        let moved = distance(first, later);
        assert!(moved < 1e-9 * 2.0, "{moved:e} at {} s", later.time);
    }
    let initial = product.summary.common().initial.clone().unwrap();
    assert_eq!(initial.from, "at rest in equilibrium");
    assert!(initial.facts.iter().any(|fact| fact.contains("moved farthest")), "{initial:?}");
    assert!(initial.facts.iter().any(|fact| fact.contains("stable")), "{initial:?}");
    assert!(product.summary.text().contains("at rest in equilibrium"));
}

/// The equilibrium of an inverted pendulum is no place to start from without a word.
#[test]
fn an_unstable_start_is_told() {
    let text = r#"
[[body]]
name = "rod"
mass = 1
inertia = [0.1, 0.1, 0.1]
position = [0, 0, 0.5]
[[joint]]
name = "pivot"
type = "revolute"
between = ["ground", "rod"]
at = [0, 0, 0]
axis = [0, 1, 0]
[study]
initial = "equilibrium"
end = 0.1
step = 1e-2
"#;
    let product = run(&model(text)).unwrap();
    let initial = product.summary.common().initial.clone().unwrap();
    assert!(initial.doubts.iter().any(|doubt| doubt.contains("unstable")), "{initial:?}");
}

/// A rotor with flexible blades: driven or free.
fn rotor(motor: &str, spin: &str) -> String {
    format!(
        r#"
[model]
gravity = [0, 0, -9.81]
[[body]]
name = "hub"
mass = 5
inertia = [0.1, 0.1, 0.2]
{spin}
[[joint]]
name = "shaft"
type = "revolute"
between = ["ground", "hub"]
at = [0, 0, 0]
axis = [0, 0, 1]
{motor}
[[beam]]
name = "one"
from = [0.2, 0, 0]
to = [2.2, 0, 0]
axis1 = [0, 0, 1]
elements = 3
order = 2
section = {{ type = "rectangle", width = 0.02, height = 0.1, young = 5e9, poisson = 0.3, density = 1500 }}
start = {{ type = "fixed", to = "hub" }}
[[beam]]
name = "two"
from = [-0.2, 0, 0]
to = [-2.2, 0, 0]
axis1 = [0, 0, 1]
elements = 3
order = 2
section = {{ type = "rectangle", width = 0.02, height = 0.1, young = 5e9, poisson = 0.3, density = 1500 }}
start = {{ type = "fixed", to = "hub" }}
[study]
initial = "steady"
end = "6*pi/15"
step = "pi/15/400"
integrator = "radau"
keep = [0, 0.1, 0.37, 0.81]
"#
    )
}

const MOTOR: &str = "[[drive]]\nname = \"motor\"\ntype = \"joint\"\njoint = \"shaft\"\nrate = 15\n";

/// Places of all nodes in the axes of the hub.
fn seen_from_hub(state: &NamedState) -> Vec<[f64; 3]> {
    seen_from(state, "hub")
}

fn seen_from(state: &NamedState, body: &str) -> Vec<[f64; 3]> {
    let hub = state.nodes.iter().find(|node| node.name == body).unwrap();
    let seen = state.nodes.iter().map(|node| hub.rotation.tr_mul(&(node.position - hub.position)));
    seen.map(Into::into).collect()
}

/// The blades rest in the axes of the hub to 1e-9 for three turns, sagging under their weight.
#[test]
fn a_rotor_starts_in_steady_rotation() {
    for (motor, spin) in [(MOTOR, ""), ("", "angular_velocity = [0, 0, 15]")] {
        let product = run(&model(&rotor(motor, spin))).unwrap_or_else(|error| panic!("{error}"));
        let first = seen_from_hub(&product.states[0]);
        let tip = product.states[0].nodes.iter().position(|node| node.name.contains("two.node6")).unwrap();
        // At rest the tips would sag by q L⁴/(8 E I) = 0.177 m; the centrifugal force holds them up.
        assert!((-0.1..-0.01).contains(&first[tip][2]), "the blades sag: {:?}", first[tip]);
        for state in &product.states[1..] {
            let seen = seen_from_hub(state);
            let apart =
                |(a, b): (&[f64; 3], &[f64; 3])| (0..3).map(|i| (a[i] - b[i]).abs()).fold(0.0, f64::max);
            let moved = first.iter().zip(&seen).map(apart).fold(0.0, f64::max);
            assert!(moved < 1e-9 * 4.4, "{moved:e} at {} s with {motor:?}", state.time);
        }
        let initial = product.summary.common().initial.clone().unwrap();
        assert!(initial.from.contains("15 rad/s"), "{initial:?}");
    }
}

/// Gravity across the axis leaves no steady rotation, whatever holds at one instant.
#[test]
fn what_is_not_steady_is_refused() {
    let text = rotor(MOTOR, "").replace("[0, 0, -9.81]", "[0, -9.81, 0]");
    let error = run(&model(&text)).err().expect("not steady");
    assert!(error.to_string().contains("not steady"), "{error}");
    assert!(error.remedy().unwrap().contains("repeats itself"), "{error}");
}

/// A wheel under gravity across its axis, with a damped arm on its rim: what a study leaves after forty
/// turns repeats itself, and a study that starts there begins without a transient.
#[test]
fn a_motion_that_repeats_itself_is_a_start() {
    let text = r#"
[[body]]
name = "wheel"
mass = 5
inertia = [0.1, 0.2, 0.1]
[[body]]
name = "arm"
mass = 0.3
inertia = [1e-3, 1e-3, 1e-3]
position = [0.6, 0, 0]
[[joint]]
name = "axle"
type = "revolute"
between = ["ground", "wheel"]
at = [0, 0, 0]
axis = [0, 1, 0]
[[joint]]
name = "rim"
type = "revolute"
between = ["wheel", "arm"]
at = [0.5, 0, 0]
axis = [0, 1, 0]
[[drive]]
name = "motor"
type = "joint"
joint = "axle"
rate = 10
[[force]]
name = "hold"
type = "torsion"
joint = "rim"
stiffness = 2
damping = 0.08
[[study]]
name = "refused"
initial = "steady"
end = 0.1
step = 1e-2
[[study]]
name = "settle"
end = "8*pi"
step = "pi/1000"
integrator = "radau"
[[study]]
name = "on"
initial = "settle"
end = "0.2*pi"
step = "pi/1000"
integrator = "radau"
keep = [0, "0.05*pi"]
"#;
    let model = model(text);
    let refused = run(&model.with_study_named("refused").unwrap()).err().expect("not steady");
    assert!(refused.remedy().unwrap().contains("initial = \"NAME\""), "{refused}");
    let on = study(&model, "on");
    let arm = |state: &NamedState| seen_from(state, "wheel")[1];
    let [first, quarter, turn] = [0, 1, 2].map(|k| arm(&on.states[k]));
    let apart = |a: [f64; 3], b: [f64; 3]| (0..3).map(|i| (a[i] - b[i]).abs()).fold(0.0, f64::max);
    assert!(apart(first, quarter) > 1e-3, "the arm swings: {first:?} {quarter:?}");
    assert!(apart(first, turn) < 1e-9, "and repeats itself: {:e}", apart(first, turn));
}

/// Where nothing turns, steady is at rest.
#[test]
fn steady_without_rotation_is_equilibrium() {
    let text = format!("{SAGGING}[study]\ninitial = \"steady\"\nend = 0.1\nstep = 1e-2\n");
    let product = run(&model(&text)).unwrap();
    assert!(product.summary.common().initial.clone().unwrap().from.contains("nothing turns"));
}

/// Every kind of study as a source, every kind as a target.
#[test]
fn every_study_starts_from_every_other() {
    let sources = [
        ("rest", "type = \"equilibrium\""),
        ("spectrum", "type = \"modes\"\ncount = 2"),
        ("matrices", "type = \"linearize\""),
        ("follow", "type = \"path\"\nparameter = \"load\"\nto = 2\npoints = 30"),
        ("buckled", "type = \"buckling\"\nparameter = \"load\"\ncount = 1"),
        ("shake", "end = 0.02\nstep = 1e-3"),
        ("driven", "type = \"kinematics\"\nend = 0.02\nstep = 1e-2\noff = [\"free\"]"),
    ];
    // A pendulum whose drive is off where it swings, so that kinematics are determined too.
    let pendulum = r#"
[parameters]
load = 0
[[body]]
name = "rod"
mass = 1
inertia = [0.1, 0.1, 0.1]
position = [0.3, 0, -0.5]
[[joint]]
name = "pivot"
type = "revolute"
between = ["ground", "rod"]
at = [0, 0, 0]
axis = [0, 1, 0]
[[drive]]
name = "motor"
type = "joint"
joint = "pivot"
position = "0.5*t"
[[force]]
name = "push"
type = "force"
on = "rod"
force = ["load", 0, 0]
"#;
    let off = |keys: &str| match keys.contains("kinematics") {
        true => keys.replace("\noff = [\"free\"]", ""),
        false => format!("{keys}\noff = [\"motor\"]"),
    };
    for (source, keys) in sources {
        for (target, wanted) in sources {
            let text = format!(
                "{pendulum}[[study]]\nname = \"{source}\"\n{}\n[[study]]\nname = \"then_{target}\"\ninitial = \"{source}\"\n{}\n",
                off(keys),
                off(wanted)
            );
            let model = model(&text);
            let then = model.with_study_named(&format!("then_{target}")).unwrap();
            let product = run(&then).unwrap_or_else(|error| panic!("{source} → {target}: {error}"));
            assert_eq!(product.summary.common().outcome.status, Status::Completed, "{source} → {target}");
            let initial = product.summary.common().initial.clone().expect("it says where it starts");
            assert!(initial.from.contains(source), "{initial:?}");
        }
    }
}

/// A motion in two parts is the motion in one, also through the turns of a joint and a spring wound up by it.
#[test]
fn a_chain_goes_on_where_the_first_study_ends() {
    let text = r#"
[[body]]
name = "wheel"
mass = 1
inertia = [0.1, 0.1, 0.1]
angular_velocity = [0, 0, 40]
[[joint]]
name = "axle"
type = "revolute"
between = ["ground", "wheel"]
at = [0, 0, 0]
axis = [0, 0, 1]
[[force]]
name = "coil"
type = "torsion"
joint = "axle"
stiffness = 0.02
[[equations]]
name = "filter"
variables = { y = 0 }
equations = ["der(y) = axle.angle - y"]
[[signal]]
name = "angle"
value = "axle.angle"
[[study]]
name = "whole"
end = 2
step = 1e-3
integrator = "gauss"
[[study]]
name = "first"
end = 1
step = 1e-3
integrator = "gauss"
[[study]]
name = "second"
initial = "first"
start = 1
end = 2
step = 1e-3
integrator = "gauss"
[[study]]
name = "inside"
initial = { study = "whole", time = 1 }
start = 1
end = 2
step = 1e-3
integrator = "gauss"
"#;
    let model = model(text);
    let whole = study(&model, "whole");
    assert!(
        end(&whole).turns.iter().any(|turns| turns.values[0] > 20.0),
        "several turns: {:?}",
        end(&whole).turns
    );
    for part in ["second", "inside"] {
        let part = study(&model, part);
        let (one, other) = (end(&whole), end(&part));
        let spin = one.nodes[0].angular_velocity.z - other.nodes[0].angular_velocity.z;
        assert!(spin.abs() < 1e-8, "{spin:e}");
        let filtered = one.variables[0].values[0] - other.variables[0].values[0];
        assert!(filtered.abs() < 1e-7, "{filtered:e}");
        assert_eq!(one.turns.len(), other.turns.len());
        for (a, b) in one.turns.iter().zip(&other.turns) {
            assert!((a.values[0] - b.values[0]).abs() < 1e-8, "{a:?} {b:?}");
        }
    }
}

/// A chain of all studies gives each the states of the one before.
#[test]
fn a_chain_runs_studies_after_those_they_start_from() {
    let text = format!(
        "{SAGGING}[[study]]\nname = \"swing\"\ninitial = \"sag\"\nend = 0.05\nstep = 1e-3\n\
         [[study]]\nname = \"spectrum\"\ntype = \"modes\"\ninitial = \"sag\"\ncount = 2\n\
         [[study]]\nname = \"sag\"\ntype = \"equilibrium\"\n"
    );
    let model = model(&text);
    let mut chain = Chain::new(&model);
    let names: Vec<String> = chain.heads().into_iter().filter_map(|head| head.name).collect();
    assert_eq!(names, ["sag", "swing", "spectrum"]);
    for head in chain.heads() {
        let of_study = chain.model(&head).unwrap();
        if head.source.is_some() {
            assert!(matches!(of_study.initial, InitialSpec::Given { .. }), "{head:?}");
        }
        let product = run(&of_study).unwrap();
        chain.note(&head, Some(&product));
    }
}

/// A state from a folder: the same bits, at the end and at times that were kept; another time is refused.
#[test]
fn a_run_that_was_kept_is_a_start() {
    let text = format!("{SAGGING}[study]\nend = 0.1\nstep = 1e-3\nkeep = [0.05]\n");
    let first = model(&text);
    let mut product = run(&first).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("first");
    product.write(&mut RunFolder::create(&place).unwrap(), &first, false).unwrap();
    let from = |time| starting(&first, InitialSpec::Run { folder: place.clone(), time });
    for (time, kept) in [(None, &product.states[1]), (Some(0.05), &product.states[0])] {
        let then = run(&from(time)).unwrap();
        let initial = then.summary.common().initial.clone().unwrap();
        assert!(initial.doubts.is_empty(), "{initial:?}");
        assert!(initial.from.contains("first"), "{initial:?}");
        let begun = from(time);
        let begun = poinsot_studies::settled(&begun, &Unwatched).unwrap();
        let InitialSpec::Given { state, .. } = &begun.initial else { panic!("not settled") };
        assert_eq!(**state, *kept);
    }
    let error = run(&from(Some(0.07))).err().unwrap().to_string();
    assert!(error.contains("0.07") && error.contains("keep = [0.07]") && error.contains("0.05 s"), "{error}");
    let gone = starting(&first, InitialSpec::Run { folder: "nowhere".into(), time: None });
    assert!(run(&gone).err().unwrap().to_string().contains("nowhere"));
}

/// A state of another model is refused; of a similar one what differs is told.
#[test]
fn a_start_from_another_model_is_refused() {
    let ball = "[[body]]\nname = \"ball\"\ntype = \"point\"\nmass = 1\n[study]\nend = 0.1\nstep = 1e-2\n";
    let state = run(&model(ball)).unwrap().states.pop().unwrap();
    let beam = model(&format!("{SAGGING}[study]\nend = 0.1\nstep = 1e-2\n"));
    let error = run(&beam.starting_from(state.clone().into(), "a run of a ball")).err().unwrap();
    assert!(error.to_string().contains("another model") && error.to_string().contains("`ball`"), "{error}");
    let two = format!("[[body]]\nname = \"stone\"\ntype = \"point\"\nmass = 1\n{ball}");
    let product = run(&model(&two).starting_from(state.into(), "a run of a ball")).unwrap();
    let initial = product.summary.common().initial.clone().unwrap();
    assert!(initial.doubts.iter().any(|doubt| doubt.contains("as modelled: `stone`")), "{initial:?}");
}

/// A drive that is elsewhere at the start of the clock moves the mechanism: that is told.
#[test]
fn a_clock_that_does_not_fit_is_told() {
    let text = r#"
[[body]]
name = "crank"
mass = 1
inertia = [0.1, 0.1, 0.1]
position = [0.5, 0, 0]
[[joint]]
name = "pivot"
type = "revolute"
between = ["ground", "crank"]
at = [0, 0, 0]
axis = [0, 0, 1]
[[drive]]
name = "motor"
type = "joint"
joint = "pivot"
position = "2*t"
[[study]]
name = "first"
end = 1
step = 1e-2
[[study]]
name = "again"
initial = "first"
end = 1
step = 1e-2
[[study]]
name = "on"
initial = "first"
start = 1
end = 2
step = 1e-2
"#;
    let model = model(text);
    let doubts = |name: &str| study(&model, name).summary.common().initial.clone().unwrap().doubts;
    assert!(doubts("again").iter().any(|doubt| doubt.contains("this study begins at 0 s")));
    assert!(doubts("on").is_empty(), "{:?}", doubts("on"));
}

/// What is off is not there: neither are its signals; what needs it is named.
#[test]
fn a_study_leaves_things_out() {
    let text = r#"
[[body]]
name = "mass"
type = "point"
mass = 1
[[joint]]
name = "cord"
type = "fixed"
between = ["ground", "mass"]
[[signal]]
name = "pull"
value = "cord.reaction.force.z"
[[signal]]
name = "twice"
value = "2*pull"
[[signal]]
name = "z"
value = "mass.position.z"
[[study]]
name = "held"
type = "equilibrium"
[[study]]
name = "falling"
initial = "held"
off = ["cord"]
end = 1
step = 1e-2
[[expect]]
study = "falling"
signal = "z"
value = "-9.81/2"
tolerance = 1e-6
"#
    .replace("type = \"fixed\"", "type = \"spherical\"\nat = [0, 0, 0]");
    let model = model(&text);
    let names = |model: &Model| model.signals.iter().map(|signal| signal.name.clone()).collect::<Vec<_>>();
    let falling = model.with_study_named("falling").unwrap();
    assert_eq!(names(&model), ["pull", "twice", "z"]);
    assert_eq!(names(&falling), ["z"]);
    assert!(falling.joints.is_empty() && falling.off == ["cord"]);
    let product = run(&falling).unwrap();
    assert!(product.summary.holds(), "{}", product.summary.text());
}
