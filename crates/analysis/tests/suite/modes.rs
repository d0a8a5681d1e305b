//! Modes against closed forms and published eigenvalues.

use poinsot_analysis::{EigenMethod, EigenvalueVerdict, Linear, StateSpace, consistent_start, find_modes};
use poinsot_geometry::{Mat3, Mat6, Vec3};
use poinsot_integrators::SaddlePoint;
use poinsot_mechanics::forces::Bushing;
use poinsot_mechanics::joints::{Attachment, knife_edge, revolute, rolling_disk, spherical};
use poinsot_mechanics::*;
use poinsot_numerics::dense::eigenvalues;

const G: f64 = 9.81;

fn still() -> Twist {
    Twist { linear: Vec3::zeros(), angular: Vec3::zeros() }
}

fn at(node: NodeId, origin: Vec3, axes: Mat3) -> Attachment {
    Attachment { node, origin, axes }
}

/// Axes whose third points along y.
fn along_y() -> Mat3 {
    Mat3::from_columns(&[Vec3::z(), Vec3::x(), Vec3::y()])
}

struct Point(Vec<(f64, f64)>, EigenvalueVerdict, f64);

/// Eigenvalues (re, im ≥ 0) about the modelled state.
fn modes_of(mut system: System, observer: NodeId, count: usize) -> Point {
    let (state, _) = consistent_start(&mut system, 0.0).unwrap();
    let mut a = vec![0.0; system.size()];
    SaddlePoint::new(&system).accelerations(&system, &state, &mut a).unwrap();
    let modes = find_modes(&system, &state, &a, observer, count).unwrap();
    let values = modes.modes.iter().map(|m| (m.value.re, m.value.im)).collect();
    Point(values, modes.verdict, modes.changing.map_or(0.0, |c| c.share))
}

fn assert_near(found: (f64, f64), expected: (f64, f64), tolerance: f64) {
    let error = (found.0 - expected.0).hypot(found.1 - expected.1);
    assert!(error < tolerance, "{found:?} instead of {expected:?}");
}

#[test]
fn compound_pendulum() {
    let (m, l, j) = (2.0, 0.7, 0.3);
    let mut b = SystemBuilder::new(Vec3::new(0.0, 0.0, -G));
    let start = Frame { r: Vec3::new(0.0, 0.0, -l), rot: Mat3::identity() };
    let node = b.node("pendulum", Chart::Motion, start, still());
    b.body(Body::new(node, &MassProperties::new(m, Vec3::zeros(), Mat3::identity() * j)));
    let pin = revolute(&at(GROUND, Vec3::zeros(), along_y()), &at(node, Vec3::new(0.0, 0.0, l), along_y()));
    b.constraint("pin", Box::new(pin));
    let Point(values, verdict, _) = modes_of(b.build(), GROUND, 5);
    assert_eq!((values.len(), verdict), (1, EigenvalueVerdict::Stable));
    assert_near(values[0], (0.0, (m * G * l / (j + m * l * l)).sqrt()), 1e-12);
}

