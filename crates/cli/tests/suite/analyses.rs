//! The commands of the single analyses, end to end: exit codes, files, numbers and words.

use crate::common;

use common::{output, poinsot, with_model};
use serde_json::Value;
use std::path::Path;

/// A bar on a driven hinge: `kinematics` follows it, the others hold the drive at its instant.
const CRANK: &str = r#"
[model]
name = "Crank"

[parameters]
w = 2

[[body]]
name = "crank"
mass = 3
inertia = [0.01, 0.25, 0.25]
position = [0.5, 0, 0]
velocity = [0, 0, -1]
angular_velocity = [0, 2, 0]

[[joint]]
name = "hinge"
type = "revolute"
between = ["ground", "crank"]
at = [0, 0, 0]
axis = [0, 1, 0]

[[drive]]
name = "motor"
type = "joint"
joint = "hinge"
position = "w*t"

[[signal]]
name = "angle"
value = "hinge.angle"

[[signal]]
name = "torque"
value = "motor.effort"

[study]
type = "kinematics"
end = 1
step = 0.01

[[expect]]
signal = "angle"
value = 2
tolerance = 1e-12

[[expect]]
signal = "torque"
value = "-3*9.81*0.5*cos(2)"
tolerance = 1e-9
"#;

/// A pendulum on a cart with a spring; both can be pushed. The file is a motion.
const CART: &str = r#"
[model]
name = "Cart"
plane = "zx"

[parameters]
k = 50
d = 0.4

[[body]]
name = "cart"
mass = 2
inertia = [1, 1, 1]

[[body]]
name = "bar"
mass = 1
inertia = [0.05, 0.05, 0.001]
position = [0.1, 0, "-d"]

[[joint]]
name = "track"
type = "prismatic"
between = ["ground", "cart"]
at = [0, 0, 0]
axis = [1, 0, 0]

[[joint]]
name = "hinge"
type = "revolute"
between = ["cart", "bar"]
at = [0, 0, 0]
axis = [0, 1, 0]

[[force]]
name = "spring"
type = "spring"
between = ["ground", "cart"]
points = [[-1, 0, 0], [0, 0, 0]]
stiffness = "k"
damping = 1

[[force]]
name = "push"
type = "force"
on = "cart"
force = ["5*t", 0, 0]

[[signal]]
name = "place"
value = "track.displacement"

[[signal]]
name = "acceleration"
value = "cart.acceleration.x"

[study]
end = 0.1
step = 1e-2

[[expect]]
signal = "place"
at = 0
value = 0
tolerance = 1e-12
"#;

/// A top that sleeps: m g l = 0.3924 N m.
const TOP: &str = r#"
[model]
name = "Top"

[parameters]
w = 240

[[body]]
name = "top"
mass = 0.5
inertia = [0.0006, 0.0006, 0.0004]
position = [0, 0, 0.08]
angular_velocity = [0, 0, "w"]

[[joint]]
name = "tip"
type = "spherical"
between = ["ground", "top"]
at = [0, 0, 0]
"#;

fn json(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Runs a command with `--json` and gives its summary.
fn summary(folder: &Path, args: &[&str]) -> Value {
    let (code, out, err) = output(poinsot(folder).args(args).arg("--json"));
    assert_eq!(code, 0, "{args:?}: {out}{err}");
    serde_json::from_str(&out).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

fn near(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value} is not {expected} ± {tolerance}");
}

fn frequencies(summary: &Value) -> Vec<f64> {
    let modes = summary["modes"].as_array().unwrap();
    modes.iter().map(|mode| number(&mode["circular_frequency"])).collect()
}

fn has_files(folder: &Path, names: &[&str]) {
    for name in names {
        assert!(folder.join(name).metadata().is_ok_and(|m| m.len() > 0), "{name} is missing or empty");
    }
}

/// A whole SVG picture without impossible numbers.
fn is_svg(path: &Path) {
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.starts_with("<svg") && text.trim_end().ends_with("</svg>"), "{}", path.display());
    assert!(!text.contains("NaN") && !text.contains("inf"), "{}", path.display());
}

