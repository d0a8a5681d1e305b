//! Meshes from files that Gmsh and VTK have written, and input files by hand.

use poinsot_flexible::{
    ElasticData, ElementKind, FileError, Mesh, MeshInput, Place, SectionKind, read_inp, read_mesh,
};
use poinsot_geometry::Vec3;
use std::path::Path;

fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)).unwrap()
}

/// Reads a file by the end of its name.
fn read_bytes(name: &str, bytes: &[u8]) -> Result<MeshInput, FileError> {
    read_mesh(name, bytes, &mut |name| Err(format!("no file {name}").into()))
}

fn read(name: &str) -> MeshInput {
    read_bytes(name, &bytes(name)).unwrap_or_else(|error| panic!("{error}"))
}

fn inp(text: &str) -> Result<MeshInput, FileError> {
    read_inp("model.inp", text.as_bytes(), &mut |name| Err(format!("no file {name}").into()))
}

/// Corners between which the nodes in the middle of edges lie, in the order of Abaqus.
fn edges(kind: ElementKind) -> &'static [(usize, usize)] {
    match kind {
        ElementKind::Tri6 => &[(0, 1), (1, 2), (2, 0)],
        ElementKind::Quad8 => &[(0, 1), (1, 2), (2, 3), (3, 0)],
        ElementKind::Tet10 => &[(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)],
        ElementKind::Hex20 => {
            &[(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]
        }
        ElementKind::Wedge15 => &[(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)],
        _ => &[],
    }
}

/// Volume of the corners by tetrahedra; it is negative where an element is inside out.
fn volume(kind: ElementKind, x: &[Vec3]) -> f64 {
    let tet = |a: usize, b: usize, c: usize, d: usize| {
        (x[b] - x[a]).cross(&(x[c] - x[a])).dot(&(x[d] - x[a])) / 6.0
    };
    match kind {
        ElementKind::Tet4 | ElementKind::Tet10 => tet(0, 1, 2, 3),
        ElementKind::Wedge6 | ElementKind::Wedge15 => tet(0, 1, 2, 5) + tet(0, 1, 5, 4) + tet(0, 4, 5, 3),
        ElementKind::Hex8 | ElementKind::Hex20 => {
            // Around the diagonal from 0 to 6.
            [1, 2, 3, 7, 4, 5, 1].windows(2).map(|pair| tet(0, pair[0], pair[1], 6)).sum()
        }
        _ => 0.0,
    }
}

/// Nodes of edges lie in their middles, volumes are positive and fill the body.
fn check(mesh: &Mesh, kind: ElementKind, count: usize, total: f64) {
    assert_eq!(mesh.elements.len(), count);
    let mut sum = 0.0;
    for element in &mesh.elements {
        assert_eq!((element.kind, element.nodes.len()), (kind, kind.nodes()));
        let x: Vec<Vec3> = element.nodes.iter().map(|node| mesh.nodes[*node]).collect();
        let corners = kind.nodes() - edges(kind).len();
        for (middle, (a, b)) in x[corners..].iter().zip(edges(kind)) {
            assert!((middle - 0.5 * (x[*a] + x[*b])).norm() < 1e-9, "{kind:?}: {middle:?} of {a} and {b}");
        }
        if kind.dimension() == 3 {
            let part = volume(kind, &x);
            assert!(part > 0.0, "{kind:?} is inside out: {part}");
            sum += part;
        }
    }
    assert!((sum - total).abs() < 1e-9, "volume {sum}");
}

fn group<'a>(mesh: &'a Mesh, name: &str) -> &'a poinsot_flexible::Group {
    let names: Vec<&String> = mesh.groups.iter().map(|group| &group.name).collect();
    mesh.groups.iter().find(|group| group.name == name).unwrap_or_else(|| panic!("no `{name}` in {names:?}"))
}

