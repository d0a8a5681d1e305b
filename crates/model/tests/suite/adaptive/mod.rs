//! Runs a model by Radau IIA with adaptive steps and looks at its expectations.

use poinsot_analysis::{
    Ending, Halt, MotionReport, MotionStudy, Observer, Sample, StartReport, consistent_start, run_motion,
};
use poinsot_integrators::{ImplicitSettings, Tolerance};
use poinsot_mechanics::System;
use poinsot_model::{Assembly, Model, Probe, View, build};

/// What a run gives: the expectations' values and how it went.
pub struct Run {
    pub measured: Vec<f64>,
    pub report: MotionReport,
    pub start: StartReport,
}

/// Measures expectations when their time comes.
pub struct Watcher<'a> {
    model: &'a Model,
    assembly: &'a Assembly,
    probe: Probe,
    end: f64,
    pub measured: Vec<f64>,
}

impl<'a> Watcher<'a> {
    pub fn new(model: &'a Model, assembly: &'a Assembly, end: f64) -> Self {
        let measured = vec![f64::NAN; model.expects.len()];
        Watcher { model, assembly, probe: Probe::default(), end, measured }
    }
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
        let signals = self.probe.signals(&view);
        for (expect, value) in self.model.expects.iter().zip(&mut self.measured) {
            let due = expect.at.unwrap_or(self.end);
            if (due - sample.at.t).abs() <= 1e-12 * due.abs() {
                *value = self.probe.formula(&expect.formula, &view, &signals);
            }
        }
        Ok(())
    }

    fn keep_going(&mut self, _: f64) -> bool {
        true
    }
}

/// Runs to the end of the study, with further times at which steps must end.
pub fn run(model: &Model, tolerance: f64, stops: &[f64]) -> Run {
    let study = model.motion().unwrap();
    let (mut system, assembly) = build(model).unwrap_or_else(|d| panic!("{}", d.one_line(&model.source)));
    let (state, start) = consistent_start(&mut system, study.start).unwrap();
    let tolerance = Tolerance::both(tolerance);
    let settings = ImplicitSettings { tolerance, ..ImplicitSettings::default() };
    let mut motion = MotionStudy::adaptive(study.end, tolerance, settings);
    motion.times = model.expects.iter().filter_map(|e| e.at).chain(stops.iter().copied()).collect();
    let mut watcher = Watcher::new(model, &assembly, study.end);
    let report = match run_motion(&mut system, state, &motion, &mut watcher) {
        Ok(report) => report,
        Err(failure) => panic!("{failure}"),
    };
    Run { measured: watcher.measured, report, start }
}

impl Run {
    /// Fails if the run did not reach its end.
    pub fn completed(self) -> Self {
        assert_eq!(self.report.ending, Ending::Completed);
        self
    }
}
