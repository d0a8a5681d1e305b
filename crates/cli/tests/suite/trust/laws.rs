//! Laws that read anything: of stops, along beams, of sections, of variables; with every integrator and
//! study.

use crate::trust::tools::{Finished, command_on, run};
use std::path::Path;

fn model(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name).with_extension("toml");
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn good(text: &str, arguments: &[&str]) -> Finished {
    let ran = run(text, arguments);
    assert_eq!(ran.code, 0, "{}", ran.said());
    ran
}

fn kinks(ran: &Finished) -> u64 {
    ran.summary()["statistics"]["located_kinks"].as_u64().unwrap()
}

/// A door against a stop of numbers, or of the same numbers as laws.
fn door(limits: &str) -> String {
    let text = model("stop");
    let plain = "limits = { upper = 0.3, stiffness = 200, damping = 0.1 }";
    assert!(text.contains(plain));
    text.replace(plain, &format!("limits = {{ {limits} }}"))
}

#[test]
fn a_stop_of_laws_is_the_stop_of_numbers() {
    let law = r#"upper = "0.3 + 0*hinge.angle", stiffness = "200 + 0*t", damping = 0.1"#;
    for integrator in ["generalized-alpha", "radau", "bdf", "gauss", "runge-kutta-4", "dormand-prince"] {
        let arguments = ["--integrator", integrator, "--step", "1e-3"];
        let [numbers, laws] = [door("upper = 0.3, stiffness = 200, damping = 0.1"), door(law)]
            .map(|text| good(&text, &arguments).last("out0"));
        assert!((numbers - laws).abs() < 1e-9, "{integrator}: {numbers} and {laws}");
    }
}

#[test]
fn the_touch_of_a_stop_of_laws_is_located() {
    let law = r#"upper = "0.3 - 0.2*door.position.x^2", stiffness = "200*(2 - t)", damping = 0.1"#;
    let tight = |tolerance: &str| {
        good(&door(law), &["--integrator", "radau", "--adaptive", "--tolerance", tolerance])
    };
    let (loose, tight) = (tight("1e-7"), tight("1e-12"));
    assert!(kinks(&loose) >= 2, "{}", kinks(&loose));
    let error = (loose.last("out0") - tight.last("out0")).abs();
    assert!(error < 1e-7, "{error:e}");
}

/// Laws do work that the audit sees to the last digits, at whatever they push.
#[test]
fn the_energy_of_laws_is_booked() {
    let models = [
        "laws_of_stops",
        "laws_of_the_state",
        "law_along_a_beam",
        "moment_along_a_beam",
        "laws_of_variables",
        "driven_point",
        "drive_that_follows_a_variable",
    ];
    for name in models {
        let arguments = ["--integrator", "radau", "--adaptive", "--tolerance", "1e-11"];
        let summary = good(&model(name), &arguments).summary();
        let energy = &summary["audit"]["energy"];
        let imbalance = energy["max_relative_imbalance"].as_f64().unwrap();
        assert!(imbalance < 1e-9, "{name}: {imbalance:e}");
        let (supplied, dissipated) = ("supplied_work", "dissipated_work");
        // The work of a drive has the sign that it has.
        for what in [supplied, dissipated].into_iter().filter(|_| !name.starts_with("drive")) {
            assert!(energy[what].as_f64().unwrap() >= 0.0, "{name}: {what} {}", energy[what]);
        }
    }
}

