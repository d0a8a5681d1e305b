//! Newton's iteration keeps the tolerance that was asked for, and a tolerance below round-off does no harm.

use crate::common;

use common::{attach, consistent_start, distance_of_frames, largest_difference, unit_point};
use poinsot_geometry::{Mat3, Vec3, so3};
use poinsot_integrators::{Gs4, Gs4Form, Member, Settings, Stepper};
use poinsot_mechanics::joints::{distance, revolute, spherical};
use poinsot_mechanics::*;

/// A point on a rod, swinging in space.
fn pendulum() -> System {
    let mut b = SystemBuilder::new(Vec3::new(0.0, 0.0, -9.81));
    let node = unit_point(&mut b, Vec3::new(0.6, 0.0, -0.8), Vec3::y() * 1.5);
    let end = |node| attach(node, Vec3::zeros(), Mat3::identity());
    b.constraint("rod", Box::new(distance(&end(GROUND), &end(node), 1.0)));
    b.build()
}

/// Four links on alternating revolute and spherical joints, folded in space and turning.
fn chain() -> System {
    let mut b = SystemBuilder::new(Vec3::new(0.0, 0.0, -9.81));
    let mut tip = (GROUND, Vec3::zeros());
    let mut at = Vec3::zeros();
    for i in 0..4 {
        let rot = so3::exp(&Vec3::new(0.3, 0.4 * f64::from(i), -0.2 * f64::from(i)));
        let half = Vec3::x() * 0.25;
        let start = Frame { r: at + rot * half, rot };
        let angular = Vec3::new(0.0, 1.0, 2.0 - f64::from(i));
        let node =
            b.node(&format!("link{i}"), Chart::Motion, start, Twist { linear: Vec3::zeros(), angular });
        let inertia = Mat3::from_diagonal(&Vec3::new(0.004, 0.02, 0.022));
        b.body(Body::new(node, &MassProperties::new(1.0, Vec3::zeros(), inertia)));
        let axes = |node| b.start(node).rot.tr_mul(&rot);
        let (first, second) = (attach(tip.0, tip.1, axes(tip.0)), attach(node, -half, axes(node)));
        let joint = if i % 2 == 0 { revolute(&first, &second) } else { spherical(&first, &second) };
        b.constraint(&format!("joint{i}"), Box::new(joint));
        at += rot * half * 2.0;
        tip = (node, half);
    }
    b.build()
}

/// Members and forms that are stable in a long run.
const CASES: [(Member, Gs4Form); 5] = [
    (Member::u0(0.8, 0.8, 0.8), Gs4Form::Stabilised),
    (Member::u0(1.0, 1.0, 1.0), Gs4Form::Stabilised),
    (Member::v0(1.0, 1.0, 0.0), Gs4Form::Stabilised),
    (Member::u0(0.8, 0.8, 0.8), Gs4Form::Position),
    (Member::u0(0.0, 0.0, 0.0), Gs4Form::Position),
];

fn run(system: &System, start: &State, settings: Settings, h: f64, steps: usize) -> State {
    let mut gs4 = Gs4::new(system, settings, start.clone(), h).unwrap();
    for _ in 0..steps {
        gs4.step(h).unwrap_or_else(|e| panic!("{settings:?}: {e}"));
    }
    gs4.state().clone()
}

/// Largest difference of two states; velocities relative to the largest.
fn apart(x: &State, y: &State) -> f64 {
    let speed = y.v.iter().fold(1.0, |m, v| f64::max(m, v.abs()));
    distance_of_frames(&x.frames, &y.frames).max(largest_difference(&x.v, &y.v) / speed)
}

/// Each of n steps may leave an error of the tolerance, which then grows as a disturbance of the start does.
///
/// The stabilised form takes its position correction in the metric of the matrix in use, which may be an old
/// one, so its step is defined only up to a part of its own discretisation error.
#[test]
fn tolerance_is_kept() {
    let (h, steps) = (0.005, 100);
    for (name, system) in [("pendulum", pendulum()), ("chain", chain())] {
        let start = consistent_start(&system);
        for (member, form) in CASES {
            let with = |start: &State, tolerance, refined: usize| {
                let settings =
                    Settings { member, form, tolerance, max_iterations: 60, ..Settings::default() };
                run(&system, start, settings, h / refined as f64, steps * refined)
            };
            let exact = with(&start, 1e-14, 1);
            let mut disturbed = start.clone();
            disturbed.v.iter_mut().for_each(|v| *v *= 1.0 + 1e-7);
            let growth = (apart(&with(&disturbed, 1e-14, 1), &exact) / apart(&disturbed, &start)).max(1.0);
            let discretisation = apart(&with(&start, 1e-14, 2), &exact);
            for tolerance in [1e-7, 1e-9, 1e-11] {
                let error = apart(&with(&start, tolerance, 1), &exact);
                let scatter = if form == Gs4Form::Stabilised { 0.02 * discretisation } else { 0.0 };
                assert!(
                    error < steps as f64 * growth * tolerance + scatter,
                    "{name}, {member:?}, {form:?}, tolerance {tolerance:.0e}: {error:.1e} off, \
                     growth {growth:.1}, discretisation {discretisation:.1e}"
                );
            }
        }
    }
}

/// Nobody can ask for more than round-off allows.
#[test]
fn tolerance_below_round_off_is_harmless() {
    for system in [pendulum(), chain()] {
        let start = consistent_start(&system);
        for (member, form) in CASES {
            for h in [1e-2, 1e-3, 1e-4] {
                let settings =
                    Settings { member, form, tolerance: 0.0, max_iterations: 60, ..Settings::default() };
                run(&system, &start, settings, h, 500);
            }
        }
    }
}

/// The matrix of every form is close enough to the true one: few iterations in a step, and a contraction that
/// shows it.
#[test]
fn every_form_contracts_well() {
    let system = chain();
    let start = consistent_start(&system);
    let forms = [
        Gs4Form::Stabilised,
        Gs4Form::Hamiltonian,
        Gs4Form::Position,
        Gs4Form::Velocity,
        Gs4Form::Acceleration,
        Gs4Form::BAUMGARTE,
        Gs4Form::PENALTY,
    ];
    for form in forms {
        for (h, most) in [(1e-2, 7.0), (2e-3, 4.5)] {
            let settings = Settings { form, ..Settings::default() };
            let mut gs4 = Gs4::new(&system, settings, start.clone(), h).unwrap();
            let steps = (0.5 / h) as usize;
            for _ in 0..steps {
                gs4.step(h).unwrap_or_else(|e| panic!("{form:?}: {e}"));
            }
            let c = gs4.counters();
            assert!((c.iterations as f64) < most * steps as f64, "{form:?}, h = {h}: {c:?}");
            assert!((c.factorisations as f64) < 1.4 * steps as f64, "{form:?}, h = {h}: {c:?}");
        }
    }
}
