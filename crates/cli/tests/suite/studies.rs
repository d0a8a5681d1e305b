//! Several studies in a file, chains of them, starts from kept runs, standard input, errors as JSON.

use crate::common::{output, poinsot, with_model};

/// A mass on a spring, held down by a cord; the cord is cut.
const CORD: &str = r#"
[model]
name = "Cord"

[parameters]
m = 2
k = 800

[[body]]
name = "mass"
type = "point"
mass = "m"
position = [0, 0, -0.6]

[[marker]]
name = "base"
body = "ground"
position = [0, 0, -1.5]

[[force]]
name = "spring"
type = "spring"
between = ["ground", "mass"]
stiffness = "k"
length = 0.5

[[joint]]
name = "cord"
type = "distance"
between = ["mass", "base"]

[[signal]]
name = "z"
value = "mass.position.z"

[[signal]]
name = "pull"
value = "cord.reaction.force.z"

[[study]]
name = "swing"
initial = "held"
off = ["cord"]
end = 0.5
step = 1e-3

[[study]]
name = "held"
type = "equilibrium"

[[study]]
name = "spectrum"
type = "modes"
initial = "held"
off = ["cord"]

[[expect]]
study = "held"
signal = "spring.force"
value = 80
tolerance = 1e-6

[[expect]]
study = "spectrum"
signal = "mode.3.frequency"
value = 3.183098861837907
relative = 1e-6
"#;

#[test]
fn run_goes_through_all_studies_into_folders_of_their_names() {
    let folder = with_model(CORD);
    let (code, out, err) = output(poinsot(folder.path()).args(["run", "model.toml"]));
    assert_eq!(code, 0, "{out}{err}");
    for name in ["held", "swing", "spectrum"] {
        for file in ["summary.json", "report.html", "states.json"] {
            let path = folder.path().join("runs/model").join(name).join(file);
            assert!(path.exists(), "{}", path.display());
        }
        assert!(out.contains(&format!("Cord: {name} ")), "{out}");
    }
    // The one that the others start from runs first, though it stands behind.
    assert!(out.find("Cord: held").unwrap() < out.find("Cord: swing").unwrap(), "{out}");
    assert!(out.contains("the end of the study `held`"), "{out}");
}

#[test]
fn one_study_runs_with_those_it_starts_from() {
    let folder = with_model(CORD);
    let (code, out, err) = output(poinsot(folder.path()).args(["run", "model.toml", "--study", "swing"]));
    assert_eq!(code, 0, "{out}{err}");
    assert!(folder.path().join("runs/model/swing/summary.json").exists());
    assert!(!folder.path().join("runs/model/held").exists(), "what it starts from is not written");
    let (code, _, err) = output(poinsot(folder.path()).args(["run", "model.toml", "--study", "swin"]));
    assert_eq!(code, 2);
    assert!(err.contains("there is no study `swin`") && err.contains("did you mean `swing`?"), "{err}");
    let (code, _, err) = output(poinsot(folder.path()).args(["run", "model.toml", "--until", "1"]));
    assert_eq!(code, 2);
    assert!(err.contains("give --study, one of held, swing, spectrum"), "{err}");
    let line = ["run", "model.toml", "--study", "swing", "--until", "0.1", "--out", "short"];
    let (code, out, err) = output(poinsot(folder.path()).args(line));
    assert_eq!(code, 0, "{out}{err}");
    assert!(folder.path().join("short/summary.json").exists());
}

#[test]
fn verify_runs_all_studies() {
    let folder = with_model(CORD);
    let (code, out, err) = output(poinsot(folder.path()).args(["verify", "model.toml"]));
    assert_eq!(code, 0, "{out}{err}");
    for name in ["held", "swing", "spectrum"] {
        assert!(out.contains(&format!("Cord: {name} (")), "{out}");
    }
    assert!(out.contains("2 passed, 0 failed"), "{out}");
}

#[test]
fn a_study_that_fails_keeps_only_those_from_running_that_start_from_it() {
    let lost = CORD.replace("name = \"held\"\ntype = \"equilibrium\"", "name = \"held\"\ntype = \"equilibrium\"\nmax_iterations = 1\nload_steps = 1\noff = [\"cord\", \"spring\"]")
        .replace("[[expect]]\nstudy = \"held\"\nsignal = \"spring.force\"\nvalue = 80\ntolerance = 1e-6\n", "")
        .replace("type = \"modes\"\ninitial = \"held\"", "type = \"modes\"");
    let folder = with_model(&lost);
    let (code, out, err) = output(poinsot(folder.path()).args(["run", "model.toml"]));
    assert_eq!(code, 1, "{out}{err}");
    assert!(err.contains("it is not run: the study `held`"), "{err}");
    assert!(out.contains("Cord: spectrum"), "{out}");
}

