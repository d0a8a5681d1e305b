//! Positions of rest: closed forms, stability, and the methods that find them.

use poinsot_analysis::*;
use poinsot_expr::Function;
use poinsot_geometry::{Mat3, Vec3, so3};
use poinsot_integrators::instant;
use poinsot_mechanics::forces::{CoordinateForce, PointForce, Torque};
use poinsot_mechanics::joints::{Attachment, distance, point_on_line, revolute, rolling_disk, spherical};
use poinsot_mechanics::*;
use std::f64::consts::{FRAC_PI_2, PI};

const STILL: Twist = Twist { linear: Vec3::new(0.0, 0.0, 0.0), angular: Vec3::new(0.0, 0.0, 0.0) };
const G: f64 = 9.81;

fn down() -> Vec3 {
    Vec3::new(0.0, -G, 0.0)
}

fn planar() -> Chart {
    Chart::Planar { e1: Vec3::x(), e2: Vec3::y(), normal: Vec3::z() }
}

fn flat_point() -> Chart {
    Chart::PlanarPoint { e1: Vec3::x(), e2: Vec3::y() }
}

fn turn(angle: f64) -> Mat3 {
    so3::exp(&Vec3::new(0.0, 0.0, angle))
}

fn at(node: NodeId, x: f64, y: f64) -> Attachment {
    Attachment { node, origin: Vec3::new(x, y, 0.0), axes: Mat3::identity() }
}

/// A body with its centre at `centre` (body axes) and the given inertia about it.
fn body(
    b: &mut SystemBuilder,
    name: &str,
    r: Vec3,
    angle: f64,
    mass: f64,
    centre: Vec3,
    inertia: f64,
) -> NodeId {
    let node = b.node(name, planar(), Frame { r, rot: turn(angle) }, STILL);
    b.body(Body::new(node, &MassProperties::new(mass, centre, Mat3::identity() * inertia)));
    node
}

fn mass(b: &mut SystemBuilder, name: &str, chart: Chart, r: Vec3, m: f64) -> NodeId {
    let node = b.node(name, chart, Frame { r, rot: Mat3::identity() }, STILL);
    b.body(Body::new(node, &MassProperties::point(m, Vec3::zeros())));
    node
}

fn spring(coordinate: Coordinate, stiffness: f64, free: f64) -> Box<CoordinateForce> {
    Box::new(CoordinateForce { coordinate, stiffness, damping: 0.0, free, law: None })
}

fn constants(x: f64, y: f64, z: f64) -> [Function; 3] {
    [x, y, z].map(Function::constant)
}

fn solve_with(
    mut system: System,
    settings: EquilibriumSettings,
) -> (System, Result<Equilibrium, EquilibriumError>) {
    let (state, _) = consistent_start(&mut system, 0.0).unwrap();
    let found = find_equilibrium(&system, state, &settings);
    (system, found)
}

fn solve(system: System) -> (System, Equilibrium) {
    let (system, found) = solve_with(system, EquilibriumSettings::default());
    let found = found.unwrap();
    check(&system, &found);
    (system, found)
}

/// The balance holds, whatever the solver says.
fn check(system: &System, found: &Equilibrium) {
    let mut r = vec![0.0; system.size()];
    system.residual(&instant(&found.state, &found.a), &mut r, &mut Scratch::default());
    let worst = r.iter().fold(0.0, |m: f64, r| m.max(r.abs()));
    assert!(found.residual.0 <= 1e-10 && worst < 1e-6, "{worst:e} {:?}", found.residual);
    assert!(largest_residual(system, &found.state).1 < 1e-11);
    assert!(found.state.v.iter().all(|v| *v == 0.0));
}

fn near(got: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((got - expected).abs() <= tolerance, "{what}: {got:.12} instead of {expected:.12}");
}

fn angle_of(frame: &Frame) -> f64 {
    frame.rot[(1, 0)].atan2(frame.rot[(0, 0)])
}

