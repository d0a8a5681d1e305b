//! Slow modes beside stiff parts: they are found, or it is said that they cannot be.

use crate::trust::tools::{command_on, run};
use std::f64::consts::PI;

const YOUNG: f64 = 2.1e11;
const DENSITY: f64 = 7850.0;

/// A steel wire of one metre, clamped at its foot, with a force at its end: along the wire as it bends, or
/// downwards.
fn wire(diameter: f64, follows: bool, study: &str) -> String {
    let force = if follows { "frame = \"body\"\nforce = [0, 0, \"-P\"]" } else { "force = [0, \"-P\", 0]" };
    format!(
        r#"
[model]
name = "wire"
plane = "xy"
gravity = [0, 0, 0]
[parameters]
P = 0
[[beam]]
name = "wire"
from = [0, 0, 0]
to = [0, 1, 0]
elements = 8
order = 3
start = "clamped"
section = {{ type = "circle", diameter = {diameter}, young = {YOUNG}, density = {DENSITY} }}
[[force]]
name = "thrust"
type = "force"
on = "wire.end"
{force}
[study]
{study}
"#
    )
}

/// E I.
fn stiffness(diameter: f64) -> f64 {
    YOUNG * PI * diameter.powi(4) / 64.0
}

fn close(found: f64, exact: f64, relative: f64) {
    assert!((found / exact - 1.0).abs() <= relative, "{found:e} for {exact:e}: {:.1e}", found / exact - 1.0);
}

/// Bending is 1e-10 of shear in a wire of 0.1 mm: its frequencies are found as far as the stiffness leaves
/// them.
#[test]
fn thin_wire_swings() {
    for (diameter, relative) in [(1e-4, 1e-4), (1e-3, 1e-5)] {
        let found = run(&wire(diameter, false, "type = \"modes\"\ncount = 3"), &[]);
        assert_eq!(found.code, 0, "{}", found.said());
        let summary = found.summary();
        for (k, root) in [1.875104068711961, 4.694091132974175].into_iter().enumerate() {
            let speed = (YOUNG * diameter * diameter / 16.0 / DENSITY).sqrt();
            let frequency = summary["modes"][k]["frequency_hz"].as_f64().unwrap();
            close(frequency, root * root / (2.0 * PI) * speed, relative);
        }
        assert!(found.said().contains("✓ stability"), "{}", found.said());
    }
}

/// The same with 540 freedoms, of which only the lowest modes are looked for.
#[test]
fn finely_divided_wire_swings() {
    let text = wire(1e-4, false, "type = \"modes\"\ncount = 3").replace("elements = 8", "elements = 60");
    let found = run(&text, &[]);
    assert_eq!(found.code, 0, "{}", found.said());
    let speed = (YOUNG * 1e-8 / 16.0 / DENSITY).sqrt();
    let frequency = found.summary()["modes"][0]["frequency_hz"].as_f64().unwrap();
    close(frequency, 1.875104068711961f64.powi(2) / (2.0 * PI) * speed, 1e-2);
}

/// In a wire of 0.2 µm bending is below the rounding of shear: nothing is said.
#[test]
fn what_is_rounding_is_not_decided() {
    let found = run(&wire(2e-7, false, "type = \"modes\"\ncount = 3"), &[]);
    assert!(found.said().contains("! stability    neutral: not decided"), "{}", found.said());
    let study = "type = \"campbell\"\nparameter = \"P\"\nrange = [0, 1e-18]\npoints = 3\ncount = 2";
    let found = run(&wire(2e-7, true, study), &[]);
    assert!(found.said().contains("! stability    not decided"), "{}", found.said());
}

/// Beck's column as a wire of 0.5 mm flutters at 20.05 E I/l², and loses no equilibrium on the way.
#[test]
fn thin_wire_flutters() {
    let load = stiffness(5e-4);
    let study = format!(
        "type = \"campbell\"\nparameter = \"P\"\nrange = [0, {}]\npoints = 11\ncount = 4",
        25.0 * load
    );
    let found = run(&wire(5e-4, true, &study), &[]);
    let unstable = found.summary()["instabilities"][0].clone();
    close(unstable["from"].as_f64().unwrap() / load, 20.05095361897376, 1e-5);
    assert_eq!(unstable["kind"], "flutter");
    let study = format!("type = \"path\"\nparameter = \"P\"\nto = {}", 25.0 * load);
    let path = run(&wire(5e-4, true, &study), &[]);
    assert_eq!(path.code, 0, "{}", path.said());
    assert_eq!(path.summary()["bifurcations"].as_array().unwrap().len(), 0, "{}", path.said());
}