/// Modes, matrices and Campbell diagrams about the state of any study.
#[test]
fn analyses_are_about_any_study() {
    let folder = with_model(CORD);
    for command in ["modes", "linearize"] {
        for initial in ["held", "swing", "equilibrium"] {
            let line = [command, "model.toml", "--study", "swing", "--initial", initial, "--out", "about"];
            let (code, out, err) = output(poinsot(folder.path()).args(line));
            assert_eq!(code, 0, "{command} {initial}: {out}{err}");
        }
    }
    let line = [
        "campbell",
        "model.toml",
        "--study",
        "swing",
        "--initial",
        "held",
        "--over",
        "m=1..3",
        "--points",
        "3",
    ];
    let (code, out, err) = output(poinsot(folder.path()).args(line));
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("the end of the study `held`"), "{out}");
    // The study of the file that is of this kind is meant.
    let (code, out, err) = output(poinsot(folder.path()).args(["modes", "model.toml"]));
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("Cord: spectrum"), "{out}");
    assert!(folder.path().join("runs/model/spectrum/summary.json").exists());
}

#[test]
fn a_kept_run_is_a_start() {
    let folder = with_model(CORD);
    let (code, out, err) = output(poinsot(folder.path()).args(["run", "model.toml", "--study", "swing"]));
    assert_eq!(code, 0, "{out}{err}");
    let from = "run=runs/model/swing";
    let line = ["run", "model.toml", "--study", "swing", "--initial", from, "--out", "on"];
    let (code, out, err) = output(poinsot(folder.path()).args(line));
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("the run runs/model/swing (Cord, swing), t = 0.5 s"), "{out}");
    let at = format!("{from}@0.2");
    let line = ["run", "model.toml", "--study", "swing", "--initial", &at, "--out", "on"];
    let (code, _, err) = output(poinsot(folder.path()).args(line));
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("keeps no state at 0.2 s") && err.contains("keep = [0.2]"), "{err}");
    let other = "[[body]]\nname = \"stone\"\ntype = \"point\"\nmass = 1\n[study]\nend = 1\nstep = 0.1\ninitial = { run = \"runs/model/swing\" }\n";
    std::fs::write(folder.path().join("other.toml"), other).unwrap();
    let (code, _, err) = output(poinsot(folder.path()).args(["run", "other.toml"]));
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("belongs to another model") && err.contains("`mass`"), "{err}");
    // At its place, with what to do.
    assert!(err.contains("other.toml:8:11") && err.contains("asked for here"), "{err}");
    assert!(err.contains("name a run of this model"), "{err}");
    for (wrong, message) in [("runs/gone", "runs/gone"), ("runs/model/swing\", time = \"0.2", "keep = [0.2]")]
    {
        let text = other.replace("runs/model/swing", wrong).replace("time = \"0.2\"", "time = 0.2");
        std::fs::write(folder.path().join("other.toml"), text).unwrap();
        let (code, _, err) = output(poinsot(folder.path()).args(["run", "other.toml"]));
        assert_eq!(code, 2, "{err}");
        assert!(err.contains(message) && err.contains("other.toml:8:11"), "{err}");
    }
}

#[test]
fn a_model_comes_from_standard_input() {
    let folder = with_model("");
    let line = ["run", "-", "--study", "held"];
    let (code, out, err) = output(poinsot(folder.path()).args(line).write_stdin(CORD));
    assert_eq!(code, 0, "{out}{err}");
    assert!(folder.path().join("runs/stdin/held/summary.json").exists());
    let line = ["run", "-", "--checkpoint", "10"];
    let (code, _, err) = output(poinsot(folder.path()).args(line).write_stdin(""));
    assert_eq!(code, 2);
    assert!(err.contains("standard input cannot be read again"), "{err}");
}

#[test]
fn json_says_what_is_wrong() {
    let folder =
        with_model(&CORD.replace(
            "initial = \"held\"\noff = [\"cord\"]\nend",
            "initial = \"hold\"\noff = [\"cord\"]\nend",
        ));
    let (code, out, err) = output(poinsot(folder.path()).args(["run", "model.toml", "--json"]));
    assert_eq!(code, 2);
    let document: serde_json::Value = serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out}"));
    assert_eq!(document["exit_code"], 2);
    let error = &document["errors"][0];
    assert_eq!(error["message"], "there is no study `hold`");
    assert_eq!(error["help"], "did you mean `held`?");
    let line = CORD.lines().position(|line| line.starts_with("initial")).unwrap() + 1;
    assert_eq!(error["place"]["line"], line);
    assert_eq!(error["place"]["column"], 11);
    assert_eq!(error["place"]["file"], "model.toml");
    assert!(err.contains("there is no study `hold`"), "people read it too: {err}");
    let (code, out, _) = output(poinsot(folder.path()).args(["run", "nowhere.toml", "--json"]));
    assert_eq!(code, 2);
    let document: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(document["errors"][0]["message"].as_str().unwrap().contains("cannot read nowhere.toml"));
}

#[test]
fn json_of_several_studies_is_a_list() {
    let folder = with_model(CORD);
    let (code, out, err) = output(poinsot(folder.path()).args(["run", "model.toml", "--json"]));
    assert_eq!(code, 0, "{err}");
    let list: serde_json::Value = serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out}"));
    let names: Vec<&str> =
        list.as_array().unwrap().iter().map(|s| s["study_name"].as_str().unwrap()).collect();
    assert_eq!(names, ["held", "swing", "spectrum"]);
}
