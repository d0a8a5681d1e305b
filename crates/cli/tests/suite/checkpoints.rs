//! Checkpoints: a run that is killed and taken up again gives the same bits.

use crate::common;

use common::{output, poinsot, with_model};
use poinsot_results::StoredRun;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A double pendulum with a redundant hinge, a spring and events: bounces off a wall, a change of stiffness,
/// blows at times.
const MODEL: &str = r#"
[parameters]
k = 20
stop_at = 1.2

[[body]]
name = "upper"
mass = 1.2
inertia = [0.1, 0.1, 0.02]
position = [0.5, 0, 0]

[[body]]
name = "lower"
mass = 0.8
inertia = [0.05, 0.06, 0.02]
position = [1.5, 0, 0]

[[joint]]
name = "pivot"
type = "revolute"
between = ["ground", "upper"]
at = [0, 0, 0]
axis = [0, 1, 0]

[[joint]]
name = "second_pivot"
type = "revolute"
between = ["ground", "upper"]
at = [0, 0.3, 0]
axis = [0, 1, 0]

[[joint]]
name = "elbow"
type = "revolute"
between = ["upper", "lower"]
at = [1, 0, 0]
axis = [0, 1, 0]

[[force]]
name = "cord"
type = "spring"
between = ["ground", "lower"]
points = [[2, 0, 0.5], [2, 0, 0]]
stiffness = "k"
damping = 0.1
length = 0.5

[[signal]]
name = "x"
value = "lower.position.x"

[[signal]]
name = "angle"
value = "elbow.angle"

[[signal]]
name = "load"
value = "pivot.reaction.force.z + k"

[[event]]
name = "wall"
when = "lower.position.x - stop_at"
crossing = "falling"
bounce = { restitution = 1 }

[[event]]
name = "stiffer"
when = "pivot.angle - 0.3"
crossing = "rising"
set = { k = "20 + 5*sin(time)" }

[[event]]
name = "blow"
at = [3.3, 6.1, 9.7]
impulse = { body = "lower", force = [0.1, 0, "0.01*k"] }

[[expect]]
signal = "x"
at = 5
value = 0
tolerance = 10
"#;

const FIXED: &str = "[study]\nend = 20\nstep = 1e-3\noutput_step = 0.05\n";
const CONSERVING: &str =
    "[study]\nend = 20\nstep = 1e-3\noutput_step = 0.05\nintegrator = \"energy-momentum\"\n";
const ADAPTIVE: &str = "[study]\nend = 60\nintegrator = \"radau\"\nrelative_tolerance = 1e-8\n";

fn summary(folder: &Path) -> serde_json::Value {
    let text = std::fs::read_to_string(folder.join("summary.json")).unwrap();
    let mut summary: serde_json::Value = serde_json::from_str(&text).unwrap();
    for time in ["wall_time_s", "set_up_time_s", "simulated_per_wall"] {
        summary["statistics"][time] = serde_json::Value::Null;
    }
    // Seen from another folder.
    summary["model"]["file"] = serde_json::Value::Null;
    summary
}

fn same(a: &Path, b: &Path) {
    for file in
        ["signals.parquet", "signals.csv", "signals.svg", "energy.svg", "motion.parquet", "scene.json"]
    {
        assert!(
            std::fs::read(a.join(file)).unwrap() == std::fs::read(b.join(file)).unwrap(),
            "{file} differs"
        );
    }
    assert_eq!(summary(a), summary(b));
    let [first, second] = [a, b].map(|folder| StoredRun::read(folder).unwrap());
    // The page has all frames from the start, bit for bit.
    let frames = first.frames.unwrap();
    assert!(
        frames.axis()[0] == 0.0 && frames.len() > 100,
        "{} frames from {}",
        frames.len(),
        frames.axis()[0]
    );
    assert_eq!(frames.len(), first.table.unwrap().len());
    assert!(second.frames.unwrap() == frames && first.run.frames == second.run.frames);
    assert!(first.run.signals == second.run.signals && first.run.energy == second.run.energy);
    for entry in std::fs::read_dir(b).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(!name.contains("checkpoint"), "{name} is left over");
    }
}

/// Kills a run at several times, takes it up each time, and compares with a run that was left alone.
fn killed_and_resumed(study: &str, every: &str, seed: u64) {
    let folder = with_model(&format!("{study}{MODEL}"));
    let at = folder.path();
    let run = ["run", "model.toml", "--checkpoint", every, "--csv", "--set", "stop_at=1.1"];
    let (code, out, err) = output(poinsot(at).args(run).args(["--out", "whole", "--json"]));
    assert_eq!(code, 0, "{out}{err}");
    let whole: serde_json::Value = serde_json::from_str(&out).unwrap();
    let events: Vec<&str> =
        whole["events"].as_array().unwrap().iter().map(|e| e["name"].as_str().unwrap()).collect();
    for name in ["wall", "stiffer", "blow"] {
        assert!(events.contains(&name), "{events:?}");
    }
    let took = whole["statistics"]["wall_time_s"].as_f64().unwrap();
    // On a busy machine a run may be through before it is killed twice: then sooner.
    let sooner = (0..6).map(|k| took * 0.5f64.powi(k));
    let often =
        sooner.map(|took| broken_run(at, &run, took, seed)).find(|[kills, resumed]| *kills.min(resumed) >= 2);
    assert!(often.is_some(), "the run was never killed and resumed twice");
    same(&at.join("whole"), &at.join("broken"));
}

