//! Beams: the matrices of the book (floating-frame-and-ancf V36 … V40), bending, torsion, buckling, section
//! forces.

use crate::support::{DENSITY, close, dense, generalised};
use nalgebra::{DMatrix, DVector};
use poinsot_flexible::{
    BeamOrientation, BeamSection, Component, CrossSection, ElementKind, FiniteElements, FullBody,
    MassProducts, Mesh, MeshElement, Section, SectionOf, assemble,
};
use poinsot_geometry::{Mat3, Vec3};
use std::f64::consts::PI;

/// Numbers that are all different; the second moments are small beside l² A.
fn section() -> BeamSection {
    let cross_section =
        CrossSection { area: 0.03, inertia_y: 2e-5, inertia_z: 5e-5, torsion: 4e-5, shear_areas: None };
    let orientation = BeamOrientation::Roll(0.0);
    BeamSection { cross_section, young: 2e5, shear: 8e4, density: DENSITY, orientation, offset: [0.0; 2] }
}

fn line(nodes: Vec<Vec3>) -> Mesh {
    let elements =
        (1..nodes.len()).map(|k| MeshElement { kind: ElementKind::Beam2, nodes: vec![k - 1, k] }).collect();
    Mesh { nodes, elements, groups: vec![] }
}

fn beam(section: BeamSection, l: f64) -> FullBody {
    let mesh = line(vec![Vec3::zeros(), Vec3::x() * l]);
    assemble(&mesh, &[SectionOf::all(Section::Beam(section))]).unwrap()
}

/// A section without rotary inertia: all that the planar beam of the book has is its centre line.
fn thin() -> BeamSection {
    let scale = 1e-12;
    let mut section = section();
    section.cross_section.inertia_y *= scale;
    section.cross_section.inertia_z *= scale;
    section.young /= scale;
    section
}

fn planar(section: BeamSection, a: Vec3, b: Vec3) -> FullBody {
    assemble(&line(vec![a, b]), &[SectionOf::all(Section::PlanarBeam(section))]).unwrap()
}

#[track_caller]
fn same(found: &DMatrix<f64>, expected: &DMatrix<f64>, tolerance: f64) {
    let most = expected.amax();
    assert!((found - expected).amax() < tolerance * most, "{found:.6} {expected:.6}");
}

/// A skew or symmetric matrix of a list (row, column, value), counted from 1.
fn filled(size: usize, sign: f64, entries: &[(usize, usize, f64)]) -> DMatrix<f64> {
    let mut matrix = DMatrix::zeros(size, size);
    for &(i, j, value) in entries {
        matrix[(j - 1, i - 1)] = sign * value;
        matrix[(i - 1, j - 1)] = value;
    }
    matrix
}

/// V39: ∫ρS, ∫ρSᵀS, ∫ρSᵀĨS and K of the planar beam (6.133 … 6.144).
#[test]
fn planar_beam_has_the_matrices_of_the_book() {
    let l = 1.7;
    let body = planar(thin(), Vec3::zeros(), Vec3::x() * l);
    let m = DENSITY * 0.03 * l;
    let mean = DMatrix::from_row_slice(
        2,
        6,
        &[6.0, 0.0, 0.0, 6.0, 0.0, 0.0, 0.0, 6.0, l, 0.0, 6.0, -l].map(|x| x * m / 12.0),
    );
    same(&body.mean.rows(0, 2).into_owned(), &mean, 1e-13);
    let mass = filled(
        6,
        1.0,
        &[
            (1, 1, 1.0 / 3.0),
            (1, 4, 1.0 / 6.0),
            (4, 4, 1.0 / 3.0),
            (2, 2, 13.0 / 35.0),
            (2, 3, 11.0 * l / 210.0),
            (2, 5, 9.0 / 70.0),
            (2, 6, -13.0 * l / 420.0),
            (3, 3, l * l / 105.0),
            (3, 5, 13.0 * l / 420.0),
            (3, 6, -l * l / 140.0),
            (5, 5, 13.0 / 35.0),
            (5, 6, -11.0 * l / 210.0),
            (6, 6, l * l / 105.0),
        ],
    ) * m;
    same(&dense(&body.mass), &mass, 1e-12);
    let skew = filled(
        6,
        -1.0,
        &[
            (1, 2, 21.0),
            (1, 3, 3.0 * l),
            (1, 5, 9.0),
            (1, 6, -2.0 * l),
            (2, 4, -9.0),
            (3, 4, -2.0 * l),
            (4, 5, 21.0),
            (4, 6, -3.0 * l),
        ],
    ) * (m / 60.0);
    let mut found = DMatrix::zeros(6, 6);
    let MassProducts::Pairs(pairs) = &body.products else { panic!("beams have products of pairs") };
    for &(a, b, p) in pairs {
        found[(a, b)] = p[(0, 1)] - p[(1, 0)];
        found[(b, a)] = p[(1, 0)] - p[(0, 1)];
    }
    same(&found, &skew, 1e-12);
    let (ei, ratio) = (2e5 * 5e-5, 0.03 / 5e-5 * 1e12);
    let stiffness = filled(
        6,
        1.0,
        &[
            (2, 2, 12.0 / (l * l)),
            (2, 3, 6.0 / l),
            (2, 5, -12.0 / (l * l)),
            (2, 6, 6.0 / l),
            (3, 3, 4.0),
            (3, 5, -6.0 / l),
            (3, 6, 2.0),
            (5, 5, 12.0 / (l * l)),
            (5, 6, -6.0 / l),
            (6, 6, 4.0),
        ],
    ) * (ei / l);
    let bending = [1, 2, 4, 5];
    let pick = |matrix: &DMatrix<f64>| matrix.select_rows(&bending).select_columns(&bending);
    let k = dense(&body.stiffness);
    same(&pick(&k), &pick(&stiffness), 1e-12);
    for (i, j, sign) in [(0, 0, 1.0), (0, 3, -1.0), (3, 3, 1.0)] {
        close(k[(i, j)] / (sign * ei / l * ratio), 1.0, 1e-12);
    }
}

