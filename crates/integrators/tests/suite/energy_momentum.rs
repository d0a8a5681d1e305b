//! Structure-preserving steps against the sharp numbers of energy-momentum-null-space V-1 … V-7.

use crate::conserving_models as models;

use models::{balance, double_spherical_pendulum, revolute_pair, top};
use poinsot_geometry::{Mat3, Vec3};
use poinsot_integrators::{ConservingSettings, EnergyMomentum, Stepper, Treatment};
use poinsot_mechanics::conserving::{Coordinates, Rule};
use poinsot_mechanics::joints::Attachment;
use poinsot_mechanics::*;

const ALL: [Coordinates; 3] = [Coordinates::Motion, Coordinates::Directors, Coordinates::EulerParameters];

fn run(system: &System, settings: ConservingSettings, h: f64, end: f64) -> State {
    let mut integration = EnergyMomentum::new(system, settings, system.start_state(0.0)).unwrap();
    for _ in 0..(end / h).round() as usize {
        integration.attempt(h).unwrap();
        integration.accept();
    }
    integration.state().clone()
}

#[test]
fn heavy_top_keeps_energy_and_momentum_and_is_of_order_two() {
    let system = top();
    let exact = Vec3::new(0.05465514, -0.03509366, 0.0375);
    for coordinates in ALL {
        let settings = ConservingSettings { coordinates, ..ConservingSettings::new(Rule::EnergyMomentum) };
        let mut errors = vec![];
        for h in [2e-3, 1e-3, 5e-4] {
            let start = balance(&system, &system.start_state(0.0));
            assert!((start.total() - 5.6690551906).abs() < 1e-9);
            let end = run(&system, settings, h, 0.1);
            let now = balance(&system, &end);
            println!(
                "{coordinates:?} h {h}: H {:e} L3 {:e}",
                now.total() / start.total() - 1.0,
                now.angular_momentum.z / start.angular_momentum.z - 1.0
            );
            assert!((now.total() / start.total() - 1.0).abs() < 1e-12);
            assert!((now.angular_momentum.z / start.angular_momentum.z - 1.0).abs() < 1e-12);
            errors.push((end.frames[1].r - exact).norm());
        }
        println!("{errors:?}");
        assert!((errors[0] / errors[1]).log2() > 1.95 && (errors[1] / errors[2]).log2() > 1.98);
    }
}

#[test]
fn revolute_pair_has_the_errors_of_the_digest_in_all_coordinates() {
    let system = revolute_pair();
    let start = balance(&system, &system.start_state(0.0));
    assert!((start.total() - 588273.889875).abs() < 1e-6);
    assert!((start.angular_momentum - Vec3::new(23751.4083, -43297.434, -5827.42905)).norm() < 1e-6);
    let exact = Vec3::new(6.282709978, 5.218438445, 5.246971449);
    let mut ends = vec![];
    for coordinates in ALL {
        let settings = ConservingSettings { coordinates, ..ConservingSettings::new(Rule::EnergyMomentum) };
        let mut errors = vec![];
        for h in [1e-2, 5e-3, 2.5e-3] {
            let end = run(&system, settings, h, 0.2);
            let now = balance(&system, &end);
            println!(
                "{coordinates:?} {h} {:e} {:e}",
                now.total() / start.total() - 1.0,
                (now.angular_momentum - start.angular_momentum).norm() / start.angular_momentum.norm()
            );
            assert!((now.total() / start.total() - 1.0).abs() < 1e-12);
            assert!(
                (now.angular_momentum - start.angular_momentum).norm()
                    < 1e-12 * start.angular_momentum.norm()
            );
            errors.push((end.frames[2].r - exact).norm());
            if h == 1e-2 {
                ends.push(end.frames[2].r);
            }
        }
        println!("{errors:?}");
        assert!((errors[0] / errors[1]).log2() > 1.9 && (errors[1] / errors[2]).log2() > 1.95);
    }
    assert!((ends[0] - ends[1]).norm() < 1e-9 && (ends[0] - ends[2]).norm() < 1e-9, "{ends:?}");
}

#[test]
fn penalty_and_augmented_lagrange_approach_the_multipliers() {
    let system = top();
    let new = |treatment| ConservingSettings { treatment, ..ConservingSettings::new(Rule::EnergyMomentum) };
    for coordinates in ALL {
        let exact = run(&system, new(Treatment::Multipliers), 1e-2, 0.5).frames[1].r;
        let soft = |treatment| {
            let settings = ConservingSettings { coordinates, ..new(treatment) };
            (run(&system, settings, 1e-2, 0.5).frames[1].r - exact).norm()
        };
        let (weak, strong) =
            (soft(Treatment::Penalty { stiffness: 1e6 }), soft(Treatment::Penalty { stiffness: 1e8 }));
        let augmented = soft(Treatment::AugmentedLagrange { stiffness: 1e7, tolerance: 1e-12 });
        println!("{coordinates:?}: penalty {weak:e} {strong:e}, augmented {augmented:e}");
        assert!(strong < 0.05 * weak && strong < 1e-4 && augmented < 1e-8);
    }
}

