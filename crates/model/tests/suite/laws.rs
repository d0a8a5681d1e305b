//! Laws of forces that read the running system.

use poinsot_analysis::{EquilibriumSettings, Stability, consistent_start, find_equilibrium};
use poinsot_mechanics::{Instant, Scratch};
use poinsot_model::build;
use poinsot_model::spec::Model;
use poinsot_studies::load_str;

fn model(text: &str) -> Model {
    match load_str("f.toml", text, &[]) {
        Ok((model, warnings)) => {
            assert!(warnings.is_empty(), "{warnings:?}");
            model
        }
        Err(error) => panic!("{error}"),
    }
}

/// M a + Gᵀλ − Q of a model at its start for accelerations of one.
fn residual(text: &str) -> Vec<f64> {
    let (mut system, _) = build(&model(text)).unwrap();
    let (state, _) = consistent_start(&mut system, 0.3).unwrap();
    let (a, mut out) = (vec![1.0; system.size()], vec![0.0; system.size()]);
    let at = Instant { t: 0.3, frames: &state.frames, v: &state.v, a: &a, memory: &state.memory, rates: &[] };
    system.residual(&at, &mut out, &mut Scratch::default());
    out
}

/// Two texts that say the same give the same equations.
fn same(one: &str, other: &str) {
    let (one, other) = (residual(one), residual(other));
    assert_eq!(one.len(), other.len());
    for (k, (one, other)) in one.iter().zip(&other).enumerate() {
        assert!((one - other).abs() < 1e-12 * (1.0 + other.abs()), "equation {k}: {one} and {other}");
    }
}

const BODIES: &str = r#"
[[body]]
name = "a"
mass = 2
inertia = [1, 2, 2.5]
position = [1, 0.2, 0]
orientation = { axis = [1, 2, 3], angle = 0.7 }
velocity = [0.3, -0.2, 0.5]
angular_velocity = [0.4, 1, -0.6]
[[body]]
name = "b"
type = "point"
mass = 1
position = [2, 1, 0.5]
velocity = [-0.5, 0.1, 0.2]
"#;

/// A load along the axes of its body, written out in world axes by the rotation that it reads.
#[test]
fn follower_by_rotation() {
    let load = |frame: &str, force: [&str; 3]| {
        let force = force.map(|f| format!("{f:?}")).join(", ");
        format!(
            "{BODIES}[[force]]\nname = \"f\"\ntype = \"force\"\non = \"a\"\nat = [0.1, 0.3, -0.2]\n\
                 force = [{force}]\nframe = \"{frame}\"\n"
        )
    };
    let turned = [
        "2*a.rotation.xx - a.rotation.xz*t",
        "2*a.rotation.yx - a.rotation.yz*t",
        "2*a.rotation.zx - a.rotation.zz*t",
    ];
    same(&load("body", ["2", "0", "-t"]), &load("world", turned));
}

/// A spring between two bodies, written as loads on them; the force of a spring, read by another.
#[test]
fn springs_written_out() {
    let spring = "[[force]]\nname = \"s\"\ntype = \"spring\"\nbetween = [\"ground\", \"b\"]\nstiffness = 7\n\
                  damping = 0.4\nlength = 1.1\nforce = \"0.3*rate^2 + 0.1*t\"\n";
    let along = "-(7*(l - 1.1) + 0.4*v + 0.3*v^2 + 0.1*t)*b.position";
    let signals = "[[signal]]\nname = \"l\"\nvalue = \"sqrt(b.position.x^2 + b.position.y^2 + b.position.z^2)\"\n\
                   [[signal]]\nname = \"v\"\nvalue = \"(b.position.x*b.velocity.x + b.position.y*b.velocity.y \
                   + b.position.z*b.velocity.z)/l\"\n";
    let force = ["x", "y", "z"].map(|k| format!("\"{along}.{k}/l\"")).join(", ");
    let load = format!("{signals}[[force]]\nname = \"s\"\ntype = \"force\"\non = \"b\"\nforce = [{force}]\n");
    same(&format!("{BODIES}{spring}"), &format!("{BODIES}{load}"));
    let pulled = |law: &str| {
        format!(
            "{BODIES}{spring}[[force]]\nname = \"p\"\ntype = \"spring\"\nbetween = [\"a\", \"b\"]\n\
                 force = \"{law}\"\n"
        )
    };
    let written = "2*(7*(s.length - 1.1) + 0.4*s.rate + 0.3*s.rate^2 + 0.1*t) + length";
    same(&pulled("2*s.force + length"), &pulled(written));
}

/// Loads of a block of equations without variables are those of forces.
#[test]
fn blocks_of_loads() {
    let block = "[[equations]]\nname = \"law\"\nloads = { \"b.position.y\" = \"-3*b.velocity.y + a.position.x\", \
                 \"a.torque.z\" = \"-2*a.angular_velocity.z\", \"a.force.x\" = \"b.position.z\" }\n";
    let forces = "[[force]]\nname = \"f\"\ntype = \"force\"\non = \"b\"\n\
                  force = [0, \"-3*b.velocity.y + a.position.x\", 0]\n\
                  [[force]]\nname = \"g\"\ntype = \"torque\"\non = \"a\"\n\
                  torque = [0, 0, \"-2*a.angular_velocity.z\"]\n\
                  [[force]]\nname = \"h\"\ntype = \"force\"\non = \"a\"\nforce = [\"b.position.z\", 0, 0]\n";
    same(&format!("{BODIES}{block}"), &format!("{BODIES}{forces}"));
}

