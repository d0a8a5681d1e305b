//! Lines and ends of beams in model files, quantities along them, and what is said about mistakes.

use poinsot_geometry::Vec3;
use poinsot_model::quantity;
use poinsot_model::spec::{BodyKind, BodyRef, Model};
use poinsot_studies::load_str;

/// A model with one beam of the given keys.
fn with_beam(keys: &str) -> String {
    format!(
        r#"
[model]
gravity = [0, 0, 0]
[parameters]
L = 2
[[body]]
name = "hub"
mass = 1
inertia = [1, 1, 1]
position = [0, 0, 1]
[[marker]]
name = "pad"
body = "hub"
position = [0, 0, 0.5]
[[beam]]
name = "rod"
section = {{ type = "given", stiffness = [1, 1, 1, 1, 1, 1], mass = 1, inertia = [1, 1] }}
{keys}
"#
    )
}

fn model(keys: &str) -> Model {
    let text = with_beam(keys);
    load_str("beam.toml", &text, &[]).unwrap_or_else(|failure| panic!("{}", failure.render(false))).0
}

fn mistake(keys: &str) -> String {
    let text = with_beam(keys);
    load_str("beam.toml", &text, &[]).err().unwrap_or_else(|| panic!("no mistake in {keys}")).render(false)
}

/// Place and axes d₁, d₃ of a node.
fn node(model: &Model, k: usize) -> (Vec3, Vec3, Vec3) {
    let BodyKind::BeamNode(node) = &model.bodies[1 + k].kind else { panic!("{k}") };
    let axis = |k: usize| node.pose.rotation.column(k).into_owned();
    (node.pose.r, axis(0), axis(2))
}

fn near(a: Vec3, b: [f64; 3]) -> bool {
    (a - Vec3::from(b)).norm() < 1e-12
}

#[test]
fn a_polyline_has_a_node_at_every_corner() {
    let points = "points = [[0, 0, 0], [2, 0, 0], [2, 1, 0]]\norder = 1\n";
    let m = model(&format!("{points}elements = 6"));
    // By length: four and two.
    assert_eq!((m.beams[0].nodes.len(), m.beams[0].corners.len(), m.beams[0].corners[0].node), (7, 1, 4));
    let (r, d1, d3) = node(&m, 4);
    assert!(near(r, [2.0, 0.0, 0.0]) && near(d1, [0.0, 0.0, 1.0]) && near(d3, [1.0, 0.0, 0.0]));
    let (r, _, d3) = node(&m, 5);
    assert!(near(r, [2.0, 0.5, 0.0]) && near(d3, [0.0, 1.0, 0.0]));
    let m = model(&format!("{points}elements = [1, 3]"));
    assert_eq!((m.beams[0].nodes.len(), m.beams[0].corners[0].node), (5, 1));
}

#[test]
fn arcs_and_helices_are_where_they_should_be() {
    let arcs = [
        r#"arc = { centre = [0, 1, 0], axis = [0, 0, 1], angle = "pi" }"#,
        r#"arc = { tangent = [1, 0, 0], axis = [0, 0, 1], radius = 1, angle = "pi" }"#,
        "arc = { through = [1, 1, 0] }\nto = [0, 2, 0]",
    ];
    for arc in arcs {
        let m = model(&format!("from = [0, 0, 0]\nelements = 4\n{arc}"));
        let (r, _, d3) = node(&m, 4);
        assert!(near(r, [1.0, 1.0, 0.0]) && near(d3, [0.0, 1.0, 0.0]), "{arc}: {r}");
        assert!(near(node(&m, 8).0, [0.0, 2.0, 0.0]), "{arc}");
    }
    let m = model("elements = 4\nhelix = { centre = [1, 0, 0], radius = 2, pitch = 0.4, turns = 2.5 }");
    assert!(near(node(&m, 0).0, [3.0, 0.0, 0.0]) && near(node(&m, 8).0, [-1.0, 0.0, 1.0]));
    let m = model(
        "elements = 4\nhelix = { radius = 2, pitch = 0.4, turns = 0.25, left_handed = true, towards = [0, 1, 0] }",
    );
    assert!(near(node(&m, 8).0, [2.0, 0.0, 0.1]));
    // A spline through points of a straight line is the line.
    let m = model("elements = 2\nline = \"spline\"\npoints = [[0, 0, 0], [0.5, 0, 0], [2, 0, 0]]");
    assert!((node(&m, 2).0 - Vec3::x()).norm() < 1e-9);
}

