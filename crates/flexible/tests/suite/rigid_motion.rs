//! Rigid motions: no energy, and the inertia of a rigid body.

use crate::support::{DENSITY, FACES, SOLIDS, close, dense, distorted, grid, sample, steel, tilt, zeros};
use nalgebra::DVector;
use poinsot_flexible::{
    BarSection, BeamOrientation, BeamSection, CrossSection, ElementKind, FullBody, Integration, MassProducts,
    Mesh, MeshElement, PlaneSection, PlaneState, Section, SectionOf, ShellSection, SolidSection, assemble,
};
use poinsot_geometry::{Mat3, Vec3, so3};

fn beam_section() -> BeamSection {
    BeamSection {
        cross_section: CrossSection::rectangle(0.2, 0.1).with_shear(5.0 / 6.0),
        young: 210.0,
        shear: 80.0,
        density: DENSITY,
        orientation: BeamOrientation::Roll(0.3),
        offset: [0.05, -0.02],
    }
}

fn frame(kind: ElementKind, flat: bool) -> Mesh {
    let places = [[0.0, 0.0, 0.0], [1.0, 0.2, 0.4], [1.1, 1.4, 0.3], [0.2, 1.0, -0.5]];
    let height = if flat { 0.0 } else { 1.0 };
    let nodes = places.iter().map(|p| Vec3::new(p[0], p[1], height * p[2])).collect();
    let elements = (0..3).map(|k| MeshElement { kind, nodes: vec![k, k + 1] }).collect();
    Mesh { nodes, elements, groups: vec![] }
}

fn body(mesh: &Mesh, section: Section) -> FullBody {
    assemble(mesh, &[SectionOf::all(section)]).unwrap()
}

/// Bodies of every kind of element, with the number of their rigid motions.
fn bodies() -> Vec<(String, FullBody, usize)> {
    let mut all = vec![];
    for kind in SOLIDS {
        for incompatible_modes in [false, true] {
            if incompatible_modes && kind != ElementKind::Hex8 {
                continue;
            }
            let section = SolidSection { incompatible_modes, ..SolidSection::new(steel()) };
            let body = body(&distorted(kind, [2, 1, 1]), Section::Solid(section));
            all.push((format!("{kind:?} {incompatible_modes}"), body, 6));
        }
    }
    for kind in FACES {
        for state in [PlaneState::Stress, PlaneState::Strain] {
            let section = Section::Plane(PlaneSection::new(steel(), 0.1, state));
            all.push((format!("{kind:?} {state:?}"), body(&distorted(kind, [2, 2, 0]), section), 3));
        }
    }
    for kind in [ElementKind::Tri3, ElementKind::Quad4] {
        // Not in a plane: quadrilaterals are flattened, with links.
        let mesh = grid(kind, [2, 2, 0], |_, x| {
            tilt() * (x + Vec3::new(0.1 * x.y * x.x, 0.0, 0.2 * x.x * x.y - 0.1 * x.x * x.x))
        });
        let section = ShellSection { material: steel(), thickness: 0.1 };
        all.push((format!("shell {kind:?}"), body(&mesh, Section::Shell(section)), 6));
    }
    let beam = ElementKind::Beam2;
    all.push(("beam".into(), body(&frame(beam, false), Section::Beam(beam_section())), 6));
    let flat = BeamSection { offset: [0.05, 0.0], ..beam_section() };
    all.push(("planar beam".into(), body(&frame(beam, true), Section::PlanarBeam(flat)), 3));
    all
}

/// A rigid motion a + ω × X that a body can make.
fn motion(rigid: usize, k: usize) -> (Vec3, Vec3) {
    let flat = rigid == 3;
    let a = Vec3::new(0.3, -0.8, if flat { 0.0 } else { 0.5 }) * (1.0 + k as f64);
    let omega = Vec3::new(0.7, 0.2, -0.4) * (k as f64 - 1.0);
    (a, if flat { Vec3::z() * omega.z } else { omega })
}

fn rigid(body: &FullBody, (a, omega): (Vec3, Vec3)) -> DVector<f64> {
    sample(body, |x| (a + omega.cross(x), omega))
}

#[test]
fn rigid_motions_and_nothing_else_cost_no_energy() {
    for (name, body, rigid_motions) in bodies() {
        let k = dense(&body.stiffness);
        assert_eq!(zeros(&k), rigid_motions, "{name}");
        for m in 0..3 {
            let u = rigid(&body, motion(rigid_motions, m));
            assert!((&k * &u).amax() < 1e-11 * k.amax() * u.amax(), "{name}");
        }
    }
}

