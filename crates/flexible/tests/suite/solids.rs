//! Solids and plane faces: patch tests, cantilevers, geometric stiffness.

use crate::support::{DENSITY, FACES, SOLIDS, STEEL, close, dense, distorted, grid, largest, sample, steel};
use nalgebra::{DMatrix, DVector};
use poinsot_flexible::continuum::{engineering_of_strain, small_strain, stress_of_voigt};
use poinsot_flexible::{
    Component, ElementKind, FiniteElements, FullBody, Isotropic, Material, Mesh, Orthotropic, PlaneSection,
    PlaneState, Section, SectionOf, SolidSection, plane_stress,
};
use poinsot_geometry::{Mat3, Vec3};
use std::f64::consts::PI;

/// A gradient of displacements without symmetry.
fn gradient() -> Mat3 {
    Mat3::new(0.011, 0.004, -0.007, -0.002, -0.006, 0.003, 0.009, 0.005, 0.008)
}

/// Whether a node is inside a mesh of 2 × 2 (× 2) cells: the one where they all meet.
fn inner(mesh: &Mesh, cells: [usize; 3]) -> usize {
    let layer = (cells[0] + 1) * (cells[1] + 1);
    let flat = mesh.elements[0].kind.dimension() == 2;
    (if flat { 0 } else { layer }) + (cells[0] + 1) + 1
}

/// Forces of K u at a node.
fn forces_at(body: &FullBody, forces: &DVector<f64>, node: usize) -> f64 {
    let at = body.unknowns.iter().zip(forces.iter()).filter(|(unknown, _)| unknown.node == node);
    at.map(|(_, force)| force.abs()).fold(0.0, f64::max)
}

/// A constant strain on distorted cells: constant stresses, no force inside, the energy of the volume.
fn patch(mesh: &Mesh, section: Section, stress: Mat3, gradient: Mat3, volume_mass: f64) {
    let sections = [SectionOf::all(section)];
    let elements = FiniteElements::new(mesh, &sections).unwrap();
    let body = elements.body();
    let kind = mesh.elements[0].kind;
    let u = sample(&body, |x| (gradient * x, Vec3::zeros()));
    let forces = dense(&body.stiffness) * &u;
    let inside = forces_at(&body, &forces, inner(mesh, [2, 2, 2]));
    assert!(inside < 1e-12 * forces.amax(), "{kind:?}: force {inside} inside");
    for found in elements.stresses(u.as_slice()).unwrap().nodes {
        assert!((found.unwrap() - stress).abs().max() < 1e-11 * stress.abs().max(), "{kind:?}");
    }
    let energy = stress.dot(&small_strain(&gradient)) * body.total_mass / volume_mass;
    close(forces.dot(&u), energy, 1e-12);
}

#[test]
fn solids_pass_the_patch_test() {
    let wood = Orthotropic { young: [12.0, 0.9, 0.5], poisson: [0.4, 0.45, 0.6], shear: [0.8, 0.7, 0.07] };
    let wood = Material::orthotropic(&wood, DENSITY).unwrap().turned(&crate::support::tilt());
    for material in [steel(), wood] {
        let strain = engineering_of_strain(&small_strain(&gradient()));
        let stress = stress_of_voigt(&(material.elasticity() * strain));
        for kind in SOLIDS {
            for incompatible_modes in [false, true] {
                let section = SolidSection { incompatible_modes, ..SolidSection::new(material.clone()) };
                patch(&distorted(kind, [2, 2, 2]), Section::Solid(section), stress, gradient(), DENSITY);
            }
        }
    }
}

#[test]
fn plane_faces_pass_the_patch_test() {
    let mut gradient = gradient();
    (0..3).for_each(|k| {
        gradient[(2, k)] = 0.0;
        gradient[(k, 2)] = 0.0;
    });
    let strain = engineering_of_strain(&small_strain(&gradient));
    for kind in FACES {
        for incompatible_modes in [false, true] {
            for state in [PlaneState::Stress, PlaneState::Strain] {
                let d = *steel().elasticity();
                let d = if state == PlaneState::Stress { plane_stress(&d) } else { d };
                let section = PlaneSection { incompatible_modes, ..PlaneSection::new(steel(), 0.1, state) };
                let stress = stress_of_voigt(&(d * strain));
                patch(&distorted(kind, [2, 2, 0]), Section::Plane(section), stress, gradient, DENSITY);
            }
        }
    }
}

