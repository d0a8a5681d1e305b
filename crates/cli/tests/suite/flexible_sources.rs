//! Flexible bodies from files: what is wrong with them is named where it is, and what `check` and `reduce`
//! tell.

use crate::common::{output, poinsot, with_model};
use std::fmt::Write;
use std::path::Path;
use tempfile::TempDir;

/// A row of hexahedra of unit size along x with the groups body, root and tip; `first` is where each begins.
fn row_of_cubes(first: &[f64]) -> String {
    let (mut nodes, mut cells) = (String::new(), String::new());
    let mut places: Vec<[f64; 3]> = vec![];
    let mut label = |place: [f64; 3]| match places.iter().position(|other| *other == place) {
        Some(known) => known + 1,
        None => {
            places.push(place);
            places.len()
        }
    };
    let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let mut face = |x: f64| corners.map(|[y, z]| label([x, y, z]));
    let [mut root, mut tip] = [[0; 4]; 2];
    for (k, x) in first.iter().enumerate() {
        let (near, far) = (face(*x), face(x + 1.0));
        let list = near.iter().chain(&far).map(ToString::to_string).collect::<Vec<_>>().join(" ");
        writeln!(cells, "{} 5 2 1 1 {list}", k + 1).unwrap();
        (root, tip) = (if k == 0 { near } else { root }, far);
    }
    for (k, (group, face)) in [(2, root), (3, tip)].into_iter().enumerate() {
        let list = face.map(|node| node.to_string()).join(" ");
        writeln!(cells, "{} 3 2 {group} {group} {list}", first.len() + 1 + k).unwrap();
    }
    for (k, [x, y, z]) in places.iter().enumerate() {
        writeln!(nodes, "{} {x} {y} {z}", k + 1).unwrap();
    }
    format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n3 1 \"body\"\n2 2 \"root\"\n2 3 \"tip\"\n\
         $EndPhysicalNames\n$Nodes\n{}\n{nodes}$EndNodes\n$Elements\n{}\n{cells}$EndElements\n",
        places.len(),
        first.len() + 2
    )
}

/// A model whose only body is flexible.
fn model(source: &str, interface: &str) -> String {
    format!(
        "[[flexible]]\nname = \"part\"\nsource = {{ {source} }}\ninterface = [{interface}]\nmodes = 2\n\n\
         [study]\nend = 1e-3\nstep = 1e-4\n"
    )
}

const STEEL: &str = "material = { young = 2.1e11, poisson = 0.3, density = 7850 }";
const ENDS: &str = "{ name = \"a\", group = \"root\" }, { name = \"b\", group = \"tip\" }";

fn folder(model: &str, mesh: &str) -> TempDir {
    let folder = with_model(model);
    std::fs::write(folder.path().join("part.msh"), mesh).unwrap();
    folder
}

fn mesh_source(more: &str) -> String {
    format!("type = \"mesh\", file = \"part.msh\", {more}")
}

/// The command refuses the model with exit code 2, at this place and with all these words.
fn refused(folder: &Path, place: &str, words: &[&str]) {
    let (code, _, said) = output(poinsot(folder).args(["check", "model.toml"]));
    assert_eq!(code, 2, "{said}");
    let flat = said.split_whitespace().collect::<Vec<_>>().join(" ");
    for word in words.iter().chain([&format!("model.toml:{place} ]").as_str(), &"┬"]) {
        assert!(flat.contains(word), "`{word}` is not in:\n{said}");
    }
}

#[test]
fn a_file_that_is_not_there() {
    let folder = with_model(&model(&mesh_source(STEEL), ENDS));
    refused(folder.path(), "3:34", &["there is no file \"part.msh\"", "looked for"]);
}

#[test]
fn a_mesh_of_two_parts() {
    let folder = folder(&model(&mesh_source(STEEL), ENDS), &row_of_cubes(&[0.0, 2.0]));
    let words = ["the mesh falls into 2 parts", "8 nodes from node 9 on", "merge the nodes", "this mesh"];
    refused(folder.path(), "3:34", &words);
}

#[test]
fn an_element_that_is_inside_out() {
    let mesh = row_of_cubes(&[0.0]).replace("1 2 3 4 5 6 7 8", "5 6 7 8 1 2 3 4");
    let folder = folder(&model(&mesh_source(STEEL), ENDS), &mesh);
    refused(folder.path(), "3:34", &["inside out", "group 'body'", "[5, 6, 7, 8, 1, 2, 3, 4]"]);
}

#[test]
fn a_group_that_the_mesh_does_not_have() {
    let ends = ENDS.replace("\"tip\"", "\"tipp\"");
    let interface = folder(&model(&mesh_source(STEEL), &ends), &row_of_cubes(&[0.0]));
    refused(interface.path(), "4:68", &["there is no group of the mesh `tipp`", "did you mean `tip`?"]);
    let source = mesh_source(&format!("{STEEL}, section = [{{ type = \"solid\", group = \"bodi\" }}]"));
    let section = folder(&model(&source, ENDS), &row_of_cubes(&[0.0]));
    let words = ["there is no group with elements in the mesh `bodi`", "did you mean `body`?"];
    refused(section.path(), "3:145", &words);
}

#[test]
fn one_node_of_a_solid_as_an_interface() {
    let ends = "{ name = \"a\", group = \"root\" }, { name = \"b\", point = 7 }";
    let folder = folder(&model(&mesh_source(STEEL), ends), &row_of_cubes(&[0.0]));
    let words = ["interface `b` has one node, 7, which has no rotation", "this interface"];
    refused(folder.path(), "4:46", &words);
}