/// Ziegler's pendulum: bodies whose own inertia stands for none do not hide the slow modes.
#[test]
fn ziegler_with_small_inertia() {
    let body = |name: &str, mass: f64, y: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nmass = {mass}\ninertia = [1e-13, 1e-13, 1e-13]\nposition = [0, {y}, 0]\n"
        )
    };
    let joint = |name: &str, first: &str, second: &str, y: f64| {
        format!(
            "[[joint]]\nname = \"{name}\"\ntype = \"revolute\"\nbetween = [\"{first}\", \"{second}\"]\nat = [0, {y}, 0]\n\
             axis = [0, 0, 1]\n[[force]]\nname = \"spring_{name}\"\ntype = \"torsion\"\njoint = \"{name}\"\nstiffness = 1\n"
        )
    };
    let text = [
        "[model]\nname = \"z\"\nplane = \"xy\"\ngravity = [0, 0, 0]\n[parameters]\nP = 0\n".to_owned(),
        body("lower", 2.0, 1.0),
        body("upper", 1.0, 2.0),
        joint("foot", "ground", "lower", 0.0),
        joint("knee", "lower", "upper", 1.0),
        "[[force]]\nname = \"thrust\"\ntype = \"force\"\non = \"upper\"\nframe = \"body\"\nforce = [0, \"-P\", 0]\n".into(),
        "[study]\ntype = \"campbell\"\nparameter = \"P\"\nrange = [0, 3]\npoints = 16\ncount = 2\n".into(),
    ];
    let found = run(&text.concat(), &[]);
    let summary = found.summary();
    close(summary["instabilities"][0]["from"].as_f64().unwrap(), 3.5 - 2f64.sqrt(), 1e-10);
    let frequency = |sign: f64| ((7.0 + sign * 41f64.sqrt()) / 4.0).sqrt() / (2.0 * PI);
    for (k, sign) in [-1.0, 1.0].into_iter().enumerate() {
        close(summary["branches"][k]["frequency_hz"][0].as_f64().unwrap(), frequency(sign), 1e-9);
    }
}

/// A free body that rests in a frame that turns with it: about its axes of largest and smallest inertia it is
/// neutral, for places and directions in space do not matter; about the middle one it tumbles with Ω √((C −
/// B)(B − A)/(A C)). Inertial forces that cancel along the axis once left growth of rounding.
#[test]
fn a_free_body_in_a_turning_frame_is_neutral_or_tumbles() {
    for (inertia, tumbles) in [([0.5, 0.8, 1.1], false), ([1.1, 0.8, 0.5], false), ([0.5, 1.1, 0.8], true)] {
        for rate in [0.3, 7.0, 250.0] {
            let model = format!(
                "[model]\ngravity = [0, 0, 0]\nrotation = [0, 0, {rate}]\n[[body]]\nname = \"body\"\nmass = 3\n\
                 inertia = {inertia:?}\n[study]\ntype = \"modes\"\nabout = \"start\"\n"
            );
            let done = run(&model, &[]);
            let summary = done.summary();
            let verdict = if tumbles { "unstable" } else { "neutral" };
            assert_eq!(summary["stability"]["verdict"], verdict, "{inertia:?} {rate}: {}", done.said());
            let real = |mode: &serde_json::Value| mode["eigenvalue"]["re"].as_f64().unwrap();
            let fastest = summary["modes"].as_array().unwrap().iter().map(real).fold(0.0, f64::max);
            if tumbles {
                close(fastest, rate * (0.3f64 * 0.3 / (0.5 * 1.1)).sqrt(), 1e-9);
            }
        }
    }
}

