//! The `poinsot` command as a user meets it: files, messages and exit codes.

use crate::common;

use common::{output, poinsot, with_model};

const PENDULUM: &str = r#"
[model]
name = "Pendulum"

[parameters]
L = 1

[[body]]
name = "bob"
type = "point"
mass = 1
position = ["L", 0, 0]

[[joint]]
name = "rod"
type = "distance"
between = ["ground", "bob"]

[study]
end = 1
step = 1e-3

[[signal]]
name = "z"
value = "bob.position.z"

[[expect]]
signal = "energy.total"
at = 1
value = 0
tolerance = 1e-3
source = "conservation"
"#;

#[test]
fn run_writes_results_and_ends_with_the_audit() {
    let folder = with_model(PENDULUM);
    let (code, out, err) = output(poinsot(folder.path()).args(["run", "model.toml", "--csv"]));
    assert_eq!(code, 0, "{out}{err}");
    for file in [
        "report.html",
        "motion.parquet",
        "signals.parquet",
        "signals.csv",
        "signals.svg",
        "energy.svg",
        "summary.json",
    ] {
        assert!(folder.path().join("runs/model").join(file).exists(), "{file} is missing");
    }
    assert!(out.contains("✓ completed") && out.contains("constraints"), "{out}");
    assert!(out.contains("Look at runs/model/report.html"), "{out}");
}

#[test]
fn json_is_the_summary() {
    let folder = with_model(PENDULUM);
    let (code, out, _) = output(poinsot(folder.path()).args(["run", "model.toml", "--json", "--out", "r"]));
    assert_eq!(code, 0);
    let summary: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(summary["model"]["name"], "Pendulum");
    assert_eq!(summary["statistics"]["steps"], 1000);
    assert_eq!(summary["counts"]["degrees_of_freedom"], 2);
    assert_eq!(summary["expectations"][0]["passed"], true);
    assert!(summary["audit"]["constraints"]["position"]["max"].as_f64().unwrap() < 1e-10);
}

#[test]
fn options_change_the_run() {
    let folder = with_model(PENDULUM);
    let args = ["run", "model.toml", "--json", "--until", "0.5", "--step", "1e-2", "--set", "L=2"];
    let (code, out, err) =
        output(poinsot(folder.path()).args(args).args(["--integrator", "optimal", "--rho", "0.5"]));
    assert_eq!(code, 0, "{err}");
    let summary: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(summary["statistics"]["steps"], 50);
    assert_eq!(summary["study"]["integrator"]["roots"], serde_json::json!([0.5, 1.0, 0.5]));
    let (code, out, _) = output(poinsot(folder.path()).args(["run", "model.toml", "--quiet"]));
    assert_eq!((code, out.as_str()), (0, ""));
}

#[test]
fn a_missed_expectation_is_exit_code_1() {
    let folder = with_model(&PENDULUM.replace("value = 0\n", "value = 7\n"));
    let (code, out, _) = output(poinsot(folder.path()).args(["run", "model.toml"]));
    assert_eq!(code, 1);
    assert!(out.contains('✗'), "{out}");
    let (code, out, _) = output(poinsot(folder.path()).args(["verify", "model.toml"]));
    assert_eq!(code, 1);
    assert!(out.contains("0 passed, 1 failed"), "{out}");
}

#[test]
fn verify_shows_measured_expected_tolerance_and_source() {
    let folder = with_model(PENDULUM);
    let (code, out, _) = output(poinsot(folder.path()).args(["verify", "."]));
    assert_eq!(code, 0, "{out}");
    for word in ["1 passed, 0 failed", "energy.total", "conservation", "allowed 1.0e-3"] {
        assert!(out.contains(word), "{word}: {out}");
    }
}

#[test]
fn bad_input_is_exit_code_2_with_the_place() {
    for (from, to, words) in [
        ("mass = 1", "mas = 1", ["model.toml:11:1", "did you mean `mass`"]),
        ("mass = 1", "mass = 0", ["model.toml:11:8", "mass"]),
        ("\"L\", 0", "\"L+\", 0", ["model.toml:12:15", "L+"]),
        ("\"bob\"]", "\"bop\"]", ["model.toml:17:22", "did you mean `bob`"]),
        ("step = 1e-3", "step = -1", ["model.toml:21:8", "step"]),
        ("distance", "distanse", ["model.toml:16:8", "did you mean `distance`"]),
        ("bob.position.z", "bob.positon.z", ["model.toml:25:14", "position.z"]),
    ] {
        let folder = with_model(&PENDULUM.replace(from, to));
        let (code, _, err) = output(poinsot(folder.path()).args(["run", "model.toml"]));
        assert_eq!(code, 2, "{to}: {err}");
        for word in words {
            assert!(err.contains(word), "{to}: `{word}` is not in\n{err}");
        }
    }
    let folder = with_model(PENDULUM);
    for args in [&["run", "no.toml"][..], &["run", "model.toml", "--integrator", "optimum"]] {
        assert_eq!(output(poinsot(folder.path()).args(args)).0, 2, "{args:?}");
    }
}

