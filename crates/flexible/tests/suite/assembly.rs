//! Assembly: what is refused, mixed bodies, memory.

use crate::support::{STEEL, close, dense, grid, steel};
use poinsot_flexible::{
    BarSection, BeamOrientation, BeamSection, Component, CrossSection, ElementKind, FiniteElements,
    FlexibleError, Group, MassProducts, Mesh, MeshElement, PlaneSection, PlaneState, Section, SectionOf,
    ShellSection, SolidSection, assemble,
};
use poinsot_geometry::Vec3;

fn solid() -> Section {
    Section::Solid(SolidSection::new(steel()))
}

fn refused(mesh: &Mesh) -> FlexibleError {
    assemble(mesh, &[SectionOf::all(solid())]).expect_err("a fault")
}

fn block() -> Mesh {
    let mut mesh = grid(ElementKind::Hex8, [3, 1, 1], |_, x| x);
    mesh.groups = vec![
        Group { name: "left".into(), nodes: vec![], elements: vec![0] },
        Group { name: "right".into(), nodes: vec![], elements: vec![1, 2] },
    ];
    mesh
}

#[test]
fn elements_inside_out_are_named() {
    let mut mesh = block();
    mesh.elements[1].nodes.rotate_left(4);
    let error = refused(&mesh);
    assert!(matches!(&error, FlexibleError::Inverted { element: 1, determinant, .. } if *determinant < 0.0));
    assert!(error.to_string().contains("element 1 of group 'right' is inside out"), "{error}");
}

#[test]
fn flat_and_folded_elements_are_named() {
    let mut mesh = block();
    for node in &mut mesh.nodes {
        node.z *= 1e-14;
    }
    assert!(matches!(refused(&mesh), FlexibleError::NoVolume { element: 0, .. }));
    let mut mesh = block();
    mesh.elements[2].nodes[3] = mesh.elements[2].nodes[0];
    assert!(matches!(refused(&mesh), FlexibleError::NodeTwice { element: 2, .. }));
}

#[test]
fn loose_and_repeated_nodes_are_named() {
    let mut mesh = block();
    mesh.nodes.push(Vec3::new(9.0, 0.0, 0.0));
    let last = mesh.nodes.len() - 1;
    assert_eq!(refused(&mesh), FlexibleError::LooseNodes { count: 1, first: last });
    let (pruned, new) = mesh.without_loose_nodes();
    assert_eq!((pruned.nodes.len(), new[last], new[0]), (last, None, Some(0)));
    assert!(assemble(&pruned, &[SectionOf::all(solid())]).is_ok());
    // The last element gets nodes of its own where it touches the one before it.
    let mut mesh = block();
    let place = mesh.nodes[2];
    mesh.nodes.push(place + Vec3::repeat(1e-13));
    mesh.elements[2].nodes[0] = last;
    assert!(
        matches!(refused(&mesh), FlexibleError::RepeatedNodes { first: 2, second, .. } if second == last)
    );
}

#[test]
fn parts_that_nothing_joins_are_named() {
    let mut mesh = block();
    let shift = mesh.nodes.len();
    let copy: Vec<Vec3> = mesh.nodes.iter().map(|x| x + Vec3::y() * 5.0).collect();
    mesh.nodes.extend(copy);
    let nodes = mesh.elements[0].nodes.iter().map(|node| node + shift).collect();
    mesh.elements.push(MeshElement { kind: ElementKind::Hex8, nodes });
    mesh.groups.push(Group { name: "island".into(), nodes: vec![], elements: vec![3] });
    let (mesh, _) = mesh.without_loose_nodes();
    let error = refused(&mesh);
    let FlexibleError::Disconnected { parts } = &error else { panic!("{error}") };
    assert_eq!(parts.iter().map(|part| part.nodes).collect::<Vec<_>>(), [16, 8]);
    assert_eq!(parts[1].groups, ["island"]);
    assert!(error.to_string().contains("2 parts"), "{error}");
}