/// Pure bending, u = κ (xy, −½ (x² + ν (y² − z²)), −ν yz): σ_xx = E κ y and nothing else. Quadratic elements
/// and hexahedra with incompatible modes have it exactly, at every node.
#[test]
fn stresses_of_pure_bending_are_linear() {
    let (kappa, nu) = (0.02, STEEL.poisson);
    for kind in [ElementKind::Tet10, ElementKind::Hex8, ElementKind::Hex20, ElementKind::Wedge15] {
        let mesh = grid(kind, [2, 2, 1], |_, x| x.component_mul(&Vec3::new(1.5, 0.5, 0.8)));
        let sections = [SectionOf::all(Section::Solid(SolidSection::new(steel())))];
        let elements = FiniteElements::new(&mesh, &sections).unwrap();
        let u = sample(&elements.body(), |x| {
            let across = x.x * x.x + nu * (x.y * x.y - x.z * x.z);
            (Vec3::new(x.x * x.y, -0.5 * across, -nu * x.y * x.z) * kappa, Vec3::zeros())
        });
        for (found, x) in elements.stresses(u.as_slice()).unwrap().nodes.iter().zip(&mesh.nodes) {
            let mut expected = Mat3::zeros();
            expected[(0, 0)] = STEEL.young * kappa * x.y;
            assert!((found.unwrap() - expected).abs().max() < 1e-12 * STEEL.young, "{kind:?}");
        }
    }
}

/// uᵀ K_σ u of the rotation ω × X under a uniform stress is V tr(W σ Wᵀ), W = skew ω; displacements with
/// that stress give the same matrix.
#[test]
fn geometric_stiffness_of_a_uniform_stress() {
    for kind in SOLIDS {
        let mesh = distorted(kind, [2, 1, 1]);
        let sections = [SectionOf::all(Section::Solid(SolidSection::new(steel())))];
        let elements = FiniteElements::new(&mesh, &sections).unwrap();
        let body = elements.body();
        let strain = engineering_of_strain(&small_strain(&gradient()));
        let stress = stress_of_voigt(&(steel().elasticity() * strain));
        let given =
            dense(&elements.geometric_stiffness_of_stresses(&vec![stress; mesh.elements.len()]).unwrap());
        let omega = Vec3::new(0.3, -0.5, 0.8);
        let w = poinsot_geometry::so3::skew(&omega);
        let u = sample(&body, |x| (omega.cross(x), omega));
        let volume = body.total_mass / DENSITY;
        close((&given * &u).dot(&u), volume * (w * stress * w.transpose()).trace(), 1e-12);
        let displaced = sample(&body, |x| (gradient() * x, Vec3::zeros()));
        let found = dense(&elements.geometric_stiffness(displaced.as_slice()).unwrap());
        assert!((found - &given).amax() < 1e-12 * given.amax(), "{kind:?}");
    }
}

/// Deflection of the end of a cantilever under a force across it.
fn deflection(kind: ElementKind, cells: [usize; 3], incompatible_modes: bool) -> f64 {
    let (l, h) = (10.0, 1.0);
    let size = Vec3::new(l / cells[0] as f64, h / cells[1] as f64, h / cells[2] as f64);
    let mesh = grid(kind, cells, |_, x| x.component_mul(&size));
    // Without contraction across, so that the clamp does no harm and beam theory is the limit.
    let material = Material::isotropic(Isotropic { young: 1e4, poisson: 0.0 }, 1.0).unwrap();
    let section = SolidSection { incompatible_modes, ..SolidSection::new(material) };
    let body = poinsot_flexible::assemble(&mesh, &[SectionOf::all(Section::Solid(section))]).unwrap();
    let free: Vec<usize> =
        (0..body.unknowns.len()).filter(|&k| body.nodes[body.unknowns[k].node].x > 1e-9).collect();
    let k = dense(&body.stiffness).select_rows(&free).select_columns(&free);
    let end = |k: &&usize| {
        let unknown = body.unknowns[**k];
        body.nodes[unknown.node].x > l - 1e-9 && unknown.component == Component::Translation(1)
    };
    // The end is moved as one: a force on its mean displacement.
    let count = free.iter().filter(end).count() as f64;
    let force =
        DVector::from_iterator(free.len(), free.iter().map(|k| if end(&k) { 1.0 / count } else { 0.0 }));
    k.cholesky().unwrap().solve(&force).dot(&force)
}

/// Timoshenko's beam: F l³/3EI + F l/κGA with κ = 5/6.
const BEAM: f64 = 1000.0 / (3.0 * 1e4 / 12.0) + 10.0 / (5.0 / 6.0 * 5e3);