/// A matrix of an uncompressed NumPy archive: its shape as written, and its values.
fn npz(path: &Path, name: &str) -> (String, Vec<f64>) {
    let bytes = std::fs::read(path).unwrap();
    let file = format!("{name}.npy");
    let find = |from: usize, what: &[u8]| {
        bytes[from..].windows(what.len()).position(|w| w == what).map(|k| from + k).unwrap()
    };
    let magic = find(find(0, file.as_bytes()), b"\x93NUMPY");
    let length = usize::from(u16::from_le_bytes([bytes[magic + 8], bytes[magic + 9]]));
    let header = String::from_utf8_lossy(&bytes[magic + 10..magic + 10 + length]).into_owned();
    assert!(header.contains("'<f8'") && header.contains("'fortran_order': False"), "{header}");
    let shape = header.split("'shape': (").nth(1).unwrap().split(')').next().unwrap().to_owned();
    let count: usize = shape.split(',').filter_map(|n| n.trim().parse::<usize>().ok()).product();
    let data = &bytes[magic + 10 + length..];
    let value = |k: usize| f64::from_le_bytes(data[8 * k..8 * k + 8].try_into().unwrap());
    (shape, (0..count).map(value).collect())
}

/// A matrix of a MATLAB 5 file, by columns.
fn mat(path: &Path, name: &str) -> (usize, usize, Vec<f64>) {
    let bytes = std::fs::read(path).unwrap();
    assert!(bytes.starts_with(b"MATLAB 5.0 MAT-file") && &bytes[124..128] == b"\x00\x01IM");
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let mut at = 128;
    while at < bytes.len() {
        let (kind, size) = (word(at), word(at + 4));
        assert_eq!(kind, 14, "an array stands at {at}");
        // Flags (16 bytes), sizes (16 bytes), name (8 bytes if short), values.
        let (rows, columns) = (word(at + 32), word(at + 36));
        let short = word(at + 40) >> 16;
        let known = short > 0 && &bytes[at + 44..at + 44 + short] == name.as_bytes();
        if known && word(at + 16) & 0xff == 6 {
            let value = |k: usize| {
                let from = at + 56 + 8 * k;
                f64::from_le_bytes(bytes[from..from + 8].try_into().unwrap())
            };
            return (rows, columns, (0..rows * columns).map(value).collect());
        }
        at += 8 + size;
    }
    panic!("{name} is not in the file");
}

#[test]
fn kinematics_follows_the_drive() {
    let folder = with_model(CRANK);
    let (code, out, err) = output(poinsot(folder.path()).args(["kinematics", "model.toml", "--csv"]));
    assert_eq!(code, 0, "{out}{err}");
    for words in [
        "✓ completed",
        "✓ drives       1 driven row for 1 degree of freedom",
        "100 positions",
        "✓ expected     2 of 2 expectations hold",
        "singularity",
    ] {
        assert!(out.contains(words), "`{words}` is not in\n{out}");
    }
    let results = folder.path().join("runs/model");
    has_files(&results, &["signals.parquet", "signals.csv", "signals.svg", "energy.svg", "summary.json"]);
    is_svg(&results.join("signals.svg"));
    let summary = json(&results.join("summary.json"));
    assert_eq!(summary["analysis"], "kinematics");
    assert_eq!(summary["outcome"]["status"], "completed");
    assert_eq!((&summary["steps"], &summary["driven_rows"]), (&100.into(), &1.into()));
    assert_eq!(summary["expectations"][0]["passed"], true);
    // Every row of the table is where the law wants it.
    let csv = std::fs::read_to_string(results.join("signals.csv")).unwrap();
    let rows = csv.lines().filter_map(|line| {
        let row: Option<Vec<f64>> = line.split(',').map(|x| x.trim().parse().ok()).collect();
        row
    });
    let rows: Vec<Vec<f64>> = rows.collect();
    assert_eq!(rows.len(), 101);
    for row in &rows {
        near(row[1], 2.0 * row[0], 1e-12);
        near(row[2], -3.0 * 9.81 * 0.5 * row[1].cos(), 1e-9);
    }
}

