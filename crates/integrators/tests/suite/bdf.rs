//! Backward differentiation formulas: orders, adaptive runs, cost, dense output (lagrangian-dae-modeling
//! §1.27).

use crate::common;

use common::circle::Circle;
use common::{consistent_start, distance_of_frames, largest_difference, order, runge_kutta, violation};
use poinsot_expr::{Expr, Function};
use poinsot_geometry::{Mat3, Vec3};
use poinsot_integrators::*;
use poinsot_mechanics::*;

const G: f64 = 9.81;

/// Start of the pendulum: angle and rate.
const START: [f64; 2] = [1.0, 0.5];

fn place(theta: f64) -> Vec3 {
    Vec3::new(theta.sin(), -theta.cos(), 0.0)
}

fn speed([theta, rate]: [f64; 2]) -> Vec3 {
    Vec3::new(theta.cos(), theta.sin(), 0.0) * rate
}

/// A point of unit mass on the unit circle, under gravity along −y.
fn pendulum() -> System {
    let mut b = SystemBuilder::new(Vec3::new(0.0, -G, 0.0));
    let chart = Chart::PlanarPoint { e1: Vec3::x(), e2: Vec3::y() };
    let start = Frame { r: place(START[0]), rot: Mat3::identity() };
    let node = b.node("point", chart, start, Twist { linear: speed(START), angular: Vec3::zeros() });
    b.body(Body::new(node, &MassProperties::point(1.0, Vec3::zeros())));
    b.constraint("rod", Box::new(Circle([Carried::point(node, Vec3::zeros())])));
    b.build()
}

/// Angle and rate a time dt later, by the classical method with tiny steps.
fn swing(start: [f64; 2], dt: f64, steps: usize) -> [f64; 2] {
    runge_kutta(|_, y| [y[1], -G * y[0].sin()], start, dt, steps)
}

/// Largest errors of position, velocity and multiplier of the pendulum.
fn pendulum_errors(system: &System, run: &Bdf, [theta, rate]: [f64; 2]) -> [f64; 3] {
    let lambda = 0.5 * (rate * rate + G * theta.cos());
    let row = system.constraint_equations()[0];
    let v = system.twist(1, &run.state().v).linear;
    [
        (run.state().frames[1].r - place(theta)).amax(),
        (v - speed([theta, rate])).amax(),
        (run.accelerations()[row] - lambda).abs(),
    ]
}

/// Equations F(y, d, t) = 0 with the variables y1 …, their rates d1 …, starts and nominal sizes.
fn network(equations: &[&str], start: &[f64], nominal: &[f64]) -> System {
    let m = equations.len();
    let mut names: Vec<String> = (1..=m).map(|k| format!("y{k}")).collect();
    names.extend((1..=m).map(|k| format!("d{k}")));
    names.push("t".into());
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let function = |text: &&str| Function::new(&Expr::parse(text).unwrap(), &names, &|_| None).unwrap();
    let variable = |k: usize| Variable { name: names[k].into(), start: start[k], nominal: nominal[k] };
    let mut b = SystemBuilder::new(Vec3::zeros());
    b.network(Network {
        name: "network".into(),
        variables: (0..m).map(variable).collect(),
        readings: vec![],
        equations: equations.iter().map(function).collect(),
        loads: vec![],
    })
    .unwrap();
    b.build()
}

fn variables(system: &System, state: &State) -> Vec<f64> {
    let network = &system.networks()[0];
    (0..network.law.variables.len()).map(|j| state.v[network.unknown(j)]).collect()
}

/// The modelled start; networks are modelled consistent.
fn start(system: &System) -> State {
    if system.networks().is_empty() { consistent_start(system) } else { system.start_state(0.0) }
}

fn tight(max_order: usize, form: StageForm) -> BdfSettings {
    BdfSettings { max_order, form, tolerance: Tolerance::both(1e-13), ..Default::default() }
}

/// Steps of one length and order; `each` sees the integration after every step.
fn fixed<'s>(
    system: &'s System,
    settings: BdfSettings,
    t: f64,
    n: usize,
    mut each: impl FnMut(&mut Bdf<'s>),
) -> Bdf<'s> {
    let mut run = Bdf::new(system, settings, start(system)).unwrap();
    for _ in 0..n {
        run.attempt(t / n as f64).unwrap();
        run.accept();
        each(&mut run);
    }
    run
}

