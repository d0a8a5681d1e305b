//! The estimated local error is asymptotically the true one, for every member and any sequence of steps.

use crate::common;

use common::oscillator::{acceleration, oscillator};
use common::pendulum::{Rod, pendulum};
use common::{consistent_start, largest_difference, manifold_runge_kutta, runge_kutta, tight};
use poinsot_geometry::{Mat3, Vec3, so3};
use poinsot_integrators::{ErrorMeasure, Gs4, Gs4Form, Member, Settings, Stepper, Switches, Tolerance};
use poinsot_mechanics::*;

const CASES: [(Member, Switches); 14] = [
    (Member::u0(0.9, 0.9, 0.9), Switches::IMPLICIT),
    (Member::u0(1.0, 1.0, 1.0), Switches::IMPLICIT),
    (Member::u0(1.0, 1.0, 0.0), Switches::IMPLICIT),
    (Member::v0(1.0, 1.0, 0.0), Switches::IMPLICIT),
    (Member::v0(1.0, 1.0, 0.5), Switches::IMPLICIT),
    (Member::u0(0.5, 0.5, 0.5), Switches::IMPLICIT),
    (Member::u0(0.0, 0.0, 0.0), Switches::IMPLICIT),
    (Member::u0(0.0, 1.0, 0.0), Switches::IMPLICIT),
    (Member::u0(0.6, 0.6, 1.0 / 3.0), Switches::IMPLICIT),
    (Member::u0(0.5, 0.5, 0.0), Switches::IMPLICIT),
    (Member::v0(0.3, 0.7, 0.1), Switches::IMPLICIT),
    (Member::u0(1.0, 1.0, 0.0), Switches::EXPLICIT),
    (Member::u0(0.5, 0.5, 0.5), Switches::EXPLICIT_DISSIPATIVE),
    (Member::u0(0.5, 0.5, 0.5), Switches::VELOCITY_IMPLICIT_DISSIPATIVE),
];

/// Lengths of successive steps in units of h.
const EQUAL: &[f64] = &[1.0];
const UNEQUAL: &[f64] = &[1.0, 1.4, 0.7, 0.5, 1.9, 1.0];

/// Sizes of the error of the estimate and of the true error, largest over the steps.
#[derive(Clone, Copy, Debug, Default)]
struct Quality {
    miss: [f64; 2],
    size: [f64; 2],
}

impl Quality {
    fn see(&mut self, k: usize, estimate: f64, truth: f64) {
        self.miss[k] = self.miss[k].max((estimate - truth).abs());
        self.size[k] = self.size[k].max(truth.abs());
    }

    /// |estimate/true − 1| of q and v, largest error by largest error.
    fn relative(&self) -> [f64; 2] {
        std::array::from_fn(|k| self.miss[k] / self.size[k])
    }
}

fn measure_of(system: &System) -> ErrorMeasure {
    ErrorMeasure::new(system, Tolerance::default())
}

/// True local errors against estimates in the steps `from` … `to` of the oscillator of
/// gs4-isochronous-integrators V-03.
fn oscillator_quality(settings: Settings, h: f64, pattern: &[f64], steps: std::ops::Range<usize>) -> Quality {
    let system = oscillator();
    let x = system.nodes()[1].unknowns().start;
    let mut gs4 = Gs4::new(&system, settings, system.start_state(0.0), h * pattern[0]).unwrap();
    gs4.set_tolerances(measure_of(&system));
    let (mut position, mut velocity) = (vec![0.0; system.size()], vec![0.0; system.size()]);
    let mut quality = Quality::default();
    for k in 0..steps.end {
        let h = h * pattern[k % pattern.len()];
        let (t, before) = (gs4.state().t, [gs4.state().frames[1].r.x, gs4.state().v[x]]);
        assert!(gs4.attempt(h).unwrap().error.unwrap() > 0.0);
        gs4.local_error(&mut position, &mut velocity);
        gs4.accept();
        if steps.contains(&k) {
            let rate = |s: f64, y: &[f64; 2]| [y[1], acceleration(t + s, y[0], y[1])];
            let exact = runge_kutta(rate, before, h, 40);
            quality.see(0, position[x], gs4.state().frames[1].r.x - exact[0]);
            quality.see(1, velocity[x], gs4.state().v[x] - exact[1]);
        }
    }
    quality
}