/// Point masses on massless rods (digest lagrangian-dae-modeling P6), each rod hanging or standing.
#[test]
fn double_pendulum_about_its_four_equilibria() {
    let (m1, m2, l1, l2): (f64, f64, f64, f64) = (2.0, 1.0, 1.0, 2.0);
    for (c1, c2) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
        let mut b = SystemBuilder::new(Vec3::new(0.0, 0.0, -G));
        let chart = Chart::PlanarPoint { e1: Vec3::x(), e2: Vec3::z() };
        let mut point = |r: Vec3, m: f64| {
            let node = b.node("point", chart, Frame { r, rot: Mat3::identity() }, still());
            b.body(Body::new(node, &MassProperties::point(m, Vec3::zeros())));
            at(node, Vec3::zeros(), Mat3::identity())
        };
        let first = point(Vec3::new(0.0, 0.0, -c1 * l1), m1);
        let second = point(Vec3::new(0.0, 0.0, -c1 * l1 - c2 * l2), m2);
        let ground = at(GROUND, Vec3::zeros(), Mat3::identity());
        b.constraint("rod 1", Box::new(joints::distance(&ground, &first, l1)));
        b.constraint("rod 2", Box::new(joints::distance(&first, &second, l2)));
        let Point(mut values, verdict, _) = modes_of(b.build(), GROUND, 8);
        // λ² M + K = 0 with M = [(m1+m2) l1², c m2 l1 l2; …], K = diag((m1+m2) g l1 c1, m2 g l2 c2).
        let (a, d, off) = ((m1 + m2) * l1 * l1, m2 * l2 * l2, c1 * c2 * m2 * l1 * l2);
        let (k1, k2) = ((m1 + m2) * G * l1 * c1, m2 * G * l2 * c2);
        let (p, q, r) = (a * d - off * off, a * k2 + d * k1, k1 * k2);
        let root = (q * q - 4.0 * p * r).sqrt();
        let mut expected = vec![];
        for square in [(-q + root) / (2.0 * p), (-q - root) / (2.0 * p)] {
            if square < 0.0 {
                expected.push((0.0, (-square).sqrt()));
            } else {
                expected.extend([(square.sqrt(), 0.0), (-square.sqrt(), 0.0)]);
            }
        }
        let key = |v: &(f64, f64)| (v.0 * 1e6) as i64 + (v.1 * 1e3) as i64;
        values.sort_by_key(key);
        expected.sort_by_key(key);
        assert_eq!(values.len(), expected.len());
        values.iter().zip(&expected).for_each(|(v, e)| assert_near(*v, *e, 1e-9));
        assert_eq!(
            verdict,
            if c1 > 0.0 && c2 > 0.0 { EigenvalueVerdict::Stable } else { EigenvalueVerdict::Unstable }
        );
        if verdict == EigenvalueVerdict::Stable {
            // The digest's numbers.
            assert_near(values[0], (0.0, 1.997994), 1e-6);
            assert_near(values[1], (0.0, 4.252119), 1e-6);
        }
    }
}

/// The sleeping top: A q̈ − i C n q̇ − m g l q = 0 for the tilt q of its axis, seen from the ground.
fn sleeping_top(n: f64) -> (Point, f64, f64, f64) {
    let (m, l, c) = (1.5, 0.2, 0.01);
    let transverse = 0.02;
    let mut b = SystemBuilder::new(Vec3::new(0.0, 0.0, -G));
    let start = Frame { r: Vec3::new(0.0, 0.0, l), rot: Mat3::identity() };
    let spin = Twist { linear: Vec3::zeros(), angular: Vec3::new(0.0, 0.0, n) };
    let node = b.node("top", Chart::Motion, start, spin);
    let inertia = Mat3::from_diagonal(&Vec3::new(transverse, transverse, c));
    b.body(Body::new(node, &MassProperties::new(m, Vec3::zeros(), inertia)));
    let tip = at(node, Vec3::new(0.0, 0.0, -l), Mat3::identity());
    b.constraint("tip", Box::new(spherical(&at(GROUND, Vec3::zeros(), Mat3::identity()), &tip)));
    (modes_of(b.build(), GROUND, 6), transverse + m * l * l, c, m * G * l)
}

#[test]
fn gyroscope() {
    let (Point(values, _, unsteadiness), a, c, mgl) = sleeping_top(150.0);
    let root = ((c * 150.0).powi(2) - 4.0 * a * mgl).sqrt();
    let (slow, fast) = ((c * 150.0 - root) / (2.0 * a), (c * 150.0 + root) / (2.0 * a));
    assert!(unsteadiness < 1e-9, "{unsteadiness}");
    // A double zero for the angle of rotation itself, then nutation and precession.
    let whirls: Vec<_> = values.iter().filter(|v| v.1 > 0.0).collect();
    assert_eq!(whirls.len(), 2);
    assert_near(*whirls[0], (0.0, slow), 1e-7 * fast);
    assert_near(*whirls[1], (0.0, fast), 1e-9 * fast);
    // Below the critical spin it falls: λ = i C n/2A ± √(4 A mgl − C²n²)/2A.
    let (Point(values, verdict, _), ..) = sleeping_top(20.0);
    assert_eq!(verdict, EigenvalueVerdict::Unstable);
    let growth = (4.0 * a * mgl - (c * 20.0f64).powi(2)).sqrt() / (2.0 * a);
    assert!(values.iter().any(|v| (v.0 - growth).abs() < 1e-9 && (v.1 - c * 20.0 / (2.0 * a)).abs() < 1e-9));
}