/// A load that stops being a number: the run fails there, says so, and keeps what it has.
#[test]
fn a_failed_solve_keeps_what_was_computed() {
    let push =
        "[[force]]\nname = \"push\"\ntype = \"force\"\non = \"bob\"\nforce = [\"sqrt(0.5 - t)\", 0, 0]\n";
    let folder = with_model(&format!("{PENDULUM}{push}"));
    let (code, _, err) = output(poinsot(folder.path()).args(["run", "model.toml"]));
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("at t = 5.0") && err.contains("bob") && err.contains("Try: "), "{err}");
    let text = std::fs::read_to_string(folder.path().join("runs/model/summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(summary["outcome"]["status"], "failed");
    assert!(summary["study"]["t_reached"].as_f64().unwrap() > 0.49);
    assert!(folder.path().join("runs/model/signals.parquet").exists());
}

/// A signal that is not a number never reaches a file: it has gaps, which are told by name.
#[test]
fn nan_is_a_gap_that_is_told_by_name() {
    let folder = with_model(&PENDULUM.replace("bob.position.z", "sqrt(0.5 - time)"));
    let (code, out, err) = output(poinsot(folder.path()).args(["run", "model.toml"]));
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("the signal `z` has no finite value at t = 0.5"), "{out}");
    let text = std::fs::read_to_string(folder.path().join("runs/model/summary.json")).unwrap();
    assert!(!text.contains("NaN") && !text.contains("null,\n  \"t_reached"));
}

const LOOP: &str = r#"
[model]
name = "Parallelogram of four revolutes in space"
[[body]]
name = "left"
mass = 1
inertia = [0.1, 0.1, 0.1]
position = [0, 0.52, 0]
[[body]]
name = "top"
mass = 1
inertia = [0.1, 0.1, 0.1]
position = [1, 1, 0]
angular_velocity = [0, 0, 0.3]
[[body]]
name = "right"
mass = 1
inertia = [0.1, 0.1, 0.1]
position = [2, 0.5, 0]
[[marker]]
name = "left_top"
body = "left"
position = [0, 0.5, 0]
[[marker]]
name = "top_left"
body = "top"
position = [-1, 0, 0]
[[marker]]
name = "left_foot"
body = "left"
position = [0, -0.5, 0]
[[joint]]
name = "a"
type = "revolute"
between = ["ground", "left_foot"]
at = [0, 0, 0]
axis = [0, 0, 1]
[[joint]]
name = "b"
type = "revolute"
between = ["left_top", "top_left"]
[[joint]]
name = "c"
type = "revolute"
between = ["top", "right"]
at = [2, 1, 0]
axis = [0, 0, 1]
[[joint]]
name = "d"
type = "revolute"
between = ["right", "ground"]
at = [2, 0, 0]
axis = [0, 0, 1]
"#;

/// Rough positions are assembled, redundant rows are found and named, and the user is told.
#[test]
fn check_assembles_and_names_redundant_joints() {
    let folder = with_model(LOOP);
    let (code, out, err) = output(poinsot(folder.path()).args(["check", "model.toml"]));
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("1 degree of freedom: 18 coordinates less rank 17 of 20 constraints"), "{out}");
    assert!(out.contains("-2 by Grübler–Kutzbach: 6·3 − 20"), "{out}");
    assert_eq!(out.matches("follows from a, b, c").count(), 3, "{out}");
    assert!(out.contains("assembly moved"), "{out}");
    let (code, out, err) =
        output(poinsot(folder.path()).args(["run", "model.toml", "--until", "1", "--step", "1e-3"]));
    assert_eq!(code, 0, "{out}{err}");
}

#[test]
fn a_mechanism_that_cannot_close_is_refused_with_the_joint() {
    let text = PENDULUM.replace(
        "[study]",
        "[[joint]]\nname = \"second\"\ntype = \"distance\"\nbetween = [\"ground\", \"bob\"]\nlength = 3\n[study]",
    );
    let folder = with_model(&text);
    let (code, _, err) = output(poinsot(folder.path()).args(["run", "model.toml"]));
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("joint `second`") || err.contains("joint `rod`"), "{err}");
}

