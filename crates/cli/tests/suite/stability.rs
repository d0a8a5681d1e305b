//! Equilibria, linear systems and stability of models with first-order equations, through the command.

use crate::common;

use common::{output, poinsot, with_model};
use serde_json::Value;

/// lagrangian-dae-modeling VC-6.1: two equilibria.
const TWO: &str = r#"
[[equations]]
name = "s"
variables = { y1 = 0, y2 = 0 }
equations = ["der(y1) = y2", "der(y2) = -y1^2 - y2 + 1"]
"#;

/// VC-6.19: inverted pendulum on a cart.
const CART: &str = r#"
[parameters]
m1 = 0.5
m2 = 0.1
l = 0.25
g = 9.8
[[equations]]
name = "cart"
variables = { x = 0, theta = 0, v = 0, w = 0, F = 0 }
equations = [
    "der(x) = v",
    "der(theta) = w",
    "(m1 + m2)*der(v) + m2*l*cos(theta)*der(w) - m2*l*w^2*sin(theta) = F",
    "m2*l*cos(theta)*der(v) + m2*l^2*der(w) - m2*g*l*sin(theta) = 0",
    "F = 0",
]
"#;

/// VC-6.8: the cart on a spring.
const SPRUNG: &str = r#"
[parameters]
k = 20
m1 = 0.5
m2 = 0.1
l = 0.25
g = 9.8
[[equations]]
name = "cart"
variables = { x = 0.1, theta = 0.2, v = 0, w = 0 }
equations = [
    "der(x) = v",
    "der(theta) = w",
    "(m1 + m2)*der(v) + m2*l*cos(theta)*der(w) - m2*l*w^2*sin(theta) = -k*x",
    "m2*l*cos(theta)*der(v) + m2*l^2*der(w) - m2*g*l*sin(theta) = 0",
]
"#;

/// VC-6.5 … VC-6.7: a mass on a spring with a damper.
const OSCILLATOR: &str = r#"
[parameters]
m = 0.3
k = 45
b = 0.75
F = 0
[[equations]]
name = "o"
variables = { x = { start = 0.01, unit = "m" }, v = { start = 0, unit = "m/s" } }
equations = ["der(x) = v", "m*der(v) = -k*x - b*v + F"]
[[signal]]
name = "place"
value = "o.x"
unit = "m"
"#;

fn answer(model: &str, args: &[&str]) -> (i32, String, String, tempfile::TempDir) {
    let folder = with_model(model);
    let (code, out, err) = output(poinsot(folder.path()).args(args));
    assert!(!err.contains("panicked"), "{err}");
    (code, out, err, folder)
}

fn json(model: &str, args: &[&str]) -> Value {
    let (code, out, err, _) = answer(model, args);
    assert_eq!(code, 0, "{args:?}: {err}");
    serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out}"))
}

fn near(value: &Value, expected: f64, tolerance: f64) {
    let value = value.as_f64().unwrap_or(f64::NAN);
    assert!((value - expected).abs() <= tolerance, "{value} is not {expected}");
}

#[test]
fn search_finds_both_equilibria() {
    let found =
        json(TWO, &["equilibrium", "model.toml", "--search", "y1=-2..2", "--search", "y2=-2..2", "--json"]);
    let found = found.as_array().unwrap();
    assert_eq!(found.len(), 2);
    for (entry, at, verdict) in [(&found[0], -1.0, "unstable"), (&found[1], 1.0, "asymptotically stable")] {
        near(&entry["variables"]["s.y1"], at, 1e-12);
        near(&entry["variables"]["s.y2"], 0.0, 1e-12);
        assert_eq!(entry["verdict"], verdict);
    }
    near(&found[1]["eigenvalues"][0]["re"], -0.5, 1e-10);
    near(&found[1]["eigenvalues"][0]["im"], 1.322876, 5e-7);
    // A range with one of them, and one with none.
    let one = json(TWO, &["equilibrium", "model.toml", "--search", "y1=0..2", "--json"]);
    assert_eq!(one.as_array().unwrap().len(), 1);
    let (code, _, err, _) = answer(TWO, &["equilibrium", "model.toml", "--search", "y1=3..4"]);
    assert_eq!(code, 1, "{err}");
}

