//! The kinematics study: the motion that joints and drives alone determine.

use crate::failure::{Failure, StudyError};
use crate::kinematics::{KinematicsSpec, KinematicsSummary};
use crate::live::LiveModel;
use crate::progress::{Progress, Watch};
use crate::record::{Recorder, looked_at, sample_stride};
use crate::scene::scene;
use crate::study::{Prepared, Product};
use crate::summarize::{self, CONSTRAINT_LIMIT};
use poinsot_analysis::{KinematicsEnding, KinematicsReport, KinematicsStudy, Worst, run_kinematics};
use poinsot_model::NamedState;
use poinsot_results::{self as results, Artifact, Signals};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

impl Failure for poinsot_analysis::KinematicsError {}

/// Distance to a singular position below which the audit complains.
const SINGULAR_LIMIT: f64 = 1e-3;

/// Runs it.
pub fn run(prepared: Prepared, spec: &KinematicsSpec, watch: &dyn Watch) -> Result<Product, StudyError> {
    let Prepared { model, system, assembly, state, start, set_up, .. } = prepared;
    let study = KinematicsStudy {
        end: spec.end,
        step: spec.step,
        stride: sample_stride(spec.end - spec.start, spec.step, spec.output_step),
        times: looked_at(model, spec.end),
    };
    let progress = Progress::new(state.t, study.end, watch);
    let scene = scene(model, &system, &assembly);
    let live = Rc::new(RefCell::new(LiveModel::new(model.clone(), assembly)));
    let mut recorder = Recorder::new(live.clone(), &scene, progress)?;
    let clock = Instant::now();
    let report = run_kinematics(&system, state, &study, &mut recorder);
    recorder.finish(report.as_ref().is_ok_and(|report| report.ending == KinematicsEnding::Completed));
    let report = report?;
    let assembly = &live.borrow().assembly;
    let in_force = |&c: &usize| {
        let drive = &system.constraints()[c];
        (0..drive.law.rows()).filter(|&row| drive.in_force(row)).count() as u64
    };
    let driven = assembly.drives.iter().map(in_force).sum();
    let mut common = summarize::common(model, &system, &start, outcome(&report));
    common.expectations = summarize::expectations(model, &recorder.measured, spec.end);
    common.flexible = recorder.flexible.audits();
    let mobility = common.counts.degrees_of_freedom + driven;
    let length = system.length_scale();
    let summary = KinematicsSummary {
        common,
        t_start: spec.start,
        t_end: spec.end,
        t_reached: report.state.t,
        steps: report.steps as u64,
        iterations: report.iterations as u64,
        max_iterations: report.max_iterations as u64,
        mobility,
        driven_rows: driven,
        nearest_singularity: Some(results::SingularityMet {
            distance: report.weakest.value,
            time: report.weakest.time,
            weakest_row: report.weakest.equation.clone(),
            limit: Some(SINGULAR_LIMIT),
        }),
        residuals: Some(results::ConstraintAudit {
            position: residual(&report.position, Some(CONSTRAINT_LIMIT * length)),
            velocity: residual(&report.velocity, None),
            acceleration: residual(&report.acceleration, None),
        }),
        wall_time_s: clock.elapsed().as_secs_f64(),
        set_up_time_s: set_up,
        warnings: warnings(&report),
    };
    let method = format!("Kinematics, {} positions {:e} s apart.", summary.steps, spec.step);
    let end = NamedState::of(model, &system, &report.state, assembly);
    let product = Product::new(Box::new(summary), method, Signals::course(recorder.table));
    let product = product.ending(recorder.kept, end);
    let energy = (!recorder.energy.time.is_empty()).then_some(Artifact::Energies(recorder.energy));
    Ok(product.with(energy).with(Artifact::Scene(scene, recorder.frames.frames)))
}

fn residual(worst: &Worst, limit: Option<f64>) -> results::Residual {
    results::Residual {
        max: worst.value,
        joint: worst.place.clone(),
        time: worst.time,
        limit,
        wrong_above: None,
        remark: String::new(),
    }
}

fn warnings(report: &KinematicsReport) -> Vec<String> {
    match report.cut_steps {
        0 => vec![],
        n => vec![format!("{n} steps were halved to stay on the branch")],
    }
}

fn outcome(report: &KinematicsReport) -> results::Outcome {
    let (status, message, remedy) = match &report.ending {
        KinematicsEnding::Completed => (results::Status::Completed, String::new(), ""),
        KinematicsEnding::Interrupted => (results::Status::Interrupted, "stopped by the user".into(), ""),
        KinematicsEnding::Failed(error) => {
            (results::Status::Failed, error.to_string(), "look at the drive's law and the position there")
        }
        KinematicsEnding::Halted(halt) => (results::Status::Failed, halt.message.clone(), &*halt.remedy),
    };
    results::Outcome { status, message, remedy: remedy.into() }
}
