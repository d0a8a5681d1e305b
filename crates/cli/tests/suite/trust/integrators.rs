//! Integrators: what each does with each kind of model, and what it refuses.

#[path = "integrators/matrix.rs"]
mod matrix;
#[path = "integrators/tolerances.rs"]
mod tolerances;

use crate::trust::tools::{Finished, run};
use std::path::Path;

/// A model of the folder beside this one.
fn model(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name).with_extension("toml");
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The model with fixed steps of an integrator.
fn stepped(name: &str, integrator: &str, form: &str, step: &str) -> Finished {
    run(&model(name), &["--integrator", integrator, "--form", form, "--step", step])
}

fn exact(name: &str) -> Finished {
    let tight = ["--integrator", "radau", "--stages", "5", "--adaptive", "--tolerance", "1e-11"];
    run(&model(name), &tight)
}

/// Positions that follow from others must be judged apart from velocities, and every mechanism
/// apart from its neighbours: else a choice of independent coordinates that becomes singular is
/// kept, and the motion is wrong without a sign.
#[test]
fn embedding_is_as_good_as_projection() {
    for (name, signals) in [
        ("two_wheels", ["out0", "out1"]),
        ("drive_by_rate", ["out0", "out1"]),
        ("unconnected_mechanisms", ["out0", "out1"]),
    ] {
        let exact = exact(name);
        let error = |form: &str, step: &str| {
            let ran = stepped(name, "runge-kutta-4", form, step);
            assert_eq!(ran.code, 0, "{}", ran.said());
            signals.iter().map(|s| (ran.last(s) - exact.last(s)).abs()).fold(0.0, f64::max)
        };
        let (projected, coarse, fine) =
            (error("projected", "2e-3"), error("embedding", "2e-3"), error("embedding", "1e-3"));
        println!("{name}: projected {projected:.1e}, embedding {coarse:.1e}, at half the step {fine:.1e}");
        // On a circle the projection is better than its order; the defect was 1e-3 … 1e-1.
        assert!(coarse < 10.0 * projected + 1e-8, "{name}: {coarse:e} against {projected:e}");
        assert!(fine < 0.1 * coarse + 1e-10, "{name}: fourth order, {coarse:e} to {fine:e}");
    }
}

/// A redundant row opens as far as the rows in force do, where the form of the constraints brings them back.
#[test]
fn redundant_joints_in_forms_that_give() {
    let exact = exact("six_bar_linkage");
    for (integrator, form) in [
        ("generalized-alpha", "baumgarte"),
        ("generalized-alpha", "penalty"),
        ("energy-momentum", "augmented-lagrange"),
        ("energy-momentum", "penalty"),
    ] {
        let ran = stepped("six_bar_linkage", integrator, form, "2.5e-4");
        assert_eq!(ran.code, 0, "{integrator}, {form}: {}", ran.said());
        let error = (ran.last("out0") - exact.last("out0")).abs();
        assert!(error < 2e-3, "{integrator}, {form}: off by {error:e}");
    }
}

/// Where joints drift the mobility of a linkage that lives on redundancy is lost: the run ends and says why.
#[test]
fn redundant_joints_that_drift_are_named() {
    for (integrator, form) in [
        ("generalized-alpha", "velocity"),
        ("generalized-alpha", "acceleration"),
        ("runge-kutta-4", "augmented"),
    ] {
        let ran = run(
            &model("six_bar_linkage"),
            &["--integrator", integrator, "--form", form, "--step", "1e-3", "--until", "0.5"],
        );
        let said = ran.said();
        assert_eq!(ran.code, 1, "{integrator}, {form}: {said}");
        assert!(said.contains("lets joints drift open") && said.contains("stabilised"), "{said}");
    }
}