/// A load along the tangent of a beam by what it reads of its section, and in the axes of the section.
#[test]
fn tangent_of_a_beam() {
    let beam = |load: &str| {
        format!(
            "[[beam]]\nname = \"rod\"\nfrom = [0, 0, 0]\nto = [2, 1, 0]\naxis1 = [0, 0, 1]\nelements = 2\norder = 3\n\
             angular_velocity = [0.2, 0.5, -1]\nsection = {{ type = \"given\", \
             stiffness = [1e3, 1e3, 1e4, 5, 5, 4], mass = 2, inertia = [0.1, 0.2] }}\n{load}"
        )
    };
    same(
        &beam("load = [\"s\", 0, \"3*t\"]\nload_frame = \"body\"\n"),
        &beam("load = [\"s*d1.x + 3*t*d3.x\", \"s*d1.y + 3*t*d3.y\", \"s*d1.z + 3*t*d3.z\"]\n"),
    );
}

/// A drive that follows another joint is a linear coupling.
#[test]
fn drive_by_a_joint() {
    let joints = |relation: &str| {
        format!(
            "[[body]]\nname = \"a\"\nmass = 1\ninertia = [1, 1, 1]\n[[body]]\nname = \"b\"\nmass = 1\n\
             inertia = [1, 1, 1]\n[[joint]]\nname = \"u\"\ntype = \"revolute\"\nbetween = [\"ground\", \"a\"]\n\
             at = [0, 0, 0]\naxis = [0, 0, 1]\n[[joint]]\nname = \"w\"\ntype = \"revolute\"\n\
             between = [\"ground\", \"b\"]\nat = [0, 0, 0]\naxis = [0, 0, 1]\n{relation}"
        )
    };
    same(
        &joints("[[drive]]\nname = \"d\"\ntype = \"joint\"\njoint = \"w\"\nposition = \"3*u.angle\"\n"),
        &joints(
            "[[coupling]]\nname = \"d\"\ntype = \"linear\"\noffset = 0\nterms = [\
             { coordinate = \"w.angle\", factor = 1 }, { coordinate = \"u.angle\", factor = -3 }]\n",
        ),
    );
}

/// A law that feeds in energy by its velocity is unstable, though every direction is stiff.
#[test]
fn negative_damping_is_unstable() {
    for (sign, stability) in [("-", Stability::Stable), ("+", Stability::Unstable)] {
        let text = format!(
            "[model]\ngravity = [0, 0, 0]\n[[body]]\nname = \"p\"\ntype = \"point\"\nmass = 1\n\
             [[force]]\nname = \"f\"\ntype = \"force\"\non = \"p\"\nforce = [\
             \"-4*p.position.x {sign} 0.1*p.velocity.x\", \"-5*p.position.y\", \"-6*p.position.z\"]\n"
        );
        let (mut system, _) = build(&model(&text)).unwrap();
        let (state, _) = consistent_start(&mut system, 0.0).unwrap();
        let found = find_equilibrium(&system, state, &EquilibriumSettings::default()).unwrap();
        assert_eq!(found.verdict.stability, stability, "{text}");
    }
}

/// Bodies in a row, and a force on the first that reads the others.
fn row(bodies: usize, read: &[&str]) -> String {
    let names: Vec<String> = (0..bodies).map(|k| format!("b{k}")).collect();
    let body = |(k, name): (usize, &String)| {
        format!("[[body]]\nname = \"{name}\"\nmass = 1\ninertia = [1, 1, 1]\nposition = [{k}, 0, 0]\n")
    };
    let bodies: String = names.iter().enumerate().map(body).collect();
    let terms = names.iter().flat_map(|name| read.iter().map(move |what| format!("{name}.{what}")));
    let law = terms.collect::<Vec<_>>().join(" + ");
    format!("{bodies}[[force]]\nname = \"f\"\ntype = \"force\"\non = \"b0\"\nforce = [\"{law}\", 0, 0]\n")
}

/// How many quantities a law reads does not matter: here 54 of nine bodies.
#[test]
fn laws_of_many_quantities() {
    let all = ["position.x", "position.y", "position.z", "velocity.x", "velocity.y", "velocity.z"];
    let out = residual(&row(9, &all));
    assert!((out[0] - (1.0 - 36.0)).abs() < 1e-12, "{}", out[0]);
}

/// The bodies that a law reads are coupled with those it acts on, all with all; there is an end to that.
#[test]
fn laws_of_too_many_bodies() {
    let text = row(10, &["position.x"]);
    let error = build(&model(&text)).unwrap_err();
    let said = error.one_line(&model(&text).source);
    assert!(said.contains("it reads bodies that move by 60 unknowns") && said.contains("f.toml:"), "{said}");
}