#[test]
fn numbers_that_lead_nowhere_are_refused() {
    let mut mesh = block();
    mesh.elements[0].nodes[0] = 99;
    assert!(matches!(refused(&mesh), FlexibleError::NoSuchNode { node: 99, .. }));
    let mut mesh = block();
    mesh.elements[0].nodes.pop();
    assert!(matches!(refused(&mesh), FlexibleError::WrongNumberOfNodes { found: 7, .. }));
    let mut mesh = block();
    mesh.nodes[3].y = f64::NAN;
    assert_eq!(refused(&mesh), FlexibleError::NotFinite { node: 3 });
    let mut mesh = block();
    mesh.groups[0].elements.push(17);
    assert!(matches!(refused(&mesh), FlexibleError::NoSuchElement { element: 17, .. }));
    let elements = [SectionOf::all(solid())];
    let mesh = block();
    let elements = FiniteElements::new(&mesh, &elements).unwrap();
    assert_eq!(elements.stresses(&[0.0]).unwrap_err(), FlexibleError::WrongLength { found: 1, expected: 48 });
}

#[test]
fn sections_must_fit_and_cover_the_body() {
    let mesh = block();
    let group = |name: &str| SectionOf::group(name, solid());
    assert!(assemble(&mesh, &[group("left"), group("right")]).is_ok());
    let error = assemble(&mesh, &[group("left")]).unwrap_err();
    assert!(matches!(error, FlexibleError::WithoutSection { element: 1, .. }), "{error}");
    let error = assemble(&mesh, &[group("left"), SectionOf::all(solid())]).unwrap_err();
    assert!(matches!(error, FlexibleError::TwoSections { element: 0, .. }), "{error}");
    let error = assemble(&mesh, &[group("lift")]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no group 'lift' with elements; the mesh has groups 'left', 'right'"
    );
    let shell = Section::Shell(ShellSection { material: steel(), thickness: 0.1 });
    let error = assemble(&mesh, &[SectionOf::group("left", shell.clone())]).unwrap_err();
    assert!(matches!(error, FlexibleError::UnfitSection { section: "shell", .. }), "{error}");
    let quadratic = grid(ElementKind::Quad8, [1, 1, 0], |_, x| x);
    assert!(matches!(
        assemble(&quadratic, &[SectionOf::all(shell)]).unwrap_err(),
        FlexibleError::UnfitSection { kind: ElementKind::Quad8, .. }
    ));
    assert_eq!(assemble(&Mesh::default(), &[]).unwrap_err(), FlexibleError::Empty);
    let plane = Section::Plane(PlaneSection::new(steel(), -0.1, PlaneState::Stress));
    let error = assemble(&mesh, &[SectionOf::all(plane)]).unwrap_err();
    assert_eq!(error, FlexibleError::BadSection { what: "thickness", value: -0.1 });
    let tilted = grid(ElementKind::Quad4, [1, 1, 0], |_, x| Vec3::new(x.x, x.y, x.x));
    let plane = Section::Plane(PlaneSection::new(steel(), 0.1, PlaneState::Stress));
    let error = assemble(&tilted, &[SectionOf::all(plane)]).unwrap_err();
    assert!(matches!(error, FlexibleError::OutOfPlane { element: 0, .. }), "{error}");
}

#[test]
fn sections_of_beams_are_checked() {
    let nodes = vec![Vec3::zeros(), Vec3::x()];
    let elements = vec![MeshElement { kind: ElementKind::Beam2, nodes: vec![0, 1] }];
    let mesh = Mesh { nodes, elements, groups: vec![] };
    let refused = |beam| assemble(&mesh, &[SectionOf::all(Section::Beam(beam))]).unwrap_err();
    let flat = BeamSection { cross_section: CrossSection::rectangle(0.0, 1.0), ..beam() };
    assert_eq!(refused(flat), FlexibleError::BadSection { what: "area", value: 0.0 });
    let lost = BeamSection { offset: [f64::NAN, 0.0], ..beam() };
    assert_eq!(refused(lost), FlexibleError::SectionNotFinite { what: "offset" });
    let lost = BeamSection { orientation: BeamOrientation::Roll(f64::INFINITY), ..beam() };
    assert_eq!(refused(lost), FlexibleError::SectionNotFinite { what: "orientation" });
    let bar = BarSection { area: 1.0, young: -1.0, density: 1.0 };
    assert_eq!(
        assemble(&mesh, &[SectionOf::all(Section::Bar(bar))]).unwrap_err(),
        FlexibleError::BadSection { what: "Young's modulus", value: -1.0 }
    );
}

fn beam() -> BeamSection {
    BeamSection {
        cross_section: CrossSection::circle(0.1),
        young: STEEL.young,
        shear: STEEL.shear(),
        density: 2.0,
        orientation: BeamOrientation::Roll(0.0),
        offset: [0.0; 2],
    }
}

