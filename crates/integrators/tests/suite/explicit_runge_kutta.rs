//! Explicit Runge–Kutta methods: measured orders, adaptive steps against closed forms and tables, networks,
//! cost.

use crate::common;

use common::{accelerations, attach, largest_difference, law, order, runge_kutta, unit_point, violation};
use poinsot_expr::{Expr, Function};
use poinsot_geometry::{Mat3, Vec3};
use poinsot_integrators::{
    Controller, ErrorMeasure, ExplicitMethod, ExplicitRungeKutta, ExplicitSettings, Procedure, Stepper,
    Tolerance,
};
use poinsot_mechanics::forces::CoordinateForce;
use poinsot_mechanics::joints::distance;
use poinsot_mechanics::*;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

use ExplicitMethod::{CashKarp, DormandPrince, Euler, Heun, Midpoint, RungeKutta4};

/// All methods with their orders and a number of steps per unit of time at which the order shows.
const METHODS: [(ExplicitMethod, f64, usize); 6] = [
    (Euler, 1.0, 4000),
    (Midpoint, 2.0, 400),
    (Heun, 2.0, 400),
    (RungeKutta4, 4.0, 100),
    (CashKarp, 5.0, 80),
    (DormandPrince, 5.0, 80),
];

fn run<'s>(system: &'s System, settings: ExplicitSettings, t: f64, n: usize) -> ExplicitRungeKutta<'s> {
    let mut integration = ExplicitRungeKutta::new(system, settings, system.start_state(0.0)).unwrap();
    for k in 1..=n {
        integration.step(t / n as f64).unwrap_or_else(|e| panic!("{settings:?}: {e}"));
        integration.snap_time(t * k as f64 / n as f64);
    }
    integration
}

/// Asserts the order of an error that depends on the number of steps.
fn assert_order(what: &str, expected: f64, steps: usize, error: impl Fn(usize) -> f64) {
    let errors = [steps, 2 * steps].map(error);
    let measured = order(errors[0], errors[1]);
    println!("{what}: order {measured:.3}, errors {:.2e} and {:.2e}", errors[0], errors[1]);
    assert!((measured - expected).abs() < 0.25, "{what}: order {measured:.3}, errors {errors:?}");
}

/// Steps as the controller says to `end`; returns the rejected steps and those that failed.
fn adapt(
    integration: &mut ExplicitRungeKutta,
    system: &System,
    end: f64,
    tolerance: f64,
    first: f64,
) -> [usize; 2] {
    integration.set_tolerances(ErrorMeasure::new(system, Tolerance::both(tolerance)));
    let (mut controller, mut h, mut lost) = (Controller::new(end), first, [0, 0]);
    while end - integration.state().t > 4.0 * f64::EPSILON * end {
        let step = h.min(end - integration.state().t);
        match integration.attempt(step) {
            Ok(attempt) => {
                assert!(attempt.error.is_some(), "a pair");
                let verdict = controller.judge(step, &attempt);
                h = verdict.next;
                if verdict.accept {
                    integration.accept();
                } else {
                    lost[0] += 1;
                }
            }
            Err(failure) => {
                h = controller.cut(step);
                lost[1] += 1;
                assert!(lost[1] < 100, "{failure}");
            }
        }
    }
    lost
}

fn dormand_prince(procedure: Procedure) -> ExplicitSettings {
    ExplicitSettings::new(DormandPrince, procedure)
}

/// B01: a point on a massless rod, released from the horizontal.
fn pendulum() -> System {
    let mut b = SystemBuilder::new(Vec3::y() * -9.81);
    let node = unit_point(&mut b, -Vec3::x(), Vec3::zeros());
    let [ground, bob] = [GROUND, node].map(|node| attach(node, Vec3::zeros(), Mat3::identity()));
    b.constraint("rod", Box::new(distance(&ground, &bob, 1.0)));
    b.build()
}

/// x, y, ẋ, ẏ of B01 at t = 1, closed form.
const PENDULUM: [f64; 4] = [0.98629175113188, -0.16501085312554, 0.29690551591632, 1.7746436411127];

fn planar_state(system: &System, state: &State, node: usize) -> [f64; 4] {
    let (r, x) = (state.frames[node].r, system.nodes()[node].unknowns().start);
    [r.x, r.y, state.v[x], state.v[x + 1]]
}

