//! Implicit Runge–Kutta methods: orders in every form of the constraints, on rotations, drift
//! (lagrangian-dae-modeling §2.5).

use crate::common;
use crate::conserving_models;

use common::circle::Circle;
use common::{consistent_start, distance_of_frames, largest_difference, order, violation};
use poinsot_geometry::{Mat3, Vec3};
use poinsot_integrators::{
    ImplicitFamily, ImplicitRungeKutta, ImplicitSettings, StageForm, Stepper, Tolerance,
};
use poinsot_mechanics::*;

/// A point of unit mass on the unit circle, under gravity along −y.
fn pendulum(gravity: f64, r: Vec3, v: Vec3) -> System {
    let mut b = SystemBuilder::new(Vec3::new(0.0, -gravity, 0.0));
    let chart = Chart::PlanarPoint { e1: Vec3::x(), e2: Vec3::y() };
    let node = b.node(
        "point",
        chart,
        Frame { r, rot: Mat3::identity() },
        Twist { linear: v, angular: Vec3::zeros() },
    );
    b.body(Body::new(node, &MassProperties::point(1.0, Vec3::zeros())));
    b.constraint("rod", Box::new(Circle([Carried::point(node, Vec3::zeros())])));
    b.build()
}

/// θ and θ̇ of the pendulum at time t by the classical method with tiny steps.
fn exact_angle(gravity: f64, start: [f64; 2], t: f64) -> [f64; 2] {
    let n = 20_000;
    let h = t / n as f64;
    let f = |y: [f64; 2]| [y[1], -gravity * y[0].sin()];
    let add = |y: [f64; 2], k: [f64; 2], c: f64| [y[0] + c * k[0], y[1] + c * k[1]];
    let mut y = start;
    for _ in 0..n {
        let k1 = f(y);
        let k2 = f(add(y, k1, h / 2.0));
        let k3 = f(add(y, k2, h / 2.0));
        let k4 = f(add(y, k3, h));
        y = add(add(add(add(y, k1, h / 6.0), k2, h / 3.0), k3, h / 3.0), k4, h / 6.0);
    }
    y
}

fn settings(stages: usize, form: StageForm) -> ImplicitSettings {
    ImplicitSettings {
        stages,
        form,
        estimate: false,
        tolerance: Tolerance::both(1e-12),
        ..Default::default()
    }
}

fn integrate<'s>(system: &'s System, settings: ImplicitSettings, t: f64, n: usize) -> ImplicitRungeKutta<'s> {
    let start = consistent_start(system);
    let mut run = ImplicitRungeKutta::new(system, settings, start).unwrap();
    for _ in 0..n {
        run.attempt(t / n as f64).unwrap_or_else(|e| panic!("{settings:?}: {e}"));
        run.accept();
    }
    run
}

/// Largest errors of position, velocity and multiplier of the pendulum from θ = 1, θ̇ = ½ after half a
/// second.
fn pendulum_errors(settings: ImplicitSettings, n: usize) -> [f64; 3] {
    let (g, t) = (9.81, 0.5);
    let place = |theta: f64| Vec3::new(theta.sin(), -theta.cos(), 0.0);
    let speed = |theta: f64, rate: f64| Vec3::new(theta.cos(), theta.sin(), 0.0) * rate;
    let system = pendulum(g, place(1.0), speed(1.0, 0.5));
    let run = integrate(&system, settings, t, n);
    let [theta, rate] = exact_angle(g, [1.0, 0.5], t);
    let state = run.state();
    let lambda = 0.5 * (rate * rate + g * theta.cos());
    let row = system.constraint_equations()[0];
    let v = system.twist(1, &state.v).linear;
    [
        (state.frames[1].r - place(theta)).amax(),
        (v - speed(theta, rate)).amax(),
        (run.accelerations()[row] - lambda).abs(),
    ]
}