/// V-03: estimate/true → 1 with constant and varying steps, and the distance from 1 halves with the step.
#[test]
fn oscillator_of_v03() {
    for pattern in [EQUAL, UNEQUAL] {
        for (member, switches) in CASES {
            let settings = Settings { switches, ..tight(member, Gs4Form::Stabilised) };
            let measure =
                |n: usize| oscillator_quality(settings, 1.0 / n as f64, pattern, 6..n / 2).relative();
            let (coarse, fine) = (measure(100), measure(400));
            for k in 0..2 {
                assert!(
                    fine[k] < 0.03 && fine[k] < 0.4 * coarse[k].max(0.01),
                    "{member:?}, {switches:?}, {} lengths: {coarse:?} → {fine:?}",
                    pattern.len()
                );
            }
        }
    }
}

/// The first steps have no history; their estimate is as good.
#[test]
fn first_steps() {
    for (member, switches) in CASES {
        let settings = Settings { switches, ..tight(member, Gs4Form::Stabilised) };
        for step in 0..3 {
            let measure = |h: f64| oscillator_quality(settings, h, EQUAL, step..step + 1).relative();
            let (coarse, fine) = (measure(1e-2), measure(2.5e-3));
            for k in 0..2 {
                assert!(
                    fine[k] < 0.05 && fine[k] < 0.4 * coarse[k].max(0.02),
                    "{member:?}, {switches:?}, step {step}: {coarse:?} → {fine:?}"
                );
            }
        }
    }
}

/// An attempt leaves the state alone: after dropped attempts the step is the one that would have been taken
/// at once.
#[test]
fn attempts_do_not_count() {
    for (member, form) in
        [(Member::u0(0.0, 0.0, 0.0), Gs4Form::Position), (Member::u0(0.5, 1.0, 0.5), Gs4Form::Stabilised)]
    {
        let system = pendulum(Rod::Joint, 0.5);
        let new = || Gs4::new(&system, tight(member, form), system.start_state(0.0), 0.01).unwrap();
        let (mut plain, mut tried) = (new(), new());
        tried.set_tolerances(measure_of(&system));
        for k in 0..100 {
            let h = if k % 3 == 0 { 0.01 } else { 0.007 };
            plain.step(h).unwrap();
            let before = tried.state().clone();
            tried.attempt(2.0 * h).unwrap();
            tried.attempt(0.3 * h).unwrap();
            assert_eq!(tried.state(), &before);
            tried.attempt(h).unwrap();
            tried.accept();
        }
        assert_eq!(plain.counters().steps, tried.counters().steps);
        let apart = largest_difference(&plain.state().v, &tried.state().v);
        let stored = largest_difference(plain.stored_acceleration(), tried.stored_acceleration());
        assert!(apart < 1e-10 && stored < 1e-6, "{form:?}: {apart:.1e}, {stored:.1e}");
        // Nothing waits any more.
        let state = tried.state().clone();
        assert_eq!(tried.accept().iterations, 0);
        assert_eq!(tried.state(), &state);
    }
}

/// The tangential error of the pendulum in each form, with members whose stored a rings at position level
/// among them; the whole error where the form lets what is normal drift.
#[test]
fn pendulum_along_its_path() {
    let members = [
        Member::u0(0.8, 0.8, 0.8),
        Member::u0(0.0, 1.0, 0.0),
        Member::u0(0.5, 1.0, 0.5),
        Member::v0(0.5, 0.5, 0.5),
        Member::v0(1.0, 1.0, 0.0),
        Member::u0(1.0, 1.0, 0.0),
    ];
    for form in [Gs4Form::Stabilised, Gs4Form::Velocity, Gs4Form::Position, Gs4Form::Acceleration] {
        for member in members {
            let measure = |n: usize| {
                let system = pendulum(Rod::Joint, 0.5);
                let x = system.nodes()[1].unknowns();
                let h = 1.0 / n as f64;
                let mut gs4 = Gs4::new(&system, tight(member, form), system.start_state(0.0), h).unwrap();
                gs4.set_tolerances(measure_of(&system));
                let (mut position, mut velocity) = (vec![0.0; system.size()], vec![0.0; system.size()]);
                let mut quality = Quality::default();
                let drifts = matches!(form, Gs4Form::Velocity | Gs4Form::Acceleration);
                // The exact motion is that through the tangential velocity.
                let tangential = |state: &State| {
                    let (mut state, r) = (state.clone(), state.frames[1].r);
                    if drifts {
                        return state;
                    }
                    let v = Vec3::from_column_slice(&state.v[x.clone()]);
                    let v = v - r * (v.dot(&r) / r.norm_squared());
                    state.v[x.clone()].copy_from_slice(v.as_slice());
                    state
                };
                let mut before = tangential(gs4.state());
                for k in 0..n / 2 {
                    gs4.attempt(h).unwrap();
                    gs4.local_error(&mut position, &mut velocity);
                    gs4.accept();
                    let after = tangential(gs4.state());
                    if k > 5 {
                        let exact = manifold_runge_kutta(&system, &before, before.t + h, 10);
                        let r = exact.frames[1].r;
                        let moved = after.frames[1].r - r;
                        let directions = [r.cross(&Vec3::z()), r];
                        for way in &directions[..if drifts { 2 } else { 1 }] {
                            let way = way.normalize();
                            let part = |e: &[f64]| Vec3::from_column_slice(&e[x.clone()]).dot(&way);
                            quality.see(0, part(&position), moved.dot(&way));
                            quality.see(1, part(&velocity), part(&after.v) - part(&exact.v));
                        }
                    }
                    before = after;
                }
                quality.relative()
            };
            let (coarse, fine) = (measure(100), measure(400));
            for k in 0..2 {
                assert!(fine[k] < 0.05, "{form:?}, {member:?}: {coarse:?} → {fine:?}");
            }
        }
    }
}