#[test]
fn variational_rule_keeps_momentum_and_bounds_the_energy() {
    let system = revolute_pair();
    let start = balance(&system, &system.start_state(0.0));
    let exact = Vec3::new(6.282709978, 5.218438445, 5.246971449);
    for coordinates in ALL {
        let settings = ConservingSettings { coordinates, ..ConservingSettings::new(Rule::Variational) };
        let mut errors = vec![];
        for h in [5e-3, 2.5e-3, 1.25e-3] {
            let end = run(&system, settings, h, 0.2);
            let now = balance(&system, &end);
            println!(
                "{coordinates:?} {h} {:e} {:e}",
                now.total() / start.total() - 1.0,
                (now.angular_momentum - start.angular_momentum).norm() / start.angular_momentum.norm()
            );
            assert!(
                (now.angular_momentum - start.angular_momentum).norm()
                    < 1e-11 * start.angular_momentum.norm()
            );
            errors.push((end.frames[2].r - exact).norm());
        }
        println!("{errors:?}");
        assert!((errors[0] / errors[1]).log2() > 1.9 && (errors[1] / errors[2]).log2() > 1.9);
    }
}

/// Two bodies on a spring, stiff (ω ≈ 2400/s) or soft, that turn about each other.
fn dumbbell(stiffness: f64) -> System {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let rot = Mat3::identity();
    let mut ends = vec![];
    for side in [-1.0, 1.0] {
        let linear = Vec3::new(0.3 * side, 2.0 * side, 0.1);
        let twist = Twist { linear, angular: Vec3::new(1.0, 0.2, 3.0) };
        let node = b.node("ball", Chart::Motion, Frame { r: Vec3::x() * side, rot }, twist);
        b.body(Body::new(node, &MassProperties::new(1.0, Vec3::zeros(), rot * 0.1)));
        ends.push(Attachment { node, origin: Vec3::y() * 0.1, axes: rot });
    }
    let coordinate = Coordinate::distance(&ends[0], &ends[1]);
    let spring = forces::CoordinateForce { coordinate, stiffness, damping: 0.0, free: 1.9, law: None };
    b.force("spring", Box::new(spring));
    b.build()
}

#[test]
fn dissipation_takes_energy_from_what_the_step_does_not_resolve_and_keeps_momentum() {
    let system = dumbbell(3e6);
    let settings = ConservingSettings { dissipation: 0.5, ..ConservingSettings::new(Rule::EnergyMomentum) };
    let mut integration = EnergyMomentum::new(&system, settings, system.start_state(0.0)).unwrap();
    let start = balance(&system, integration.state());
    let mut last = start.total();
    let (mut lost, h) = (0.0, 2e-3);
    for _ in 0..2000 {
        integration.attempt(h).unwrap();
        integration.accept();
        let now = balance(&system, integration.state());
        let work = integration.work().unwrap();
        assert!(work.dissipated >= 0.0 && work.supplied.abs() < 1e-8);
        assert!((now.total() - last + work.dissipated).abs() < 1e-8 * start.total());
        lost += work.dissipated;
        last = now.total();
    }
    let end = balance(&system, integration.state());
    // The spring's energy ½ k 0.1² is lost, but for what turns with the bodies.
    assert!(lost > 0.9 * 0.5 * 3e6 * 0.1 * 0.1, "{lost}");
    assert!((end.angular_momentum - start.angular_momentum).norm() < 1e-11 * start.angular_momentum.norm());
    assert!((end.momentum - start.momentum).norm() < 1e-12);
}

#[test]
fn dissipation_keeps_the_order() {
    let system = dumbbell(30.0);
    let settings =
        |dissipation| ConservingSettings { dissipation, ..ConservingSettings::new(Rule::EnergyMomentum) };
    let exact = run(&system, settings(0.0), 1e-4, 0.5).frames[1].r;
    let error = |h| (run(&system, settings(0.5), h, 0.5).frames[1].r - exact).norm();
    let errors = [error(1e-2), error(5e-3), error(2.5e-3)];
    let orders = [(errors[0] / errors[1]).log2(), (errors[1] / errors[2]).log2()];
    assert!(orders.iter().all(|o| (1.9..2.3).contains(o)), "{errors:?} {orders:?}");
}

/// Momenta and multipliers of the steps themselves, which alternate about those of the motion (V-1, h =
/// 0.01).
#[test]
fn momenta_and_multipliers_are_those_of_the_digest() {
    let system = double_spherical_pendulum();
    let settings = ConservingSettings::new(Rule::EnergyMomentum);
    let mut integration = EnergyMomentum::new(&system, settings, system.start_state(0.0)).unwrap();
    for _ in 0..100 {
        integration.attempt(0.01).unwrap();
        integration.accept();
    }
    let p2 = integration.state().rates[2].r * 5.0;
    assert!((p2 - Vec3::new(10.49047640, 22.03996682, 19.78562914)).norm() < 2e-8, "{p2}");
    let lambda: Vec<f64> = system.constraint_equations().iter().map(|&eq| integration.mean()[eq]).collect();
    assert!((lambda[0] - 293.95205).abs() < 1e-5 && (lambda[1] - 114.93371).abs() < 1e-5, "{lambda:?}");
}
