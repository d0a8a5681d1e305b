//! Structure-preserving steps against the sharp numbers of energy-momentum-null-space §2.

use poinsot_geometry::{Mat3, Vec3, so3};
use poinsot_integrators::{ConservingSettings, EnergyMomentum, Treatment};
use poinsot_mechanics::conserving::{Coordinates, Rule};
use poinsot_mechanics::joints::*;
use poinsot_mechanics::*;

fn balance(system: &System, state: &State) -> Balance {
    let a = vec![0.0; system.size()];
    let at = Instant {
        t: state.t,
        frames: &state.frames,
        v: &state.v,
        a: &a,
        memory: &state.memory,
        rates: &state.rates,
    };
    system.balance(&at, &mut Scratch::default())
}

const ALL: [Coordinates; 3] = [Coordinates::Motion, Coordinates::Directors, Coordinates::EulerParameters];

fn run(system: &System, settings: ConservingSettings, h: f64, end: f64) -> State {
    let mut integration = EnergyMomentum::new(system, settings, system.start_state(0.0)).unwrap();
    for _ in 0..(end / h).round() as usize {
        integration.attempt(h).unwrap();
        integration.accept();
    }
    integration.state().clone()
}

/// V-2: cone with its tip fixed, in steady precession.
fn top() -> System {
    let (height, radius, density) = (0.1, 0.05, 2700.0);
    let mass = density * std::f64::consts::PI * radius * radius * height / 3.0;
    let length = 0.75 * height;
    let j1 = 3.0 * mass / 80.0 * (4.0 * radius * radius + height * height);
    let j3 = 0.3 * mass * radius * radius;
    let nutation = std::f64::consts::FRAC_PI_3;
    let (m1, m3, precession) = (j1 + mass * length * length, j3, 10.0);
    let spin = mass * 9.81 * length / (m3 * precession) + (m1 - m3) / m3 * precession * nutation.cos();
    assert!((spin - 135.6).abs() < 1e-9);
    let rot = so3::exp(&(Vec3::x() * nutation));
    let d3 = rot * Vec3::z();
    let omega = Vec3::z() * precession + d3 * spin;
    let mut b = SystemBuilder::new(Vec3::z() * -9.81);
    let r = d3 * length;
    let velocity = Twist { linear: omega.cross(&r), angular: rot.transpose() * omega };
    let node = b.node("top", Chart::Motion, Frame { r, rot }, velocity);
    let inertia = Mat3::from_diagonal(&Vec3::new(j1, j1, j3));
    b.body(Body::new(node, &MassProperties::new(mass, Vec3::zeros(), inertia)));
    let ground = Attachment { node: GROUND, origin: Vec3::zeros(), axes: Mat3::identity() };
    let tip = Attachment { node, origin: Vec3::z() * -length, axes: Mat3::identity() };
    b.constraint("pivot", Box::new(spherical(&ground, &tip)));
    b.build()
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

/// V-4: two bodies with a revolute joint in free flight.
fn revolute_pair() -> System {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let omega = Vec3::new(10.0, -20.0, -20.0);
    let omega2 = omega + Vec3::z() * -15.0;
    let (r1, r2) = (Vec3::new(3.0, 3.0, 8.0), Vec3::new(5.5, 3.0, 13.0));
    let (a1, a2) = (Vec3::z() * 5.0, Vec3::x() * -2.5);
    let rot = Mat3::identity();
    let node1 =
        b.node("one", Chart::Motion, Frame { r: r1, rot }, Twist { linear: Vec3::zeros(), angular: omega });
    let v2 = omega.cross(&a1) - omega2.cross(&a2);
    let node2 = b.node("two", Chart::Motion, Frame { r: r2, rot }, Twist { linear: v2, angular: omega2 });
    let inertia = |x, y, z| Mat3::from_diagonal(&Vec3::new(x, y, z));
    b.body(Body::new(node1, &MassProperties::new(100.0, Vec3::zeros(), inertia(1975.0, 1975.0, 200.0))));
    let j2 = inertia(12.64083, 32.3717, 26.14083);
    b.body(Body::new(node2, &MassProperties::new(2.0, Vec3::zeros(), j2)));
    let first = Attachment { node: node1, origin: a1, axes: rot };
    let second = Attachment { node: node2, origin: a2, axes: rot };
    b.constraint("hinge", Box::new(revolute(&first, &second)));
    b.build()
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
        let work = integration.work();
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