/// An adaptive run, with counters that know of rejections; `each` sees the integration after every step.
fn adaptive<'s>(
    system: &'s System,
    settings: BdfSettings,
    end: f64,
    mut each: impl FnMut(&mut Bdf<'s>),
) -> (Bdf<'s>, Counters) {
    let start = start(system);
    let mut run = Bdf::new(system, settings, start.clone()).unwrap();
    let mut measure = ErrorMeasure::new(system, settings.tolerance);
    measure.set_span(end);
    run.set_tolerances(measure.clone());
    let mut controller = Controller::new(end);
    let mut wanted = first_step(&mut measure, &start, run.accelerations(), run.exponent(), end);
    let (mut rejected, mut unsolved) = (0, 0);
    while run.state().t < end * (1.0 - 1e-14) {
        let left = end - run.state().t;
        let h = if wanted >= 0.999_999 * left {
            left
        } else if 2.0 * wanted > left {
            0.5 * left
        } else {
            wanted
        };
        match run.attempt(h) {
            Ok(attempt) => {
                assert!(attempt.error.is_some());
                let verdict = controller.judge(h, &attempt);
                wanted = if verdict.accept { attempt.next.unwrap_or(verdict.next) } else { verdict.next };
                if verdict.accept {
                    run.accept();
                    each(&mut run);
                } else {
                    rejected += 1;
                }
            }
            Err(failure) => {
                assert!(h > 1e-14 * end, "{failure}");
                wanted = controller.cut(h);
                unsolved += 1;
            }
        }
    }
    let counters = Counters { rejected, unsolved, ..*run.counters() };
    (run, counters)
}

fn settings(tolerance: f64) -> BdfSettings {
    BdfSettings { tolerance: Tolerance::both(tolerance), ..Default::default() }
}

/// ẏ = −y + sin t, y(0) = 1: y = (3e^{−t} + sin t − cos t)/2.
fn relaxation() -> System {
    network(&["d1 + y1 - sin(t)"], &[1.0], &[1.0])
}

fn relaxed(t: f64) -> f64 {
    0.5 * (3.0 * (-t).exp() + t.sin() - t.cos())
}

#[test]
fn orders_on_a_network() {
    let system = relaxation();
    for k in 1..=6 {
        let [coarse, fine] = [40, 80].map(|n| {
            let run = fixed(&system, tight(k, StageForm::Stabilised), 2.0, n, |_| {});
            (variables(&system, run.state())[0] - relaxed(2.0)).abs()
        });
        let measured = order(coarse, fine);
        println!("network, order {k}: {fine:.2e}, {measured:.2}");
        assert!((measured - k as f64).abs() < 0.25, "order {k}: {measured:.2} of {coarse:.2e}, {fine:.2e}");
    }
}

/// Steps that change at random by up to a third, and the same with two steps for each.
#[test]
fn orders_with_uneven_steps() {
    let system = relaxation();
    for k in 1..=6 {
        let [coarse, fine] = [1, 2].map(|split| {
            let mut random = common::Random(7);
            let pattern: Vec<f64> = (0..50).map(|_| 0.75 + 0.5 * random.next()).collect();
            let scale = 4.0 / pattern.iter().sum::<f64>() / split as f64;
            let mut run = Bdf::new(&system, tight(k, StageForm::Stabilised), start(&system)).unwrap();
            let mut worst = 0.0f64;
            for i in 0..50 * split {
                run.attempt(pattern[i / split] * scale).unwrap();
                run.accept();
                if run.state().t > 2.0 {
                    worst = worst.max((variables(&system, run.state())[0] - relaxed(run.state().t)).abs());
                }
            }
            worst
        });
        let measured = order(coarse, fine);
        println!("uneven, order {k}: {fine:.2e}, {measured:.2}");
        assert!(measured > k as f64 - 0.3, "order {k}: {measured:.2} of {coarse:.2e}, {fine:.2e}");
    }
}

