//! The audit of a motion: what it is measured by, and the limits.

use crate::motion::summary as results;
use crate::summarize::CONSTRAINT_LIMIT;
use poinsot_analysis::{Audit, MotionReport, MotionStudy, Pace, TimeErrorClaim, Worst};
use poinsot_geometry::Vec3;
use poinsot_mechanics::{Scratch, State, System};
use poinsot_results::{ConstraintAudit, Residual, SingularityMet};

/// Error in time, relative to the motion's own size, above which it needs attention.
pub const TIME_ERROR_LIMIT: f64 = 1e-2;
/// The estimate of the error in time is raised by this factor: it knows a few steps only.
const TIME_ERROR_CAUTION: f64 = 3.0;
/// Energy imbalance, relative to the energies in play, above which it needs attention.
const ENERGY_LIMIT: f64 = 1e-3;
/// Distance to a singular position below which a motion is told to have come near one.
const NEARLY_SINGULAR: f64 = 1e-2;
/// Energy in play at least, relative to loads times the length of the model and to the energies that are
/// there.
const LEAST_ENERGY: f64 = 1e-9;
/// The same relative to the tolerance of adaptive steps, whose iterations end at a part of it.
const TOLERANCE_SHARE: f64 = 1e-2;
/// Constraint residual, relative to its limit, above which results are wrong: with adaptive steps that is the
/// tolerance that was asked for, with fixed ones a ten-thousandth of the error that needs no attention.
const OPEN: f64 = 1e2;
/// What an iteration that closes positions leaves open over a step, relative to the model's length: ten times
/// the tolerance at which it ends.
const OPENING: f64 = 1e-9;
/// Speed at which a joint may open, relative to the speeds of the motion, however short the steps are: a
/// ten-thousandth of the error that needs no attention.
const OPENING_LIMIT: f64 = 1e-6;
/// Rotation per step above which phases cannot be trusted (rad).
const ROTATION_LIMIT: f64 = 0.5;
/// Rotation per step above which structure-preserving methods, which turn bodies along straight paths of
/// their directors, lag behind a spin noticeably (rad).
const SPIN_LIMIT: f64 = 0.1;

pub fn audit(system: &System, study: &MotionStudy, report: &MotionReport) -> results::Audit {
    let a = &report.audit;
    let step = study.typical_step(report);
    let scale = a.energy_scale.max(least_energy(system, report, step));
    let scale = scale.max(exchanged_energy(system, a.time_error.start(), &report.state));
    let scale = if scale > 0.0 { scale } else { 1.0 };
    let change = |start: &Vec3, end: &Vec3, worst: &Worst| results::MomentumChange {
        start: (*start).into(),
        end: (*end).into(),
        max_change: worst.value,
        limit: None,
    };
    let length = system.length_scale();
    let residual = |worst: &Worst, limit: Option<f64>, remark: &str| Residual {
        max: worst.value,
        joint: worst.place.clone(),
        time: worst.time,
        limit,
        wrong_above: limit.map(|limit| OPEN * limit),
        remark: remark.into(),
    };
    // The augmented form lets the constraints drift.
    let (held, stabilised) = study.method.holds();
    let promised = match study.pace {
        Pace::Fixed { .. } => CONSTRAINT_LIMIT,
        Pace::Adaptive { tolerance, .. } => CONSTRAINT_LIMIT.max(TOLERANCE_SHARE * tolerance.relative),
    };
    let tight = held.then_some(promised * length);
    let speed = a.speed.max(a.rotation.value / step * length).max(1e-3 * length / step);
    // The iteration closes positions; what it leaves open of a velocity is that over a step.
    let opening = (OPENING * length / step).clamp(promised * speed, OPENING_LIMIT.max(promised) * speed);
    let on_velocity = stabilised.then_some(opening);
    let constraints = ConstraintAudit {
        position: residual(&a.position, tight, if held { "" } else { NOT_IMPOSED }),
        velocity: residual(
            &a.velocity,
            on_velocity,
            if stabilised { "" } else { study.method.velocity_remark() },
        ),
        acceleration: residual(&a.acceleration, None, ""),
    };
    // What has not gone a step proves nothing.
    let moved = report.counters.steps > 0;
    let bodies = system.total_mass() > 0.0;
    let claim = a.time_error.claim(system, step);
    results::Audit {
        time_error: moved.then(|| time_error(system, study, claim.as_ref(), step, a)),
        step_check: None,
        energy: (moved && (bodies || system.has_network_energies())).then(|| results::EnergyAudit {
            start: a.start.total(),
            end: a.end.total(),
            kinetic: a.end.kinetic,
            potential: a.end.potential,
            supplied_work: a.supplied,
            dissipated_work: a.dissipated,
            max_relative_imbalance: a.imbalance.value / scale,
            time_of_max: a.imbalance.time,
            explained: claim.as_ref().map(|claim| explained(claim, scale)),
            limit: Some(ENERGY_LIMIT),
        }),
        momentum: (moved && bodies).then(|| results::MomentumAudit {
            linear: change(&a.start.momentum, &a.end.momentum, &a.momentum_change),
            angular: change(&a.start.angular_momentum, &a.end.angular_momentum, &a.angular_momentum_change),
        }),
        constraints: (moved && system.active_rows() > 0).then_some(constraints),
        nearest_singularity: (a.nearest.0 < NEARLY_SINGULAR).then(|| SingularityMet {
            distance: a.nearest.0,
            time: a.nearest.1,
            weakest_row: String::new(),
            limit: None,
        }),
        max_rotation_per_step: (a.rotation.value > 0.0).then(|| results::RotationAudit {
            angle: a.rotation.value,
            body: a.rotation.place.clone(),
            time: a.rotation.time,
            limit: limits_rotation(study).then_some(ROTATION_LIMIT),
        }),
        warnings: warnings(study, report),
    }
}

