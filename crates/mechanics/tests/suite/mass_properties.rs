//! Mass properties of solids and meshes: closed forms, the digest's bodies, files and errors.

use poinsot_geometry::{Mat3, Vec3};
use poinsot_mechanics::mass_properties::*;
use proptest::prelude::*;
use std::collections::HashMap;
use std::f64::consts::PI;

fn diagonal(x: f64, y: f64, z: f64) -> Mat3 {
    Mat3::from_diagonal(&Vec3::new(x, y, z))
}

/// Distance of two mass properties relative to their size.
fn distance(a: &MassProperties, b: &MassProperties) -> f64 {
    let mass = (a.mass - b.mass).abs() / a.mass.abs();
    let length = 1.0 + a.centre.norm();
    let centre = (a.centre - b.centre).norm() / length;
    let inertia = (a.inertia - b.inertia).norm() / a.inertia.norm();
    mass.max(centre).max(inertia)
}

fn assert_near(a: &MassProperties, b: &MassProperties, tolerance: f64) {
    assert!(distance(a, b) < tolerance, "{a:?} is not {b:?}");
}

fn box_mesh(size: [f64; 3]) -> TriangleMesh {
    let vertices = (0..8)
        .map(|corner| {
            let side = |axis: usize| ((corner >> axis & 1) as f64 - 0.5) * size[axis];
            Vec3::new(side(0), side(1), side(2))
        })
        .collect();
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriangleMesh { vertices, triangles }
}

/// Octahedron whose triangles are split in four, the new corners put on the unit sphere.
fn sphere_mesh(splits: usize) -> TriangleMesh {
    let units = [Vec3::x(), Vec3::y(), Vec3::z()];
    let vertices = units.iter().flat_map(|&u| [u, -u]).collect();
    let mut triangles = Vec::new();
    for octant in 0..8 {
        let [sx, sy, sz] = [octant & 1, octant >> 1 & 1, octant >> 2 & 1];
        let (x, y, z) = (sx, 2 + sy, 4 + sz);
        let even = (sx + sy + sz) % 2 == 0;
        triangles.push(if even { [x, y, z] } else { [x, z, y] });
    }
    let mut mesh = TriangleMesh { vertices, triangles };
    for _ in 0..splits {
        let mut middles = HashMap::new();
        let mut finer = Vec::new();
        for [a, b, c] in mesh.triangles {
            let mut middle = |i: usize, j: usize| {
                *middles.entry((i.min(j), i.max(j))).or_insert_with(|| {
                    let sum = mesh.vertices[i] + mesh.vertices[j];
                    mesh.vertices.push(sum.normalize());
                    mesh.vertices.len() - 1
                })
            };
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            finer.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        mesh.triangles = finer;
    }
    mesh
}

fn tetrahedron_mesh(corners: [Vec3; 4]) -> TriangleMesh {
    TriangleMesh { vertices: corners.to_vec(), triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]] }
}

fn text_stl(mesh: &TriangleMesh, name: &str) -> String {
    let mut text = format!("solid{name}\n");
    for triangle in &mesh.triangles {
        text.push_str("  facet normal 0 0 0\n    outer loop\n");
        for &vertex in triangle {
            let p = mesh.vertices[vertex];
            text.push_str(&format!("      vertex {:e} {:e} {:e}\n", p.x, p.y, p.z));
        }
        text.push_str("    endloop\n  endfacet\n");
    }
    text + &format!("endsolid{name}\n")
}

fn binary_stl(mesh: &TriangleMesh, header: &[u8]) -> Vec<u8> {
    let facets: Vec<stl_io::Triangle> = mesh
        .triangles
        .iter()
        .map(|triangle| stl_io::Triangle {
            normal: stl_io::Normal::new([0.0; 3]),
            vertices: triangle.map(|vertex| {
                let p = mesh.vertices[vertex];
                stl_io::Vertex::new([p.x as f32, p.y as f32, p.z as f32])
            }),
        })
        .collect();
    let mut bytes = Vec::new();
    stl_io::write_stl(&mut bytes, facets.iter()).unwrap();
    bytes[..header.len()].copy_from_slice(header);
    bytes
}