/// V36, V39: K_ff = C̄ᵀ K̄ C̄ of an inclined beam, and m_θθ = ml²/3 of one that turns about its end.
#[test]
fn an_inclined_planar_beam_is_the_straight_one_turned() {
    let (l, angle) = (1.7, 0.6f64);
    let start = Vec3::new(0.4, -0.3, 0.0);
    let straight = planar(section(), Vec3::zeros(), Vec3::x() * l);
    let inclined = planar(section(), start, start + Vec3::new(angle.cos(), angle.sin(), 0.0) * l);
    let (c, s) = (angle.cos(), angle.sin());
    let turn = DMatrix::from_row_slice(3, 3, &[c, s, 0.0, -s, c, 0.0, 0.0, 0.0, 1.0]);
    let turn = DMatrix::identity(2, 2).kronecker(&turn);
    let expected = turn.transpose() * dense(&straight.stiffness) * &turn;
    same(&dense(&inclined.stiffness), &expected, 1e-13);
    same(&dense(&inclined.mass), &(turn.transpose() * dense(&straight.mass) * &turn), 1e-13);
    // e_o = [d1, d2, 0, d1 + l, d2, 0] is the undeformed beam: S e_o = X on the centre line.
    let body = planar(thin(), Vec3::zeros(), Vec3::x() * l);
    let places = DVector::from_row_slice(&[0.0, 0.0, 0.0, l, 0.0, 0.0]);
    let m = DENSITY * 0.03 * l;
    close((dense(&body.mass) * &places).dot(&places), m * l * l / 3.0, 1e-12);
}

/// V37, V38: two elements share a node; held as a simply supported beam e3, e4, e5 (and e6) remain.
#[test]
fn elements_are_joined_at_their_nodes() {
    let nodes = vec![Vec3::zeros(), Vec3::x(), Vec3::x() * 2.0];
    let body = assemble(&line(nodes), &[SectionOf::all(Section::PlanarBeam(section()))]).unwrap();
    assert_eq!(body.unknowns.len(), 9);
    let single = dense(&planar(section(), Vec3::zeros(), Vec3::x()).stiffness);
    // Boolean matrices B_1 of the two elements.
    let mut sum = DMatrix::zeros(9, 9);
    for first in [0, 3] {
        let boolean = DMatrix::from_fn(6, 9, |i, j| f64::from(j == i + first));
        sum += boolean.transpose() * &single * boolean;
    }
    same(&dense(&body.stiffness), &sum, 1e-14);
    let held = [0, 1, 7];
    let free: Vec<usize> = (0..9).filter(|k| !held.contains(k)).collect();
    let k = dense(&body.stiffness).select_rows(&free).select_columns(&free);
    assert!(k.symmetric_eigenvalues().min() > 0.0);
}

