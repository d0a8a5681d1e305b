//! Runge–Kutta of order 4 in its three procedures (floating-frame-and-ancf §1.14.3): order, drift, full turns
//! through changing partitions, rows on velocities, drives and their work.

use crate::common;

use common::{
    accelerations, along_x, attach, consistent_start, distance_of_frames, integrate, largest_difference,
    manifold_runge_kutta, order, runge_kutta, tight, unit_point, violation, without_redundant_rows,
};
use poinsot_expr::{Expr, SmoothFunction};
use poinsot_geometry::{Mat3, Vec3, so3};
use poinsot_integrators::{
    ExplicitMethod, ExplicitRungeKutta, ExplicitSettings, Gs4Form, Member, Method, Procedure, Stepper,
    WorkMeter, instant,
};
use poinsot_mechanics::forces::CoordinateForce;
use poinsot_mechanics::joints::*;
use poinsot_mechanics::*;
use std::f64::consts::TAU;

const PROCEDURES: [Procedure; 3] = [Procedure::Augmented, Procedure::Projected, Procedure::Embedding];

fn planar() -> Chart {
    Chart::Planar { e1: Vec3::x(), e2: Vec3::y(), normal: Vec3::z() }
}

/// The classical method of order 4.
fn classical(procedure: Procedure) -> ExplicitSettings {
    ExplicitSettings::new(ExplicitMethod::RungeKutta4, procedure)
}

fn run<'s>(
    system: &'s System,
    procedure: Procedure,
    start: &State,
    t: f64,
    n: usize,
) -> ExplicitRungeKutta<'s> {
    let mut integration = ExplicitRungeKutta::new(system, classical(procedure), start.clone()).unwrap();
    let h = (t - start.t) / n as f64;
    for k in 1..=n {
        integration.step(h).unwrap_or_else(|e| panic!("{procedure:?}: {e}"));
        integration.snap_time(start.t + k as f64 * h);
    }
    integration
}

/// B01: a point on a massless rod, released from the horizontal.
fn pendulum() -> System {
    let mut b = SystemBuilder::new(Vec3::y() * -9.81);
    let node = unit_point(&mut b, -Vec3::x(), Vec3::zeros());
    let [ground, bob] = [GROUND, node].map(|node| attach(node, Vec3::zeros(), Mat3::identity()));
    b.constraint("rod", Box::new(distance(&ground, &bob, 1.0)));
    b.build()
}

/// x, y, ẋ, ẏ and the rod's tension at t = 1 and t = 10, closed form.
const PENDULUM: [(f64, [f64; 5]); 2] = [
    (1.0, [0.98629175113188, -0.16501085312554, 0.29690551591632, 1.7746436411127, 4.8562694074847]),
    (10.0, [-0.27508746257612, -0.96141920509913, 4.1755981009517, -1.1947490545605, 28.294567206067]),
];

fn pendulum_error(system: &System, procedure: Procedure, end: usize, n: usize) -> f64 {
    let (t, expected) = PENDULUM[end];
    let done = run(system, procedure, &system.start_state(0.0), t, n);
    let (state, x) = (done.state(), system.nodes()[1].unknowns().start);
    let r = state.frames[1].r;
    let tension = accelerations(system, state)[system.row_equation(0, 0).unwrap()];
    largest_difference(&[r.x, r.y, state.v[x], state.v[x + 1], tension.abs()], &expected)
}

#[test]
fn pendulum_to_order_four() {
    let system = pendulum();
    for procedure in PROCEDURES {
        let errors = [100, 200, 400].map(|n| pendulum_error(&system, procedure, 0, n));
        let orders = [order(errors[0], errors[1]), order(errors[1], errors[2])];
        assert!((orders[1] - 4.0).abs() < 0.2, "{procedure:?}: orders {orders:.2?}, errors {errors:?}");
    }
    // Ten seconds, four quadrants and many changes of the independent coordinate later.
    for (procedure, limit) in [(Procedure::Projected, 1e-9), (Procedure::Embedding, 5e-9)] {
        let error = pendulum_error(&system, procedure, 1, 10_000);
        assert!(error < limit, "{procedure:?}: {error:.2e}");
    }
}