#[test]
fn cantilevers_of_solids_approach_beam_theory() {
    // Shear flow at a clamped end is not that of theory: 0.2 % remain.
    for (kind, tolerance) in
        [(ElementKind::Hex20, 0.004), (ElementKind::Tet10, 0.01), (ElementKind::Wedge15, 0.006)]
    {
        let found = deflection(kind, [10, 1, 1], false);
        assert!((found / BEAM - 1.0).abs() < tolerance, "{kind:?}: {}", found / BEAM);
    }
    let incompatible = deflection(ElementKind::Hex8, [10, 1, 1], true);
    assert!((incompatible / BEAM - 1.0).abs() < 0.01, "{}", incompatible / BEAM);
    // Without incompatible modes it locks, as do the other linear elements.
    for kind in [ElementKind::Hex8, ElementKind::Tet4, ElementKind::Wedge6] {
        let found = deflection(kind, [10, 1, 1], false);
        assert!(found < 0.72 * BEAM, "{kind:?}: {}", found / BEAM);
    }
}

/// ω² of the first mode of a unit square (with a layer of cells across) on rollers, in plane strain or in
/// space.
fn roller_mode(kind: ElementKind, n: usize) -> f64 {
    let mesh = grid(kind, [n, n, 1], |_, x| x / n as f64);
    let section = match kind.dimension() {
        2 => {
            let plane = PlaneSection::new(steel(), 1.0, PlaneState::Strain);
            Section::Plane(PlaneSection { incompatible_modes: false, ..plane })
        }
        _ => Section::Solid(SolidSection { incompatible_modes: false, ..SolidSection::new(steel()) }),
    };
    let body = poinsot_flexible::assemble(&mesh, &[SectionOf::all(section)]).unwrap();
    let far = [1.0, 1.0, 1.0 / n as f64];
    let is_free = |k: &usize| match body.unknowns[*k].component {
        Component::Translation(c) => {
            let x = body.nodes[body.unknowns[*k].node][c];
            x > 1e-9 && x < far[c] - 1e-9
        }
        Component::Rotation(_) => false,
    };
    let free: Vec<usize> = (0..body.unknowns.len()).filter(is_free).collect();
    let part = |m| dense(m).select_rows(&free).select_columns(&free);
    1.0 / largest(&part(&body.stiffness), &part(&body.mass))
}

/// Rollers on all sides: u = (sin πx cos πy, −cos πx sin πy, 0) with ω² = 2π² G/ρ. Linear elements converge
/// to it with h², quadratic ones with h⁴.
#[test]
fn frequencies_converge_with_the_order_of_the_element() {
    let exact = 2.0 * PI * PI * STEEL.shear() / DENSITY;
    for kind in FACES.into_iter().chain(SOLIDS) {
        let error = |n: usize| roller_mode(kind, n) / exact - 1.0;
        let (coarse, fine) = (error(3), error(6));
        let quadratic =
            matches!(kind.nodes(), 10 | 15 | 20) || matches!(kind, ElementKind::Tri6 | ElementKind::Quad8);
        let order = if quadratic { 4.0 } else { 2.0 };
        let measured = (coarse / fine).abs().log2();
        // Frequencies come from above where K is integrated exactly, as in all but one of them.
        assert!(fine > 0.0 || kind == ElementKind::Wedge15, "{kind:?}: {fine}");
        assert!((measured - order).abs() < 0.5, "{kind:?}: order {measured}, {coarse} {fine}");
    }
}

/// floating-frame-and-ancf V41, V42: a rectangle in a finite rotation, S e = R + A x, and translations S B_R
/// = 1.
#[test]
fn a_rectangle_turns_rigidly_by_any_angle() {
    let mesh = grid(ElementKind::Quad4, [1, 1, 0], |_, x| Vec3::new(2.0 * x.x - 1.0, 1.0 * x.y - 0.5, 0.0));
    let section = PlaneSection::new(steel(), 0.1, PlaneState::Strain);
    let sections = [SectionOf::all(Section::Plane(section))];
    let elements = FiniteElements::new(&mesh, &sections).unwrap();
    let body = elements.body();
    let turn = poinsot_geometry::so3::exp(&(Vec3::z() * 1.3));
    let e = sample(&body, |x| (Vec3::new(3.0, -2.0, 0.0) + turn * x, Vec3::zeros()));
    // ∫ρ S e Xᵀ of the places is A ∫ρ X Xᵀ, as the centre is the origin; ∫ρ S e = m R.
    let moments = Mat3::from_column_slice((&body.moments * &e).as_slice());
    let flat = Mat3::from_diagonal(&Vec3::new(1.0, 1.0, 0.0));
    assert!((moments - turn * flat * body.second_moment * flat).abs().max() < 1e-13);
    assert!((&body.mean * &e - Vec3::new(3.0, -2.0, 0.0) * body.total_mass).amax() < 1e-13);
    let translations = DMatrix::from_columns(&[
        sample(&body, |_| (Vec3::x(), Vec3::zeros())),
        sample(&body, |_| (Vec3::y(), Vec3::zeros())),
    ]);
    let mean = translations.transpose() * dense(&body.mass);
    assert!((mean - body.mean.rows(0, 2)).amax() < 1e-13);
}
