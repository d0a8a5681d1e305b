//! Beams in model files: names of nodes, sections, loads, and what is said about mistakes.

use poinsot_geometry::interpolation::Metric;
use poinsot_mechanics::beams::{Formulation, MassModel, MotionScheme, StrainPoints, VirtualStrains};
use poinsot_model::spec::{BeamTheory, BodyKind};
use poinsot_model::{Model, build};
use poinsot_studies::load_str;

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

/// What the elements of the first beam interpolate.
fn formulation(model: &Model) -> Formulation {
    match model.beams[0].theory {
        BeamTheory::Sections(formulation) => formulation,
        _ => panic!("a line with slopes"),
    }
}

#[test]
fn motion_beams_have_their_keys() {
    let keys = "order = 6\nformulation = \"motion\"\ninterpolation = \"quaternion\"\nquadrature = \"lobatto\"\nvirtual_strains = \"interpolated\"";
    let text = BEAM.replace("order = 3", keys).replace("blade.node9", "blade.node18");
    let model = load_str("beam.toml", &text, &[]).unwrap().0;
    let expected = MotionScheme {
        metric: Metric::Quaternion,
        points: StrainPoints::Lobatto,
        virtual_strains: VirtualStrains::Interpolated,
    };
    assert_eq!(formulation(&model), Formulation::Motion(expected));
    assert_eq!((model.beams[0].order, model.beams[0].elements()), (6, 3));
    let (system, assembly) = build(&model).unwrap();
    assert_eq!(assembly.beams[0].len(), 3);
    let area = std::f64::consts::PI / 4.0 * (0.01 - 0.0064);
    assert!((system.total_mass() - 1.0 - 7800.0 * area * 2.0).abs() < 1e-9);
    let plain = load_str("beam.toml", &BEAM.replace("order = 3", "order = 3\nformulation = \"motion\""), &[]);
    assert_eq!(formulation(&plain.unwrap().0), Formulation::Motion(MotionScheme::default()));
}

#[test]
fn keys_of_motion_beams_are_refused_by_others() {
    for (key, value) in
        [("interpolation", "matrix"), ("quadrature", "gauss"), ("virtual_strains", "consistent")]
    {
        let said = mistakes("order = 3", &format!("order = 3\n{key} = \"{value}\""));
        assert!(said.contains(&format!("interpolates directors and has no `{key}`")), "{said}");
        assert!(said.contains("formulation = \"motion\"") && said.contains("beam.toml:"), "{said}");
    }
    let said = mistakes("order = 3", "order = 9\nformulation = \"motion\"");
    assert!(said.contains("must be a whole number from 1 to 8"), "{said}");
    let said = mistakes("order = 3", "order = 3\nformulation = \"screw\"");
    assert!(said.contains("known are director, motion"), "{said}");
}