/// Largest errors of the pendulum over the second half of a run of one second.
fn worst_errors(settings: BdfSettings, n: usize) -> [f64; 3] {
    let system = pendulum();
    let (mut exact, mut worst) = (START, [0.0; 3]);
    fixed(&system, settings, 1.0, n, |run| {
        exact = swing(exact, 1.0 / n as f64, 100);
        if run.state().t > 0.5 {
            let now = pendulum_errors(&system, run, exact);
            worst = std::array::from_fn(|i| f64::max(worst[i], now[i]));
        }
    });
    worst
}

#[test]
fn orders_on_the_pendulum() {
    use StageForm::*;
    for form in [Stabilised, Velocity, Acceleration, Position] {
        for k in 1..=6 {
            let n = [800, 200, 200, 100, 100, 80][k - 1];
            let [coarse, fine] = [n, 2 * n].map(|n| worst_errors(tight(k, form), n));
            let measured: [f64; 3] = std::array::from_fn(|i| order(coarse[i], fine[i]));
            println!("{form:?}, order {k}: {fine:?}, {measured:.2?}");
            for measured in &measured[..2] {
                assert!(
                    (measured - k as f64).abs() < 0.4,
                    "{form:?}, order {k}: {measured:.2} {coarse:.2?} {fine:?}"
                );
            }
        }
    }
}

/// A body with three different moments of inertia, free of forces.
fn spinning_body() -> System {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let twist = Twist { linear: Vec3::new(0.3, 0.0, 0.1), angular: Vec3::new(0.4, 5.0, 1.5) };
    let node = b.node("body", Chart::Motion, Frame::identity(), twist);
    let inertia = Mat3::from_diagonal(&Vec3::new(1.0, 2.0, 3.5));
    b.body(Body::new(node, &MassProperties::new(2.0, Vec3::zeros(), inertia)));
    b.build()
}

/// The largest errors at every twentieth of the run from its middle on, against a tight run of Radau IIA.
#[test]
fn orders_on_a_spinning_body() {
    let system = spinning_body();
    let t = 2.0;
    let settings = ImplicitSettings { stages: 5, tolerance: Tolerance::both(1e-14), ..Default::default() };
    let mut radau = ImplicitRungeKutta::new(&system, settings, start(&system)).unwrap();
    let mut exact = vec![start(&system)];
    for k in 1..=400 {
        radau.attempt(t / 400.0).unwrap();
        radau.accept();
        exact.extend((k % 20 == 0).then(|| radau.state().clone()));
    }
    for k in 1..=6 {
        let n = [6400, 800, 400, 400, 200, 160][k - 1];
        let [coarse, fine] = [n, 2 * n].map(|n| {
            let (mut steps, mut worst) = (0, [0.0f64; 2]);
            fixed(&system, tight(k, StageForm::Stabilised), t, n, |run| {
                steps += 1;
                if 2 * steps >= n && steps % (n / 20) == 0 {
                    let (found, exact) = (run.state(), &exact[steps / (n / 20)]);
                    worst[0] = worst[0].max(distance_of_frames(&found.frames, &exact.frames));
                    worst[1] = worst[1].max(largest_difference(&found.v, &exact.v));
                }
            });
            worst
        });
        let measured: [f64; 2] = std::array::from_fn(|i| order(coarse[i], fine[i]));
        println!("spinning body, order {k}: {fine:?}, {measured:.2?}");
        for measured in measured {
            assert!((measured - k as f64).abs() < 0.3, "order {k}: {measured:.2} {coarse:?} {fine:?}");
        }
    }
}

fn print_cost(name: &str, c: &Counters) {
    println!(
        "{name}: {} steps, {} rejected, {} unsolved, {} residuals ({:.2} per step), {} jacobians, {} factorisations",
        c.steps,
        c.rejected,
        c.unsolved,
        c.residuals,
        c.residuals as f64 / c.steps as f64,
        c.jacobians,
        c.factorisations
    );
}

const TOLERANCES: [f64; 5] = [1e-4, 1e-5, 1e-6, 1e-7, 1e-8];