#[test]
fn a_box_has_its_closed_form() {
    let size = [2.0, 3.0, 4.0];
    let body = Shape::Box { size }.with_density(0.5).unwrap();
    assert_eq!(body.mass, 12.0);
    assert_eq!(body.centre, Vec3::zeros());
    let expected = diagonal(25.0, 20.0, 13.0);
    assert!((body.inertia - expected).norm() < 1e-13);
}

#[test]
fn the_plate_of_the_planar_pair_is_a_box() {
    // energy-momentum-null-space V-6.
    let size = [16.0, 16.0, 0.5];
    let plate = Shape::Box { size }.with_mass(5.0).unwrap();
    let expected = diagonal(5125.0 / 48.0, 5125.0 / 48.0, 640.0 / 3.0);
    assert!((plate.inertia - expected).norm() < 1e-11);
}

#[test]
fn a_sphere_has_its_closed_form() {
    let shape = Shape::Sphere { radius: 3.0 };
    let body = shape.with_density(7.0).unwrap();
    assert!((shape.volume().unwrap() - 36.0 * PI).abs() < 1e-12);
    assert!((body.mass - 252.0 * PI).abs() < 1e-11);
    let expected = Mat3::identity() * (0.4 * 252.0 * PI * 9.0);
    assert!((body.inertia - expected).norm() < 1e-10);
}

#[test]
fn cylinders_agree_with_the_revolute_and_cylindrical_pairs() {
    // energy-momentum-null-space V-4 body 1, V-5 bodies 1 and 2.
    let cylinder = |radius, length, mass| {
        let axis = Axis::Z;
        let shape = Shape::Cylinder { radius, length, axis };
        shape.with_mass(mass).unwrap().inertia
    };
    assert!((cylinder(2.0, 15.0, 100.0) - diagonal(1975.0, 1975.0, 200.0)).norm() < 1e-10);
    assert!((cylinder(2.0, 30.0, 4.0) - diagonal(304.0, 304.0, 8.0)).norm() < 1e-11);
    let sleeve = Shape::HollowCylinder { outer_radius: 3.0, inner_radius: 2.0, length: 6.0, axis: Axis::Z };
    let body = sleeve.with_mass(3.0).unwrap();
    assert!((body.inertia - diagonal(18.75, 18.75, 19.5)).norm() < 1e-12);
    assert!((sleeve.volume().unwrap() - 30.0 * PI).abs() < 1e-12);
}

#[test]
fn a_hollow_and_a_solid_cylinder_make_the_second_body_of_the_revolute_pair() {
    // energy-momentum-null-space V-4: the printed first two moments belong to a sleeve of length
    // 10, the third to either length; with the stated length 4.2 they are 5.7775 and 25.5083.
    let body = |sleeve_length| {
        let sleeve = Shape::HollowCylinder {
            outer_radius: 2.1,
            inner_radius: 2.0,
            length: sleeve_length,
            axis: Axis::Z,
        };
        let arm = Shape::Cylinder { radius: 2.1, length: 10.0, axis: Axis::X };
        let place = |shape: Shape, x| {
            let part = shape.with_mass(1.0).unwrap();
            part.moved(&Mat3::identity(), &Vec3::new(x, 0.0, 0.0))
        };
        MassProperties::sum(&[place(sleeve, -2.5), place(arm, 2.5)])
    };
    let stated = body(4.2);
    assert_eq!(stated.mass, 2.0);
    assert_eq!(stated.centre, Vec3::zeros());
    assert!((stated.inertia - diagonal(5.7775, 25.508333, 26.140833)).norm() < 1e-6);
    let printed = body(10.0);
    let difference = printed.inertia - diagonal(12.64083, 32.3717, 26.14083);
    assert!(difference.norm() < 5e-5);
}

#[test]
fn a_solid_cylinder_is_a_hollow_one_minus_its_core() {
    let (radius, length, axis) = (0.3, 2.0, Axis::Y);
    let tube = Shape::HollowCylinder { outer_radius: 0.5, inner_radius: radius, length, axis };
    let core = Shape::Cylinder { radius, length, axis };
    let whole = Shape::Cylinder { radius: 0.5, length, axis };
    let parts = [tube, core].map(|part| part.with_density(3.0).unwrap());
    let whole = whole.with_density(3.0).unwrap();
    assert_near(&whole, &MassProperties::sum(&parts), 1e-14);
    let hole = MassProperties::new(-parts[1].mass, parts[1].centre, -parts[1].inertia);
    assert_near(&parts[0], &MassProperties::sum(&[whole, hole]), 1e-14);
}