/// A section by its 6×6 mass: as by its moments where it is thin, with mass of the third axis where it is
/// not.
#[test]
fn a_mass_matrix_is_a_rigid_section() {
    let section = |mass: &str| {
        let given =
            format!("section = {{ type = \"given\", stiffness = [1e5, 1e5, 1e6, 10, 10, 8], {mass} }}");
        let from =
            "section = { type = \"tube\", diameter = 0.1, thickness = 0.01, young = 2e11, density = 7800 }";
        BEAM.replace(from, &given)
    };
    let matrix = |j3: f64, c3: f64| {
        // m = 2, c = (0.1, 0, c3), J = diag(0.5, 0.7, j3) about the line.
        let z = 2.0 * c3;
        format!(
            "mass_matrix = [[2, 0, 0, 0, {z}, 0], [0, 2, 0, -{z}, 0, 0.2], [0, 0, 2, 0, -0.2, 0], [0, -{z}, 0, 0.5, 0, 0], [{z}, 0, -0.2, 0, 0.7, 0], [0, 0.2, 0, 0, 0, {j3}]]"
        )
    };
    let built = |text: &str| {
        let model = load_str("beam.toml", text, &[]).unwrap_or_else(|e| panic!("{}", e.render(false))).0;
        (model.beams[0].section, build(&model).unwrap().0)
    };
    let (thin, _) = built(&section(&matrix(1.2, 0.0)));
    let (same, _) = built(&section("mass = 2, inertia = [0.7, 0.5], centre = [0.1, 0]"));
    assert!(
        (thin.mass.mass - same.mass.mass).abs() < 1e-15
            && (thin.mass.first[0] - same.mass.first[0]).abs() < 1e-15
    );
    assert!(thin.mass.second.iter().zip(same.mass.second).all(|(a, b)| (a - b).abs() < 1e-15));
    assert_eq!(thin.axial_mass, same.axial_mass);
    // J3 = 1 < J1 + J2: E = diag(0.6, 0.4, 0.1).
    let (thick, system) = built(&section(&matrix(1.0, 0.05)));
    assert!((thick.axial_mass.second[2] - 0.1).abs() < 1e-15 && (thick.axial_mass.first - 0.1).abs() < 1e-15);
    assert!((system.total_mass() - 1.0 - 4.0).abs() < 1e-12);
    let said = |mass: &str| load_str("beam.toml", &section(mass), &[]).unwrap_err().render(false);
    let bad = matrix(1.2, 0.0).replace("[0, 0, 2, 0,", "[0, 0, 2.5, 0,");
    assert!(said(&bad).contains("entry (3, 3) of the mass matrix is 2.5, but must be 2"), "{}", said(&bad));
    assert!(said(&matrix(1.3, 0.0)).contains("that of no body"), "{}", said(&matrix(1.3, 0.0)));
    assert!(said("mass = 2").contains("needs one mass"));
    assert!(said(&format!("mass = 2, {}", matrix(1.2, 0.0))).contains("or `mass_matrix` alone"));
}

const LINE: &str = r#"
[model]
plane = "xy"
gravity = [0, -9.81, 0]
[[body]]
name = "hub"
mass = 1
inertia = [1, 1, 1]
[[beam]]
name = "cable"
from = [1, 0, 0]
to = [3, 0, 0]
elements = 4
formulation = "ancf"
start = "pinned"
section = { type = "circle", diameter = 0.02, young = 1e9, density = 1100 }
[[joint]]
name = "weld"
type = "fixed"
between = ["cable.node2", "hub"]
[[force]]
name = "moment"
type = "torque"
on = "cable.end"
torque = [0, 0, 1]
[[signal]]
name = "end"
value = "cable.end.position.x"
[study]
end = 1
step = 0.01
"#;

fn line_mistake(old: &str, new: &str) -> String {
    assert!(LINE.contains(old), "{old}");
    match load_str("line.toml", &LINE.replace(old, new), &[]) {
        Err(failure) => failure.render(false),
        Ok((_, warnings)) => warnings.iter().map(|w| w.message.clone()).collect::<Vec<_>>().join("\n"),
    }
}

/// A frame is tied to the node that a weld holds; a pin, a moment and a place need none.
#[test]
fn nodes_of_lines_have_frames_where_something_turns_them() {
    let (model, warnings) = load_str("line.toml", LINE, &[]).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    let framed: Vec<bool> = model.bodies[1..]
        .iter()
        .map(|body| match &body.kind {
            BodyKind::CableNode(node) => node.is_framed,
            _ => panic!("not a node of a line"),
        })
        .collect();
    assert_eq!(framed, [false, false, true, false, false]);
    let (system, _) = build(&model).unwrap();
    // Five places and slopes in a plane, a frame and the hub.
    assert_eq!(system.coordinates(), 5 * 4 + 3 + 3);
    let mass = 1100.0 * std::f64::consts::PI * 1e-4 * 2.0;
    assert!((system.total_mass() - 1.0 - mass).abs() < 1e-12);
}

