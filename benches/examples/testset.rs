//! Solves a problem of the IVP test set and prints a line of JSON for every method and tolerance: `testset
//! PROBLEM TOLERANCE...`, as `benches/testset/run --also` wants it. Run from the root of the project.

use poinsot_analysis::{Ending, Halt, MotionReport, Observer, Pace, Sample, consistent_start, run_motion};
use poinsot_integrators::{BdfSettings, ImplicitSettings, Method, StageForm, Tolerance};
use poinsot_mechanics::System;
use poinsot_model::{Assembly, Model, Probe, View, build};
use poinsot_studies::load;
use poinsot_studies::motion::motion_study;
use std::path::Path;
use std::time::Instant;

/// A problem: its name, its model, and the scale of a quantity that is compared.
type Problem = (&'static str, &'static str, fn(&str) -> Option<f64>);

const PROBLEMS: [Problem; 9] = [
    ("pendulum", "reference/a01_pendulum.toml", moving),
    ("car_axis", "reference/a02_car_axis.toml", moving),
    ("andrews", "reference/a03_andrews.toml", angles),
    ("amplifier", "testset/a06_transistor_amplifier.toml", |_| Some(1.0)),
    ("water_tube", "testset/a08_water_tube.toml", |text| text.contains(".q").then_some(1e-3)),
    ("hires", "testset/a11_hires.toml", |_| Some(1e-4)),
    ("robertson", "testset/a12_robertson_ode.toml", kinetics),
    ("van_der_pol", "testset/a13_van_der_pol.toml", |text| {
        Some(if text.ends_with('1') { 1.0 } else { 1e-3 })
    }),
    ("nand", "testset/a16_nand_gate.toml", |_| Some(1.0)),
];

fn moving(text: &str) -> Option<f64> {
    (text.contains("position") || text.contains("velocity")).then_some(1.0)
}

fn angles(text: &str) -> Option<f64> {
    ["beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"].contains(&text).then_some(1.0)
}

fn kinetics(text: &str) -> Option<f64> {
    match text {
        "kinetics.y1" => Some(1e-8),
        "kinetics.y2" => Some(1e-13),
        _ => Some(1.0),
    }
}

/// Keeps the values that are expected at the end.
struct Last<'a> {
    model: &'a Model,
    assembly: &'a Assembly,
    probe: Probe,
    values: Vec<f64>,
    /// Whether anybody looks: runs that are timed do not.
    looks: bool,
}

impl Observer for Last<'_> {
    fn sample(&mut self, system: &System, sample: &Sample) -> Result<(), Halt> {
        if self.looks {
            let view = View {
                model: self.model,
                assembly: self.assembly,
                system,
                at: sample.at,
                balance: sample.balance,
                results: None,
            };
            let signals = self.probe.signals(&view);
            let value = |e: &poinsot_model::spec::ExpectSpec| self.probe.formula(&e.formula, &view, &signals);
            self.values = self.model.expects.iter().map(value).collect();
        }
        Ok(())
    }

    fn keep_going(&mut self, _: f64) -> bool {
        true
    }
}

/// One run: the values at the end, what it cost, and how long it took (s). The system is built before, as
/// those of other codes are.
fn run(
    model: &Model,
    (system, assembly): &mut (System, Assembly),
    method: Method,
    tolerance: Tolerance,
    looks: bool,
) -> Option<(Vec<f64>, MotionReport, f64)> {
    let start = model.motion()?.start;
    let (state, _) = consistent_start(system, start).ok()?;
    let mut study = motion_study(model, system, assembly)?;
    study.times = vec![];
    study.method = method;
    study.pace = Pace::Adaptive { tolerance, first: None, longest: None, every: Some(2.0 * study.end) };
    let mut last = Last { model, assembly, probe: Probe::default(), values: vec![], looks };
    let clock = Instant::now();
    let report = run_motion(system, state, &study, &mut last).ok()?;
    let seconds = clock.elapsed().as_secs_f64();
    (report.ending == Ending::Completed).then_some((last.values, report, seconds))
}