#[test]
fn middle_nodes_lie_between_their_corners_in_files_of_gmsh() {
    let cases = [
        ("box-tet10.msh", ElementKind::Tet10, 48, 2.0),
        ("hex8.msh", ElementKind::Hex8, 4, 2.0),
        ("hex20.msh", ElementKind::Hex20, 4, 2.0),
        ("wedge6.msh", ElementKind::Wedge6, 8, 2.0),
        ("wedge15.msh", ElementKind::Wedge15, 8, 2.0),
        ("tri6.msh", ElementKind::Tri6, 8, 0.0),
        ("quad8.msh", ElementKind::Quad8, 2, 0.0),
        ("box-tet10.inp", ElementKind::Tet10, 48, 2.0),
        ("hex20.inp", ElementKind::Hex20, 4, 2.0),
        ("wedge15.inp", ElementKind::Wedge15, 8, 2.0),
        ("box-tet4.vtk", ElementKind::Tet4, 48, 2.0),
        ("hex20.vtk", ElementKind::Hex20, 4, 2.0),
        ("wedge15.vtk", ElementKind::Wedge15, 8, 2.0),
        ("wedge6.vtk", ElementKind::Wedge6, 8, 2.0),
    ];
    for (name, kind, count, total) in cases {
        println!("{name}");
        check(&read(name).mesh, kind, count, total);
    }
}

#[test]
fn versions_and_forms_of_gmsh_give_the_same_mesh() {
    let text = read("box-tet10.msh").mesh;
    for name in ["box-tet10-binary.msh", "box-tet10-22.msh", "box-tet10-22-binary.msh"] {
        let other = read(name).mesh;
        assert_eq!(other.elements, text.elements, "{name}");
        let largest = other.nodes.iter().zip(&text.nodes).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        assert!(largest < 1e-12 && other.nodes.len() == text.nodes.len(), "{name}: {largest}");
        for group in &text.groups {
            // Version 2.2 keeps names of all dimensions as well.
            assert!(other.groups.contains(group), "{name}: {:?}", group.name);
        }
    }
}

#[test]
fn physical_groups_have_their_nodes_and_the_elements_of_the_structure() {
    for name in ["box-tet10.msh", "box-tet10-all.msh"] {
        let mesh = read(name).mesh;
        check(&mesh, ElementKind::Tet10, 48, 2.0);
        let steel = group(&mesh, "steel block");
        assert_eq!((steel.elements.len(), steel.nodes.len()), (48, mesh.nodes.len()));
        for (name, x) in [("left", 0.0), ("right", 2.0)] {
            let side = group(&mesh, name);
            let on_side: Vec<usize> = (0..mesh.nodes.len()).filter(|node| mesh.nodes[*node].x == x).collect();
            assert_eq!((&side.nodes, side.elements.len()), (&on_side, 0));
        }
        assert_eq!(group(&mesh, "curve 5").nodes.len(), 3);
        let corner = group(&mesh, "corner");
        assert_eq!(
            corner.nodes.iter().map(|node| mesh.nodes[*node]).collect::<Vec<_>>(),
            [Vec3::new(0.0, 0.0, 1.0)]
        );
    }
}

#[test]
fn what_gmsh_writes_and_we_do_not_use_is_refused_with_a_remedy() {
    let error = read_bytes("hex27.msh", &bytes("hex27.msh")).unwrap_err();
    assert_eq!(error.place, Place::Text { line: 221, column: 5 }, "{error}");
    assert!(error.help().unwrap().contains("Mesh.SecondOrderIncomplete = 1"));
    let old = String::from_utf8(bytes("hex8.msh")).unwrap().replace("4.1 0 8", "4 0 8");
    let error = read_bytes("a.msh", old.as_bytes()).unwrap_err();
    assert_eq!(error.to_string(), "a.msh:2:1: version 4 of the format cannot be used");
    assert!(error.help().unwrap().contains("-format msh41"));
    let error = read_bytes("a.stp", b"").unwrap_err();
    assert_eq!(error.to_string(), "a.stp: a mesh as `.stp` cannot be used");
    let text = String::from_utf8(bytes("hex8.msh")).unwrap();
    let error = read_bytes("a.msh", text.replacen("$Nodes\n", "$Nodes\nmany ", 1).as_bytes()).unwrap_err();
    assert!(error.to_string().ends_with("expected the number of blocks, found `many`"), "{error}");
}