/// A motor with its circuit drives a flywheel and brakes it when the current turns: what it adds is supplied,
/// what it takes dissipated, and neither is negative.
#[test]
fn laws_of_variables_book_by_sign() {
    let text = r#"
[model]
gravity = [0, 0, 0]
[[body]]
name = "wheel"
mass = 1
inertia = [2, 2, 2]
[[joint]]
name = "axle"
type = "revolute"
between = ["ground", "wheel"]
at = [0, 0, 0]
axis = [0, 0, 1]
[[equations]]
name = "motor"
variables = { i = 0 }
equations = ["der(i) = 3*cos(3*t)"]
[[force]]
name = "torque"
type = "torque"
on = "wheel"
torque = [0, 0, "4*motor.i"]
[[signal]]
name = "rate"
value = "axle.rate"
[study]
end = 1.5
integrator = "radau"
relative_tolerance = 1e-10
"#;
    // τ = 4 sin 3t and ω = ⅔ (1 − cos 3t) ≥ 0: the power changes its sign with τ, at π/3.
    let ran = good(text, &[]);
    let summary = ran.summary();
    let energy = &summary["audit"]["energy"];
    let peak = (2.0_f64 / 3.0 * 2.0).powi(2);
    let end = (2.0 / 3.0 * (1.0 - 4.5_f64.cos())).powi(2);
    let [supplied, dissipated] = ["supplied_work", "dissipated_work"].map(|k| energy[k].as_f64().unwrap());
    assert!((supplied - peak).abs() < 1e-3 * peak, "{supplied} for {peak}");
    assert!((dissipated - (peak - end)).abs() < 1e-3 * peak, "{dissipated} for {}", peak - end);
    assert!((supplied - dissipated - end).abs() < 1e-8, "{supplied} less {dissipated} for {end}");
}

/// A cantilever under a load that reads a variable with a state of rest, and under that value as a number.
fn leaning(load: &str, study: &str) -> String {
    format!(
        r#"
[model]
gravity = [0, 0, 0]
[[beam]]
name = "rod"
from = [0, 0, 0]
to = [1, 0, 0]
axis1 = [0, 0, 1]
elements = 4
order = 3
start = "clamped"
section = {{ type = "given", stiffness = [90, 90, 200, 1.5, 2, 1.2], mass = 5, inertia = [0.04, 0.05] }}
load = [0, 0, "{load}"]
moment = [0, "0.1*({load})", 0]
[[equations]]
name = "act"
variables = {{ y = 0.4 }}
equations = ["der(y) = 0.7 - y"]
[[signal]]
name = "z"
value = "rod.at(0.77).position.z"
[[signal]]
name = "m"
value = "rod.at(0).moment.y"
[study]
{study}
"#
    )
}

#[test]
fn laws_along_beams_in_studies_of_rest() {
    let study = "type = \"equilibrium\"\n";
    let [law, number] = ["2*act.y", "1.4"].map(|load| good(&leaning(load, study), &[]));
    for name in ["z", "m"] {
        let (law, number) = (law.last(name), number.last(name));
        assert!((law - number).abs() < 1e-9 * number.abs().max(1e-3), "{name}: {law} and {number}");
    }
    for command in ["modes", "linearize", "equilibrium"] {
        let text = leaning("2*act.y - 3*position.z", study);
        let done = command_on(command, "model.toml", &text, &[]);
        assert_eq!(done.code, 0, "{command}: {}", done.said());
    }
}

/// A rod that falls into water, which pushes each section that is below: the kinks of all Gauss points are
/// met, and the error follows the tolerance.
#[test]
fn kinks_of_loads_along_beams_are_located() {
    let text = r#"
[model]
gravity = [0, 0, -9.81]
[[beam]]
name = "rod"
from = [0, 0, 0.02]
to = [1, 0, 0.12]
axis1 = [0, 0, 1]
elements = 2
order = 2
velocity = [0, 0, -1]
section = { type = "given", stiffness = [900, 900, 2000, 15, 20, 12], mass = 5, inertia = [0.04, 0.05] }
load = [0, 0, "if(position.z < 0, -300*position.z - 5*velocity.z, 0)"]
[[signal]]
name = "z"
value = "rod.end.position.z"
[study]
end = 0.2
"#;
    let ran =
        |tolerance: &str| good(text, &["--integrator", "radau", "--adaptive", "--tolerance", tolerance]);
    let (loose, tight) = (ran("1e-6"), ran("1e-11"));
    // Two elements of five Gauss points dive in.
    assert!(kinks(&loose) >= 10, "{}", kinks(&loose));
    let error = (loose.last("z") - tight.last("z")).abs();
    assert!(error < 1e-7, "{error:e}");
}