#[test]
fn single_elements_hold_every_deformation() {
    for kind in SOLIDS {
        for incompatible_modes in [false, true] {
            let mut mesh = distorted(kind, [1, 1, 1]);
            mesh.elements.truncate(1);
            let (mesh, _) = mesh.without_loose_nodes();
            let section = SolidSection { incompatible_modes, ..SolidSection::new(steel()) };
            assert_eq!(zeros(&dense(&body(&mesh, Section::Solid(section)).stiffness)), 6, "{kind:?}");
        }
    }
    for kind in FACES {
        let mut mesh = distorted(kind, [1, 1, 0]);
        mesh.elements.truncate(1);
        let (mesh, _) = mesh.without_loose_nodes();
        let section = PlaneSection::new(steel(), 0.1, PlaneState::Stress);
        assert_eq!(zeros(&dense(&body(&mesh, Section::Plane(section)).stiffness)), 3, "{kind:?}");
        if kind.nodes() <= 4 {
            let section = ShellSection { material: steel(), thickness: 0.1 };
            assert_eq!(zeros(&dense(&body(&mesh, Section::Shell(section)).stiffness)), 6, "shell {kind:?}");
        }
    }
}

/// uᵀMu = m a² + 2 a·(ω × s) + ω·Jω, and all other integrals of a rigid motion.
#[test]
fn rigid_motions_have_the_inertia_of_a_rigid_body() {
    for (name, body, rigid_motions) in bodies() {
        let inertia = Mat3::identity() * body.second_moment.trace() - body.second_moment;
        for k in 0..3 {
            let (a, omega) = motion(rigid_motions, k);
            let u = rigid(&body, (a, omega));
            let energy = body.total_mass * a.norm_squared()
                + 2.0 * a.dot(&omega.cross(&body.first_moment))
                + omega.dot(&(inertia * omega));
            close((dense(&body.mass) * &u).dot(&u), energy, 1e-12);
            let mean = a * body.total_mass + omega.cross(&body.first_moment);
            assert!((&body.mean * &u - mean).amax() < 1e-12, "{name}");
            let moments = a * body.first_moment.transpose() + so3::skew(&omega) * body.second_moment;
            let found = Mat3::from_column_slice((&body.moments * &u).as_slice());
            assert!((found - moments).abs().max() < 1e-12, "{name}");
            let full = a * a.transpose() * body.total_mass
                + a * (so3::skew(&omega) * body.first_moment).transpose()
                + (so3::skew(&omega) * body.first_moment) * a.transpose()
                + so3::skew(&omega) * body.second_moment * so3::skew(&omega).transpose();
            assert!((products(&body, &u) - full).abs().max() < 1e-11, "{name}");
        }
    }
}

/// ∫ρ u uᵀ by the products.
fn products(body: &FullBody, u: &DVector<f64>) -> Mat3 {
    match &body.products {
        MassProducts::Nodal(m) => {
            let mut places = vec![Vec3::zeros(); body.nodes.len()];
            for (unknown, value) in body.unknowns.iter().zip(u.iter()) {
                if let poinsot_flexible::Component::Translation(k) = unknown.component {
                    places[unknown.node][k] = *value;
                }
            }
            let term = |(a, b, m): (usize, usize, f64)| {
                let one = places[a] * places[b].transpose() * m;
                if a == b { one } else { one + one.transpose() }
            };
            m.entries().map(term).sum()
        }
        MassProducts::Pairs(pairs) => {
            let term = |&(a, b, p): &(usize, usize, Mat3)| {
                let one = p * (u[a] * u[b]);
                if a == b { one } else { one + one.transpose() }
            };
            pairs.iter().map(term).sum()
        }
    }
}

/// A block 2 × 1 × 1 about its corner: m, s and the second moments in closed form, on any mesh of it.
#[test]
fn integrals_of_a_block_are_exact() {
    for kind in SOLIDS {
        let mesh = grid(kind, [2, 1, 1], |_, x| x);
        let found = body(&mesh, Section::Solid(SolidSection::new(steel())));
        close(found.total_mass, 2.0 * DENSITY, 1e-14);
        assert!((found.first_moment - Vec3::new(2.0, 1.0, 1.0) * DENSITY).norm() < 1e-13);
        let expected = Mat3::new(8.0 / 3.0, 1.0, 1.0, 1.0, 2.0 / 3.0, 0.5, 1.0, 0.5, 2.0 / 3.0) * DENSITY;
        assert!((found.second_moment - expected).abs().max() < 1e-12, "{kind:?}");
    }
    // With the points of CalculiX a single tetrahedron has no inertia of rotation about its centre.
    let mesh = grid(ElementKind::Tet4, [2, 1, 1], |_, x| x);
    let section = SolidSection { integration: Integration::AsCalculix, ..SolidSection::new(steel()) };
    let found = body(&mesh, Section::Solid(section));
    close(found.total_mass, 2.0 * DENSITY, 1e-14);
    assert!(found.second_moment[(1, 1)] < 0.95 * 2.0 / 3.0 * DENSITY);
}