/// V40: K of the spatial beam and the integrals S̄, S_11 … S_23 of a symmetric section.
#[test]
fn spatial_beam_has_the_matrices_of_the_book() {
    let l = 1.3;
    let body = beam(section(), l);
    let (e, g, a, i1, i2, i3) = (2e5, 8e4, 0.03, 4e-5, 2e-5, 5e-5);
    let (l2, l3) = (l * l, l * l * l);
    let stiffness = filled(
        12,
        1.0,
        &[
            (1, 1, e * a / l),
            (7, 7, e * a / l),
            (1, 7, -e * a / l),
            (4, 4, g * i1 / l),
            (10, 10, g * i1 / l),
            (4, 10, -g * i1 / l),
            (2, 2, 12.0 * e * i3 / l3),
            (8, 8, 12.0 * e * i3 / l3),
            (2, 8, -12.0 * e * i3 / l3),
            (2, 6, 6.0 * e * i3 / l2),
            (2, 12, 6.0 * e * i3 / l2),
            (6, 8, -6.0 * e * i3 / l2),
            (8, 12, -6.0 * e * i3 / l2),
            (6, 6, 4.0 * e * i3 / l),
            (12, 12, 4.0 * e * i3 / l),
            (6, 12, 2.0 * e * i3 / l),
            (3, 3, 12.0 * e * i2 / l3),
            (9, 9, 12.0 * e * i2 / l3),
            (3, 9, -12.0 * e * i2 / l3),
            (3, 5, -6.0 * e * i2 / l2),
            (3, 11, -6.0 * e * i2 / l2),
            (5, 9, 6.0 * e * i2 / l2),
            (9, 11, 6.0 * e * i2 / l2),
            (5, 5, 4.0 * e * i2 / l),
            (11, 11, 4.0 * e * i2 / l),
            (5, 11, 2.0 * e * i2 / l),
        ],
    );
    same(&dense(&body.stiffness), &stiffness, 1e-13);
    let m = DENSITY * a * l;
    let mean = [
        [m / 2.0, 0.0, 0.0],
        [0.0, m / 2.0, 0.0],
        [0.0, 0.0, m / 2.0],
        [0.0, 0.0, 0.0],
        [0.0, 0.0, -m * l / 12.0],
        [0.0, m * l / 12.0, 0.0],
    ];
    for (k, expected) in mean.iter().enumerate() {
        assert!((body.mean.column(k) - Vec3::from(*expected)).amax() < 1e-14);
        let mirrored = if k > 3 { -Vec3::from(*expected) } else { Vec3::from(*expected) };
        assert!((body.mean.column(k + 6) - mirrored).amax() < 1e-14);
    }
    check_products(&body, l, m, DENSITY * i2 / l2, DENSITY * i3 / l2);
}

