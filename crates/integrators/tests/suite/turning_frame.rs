//! Motion described in a turning frame is the motion in space, and its Jacobi integral is conserved.

use poinsot_geometry::{Mat3, Vec3, so3};
use poinsot_integrators::{ConservingSettings, EnergyMomentum, Galerkin, GalerkinSettings, Stepper, instant};
use poinsot_mechanics::conserving::{Coordinates, Rule};
use poinsot_mechanics::forces::{Gyrostat, Turning};
use poinsot_mechanics::*;

const RATE: Vec3 = Vec3::new(0.4, -0.7, 1.1);
const CENTRE: Vec3 = Vec3::new(0.3, -0.2, 0.1);
const SPIN: f64 = 0.9;
const MASS: f64 = 2.0;

fn inertia() -> Mat3 {
    Mat3::from_diagonal(&Vec3::new(0.5, 0.8, 1.1))
}

/// A free gyrostat; velocities in space are given.
fn free_gyrostat() -> System {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let z = Frame { r: Vec3::new(1.0, 0.5, -0.4), rot: so3::exp(&Vec3::new(0.3, 0.2, -0.5)) };
    let (v, omega) = (Vec3::new(0.6, -1.0, 0.8), Vec3::new(1.5, 0.4, -0.9));
    let relative =
        Twist { linear: v - RATE.cross(&(z.r - CENTRE)), angular: z.rot.transpose() * (omega - RATE) };
    let node = b.node("body", Chart::Motion, z, relative);
    b.body(Body::new(node, &MassProperties::new(MASS, Vec3::zeros(), inertia())));
    b.force("rotor", Box::new(Gyrostat::new(node, &Vec3::new(0.6, 0.0, 0.8), SPIN, RATE)));
    b.turning(Turning { rate: RATE, centre: CENTRE });
    b.build()
}

/// Place of the centre of mass and angular momentum about it, in space.
fn in_space(system: &System, state: &State) -> (Vec3, Vec3) {
    let turn = so3::exp(&(RATE * state.t));
    let z = &state.frames[1];
    let omega = system.twist(1, &state.v).angular + z.rot.transpose() * RATE;
    let own = inertia() * omega + Vec3::new(0.6, 0.0, 0.8) * SPIN;
    (CENTRE + turn * (z.r - CENTRE), turn * z.rot * own)
}

fn jacobi(system: &System, state: &State) -> f64 {
    let zero = vec![0.0; system.size()];
    let balance = system.balance(&instant(state, &zero), &mut Scratch::default());
    assert_eq!(balance.power, Power::default());
    balance.total()
}

#[test]
fn free_gyrostat_moves_straight_and_keeps_its_angular_momentum_in_space() {
    let system = free_gyrostat();
    let start = system.start_state(0.0);
    let (r, momentum) = in_space(&system, &start);
    let (end, v) = (1.0, Vec3::new(0.6, -1.0, 0.8));
    for coordinates in [Coordinates::Motion, Coordinates::Directors, Coordinates::EulerParameters] {
        let mut errors = vec![];
        for steps in [50, 100, 200] {
            let settings =
                ConservingSettings { coordinates, ..ConservingSettings::new(Rule::EnergyMomentum) };
            let mut integration = EnergyMomentum::new(&system, settings, start.clone()).unwrap();
            for _ in 0..steps {
                integration.attempt(end / f64::from(steps)).unwrap();
                integration.accept();
            }
            let state = integration.state();
            let (before, after) = (jacobi(&system, &start), jacobi(&system, state));
            assert!((after - before).abs() < 1e-12 * before.abs().max(1.0), "{before} {after}");
            let (place, turned) = in_space(&system, state);
            errors.push([(place - r - v * end).norm(), (turned - momentum).norm()]);
        }
        println!("{coordinates:?} {errors:?}");
        for k in 0..2 {
            assert!(errors[2][k] < 2e-4, "{errors:?}");
            assert!(((errors[1][k] / errors[2][k]).log2() - 2.0).abs() < 0.05, "{errors:?}");
        }
    }
}

#[test]
fn galerkin_steps_of_high_order_agree_with_space() {
    let system = free_gyrostat();
    let start = system.start_state(0.0);
    let (r, momentum) = in_space(&system, &start);
    let settings = GalerkinSettings::new(4);
    let mut integration = Galerkin::new(&system, settings, start.clone()).unwrap();
    for _ in 0..40 {
        integration.attempt(0.05).unwrap();
        integration.accept();
    }
    let (place, turned) = in_space(&system, integration.state());
    let straight = r + Vec3::new(0.6, -1.0, 0.8) * 2.0;
    assert!((place - straight).norm() < 1e-9, "{:e}", (place - straight).norm());
    assert!((turned - momentum).norm() < 1e-9, "{:e}", (turned - momentum).norm());
}