#[test]
fn adaptive_pendulum() {
    use StageForm::*;
    let system = pendulum();
    let exact = swing(START, 5.0, 100_000);
    for form in [Stabilised, Velocity, Acceleration, Position] {
        for tolerance in TOLERANCES {
            let settings = BdfSettings { form, ..settings(tolerance) };
            let (run, cost) = adaptive(&system, settings, 5.0, |_| {});
            let [q, v, _] = pendulum_errors(&system, &run, exact);
            let error = f64::max(q / 2.0, v / (1.0 + speed(exact).norm())) / tolerance;
            print_cost(
                &format!("{form:?} {tolerance:.0e}: {error:.1} tolerances, order {}", run.order()),
                &cost,
            );
            // At acceleration level the constraints drift.
            let allowed = if form == Acceleration { 100.0 } else { 45.0 };
            assert!(error < allowed, "{form:?} {tolerance:.0e}: {error:.1} tolerances");
            // At position level the constraints are stiffer for Newton.
            let most = if form == Position { 2.5 } else { 2.0 };
            assert!((cost.residuals as f64) < most * cost.steps as f64, "{form:?}: {cost:?}");
            let (position, velocity) = violation(&system, run.state());
            if form == Stabilised {
                assert!(position.max(velocity) < tolerance, "Φ = {position:.1e}, Φ̇ = {velocity:.1e}");
            }
        }
    }
}

fn hires() -> System {
    let equations = [
        "d1 + 1.71*y1 - 0.43*y2 - 8.32*y3 - 0.0007",
        "d2 - 1.71*y1 + 8.75*y2",
        "d3 + 10.03*y3 - 0.43*y4 - 0.035*y5",
        "d4 - 8.32*y2 - 1.71*y3 + 1.12*y4",
        "d5 + 1.745*y5 - 0.43*y6 - 0.43*y7",
        "d6 + 280*y6*y8 - 0.69*y4 - 1.71*y5 + 0.43*y6 - 0.69*y7",
        "d7 - 280*y6*y8 + 1.81*y7",
        "d8 + 280*y6*y8 - 1.81*y7",
    ];
    network(&equations, &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057], &[1e-2; 8])
}

const HIRES: [f64; 8] = [
    0.7371312573325668e-3,
    0.1442485726316185e-3,
    0.5888729740967575e-4,
    0.1175651343283149e-2,
    0.2386356198831331e-2,
    0.6238968252742796e-2,
    0.2849998395185769e-2,
    0.2850001604814231e-2,
];

/// Largest error relative to tolerance · (nominal + |y|).
fn in_tolerances(found: &[f64], exact: &[f64], nominal: &[f64], tolerance: f64) -> f64 {
    let each = found.iter().zip(exact).zip(nominal);
    each.map(|((f, e), n)| (f - e).abs() / (tolerance * (n + e.abs()))).fold(0.0, f64::max)
}

#[test]
fn adaptive_hires() {
    let system = hires();
    for tolerance in TOLERANCES {
        let (run, cost) = adaptive(&system, settings(tolerance), 321.8122, |_| {});
        let error = in_tolerances(&variables(&system, run.state()), &HIRES, &[1e-2; 8], tolerance);
        print_cost(&format!("HIRES {tolerance:.0e}: {error:.1} tolerances"), &cost);
        assert!(error < 50.0, "{tolerance:.0e}: {error:.1} tolerances");
        assert!(cost.residuals < 2 * cost.steps && cost.jacobians < cost.steps / 4, "{cost:?}");
    }
}

#[test]
fn adaptive_robertson() {
    // The last variable first: y1 is y₃ of the problem.
    let (first, second) = ("d2 + 0.04*y2 - 1e4*y3*y1", "d3 - 0.04*y2 + 1e4*y3*y1 + 3e7*y3^2");
    let nominal = [1e-2, 1e-4, 1e-8];
    let exact = [0.999999979166505, 0.2083340149701255e-7, 0.8333360770334713e-13];
    for third in ["d1 - 3e7*y3^2", "y1 + y2 + y3 - 1"] {
        let system = network(&[third, first, second], &[0.0, 1.0, 0.0], &nominal);
        for tolerance in TOLERANCES {
            let (run, cost) = adaptive(&system, settings(tolerance), 1e11, |_| {});
            let found = variables(&system, run.state());
            let error = in_tolerances(&found, &exact, &nominal, tolerance);
            print_cost(&format!("Robertson {tolerance:.0e}: {error:.2} tolerances"), &cost);
            assert!(error < 2.0, "{tolerance:.0e}: {error:.2} tolerances");
            assert!(cost.residuals < 2 * cost.steps, "{cost:?}");
        }
    }
}