#[test]
fn orders_on_the_pendulum() {
    let system = pendulum();
    for (method, expected, steps) in METHODS {
        for procedure in [Procedure::Projected, Procedure::Embedding] {
            assert_order(&format!("{method:?} {procedure:?}"), expected, steps, |n| {
                let done = run(&system, ExplicitSettings::new(method, procedure), 1.0, n);
                let (position, velocity) = violation(&system, done.state());
                assert!(position < 1e-14 && velocity < 1e-14, "{position:.1e}, {velocity:.1e}");
                largest_difference(&planar_state(&system, done.state(), 1), &PENDULUM)
            });
        }
    }
}

/// D01: a body with the inertia (1, 2, 3) without any force.
#[test]
fn orders_on_a_spinning_body() {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let spin = Twist { linear: Vec3::zeros(), angular: Vec3::new(0.5, 0.3, 0.9) };
    let node = b.node("body", Chart::Motion, Frame { r: Vec3::zeros(), rot: Mat3::identity() }, spin);
    let inertia = Mat3::from_diagonal(&Vec3::new(1.0, 2.0, 3.0));
    b.body(Body::new(node, &MassProperties::new(1.0, Vec3::zeros(), inertia)));
    let system = b.build();
    let omega = [-0.5820337637116402, 0.03516671579295606, 0.9162902200540935];
    // Attitude from the quaternion (w, v): R = I + 2w ṽ + 2ṽ².
    let (w, v) =
        (0.1867941782353547, Vec3::new(-0.003420828692217784, -0.08332738447474948, -0.9788527876575897));
    let v = v.cross_matrix();
    let attitude = Mat3::identity() + v * (2.0 * w) + v * v * 2.0;
    for (method, expected, steps) in METHODS {
        assert_order(&format!("{method:?}"), expected, 2 * steps, |n| {
            let done = run(&system, ExplicitSettings::new(method, Procedure::Projected), 10.0, n);
            let turn = system.nodes()[1].unknowns().start + 3;
            let by_speed = largest_difference(&done.state().v[turn..turn + 3], &omega);
            by_speed.max((done.state().frames[1].rot - attitude).amax())
        });
    }
}

/// A network of the equations `texts` in the variables `names`, which start at `start`.
fn network(names: &[&str], start: &[f64], texts: &[&str]) -> System {
    let rates: Vec<String> = names.iter().map(|name| format!("d{name}")).collect();
    let arguments: Vec<&str> =
        names.iter().copied().chain(rates.iter().map(String::as_str)).chain(["t"]).collect();
    let function = |text: &&str| Function::new(&Expr::parse(text).unwrap(), &arguments, &|_| None).unwrap();
    let variable =
        |(name, start): (&&str, &f64)| Variable { name: name.to_string(), start: *start, nominal: 1.0 };
    let mut b = SystemBuilder::new(Vec3::zeros());
    b.network(Network {
        name: "network".into(),
        variables: names.iter().zip(start).map(variable).collect(),
        readings: vec![],
        equations: texts.iter().map(function).collect(),
        loads: vec![],
    })
    .unwrap();
    b.build()
}

fn variables(system: &System, state: &State) -> Vec<f64> {
    let network = &system.networks()[0];
    (0..network.law.variables.len()).map(|j| state.v[network.unknown(j)]).collect()
}

/// x + iy = exp(i sin t); the equations in the order that is not that of the variables.
fn two_rates() -> System {
    network(&["x", "y"], &[1.0, 0.0], &["2*dy - 2*x*(x^2 + y^2)*cos(t)", "dx + y*(x^2 + y^2)*cos(t)"])
}

fn two_rates_at(t: f64) -> [f64; 2] {
    [t.sin().cos(), t.sin().sin()]
}

#[test]
fn orders_on_a_network() {
    let system = two_rates();
    for (method, expected, steps) in METHODS {
        for procedure in [Procedure::Projected, Procedure::Embedding] {
            assert_order(&format!("{method:?} {procedure:?}"), expected, steps / 4, |n| {
                let done = run(&system, ExplicitSettings::new(method, procedure), 2.0, n);
                largest_difference(&variables(&system, done.state()), &two_rates_at(2.0))
            });
        }
    }
}