#[test]
fn a_mesh_in_millimetres_with_pascals() {
    let mesh = row_of_cubes(&(0..60).map(f64::from).collect::<Vec<_>>());
    let taken_for_metres = folder(&model(&mesh_source(STEEL), ENDS), &mesh);
    let (code, _, said) = output(poinsot(taken_for_metres.path()).args(["check", "model.toml"]));
    let flat = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(code, 0, "{said}");
    for word in ["Warning", "60.000 m long", "is the mesh in mm?", "`scale = 0.001`", "model.toml:3:"] {
        assert!(flat.contains(word), "`{word}` is not in:\n{said}");
    }
    let source = mesh_source(&format!("scale = 0.001, {STEEL}"));
    let in_metres = folder(&model(&source, ENDS), &mesh);
    let (code, told, said) = output(poinsot(in_metres.path()).args(["check", "model.toml"]));
    assert_eq!((code, said.as_str()), (0, ""));
    // 60 mm × 1 mm²: 7850 · 6e-8 kg.
    for word in ["mass 0.000471 kg", "centre [0.030000, 0.000500, 0.000500] m", "6 motions without stiffness"]
    {
        assert!(told.contains(word), "`{word}` is not in:\n{told}");
    }
}

/// Three masses on a spring in space as matrices: nodes 1 m apart, six unknowns each.
fn matrices(stiffness: &str) -> TempDir {
    let source = "type = \"matrices\", mass = \"m.mtx\", stiffness = \"k.mtx\", nodes = \"nodes.csv\"";
    let folder = with_model(&model(source, "{ name = \"a\", point = 1 }, { name = \"b\", point = 2 }"));
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let ones: String = (1..=18).map(|k| format!("{k} {k} 1\n")).collect();
    write("m.mtx", &format!("%%MatrixMarket matrix coordinate real symmetric\n18 18 18\n{ones}"));
    write("k.mtx", stiffness);
    write("nodes.csv", "label,x,y,z\n1,0,0,0\n2,1,0,0\n3,2,0,0\n");
    folder
}

#[test]
fn a_stiffness_that_is_not_symmetric() {
    let head = "%%MatrixMarket matrix coordinate real general";
    let folder = matrices(&format!("{head}\n18 18 4\n1 1 5\n7 7 5\n1 7 -5\n7 1 -4\n"));
    let words = ["k.mtx", "the matrix is not symmetric", "entry (1, 7) is -5e0", "entry (7, 1) is -4e0"];
    refused(folder.path(), "3:59", &words);
}

#[test]
fn a_stiffness_with_a_seventh_zero_mode() {
    let head = "%%MatrixMarket matrix coordinate real symmetric";
    let folder = matrices(&format!("{head}\n18 18 5\n1 1 5\n13 1 -5\n13 13 10\n13 7 -5\n7 7 5\n"));
    refused(folder.path(), "2:8", &["its stiffness matrix is singular", "this body"]);
}

#[test]
fn a_reduced_body_goes_through_a_file() {
    let mesh = row_of_cubes(&[0.0, 1.0, 2.0, 3.0]);
    let source = mesh_source(&format!("scale = 0.1, {STEEL}"));
    let weightless = |text: String| format!("{text}\n[model]\ngravity = [0, 0, 0]\n");
    let folder = folder(&weightless(model(&source, ENDS)), &mesh);
    let (code, told, said) =
        output(poinsot(folder.path()).args(["reduce", "model.toml", "part", "--out", "part.reduced"]));
    assert_eq!((code, said.as_str()), (0, ""));
    for word in
        ["60 unknowns, 8 shapes", "full (Hz)", "MAC", "effective mass", "static stiffness", "written to"]
    {
        assert!(told.contains(word), "`{word}` is not in:\n{told}");
    }
    let stored = model("type = \"reduced\", file = \"part.reduced\"", "{ name = \"a\" }, { name = \"b\" }")
        .replace("modes = 2\n", "");
    let stored = weightless(stored);
    std::fs::write(folder.path().join("stored.toml"), &stored).unwrap();
    let modes = |file: &str| {
        let (code, told, said) = output(poinsot(folder.path()).args(["modes", file, "--out", "runs/x"]));
        assert_eq!(code, 0, "{said}");
        let table = told.lines().skip_while(|line| !line.contains("rad/s")).map(str::to_owned);
        table.take_while(|line| !line.contains("files")).collect::<Vec<_>>()
    };
    let table = modes("stored.toml");
    assert!(table.len() > 8, "{table:?}");
    assert_eq!(table, modes("model.toml"));

    let wrong = stored.replace("{ name = \"b\" }", "{ name = \"bb\" }");
    std::fs::write(folder.path().join("model.toml"), wrong).unwrap();
    refused(folder.path(), "4:39", &["there is no interface of the reduced body `bb`"]);
    let mut bytes = std::fs::read(folder.path().join("part.reduced")).unwrap();
    bytes[200] ^= 1;
    std::fs::write(folder.path().join("part.reduced"), bytes).unwrap();
    std::fs::write(folder.path().join("model.toml"), stored).unwrap();
    refused(folder.path(), "3:37", &["part.reduced: the file is damaged"]);
}

#[test]
fn only_a_flexible_body_is_reduced() {
    let folder = folder(&model(&mesh_source(STEEL), ENDS), &row_of_cubes(&[0.0, 1.0, 2.0]));
    let (code, _, said) = output(poinsot(folder.path()).args(["reduce", "model.toml", "pert"]));
    assert_eq!(code, 2);
    assert!(said.contains("there is no flexible body `pert`; the model has part"), "{said}");
}
