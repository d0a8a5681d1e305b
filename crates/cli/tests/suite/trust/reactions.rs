//! Laws of forces that read reactions, against friction of joints and against closed forms, in every
//! integrator.

use crate::trust::tools::{Finished, run};

/// Integrators with their forms.
const METHODS: [(&str, &str); 12] = [
    ("generalized-alpha", ""),
    ("newmark", ""),
    ("midpoint", ""),
    ("radau", ""),
    ("bdf", ""),
    ("gauss", ""),
    ("lobatto", ""),
    ("runge-kutta-4", ""),
    ("energy-momentum", "multipliers"),
    ("variational-midpoint", "multipliers"),
    ("averaged-gradient", "multipliers"),
    ("galerkin", "multipliers"),
];

fn stepped(text: &str, (integrator, form): (&str, &str), step: &str) -> Finished {
    let mut arguments = vec!["--integrator", integrator, "--step", step];
    if !form.is_empty() {
        arguments.extend(["--form", form]);
    }
    let ran = run(text, &arguments);
    assert_eq!(ran.code, 0, "{integrator}: {}", ran.said());
    ran
}

/// Two blocks on inclined guides that a growing load presses sideways: one with friction of the guide, one
/// with the same law written out.
const BLOCKS: &str = r#"
[model]
gravity = [0, -9.81, 0]
[parameters]
mu = 0.2
vt = 0.01
[[body]]
name = "a"
mass = 2
inertia = [0.1, 0.1, 0.1]
velocity = [-1.2, -1.6, 0]
[[joint]]
name = "guide_a"
type = "prismatic"
between = ["ground", "a"]
at = [0, 0, 0]
axis = [0.6, 0.8, 0]
friction = { dynamic = "mu", transition_velocity = "vt" }
[[force]]
name = "side_a"
type = "force"
on = "a"
force = [0, 0, "10*t"]
[[body]]
name = "b"
mass = 2
inertia = [0.1, 0.1, 0.1]
velocity = [-1.2, -1.6, 0]
[[joint]]
name = "guide_b"
type = "prismatic"
between = ["ground", "b"]
at = [0, 0, 0]
axis = [0.6, 0.8, 0]
[[force]]
name = "side_b"
type = "force"
on = "b"
force = [0, 0, "10*t"]
[[signal]]
name = "grip"
value = "-mu*sqrt(guide_b.reaction.joint_force.x^2 + guide_b.reaction.joint_force.y^2)*tanh(guide_b.displacement_rate/vt)"
[[force]]
name = "brake"
type = "force"
on = "b"
force = ["0.6*grip", "0.8*grip", 0]
[[signal]]
name = "xa"
value = "a.position.x"
[[signal]]
name = "xb"
value = "b.position.x"
[[signal]]
name = "friction"
value = "guide_a.friction"
[study]
end = 0.2
step = 1e-3
output_step = 0.02
"#;

#[test]
fn a_brake_that_reads_its_guide_is_the_friction_of_the_guide() {
    for method in METHODS {
        let ran = stepped(BLOCKS, method, "2e-3");
        for (one, other) in [("xa", "xb"), ("friction", "grip")] {
            for (a, b) in ran.signal(one).iter().zip(ran.signal(other)) {
                assert!((a - b).abs() <= 1e-9 * (1.0 + a.abs()), "{method:?}, {one}: {a} and {b}");
            }
        }
    }
}

/// A block on a level guide. The law brakes with μ N and lifts with k N, so that N = m g/(1 + k) and
/// x = v₀ t − ½ μ g/(1 + k) t². The effort of a motor and the tension of a pendulum act on a body far away.
fn fed_back(k: f64) -> String {
    format!(
        r#"
[model]
gravity = [0, 0, -10]
[parameters]
mu = 0.3
k = {k}
[[body]]
name = "block"
mass = 2
inertia = [0.1, 0.1, 0.1]
velocity = [3, 0, 0]
[[joint]]
name = "guide"
type = "prismatic"
between = ["ground", "block"]
at = [0, 0, 0]
axis = [1, 0, 0]
[[force]]
name = "brake"
type = "force"
on = "block"
force = ["-mu*guide.reaction.force.z", 0, "k*guide.reaction.force.z"]
[[body]]
name = "bob"
type = "point"
mass = 1.5
position = [1, 1, 0]
[[joint]]
name = "rod"
type = "distance"
between = ["ground", "bob"]
points = [[0, 1, 0], [1, 1, 0]]
[[body]]
name = "rotor"
mass = 1
inertia = [0.4, 0.4, 0.4]
position = [0, 3, 0]
[[joint]]
name = "axle"
type = "revolute"
between = ["ground", "rotor"]
at = [0, 3, 0]
axis = [0, 1, 0]
[[drive]]
name = "motor"
type = "joint"
joint = "axle"
position = "0.5*t^2"
[[body]]
name = "far"
type = "point"
mass = 4
position = [0, 5, 0]
[[force]]
name = "cell"
type = "force"
on = "far"
force = ["motor.effort", "0.5*rod.reaction.axial", 40]
[[signal]]
name = "x"
value = "block.position.x"
[[signal]]
name = "far_x"
value = "far.position.x"
[[signal]]
name = "far_z"
value = "far.position.z"
[[signal]]
name = "read"
value = "4*far.acceleration.y - 0.5*rod.reaction.axial"
[[signal]]
name = "normal"
value = "guide.reaction.force.z"
[study]
end = 0.5
step = 1e-3
output_step = 0.05
"#
    )
}