/// Rotations: a heavy asymmetric body on a spherical joint, errors of orientation and spin, with Magnus'
/// term.
#[test]
fn rotating_bodies() {
    let mut b = SystemBuilder::new(Vec3::new(0.0, 0.0, -9.81));
    let rot = so3::exp(&Vec3::new(0.4, -0.3, 0.2));
    let spin = Twist { linear: Vec3::new(0.3, 0.2, 0.1), angular: Vec3::new(2.0, -3.0, 4.0) };
    let free = b.node("free", Chart::Motion, Frame { r: Vec3::zeros(), rot }, spin);
    b.body(Body::new(
        free,
        &MassProperties::new(2.0, Vec3::zeros(), Mat3::from_diagonal(&Vec3::new(0.1, 0.25, 0.3))),
    ));
    let arm = Vec3::new(0.3, 0.0, 0.0);
    let top = b.node("top", Chart::Motion, Frame { r: Vec3::new(2.0, 0.0, 0.0), rot }, spin);
    b.body(Body::new(
        top,
        &MassProperties::new(1.0, Vec3::zeros(), Mat3::from_diagonal(&Vec3::new(0.02, 0.05, 0.06))),
    ));
    let pin = [
        common::attach(GROUND, Vec3::new(2.0, 0.0, 0.0) - rot * arm, Mat3::identity()),
        common::attach(top, -arm, Mat3::identity()),
    ];
    b.constraint("pin", Box::new(joints::spherical(&pin[0], &pin[1])));
    let system = b.build();
    let start = consistent_start(&system);
    for member in [
        Member::u0(0.8, 0.8, 0.8),
        Member::v0(1.0, 1.0, 0.0),
        Member::u0(0.0, 1.0, 0.0),
        Member::v0(0.3, 0.7, 0.1),
    ] {
        let measure = |h: f64| {
            let mut gs4 = Gs4::new(&system, tight(member, Gs4Form::Stabilised), start.clone(), h).unwrap();
            gs4.set_tolerances(measure_of(&system));
            let (mut position, mut velocity) = (vec![0.0; system.size()], vec![0.0; system.size()]);
            let mut quality = Quality::default();
            for k in 0..30 {
                let before = gs4.state().clone();
                gs4.attempt(h).unwrap();
                gs4.local_error(&mut position, &mut velocity);
                gs4.accept();
                if k < 6 {
                    continue;
                }
                let exact = manifold_runge_kutta(&system, &before, before.t + h, 10);
                for node in [free, top] {
                    let r = system.nodes()[node].unknowns().start + 3;
                    let off = so3::log(&exact.frames[node].rot.tr_mul(&gs4.state().frames[node].rot));
                    for i in 0..3 {
                        quality.see(0, position[r + i], off[i]);
                        quality.see(1, velocity[r + i], gs4.state().v[r + i] - exact.v[r + i]);
                    }
                }
            }
            quality.relative()
        };
        let (coarse, fine) = (measure(4e-3), measure(1e-3));
        for k in 0..2 {
            assert!(fine[k] < 0.01, "{member:?}: {coarse:?} → {fine:?}");
        }
    }
}
