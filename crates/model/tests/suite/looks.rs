//! Looks of bodies, beams and the ground, and mistakes in them.

use poinsot_mechanics::mass_properties::Shape;
use poinsot_model::Model;
use poinsot_model::spec::{Color, LookSolid};
use poinsot_studies::load;
use std::path::Path;

const BODY: &str = "[[body]]\nname = \"a\"\nmass = 1\ninertia = [1, 1, 1]\n";

fn loaded(folder: &Path, text: &str) -> Result<Model, String> {
    let path = folder.join("model.toml");
    std::fs::write(&path, text).unwrap();
    load(&path, &[]).map(|(model, _)| model).map_err(|error| error.render(false))
}

fn good(text: &str) -> Model {
    loaded(tempfile::tempdir().unwrap().path(), text).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn looks_have_shape_place_and_colour() {
    let model = good(&format!(
        "[parameters]\nr = 0.2\n{BODY}look = [{{ type = \"sphere\", radius = \"2*r\", position = [1, 0, 0], color = \"teal\" }}, \
         {{ type = \"capsule\", radius = \"r\", length = 1, axis = \"x\" }}]\ncolor = \"#fa0\"\n{}",
        BODY.replace("\"a\"", "\"b\"")
            + "look = \"none\"\n[ground]\nlook = { type = \"box\", size = [1, 1, 0.1] }\n"
    ));
    let looks = &model.looks;
    let solids = looks.bodies[0].solids.as_ref().unwrap();
    assert_eq!(solids[0].solid, LookSolid::Shape(Shape::Sphere { radius: 0.4 }));
    assert_eq!((solids[0].pose.r.x, solids[0].color), (1.0, Some(Color([0, 128, 128]))));
    assert!(
        matches!(solids[1].solid, LookSolid::Capsule { radius: 0.2, length: 1.0, .. })
            && solids[1].color.is_none()
    );
    assert_eq!(looks.bodies[0].color, Some(Color([255, 170, 0])));
    assert_eq!(looks.bodies[1].solids, Some(vec![]));
    assert_eq!(looks.ground.solids.as_ref().map(Vec::len), Some(1));
    // Nothing given.
    assert_eq!(good(BODY).looks.bodies[0], Default::default());
}

#[test]
fn meshes_come_from_all_kinds_of_files() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("a.obj", "v 0 0 0\nv 1000 0 0\nv 0 1000 0\nf 1 2 3\n");
    write(
        "a.stl",
        "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1000 0 0\nvertex 0 1000 0\nendloop\nendfacet\nendsolid a\n",
    );
    for file in ["a.obj", "a.stl"] {
        let text = format!("{BODY}look = {{ type = \"mesh\", file = \"{file}\", scale = 0.001 }}\n");
        let model = loaded(folder.path(), &text).unwrap();
        // One triangle: open, which a look may be.
        let Some([look]) = model.looks.bodies[0].solids.as_deref() else { panic!() };
        let LookSolid::Shape(Shape::Mesh(mesh)) = &look.solid else { panic!() };
        assert_eq!((mesh.triangles.len(), mesh.vertices[1].x, mesh.vertices[2].y), (1, 1.0, 1.0));
    }
}

#[test]
fn mistakes_are_pointed_at() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("cut.glb"), b"glTF\x02\0\0\0").unwrap();
    std::fs::write(folder.path().join("bad.obj"), "v 0 0 0\nf 1 2 3\n").unwrap();
    std::fs::write(folder.path().join("empty.obj"), "# nothing\n").unwrap();
    for (look, token, said) in [
        ("look = { type = \"mesh\", file = \"no.stl\" }", "\"no", "the mesh file \"no.stl\": cannot read it"),
        ("look = { type = \"mesh\", file = \"a.step\" }", "\"a.", "it is of no known type"),
        ("look = { type = \"mesh\", file = \"cut.glb\" }", "\"cut", "the file is cut short"),
        (
            "look = { type = \"mesh\", file = \"bad.obj\" }",
            "\"bad",
            "line 2: a face names a vertex that is not there",
        ),
        ("look = { type = \"mesh\", file = \"empty.obj\" }", "\"empty", "it holds no triangle"),
        ("color = \"stealblue\"", "\"", "did you mean `steelblue`?"),
        ("color = \"#12\"", "\"", "write \"#rrggbb\" or a CSS name"),
        ("color = 3", "3", "expected a string"),
        ("look = \"hidden\"", "\"", "expected a look, an array of looks or \"none\""),
        ("look = []", "[", "expected a look"),
        ("look = { type = \"ball\", radius = 1 }", "\"ball", "known are box, sphere"),
        (
            "look = { type = \"sphere\", radius = -1 }",
            "-1",
            "the radius of the look of `a` must be positive, but is -1",
        ),
        ("look = { type = \"sphere\", radius = 1, mass = 3 }", "mass", "unknown key `mass`"),
        ("look = { type = \"sphere\", radius = 1, color = \"rde\" }", "\"rde", "did you mean `red`?"),
        (
            "look = { type = \"hollow_cylinder\", outer_radius = 1, inner_radius = 2, length = 1 }",
            "2",
            "is not smaller than the outer radius 1",
        ),
        ("[ground]\ncolour = \"red\"", "colour", "did you mean `color`?"),
    ] {
        let error = loaded(folder.path(), &format!("{BODY}{look}\n")).unwrap_err();
        assert!(error.contains(said), "{look}: {error}");
        let line = look.lines().position(|line| line.contains(token)).unwrap();
        let column = look.lines().nth(line).unwrap().find(token).unwrap();
        let place = format!("model.toml:{}:{} ]", line + 5, column + 1);
        assert!(error.contains(&place), "{look} at {place}: {error}");
    }
}

#[test]
fn outlines_of_sections() {
    let beam = |section: &str| {
        let text = format!(
            "[[beam]]\nname = \"b\"\nfrom = [0, 0, 0]\nto = [0, 0, 1]\nelements = 1\nsection = {{ young = 1e9, density = 1, {section} }}\n"
        );
        good(&text).looks.beams[0].outline.clone()
    };
    let area = |polygon: &[[f64; 2]]| {
        let pairs = polygon.iter().zip(polygon.iter().cycle().skip(1));
        0.5 * pairs.map(|([a, b], [c, d])| a * d - b * c).sum::<f64>().abs()
    };
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
    near(area(&beam("type = \"rectangle\", width = 2, height = 3")), 6.0);
    // A 24-gon: 12 sin 15° r².
    let gon = 12.0 * 15f64.to_radians().sin();
    near(area(&beam("type = \"circle\", diameter = 2")), gon);
    near(area(&beam("type = \"tube\", diameter = 2, thickness = 0.1")), gon * (1.0 - 0.81));
    near(area(&beam("type = \"i\", width = 4, height = 6, web = 0.5, flange = 1")), 2.0 * 4.0 + 4.0 * 0.5);
    near(area(&beam("type = \"thin_walled\", corners = [[3, 0], [0, 0], [0, 4]], thickness = 0.1")), 0.7);
    assert!(beam("type = \"i\", width = 4, height = 6, web = 0.5, flange = 1").contains(&[-0.25, -2.0]));
    let given = "[[beam]]\nname = \"b\"\nfrom = [0, 0, 0]\nto = [0, 0, 1]\nelements = 1\ncolor = \"navy\"\n\
        section = { type = \"given\", stiffness = [1, 1, 1, 1, 1, 1], mass = 1, inertia = [1, 1] }\n";
    let looks = good(given).looks;
    assert!(looks.beams[0].outline.is_empty() && looks.beams[0].color == Some(Color([0, 0, 128])));
}
