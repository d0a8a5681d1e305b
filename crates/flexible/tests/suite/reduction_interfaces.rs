//! Interfaces, references and reports, on a lattice in space.

use crate::reduction_bodies::{Beam, close, lattice, nodes_at};
use nalgebra::DMatrix;
use poinsot_flexible::reduction::{
    Damping, InterfaceKind, InterfaceRequest, Method, ModeChoice, Reduced, Reduction, Reference, reduce,
};
use poinsot_flexible::{Component, FullBody, Unknown};
use poinsot_geometry::{Mat3, Vec3};
use std::f64::consts::TAU;

fn bar() -> FullBody {
    lattice([9, 3, 3], false)
}

fn ends(body: &FullBody, kinds: [InterfaceKind; 2]) -> Vec<InterfaceRequest> {
    let [a, b] = kinds;
    vec![
        InterfaceRequest { kind: a, ..InterfaceRequest::rigid("left", &nodes_at(body, |x| x.x < 0.01)) },
        InterfaceRequest { kind: b, ..InterfaceRequest::rigid("right", &nodes_at(body, |x| x.x > 0.79)) },
    ]
}

fn craig_bampton(body: &FullBody, kinds: [InterfaceKind; 2], modes: usize) -> Reduction {
    Reduction {
        interfaces: ends(body, kinds),
        method: Method::CraigBampton(ModeChoice::Count(modes)),
        reference: Reference::MeanAxis,
        damping: Damping::None,
        compare: 6,
    }
}

const ALL: [[InterfaceKind; 2]; 3] = [
    [InterfaceKind::Rigid, InterfaceKind::Rigid],
    [InterfaceKind::Mean, InterfaceKind::Mean],
    [InterfaceKind::Rigid, InterfaceKind::Mean],
];

/// Displacement of a node in a shape.
fn displacement(reduced: &Reduced, node: usize, shape: usize) -> Vec3 {
    reduced.body.shapes.fixed_view::<3, 1>(3 * node, shape).into_owned()
}

#[test]
fn craig_bampton_keeps_statics_held_modes_and_interfaces() {
    let body = bar();
    for kinds in ALL {
        let request = craig_bampton(&body, kinds, 8);
        let reduced = reduce(&body, &request).unwrap();
        assert_eq!(reduced.body.size(), 12 + 8 - 6);
        assert!(reduced.report.static_error.unwrap() < 1e-10, "{:?}", reduced.report.static_error);
        let held = reduced.report.held.as_ref().unwrap();
        (0..6).for_each(|k| close(held.reduced[k], held.full[k], 1e-8));
        let free = reduced.report.free.as_ref().unwrap();
        close(free.reduced[0], free.full[0], 1e-2);
        assert!(
            (0..6).all(|k| free.reduced[k] > free.full[k] * (1.0 - 1e-9)),
            "a space is too stiff, never too soft"
        );
        check_interfaces(&body, &request, &reduced);
    }
}

/// Nodes of a rigid interface move as on a rigid body; of a mean one by least squares.
fn check_interfaces(body: &FullBody, request: &Reduction, reduced: &Reduced) {
    for (asked, interface) in request.interfaces.iter().zip(&reduced.body.interfaces) {
        for k in 0..reduced.body.size() {
            let (d, phi) = (interface.displacements[k], interface.rotations[k]);
            let size = reduced.body.shapes.column(k).amax();
            let (mut force, mut torque) = (Vec3::zeros(), Vec3::zeros());
            for &node in &asked.nodes {
                let arm = body.nodes[node] - interface.place;
                let deviation = displacement(reduced, node, k) - (d + phi.cross(&arm));
                if asked.kind == InterfaceKind::Rigid {
                    assert!(deviation.amax() < 1e-12 * size, "{deviation}");
                }
                force += deviation;
                torque += arm.cross(&deviation);
            }
            assert!(force.amax() < 1e-10 * size && torque.amax() < 1e-10 * size, "{force} {torque}");
        }
    }
}

#[test]
fn mean_axes_carry_no_momentum_and_integrals_are_sums() {
    let body = bar();
    let reduced = reduce(&body, &craig_bampton(&body, ALL[0], 4)).unwrap();
    let inertia = &reduced.body.inertia;
    let n = reduced.body.size();
    let centre = inertia.first_moment / inertia.mass;
    for (mean, angular) in inertia.mean.iter().zip(inertia.angular(&centre)) {
        assert!(mean.norm() < 1e-9 && angular.norm() < 1e-9, "{mean} {angular}");
    }
    assert!((inertia.shape_mass() - DMatrix::identity(n, n)).amax() < 1e-9);
    let masses: Vec<f64> = (0..body.nodes.len()).map(|a| 0.02 + 1e-3 * (a % 7) as f64).collect();
    for (k, l) in [(0, 0), (1, 3), (5, 2)] {
        let u = |node: usize, shape: usize| displacement(&reduced, node, shape);
        let product: Mat3 = (0..masses.len()).map(|a| u(a, k) * u(a, l).transpose() * masses[a]).sum();
        assert!((inertia.products[k * n + l] - product).amax() < 1e-12);
        let moment: Mat3 = (0..masses.len()).map(|a| u(a, k) * body.nodes[a].transpose() * masses[a]).sum();
        assert!((inertia.moments[k] - moment).amax() < 1e-12);
    }
}