#[test]
fn vtk_files_of_all_forms_give_the_same_mesh() {
    let text = read("hex20.vtk").mesh;
    let forms = ["ascii", "binary", "binary-zlib", "appended", "appended-zlib"]
        .map(|form| format!("hex20-{form}.vtu"));
    for name in forms.into_iter().chain(["hex20-vtk5.vtk".into(), "hex20-vtk5-binary.vtk".into()]) {
        let mesh = read(&name).mesh;
        assert_eq!(mesh.elements, text.elements, "{name}");
        // The writer of the text of version 5 gives six digits: 1 of what is 0.9999999999973842.
        let rounding = if name == "hex20-vtk5.vtk" { 5e-6 } else { 0.0 };
        let distances = mesh.nodes.iter().zip(&text.nodes).map(|(a, b)| (a - b).amax());
        assert_eq!(mesh.nodes.len(), text.nodes.len(), "{name}");
        assert!(distances.fold(0.0, f64::max) <= rounding, "{name}");
        check(&mesh, ElementKind::Hex20, 4, 2.0);
        // Cells 1, 3 and 5 of six, of which the first two are faces.
        assert_eq!(group(&mesh, "part = 1").elements, [1, 3], "{name}");
        assert_eq!(group(&mesh, "part = 5").elements, [0, 2], "{name}");
    }
}

const DECK: &str = "\
** a comment
*Heading
 Two bricks
*Node, nset=ALL
1, 0., 0., 0.
2, 1., 0., 0.
3, 1., 1., 0.
4, 0., 1.
5, 0., 0., 1.
6, 1., 0., 1.
7, 1., 1., 1.
8, 0., 1.D0, 1.
99, 5., 5., 5.
*ELEMENT, TYPE=c3d8i,
 ELSET=Eall
7, 1, 2, 3, 4,
   5, 6, 7, 8
*ELEMENT, TYPE=S4, ELSET=skin
8, 1, 2, 3, 4
*NSET, NSET=bottom, GENERATE
1, 4, 1
*NSET, NSET=some
bottom, 5,
6
*ELSET, ELSET=both
EALL, 8
*NSET, NSET=ofset, ELSET=SKIN
*MATERIAL, NAME=\"Steel 1\"
*ELASTIC
2.1e11, 0.3
1.9e11, 0.3, 100.
*DENSITY
7800.,
*MATERIAL, NAME=wood
*ELASTIC, TYPE=ENGINEERING CONSTANTS
1., 2., 3., .12, .13, .23, 12., 13.,
23.
*MATERIAL, NAME=ortho
*ELASTIC, TYPE=ORTHO
11., 12., 22., 13., 23., 33., 1212., 1313.,
2323.
*MATERIAL, NAME=crystal
*ELASTIC, TYPE=ANISOTROPIC
1., 2., 3., 4., 5., 6., 7., 8.
9., 10., 11., 12., 13., 14., 15., 16.,
17., 18., 19., 20., 21.
*ORIENTATION, NAME=turned, SYSTEM=RECTANGULAR
0., 1., 0., -1., 0., 0.
3, 90.
*SOLID SECTION, ELSET=eall, MATERIAL=steel 1, ORIENTATION=TURNED
*SHELL SECTION, ELSET=skin, MATERIAL=wood
0.01
*STEP
*STATIC
*BOUNDARY
1, 1, 3
*BOUNDARY
2, 1, 1
*END STEP
";