#[test]
fn mistakes_of_lines_are_named() {
    let space = |text: &str| text.replace("plane = \"xy\"\n", "");
    let in_space = load_str("line.toml", &space(LINE), &[]).unwrap_err().render(false);
    assert!(in_space.contains("a fixed joint cannot act on `cable.node2`"), "{in_space}");
    assert!(in_space.contains("has a place and a slope, but no torsion"), "{in_space}");
    assert!(
        line_mistake("elements = 4", "elements = 4\norder = 2").contains("`order` of `cable` is not used")
    );
    let lumped = line_mistake("elements = 4", "elements = 4\nmass = \"lumped\"");
    assert!(lumped.contains("the lumped mass of `cable` has a wrong inertia"), "{lumped}");
    let straight = r#"
[[beam]]
name = "c"
from = [0, 0, 0]
to = [1, 0, 0]
elements = 2
formulation = "ancf"
stiffness_damping = 1e-3
section = { type = "circle", diameter = 0.01, young = 1e9, poisson = 0.3, density = 1e3 }
"#;
    let (_, warnings) = load_str("straight.toml", straight, &[]).unwrap();
    let undamped = "the damping of `c` does not act on small vibrations of a straight line in space";
    assert!(warnings.iter().any(|w| w.message == undamped), "{warnings:?}");
    let frame = line_mistake("elements = 4", "elements = 4\nelement_frame = \"tangent\"");
    assert!(frame.contains("the strain \"curvature\" has no frame of an element"), "{frame}");
    let damped = line_mistake("elements = 4", "elements = 4\nstrain = \"chord\"\nstiffness_damping = 1e-3");
    assert!(!damped.contains("panicked"));
    let quadrature = line_mistake("elements = 4", "elements = 4\nquadrature = \"lobatto\"");
    assert!(quadrature.contains("\"three\" or \"five\" here"), "{quadrature}");
    // In a plane a line has all axes, in space that along it; elements with sections have the two across.
    let loaded = |keys: &str| line_mistake("elements = 4", &format!("elements = 4\n{keys}"));
    assert_eq!(loaded("load = [0, \"-cable.end.velocity.y + d1.x\", 0]"), "");
    assert_eq!(loaded("tension = 10\nmoment = [0, 0, \"-d3.y\"]\nload_frame = \"body\""), "");
    let sections = loaded("element = \"beam\"\nload = [0, \"d3.y\", 0]");
    assert!(sections.contains("reads `d3.y`, an axis that its sections do not have"), "{sections}");
    let spatial = |keys: &str| {
        let text = space(LINE).split("[[joint]]").next().unwrap().replace("elements = 4", keys);
        match load_str("line.toml", &text, &[]) {
            Err(failure) => failure.render(false),
            Ok(_) => String::new(),
        }
    };
    assert_eq!(spatial("elements = 4\nload = [0, 0, \"-d3.y\"]\nload_frame = \"body\""), "");
    let sideways = spatial("elements = 4\nload = [0, \"t\", 0]\nload_frame = \"body\"");
    assert!(sideways.contains("has no section axes for its `load`"), "{sideways}");
    let torque = spatial("elements = 4\nmoment = [0, 0, 1]\nload_frame = \"body\"");
    assert!(torque.contains("has no section axes for its `moment`"), "{torque}");
    let across = spatial("elements = 4\nload = [0, \"d1.y\", 0]");
    assert!(across.contains("reads `d1.y`, an axis that its sections do not have"), "{across}");
    let tense = loaded("strain = \"simplified\"\ntension = 10");
    assert!(tense.contains("the strain \"simplified\" has no tension"), "{tense}");
    let tension = line_mistake("formulation = \"ancf\"", "tension = 10");
    assert!(tension.contains("interpolates directors and has no `tension`"), "{tension}");
    let offset = line_mistake("elements = 4", "elements = 4\noffset = [0.1, 0]");
    assert!(offset.contains("cannot have formulation \"ancf\""), "{offset}");
    let strain = line_mistake("formulation = \"ancf\"", "strain = \"chord\"");
    assert!(strain.contains("interpolates directors and has no `strain`"), "{strain}");
}