#[test]
fn the_cone_of_the_heavy_top_has_its_closed_form() {
    // energy-momentum-null-space V-2: spherical at the centre of mass by accident.
    let cone = Shape::Cone { radius: 0.05, height: 0.1, axis: Axis::Z };
    let body = cone.with_density(2700.0).unwrap();
    assert!((body.mass - 0.706858347).abs() < 1e-9);
    assert!((body.centre - Vec3::new(0.0, 0.0, 0.025)).norm() < 1e-16);
    assert!((body.inertia - Mat3::identity() * 5.301437603e-4).norm() < 1e-12);
    let apex = Vec3::new(0.0, 0.0, 0.1);
    assert!((body.inertia_about(apex)[(0, 0)] - 4.506221962e-3).abs() < 1e-11);
}

#[test]
fn the_axis_of_a_shape_turns_with_its_name() {
    let cone = |axis| Shape::Cone { radius: 1.0, height: 5.0, axis };
    let along_z = cone(Axis::Z).with_density(1.0).unwrap();
    // x → y → z → x.
    let cycle = Mat3::new(0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0);
    let along_x = cone(Axis::X).with_density(1.0).unwrap();
    let along_y = cone(Axis::Y).with_density(1.0).unwrap();
    assert_near(&along_x, &along_z.moved(&cycle, &Vec3::zeros()), 1e-15);
    assert_near(&along_y, &along_x.moved(&cycle, &Vec3::zeros()), 1e-15);
}

#[test]
fn the_tetrahedron_of_the_six_body_linkage_has_its_closed_form() {
    // energy-momentum-null-space V-7, body 0.
    let (l, rho, a) = (0.1_f64, 1000.0, (0.16 * PI).tan());
    let corners =
        [Vec3::zeros(), Vec3::new(a * l, 0.0, 0.0), Vec3::new(0.0, l, 0.0), Vec3::new(0.0, l, -a * l)];
    let body = Shape::Tetrahedron { corners }.with_density(rho).unwrap();
    assert!((body.mass - 0.05037169627).abs() < 1e-11);
    let centre = Vec3::new(a * l / 4.0, l / 2.0, -a * l / 4.0);
    assert!((body.centre - centre).norm() < 1e-16);
    let (p, q, r) = (1.0 / 3.0 + a * a / 4.0, a / 6.0, -a * a / 12.0);
    let factor = rho * l.powi(5) * a * a / 40.0;
    let inertia = Mat3::new(p, q, r, q, a * a / 2.0, q, r, q, p) * factor;
    assert!((body.inertia - inertia).norm() < 1e-14 * inertia.norm());

    let (root, third) = ((a.powi(4) + 1.0).sqrt(), factor / 3.0);
    let expected = [
        third * (2.0 * a * a + 1.0 - root) / 2.0,
        third * (1.0 + a * a),
        third * (2.0 * a * a + 1.0 + root) / 2.0,
    ];
    let printed = [7.049e-6, 3.27978e-5, 3.336e-5];
    for (i, moment) in body.principal_moments().into_iter().enumerate() {
        assert!((moment - expected[i]).abs() < 1e-13 * expected[2]);
        assert!((moment - printed[i]).abs() < 1e-3 * printed[i]);
    }

    let mesh = Shape::Mesh(tetrahedron_mesh(corners));
    assert_near(&body, &mesh.with_density(rho).unwrap(), 1e-13);
}

#[test]
fn the_pyramid_of_the_planar_pair_is_a_mesh() {
    // energy-momentum-null-space V-6: mass 2, base 2 × 2, height 3.
    let vertices = vec![
        Vec3::new(-1.0, -1.0, 0.0),
        Vec3::new(1.0, -1.0, 0.0),
        Vec3::new(1.0, 1.0, 0.0),
        Vec3::new(-1.0, 1.0, 0.0),
        Vec3::new(0.0, 0.0, 3.0),
    ];
    let triangles = vec![[0, 2, 1], [0, 3, 2], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]];
    let shape = Shape::Mesh(TriangleMesh { vertices, triangles });
    assert!((shape.volume().unwrap() - 4.0).abs() < 1e-14);
    let body = shape.with_mass(2.0).unwrap();
    assert!((body.centre - Vec3::new(0.0, 0.0, 0.75)).norm() < 1e-15);
    let expected = diagonal(43.0 / 40.0, 43.0 / 40.0, 4.0 / 5.0);
    assert!((body.inertia - expected).norm() < 1e-14);
}

