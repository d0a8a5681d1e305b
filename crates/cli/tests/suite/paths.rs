//! `poinsot path` and `poinsot buckling`, end to end.

use crate::common;

use common::{output, poinsot, with_model};
use poinsot_results::StoredRun;
use serde_json::Value;

/// A bar on a torsion spring c = 2 under a dead load on its top, L = 1: it buckles at P = 2.
const BAR: &str = r#"
[model]
name = "Bar"
gravity = [0, 0, 0]

[parameters]
c = 2
P = 0

[[body]]
name = "bar"
mass = 1
inertia = [0.1, 0.1, 0.001]
position = [0, 0, 0.5]

[[joint]]
name = "hinge"
type = "revolute"
between = ["ground", "bar"]
at = [0, 0, 0]
axis = [0, 1, 0]

[[marker]]
name = "top"
body = "bar"
position = [0, 0, 0.5]

[[force]]
name = "spring"
type = "torsion"
joint = "hinge"
stiffness = "c"

[[force]]
name = "load"
type = "force"
on = "top"
force = [0, 0, "-P"]

[[signal]]
name = "angle"
value = "hinge.angle"

[study]
type = "path"
parameter = "P"
to = 4

[[expect]]
signal = "bifurcation.1.P"
value = "c"
relative = 1e-9

[[expect]]
signal = "P*sin(angle)/angle"
branch = 2
value = "c"
relative = 1e-9

[[expect]]
signal = "P"
branch = 3
at = 3
value = 3
tolerance = 1e-12
"#;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_path_writes_table_picture_and_summary() {
    let folder = with_model(BAR);
    let (code, out, err) = output(poinsot(folder.path()).args(["path", "model.toml", "--csv"]));
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("bifurcations") && out.contains("branch"), "{out}");
    let run = folder.path().join("runs/model");
    let table = std::fs::read_to_string(run.join("signals.csv")).unwrap();
    assert!(
        table.starts_with("point,branch,arc_length,P,unstable_directions,angle [rad]\n1.0,1.0,0.0,0.0,0.0,"),
        "{table}"
    );
    let picture = std::fs::read_to_string(run.join("path.svg")).unwrap();
    assert!(picture.contains("bifurcation") && picture.contains("unstable"), "{picture}");
    let summary = json(&std::fs::read_to_string(run.join("summary.json")).unwrap());
    assert_eq!(summary["analysis"], "path");
    assert_eq!(summary["branches"].as_array().unwrap().len(), 3);
    assert!((summary["bifurcations"][0]["parameter"].as_f64().unwrap() - 2.0).abs() < 1e-9);
    assert_eq!(summary["branches"][0]["ending"], "range of P");
}

#[test]
fn a_path_without_a_study_in_the_file() {
    let folder = with_model(BAR.split("[study]").next().unwrap());
    let args = ["path", "model.toml", "--parameter", "P", "--to", "3", "--no-branches", "--json"];
    let (code, out, err) = output(poinsot(folder.path()).args(args));
    assert_eq!(code, 0, "{err}");
    let summary = json(&out);
    assert_eq!(summary["branches"].as_array().unwrap().len(), 1);
    assert_eq!(summary["branches"][0]["ends"][1], 3.0);
    // From beyond the bifurcation down: the upright position is unstable at first.
    let args = ["path", "model.toml", "--parameter", "P", "--from", "3", "--to", "1", "--json"];
    let (code, out, err) = output(poinsot(folder.path()).args(args));
    assert_eq!(code, 0, "{err}");
    assert!((json(&out)["bifurcations"][0]["parameter"].as_f64().unwrap() - 2.0).abs() < 1e-9);
}

#[test]
fn buckling_of_the_same_model() {
    let folder = with_model(BAR);
    let (code, out, err) = output(poinsot(folder.path()).args(["buckling", "model.toml", "--json"]));
    assert_eq!(code, 0, "{err}");
    let summary = json(&out);
    assert_eq!(
        (summary["analysis"].as_str(), summary["critical"].as_array().unwrap().len()),
        (Some("buckling"), 1)
    );
    assert!((summary["critical"][0]["value"].as_f64().unwrap() - 2.0).abs() < 1e-9);
    assert!(folder.path().join("runs/model-buckling/mode_shapes.svg").exists());
    let (code, out, _) = output(poinsot(folder.path()).args(["buckling", "model.toml", "--at", "1"]));
    assert_eq!(code, 0);
    assert!(out.contains("factor") && out.contains("bar 100%"), "{out}");
}

