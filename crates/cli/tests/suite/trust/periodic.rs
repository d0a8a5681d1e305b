//! Systems whose matrices change with time get no verdict from those of one instant; all others keep theirs.

use crate::trust::tools::{Finished, command_on, run};

/// At half the frequency of the pulse: ẍ + (1 − 0.3 cos 2t) x = 0 grows by e^{0.075 t}, though
/// it oscillates at every instant.
const PULSING: &str = r#"
[[equations]]
name = "m"
variables = { x = 0.001, v = 0 }
equations = ["der(x) = v", "der(v) = -(1 - 0.3*cos(2*t))*x"]
"#;

/// The same through a variable that an algebraic equation gives.
const THROUGH_A_VARIABLE: &str = r#"
[[equations]]
name = "m"
variables = { x = 0.001, v = 0, k = 0.7 }
equations = ["der(x) = v", "der(v) = -k*x", "k = 1 - 0.3*cos(2*t)"]
"#;

/// The same as a mass on a spring.
const PULSING_SPRING: &str = r#"
[model]
gravity = [0, 0, 0]
[parameters]
share = 0.3
X = 1
[[body]]
name = "mass"
type = "point"
mass = 1
position = ["X", 0, 0]
[[joint]]
name = "rail"
type = "point_on_line"
between = ["ground", "mass"]
axis = [1, 0, 0]
at = [0, 0, 0]
[[force]]
name = "spring"
type = "spring"
between = ["ground", "mass"]
points = [[-10, 0, 0], ["X", 0, 0]]
length = 11
force = "(1 - share*cos(2*t))*(length - 11)"
[[signal]]
name = "x"
value = "mass.position.x - 1"
"#;

/// A pendulum upside down on a support that is shaken: (a ω)² = 100 > 2 g l = 19.6, so that it stands.
const SHAKEN: &str = r#"
[model]
plane = "xy"
gravity = [0, -9.81, 0]
[parameters]
X = 0
[[body]]
name = "support"
mass = 1
inertia = [1, 1, 1]
[[body]]
name = "bob"
type = "point"
mass = 1
position = ["X", "sqrt(1 - X^2)", 0]
[[joint]]
name = "lift"
type = "prismatic"
between = ["ground", "support"]
at = [0, 0, 0]
axis = [0, 1, 0]
[[drive]]
name = "shaker"
type = "joint"
joint = "lift"
LAW
[[joint]]
name = "rod"
type = "distance"
between = ["support", "bob"]
[[signal]]
name = "x"
value = "bob.position.x"
"#;

fn shaken(law: &str) -> String {
    SHAKEN.replace("LAW", law)
}

/// A turning rotor with two arms on hinges that carry springs, on a hub that slides along
/// x: ground resonance. Both arms turn about the hub, and the hub does not see them steady,
/// nor do they see its springs so.
const TWO_ARMS: &str = r#"
[model]
gravity = [0, 0, 0]
plane = "xy"
[parameters]
W = 21
[[body]]
name = "hub"
mass = 20
inertia = [1, 1, 1]
[[joint]]
name = "slide"
type = "prismatic"
between = ["ground", "hub"]
at = [0, 0, 0]
axis = [1, 0, 0]
[[force]]
name = "support"
type = "spring"
between = ["ground", "hub"]
points = [[-5, 0, 0], [0, 0, 0]]
stiffness = 12000
length = 5
[[body]]
name = "rotor"
mass = 3
inertia = [1, 1, 0.1]
angular_velocity = [0, 0, "W"]
[[joint]]
name = "shaft"
type = "revolute"
between = ["hub", "rotor"]
at = [0, 0, 0]
axis = [0, 0, 1]
[[drive]]
name = "speed"
type = "joint"
joint = "shaft"
rate = "W"
[[body]]
name = "arm1"
mass = 12
inertia = [19, 19, 19]
position = [2.375, 0, 0]
velocity = [0, "W*2.375", 0]
angular_velocity = [0, 0, "W"]
[[joint]]
name = "lag1"
type = "revolute"
between = ["rotor", "arm1"]
at = [0.25, 0, 0]
axis = [0, 0, 1]
[[force]]
name = "spring1"
type = "torsion"
joint = "lag1"
stiffness = 2760
[[body]]
name = "arm2"
mass = 12
inertia = [19, 19, 19]
position = [-2.375, 0, 0]
velocity = [0, "-W*2.375", 0]
angular_velocity = [0, 0, "W"]
[[joint]]
name = "lag2"
type = "revolute"
between = ["rotor", "arm2"]
at = [-0.25, 0, 0]
axis = [0, 0, 1]
[[force]]
name = "spring2"
type = "torsion"
joint = "lag2"
stiffness = 2760
"#;

