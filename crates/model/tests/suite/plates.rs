//! Plates in model files: nodes, edges, quantities, and what is said about mistakes.

use poinsot_mechanics::Chart;
use poinsot_model::spec::{BodyKind, BodyRef};
use poinsot_model::{Model, build};
use poinsot_studies::load_str;

const FLAT: &str = "corner = [1, 0, 0]\nside1 = [2, 0, 0]\nside2 = [0, 1, 0]\nelements = [2, 1]";
const MATERIAL: &str = "material = { density = 1000, young = 1e9, poisson = 0.3 }";

fn file(keys: &str) -> String {
    format!(
        "[[body]]\nname = \"hub\"\nmass = 1\ninertia = [1, 1, 1]\nposition = [0.5, 0, 0]\n[[body]]\nname = \
         \"dot\"\ntype = \"point\"\nmass = 1\nposition = [9, 0, 0]\n[[plate]]\nname = \"p\"\nthickness = \
         0.01\n{MATERIAL}\n{keys}\n"
    )
}

fn good(keys: &str) -> Model {
    match load_str("plate.toml", &file(keys), &[]) {
        Ok((model, _)) => model,
        Err(error) => panic!("{}", error.render(false)),
    }
}

fn refused(keys: &str) -> String {
    match load_str("plate.toml", &file(keys), &[]) {
        Ok(_) => panic!("not refused: {keys}"),
        Err(error) => error.render(false),
    }
}

#[test]
fn nodes_are_points_with_slopes() {
    let keys = format!(
        "{FLAT}\nvelocity = [0, 0, 1]\nangular_velocity = [0, 0, 2]\nload = [0, 0, \"t\"]\n[[signal]]\nname = \
         \"a\"\nvalue = \"p.node2_1.position.y + p.corner3.velocity.z + p.element1_0.moment.xx + \
         p.element0_0.top.von_mises\""
    );
    let model = good(&keys);
    // hub, dot and six nodes.
    assert_eq!((model.bodies.len(), model.plates.len(), model.plates[0].nodes.clone()), (8, 1, 2..8));
    let BodyKind::PlateNode(node) = &model.bodies[7].kind else { panic!() };
    assert_eq!(model.bodies[7].name, "p.node2_1");
    assert!((node.position.x - 3.0).abs() < 1e-14 && (node.position.y - 1.0).abs() < 1e-14);
    // ω × (2, 1, 0) = (−2, 4, 0).
    assert!((node.velocity.x + 2.0).abs() < 1e-14 && (node.velocity.y - 4.0).abs() < 1e-14);
    let (system, assembly) = build(&model).unwrap();
    let slopes = system.nodes().iter().filter(|node| node.chart == Chart::Slope).count();
    assert_eq!((slopes, assembly.plates[0].len()), (12, 2));
    // 20 kg of the plate.
    assert!((system.total_mass() - 22.0).abs() < 1e-12, "{}", system.total_mass());
}

#[test]
fn edges_are_held_by_what_they_name() {
    let keys = format!(
        "{FLAT}\ntheory = \"thick\"\nedges = [{{ side = \"start1\", type = \"clamped\", to = \"hub\" }}, {{ side = \
         \"end2\", type = \"pinned\" }}]"
    );
    let model = good(&keys);
    let held = &model.plates[0].held;
    // Two nodes of the first edge, two more of the second: the corner belongs to the clamp.
    let on_hub = held.iter().filter(|(_, body, _)| *body == BodyRef::Body(0)).count();
    assert_eq!((held.len(), on_hub), (4, 2));
    assert!(held.iter().all(|(_, body, mask)| (*body == BodyRef::Body(0)) == mask[3]));
    let (system, _) = build(&model).unwrap();
    // Slopes of their own: three at two free nodes, two at two pinned ones.
    let slopes = system.nodes().iter().filter(|node| node.chart == Chart::Slope).count();
    assert_eq!((slopes, system.active_rows()), (10, 12));
}

#[test]
fn a_surface_may_be_curved() {
    let model = good(
        "surface = [\"cos(u)\", \"sin(u)\", \"v\"]\nrange_u = [0, \"pi/2\"]\nrange_v = [0, 1]\nelements = [4, 1]",
    );
    let plate = &model.plates[0];
    let [r, by_u] = [plate.reference[4][0], plate.reference[4][1]];
    assert!((r.y - 1.0).abs() < 1e-14 && (by_u.x + 1.0).abs() < 1e-14);
    let (system, _) = build(&model).unwrap();
    // A quarter of a circle of four cubic pieces: 3.28e-5 shorter than the arc.
    let arc = 10.0 * 0.5 * std::f64::consts::PI * (1.0 - 3.282495e-5);
    assert!((system.total_mass() - 2.0 - arc).abs() < 1e-6, "{}", system.total_mass());
}

#[test]
fn mistakes_are_told() {
    let cases = [
        ("elements = [2, 1]", "has no surface"),
        ("corner = [0,0,0]\nside1 = [1,0,0]\nside2 = [2,0,0]\nelements = [2, 1]", "no volume"),
        ("corner = [0,0,0]\nside1 = [0,0,0]\nside2 = [2,0,0]\nelements = [2, 1]", "must be positive"),
        ("corner = [0,0,0]\nside1 = [1,0,0]\nside2 = [0,1,0]\nelements = [2.5, 1]", "a whole number"),
        (
            "surface = [\"u\", \"v\", \"0\"]\nrange_u = [1, 0]\nrange_v = [0, 1]\nelements = [1, 1]",
            "positive",
        ),
        (&format!("{FLAT}\nshear_factor = 0.8"), "no transverse shear"),
        (&format!("{FLAT}\nedges = [{{ side = \"start3\", type = \"clamped\" }}]"), "start3"),
        (&format!("{FLAT}\nedges = [{{ side = \"start1\", type = \"clamped\", to = \"dot\" }}]"), "point"),
        (&format!("{FLAT}\nedges = [{{ side = \"start1\", type = \"clamped\", to = \"hup\" }}]"), "hub"),
        (&format!("{FLAT}\n[model]\nplane = \"xy\""), "planar model"),
        (&format!("{FLAT}\n[[signal]]\nname = \"s\"\nvalue = \"p.node9_0.position.x\""), "node9_0"),
    ];
    for (keys, wanted) in cases {
        let told = refused(keys);
        assert!(told.contains(wanted), "{keys}:\n{told}");
        assert!(told.contains("plate.toml:"), "{told}");
    }
}