/// Solves until the least time has been seen often enough.
fn measure(
    problem: &Problem,
    model: &Model,
    (code, form, method): (&str, &str, &dyn Fn(Tolerance) -> Method),
    t: f64,
) {
    let tolerance = Tolerance::both(t);
    let head = format!(
        "{{\"code\": \"{code}\", \"version\": \"{}\", \"problem\": \"{}\", \"form\": \"{form}\", \"rtol\": {t:e}, \"atol\": []",
        env!("CARGO_PKG_VERSION"),
        problem.0
    );
    let Ok(mut built) = build(model) else { return };
    let Some((values, report, _)) = run(model, &mut built, method(tolerance), tolerance, true) else {
        println!(
            "{head}, \"scd\": null, \"mixed\": null, \"steps\": null, \"rejected\": null, \"rhs\": null, \"jacobians\": null, \"cpu\": null, \"fails\": \"did not reach the end\"}}"
        );
        return;
    };
    let (mut relative, mut mixed): (f64, f64) = (0.0, 0.0);
    let end = model.study.as_ref().and_then(|s| s.times()).map_or(0.0, |(_, end)| end);
    for (expect, value) in model.expects.iter().zip(&values).filter(|(e, _)| e.at.is_none_or(|at| at == end))
    {
        let Some(scale) = (problem.2)(&expect.formula.text) else { continue };
        let error = (value - expect.value).abs();
        if expect.value != 0.0 {
            relative = relative.max(error / expect.value.abs());
        }
        mixed = mixed.max(error / (scale + expect.value.abs()));
    }
    let clock = Instant::now();
    let mut least = f64::INFINITY;
    let mut runs = 0;
    while runs < 3 || (clock.elapsed().as_secs_f64() < 0.3 && runs < 200) {
        let run = run(model, &mut built, method(tolerance), tolerance, false);
        let time = run.map_or(f64::INFINITY, |(.., seconds)| seconds);
        least = least.min(time);
        runs += 1;
    }
    let c = &report.counters;
    println!(
        "{head}, \"scd\": {:.3}, \"mixed\": {mixed:.4e}, \"steps\": {}, \"rejected\": {}, \"rhs\": {}, \"jacobians\": {}, \"cpu\": {least:.6e}, \"fails\": null}}",
        -relative.max(1e-17).log10(),
        c.steps,
        c.rejected + c.unsolved,
        c.residuals,
        c.jacobians,
    );
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(problem) = arguments.first().and_then(|name| PROBLEMS.iter().find(|p| p.0 == name)) else {
        return;
    };
    let path = Path::new("verification").join(problem.1);
    let Ok((model, _)) = load(&path, &[]) else {
        eprintln!("cannot load {}: run from the root of the project", path.display());
        std::process::exit(2);
    };
    let radau = |stages, form| {
        move |tolerance| Method::Implicit(ImplicitSettings { stages, form, tolerance, ..Default::default() })
    };
    let bdf = |tolerance| Method::Bdf(BdfSettings { tolerance, ..Default::default() });
    let mechanical = !model.bodies.is_empty();
    for t in arguments[1..].iter().filter_map(|t| t.parse::<f64>().ok()) {
        let form = if mechanical { "stabilised index 2" } else { "as published" };
        measure(problem, &model, ("Poinsot Radau, 3 stages", form, &radau(3, StageForm::Stabilised)), t);
        measure(problem, &model, ("Poinsot Radau, 5 stages", form, &radau(5, StageForm::Stabilised)), t);
        if mechanical {
            measure(
                problem,
                &model,
                ("Poinsot Radau, 5 stages", "index 3", &radau(5, StageForm::Position)),
                t,
            );
        }
        measure(problem, &model, ("Poinsot BDF", form, &bdf), t);
    }
}
