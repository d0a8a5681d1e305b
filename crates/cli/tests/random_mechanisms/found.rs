//! What random mechanisms have shown, each in the smallest model that shows it.

use std::process::Command;

/// Text of the audit and summary of a run.
fn run(text: &str) -> (String, serde_json::Value) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("model.toml"), text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_poinsot"));
    let out = command.current_dir(&folder).args(["run", "model.toml", "--out", "out"]).output().unwrap();
    let said = String::from_utf8(out.stdout).unwrap() + &String::from_utf8(out.stderr).unwrap();
    let summary = std::fs::read_to_string(folder.path().join("out/summary.json"));
    let summary = summary.unwrap_or_else(|_| panic!("no summary\n{said}"));
    (said, serde_json::from_str(&summary).unwrap())
}

/// Masses over ten orders of magnitude: one projection left joints with 7e-5 rad/s at the start.
#[test]
fn velocities_start_on_the_joints_whatever_the_masses() {
    let (said, summary) = run(r#"
[[body]]
name = "carrier"
position = [0.4, 0.1, 0]
mass = 1e-5
inertia = [1e-7, 2e-7, 2e-7]
velocity = [1, 2, -1]
angular_velocity = [1, -2, 3]
[[body]]
name = "block"
position = [0.7, 0.3, -0.2]
mass = 2e5
inertia = [3e3, 4e3, 5e3]
velocity = [-1, 0.5, 2]
angular_velocity = [-2, 1, 1]
[[body]]
name = "hand"
position = [1, 0, 0.2]
mass = 1e-3
inertia = [1e-5, 2e-5, 2e-5]
velocity = [0.5, 1, 1]
angular_velocity = [1, 1, -2]
[[joint]]
name = "rail"
type = "prismatic"
between = ["ground", "carrier"]
at = [0.2, 0, 0]
axis = [0.8, 0.36, 0.48]
[[joint]]
name = "shoulder"
type = "revolute"
between = ["carrier", "block"]
at = [0.5, 0.2, -0.1]
axis = [0, 0.6, 0.8]
[[joint]]
name = "wrist"
type = "cylindrical"
between = ["block", "hand"]
at = [0.9, 0.1, 0]
axis = [0.6, 0, 0.8]
[study]
end = 0.02
step = 1e-3
"#);
    let open = summary["audit"]["constraints"]["velocity"]["max"].as_f64().unwrap();
    assert!(open < 1e-9, "{said}");
}

/// Lobatto's first stage is the start of the step; its share of the work, a sixth, was not counted.
#[test]
fn lobatto_counts_the_work_of_its_first_stage() {
    let (said, summary) = run(r#"
[model]
gravity = [0, 0, 0]
[[body]]
name = "box"
velocity = [1, 2, 0.6]
angular_velocity = [3, -2, -2]
shape = { type = "box", size = [0.11, 0.16, 0.13], mass = 2 }
[[force]]
name = "push"
type = "force"
on = "box"
force = ["8*sin(2*t)", -2, "2*cos(3*t)"]
frame = "body"
[study]
end = 0.5
step = 5e-3
integrator = "lobatto"
"#);
    let imbalance = summary["audit"]["energy"]["max_relative_imbalance"].as_f64().unwrap();
    assert!(imbalance < 1e-7, "{said}");
}

/// Where not even the first adaptive step succeeds a summary says so; a limit in it was infinite.
#[test]
fn a_first_step_that_fails_leaves_a_summary() {
    let (said, summary) = run(r#"
[[body]]
name = "arm"
mass = 1
inertia = [1, 1, 1]
[[joint]]
name = "hinge"
type = "revolute"
between = ["ground", "arm"]
at = [0, 0, 1]
axis = [0, 1, 0]
[[force]]
name = "jerk"
type = "torque"
on = "arm"
torque = [0, "exp(1e40*t)", 0]
[study]
end = 1
integrator = "radau"
"#);
    assert_eq!(summary["outcome"]["status"], "failed", "{said}");
    assert_eq!(summary["study"]["t_reached"], 0.0, "{said}");
}
