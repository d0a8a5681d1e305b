//! Turns the report of a run into the summary that is written and shown.

use crate::record::Recorder;
use poinsot_analysis::{Ending, MotionReport, MotionStudy, StartReport, Worst};
use poinsot_geometry::Vec3;
use poinsot_integrators::{Family, Form};
use poinsot_mechanics::System;
use poinsot_model::Model;
use poinsot_model::spec::Formula;
use poinsot_results as results;

/// Energy imbalance, relative to the energies in play, above which the audit complains.
const ENERGY_LIMIT: f64 = 1e-2;
/// Constraint residual, relative to the model's length, above which the audit complains.
const CONSTRAINT_LIMIT: f64 = 1e-8;
/// Rotation per step above which phases cannot be trusted (rad).
const ROTATION_LIMIT: f64 = 0.5;

/// Wall-clock times of a run (s).
#[derive(Clone, Copy)]
pub struct Times {
    /// Building and starting.
    pub set_up: f64,
    /// Integrating.
    pub wall: f64,
}

/// The summary of a run.
pub fn summary(
    model: &Model,
    system: &System,
    study: &MotionStudy,
    start: &StartReport,
    report: &MotionReport,
    recorder: &Recorder,
    times: Times,
) -> results::Summary {
    results::Summary {
        model: results::ModelIdentity {
            name: model.name.clone(),
            file: model.source.name.clone(),
            hash: format!("fnv1a64:{:016x}", fnv1a(model.source.text.as_bytes())),
        },
        program: results::Program { name: "poinsot".into(), version: env!("CARGO_PKG_VERSION").into() },
        study: study_summary(model, study, report),
        outcome: outcome(&report.ending),
        statistics: statistics(model, report, times),
        counts: counts(model, system, start),
        start: Some(start_summary(start)),
        audit: audit(system, study, report),
        expectations: expectations(model, &recorder.measured, study.end),
        files: vec![],
    }
}

fn study_summary(model: &Model, study: &MotionStudy, report: &MotionReport) -> results::Study {
    let member = &study.settings.member;
    let name = model.study.as_ref().and_then(|s| s.integrator.name).unwrap_or("gs4");
    results::Study {
        integrator: results::IntegratorChoice {
            name: name.into(),
            family: match member.family {
                Family::U0 => "U0".into(),
                Family::V0 => "V0".into(),
            },
            roots: vec![member.rho_min, member.rho_max, member.rho_s],
            form: match study.settings.form {
                Form::Stabilised => "stabilised".into(),
                Form::Hamiltonian => "hamiltonian".into(),
                Form::Position => "position".into(),
            },
            step: study.step,
            tolerance: study.settings.tolerance,
        },
        t_start: model.study.as_ref().map_or(0.0, |s| s.start),
        t_end: study.end,
        t_reached: report.state.t,
    }
}

fn outcome(ending: &Ending) -> results::Outcome {
    let (status, message, remedy) = match ending {
        Ending::Completed => (results::Status::Completed, String::new(), ""),
        Ending::Interrupted => (results::Status::Interrupted, "stopped by the user".into(), ""),
        Ending::Failed(failure) => (results::Status::Failed, failure.to_string(), failure.remedy),
        Ending::Refused(reason) => (
            results::Status::Failed,
            reason.clone(),
            "look at the signal's expression where it divides or takes a root",
        ),
    };
    results::Outcome { status, message, remedy: remedy.into() }
}

fn statistics(model: &Model, report: &MotionReport, times: Times) -> results::Statistics {
    let c = &report.counters;
    let simulated = report.state.t - model.study.as_ref().map_or(0.0, |s| s.start);
    results::Statistics {
        steps: c.steps as u64,
        newton_iterations: c.iterations as u64,
        max_newton_iterations: c.max_iterations as u64,
        residual_evaluations: c.residuals as u64,
        factorisations: c.factorisations as u64,
        wall_time_s: times.wall,
        set_up_time_s: times.set_up,
        simulated_per_wall: (times.wall > 0.0).then(|| simulated / times.wall),
    }
}

pub fn counts(model: &Model, system: &System, start: &StartReport) -> results::Counts {
    let (coordinates, constraints) = (system.coordinates() as u64, system.active_rows() as u64);
    results::Counts {
        bodies: model.bodies.len() as u64,
        joints: model.joints.len() as u64,
        forces: model.forces.len() as u64,
        coordinates,
        constraints,
        redundant: start.redundant.iter().map(|r| r.row.clone()).collect(),
        degrees_of_freedom: coordinates.saturating_sub(constraints),
    }
}