/// Two hinges that are not in line lock a body: a drive that asks for a rate contradicts them.
#[test]
fn a_rate_that_the_joints_forbid_is_a_contradiction() {
    let text = r#"
[model]
gravity = [0, 0, 0]
[[body]]
name = "door"
mass = 2
inertia = [0.1, 0.2, 0.3]
[[joint]]
name = "hinge"
type = "revolute"
between = ["ground", "door"]
at = [0, 0, 0]
axis = [0, 0, 1]
[[joint]]
name = "second"
type = "revolute"
between = ["ground", "door"]
at = [1, 0, 0]
axis = [0, 0, 1]
[[drive]]
name = "motor"
type = "joint"
joint = "hinge"
rate = "2*smootherstep(t/0.3)"
[study]
end = 0.3
step = 0.001
"#;
    for (integrator, form) in [("generalized-alpha", "stabilised"), ("radau", "stabilised")] {
        let ran = run(text, &["--integrator", integrator, "--form", form]);
        assert_eq!(ran.code, 1, "{integrator}: {}", ran.said());
        assert!(ran.said().contains("contradicts the others"), "{integrator}: {}", ran.said());
        assert!(ran.said().contains("motor"), "{integrator}: {}", ran.said());
    }
}

/// Backward differences of the fifth order let undamped vibrations grow; with fixed steps
/// beams get the second.
#[test]
fn backward_differences_on_an_undamped_beam() {
    let stiff = model("director_beam").replace("young = 2e4", "young = 5e8");
    let ran = run(&stiff, &["--integrator", "bdf", "--step", "1e-3", "--until", "0.3"]);
    assert_eq!(ran.code, 0, "{}", ran.said());
    let exact =
        run(&stiff, &["--integrator", "radau", "--adaptive", "--tolerance", "1e-8", "--until", "0.3"]);
    let error = (ran.last("out1") - exact.last("out1")).abs();
    assert!(error < 1e-3, "off by {error:e}");
}

/// A drive with a kink strikes the mechanism in every form of its constraints, also in those that keep
/// accelerations alone, and the work of the impulse is counted once.
#[test]
fn a_drive_with_a_kink_strikes() {
    let exact = exact("drive_with_a_kink");
    for (integrator, form) in [
        ("radau", "stabilised"),
        ("generalized-alpha", "stabilised"),
        ("generalized-alpha", "acceleration"),
        ("newmark", "position"),
        ("runge-kutta-4", "augmented"),
    ] {
        let ran = stepped("drive_with_a_kink", integrator, form, "1e-3");
        assert_eq!(ran.code, 0, "{integrator}, {form}: {}", ran.said());
        let error = (ran.last("out0") - exact.last("out0")).abs();
        assert!(error < 1e-5, "{integrator}, {form}: off by {error:e}");
    }
}

/// A stop is a kink that adaptive steps end at: without that, five stages at a tolerance of 1e-8 are off by
/// 3e-6.
#[test]
fn stops_are_located() {
    let ran = run(
        &model("spring_and_stop"),
        &["--integrator", "radau", "--stages", "5", "--adaptive", "--tolerance", "1e-8"],
    );
    assert_eq!(ran.code, 0, "{}", ran.said());
    let error = (ran.last("out0") - tolerances::two_springs(2.3)).abs();
    assert!(error < 1e-8, "off by {error:e}");
}

/// What an integrator cannot take is said before the run, with the place, the reason and a cure.
#[test]
fn refusals_have_place_and_cure() {
    for (name, integrator, form, reason, cure) in [
        ("motor_equations", "energy-momentum", "multipliers", "know mechanics only", "radau"),
        ("sliding_friction", "energy-momentum", "null-space", "friction needs", "multipliers"),
        ("flexible_body", "galerkin", "multipliers", "masses that are constant", "energy-momentum"),
        (
            "director_beam",
            "variational-midpoint",
            "multipliers",
            "masses of single bodies",
            "energy-momentum",
        ),
    ] {
        let refused = stepped(name, integrator, form, "1e-3");
        let said = refused.said();
        assert_eq!(refused.code, 2, "{said}");
        assert!(said.contains(reason) && said.contains(cure), "{said}");
        assert!(said.contains("model.toml:") && said.contains("[study]"), "{said}");
        assert!(!said.contains("worst equation"), "{said}");
    }
}