#[test]
fn search_finds_the_pendulum_up_and_down() {
    let args = ["equilibrium", "model.toml", "--search", "x=-2..2", "--search", "theta=-1..4", "--json"];
    let found = json(SPRUNG, &args);
    let found = found.as_array().unwrap();
    assert_eq!(found.len(), 2, "{found:?}");
    for (entry, angle) in found.iter().zip([0.0, std::f64::consts::PI]) {
        near(&entry["variables"]["cart.x"], 0.0, 1e-11);
        near(&entry["variables"]["cart.theta"], angle, 1e-11);
    }
    assert_eq!((&found[0]["verdict"], &found[1]["verdict"]), (&"unstable".into(), &"neutral".into()));
    assert!(found[1]["reason"].as_str().unwrap().contains("the nonlinear one is not decided"));
}

#[test]
fn placed_poles() {
    let poles = "-10+1i,-10-1i,-10+2i,-10-2i";
    let found = json(CART, &["place", "model.toml", "--input", "F", "--poles", poles, "--json"]);
    assert_eq!(found["states"], serde_json::json!(["cart.x", "cart.theta", "cart.v", "cart.w"]));
    for (k, printed) in [-133.980, -115.000, -52.296, -18.074].iter().enumerate() {
        near(&found["gain"][0][k], *printed, 5.1e-4);
    }
    near(&found["poles"][0]["re"], -10.0, 1e-6);
    let (code, out, err, _) = answer(CART, &["place", "model.toml", "--input", "cart.F", "--poles", poles]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("-133.979592") && out.contains("cart.theta"), "{out}");
}

#[test]
fn bad_poles_and_inputs() {
    let place = |input: &str, poles: &str| {
        let (code, _, err, _) = answer(CART, &["place", "model.toml", "--input", input, "--poles", poles]);
        (code, err)
    };
    for (input, poles, words) in [
        ("F", "-1,-2", "2 poles for 4 states"),
        ("F", "-1+1i,-1+1i,-2,-3", "without its conjugate"),
        ("F", "-1,-2,-3,x", "not a complex number"),
        ("G", "-1,-2,-3,-4", "there is no input `G`"),
        ("theta", "-1,-2,-3,-4", "it has a rate of its own"),
    ] {
        let (code, err) = place(input, poles);
        assert_eq!(code, 2, "{input} {poles}: {err}");
        assert!(err.contains(words), "{words} is not in {err}");
    }
    // Gravity does not move anything upright: no reach.
    let (code, err) = place("g", "-1,-2,-3,-4");
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("not controllable"), "{err}");
}

/// The step response of an oscillator against its closed form; P4 of chapter 6: peak 0.019160732 for F = 0.5.
#[test]
fn step_response() {
    let args = [
        "response",
        "model.toml",
        "--input",
        "F",
        "--step",
        "0.5",
        "--until",
        "5",
        "--points",
        "5001",
        "--out",
        "r",
    ];
    let (code, out, err, folder) = answer(OSCILLATOR, &args);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("place") && folder.path().join("r/response.svg").exists(), "{out}");
    let csv = std::fs::read_to_string(folder.path().join("r/response.csv")).unwrap();
    let rows: Vec<(f64, f64)> = csv
        .lines()
        .filter_map(|line| {
            let (t, x) = line.split_once(',')?;
            Some((t.parse().ok()?, x.parse().ok()?))
        })
        .collect();
    assert_eq!(rows.len(), 5001);
    let omega: f64 = (45.0f64 / 0.3).sqrt();
    let zeta: f64 = 0.75 / (2.0 * 0.3 * omega);
    let damped = omega * (1.0 - zeta * zeta).sqrt();
    let exact = |t: f64| {
        let wave = (damped * t).cos() + zeta / (1.0 - zeta * zeta).sqrt() * (damped * t).sin();
        0.5 / 45.0 * (1.0 - (-zeta * omega * t).exp() * wave)
    };
    for (t, x) in &rows {
        assert!((x - exact(*t)).abs() < 1e-12, "{t}: {x} {}", exact(*t));
    }
    assert!((rows[5000].1 - 0.011120409).abs() < 5e-10);
    // The peak lies at t = 0.257856484.
    let args = [
        "response",
        "model.toml",
        "--input",
        "F",
        "--step",
        "0.5",
        "--until",
        "0.257856484",
        "--points",
        "3",
    ];
    let (code, out, err, _) = answer(OSCILLATOR, &args);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("0.01916073"), "{out}");
}

