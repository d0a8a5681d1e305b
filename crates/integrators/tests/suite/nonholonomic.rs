//! Constraints on velocities: the Chaplygin sleigh (reference D11) and the rolling disk (reference D09).

use crate::common;

use common::{consistent_start, order, violation};
use poinsot_geometry::{Mat3, Vec3};
use poinsot_integrators::{Gs4, Gs4Form, Projection, Settings, Stepper};
use poinsot_mechanics::joints::{Attachment, knife_edge, rolling_disk};
use poinsot_mechanics::*;

const FORMS: [Gs4Form; 6] = [
    Gs4Form::Stabilised,
    Gs4Form::Hamiltonian,
    Gs4Form::Position,
    Gs4Form::Velocity,
    Gs4Form::Acceleration,
    Gs4Form::BAUMGARTE,
];

pub fn sleigh() -> System {
    let (a, omega) = (0.3, 2.0);
    let mut b = SystemBuilder::new(Vec3::zeros());
    let chart = Chart::Planar { e1: Vec3::x(), e2: Vec3::y(), normal: Vec3::z() };
    let start = Frame { r: Vec3::new(a, 0.0, 0.0), rot: Mat3::identity() };
    let velocity = Twist { linear: Vec3::new(0.0, a * omega, 0.0), angular: Vec3::new(0.0, 0.0, omega) };
    let node = b.node("sleigh", chart, start, velocity);
    b.body(Body::new(node, &MassProperties::new(1.0, Vec3::zeros(), Mat3::identity() * 0.2)));
    let ground = Attachment { node: GROUND, origin: Vec3::zeros(), axes: Mat3::identity() };
    let blade = Attachment { node, origin: Vec3::new(-a, 0.0, 0.0), axes: Mat3::identity() };
    b.constraint("blade", Box::new(knife_edge(&ground, &blade)));
    b.build()
}

/// Error of (x, y) of the blade, v and ω at t = 1.
fn sleigh_error(form: Gs4Form, h: f64) -> f64 {
    let system = sleigh();
    let settings = Settings { form, ..Settings::default() };
    let mut run = Gs4::new(&system, settings, consistent_start(&system), h).unwrap();
    let steps = (1.0 / h).round() as usize;
    (0..steps).for_each(|_| {
        run.step(h).unwrap();
    });
    let state = run.state();
    let (z, twist) = (&state.frames[1], system.twist(1, &state.v));
    let blade = Carried::point(1, Vec3::new(-0.3, 0.0, 0.0));
    let (x, v) = (blade.value(z), blade.velocity(z, &twist));
    let along = v.dot(&z.rot.column(0));
    let sideways = v.dot(&z.rot.column(1)).abs();
    assert!(sideways < 1e-9, "{form:?}: slips with {sideways}");
    let reference = [0.1835377418201567, 0.4313986757441482, 0.8675847270760097, 1.1851040131049253];
    let got = [x.x, x.y, along, twist.angular.z];
    got.iter().zip(reference).map(|(g, r)| (g - r).abs()).fold(0.0, f64::max)
}

#[test]
fn sleigh_converges_with_order_two() {
    for form in FORMS {
        let (coarse, fine) = (sleigh_error(form, 0.01), sleigh_error(form, 0.005));
        assert!(fine < 2e-5, "{form:?}: {fine:e}");
        assert!((order(coarse, fine) - 2.0).abs() < 0.1, "{form:?}: {coarse:e} {fine:e}");
    }
}

/// The disk of D09: axle along the body's z axis, leaning by 0.2.
pub fn disk() -> System {
    let (m, r, lean) = (1.0, 0.5, 0.2f64);
    let (s, c) = lean.sin_cos();
    let axle = Vec3::new(0.0, c, s);
    let up = Vec3::new(0.0, -s, c);
    // w = w_axle e2 + w_inplane e3.
    let omega = axle * 4.0 + up * (0.5 * c);
    let rot = Mat3::from_columns(&[up, Vec3::x(), axle]);
    let mut b = SystemBuilder::new(Vec3::new(0.0, 0.0, -9.81));
    let start = Frame { r: up * r, rot };
    let velocity = Twist { linear: omega.cross(&(up * r)), angular: rot.tr_mul(&omega) };
    let node = b.node("disk", Chart::Motion, start, velocity);
    let inertia = Mat3::from_diagonal(&Vec3::new(0.0625, 0.0625, 0.125));
    b.body(Body::new(node, &MassProperties::new(m, Vec3::zeros(), inertia)));
    let ground = Attachment { node: GROUND, origin: Vec3::zeros(), axes: Mat3::identity() };
    let wheel = Attachment { node, origin: Vec3::zeros(), axes: Mat3::identity() };
    b.constraint("contact", Box::new(rolling_disk(&ground, &wheel, r)));
    b.build()
}