#[test]
fn an_input_file_gives_mesh_materials_and_sections() {
    let input = inp(DECK).unwrap();
    let MeshInput { mesh, node_labels, types, materials, sections, remarks } = &input;
    assert_eq!(mesh.nodes.len(), 8);
    assert_eq!(mesh.nodes[7], Vec3::new(0.0, 1.0, 1.0));
    assert_eq!(node_labels[..], [1, 2, 3, 4, 5, 6, 7, 8]);
    let kinds: Vec<ElementKind> = mesh.elements.iter().map(|element| element.kind).collect();
    // The shell has a section: it is a part of the structure though it lies on the solid.
    assert_eq!(kinds, [ElementKind::Hex8, ElementKind::Quad4]);
    assert_eq!((types[0].name.as_str(), types[1].name.as_str()), ("C3D8I", "S4"));
    assert_eq!(group(mesh, "bottom").nodes, [0, 1, 2, 3]);
    assert_eq!(group(mesh, "some").nodes, [0, 1, 2, 3, 4, 5]);
    assert_eq!(group(mesh, "ofset").nodes, [0, 1, 2, 3]);
    assert_eq!(group(mesh, "both").elements, [0, 1]);
    assert_eq!(materials[0].name, "Steel 1");
    assert_eq!(materials[0].density, Some(7800.0));
    assert_eq!(materials[0].elastic, Some(ElasticData::Isotropic { young: 2.1e11, poisson: 0.3 }));
    let wood = ElasticData::EngineeringConstants {
        young: [1.0, 2.0, 3.0],
        poisson: [0.12, 0.13, 0.23],
        shear: [12.0, 13.0, 23.0],
    };
    assert_eq!(materials[1].elastic, Some(wood));
    let Some(ElasticData::Stiffness(c)) = &materials[2].elastic else { panic!("no stiffness") };
    assert_eq!((c[0][1], c[2][1], c[3][3], c[5][5], c[0][3]), (12.0, 23.0, 1212.0, 2323.0, 0.0));
    let Some(ElasticData::Stiffness(c)) = &materials[3].elastic else { panic!("no stiffness") };
    assert_eq!((c[0][3], c[3][3], c[3][4], c[5][5], c[4][5]), (7.0, 10.0, 14.0, 21.0, 20.0));
    // a = y, b = −x; then 90° about z: the first axis is −x.
    let axes = sections[0].axes.unwrap();
    assert!((axes.column(0) - Vec3::new(-1.0, 0.0, 0.0)).norm() < 1e-15, "{axes}");
    assert_eq!(
        (sections[0].elements.as_slice(), sections[0].kind.clone()),
        (&[0][..], SectionKind::Solid { size: None })
    );
    assert_eq!(sections[1].kind, SectionKind::Shell { thickness: 0.01 });
    let told: Vec<String> = remarks.iter().map(|remark| remark.to_string()).collect();
    let expected = [
        "model.inp:29: of material `Steel 1` only the first temperature is used",
        "model.inp:54: `*STATIC` is not read",
        "model.inp:55: `*BOUNDARY` is not read, 2 times",
        "model.inp: 1 nodes belong to no element and are left out",
    ];
    assert_eq!(told, expected);
}

#[test]
fn included_files_stand_where_they_are_included() {
    let text = "*NODE\n*INCLUDE, INPUT=nodes.txt\n4, 0, 0, 1\n*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n";
    let mut files = |name: &str| match name {
        "nodes.txt" => Ok(b"1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n".to_vec()),
        "self.txt" => Ok(b"*INCLUDE, INPUT=self.txt\n*INCLUDE, INPUT=self.txt\n".to_vec()),
        "bad.txt" => Ok(b"1, 0, 0, 0\n2, 1, x, 0\n".to_vec()),
        _ => Err("there is none".into()),
    };
    let mesh = read_inp("a.inp", text.as_bytes(), &mut files).unwrap().mesh;
    assert_eq!((mesh.nodes.len(), mesh.elements.len()), (4, 1));
    let mut message = |other: &str| {
        let text = text.replace("nodes.txt", other);
        read_inp("a.inp", text.as_bytes(), &mut files).unwrap_err().to_string()
    };
    assert_eq!(message("bad.txt"), "bad.txt:2:7: expected a coordinate, found `x`");
    assert_eq!(message("none.txt"), "a.inp:2:1: the included file `none.txt` cannot be read: there is none");
    assert_eq!(message("self.txt"), "self.txt:1:1: a chain of so many included files cannot be used");
}

