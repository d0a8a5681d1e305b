//! First-order equations in model files: what they become and what they give.

use crate::adaptive;

use adaptive::run;
use poinsot_model::spec::{EffortTarget, Model};
use poinsot_model::{Quantity, build};
use poinsot_studies::{load, load_str};

fn model(text: &str) -> Model {
    match load_str("f.toml", text, &[]) {
        Ok((model, warnings)) => {
            assert!(warnings.is_empty(), "{warnings:?}");
            model
        }
        Err(error) => panic!("{error}"),
    }
}

const STUDY: &str = "\n[study]\nend = 1\nstep = 0.01\n";

/// Names of a block, of other blocks, signals, parameters, tables and time; a load on a joint.
#[test]
fn names_and_arguments() {
    let model = model(
        r#"
[parameters]
k = 2
[[table]]
name = "U"
points = [[0, 0], [1, 1], [2, 0]]
[[body]]
name = "arm"
mass = 1
inertia = [1, 1, 1]
[[joint]]
name = "hinge"
type = "revolute"
between = ["ground", "arm"]
at = [0, 0, 0]
axis = [0, 1, 0]
[[signal]]
name = "doubled"
value = "2*motor.i + hinge.rate"
[[equations]]
name = "motor"
variables = { i = "k/2", e = { start = 3, nominal = 10, unit = "V", description = "voltage" } }
equations = ["der(i) = U(t) - k*e + doubled", "e = tank.h + time"]
loads = { hinge.angle = "k*i + e" }
[[equations]]
name = "tank"
variables = { h = 1 }
equations = ["der(h) = -h + motor.e + der(motor.i)"]
[[signal]]
name = "rate"
value = "motor.e_rate"
"#,
    );
    let motor = &model.equations[0];
    assert_eq!((motor.variables[0].start, motor.variables[1].nominal), (1.0, 10.0));
    assert_eq!(
        motor.equations[0].expr.to_string(),
        "der(motor.i) - (U(time) - k*motor.e + (2*motor.i + hinge.rate))"
    );
    assert_eq!(motor.equations[0].arguments, ["der(motor.i)", "time", "motor.e", "motor.i", "hinge.rate"]);
    assert_eq!(motor.equations[1].expr.to_string(), "motor.e - (tank.h + time)");
    assert_eq!(
        model.equations[1].equations[0].expr.to_string(),
        "der(tank.h) - (-tank.h + motor.e + der(motor.i))"
    );
    assert_eq!(motor.loads[0].name, "hinge.angle");
    assert!(matches!(motor.loads[0].on, EffortTarget::Coordinate(Quantity::Joint { joint: 0, .. })));
    assert_eq!(model.signals[1].unit.as_deref(), Some("V/s"));
    let (system, assembly) = build(&model).unwrap();
    let network = &system.networks()[0];
    let names: Vec<&str> = network.law.variables.iter().map(|v| v.name.as_str()).collect();
    assert_eq!(names, ["motor.i", "motor.e", "tank.h"]);
    assert_eq!(network.law.readings.len(), 2);
    assert!(network.is_index_one() && network.is_algebraic(1));
    assert_eq!(assembly.variables, [0, 2]);
    assert_eq!(assembly.variable(&system, 1, 0), network.unknown(2));
}

/// A variable that no equation determines is named where it stands.
#[test]
fn undetermined_variable() {
    let text = "[[equations]]\nname = \"m\"\nvariables = { x = 0, y = 0 }\nequations = [\"der(x) = t\", \"x = 1\"]\n";
    let error = build(&model(text)).unwrap_err();
    let source = &model(text).source;
    assert_eq!(
        error.one_line(source).split(" (").next().unwrap(),
        "f.toml:3:22: error: the equations do not determine `m.y`: it stands in none that is not needed for others"
    );
}

/// Equations without any body: x' = −x with an algebraic output.
#[test]
fn equations_alone() {
    let text = format!(
        r#"
[[equations]]
name = "decay"
variables = {{ x = 1, y = 5 }}
equations = ["der(x) = -y", "y^3 = x^3"]
{STUDY}
[[expect]]
signal = "decay.x"
value = "exp(-1)"
tolerance = 1
[[expect]]
signal = "decay.y_rate"
value = "-exp(-1)"
tolerance = 1
"#
    );
    let run = run(&model(&text), 1e-9, &[]).completed();
    assert!((run.measured[0] - (-1f64).exp()).abs() < 1e-9, "{:?}", run.measured);
    assert!((run.measured[1] + (-1f64).exp()).abs() < 1e-7, "{:?}", run.measured);
    let change = &run.start.variables[..];
    assert_eq!(change.len(), 1);
    assert_eq!((change[0].name.as_str(), change[0].from), ("decay.y", 5.0));
    assert!((change[0].to - 1.0).abs() < 1e-12);
}

/// G08: a motor drives a load through an elastic shaft; the matrix exponential gives the exact values.
#[test]
fn motor_with_flexible_shaft() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/dc_motor.toml");
    let (model, _) = load(path, &[]).unwrap();
    let [coarse, fine] = [1e-6, 1e-9].map(|tolerance| {
        let run = run(&model, tolerance, &[]).completed();
        let errors = model.expects.iter().zip(&run.measured).map(|(e, m)| (m / e.value - 1.0).abs());
        errors.fold(0.0, f64::max)
    });
    assert!(coarse < 1e-4 && fine < 1e-7, "{coarse:e} {fine:e}");
}

/// A pendulum held by a controller with integral action: the load balances gravity.
#[test]
fn controller_holds_a_pendulum() {
    let text = r#"
[model]
plane = "zx"
[[body]]
name = "arm"
mass = 2
inertia = [0.1, 0.1, 0.1]
centre_of_mass = [0.5, 0, 0]
[[joint]]
name = "hinge"
type = "revolute"
between = ["ground", "arm"]
at = [0, 0, 0]
axis = [0, -1, 0]
[[equations]]
name = "controller"
variables = { sum = 0, torque = 0 }
equations = ["der(sum) = -hinge.angle", "torque = 40*sum - 60*hinge.angle - 20*hinge.rate"]
loads = { "hinge.angle" = "controller.torque" }
[study]
end = 60
step = 0.1
[[expect]]
signal = "hinge.angle"
value = 0
tolerance = 1e-9
[[expect]]
signal = "controller.torque"
value = "2*9.81*0.5"
tolerance = 1e-8
"#;
    let model = model(text);
    let run = run(&model, 1e-10, &[]).completed();
    for (expect, measured) in model.expects.iter().zip(&run.measured) {
        assert!((measured - expect.value).abs() < 1e-6, "{}: {measured}", expect.formula.text);
    }
}
