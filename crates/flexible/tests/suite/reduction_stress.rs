//! Stiffness of stress: a spinning cantilever, and the load that is in balance with inertia.

use crate::reduction_bodies::{Beam, close, gauss};
use nalgebra::DMatrix;
use poinsot_flexible::reduction::{
    Damping, InterfaceRequest, Method, ModeChoice, Reduced, Reduction, Reference, geometric_stiffness, reduce,
};
use poinsot_geometry::{Mat3, Vec3};
use poinsot_numerics::SymmetricMatrix;

/// K_σ of a planar beam: Σ N ∫ S'ᵀ S' ds over the transverse displacement, N = EA u'.
fn stress_stiffness(beam: &Beam, displacement: &[f64]) -> SymmetricMatrix {
    let l = beam.step();
    let mut entries = vec![];
    for e in 0..beam.elements {
        let tension = beam.axial * (displacement[3 * e + 3] - displacement[3 * e]) / l;
        for (xi, w) in gauss() {
            let slope = [
                (1, (-6.0 * xi + 6.0 * xi * xi) / l),
                (2, 1.0 - 4.0 * xi + 3.0 * xi * xi),
                (4, (6.0 * xi - 6.0 * xi * xi) / l),
                (5, 3.0 * xi * xi - 2.0 * xi),
            ];
            for (i, s) in slope {
                for (j, t) in slope.iter().filter(|(j, _)| *j <= i) {
                    entries.push((3 * e + i, 3 * e + j, tension * w * l * s * t));
                }
            }
        }
    }
    SymmetricMatrix::from_entries(3 * beam.elements + 3, entries.into_iter())
}

fn cantilever(beam: &Beam) -> (Reduction, Reduced) {
    let request = Reduction {
        interfaces: vec![InterfaceRequest::rigid("root", &[0])],
        method: Method::Supported { modes: ModeChoice::Count(6), corrections: 0 },
        reference: Reference::FirstInterface,
        damping: Damping::None,
        compare: 0,
    };
    let reduced = reduce(&beam.planar(), &request).unwrap();
    (request, reduced)
}

fn lowest(stiffness: &DMatrix<f64>) -> f64 {
    stiffness.clone().symmetric_eigenvalues().min().sqrt()
}

/// C14: flapping of a cantilever that spins about y at η, hub radius 0 and 1.
#[test]
fn spinning_cantilever() {
    // Stiff along its length, so that its stretch does not matter.
    let beam = Beam { axial: 1e8, ..Beam::unit(30) };
    let body = beam.planar();
    let (request, reduced) = cantilever(&beam);
    let geometric = geometric_stiffness(&body, &request, &reduced, &Reference::FirstInterface, &mut |u| {
        stress_stiffness(&beam, u)
    })
    .unwrap();
    close(lowest(&reduced.body.stiffness), 3.516015268500151, 1e-6);
    for (eta, expected) in [(2.0, 4.137319573), (5.0, 6.449544749)] {
        // W = ω̃ω̃ of ω = η e_y. Flapping is along the axis of the spin: W does not move it otherwise.
        let w = Mat3::from_diagonal(&Vec3::new(-eta * eta, 0.0, -eta * eta));
        let stiffened = &reduced.body.stiffness + geometric.at(&Vec3::zeros(), &w);
        close(lowest(&stiffened), expected, 1e-3);
    }
    // Hanging and standing: an acceleration of the root away from the body presses it.
    let pulled = &reduced.body.stiffness + geometric.at(&Vec3::new(-1.0, 0.0, 0.0), &Mat3::zeros());
    let pressed = &reduced.body.stiffness + geometric.at(&Vec3::new(1.0, 0.0, 0.0), &Mat3::zeros());
    assert!(
        lowest(&pulled) > lowest(&reduced.body.stiffness)
            && lowest(&pressed) < lowest(&reduced.body.stiffness)
    );
    // A standing column under its own weight buckles at ρ A g L³/(EI) = 7.8373 (Greenhill), with a tension
    // that is constant in each of 30 elements at 7.8338.
    let at = |g: f64| &reduced.body.stiffness + geometric.at(&Vec3::new(g, 0.0, 0.0), &Mat3::zeros());
    assert!(at(7.83).symmetric_eigenvalues().min() > 0.0 && at(7.845).symmetric_eigenvalues().min() < 0.0);
}

/// A load at the tip along the beam: Euler's column, and the frequency of a pulled one.
#[test]
fn pressed_cantilever() {
    let beam = Beam { axial: 1e8, ..Beam::unit(30) };
    let body = beam.planar();
    let mut request = cantilever(&beam).0;
    request.interfaces.push(InterfaceRequest::rigid("tip", &[30]));
    request.method = Method::Supported { modes: ModeChoice::Count(6), corrections: 1 };
    let reduced = reduce(&body, &request).unwrap();
    let geometric = geometric_stiffness(&body, &request, &reduced, &Reference::FirstInterface, &mut |u| {
        stress_stiffness(&beam, u)
    })
    .unwrap();
    let n = reduced.body.size();
    let (root, tip) = (&geometric.loads[0], &geometric.loads[1]);
    assert!(root.iter().flatten().all(|value| *value == 0.0));
    let with = |pull: f64| {
        let stress = DMatrix::from_fn(n, n, |k, l| pull * tip[k * n + l][0]);
        lowest(&(&reduced.body.stiffness + stress))
    };
    close(with(-1.0), 2.753624944952585, 1e-5);
    close(with(2.0), 4.606569632568799, 1e-5);
    let euler = std::f64::consts::PI.powi(2) / 4.0;
    let square = |pull: f64| {
        let stress = DMatrix::from_fn(n, n, |k, l| pull * tip[k * n + l][0]);
        (&reduced.body.stiffness + stress).symmetric_eigenvalues().min()
    };
    assert!(square(-0.9999 * euler) > 0.0 && square(-1.0001 * euler) < 0.0);
}

/// In free flight a displacement makes no stress, and a spin stretches from the mass centre.
#[test]
fn inertia_relief() {
    let beam = Beam { axial: 1e8, ..Beam::unit(20) };
    let body = beam.planar();
    let (request, reduced) = cantilever(&beam);
    let mut tension = vec![];
    let geometric = geometric_stiffness(&body, &request, &reduced, &Reference::MeanAxis, &mut |u| {
        tension.push((0..20).map(|e| beam.axial * (u[3 * e + 3] - u[3 * e]) * 20.0).collect::<Vec<f64>>());
        stress_stiffness(&beam, u)
    })
    .unwrap();
    assert_eq!(geometric.support, "inertia relief");
    assert!(geometric.mean.iter().all(|mean| mean.norm() < 1e-6));
    // N = −∫(x − ½) ds … of W_xx = 1, mean over the middle element: −(1/8)(1 − h²/3 …)
    let middle: Vec<f64> = tension.iter().map(|n| n[10]).collect();
    assert!(middle.iter().any(|n| (n + 0.125).abs() < 1e-3), "{middle:?}");
    // A push at the root is balanced by inertia all along: half of it is left in the middle.
    assert!(middle.iter().any(|n| (n + 0.475).abs() < 1e-3 || (n + 0.5).abs() < 0.03), "{middle:?}");
}