/// The augmented procedure drifts off the constraints more and more; the others stay on them.
#[test]
fn drift() {
    let (system, h) = (pendulum(), 0.01);
    for procedure in PROCEDURES {
        let mut integration =
            ExplicitRungeKutta::new(&system, classical(procedure), system.start_state(0.0)).unwrap();
        let mut at = vec![];
        let mut worst = (0.0f64, 0.0f64);
        for k in 1..=4000 {
            integration.step(h).unwrap();
            let (position, velocity) = violation(&system, integration.state());
            worst = (worst.0.max(position), worst.1.max(velocity));
            if k % 1000 == 0 {
                at.push(position);
            }
        }
        if procedure == Procedure::Augmented {
            assert!(at[0] > 1e-8 && at.is_sorted() && at[3] > 5.0 * at[0], "drift {at:?}");
        } else {
            assert!(worst.0 < 1e-12 && worst.1 < 1e-12, "{procedure:?}: {worst:?}");
        }
    }
}

/// An attachment at a world point with world axes, as seen from the modelled frame of a node.
fn at_world(b: &SystemBuilder, node: NodeId, point: Vec3, axes: Mat3) -> Attachment {
    let z = *b.start(node);
    attach(node, z.rot.tr_mul(&(point - z.r)), z.rot.tr_mul(&axes))
}

/// Ground – revolute – crank – spherical – coupler – spherical – rocker – revolute – ground, axes askew.
fn four_bar() -> System {
    let mut b = SystemBuilder::new(Vec3::z() * -9.81);
    let (first, second) = (so3::exp(&Vec3::new(0.2, 0.1, 0.0)), so3::exp(&Vec3::new(-1.1, 0.3, 0.4)));
    let (o, a) = (Vec3::zeros(), Vec3::new(0.1, 0.4, 0.1));
    let (c, d) = (Vec3::new(1.2, 0.7, 0.6), Vec3::new(1.4, 0.0, 0.0));
    let mut link = |name: &str, r: Vec3, turn: Vec3, spin: Vec3| {
        let velocity = Twist { linear: Vec3::zeros(), angular: spin };
        let node = b.node(name, Chart::Motion, Frame { r, rot: so3::exp(&turn) }, velocity);
        let inertia = Mat3::from_diagonal(&Vec3::new(0.08, 0.11, 0.15));
        b.body(Body::new(node, &MassProperties::new(1.3, Vec3::new(0.05, -0.04, 0.07), inertia)));
        node
    };
    let crank = link("crank", a * 0.5, Vec3::new(0.2, 0.0, 0.9), first.column(2) * 4.0);
    let coupler = link("coupler", (a + c) * 0.5, Vec3::new(0.0, -0.5, 0.3), Vec3::x() * 0.5);
    let rocker = link("rocker", (c + d) * 0.5, Vec3::new(0.7, 0.1, 0.0), Vec3::zeros());
    for (name, node, point, axes) in [("first", crank, o, first), ("second", rocker, d, second)] {
        let ends = [GROUND, node].map(|node| at_world(&b, node, point, axes));
        b.constraint(name, Box::new(revolute(&ends[0], &ends[1])));
    }
    for (name, nodes, point) in [("near", [crank, coupler], a), ("far", [coupler, rocker], c)] {
        let ends = nodes.map(|node| at_world(&b, node, point, Mat3::identity()));
        b.constraint(name, Box::new(spherical(&ends[0], &ends[1])));
    }
    let ends = [GROUND, rocker].map(|node| at_world(&b, node, d, second));
    let coordinate = Coordinate::angle(&ends[0], &ends[1]);
    b.force(
        "torsion",
        Box::new(CoordinateForce { coordinate, stiffness: 4.0, damping: 0.1, free: 0.2, law: None }),
    );
    b.build()
}