/// The same space under any reference: free frequencies are the same, and what is held is at rest.
#[test]
fn references_hold_what_they_name() {
    let body = bar();
    let corner = |x: f64, y: f64, z: f64| nodes_at(&body, |p| (p - Vec3::new(x, y, z)).norm() < 1e-6)[0];
    let at = |node: usize, axis: usize| Unknown { node, component: Component::Translation(axis) };
    let (a, b, c) = (corner(0.4, 0.0, 0.0), corner(0.4, 0.2, 0.0), corner(0.4, 0.0, 0.2));
    let determinate = vec![at(a, 0), at(a, 1), at(a, 2), at(b, 0), at(b, 2), at(c, 0)];
    let mut request = craig_bampton(&body, ALL[2], 4);
    let mean = reduce(&body, &request).unwrap();
    for reference in [
        Reference::FirstInterface,
        Reference::Interface("right".into()),
        Reference::Held(determinate.clone()),
    ] {
        request.reference = reference.clone();
        let reduced = reduce(&body, &request).unwrap();
        assert_eq!(reduced.body.size(), mean.body.size());
        let (free, expected) = (reduced.report.free.as_ref().unwrap(), mean.report.free.as_ref().unwrap());
        (0..6).for_each(|k| close(free.reduced[k], expected.reduced[k], 1e-8));
        assert!(reduced.report.static_error.unwrap() < 1e-10);
        let size = reduced.shapes.amax();
        match reference {
            Reference::Held(_) => {
                for unknown in &determinate {
                    let Component::Translation(axis) = unknown.component else { panic!() };
                    let row = reduced.body.shapes.row(3 * unknown.node + axis).into_owned();
                    assert!(row.amax() < 1e-9 * size);
                }
            }
            _ => {
                let held = usize::from(reference != Reference::FirstInterface);
                let interface = &reduced.body.interfaces[held];
                let moves = interface.displacements.iter().chain(&interface.rotations);
                assert!(moves.map(|x| x.amax()).fold(0.0, f64::max) < 1e-9 * size);
            }
        }
    }
}

#[test]
fn guyan_and_static_correction() {
    let body = bar();
    let guyan = reduce(&body, &craig_bampton(&body, ALL[0], 0)).unwrap();
    assert_eq!(guyan.body.size(), 6);
    assert!(guyan.report.static_error.unwrap() < 1e-10);
    for reference in [Reference::MeanAxis, Reference::FirstInterface] {
        let mut request = craig_bampton(&body, ALL[0], 0);
        request.reference = reference.clone();
        let errors = [0, 1, 2].map(|corrections| {
            request.method = match reference {
                Reference::MeanAxis => Method::Free { modes: ModeChoice::Count(3), corrections },
                _ => Method::Supported { modes: ModeChoice::Count(3), corrections },
            };
            reduce(&body, &request).unwrap().report
        });
        assert!(errors[0].static_error.unwrap() > 1e-3, "{:?}", errors[0].static_error);
        assert!(errors[1].static_error.unwrap() < 1e-9, "{:?}", errors[1].static_error);
        assert!(errors[2].frequencies.len() > errors[1].frequencies.len());
        // A block more of the Krylov space makes the next vibrations better.
        let deviation = |k: usize| {
            let free = errors[k].free.as_ref().unwrap();
            (free.reduced[4] - free.full[4]) / free.full[4]
        };
        assert!(deviation(2) < 0.2 * deviation(1), "{} {}", deviation(1), deviation(2));
    }
}

/// The shapes of a reduction, given back as columns, are the same body.
#[test]
fn given_shapes() {
    let body = bar();
    let mut request = craig_bampton(&body, ALL[1], 5);
    let first = reduce(&body, &request).unwrap();
    request.method = Method::Given(first.shapes.clone());
    let again = reduce(&body, &request).unwrap();
    assert_eq!(again.report.frequencies.len(), first.report.frequencies.len());
    for (again, first) in again.report.frequencies.iter().zip(&first.report.frequencies) {
        close(*again, *first, 1e-8);
    }
    assert!(again.report.static_error.unwrap() < 1e-9);
    // The mean interface deforms: as a rigid one it is refused.
    request.interfaces = ends(&body, ALL[0]);
    assert!(reduce(&body, &request).unwrap_err().to_string().contains("deforms a rigid interface"));
}