/// A brake that begins to grip when its guide is pressed by more than 30 N, which a growing load does at
/// t₀ = 0.37: m a = −2 · 20 (t − t₀).
#[test]
fn kinks_in_reactions_are_located() {
    let text = r#"
[model]
gravity = [0, 0, -10]
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
name = "press"
type = "force"
on = "block"
force = [0, 0, "-(10 + 20*(t - 0.37))"]
[[force]]
name = "brake"
type = "force"
on = "block"
force = ["-2*max(guide.reaction.force.z - 30, 0)", 0, 0]
[[signal]]
name = "x"
value = "block.position.x"
[study]
end = 1
"#;
    let exact = 3.0 - 20.0 * 0.63_f64.powi(3) / 6.0;
    for (integrator, limit) in [("radau", 1e-10), ("bdf", 5e-8), ("dormand-prince", 3e-7)] {
        let ran = good(text, &["--integrator", integrator, "--adaptive", "--tolerance", "1e-8"]);
        assert_eq!(kinks(&ran), 1, "{integrator}");
        let error = (ran.last("x") - exact).abs();
        println!("{integrator}: {error:.1e}");
        assert!(error < limit, "{integrator}: {error:e}");
    }
}

/// A drive of a point that reads a position holds it, and its force acts on what is read too.
#[test]
fn a_driven_point_follows_a_position() {
    let gap = "corner.position.x - 0.6 - 0.5*bob.position.x - 0.2*bob.position.x^2";
    let with = format!("\n[[signal]]\nname = \"gap\"\nvalue = \"{gap}\"\n");
    let text = model("driven_point").replace("\n[study]", &format!("{with}\n[study]"));
    let ran = good(&text, &["--integrator", "radau", "--adaptive", "--tolerance", "1e-10"]);
    let gap = ran.signal("gap").into_iter().fold(0.0, |most: f64, gap| most.max(gap.abs()));
    assert!(gap < 1e-10, "{gap:e}");
    // An ideal relation: no work but that of the part that depends on time.
    let summary = ran.summary();
    let energy = &summary["audit"]["energy"];
    assert!(energy["max_relative_imbalance"].as_f64().unwrap() < 1e-8, "{energy}");
    assert!((ran.last("out1") - 0.2).abs() > 1e-4, "the bob feels the drive");
}

/// A law between two bodies that tumble: a spring and damper, nonlinear, whose stiffness follows the place of
/// one of them in space.
const TIED: &str = r#"
[model]
gravity = [0, 0, 0]
[[body]]
name = "a"
mass = 1
inertia = [0.1, 0.2, 0.25]
velocity = [0.3, -0.2, 0.5]
angular_velocity = [0.4, 1, -0.6]
[[body]]
name = "b"
mass = 2
inertia = [0.3, 0.2, 0.4]
position = [1, 0.3, 0.2]
velocity = [-0.3, 0.4, -0.1]
angular_velocity = [-0.7, 0.2, 0.5]
[[marker]]
name = "pa"
body = "a"
position = [0.1, 0.2, 0]
[[marker]]
name = "pb"
body = "b"
position = [-0.1, 0.1, 0.3]
[[force]]
name = "tie"
type = "spring"
between = ["pa", "pb"]
length = 0.8
force = "20*(length - 0.8)*(1 + 0.3*cos(a.position.x)) + 0.5*rate*length^2"
[study]
end = 2
step = 2e-3
"#;