#[test]
fn a_box_as_a_mesh_is_the_box_either_way_round() {
    let size = [1.0, 2.5, 0.3];
    let body = Shape::Box { size }.with_density(8.0).unwrap();
    let mut mesh = box_mesh(size);
    assert_near(&body, &Shape::Mesh(mesh.clone()).with_density(8.0).unwrap(), 1e-14);
    mesh.triangles.iter_mut().for_each(|triangle| triangle.reverse());
    assert_near(&body, &Shape::Mesh(mesh).with_density(8.0).unwrap(), 1e-14);
}

#[test]
fn a_mesh_far_from_the_origin_keeps_its_inertia() {
    let size = [0.1, 0.2, 0.3];
    let body = Shape::Box { size }.with_density(1000.0).unwrap();
    let mut mesh = box_mesh(size);
    let far = Vec3::new(1e4, -2e4, 3e4);
    mesh.vertices.iter_mut().for_each(|vertex| *vertex += far);
    let moved = Shape::Mesh(mesh).with_density(1000.0).unwrap();
    assert!((moved.centre - far).norm() < 1e-10);
    assert!((moved.inertia - body.inertia).norm() < 1e-9 * body.inertia.norm());
}

#[test]
fn an_inner_surface_turned_over_is_a_cavity() {
    let mut mesh = box_mesh([2.0; 3]);
    let inner = box_mesh([1.0; 3]);
    let offset = mesh.vertices.len();
    mesh.vertices.extend(inner.vertices);
    for [a, b, c] in inner.triangles {
        mesh.triangles.push([c + offset, b + offset, a + offset]);
    }
    let body = Shape::Mesh(mesh).with_density(1.0).unwrap();
    assert!((body.mass - 7.0).abs() < 1e-14);
    let expected = Mat3::identity() * (8.0 * 4.0 - 1.0) / 6.0;
    assert!((body.inertia - expected).norm() < 1e-13);
}

#[test]
fn sphere_meshes_converge_at_second_order() {
    let sphere = Shape::Sphere { radius: 1.0 }.with_density(1.0).unwrap();
    let errors: Vec<f64> = (3..7)
        .map(|splits| {
            let mesh = Shape::Mesh(sphere_mesh(splits));
            distance(&sphere, &mesh.with_density(1.0).unwrap())
        })
        .collect();
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((order - 2.0).abs() < 0.03, "order {order} from {errors:?}");
    }
}

#[test]
fn stl_files_of_both_kinds_are_read() {
    let size = [1.0, 2.5, 0.5];
    let expected = Shape::Box { size }.with_density(8.0).unwrap();
    let mesh = box_mesh(size);
    let files = [
        ("binary", binary_stl(&mesh, b"a part")),
        ("binary-named-solid", binary_stl(&mesh, b"solid part\n")),
        ("text", text_stl(&mesh, " part").into_bytes()),
        ("text-unnamed", text_stl(&mesh, "").into_bytes()),
        ("text-capitals", text_stl(&mesh, " part").to_uppercase().into_bytes()),
    ];
    for (name, bytes) in files {
        let read = TriangleMesh::from_stl(bytes).unwrap();
        assert_eq!(read.vertices.len(), 8, "{name}");
        assert_eq!(read.triangles.len(), 12, "{name}");
        assert_near(&expected, &Shape::Mesh(read).with_density(8.0).unwrap(), 1e-14);
    }
}

#[test]
fn all_solids_of_a_text_file_count() {
    let mesh = box_mesh([1.0; 3]);
    let mut other = mesh.clone();
    other.vertices.iter_mut().for_each(|vertex| vertex.x += 4.0);
    let text = text_stl(&mesh, " one") + &text_stl(&other, " two");
    let read = TriangleMesh::from_stl(text.into_bytes()).unwrap();
    assert!((Shape::Mesh(read).volume().unwrap() - 2.0).abs() < 1e-14);
}