#[test]
fn kinematics_takes_overrides() {
    let folder = with_model(CRANK);
    let args = ["kinematics", "model.toml", "--set", "w=3", "--step", "0.05", "--out", "r"];
    // The expectations of the file belong to w = 2.
    let (code, out, _) = output(poinsot(folder.path()).args(args).arg("--json"));
    assert_eq!(code, 1);
    let summary: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(summary["steps"], 20);
    near(number(&summary["expectations"][0]["measured"]), 3.0, 1e-12);
    for (args, words) in [
        (&["--step", "0"][..], "--step 0 must be a positive number"),
        (&["--until", "0"][..], "--until 0 does not lie after the start at 0"),
        (&["--set", "v=1"][..], "cannot set `v`"),
    ] {
        let (code, _, err) = output(poinsot(folder.path()).args(["kinematics", "model.toml"]).args(args));
        assert_eq!(code, 2, "{args:?}: {err}");
        assert!(err.contains(words), "{args:?}: {err}");
    }
}

/// What a new end makes meaningless is left out, as in `run`.
#[test]
fn kinematics_until_drops_expectations_beyond_the_end() {
    let folder = with_model(CRANK);
    let summary = summary(folder.path(), &["kinematics", "model.toml", "--until", "0.5"]);
    assert_eq!(summary["steps"], 50);
    assert_eq!(summary["expectations"].as_array().unwrap().len(), 0, "{}", summary["expectations"]);
}

#[test]
fn equilibrium_of_a_model_that_is_a_motion() {
    let folder = with_model(CART);
    let (code, out, err) = output(poinsot(folder.path()).args(["equilibrium", "model.toml", "--time", "2"]));
    assert_eq!(code, 0, "{out}{err}");
    for words in [
        "✓ completed    equilibrium at t = 2 s",
        "method       newton",
        "✓ balance",
        // The push grows with time, and the bar swings.
        "! stability    no verdict: stable (every direction that the joints allow is stiff) while time is held",
        "lowest eigenvalues",
        "body  x m",
    ] {
        assert!(out.contains(words), "`{words}` is not in\n{out}");
    }
    // The study is not that of the file: its own folder, and no expectations of the motion.
    let summary = json(&folder.path().join("runs/model-equilibrium/summary.json"));
    assert_eq!(summary["analysis"], "equilibrium");
    assert_eq!(summary["expectations"].as_array().unwrap().len(), 0);
    assert_eq!(summary["stability"]["verdict"], "no verdict");
    // 5·2 N on the spring k = 50; the bar hangs below the cart.
    let bodies = summary["bodies"].as_array().unwrap();
    near(number(&bodies[0]["position"][0]), 0.2, 1e-10);
    near(number(&bodies[1]["position"][0]), 0.2, 1e-10);
    near(number(&bodies[1]["position"][2]), -(0.1f64.powi(2) + 0.4f64.powi(2)).sqrt(), 1e-10);
    assert!(number(&summary["out_of_balance"]["max"]) < 1e-9);
    let other = self::summary(
        folder.path(),
        &["equilibrium", "model.toml", "--time", "2", "--set", "k=100", "--out", "r"],
    );
    near(number(&other["bodies"][0]["position"][0]), 0.1, 1e-10);
}

#[test]
fn equilibrium_under_a_drive() {
    let folder = with_model(CRANK);
    let summary = summary(folder.path(), &["equilibrium", "model.toml", "--time", "0.25"]);
    let turn = number(&summary["bodies"][0]["rotation_vector"][1]);
    near(turn, 0.5, 1e-12);
    assert_eq!(summary["stability"]["verdict"], "stable");
}

#[test]
fn modes_write_shapes_and_a_spectrum() {
    let folder = with_model(CART);
    let (code, out, err) = output(poinsot(folder.path()).args(["modes", "model.toml"]));
    assert_eq!(code, 0, "{out}{err}");
    for words in [
        "✓ completed    2 modes about the equilibrium at t = 0 s",
        "method       dense, seen from ground",
        "mobility     2 degrees of freedom: 6 coordinates less rank 4 of 4 constraints",
        "no verdict: asymptotically stable (every eigenvalue lies to the left of the imaginary axis) while time",
        "moving most",
        "oscillation",
        "Look at runs/model-modes/report.html",
    ] {
        assert!(out.contains(words), "`{words}` is not in\n{out}");
    }
    let results = folder.path().join("runs/model-modes");
    has_files(&results, &["modes.json", "mode_shapes.svg", "spectrum.svg", "summary.json"]);
    is_svg(&results.join("mode_shapes.svg"));
    is_svg(&results.join("spectrum.svg"));
    let shapes = json(&results.join("modes.json"));
    assert_eq!((&shapes["format"], &shapes["version"]), (&"poinsot-modes".into(), &1.into()));
    assert_eq!(shapes["bodies"].as_array().unwrap().len(), 2);
    assert_eq!(shapes["links"].as_array().unwrap().len(), 2);
    assert_eq!(shapes["modes"].as_array().unwrap().len(), 2);
    let frequency = number(&shapes["modes"][0]["frequency_hz"]);
    let summary = json(&results.join("summary.json"));
    near(frequency * std::f64::consts::TAU, frequencies(&summary)[0], 1e-12);
    near(number(&summary["modes"][0]["damping_ratio"]), number(&shapes["modes"][0]["damping_ratio"]), 1e-12);
}