/// lagrangian-dae-modeling VC-5.1: errors of Euler's method on ẏ = −y, y(0) = 2.
#[test]
fn table_of_eulers_method() {
    let system = network(&["y"], &[2.0], &["dy + y"]);
    let settings = ExplicitSettings::new(Euler, Procedure::Augmented);
    let tables = [
        (1, [0.009675, 0.017462, 0.023636, 0.028440, 0.032081]),
        (10, [0.000911, 0.001648, 0.002236, 0.002697, 0.003049]),
    ];
    for (per_row, table) in tables {
        for (row, expected) in (1..).zip(table) {
            let t = 0.1 * f64::from(row);
            let done = run(&system, settings, t, row as usize * per_row);
            let error = 2.0 * (-t).exp() - variables(&system, done.state())[0];
            assert!((error - expected).abs() < 5e-7, "t = {t}: {error:.7} instead of {expected}");
        }
    }
    // VC-5.stab: λ = −1, h = 3.
    let system = network(&["y"], &[1.0], &["dy + y"]);
    let mut integration = ExplicitRungeKutta::new(&system, settings, system.start_state(0.0)).unwrap();
    for expected in [-2.0, 4.0, -8.0, 16.0] {
        integration.step(3.0).unwrap();
        assert_eq!(variables(&system, integration.state()), [expected]);
    }
}

/// The error of a pair is y − ŷ in units of the tolerance: h²/2 for Heun with Euler on ẏ = −y.
#[test]
fn the_error_is_that_of_the_pair() {
    let system = network(&["y"], &[3.0], &["dy + y"]);
    let settings = ExplicitSettings::new(Heun, Procedure::Embedding);
    let mut integration = ExplicitRungeKutta::new(&system, settings, system.start_state(0.0)).unwrap();
    integration.set_tolerances(ErrorMeasure::new(&system, Tolerance { relative: 1e-3, absolute: 1e-4 }));
    let attempt = integration.attempt(0.1).unwrap();
    let expected = 3.0 * 0.005 / (1e-4 + 3e-3);
    assert!((attempt.error.unwrap() - expected).abs() < 1e-12 * expected);
    assert_eq!(attempt.exponent, 2);
    for (method, exponent) in [(Euler, 2), (Midpoint, 3), (RungeKutta4, 5)] {
        let settings = ExplicitSettings::new(method, Procedure::Embedding);
        let mut integration = ExplicitRungeKutta::new(&system, settings, system.start_state(0.0)).unwrap();
        let attempt = integration.attempt(0.1).unwrap();
        assert!(attempt.error.is_none() && attempt.exponent == exponent && !method.is_pair());
    }
}

/// ẏ = −z with z³ + z = y: the algebraic equation is differentiated for the rates and closed after every
/// step.
#[test]
fn an_algebraic_equation_of_index_one() {
    let z0 = 1.0;
    let system = network(&["y", "z"], &[2.0, z0], &["dy + z", "z^3 + z - y"]);
    let [z] = runge_kutta(|_, z: &[f64; 1]| [-z[0] / (3.0 * z[0] * z[0] + 1.0)], [z0], 2.0, 4000);
    let error_of = |procedure, n| {
        let done = run(&system, ExplicitSettings::new(DormandPrince, procedure), 2.0, n);
        let found = variables(&system, done.state());
        (largest_difference(&found, &[z * z * z + z, z]), (found[1].powi(3) + found[1] - found[0]).abs())
    };
    for procedure in [Procedure::Embedding, Procedure::Projected] {
        assert_order(&format!("{procedure:?}"), 5.0, 10, |n| {
            let (error, open) = error_of(procedure, n);
            assert!(open < 1e-15, "{open:.1e}");
            error
        });
    }
    let (_, open) = error_of(Procedure::Augmented, 10);
    assert!(open > 1e-12 && open < 1e-6, "the augmented procedure drifts: {open:.1e}");
}