#[test]
fn orders_on_the_pendulum() {
    use StageForm::*;
    let cases = [
        (3, Position, [5.1, 3.0, 2.0]),
        (3, Velocity, [5.0, 5.0, 3.05]),
        (3, Acceleration, [5.0, 5.0, 5.0]),
        (3, Stabilised, [5.0, 5.0, 3.03]),
        (2, Position, [3.3, 2.0, 1.05]),
        (2, Velocity, [3.0, 3.0, 2.0]),
        (2, Acceleration, [3.0, 3.0, 3.0]),
        (2, Stabilised, [3.0, 3.0, 2.0]),
        (1, Position, [1.0, 1.0, 1.0]),
        (1, Velocity, [1.0, 1.0, 1.0]),
        (1, Acceleration, [1.0, 1.0, 1.0]),
        (1, Stabilised, [1.0, 1.0, 1.0]),
    ];
    for (stages, form, orders) in cases {
        let [coarse, fine] =
            [40, 80].map(|n| pendulum_errors(settings(stages, form), if stages == 3 { n / 2 } else { n }));
        for ((c, f), expected) in coarse.iter().zip(&fine).zip(orders) {
            let measured = order(*c, *f);
            assert!(
                (measured - expected).abs() < 0.3,
                "{stages} {form:?}: {measured:.2}, {coarse:?} {fine:?}"
            );
        }
    }
}

/// The errors of VC-5.order with forty steps. The digest writes its acceleration level with l² in the place
/// of q·q, which is another equation off the circle; an independent computation with q·q gave 4.90e-11,
/// 1.563e-10 and 2.13e-10. Its stabilised form corrects positions in the metric of the identity, ours in that
/// of the step matrix.
#[test]
fn errors_of_the_digest() {
    let cases = [
        (StageForm::Position, [1.13e-10, 8.39e-6, 2.19e-3], 0.01),
        (StageForm::Velocity, [1.03e-10, 4.16e-10, 2.04e-5], 0.01),
        (StageForm::Acceleration, [4.90e-11, 1.563e-10, 2.13e-10], 0.02),
        (StageForm::Stabilised, [9.5e-11, 4.8e-10, 2.02e-5], 0.3),
    ];
    for (form, expected, tolerance) in cases {
        let errors = pendulum_errors(settings(3, form), 40);
        for (error, expected) in errors.iter().zip(expected) {
            assert!((error / expected - 1.0).abs() < tolerance, "{form:?}: {errors:?}");
        }
    }
}

/// VC-5.p9, p17: the implicit Euler method from the horizontal, until t = 2.5.
#[test]
fn drift_of_the_implicit_euler_method() {
    let end = |form: StageForm, h: f64| {
        let system = pendulum(9.0, Vec3::x(), Vec3::zeros());
        let run = integrate(&system, settings(1, form), 2.5, (2.5 / h).round() as usize);
        let r = run.state().frames[1].r;
        (r.x, -r.y, r.norm_squared() - 1.0)
    };
    let cases = [
        (StageForm::Position, (0.923288, 0.384108), [0.0, 0.0]),
        (StageForm::Velocity, (0.870652, 0.269144), [-0.169526, -0.048430]),
        (StageForm::Stabilised, (0.958083, 0.286489), [0.0, 0.0]),
    ];
    for (form, (x, y), drift) in cases {
        let (coarse, fine) = (end(form, 0.01), end(form, 0.0025));
        assert!((coarse.0 - x).abs() < 1e-6 && (coarse.1 - y).abs() < 1e-6, "{form:?}: {coarse:?}");
        assert!(
            (coarse.2 - drift[0]).abs() < 1e-6 && (fine.2 - drift[1]).abs() < 1e-6,
            "{form:?}: {coarse:?} {fine:?}"
        );
    }
    // At acceleration level the digest has l² in the place of q·q again: 0.259543. The drift halves with the
    // step.
    let (coarse, fine) = (end(StageForm::Acceleration, 0.0025).2, end(StageForm::Acceleration, 0.00125).2);
    assert!(coarse < -0.01 && (coarse / fine - 2.0).abs() < 0.2, "{coarse} {fine}");
}

