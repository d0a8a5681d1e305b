//! `poinsot compare` and `poinsot converge`: errors, orders and messages.

use crate::common;

use common::{output, poinsot, with_model};
use serde_json::Value;
use std::path::Path;

/// The pendulum of gs4-isochronous-integrators I-54: θ₀ = π/3, θ̇₀ = 0.5.
const PENDULUM: &str = r#"
[model]
name = "Pendulum"
plane = "zx"
gravity = [0, 0, -9.81]

[[body]]
name = "bob"
type = "point"
mass = 1
position = ["sin(pi/3)", 0, "-cos(pi/3)"]
velocity = ["0.5*cos(pi/3)", 0, "0.5*sin(pi/3)"]

[[joint]]
name = "rod"
type = "distance"
between = ["ground", "bob"]

[study]
end = 1
step = 0.0125

[[signal]]
name = "x"
value = "bob.position.x"
[[signal]]
name = "tension"
value = "rod.reaction.axial"
"#;

fn compare(folder: &Path, with: &str, more: &[&str]) -> Value {
    let args = ["compare", "model.toml", "--json", "--turns", "1", "--with", with];
    let (code, out, err) = output(poinsot(folder).args(args).args(more));
    assert_eq!(code, 0, "{out}{err}");
    serde_json::from_str(&out).unwrap()
}

fn converge(folder: &Path, more: &[&str]) -> Vec<Value> {
    let (code, out, err) = output(poinsot(folder).args(["converge", "model.toml", "--json"]).args(more));
    assert_eq!(code, 0, "{out}{err}");
    let found: Value = serde_json::from_str(&out).unwrap();
    found["quantities"].as_array().unwrap().clone()
}

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("no {key} in {value}"))
}

/// Of the quantities on a level, the orders.
fn orders(found: &[Value], level: &str) -> Vec<f64> {
    let here = found.iter().filter(|f| f["level"] == level);
    let orders: Vec<f64> = here.map(|f| number(f, "order")).collect();
    assert!(!orders.is_empty(), "nothing on level {level}");
    orders
}

#[test]
fn errors_fall_with_tolerance_and_step() {
    let folder = with_model(PENDULUM);
    let found = compare(folder.path(), "radau,generalized-alpha(rho=0.8)", &[]);
    assert!(number(&found["reference"], "error") < 1e-9, "{}", found["reference"]);
    let runs = found["runs"].as_array().unwrap();
    let of = |name: &str| runs.iter().filter(|r| r["integrator"] == name).cloned().collect::<Vec<_>>();
    let radau = of("radau");
    assert_eq!(radau.iter().map(|r| number(r, "tolerance")).collect::<Vec<_>>(), [1e-4, 1e-6, 1e-8]);
    let errors: Vec<f64> = radau.iter().map(|r| number(r, "error")).collect();
    // Two decades of tolerance: the error falls by no less than one.
    assert!(errors[0] < 1e-2 && errors.windows(2).all(|e| e[1] < 0.1 * e[0]), "{errors:?}");
    assert!(radau.windows(2).all(|r| number(&r[0], "steps") < number(&r[1], "steps")));
    let alpha = of("generalized-alpha(rho=0.8)");
    assert_eq!(alpha.iter().map(|r| number(r, "steps")).collect::<Vec<_>>(), [80.0, 160.0, 320.0, 640.0]);
    for pair in alpha.windows(2) {
        let order = (number(&pair[0], "error") / number(&pair[1], "error")).log2();
        assert!((order - 2.0).abs() < 0.15, "{order}");
    }
    for run in runs {
        assert_eq!(run["resolved"], true);
        assert!(number(run, "time_s") > 0.0 && number(run, "residual_evaluations") >= number(run, "steps"));
        let allowed = run["tolerance"].as_f64().unwrap_or(1e-8);
        assert!(
            number(run, "position_residual") < allowed && number(run, "energy_imbalance") < 1e-2,
            "{run}"
        );
    }
    for file in ["comparison.csv", "comparison.json", "error_time.svg", "error_evaluations.svg"] {
        assert!(folder.path().join("runs/model-compare").join(file).exists(), "{file} is missing");
    }
    let csv = std::fs::read_to_string(folder.path().join("runs/model-compare/comparison.csv")).unwrap();
    let cells: Vec<usize> = csv.lines().map(|line| line.split(',').count()).collect();
    assert_eq!(cells, [16; 8]);
}