/// ẏ³ + ẏ = y has the rate 1 at y = 2; y ẏ = 1 has none at y = 0.
#[test]
fn rates_that_are_not_alone() {
    let settings = ExplicitSettings::default();
    let system = network(&["y"], &[2.0], &["dy^3 + dy - y"]);
    let integration = ExplicitRungeKutta::new(&system, settings, system.start_state(0.0)).unwrap();
    assert!((integration.accelerations()[system.networks()[0].unknown(0)] - 1.0).abs() < 1e-15);
    let system = network(&["y"], &[0.0], &["y*dy - 1"]);
    let failure = ExplicitRungeKutta::new(&system, settings, system.start_state(0.0)).unwrap_err();
    assert!(failure.reason.contains("not determined"), "{failure}");
    let system = network(&["y"], &[-1.0], &["dy - sqrt(y)"]);
    let failure = ExplicitRungeKutta::new(&system, settings, system.start_state(0.0)).unwrap_err();
    assert!(failure.reason.contains("not finite"), "{failure}");
}

/// A pendulum pulled by a network: y lags behind the distance s of the bob from a fixed point and z = y s is
/// algebraic, −0.5 y − 0.1 z acts on s. The angle obeys θ̈ = −g sin θ + e ds/dθ.
#[test]
fn orders_on_a_pendulum_with_a_network() {
    let mut b = SystemBuilder::new(Vec3::y() * -9.81);
    let node = unit_point(&mut b, -Vec3::x(), Vec3::zeros());
    let [ground, bob] = [GROUND, node].map(|node| attach(node, Vec3::zeros(), Mat3::identity()));
    b.constraint("rod", Box::new(distance(&ground, &bob, 1.0)));
    let post = attach(GROUND, Vec3::new(2.0, 0.5, 0.0), Mat3::identity());
    let reach = |angle: f64| (Vec3::new(angle.sin(), -angle.cos(), 0.0) - post.origin).norm();
    let (first, y0) = (reach(-FRAC_PI_2), 1.0);
    let arguments = ["y", "z", "dy", "dz", "s", "t"];
    let function = |text| Function::new(&Expr::parse(text).unwrap(), &arguments, &|_| None).unwrap();
    let variable = |name: &str, start| Variable { name: name.into(), start, nominal: 1.0 };
    b.network(Network {
        name: "lag".into(),
        variables: vec![variable("y", y0), variable("z", y0 * first)],
        readings: vec![Reading::Coordinate(Coordinate::distance(&post, &bob))],
        equations: vec![function("z - y*s"), function("dy - 3*(s - y) - cos(t)")],
        loads: vec![Load::along(0, function("-0.5*y - 0.1*z"))],
    })
    .unwrap();
    let system = b.build();
    let rate = |t: f64, &[angle, speed, y]: &[f64; 3]| {
        let s = reach(angle);
        let lever = (-post.origin.x * angle.cos() - post.origin.y * angle.sin()) / s;
        [speed, -9.81 * angle.sin() - (0.5 * y + 0.1 * y * s) * lever, 3.0 * (s - y) + t.cos()]
    };
    let [angle, speed, y] = runge_kutta(rate, [-FRAC_PI_2, 0.0, y0], 1.0, 20_000);
    let exact = [angle.sin(), -angle.cos(), speed * angle.cos(), speed * angle.sin(), y, y * reach(angle)];
    for (method, expected, steps) in [(Heun, 2.0, 800), (RungeKutta4, 4.0, 200), (DormandPrince, 5.0, 150)] {
        for procedure in [Procedure::Projected, Procedure::Embedding] {
            assert_order(&format!("{method:?} {procedure:?}"), expected, steps, |n| {
                let done = run(&system, ExplicitSettings::new(method, procedure), 1.0, n);
                let found = variables(&system, done.state());
                assert!((found[1] - found[0] * reach_of(done.state(), &post.origin)).abs() < 1e-14);
                let mut all = planar_state(&system, done.state(), 1).to_vec();
                all.extend(found);
                largest_difference(&all, &exact)
            });
        }
    }
}

fn reach_of(state: &State, from: &Vec3) -> f64 {
    (state.frames[1].r - from).norm()
}

#[test]
fn an_algebraic_equation_of_index_two_is_refused() {
    let system = network(&["x", "z"], &[0.0, 1.0], &["dx - z", "x - sin(t)"]);
    let failure =
        ExplicitRungeKutta::new(&system, ExplicitSettings::default(), system.start_state(0.0)).unwrap_err();
    assert!(failure.reason.contains("index 2") && failure.remedy.contains("radau"), "{failure}");
    assert!(failure.equation.contains("number 2"), "{failure}");
}