fn distance_of_states(x: &State, y: &State) -> f64 {
    distance_of_frames(&x.frames, &y.frames).max(largest_difference(&x.v, &y.v))
}

#[test]
fn spatial_loop_to_order_four() {
    let system = four_bar();
    let start = consistent_start(&system);
    let exact = manifold_runge_kutta(&system, &start, 0.6, 2000);
    for procedure in PROCEDURES {
        let errors = [40, 80, 160].map(|n| {
            let done = run(&system, procedure, &start, 0.6, n);
            let (position, velocity) = violation(&system, done.state());
            let closed = position < 1e-12 && velocity < 1e-12;
            assert!(
                closed || procedure == Procedure::Augmented,
                "{procedure:?}: {position:.2e}, {velocity:.2e}"
            );
            distance_of_states(done.state(), &exact)
        });
        let orders = [order(errors[0], errors[1]), order(errors[1], errors[2])];
        assert!((orders[1] - 4.0).abs() < 0.3, "{procedure:?}: orders {orders:.2?}, errors {errors:?}");
    }
}

/// Embedding and the stabilised GS4 differ by O(h²), the error of the latter.
#[test]
fn agreement_with_gs4() {
    let system = four_bar();
    let start = consistent_start(&system);
    let settings = tight(Member::u0(0.8, 0.8, 0.8), Gs4Form::Stabilised);
    let apart = [200, 400].map(|n| {
        let embedded = run(&system, Procedure::Embedding, &start, 0.6, n);
        let gs4 = integrate(&system, settings, &start, 0.6 / n as f64, n);
        distance_of_states(embedded.state(), gs4.state())
    });
    let measured = order(apart[0], apart[1]);
    assert!((measured - 2.0).abs() < 0.1, "order {measured:.3}, {apart:?}");
}

const R: f64 = 0.4;
const L: f64 = 1.1;
const SPEED: f64 = 3.0;

/// Two points on rods, the second on the x-axis: a slider-crank whose coordinates all become singular in
/// turn.
fn slider_crank_of_points() -> System {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let chart = Chart::PlanarPoint { e1: Vec3::x(), e2: Vec3::y() };
    let mut point = |name: &str, r: Vec3, v: Vec3, mass: f64| {
        let frame = Frame { r, rot: Mat3::identity() };
        let node = b.node(name, chart, frame, Twist { linear: v, angular: Vec3::zeros() });
        b.body(Body::new(node, &MassProperties::point(mass, Vec3::zeros())));
        node
    };
    let end = (L * L - R * R).sqrt();
    let pin = point("pin", Vec3::y() * R, -Vec3::x() * SPEED, 2.0);
    let slider = point("slider", Vec3::x() * end, -Vec3::x() * SPEED, 1.0);
    let [ground, pin, slider] =
        [GROUND, pin, slider].map(|node| attach(node, Vec3::zeros(), Mat3::identity()));
    b.constraint("crank", Box::new(distance(&ground, &pin, R)));
    b.constraint("rod", Box::new(distance(&pin, &slider, L)));
    b.constraint("guide", Box::new(point_on_line(&attach(GROUND, Vec3::zeros(), along_x()), &slider)));
    without_redundant_rows(b.build())
}

/// θ of the crank by energy: ½(2R² + (dx/dθ)²) θ̇² is constant, dx/dθ = −R sin θ (1 + R cos θ / √(L² − R²
/// sin²θ)).
fn exact_crank_angle(t: f64) -> f64 {
    let inertia = |angle: f64| {
        let (s, c) = angle.sin_cos();
        let slope = -R * s * (1.0 + R * c / (L * L - R * R * s * s).sqrt());
        2.0 * R * R + slope * slope
    };
    let start = TAU / 4.0;
    let energy = inertia(start) * (SPEED / R).powi(2);
    runge_kutta(|_, y| [(energy / inertia(y[0])).sqrt()], [start], t, 40_000)[0]
}

