//! Impulses: momentum, energy and constraints across a jump of the velocities.

use crate::mechanisms;

use mechanisms::*;
use poinsot_analysis::*;
use poinsot_geometry::{Mat3, Vec3};
use poinsot_integrators::{SaddlePoint, instant};
use poinsot_mechanics::joints::{revolute, spherical};
use poinsot_mechanics::*;

fn balance(system: &System, state: &State) -> Balance {
    let zero = vec![0.0; system.size()];
    system.balance(&instant(state, &zero), &mut Scratch::default())
}

fn constraint_rate(system: &System, state: &State) -> f64 {
    let zero = vec![0.0; system.size()];
    let mut rate = zero.clone();
    system.constraint_rate(&instant(state, &zero), &mut rate, &mut Scratch::default());
    system.constraint_equations().iter().fold(0.0, |m: f64, &row| m.max(rate[row].abs()))
}

/// A free body takes exactly the impulse, and its moment about the origin.
#[test]
fn free_body() {
    let mut random = Random(7);
    for _ in 0..20 {
        let mut b = SystemBuilder::new(Vec3::new(0.0, 0.0, -9.81));
        let rot = random.rotation();
        let node = b.node(
            "body",
            Chart::Motion,
            Frame { r: random.vector(), rot },
            Twist { linear: random.vector(), angular: random.vector() },
        );
        let inertia = Mat3::from_diagonal(&Vec3::new(0.3, 0.5, 0.7));
        b.body(Body::new(node, &MassProperties::new(2.5, Vec3::zeros(), inertia)));
        let mut system = b.build();
        let (mut state, _) = consistent_start(&mut system, 0.0).unwrap();
        let before = balance(&system, &state);
        let (point, force, torque) = (random.vector(), random.vector(), random.vector());
        apply_impulses(&system, &mut state, &[Impulse { node, point, force, torque }]).unwrap();
        let after = balance(&system, &state);
        let arm = state.frames[node].r + state.frames[node].rot * point;
        assert!((after.momentum - before.momentum - force).norm() < 1e-14);
        let moment = arm.cross(&force) + torque;
        assert!((after.angular_momentum - before.angular_momentum - moment).norm() < 1e-14);
    }
}

/// A spatial double pendulum under random impulses: the joints hold, and the energy changes by ½(v⁺ + v⁻)·P.
#[test]
fn energy_and_constraints_of_a_double_pendulum() {
    let mut random = Random(11);
    for _ in 0..20 {
        let mut b = SystemBuilder::new(Vec3::zeros());
        let upper =
            rigid(&mut b, "upper", Vec3::new(0.5, 0.0, 0.0), Mat3::identity(), 1.3, Vec3::new(0.1, 0.2, 0.3));
        let lower = rigid(
            &mut b,
            "lower",
            Vec3::new(1.5, 0.0, 0.0),
            random.rotation(),
            0.8,
            Vec3::new(0.2, 0.1, 0.15),
        );
        for (nodes, x) in [([GROUND, upper], 0.0), ([upper, lower], 1.0)] {
            let [first, second] = nodes.map(|node| attach_at(&b, node, Vec3::x() * x, Mat3::identity()));
            b.constraint("pin", Box::new(spherical(&first, &second)));
        }
        let mut system = b.build();
        let (mut state, _) = consistent_start(&mut system, 0.0).unwrap();
        // Any motion that the joints allow.
        state.v.iter_mut().for_each(|v| *v = random.next());
        system.constraint_equations().iter().for_each(|&row| state.v[row] = 0.0);
        SaddlePoint::new(&system).project(&system, &mut state, 1.0).unwrap();
        let impulse =
            Impulse { node: lower, point: random.vector(), force: random.vector(), torque: random.vector() };
        let speed = |state: &State| {
            let (z, v) = (&state.frames[lower], system.twist(lower, &state.v));
            let spin = z.rot * v.angular;
            (v.linear + spin.cross(&(z.rot * impulse.point)), spin)
        };
        let (before, (v_minus, w_minus)) = (balance(&system, &state), speed(&state));
        apply_impulses(&system, &mut state, &[impulse]).unwrap();
        let (after, (v_plus, w_plus)) = (balance(&system, &state), speed(&state));
        let work = 0.5 * ((v_plus + v_minus).dot(&impulse.force) + (w_plus + w_minus).dot(&impulse.torque));
        assert!(
            (after.kinetic - before.kinetic - work).abs() < 1e-13,
            "{} {work}",
            after.kinetic - before.kinetic
        );
        assert!(constraint_rate(&system, &state) < 1e-14);
    }
}