/// Attraction of unit strength times `product` between two points.
fn attraction(b: &mut SystemBuilder, nodes: [NodeId; 2], product: f64) {
    let ends = nodes.map(|node| attach(node, Vec3::zeros(), Mat3::identity()));
    let force = CoordinateForce {
        coordinate: Coordinate::distance(&ends[0], &ends[1]),
        stiffness: 0.0,
        damping: 0.0,
        free: 0.0,
        law: Some(law(&format!("{product}/s^2"))),
    };
    b.force("attraction", Box::new(force));
}

/// D05: an orbit of the given eccentricity.
fn orbit(e: f64) -> System {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let speed = ((1.0 + e) / (1.0 - e)).sqrt();
    let node = unit_point(&mut b, Vec3::x() * (1.0 - e), Vec3::y() * speed);
    attraction(&mut b, [GROUND, node], 1.0);
    b.build()
}

/// One period. Local errors change the energy by some tolerances δE on the way; with the period T = 2π
/// (−2E)^(−3/2) the planet is then early or late by up to 6π δE, which at the perihelion with its
/// acceleration of 6.25 makes 118 δE of the velocity. So the invariants keep to the tolerance; the place on
/// the orbit is in proportion to it.
#[test]
fn kepler_to_the_tolerance() {
    let (e, system) = (0.6, orbit(0.6));
    let start = system.start_state(0.0);
    let invariants =
        |[x, y, vx, vy]: [f64; 4]| [0.5 * (vx * vx + vy * vy) - 1.0 / x.hypot(y), x * vy - y * vx];
    let exact = [-0.5, (1.0f64 - e * e).sqrt()];
    // Errors of Dormand and Prince by a separate program with the same error measure.
    for (method, expected) in [(DormandPrince, Some([9.46e-4, 8.13e-6, 5.36e-8])), (CashKarp, None)] {
        for (k, tolerance) in [1e-6, 1e-8, 1e-10].into_iter().enumerate() {
            let settings = ExplicitSettings::new(method, Procedure::Projected);
            let mut integration = ExplicitRungeKutta::new(&system, settings, start.clone()).unwrap();
            // The method counts the errors of a motion four times, the separate program once.
            adapt(&mut integration, &system, TAU, 4.0 * tolerance, 1e-2);
            let [first, last] = [&start, integration.state()].map(|state| planar_state(&system, state, 1));
            let error = largest_difference(&first, &last);
            let kept = largest_difference(&invariants(last), &exact);
            println!("{method:?} {tolerance:e}: error {error:.2e}, invariants {kept:.2e}");
            assert!(kept < 30.0 * tolerance, "{method:?}, {tolerance:e}: invariants {kept:.2e}");
            assert!(error < 2000.0 * tolerance, "{method:?}, {tolerance:e}: error {error:.2e}");
            if let Some(expected) = expected {
                assert!((error / expected[k] - 1.0).abs() < 0.1, "{tolerance:e}: error {error:.3e}");
            }
            assert!(integration.warning().is_none());
        }
    }
}

/// D05 at t = 3, near the aphelion.
#[test]
fn kepler_near_the_aphelion() {
    let system = orbit(0.6);
    let exact = [-1.596083002870164, 0.0707385106686625, -0.05534575739972382, -0.4987741377598476];
    for tolerance in [1e-6, 1e-8, 1e-10] {
        let start = system.start_state(0.0);
        let mut integration =
            ExplicitRungeKutta::new(&system, dormand_prince(Procedure::Embedding), start).unwrap();
        adapt(&mut integration, &system, 3.0, tolerance, 1e-2);
        let error = largest_difference(&planar_state(&system, integration.state(), 1), &exact);
        println!("{tolerance:e}: error {error:.2e}");
        assert!(error < 30.0 * tolerance, "{tolerance:e}: error {error:.2e}");
    }
}

/// gs4-isochronous-integrators V-04: x and y of seven bodies at t = 3, and x, y, ẋ, ẏ of the second.
struct Pleiades {
    mass: fn(usize) -> f64,
    x: [f64; 7],
    y: [f64; 7],
    second: [f64; 4],
}