/// det(K + λC + λ²M) = 0 of the cart with its bar.
#[test]
fn modes_of_the_cart_solve_its_equation() {
    let folder = with_model(CART);
    let summary = summary(folder.path(), &["modes", "model.toml"]);
    let d = (0.1f64.powi(2) + 0.4f64.powi(2)).sqrt();
    for mode in summary["modes"].as_array().unwrap() {
        let (re, im) = (number(&mode["eigenvalue"]["re"]), number(&mode["eigenvalue"]["im"]));
        // λ² and the four entries, real and imaginary parts.
        let square = (re * re - im * im, 2.0 * re * im);
        let a = (50.0 + re + 3.0 * square.0, im + 3.0 * square.1);
        let inertia = 0.05 + d * d;
        let b = (9.81 * d + inertia * square.0, inertia * square.1);
        let c = (d * square.0, d * square.1);
        let det = (a.0 * b.0 - a.1 * b.1 - c.0 * c.0 + c.1 * c.1, a.0 * b.1 + a.1 * b.0 - 2.0 * c.0 * c.1);
        near(det.0.hypot(det.1) / 500.0, 0.0, 1e-9);
    }
}

#[test]
fn modes_about_the_start_and_from_another_body() {
    let folder = with_model(TOP);
    // About the equilibrium the top does not spin: it falls over, in two directions.
    let still = summary(folder.path(), &["modes", "model.toml"]);
    assert_eq!(still["stability"]["verdict"], "unstable");
    let (a, c, mgl) = (0.0006 + 0.5 * 0.08f64.powi(2), 0.0004, 0.5 * 9.81 * 0.08);
    let growth = (mgl / a).sqrt();
    near(number(&still["modes"][5]["eigenvalue"]["re"]), growth, 1e-9);
    // Spinning it stands; an observer on the top sees both frequencies less the spin.
    let w = 240.0;
    let root = ((c * w) * (c * w) - 4.0 * a * mgl).sqrt();
    let (slow, fast) = ((c * w - root) / (2.0 * a), (c * w + root) / (2.0 * a));
    let spinning = summary(folder.path(), &["modes", "model.toml", "--about", "start"]);
    let found = frequencies(&spinning);
    near(found[2], slow, 1e-9);
    near(found[3], fast, 1e-9);
    assert_eq!((&spinning["about"], &spinning["observer"]), (&"start".into(), &"ground".into()));
    assert_eq!(spinning["warnings"].as_array().unwrap().len(), 0);
    let args = ["modes", "model.toml", "--about", "start", "--observer", "top"];
    let (code, out, _) = output(poinsot(folder.path()).args(args));
    assert!(code == 0 && out.contains("seen from top"), "{out}");
    let turning = summary(folder.path(), &args);
    let found = frequencies(&turning);
    near(found[2], w - fast, 1e-8);
    near(found[3], w - slow, 1e-8);
    // Fewer modes, and a slower top.
    let few = summary(folder.path(), &["modes", "model.toml", "--about", "start", "--count", "2"]);
    assert_eq!(frequencies(&few).len(), 2);
    let slow = summary(folder.path(), &["modes", "model.toml", "--about", "start", "--set", "w=60"]);
    assert_eq!(slow["stability"]["verdict"], "unstable");
    let (code, _, err) = output(poinsot(folder.path()).args(["modes", "model.toml", "--observer", "tob"]));
    assert_eq!(code, 2);
    assert!(err.contains("there is no body `tob`") && err.contains("did you mean `top`"), "{err}");
    let (code, _, err) = output(poinsot(folder.path()).args(["modes", "model.toml", "--about", "rest"]));
    assert_eq!(code, 2, "{err}");
}