#[test]
fn full_turns_of_a_slider_crank() {
    let (system, t) = (slider_crank_of_points(), 5.0);
    assert_eq!((system.coordinates(), system.active_rows()), (4, 3));
    let angle = exact_crank_angle(t);
    let turns = (angle - TAU / 4.0) / TAU;
    assert!(turns > 5.0, "{turns}");
    let start = system.start_state(0.0);
    let errors = [2000, 4000].map(|n| {
        let done = run(&system, Procedure::Embedding, &start, t, n);
        let (position, velocity) = violation(&system, done.state());
        assert!(position < 1e-13 && velocity < 1e-12, "Φ = {position:.2e}, Φ̇ = {velocity:.2e}");
        // No coordinate serves for more than half a turn.
        assert!(
            done.rechoices() as f64 >= 2.0 * turns.floor(),
            "{} choices in {turns} turns",
            done.rechoices()
        );
        (done.state().frames[1].r - Vec3::new(angle.cos(), angle.sin(), 0.0) * R).norm()
    });
    let measured = order(errors[0], errors[1]);
    assert!((measured - 4.0).abs() < 0.3, "order {measured:.2}, errors {errors:?}");
}

/// Started with the slider's place as the independent coordinate, the embedding leaves it before the dead
/// centre.
#[test]
fn a_bad_wish_is_left_in_time() {
    let system = slider_crank_of_points();
    let start = system.start_state(0.0);
    let slider = system.nodes()[2].unknowns().start;
    let mut integration =
        ExplicitRungeKutta::with_independent(&system, classical(Procedure::Embedding), start, &[slider])
            .unwrap();
    assert_eq!(integration.partition().unwrap().independent, [slider]);
    let mut left = false;
    for _ in 0..1000 {
        integration.step(0.002).unwrap();
        let crank = integration.state().frames[1].r;
        let sine = (crank.y / R).abs();
        left |= integration.partition().unwrap().independent != [slider];
        assert!(left || sine > 0.15, "still in use at a sine of {sine}");
    }
    assert!(left);
    let angle = exact_crank_angle(2.0);
    let error = (integration.state().frames[1].r - Vec3::new(angle.cos(), angle.sin(), 0.0) * R).norm();
    assert!(error < 1e-6, "{error:.2e}");
}

/// D11: Chaplygin's sleigh, (x, y, θ, v, ω) in closed form.
const SLEIGH: [(f64, [f64; 5]); 2] = [
    (1.0, [0.18353774182016, 0.43139867574415, 1.6812001007167, 0.86758472707601, 1.1851040131049]),
    (5.0, [-3.2408124773054, 2.5931848995022, 2.8059974837999, 1.0770017391153, 0.015228596364079]),
];

fn sleigh(chart: Chart) -> System {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let start = Twist { linear: Vec3::zeros(), angular: Vec3::z() * 2.0 };
    let node = b.node("sleigh", chart, Frame::identity(), start);
    b.body(Body::new(node, &MassProperties::new(1.0, Vec3::x() * 0.3, Mat3::identity() * 0.2)));
    let [ground, blade] = [GROUND, node].map(|node| attach(node, Vec3::zeros(), Mat3::identity()));
    b.constraint("blade", Box::new(knife_edge(&ground, &blade)));
    b.build()
}

fn sleigh_error(system: &System, state: &State, expected: &[f64; 5]) -> f64 {
    let (z, v) = (&state.frames[1], system.twist(1, &state.v));
    let forward = z.rot.column(0).dot(&v.linear);
    let (s, c) = expected[2].sin_cos();
    let got = [z.r.x, z.r.y, forward, v.angular.z, z.rot[(0, 0)], z.rot[(1, 0)]];
    largest_difference(&got, &[expected[0], expected[1], expected[3], expected[4], c, s])
}

