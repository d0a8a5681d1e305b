//! Galerkin steps of degree k (energy-momentum-null-space I-17, I-18): orders, conservation, drift.

use crate::common;

use common::{
    distance_of_frames, largest, largest_difference, law, manifold_runge_kutta, order, runge_kutta,
    unit_point, violation,
};
use poinsot_expr::{Expr, SmoothFunction};
use poinsot_geometry::{Mat3, Mat6, Vec3, so3};
use poinsot_integrators::{
    ConservingSettings, EnergyMomentum, Galerkin, GalerkinSettings, Integrator, MAX_GALERKIN_DEGREE,
    QuantityLevel, SaddlePoint, Stepper, instant,
};
use poinsot_mechanics::conserving::{Coordinates, Rule};
use poinsot_mechanics::forces::{Bushing, CoordinateForce};
use poinsot_mechanics::joints::*;
use poinsot_mechanics::*;

pub fn balance(system: &System, state: &State) -> Balance {
    let a = vec![0.0; system.size()];
    let at = Instant { a: &a, rates: &state.rates, ..instant(state, &[]) };
    system.balance(&at, &mut Scratch::default())
}

/// Runs to an end, with the least accurate conservation on the way: energy and momenta, Φ, rigidity.
struct Run {
    state: State,
    energy: f64,
    momentum: f64,
    angular: Vec3,
    open: f64,
    rigidity: f64,
    iterations: f64,
}

fn run(system: &System, settings: GalerkinSettings, h: f64, end: f64) -> Run {
    let start = system.start_state(0.0);
    let first = balance(system, &start);
    let mut integration = Galerkin::new(system, settings, start).unwrap();
    let (mut energy, mut momentum, mut angular) = (0.0_f64, 0.0_f64, Vec3::zeros());
    let (mut open, mut rigidity) = (0.0_f64, 0.0_f64);
    let steps = (end / h).round() as usize;
    for _ in 0..steps {
        integration.attempt(h).unwrap();
        integration.accept();
        let state = integration.state();
        let now = balance(system, state);
        energy = energy.max((now.total() / first.total() - 1.0).abs());
        momentum = momentum.max((now.momentum - first.momentum).norm() / first.momentum.norm().max(1e-300));
        let scale = first.angular_momentum.norm().max(1e-300);
        angular = angular.sup(&((now.angular_momentum - first.angular_momentum).abs() / scale));
        open = open.max(violation(system, state).0);
        let defect = |z: &Frame| (z.rot.tr_mul(&z.rot) - Mat3::identity()).amax();
        rigidity = state.frames.iter().map(defect).fold(rigidity, f64::max);
    }
    let counters = integration.counters();
    Run {
        energy,
        momentum,
        angular,
        open,
        rigidity,
        iterations: counters.iterations as f64 / steps as f64,
        state: integration.state().clone(),
    }
}

/// The velocities without the part that the constraints forbid, by the metric of the mass.
pub fn permitted(system: &System, state: &State) -> Vec<f64> {
    let (mut matrix, mut b) = (SaddlePoint::new(system), vec![0.0; system.size()]);
    system.constraint_rate(&instant(state, &[]), &mut b, &mut matrix.scratch);
    b.iter_mut().for_each(|r| *r = -*r);
    matrix.factor(system, state).unwrap();
    matrix.solve(&mut b);
    let rows = system.is_constraint_row();
    (0..b.len()).map(|i| if rows[i] { 0.0 } else { state.v[i] + b[i] }).collect()
}

fn scientific(x: &[f64]) -> String {
    x.iter().map(|x| format!("{x:.2e} ")).collect()
}

/// Largest part of w that the constraints forbid, relative to the velocities.
fn forbidden(system: &System, state: &State) -> f64 {
    let mut whole = state.clone();
    system.velocities_of(&state.frames, &state.rates, &mut whole.v, &mut Scratch::default());
    largest_difference(&permitted(system, &whole), &whole.v) / largest(&whole.v)
}

/// What is measured of a run: errors of z and v, and the forbidden part of w.
const MEASURED: usize = 3;