/// A bar that swings through the horizontal is no steady motion, for nobody.
#[test]
fn an_unsteady_state_gets_no_verdict() {
    let model = CRANK.split("[[drive]]").next().unwrap();
    let folder = with_model(model);
    let (code, out, err) = output(poinsot(folder.path()).args(["modes", "model.toml", "--about", "start"]));
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("! stability    no verdict: the linearised system changes with time"), "{out}");
}

/// `linearize` judges like `modes`.
#[test]
fn linearize_about_an_unsteady_state_gets_no_verdict() {
    let folder = with_model(CRANK.split("[[drive]]").next().unwrap());
    let (code, out, err) =
        output(poinsot(folder.path()).args(["linearize", "model.toml", "--about", "start"]));
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("no verdict: the linearised system changes with time"), "{out}");
}

/// Held at the horizontal and let go: at rest, but no equilibrium.
#[test]
fn a_start_at_rest_that_is_no_equilibrium_gets_a_warning() {
    let model = CRANK.split("[[drive]]").next().unwrap();
    let model = model.replace("velocity = [0, 0, -1]\nangular_velocity = [0, 2, 0]\n", "");
    assert!(!model.contains("velocity"));
    let folder = with_model(&model);
    let found = summary(folder.path(), &["modes", "model.toml", "--about", "start"]);
    assert!(!found["warnings"].as_array().unwrap().is_empty(), "accelerates with 14 rad/s², no warning");
}

#[test]
fn linearize_writes_three_formats_that_agree() {
    let study = "[study]\ntype = \"linearize\"\ninputs = [\"push.x\", \"spring\"]\noutputs = [\"place\", \"acceleration\"]\n";
    let text = format!("{}{study}", CART.split("[study]").next().unwrap());
    let folder = with_model(&text);
    let (code, out, err) = output(poinsot(folder.path()).args(["linearize", "model.toml"]));
    assert_eq!(code, 0, "{out}{err}");
    for words in [
        "linear about the equilibrium at t = 0 s",
        "inputs       2: push.x, spring",
        "outputs      2: place, acceleration",
        "matrices     A 4×4, B 4×2, C 2×4, D 2×2",
        "4 poles, in 1/s",
        "linear.json, linear.npz, linear.mat",
    ] {
        assert!(out.contains(words), "`{words}` is not in\n{out}");
    }
    let results = folder.path().join("runs/model");
    has_files(&results, &["linear.json", "linear.npz", "linear.mat", "spectrum.svg", "summary.json"]);
    is_svg(&results.join("spectrum.svg"));
    let file = json(&results.join("linear.json"));
    for (name, rows, columns) in [("A", 4, 4), ("B", 4, 2), ("C", 2, 4), ("D", 2, 2)] {
        let matrix = &file["matrices"][name];
        assert_eq!((&matrix["rows"], &matrix["columns"]), (&rows.into(), &columns.into()), "{name}");
        let (shape, values) = npz(&results.join("linear.npz"), name);
        assert_eq!(shape.replace(' ', "").trim_end_matches(','), format!("{rows},{columns}"));
        let (r, c, by_columns) = mat(&results.join("linear.mat"), name);
        assert_eq!((r, c), (rows, columns));
        for i in 0..rows {
            for j in 0..columns {
                let value = number(&matrix["values"][i][j]);
                assert_eq!(values[i * columns + j], value, "{name} {i} {j} in npz");
                assert_eq!(by_columns[j * rows + i], value, "{name} {i} {j} in mat");
            }
        }
    }
    assert_eq!(file["lists"]["inputs"], serde_json::json!(["push.x", "spring"]));
    assert_eq!(file["lists"]["states"].as_array().unwrap().len(), 4);
    // D: a push accelerates the cart by (M⁻¹)₁₁, the tension of the spring pulls it the other way.
    let d = (0.1f64.powi(2) + 0.4f64.powi(2)).sqrt();
    let inverse = (0.05 + d * d) / (3.0 * (0.05 + d * d) - d * d);
    near(number(&file["matrices"]["D"]["values"][1][0]), inverse, 1e-9);
    near(number(&file["matrices"]["D"]["values"][1][1]), -inverse, 1e-9);
    // The poles are those of the modes.
    let summary = json(&results.join("summary.json"));
    let modes = self::summary(folder.path(), &["modes", "model.toml", "--out", "m"]);
    for mode in modes["modes"].as_array().unwrap() {
        let (re, im) = (number(&mode["eigenvalue"]["re"]), number(&mode["eigenvalue"]["im"]));
        let poles = summary["poles"].as_array().unwrap();
        let found =
            poles.iter().any(|p| (number(&p["re"]) - re).abs() + (number(&p["im"]) - im).abs() < 1e-9);
        assert!(found, "{re} + {im}i is not among {poles:?}");
    }
}