#[test]
fn knife_edge_to_order_four() {
    for chart in [planar(), Chart::Motion] {
        let system = sleigh(chart);
        let start = system.start_state(0.0);
        for (t, expected) in SLEIGH {
            for procedure in PROCEDURES {
                let errors = [100, 200].map(|n| {
                    let done = run(&system, procedure, &start, t, n);
                    let slip = violation(&system, done.state()).1;
                    assert!(
                        slip < 1e-12 || procedure == Procedure::Augmented,
                        "{procedure:?}: slip {slip:.2e}"
                    );
                    sleigh_error(&system, done.state(), &expected)
                });
                let measured = order(errors[0], errors[1]);
                assert!(
                    (measured - 4.0).abs() < 0.35,
                    "{procedure:?}: order {measured:.2}, errors {errors:?}"
                );
            }
        }
        // GS4 as a second witness of the rows on velocities.
        for form in [Gs4Form::Stabilised, Gs4Form::Hamiltonian, Gs4Form::Position] {
            let settings = tight(Member::u0(0.8, 0.8, 0.8), form);
            let errors = [200, 400].map(|n| {
                let gs4 = integrate(&system, settings, &start, 1.0 / n as f64, n);
                sleigh_error(&system, gs4.state(), &SLEIGH[0].1)
            });
            let measured = order(errors[0], errors[1]);
            assert!((measured - 2.0).abs() < 0.15, "{form:?}: order {measured:.2}, errors {errors:?}");
        }
    }
}

/// D09: a thin disk rolling on the plane z = 0; body axes (e3, e1, axle).
fn disk() -> System {
    let mut b = SystemBuilder::new(Vec3::z() * -9.81);
    let (lean, radius): (f64, f64) = (0.2, 0.5);
    let axle = Vec3::new(0.0, lean.cos(), lean.sin());
    let up = Vec3::new(0.0, -lean.sin(), lean.cos());
    let rot = Mat3::from_columns(&[up, Vec3::x(), axle]);
    let spin = Vec3::new(0.5 * lean.cos(), 0.0, 4.0);
    let velocity = (rot * spin).cross(&(up * radius));
    let start = Frame { r: Vec3::z() * (radius * lean.cos()), rot };
    let node = b.node("disk", Chart::Motion, start, Twist { linear: velocity, angular: spin });
    let inertia = Mat3::from_diagonal(&Vec3::new(0.0625, 0.0625, 0.125));
    b.body(Body::new(node, &MassProperties::new(1.0, Vec3::zeros(), inertia)));
    let [ground, wheel] = [GROUND, node].map(|node| attach(node, Vec3::zeros(), Mat3::identity()));
    b.constraint("contact", Box::new(rolling_disk(&ground, &wheel, radius)));
    b.build()
}

/// ψ, θ, x, y, w_long, w_inplane, w_axle at t = 1 and t = 5.
const DISK: [(f64, [f64; 7]); 2] = [
    (
        1.0,
        [
            -1.4696769039909,
            0.23049040901621,
            1.5174441128162,
            -1.1358237639371,
            -0.55866514795414,
            0.24880761384386,
            3.9924894742305,
        ],
    ),
    (
        5.0,
        [
            -6.4821367537081,
            0.59382248273084,
            0.25393478750319,
            0.053825132640131,
            -0.15052629090934,
            -2.9665471234281,
            4.3024798433762,
        ],
    ),
];

fn disk_error(system: &System, state: &State, expected: &[f64; 7]) -> f64 {
    let z = &state.frames[1];
    let axle: Vec3 = z.rot.column(2).into_owned();
    let lean = axle.z.asin();
    let heading = Vec3::new(axle.y, -axle.x, 0.0).normalize();
    let up = heading.cross(&axle);
    let spin = z.rot * system.twist(1, &state.v).angular;
    let got = [heading.x, heading.y, lean, z.r.x, z.r.y, spin.dot(&heading), spin.dot(&up), spin.dot(&axle)];
    let [psi, rest @ ..] = expected;
    let mut wanted = vec![psi.cos(), psi.sin()];
    wanted.extend(rest);
    largest_difference(&got, &wanted)
}

