//! Runs a model and keeps its signals at given times.

use poinsot_analysis::{Ending, Halt, Observer, Pace, Sample, consistent_start, run_motion};
use poinsot_integrators::Tolerance;
use poinsot_mechanics::System;
use poinsot_model::{Assembly, Model, Probe, View, build};
use poinsot_studies::motion::motion_study;
use poinsot_studies::{load, load_str};

/// Signals over time.
pub struct Record {
    names: Vec<String>,
    pub rows: Vec<(f64, Vec<f64>)>,
}

struct Watcher<'a> {
    model: &'a Model,
    assembly: &'a Assembly,
    probe: Probe,
    rows: Vec<(f64, Vec<f64>)>,
}

impl Observer for Watcher<'_> {
    fn sample(&mut self, system: &System, sample: &Sample) -> Result<(), Halt> {
        let view = View {
            model: self.model,
            assembly: self.assembly,
            system,
            at: sample.at,
            balance: sample.balance,
            results: None,
        };
        let row = self.probe.signals(&view);
        self.rows.push((sample.at.t, row));
        Ok(())
    }

    fn keep_going(&mut self, _: f64) -> bool {
        true
    }
}

impl Record {
    /// The value of a signal at a time that was asked for.
    pub fn at(&self, time: f64, name: &str) -> f64 {
        let row = self.rows.iter().find(|(t, _)| (t - time).abs() <= 1e-12 * time.abs().max(1e-3));
        let column = self.names.iter().position(|n| n == name).unwrap_or_else(|| panic!("no {name}"));
        row.unwrap_or_else(|| panic!("no sample at {time}")).1[column]
    }

    /// Compares signals at times with a table: time first, then the values of the names.
    pub fn compare(&self, names: &[&str], table: &[&[f64]], tolerance: f64) {
        for row in table {
            for (name, want) in names.iter().zip(&row[1..]) {
                let have = self.at(row[0], name);
                let bound = tolerance * want.abs().max(1e-3);
                assert!((have - want).abs() <= bound, "{name}({}) = {have:.12}, not {want}", row[0]);
            }
        }
    }
}

/// Runs the study with a tolerance, or with its own, and samples at the times.
pub fn run(model: &Model, tolerance: Option<f64>, times: &[f64]) -> Record {
    let mut model = model.clone();
    if let Some(tolerance) = tolerance {
        model.change_motion(|study| {
            study.tolerance = Some(Tolerance::both(tolerance));
            study.tolerances.clear();
        });
    }
    let start = model.motion().unwrap().start;
    let (mut system, assembly) = build(&model).unwrap_or_else(|d| panic!("{}", d.one_line(&model.source)));
    let (state, _) = consistent_start(&mut system, start).unwrap();
    let mut motion = motion_study(&model, &system, &assembly).unwrap();
    motion.times = times.to_vec();
    if let (Pace::Adaptive { every, .. }, false) = (&mut motion.pace, times.is_empty()) {
        *every = None;
    }
    let mut watcher = Watcher { model: &model, assembly: &assembly, probe: Probe::default(), rows: vec![] };
    let report = run_motion(&mut system, state, &motion, &mut watcher).unwrap_or_else(|f| panic!("{f}"));
    assert_eq!(report.ending, Ending::Completed);
    let names = model.signals.iter().map(|signal| signal.name.clone()).collect();
    let rows = watcher.rows;
    Record { names, rows }
}

/// A sample of the repository.
pub fn example(name: &str) -> Model {
    let path = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
    load(path, &[]).unwrap_or_else(|error| panic!("{error}")).0
}

/// A model from its text, without warnings.
pub fn model(name: &str, text: &str) -> Model {
    match load_str(name, text, &[]) {
        Ok((model, warnings)) => {
            assert!(warnings.is_empty(), "{warnings:?}");
            model
        }
        Err(error) => panic!("{error}"),
    }
}

/// The value of an expression.
pub fn value(expr: &poinsot_expr::Expr, values: &[(&str, f64)]) -> f64 {
    let find = |name: &str| values.iter().find(|(other, _)| *other == name).map(|(_, value)| *value);
    expr.eval(&find).unwrap()
}