#[test]
fn linearize_without_inputs_gives_the_free_system() {
    let folder = with_model(CART);
    let summary = summary(folder.path(), &["linearize", "model.toml", "--out", "r"]);
    // Another study than that of the file: all signals are outputs.
    assert_eq!(summary["outputs"], serde_json::json!(["place", "acceleration"]));
    assert_eq!(summary["inputs"], serde_json::json!([]));
    let file = json(&folder.path().join("r/linear.json"));
    let b = &file["matrices"]["B"];
    assert_eq!((&b["rows"], &b["columns"]), (&4.into(), &0.into()));
}

#[test]
fn linearize_writes_only_the_formats_asked_for() {
    let study = "[study]\ntype = \"linearize\"\nformat = [\"npz\"]\n";
    let folder = with_model(&format!("{}{study}", CART.split("[study]").next().unwrap()));
    let (code, out, err) = output(poinsot(folder.path()).args(["run", "model.toml", "--out", "r"]));
    assert_eq!(code, 0, "{out}{err}");
    assert!(folder.path().join("r/linear.npz").exists());
    assert!(!folder.path().join("r/linear.mat").exists() && !folder.path().join("r/linear.json").exists());
}

/// A disk that rolls freely: zero eigenvalues that rounding spreads are no instability.
#[test]
fn linearize_and_modes_agree_about_stability() {
    let model = r#"
[[body]]
name = "disk"
mass = 1
inertia = [0.0625, 0.125, 0.0625]
position = [0, 0, 0.5]
velocity = [2, 0, 0]
angular_velocity = [0, 4, 0]

[[joint]]
name = "road"
type = "rolling_disk"
between = ["ground", "disk"]
radius = 0.5
at = [0, 0, 0]
normal = [0, 0, 1]
axle = [0, 1, 0]
"#;
    let bicycle = include_str!("../../../../verification/modes/bicycle_5.toml");
    for text in [model, bicycle] {
        let folder = with_model(text);
        let modes = summary(folder.path(), &["modes", "model.toml", "--about", "start"]);
        let linear = summary(folder.path(), &["linearize", "model.toml", "--about", "start"]);
        assert_eq!(modes["stability"]["verdict"], "neutral");
        assert_eq!(linear["stability"], modes["stability"], "{}", linear["poles"]);
    }
}

/// The sparse method sees the lowest modes only; it must not speak for the others.
#[test]
fn a_verdict_from_some_modes_says_so() {
    let chain = include_str!("../../../../verification/modes/spring_chain_damped.toml");
    let hidden = chain
        .split("[[expect]]")
        .next()
        .unwrap()
        .replacen("body = [", "body = [\n  { name = \"q\", type = \"point\", mass = 1, position = [1, 1, 0] },", 1)
        .replacen(
            "joint = [",
            "joint = [\n  { name = \"gq\", type = \"point_on_line\", between = [\"ground\", \"q\"], at = [0, 1, 0], axis = [1, 0, 0] },",
            1,
        )
        .replacen(
            "force = [",
            "force = [\n  { name = \"sq\", type = \"spring\", between = [\"ground\", \"q\"], points = [[0, 1, 0], [1, 1, 0]], stiffness = 1e4, damping = -5 },",
            1,
        );
    let folder = with_model(&hidden);
    let (code, out, err) = output(poinsot(folder.path()).args(["modes", "model.toml", "--about", "start"]));
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("shift-invert"), "{out}");
    assert!(!out.contains("every eigenvalue"), "a growing mode at 100 rad/s was not looked at:\n{out}");
}