#[test]
fn rolling_disk_to_order_four() {
    let system = disk();
    let start = system.start_state(0.0);
    let (position, velocity) = violation(&system, &start);
    assert!(position < 1e-15 && velocity < 1e-15);
    for ((t, expected), n) in DISK.into_iter().zip([100, 500]) {
        let errors = [n, 2 * n].map(|n| {
            let done = run(&system, Procedure::Embedding, &start, t, n);
            let partition = done.partition().unwrap();
            assert_eq!((partition.mobility(), partition.dependent_positions.len()), (3, 1));
            let (position, velocity) = violation(&system, done.state());
            assert!(position < 1e-12 && velocity < 1e-12, "Φ = {position:.2e}, slip {velocity:.2e}");
            disk_error(&system, done.state(), &expected)
        });
        let measured = order(errors[0], errors[1]);
        assert!((measured - 4.0).abs() < 0.3, "t = {t}: order {measured:.2}, errors {errors:?}");
    }
    for form in [Gs4Form::Stabilised, Gs4Form::Hamiltonian, Gs4Form::Position] {
        let settings = tight(Member::u0(0.8, 0.8, 0.8), form);
        let errors = [400, 800].map(|n| {
            let gs4 = integrate(&system, settings, &start, 1.0 / n as f64, n);
            disk_error(&system, gs4.state(), &DISK[0].1)
        });
        let measured = order(errors[0], errors[1]);
        assert!((measured - 2.0).abs() < 0.15, "{form:?}: order {measured:.2}, errors {errors:?}");
    }
}

/// A law of time.
fn law_of_time(text: &str) -> SmoothFunction {
    SmoothFunction::new(&Expr::parse(text).unwrap(), &["t"], &|_| None).unwrap()
}

/// D14: crank of radius 0.1, rod 0.3, slider; the crank's angle follows `law`, or its rate does. Optional
/// friction.
fn driven_slider_crank(law: &str, by_rate: bool, friction: bool) -> System {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let (r, l) = (0.1, 0.3);
    let mut body = |name: &str, at: Vec3, mass: f64, inertia: f64| {
        let still = Twist { linear: Vec3::zeros(), angular: Vec3::zeros() };
        let node = b.node(name, planar(), Frame { r: at, rot: Mat3::identity() }, still);
        b.body(Body::new(node, &MassProperties::new(mass, Vec3::zeros(), Mat3::identity() * inertia)));
        node
    };
    let crank = body("crank", Vec3::zeros(), 0.2, 1e-3);
    let rod = body("rod", Vec3::x() * (r + 0.5 * l), 0.6, 0.0045);
    let slider = body("slider", Vec3::x() * (r + l), 0.4, 1e-3);
    let mut pin = |name: &str, nodes: [NodeId; 2], point: Vec3| {
        let ends = nodes.map(|node| at_world(&b, node, point, Mat3::identity()));
        (b.constraint(name, Box::new(revolute(&ends[0], &ends[1]))), ends)
    };
    let (main, ends) = pin("main", [GROUND, crank], Vec3::zeros());
    pin("crank pin", [crank, rod], Vec3::x() * r);
    pin("wrist pin", [rod, slider], Vec3::x() * (r + l));
    let guide = [GROUND, slider].map(|node| at_world(&b, node, Vec3::x() * (r + l), along_x()));
    b.constraint("guide", Box::new(prismatic(&guide[0], &guide[1])));
    let angle = Coordinate::angle(&ends[0], &ends[1]);
    let (law, at) = (law_of_time(law), ends[1].point());
    let drive = if by_rate {
        drives::coordinate_rate(angle.clone(), law, at)
    } else {
        drives::coordinate(angle.clone(), law, at)
    };
    b.constraint("drive", Box::new(drive));
    if friction {
        let mut weights = [0.0; MAX_ROWS];
        weights[..3].fill(1.0);
        b.friction(
            main,
            Friction {
                coordinate: angle,
                weights,
                static_coefficient: 0.3,
                dynamic_coefficient: 0.2,
                stribeck: 0.1,
                transition: 0.01,
                lever: 0.02,
                viscous: 1e-3,
                preload: 5.0,
            },
        );
    }
    without_redundant_rows(b.build())
}