/// The column's critical load by a path, by linearised buckling and by the modes: one number, as far as the
/// section leaves it.
#[test]
fn path_buckling_and_modes_agree() {
    for (diameter, relative, exact) in [(2e-2, 1e-8, 1e-3), (1e-3, 1e-6, 1e-5)] {
        let euler = PI * PI / 4.0 * stiffness(diameter);
        let path = format!("type = \"path\"\nparameter = \"P\"\nto = {}\nbranches = false", 1.5 * euler);
        let path = run(&wire(diameter, false, &path), &[]);
        let at = path.summary()["bifurcations"][0]["parameter"].as_f64().unwrap();
        close(at, euler, exact);
        let buckling = format!("type = \"buckling\"\nparameter = \"P\"\nat = {}\ncount = 1", 0.9999 * at);
        let buckling = run(&wire(diameter, false, &buckling), &[]);
        let critical = buckling.summary()["critical"][0].clone();
        close(critical["value"].as_f64().unwrap(), at, relative);
        assert!(critical["error"].as_f64().unwrap() < 10.0 * relative * at, "{critical}");
        let range = [0.9 * euler, 1.1 * euler];
        let modes =
            format!("type = \"campbell\"\nparameter = \"P\"\nrange = {range:?}\npoints = 3\ncount = 2");
        let modes = run(&wire(diameter, false, &modes), &[]);
        let unstable = modes.summary()["instabilities"][0].clone();
        close(unstable["from"].as_f64().unwrap(), at, relative);
        assert_eq!(unstable["kind"], "divergence");
    }
}

/// The eigenvalues that `stability` prints.
fn eigenvalues(text: &str, file: &str) -> (Vec<(f64, f64)>, serde_json::Value) {
    let done = command_on("stability", file, text, &["--json"]);
    let answer: serde_json::Value =
        serde_json::from_str(&done.out).unwrap_or_else(|e| panic!("{e}\n{}", done.said()));
    let number = |v: &serde_json::Value, part: &str| v[part].as_f64().unwrap();
    let list = answer["eigenvalues"].as_array().unwrap().iter();
    (list.map(|v| (number(v, "re"), number(v, "im"))).collect(), answer)
}

/// Stages of resistors and capacitors behind amplifiers, with the currents as unknowns without rates: −1/RC
/// from a nanosecond to eleven days.
#[test]
fn time_constants_over_fifteen_decades() {
    let stages = 16;
    let [mut variables, mut equations] = [vec![], vec![]];
    for k in 0..stages {
        let (resistance, capacity) = (10f64.powi(k / 2), 10f64.powi(k - 9 - k / 2));
        let before = if k == 0 { "0".to_owned() } else { format!("v{}", k - 1) };
        variables.push(format!("v{k} = 0, i{k} = 0"));
        equations
            .push(format!("\"{capacity:e}*der(v{k}) = i{k}\", \"{resistance:e}*i{k} = {before} - v{k}\""));
    }
    let model = format!(
        "[[equations]]\nname = \"l\"\nvariables = {{ {} }}\nequations = [{}]\n",
        variables.join(", "),
        equations.join(", ")
    );
    let (values, answer) = eigenvalues(&model, "model.toml");
    assert_eq!((values.len(), answer["verdict"].as_str()), (16, Some("asymptotically stable")), "{answer}");
    for (k, (re, im)) in values.iter().rev().enumerate() {
        close(*re, -10f64.powi(9 - k as i32), 1e-6);
        assert_eq!(*im, 0.0);
    }
}

/// Two stages that load each other: s² R₁C₁R₂C₂ + s (R₁C₁ + R₂C₂ + R₁C₂) + 1 = 0, 15 decades apart.
#[test]
fn a_ladder_of_two() {
    let [r1, c1, r2, c2] = [1.0f64, 1e-9, 1e9, 1e-3];
    let model = format!(
        "[[equations]]\nname = \"l\"\nvariables = {{ v = 0, w = 0, i = 0, j = 0 }}\nequations = [\"{c1:e}*der(v) = i - j\", \
         \"{c2:e}*der(w) = j\", \"{r1}*i = -v\", \"{r2:e}*j = v - w\"]\n"
    );
    let (values, answer) = eigenvalues(&model, "model.toml");
    let (square, middle) = (r1 * c1 * r2 * c2, r1 * c1 + r2 * c2 + r1 * c2);
    let fast = -0.5 * (middle + (middle * middle - 4.0 * square).sqrt()) / square;
    close(values[1].0, fast, 1e-12);
    close(values[0].0, 1.0 / (square * fast), 1e-12);
    assert_eq!(answer["verdict"], "asymptotically stable", "{answer}");
}