/// A rigid rotor in a housing on isotropic springs: forward and backward whirl of the conical mode.
#[test]
fn spinning_rotor() {
    let (spin, ip, it, ih, kt, kr, m) = (90.0, 0.4, 0.25, 0.05, 300.0, 2.0e4, 3.0);
    let mut b = SystemBuilder::new(Vec3::zeros());
    let origin = Frame::identity();
    let housing = b.node("housing", Chart::Motion, origin, still());
    b.body(Body::new(housing, &MassProperties::new(1.0, Vec3::zeros(), Mat3::identity() * ih)));
    let turning = Twist { linear: Vec3::zeros(), angular: Vec3::new(0.0, 0.0, spin) };
    let rotor = b.node("rotor", Chart::Motion, origin, turning);
    let inertia = Mat3::from_diagonal(&Vec3::new(it, it, ip));
    b.body(Body::new(rotor, &MassProperties::new(m, Vec3::zeros(), inertia)));
    let here = |node| at(node, Vec3::zeros(), Mat3::identity());
    b.constraint("shaft", Box::new(revolute(&here(housing), &here(rotor))));
    let stiffness = Mat6::from_diagonal(&[kr, kr, kr, kt, kt, kt].into());
    b.force("mounting", Box::new(Bushing::new(&here(GROUND), &here(housing), stiffness, Mat6::zeros())));
    let Point(values, _, unsteadiness) = modes_of(b.build(), GROUND, 12);
    assert!(unsteadiness < 1e-9, "{unsteadiness}");
    let (half, square) = (spin * ip / (2.0 * (it + ih)), kt / (it + ih));
    let root = (half * half + square).sqrt();
    let expected =
        [root - half, root + half, (kt / ih).sqrt(), (kr / (1.0 + m)).sqrt(), (kr / (1.0 + m)).sqrt()];
    for e in expected {
        assert!(values.iter().any(|v| v.0.abs() < 1e-8 && (v.1 - e).abs() < 1e-8 * e), "{e}: {values:?}");
    }
    // Seen by the rotor itself the whirls are shifted by the speed.
}

/// D09: a disk that rolls straight is stable above the axle rate 2.557342370508884.
#[test]
fn rolling_disk_upright() {
    let (m, r, a, c) = (1.0, 0.5, 0.0625, 0.125);
    for (rate, verdict) in [(4.0, EigenvalueVerdict::Neutral), (2.5, EigenvalueVerdict::Unstable)] {
        let mut b = SystemBuilder::new(Vec3::new(0.0, 0.0, -G));
        let start = Frame { r: Vec3::new(0.0, 0.0, r), rot: along_y() };
        let spin = Vec3::new(0.0, rate, 0.0);
        let twist = Twist { linear: Vec3::new(rate * r, 0.0, 0.0), angular: along_y().tr_mul(&spin) };
        let node = b.node("disk", Chart::Motion, start, twist);
        let inertia = Mat3::from_diagonal(&Vec3::new(a, a, c));
        b.body(Body::new(node, &MassProperties::new(m, Vec3::zeros(), inertia)));
        let ground = at(GROUND, Vec3::zeros(), Mat3::identity());
        let wheel = at(node, Vec3::zeros(), Mat3::identity());
        b.constraint("contact", Box::new(rolling_disk(&ground, &wheel, r)));
        let Point(values, found, unsteadiness) = modes_of(b.build(), GROUND, 12);
        assert!(unsteadiness < 1e-9, "{unsteadiness}");
        assert_eq!(found, verdict);
        let square = (a * m * G * r - c * (c + m * r * r) * rate * rate) / (a * (a + m * r * r));
        let expected = if square < 0.0 { (0.0, (-square).sqrt()) } else { (square.sqrt(), 0.0) };
        assert!(values.iter().any(|v| (v.0 - expected.0).hypot(v.1 - expected.1) < 1e-7), "{values:?}");
    }
}