/// What laws between bodies do leaves momentum as it is: the linear one to rounding with every integrator,
/// the angular one to rounding with those that conserve it, and within their order with the others.
#[test]
fn laws_between_bodies_keep_momentum() {
    let cases = [
        ("energy-momentum", 1e-12),
        ("variational-midpoint", 1e-12),
        ("galerkin", 1e-11),
        ("averaged-gradient", 1e-5),
        ("midpoint", 1e-6),
        ("generalized-alpha", 1e-6),
        ("gauss", 1e-10),
        ("radau", 1e-9),
        ("bdf", 1e-9),
        ("runge-kutta-4", 1e-10),
    ];
    for (integrator, angular) in cases {
        let summary = good(TIED, &["--integrator", integrator]).summary();
        let change = |of: &str| summary["audit"]["momentum"][of]["max_change"].as_f64().unwrap();
        let linear = if integrator == "bdf" { 1e-11 } else { 1e-12 };
        assert!(change("linear") < linear, "{integrator}: {:e}", change("linear"));
        assert!(change("angular") < angular, "{integrator}: {:e}", change("angular"));
        // The damper takes energy, all of it booked.
        let imbalance = summary["audit"]["energy"]["max_relative_imbalance"].as_f64().unwrap();
        assert!(imbalance < 1e-4, "{integrator}: {imbalance:e}");
    }
}

/// A magnetic field does no work: methods that conserve energy keep that of a charge to rounding.
#[test]
fn a_charge_keeps_its_energy() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../verification/laws/charge_magnetic.toml");
    let text = std::fs::read_to_string(path).unwrap();
    for integrator in ["energy-momentum", "galerkin", "variational-midpoint", "midpoint", "gauss"] {
        let ran = run(&text, &["--integrator", integrator, "--step", "1e-2"]);
        let kinetic = ran.signal("kinetic");
        assert!(kinetic.len() > 100, "{}", ran.said());
        let worst = kinetic.iter().fold(0.0, |most: f64, energy| most.max((energy / 5.25 - 1.0).abs()));
        assert!(worst < 1e-12, "{integrator}: {worst:e}");
    }
}

/// A wheel whose drive follows a variable.
fn servo(rate: &str, equation: &str) -> String {
    format!(
        r#"
[model]
gravity = [0, 0, 0]
[[body]]
name = "wheel"
mass = 1
inertia = [2, 2, 2]
[[joint]]
name = "axle"
type = "revolute"
between = ["ground", "wheel"]
at = [0, 0, 0]
axis = [0, 0, 1]
[[equations]]
name = "servo"
variables = {{ w = 0 }}
equations = ["{equation}"]
[[drive]]
name = "motor"
type = "joint"
joint = "axle"
{rate}
[[signal]]
name = "angle"
value = "axle.angle"
[[signal]]
name = "effort"
value = "motor.effort"
[study]
end = 1
step = 1e-3
"#
    )
}

/// w = 3 (1 − exp(−4t)) turns the wheel, with the torque 2 w′, and does the work w².
#[test]
fn drives_follow_variables() {
    let text = servo("rate = \"servo.w\"", "der(w) = 4*(3 - w)");
    let (angle, effort) = (3.0 - 0.75 * (1.0 - (-4.0_f64).exp()), 24.0 * (-4.0_f64).exp());
    let work = (3.0 * (1.0 - (-4.0_f64).exp())).powi(2);
    let cases = [
        ("radau", 1e-10),
        ("gauss", 1e-10),
        ("lobatto", 1e-10),
        ("bdf", 1e-6),
        ("runge-kutta-4", 1e-9),
        ("dormand-prince", 1e-9),
        // The work of its two Gauss points; the angle errs less.
        ("galerkin", 2e-8),
        ("generalized-alpha", 3e-5),
        ("midpoint", 3e-5),
        ("newmark", 3e-5),
        ("central-difference", 3e-5),
    ];
    for (integrator, limit) in cases {
        let ran = good(&text, &["--integrator", integrator]);
        let errors = [ran.last("angle") / angle - 1.0, ran.last("effort") / effort - 1.0];
        assert!(errors.iter().all(|error| error.abs() < limit), "{integrator}: {errors:?}");
        let energy = &ran.summary()["audit"]["energy"];
        let supplied = energy["supplied_work"].as_f64().unwrap();
        assert!((supplied / work - 1.0).abs() < limit.max(1e-8), "{integrator}: {supplied} for {work}");
    }
    for integrator in ["energy-momentum", "variational-midpoint"] {
        let refused = run(&text, &["--integrator", integrator]);
        assert_eq!(refused.code, 2, "{integrator}: {}", refused.said());
    }
}