/// What the consistent start changed, in words.
pub fn start_summary(start: &StartReport) -> results::Start {
    let mut messages = vec![];
    let mut say = |(value, body): &(f64, String), what: &str, unit: &str, floor: f64| {
        if *value > floor {
            messages.push(format!("{what} `{body}` by {value:.3e} {unit}"));
        }
    };
    say(&start.moved, "assembly moved", "m", 1e-9);
    say(&start.turned, "assembly turned", "rad", 1e-9);
    say(&start.velocity_change, "projection changed the velocity of", "m/s", 1e-9);
    say(&start.spin_change, "projection changed the angular velocity of", "rad/s", 1e-9);
    results::Start {
        position_correction: start.moved.0,
        velocity_correction: start.velocity_change.0,
        messages,
    }
}

fn audit(system: &System, study: &MotionStudy, report: &MotionReport) -> results::Audit {
    let a = &report.audit;
    let scale = if a.energy_scale > 0.0 { a.energy_scale } else { 1.0 };
    let change = |start: &Vec3, end: &Vec3, worst: &Worst| results::MomentumChange {
        start: (*start).into(),
        end: (*end).into(),
        max_change: worst.value,
        limit: None,
    };
    let length = system.length_scale();
    let residual = |worst: &Worst, limit: Option<f64>| results::Residual {
        max: worst.value,
        joint: worst.place.clone(),
        time: worst.time,
        limit,
    };
    let tight = Some(CONSTRAINT_LIMIT * length);
    let stabilised = study.settings.form != Form::Position;
    let speed = a.speed.max(a.rotation.value / study.step * length).max(1e-3 * length / study.step);
    let constraints = results::ConstraintAudit {
        position: residual(&a.position, tight),
        velocity: residual(&a.velocity, stabilised.then_some(CONSTRAINT_LIMIT * speed)),
        acceleration: residual(&a.acceleration, None),
    };
    results::Audit {
        energy: Some(results::EnergyAudit {
            start: a.start.total(),
            end: a.end.total(),
            kinetic: a.end.kinetic,
            potential: a.end.potential,
            supplied_work: a.supplied,
            dissipated_work: a.dissipated,
            max_relative_imbalance: a.imbalance.value / scale,
            time_of_max: a.imbalance.time,
            limit: Some(ENERGY_LIMIT),
        }),
        momentum: Some(results::MomentumAudit {
            linear: change(&a.start.momentum, &a.end.momentum, &a.momentum_change),
            angular: change(&a.start.angular_momentum, &a.end.angular_momentum, &a.angular_momentum_change),
        }),
        constraints: (system.active_rows() > 0).then_some(constraints),
        max_rotation_per_step: (a.rotation.value > 0.0).then(|| results::RotationAudit {
            angle: a.rotation.value,
            body: a.rotation.place.clone(),
            time: a.rotation.time,
            limit: Some(ROTATION_LIMIT),
        }),
        warnings: warnings(study, a),
    }
}

fn warnings(study: &MotionStudy, audit: &poinsot_analysis::Audit) -> Vec<String> {
    let rotation = audit.rotation.value;
    let mut warnings = vec![];
    let settings = &study.settings;
    if settings.form == Form::Position && settings.member.rings_at_position_level() {
        warnings.push(
            "this member leaves an undamped oscillation in the stored accelerations and multipliers at \
             position level; use form = \"stabilised\" or generalized-alpha with rho < 1"
                .into(),
        );
    }
    if audit.cut_steps > 0 {
        warnings.push(format!("{} steps did not converge and were halved", audit.cut_steps));
    }
    if rotation > ROTATION_LIMIT {
        warnings.push(format!(
            "a body turns by {rotation:.2} rad in a step: its phase is inaccurate, take a smaller step"
        ));
    }
    warnings
}

fn expectations(model: &Model, measured: &[Option<f64>], end: f64) -> Vec<results::Expectation> {
    model
        .expects
        .iter()
        .zip(measured)
        .map(|(expect, measured)| {
            results::Expectation {
                signal: expect.formula.text.clone(),
                unit: unit(model, &expect.formula),
                at: expect.at.unwrap_or(end),
                expected: expect.value,
                measured: None,
                tolerance: expect.tolerance.bound(expect.value),
                error: None,
                source: expect.source.clone().unwrap_or_default(),
                passed: false,
            }
            .judge(*measured)
        })
        .collect()
}

/// The unit of a formula that is a single quantity or signal.
fn unit(model: &Model, formula: &Formula) -> String {
    use poinsot_model::Quantity;
    match formula.quantities[..] {
        [Quantity::Signal(index)] => model.signals[index].unit.clone().unwrap_or_default(),
        [quantity] => quantity.unit().unwrap_or_default().into(),
        _ => String::new(),
    }
}

/// 64-bit FNV-1a, enough to tell two model files apart.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
