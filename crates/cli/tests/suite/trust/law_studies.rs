//! Each kind of law in each kind of study, beside the same physics without a law: a spring and its law, a
//! stop of numbers and of laws, a coupling and a drive that follows a coordinate.

use crate::trust::tools::{Finished, run};

const BASE: &str = r#"
[model]
gravity = [0, 0, -9.81]
[parameters]
load = 1
[[body]]
name = "rod"
mass = 1
inertia = [0.1, 0.1, 0.1]
position = [0.3, 0, -0.5]
[[body]]
name = "bob"
mass = 0.5
inertia = [0.02, 0.03, 0.04]
position = [0.6, 0, -1.2]
[[joint]]
name = "pivot"
type = "revolute"
between = ["ground", "rod"]
at = [0, 0, 0]
axis = [0, 1, 0]
[[joint]]
name = "knee"
type = "revolute"
between = ["rod", "bob"]
at = [0.6, 0, -1]
axis = [0, 1, 0]
LIMITS
[[force]]
name = "push"
type = "force"
on = "bob"
force = ["load", 0, 0]
[[force]]
name = "hold_pivot"
type = "torsion"
joint = "pivot"
stiffness = 9
damping = 0.3
[[force]]
name = "hold_knee"
type = "torsion"
joint = "knee"
stiffness = 2
damping = 0.1
[[signal]]
name = "x"
value = "bob.position.x"
[[signal]]
name = "z"
value = "bob.position.z"
[[signal]]
name = "reaction"
value = "pivot.reaction.force.z"
"#;

/// A kind of law: the tables without a law, and with it.
struct Kind {
    name: &'static str,
    plain: String,
    law: String,
}

fn kind(name: &'static str, plain: impl Into<String>, law: impl Into<String>) -> Kind {
    Kind { name, plain: plain.into(), law: law.into() }
}

fn force(keys: &str) -> String {
    format!("[[force]]\nname = \"law\"\n{keys}\n")
}

