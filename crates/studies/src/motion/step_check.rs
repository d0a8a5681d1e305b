//! `poinsot run --check-step`: the motion once more with half the step, or a ten times tighter tolerance.
//!
//! With the order p of the method the error of the run follows from the difference d between the two
//! (Richardson): errors go with hᵖ, and with adaptive steps, whose local errors go with hᵖ⁺¹, with the
//! tolerance to the power p/(p + 1).
//!
//! ```text
//! e = d/(1 − 2⁻ᵖ)      e = d/(1 − 10^(−p/(p+1)))
//! ```

use crate::integrator_argument::Choice;
use crate::measured_run::{MeasuredRun, RunFailure, Sampling, Steps, respecified};
use crate::motion::{StepCheck, TIME_ERROR_LIMIT};
use crate::progress::{Runs, Watch};
use poinsot_analysis::{MotionReport, Trail};
use poinsot_mechanics::System;
use poinsot_model::Model;
use poinsot_model::spec::MotionSpec;

/// By how much the tolerance of adaptive steps is tightened.
const TIGHTER: f64 = 10.0;

/// A motion that was run and is to be checked.
pub struct Checked<'a> {
    pub model: &'a Model,
    pub spec: &'a MotionSpec,
    pub system: &'a System,
    pub report: &'a MotionReport,
    /// A usual step (s).
    pub step: f64,
    /// Where it was.
    pub trail: &'a Trail,
}

/// Runs the motion again and compares.
pub fn step_check(checked: &Checked, watch: &dyn Watch) -> StepCheck {
    let Checked { model, spec, system, report, step, trail } = *checked;
    let order = spec.integrator.method.order_in(system).max(1) as f64;
    let (steps, changed, left) = match spec.step() {
        Some(step) => (Steps::Length(0.5 * step), "half the step", 0.5_f64.powf(order)),
        None => {
            let tolerance = spec.tolerance.unwrap_or_default().relative / TIGHTER;
            (
                Steps::Tolerance(tolerance),
                "a ten times tighter tolerance",
                TIGHTER.powf(-order / (order + 1.0)),
            )
        }
    };
    let times = trail.times();
    let finer = respecified(spec, &Choice::of(spec), steps);
    let progress = Runs::new(1, watch);
    progress.says(&format!("again with {changed}"));
    let again = MeasuredRun::new(model, finer, &Sampling::Exactly(times.clone()))
        .map_err(RunFailure::from)
        .and_then(|trial| trial.trail(&progress))
        .map_err(|failure| failure.to_string());
    let apart = again.and_then(|again| {
        let apart = report.audit.time_error.apart(system, step, trail, &again);
        apart.ok_or_else(|| "the two motions have different parts".into())
    });
    let (difference, quantity, reason) = match apart {
        Ok((difference, quantity)) => (Some(difference), quantity, String::new()),
        Err(reason) => (None, String::new(), reason),
    };
    let error = difference.map(|difference| difference / (1.0 - left));
    StepCheck {
        changed: changed.into(),
        difference,
        error,
        quantity,
        rows: times.len() as u64,
        limit: Some(TIME_ERROR_LIMIT),
        reason,
    }
}