const PLEIADES: [Pleiades; 2] = [
    Pleiades {
        mass: |_| 1.0,
        x: [1.23011692, 2.35345478, -0.14270851, -2.22855646, 1.58960547, 3.49540299, -1.5473152],
        y: [3.91687781, -3.07719414, 2.4087372, -3.49506054, 2.16675105, -2.71871782, 2.04860644],
        second: [2.353454784633, -3.077194141054, 0.054390545110, -0.655894428866],
    },
    Pleiades {
        mass: |i| i as f64 + 1.0,
        x: [0.37061391, 3.23728409, -3.22255903, 0.65970915, 0.34255817, 1.5621721, -0.70030929],
        y: [-3.94343759, -3.27138097, 5.22508184, -2.59061244, 1.19821369, -0.24296823, 1.09144924],
        second: [3.237284092058, -3.271380973972, 1.354584501626, 0.377345968576],
    },
];

#[test]
fn pleiades() {
    let places = [(3, 3), (3, -3), (-1, 2), (-3, 0), (2, 0), (-2, -4), (2, 4)];
    let speeds = [(0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, -1.25), (0.0, 1.0), (1.75, 0.0), (-1.5, 0.0)];
    for set in PLEIADES {
        let mut b = SystemBuilder::new(Vec3::zeros());
        let mut nodes = vec![];
        for (k, ((x, y), (vx, vy))) in places.into_iter().zip(speeds).enumerate() {
            let start = Frame { r: Vec3::new(f64::from(x), f64::from(y), 0.0), rot: Mat3::identity() };
            let velocity = Twist { linear: Vec3::new(vx, vy, 0.0), angular: Vec3::zeros() };
            let node = b.node("star", Chart::Point, start, velocity);
            b.body(Body::new(node, &MassProperties::point((set.mass)(k), Vec3::zeros())));
            nodes.push(node);
        }
        for i in 0..7 {
            (0..i).for_each(|j| attraction(&mut b, [nodes[i], nodes[j]], (set.mass)(i) * (set.mass)(j)));
        }
        let system = b.build();
        // Errors are amplified at the close encounters; the second tolerance shows all the digits that are
        // printed.
        for (tolerance, limits) in [(1e-10, [1e-7, 1e-8]), (1e-13, [6e-9, 2e-11])] {
            let settings = dormand_prince(Procedure::Embedding);
            let mut integration =
                ExplicitRungeKutta::new(&system, settings, system.start_state(0.0)).unwrap();
            adapt(&mut integration, &system, 3.0, tolerance, 1e-3);
            let found = nodes.iter().map(|&node| planar_state(&system, integration.state(), node));
            let found: Vec<[f64; 4]> = found.collect();
            let [x, y] = [0, 1].map(|c| found.iter().map(|s| s[c]).collect::<Vec<_>>());
            let error = largest_difference(&x, &set.x).max(largest_difference(&y, &set.y));
            let second = largest_difference(&found[1], &set.second);
            println!("{tolerance:e}: error {error:.2e}, second {second:.2e}, {:?}", integration.counters());
            assert!(error < limits[0] && second < limits[1], "{tolerance:e}: {error:.2e}, {second:.2e}");
        }
    }
}

/// D07: two points of unit mass on rods of unit length, angles from the vertical, at rest.
fn double_pendulum(angles: [f64; 2]) -> System {
    let mut b = SystemBuilder::new(Vec3::y() * -9.81);
    let arm = |angle: f64| Vec3::new(angle.sin(), -angle.cos(), 0.0);
    let first = unit_point(&mut b, arm(angles[0]), Vec3::zeros());
    let second = unit_point(&mut b, arm(angles[0]) + arm(angles[1]), Vec3::zeros());
    for nodes in [[GROUND, first], [first, second]] {
        let ends = nodes.map(|node| attach(node, Vec3::zeros(), Mat3::identity()));
        b.constraint("rod", Box::new(distance(&ends[0], &ends[1], 1.0)));
    }
    b.build()
}