#[test]
fn adaptive_van_der_pol() {
    let system = network(&["d1 - y2", "d2 - 1000*(1 - y1^2)*y2 + y1"], &[2.0, 0.0], &[1.0, 1.0]);
    let exact = [0.1706167732170469e1, -0.8928097010248125e-3];
    for tolerance in TOLERANCES {
        let (run, cost) = adaptive(&system, settings(tolerance), 2000.0, |_| {});
        let found = variables(&system, run.state());
        let error = in_tolerances(&found, &exact, &[1.0, 1.0], tolerance);
        print_cost(&format!("van der Pol {tolerance:.0e}: {error:.1} tolerances"), &cost);
        assert!(error < 50.0, "{tolerance:.0e}: {error:.1} tolerances");
        assert!(cost.residuals < 2 * cost.steps, "{cost:?}");
    }
}

/// The polynomial of the method meets both ends of a step and is as exact between them.
#[test]
fn dense_output() {
    let system = spinning_body();
    let [coarse, fine] = [100, 200].map(|n| {
        let h = 2.0 / n as f64;
        let (mut inside, mut before, mut worst) = (start(&system), start(&system), 0.0f64);
        let exact = |t: f64| common::manifold_runge_kutta(&system, &start(&system), t, 4000);
        let (samples, mut k) = ([n / 2, n], 0);
        fixed(&system, tight(4, StageForm::Stabilised), 2.0, n, |run| {
            k += 1;
            run.interpolate(run.state().t - h, &mut inside);
            let gap = distance_of_frames(&inside.frames, &before.frames)
                .max(largest_difference(&inside.v, &before.v));
            assert!(gap < 1e-12, "the polynomial misses the start of step {k} by {gap:.1e}");
            run.interpolate(run.state().t, &mut inside);
            let gap = distance_of_frames(&inside.frames, &run.state().frames);
            assert!(gap < 1e-13, "the polynomial misses the end of step {k} by {gap:.1e}");
            if samples.contains(&k) {
                let t = run.state().t - 0.5 * h;
                run.interpolate(t, &mut inside);
                let exact = exact(t);
                worst = worst.max(distance_of_frames(&inside.frames, &exact.frames));
                worst = worst.max(largest_difference(&inside.v, &exact.v));
            }
            before.clone_from(run.state());
        });
        worst
    });
    let measured = order(coarse, fine);
    println!("dense output of order 4: {fine:.2e}, {measured:.2}");
    assert!(measured > 3.7, "{measured:.2} of {coarse:.2e}, {fine:.2e}");
}

/// The dense output of an adaptive run, with its changing orders and steps, is as exact as the steps.
#[test]
fn dense_output_of_an_adaptive_run() {
    let system = relaxation();
    let (mut inside, mut last, mut worst, mut orders) = (start(&system), 0.0, 0.0f64, [0; 7]);
    adaptive(&system, settings(1e-6), 10.0, |run| {
        let end = run.state().t;
        for c in [0.1, 0.5, 0.8] {
            let t = last + c * (end - last);
            run.interpolate(t, &mut inside);
            worst = worst.max((variables(&system, &inside)[0] - relaxed(t)).abs());
        }
        last = end;
        orders[run.order()] += 1;
    });
    println!("dense output: {worst:.2e}, steps of each order {orders:?}");
    assert!(worst < 2e-6 * 10.0, "{worst:.2e}");
    assert!(orders[1] <= 3 && orders[5] > 20, "{orders:?}");
}

/// Energy that a damper takes, by the integral of the polynomial of its power.
#[test]
fn work_has_the_order_of_the_method() {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let node = common::unit_point(&mut b, Vec3::x(), Vec3::new(0.5, 1.0, 0.0));
    let end = |node| common::attach(node, Vec3::zeros(), Mat3::identity());
    let coordinate = Coordinate::distance(&end(GROUND), &end(node));
    let force = forces::CoordinateForce { coordinate, stiffness: 20.0, damping: 0.8, free: 0.9, law: None };
    b.force("strut", Box::new(force));
    let system = b.build();
    let energy = |state: &State| {
        let zero = vec![0.0; system.size()];
        system.balance(&instant(state, &zero), &mut Scratch::default()).total()
    };
    for k in [2, 4] {
        let [coarse, fine] = [100, 200].map(|n| {
            let mut taken = 0.0;
            let run = fixed(&system, tight(k, StageForm::Stabilised), 2.0, n, |run| {
                taken += run.work().unwrap().dissipated
            });
            assert!(taken > 0.1);
            (energy(run.state()) + taken - energy(&start(&system))).abs()
        });
        let measured = order(coarse, fine);
        println!("work, order {k}: {fine:.2e}, {measured:.2}");
        assert!(measured > k as f64 - 0.3, "order {k}: {measured:.2} of {coarse:.2e}, {fine:.2e}");
    }
}