/// A disc that turns on springs of unequal stiffness along x and y.
const DISC: &str = r#"
[model]
gravity = [0, 0, 0]
plane = "xy"
[[body]]
name = "disc"
mass = 2
inertia = [0.1, 0.1, 0.2]
angular_velocity = [0, 0, 30]
[[force]]
name = "east"
type = "spring"
between = ["ground", "disc"]
points = [[-5, 0, 0], [0, 0, 0]]
stiffness = 800
length = 5
[[force]]
name = "north"
type = "spring"
between = ["ground", "disc"]
points = [[0, -5, 0], [0, 0, 0]]
stiffness = KY
length = 5
"#;

fn no_verdict(done: &Finished) {
    assert_eq!(done.code, 0, "{}", done.said());
    assert!(done.said().contains("no verdict: "), "{}", done.said());
    let flat = done.said().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("`run` the motion"), "{}", done.said());
    assert!(!done.said().contains("✓ stability"), "{}", done.said());
}

fn verdict(done: &Finished) {
    assert_eq!(done.code, 0, "{}", done.said());
    assert!(!done.said().contains("no verdict"), "{}", done.said());
    assert!(done.said().contains("stab") || done.said().contains("neutral"), "{}", done.said());
}

const JUDGES: [&str; 4] = ["modes", "stability", "equilibrium", "linearize"];

#[test]
fn pulsing_stiffness_is_not_judged() {
    for model in [PULSING, THROUGH_A_VARIABLE, PULSING_SPRING] {
        for command in JUDGES {
            no_verdict(&command_on(command, "model.toml", model, &[]));
        }
    }
    // It grows by e^{0.075 · 60} = 90 (Mathieu's equation, first tongue).
    let study = "[study]\nend = 60\nintegrator = \"radau\"\nrelative_tolerance = 1e-8\n";
    let model = format!("{}{study}", PULSING_SPRING.replace("X = 1\n", "X = 1.001\n"));
    let x = run(&model, &[]).signal("x");
    let largest = x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    assert!(largest > 0.03 && largest < 0.2, "{largest}");
}

#[test]
fn a_pulse_of_zero_is_none() {
    let model = PULSING_SPRING.replace("share = 0.3", "share = 0");
    for command in JUDGES {
        verdict(&command_on(command, "model.toml", &model, &[]));
    }
}

#[test]
fn a_shaken_support_is_not_judged() {
    for law in ["position = \"0.1*cos(100*t) - 0.1\"", "rate = \"-10*sin(100*t)\""] {
        for command in JUDGES {
            no_verdict(&command_on(command, "model.toml", &shaken(law), &[]));
        }
    }
    // It stands.
    let model = shaken("position = \"0.1*cos(100*t) - 0.1\"").replace("X = 0\n", "X = 0.05\n");
    let x = run(&format!("{model}[study]\nend = 3\nstep = 2e-4\noutput_step = 0.01\n"), &[]).signal("x");
    assert!(x.iter().all(|x| x.abs() < 0.2), "{x:?}");
    // A drive that stands judges as a joint that is locked does, and says that it stands only now.
    let done = command_on("stability", "model.toml", &shaken("rate = \"smootherstep(t - 5)\""), &[]);
    verdict(&done);
    assert!(done.out.contains("unstable") && done.out.contains("while drive `shaker`"), "{}", done.said());
}

#[test]
fn a_rotor_that_is_steady_for_nobody_is_not_judged() {
    let modes =
        |observer| command_on("modes", "model.toml", TWO_ARMS, &["--about", "start", "--observer", observer]);
    no_verdict(&modes("ground"));
    no_verdict(&modes("rotor"));
    // Nothing can rest while the drive turns.
    no_verdict(&command_on("stability", "model.toml", TWO_ARMS, &[]));
    no_verdict(&command_on("equilibrium", "model.toml", TWO_ARMS, &[]));
}

