//! `poinsot campbell`, end to end: files, numbers, words, exit codes.

use crate::common;

use common::{output, poinsot, with_model};
use poinsot_results::{ModeShape, StoredRun, read_motion};
use serde_json::Value;
use std::f64::consts::TAU;

/// A disk on a flat shaft in the frame of the shaft: unstable between the two critical speeds.
const DISK: &str = r#"
[model]
name = "Disk"
plane = "xy"
gravity = [0, 0, 0]
rotation = [0, 0, "w"]

[parameters]
w = 0.5
k2 = 1.21

[[body]]
name = "disk"
mass = 1
inertia = [0.5, 0.5, 1]

[[force]]
name = "shaft"
type = "bushing"
between = ["ground", "disk"]
at = [0, 0, 0]
stiffness = [0.81, "k2", 0, 0, 0, 100]

[[signal]]
name = "out"
value = "disk.position.x"
"#;

#[test]
fn files_numbers_and_words() {
    let folder = with_model(DISK);
    let arguments = ["campbell", "model.toml", "--over", "w=0.2..2", "--points", "19", "--count", "2"];
    let (code, text, errors) =
        output(poinsot(folder.path()).args(arguments).args(["--orders", "0.5,1,2", "--csv", "--out", "run"]));
    assert_eq!(code, 0, "{errors}");
    for words in [
        "2 modes about the equilibrium, w = 0.2 … 2",
        "divergence from w = 0.9 to 1.1",
        "crossings",
        "campbell.svg",
    ] {
        assert!(text.contains(words), "{words} in\n{text}");
    }
    let summary: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.path().join("run/summary.json")).unwrap())
            .unwrap();
    assert_eq!(summary["analysis"], "campbell");
    let range = &summary["instabilities"][0];
    assert_eq!(range["kind"], "divergence");
    assert!((range["from"].as_f64().unwrap() - 0.9).abs() < 1e-9, "{range}");
    assert!((range["to"].as_f64().unwrap() - 1.1).abs() < 1e-9, "{range}");
    // ω = kΩ: (ω₁² − Ω² − ω²)(ω₂² − Ω² − ω²) = 4Ω²ω².
    for crossing in summary["crossings"].as_array().unwrap() {
        let (w, k) = (crossing["value"].as_f64().unwrap(), crossing["order"].as_f64().unwrap());
        let square = (k * w) * (k * w);
        let balance = (0.81 - w * w - square) * (1.21 - w * w - square) - 4.0 * w * w * square;
        assert!(balance.abs() < 1e-9, "{crossing}: {balance}");
    }
    let csv = std::fs::read_to_string(folder.path().join("run/signals.csv")).unwrap();
    let header = csv.lines().next().unwrap();
    assert!(header.starts_with("time [s],w,mode1.frequency [Hz],mode1.damping_ratio,"), "{header}");
    assert!(header.ends_with(",out [m]"), "{header}");
    assert!(folder.path().join("run/signals.parquet").exists());
    let svg = std::fs::read_to_string(folder.path().join("run/campbell.svg")).unwrap();
    assert!(svg.contains("mode 2") && svg.contains("0.5×"));
}

#[test]
fn the_study_of_the_file_and_its_expectations() {
    let study = "[study]\ntype = \"campbell\"\nparameter = \"w\"\nrange = [0.2, 2]\npoints = 4\ncount = 2\n\
                 [[expect]]\nsignal = \"mode.2.circular_frequency^2\"\nat = 2\nvalue = 9.034922359499621\nrelative = 1e-11\n\
                 [[expect]]\nsignal = \"out + k2*w\"\nat = 0.5\nvalue = \"k2*w\"\ntolerance = 1e-15\n";
    let folder = with_model(&format!("{DISK}{study}"));
    let (code, text, errors) = output(poinsot(folder.path()).args(["run", "model.toml"]));
    assert_eq!(code, 0, "{text}{errors}");
    assert!(text.contains("2 of 2 expectations hold"), "{text}");
    let wrong = study.replace("9.03", "9.04");
    let folder = with_model(&format!("{DISK}{wrong}"));
    let (code, text, _) = output(poinsot(folder.path()).args(["run", "model.toml"]));
    assert_eq!(code, 1);
    assert!(text.contains("mode.2.circular_frequency^2 (w = 2)"), "{text}");
}

#[test]
fn mistakes_on_the_command_line() {
    let folder = with_model(DISK);
    let run =
        |arguments: &[&str]| output(poinsot(folder.path()).args(["campbell", "model.toml"]).args(arguments));
    let (code, _, errors) = run(&[]);
    assert_eq!(code, 2);
    assert!(errors.contains("give --over NAME=LOW..HIGH"), "{errors}");
    let (code, _, errors) = run(&["--over", "k3=0..1"]);
    assert_eq!(code, 2);
    assert!(errors.contains("there is no parameter `k3`; did you mean `k2`?"), "{errors}");
    let (code, _, errors) = run(&["--over", "w=0..1", "--orders", "-1"]);
    assert_eq!(code, 2);
    assert!(!errors.is_empty());
    // A model that cannot be made at a value of the parameter.
    let folder = with_model(&DISK.replace("mass = 1", "mass = \"k2\""));
    let (code, _, errors) =
        output(poinsot(folder.path()).args(["campbell", "model.toml", "--over", "k2=-1..1"]));
    assert_eq!(code, 2);
    assert!(errors.contains("with k2 = -1:") && errors.contains("mass"), "{errors}");
}

