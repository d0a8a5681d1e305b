//! Jumps in laws of time, algebraic unknowns behind them, sources that oscillate, and friction that sticks.

use crate::trust::tools::{Finished, command_on, run};
use std::time::{Duration, Instant};

/// A free mass under a force that is one until t = 0.7 and nothing then.
fn pushed(law: &str, study: &str) -> Finished {
    let text = format!(
        r#"
[model]
gravity = [0, 0, 0]
[[body]]
name = "p"
type = "point"
mass = 1
[[force]]
name = "f"
type = "force"
on = "p"
force = ["{law}", 0, 0]
[[signal]]
name = "x"
value = "p.position.x"
[[signal]]
name = "v"
value = "p.velocity.x"
[[signal]]
name = "a"
value = "p.acceleration.x"
[study]
end = 1.2
{study}
"#
    );
    let finished = run(&text, &[]);
    assert_eq!(finished.code, 0, "{law}, {study}: {}", finished.said());
    finished
}

/// v = 0.7 and x = 0.7²/2 + 0.7·0.5 at the end, within an error.
fn check(law: &str, study: &str, limit: f64) {
    let finished = pushed(law, study);
    let (v, x) = (finished.last("v") - 0.7, finished.last("x") - 0.595);
    assert!(v.abs() <= limit && x.abs() <= limit, "{law}, {study}: {v:e} {x:e}");
}

const LAWS: [&str; 9] = [
    "if(t < 0.7, 1, 0)",
    "if(t <= 0.7, 1, 0)",
    "if(t > 0.7, 0, 1)",
    "1 - step(t - 0.7)",
    "(1 - sign(t - 0.7))/2",
    "1 - floor(t + 0.3)",
    // A jump at the very start.
    "if(t > 0 and t <= 0.7, 1, 0)",
    "if(sin(pi*t/0.7) > 0, 1, 0)",
    "if(mod(t + 0.3, 1)^2 >= 0.09 and t < 1, 1, 0)",
];

/// However the jump is written, and wherever it falls in the steps.
#[test]
fn a_force_that_is_switched_off() {
    for law in LAWS {
        for study in ["integrator = \"radau\"", "integrator = \"radau\"\nstep = 0.01"] {
            check(law, study, 1e-14);
        }
    }
    for integrator in
        ["runge-kutta-4", "newmark", "gauss", "lobatto", "energy-momentum", "galerkin", "optimal"]
    {
        for step in [0.01, 0.0137] {
            check(LAWS[1], &format!("integrator = \"{integrator}\"\nstep = {step}"), 1e-14);
        }
    }
    check(LAWS[1], "integrator = \"dormand-prince\"", 1e-14);
    // A formula of five steps multiplies rounding.
    check(LAWS[1], "integrator = \"bdf\"\nstep = 0.01", 1e-12);
}

/// A row at a jump shows what holds behind it, and fixed steps keep their rows.
#[test]
fn rows_at_a_jump() {
    for law in ["if(t < 0.7, 1, 0)", "if(t <= 0.7, 1, 0)"] {
        let finished = pushed(law, "integrator = \"radau\"\nstep = 0.1");
        assert_eq!(finished.signal("a"), [1., 1., 1., 1., 1., 1., 1., 0., 0., 0., 0., 0., 0.], "{law}");
        let finished = pushed(law, "integrator = \"radau\"\nstep = 0.2");
        assert_eq!(finished.signal("a"), [1., 1., 1., 1., 0., 0., 0.], "{law}");
    }
}