/// Past rotations of more than half a turn, and of more than a full turn of a body in the plane, are seen on
/// the right branch: a steady spin is exact at any step.
#[test]
fn steady_spin_is_exact() {
    let planar = Chart::Planar { e1: Vec3::x(), e2: Vec3::y(), normal: Vec3::z() };
    for chart in [Chart::Motion, planar] {
        let mut b = SystemBuilder::new(Vec3::zeros());
        let twist = Twist { linear: Vec3::x(), angular: Vec3::z() * 10.0 };
        let node = b.node("wheel", chart, Frame::identity(), twist);
        b.body(Body::new(node, &MassProperties::new(1.0, Vec3::zeros(), Mat3::identity() * 0.1)));
        let system = b.build();
        let mut orders = [0; 7];
        let run = fixed(&system, tight(5, StageForm::Stabilised), 12.0, 100, |run| orders[run.order()] += 1);
        let angle: f64 = 120.0;
        let axis = run.state().frames[1].rot.column(0).into_owned();
        let miss = (axis - Vec3::new(angle.cos(), angle.sin(), 0.0)).amax();
        assert!(miss < 1e-11, "{chart:?}: {miss:.1e}");
        // In space the chart covers the past of order 3 only, at 1.2 rad a step.
        let expected = if chart == Chart::Motion { 3 } else { 5 };
        assert_eq!(run.order(), expected, "{orders:?}");
    }
}

#[test]
fn projection_stops_the_drift() {
    let system = pendulum();
    for (project, least, most) in [(false, 1e-8, 1e-2), (true, 0.0, 1e-14)] {
        let settings = BdfSettings { project, ..tight(3, StageForm::Acceleration) };
        let run = fixed(&system, settings, 2.0, 400, |_| {});
        let (position, velocity) = violation(&system, run.state());
        assert!(position >= least && position <= most, "Φ = {position:.1e}");
        assert!(velocity >= least && velocity <= 100.0 * most, "Φ̇ = {velocity:.1e}");
        let [q, ..] = pendulum_errors(&system, &run, swing(START, 2.0, 40_000));
        assert!(q < 1e-4, "{q:.1e}");
    }
}

/// A steep change of the load on the way: order and step fall and rise again.
#[test]
fn a_jump_is_passed() {
    let system = network(&["d1 + y1 - 1 - tanh(1e4*(t - 1))"], &[0.0], &[1.0]);
    let (mut before, mut lowest, mut highest_after) = (0, 6, 0);
    let (run, cost) = adaptive(&system, settings(1e-6), 3.0, |run| {
        let t = run.state().t;
        before = if t < 0.99 { run.order() } else { before };
        lowest = if (0.999..1.001).contains(&t) { lowest.min(run.order()) } else { lowest };
        highest_after = if t > 2.0 { highest_after.max(run.order()) } else { highest_after };
    });
    print_cost("jump", &cost);
    // y = 2(1 − e^{−(t−1)}) but for the width of the jump, whose effect e^{−2} ∫ (…) vanishes by symmetry to
    // O(10⁻⁹).
    let exact = 2.0 * (1.0 - (-2.0f64).exp());
    let miss = (variables(&system, run.state())[0] - exact).abs();
    println!("miss {miss:.2e}, orders {before} {lowest} {highest_after}");
    assert!(miss < 3e-5, "{miss:.2e}");
    assert!(lowest < before && lowest <= 3 && highest_after >= 4, "orders {lowest}, {highest_after}");
}