/// At rest the command is nil, and what it reads says where; about that the wheel swings by what the
/// equations say, whatever its inertia.
#[test]
fn followed_variables_in_studies_of_rest() {
    let text = servo("rate = \"servo.w\"", "der(w) = -2*w - 5*(axle.angle - 0.3)");
    let rest = command_on("equilibrium", "model.toml", &text, &["--csv", "--out", "runs/model"]);
    assert_eq!(rest.code, 0, "{}", rest.said());
    assert!((rest.last("angle") - 0.3).abs() < 1e-12, "{}", rest.last("angle"));
    let modes = command_on("modes", "model.toml", &text, &["--out", "runs/model"]);
    assert_eq!(modes.code, 0, "{}", modes.said());
    let mode = &modes.summary()["modes"][0]["eigenvalue"];
    let [re, im] = ["re", "im"].map(|part| mode[part].as_f64().unwrap());
    assert!((re + 1.0).abs() < 1e-9 && (im - 2.0).abs() < 1e-9, "{re} + {im}i");
    let steady =
        command_on("run", "model.toml", &text.replace("[study]", "[study]\ninitial = \"steady\""), &[]);
    assert_eq!(steady.code, 1, "{}", steady.said());
    assert!(steady.said().contains("until the variables are constant"), "{}", steady.said());
    // No state of rest where nothing brings the command to zero.
    let never = servo("rate = \"servo.w\"", "der(w) = 4*(3 - w)");
    let refused = command_on("equilibrium", "model.toml", &never, &[]);
    assert_eq!(refused.code, 1, "{}", refused.said());
    assert!(refused.said().contains("what drive `motor` follows"), "{}", refused.said());
}

/// A satellite that turns as a controller says about one of its axes and as far as it has come about another,
/// which is a law of a position: 0.1 t, because it flies with 1 m/s.
fn satellite(components: &str) -> String {
    format!(
        r#"
[model]
gravity = [0, 0, 0]
[[body]]
name = "sat"
mass = 1
inertia = [1, 2, 3]
velocity = [1, 0, 0]
[[equations]]
name = "servo"
variables = {{ w = 0 }}
equations = ["der(w) = 4*(3 - w)"]
[[drive]]
name = "attitude"
type = "angular_velocity"
on = "sat"
angular_velocity = {components}
frame = "body"
[[signal]]
name = "facing"
value = "sat.rotation.xx"
[[signal]]
name = "spin"
value = "sat.angular_velocity_body.z"
[[signal]]
name = "torque"
value = "attitude.torque.z"
[study]
end = 1
step = 1e-3
"#
    )
}

#[test]
fn angular_velocities_follow_variables_and_positions() {
    let w = 3.0 * (1.0 - (-4.0_f64).exp());
    let turned = 3.0 - 0.75 * (1.0 - (-4.0_f64).exp());
    let cases = [
        ("[0, 0, \"servo.w\"]", turned, w, 36.0 * (-4.0_f64).exp()),
        ("[0, 0, \"0.1*sat.position.x\"]", 0.05, 0.1, 0.3),
        ("[0, 0, \"servo.w + 0.1*sat.position.x\"]", turned + 0.05, w + 0.1, 36.0 * (-4.0_f64).exp() + 0.3),
    ];
    for (components, angle, spin, torque) in cases {
        let text = satellite(components);
        for (integrator, limit) in [("radau", 1e-9), ("generalized-alpha", 3e-5), ("runge-kutta-4", 1e-8)] {
            let ran = good(&text, &["--integrator", integrator]);
            let [cos, end, effort] = ["facing", "spin", "torque"].map(|name| ran.last(name));
            let errors = [cos - angle.cos(), end - spin, effort - torque];
            assert!(errors.iter().all(|e| e.abs() < limit), "{components}, {integrator}: {errors:?}");
        }
    }
    let refused = run(&satellite("[0, 0, \"sat.velocity.x\"]"), &[]);
    assert_eq!(refused.code, 2, "{}", refused.said());
    let said = refused.said();
    assert!(
        said.contains("cannot follow `sat.velocity.x`") && said.contains("constraint of velocities"),
        "{said}"
    );
}