fn check_products(body: &FullBody, l: f64, m: f64, ieta: f64, izeta: f64) {
    let MassProducts::Pairs(pairs) = &body.products else { panic!("beams have products of pairs") };
    let part = |k: usize, n: usize| {
        let mut s = DMatrix::zeros(12, 12);
        for &(a, b, p) in pairs {
            s[(a, b)] = p[(k, n)];
            s[(b, a)] = p[(n, k)];
        }
        s
    };
    let (l2, l3) = (l * l, l * l * l);
    let mut s11 = vec![(1, 1, m / 3.0), (7, 7, m / 3.0), (1, 7, m / 6.0)];
    for (i, [v, r, w, t], sign) in [(izeta, [2, 6, 8, 12], 1.0), (ieta, [3, 5, 9, 11], -1.0)] {
        s11.extend([
            (v, v, 6.0 * l * i / 5.0),
            (w, w, 6.0 * l * i / 5.0),
            (v, w, -6.0 * l * i / 5.0),
            (v, r, sign * l2 * i / 10.0),
            (v, t, sign * l2 * i / 10.0),
            (r, w, -sign * l2 * i / 10.0),
            (w, t, -sign * l2 * i / 10.0),
            (r, r, 2.0 * l3 * i / 15.0),
            (t, t, 2.0 * l3 * i / 15.0),
            (r, t, -l3 * i / 30.0),
        ]);
    }
    same(&part(0, 0), &filled(12, 1.0, &s11), 1e-13);
    for (axis, i, [v, r, w, t], sign) in [(1, ieta, [2, 6, 8, 12], 1.0), (2, izeta, [3, 5, 9, 11], -1.0)] {
        let entries = [
            (v, v, 13.0 * m / 35.0),
            (w, w, 13.0 * m / 35.0),
            (v, w, 9.0 * m / 70.0),
            (v, r, sign * 11.0 * l * m / 210.0),
            (w, t, -sign * 11.0 * l * m / 210.0),
            (v, t, -sign * 13.0 * l * m / 420.0),
            (r, w, sign * 13.0 * l * m / 420.0),
            (r, r, l2 * m / 105.0),
            (t, t, l2 * m / 105.0),
            (r, t, -l2 * m / 140.0),
            (4, 4, l3 * i / 3.0),
            (10, 10, l3 * i / 3.0),
            (4, 10, l3 * i / 6.0),
        ];
        same(&part(axis, axis), &filled(12, 1.0, &entries), 1e-13);
    }
    let plain = |entries: &[(usize, usize, f64)]| {
        let mut s = DMatrix::zeros(12, 12);
        entries.iter().for_each(|&(i, j, value)| s[(i - 1, j - 1)] = value);
        s
    };
    let s12 = plain(&[
        (1, 2, 7.0 * m / 20.0),
        (7, 8, 7.0 * m / 20.0),
        (1, 8, 3.0 * m / 20.0),
        (7, 2, 3.0 * m / 20.0),
        (1, 6, l * m / 20.0),
        (7, 12, -l * m / 20.0),
        (1, 12, -l * m / 30.0),
        (7, 6, l * m / 30.0),
        (3, 4, -l2 * ieta / 2.0),
        (3, 10, -l2 * ieta / 2.0),
        (9, 4, l2 * ieta / 2.0),
        (9, 10, l2 * ieta / 2.0),
        (5, 4, -l3 * ieta / 12.0),
        (11, 10, -l3 * ieta / 12.0),
        (5, 10, l3 * ieta / 12.0),
        (11, 4, l3 * ieta / 12.0),
    ]);
    same(&part(0, 1), &s12, 1e-13);
    let s13 = plain(&[
        (1, 3, 7.0 * m / 20.0),
        (7, 9, 7.0 * m / 20.0),
        (1, 9, 3.0 * m / 20.0),
        (7, 3, 3.0 * m / 20.0),
        (1, 5, -l * m / 20.0),
        (7, 11, l * m / 20.0),
        (1, 11, l * m / 30.0),
        (7, 5, -l * m / 30.0),
        (2, 4, l2 * izeta / 2.0),
        (2, 10, l2 * izeta / 2.0),
        (8, 4, -l2 * izeta / 2.0),
        (8, 10, -l2 * izeta / 2.0),
        (6, 4, -l3 * izeta / 12.0),
        (12, 10, -l3 * izeta / 12.0),
        (6, 10, l3 * izeta / 12.0),
        (12, 4, l3 * izeta / 12.0),
    ]);
    same(&part(0, 2), &s13, 1e-13);
    let s23 = plain(&[
        (2, 3, 13.0 * m / 35.0),
        (8, 9, 13.0 * m / 35.0),
        (2, 9, 9.0 * m / 70.0),
        (8, 3, 9.0 * m / 70.0),
        (2, 5, -11.0 * l * m / 210.0),
        (8, 11, 11.0 * l * m / 210.0),
        (2, 11, 13.0 * l * m / 420.0),
        (8, 5, -13.0 * l * m / 420.0),
        (6, 3, 11.0 * l * m / 210.0),
        (12, 9, -11.0 * l * m / 210.0),
        (6, 9, 13.0 * l * m / 420.0),
        (12, 3, -13.0 * l * m / 420.0),
        (6, 5, -l2 * m / 105.0),
        (12, 11, -l2 * m / 105.0),
        (6, 11, l2 * m / 140.0),
        (12, 5, l2 * m / 140.0),
    ]);
    same(&part(1, 2), &s23, 1e-13);
}