/// The Chaplygin sleigh in straight motion: its rotation decays with m a v/(I + m a²).
#[test]
fn sleigh() {
    let (m, i, a, v) = (1.0, 0.2, 0.3, 1.7);
    let mut b = SystemBuilder::new(Vec3::zeros());
    let chart = Chart::Planar { e1: Vec3::x(), e2: Vec3::y(), normal: Vec3::z() };
    let start = Frame { r: Vec3::new(a, 0.0, 0.0), rot: Mat3::identity() };
    let twist = Twist { linear: Vec3::new(v, 0.0, 0.0), angular: Vec3::zeros() };
    let node = b.node("sleigh", chart, start, twist);
    b.body(Body::new(node, &MassProperties::new(m, Vec3::zeros(), Mat3::identity() * i)));
    let blade = at(node, Vec3::new(-a, 0.0, 0.0), Mat3::identity());
    b.constraint("blade", Box::new(knife_edge(&at(GROUND, Vec3::zeros(), Mat3::identity()), &blade)));
    let Point(values, ..) = modes_of(b.build(), GROUND, 8);
    let rate = -m * a * v / (i + m * a * a);
    assert_eq!(values.len(), 5);
    assert_near(values[4], (rate, 0.0), 1e-12);
    assert!(values[..4].iter().all(|v| *v == (0.0, 0.0)));
}

/// The benchmark bicycle (Meijaard, Papadopoulos, Ruina, Schwab 2007): x forward, y right, z down.
fn bicycle(speed: f64) -> System {
    let tilt = std::f64::consts::PI / 10.0;
    let (wheelbase, trail) = (1.02, 0.08);
    let mut b = SystemBuilder::new(Vec3::new(0.0, 0.0, 9.81));
    let forward = Vec3::new(speed, 0.0, 0.0);
    let inertia = |xx: f64, yy: f64, zz: f64, xz: f64| Mat3::new(xx, 0.0, xz, 0.0, yy, 0.0, xz, 0.0, zz);
    let mut body = |name: &str, r: Vec3, m: f64, j: Mat3, spin: f64| {
        let angular = Vec3::new(0.0, spin, 0.0);
        let start = Frame { r, rot: Mat3::identity() };
        let node = b.node(name, Chart::Motion, start, Twist { linear: forward, angular });
        b.body(Body::new(node, &MassProperties::new(m, Vec3::zeros(), j)));
        (node, r)
    };
    let rear =
        body("rear wheel", Vec3::new(0.0, 0.0, -0.3), 2.0, inertia(0.0603, 0.12, 0.0603, 0.0), -speed / 0.3);
    let frame = body("frame", Vec3::new(0.3, 0.0, -0.9), 85.0, inertia(9.2, 11.0, 2.8, 2.4), 0.0);
    let fork = body("fork", Vec3::new(0.9, 0.0, -0.7), 4.0, inertia(0.05892, 0.06, 0.00708, -0.00756), 0.0);
    let front = body(
        "front wheel",
        Vec3::new(wheelbase, 0.0, -0.35),
        3.0,
        inertia(0.1405, 0.28, 0.1405, 0.0),
        -speed / 0.35,
    );
    let pin =
        |b: &mut SystemBuilder, name: &str, one: (NodeId, Vec3), two: (NodeId, Vec3), p: Vec3, axes: Mat3| {
            let joint = revolute(&at(one.0, p - one.1, axes), &at(two.0, p - two.1, axes));
            b.constraint(name, Box::new(joint));
        };
    pin(&mut b, "rear axle", frame, rear, rear.1, along_y());
    pin(&mut b, "front axle", fork, front, front.1, along_y());
    // The steering axis meets the ground at x = wheelbase + trail and leans back by the tilt.
    let axis = Vec3::new(tilt.sin(), 0.0, tilt.cos());
    let steer = Mat3::from_columns(&[Vec3::y(), axis.cross(&Vec3::y()), axis]);
    pin(&mut b, "steering", frame, fork, Vec3::new(wheelbase + trail, 0.0, 0.0), steer);
    // The ground's normal points up, against z.
    let up = Mat3::from_columns(&[Vec3::x(), -Vec3::y(), -Vec3::z()]);
    for (name, wheel, radius) in [("rear contact", rear, 0.3), ("front contact", front, 0.35)] {
        let ground = at(GROUND, Vec3::zeros(), up);
        b.constraint(name, Box::new(rolling_disk(&ground, &at(wheel.0, Vec3::zeros(), along_y()), radius)));
    }
    b.build()
}