#[test]
fn the_table_says_what_it_shows() {
    let folder = with_model(PENDULUM);
    let args =
        ["compare", "model.toml", "--with", "radau,midpoint", "--steps", "0.02,0.01", "--tolerances", "1e-5"];
    let (code, out, err) = output(poinsot(folder.path()).args(args).args(["--turns", "1", "--until", "0.5"]));
    assert_eq!(code, 0, "{err}");
    assert!(out.starts_with("Pendulum\n  reference   radau, 5 stages, tolerance 1e-7"), "{out}");
    assert!(out.contains("| radau ") && out.contains("| midpoint ") && out.contains("0.02"), "{out}");
    assert!(out.contains("relative to the largest value of each"), "{out}");
}

/// One that fails is told in its row; the others run. Here the constraints drift until a signal has no value.
#[test]
fn failures_stay_in_their_rows() {
    let signal = r#"
[[signal]]
name = "slack"
value = "1 + sqrt(1 + 1e-7 - bob.position.x^2 - bob.position.z^2)"
"#;
    let folder = with_model(&(PENDULUM.to_string() + signal));
    let found = compare(folder.path(), "runge-kutta-4:augmented,generalized-alpha", &["--steps", "0.1"]);
    let runs = found["runs"].as_array().unwrap();
    assert!(
        runs[0]["failure"].as_str().is_some_and(|text| text.contains("`slack` is not a finite")),
        "{}",
        runs[0]
    );
    assert!(number(&runs[1], "error") < 0.1, "{}", runs[1]);
    let args = ["compare", "model.toml", "--with", "runge-kutta-4:augmented", "--steps", "0.1"];
    let (code, out, err) = output(poinsot(folder.path()).args(args));
    assert!(
        code == 1 && out.contains("failed: `slack`") && err.contains("no integrator"),
        "{code} {out} {err}"
    );
}

#[test]
fn an_earlier_run_can_be_the_reference() {
    let folder = with_model(PENDULUM);
    let run = [
        "run",
        "model.toml",
        "--quiet",
        "--integrator",
        "radau",
        "--stages",
        "5",
        "--step",
        "0.0125",
        "--out",
        "r",
    ];
    assert_eq!(output(poinsot(folder.path()).args(run)).0, 0);
    let found = compare(folder.path(), "newmark", &["--steps", "0.0125", "--reference", "r/signals.parquet"]);
    assert!(number(&found["reference"], "error") < 1e-8, "{}", found["reference"]);
    let own = compare(folder.path(), "newmark", &["--steps", "0.0125"]);
    let [a, b] = [&found, &own].map(|f| number(&f["runs"][0], "error"));
    assert!((a / b - 1.0).abs() < 1e-4, "{a} {b}");
}

#[test]
fn names_are_checked_and_suggested() {
    let folder = with_model(PENDULUM);
    let says = |args: &[&str], part: &str| {
        let (code, _, err) = output(poinsot(folder.path()).args(args));
        assert!(code == 2 && err.contains(part), "{code} {err}");
    };
    says(&["compare", "model.toml", "--with", "radua"], "did you mean `radau`?");
    says(&["compare", "model.toml", "--with", "radau:positon"], "did you mean `position`?");
    says(&["compare", "model.toml", "--with", "radau", "--tolerances=-1"], "must be a positive number");
    says(
        &["compare", "model.toml", "--with", "radau", "--reference", "nowhere"],
        "neither a tolerance nor a file",
    );
    says(&["converge", "model.toml", "--integrator", "midpont"], "did you mean `midpoint`?");
    says(&["converge", "model.toml", "--step", "0"], "must be a positive number");
}

#[test]
fn gs4_is_second_order_in_everything() {
    let folder = with_model(PENDULUM);
    let found = converge(folder.path(), &["--integrator", "generalized-alpha(rho=0.8)"]);
    for level in ["signal", "position", "velocity", "acceleration", "own"] {
        let orders = orders(&found, level);
        assert!(orders.iter().all(|p| (p - 2.0).abs() < 0.1), "{level}: {orders:?}");
    }
    assert!(found.iter().all(|f| f["verdict"].as_str().unwrap().contains("(expected 2)")));
    let found = converge(folder.path(), &["--integrator", "generalized-alpha(rho=0.8)", "--self"]);
    assert!(orders(&found, "acceleration").iter().all(|p| (p - 2.0).abs() < 0.1));
}

