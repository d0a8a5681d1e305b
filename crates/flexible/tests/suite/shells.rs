//! Shells: patch tests, plates against thin plate theory, buckling.

use crate::support::{DENSITY, STEEL, close, dense, generalised, grid, noise, sample, steel, tilt};
use nalgebra::DVector;
use poinsot_flexible::{
    Component, ElementKind, FiniteElements, FullBody, Mesh, Section, SectionOf, ShellSection, assemble,
    plane_stress,
};
use poinsot_geometry::{Mat3, Vec3};
use std::f64::consts::PI;

const THICKNESS: f64 = 0.05;
const KINDS: [ElementKind; 2] = [ElementKind::Tri3, ElementKind::Quad4];

fn section() -> Section {
    Section::Shell(ShellSection { material: steel(), thickness: THICKNESS })
}

/// Constant membrane strain and constant curvature in a tilted plane, on distorted cells.
#[test]
fn shells_pass_the_patch_test() {
    let membrane = Mat3::new(0.011, 0.004, 0.0, -0.002, -0.006, 0.0, 0.0, 0.0, 0.0);
    let bending = Mat3::new(0.3, 0.1, 0.0, 0.1, -0.2, 0.0, 0.0, 0.0, 0.0);
    for kind in KINDS {
        let mesh = grid(kind, [2, 2, 0], |n, x| {
            tilt() * (x + Vec3::new(noise(2 * n), noise(2 * n + 1), 0.0) * 0.15)
        });
        let sections = [SectionOf::all(section())];
        let elements = FiniteElements::new(&mesh, &sections).unwrap();
        let body = elements.body();
        let u = sample(&body, |place| {
            let x = tilt().transpose() * place;
            let slope = bending * x;
            let w = 0.5 * x.dot(&slope);
            let turn = Vec3::new(slope.y, -slope.x, 0.5 * (membrane[(1, 0)] - membrane[(0, 1)]));
            (tilt() * (membrane * x + Vec3::z() * w), tilt() * turn)
        });
        let forces = dense(&body.stiffness) * &u;
        let at_centre = body.unknowns.iter().zip(forces.iter()).filter(|(unknown, _)| unknown.node == 4);
        let inside = at_centre.map(|(_, force)| force.abs()).fold(0.0, f64::max);
        assert!(inside < 1e-11 * forces.amax(), "{kind:?}: {inside}");
        let d = plane_stress(steel().elasticity());
        let six = |m: &Mat3| poinsot_flexible::continuum::engineering_of_strain(m);
        let (strain, curvature) = (six(&membrane), six(&-bending));
        let area = body.total_mass / (DENSITY * THICKNESS);
        let energy = area
            * (THICKNESS * strain.dot(&(d * strain))
                + THICKNESS.powi(3) / 12.0 * curvature.dot(&(d * curvature)));
        close(forces.dot(&u), energy, 1e-12);
        for (sign, above) in [(1.0, true), (-1.0, false)] {
            let stress = d * (strain + curvature * (sign * 0.5 * THICKNESS));
            let stress = poinsot_flexible::continuum::stress_of_voigt(&stress);
            let stress = tilt() * stress * tilt().transpose();
            for found in elements.stresses(u.as_slice()).unwrap().shells {
                let found = found.unwrap();
                let found = if above { found.above } else { found.below };
                assert!((found - stress).abs().max() < 1e-10, "{kind:?}");
            }
        }
    }
}

/// Unknowns that are free on a square plate 1 × 1 whose edges are supported but may turn; nothing moves in
/// the plane.
fn free(body: &FullBody) -> Vec<usize> {
    let edge = |x: f64| !(1e-9..=1.0 - 1e-9).contains(&x);
    let is_free = |k: &usize| {
        let place = body.nodes[body.unknowns[*k].node];
        match body.unknowns[*k].component {
            Component::Translation(2) => !edge(place.x) && !edge(place.y),
            Component::Rotation(0) => !edge(place.x),
            Component::Rotation(1) => !edge(place.y),
            _ => false,
        }
    };
    (0..body.unknowns.len()).filter(is_free).collect()
}

fn square(kind: ElementKind, n: usize) -> Mesh {
    grid(kind, [n, n, 0], |_, x| x / n as f64)
}