/// Change of energy minus work, at the end of n steps.
fn imbalance(system: &System, method: Method, t: f64, n: usize) -> (f64, f64) {
    let h = t / n as f64;
    let start = consistent_start(system);
    let (zero, mut s) = (vec![0.0; system.size()], Scratch::default());
    let mut energy = |state: &State| system.balance(&instant(state, &zero), &mut s).total();
    let before = energy(&start);
    let mut stepper = method.start(system, start, h).unwrap();
    let mut meter = WorkMeter::new(system, &*stepper);
    let (mut work, mut throughput) = (0.0, 0.0);
    for _ in 0..n {
        stepper.step(h).unwrap();
        let done = meter.step(system, &*stepper, h);
        work += done.supplied - done.dissipated;
        throughput += done.supplied.abs() + done.dissipated.abs();
    }
    ((energy(stepper.state()) - before - work).abs(), throughput)
}

/// The energy balance of a driven mechanism closes with the order of the method: 2 for GS4, 4 for
/// Runge–Kutta.
#[test]
fn work_of_drives_and_friction() {
    let drives = [("20*t + 0.3*sin(15*t)", false), ("20 + 5*sin(9*t)", true)];
    for (law, by_rate) in drives {
        for friction in [false, true] {
            let system = driven_slider_crank(law, by_rate, friction);
            let gs4 = |form| Method::Gs4(tight(Member::u0(0.8, 0.8, 0.8), form));
            let midpoint = Method::Gs4(tight(Member::named("midpoint", 0.0).unwrap(), Gs4Form::Stabilised));
            let methods = [
                (gs4(Gs4Form::Stabilised), 2.0),
                (gs4(Gs4Form::Position), 2.0),
                (midpoint, 2.0),
                (Procedure::Projected.into(), 4.0),
                (Procedure::Embedding.into(), 4.0),
            ];
            for (method, expected) in methods {
                let t = 0.33;
                let runs = [200, 400].map(|n| imbalance(&system, method, t, n));
                let measured = order(runs[0].0, runs[1].0);
                assert!(runs[1].0 < 1e-2 * runs[1].1, "{method:?}: {runs:?}");
                assert!(
                    (measured - expected).abs() < 0.35,
                    "{law}, friction {friction}, {method:?}: order {measured:.2}, {runs:?}"
                );
            }
        }
    }
}

/// D14: slider's place, speed and acceleration, and the driving torque, at constant speed of the crank.
#[test]
fn driven_mechanism_without_freedom() {
    let system = driven_slider_crank("20*t", false, false);
    let start = consistent_start(&system);
    let table = [
        (0.02, [0.38956791803713, -1.0199957329237, -46.406640426293, 1.7886488830226]),
        (0.05, [0.34198728609556, -1.9987173289725, -16.177694158085, 1.3221520483732]),
        (0.1, [0.24427302488779, -1.5538746601299, 25.546213093724, -1.5524874588119]),
    ];
    let drive = system.constraints().len() - 1;
    for (t, expected) in table {
        let done = run(&system, Procedure::Embedding, &start, t, 20);
        assert_eq!(done.partition().unwrap().mobility(), 0);
        let (state, x) = (done.state(), system.nodes()[3].unknowns().start);
        let a = accelerations(&system, state);
        let torque = -a[system.row_equation(drive, 0).unwrap()];
        let got = [state.frames[3].r.x, state.v[x], a[x], torque];
        let miss = largest_difference(&got, &expected);
        assert!(miss < 1e-11, "t = {t}: {got:?} instead of {expected:?}");
    }
}