/// Position-level constraints with roots at −1: the integrator's own accelerations and multipliers are of
/// order 1 or 0 (gs4-isochronous-integrators I-53, I-54); positions, velocities and what is recorded are of
/// order 2 all the same.
#[test]
fn members_that_ring_lose_an_order_in_their_multipliers() {
    let folder = with_model(PENDULUM);
    let cases = [
        ("V0(1,1,0):position", 1.0),
        ("V0(0.5,0.5,0.5):position", 1.0),
        ("optimal(rho=0.5):position", 1.0),
        ("newmark:position", 0.0),
        ("generalized-alpha(rho=0.5):position", 2.0),
    ];
    for (integrator, order) in cases {
        let found = converge(folder.path(), &["--integrator", integrator]);
        for level in ["position", "velocity", "acceleration"] {
            let orders = orders(&found, level);
            assert!(orders.iter().all(|p| (p - 2.0).abs() < 0.1), "{integrator}, {level}: {orders:?}");
        }
        let own: Vec<&Value> = found.iter().filter(|f| f["level"] == "own").collect();
        assert_eq!(own.len(), 2, "{own:?}");
        for finding in own {
            assert!((number(finding, "order") - order).abs() < 0.1, "{integrator}: {finding}");
            assert_eq!(number(finding, "expected"), order);
            let rings = finding["reason"].as_str().is_some_and(|reason| reason.contains("never decay"));
            assert_eq!(rings, order < 2.0, "{finding}");
        }
    }
}

/// From rest the oscillation is not excited (I-54): the order is full, and the verdict says that this is
/// luck.
#[test]
fn from_rest_nothing_rings() {
    let rest = PENDULUM.replace("velocity = [\"0.5*cos(pi/3)\", 0, \"0.5*sin(pi/3)\"]", "");
    let folder = with_model(&rest);
    let found = converge(folder.path(), &["--integrator", "V0(1,1,0):position"]);
    assert!(orders(&found, "own").iter().all(|p| (p - 2.0).abs() < 0.1));
    let own = found.iter().find(|f| f["level"] == "own").unwrap();
    assert!(own["reason"].as_str().unwrap().contains("this motion does not show it"), "{own}");
}

/// The orders that lagrangian-dae-modeling §1.23 has observed on the pendulum with radau, and those of gauss,
/// which keeps its order where positions are projected.
#[test]
fn runge_kutta_methods_have_the_orders_of_their_form() {
    let folder = with_model(PENDULUM);
    let cases = [
        ("radau(stages=3)", [5.0, 5.0, 3.0]),
        ("radau(stages=3):position", [5.0, 3.0, 2.0]),
        ("radau(stages=2)", [3.0, 3.0, 2.0]),
        ("radau(stages=2):position", [3.0, 2.0, 1.0]),
        ("radau(stages=2):velocity", [3.0, 3.0, 2.0]),
        ("gauss(stages=2):stabilised", [4.0, 4.0, 2.0]),
        ("gauss(stages=2)", [4.0, 4.0, 2.0]),
    ];
    for (integrator, expected) in cases {
        let found = converge(folder.path(), &["--integrator", integrator, "--step", "0.025"]);
        for (level, order) in ["position", "velocity", "own"].into_iter().zip(expected) {
            let orders = orders(&found, level);
            assert!(orders.iter().all(|p| (p - order).abs() < 0.1), "{integrator}, {level}: {orders:?}");
            let here = found.iter().find(|f| f["level"] == level).unwrap();
            assert_eq!(number(here, "expected"), order, "{integrator}: {here}");
        }
    }
}

/// Steps that Newton's iteration does not solve are halved, and then there is no order to measure.
#[test]
fn halved_steps_have_no_order() {
    let folder = with_model(PENDULUM);
    let args = ["converge", "model.toml", "--integrator", "radau", "--step", "0.5"];
    let (code, _, err) = output(poinsot(folder.path()).args(args));
    assert!(code == 1 && err.contains("were halved: give a shorter --step"), "{code} {err}");
}