/// A light mass on a stiff spring carries on behind the jump: the momentum is that of the force.
#[test]
fn a_jump_on_a_stiff_model() {
    let text = r#"
[model]
gravity = [0, 0, 0]
[[body]]
name = "p"
type = "point"
mass = 1
[[body]]
name = "q"
type = "point"
mass = 1e-3
position = [1, 0, 0]
[[force]]
name = "s"
type = "spring"
between = ["p", "q"]
stiffness = 1e4
[[force]]
name = "f"
type = "force"
on = "q"
force = ["if(t <= 0.07, 1, 0)", 0, 0]
[[signal]]
name = "sum"
value = "p.velocity.x + 1e-3*q.velocity.x"
[study]
end = 0.09
integrator = "radau"
relative_tolerance = 1e-9
absolute_tolerance = 1e-11
"#;
    let finished = run(text, &[]);
    assert_eq!(finished.code, 0, "{}", finished.said());
    assert!((finished.last("sum") - 0.07).abs() < 1e-12, "{:e}", finished.last("sum") - 0.07);
}

/// An energy model, run at a tolerance.
fn network(text: &str, tolerance: &str) -> Finished {
    let arguments = ["--csv", "--integrator", "radau", "--adaptive", "--tolerance", tolerance];
    let finished = command_on("run", "model.ldae", text, &arguments);
    assert_eq!(finished.code, 0, "tolerance {tolerance}: {}", finished.said());
    finished
}

/// A pump that is turned up against an orifice: ΔP = R Q|Q| behind the jump, and the tank has what came in.
#[test]
fn a_pump_is_turned_up() {
    let text = "P1 = pump(a, ground, P = if(t < 1, 1e4, 5e4));
O1 = orifice(a, b, R = 1e10);
T1 = tank(b, A = 0.1);
FinalTime = 1.001; OutputPoints = 11;";
    for tolerance in ["1e-4", "1e-6", "1e-8", "1e-10"] {
        let finished = network(text, tolerance);
        let (q, level) = (finished.last("O1.Q"), finished.last("b.P"));
        let expected = ((5e4 - level) / 1e10_f64).sqrt();
        assert!((q / expected - 1.0).abs() < 1e-9, "{tolerance}: {q} for {expected}");
    }
}

/// A transistor that is switched on and pulls its load down. The current into the base is
/// that of the network.
#[test]
fn a_transistor_is_switched_on() {
    let text = "Vcc = voltage_source(cc, ground, v = 5);
Vin = voltage_source(s, ground, v = if(t < 1e-3, 0, 5));
Rb = resistor(s, b, R = 10e3);
Rc = resistor(cc, c, R = 1e3);
Q1 = bjt(c, b, ground);
Cl = capacitor(c, ground, C = 1e-8);
FinalTime = 2e-3; OutputPoints = 21;";
    let truth = network(text, "1e-10").last("c.v");
    assert!(truth > 0.0 && truth < 0.2, "{truth}");
    for tolerance in ["1e-4", "1e-6", "1e-8"] {
        let v = network(text, tolerance).last("c.v");
        assert!((v - truth).abs() < 10.0 * tolerance.parse::<f64>().unwrap(), "{tolerance}: {v} for {truth}");
    }
}

/// A buck converter at 20 kHz: the switch is a resistor that jumps by seven orders of
/// magnitude, the diode takes over.
#[test]
fn a_buck_converter() {
    let text = "V1 = voltage_source(in, ground, v = 24);
S1 = resistor(in, sw, R = if(mod(t, 50e-6) < 20e-6, 0.05, 1e6));
D1 = diode(ground, sw);
L1 = inductor(sw, out, L = 200 [uH]);
C1 = capacitor(out, ground, C = 100 [uF]);
R1 = resistor(out, ground, R = 5);
FinalTime = 1e-3; OutputPoints = 21;";
    let truth = network(text, "1e-10").last("out.v");
    assert!(truth > 5.0 && truth < 15.0, "{truth}");
    for tolerance in ["1e-4", "1e-6", "1e-8"] {
        let v = network(text, tolerance).last("out.v");
        let error = (v / truth - 1.0).abs();
        assert!(error < 10.0 * tolerance.parse::<f64>().unwrap(), "{tolerance}: {error:e}");
    }
}