#[test]
fn check_prints_the_mobility() {
    let folder = with_model(CART);
    let (code, out, err) = output(poinsot(folder.path()).args(["check", "model.toml"]));
    assert_eq!(code, 0, "{err}");
    for words in [
        "mobility     2 degrees of freedom: 6 coordinates less rank 4 of 4 constraints",
        "2 by Grübler–Kutzbach: 3·2 − 4 (λ = 3)",
        "singularity  distance",
        "drives       0",
        "couplings    0",
        "constraints  0",
        "forces       2",
    ] {
        assert!(out.contains(words), "`{words}` is not in\n{out}");
    }
    let folder = with_model(CRANK);
    let (_, out, _) = output(poinsot(folder.path()).args(["check", "model.toml"]));
    assert!(out.contains("mobility     0 degrees of freedom: 6 coordinates less rank 6 of 6"), "{out}");
    assert!(out.contains("drives       1"), "{out}");
    // In space the cart's loop of planar joints has as many freedoms.
    let spatial = CART.replace("plane = \"zx\"\n", "");
    let folder = with_model(&spatial);
    let (_, out, _) = output(poinsot(folder.path()).args(["check", "model.toml"]));
    assert!(out.contains("mobility     2 degrees of freedom: 12 coordinates less rank 10 of 10"), "{out}");
    // A joint too many is named.
    let redundant = CRANK.replace("[[drive]]", "[[joint]]\nname = \"second\"\ntype = \"revolute\"\nbetween = [\"ground\", \"crank\"]\nat = [0, 0.2, 0]\naxis = [0, 1, 0]\n\n[[drive]]");
    let folder = with_model(&redundant);
    let (code, out, err) = output(poinsot(folder.path()).args(["check", "model.toml"]));
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("rank 6 of 11 constraints") && out.contains("-5 by Grübler–Kutzbach"), "{out}");
    assert!(out.contains("redundant") && out.contains("joint `second` (revolute)"), "{out}");
}

#[test]
fn json_names_the_analysis_and_quiet_is_silent() {
    let folder = with_model(CART);
    for command in ["equilibrium", "modes", "linearize"] {
        let summary = summary(folder.path(), &[command, "model.toml"]);
        assert_eq!(summary["analysis"], command);
        assert_eq!(summary["outcome"]["status"], "completed");
        let (code, out, err) = output(poinsot(folder.path()).args([command, "model.toml", "--quiet"]));
        assert_eq!((code, out.as_str(), err.as_str()), (0, "", ""), "{command}");
    }
}

/// `run` with the study in the file does what the command does.
#[test]
fn run_does_the_study_of_the_file() {
    for (kind, extra) in [("modes", "count = 1\n"), ("equilibrium", ""), ("linearize", "")] {
        let text = CART.split("[study]").next().unwrap();
        let folder = with_model(&format!("{text}[study]\ntype = \"{kind}\"\n{extra}"));
        let by_run = summary(folder.path(), &["run", "model.toml"]);
        let by_command = summary(folder.path(), &[kind, "model.toml"]);
        for key in ["analysis", "modes", "poles", "bodies", "states"] {
            assert_eq!(by_run[key], by_command[key], "{kind}: {key}");
        }
        assert!(folder.path().join("runs/model/summary.json").exists());
    }
}

/// A system without any freedom has neither modes nor poles, and says so without praise.
#[test]
fn nothing_to_linearise() {
    let folder = with_model(CRANK);
    let modes = summary(folder.path(), &["modes", "model.toml"]);
    assert_eq!(modes["modes"].as_array().unwrap().len(), 0);
    assert_ne!(modes["stability"]["verdict"], "asymptotically stable");
    let linear = summary(folder.path(), &["linearize", "model.toml"]);
    assert_eq!(linear["poles"].as_array().unwrap().len(), 0);
    let (code, out, _) = output(poinsot(folder.path()).args(["modes", "model.toml"]));
    assert!(code == 0 && !out.contains("every eigenvalue"), "there is no eigenvalue:\n{out}");
}