fn kinds() -> Vec<Kind> {
    let spring = |keys: &str| {
        force(&format!(
            "type = \"spring\"\nbetween = [\"ground\", \"bob\"]\npoints = [[1, 0, -1], [0.6, 0, -1.2]]\n{keys}"
        ))
    };
    let bushing = |keys: &str| {
        force(&format!("type = \"bushing\"\nbetween = [\"ground\", \"bob\"]\nat = [0.6, 0, -1.2]\n{keys}"))
    };
    let mount = bushing("stiffness = [20, 20, 20, 0, 0, 0]\ndamping = [1, 1, 1, 0, 0, 0]");
    let pull = |sign: &str| {
        let way = |axis: &str, start: &str| {
            format!("\"{sign}(20*(bob.position.{axis}{start}) + bob.velocity.{axis})\"")
        };
        [way("x", " - 0.6"), way("y", ""), way("z", " + 1.2")].join(", ")
    };
    let knee = |keys: &str| force(&format!("type = \"torsion\"\njoint = \"knee\"\n{keys}"));
    let dead = |x: &str| force(&format!("type = \"force\"\non = \"bob\"\nforce = [{x}, 0, 0]"));
    let couple = |factor: &str, offset: &str| {
        format!(
            "[[coupling]]\nname = \"law\"\ntype = \"linear\"\nterms = [{{ coordinate = \"knee.angle\", factor = 1 }}, \
             {{ coordinate = \"pivot.angle\", factor = {factor} }}]\noffset = {offset}\n"
        )
    };
    let drive = |law: &str| format!("[[drive]]\nname = \"law\"\ntype = \"joint\"\njoint = \"knee\"\n{law}\n");
    let equations = |keys: &str| format!("[[equations]]\nname = \"act\"\n{keys}\n");
    let beam = |load: &str, moment: &str| {
        format!(
            r#"
[[beam]]
name = "law"
from = [0, 1, 0]
to = [1, 1, 0]
axis1 = [0, 0, 1]
elements = 2
order = 2
start = "clamped"
section = {{ type = "given", stiffness = [90, 90, 200, 15, 20, 12], mass = 0.5, inertia = [0.04, 0.05] }}
load = {load}
moment = {moment}
[[signal]]
name = "tip"
value = "law.end.position.z"
"#
        )
    };
    vec![
        kind(
            "spring",
            spring("stiffness = 30\ndamping = 0.5\nlength = 0.3"),
            spring("length = 0.3\nforce = \"30*(law.length - 0.3) + 0.5*law.rate\""),
        ),
        kind(
            "force",
            mount.clone(),
            force(&format!("type = \"force\"\non = \"bob\"\nforce = [{}]", pull("-"))),
        ),
        kind(
            "bushing",
            mount,
            bushing(&format!("stiffness = [0, 0, 0, 0, 0, 0]\nforce = [{}, 0, 0, 0]", pull(""))),
        ),
        kind(
            "torque",
            force("type = \"torsion\"\njoint = \"pivot\"\nstiffness = 7\ndamping = 0.5"),
            force(
                "type = \"torque\"\non = \"rod\"\ntorque = [0, \"-7*pivot.angle - 0.5*rod.angular_velocity.y\", 0]",
            ),
        ),
        kind(
            "torsion",
            knee("stiffness = 7\ndamping = 0.5"),
            knee("torque = \"7*knee.angle + 0.5*knee.rate + 0*pivot.angle\""),
        ),
        kind(
            "load of equations",
            knee("stiffness = 7\ndamping = 0.5"),
            equations("loads = { \"knee.angle\" = \"-7*knee.angle - 0.5*knee.rate\" }"),
        ),
        // At rest the knee carries the weight of the bob.
        kind("reaction", dead("0.4905"), dead("\"0.1*knee.reaction.force.z\"")),
        kind(
            "variable",
            dead("1.4"),
            dead("\"2*act.y\"") + &equations("variables = { y = 0.7 }\nequations = [\"der(y) = 0.7 - y\"]"),
        ),
        kind("drive by position", couple("-0.5", "0.1"), drive("position = \"0.5*pivot.angle + 0.1\"")),
        kind("coupling", couple("-0.5", "0.1"), couple("-1", "\"0.1 - 0.5*pivot.angle\"")),
        kind(
            "drive that follows a variable",
            drive("rate = 0"),
            drive("rate = \"act.y\"") + &equations("variables = { y = 0 }\nequations = [\"der(y) = -y\"]"),
        ),
        kind(
            "stop",
            "limits = { upper = -0.2, stiffness = 50, damping = 0.1 }",
            "limits = { upper = \"-0.2 + 0*pivot.angle\", stiffness = \"50 + 0*t\", damping = \"0.1\" }",
        ),
        kind(
            "load and moment along a beam",
            beam("[0, 0, \"0.3*load\"]", "[0, 0.2, 0]"),
            beam("[\"0*position.x\", 0, \"0.3*load + 0*law.end.position.z\"]", "[0, \"0.2 + 0*d1.x\", 0]"),
        ),
    ]
}

const STUDIES: [(&str, &str); 8] = [
    ("motion", "end = 0.3\nintegrator = \"radau\"\nrelative_tolerance = 1e-9"),
    ("equilibrium", "type = \"equilibrium\""),
    ("modes", "type = \"modes\"\ncount = 4"),
    ("linearize", "type = \"linearize\"\ninputs = [\"push.x\"]\noutputs = [\"x\", \"z\"]"),
    ("path", "type = \"path\"\nparameter = \"load\"\nto = 3\npoints = 30"),
    ("buckling", "type = \"buckling\"\nparameter = \"load\"\nside = \"both\"\ncount = 1"),
    ("campbell", "type = \"campbell\"\nparameter = \"load\"\nrange = [0, 2]\npoints = 3\ncount = 2"),
    ("kinematics", "type = \"kinematics\"\nend = 0.5\nstep = 0.1"),
];

