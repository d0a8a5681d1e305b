//! Beams through the command.

mod common;

use common::{output, poinsot, with_model};

/// C16, a very flexible pendulum.
const PENDULUM: &str = include_str!("../../../verification/beams/c16_flexible_pendulum.toml");

/// With too few elements the lash near the pin folds one: the run says so and stops, it does not go on with a torn beam.
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
