//! Small motions about periodic ones: exponents by Hill's method against closed forms and integration.

use crate::mechanisms;

use mechanisms::{run, run_from};
use poinsot_analysis::{PeriodicLinear, PeriodicLinearError, consistent_start, fourier_orbit};
use poinsot_expr::SmoothFunction;
use poinsot_geometry::{Mat3, Vec3};
use poinsot_integrators::{ImplicitSettings, Method, Tolerance};
use poinsot_mechanics::joints::{Attachment, distance, prismatic, revolute};
use poinsot_mechanics::*;
use poinsot_numerics::dense::c64;
use poinsot_numerics::hill::hill_exponents;
use std::f64::consts::TAU;

fn law(text: &str) -> SmoothFunction {
    SmoothFunction::new(&poinsot_expr::Expr::parse(text).unwrap(), &["t"], &|_| None).unwrap()
}

fn origin(node: NodeId) -> Attachment {
    Attachment { node, origin: Vec3::zeros(), axes: Mat3::identity() }
}

/// A bob on a rod of length l, hung on a body that a drive moves.
fn driven_pendulum(
    joint: impl Constraint + 'static,
    driven: Coordinate,
    motion: &str,
    [tip, rod, gravity, spin]: [Vec3; 4],
) -> System {
    let mut b = SystemBuilder::new(gravity);
    let still = Twist { linear: Vec3::zeros(), angular: Vec3::zeros() };
    let carrier = b.node("carrier", Chart::Motion, Frame::identity(), still);
    b.body(Body::new(carrier, &MassProperties::new(1.0, Vec3::zeros(), Mat3::identity())));
    b.constraint("guide", Box::new(joint));
    let drive = drives::coordinate(driven, law(motion), origin(carrier).point());
    b.constraint("drive", Box::new(drive.starting_near(&[0.0])));
    let chart = Chart::PlanarPoint { e1: Vec3::x(), e2: Vec3::y() };
    let at = tip + rod;
    let velocity = Twist { linear: spin.cross(&at), ..still };
    let bob = b.node("bob", chart, Frame { r: at, rot: Mat3::identity() }, velocity);
    b.body(Body::new(bob, &MassProperties::point(1.0, Vec3::zeros())));
    let end = Attachment { node: carrier, origin: tip, axes: Mat3::identity() };
    b.constraint("rod", Box::new(distance(&end, &origin(bob), rod.norm())));
    b.build()
}

/// Radau's method with five stages, solved to rounding.
fn tight() -> Method {
    let tolerance = Tolerance { relative: 1e-13, absolute: 1e-13 };
    ImplicitSettings { stages: 5, tolerance, estimate: false, ..ImplicitSettings::default() }.into()
}

/// States with accelerations at equidistant times of a run over one period, the last at its end.
fn motion(system: &mut System, period: f64, count: usize) -> Vec<(State, Vec<f64>)> {
    let mut motion = vec![];
    run(system, tight(), period, 8 * count, 8, |_, sample| {
        let at = &sample.at;
        let (frames, memory) = (at.frames.to_vec(), at.memory.to_vec());
        motion.push((State { t: at.t, frames, v: at.v.to_vec(), memory, rates: vec![] }, at.a.to_vec()));
        vec![]
    });
    motion
}

/// Multipliers by Hill's method of a motion at all times of a period.
fn multipliers(system: &System, motion: &[(State, Vec<f64>)], period: f64) -> Vec<c64> {
    let linear = PeriodicLinear::along(system, motion, period).unwrap();
    assert_eq!(linear.samples[0].nrows(), 2);
    let modes = hill_exponents(&linear.samples, period, None).unwrap();
    modes.iter().map(|mode| mode.multiplier).collect()
}