#[test]
fn lines_start_from_what_is_there() {
    let m =
        model("from = \"pad\"\nto = [1, 0, 1.5]\nelements = 2\nstart = { to = \"pad\", type = \"clamped\" }");
    assert!(near(node(&m, 0).0, [0.0, 0.0, 1.5]));
    assert_eq!(m.joints[0].first.body, BodyRef::Body(0));
    let second = format!(
        "{}[[beam]]\nname = \"next\"\nfrom = \"rod.end\"\nto = [3, 3, 3]\nelements = 1\n\
         section = {{ type = \"given\", stiffness = [1, 1, 1, 1, 1, 1], mass = 1, inertia = [1, 1] }}\n\
         start = {{ to = \"rod.end\", type = \"hinged\", axis = [0, 0, 1] }}\n\
         [[force]]\nname = \"spring\"\ntype = \"torsion\"\njoint = \"next.start\"\nstiffness = 3\n\
         [[signal]]\nname = \"turn\"\nvalue = \"next.start.angle + next.start.position.x\"\n",
        with_beam("from = [0, 0, 0]\nto = [\"L\", 0, 0]\nelements = 2")
    );
    let m = load_str("beam.toml", &second, &[]).unwrap_or_else(|f| panic!("{}", f.render(false))).0;
    let BodyKind::BeamNode(start) = &m.bodies[6].kind else { panic!() };
    assert!(near(start.pose.r, [2.0, 0.0, 0.0]));
    assert_eq!((m.joints[0].name.as_str(), m.joints[0].first.body), ("next.start", BodyRef::Body(5)));
    let quantities = &m.signals[0].formula.quantities;
    assert!(matches!(quantities[0], quantity::Quantity::Joint { joint: 0, .. }));
    assert!(matches!(quantities[1], quantity::Quantity::Body { body: 6, .. }));
}

#[test]
fn ends_are_joints_to_the_ground_or_to_bodies() {
    let line = "from = [0, 0, 0]\nto = [2, 0, 0]\nelements = 1\n";
    let kind = |keys: &str| {
        model(&format!("{line}{keys}")).joints.into_iter().map(|j| j.kind.word()).collect::<Vec<_>>()
    };
    assert_eq!(kind("start = \"clamped\"\nend = \"free\""), ["fixed"]);
    assert_eq!(kind("end = \"pinned\""), ["spherical"]);
    let hinged =
        kind("start = { type = \"hinged\", axis = [0, 1, 0] }\nend = { type = \"fixed\", to = \"hub\" }");
    assert_eq!(hinged, ["revolute", "fixed"]);
    let m = model(&format!("{line}end = {{ type = \"spherical\", to = \"hub\" }}"));
    // The joint is at the end of the beam, seen from the hub.
    assert!(near(m.joints[0].first.frame.r, [2.0, 0.0, -1.0]) && near(m.joints[0].second.frame.r, [0.0; 3]));
    assert_eq!(m.joints[0].name, "rod.end");
}

/// The quantity that a signal names, as element and ξ.
fn place(value: &str) -> (usize, f64) {
    let keys = format!(
        "points = [[0, 0, 0], [2, 0, 0], [2, 1, 0]]\nelements = 3\n[[signal]]\nname = \"s\"\nvalue = \"{value}\""
    );
    let m = model(&keys);
    let quantity::Quantity::Beam { place, .. } = m.signals[0].formula.quantities[0] else {
        panic!("{value}")
    };
    (place.element, place.xi())
}