/// A free body with three different moments of inertia.
fn free_body() -> System {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let spin = Twist { linear: Vec3::new(0.1, 0.2, 0.3), angular: Vec3::new(0.7, 2.1, -0.4) };
    let node = b.node("body", Chart::Motion, Frame::identity(), spin);
    let inertia = Mat3::from_diagonal(&Vec3::new(1.0, 2.0, 2.7));
    b.body(Body::new(node, &MassProperties::new(1.5, Vec3::zeros(), inertia)));
    b.build()
}

#[test]
fn orders_on_rotations() {
    let system = free_body();
    let exact = integrate(&system, settings(7, StageForm::Stabilised), 1.0, 40);
    let end = |family: ImplicitFamily, stages: usize, n: usize| {
        let settings = ImplicitSettings { family, ..settings(stages, StageForm::Stabilised) };
        let run = integrate(&system, settings, 1.0, n);
        let turned = (run.state().frames[1].rot - exact.state().frames[1].rot).amax();
        turned.max(largest_difference(&run.state().v, &exact.state().v))
    };
    let cases = [
        (ImplicitFamily::Radau, 1, 1, 400),
        (ImplicitFamily::Radau, 2, 3, 40),
        (ImplicitFamily::Radau, 3, 5, 10),
        (ImplicitFamily::Radau, 5, 9, 2),
        (ImplicitFamily::Gauss, 1, 2, 80),
        (ImplicitFamily::Gauss, 2, 4, 20),
        (ImplicitFamily::Gauss, 3, 6, 8),
        (ImplicitFamily::Lobatto, 2, 2, 80),
        (ImplicitFamily::Lobatto, 3, 4, 20),
        (ImplicitFamily::Lobatto, 4, 6, 8),
    ];
    for (family, stages, expected, n) in cases {
        let (coarse, fine) = (end(family, stages, n), end(family, stages, 2 * n));
        let measured = order(coarse, fine);
        assert!(
            (measured - expected as f64).abs() < 0.45,
            "{family:?} {stages}: {measured:.2}, {coarse:e} {fine:e}"
        );
    }
}

/// Gauss and Lobatto methods on the pendulum: projected onto the constraints after every step.
#[test]
fn symmetric_methods_with_constraints() {
    for (family, stages, form, expected) in [
        (ImplicitFamily::Gauss, 1, StageForm::Acceleration, 2),
        (ImplicitFamily::Gauss, 2, StageForm::Acceleration, 4),
        (ImplicitFamily::Gauss, 3, StageForm::Acceleration, 6),
        (ImplicitFamily::Lobatto, 2, StageForm::Acceleration, 2),
        (ImplicitFamily::Lobatto, 3, StageForm::Acceleration, 4),
    ] {
        let settings = ImplicitSettings { family, project: true, ..settings(stages, form) };
        let [coarse, fine] = [10, 20].map(|n| {
            pendulum_errors(
                settings,
                if family == ImplicitFamily::Gauss && stages == 3 { n / 2 } else { 2 * n },
            )
        });
        for ((c, f), what) in coarse.iter().zip(&fine).zip(["position", "velocity"]) {
            let measured = order(*c, *f);
            assert!(
                (measured - expected as f64).abs() < 0.5,
                "{family:?} {stages} {what}: {measured:.2} {coarse:?} {fine:?}"
            );
        }
    }
}