#[test]
fn negative_zeros_and_slivers_do_not_open_a_mesh() {
    let corners = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
    let mut mesh = tetrahedron_mesh(corners);
    mesh.vertices.push(Vec3::new(-0.0, -0.0, -0.0));
    mesh.triangles[0][0] = 4;
    mesh.triangles.push([0, 4, 1]);
    let read = TriangleMesh::from_stl(binary_stl(&mesh, b"")).unwrap();
    assert_eq!((read.vertices.len(), read.triangles.len()), (4, 4));
    assert!((Shape::Mesh(read).volume().unwrap() - 1.0 / 6.0).abs() < 1e-15);
}

#[test]
fn millimetres_become_metres() {
    let mesh = box_mesh([1000.0, 2000.0, 500.0]).scaled(1e-3);
    assert!((Shape::Mesh(mesh).volume().unwrap() - 1.0).abs() < 1e-14);
}

#[test]
fn bad_stl_files_are_refused() {
    let mut cut = binary_stl(&box_mesh([1.0; 3]), b"");
    cut.truncate(300);
    let text = text_stl(&box_mesh([1.0; 3]), " part").replace("vertex", "vortex");
    for (name, bytes) in [
        ("empty", Vec::new()),
        ("noise", b"not a mesh".to_vec()),
        ("cut", cut),
        ("text-typo", text.into_bytes()),
    ] {
        assert!(TriangleMesh::from_stl(bytes).is_err(), "{name}");
    }
}

#[test]
fn faults_of_a_mesh_are_counted() {
    let whole = box_mesh([1.0; 3]);
    let mut open = whole.clone();
    open.triangles.pop();
    assert!(matches!(open.check_closed(), Err(MassError::OpenMesh { open: 3, edges: 18 })));
    let message = Shape::Mesh(open).volume().unwrap_err().to_string();
    assert!(message.contains("3 of its 18 edges are open"), "{message}");

    let mut turned = whole.clone();
    turned.triangles[0].reverse();
    assert!(matches!(turned.check_closed(), Err(MassError::MixedOrientation { clashing: 3, edges: 18 })));

    let mut doubled = whole.clone();
    doubled.triangles.extend(whole.triangles.clone());
    assert!(matches!(doubled.check_closed(), Err(MassError::BranchedMesh { branched: 18, edges: 18 })));

    let mut wrong = whole.clone();
    wrong.triangles[5] = [0, 1, 8];
    assert!(matches!(
        wrong.check_closed(),
        Err(MassError::NoSuchVertex { triangle: 5, vertex: 8, count: 8 })
    ));

    let empty = TriangleMesh::default().check_closed();
    assert!(matches!(empty, Err(MassError::EmptyMesh)));
}

#[test]
fn meshes_without_volume_or_finite_corners_are_rejected() {
    let mut flat = box_mesh([1.0; 3]);
    flat.vertices.iter_mut().for_each(|vertex| vertex.z = vertex.x + vertex.y / 3.0);
    let error = Shape::Mesh(flat).with_density(1.0);
    assert!(matches!(error, Err(MassError::Flat { shape: "mesh", .. })));
    let mut infinite = box_mesh([1.0; 3]);
    infinite.vertices[3].y = f64::NAN;
    let error = Shape::Mesh(infinite).with_density(1.0);
    assert!(matches!(error, Err(MassError::NotFinite { .. })));
}

#[test]
fn impossible_shapes_are_rejected() {
    let size = [1.0, -2.0, 3.0];
    let error = Shape::Box { size }.with_density(1.0).unwrap_err();
    assert_eq!(error.to_string(), "the y size of the box must be positive and finite, it is -2e0");
    let sphere = Shape::Sphere { radius: f64::NAN };
    assert!(matches!(sphere.volume(), Err(MassError::Dimension { .. })));
    for inner_radius in [-0.1, 1.0, 2.0, f64::NAN] {
        let tube = Shape::HollowCylinder { outer_radius: 1.0, inner_radius, length: 1.0, axis: Axis::X };
        assert!(matches!(tube.volume(), Err(MassError::Wall { .. })));
    }
    let corners = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::new(0.3, 0.1, 0.0)];
    let flat = Shape::Tetrahedron { corners }.volume();
    assert!(matches!(flat, Err(MassError::Flat { .. })));
    for density in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        let error = Shape::Sphere { radius: 1.0 }.with_density(density);
        assert!(matches!(error, Err(MassError::Density { .. })));
    }
    let huge = Shape::Sphere { radius: 1e150 }.with_density(1.0);
    assert!(matches!(huge, Err(MassError::NotFinite { .. })));
}

