//! The IVP test set at tolerances from 1e-4 to 1e-10: the achieved error is at most ten times what was asked
//! for.
//!
//! Errors are mixed, |Δ|/(scale + |value|), where the scale is the nominal size of the quantity: the
//! tolerances of the study are relative to it.

use crate::adaptive;

use adaptive::Watcher;
use poinsot_analysis::{Ending, Pace, consistent_start, run_motion};
use poinsot_integrators::{ImplicitSettings, Method, Tolerance};
use poinsot_model::{Model, build};
use poinsot_studies::load;
use poinsot_studies::motion::motion_study;
use std::path::Path;

/// The largest mixed error of the expectations that `wanted` accepts, and the number of steps.
fn error(
    model: &Model,
    stages: usize,
    tolerance: Tolerance,
    wanted: &dyn Fn(&str) -> Option<f64>,
) -> (f64, usize) {
    let (mut system, assembly) = build(model).unwrap_or_else(|d| panic!("{}", d.one_line(&model.source)));
    let spec = model.motion().unwrap();
    let (state, _) = consistent_start(&mut system, spec.start).unwrap();
    let mut study = motion_study(model, &system, &assembly).unwrap();
    study.method = Method::Implicit(ImplicitSettings { stages, tolerance, ..ImplicitSettings::default() });
    study.pace = Pace::Adaptive { tolerance, first: None, longest: None, every: Some(2.0 * study.end) };
    let mut watcher = Watcher::new(model, &assembly, study.end);
    let report = run_motion(&mut system, state, &study, &mut watcher).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(report.ending, Ending::Completed, "{stages} stages, {tolerance:?}");
    let errors = model.expects.iter().zip(&watcher.measured).filter_map(|(expect, value)| {
        let scale = wanted(&expect.formula.text)?;
        Some((value - expect.value).abs() / (scale + expect.value.abs()))
    });
    (errors.fold(0.0, |m: f64, e| if e.is_nan() { f64::NAN } else { m.max(e) }), report.counters.steps)
}

/// Checks a model with three and five stages at the tolerances 1e-4 … 1e-10.
fn check(name: &str, wanted: &dyn Fn(&str) -> Option<f64>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../verification").join(name);
    let (model, _) = load(&path, &[]).unwrap_or_else(|_| panic!("{name} cannot be loaded"));
    for stages in [3, 5] {
        let mut tolerance = 1e-4;
        while tolerance >= 0.99e-10 {
            let (error, steps) = error(&model, stages, Tolerance::both(tolerance), wanted);
            println!("{name} {stages} stages {tolerance:.0e}: {error:.1e}, {steps} steps");
            assert!(error <= 10.0 * tolerance, "{name}, {stages} stages, {tolerance:e}: {error:e}");
            tolerance *= 1e-1;
        }
    }
}

fn all(_: &str) -> Option<f64> {
    Some(1.0)
}

/// Positions and velocities; multipliers are out of the error test.
fn moving(text: &str) -> Option<f64> {
    (text.contains("position") || text.contains("velocity")).then_some(1.0)
}

#[test]
fn a06_transistor_amplifier() {
    check("testset/a06_transistor_amplifier.toml", &all);
}

#[test]
fn a11_hires() {
    check("testset/a11_hires.toml", &|_| Some(1e-2));
}

#[test]
fn a12_robertson() {
    for name in ["testset/a12_robertson_ode.toml", "testset/a12_robertson_dae.toml"] {
        let scale = |text: &str| match text {
            "kinetics.y1" => Some(1e-7),
            "kinetics.y2" => Some(1e-12),
            _ => Some(1.0),
        };
        check(name, &scale);
    }
}

#[test]
fn a13_van_der_pol() {
    check("testset/a13_van_der_pol.toml", &all);
}

/// The laws of the transistors have pieces; steps end where these meet.
#[test]
fn a16_nand_gate() {
    check("testset/a16_nand_gate.toml", &all);
}

/// Where the transistor turns on and off three switches pass zero at once, and the charge is a ratio of zeros
/// there.
#[test]
fn a07_charge_pump() {
    let scale = |text: &str| Some(if text.starts_with("pump.Y") { 1e-12 } else { 1.0 });
    check("testset/a07_charge_pump.toml", &scale);
}

/// The friction law jumps where a flow becomes turbulent.
#[test]
fn a08_water_tube() {
    check("testset/a08_water_tube.toml", &all);
}

#[test]
fn a01_pendulum() {
    check("reference/a01_pendulum.toml", &moving);
}

#[test]
fn a02_car_axis() {
    check("reference/a02_car_axis.toml", &moving);
}

#[test]
fn a03_andrews() {
    let angles = ["beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"];
    check("reference/a03_andrews.toml", &|text| angles.contains(&text).then_some(1.0));
}