/// A straight double pendulum at rest of two uniform rods, struck at its tip across: with unit masses and
/// lengths (I = 1/12) the Lagrangian mass matrix [[4/3, 1/2], [1/2, 1/3]] in the angles gives ω = M⁻¹ (1, 1)
/// P = (−6/7, 30/7) P.
#[test]
fn struck_double_pendulum() {
    let mut b = SystemBuilder::new(Vec3::new(0.0, -9.81, 0.0));
    let chart = Chart::Planar { e1: Vec3::x(), e2: Vec3::y(), normal: Vec3::z() };
    let rods: Vec<NodeId> = (0..2)
        .map(|k| {
            let frame = Frame { r: Vec3::new(0.0, -0.5 - k as f64, 0.0), rot: Mat3::identity() };
            let node = b.node("rod", chart, frame, STILL);
            b.body(Body::new(node, &MassProperties::new(1.0, Vec3::zeros(), Mat3::identity() / 12.0)));
            node
        })
        .collect();
    for (nodes, y) in [([GROUND, rods[0]], 0.0), ([rods[0], rods[1]], -1.0)] {
        let [first, second] = nodes.map(|node| attach_at(&b, node, Vec3::y() * y, Mat3::identity()));
        b.constraint("pin", Box::new(revolute(&first, &second)));
    }
    let mut system = b.build();
    let (mut state, _) = consistent_start(&mut system, 0.0).unwrap();
    let p = 0.35;
    let impulse =
        Impulse { node: rods[1], point: Vec3::y() * -0.5, force: Vec3::x() * p, torque: Vec3::zeros() };
    apply_impulses(&system, &mut state, &[impulse]).unwrap();
    let spins = rods.iter().map(|&rod| system.twist(rod, &state.v).angular.z);
    for (spin, exact) in spins.zip([-6.0 / 7.0 * p, 30.0 / 7.0 * p]) {
        assert!((spin - exact).abs() < 1e-14, "{spin} {exact}");
    }
}

/// A rod that falls on its end: the point turns back with e times its speed, and the impulse is that of the
/// effective mass 1/(1/m + l²/I).
#[test]
fn rebound_of_a_rod() {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let chart = Chart::Planar { e1: Vec3::x(), e2: Vec3::y(), normal: Vec3::z() };
    let twist = Twist { linear: Vec3::new(0.2, -3.0, 0.0), angular: Vec3::z() * 0.7 };
    let node = b.node("rod", chart, Frame::identity(), twist);
    let (m, i, l) = (2.0, 0.4, 0.6);
    b.body(Body::new(node, &MassProperties::new(m, Vec3::zeros(), Mat3::identity() * i)));
    let mut system = b.build();
    let (mut state, _) = consistent_start(&mut system, 0.0).unwrap();
    // Height of the end at (l, 0): gradient (0, 1, l).
    let unknowns = system.nodes()[node].unknowns();
    let mut gradient = vec![0.0; system.size()];
    (gradient[unknowns.start + 1], gradient[unknowns.start + 2]) = (1.0, l);
    let rate = -3.0 + 0.7 * l;
    let p = rebound(&system, &mut state, &gradient, rate, 0.5).unwrap();
    assert!((p + 1.5 * rate / (1.0 / m + l * l / i)).abs() < 1e-14);
    let v = system.twist(node, &state.v);
    assert!((v.linear.y + v.angular.z * l + 0.5 * rate).abs() < 1e-14);
    assert_eq!(v.linear.x, 0.2);
}

/// A coordinate that a joint holds cannot bounce.
#[test]
fn a_held_coordinate_does_not_bounce() {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let node = rigid(&mut b, "body", Vec3::zeros(), Mat3::identity(), 1.0, Vec3::new(1.0, 1.0, 1.0));
    let [first, second] = [GROUND, node].map(|node| attach_at(&b, node, Vec3::zeros(), Mat3::identity()));
    b.constraint("pin", Box::new(spherical(&first, &second)));
    let mut system = b.build();
    let (mut state, _) = consistent_start(&mut system, 0.0).unwrap();
    let mut gradient = vec![0.0; system.size()];
    gradient[system.nodes()[node].unknowns().start] = 1.0;
    assert_eq!(rebound(&system, &mut state, &gradient, 1.0, 1.0), Err(ImpulseError::Held));
}