#[test]
fn a_failed_equilibrium_names_the_value() {
    let text = DISK.replace("stiffness = [0.81, \"k2\", 0, 0, 0, 100]", "stiffness = [0.81, \"k2\", 0, 0, 0, 100]\n[[force]]\nname = \"push\"\ntype = \"force\"\non = \"disk\"\nforce = [\"w - 0.2\", 0, 0]");
    let folder = with_model(&text);
    // At w = 0.9 the shaft has no stiffness left against the push.
    let arguments = ["campbell", "model.toml", "--over", "w=0.1..0.9", "--points", "2"];
    let (code, _, errors) = output(poinsot(folder.path()).args(arguments));
    assert_eq!(code, 1, "{errors}");
    assert!(errors.contains("at w = 0.9: no equilibrium found"), "{errors}");
}

/// The disk of a Jeffcott rotor as a gyrostat on two equal springs k at the lever l: tilts have m = A,
/// gyroscopic term C Ω, so that ω = (±CΩ + √(C²Ω² + 4 A κ))/2A with κ = k l²; the higher goes forwards, the
/// lower backwards.
const ROTOR: &str = r#"
[model]
name = "Rotor"
gravity = [0, 0, 0]

[parameters]
Omega = 0
C = 0.4

[[body]]
name = "disk"
mass = 3
inertia = [0.25, 0.25, 0.4]

[[joint]]
name = "pivot"
type = "spherical"
between = ["ground", "disk"]
at = [0, 0, 0]

[[force]]
name = "springs"
type = "bushing"
between = ["ground", "disk"]
at = [0, 0, 0]
stiffness = [0, 0, 0, 900, 900, 1e6]

[[force]]
name = "spin"
type = "gyrostat"
on = "disk"
axis = [0, 0, 1]
momentum = "C*Omega"
"#;

/// The page shows shapes at up to twelve speeds, with the frequencies of closed form, and whirls that go
/// their way.
#[test]
fn the_page_shows_how_modes_whirl() {
    let folder = with_model(ROTOR);
    let arguments = ["campbell", "model.toml", "--over", "Omega=20..100", "--points", "33", "--count", "2"];
    let (code, _, errors) =
        output(poinsot(folder.path()).args(arguments).args(["--orders", "1", "--out", "run", "-q"]));
    assert_eq!(code, 0, "{errors}");
    let stored = StoredRun::read(&folder.path().join("run")).unwrap();
    assert!(stored.troubles.is_empty(), "{:?}", stored.troubles);
    let (scene, frames) = read_motion(&folder.path().join("run")).unwrap();
    assert_eq!((scene.bodies.len(), frames.len()), (1, 12));
    // Two equal moments of inertia look like the disk they are of.
    let solid = &scene.bodies[0].shapes[0].solid;
    assert!(matches!(solid, poinsot_results::scene::Solid::Cylinder { .. }), "{solid:?}");
    assert_eq!((frames.axis()[0], frames.axis()[11]), (20.0, 100.0));
    let shapes = stored.modes();
    assert_eq!(shapes.len(), 24);
    for (k, shape) in shapes.iter().enumerate() {
        assert_eq!((shape.number, shape.frame), (k as u64 + 1, k % 12));
        let spin = 0.4 * frames.axis()[shape.frame];
        let backwards = k < 12;
        let sign = if backwards { -1.0 } else { 1.0 };
        let omega = (sign * spin + (spin * spin + 4.0 * 0.25 * 900.0).sqrt()) / (2.0 * 0.25);
        assert!((TAU * shape.frequency_hz - omega).abs() < 1e-9 * omega, "{}: {omega}", shape.name);
        assert!((whirl(shape) - sign).abs() < 1e-6, "{}: {}", shape.name, whirl(shape));
        let told =
            |heading: &str| shape.details.iter().find(|(h, _)| h == heading).map(|(_, text)| text.as_str());
        assert_eq!(told("Whirl"), Some(if backwards { "backward" } else { "forward" }));
        assert_eq!(told("Mode"), Some(if backwards { "1" } else { "2" }));
    }
    // The diagram is in the page, and signals run over the speed.
    let run = &stored.run;
    assert_eq!(run.study, "campbell");
    assert!(run.diagrams[0].file == "campbell.svg" && run.diagrams[0].svg.contains("1×"));
    assert_eq!(run.plots[0].names, ["mode1.frequency", "mode2.frequency"]);
    let axis = run.signals.as_ref().unwrap().axis.numbers().unwrap();
    assert_eq!((axis[0], *axis.last().unwrap()), (20.0, 100.0));
    assert!(run.checks.iter().any(|check| check.label == "stability"), "{:?}", run.checks);
    let render = ["render", "run", "--mode", "13", "--out", "whirl.png"];
    let (code, told, errors) = output(poinsot(folder.path()).args(render).args(["--size", "320x200"]));
    assert_eq!(code, 0, "{told}{errors}");
}

/// +1 if the axis of the disk goes about z forwards as the phase grows, −1 backwards, by θ(0) × θ(π/2).
fn whirl(shape: &ModeShape) -> f64 {
    let [a, b] = [0.0, 0.25 * TAU].map(|phase| shape.bodies[0].rotation.at(phase));
    let size = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>();
    2.0 * (a[0] * b[1] - a[1] * b[0]) / (size(a) + size(b))
}