#[test]
fn initial_response_and_refusals() {
    let (code, out, err, _) = answer(
        OSCILLATOR,
        &["response", "model.toml", "--deviation", "x=0.01", "--until", "3", "--out", "r"],
    );
    assert_eq!(code, 0, "{err}");
    // VC-6.12: y1(3) = 7.435006790e-5.
    assert!(out.contains("7.435007e-5") || out.contains("0.00007435007"), "{out}");
    for (args, words) in [
        (vec!["--until", "1"], "nothing moves"),
        (vec!["--until", "1", "--deviation", "z=1"], "there is no state `z`"),
        (vec!["--until", "-1", "--input", "F"], "--until"),
        (vec!["--until", "1", "--input", "Q"], "there is no input `Q`"),
    ] {
        let args: Vec<&str> = ["response", "model.toml"].into_iter().chain(args).collect();
        let (code, _, err, _) = answer(OSCILLATOR, &args);
        assert_eq!(code, 2, "{args:?}: {err}");
        assert!(err.contains(words), "{words} is not in {err}");
    }
}

#[test]
fn stability_and_lyapunov() {
    let v = "(k*x^2 + m*v^2)/2";
    let found = json(OSCILLATOR, &["stability", "model.toml", "--lyapunov", v, "--json"]);
    assert_eq!(found["verdict"], "asymptotically stable");
    near(&found["eigenvalues"][0]["im"], 12.183492931, 1e-8);
    assert_eq!(found["lyapunov"]["verdict"], "asymptotically stable");
    assert!(found["lyapunov"]["reason"].as_str().unwrap().contains("Krasovskii"));
    // Without damper: V is conserved; the linear system does not decide.
    let found = json(OSCILLATOR, &["stability", "model.toml", "--set", "b=0", "--lyapunov", v, "--json"]);
    assert_eq!((&found["verdict"], &found["lyapunov"]["verdict"]), (&"neutral".into(), &"stable".into()));
    // A negative damper.
    let found = json(OSCILLATOR, &["stability", "model.toml", "--set", "b=-1", "--lyapunov", v, "--json"]);
    assert_eq!((&found["verdict"], &found["lyapunov"]["verdict"]), (&"unstable".into(), &"not shown".into()));
    for (v, words) in [("x^2 + u^2", "unknown name `u`"), ("x^2 +", "--lyapunov")] {
        let (code, _, err, _) = answer(OSCILLATOR, &["stability", "model.toml", "--lyapunov", v]);
        assert_eq!(code, 2, "{err}");
        assert!(err.contains(words), "{err}");
    }
}

/// Coupled rates are solved for: the energy of the sprung cart, hanging, is conserved.
#[test]
fn lyapunov_of_coupled_equations() {
    let model = SPRUNG.replace("theta = 0.2", "theta = 3");
    let v = "k*x^2/2 + m2*g*l*(1 + cos(theta)) + (m1 + m2)*v^2/2 + m2*l*cos(theta)*v*w + m2*l^2*w^2/2";
    let found = json(&model, &["stability", "model.toml", "--lyapunov", v, "--json"]);
    near(&found["variables"]["cart.theta"], std::f64::consts::PI, 1e-11);
    assert_eq!(found["lyapunov"]["verdict"], "stable", "{found}");
}