/// A rule for the axes of a section that is the book's: y toward the body's y, ∓x of a beam along ±y.
#[test]
fn sections_are_oriented() {
    let ei = |direction: Vec3, orientation: BeamOrientation, push: Vec3| {
        let section = BeamSection { orientation, ..section() };
        let mesh = line(vec![Vec3::zeros(), direction * 2.0]);
        let body = assemble(&mesh, &[SectionOf::all(Section::Beam(section))]).unwrap();
        let end = dense(&body.stiffness).view((6, 6), (6, 6)).into_owned();
        let force = DVector::from_iterator(6, push.iter().copied().chain([0.0; 3]));
        8.0 / (3.0 * end.cholesky().unwrap().solve(&force).dot(&force))
    };
    let (stiff, soft) = (2e5 * 5e-5, 2e5 * 2e-5);
    let roll = BeamOrientation::Roll;
    close(ei(Vec3::x(), roll(0.0), Vec3::y()), stiff, 1e-12);
    close(ei(Vec3::x(), roll(0.0), Vec3::z()), soft, 1e-12);
    close(ei(Vec3::x(), roll(PI / 2.0), Vec3::y()), soft, 1e-12);
    close(ei(Vec3::z(), roll(0.0), Vec3::y()), stiff, 1e-12);
    close(ei(Vec3::y(), roll(0.0), Vec3::x()), stiff, 1e-12);
    close(ei(-Vec3::y(), roll(0.0), Vec3::z()), soft, 1e-12);
    close(ei(Vec3::x(), BeamOrientation::Toward(Vec3::new(3.0, 0.0, 1.0)), Vec3::z()), stiff, 1e-12);
}

/// A cantilever with shear bends by F l³/3EI + F l/κGA; section forces are those of statics.
#[test]
fn cantilevers_with_shear_and_their_section_forces() {
    let l = 2.0;
    let mut section = section();
    section.cross_section.shear_areas = Some([0.02, 0.01]);
    let mesh = line(vec![Vec3::zeros(), Vec3::x() * 0.7, Vec3::x() * l]);
    let sections = [SectionOf::all(Section::Beam(section))];
    let elements = FiniteElements::new(&mesh, &sections).unwrap();
    let body = elements.body();
    let k = dense(&body.stiffness).view((6, 6), (12, 12)).into_owned();
    let mut force = DVector::zeros(12);
    force[6] = 5.0;
    force[7] = 1.0;
    force[8] = -2.0;
    force[9] = 0.4;
    let u = k.cholesky().unwrap().solve(&force);
    close(u[6], 5.0 * l / (2e5 * 0.03), 1e-12);
    close(u[7], l.powi(3) / (3.0 * 2e5 * 5e-5) + l / (8e4 * 0.02), 1e-12);
    close(u[8], -2.0 * (l.powi(3) / (3.0 * 2e5 * 2e-5) + l / (8e4 * 0.01)), 1e-12);
    close(u[9], 0.4 * l / (8e4 * 4e-5), 1e-12);
    let all: Vec<f64> = [0.0; 6].into_iter().chain(u.iter().copied()).collect();
    let stresses = elements.stresses(&all).unwrap();
    let ends: Vec<(f64, _)> = stresses
        .lines
        .iter()
        .zip([(0.0, 0.7), (0.7, 2.0)])
        .flat_map(|((_, f), (a, b))| [(a, f[0]), (b, f[1])])
        .collect();
    for (x, found) in ends {
        close(found.axial, 5.0, 1e-10);
        close(found.shear[0], 1.0, 1e-10);
        close(found.shear[1], -2.0, 1e-10);
        close(found.torque, 0.4, 1e-10);
        // The moment of the end's force about the section: M_z = F_y (l − x), M_y = −F_z (l − x).
        close(found.bending[1], l - x, 1e-9);
        close(found.bending[0], 2.0 * (l - x), 1e-9);
    }
}

/// A pull on the nodes of a beam whose centroid is offset bends it.
#[test]
fn an_offset_beam_bends_when_it_is_pulled() {
    let (l, offset) = (2.0, 0.05);
    let body = beam(BeamSection { offset: [offset, 0.0], ..section() }, l);
    let k = dense(&body.stiffness).view((6, 6), (6, 6)).into_owned();
    let u = k.cholesky().unwrap().solve(&DVector::from_row_slice(&[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]));
    let (ea, ei) = (2e5 * 0.03, 2e5 * 5e-5);
    // The force at the node is F at the centroid and the moment F e about z.
    close(u[5], offset * l / ei, 1e-12);
    close(u[0], l / ea + offset * offset * l / ei, 1e-12);
}