/// Two springs that read each other's force, and one that reads its own.
fn springs(one: &str, two: &str) -> String {
    format!(
        r#"
[[body]]
name = "a"
mass = 1
inertia = [1, 1, 1]
position = [1, 0, 0]
[[force]]
name = "one"
type = "spring"
between = ["ground", "a"]
length = 1
force = "{one}"
[[force]]
name = "two"
type = "spring"
between = ["ground", "a"]
length = 1
stiffness = 3
force = "{two}"
[[signal]]
name = "pull"
value = "2*one.force"
[study]
end = 1
step = 1e-2
"#
    )
}

/// What laws cannot be, with the place and what to do.
#[test]
fn laws_that_cannot_be_are_refused() {
    let stop = |law: &str| door(&format!(r#"upper = "{law}", stiffness = 200, damping = 0.1"#));
    let beam = |load: &str| leaning(load, "end = 1");
    let motion = |load: &str| beam(load).replace("order = 3", "order = 3\nformulation = \"motion\"");
    let drive = |x: &str| model("driven_point").replace("0.6 + 0.5*bob.position.x + 0.2*bob.position.x^2", x);
    let cases = [
        (
            stop("0.3 + door.velocity.z"),
            "a limit of damped stops cannot read `door.velocity.z`",
            "damping = 0",
        ),
        (
            stop("0.3 + door.acceleration.z"),
            "a law cannot read `door.acceleration.z`",
            "positions and velocities",
        ),
        (stop("0.3 + dor.position.z"), "dor", "did you mean"),
        (door(r#"stiffness = "200 + t""#), "the limits of `hinge` limit nothing", "give `lower`"),
        (door(r#"upper = "0.3*t", stiffness = -3"#), "must be positive", ""),
        (beam("rod.at(3).position.z"), "s = 3 is beyond the ends", "its length"),
        (motion("rod.at(0.3).position.z"), "can be recorded, but not used here", "read a node"),
        (beam("rod.node3.acceleration.z"), "a law cannot read `rod.node3.acceleration.z`", "positions"),
        (drive("bob.velocity.x"), "a position cannot follow the velocity `bob.velocity.x`", "force law"),
        (drive("arm.force.x"), "a constraint cannot use `arm.force.x`", ""),
        (springs("0.5*two.force", "0.1*pull"), "the law of `one` reads its own force", "an algebraic loop"),
        (springs("0.2*one.force", "0"), "the law of `one` reads its own force", "positions and velocities"),
        (
            servo("position = \"servo.w\"", "der(w) = -w"),
            "a constraint cannot use `servo.w`",
            "let the velocity follow its rate",
        ),
        (servo("rate = \"servo.w_rate\"", "der(w) = -w"), "a law cannot read `servo.w_rate`", "x = der(y)"),
        (
            servo("rate = \"servo.w + axle.reaction.force.z\"", "der(w) = -w"),
            "a constraint cannot use `axle.reaction.force.z`",
            "not the other way round",
        ),
        (
            servo("rate = \"servo.w*axle.rate\"", "der(w) = -w"),
            "the factor of `axle.rate` cannot follow the variable `servo.w`",
            "a velocity times a variable",
        ),
    ];
    for (text, message, help) in cases {
        let refused = run(&text, &[]);
        let said = refused.said();
        assert_eq!(refused.code, 2, "{message}: {said}");
        assert!(said.contains(message) && said.contains("model.toml:") && said.contains(help), "{said}");
    }
}