#[test]
fn the_check_accepts_what_a_body_can_be() {
    let accepted = |x, y, z| MassProperties::new(1.0, Vec3::zeros(), diagonal(x, y, z)).check().is_ok();
    assert!(accepted(1.0, 2.0, 2.5));
    assert!(accepted(1.0, 2.0, 3.0), "a plate");
    assert!(accepted(1.0, 2.0, 3.0 + 1e-9), "a plate, rounded");
    assert!(accepted(1e-11, 1.0, 1.0), "a thin rod");
    assert!(accepted(3e-30, 2e-30, 2.5e-30), "a tiny body");
}

#[test]
fn the_check_names_what_a_body_cannot_be() {
    let check = |mass, inertia| MassProperties::new(mass, Vec3::zeros(), inertia).check();
    let good = diagonal(1.0, 1.0, 1.0);
    assert!(matches!(check(0.0, good), Err(MassError::NonPositiveMass { .. })));
    assert!(matches!(check(f64::NAN, good), Err(MassError::NotFinite { quantity: "mass" })));
    let zero = MassProperties::point(1.0, Vec3::x()).check();
    assert!(matches!(zero, Err(MassError::ZeroInertia)));
    let infinite = check(1.0, diagonal(1.0, f64::INFINITY, 1.0));
    assert!(matches!(infinite, Err(MassError::NotFinite { quantity: "inertia tensor" })));
    let mut skew = good;
    skew[(0, 2)] = 0.1;
    assert!(matches!(check(1.0, skew), Err(MassError::NotSymmetric { row: 1, column: 3, .. })));
    for moment in [0.0, -1.0] {
        let error = check(1.0, diagonal(1.0, moment, 1.0));
        assert!(matches!(error, Err(MassError::NotPositiveDefinite { .. })));
    }
    let rotation = rotation(0.3, -0.5, 1.1);
    let tensor = rotation * diagonal(4.0, 1.0, 2.0) * rotation.transpose();
    match check(1.0, tensor) {
        Err(MassError::TriangleInequality { principal, excess }) => {
            assert!((Vec3::from(principal) - Vec3::new(1.0, 2.0, 4.0)).norm() < 1e-14);
            assert!((excess - 1.0).abs() < 1e-14);
        }
        other => panic!("{other:?}"),
    }
    let wild = MassProperties::new(1.0, Vec3::zeros(), Mat3::repeat(f64::NAN));
    assert!(wild.principal_moments()[0].is_nan());
    let message = check(1.0, diagonal(4.0, 1.0, 2.0)).unwrap_err().to_string();
    assert!(message.contains("1e0, 2e0, 4e0"), "{message}");
}

#[test]
fn scaling_needs_masses() {
    let body = Shape::Sphere { radius: 1.0 }.with_density(1.0).unwrap();
    let scaled = body.scaled_to_mass(10.0).unwrap();
    assert_eq!(scaled.mass, 10.0);
    assert!((scaled.inertia - Mat3::identity() * 4.0).norm() < 1e-14);
    assert!(body.scaled_to_mass(-1.0).is_err());
    assert!(MassProperties::point(0.0, Vec3::zeros()).scaled_to_mass(1.0).is_err());
}

#[test]
fn the_sum_of_nothing_has_no_mass() {
    let nothing = MassProperties::sum(&[]);
    assert_eq!(nothing, MassProperties::point(0.0, Vec3::zeros()));
    assert!(nothing.check().is_err());
}

fn rotation(x: f64, y: f64, z: f64) -> Mat3 {
    let ((sx, cx), (sy, cy), (sz, cz)) = (x.sin_cos(), y.sin_cos(), z.sin_cos());
    Mat3::new(cz, -sz, 0.0, sz, cz, 0.0, 0.0, 0.0, 1.0)
        * Mat3::new(cy, 0.0, sy, 0.0, 1.0, 0.0, -sy, 0.0, cy)
        * Mat3::new(1.0, 0.0, 0.0, 0.0, cx, -sx, 0.0, sx, cx)
}

