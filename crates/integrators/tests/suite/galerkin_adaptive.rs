//! Galerkin steps that are chosen by their errors: the estimate against the true local error, the tolerance
//! against the error of the motion, and energy at steps of every length.

use crate::common;
use crate::galerkin::{balance, chain, exact_top, permitted, planar_pair, revolute_pair, top};

use common::{distance_of_frames, largest, largest_difference, manifold_runge_kutta};
use poinsot_geometry::so3;
use poinsot_integrators::{
    Controller, ErrorMeasure, Galerkin, GalerkinSettings, Integrator, MAX_GALERKIN_DEGREE, Stepper, Tolerance,
};
use poinsot_mechanics::*;

/// Settings that estimate errors.
fn adaptive(degree: usize, tolerance: f64) -> GalerkinSettings {
    let mut settings = GalerkinSettings::new(degree);
    settings.set_local_tolerance(Tolerance::both(tolerance), true);
    settings
}

/// The weighted distance of two states.
fn distance(system: &System, measure: &ErrorMeasure, one: &State, other: &State) -> f64 {
    let (mut position, mut velocity) = (vec![0.0; system.size()], vec![0.0; system.size()]);
    for (id, node) in system.nodes().iter().enumerate() {
        let (z, w) = (&one.frames[id], &other.frames[id]);
        let moved = Twist { linear: w.r - z.r, angular: so3::log(&z.rot.tr_mul(&w.rot)) };
        node.chart.velocities(&moved, &mut position[node.unknowns()]);
        node.unknowns().for_each(|e| velocity[e] = other.v[e] - one.v[e]);
    }
    measure.norm(&position, &velocity)
}

/// Estimate over true local error in some steps.
fn effectivity(system: &System, degree: usize, h: f64, steps: usize) -> Vec<f64> {
    let settings = adaptive(degree, 1e-6);
    let mut run = Galerkin::new(system, settings, system.start_state(0.0)).unwrap();
    let mut measure = ErrorMeasure::new(system, settings.local);
    let of_step = |_| {
        let mut before = run.state().clone();
        let estimate = run.attempt(h).unwrap().error.unwrap();
        run.accept();
        measure.weigh_at(&before, h);
        if degree == 1 {
            before.v = permitted(system, &before);
        }
        let exact = manifold_runge_kutta(system, &before, before.t + h, 400);
        // Velocities of degree one keep the part that constraints forbid: it alternates and does not add up.
        let mut end = run.state().clone();
        if degree == 1 {
            end.v = permitted(system, &end);
        }
        estimate / distance(system, &measure, &end, &exact)
    };
    (0..steps).map(of_step).collect()
}

/// The estimate is the true local error of the step itself, asymptotically.
#[test]
fn estimate_over_error_tends_to_one() {
    let systems =
        [("planar pair", planar_pair(), 0.02), ("chain", chain(), 0.02), ("hinge", revolute_pair(), 0.005)];
    for (name, system, h) in &systems {
        for (k, scale) in [(1, 0.5), (2, 1.0), (3, 2.0)] {
            let found = effectivity(system, k, h * scale, 8);
            println!("{name} k {k}: {found:.3?}");
            assert!(found.iter().all(|ratio| (0.9..1.1).contains(ratio)), "{name} k {k}: {found:.3?}");
        }
    }
}

/// A run by the controller.
struct Run {
    state: State,
    steps: usize,
    energy: f64,
    shortest: f64,
    longest: f64,
}

fn run(system: &System, settings: GalerkinSettings, end: f64) -> Run {
    let mut integration = Galerkin::new(system, settings, system.start_state(0.0)).unwrap();
    let mut controller = Controller::new(end);
    let first = balance(system, integration.state()).total();
    let (mut h, mut energy, mut steps) = (1e-4_f64, 0.0_f64, 0);
    let (mut shortest, mut longest) = (f64::INFINITY, 0.0_f64);
    while integration.state().t < end * (1.0 - 1e-12) {
        h = h.min(end - integration.state().t);
        let Ok(attempt) = integration.attempt(h) else {
            h = controller.cut(h);
            continue;
        };
        let decision = controller.judge(h, &attempt);
        if decision.accept {
            integration.accept();
            (shortest, longest) = (shortest.min(h), longest.max(h));
            energy = energy.max((balance(system, integration.state()).total() / first - 1.0).abs());
            steps += 1;
        }
        h = decision.next.min(attempt.longest);
    }
    Run { state: integration.state().clone(), steps, energy, shortest, longest }
}

/// A tolerance holds for the sum of the errors, of which up to twice is spent, in the root mean square of
/// twelve numbers: of one of them it is up to seven times that, of a speed relative to it. A spin of 135.6
/// 1/s that is wrong by one part turns the top by 13.6 such parts in 0.1 s.
const MOST: f64 = 7.0 * 14.6;

/// The heavy top (energy-momentum-null-space V-2) against its closed form: the error of the motion is about
/// the tolerance, and energy is exact whatever the steps are.
#[test]
fn tolerance_is_the_error_of_the_motion() {
    let (system, end) = (top(), 0.1);
    let exact = exact_top(end);
    for k in 1..=MAX_GALERKIN_DEGREE {
        let tolerances: &[f64] = if k == 1 { &[1e-3, 1e-4, 1e-5] } else { &[1e-4, 1e-6, 1e-8] };
        for &tolerance in tolerances {
            let found = run(&system, adaptive(k, tolerance), end);
            let error = distance_of_frames(&found.state.frames, &exact.frames)
                .max(largest_difference(&found.state.v, &exact.v) / largest(&exact.v));
            println!(
                "k {k} tolerance {tolerance:.0e}: error {error:.1e}, {} steps {:.1e} … {:.1e}, H {:.1e}",
                found.steps, found.shortest, found.longest, found.energy
            );
            assert!(error < MOST * tolerance, "k {k} {tolerance:e}: {error:e}");
            // Steps of higher degrees are as long as turns inside them may be.
            assert!(k > 3 || error > 1e-3 * tolerance, "k {k} {tolerance:e}: {error:e}");
            assert!(found.energy < 1e-12, "k {k}: {:e}", found.energy);
        }
    }
}

/// Fixed steps cost nothing more: no error is estimated, and the steps are the same to the last bit.
#[test]
fn the_companion_leaves_the_step_alone() {
    let system = chain();
    let settings = GalerkinSettings::new(2);
    let mut plain = Galerkin::new(&system, settings, system.start_state(0.0)).unwrap();
    let mut watched = Galerkin::new(&system, adaptive(2, 1e-6), system.start_state(0.0)).unwrap();
    for _ in 0..10 {
        assert!(plain.attempt(0.01).unwrap().error.is_none());
        assert!(watched.attempt(0.01).unwrap().error.is_some());
        plain.accept();
        watched.accept();
    }
    assert_eq!(plain.state().frames, watched.state().frames);
    assert_eq!(plain.state().v, watched.state().v);
}