/// Places and velocities of both points by (θ₁, θ₂, ω₁, ω₂).
fn double_pendulum_state([a, b, p, q]: [f64; 4]) -> [[f64; 4]; 2] {
    let one = [a.sin(), -a.cos(), p * a.cos(), p * a.sin()];
    let two = [b.sin(), -b.cos(), q * b.cos(), q * b.sin()];
    [one, std::array::from_fn(|k| one[k] + two[k])]
}

#[test]
fn double_pendulum_to_the_tolerance() {
    let (level, high) = ([FRAC_PI_2; 2], [0.75 * PI, 0.875 * PI]);
    // The second start is chaotic: it amplifies errors by 10⁵ in five seconds.
    let cases = [
        (level, 1.0, [-0.6250876998063906, -1.034585085680012, -3.922279572887977, -1.303099248696331], 1e-8),
        (level, 5.0, [-0.6271867050665307, -1.301315550209812, 2.125408673842911, 3.881888727265607], 1e-7),
        (high, 1.0, [0.2796041673948554, -0.9367176682222415, -1.509319752394145, -9.011916358951234], 1e-8),
        (high, 5.0, [-8.095457345680186, -8.359134832817076, 0.9025780976367786, -5.982623807151131], 1e-4),
    ];
    for (angles, t, end, limit) in cases {
        let system = double_pendulum(angles);
        for procedure in [Procedure::Projected, Procedure::Embedding] {
            let start = system.start_state(0.0);
            let mut integration = ExplicitRungeKutta::new(&system, dormand_prince(procedure), start).unwrap();
            // The first step is far too long.
            let lost = adapt(&mut integration, &system, t, 1e-10, 0.5);
            let errors = [1, 2].map(|node| {
                let found = planar_state(&system, integration.state(), node);
                largest_difference(&found, &double_pendulum_state(end)[node - 1])
            });
            let error = errors[0].max(errors[1]);
            println!("{procedure:?} t = {t}: error {error:.2e}, lost {lost:?}, {:?}", integration.counters());
            assert!(lost[0] + lost[1] > 0, "no step was rejected");
            assert!(error < limit, "{procedure:?} at t = {t}: {error:.2e}");
        }
    }
}

/// Whole turns with adaptive steps: the independent coordinate changes between them, also where steps are
/// rejected.
#[test]
fn adaptive_steps_through_changing_partitions() {
    let mut b = SystemBuilder::new(Vec3::y() * -9.81);
    let node = unit_point(&mut b, -Vec3::y(), Vec3::x() * 7.0);
    let [ground, bob] = [GROUND, node].map(|node| attach(node, Vec3::zeros(), Mat3::identity()));
    b.constraint("rod", Box::new(distance(&ground, &bob, 1.0)));
    let system = b.build();
    let [angle, rate] = runge_kutta(|_, y: &[f64; 2]| [y[1], -9.81 * y[0].sin()], [0.0, 7.0], 10.0, 100_000);
    let exact = [angle.sin(), -angle.cos(), rate * angle.cos(), rate * angle.sin()];
    assert!(angle > 7.0 * TAU);
    let all = [1e-7, 1e-10].map(|tolerance| {
        [Procedure::Projected, Procedure::Embedding].map(|procedure| {
            let start = system.start_state(0.0);
            let mut integration = ExplicitRungeKutta::new(&system, dormand_prince(procedure), start).unwrap();
            let lost = adapt(&mut integration, &system, 10.0, tolerance, 1.0);
            let error = largest_difference(&planar_state(&system, integration.state(), 1), &exact);
            let rechoices = integration.rechoices();
            println!("{procedure:?} {tolerance:e}: error {error:.2e}, lost {lost:?}, rechoices {rechoices}");
            if procedure == Procedure::Embedding {
                assert!(rechoices > 30 && lost[0] > 0 && lost[1] > 0, "{lost:?}, {rechoices} rechoices");
            }
            error
        })
    });
    for ([projected, embedding], limit) in all.into_iter().zip([5e-3, 5e-6]) {
        assert!(embedding < limit && embedding < 15.0 * projected, "{embedding:.2e}, {projected:.2e}");
    }
}