/// Euler: a beam that is supported at both ends buckles at π² EI/l²; the error falls with h⁴.
#[test]
fn pressed_beams_buckle() {
    let l = 2.0;
    let error = |n: usize| {
        let nodes = (0..=n).map(|k| Vec3::x() * (l * k as f64 / n as f64)).collect();
        let mesh = line(nodes);
        let sections = [SectionOf::all(Section::PlanarBeam(thin()))];
        let elements = FiniteElements::new(&mesh, &sections).unwrap();
        let body = elements.body();
        let mut stress = Mat3::zeros();
        stress[(0, 0)] = -1.0 / 0.03;
        let g = elements.geometric_stiffness_of_stresses(&vec![stress; n]).unwrap();
        let free: Vec<usize> = (0..body.unknowns.len())
            .filter(|&k| {
                let unknown = body.unknowns[k];
                let end = unknown.node == 0 || unknown.node == n;
                match unknown.component {
                    Component::Translation(0) => false,
                    Component::Translation(_) => !end,
                    Component::Rotation(_) => true,
                }
            })
            .collect();
        let part = |m| dense(m).select_rows(&free).select_columns(&free);
        let load = 1.0 / generalised(&part(&body.stiffness), &-part(&g))[0];
        load / (PI * PI * 2e5 * 5e-5 / (l * l)) - 1.0
    };
    let (coarse, fine) = (error(2), error(4));
    assert!(fine > 0.0 && fine < 1e-3, "{fine}");
    assert!(((coarse / fine).log2() - 4.0).abs() < 0.3, "{coarse} {fine}");
}

/// Frequencies of a simply supported beam, (kπ)² √(EI/ρA)/l², and of torsion with the polar moment.
#[test]
fn beams_vibrate_as_theory_says() {
    let (l, n) = (2.0, 8);
    let nodes: Vec<Vec3> = (0..=n).map(|k| Vec3::x() * (l * k as f64 / n as f64)).collect();
    let body = assemble(&line(nodes), &[SectionOf::all(Section::PlanarBeam(thin()))]).unwrap();
    let free: Vec<usize> = (0..body.unknowns.len())
        .filter(|&k| {
            let unknown = body.unknowns[k];
            match unknown.component {
                Component::Translation(0) => false,
                Component::Translation(_) => unknown.node != 0 && unknown.node != n,
                Component::Rotation(_) => true,
            }
        })
        .collect();
    let part = |m| dense(m).select_rows(&free).select_columns(&free);
    let mu = generalised(&part(&body.stiffness), &part(&body.mass));
    let unit = (2e5f64 * 5e-5 / (DENSITY * 0.03)).sqrt() / (l * l);
    for (k, tolerance) in [(1, 2e-5), (2, 3e-4), (3, 1.5e-3)] {
        let exact = (k as f64 * PI).powi(2) * unit;
        let found = mu[k - 1].sqrt().recip();
        assert!(found / exact - 1.0 > 0.0 && found / exact - 1.0 < tolerance, "{k}: {}", found / exact);
    }
    // Torsion of a beam held at one end: ω = π/2l √(G I1 / ρ (I2 + I3)).
    let nodes: Vec<Vec3> = (0..=n).map(|k| Vec3::x() * (l * k as f64 / n as f64)).collect();
    let body = assemble(&line(nodes), &[SectionOf::all(Section::Beam(section()))]).unwrap();
    let twist: Vec<usize> = (0..body.unknowns.len())
        .filter(|&k| body.unknowns[k].component == Component::Rotation(0) && body.unknowns[k].node > 0)
        .collect();
    let part = |m| dense(m).select_rows(&twist).select_columns(&twist);
    let mu = generalised(&part(&body.stiffness), &part(&body.mass))[0];
    let exact = PI / (2.0 * l) * (8e4f64 * 4e-5 / (DENSITY * 7e-5)).sqrt();
    assert!((mu.sqrt().recip() / exact - 1.0).abs() < 2e-3);
}

/// Torsion constants of rectangles: 0.1406 b⁴ of a square, ⅓ a b³ of a thin strip (Timoshenko's table).
#[test]
fn cross_sections_have_their_constants() {
    close(CrossSection::rectangle(1.0, 1.0).torsion, 0.1405770149, 1e-9);
    close(CrossSection::rectangle(1.0, 2.0).torsion, 2.0 * 0.2286817, 1e-6);
    close(CrossSection::rectangle(1e-3, 1.0).torsion, 1e-9 / 3.0 * (1.0 - 0.63e-3), 1e-3);
    close(CrossSection::circle(0.5).torsion, PI / 32.0, 1e-14);
    close(CrossSection::tube(1.0, 0.5).inertia_y, PI / 4.0 * (1.0 - 0.0625), 1e-14);
}