/// A motor with four windings, of a nanohenry to a henry, on a heavy wheel: f(s) = J s + b + Σ k²/(R + L s) =
/// 0.
#[test]
fn inductances_over_nine_decades() {
    let [inertia, friction, constant, resistance] = [1e3f64, 1e-6, 0.05, 0.5];
    let inductances = [1e-9f64, 1e-6, 1e-3, 1.0];
    let (mut variables, mut equations, mut torque) = (vec!["w = 0".to_owned()], vec![], String::new());
    for (k, l) in inductances.iter().enumerate() {
        variables.push(format!("i{k} = 0"));
        equations.push(format!("\"{l:e}*der(i{k}) = -{resistance}*i{k} - {constant}*w\""));
        torque += &format!(" + {constant}*i{k}");
    }
    equations.push(format!("\"{inertia}*der(w) = -{friction:e}*w{torque}\""));
    let model = format!(
        "[[equations]]\nname = \"m\"\nvariables = {{ {} }}\nequations = [{}]\n",
        variables.join(", "),
        equations.join(", ")
    );
    let (values, answer) = eigenvalues(&model, "model.toml");
    assert_eq!((values.len(), answer["verdict"].as_str()), (5, Some("asymptotically stable")), "{answer}");
    for (s, im) in values {
        let drag = |l: &f64| constant * constant / (resistance + l * s);
        let f = inertia * s + friction + inductances.iter().map(drag).sum::<f64>();
        let slope = inertia - inductances.iter().map(|l| l * drag(l) / (resistance + l * s)).sum::<f64>();
        assert!(im == 0.0 && (f / slope / s).abs() < 1e-6, "{s:e}: {:e}", f / slope / s);
    }
}

/// Masses tied to each other by a multiplier, of places (index 3) or of speeds (index 2), beside a spring
/// 1e20 times as stiff.
#[test]
fn slow_modes_of_higher_index() {
    let [soft, stiff] = [1e-8f64, 1e12];
    for (tie, zeros) in [("x = 3*y", 0), ("u = 3*v", 1)] {
        let model = format!(
            "[[equations]]\nname = \"d\"\nvariables = {{ x = 0, u = 0, y = 0, v = 0, f = 0, z = 0, w = 0 }}\nequations = [\
             \"der(x) = u\", \"2*der(u) = -{soft:e}*x + f\", \"der(y) = v\", \"4*der(v) = -3*f\", \"{tie}\", \
             \"der(z) = w\", \"der(w) = -{stiff:e}*z - w\"]\n"
        );
        let (values, answer) = eigenvalues(&model, "model.toml");
        assert_eq!(values.len(), 4 + zeros, "{answer}");
        // (2 + 4/9) ü = −k x.
        close(values[zeros].1, (soft / (2.0 + 4.0 / 9.0)).sqrt(), 1e-6);
        assert_eq!(values[zeros].0, 0.0, "{answer}");
        close(values[2 + zeros].1, (stiff - 0.25f64).sqrt(), 1e-9);
        close(values[2 + zeros].0, -0.5, 1e-6);
        assert_eq!(answer["verdict"], "neutral", "{answer}");
    }
}

/// The wire with a controller that reads its end: the same flutter, and no word of stability beyond it.
#[test]
fn wire_beside_a_controller() {
    let load = stiffness(5e-4);
    let controller = "[[equations]]\nname = \"control\"\nvariables = { sum = 0, y = 0 }\n\
        equations = [\"der(sum) = wire.end.position.x - 0.1*sum\", \"y = 2*wire.end.position.x + sum\"]\n[study]\n";
    for (share, unstable) in [(0.8, false), (1.25, true)] {
        let at =
            |text: String| text.replace("P = 0\n", &format!("P = {}\n", share * 20.05095361897376 * load));
        let study = "type = \"modes\"\ncount = 6";
        let plain = run(&at(wire(5e-4, true, study)), &[]);
        let with = run(&at(wire(5e-4, true, study).replace("[study]\n", controller)), &[]);
        assert_eq!((plain.code, with.code), (0, 0), "{}{}", plain.said(), with.said());
        let frequencies = |of: &serde_json::Value| -> Vec<f64> {
            let list = of["modes"].as_array().unwrap().iter();
            list.map(|m| m["frequency_hz"].as_f64().unwrap()).filter(|f| *f > 0.0).collect()
        };
        let (plain, found) = (plain.summary(), with.summary());
        for (x, y) in frequencies(&plain).iter().zip(frequencies(&found)) {
            close(y, *x, 1e-6);
        }
        assert_eq!(found["stability"]["verdict"] == "unstable", unstable, "{}", with.said());
        assert!(unstable || !with.said().contains("asymptotically"), "{}", with.said());
    }
}