/// D = E t³ / (12 (1 − ν²)).
fn bending_stiffness(thickness: f64) -> f64 {
    STEEL.young * thickness.powi(3) / (12.0 * (1.0 - STEEL.poisson * STEEL.poisson))
}

/// Navier: the middle of a supported plate under a uniform load sinks by 0.00406235 q/D, whatever its
/// thickness: nothing locks.
#[test]
fn supported_plates_sink_as_navier_says() {
    for kind in KINDS {
        for thickness in [1e-2, 1e-4] {
            let error = |n: usize| {
                let mesh = square(kind, n);
                let sections =
                    [SectionOf::all(Section::Shell(ShellSection { material: steel(), thickness }))];
                let body = assemble(&mesh, &sections).unwrap();
                let free = free(&body);
                let k = dense(&body.stiffness).select_rows(&free).select_columns(&free);
                let load = DVector::from_iterator(
                    free.len(),
                    free.iter().map(|&k| body.mean[(2, k)] / (DENSITY * thickness)),
                );
                let u = k.cholesky().unwrap().solve(&load);
                let middle = |k: &usize| {
                    let unknown = body.unknowns[*k];
                    (body.nodes[unknown.node] - Vec3::new(0.5, 0.5, 0.0)).norm() < 1e-9
                        && unknown.component == Component::Translation(2)
                };
                let at = free.iter().position(middle).unwrap();
                u[at] * bending_stiffness(thickness) / 0.00406235266 - 1.0
            };
            let (coarse, fine) = (error(4), error(8));
            assert!(fine.abs() < 0.015, "{kind:?} {thickness}: {coarse} {fine}");
            assert!((coarse / fine).abs() > 2.5, "{kind:?} {thickness}: {coarse} {fine}");
        }
    }
}

/// Frequencies of a supported square plate: ω = π² (m² + n²) √(D/ρt); they converge with h².
#[test]
fn supported_plates_vibrate_as_theory_says() {
    for kind in KINDS {
        let error = |n: usize| {
            let body = assemble(&square(kind, n), &[SectionOf::all(section())]).unwrap();
            let free = free(&body);
            let part = |m| dense(m).select_rows(&free).select_columns(&free);
            let mu = generalised(&part(&body.stiffness), &part(&body.mass))[0];
            let exact = 2.0 * PI * PI * (bending_stiffness(THICKNESS) / (DENSITY * THICKNESS)).sqrt();
            // Rotary inertia, ρt³/12, lowers it by the factor 1 + 2π² t²/12.
            mu.sqrt().recip() / exact * (1.0 + 2.0 * PI * PI * THICKNESS.powi(2) / 12.0).sqrt() - 1.0
        };
        let (coarse, fine) = (error(4), error(8));
        assert!(fine.abs() < 0.02, "{kind:?}: {coarse} {fine}");
        assert!((coarse / fine).log2() > 1.6, "{kind:?}: {coarse} {fine}");
    }
}

/// A supported square plate pressed along x buckles at 4 π² D / b².
#[test]
fn pressed_plates_buckle() {
    for kind in KINDS {
        let error = |n: usize| {
            let mesh = square(kind, n);
            let sections = [SectionOf::all(section())];
            let elements = FiniteElements::new(&mesh, &sections).unwrap();
            let body = elements.body();
            let mut stress = Mat3::zeros();
            stress[(0, 0)] = -1.0 / THICKNESS;
            let g = elements.geometric_stiffness_of_stresses(&vec![stress; mesh.elements.len()]).unwrap();
            let free = free(&body);
            let part = |m| dense(m).select_rows(&free).select_columns(&free);
            let load = 1.0 / generalised(&part(&body.stiffness), &-part(&g))[0];
            // The stress also works on the turning of the thickness, which lowers it by 1 + 2π² t²/12.
            let thick = 1.0 + 2.0 * PI * PI * THICKNESS.powi(2) / 12.0;
            load * thick / (4.0 * PI * PI * bending_stiffness(THICKNESS)) - 1.0
        };
        let (coarse, fine) = (error(4), error(8));
        // The triangles meet this load by chance on every mesh; the quadrilaterals converge with h².
        match kind {
            ElementKind::Tri3 => assert!(coarse.abs() < 2e-3 && fine.abs() < 2e-3, "{coarse} {fine}"),
            _ => assert!(fine < 0.02 && ((coarse / fine).log2() - 2.0).abs() < 0.2, "{coarse} {fine}"),
        }
    }
}
