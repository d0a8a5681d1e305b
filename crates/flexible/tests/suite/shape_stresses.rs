//! Stresses of shapes: their sums are the stresses of the sums of displacements.

use crate::support::{SOLIDS, distorted, grid, noise, sample, steel};
use nalgebra::DMatrix;
use poinsot_flexible::continuum::{engineering_of_strain, small_strain, stress_of_voigt, von_mises};
use poinsot_flexible::{ElementKind, FiniteElements, Section, SectionOf, ShellSection, SolidSection};
use poinsot_geometry::{Mat3, Vec3};

#[test]
fn stresses_of_shapes_sum_up_to_that_of_a_constant_strain() {
    let gradients: [Mat3; 2] = [0, 9].map(|from| Mat3::from_fn(|i, j| 0.01 * noise(from + 3 * i + j)));
    let q = [0.7, -1.3];
    let strain = small_strain(&(gradients[0] * q[0] + gradients[1] * q[1]));
    let expected = stress_of_voigt(&(steel().elasticity() * engineering_of_strain(&strain)));
    for kind in SOLIDS {
        let mesh = distorted(kind, [2, 2, 2]);
        let sections = [SectionOf::all(Section::Solid(SolidSection::new(steel())))];
        let elements = FiniteElements::new(&mesh, &sections).unwrap();
        let body = elements.body();
        let columns = gradients.map(|gradient| sample(&body, |x| (gradient * x, Vec3::zeros())));
        let shapes = DMatrix::from_columns(&columns);
        let found = elements.shape_stresses(&body.skin, &shapes).unwrap().unwrap();
        // All nodes but those inside.
        let inside = match kind {
            ElementKind::Tet4 | ElementKind::Hex8 | ElementKind::Wedge6 => 1,
            _ => mesh.nodes.len() - found.nodes.len(),
        };
        assert!(inside >= 1 && found.nodes.len() + inside == mesh.nodes.len(), "{kind:?}");
        for place in 0..found.nodes.len() {
            assert!((found.at(place, &q) - expected).amax() < 1e-11 * expected.amax(), "{kind:?}");
        }
        let (_, largest) = found.largest(&q);
        assert!((largest - von_mises(&expected)).abs() < 1e-10 * largest, "{kind:?}");
    }
}

/// A plate bent to a curvature κ along x: σ = ± E κ t/2/(1 − ν²) on its faces, ν σ across.
#[test]
fn a_bent_shell_has_opposite_stresses_on_its_faces() {
    let (curvature, thickness) = (0.02, 0.1);
    let mesh = grid(ElementKind::Quad4, [3, 2, 1], |_, x| x);
    let sections = [SectionOf::all(Section::Shell(ShellSection { material: steel(), thickness }))];
    let elements = FiniteElements::new(&mesh, &sections).unwrap();
    let body = elements.body();
    // w = −κ x²/2, so that the rotation about y is −w' = κ x.
    let bent = sample(&body, |x| {
        (Vec3::new(0.0, 0.0, -0.5 * curvature * x.x * x.x), Vec3::new(0.0, curvature * x.x, 0.0))
    });
    let shapes = DMatrix::from_columns(&[bent]);
    let found = elements.shape_stresses(&body.skin, &shapes).unwrap().unwrap();
    assert_eq!(found.nodes.len(), 2 * mesh.nodes.len());
    let stress = 210.0 * curvature * thickness / 2.0 / (1.0 - 0.09);
    for place in 0..found.nodes.len() {
        let side = if place % 2 == 0 { 1.0 } else { -1.0 };
        let at = found.at(place, &[1.0]);
        let expected = Mat3::from_diagonal(&Vec3::new(side * stress, side * 0.3 * stress, 0.0));
        assert!((at - expected).amax() < 1e-10 * stress, "{place}: {at}");
    }
}
