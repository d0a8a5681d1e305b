//! Beams through the command.

use crate::common;

use common::{output, poinsot, with_model};

/// C16, a very flexible pendulum.
const PENDULUM: &str = include_str!("../../../../verification/beams/c16_flexible_pendulum.toml");

/// With too few elements the lash near the pin folds one: the run says so and stops, it does not go on with a
/// torn beam.
#[test]
fn a_folded_element_stops_the_run() {
    let model = PENDULUM.split("[[expect]]").next().unwrap();
    let coarse = model.replace("elements = 96\norder = 2", "elements = 8\norder = 3");
    assert_ne!(coarse, model);
    let folder = with_model(&coarse);
    let (code, out, err) = output(poinsot(folder.path()).args(["run", "model.toml"]));
    let told = format!("{out}{err}");
    assert!(code == 1 && told.contains("the beam `beam` folds at t = 0."), "{code} {told}");
    assert!(told.contains("give the beam more elements"), "{told}");
}

/// A cantilever that swings freely after a push, with its shape at three places.
const CANTILEVER: &str = r#"
[model]
gravity = [0, 0, 0]

[[beam]]
name = "blade"
from = [0, 0, 0]
to = [2, 0, 0]
elements = 2
start = "clamped"
shape = 3
load = [0, 0, 1]
section = { type = "given", stiffness = [1e4, 1e4, 1e4, 100, 100, 100], mass = 1, inertia = [0.01, 0.01] }

[study]
end = 0.02
step = 0.01

[[signal]]
name = "tip"
value = "blade.end.position.z"
"#;

/// The shape of a beam goes into a file of its own, a row for each time and place; the signals stay alone.
#[test]
fn the_shape_of_a_beam_is_written() {
    let rows = |text: &str| -> Vec<Vec<f64>> {
        text.lines().skip(1).map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect()).collect()
    };
    let folder = with_model(CANTILEVER);
    let (code, out, err) =
        output(poinsot(folder.path()).args(["run", "model.toml", "--csv", "--out", "out"]));
    assert_eq!(code, 0, "{out}{err}");
    let read = |name: &str| std::fs::read_to_string(folder.path().join("out").join(name)).unwrap();
    let (shape, signals) = (read("beam_blade.csv"), read("signals.csv"));
    assert!(
        shape.starts_with("time [s],s [m],position.x [m],position.y [m],position.z [m],velocity.x"),
        "{shape}"
    );
    assert_eq!(signals.lines().next(), Some("time [s],tip [m]"));
    let (shape, signals) = (rows(&shape), rows(&signals));
    assert_eq!((shape.len(), signals.len()), (9, 3));
    for (k, row) in shape.iter().enumerate() {
        assert_eq!((row[0], row[1]), (signals[k / 3][0], (k % 3) as f64));
        if k % 3 == 2 {
            assert_eq!(row[4], signals[k / 3][1]);
        }
    }
    assert!(folder.path().join("out/beam_blade.parquet").is_file());
    // At rest too.
    let still = CANTILEVER.replace("end = 0.02\nstep = 0.01", "type = \"equilibrium\"");
    let folder = with_model(&still);
    let (code, out, err) =
        output(poinsot(folder.path()).args(["run", "model.toml", "--csv", "--out", "out"]));
    assert_eq!(code, 0, "{out}{err}");
    let shape = rows(&std::fs::read_to_string(folder.path().join("out/beam_blade.csv")).unwrap());
    // Three places; the root carries the whole load, 2 N, along axis 1, which points up.
    assert!(shape.len() == 3 && (shape[0][17] - 2.0).abs() < 1e-2, "{shape:?}");
}