/// Faces that only mark a surface need no section.
#[test]
fn faces_of_solids_may_mark_surfaces() {
    let mut mesh = block();
    let before = assemble(&mesh, &[SectionOf::all(solid())]).unwrap();
    mesh.elements.push(MeshElement { kind: ElementKind::Quad4, nodes: mesh.elements[0].nodes[..4].to_vec() });
    let after = assemble(&mesh, &[SectionOf::all(solid())]).unwrap();
    assert_eq!(before.stiffness, after.stiffness);
}

/// A block with a beam and a bar: unknowns as the elements ask for them, products of pairs, masses that add.
#[test]
fn solids_and_lines_make_one_body() {
    let mut mesh = block();
    let (a, b) = (mesh.nodes.len(), mesh.nodes.len() + 1);
    mesh.nodes.extend([Vec3::new(5.0, 0.0, 0.0), Vec3::new(5.0, 1.0, 0.5)]);
    mesh.elements.push(MeshElement { kind: ElementKind::Beam2, nodes: vec![3, a] });
    mesh.elements.push(MeshElement { kind: ElementKind::Bar2, nodes: vec![a, b] });
    mesh.groups.push(Group { name: "beam".into(), nodes: vec![], elements: vec![3] });
    mesh.groups.push(Group { name: "bar".into(), nodes: vec![], elements: vec![4] });
    let bar = BarSection { area: 0.02, young: STEEL.young, density: 3.0 };
    let sections = [
        SectionOf::all(solid()),
        SectionOf::group("beam", Section::Beam(beam())),
        SectionOf::group("bar", Section::Bar(bar)),
    ];
    let body = assemble(&mesh, &sections).unwrap();
    assert_eq!(body.unknowns.len(), 3 * 15 + 6 + 6 + 3);
    let of = |node: usize| body.unknowns.iter().filter(|unknown| unknown.node == node).count();
    assert_eq!((of(3), of(a), of(b), of(0)), (6, 6, 3, 3));
    assert!(body.unknowns.windows(2).all(|pair| pair[0].node <= pair[1].node));
    let length = (mesh.nodes[b] - mesh.nodes[a]).norm();
    let mass = 3.0 * 7.8 + 2.0 * std::f64::consts::PI * 0.01 * 2.0 + 3.0 * 0.02 * length;
    close(body.total_mass, mass, 1e-13);
    let MassProducts::Pairs(pairs) = &body.products else { panic!("not all are solids") };
    let m = dense(&body.mass);
    for &(a, b, product) in pairs {
        assert!(a <= b);
        assert!((product.trace() - m[(a, b)]).abs() < 1e-15);
    }
    let x = body.unknowns.iter().map(|unknown| f64::from(unknown.component == Component::Translation(0)));
    let x = nalgebra::DVector::from_iterator(body.unknowns.len(), x);
    close((&m * &x).dot(&x), mass, 1e-13);
}

/// Each stored entry belongs to nodes of one element; nothing dense is made of a mesh of a hundred thousand
/// unknowns.
#[test]
fn large_meshes_stay_sparse() {
    let n = 30;
    let mesh = grid(ElementKind::Hex8, [n, n, n], |_, x| x);
    let section = SolidSection { incompatible_modes: false, ..SolidSection::new(steel()) };
    let body = assemble(&mesh, &[SectionOf::all(Section::Solid(section))]).unwrap();
    assert_eq!(body.unknowns.len(), 3 * 31 * 31 * 31);
    assert!(body.stiffness.stored() < 43 * body.unknowns.len());
    let MassProducts::Nodal(nodal) = &body.products else { panic!("solids have nodal masses") };
    assert!(nodal.stored() < 15 * mesh.nodes.len());
    close(body.total_mass, 7.8 * f64::from(n as u32).powi(3), 1e-12);
}

/// A million unknowns of quadratic hexahedra.
#[test]
#[ignore = "takes 16 s and 2 GB"]
fn a_million_unknowns_are_assembled() {
    let n = 43;
    let mesh = grid(ElementKind::Hex20, [n, n, n], |_, x| x);
    let body = assemble(&mesh, &[SectionOf::all(solid())]).unwrap();
    assert!(body.unknowns.len() > 1_000_000, "{}", body.unknowns.len());
    assert!(body.stiffness.stored() < 120 * body.unknowns.len());
    close(body.total_mass, 7.8 * f64::from(n as u32).powi(3), 1e-10);
}