/// A disc on unequal springs is steady for the ground and not for itself; on equal ones it is for both.
#[test]
fn the_observer_decides() {
    let modes = |stiffness: &str, observer: &str| {
        let model = DISC.replace("KY", stiffness);
        command_on("modes", "model.toml", &model, &["--about", "start", "--observer", observer])
    };
    verdict(&modes("800", "ground"));
    verdict(&modes("800", "disc"));
    verdict(&modes("801", "ground"));
    no_verdict(&modes("801", "disc"));
}

/// A body on a hinge, loaded.
fn hinged(spring: &str, push: &str) -> String {
    format!(
        r#"
[model]
gravity = [0, 0, GRAVITY]
[[body]]
name = "bob"
mass = 1
inertia = [0.1, 0.1, 0.1]
position = [0, 0, -1]
[[joint]]
name = "pin"
type = "revolute"
between = ["ground", "bob"]
at = [0, 0, 0]
axis = [0, 1, 0]
{spring}
[[force]]
name = "push"
{push}
"#
    )
}

const DUFFING: &str = r#"
[[equations]]
name = "m"
variables = { x = 0, v = 0, u = 0 }
equations = ["der(x) = v", "der(v) = -x - x^3 - 0.1*v + u", "u = LOAD"]
"#;

/// Loads and supports that move a linear system leave its matrices alone, and a load that stays what it is
/// moves nothing.
#[test]
fn forcing_of_a_linear_system_is_no_pulse() {
    let load = PULSING_SPRING.replace("(1 - share*cos(2*t))*(length - 11)", "(length - 11) + 0.2*sin(2*t)");
    let linear = DUFFING.replace("- x^3 ", "").replace("LOAD", "0.3*sin(2*t)");
    let constant = DUFFING.replace("LOAD", "0.3 + 0*t");
    let spring = "[[force]]\nname = \"spring\"\ntype = \"torsion\"\njoint = \"pin\"\nstiffness = 3\n";
    let turn = "type = \"torque\"\non = \"bob\"\ntorque = [0, \"0.5*sin(3*t)\", 0]";
    let oscillator = hinged(spring, turn).replace("GRAVITY", "0");
    let still = hinged("", "type = \"force\"\non = \"bob\"\nforce = [0.5, 0, 0]").replace("GRAVITY", "-9.81");
    for model in [&load, &linear, &constant, &oscillator, &still] {
        for command in JUDGES {
            verdict(&command_on(command, "model.toml", model, &[]));
        }
    }
}

/// A load that moves a nonlinear system moves its stiffness as well, though at t = 0 it is zero and nothing
/// is to be seen.
#[test]
fn forcing_of_a_nonlinear_system_is_not_judged() {
    let duffing = DUFFING.replace("LOAD", "0.3*sin(2*t)");
    let push = "type = \"force\"\non = \"bob\"\nforce = [\"0.5*sin(3*t)\", 0, 0]";
    let pendulum = hinged("", push).replace("GRAVITY", "-9.81");
    for (model, name) in [(&duffing, "equations `m`"), (&pendulum, "force `push`")] {
        for command in JUDGES {
            let done = command_on(command, "model.toml", model, &[]);
            no_verdict(&done);
            assert!(done.said().contains("time is held at t = 0 s"), "{}", done.said());
            assert!(done.said().contains(name), "{}", done.said());
        }
    }
    let plane = ["--x", "x=-2..2", "--y", "v=-2..2", "--grid", "3"];
    let done = command_on("portrait", "model.toml", &duffing, &plane);
    assert!(done.err.contains("no verdict") && done.err.contains("time is held"), "{}", done.said());
}

#[test]
fn a_diagram_of_a_pulsing_system_is_not_judged() {
    let done =
        command_on("campbell", "model.toml", PULSING_SPRING, &["--over", "share=0.1..0.3", "--points", "3"]);
    no_verdict(&done);
    assert!(!done.said().contains("no mode grows"), "{}", done.said());
}

#[test]
fn feedback_and_response_of_a_pulsing_system_warn() {
    let arguments = ["--deviation", "m.x=1", "--until", "1"];
    let done = command_on("response", "model.toml", PULSING, &arguments);
    assert!(done.err.contains("Warning") && done.err.contains("changes with time"), "{}", done.said());
}