/// Kapitza's pendulum stands on its head: multipliers by integration with 30 digits of the equation
/// l φ″ = (g − a W² cos Wt) φ.
#[test]
fn a_shaken_pendulum_stands_on_its_head() {
    let axes = Mat3::from_columns(&[Vec3::z(), Vec3::x(), Vec3::y()]);
    let ends = [GROUND, 1].map(|node| Attachment { node, origin: Vec3::zeros(), axes });
    let along = Coordinate::displacement(&ends[0], &ends[1]);
    let guide = prismatic(&ends[0], &ends[1]);
    let places = [Vec3::zeros(), Vec3::y(), Vec3::y() * -9.81, Vec3::zeros()];
    let mut system = driven_pendulum(guide, along, "0.1*cos(100*t) - 0.1", places);
    let period = TAU / 100.0;
    let motion = motion(&mut system, period, 13);
    for value in multipliers(&system, &motion[..13], period) {
        let error = (value.re - 0.92056213).abs().max((value.im.abs() - 0.39059616).abs());
        assert!(error < 1e-7, "{value}");
    }
}

/// A pendulum on an arm that turns at constant speed.
fn turning_arm(gravity: f64, rate: f64) -> System {
    let ends = [GROUND, 1].map(origin);
    let angle = Coordinate::angle(&ends[0], &ends[1]);
    let shaft = revolute(&ends[0], &ends[1]);
    let places = [Vec3::x() * ARM, Vec3::x() * ROD, Vec3::y() * -gravity, Vec3::z() * rate];
    driven_pendulum(shaft, angle, &format!("{rate}*t"), places)
}

const ARM: f64 = 1.0;
const ROD: f64 = 0.5;

/// Without weight the free direction turns once round with the arm. Exponents ± i W √(R/l).
#[test]
fn a_pendulum_on_a_turning_arm_swings_as_in_the_turning_frame() {
    let (rate, count) = (3.0, 9);
    let mut system = turning_arm(0.0, rate);
    let wanted = (c64::new(0.0, TAU * (ARM / ROD).sqrt())).exp();
    let motion = motion(&mut system, TAU / rate, count);
    for value in multipliers(&system, &motion[..count], TAU / rate) {
        let error = (value.re - wanted.re).abs().max((value.im.abs() - wanted.im.abs()).abs());
        assert!(error < 1e-9, "{value} for {wanted}");
    }
}

/// With weight it swings once in a turn. The motion that Fourier collocation finds closes when it is
/// integrated, and the error falls with the harmonics that are cut off.
#[test]
fn a_pendulum_on_a_turning_arm_comes_back_after_a_turn() {
    let (rate, period) = (12.0, TAU / 12.0);
    let mut edges = vec![];
    let mut starts = vec![];
    for count in [9, 15, 21] {
        let mut system = turning_arm(9.81, rate);
        let guess = motion(&mut turning_arm(0.0, rate), period, count);
        let guess: Vec<State> = guess.into_iter().take(count).map(|(state, _)| state).collect();
        consistent_start(&mut system, 0.0).unwrap();
        let orbit = fourier_orbit(&system, guess, period, false).unwrap();
        edges.push(orbit.edge);
        let mut after = None;
        run_from(&mut system, orbit.motion[0].0.clone(), tight(), period, 400, 400, |_, sample| {
            after = Some((sample.at.frames.to_vec(), sample.at.v.to_vec()));
            vec![]
        });
        let (frames, v) = after.unwrap();
        let off = (frames[2].r - orbit.motion[0].0.frames[2].r).norm();
        let change = v.iter().zip(&orbit.motion[0].0.v).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        starts.push(off.max(change / rate));
    }
    assert!(starts[0] > 1e-6 && starts[2] < 1e-12, "{starts:?} {edges:?}");
    assert!(starts.windows(2).all(|pair| pair[1] < 0.1 * pair[0]), "{starts:?}");
    assert!(edges.windows(2).all(|pair| pair[1] < 0.1 * pair[0]), "{edges:?}");
}

#[test]
fn times_must_be_odd_in_number() {
    let system = SystemBuilder::new(Vec3::zeros()).build();
    let found = PeriodicLinear::along(&system, &[], 1.0);
    assert_eq!(found.err(), Some(PeriodicLinearError::Samples(0)));
}