/// Orders between the last two of three steps that are halved, and the finest run.
fn orders(system: &System, degree: usize, h: f64, exact: &State) -> ([f64; MEASURED], Run) {
    let (mut last, mut orders) = ([0.0; MEASURED], [0.0; MEASURED]);
    let mut finest = None;
    for h in [h, 0.5 * h, 0.25 * h] {
        let found = run(system, GalerkinSettings::new(degree), h, exact.t);
        let now = [
            distance_of_frames(&found.state.frames, &exact.frames),
            largest_difference(&found.state.v, &exact.v) / largest(&exact.v),
            forbidden(system, &found.state),
        ];
        orders = std::array::from_fn(|i| order(last[i], now[i]));
        println!(
            "k {degree} h {h:.2e}: z {:.2e} v {:.2e} w {:.2e}, orders {orders:.2?}",
            now[0], now[1], now[2]
        );
        println!("    H {:.1e} P {:.1e} L {:.1e}", found.energy, found.momentum, found.angular.norm());
        println!(
            "    Φ {:.1e} rigidity {:.1e} {:.2} iterations",
            found.open, found.rigidity, found.iterations
        );
        last = now;
        finest = Some(found);
    }
    (orders, finest.unwrap())
}

/// z and v are of order 2k, the forbidden part of w of order k for even and k + 1 for odd k.
fn assert_orders(k: usize, found: &[f64; MEASURED], within: f64) {
    let two_k = 2.0 * k as f64;
    assert!(found[..2].iter().all(|order| *order > two_k - within), "k {k}: {found:.2?}");
    let reduced = (k + k % 2) as f64;
    assert!((found[2] - reduced).abs() < 2.0 * within, "k {k}: {found:.2?}");
}

const STIFFNESS: f64 = 30.0;

/// A point on a spring that stiffens, V = ½ k (s − 1)² + 5 (s − 1)⁴, under gravity.
fn spring_pendulum() -> System {
    let mut b = SystemBuilder::new(Vec3::z() * -9.81);
    let node = unit_point(&mut b, Vec3::new(1.1, 0.0, 0.2), Vec3::new(0.3, 1.5, -0.4));
    let end = |node| Attachment { node, origin: Vec3::zeros(), axes: Mat3::identity() };
    let spring = CoordinateForce {
        coordinate: Coordinate::distance(&end(GROUND), &end(node)),
        stiffness: STIFFNESS,
        damping: 0.0,
        free: 1.0,
        law: Some(law("20*(s - 1)^3")),
    };
    b.force("spring", Box::new(spring));
    b.build()
}

fn spring_energy(state: &State) -> f64 {
    let (x, w) = (&state.frames[1].r, &state.rates[1].r);
    let e = x.norm() - 1.0;
    0.5 * w.norm_squared() + 9.81 * x.z + 0.5 * STIFFNESS * e * e + 5.0 * e.powi(4)
}

/// Errors of z and w at t = 1, largest relative errors of energy and of the moment of momentum about the
/// vertical.
fn spring_errors(settings: GalerkinSettings, h: f64, exact: &[f64; 6]) -> [f64; 4] {
    let system = spring_pendulum();
    let mut integration = Galerkin::new(&system, settings, system.start_state(0.0)).unwrap();
    let first = spring_energy(integration.state());
    let (mut energy, mut spin) = (0.0_f64, 0.0_f64);
    for _ in 0..(1.0 / h).round() as usize {
        integration.attempt(h).unwrap();
        integration.accept();
        let state = integration.state();
        let (x, w) = (&state.frames[1].r, &state.rates[1].r);
        energy = energy.max((spring_energy(state) / first - 1.0).abs());
        spin = spin.max((x.cross(w).z / 1.65 - 1.0).abs());
    }
    let state = integration.state();
    let z = (state.frames[1].r - Vec3::new(exact[0], exact[1], exact[2])).norm();
    let w = (state.rates[1].r - Vec3::new(exact[3], exact[4], exact[5])).norm();
    [z, w, energy, spin]
}

/// Order 2k with any rule. Energy with enough points, the moment then to order 2k; the moment with k points,
/// energy then to order 2k.
#[test]
fn spring_pendulum_is_of_order_two_k() {
    let rate = |_: f64, y: &[f64; 6]| {
        let x = Vec3::new(y[0], y[1], y[2]);
        let e = x.norm() - 1.0;
        let a = -x / x.norm() * (STIFFNESS * e + 20.0 * e.powi(3)) - Vec3::z() * 9.81;
        [y[3], y[4], y[5], a.x, a.y, a.z]
    };
    let exact = runge_kutta(rate, [1.1, 0.0, 0.2, 0.3, 1.5, -0.4], 1.0, 20000);
    for k in 1..=3 {
        let two_k = 2.0 * k as f64;
        let default = GalerkinSettings::new(k);
        for settings in [
            GalerkinSettings { points: k, ..default },
            default,
            GalerkinSettings { points: k + 6, ..default },
        ] {
            let points = settings.points;
            let [coarse, fine] = [0.025, 0.0125].map(|h| spring_errors(settings, h, &exact));
            let orders: [f64; 4] = std::array::from_fn(|i| order(coarse[i], fine[i]));
            println!("k {k}, {points} points: {} orders {orders:.2?}", scientific(&fine));
            assert!(
                orders[..2].iter().all(|o| (o - two_k).abs() < 0.1),
                "k {k}, {points} points: {orders:.2?}"
            );
            let (kept, other) = if points == k { (3, 2) } else { (2, 3) };
            assert!(
                coarse[kept] < 1e-12 && fine[kept] < 1e-12,
                "k {k}, {points} points: {coarse:?} {fine:?}"
            );
            assert!((orders[other] - two_k).abs() < 0.1, "k {k}, {points} points: {orders:.2?}");
        }
    }
    // However large the step.
    for k in 1..=3 {
        let energy =
            spring_errors(GalerkinSettings { points: k + 6, ..GalerkinSettings::new(k) }, 0.1, &exact)[2];
        assert!(energy < 1e-13, "k {k}: {energy:e}");
    }
}

