//! The summary of a motion, from the report of the run.

use crate::motion::audit::audit;
use crate::motion::summary::{
    Audit, EventEntry, IntegratorChoice, LocalTolerance, MotionSummary, Statistics, StepCheck, StepExtreme,
    Study,
};
use crate::motion::treatment;
use crate::summarize::{common, expectations};
use poinsot_analysis::{Ending, MotionReport, MotionStudy, Pace, StartReport, Worst};
use poinsot_integrators::{Gs4Family, Settings, Tolerance, Value};
use poinsot_mechanics::System;
use poinsot_model::Model;
use poinsot_model::spec::MotionSpec;
use poinsot_results as results;

/// Wall-clock times of a run (s).
#[derive(Clone, Copy)]
pub struct Times {
    /// Building and starting.
    pub set_up: f64,
    /// Integrating.
    pub wall: f64,
}

/// What a motion leaves besides its report.
pub struct RunFindings<'a> {
    /// Values of the expectations.
    pub measured: &'a [Option<f64>],
    /// Events in the order in which they happened.
    pub events: Vec<EventEntry>,
    /// What it took.
    pub times: Times,
    /// How far flexible bodies deform.
    pub flexible: Vec<results::FlexibleAudit>,
    /// The comparison with shorter steps, if it was asked for.
    pub step_check: Option<StepCheck>,
}

/// The summary of a motion.
pub fn summarize(
    model: &Model,
    spec: &MotionSpec,
    system: &System,
    study: &MotionStudy,
    start: &StartReport,
    report: &MotionReport,
    findings: RunFindings,
) -> MotionSummary {
    let RunFindings { measured, events, times, flexible, step_check } = findings;
    let mut common = common(model, system, start, outcome(report));
    let end = if report.ending == Ending::Completed { report.state.t } else { study.end };
    common.expectations = expectations(model, measured, end);
    common.flexible = flexible;
    MotionSummary {
        common,
        study: study_summary(spec, system, study, report),
        statistics: statistics(report, times),
        events,
        audit: Audit { step_check, ..audit(system, study, report) },
    }
}

/// Why the model got its integrator, where none was named.
fn why_chosen(system: &System) -> String {
    let mut algebraic = 0;
    let mut index = 0;
    for network in system.networks() {
        for j in 0..network.law.variables.len() {
            algebraic += usize::from(network.is_algebraic(j));
            index = index.max(network.index(j));
        }
    }
    let count = |n: usize| format!("{n} algebraic unknown{}", if n == 1 { "" } else { "s" });
    match (system.networks().is_empty(), algebraic) {
        (true, _) => "for mechanics without other equations".into(),
        (false, 0) => "for first-order equations, stiff or not".into(),
        (false, n) => format!("for {}, index {index}", count(n)),
    }
}

fn study_summary(spec: &MotionSpec, system: &System, study: &MotionStudy, report: &MotionReport) -> Study {
    let stages = spec.integrator.value("stages").and_then(Value::count);
    let (family, roots) = match study.method.gs4() {
        Some(Settings { member, .. }) => {
            let family = match member.family {
                Gs4Family::U0 => "U0",
                Gs4Family::V0 => "V0",
            };
            (family, vec![member.rho_min, member.rho_max, member.rho_s])
        }
        None => ("", vec![]),
    };
    let local_tolerance = match study.pace {
        Pace::Fixed { .. } => None,
        Pace::Adaptive { tolerance: Tolerance { relative, absolute }, .. } => {
            Some(LocalTolerance { relative, absolute })
        }
    };
    let integrator = IntegratorChoice {
        name: spec.integrator.name.into(),
        family: family.into(),
        roots,
        form: spec.integrator.form().into(),
        order: spec.integrator.method.order_in(system) as u64,
        stages: stages.map(|stages| stages as u64),
        chosen: spec.integrator.by_default.then(|| why_chosen(system)),
        treatment: treatment::summary(system, study, report),
        step: study.typical_step(report),
        tolerance: study.method.tolerance(),
        local_tolerance,
    };
    Study { integrator, t_start: report.start_time, t_end: study.end, t_reached: report.state.t }
}

fn outcome(report: &MotionReport) -> results::Outcome {
    let (status, message, remedy) = match &report.ending {
        Ending::Completed => (results::Status::Completed, String::new(), ""),
        Ending::Interrupted => {
            let message = format!(
                "stopped by the user at t = {:.6} s; what was found until then is kept",
                report.state.t
            );
            (results::Status::Interrupted, message, "")
        }
        Ending::OutOfSteps => (
            results::Status::Failed,
            format!("at t = {:.6e} s: the limit of steps is reached", report.state.t),
            "raise MaxSteps, or loosen the tolerances",
        ),
        Ending::Failed(failure) => (results::Status::Failed, failure.to_string(), failure.remedy),
        Ending::EventFailed(halt) | Ending::Halted(halt) => {
            (results::Status::Failed, halt.message.clone(), &*halt.remedy)
        }
    };
    results::Outcome { status, message, remedy: remedy.into() }
}

/// A step by length, if any was taken.
fn extreme(step: &Worst) -> Option<StepExtreme> {
    (step.value > 0.0 && step.value.is_finite())
        .then_some(StepExtreme { length: step.value, time: step.time })
}

fn statistics(report: &MotionReport, times: Times) -> Statistics {
    let c = &report.counters;
    let simulated = report.state.t - report.start_time;
    Statistics {
        steps: c.steps as u64,
        newton_iterations: c.iterations as u64,
        max_newton_iterations: c.max_iterations as u64,
        residual_evaluations: c.residuals as u64,
        factorisations: c.factorisations as u64,
        jacobians: c.jacobians as u64,
        rejected_steps: c.rejected as u64,
        unsolved_steps: c.unsolved as u64,
        located_kinks: report.kinks.located as u64,
        retried_steps: report.kinks.retried as u64,
        held_step: report.kinks.held,
        shortest_step: extreme(&report.audit.shortest_step),
        longest_step: extreme(&report.audit.longest_step),
        wall_time_s: times.wall,
        set_up_time_s: times.set_up,
        simulated_per_wall: (times.wall > 0.0).then(|| simulated / times.wall),
    }
}