#[test]
fn damping_of_shapes() {
    let body = bar();
    let mut request = craig_bampton(&body, ALL[0], 2);
    request.compare = 0;
    let d = |damping: Damping| {
        let reduced = reduce(&body, &Reduction { damping, ..request.clone() }).unwrap();
        (reduced.body.damping, reduced.report.frequencies)
    };
    let (ratio, f) = d(Damping::Ratio(0.02));
    (0..f.len()).for_each(|k| close(ratio[(k, k)], 0.04 * TAU * f[k], 1e-9));
    let ratios: Vec<f64> = (0..f.len()).map(|k| 0.01 * k as f64).collect();
    let (each, _) = d(Damping::Ratios(ratios));
    close(each[(3, 3)], 0.06 * TAU * f[3], 1e-9);
    let (rayleigh, _) = d(Damping::Rayleigh { mass: 0.5, stiffness: 1e-4 });
    close(rayleigh[(2, 2)], 0.5 + 1e-4 * (TAU * f[2]).powi(2), 1e-9);
    let given = DMatrix::identity(f.len(), f.len());
    assert_eq!(d(Damping::Given(given.clone())).0, given);
    for wrong in [
        Damping::Ratio(-0.1),
        Damping::Ratios(vec![0.1]),
        Damping::Rayleigh { mass: -1.0, stiffness: 0.0 },
        Damping::Given(-given.clone()),
        Damping::Given(DMatrix::identity(2, 2)),
    ] {
        assert!(reduce(&body, &Reduction { damping: wrong, ..request.clone() }).is_err());
    }
}

#[test]
fn the_report_is_a_table() {
    let body = bar();
    let reduced = reduce(&body, &craig_bampton(&body, ALL[0], 6)).unwrap();
    let words = reduced.report.words();
    for part in
        ["243 unknowns, 12 shapes: Craig–Bampton, mean axes", "MAC", "interfaces held", "sum", "static"]
    {
        assert!(words.contains(part), "{part} is not in\n{words}");
    }
    let effective = reduced.report.effective.as_ref().unwrap();
    assert_eq!(effective.masses.len(), 6);
    close(effective.total[0], body.total_mass, 1e-12);
    for k in 0..6 {
        let sum: f64 = effective.masses.iter().map(|masses| masses[k]).sum();
        assert!(sum <= effective.total[k]);
    }
}

/// All vibrations of a cantilever together move the whole mass but what the support carries.
#[test]
fn effective_mass_is_complete() {
    let body = Beam::unit(60).planar();
    let request = Reduction {
        interfaces: vec![InterfaceRequest::rigid("root", &[0])],
        method: Method::Supported { modes: ModeChoice::All, corrections: 0 },
        reference: Reference::FirstInterface,
        damping: Damping::None,
        compare: 0,
    };
    let effective = reduce(&body, &request).unwrap().report.effective.unwrap();
    for (motion, missing) in [(0, 0.01), (1, 0.01), (5, 0.05)] {
        let sum: f64 = effective.masses.iter().map(|masses| masses[motion]).sum();
        assert!(sum <= effective.total[motion] * (1.0 + 1e-9));
        assert!(
            sum > effective.total[motion] * (1.0 - missing),
            "{motion}: {sum} of {}",
            effective.total[motion]
        );
    }
    // The first bending mode of a cantilever moves 61.3 % of its mass.
    close(effective.masses[0][1], 0.6131, 1e-3);
}

/// A beam of one element between two interfaces has no inner unknown.
#[test]
fn a_body_of_interfaces_alone() {
    let body = Beam::unit(1).planar();
    let request = Reduction {
        interfaces: vec![InterfaceRequest::rigid("a", &[0]), InterfaceRequest::rigid("b", &[1])],
        method: Method::CraigBampton(ModeChoice::Count(0)),
        reference: Reference::FirstInterface,
        damping: Damping::None,
        compare: 3,
    };
    let reduced = reduce(&body, &request).unwrap();
    assert_eq!(reduced.body.size(), 3);
    assert!(reduced.report.static_error.unwrap() < 1e-12);
    let free = reduced.report.free.as_ref().unwrap();
    (0..3).for_each(|k| close(free.reduced[k], free.full[k], 1e-10));
    assert_eq!(reduced.report.held.as_ref().unwrap().full, Vec::<f64>::new());
}