fn vector() -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-5.0..5.0_f64).prop_map(Vec3::from)
}

fn any_rotation() -> impl Strategy<Value = Mat3> {
    prop::array::uniform3(-3.2..3.2_f64).prop_map(|[x, y, z]| rotation(x, y, z))
}

/// A box anywhere.
fn any_body() -> impl Strategy<Value = MassProperties> {
    let size = prop::array::uniform3(0.2..3.0_f64);
    (size, 0.1..10.0_f64, any_rotation(), vector()).prop_map(|(size, mass, turn, shift)| {
        Shape::Box { size }.with_mass(mass).unwrap().moved(&turn, &shift)
    })
}

proptest! {
    #[test]
    fn the_parallel_axis_theorem_goes_there_and_back(body in any_body(), point in vector()) {
        let about_origin = body.inertia_about(Vec3::zeros());
        let back = MassProperties::from_reference(body.mass, body.centre, about_origin);
        prop_assert!(distance(&body, &back) < 1e-9);
        // Seen from a frame at `point`, the origin is the point.
        let seen = body.moved(&Mat3::identity(), &-point);
        let difference = seen.inertia_about(Vec3::zeros()) - body.inertia_about(point);
        prop_assert!(difference.norm() < 1e-10);
        prop_assert!((body.inertia_about(body.centre) - body.inertia).norm() == 0.0);
    }

    #[test]
    fn a_motion_is_undone_by_its_inverse(
        body in any_body(), turn in any_rotation(), shift in vector()
    ) {
        let back = body.moved(&turn, &shift).moved(&turn.transpose(), &-(turn.transpose() * shift));
        prop_assert!(distance(&body, &back) < 1e-12);
        prop_assert!(body.moved(&turn, &shift).check().is_ok());
    }

    #[test]
    fn a_sum_moves_as_its_parts_do(
        parts in prop::collection::vec(any_body(), 1..5), turn in any_rotation(), shift in vector()
    ) {
        let moved: Vec<_> = parts.iter().map(|part| part.moved(&turn, &shift)).collect();
        let sum = MassProperties::sum(&parts);
        prop_assert!(distance(&sum.moved(&turn, &shift), &MassProperties::sum(&moved)) < 1e-12);
        let about: Mat3 = parts.iter().map(|part| part.inertia_about(shift)).sum();
        prop_assert!((sum.inertia_about(shift) - about).norm() < 1e-11 * about.norm());
    }

    #[test]
    fn the_euler_tensor_is_the_second_moment(
        points in prop::collection::vec((0.1..3.0_f64, vector()), 4..9)
    ) {
        let parts: Vec<_> = points.iter().map(|&(m, x)| MassProperties::point(m, x)).collect();
        let body = MassProperties::sum(&parts);
        let second: Mat3 = points.iter().map(|(m, x)| *m * x * x.transpose()).sum();
        let euler = body.euler_tensor();
        prop_assert!((euler - second).norm() < 1e-11);
        let inertia = body.inertia_about(Vec3::zeros());
        let identity = Mat3::identity();
        prop_assert!((identity * euler.trace() - euler - inertia).norm() < 1e-11);
        prop_assert!((identity * (0.5 * inertia.trace()) - inertia - euler).norm() < 1e-11);
        prop_assert!(body.check().is_ok());
    }

    #[test]
    fn a_tetrahedron_is_its_mesh_and_its_parts(corners in prop::array::uniform4(vector())) {
        let [a, b, c, d] = corners;
        prop_assume!((b - a).dot(&(c - a).cross(&(d - a))).abs() > 1.0);
        let whole = Shape::Tetrahedron { corners }.with_density(2.0).unwrap();
        let mesh = Shape::Mesh(tetrahedron_mesh(corners)).with_density(2.0).unwrap();
        prop_assert!(distance(&whole, &mesh) < 1e-11);
        let middle = (a + b) / 2.0;
        let halves = [[a, middle, c, d], [middle, b, c, d]]
            .map(|corners| Shape::Tetrahedron { corners }.with_density(2.0).unwrap());
        prop_assert!(distance(&whole, &MassProperties::sum(&halves)) < 1e-11);
    }
}