#[test]
fn force_feedback_in_closed_form() {
    let model = fed_back(0.6);
    for method in METHODS {
        let ran = stepped(&model, method, "2.5e-3");
        let (x, far) = (3.0 * 0.5 - 0.5 * 0.3 * (10.0 / 1.6) * 0.25, 0.5 * (0.4 / 4.0) * 0.25);
        let near = |name: &str, exact: f64, tolerance: f64| {
            let got = ran.last(name);
            assert!((got - exact).abs() < tolerance, "{method:?}, {name}: {got} instead of {exact}");
        };
        near("x", x, 1e-9);
        // The drive turns the rotor by chords in conserving steps.
        near("far_x", far, 2e-7);
        near("far_z", 0.0, 1e-9);
        near("normal", 20.0 / 1.6, 1e-9);
        for read in ran.signal("read") {
            assert!(read.abs() < 1e-8, "{method:?}: the cell is off by {read:e}");
        }
    }
}

/// What the law takes out of the block is booked as dissipated: μ N x.
#[test]
fn work_of_a_law_of_reactions_is_booked() {
    for method in METHODS {
        let ran = stepped(&fed_back(0.6), method, "2.5e-3");
        let energy = &ran.summary()["audit"]["energy"];
        let number = |key: &str| energy[key].as_f64().unwrap_or_else(|| panic!("{method:?}: {energy}"));
        let (lost, exact) = (number("dissipated_work"), 0.3 * (20.0 / 1.6) * ran.last("x"));
        assert!((lost - exact).abs() < 1e-5 * exact, "{method:?}: {lost} instead of {exact}");
        let imbalance = number("max_relative_imbalance");
        assert!(imbalance < 1e-4, "{method:?}: {imbalance:e}");
    }
}

/// A pendulum braked by its own tension keeps the order of the methods, but of the variational rule, whose
/// multiplier is that of the start of the step.
#[test]
fn order_is_kept() {
    let model = r#"
[model]
gravity = [0, 0, -10]
[[body]]
name = "bob"
type = "point"
mass = 1.5
position = [1, 0, 0]
[[joint]]
name = "rod"
type = "distance"
between = ["ground", "bob"]
points = [[0, 0, 0], [1, 0, 0]]
[[force]]
name = "brake"
type = "force"
on = "bob"
force = ["0.05*rod.reaction.axial*bob.velocity.x", 0, "0.05*rod.reaction.axial*bob.velocity.z"]
[[signal]]
name = "x"
value = "bob.position.x"
[study]
end = 1
step = 1e-2
output_step = 1
"#;
    let exact = run(model, &["--integrator", "radau", "--stages", "5", "--step", "2e-3"]);
    assert_eq!(exact.code, 0, "{}", exact.said());
    for (method, order) in [
        (("generalized-alpha", ""), 2),
        (("midpoint", ""), 2),
        (("energy-momentum", "multipliers"), 2),
        (("averaged-gradient", "multipliers"), 2),
        (("runge-kutta-4", ""), 4),
    ] {
        let [coarse, fine] = ["2e-2", "1e-2"].map(|step| {
            let ran = stepped(model, method, step);
            (ran.last("x") - exact.last("x")).abs()
        });
        let found = (coarse / fine).log2();
        assert!(found > f64::from(order) - 0.2, "{method:?}: order {found}, {coarse:e} {fine:e}");
    }
}

/// A law that pushes against its reaction as strongly as it reads it leaves the reaction undetermined.
#[test]
fn a_loop_without_a_solution_names_the_law() {
    let ran = run(&fed_back(-1.0), &[]);
    let said = ran.said();
    assert_eq!(ran.code, 1, "{said}");
    assert!(said.contains("`brake`") && said.contains("singular"), "{said}");
}

#[test]
fn forms_without_multipliers_are_refused() {
    let refused = run(&fed_back(0.6), &["--integrator", "energy-momentum", "--form", "null-space"]);
    let said = refused.said();
    assert_eq!(refused.code, 2, "{said}");
    assert!(said.contains("a law that reads reactions needs the constraint forces"), "{said}");
}

/// A brake whose coefficient is a variable, μ = 0.3 e^(−t): x = v₀ t − 0.3 g/(1 + k) (t − 1 + e^(−t)). What
/// it takes is dissipated.
#[test]
fn reactions_and_variables_in_one_law() {
    let block = "[[equations]]\nname = \"coil\"\nvariables = { i = 0.3 }\nequations = [\"der(i) = -i\"]\n";
    let model = fed_back(0.6).replace("-mu*guide.reaction.force.z", "-coil.i*guide.reaction.force.z") + block;
    for method in METHODS {
        if ["energy-momentum", "variational-midpoint", "averaged-gradient"].contains(&method.0) {
            continue;
        }
        let ran = stepped(&model, method, "1e-3");
        let t: f64 = *ran.signal("time").last().unwrap();
        let x = 3.0 * t - 0.3 * 10.0 / 1.6 * (t - 1.0 + (-t).exp());
        assert!((ran.last("x") - x).abs() < 3e-6, "{method:?}: {} for {x}", ran.last("x"));
    }
}