/// A run into `broken` that is killed again and again after a random part of the time that it takes, and
/// resumed; how often.
fn broken_run(at: &Path, run: &[&str], took: f64, seed: u64) -> [usize; 2] {
    std::fs::remove_dir_all(at.join("broken")).ok();
    let mut random = seed;
    let (mut kills, mut resumed) = (0, 0);
    for attempt in 0..200 {
        let mut command = Command::new(env!("CARGO_BIN_EXE_poinsot"));
        let words = std::fs::File::create(at.join("words")).unwrap();
        command.current_dir(at).stdout(Stdio::null()).stderr(words);
        match at.join("broken/checkpoint.bin").exists() {
            true => {
                resumed += 1;
                command.args(["resume", "broken", "--quiet"])
            }
            false => command.args(run).args(["--out", "broken", "--quiet"]),
        };
        let mut child = command.spawn().unwrap();
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        // The last attempts are left alone.
        if kills < 8 && attempt < 100 {
            let wait = took * (0.05 + 0.3 * (random >> 11) as f64 / (1u64 << 53) as f64);
            std::thread::sleep(Duration::from_secs_f64(wait));
            child.kill().ok();
        }
        let done = child.wait().unwrap().success();
        if done {
            break;
        }
        let words = std::fs::read_to_string(at.join("words")).unwrap();
        assert!(kills < 8 && attempt < 100, "a run that was left alone has failed: {words}");
        kills += 1;
    }
    [kills, resumed]
}

#[test]
fn fixed_steps_go_on_after_a_kill() {
    killed_and_resumed(FIXED, "700", 0x9e37_79b9_7f4a_7c15);
}

/// Structure-preserving steps carry velocities on that the state alone does not tell.
#[test]
fn structure_preserving_steps_go_on_after_a_kill() {
    killed_and_resumed(CONSERVING, "700", 0x6a09_e667_f3bc_c908);
}

#[test]
fn adaptive_steps_go_on_after_a_kill() {
    killed_and_resumed(ADAPTIVE, "150", 0x2545_f491_4f6c_dd1d);
}

#[test]
fn what_cannot_be_resumed_is_told() {
    let folder = with_model(&format!("{FIXED}{MODEL}"));
    let at = folder.path();
    std::fs::create_dir(at.join("empty")).unwrap();
    let resume = |name: &str| output(poinsot(at).args(["resume", name]));
    let (code, _, err) = resume("empty");
    assert!(code == 2 && err.contains("there is nothing to resume in empty"), "{err}");

    // A complete run leaves nothing to resume.
    let (code, ..) =
        output(poinsot(at).args(["run", "model.toml", "--until", "1", "--checkpoint", "100", "-q"]));
    assert_eq!(code, 0);
    assert_eq!(resume("runs/model").0, 2);

    let mut child = Command::new(env!("CARGO_BIN_EXE_poinsot"))
        .current_dir(at)
        .args(["run", "model.toml", "--until", "1e5", "--checkpoint", "200", "--quiet"])
        .spawn()
        .unwrap();
    let point = at.join("runs/model/checkpoint.bin");
    while !point.exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let whole = std::fs::read(&point).unwrap();
    for length in [0, 7, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&point, &whole[..length]).unwrap();
        let (code, _, err) = resume("runs/model");
        assert!(code == 2 && err.contains("cut off or damaged"), "{code} {err}");
    }
    std::fs::write(&point, &whole).unwrap();
    let rows = at.join("runs/model/checkpoint-rows.bin");
    let kept = std::fs::read(&rows).unwrap();
    std::fs::write(&rows, &kept[..8]).unwrap();
    let (code, _, err) = resume("runs/model");
    assert!(code == 2 && err.contains("cut off or damaged"), "{err}");
    std::fs::write(&rows, &kept).unwrap();
    let frames = at.join("runs/model/checkpoint-frames.bin");
    let kept = std::fs::read(&frames).unwrap();
    std::fs::write(&frames, &kept[..8]).unwrap();
    let (code, _, err) = resume("runs/model");
    assert!(code == 2 && err.contains("checkpoint-frames.bin is cut off or damaged"), "{err}");
    std::fs::write(&frames, &kept).unwrap();
    let model = std::fs::read_to_string(at.join("model.toml")).unwrap();
    std::fs::write(at.join("model.toml"), model.replace("mass = 1.2", "mass = 1.3")).unwrap();
    let (code, _, err) = resume("runs/model");
    assert!(code == 2 && err.contains("has changed since the checkpoint"), "{err}");
}

/// Ctrl-C keeps the last checkpoint beside the results so far.
#[cfg(unix)]
#[test]
fn an_interrupted_run_can_be_resumed() {
    let folder = with_model(&format!("{FIXED}{MODEL}"));
    let at = folder.path();
    let run = ["run", "model.toml", "--checkpoint", "500", "--csv", "-q"];
    assert_eq!(output(poinsot(at).args(run).args(["--out", "whole"])).0, 0);
    let mut child = Command::new(env!("CARGO_BIN_EXE_poinsot")).current_dir(at).args(run).spawn().unwrap();
    while !at.join("runs/model/checkpoint.bin").exists() {
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    child.wait().unwrap();
    assert_eq!(summary(&at.join("runs/model"))["outcome"]["status"], "interrupted");
    let (code, _, err) = output(poinsot(at).args(["resume", "runs/model", "-q"]));
    assert_eq!(code, 0, "{err}");
    same(&at.join("whole"), &at.join("runs/model"));
}

#[test]
fn checkpoints_are_for_motions() {
    let model = MODEL.split("[[event]]").next().unwrap();
    let folder = with_model(&format!("[study]\ntype = \"equilibrium\"\n{model}"));
    let (code, _, err) = output(poinsot(folder.path()).args(["run", "model.toml", "--checkpoint", "5"]));
    assert!(code == 2 && err.contains("checkpoints are for motions"), "{err}");
}
