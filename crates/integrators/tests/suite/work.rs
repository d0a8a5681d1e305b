//! The work that the audit counts, against closed forms: its own error must be far below that of the
//! integration.

use crate::common;

use common::{order, tight};
use poinsot_expr::{Expr, Function};
use poinsot_geometry::{Mat3, Vec3};
use poinsot_integrators::{Gs4Form, ImplicitFamily, ImplicitSettings, Member, Method, WorkMeter};
use poinsot_mechanics::forces::PointForce;
use poinsot_mechanics::*;

/// A point that moves along x with a speed, pushed along x by a force of time.
fn pushed(mass: f64, speed: f64, force: &str) -> System {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let start = Frame { r: Vec3::zeros(), rot: Mat3::identity() };
    let twist = Twist { linear: Vec3::x() * speed, angular: Vec3::zeros() };
    let node = b.node("point", Chart::Point, start, twist);
    b.body(Body::new(node, &MassProperties::point(mass, Vec3::zeros())));
    let law = |text: &str| Function::new(&Expr::parse(text).unwrap(), &["t"], &|_| None).unwrap();
    let load = [force, "0", "0"].map(law);
    b.force("push", Box::new(PointForce::dead(node, Vec3::zeros(), load)));
    b.build()
}

/// The work supplied in n steps, and the change of the kinetic energy.
fn supplied(system: &System, member: Member, mass: f64, end: f64, n: usize) -> (f64, f64) {
    supplied_by(system, &Method::Gs4(tight(member, Gs4Form::Stabilised)), mass, end, n)
}

/// The work supplied in n steps of a method, and the change of the kinetic energy.
fn supplied_by(system: &System, method: &Method, mass: f64, end: f64, n: usize) -> (f64, f64) {
    let h = end / n as f64;
    let start = system.start_state(0.0);
    let speed = start.v.clone();
    let mut stepper = method.start(system, start, h).unwrap();
    let mut meter = WorkMeter::new(system, &*stepper);
    let mut work = 0.0;
    for _ in 0..n {
        stepper.step(h).unwrap();
        work += meter.step(system, &*stepper, h).supplied;
    }
    let square = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>();
    (work, 0.5 * mass * (square(&stepper.state().v) - square(&speed)))
}

/// Collocation integrates the power by its own quadrature, with the stage that is the start of the step.
#[test]
fn every_stage_does_its_share_of_the_work() {
    let (mass, end) = (0.7, 1.3);
    let system = pushed(mass, 2.0, "3*cos(2*t)");
    let families = [ImplicitFamily::Radau, ImplicitFamily::Gauss, ImplicitFamily::Lobatto];
    for family in families {
        let method = Method::Implicit(ImplicitSettings { family, stages: 3, ..Default::default() });
        let (work, gained) = supplied_by(&system, &method, mass, end, 50);
        assert!((work - gained).abs() < 1e-7 * gained.abs(), "{family:?}: {work} of {gained}");
    }
}

/// So heavy that its speed does not change: W = ∫ 3 sin 2t dt · v = 3 v sin² T, and the error is that of the
/// audit alone.
#[test]
fn the_rule_is_of_fourth_order() {
    let (mass, speed, end) = (1e15, 2.0, 1.3);
    let system = pushed(mass, speed, "3*sin(2*t)");
    let exact = 3.0 * speed * f64::sin(end).powi(2);
    let errors =
        [5, 10, 20].map(|n| (supplied(&system, Member::u0(0.9, 0.9, 0.9), mass, end, n).0 - exact).abs());
    for pair in errors.windows(2) {
        assert!((order(pair[0], pair[1]) - 4.0).abs() < 0.1, "{errors:?}");
    }
    // The rule's own 19/720 h⁴ (P‴(T) − P‴(0)), P = 6 sin 2t; the trapezoidal rule's h²/12 (P′(T) − P′(0)) is
    // 7.8e-3.
    let (h, fall) = (end / 20.0, 1.0 - f64::cos(2.0 * end));
    assert!(errors[2] < 19.0 / 720.0 * h.powi(4) * 48.0 * fall, "{errors:?}");
    assert!(errors[2] < 0.005 * h * h * fall, "{errors:?}");
}

/// A force that sets in between two steps: W = ½ m (v² − v₀²), which the trapezoidal rule misses by half a
/// step, F v h/2. The midpoint rule takes the force inside the step and is exact here; others turn the jump
/// of the force into a lag of their own.
#[test]
fn a_force_that_jumps_between_steps_does_its_work() {
    let system = pushed(1.0, 2.0, "3*step(t - 0.5) - 4*step(t - 0.75)");
    let (work, gained) = supplied(&system, Member::named("midpoint", 0.0).unwrap(), 1.0, 1.0, 40);
    // v = 2 + 3·0.25 − 1·0.25.
    let exact = 0.5 * (2.5f64.powi(2) - 2.0f64.powi(2));
    assert!((gained - exact).abs() < 1e-12, "{gained}");
    assert!((work - exact).abs() < 1e-12, "{work}");
}