/// The imbalance that the error of the steps explains, relative to the energies in play. Of a motion that is
/// itself uncertain the energy is too.
fn explained(claim: &TimeErrorClaim, scale: f64) -> f64 {
    let motion = TIME_ERROR_CAUTION * claim.relative;
    (TIME_ERROR_CAUTION * claim.energy / scale).max(if motion > TIME_ERROR_LIMIT { motion } else { 0.0 })
}

/// The energy that counts at least: a small share of what loads and energies there are could do, and the
/// kinetic energy of a motion that is rounding. What is at rest has no other energy in play.
fn least_energy(system: &System, report: &MotionReport, step: f64) -> f64 {
    let a = &report.audit;
    let there = [&a.start, &a.end].map(|b| b.kinetic.abs().max(b.potential.abs()));
    let weight = system.total_mass() * system.gravity.norm() * system.length_scale();
    let loads = [a.time_error.start(), &report.state].map(|state| loads(system, state));
    let could = there.into_iter().chain(loads).fold(weight, f64::max);
    let jitter = 0.5 * system.total_mass() * a.time_error.rounding_speed(step).powi(2);
    (LEAST_ENERGY * could).max(jitter)
}

/// Loads on all nodes times the length of the model, and torques (J); nothing if they are not known.
fn loads(system: &System, state: &State) -> f64 {
    if state.v.len() != system.size() || state.frames.len() != system.nodes().len() {
        return 0.0;
    }
    let (zero, mut loads) = (vec![0.0; system.size()], vec![0.0; system.size()]);
    system.residual(&poinsot_integrators::instant(state, &zero), &mut loads, &mut Scratch::default());
    let length = system.length_scale();
    let of = |k: usize| {
        let load = system.twist(k, &loads);
        length * load.linear.norm() + load.angular.norm()
    };
    let sum: f64 = (1..system.nodes().len()).map(of).sum();
    if sum.is_finite() { sum } else { 0.0 }
}

/// The largest change of energy by the change of one variable alone: what energy models exchange between
/// their parts may add up to nothing, as heat that only moves.
fn exchanged_energy(system: &System, start: &State, end: &State) -> f64 {
    if !system.has_network_energies() || start.v.len() != end.v.len() {
        return 0.0;
    }
    let (zero, mut scratch) = (vec![0.0; system.size()], Scratch::default());
    let mut energy =
        |state: &State| system.balance(&poinsot_integrators::instant(state, &zero), &mut scratch).total();
    let (before, mut state) = (energy(start), start.clone());
    let mut largest = 0.0;
    for k in system.variable_equations() {
        state.v[k] = end.v[k];
        largest = Some((energy(&state) - before).abs())
            .filter(|e| e.is_finite())
            .map_or(largest, |e| e.max(largest));
        state.v[k] = start.v[k];
    }
    largest
}

/// The estimate of the error in time, with what the constraints drift.
fn time_error(
    system: &System,
    study: &MotionStudy,
    claim: Option<&TimeErrorClaim>,
    step: f64,
    audit: &Audit,
) -> results::TimeErrorAudit {
    // Velocities that only alternate about the constraints are shown without that.
    let opening = if study.method.leaves_velocities_open() { 0.0 } else { audit.velocity.value };
    let drift = audit.time_error.drift(system, step, audit.position.value, opening);
    let claim = claim.map(|claim| {
        let quantity = if drift > claim.relative { "open constraints" } else { &claim.quantity };
        (TIME_ERROR_CAUTION * (claim.relative + drift), quantity.to_owned())
    });
    let (relative, quantity) = claim.unzip();
    results::TimeErrorAudit {
        relative,
        quantity: quantity.unwrap_or_default(),
        retaken_steps: audit.time_error.retaken() as u64,
        limit: Some(TIME_ERROR_LIMIT),
    }
}

/// What is said of a level of the constraints that nothing imposes.
const NOT_IMPOSED: &str = "monitored, not imposed";

/// Whether nobody but the user answers for the phase.
fn limits_rotation(study: &MotionStudy) -> bool {
    matches!(study.pace, Pace::Fixed { .. }) && study.method.lags_in_rotation()
}

fn warnings(study: &MotionStudy, report: &MotionReport) -> Vec<String> {
    let audit = &report.audit;
    let rotation = audit.rotation.value;
    let mut warnings = vec![];
    let incompatible = study.method.doubt();
    warnings.extend(incompatible.into_iter().chain(report.warning).map(String::from));
    if audit.exchanges > 0 {
        warnings.push(format!("redundant constraints were exchanged for others {} times", audit.exchanges));
    }
    if audit.cut_steps > 0 {
        warnings.push(format!("{} steps did not converge and were halved", audit.cut_steps));
    }
    for (switch, t) in &report.kinks.sliding {
        warnings.push(format!(
            "the motion slides along the switch `{switch}`: it is passed again and again in no time, and from \
             t = {t:.6} s on steps go over it; smooth the law there, e.g. by tanh"
        ));
    }
    if let (Some(lag), true) = (study.method.spin_lag(rotation), rotation > SPIN_LIMIT) {
        let percent = 100.0 * lag;
        warnings.push(format!(
            "a body turns by {rotation:.2} rad in a step, where its spin lags by about {percent:.2} %: its phase is \
             inaccurate, take a smaller step"
        ));
    } else if limits_rotation(study) && rotation > ROTATION_LIMIT {
        warnings.push(format!(
            "a body turns by {rotation:.2} rad in a step: its phase is inaccurate, take a smaller step"
        ));
    }
    warnings
}