/// y³ + y = −1000 from y³ + y = 1: Newton's method alone takes long steps.
#[test]
fn a_cubic_equation_jumps() {
    let text = r#"
[[equations]]
name = "a"
variables = { x = 0, y = 0 }
equations = ["der(x) = y", "y^3 + y = if(t < 1, 1, -1000)"]
[[signal]]
name = "y"
value = "a.y"
[[signal]]
name = "x"
value = "a.x"
[study]
end = 2
integrator = "radau"
"#;
    let finished = run(text, &[]);
    assert_eq!(finished.code, 0, "{}", finished.said());
    let root = |right: f64| {
        let mut y = right.cbrt();
        (0..100).for_each(|_| y -= (y * y * y + y - right) / (3.0 * y * y + 1.0));
        y
    };
    let (before, after) = (root(1.0), root(-1000.0));
    assert!((finished.last("y") / after - 1.0).abs() < 1e-9);
    assert!((finished.last("x") - (before + after)).abs() < 1e-9);
}

/// The rectifier of the manual: at the default tolerance the voltage over the load is right, with
/// the source's 18 periods. The truth is from Radau at 1e-10; Lobatto and generalized-α with
/// 15 000 and 30 000 fixed steps agree to eight digits.
#[test]
fn a_rectifier_does_not_miss_periods() {
    let text = "V1 = voltage_source(a, ground, v = 12*sin(120*pi*t));
R1 = resistor(a, b, R = 8);
D1 = diode(b, out);
C1 = capacitor(out, ground, C = 3900 [uF]);
R2 = resistor(out, ground, R = 48);
FinalTime = 0.3;
OutputPoints = 31;";
    let finished = command_on("run", "model.ldae", text, &["--csv"]);
    assert_eq!(finished.code, 0, "{}", finished.said());
    let (charge, v) = (finished.last("R2.q"), finished.last("out.v"));
    assert!((v / 5.999_001_92 - 1.0).abs() < 1e-5, "{v}");
    assert!((charge / 0.031_513_225_1 - 1.0).abs() < 1e-5, "{charge}");
    assert!(finished.said().contains("by laws of time"), "{}", finished.said());
}

/// A pulse of a millisecond in a study of ten seconds is not missed, by any method with steps of
/// its own; how well it is followed is a matter of the method.
#[test]
fn a_short_pulse_is_seen() {
    // ∫ exp(−((t − 5)/s)²) dt = s √π.
    let expected = 1e-3 * std::f64::consts::PI.sqrt();
    let methods = [("radau", 1e-6), ("dormand-prince", 1e-5), ("bdf", 1e-3), ("generalized-alpha", 1e-3)];
    for (integrator, limit) in methods {
        let text = format!(
            r#"
[model]
gravity = [0, 0, 0]
[[body]]
name = "p"
type = "point"
mass = 1
[[force]]
name = "f"
type = "force"
on = "p"
force = ["1000*exp(-((t - 5)/1e-3)^2)", 0, 0]
[[signal]]
name = "v"
value = "p.velocity.x"
[study]
end = 10
integrator = "{integrator}"
relative_tolerance = 1e-6
"#
        );
        let finished = run(&text, &[]);
        assert_eq!(finished.code, 0, "{}", finished.said());
        let error = (finished.last("v") / (1000.0 * expected) - 1.0).abs();
        assert!(error < limit, "{integrator}: {error:e}");
    }
}

/// Dry friction that holds a spring: the run ends at once and says why.
#[test]
fn friction_by_sign_that_sticks() {
    let text = "m = 1; k = 10; b = 0.1;
DisplacementVariables = [x];
FlowVariables = [v];
KineticCoEnergy = m*v^2/2;
PotentialEnergy = k*x^2/2;
DissipationFunction = b*v^2/2;
GeneralizedEfforts = [-100*sign(v)];
InitialDisplacements = [1];
InitialFlows = [0];
FinalTime = 1; OutputPoints = 11;";
    let begin = Instant::now();
    let finished = command_on("run", "model.ldae", text, &[]);
    assert_eq!(finished.code, 1, "{}", finished.said());
    assert!(finished.said().contains("sticks to a switch"), "{}", finished.said());
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
}