/// What a study says with a law and without.
fn both(kind: &Kind, study: &str, keys: &str) -> [Finished; 2] {
    let drive = |joint: &str, law: &str| {
        format!(
            "[[drive]]\nname = \"at_{joint}\"\ntype = \"joint\"\njoint = \"{joint}\"\nposition = \"{law}\"\n"
        )
    };
    let holds = ["drive by position", "coupling", "drive that follows a variable"].contains(&kind.name);
    let drives = match study {
        "kinematics" if holds => drive("pivot", "sin(t)"),
        "kinematics" => drive("pivot", "sin(t)") + &drive("knee", "0.3*t"),
        _ => String::new(),
    };
    [&kind.plain, &kind.law].map(|part| {
        let (limits, tables) = if kind.name == "stop" { (part.as_str(), "") } else { ("", part.as_str()) };
        let text = format!("{}{tables}{drives}[study]\n{keys}\n", BASE.replace("LIMITS", limits));
        run(&text, &["--json"])
    })
}

/// All numbers of a summary under keys that say physics, by their place.
fn numbers(value: &serde_json::Value, place: &str, found: &mut Vec<(String, f64)>) {
    match value {
        // Pairs of poles stand in one order or the other.
        serde_json::Value::Number(number) if place.ends_with(".im") => {
            found.push((place.into(), number.as_f64().unwrap().abs()));
        }
        serde_json::Value::Number(number) => found.push((place.into(), number.as_f64().unwrap())),
        serde_json::Value::Array(list) => {
            list.iter().enumerate().for_each(|(k, part)| numbers(part, &format!("{place}.{k}"), found));
        }
        serde_json::Value::Object(table) => {
            table.iter().for_each(|(key, part)| numbers(part, &format!("{place}.{key}"), found));
        }
        _ => {}
    }
}

/// Parts of a summary that a law has to leave as they are.
const SAID: [&str; 5] = ["modes", "critical", "branches", "poles", "eigenvalues"];

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * (1.0 + a.abs()) || (a.is_nan() && b.is_nan())
}

#[test]
fn each_law_in_each_study() {
    let mut told = String::new();
    for kind in kinds() {
        for (study, keys) in STUDIES {
            let what = format!("{} in {study}", kind.name);
            let [plain, law] = both(&kind, study, keys);
            let knows_variables = !["path", "buckling", "kinematics"].contains(&study);
            if law.out.contains("does not know [[equations]]") {
                assert!(!knows_variables && law.code == 2, "{what}: {}", law.said());
                assert!(law.out.contains("\"line\""), "{what}: {}", law.out);
                told += &format!("{what}: refused\n");
                continue;
            }
            assert_eq!(plain.code, law.code, "{what}: {} and {}", plain.said(), law.said());
            // A beam has freedoms that no drive holds: both say so.
            if study == "kinematics" && kind.name.contains("beam") {
                assert!(law.said().contains("leave a mobility"), "{what}: {}", law.said());
                continue;
            }
            assert_eq!(law.code, 0, "{what}: {}", law.said());
            // Weight and reaction are in balance at rest alone.
            if kind.name == "reaction" && ["motion", "campbell", "modes", "linearize"].contains(&study) {
                continue;
            }
            for signal in ["x", "z", "reaction"] {
                let (a, b) = (plain.last(signal), law.last(signal));
                assert!(close(a, b), "{what}: {signal} {a} and {b}");
            }
            let [plain, law] = [plain.summary(), law.summary()];
            for part in SAID {
                let (mut a, mut b) = (vec![], vec![]);
                numbers(&plain[part], part, &mut a);
                numbers(&law[part], part, &mut b);
                let variable = ["variable", "drive that follows a variable"].contains(&kind.name);
                if variable || a.is_empty() {
                    continue;
                }
                assert_eq!(a.len(), b.len(), "{what}: {part}");
                for ((place, a), (_, b)) in a.iter().zip(&b) {
                    assert!(close(*a, *b), "{what}: {place} {a} and {b}");
                }
                told += &format!("{what}: {} numbers of {part} are the same\n", a.len());
            }
        }
    }
    println!("{told}");
}