/// What a step costs: the last stage of Dormand and Prince is the first of the next step, and the first stage
/// serves every attempt. Both give the accelerations at the state.
#[test]
fn evaluations_are_not_repeated() {
    let system = double_pendulum([2.0, 1.0]);
    for (method, each) in [(Euler, 1), (Heun, 2), (RungeKutta4, 4), (CashKarp, 6), (DormandPrince, 6)] {
        for procedure in [Procedure::Augmented, Procedure::Projected, Procedure::Embedding] {
            let settings = ExplicitSettings::new(method, procedure);
            let done = run(&system, settings, 0.2, 20);
            assert_eq!(done.counters().residuals, 1 + 20 * each, "{settings:?}");
            let fresh = accelerations(&system, done.state());
            let apart = largest_difference(done.accelerations(), &fresh);
            assert!(apart < 1e-11, "{settings:?}: {apart:.1e}");
        }
        let settings = ExplicitSettings::new(method, Procedure::Embedding);
        let mut integration = ExplicitRungeKutta::new(&system, settings, system.start_state(0.0)).unwrap();
        integration.attempt(0.02).unwrap();
        let before = integration.counters().residuals;
        integration.attempt(0.01).unwrap();
        let again = integration.counters().residuals - before;
        assert_eq!(again, each - usize::from(method != DormandPrince), "{method:?}");
        integration.accept();
        let state = integration.state().clone();
        assert_eq!(
            run(&system, settings, 0.01, 1).state(),
            &state,
            "{method:?}: a rejected step leaves traces"
        );
    }
}

/// Inside a step the variables of networks are as exact as Dormand and Prince's interpolant, positions more
/// so.
#[test]
fn motion_inside_a_step() {
    let system = two_rates();
    let local = |n: usize| {
        let h = 0.5 / n as f64;
        let settings = dormand_prince(Procedure::Augmented);
        let mut integration = ExplicitRungeKutta::new(&system, settings, system.start_state(0.0)).unwrap();
        let mut inside = integration.state().clone();
        assert!(!integration.interpolate(0.0, &mut inside), "nothing is known before the first step");
        integration.step(h).unwrap();
        let error = |x: f64| {
            let mut inside = integration.state().clone();
            assert!(integration.interpolate(x * h, &mut inside));
            largest_difference(&variables(&system, &inside), &two_rates_at(x * h))
        };
        [0.25, 0.5, 0.8].map(error).into_iter().fold(0.0, f64::max)
    };
    assert_order("network", 5.0, 4, local);
    let system = orbit(0.3);
    let local = |n: usize| {
        let settings = dormand_prince(Procedure::Embedding);
        let h = 0.4 / n as f64;
        let mut integration = run(&system, settings, h, 1);
        let exact = run(&system, settings, 0.4 * h, 20);
        let mut inside = integration.state().clone();
        assert!(integration.interpolate(0.4 * h, &mut inside));
        (inside.frames[1].r - exact.state().frames[1].r).norm()
    };
    assert_order("orbit", 6.0, 2, local);
}

/// ẏ = −1000 (y − cos t) is stiff for Dormand and Prince; the step goes to the border of stability and stays
/// there.
#[test]
fn stiffness_is_told() {
    let system = network(&["y"], &[1.0], &["dy + 1000*(y - cos(t))"]);
    let settings = dormand_prince(Procedure::Embedding);
    let mut integration = ExplicitRungeKutta::new(&system, settings, system.start_state(0.0)).unwrap();
    adapt(&mut integration, &system, 1.0, 1e-4, 1e-4);
    let stepper: &dyn Stepper = &integration;
    assert!(stepper.warning().is_some_and(|w| w.contains("stiff")));
    let steps = integration.counters().steps;
    assert!((250..500).contains(&steps), "{steps} steps of about 3.3/1000");
    let exact = (1e6 * 1f64.cos() + 1e3 * 1f64.sin()) / (1e6 + 1.0);
    let error = (variables(&system, integration.state())[0] - exact).abs();
    assert!(error < 1e-4, "{error:.2e}");
    let system = network(&["y"], &[1.0], &["dy + 3*(y - cos(t))"]);
    let mut integration = ExplicitRungeKutta::new(&system, settings, system.start_state(0.0)).unwrap();
    adapt(&mut integration, &system, 50.0, 1e-8, 1e-2);
    assert!(integration.warning().is_none());
}