#[test]
fn portrait_is_drawn() {
    let model = r#"
[[equations]]
name = "p"
variables = { theta = { start = 0.1, unit = "rad" }, w = { start = 0, unit = "rad/s" } }
equations = ["der(theta) = w", "der(w) = -9.8*sin(theta) - 0.5*w"]
"#;
    let args = [
        "portrait",
        "model.toml",
        "--x",
        "theta=-6..6",
        "--y",
        "w=-10..10",
        "--grid",
        "5",
        "--out",
        "a/p.svg",
    ];
    let (code, out, err, folder) = answer(model, &args);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("25 trajectories, 3 equilibria"), "{out}");
    let svg = std::fs::read_to_string(folder.path().join("a/p.svg")).unwrap();
    for words in ["theta [rad]", "saddle", "asymptotically stable", "<polygon"] {
        assert!(svg.contains(words), "{words}");
    }
    let (code, _, err, _) =
        answer(model, &["portrait", "model.toml", "--x", "alpha=-6..6", "--y", "w=-1..1"]);
    assert_eq!(code, 2);
    assert!(err.contains("there is no variable `alpha`"), "{err}");
    let (code, _, err, _) =
        answer(model, &["portrait", "model.toml", "--x", "theta=6..-6", "--y", "w=-1..1"]);
    assert_eq!(code, 2, "{err}");
}

/// Equilibrium, modes and linearize of an index-1 model; families and missing equilibria.
#[test]
fn studies_of_equations() {
    let decay = "[[equations]]\nname = \"d\"\nvariables = { x = 1, y = 5, q = 2 }\nequations = [\"der(x) = -y\", \"y^3 = x^3 + x\", \"der(q) = x\"]\n";
    let (code, out, err, _) = answer(decay, &["equilibrium", "model.toml", "--out", "r"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("held") && out.contains("d.q"), "{out}");
    // At the origin the second equation says x = 0 to first order: nothing but the charge is left.
    let (code, out, err, _) = answer(decay, &["modes", "model.toml", "--out", "r"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("nothing but cyclic states is left") && out.contains("d.q 100%"), "{out}");
    let drift = "[[equations]]\nname = \"d\"\nvariables = { x = 1 }\nequations = [\"der(x) = 1 + x^2\"]\n";
    let (code, _, err, _) = answer(drift, &["equilibrium", "model.toml"]);
    assert_eq!(code, 1);
    assert!(err.contains("no equilibrium found") && err.contains("(for `d.x`)"), "{err}");
}

/// The motor of VC-6.9 from rest with a step of its set point: the table of the digest, by the matrix
/// exponential.
#[test]
fn motor_responds_as_tabulated() {
    let folder = with_model("");
    let model =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../verification/linearize/motor_with_controller.toml");
    let args = ["response", model, "--input", "theta_d", "--until", "50", "--points", "501", "--out", "r"];
    let (code, _, err) = output(poinsot(folder.path()).args(args));
    assert_eq!(code, 0, "{err}");
    let csv = std::fs::read_to_string(folder.path().join("r/response.csv")).unwrap();
    let at = |time: f64| {
        let numbers = |line: &str| line.split(',').map(|x| x.parse().ok()).collect::<Option<Vec<f64>>>();
        let row = csv.lines().filter_map(numbers).find(|row| (row[0] - time).abs() < 1e-9);
        row.unwrap_or_else(|| panic!("no row at {time}"))
    };
    for (time, angle, voltage) in [
        (0.1, 0.022668628, 98.724089055),
        (1.0, 0.289985652, 79.544454574),
        (5.0, 0.950313942, 26.356130062),
        (10.0, 1.149530642, 2.293864258),
        (20.0, 1.076708514, -2.922567666),
        (50.0, 0.999902708, -0.007708516),
    ] {
        let row = at(time);
        assert!((row[1] - angle).abs() < 2e-9 && (row[2] - voltage).abs() < 2e-7, "{time}: {row:?}");
    }
}
