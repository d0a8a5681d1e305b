//! Campbell diagrams: equal modes are a group, and what was found is kept.

use crate::trust::tools::command_on;

/// A rotor with three equal blades on a hub that is held: every mode of a blade is there three times.
fn rotor() -> String {
    let mut model = String::from(
        r#"
[model]
gravity = [0, 0, 0]
rotation = ["Omega", 0, 0]
[parameters]
Omega = 0
c = "cos(2*pi/3)"
s = "sin(2*pi/3)"
[[body]]
name = "hub"
shape = { type = "cylinder", radius = 0.5, length = 0.8, axis = "x", mass = 800 }
[[joint]]
name = "shaft"
type = "revolute"
between = ["ground", "hub"]
at = [0, 0, 0]
axis = [1, 0, 0]
[[drive]]
name = "generator"
type = "joint"
joint = "shaft"
rate = "4*smootherstep(t/10)"
"#,
    );
    for (name, y, z) in [("a", "0", "1"), ("b", "-s", "c"), ("c", "s", "c")] {
        model += &format!(
            r#"
[[beam]]
name = "blade_{name}"
from = [0, "0.5*({y})", "0.5*({z})"]
to = [0, "10.5*({y})", "10.5*({z})"]
axis1 = [1, 0, 0]
elements = 4
order = 3
start = {{ type = "fixed", to = "hub" }}
section = {{ type = "given", stiffness = [2e8, 2e8, 6e8, 3e6, 1.2e6, 5e5], mass = 20, inertia = [0.05, 0.6] }}
stiffness_damping = 1e-3
"#
        );
    }
    model
}

#[test]
fn equal_blades_are_a_group() {
    let done =
        command_on("campbell", "model.toml", &rotor(), &["--over", "Omega=0.15..0.2", "--points", "3"]);
    assert_eq!(done.code, 0, "{}", done.said());
    let path = done.folder.path().join("runs/model-campbell/summary.json");
    let summary: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let summary = if summary["study"]["branches"].is_array() { &summary["study"] } else { &summary };
    assert_eq!(summary["warnings"], serde_json::json!([]), "{}", done.said());
    assert_eq!(summary["veerings"], serde_json::json!([]), "{}", done.said());
    assert_eq!((&summary["inserted"], &summary["values"]), (&0.into(), &3.into()), "{}", done.said());
    let of = |k: usize, end: usize| summary["branches"][k]["frequency_hz"][end].as_f64().unwrap();
    for end in [0, 1] {
        for k in [0, 1, 3, 4] {
            assert!((of(k, end) / of(k + 1, end) - 1.0).abs() < 1e-7, "{}", done.said());
        }
        assert!(of(3, end) > 1.1 * of(2, end), "{}", done.said());
    }
}

/// Ctrl-C in the middle of a long diagram: the values so far are there, and the exit code
/// says that it was stopped.
#[cfg(unix)]
#[test]
fn a_stopped_diagram_keeps_its_values() {
    let folder = tempfile::tempdir().unwrap();
    let model = r#"
[model]
gravity = [0, 0, 0]
[parameters]
k = 1
[[body]]
name = "mass"
type = "point"
mass = 1
[[force]]
name = "spring"
type = "spring"
between = ["ground", "mass"]
points = [[-1, 0, 0], [0, 0, 0]]
stiffness = "k"
length = 1
"#;
    std::fs::write(folder.path().join("model.toml"), model).unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_poinsot"));
    command.current_dir(folder.path()).stderr(std::process::Stdio::null());
    command.args(["campbell", "model.toml", "--over", "k=1..2", "--points", "100000", "-q"]);
    let mut child = command.spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let path = folder.path().join("runs/model-campbell/summary.json");
    let summary: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(summary["outcome"]["status"], "interrupted");
    assert!(summary["outcome"]["message"].as_str().unwrap().contains("stopped by the user at k = "));
    assert!(folder.path().join("runs/model-campbell/campbell.svg").exists());
}