/// D01: a free body, where there is nothing to partition; the order rests on T⁻¹ alone.
#[test]
fn free_body_to_order_four() {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let start = Twist { linear: Vec3::x(), angular: Vec3::new(0.5, 0.3, 0.9) };
    let node = b.node("body", Chart::Motion, Frame::identity(), start);
    let inertia = Mat3::from_diagonal(&Vec3::new(1.0, 2.0, 3.0));
    b.body(Body::new(node, &MassProperties::new(1.0, Vec3::zeros(), inertia)));
    let system = b.build();
    let spin = Vec3::new(-0.58203376371164, 0.035166715792956, 0.91629022005409);
    let [q0, q1, q2, q3]: [f64; 4] =
        [0.18679417823535, -0.0034208286922178, -0.083327384474749, -0.97885278765759];
    let axis = Vec3::new(q1, q2, q3);
    let attitude = so3::exp(&(axis.normalize() * (2.0 * axis.norm().atan2(q0))));
    for procedure in PROCEDURES {
        let errors = [100, 200].map(|n| {
            let done = run(&system, procedure, &system.start_state(0.0), 10.0, n);
            let (z, v) = (done.state().frames[1], system.twist(1, &done.state().v));
            assert!((z.r - Vec3::x() * 10.0).norm() < 1e-13);
            (z.rot - attitude).amax().max((v.angular - spin).amax())
        });
        let measured = order(errors[0], errors[1]);
        assert!((measured - 4.0).abs() < 0.3, "{procedure:?}: order {measured:.2}, errors {errors:?}");
    }
}

/// The pendulum of B01 as a bead on a circle, whose place is an unknown without mass.
#[test]
fn bead_on_a_curve_to_order_four() {
    let mut b = SystemBuilder::new(Vec3::y() * -9.81);
    let bead = unit_point(&mut b, -Vec3::x(), Vec3::zeros());
    let place = b.parameter("place", TAU / 2.0);
    let [ground, bead] = [GROUND, bead].map(|node| attach(node, Vec3::zeros(), Mat3::identity()));
    let curve = ["cos(s)", "sin(s)", "0*s"]
        .map(|r| SmoothFunction::new(&Expr::parse(r).unwrap(), &["s"], &|_| None).unwrap());
    b.constraint("wire", Box::new(point_on_curve(&ground, &bead, place, curve)));
    let system = b.build();
    let start = consistent_start(&system);
    let (t, expected) = PENDULUM[0];
    for procedure in PROCEDURES {
        let errors = [200, 400].map(|n| {
            let done = run(&system, procedure, &start, t, n);
            let (r, v) = (done.state().frames[1].r, system.twist(1, &done.state().v).linear);
            largest_difference(&[r.x, r.y, v.x, v.y], &expected)
        });
        let measured = order(errors[0], errors[1]);
        assert!((measured - 4.0).abs() < 0.3, "{procedure:?}: order {measured:.2}, errors {errors:?}");
    }
}

/// Steps of another length, failures that leave the state alone, counters.
#[test]
fn steps_are_independent() {
    let system = four_bar();
    let start = consistent_start(&system);
    let mut integration =
        ExplicitRungeKutta::new(&system, classical(Procedure::Embedding), start.clone()).unwrap();
    // Dependent rotations cannot be found over several turns.
    let failure = integration.step(3.0).unwrap_err();
    assert!(failure.step == 3.0 && integration.state() == &start, "{failure}");
    for k in 0..60 {
        integration.step(if k % 2 == 0 { 0.004 } else { 0.006 }).unwrap();
    }
    let exact = manifold_runge_kutta(&system, &start, 0.3, 1000);
    let error = distance_of_states(integration.state(), &exact);
    assert!(error < 1e-5, "{error:.2e}");
    assert_eq!(integration.counters().steps, 60);
    assert!(integration.counters().factorisations >= 60 * 12);
}