/// Fixed and adaptive steps, whatever the file says.
#[test]
fn integrators_and_paces_of_the_command_line() {
    let folder = with_model(PENDULUM);
    let run = |args: &[&str]| output(poinsot(folder.path()).args(["run", "model.toml", "--json"]).args(args));
    let json = |args: &[&str]| -> serde_json::Value {
        let (code, out, err) = run(args);
        assert_eq!(code, 0, "{args:?} {err}");
        serde_json::from_str(&out).unwrap()
    };
    let radau = json(&["--integrator", "radau", "--adaptive", "--tolerance", "1e-8", "--stages", "5"]);
    let choice = &radau["study"]["integrator"];
    assert_eq!(
        (choice["name"].as_str(), choice["stages"].as_u64(), choice["order"].as_u64()),
        (Some("radau"), Some(5), Some(9))
    );
    assert_eq!(choice["local_tolerance"], serde_json::json!({ "relative": 1e-8, "absolute": 1e-8 }));
    let steps = radau["statistics"]["steps"].as_u64().unwrap();
    assert!((5..200).contains(&steps), "{steps}");
    let [short, long] =
        ["shortest_step", "longest_step"].map(|k| radau["statistics"][k]["length"].as_f64().unwrap());
    assert!(short < long && long < 1.0);
    let fixed = json(&["--integrator", "gauss", "--step", "0.01", "--form", "velocity"]);
    assert_eq!(fixed["statistics"]["steps"], 100);
    assert_eq!(fixed["study"]["integrator"]["form"], "velocity");
    assert!(fixed["study"]["integrator"]["local_tolerance"].is_null());
    // The form of the file stays with an integrator of its kind, and only there.
    for (args, message) in [
        (
            &["--adaptive", "--integrator", "gauss"][..],
            "gauss cannot choose its steps: give --step, or --integrator generalized-alpha",
        ),
        (&["--tolerance", "1e-8"], "--tolerance is not used by generalized-alpha with fixed steps"),
        (&["--integrator", "radau", "--stages", "4"], "it can have 1, 2, 3, 5, 7"),
        (&["--integrator", "radau", "--rho", "0.5"], "--rho: the integrator radau does not use it"),
        (&["--form", "embedding"], "does not have the form \"embedding\""),
        (&["--step=-1"], "--step -1 must be a positive number"),
    ] {
        let (code, _, err) = run(args);
        assert!(code == 2 && err.contains(message), "{args:?}: {err}");
    }
    let adaptive = PENDULUM.replace("step = 1e-3", "integrator = \"radau\"");
    let folder = with_model(&adaptive);
    let (code, out, err) = output(poinsot(folder.path()).args(["run", "model.toml"]));
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("radau, 3 stages, order 5, stabilised, adaptive, tolerance 1e-6"), "{out}");
    assert!(out.contains(" steps from ") && out.contains(" rejected"), "{out}");
    let (code, out, _) = output(poinsot(folder.path()).args(["run", "model.toml", "--step", "0.01"]));
    assert!(code == 0 && out.contains("100 steps"), "{out}");
}

#[test]
fn events_are_told() {
    let text = PENDULUM.to_owned() + "[[event]]\nname = \"low\"\nwhen = \"bob.position.x\"\nstop = true\n";
    let folder = with_model(&text.replace("at = 1\n", ""));
    let (code, out, err) = output(poinsot(folder.path()).args(["run", "model.toml"]));
    assert_eq!(code, 0, "{err}");
    // A quarter of the period of a pendulum released from the horizontal: K(1/√2) √(l/g).
    assert!(out.contains("low at t = 0.591"), "{out}");
    assert!(out.contains("t = 0 … 0.591"), "{out}");
}

#[test]
fn help_schema_completions_and_integrators() {
    let folder = tempfile::tempdir().unwrap();
    let (code, out, _) = output(poinsot(folder.path()).arg("--help"));
    assert!(code == 0 && out.contains("Examples:"));
    let (code, out, _) = output(poinsot(folder.path()).arg("schema"));
    assert_eq!(code, 0);
    let schema: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(schema["properties"]["body"].is_object(), "{out}");
    let shipped = include_str!("../../../../poinsot.schema.json");
    assert!(out == shipped, "the shipped schema is old: run `poinsot schema > poinsot.schema.json`");
    let (code, out, _) = output(poinsot(folder.path()).args(["completions", "bash"]));
    assert!(code == 0 && out.contains("_poinsot"));
    let (code, out, _) = output(poinsot(folder.path()).arg("integrators"));
    assert!(
        code == 0 && out.contains("generalized-alpha") && out.contains("midpoint") && out.contains("radau")
    );
}

/// Ctrl-C ends the run after the current step and keeps what was computed.
#[cfg(unix)]
#[test]
fn an_interrupt_keeps_what_was_computed() {
    let folder = with_model(PENDULUM);
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_poinsot"))
        .current_dir(folder.path())
        .args(["run", "model.toml", "--until", "1e6", "--quiet"])
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(700));
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    assert!(child.wait().unwrap().code().is_some(), "the signal must not kill the program");
    let text = std::fs::read_to_string(folder.path().join("runs/model/summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(summary["outcome"]["status"], "interrupted");
    assert!(summary["study"]["t_reached"].as_f64().unwrap() > 0.0);
}