#[test]
fn bicycle_about_straight_motion() {
    // Published eigenvalues at 5 m/s: weave, capsize and castering.
    let Point(values, verdict, unsteadiness) = modes_of(bicycle(5.0), GROUND, 20);
    assert!(unsteadiness < 1e-8, "{unsteadiness}");
    let expected =
        [(-0.775341882195845, 4.464867713788229), (-0.322866429004088, 0.0), (-14.078389692798224, 0.0)];
    for e in expected {
        assert!(values.iter().any(|v| (v.0 - e.0).hypot(v.1 - e.1) < 1e-9), "{e:?} not in {values:?}");
    }
    assert_eq!(verdict, EigenvalueVerdict::Neutral);
    // Below 4.29 m/s the weave grows.
    let Point(_, verdict, _) = modes_of(bicycle(4.0), GROUND, 20);
    assert_eq!(verdict, EigenvalueVerdict::Unstable);
}

/// A hanging chain large enough for the sparse method, against the dense state space.
fn chain(links: usize, damping: f64) -> System {
    let length = 0.1;
    let mut b = SystemBuilder::new(Vec3::new(0.0, 0.0, -G));
    let mut last = at(GROUND, Vec3::zeros(), along_y());
    for k in 0..links {
        let start = Frame { r: Vec3::new(0.0, 0.0, -(k as f64 + 0.5) * length), rot: Mat3::identity() };
        let node = b.node(&format!("link{k}"), Chart::Motion, start, still());
        let inertia = Mat3::from_diagonal(&Vec3::new(2e-4, 2e-4, 1e-5));
        b.body(Body::new(node, &MassProperties::new(0.2, Vec3::zeros(), inertia)));
        let top = at(node, Vec3::new(0.0, 0.0, length / 2.0), along_y());
        b.constraint(&format!("pin{k}"), Box::new(revolute(&last, &top)));
        let law = forces::CoordinateForce {
            coordinate: Coordinate::angle(&last, &top),
            stiffness: 0.02,
            damping,
            free: 0.0,
            law: None,
        };
        b.force("hinge", Box::new(law));
        last = at(node, Vec3::new(0.0, 0.0, -length / 2.0), along_y());
    }
    b.build()
}

#[test]
fn sparse_and_dense_agree() {
    for damping in [0.0, 2e-4] {
        let mut system = chain(165, damping);
        let (state, _) = consistent_start(&mut system, 0.0).unwrap();
        let mut a = vec![0.0; system.size()];
        SaddlePoint::new(&system).accelerations(&system, &state, &mut a).unwrap();
        let modes = find_modes(&system, &state, &a, GROUND, 10).unwrap();
        assert_eq!(modes.method, EigenMethod::ShiftInvert);
        assert!(modes.applications < 200, "{}", modes.applications);
        let space = StateSpace::new(&system, &Linear::about(&system, &state, &a, GROUND)).unwrap();
        let mut all = eigenvalues(space.a.as_ref()).unwrap();
        all.retain(|v| v.im >= 0.0);
        all.sort_by(|x, y| x.norm().total_cmp(&y.norm()));
        for (mode, expected) in modes.modes.iter().zip(&all) {
            assert!((mode.value - expected).norm() < 1e-7 * expected.norm(), "{:?} {expected:?}", mode.value);
            assert!((mode.shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }
}