#[test]
fn orders_behind_events_are_refused() {
    let event = "\n[[event]]\nname = \"low\"\nwhen = \"bob.position.x\"\nbounce = { coordinate = \"bob.position.x\", restitution = 1 }\n";
    let folder = with_model(&(PENDULUM.to_string() + event));
    let (code, _, err) = output(poinsot(folder.path()).args(["converge", "model.toml"]));
    assert!(code == 2 && err.contains("orders mean little behind it"), "{code} {err}");
    let (code, out, err) = output(poinsot(folder.path()).args(["converge", "model.toml", "--until", "0.2"]));
    assert!(code == 0 && out.contains("(expected 2)"), "{out}{err}");
    // Errors are compared all the same.
    let found = compare(folder.path(), "radau,generalized-alpha", &["--tolerances", "1e-6"]);
    assert!(number(&found["runs"][0], "error").is_finite());
}

/// A cantilever that swings under its weight, with stiff shear and hardly any rotary inertia.
const CANTILEVER: &str = r#"
[model]
name = "Cantilever"
plane = "xy"
gravity = [0, -9.81, 0]

[[beam]]
name = "rod"
from = [0, 0, 0]
to = [1, 0, 0]
elements = 2
order = 2
start = "clamped"
section = { type = "given", stiffness = [1e5, 1e5, 1e4, 2, 2, 2], mass = 0.5, inertia = [1e-7, 1e-7] }

[study]
end = 0.1
step = 0.002

[[signal]]
name = "tip"
value = "rod.end.position.y"
[[signal]]
name = "middle"
value = "rod.at(0.4).position.y"
"#;

/// Three theories of one beam go to one answer; without beams there is nothing to compare.
#[test]
fn formulations_of_beams_agree() {
    let folder = with_model(CANTILEVER);
    let args = ["compare", "model.toml", "--json", "--turns", "1", "--refine", "1,4"];
    let run = |list: &str| output(poinsot(folder.path()).args(args).args(["--beams", list]));
    let (code, out, err) = run("director,motion,ancf");
    assert_eq!(code, 0, "{out}{err}");
    let found: Value = serde_json::from_str(&out).unwrap();
    let runs = found["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 6);
    for pair in runs.chunks(2) {
        let [coarse, fine] = [number(&pair[0], "error"), number(&pair[1], "error")];
        assert!(fine < 3e-3 && fine < coarse, "{} {coarse} {fine}", pair[0]["formulation"]);
        assert_eq!(number(&pair[1], "elements"), 8.0);
    }
    for file in ["beams.csv", "elements.svg", "time.svg"] {
        assert!(folder.path().join("runs/model-compare").join(file).is_file(), "{file}");
    }
    // Elements and strains of absolute nodal coordinates, and orders, each a variant of its own. The chord's
    // strains are linear, which this rod's small deflection does not show.
    let (code, out, err) = run("director,ancf(beam), ancf(beam,order=1),ancf(chord),motion(order=3)");
    assert_eq!(code, 0, "{out}{err}");
    let found: Value = serde_json::from_str(&out).unwrap();
    let runs = found["runs"].as_array().unwrap();
    let unknowns: Vec<f64> = runs.iter().map(|run| number(run, "unknowns")).collect();
    // Orders have nodes of their own: five of ancf(beam) against three, seven of motion(order=3).
    assert!(unknowns[2] > unknowns[4] && unknowns[8] > unknowns[0], "{unknowns:?}");
    for pair in runs.chunks(2) {
        let [coarse, fine] = [number(&pair[0], "error"), number(&pair[1], "error")];
        assert!(fine < coarse, "{} {coarse} {fine}", pair[0]["formulation"]);
    }
    for wrong in
        ["ancf(beam,chord)", "director(beam)", "ancf(order=0)", "ancf(beam", "motion(order=2,order=3)"]
    {
        let (code, _, err) = run(wrong);
        assert!(code == 2 && err.contains("is no formulation of beams"), "{wrong}: {err}");
    }
    let (code, _, err) = run("director,plate");
    assert!(code == 2 && err.contains("`plate` is no formulation of beams"), "{err}");
    let bare = with_model(PENDULUM);
    let (code, _, err) = output(poinsot(bare.path()).args(["compare", "model.toml", "--beams", "ancf"]));
    assert!(code == 2 && err.contains("the model has no beams"), "{err}");
}