/// Error of (x, y) of the centre relative to its start, the lean and the angular velocities at t = 1.
fn disk_error(form: Gs4Form, h: f64) -> f64 {
    let system = disk();
    let settings = Settings { form, ..Settings::default() };
    let mut run = Gs4::new(&system, settings, consistent_start(&system), h).unwrap();
    let start = run.state().frames[1].r;
    let at = |state: &State| -> f64 {
        let zero = vec![0.0; system.size()];
        system.balance(&poinsot_integrators::instant(state, &zero), &mut Scratch::default()).total()
    };
    let energy = at(run.state());
    let steps = (1.0 / h).round() as usize;
    (0..steps).for_each(|_| {
        run.step(h).unwrap();
    });
    let state = run.state();
    assert!((at(state) / energy - 1.0).abs() < 20.0 * h * h, "{form:?}: energy");
    let z = &state.frames[1];
    let omega = z.rot * system.twist(1, &state.v).angular;
    let axle: Vec3 = z.rot.column(2).into();
    let lean = axle.z.asin();
    let up = (Vec3::z() - axle * axle.z).normalize();
    let moved = z.r - start;
    let got = [moved.x, moved.y, lean, omega.dot(&up), omega.dot(&axle)];
    let reference =
        [1.517444112816182, -1.1358237639370722, 0.23049040901620946, 0.24880761384386144, 3.992489474230462];
    got.iter().zip(reference).map(|(g, r)| (g - r).abs()).fold(0.0, f64::max)
}

#[test]
fn rolling_disk_converges_with_order_two() {
    for form in FORMS {
        let (coarse, fine) = (disk_error(form, 0.01), disk_error(form, 0.005));
        assert!(fine < 1e-3, "{form:?}: {fine:e}");
        assert!((order(coarse, fine) - 2.0).abs() < 0.1, "{form:?}: {coarse:e} {fine:e}");
    }
}

/// Projection closes the holonomic row of the contact in position and all its rows in velocity; rows on
/// velocities leave positions alone.
#[test]
fn projection_with_rows_on_velocities() {
    let system = disk();
    let (h, n) = (0.01, 200);
    let projection = Projection { position: true, velocity: true, acceleration: true };
    let plain = Settings { form: Gs4Form::Acceleration, tolerance: 1e-13, ..Settings::default() };
    let mut drifting = Gs4::new(&system, plain, consistent_start(&system), h).unwrap();
    let mut run = Gs4::new(&system, Settings { projection, ..plain }, consistent_start(&system), h).unwrap();
    for _ in 0..n {
        drifting.step(h).unwrap();
        run.step(h).unwrap();
        let (position, velocity) = violation(&system, run.state());
        assert!(position < 1e-15 && velocity < 1e-14, "Φ = {position:.1e}, Φ̇ = {velocity:.1e}");
    }
    let (drift, _) = violation(&system, drifting.state());
    assert!(drift > 1e-5, "nothing to project: {drift:.1e}");
}

/// A penalty on the blade lets it slip by pλ/(γω), less with less softness.
#[test]
fn penalty_on_a_velocity() {
    let system = sleigh();
    let slip = |softness: f64| {
        let form = Gs4Form::Penalty { softness: Some(softness), frequency: Some(20.0), damping: Some(2.0) };
        let settings = Settings { form, tolerance: 1e-13, ..Settings::default() };
        let mut run = Gs4::new(&system, settings, consistent_start(&system), 0.005).unwrap();
        (0..200).for_each(|_| {
            run.step(0.005).unwrap();
        });
        violation(&system, run.state()).1
    };
    let (soft, hard) = (slip(1e-2), slip(5e-3));
    assert!((soft / hard - 2.0).abs() < 0.05 && hard < 2e-4, "{soft:.3e} {hard:.3e}");
}