#[test]
fn sections_are_found_by_arc_length() {
    assert_eq!(place("rod.at(0.5).force.x"), (0, 0.0));
    assert_eq!(place("rod.at(L - 0.75).moment.z"), (1, -0.5));
    assert_eq!(place("2*rod.at(2.25).d3.x + 1"), (2, -0.5));
    // At the end of an element that element, at the start the first.
    assert_eq!(place("rod.at(L).curvature.y"), (1, 1.0));
    assert_eq!(place("rod.at(0).position.y"), (0, -1.0));
    assert_eq!(place("rod.element2.strain.x"), (2, 0.0));
    let (element, xi) = place("rod.element1.gauss1.velocity.x");
    assert!(element == 1 && (xi - 1.0 / 3f64.sqrt()).abs() < 1e-15);
    // Two places in one expression are two quantities.
    let two = "points = [[0, 0, 0], [2, 0, 0]]\nelements = 3\n[[signal]]\nname = \"s\"\nvalue = \"rod.at(L/4).force.x - rod.at(L*0.5).force.x + rod.at(L/4).force.x\"";
    assert_eq!(model(two).signals[0].formula.quantities.len(), 2);
}

#[test]
fn mistakes_are_named_with_their_place() {
    let points = |list: &str| format!("points = [{list}]\nelements = 4");
    let text = mistake(&points("[0, 0, 0], [1, 0, 0], [1, 0, 0], [2, 0, 0]"));
    assert!(text.contains("points 2 and 3 are in one place") && text.contains("beam.toml:18:"), "{text}");
    let text = mistake(&points("[0, 0, 0], [1, 0, 0], [0.5, 0, 0]"));
    assert!(text.contains("the line turns straight back at point 2"), "{text}");
    assert!(mistake(&points("[0, 0, 0]")).contains("at least two points"));
    let text = mistake("points = [[0, 0, 0], [1, 0, 0], [1, 1, 0]]\nelements = 1");
    assert!(text.contains("1 elements do not make 2 straight pieces"), "{text}");
    assert!(mistake("points = [[0, 0, 0], [1, 0, 0]]\nelements = [1, 2]").contains("do not make 1 straight"));
    assert!(
        mistake("from = [0, 0, 0]\nto = [1, 0, 0]\nline = \"spline\"\nelements = 1")
            .contains("has no points")
    );
    assert!(mistake("from = \"hubb\"\nto = [1, 0, 0]\nelements = 1").contains("did you mean `hub`"));
    assert!(mistake("from = \"ground\"\nto = [1, 0, 0]\nelements = 1").contains("no place of its own"));
    assert!(mistake("from = \"rod.end\"\nto = [1, 0, 0]\nelements = 1").contains("is not known yet"));
    let arc = "from = [0, 0, 0]\nelements = 1\narc = ";
    assert!(mistake(&format!("{arc}{{ centre = [1, 0, 0], angle = 1 }}")).contains("not determined"));
    assert!(
        mistake(&format!("{arc}{{ centre = [1, 0, 0], axis = [0, 0, 1], angle = 0 }}"))
            .contains("the angle of `rod`")
    );
    assert!(
        mistake(&format!("{arc}{{ centre = [0, 0, 1], axis = [0, 0, 1], angle = 1 }}")).contains("no length")
    );
    assert!(
        mistake(&format!("{arc}{{ through = [1, 0, 0] }}\nto = [2, 0, 0]")).contains("on a straight line")
    );
    let helix = "elements = 1\nhelix = { radius = 1, pitch = 0.1, turns = 3, towards = [0, 0, 1] }";
    assert!(mistake(helix).contains("is along its axis"));
    let line = "from = [0, 0, 0]\nto = [1, 0, 0]\nelements = 1\n";
    assert!(mistake(&format!("{line}start = \"hinged\"")).contains("missing key `axis` in revolute joint"));
    assert!(mistake(&format!("{line}start = \"clampd\"")).contains("did you mean `clamped`"));
    assert!(
        mistake(&format!("{line}start = {{ type = \"fixed\", to = \"hubb\" }}"))
            .contains("did you mean `hub`")
    );
    assert!(
        mistake(&format!("{line}start = {{ type = \"fixed\", axis = [1, 0, 0] }}"))
            .contains("has no meaning for")
    );
    let signal = |value: &str| format!("{line}[[signal]]\nname = \"s\"\nvalue = \"{value}\"");
    let text = mistake(&signal("rod.at(1.5).force.x"));
    assert!(text.contains("s = 1.5 is beyond the ends") && text.contains("its length is 1"), "{text}");
    assert!(mistake(&signal("rod.at(0.5).forse.x")).contains("did you mean `force.x`"));
    assert!(mistake(&signal("rod.at(M).force.x")).contains("unknown name `M`"));
}
