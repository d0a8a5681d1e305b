//! Beams in model files: names of nodes, sections, loads, and what is said about mistakes.

use poinsot_mechanics::beams::MassModel;
use poinsot_model::spec::BodyKind;
use poinsot_model::{build, load_str};

const BEAM: &str = r#"
[model]
gravity = [0, 0, 0]
[parameters]
n = 3
[[body]]
name = "hub"
mass = 1
inertia = [1, 1, 1]
[[beam]]
name = "blade"
from = [1, 0, 0]
to = [3, 0, 0]
elements = "n"
order = 3
section = { type = "tube", diameter = 0.1, thickness = 0.01, young = 2e11, density = 7800 }
stiffness_damping = 1e-4
mass_damping = 0.1
load = [0, 0, "s*t"]
load_frame = "body"
velocity = [0, 1, 0]
angular_velocity = [0, 0, 1]
[[marker]]
name = "tip"
body = "blade.node9"
position = [0, 0, 0.1]
[[joint]]
name = "root"
type = "fixed"
between = ["hub", "blade.node0"]
[[force]]
name = "push"
type = "force"
on = "blade.node9"
force = [0, 1, 0]
[[signal]]
name = "moment"
value = "blade.element0.moment.y + tip.position.z + blade.node4.velocity.y"
"#;

#[test]
fn nodes_are_bodies_without_mass() {
    let model = load_str("beam.toml", BEAM, &[]).unwrap().0;
    assert_eq!(model.bodies.len(), 11);
    assert_eq!(
        (model.beams[0].nodes.clone(), model.beams[0].order, model.beams[0].elements()),
        (1..11, 3, 3)
    );
    assert_eq!(model.bodies[10].name, "blade.node9");
    let BodyKind::BeamNode(node) = &model.bodies[10].kind else { panic!() };
    assert!((node.pose.r.x - 3.0).abs() < 1e-14 && (node.velocity.y - 3.0).abs() < 1e-14);
    // z along the line, x nearest to the world's z.
    assert!(
        (node.pose.rotation.column(2).x - 1.0).abs() < 1e-14
            && (node.pose.rotation.column(0).z - 1.0).abs() < 1e-14
    );
    let (system, assembly) = build(&model).unwrap();
    assert_eq!(assembly.beams[0].len(), 3);
    let area = std::f64::consts::PI / 4.0 * (0.01 - 0.0064);
    assert!((system.total_mass() - 1.0 - 7800.0 * area * 2.0).abs() < 1e-9);
    // Elements, their drag and their load, and the force of the file.
    assert_eq!(system.forces().len(), 1 + 3 + 3 + 3);
}

#[test]
fn lumped_mass_is_on_the_nodes() {
    let text = BEAM.replace("stiffness_damping = 1e-4", "mass = \"lumped\"");
    let model = load_str("beam.toml", &text, &[]).unwrap().0;
    assert_eq!(model.beams[0].mass, MassModel::Lumped);
    let (system, _) = build(&model).unwrap();
    assert_eq!((system.bodies().count(), system.inertias().count()), (11, 0));
}

fn mistakes(from: &str, to: &str) -> String {
    let text = BEAM.replace(from, to);
    assert_ne!(text, BEAM, "{from}");
    let failure = load_str("beam.toml", &text, &[]).unwrap_err();
    failure.render(false)
}

#[test]
fn mistakes_are_named() {
    assert!(mistakes("order = 3", "order = 4").contains("must be a whole number from 1 to 3"));
    assert!(mistakes("elements = \"n\"", "elements = 2.5").contains("the number of elements of `blade`"));
    assert!(mistakes("to = [3, 0, 0]", "").contains("the beam `blade` has no line"));
    assert!(mistakes("to = [3, 0, 0]", "to = [1, 0, 0]").contains("no length"));
    assert!(mistakes("to = [3, 0, 0]", "to = [3, 0, 0]\naxis1 = [1, 0, 0]").contains("`axis1` is along it"));
    assert!(mistakes("thickness = 0.01", "thickness = 0.06").contains("must be less than 0.05"));
    assert!(
        mistakes("\"blade.node0\"]", "\"blade.node10\"]")
            .contains("there is no body or marker `blade.node10`")
    );
    assert!(
        mistakes("blade.element0.moment.y", "blade.element3.moment.y")
            .contains("no quantity `element3.moment.y`")
    );
    assert!(
        mistakes("gravity = [0, 0, 0]", "gravity = [0, 0, 0]\nplane = \"yz\"").contains("leaves the plane")
    );
    assert!(mistakes("density = 7800", "density = 7800, poisson = 0.7").contains("between -1 and 0.5"));
}