fn stability(found: &Equilibrium) -> (Stability, usize, usize, usize) {
    let v = found.verdict;
    (v.stability, v.negative, v.zero, v.flutter)
}

/// Root of a falling function.
fn bisect(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if f(middle) > 0.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Angles of the rods at rest: tan θ_i = (i − (n + 1)/2) w/H, i = 1 … n, with the tension H from Σ l cos θ_i
/// = span.
fn catenary(n: usize, length: f64, span: f64, weight: f64) -> (f64, Vec<f64>) {
    let tangent = |i: usize, h: f64| (i as f64 + 1.0 - 0.5 * (n as f64 + 1.0)) * weight / h;
    let reach = |h: f64| (0..n).map(|i| length * tangent(i, h).atan().cos()).sum::<f64>();
    let h = bisect(1e-3, 1e5, |h| span - reach(h));
    (h, (0..n).map(|i| tangent(i, h).atan()).collect())
}

/// Twenty uniform rods between two fixed points, started on an arc of a circle.
#[test]
fn hanging_chain_is_a_discrete_catenary() {
    let (n, l, span, m) = (20, 0.1, 1.4, 0.25);
    let arc = |phi: f64, i: usize| -phi + 2.0 * phi * (i as f64 + 0.5) / n as f64;
    let phi = bisect(0.01, 3.0, |phi| (0..n).map(|i| l * arc(phi, i).cos()).sum::<f64>() - span);
    let mut b = SystemBuilder::new(down());
    let mut joint = Vec3::zeros();
    let mut before = at(GROUND, 0.0, 0.0);
    for i in 0..n {
        let angle = arc(phi, i);
        let rod = body(&mut b, &format!("rod {i}"), joint, angle, m, Vec3::x() * 0.5 * l, m * l * l / 12.0);
        b.constraint(&format!("pin {i}"), Box::new(revolute(&before, &at(rod, 0.0, 0.0))));
        joint += turn(angle) * Vec3::x() * l;
        before = at(rod, l, 0.0);
    }
    b.constraint("end", Box::new(revolute(&before, &at(GROUND, span, 0.0))));
    let (system, found) = solve(b.build());
    let (h, angles) = catenary(n, l, span, m * G);
    let mut place = Vec3::zeros();
    for (i, angle) in angles.iter().enumerate() {
        let frame = &found.state.frames[i + 1];
        near(angle_of(frame), *angle, 1e-9, "angle");
        near((frame.r - place).norm(), 0.0, 1e-9, "joint");
        place += turn(*angle) * Vec3::x() * l;
    }
    let pin = system.reaction(0, &instant(&found.state, &found.a), &mut Scratch::default());
    near(pin.force.x, -h, 1e-8 * h, "tension");
    near(pin.force.y, 0.5 * n as f64 * m * G, 1e-8, "half the weight");
    assert_eq!(stability(&found), (Stability::Stable, 0, 0, 0));
    assert!(found.verdict.complete && found.lowest.len() == 6 && found.lowest[0] > 0.0);
}

/// Ten rods in space on ball joints: the same catenary, and each rod may turn about its own axis.
#[test]
fn chain_on_ball_joints() {
    let (n, l, span, m) = (10, 0.2, 1.2, 0.25);
    let mut b = SystemBuilder::new(down());
    let mut joint = Vec3::zeros();
    let mut before = at(GROUND, 0.0, 0.0);
    let tilt = f64::acos(span / (n as f64 * l));
    for i in 0..n {
        let angle = if i < n / 2 { -tilt } else { tilt };
        // Started in a plane that leans to the side.
        let rot = so3::exp(&Vec3::new(0.6, 0.0, 0.0)) * turn(angle);
        let rod = b.node(&format!("rod {i}"), Chart::Motion, Frame { r: joint, rot }, STILL);
        let inertia = Mat3::from_diagonal(&Vec3::new(0.01, 1.0, 1.0)) * (m * l * l / 12.0);
        b.body(Body::new(rod, &MassProperties::new(m, Vec3::x() * 0.5 * l, inertia)));
        b.constraint(&format!("ball {i}"), Box::new(spherical(&before, &at(rod, 0.0, 0.0))));
        joint += rot * Vec3::x() * l;
        before = at(rod, l, 0.0);
    }
    b.constraint("end", Box::new(spherical(&before, &at(GROUND, span, 0.0))));
    let (_, found) = solve(b.build());
    let (_, angles) = catenary(n, l, span, m * G);
    let mut place = Vec3::zeros();
    for (i, angle) in angles.iter().enumerate() {
        near((found.state.frames[i + 1].r - place).norm(), 0.0, 1e-8, "joint");
        place += turn(*angle) * Vec3::x() * l;
    }
    assert_eq!(stability(&found), (Stability::Neutral, 0, n, 0));
}

/// floating-frame-and-ancf V15.
#[test]
fn two_masses_on_an_inclined_rod() {
    let (k1, k2, m1, m2, p, alpha) = (800.0, 300.0, 2.0, 3.0, 50.0, 0.6_f64);
    let (free1, free2) = (0.5, 0.4);
    let rod = Mat3::from_columns(&[
        Vec3::z(),
        Vec3::new(alpha.sin(), -alpha.cos(), 0.0),
        Vec3::new(alpha.cos(), alpha.sin(), 0.0),
    ]);
    let line = Attachment { node: GROUND, origin: Vec3::zeros(), axes: rod };
    let up: Vec3 = rod.column(2).into_owned();
    let mut b = SystemBuilder::new(down());
    let first = mass(&mut b, "first", Chart::Point, up * free1, m1);
    let second = mass(&mut b, "second", Chart::Point, up * (free1 + free2), m2);
    for node in [first, second] {
        b.constraint("rod", Box::new(point_on_line(&line, &at(node, 0.0, 0.0))));
    }
    let stretch =
        |a: &Attachment, b: &Attachment| Coordinate::Displacement([a.point(), b.point(), line.axis(2)]);
    b.force("k1", spring(stretch(&line, &at(first, 0.0, 0.0)), k1, free1));
    b.force("k2", spring(stretch(&at(first, 0.0, 0.0), &at(second, 0.0, 0.0)), k2, free2));
    b.force("P", Box::new(PointForce::dead(second, Vec3::zeros(), constants(p * up.x, p * up.y, 0.0))));
    let (_, found) = solve(b.build());
    let load = [-m1 * G * alpha.sin(), p - m2 * G * alpha.sin()];
    let q = [(load[0] + load[1]) / k1, (k2 * load[0] + (k1 + k2) * load[1]) / (k1 * k2)];
    near(found.state.frames[1].r.dot(&up) - free1, q[0], 1e-12, "q₁");
    near(found.state.frames[2].r.dot(&up) - free1 - free2, q[1], 1e-12, "q₂");
    assert_eq!(stability(&found), (Stability::Stable, 0, 0, 0));
    assert_eq!(found.method, EquilibriumMethod::Newton);
    // K z = ω² M z of the two masses.
    let (trace, det) = ((k1 + k2) / m1 + k2 / m2, k1 * k2 / (m1 * m2));
    near(found.lowest[0], 0.5 * (trace - (trace * trace - 4.0 * det).sqrt()), 1e-9, "ω₁²");
    near(found.lowest[1], 0.5 * (trace + (trace * trace - 4.0 * det).sqrt()), 1e-9, "ω₂²");
}

/// A uniform rod on a pin; the angle is that of the rod, −π/2 hangs.
fn pendulum(angle: f64) -> System {
    let mut b = SystemBuilder::new(down());
    let rod = body(&mut b, "rod", Vec3::zeros(), angle, 2.0, Vec3::x() * 0.75, 2.0 * 1.5 * 1.5 / 12.0);
    b.constraint("pin", Box::new(revolute(&at(GROUND, 0.0, 0.0), &at(rod, 0.0, 0.0))));
    b.build()
}

#[test]
fn pendulum_down_and_up() {
    let omega = 1.5 * G / 1.5; // 3g/2l
    let (system, down) = solve(pendulum(-1.3));
    near(angle_of(&down.state.frames[1]), -FRAC_PI_2, 1e-10, "angle");
    assert_eq!(stability(&down), (Stability::Stable, 0, 0, 0));
    near(down.lowest[0], omega, 1e-9, "ω²");
    near(
        system.reaction(0, &instant(&down.state, &down.a), &mut Scratch::default()).force.y,
        2.0 * G,
        1e-8,
        "pin",
    );
    let (_, up) = solve(pendulum(1.4));
    near(angle_of(&up.state.frames[1]), FRAC_PI_2, 1e-10, "angle");
    assert_eq!(stability(&up), (Stability::Unstable, 1, 0, 0));
    near(up.lowest[0], -omega, 1e-9, "ω²");
}

/// At the horizontal the tangent stiffness vanishes and Newton has no direction.
#[test]
fn pendulum_from_the_horizontal() {
    let (_, found) = solve(pendulum(0.0));
    near(angle_of(&found.state.frames[1]).abs(), FRAC_PI_2, 1e-10, "angle");
    // Relaxation alone goes downhill, also from just below the top.
    for start in [0.0, 1.5, FRAC_PI_2 - 1e-6, -3.0] {
        let (system, found) = solve_with(pendulum(start), EquilibriumSettings::downhill());
        let found = found.unwrap();
        check(&system, &found);
        assert_eq!(found.method, EquilibriumMethod::Relaxation);
        near(angle_of(&found.state.frames[1]), -FRAC_PI_2, 1e-9, "angle");
        assert_eq!(found.verdict.stability, Stability::Stable);
    }
}

/// In space a pendulum on a ball joint also turns about its own axis: no stiffness there.
#[test]
fn spherical_pendulum_is_neutral_about_its_axis() {
    let mut b = SystemBuilder::new(down());
    let tilted = so3::exp(&Vec3::new(0.3, 0.1, -1.2));
    let rod = b.node("rod", Chart::Motion, Frame { r: Vec3::zeros(), rot: tilted }, STILL);
    let inertia = Mat3::from_diagonal(&Vec3::new(0.05, 0.4, 0.4));
    b.body(Body::new(rod, &MassProperties::new(1.5, Vec3::x() * 0.8, inertia)));
    b.constraint("ball", Box::new(spherical(&at(GROUND, 0.0, 0.0), &at(rod, 0.0, 0.0))));
    let (_, found) = solve(b.build());
    near((found.state.frames[1].rot.column(0) + Vec3::y()).norm(), 0.0, 1e-9, "hangs");
    assert_eq!(stability(&found), (Stability::Neutral, 0, 1, 0));
    let omega = 1.5 * G * 0.8 / (0.4 + 1.5 * 0.64);
    near(found.lowest[1], omega, 1e-8, "ω²");
    near(found.lowest[2], omega, 1e-8, "ω²");
}

#[test]
fn double_pendulum_has_four_equilibria() {
    let cases = [(-1.0, -1.0, 0), (-1.0, 1.0, 1), (1.0, -1.0, 1), (1.0, 1.0, 2)];
    for (first, second, negative) in cases {
        let angles = [first * FRAC_PI_2 + 0.1, second * FRAC_PI_2 - 0.08];
        let mut b = SystemBuilder::new(down());
        let elbow = turn(angles[0]) * Vec3::x();
        let upper = body(&mut b, "upper", Vec3::zeros(), angles[0], 1.0, Vec3::x() * 0.5, 1.0 / 12.0);
        let lower = body(&mut b, "lower", elbow, angles[1], 0.7, Vec3::x() * 0.4, 0.05);
        b.constraint("shoulder", Box::new(revolute(&at(GROUND, 0.0, 0.0), &at(upper, 0.0, 0.0))));
        b.constraint("elbow", Box::new(revolute(&at(upper, 1.0, 0.0), &at(lower, 0.0, 0.0))));
        let (_, found) = solve(b.build());
        near(angle_of(&found.state.frames[1]), first * FRAC_PI_2, 1e-9, "upper");
        near(angle_of(&found.state.frames[2]), second * FRAC_PI_2, 1e-9, "lower");
        let expected = if negative == 0 { Stability::Stable } else { Stability::Unstable };
        assert_eq!(stability(&found), (expected, negative, 0, 0), "{first} {second}");
    }
}

/// A bar on a torsion spring, turned by a force that stays across it: θ = F l/k, more than one turn.
fn follower_bar(force: f64) -> System {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let bar = body(&mut b, "bar", Vec3::zeros(), 0.0, 1.0, Vec3::x() * 0.5, 1.0 / 12.0);
    b.constraint("pin", Box::new(revolute(&at(GROUND, 0.0, 0.0), &at(bar, 0.0, 0.0))));
    let angle = Coordinate::angle(&at(GROUND, 0.0, 0.0), &at(bar, 0.0, 0.0));
    b.track(angle.clone(), 0.0);
    b.force("spring", spring(angle, 5.0, 0.0));
    let load = PointForce::follower(bar, Vec3::x(), &Mat3::identity(), constants(0.0, force, 0.0));
    b.force("load", Box::new(load));
    b.build()
}

#[test]
fn follower_force_on_a_sprung_bar() {
    let (system, found) = solve(follower_bar(40.0));
    let angle = system.tracked(0, &instant(&found.state, &found.a), &mut Scratch::default()).0;
    near(angle, 8.0, 1e-9, "angle");
    assert_eq!(stability(&found), (Stability::Stable, 0, 0, 0));
    near(found.lowest[0], 5.0 / (1.0 / 3.0), 1e-9, "ω²");
}

/// Few Newton iterations do not reach 2 rad, load steps do.
#[test]
fn load_steps_where_newton_is_cut_short() {
    let settings = EquilibriumSettings { iterations: 4, relaxations: 0, ..EquilibriumSettings::default() };
    let (system, found) = solve_with(follower_bar(10.0), settings);
    let found = found.unwrap();
    check(&system, &found);
    assert_eq!(found.method, EquilibriumMethod::LoadSteps);
    assert!(found.load_steps >= 4, "{}", found.load_steps);
    let angle = system.tracked(0, &instant(&found.state, &found.a), &mut Scratch::default()).0;
    near(angle, 2.0, 1e-9, "angle");
}

/// Ziegler's column: two rods of length l with torsion springs c, masses 2m and m, a compression P along the
/// last rod. It flutters beyond P = (7/2 − √2) c/l.
#[test]
fn column_under_a_follower_force_flutters() {
    let (l, c, m) = (0.5, 3.0, 0.2);
    let critical = (3.5 - 2.0_f64.sqrt()) * c / l;
    let column = |p: f64| {
        let mut b = SystemBuilder::new(Vec3::zeros());
        let tiny = 1e-9;
        let lower = body(&mut b, "lower", Vec3::zeros(), 0.0, 2.0 * m, Vec3::x() * l, tiny);
        let upper = body(&mut b, "upper", Vec3::x() * l, 0.0, m, Vec3::x() * l, tiny);
        b.constraint("foot", Box::new(revolute(&at(GROUND, 0.0, 0.0), &at(lower, 0.0, 0.0))));
        b.constraint("knee", Box::new(revolute(&at(lower, l, 0.0), &at(upper, 0.0, 0.0))));
        let angle = |a, b| Coordinate::angle(&at(a, 0.0, 0.0), &at(b, 0.0, 0.0));
        b.force("c1", spring(angle(GROUND, lower), c, 0.0));
        b.force("c2", spring(angle(lower, upper), c, 0.0));
        let load = PointForce::follower(upper, Vec3::x() * l, &Mat3::identity(), constants(-p, 0.0, 0.0));
        b.force("P", Box::new(load));
        solve(b.build()).1
    };
    assert_eq!(stability(&column(0.999 * critical)), (Stability::Stable, 0, 0, 0));
    assert_eq!(stability(&column(1.001 * critical)), (Stability::Unstable, 0, 0, 2));
}

/// Axes whose third is the world's y: the ground to roll on.
fn road() -> Attachment {
    Attachment {
        node: GROUND,
        origin: Vec3::zeros(),
        axes: Mat3::from_columns(&[Vec3::z(), Vec3::x(), Vec3::y()]),
    }
}

fn slope(alpha: f64) -> Vec3 {
    Vec3::new(-alpha.sin(), -alpha.cos(), 0.0) * G
}

/// A disk with a motor's torque rolls on a slope until the spring at its centre holds it.
#[test]
fn disk_on_a_slope_held_by_a_spring() {
    let (r, m, alpha, k) = (0.3, 4.0, 0.4_f64, 250.0);
    let mut b = SystemBuilder::new(slope(alpha));
    let disk = body(&mut b, "disk", Vec3::y() * r, 0.0, m, Vec3::zeros(), 0.5 * m * r * r);
    b.constraint("road", Box::new(rolling_disk(&road(), &at(disk, 0.0, 0.0), r)));
    let stretch = Coordinate::component(at(disk, 0.0, 0.0).point(), 0);
    b.force("spring", spring(stretch, k, 0.0));
    b.force("motor", Box::new(Torque::dead(disk, constants(0.0, 0.0, 1.2))));
    let (system, found) = solve(b.build());
    // Torque T about the contact: k x = −m g sin α − T/r; friction on the disk along x is T/r.
    let x = (-m * G * alpha.sin() - 1.2 / r) / k;
    near(found.state.frames[1].r.x, x, 1e-12, "place");
    near(angle_of(&found.state.frames[1]), -x / r, 1e-11, "rolled");
    let contact = system.reaction(0, &instant(&found.state, &found.a), &mut Scratch::default());
    near(contact.force.x, -1.2 / r, 1e-9, "friction");
    near(contact.force.y, m * G * alpha.cos(), 1e-9, "normal force");
    assert_eq!(stability(&found), (Stability::Stable, 0, 0, 0));
    near(found.lowest[0], k / (1.5 * m), 1e-9, "ω²");
}

/// A wheel with its weight off the axle stands on a slope: turned by φ its weight is plumb with the contact,
/// e sin(φ + α) = r sin α, and friction carries m g sin α.
#[test]
fn eccentric_wheel_stands_on_a_slope() {
    let (r, e, m, alpha) = (0.3, 0.2, 4.0, 0.25_f64);
    let build = |angle: f64| {
        let mut b = SystemBuilder::new(slope(alpha));
        let wheel = body(&mut b, "wheel", Vec3::y() * r, angle, m, -Vec3::y() * e, 0.1);
        b.constraint("road", Box::new(rolling_disk(&road(), &at(wheel, 0.0, 0.0), r)));
        b.build()
    };
    let lean = (r * alpha.sin() / e).asin();
    for (start, angle, verdict) in [
        (0.4, lean - alpha, (Stability::Stable, 0, 0, 0)),
        (PI - 0.4, PI - lean - alpha, (Stability::Unstable, 1, 0, 0)),
    ] {
        let (system, found) = solve(build(start));
        let centre = found.state.frames[1].r - found.state.frames[1].rot.column(1) * e;
        // Above or below the contact, along gravity.
        let contact = Vec3::new(found.state.frames[1].r.x, 0.0, 0.0);
        near((centre - contact).cross(&slope(alpha)).norm(), 0.0, 1e-9, "plumb");
        let along = (angle_of(&found.state.frames[1]) - angle) / (2.0 * PI);
        near(along, along.round(), 1e-9, "angle");
        near(found.state.frames[1].r.x, -r * (angle - start), 1e-8, "rolled");
        let reaction = system.reaction(0, &instant(&found.state, &found.a), &mut Scratch::default());
        near(reaction.force.x, m * G * alpha.sin(), 1e-8, "friction");
        assert_eq!(stability(&found), verdict);
    }
}

/// On the level a round wheel rests anywhere.
#[test]
fn wheel_on_the_level_is_neutral() {
    let mut b = SystemBuilder::new(down());
    let wheel = body(&mut b, "wheel", Vec3::y() * 0.5, 0.0, 2.0, Vec3::zeros(), 0.2);
    b.constraint("road", Box::new(rolling_disk(&road(), &at(wheel, 0.0, 0.0), 0.5)));
    let (_, found) = solve(b.build());
    assert_eq!(stability(&found), (Stability::Neutral, 0, 1, 0));
    assert_eq!(found.state.frames[1].r.x, 0.0);
}

/// A mass on two springs that are too long to lie flat: up, down, and flat.
#[test]
fn toggle_has_two_stable_positions() {
    let (half, free, k, m) = (1.0, 1.2, 400.0, 2.0);
    let high = f64::sqrt(free * free - half * half);
    let toggle = |y: f64| {
        let mut b = SystemBuilder::new(Vec3::zeros());
        let node = mass(&mut b, "mass", flat_point(), Vec3::y() * y, m);
        for x in [-half, half] {
            b.force(
                "spring",
                spring(Coordinate::distance(&at(GROUND, x, 0.0), &at(node, 0.0, 0.0)), k, free),
            );
        }
        solve(b.build()).1
    };
    for (start, y) in [(0.5, high), (-0.7, -high)] {
        let found = toggle(start);
        near(found.state.frames[1].r.y, y, 1e-9, "height");
        assert_eq!(stability(&found), (Stability::Stable, 0, 0, 0));
        near(found.lowest[0], 2.0 * k / m * (high / free).powi(2), 1e-7, "ω²");
    }
    let flat = toggle(0.05);
    near(flat.state.frames[1].r.y, 0.0, 1e-10, "height");
    assert_eq!(stability(&flat), (Stability::Unstable, 1, 0, 0));
    near(flat.lowest[0], 2.0 * k / m * (1.0 - free / half), 1e-7, "ω²");
}

/// A drive holds its coordinate at the time of the start.
#[test]
fn drive_at_its_instant() {
    let law =
        poinsot_expr::SmoothFunction::new(&poinsot_expr::Expr::parse("0.3 + t^2").unwrap(), &["t"], &|_| {
            None
        });
    let mut b = SystemBuilder::new(down());
    let rod = body(&mut b, "rod", Vec3::zeros(), 0.3, 2.0, Vec3::x() * 0.75, 0.4);
    b.constraint("pin", Box::new(revolute(&at(GROUND, 0.0, 0.0), &at(rod, 0.0, 0.0))));
    let angle = Coordinate::angle(&at(GROUND, 0.0, 0.0), &at(rod, 0.0, 0.0));
    b.constraint("motor", Box::new(drives::coordinate(angle, law.unwrap(), at(rod, 0.0, 0.0).point())));
    let mut system = b.build();
    let (state, _) = consistent_start(&mut system, 1.0).unwrap();
    let found = find_equilibrium(&system, state, &EquilibriumSettings::default()).unwrap();
    near(angle_of(&found.state.frames[1]), 1.3, 1e-12, "angle");
    let torque = -system.multiplier(1, 0, &instant(&found.state, &found.a));
    near(torque, 2.0 * G * 0.75 * 1.3_f64.cos(), 1e-9, "holding torque");
    assert_eq!(stability(&found), (Stability::Stable, 0, 0, 0));
}

#[test]
fn nothing_holds_a_free_mass() {
    let mut b = SystemBuilder::new(down());
    mass(&mut b, "stone", Chart::Point, Vec3::zeros(), 1.0);
    let error = solve_with(b.build(), EquilibriumSettings::default()).1.unwrap_err();
    let EquilibriumError::NotFound { residual, equation, .. } = &error else { panic!("{error}") };
    near(*residual, 1.0, 1e-9, "residual");
    assert_eq!(equation, "body `stone`, y");
}

/// Beads on a massless thread, hanging or standing: ω² l/g are the zeros of the Laguerre polynomial L_n.
fn thread(n: usize, side: f64, bend: f64) -> System {
    let l = 0.05;
    let mut b = SystemBuilder::new(down());
    let mut before = at(GROUND, 0.0, 0.0);
    let mut r = Vec3::zeros();
    for i in 0..n {
        r += Vec3::new(
            (bend * (i as f64 * 0.7).sin()).sin(),
            side * (bend * (i as f64 * 0.7).sin()).cos(),
            0.0,
        ) * l;
        let bead = mass(&mut b, &format!("bead {i}"), flat_point(), r, 0.01);
        b.constraint(&format!("thread {i}"), Box::new(distance(&before, &at(bead, 0.0, 0.0), l)));
        before = at(bead, 0.0, 0.0);
    }
    b.build()
}

/// L_n(x) by its recurrence.
fn laguerre(n: usize, x: f64) -> f64 {
    let (mut before, mut now) = (1.0, 1.0 - x);
    for k in 1..n {
        let next = ((2.0 * k as f64 + 1.0 - x) * now - k as f64 * before) / (k as f64 + 1.0);
        (before, now) = (now, next);
    }
    now
}

/// The first zero of L_n, which starts at L_n(0) = 1.
fn first_zero(n: usize) -> f64 {
    bisect(0.0, 2.0 / n as f64, |x| laguerre(n, x))
}

#[test]
fn lowest_frequency_of_short_and_long_threads() {
    // 30 beads: all directions by dense algebra; 220 beads: the lowest by iteration.
    for (n, complete) in [(30, true), (220, false)] {
        let (_, found) = solve(thread(n, -1.0, 0.05));
        assert_eq!(stability(&found), (Stability::Stable, 0, 0, 0));
        assert_eq!(found.verdict.complete, complete);
        near(found.lowest[0] / (G / 0.05 * first_zero(n)), 1.0, 1e-6, "ω²");
    }
}

#[test]
fn standing_thread_is_unstable_in_every_direction() {
    let (_, short) = solve(thread(12, 1.0, 0.0));
    assert_eq!(stability(&short), (Stability::Unstable, 12, 0, 0));
    let (_, long) = solve(thread(220, 1.0, 0.0));
    assert_eq!(stability(&long), (Stability::Unstable, 6, 0, 0));
    assert!(long.lowest[0] < -800.0 * G / 0.05 && long.lowest[0] > -880.0 * G / 0.05, "{:?}", long.lowest);
}

/// A chain of rods from any position: the default finds an equilibrium, relaxation alone the one that hangs.
#[test]
fn triple_pendulum_from_anywhere() {
    let mut seed = 0.37_f64;
    let mut random = || {
        seed = (seed * 997.13 + 0.123).fract();
        2.0 * PI * seed
    };
    for _ in 0..40 {
        let angles = [random(), random(), random()];
        let build = || {
            let mut b = SystemBuilder::new(down());
            let (mut joint, mut before) = (Vec3::zeros(), at(GROUND, 0.0, 0.0));
            for (i, angle) in angles.into_iter().enumerate() {
                let rod = body(&mut b, &format!("rod {i}"), joint, angle, 1.0, Vec3::x() * 0.5, 1.0 / 12.0);
                b.constraint(&format!("pin {i}"), Box::new(revolute(&before, &at(rod, 0.0, 0.0))));
                joint += turn(angle) * Vec3::x();
                before = at(rod, 1.0, 0.0);
            }
            b.build()
        };
        let (_, any) = solve(build());
        let angle = |k: usize| angle_of(&any.state.frames[k]);
        (1..4).for_each(|k| near(angle(k).cos(), 0.0, 1e-9, "upright or hanging"));
        let upright = (1..4).filter(|&k| angle(k) > 0.0).count();
        assert_eq!(any.verdict.negative, upright, "{angles:?}");
        let (system, found) = solve_with(build(), EquilibriumSettings::downhill());
        let found = found.unwrap();
        check(&system, &found);
        (1..4).for_each(|k| near(angle_of(&found.state.frames[k]), -FRAC_PI_2, 1e-8, "hangs"));
    }
}
