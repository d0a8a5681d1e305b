//! A linear model takes one factorisation, and one iteration in a step.

use crate::common;

use common::{along_x, attach, largest_difference, law, unit_point};
use poinsot_geometry::{Mat3, Vec3};
use poinsot_integrators::{Gs4, Gs4Form, Member, Settings, Stepper, Switches};
use poinsot_mechanics::forces::CoordinateForce;
use poinsot_mechanics::joints::prismatic;
use poinsot_mechanics::*;

/// Masses in a row with springs and dampers between them; the first is shaken. With `stop`, the last meets a
/// spring.
fn row(count: usize, stop: bool) -> System {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let mut previous = attach(GROUND, Vec3::zeros(), along_x());
    for k in 0..count {
        let speed = Vec3::x() * if k == 0 { 1.0 } else { 0.0 };
        let node = unit_point(&mut b, Vec3::x() * k as f64, speed);
        let here = attach(node, Vec3::zeros(), along_x());
        let force = if k == 0 { "-3*sin(7*t)" } else { "0" };
        let element = CoordinateForce {
            coordinate: Coordinate::displacement(&previous, &here),
            stiffness: 400.0,
            damping: 2.0,
            free: if k == 0 { 0.0 } else { 1.0 },
            law: Some(law(force)),
        };
        b.force(&format!("spring{k}"), Box::new(element));
        previous = here;
    }
    if stop {
        let wall = attach(GROUND, Vec3::x() * (count as f64 - 1.0 + 0.02), along_x());
        let element = CoordinateForce {
            coordinate: Coordinate::displacement(&wall, &previous),
            stiffness: 0.0,
            damping: 0.0,
            free: 0.0,
            law: Some(law("1e5*max(s, 0)")),
        };
        b.force("stop", Box::new(element));
    }
    b.build()
}

fn start<'s>(system: &'s System, settings: Settings, h: f64) -> Gs4<'s> {
    Gs4::new(system, settings, system.start_state(0.0), h).unwrap()
}

#[test]
fn one_factorisation_and_one_iteration_per_step() {
    let (system, h, steps) = (row(20, false), 5e-3, 1000);
    for member in [Member::u0(0.9, 0.9, 0.9), Member::v0(1.0, 1.0, 0.0), Member::u0(0.0, 1.0, 0.0)] {
        for form in [Gs4Form::Stabilised, Gs4Form::Velocity] {
            let settings = Settings { member, form, ..Settings::default() };
            let mut gs4 = start(&system, settings, h);
            let mut exact = start(&system, Settings { tolerance: 1e-15, max_iterations: 50, ..settings }, h);
            for _ in 0..steps {
                gs4.step(h).unwrap();
                exact.step(h).unwrap();
            }
            let c = gs4.counters();
            assert_eq!(c.factorisations, 1, "{member:?}: {c:?}");
            assert!(c.iterations <= steps + 4, "{member:?}: {c:?}");
            assert!(c.residuals <= steps + steps / 5, "{member:?}: {c:?}");
            let apart = largest_difference(&gs4.state().v, &exact.state().v);
            assert!(apart < 1e-9, "{member:?}: {apart:.1e} off");
        }
    }
}

/// Bodies that slide on straight guides are linear too, although their charts are not.
#[test]
fn sliding_bodies() {
    let mut b = SystemBuilder::new(Vec3::new(0.0, 0.0, -9.81));
    let mut previous = attach(GROUND, Vec3::zeros(), along_x());
    for k in 0..5 {
        let start = Frame { r: Vec3::x() * f64::from(k), rot: Mat3::identity() };
        let velocity = Twist { linear: Vec3::x() * f64::from(k), angular: Vec3::zeros() };
        let node = b.node(&format!("slider{k}"), Chart::Motion, start, velocity);
        b.body(Body::new(node, &MassProperties::new(1.0, Vec3::zeros(), Mat3::identity())));
        let here = attach(node, Vec3::zeros(), along_x());
        let guide = prismatic(&attach(GROUND, Vec3::zeros(), along_x()), &here);
        b.constraint(&format!("guide{k}"), Box::new(guide));
        let coordinate = Coordinate::displacement(&previous, &here);
        let free = if k == 0 { 0.0 } else { 1.0 };
        let spring = CoordinateForce { coordinate, stiffness: 300.0, damping: 1.0, free, law: None };
        b.force(&format!("spring{k}"), Box::new(spring));
        previous = here;
    }
    let system = b.build();
    let mut gs4 = start(&system, Settings::default(), 2e-3);
    for _ in 0..1000 {
        gs4.step(2e-3).unwrap();
    }
    let c = gs4.counters();
    assert!(c.factorisations == 1 && c.iterations <= 1004, "{c:?}");
}

/// A stop that is reached later ends the belief: the motion is that of full iterations.
#[test]
fn a_stop_is_noticed() {
    let (system, h, steps) = (row(5, true), 2e-3, 2000);
    let mut gs4 = start(&system, Settings::default(), h);
    let mut exact =
        start(&system, Settings { tolerance: 1e-15, max_iterations: 50, ..Settings::default() }, h);
    let (mut touched, mut apart): (bool, f64) = (false, 0.0);
    for _ in 0..steps {
        gs4.step(h).unwrap();
        exact.step(h).unwrap();
        touched |= gs4.state().frames[5].r.x > 4.02;
        apart = apart.max(largest_difference(&gs4.state().v, &exact.state().v));
    }
    let c = gs4.counters();
    assert!(touched && c.factorisations > 1 && c.iterations < steps + steps / 4, "{c:?}");
    assert!(apart < 1e-7, "{apart:.1e} off");
}

/// Explicit members of a linear model: only M is factored, once.
#[test]
fn explicit_members_factor_once() {
    let system = row(20, false);
    let switches = Switches::EXPLICIT;
    let mut gs4 =
        start(&system, Settings { member: Member::u0(1.0, 1.0, 0.0), switches, ..Settings::default() }, 5e-3);
    for _ in 0..1000 {
        gs4.step(5e-3).unwrap();
    }
    let c = gs4.counters();
    assert!(c.factorisations == 1 && c.iterations <= 1004, "{c:?}");
}
