//! What a step costs by treatment: CPU time per step for the validation models of energy-momentum-null-space
//! and for chains, and for generalized-alpha on the same models. Prints a table; a first argument keeps only
//! models whose name contains it, a second one only treatments.

#[path = "../../crates/integrators/tests/suite/conserving_models.rs"]
#[allow(dead_code, reason = "uses a part of them")]
mod models;

use models::*;
use poinsot_integrators::{ConservingSettings, EnergyMomentum, Gs4, Gs4Form, Settings, Stepper, Treatment};
use poinsot_mechanics::System;
use poinsot_mechanics::conserving::{Coordinates, Rule};
use std::time::Instant;

/// Batches of steps of which the fastest counts.
const BATCHES: usize = 15;

/// Newton tolerance of all.
const TOLERANCE: f64 = 1e-10;

/// Least time of several batches of steps, per step (µs); none if a step fails.
fn least(steps: usize, batches: usize, mut step: impl FnMut() -> bool) -> Option<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..batches {
        let start = Instant::now();
        for _ in 0..steps {
            if !step() {
                return None;
            }
        }
        best = best.min(start.elapsed().as_secs_f64() / steps as f64);
    }
    Some(best * 1e6)
}

fn cost(system: &System, settings: ConservingSettings, h: f64, steps: usize) -> (Option<f64>, f64, f64) {
    let Ok(mut integration) = EnergyMomentum::new(system, settings, system.start_state(0.0)) else {
        return (None, 0.0, 0.0);
    };
    let time = least(steps, BATCHES, || {
        let solved = integration.attempt(h).is_ok();
        integration.accept();
        solved
    });
    let counters = integration.counters();
    let per_step = |n: usize| n as f64 / counters.steps.max(1) as f64;
    (time, per_step(counters.iterations), per_step(counters.factorisations))
}

fn gs4(system: &System, h: f64, steps: usize) -> (Option<f64>, f64, f64) {
    let settings = Settings { form: Gs4Form::Position, tolerance: TOLERANCE, ..Settings::default() };
    let Ok(mut integration) = Gs4::new(system, settings, system.start_state(0.0), h) else {
        return (None, 0.0, 0.0);
    };
    let time = least(steps, BATCHES, || {
        let solved = integration.attempt(h).is_ok();
        integration.accept();
        solved
    });
    let counters = integration.counters();
    let per_step = |n: usize| n as f64 / counters.steps.max(1) as f64;
    (time, per_step(counters.iterations), per_step(counters.factorisations))
}

fn main() {
    let mut regular = linkage();
    regular.suspend_rows(&[(6, 4)]);
    let mut cases: Vec<(String, System, f64, usize)> = vec![
        ("V-1 pendulum".into(), double_spherical_pendulum(), 0.01, 400),
        ("V-2 top".into(), top(), 1e-3, 400),
        ("V-4 revolute".into(), revolute_pair(), 0.01, 300),
        ("V-5 cylindrical".into(), cylindrical_pair(), 1e-3, 300),
        ("V-6 planar".into(), planar_pair(), 1e-3, 300),
        ("V-7 linkage".into(), regular, 1e-3, 100),
        ("tree of 7".into(), mixed_tree(true), 5e-3, 100),
    ];
    for (links, name) in [(Links::Ball, "balls"), (Links::Hinge, "hinges")] {
        for (n, steps) in [(3, 200), (10, 60), (30, 20), (100, 10), (1000, 1)] {
            cases.push((format!("chain of {n} {name}"), chain(n, links), 1e-3, steps));
        }
    }
    let argument = |k: usize| std::env::args().nth(k).unwrap_or_default();
    let (only, treatments) = (argument(1), argument(2));
    println!("us per step (iterations, factorisations per step); step tolerance {TOLERANCE:e}");
    for (name, system, h, steps) in cases.iter().filter(|c| c.0.contains(&only)) {
        println!("{name}, h = {h}");
        let line = |label: &str, (time, iterations, factorisations): (Option<f64>, f64, f64)| {
            let time = time.map_or("failed".into(), |t| format!("{t:10.2}"));
            println!("  {label:24} {time:>10}  ({iterations:.2}, {factorisations:.2})");
        };
        let large = system.nodes().len() > 200;
        for (label, treatment, coordinates) in [
            ("automatic", Treatment::Automatic, Coordinates::Motion),
            ("multipliers, motions", Treatment::Multipliers, Coordinates::Motion),
            ("multipliers, directors", Treatment::Multipliers, Coordinates::Directors),
            ("null space", Treatment::NullSpace, Coordinates::Motion),
            ("minimal", Treatment::Minimal, Coordinates::Motion),
            ("penalty 1e8", Treatment::Penalty { stiffness: 1e8 }, Coordinates::Motion),
        ] {
            let heavy = large && matches!(treatment, Treatment::NullSpace | Treatment::Minimal);
            if heavy || !label.contains(&treatments) {
                continue;
            }
            let base = ConservingSettings::new(Rule::EnergyMomentum);
            let settings = ConservingSettings { treatment, coordinates, tolerance: TOLERANCE, ..base };
            line(label, cost(system, settings, *h, *steps));
        }
        if "generalized-alpha".contains(&treatments) {
            line("generalized-alpha", gs4(system, *h, *steps));
        }
    }
}