/// A plate 2 × 1 × 0.1 and a beam 0.2 × 0.1 × 2 with their thickness: no moment is lost.
#[test]
fn thin_bodies_keep_their_thickness() {
    let t: f64 = 0.1;
    for kind in [ElementKind::Tri3, ElementKind::Quad4] {
        let mesh = grid(kind, [2, 1, 0], |_, x| x);
        let shell = body(&mesh, Section::Shell(ShellSection { material: steel(), thickness: t }));
        let m = 2.0 * t * DENSITY;
        close(shell.total_mass, m, 1e-14);
        close(shell.second_moment[(2, 2)], m * t * t / 12.0, 1e-13);
        close(shell.second_moment[(0, 0)], m * 4.0 / 3.0, 1e-13);
        let plane = body(&mesh, Section::Plane(PlaneSection::new(steel(), t, PlaneState::Stress)));
        assert!((plane.second_moment - shell.second_moment).abs().max() < 1e-14);
    }
    let nodes = vec![Vec3::zeros(), Vec3::z() * 2.0];
    let elements = vec![MeshElement { kind: ElementKind::Beam2, nodes: vec![0, 1] }];
    let mesh = Mesh { nodes, elements, groups: vec![] };
    let orientation = BeamOrientation::Toward(Vec3::x());
    let section = BeamSection { orientation, offset: [0.0; 2], ..beam_section() };
    let beam = body(&mesh, Section::Beam(section));
    let m = 0.2 * 0.1 * 2.0 * DENSITY;
    let expected = Vec3::new(0.2 * 0.2 / 12.0, 0.1 * 0.1 / 12.0, 4.0 / 3.0) * m;
    assert!((beam.second_moment - Mat3::from_diagonal(&expected)).abs().max() < 1e-14);
    let offset = body(&mesh, Section::Beam(BeamSection { offset: [0.3, 0.0], ..section }));
    close(offset.second_moment[(0, 0)], m * (0.2 * 0.2 / 12.0 + 0.09), 1e-13);
}

/// floating-frame-and-ancf V43: a bar has the mass m/6 [[2, 1], [1, 2]] along all axes and stiffness along
/// its own alone.
#[test]
fn bars_are_pulled_only() {
    let (l, area, young) = (2.0, 0.3, 5.0);
    let nodes = vec![Vec3::zeros(), Vec3::x() * l];
    let elements = vec![MeshElement { kind: ElementKind::Bar2, nodes: vec![0, 1] }];
    let mesh = Mesh { nodes, elements, groups: vec![] };
    let bar = body(&mesh, Section::Bar(BarSection { area, young, density: DENSITY }));
    let (m, k, mass) = (l * area * DENSITY, dense(&bar.stiffness), dense(&bar.mass));
    for i in 0..6 {
        for j in 0..6 {
            let expected = match (i % 3 == j % 3, i == j) {
                (_, true) => m / 3.0,
                (true, false) => m / 6.0,
                _ => 0.0,
            };
            assert!((mass[(i, j)] - expected).abs() < 1e-14);
            let sign = if i == j { 1.0 } else { -1.0 };
            let along = if i % 3 == 0 && j % 3 == 0 { sign * young * area / l } else { 0.0 };
            assert!((k[(i, j)] - along).abs() < 1e-14);
        }
    }
    for a in 0..6 {
        assert!((bar.mean.column(a) - Vec3::ith(a % 3, m / 2.0)).amax() < 1e-14);
    }
    // S̃ = ∫ρ Sᵀ Ĩ S = S̄_12 − S̄_12ᵀ = (m/6) [[2Ĩ, Ĩ], [Ĩ, 2Ĩ]], Ĩ = [[0, 1], [−1, 0]].
    let MassProducts::Nodal(nodal) = &bar.products else { panic!("a bar has nodal masses") };
    assert_eq!(nodal.entries().collect::<Vec<_>>(), [(0, 0, m / 3.0), (1, 0, m / 6.0), (1, 1, m / 3.0)]);
}