/// A pendulum of so many welded bodies, with a damper in its hinge.
fn welded_pendulum(bodies: usize, damping: f64) -> String {
    let mut text = String::from("body = [\n");
    for i in 1..=bodies {
        text += &format!(
            "{{ name = \"b{i}\", mass = 1, inertia = [0.1, 0.1, 0.1], position = [0, 0, -{i}] }},\n"
        );
    }
    text += "]\njoint = [\n{ name = \"hinge\", type = \"revolute\", between = [\"ground\", \"b1\"], at = [0, 0, 0], axis = [0, 1, 0] },\n";
    for i in 2..=bodies {
        text +=
            &format!("{{ name = \"weld{i}\", type = \"fixed\", between = [\"b{}\", \"b{i}\"] }},\n", i - 1);
    }
    text + &format!(
        "]\nforce = [{{ name = \"damper\", type = \"torsion\", joint = \"hinge\", damping = {damping} }}]\n"
    )
}

/// 360 unknowns and one freedom: one mode, whatever method finds it.
#[test]
fn a_large_system_with_one_freedom_has_one_mode() {
    for damping in [0.0, 10.0] {
        for bodies in [40, 60] {
            let folder = with_model(&welded_pendulum(bodies, damping));
            let found = summary(folder.path(), &["modes", "model.toml"]);
            let (mut weight, mut inertia) = (0.0, 0.0);
            for i in 1..=bodies {
                weight += 9.81 * i as f64;
                inertia += 0.1 + (i * i) as f64;
            }
            let decay = damping / (2.0 * inertia);
            near(frequencies(&found)[0], (weight / inertia - decay * decay).sqrt(), 1e-9);
            near(number(&found["modes"][0]["eigenvalue"]["re"]), -decay, 1e-9);
            assert_eq!(found["modes"].as_array().unwrap().len(), 1, "{bodies} bodies: {}", found["modes"]);
            assert_ne!(found["stability"]["verdict"], "unstable");
        }
    }
}

/// As many modes as there are, and none that is not there.
#[test]
fn more_modes_asked_for_than_there_are() {
    let chain = include_str!("../../../../verification/modes/spring_chain.toml");
    let folder = with_model(chain.split("[[expect]]").next().unwrap());
    let found = summary(folder.path(), &["modes", "model.toml", "--about", "start", "--count", "300"]);
    let frequencies = frequencies(&found);
    assert_eq!(frequencies.len(), 200);
    // ω = 2 √(k/m) sin((2j − 1)π/(2(2N + 1))), k = 5000, m = 0.3, N = 200.
    for (j, frequency) in frequencies.iter().enumerate() {
        let angle = (2 * j + 1) as f64 * std::f64::consts::PI / 802.0;
        let expected = 2.0 * (5000.0f64 / 0.3).sqrt() * angle.sin();
        near(frequency / expected, 1.0, 1e-9);
    }
}

/// A chain that nobody holds can move as a whole, damped or not: neutral, as for the dense method.
#[test]
fn a_free_chain_is_neutral() {
    for file in [
        include_str!("../../../../verification/modes/spring_chain.toml"),
        include_str!("../../../../verification/modes/spring_chain_damped.toml"),
    ] {
        let lines = file.split("[[expect]]").next().unwrap().lines();
        let text: Vec<&str> = lines.filter(|line| !line.contains("name = \"spring1\"")).collect();
        let folder = with_model(&text.join("\n"));
        let found = summary(folder.path(), &["modes", "model.toml", "--about", "start", "--count", "4"]);
        assert_eq!(found["stability"]["verdict"], "neutral", "{}", found["modes"][0]);
        assert_eq!(number(&found["modes"][0]["eigenvalue"]["im"]), 0.0);
    }
}

/// The same for the stability of an equilibrium: one freedom, one eigenvalue.
#[test]
fn a_large_equilibrium_with_one_freedom_has_one_eigenvalue() {
    for bodies in [40, 80] {
        let folder = with_model(&welded_pendulum(bodies, 0.0));
        let found = summary(folder.path(), &["equilibrium", "model.toml"]);
        assert_eq!(found["stability"]["verdict"], "stable");
        let sum: f64 = (1..=bodies).map(|i| i as f64).sum();
        let inertia: f64 = (1..=bodies).map(|i| 0.1 + (i * i) as f64).sum();
        let eigenvalues = found["eigenvalues"].as_array().unwrap();
        near(number(&eigenvalues[0]["im"]), (9.81 * sum / inertia).sqrt(), 1e-8);
        assert_eq!(eigenvalues.len(), 1, "{bodies} bodies: {eigenvalues:?}");
    }
}