#[test]
fn only_stable_orders_exist() {
    let system = relaxation();
    for max_order in [0, 7] {
        let settings = BdfSettings { max_order, ..Default::default() };
        assert!(Bdf::new(&system, settings, start(&system)).is_err());
    }
    let settings = BdfSettings { max_order: 2, ..settings(1e-6) };
    let mut highest = 0;
    adaptive(&system, settings, 5.0, |run| highest = highest.max(run.order()));
    assert_eq!(highest, 2);
}

/// Two links on a spherical and a revolute joint.
fn spatial_pendulum() -> System {
    let mut b = SystemBuilder::new(Vec3::new(0.0, 0.0, -G));
    let inertia = Mat3::from_diagonal(&Vec3::new(0.002, 0.02, 0.021));
    let mut link = |name: &str, x: f64| {
        let start = Frame { r: Vec3::x() * x, rot: Mat3::identity() };
        let twist = Twist { linear: Vec3::y() * x, angular: Vec3::z() };
        let node = b.node(name, Chart::Motion, start, twist);
        b.body(Body::new(node, &MassProperties::new(0.5, Vec3::zeros(), inertia)));
        node
    };
    let (first, second) = (link("first", 0.25), link("second", 0.75));
    let at = |node, x: f64| common::attach(node, Vec3::x() * x, common::along_x());
    b.constraint("ball", Box::new(joints::spherical(&at(GROUND, 0.0), &at(first, -0.25))));
    let slanted = Mat3::from_columns(&[Vec3::x(), Vec3::new(0.0, 0.6, 0.8), Vec3::new(0.0, -0.8, 0.6)]);
    let hinge = |node, x: f64| common::attach(node, Vec3::x() * x, slanted);
    b.constraint("hinge", Box::new(joints::revolute(&hinge(first, 0.25), &hinge(second, -0.25))));
    b.build()
}

#[test]
fn spatial_mechanism() {
    use StageForm::*;
    let system = spatial_pendulum();
    let exact = common::manifold_runge_kutta(&system, &start(&system), 1.0, 20_000);
    let errors = |run: &Bdf| {
        let v = largest_difference(&run.state().v, &exact.v);
        [distance_of_frames(&run.state().frames, &exact.frames), v / (1.0 + common::largest(&exact.v))]
    };
    for form in [Stabilised, Velocity, Acceleration, Position] {
        for tolerance in [1e-5, 1e-7] {
            let (run, cost) = adaptive(&system, BdfSettings { form, ..settings(tolerance) }, 1.0, |_| {});
            let [q, v] = errors(&run).map(|e| e / tolerance);
            print_cost(&format!("spatial {form:?} {tolerance:.0e}: {q:.1}, {v:.1} tolerances"), &cost);
            assert!(q < 40.0 && v < 40.0, "{form:?} {tolerance:.0e}: {q:.1}, {v:.1} tolerances");
        }
        for k in [2, 4] {
            let [coarse, fine] = [500, 1000].map(|n| errors(&fixed(&system, tight(k, form), 1.0, n, |_| {})));
            let measured: [f64; 2] = std::array::from_fn(|i| order(coarse[i], fine[i]));
            println!("spatial {form:?}, order {k}: {fine:?}, {measured:.2?}");
            for measured in measured {
                assert!((measured - k as f64).abs() < 0.4, "{form:?} {k}: {measured:.2} {coarse:?} {fine:?}");
            }
        }
    }
}

/// A step into a place where an equation is no number fails and leaves the state; a shorter one goes on.
#[test]
fn a_step_that_fails_can_be_repeated() {
    let system = network(&["d1 - y1*sqrt(1 - t)"], &[1.0], &[1.0]);
    let mut run = Bdf::new(&system, settings(1e-6), start(&system)).unwrap();
    run.set_tolerances(ErrorMeasure::new(&system, Tolerance::both(1e-6)));
    for _ in 0..3 {
        let failure = run.attempt(2.0).unwrap_err();
        assert!(failure.reason.contains("not a number") && run.state().t == 0.0, "{failure}");
        assert!(run.attempt(1e-3).unwrap().error.unwrap() < 10.0);
    }
    run.accept();
    let exact = ((1.0 - (1.0 - 1e-3f64).powf(1.5)) / 1.5).exp();
    assert!((variables(&system, run.state())[0] - exact).abs() < 1e-6);
}