#[test]
fn mistakes_of_input_files_are_told_with_their_places() {
    let cases = [
        ("*NODE\n1, 0, 0, 0\n1, 1, 0, 0\n", "m:3:1: node `1` is defined twice"),
        ("*NODE\n1, 0, 0, 1e999\n", "m:2:10: expected a coordinate, found `1e999`"),
        ("*NODE\n1, 0, 0, 0\n*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n", "m:4:1: node `2` is not defined"),
        (
            "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3\n*NSET, NSET=a\n",
            "m:2:1: the element has 3 nodes, one of type C3D4 has 4",
        ),
        ("*ELEMENT, TYPE=CAX4\n", "m:1:1: an element of type `CAX4` cannot be used"),
        ("*ELEMENT\n", "m:1:1: expected a parameter `TYPE=…`, found `*ELEMENT`"),
        ("*NSET, NSET=a\n  ghost\n", "m:2:3: the set of nodes `ghost` is not defined"),
        ("*NSET, NSET=a\n1, 7\n", "m:2:1: node `1` is not defined"),
        ("*NGEN\n", "m:1:1: `*NGEN` cannot be used"),
        ("*PART, NAME=a\n*PART, NAME=b\n", "m:2:1: a second part or instance cannot be used"),
        ("*ELASTIC\n1, 2\n", "m:1:1: expected *MATERIAL before it, found `*ELASTIC`"),
        ("*MATERIAL, NAME=a\n*ELASTIC\n1\n", "m:2:1: *ELASTIC has 1 constants, it needs 2"),
        ("*SOLID SECTION, ELSET=e, MATERIAL=m\n", "m:1:1: the set of elements `e` is not defined"),
        ("", "m: the file has no elements"),
    ];
    for (text, expected) in cases {
        let error = read_inp("m", text.as_bytes(), &mut |_| Err("".into())).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn a_bar_between_two_solids_is_no_boundary() {
    let text = "\
*NODE
1,0,0,0
2,1,0,0
3,0,1,0
4,0,0,1
5,5,0,0
6,6,0,0
7,5,1,0
8,5,0,1
*ELEMENT, TYPE=C3D4
1,1,2,3,4
2,5,6,7,8
*ELEMENT, TYPE=T3D2, ELSET=BAR
3,2,5
*ELEMENT, TYPE=T3D2, ELSET=EDGE
4,1,2
";
    let mesh = inp(text).unwrap().mesh;
    assert_eq!(mesh.elements.len(), 3);
    assert_eq!(mesh.elements[2].kind, ElementKind::Bar2);
    assert_eq!(group(&mesh, "BAR").elements, [2]);
    assert_eq!(
        (group(&mesh, "EDGE").elements.len(), group(&mesh, "EDGE").nodes.as_slice()),
        (0, &[0, 1][..])
    );
}

/// Whatever the bytes are, a reader answers.
#[test]
fn files_with_wrong_bytes_are_refused_or_read_but_never_end_the_program() {
    let names = [
        "box-tet10.msh",
        "box-tet10-binary.msh",
        "box-tet10-22-binary.msh",
        "hex8.msh",
        "hex20.inp",
        "block.inp",
        "hex20.vtk",
        "hex20-vtk5-binary.vtk",
        "wedge6.vtk",
        "hex20-ascii.vtu",
        "hex20-binary.vtu",
        "hex20-binary-zlib.vtu",
        "hex20-appended-zlib.vtu",
    ];
    for name in names {
        let good = bytes(name);
        let (mut refused, mut state) = (0, 1u64);
        for _ in 0..3000 {
            let bad = super::mutated(&good, &mut state);
            if let Err(error) = read_bytes(name, &bad) {
                refused += 1;
                assert!(!error.to_string().is_empty());
            }
        }
        assert!(refused > 500, "{name}: {refused} of 3000 refused");
    }
    for text in DECK.split_inclusive('\n') {
        let _ = inp(text);
    }
    let mut state = 7;
    for _ in 0..3000 {
        let _ = read_bytes("a.inp", &super::mutated(DECK.as_bytes(), &mut state));
    }
}