/// V-2: cone with its tip fixed, in steady precession.
pub fn top() -> System {
    let (height, radius, density) = (0.1, 0.05, 2700.0);
    let mass = density * std::f64::consts::PI * radius * radius * height / 3.0;
    let length = 0.75 * height;
    let j1 = 3.0 * mass / 80.0 * (4.0 * radius * radius + height * height);
    let j3 = 0.3 * mass * radius * radius;
    let rot = so3::exp(&(Vec3::x() * std::f64::consts::FRAC_PI_3));
    let d3 = rot * Vec3::z();
    let omega = Vec3::z() * 10.0 + d3 * 135.6;
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

/// V-4: two bodies with a revolute joint in free flight.
pub fn revolute_pair() -> System {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let omega = Vec3::new(10.0, -20.0, -20.0);
    let omega2 = omega + Vec3::z() * -15.0;
    let (r1, r2) = (Vec3::new(3.0, 3.0, 8.0), Vec3::new(5.5, 3.0, 13.0));
    let (a1, a2) = (Vec3::z() * 5.0, Vec3::x() * -2.5);
    let rot = Mat3::identity();
    let still = Vec3::zeros();
    let node1 = b.node("one", Chart::Motion, Frame { r: r1, rot }, Twist { linear: still, angular: omega });
    let v2 = omega.cross(&a1) - omega2.cross(&a2);
    let node2 = b.node("two", Chart::Motion, Frame { r: r2, rot }, Twist { linear: v2, angular: omega2 });
    let inertia = |x, y, z| Mat3::from_diagonal(&Vec3::new(x, y, z));
    b.body(Body::new(node1, &MassProperties::new(100.0, still, inertia(1975.0, 1975.0, 200.0))));
    b.body(Body::new(node2, &MassProperties::new(2.0, still, inertia(12.64083, 32.3717, 26.14083))));
    let first = Attachment { node: node1, origin: a1, axes: rot };
    let second = Attachment { node: node2, origin: a2, axes: rot };
    b.constraint("hinge", Box::new(revolute(&first, &second)));
    b.build()
}

/// Three bodies under gravity: a ball joint on the ground, then two hinges.
pub fn chain() -> System {
    let mut b = SystemBuilder::new(Vec3::z() * -9.81);
    let inertia = Mat3::from_diagonal(&Vec3::new(0.02, 0.05, 0.04));
    let mut nodes = vec![GROUND];
    // The whole chain starts as one rigid body that turns about the ball joint.
    let omega = Vec3::new(1.0, 2.0, -3.0);
    for i in 0..3 {
        let r = Vec3::x() * (0.5 + i as f64);
        let twist = Twist { linear: omega.cross(&r), angular: omega };
        let node = b.node("link", Chart::Motion, Frame { r, rot: Mat3::identity() }, twist);
        b.body(Body::new(node, &MassProperties::new(1.0 + 0.5 * i as f64, Vec3::zeros(), inertia)));
        nodes.push(node);
    }
    let tilted = so3::exp(&Vec3::new(0.6, 0.3, 0.0));
    for (i, pair) in nodes.windows(2).enumerate() {
        let axes = if i == 1 { tilted } else { so3::exp(&Vec3::new(1.4, -0.2, 0.0)) };
        let origin = if i == 0 { Vec3::zeros() } else { Vec3::x() * 0.5 };
        let first = Attachment { node: pair[0], origin, axes };
        let second = Attachment { node: pair[1], origin: Vec3::x() * -0.5, axes };
        let joint = if i == 0 { spherical(&first, &second) } else { revolute(&first, &second) };
        b.constraint("joint", Box::new(joint));
    }
    b.build()
}

/// D(t) = exp(ω_p t ê₃) D(0) exp(ω_s t ê₃), ω the sum of both rates.
pub fn exact_top(t: f64) -> State {
    let system = top();
    let mut state = system.start_state(0.0);
    let (precession, spin) = (10.0, 135.6);
    let rot =
        so3::exp(&(Vec3::z() * (precession * t))) * state.frames[1].rot * so3::exp(&(Vec3::z() * (spin * t)));
    let omega = Vec3::z() * precession + rot * Vec3::z() * spin;
    let r = rot * Vec3::z() * 0.075;
    state.t = t;
    state.frames[1] = Frame { r, rot };
    let twist = Twist { linear: omega.cross(&r), angular: rot.tr_mul(&omega) };
    let unknowns = system.nodes()[1].unknowns();
    system.nodes()[1].chart.velocities(&twist, &mut state.v[unknowns]);
    state
}

#[test]
fn heavy_top_is_of_order_two_k() {
    let (system, exact) = (top(), exact_top(0.1));
    assert!((exact.frames[1].r - Vec3::new(0.05465514, -0.03509366, 0.0375)).norm() < 1e-8);
    for (k, h) in [(1, 1e-3), (2, 2e-3), (3, 4e-3)] {
        let (orders, finest) = orders(&system, k, h, &exact);
        assert_orders(k, &orders, 0.05);
        assert!(finest.energy < 1e-13 && finest.angular.z < 1e-13);
        assert!(finest.open < 1e-15 && finest.rigidity < 1e-14);
    }
}

#[test]
fn revolute_pair_is_of_order_two_k() {
    let system = revolute_pair();
    let exact = manifold_runge_kutta(&system, &system.start_state(0.0), 0.2, 8000);
    let digest = Vec3::new(6.282709978, 5.218438445, 5.246971449);
    assert!((exact.frames[2].r - digest).norm() < 1e-8);
    for (k, h) in [(1, 1e-2), (2, 1e-2), (3, 1e-2)] {
        let (orders, finest) = orders(&system, k, h, &exact);
        assert_orders(k, &orders, 0.15);
        assert!(finest.energy < 1e-13 && finest.momentum < 1e-13 && finest.angular.norm() < 1e-13);
        assert!(finest.open < 2e-14 && finest.rigidity < 1e-14);
    }
    // A body turns by more than a radian in these steps.
    let long = run(&system, GalerkinSettings::new(3), 0.04, 2.0);
    assert!(long.energy < 1e-13 && long.momentum < 1e-13 && long.angular.norm() < 1e-13);
}

#[test]
fn chain_under_gravity_is_of_order_two_k() {
    let system = chain();
    let exact = manifold_runge_kutta(&system, &system.start_state(0.0), 1.0, 8000);
    for (k, h) in [(1, 2.5e-2), (2, 5e-2), (3, 1e-1)] {
        let (orders, finest) = orders(&system, k, h, &exact);
        assert_orders(k, &orders, 0.25);
        assert!(finest.energy < 1e-13 && finest.angular.z < 1e-13);
        assert!(finest.open < 1e-14 && finest.rigidity < 1e-14);
    }
}

/// λ is of order k in the middle of a step; reactions that follow from z and v are of order 2k.
#[test]
fn multipliers_are_of_order_k_and_reactions_of_order_two_k() {
    let (system, end) = (top(), 0.1);
    let rows = system.is_constraint_row();
    let mut saddle = SaddlePoint::new(&system);
    let mut reactions = |state: &State| {
        let mut a = vec![0.0; system.size()];
        saddle.accelerations(&system, state, &mut a).unwrap();
        (0..a.len()).filter(|&i| rows[i]).map(|i| a[i]).collect::<Vec<f64>>()
    };
    let last = reactions(&exact_top(end));
    for (k, h) in [(2, 1e-3), (3, 2e-3)] {
        let mut errors = [h, 0.5 * h].map(|h| {
            let mut integration =
                Galerkin::new(&system, GalerkinSettings::new(k), system.start_state(0.0)).unwrap();
            for _ in 0..(end / h).round() as usize {
                integration.attempt(h).unwrap();
                integration.accept();
            }
            let lambda: Vec<f64> =
                (0..rows.len()).filter(|&i| rows[i]).map(|i| integration.middle()[i]).collect();
            let inside = reactions(&exact_top(end - 0.5 * h));
            [largest_difference(&lambda, &inside), largest_difference(&reactions(integration.state()), &last)]
        });
        let [coarse, fine] = &mut errors;
        let orders: [f64; 2] = std::array::from_fn(|i| order(coarse[i], fine[i]));
        println!("k {k}: {} orders {orders:.2?}", scientific(fine));
        assert!(
            (orders[0] - k as f64).abs() < 0.1 && (orders[1] - 2.0 * k as f64).abs() < 0.1,
            "k {k}: {orders:.2?}"
        );
    }
}

/// Rows on velocities do no work: energy is kept.
#[test]
fn rolling_disk_keeps_energy() {
    let system = disk();
    let exact = manifold_runge_kutta(&system, &system.start_state(0.0), 0.4, 2000);
    for (k, h) in [(1, 1e-2), (2, 2e-2), (3, 4e-2)] {
        let (orders, finest) = orders(&system, k, h, &exact);
        assert!(orders[..2].iter().all(|o| (o - 2.0 * k as f64).abs() < 0.1), "k {k}: {orders:.2?}");
        assert!(finest.energy < 1e-13 && finest.open < 1e-14, "k {k}: {:e}", finest.energy);
        // The mass of a thin disk is singular in the directors.
        assert!(finest.iterations < 5.0, "k {k}: {} iterations", finest.iterations);
    }
}

/// A rod, which is no quadratic constraint, and a spring in free flight; a bushing is the gradient of its
/// potential for orthonormal directors only, which they are inside a step to order k + 1.
#[test]
fn rod_and_spring_keep_energy_and_a_bushing_nearly() {
    let settings = |k: usize| GalerkinSettings { points: k + 5, ..GalerkinSettings::new(k) };
    for k in 1..=3 {
        let found = run(&mobile(false), settings(k), 0.02, 0.4);
        println!("k {k}: H {:e} P {:e} L {:e}", found.energy, found.momentum, found.angular.norm());
        assert!(
            found.energy < 1e-13 && found.momentum < 1e-13 && found.open < 1e-14,
            "k {k}: {:e}",
            found.energy
        );
        let [coarse, fine] = [0.02, 0.01].map(|h| run(&mobile(true), settings(k), h, 0.4));
        println!("k {k} with bushing: H {:e} {:e}", coarse.energy, fine.energy);
        assert!((order(coarse.energy, fine.energy) - 2.0 * k as f64).abs() < 0.1);
        assert!(fine.momentum < 1e-13);
    }
}

#[test]
fn refuses_what_it_cannot_do() {
    let system = chain();
    let refused = |settings| {
        let failure = Galerkin::new(&system, settings, system.start_state(0.0)).unwrap_err();
        failure.reason
    };
    assert!(refused(GalerkinSettings::new(0)).contains("degree"));
    assert!(refused(GalerkinSettings::new(7)).contains("degree"));
    assert!(refused(GalerkinSettings { points: 1, ..GalerkinSettings::new(2) }).contains("fewer points"));
}

/// Two bodies in a tilted plane with a pin and a spring between them, off their centres, in free flight.
pub fn planar_pair() -> System {
    let tilt = so3::exp(&Vec3::new(0.4, -0.3, 0.2));
    let [e1, e2, m] = [0, 1, 2].map(|k| tilt.column(k).into_owned());
    let mut b = SystemBuilder::new(Vec3::zeros());
    let mut body = |angle: f64, r: Vec3, v: Vec3, omega: f64| {
        let rot = so3::exp(&(m * angle)) * tilt;
        let chart = Chart::Planar { e1, e2, normal: rot.tr_mul(&m) };
        let velocity = Twist { linear: v, angular: rot.tr_mul(&m) * omega };
        let node = b.node("plate", chart, Frame { r, rot }, velocity);
        let inertia = Mat3::from_diagonal(&Vec3::new(0.3, 0.5, 0.7));
        b.body(Body::new(node, &MassProperties::new(2.0, Vec3::new(0.1, -0.05, 0.02), inertia)));
        at(node, Vec3::zeros())
    };
    let (arm1, arm2, spin) = (Vec3::new(0.6, 0.2, 0.0), Vec3::new(-0.5, 0.1, 0.0), [3.0, -2.0]);
    let r1 = e1 * 0.3 + e2 * 0.1;
    let turned = |angle: f64, arm: &Vec3| so3::exp(&(m * angle)) * tilt * arm;
    let r2 = r1 + turned(0.5, &arm1) - turned(-0.8, &arm2);
    let v1 = e1 * 0.7 - e2 * 0.2;
    let pin = v1 + (m * spin[0]).cross(&turned(0.5, &arm1));
    let v2 = pin - (m * spin[1]).cross(&turned(-0.8, &arm2));
    let one = body(0.5, r1, v1, spin[0]);
    let two = body(-0.8, r2, v2, spin[1]);
    let ends = [Attachment { origin: arm1, ..one }, Attachment { origin: arm2, ..two }];
    b.constraint("pin", Box::new(revolute(&ends[0], &ends[1])));
    let tips = [Attachment { origin: -arm1, ..one }, Attachment { origin: Vec3::y() * 0.4, ..two }];
    let coordinate = Coordinate::distance(&tips[0], &tips[1]);
    b.force(
        "spring",
        Box::new(CoordinateForce { coordinate, stiffness: 20.0, damping: 0.0, free: 0.9, law: None }),
    );
    let mut system = b.build();
    // What bodies in a plane cannot violate.
    let redundancy = (0..5).filter(|&row| !RESTRICTS[row]).map(|row| (0, row)).collect::<Vec<_>>();
    system.drop_rows(&redundancy, false);
    system
}

/// The rows of a revolute joint that hold bodies in a plane: two of the three of its point.
const RESTRICTS: [bool; 5] = [true, true, false, false, false];

#[test]
fn bodies_in_a_plane_are_of_order_two_k() {
    let system = planar_pair();
    let exact = manifold_runge_kutta(&system, &system.start_state(0.0), 0.4, 8000);
    for (k, h) in [(1, 0.01), (2, 0.02), (3, 0.04)] {
        let (found, finest) = orders(&system, k, h, &exact);
        let two_k = 2.0 * k as f64;
        assert!(found[..2].iter().all(|order| *order > two_k - 0.25), "k {k}: {found:.2?}");
        assert!(finest.momentum < 1e-13 && finest.open < 1e-12 && finest.rigidity < 1e-13);
    }
}

/// Energy and momenta over 10⁴ steps, by as many points as the spring needs: what they lose is rounding.
#[test]
fn bodies_in_a_plane_keep_energy_and_momentum() {
    let system = planar_pair();
    let found = run(&system, GalerkinSettings { points: 10, ..GalerkinSettings::new(2) }, 0.01, 100.0);
    println!("H {:.1e} P {:.1e} L {:?}", found.energy, found.momentum, found.angular);
    assert!(found.energy < 1e-11 && found.momentum < 1e-11, "{:e} {:e}", found.energy, found.momentum);
    assert!(found.open < 1e-12 && found.rigidity < 1e-12, "{:e} {:e}", found.open, found.rigidity);
}

/// Degrees above three are there too.
#[test]
fn higher_degrees_conserve() {
    let system = revolute_pair();
    let exact = manifold_runge_kutta(&system, &system.start_state(0.0), 0.2, 8000);
    for k in 4..=MAX_GALERKIN_DEGREE {
        let found = run(&system, GalerkinSettings::new(k), 0.02, 0.2);
        println!(
            "k {k}: z {:e} H {:e}",
            distance_of_frames(&found.state.frames, &exact.frames),
            found.energy
        );
        assert!(found.energy < 1e-13 && found.momentum < 1e-13 && found.angular.norm() < 1e-13);
        assert!(distance_of_frames(&found.state.frames, &exact.frames) < 2e-5);
    }
}

fn at(node: NodeId, origin: Vec3) -> Attachment {
    Attachment { node, origin, axes: Mat3::identity() }
}

/// A crank that a motor turns, and a pendulum with friction in its pin, a torsion spring and a damper.
fn machines(transition: f64) -> System {
    let mut b = SystemBuilder::new(Vec3::new(0.0, 0.0, -9.81));
    let inertia = Mat3::from_diagonal(&Vec3::new(0.0625, 0.0625, 0.125));
    let mut body = |name: &str, r: Vec3, angular: Vec3, linear: Vec3| {
        let node = b.node(name, Chart::Motion, Frame { r, rot: Mat3::identity() }, Twist { linear, angular });
        b.body(Body::new(node, &MassProperties::new(1.0, Vec3::new(0.1, 0.0, 0.05), inertia)));
        node
    };
    let crank = body("crank", Vec3::new(5.0, 0.0, 0.0), Vec3::z() * 4.0, Vec3::zeros());
    let spin = Vec3::y() * 3.0;
    let bob = body("bob", Vec3::new(5.0, 1.0, -1.0), spin, spin.cross(&-Vec3::z()));
    let axle = [at(GROUND, Vec3::new(5.0, 0.0, 0.0)), at(crank, Vec3::zeros())];
    b.constraint("axle", Box::new(revolute(&axle[0], &axle[1])));
    let law_of_time =
        SmoothFunction::new(&Expr::parse("3*t + 0.2*sin(5*t)").unwrap(), &["t"], &|_| None).unwrap();
    let angle = Coordinate::angle(&axle[0], &axle[1]);
    b.constraint("motor", Box::new(drives::coordinate(angle, law_of_time, axle[1].point())));
    let upright = Mat3::from_columns(&[Vec3::z(), Vec3::x(), Vec3::y()]);
    let pin = [(GROUND, Vec3::new(5.0, 1.0, 0.0)), (bob, Vec3::z())];
    let pin = pin.map(|(node, origin)| Attachment { node, origin, axes: upright });
    let hinge = b.constraint("pin", Box::new(revolute(&pin[0], &pin[1])));
    let coordinate = Coordinate::angle(&pin[0], &pin[1]);
    let spring = CoordinateForce {
        coordinate: coordinate.clone(),
        stiffness: 8.0,
        damping: 0.2,
        free: 0.1,
        law: None,
    };
    b.force("spring", Box::new(spring));
    let friction = Friction {
        coordinate,
        weights: [1.0, 1.0, 1.0, 0.0, 0.0, 0.0],
        static_coefficient: 0.2,
        dynamic_coefficient: 0.1,
        stribeck: 1.0,
        transition,
        lever: 0.1,
        viscous: 0.0,
        preload: 0.0,
    };
    b.friction(hinge, friction);
    b.build()
}

/// A disk that rolls, wobbling.
fn disk() -> System {
    let mut b = SystemBuilder::new(Vec3::new(0.0, 0.0, -9.81));
    let rot = so3::exp(&(Vec3::x() * 0.2)) * Mat3::from_columns(&[Vec3::z(), Vec3::x(), Vec3::y()]);
    let normal = rot * Vec3::z();
    // The centre above the lowest point of the rim, which is at rest.
    let up = (Vec3::z() - normal * normal.z).normalize() * 0.5;
    let omega = normal * 4.0 + Vec3::z() * 0.7;
    let twist = Twist { linear: omega.cross(&up), angular: rot.transpose() * omega };
    let node = b.node("disk", Chart::Motion, Frame { r: up, rot }, twist);
    let inertia = Mat3::from_diagonal(&Vec3::new(0.0625, 0.0625, 0.125));
    b.body(Body::new(node, &MassProperties::new(1.0, Vec3::zeros(), inertia)));
    b.constraint(
        "contact",
        Box::new(rolling_disk(&at(GROUND, Vec3::zeros()), &at(node, Vec3::zeros()), 0.5)),
    );
    b.build()
}

/// Two bodies in free flight on a rod, |x| = 1, a spring and possibly a bushing.
fn mobile(bushing: bool) -> System {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let inertia = Mat3::from_diagonal(&Vec3::new(0.06, 0.05, 0.08));
    let mut body = |r: Vec3, linear: Vec3, angular: Vec3| {
        let node =
            b.node("body", Chart::Motion, Frame { r, rot: Mat3::identity() }, Twist { linear, angular });
        b.body(Body::new(node, &MassProperties::new(1.0, Vec3::zeros(), inertia)));
        node
    };
    let one = body(Vec3::zeros(), Vec3::zeros(), Vec3::new(0.3, 1.0, 2.0));
    let two = body(Vec3::x(), Vec3::new(0.0, 1.5, 0.4), Vec3::new(-0.5, 0.4, 1.0));
    b.constraint("rod", Box::new(distance(&at(one, Vec3::zeros()), &at(two, Vec3::zeros()), 1.0)));
    let coordinate = Coordinate::distance(&at(one, Vec3::y() * 0.3), &at(two, Vec3::z() * 0.4));
    let spring = CoordinateForce { coordinate, stiffness: 12.0, damping: 0.0, free: 0.8, law: None };
    b.force("spring", Box::new(spring));
    if bushing {
        let (stiffness, damping) = (Mat6::identity() * 3.0, Mat6::zeros());
        let ends = [at(one, Vec3::x() * 0.5), at(two, Vec3::x() * -0.5)];
        b.force("bushing", Box::new(Bushing::new(&ends[0], &ends[1], stiffness, damping)));
    }
    b.build()
}

/// Work supplied and dissipated until t = 1, and the largest part of the change of energy in a step that
/// neither accounts for.
fn works(degree: usize, h: f64) -> [f64; 3] {
    let system = machines(0.01);
    let start = system.start_state(0.0);
    let mut energy = balance(&system, &start).total();
    let settings = GalerkinSettings { points: degree + 5, ..GalerkinSettings::new(degree) };
    let mut integration = Galerkin::new(&system, settings, start).unwrap();
    let [mut supplied, mut dissipated, mut open] = [0.0_f64; 3];
    for _ in 0..(1.0 / h).round() as usize {
        integration.attempt(h).unwrap();
        integration.accept();
        let now = balance(&system, integration.state()).total();
        let work = integration.work().unwrap();
        open = open.max((now - energy - work.supplied + work.dissipated).abs());
        supplied += work.supplied;
        dissipated += work.dissipated;
        energy = now;
    }
    [supplied, dissipated, open]
}

/// Energy changes in every step by the work of motor, damper and friction, which converges.
#[test]
fn work_is_accounted_for() {
    let fine = works(3, 1e-3);
    for (k, within) in [(1, 1e-3), (2, 1e-4), (3, 1e-5)] {
        let found = works(k, 1e-2);
        println!("k {k}: {} against {}", scientific(&found), scientific(&fine));
        assert!(found[2] < 1e-13);
        assert!((0..2).all(|i| (found[i] - fine[i]).abs() < within), "k {k}: {found:?} {fine:?}");
    }
}

#[test]
fn degree_one_is_the_averaged_rule_in_directors() {
    for (system, h) in [(top(), 1e-3), (revolute_pair(), 1e-2), (chain(), 2e-2), (spring_pendulum(), 5e-2)] {
        let settings = GalerkinSettings { points: 3, ..GalerkinSettings::new(1) };
        let mut one = Galerkin::new(&system, settings, system.start_state(0.0)).unwrap();
        let settings = ConservingSettings {
            coordinates: Coordinates::Directors,
            ..ConservingSettings::new(Rule::Averaged)
        };
        let mut other = EnergyMomentum::new(&system, settings, system.start_state(0.0)).unwrap();
        for _ in 0..20 {
            one.attempt(h).unwrap();
            one.accept();
            other.attempt(h).unwrap();
            other.accept();
        }
        assert!(distance_of_frames(&one.state().frames, &other.state().frames) < 1e-11);
    }
}

/// Friction presses with λ, whose error of order k − 1 has no mean in a step of even degree but moves z.
#[test]
fn friction_lowers_the_order_of_degree_two() {
    let system = machines(0.5);
    let exact = manifold_runge_kutta(&system, &system.start_state(0.0), 0.4, 8000);
    for (k, h, expected) in [(1, 1e-2, 2.0), (2, 5e-3, 2.0), (3, 4e-2, 6.0)] {
        let errors = [h, 0.5 * h].map(|h| {
            let found = run(&system, GalerkinSettings::new(k), h, 0.4);
            distance_of_frames(&found.state.frames, &exact.frames)
        });
        let measured = order(errors[0], errors[1]);
        println!("k {k}: {} order {measured:.2}", scientific(&errors));
        assert!((measured - expected).abs() < 0.15, "k {k}: {measured:.2}");
        assert!(k == 1 || errors[1] < 1e-9);
        let told = GalerkinSettings::new(k).expected_order(QuantityLevel::Position, &system);
        assert_eq!(told.order, Some(expected));
    }
}

/// The variational rule presses with multipliers of the start of the step. It says so, of systems where
/// something follows them.
#[test]
fn friction_lowers_the_order_of_the_variational_rule() {
    let (system, free) = (machines(0.5), mobile(false));
    let exact = manifold_runge_kutta(&system, &system.start_state(0.0), 0.4, 8000);
    // Errors c₁ h + c₂ h² of the variational rule cancel near h = 1.25e-3.
    let rules =
        [(Rule::EnergyMomentum, 2.5e-3, 2.0), (Rule::Averaged, 2.5e-3, 2.0), (Rule::Variational, 8e-5, 1.0)];
    for (rule, h, expected) in rules {
        let settings = ConservingSettings::new(rule);
        let errors = [h, 0.5 * h].map(|h: f64| {
            let mut integration = EnergyMomentum::new(&system, settings, system.start_state(0.0)).unwrap();
            for _ in 0..(0.4 / h).round() as usize {
                integration.attempt(h).unwrap();
                integration.accept();
            }
            distance_of_frames(&integration.state().frames, &exact.frames)
        });
        let measured = order(errors[0], errors[1]);
        println!("{rule:?}: {} order {measured:.2}", scientific(&errors));
        assert!((measured - expected).abs() < 0.2, "{rule:?}: {measured:.2}");
        let told = settings.expected_order(QuantityLevel::Position, &system);
        assert_eq!((told.order, told.reason.is_some()), (Some(expected), expected < 2.0));
        assert_eq!(settings.order_in(&system) as f64, expected);
        assert_eq!(settings.expected_order(QuantityLevel::Position, &free).order, Some(2.0));
    }
}