#[test]
fn mistakes_on_the_command_line() {
    let folder = with_model(BAR);
    let bare = with_model(BAR.split("[study]").next().unwrap());
    let cases: [(&tempfile::TempDir, &[&str], &str); 6] = [
        (&bare, &["path"], "give --parameter"),
        (&bare, &["path", "--parameter", "P"], "give --to"),
        (&bare, &["path", "--parameter", "p", "--to", "1"], "did you mean `P`?"),
        (&folder, &["path", "--signal", "angel"], "did you mean `angle`?"),
        (&folder, &["path", "--to", "0"], "the path starts where it should lead to"),
        (&bare, &["buckling"], "give --parameter"),
    ];
    for (folder, args, message) in cases {
        let (command, rest) = args.split_first().unwrap();
        let (code, _, err) = output(poinsot(folder.path()).arg(command).arg("model.toml").args(rest));
        assert!(code == 2 && err.contains(message), "{args:?}: {code} {err}");
    }
}

/// A stiffness that does not depend on the parameter has no critical value; a mass that vanishes ends the
/// path.
#[test]
fn failures_name_the_place_and_the_remedy() {
    let folder = with_model(&BAR.replace("force = [0, 0, \"-P\"]", "force = [0, 0, \"0*P\"]"));
    let (code, _, err) = output(poinsot(folder.path()).args(["buckling", "model.toml"]));
    assert!(code == 1 && err.contains("does not change with the parameter"), "{code} {err}");
    let folder = with_model(&BAR.replace("mass = 1", "mass = \"1.5 - P\""));
    let (code, _, err) = output(poinsot(folder.path()).args(["path", "model.toml"]));
    assert!(code == 1 && err.contains("the path is lost after a parameter of 1.4"), "{code} {err}");
    assert!(err.contains("must be positive") && err.contains("Try:"), "{err}");
}

/// The page of a path: signals over the parameter, point by point, the picture with branches and marks.
#[test]
fn the_page_of_a_path_has_the_parameter_as_its_axis() {
    let folder = with_model(BAR);
    assert_eq!(output(poinsot(folder.path()).args(["path", "model.toml", "-q"])).0, 0);
    let stored = StoredRun::read(&folder.path().join("runs/model")).unwrap();
    let run = &stored.run;
    let signals = run.signals.as_ref().unwrap();
    let loads = signals.axis.numbers().unwrap();
    let frames = run.frames.as_ref().unwrap().axis.numbers().unwrap();
    assert_eq!(loads, frames);
    assert_eq!((loads[0], run.axis.name.as_str()), (0.0, "P"));
    // On the branches c φ = P L sin φ.
    let column = |name: &str| {
        let k = signals.list.iter().position(|signal| signal.name == name).unwrap();
        signals.values.numbers().unwrap()[k * loads.len()..(k + 1) * loads.len()].to_vec()
    };
    let (branch, angle) = (column("branch"), column("angle"));
    let bent: Vec<usize> = (0..loads.len()).filter(|&k| branch[k] > 1.5 && angle[k].abs() > 0.1).collect();
    assert!(bent.len() > 4);
    for k in bent {
        assert!((loads[k] * angle[k].sin() / angle[k] - 2.0).abs() < 1e-6, "{} {}", loads[k], angle[k]);
    }
    assert_eq!((run.plots.len(), run.plots[0].x.as_str()), (1, "angle"));
    assert!(run.diagrams.iter().any(|d| d.file == "path.svg" && d.svg.contains("bifurcation")));
}

/// The page of a buckling study: one shape for each critical load, named by it, and the loads as a picture.
#[test]
fn the_page_of_buckling_shows_the_shapes() {
    let folder = with_model(BAR);
    let arguments = ["buckling", "model.toml", "--at", "0.5", "-q"];
    let (code, _, err) = output(poinsot(folder.path()).args(arguments));
    assert_eq!(code, 0, "{err}");
    let run = folder.path().join("runs/model-buckling");
    let stored = StoredRun::read(&run).unwrap();
    let shapes = stored.modes();
    assert_eq!(shapes.len(), 1);
    assert_eq!(shapes[0].name, "P = 2, load factor 4");
    assert_eq!(
        shapes[0].details[..2],
        [("P".into(), "2".into()), ("Load factor".to_string(), "4".to_string())]
    );
    // The bar turns about its hinge: the centre of mass at half the length moves by θ × r.
    let body = &shapes[0].bodies[0];
    let (way, turn) = (body.translation.re[0], body.rotation.re[1]);
    assert!((way - 0.5 * turn).abs() < 1e-9 && turn.abs() > 0.5, "{way} {turn}");
    assert_eq!((stored.frames.unwrap().len(), stored.run.scene.unwrap().bodies.len()), (1, 1));
    let picture = &stored.run.diagrams[0];
    assert!(picture.file == "buckling.svg" && picture.svg.contains("2 (4×)"), "{}", picture.svg);
    assert!(stored.run.checks.iter().any(|check| check.label == "completed"));
}