/// The dense output of three stages is of order four inside a step.
#[test]
fn dense_output() {
    let place = |theta: f64| Vec3::new(theta.sin(), -theta.cos(), 0.0);
    let system = pendulum(9.81, place(1.0), Vec3::new(1f64.cos(), 1f64.sin(), 0.0) * 0.5);
    let error = |n: usize| {
        let mut run = integrate(&system, settings(3, StageForm::Stabilised), 0.5, n);
        let t = 0.5 - 0.3 * 0.5 / n as f64;
        let mut inside = run.state().clone();
        run.interpolate(t, &mut inside);
        (inside.frames[1].r - place(exact_angle(9.81, [1.0, 0.5], t)[0])).amax()
    };
    let (coarse, fine) = (error(5), error(10));
    assert!(order(coarse, fine) > 3.6, "{coarse:e} {fine:e}");
}

/// Constraints hold to round-off at both levels in the stabilised form, step by step.
#[test]
fn stabilised_form_holds_both_levels() {
    let system = pendulum(9.81, Vec3::new(0.6, -0.8, 0.0), Vec3::new(0.8, 0.6, 0.0));
    let mut run =
        ImplicitRungeKutta::new(&system, settings(3, StageForm::Stabilised), consistent_start(&system))
            .unwrap();
    for _ in 0..200 {
        run.attempt(0.02).unwrap();
        run.accept();
        let (position, velocity) = violation(&system, run.state());
        assert!(position < 1e-13 && velocity < 1e-12, "{position:e} {velocity:e}");
    }
}

/// State, accelerations and counters after steps of changing length from where an integration stands.
fn some_steps(run: &mut ImplicitRungeKutta) -> (State, Vec<f64>, poinsot_integrators::Counters, Vec<f64>) {
    let mut errors = vec![];
    for h in [1e-4, 7e-4, 7e-4, 2e-3, 5e-4] {
        let attempt = run.attempt(h).unwrap();
        errors.push(attempt.error.unwrap_or(0.0));
        run.accept();
    }
    (run.state().clone(), run.accelerations().to_vec(), *run.counters(), errors)
}

/// An integration that starts anew in place goes on as a new one to the last bit, in every family and form.
#[test]
fn restart_in_place_is_a_new_start() {
    let spatial = conserving_models::top();
    let planar = pendulum(9.81, Vec3::x(), Vec3::y());
    for system in [&spatial, &planar] {
        for family in [ImplicitFamily::Radau, ImplicitFamily::Gauss, ImplicitFamily::Lobatto] {
            for form in [StageForm::Stabilised, StageForm::Position, StageForm::Velocity] {
                let settings = ImplicitSettings { family, form, ..Default::default() };
                let mut run = ImplicitRungeKutta::new(system, settings, consistent_start(system)).unwrap();
                some_steps(&mut run);
                // A step that is tried and not taken leaves nothing behind either, nor does one that is not
                // solved.
                run.attempt(1e-2).ok();
                let mut middle = run.state().clone();
                middle.t += 0.125;
                run.restart(&middle).unwrap();
                let mut fresh = ImplicitRungeKutta::new(system, settings, middle).unwrap();
                assert_eq!(run.counters().steps, 0);
                let (state, a, counters, errors) = some_steps(&mut run);
                let (new, new_a, new_counters, new_errors) = some_steps(&mut fresh);
                let what = format!("{family:?}, {form:?}");
                assert_eq!(state.t.to_bits(), new.t.to_bits(), "{what}");
                assert_eq!(state.v, new.v, "{what}");
                assert_eq!(distance_of_frames(&state.frames, &new.frames), 0.0, "{what}");
                assert_eq!((a, errors), (new_a, new_errors), "{what}");
                assert_eq!(format!("{counters:?}"), format!("{new_counters:?}"), "{what}");
                assert_eq!(format!("{:?}", run.work()), format!("{:?}", fresh.work()), "{what}");
                let (mut inside, mut new_inside) = (state.clone(), new.clone());
                run.interpolate(state.t - 2e-4, &mut inside);
                fresh.interpolate(state.t - 2e-4, &mut new_inside);
                assert_eq!(inside.v, new_inside.v, "{what}");
            }
        }
    }
}
