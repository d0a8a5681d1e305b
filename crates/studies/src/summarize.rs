//! Turns the report of a run into the summary that is written and shown.

use crate::record::{columns, shape_columns};
use crate::study::Prepared;
use crate::treatment;
use poinsot_analysis::{
    Audit, Ending, LinearStability, LinearVerdict, MotionReport, MotionStudy, Pace, Sample, StartReport,
    TimeErrorClaim, Verdict, Worst, reported_reactions,
};
use poinsot_geometry::Vec3;
use poinsot_integrators::{Family, Method, Settings, Tolerance};
use poinsot_mechanics::{Scratch, State, System};
use poinsot_model::spec::{Formula, IntegratorSpec, MotionSpec};
use poinsot_model::{Assembly, Model, Probe, StudyResults, View, fnv1a};
use poinsot_numerics::dense::c64;
use poinsot_results as results;

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
/// Constraint residual, relative to the model's length, above which the audit complains: Newton's iterations
/// end at 1e-10, and two digits are left to rounding in ill-conditioned models.
pub const CONSTRAINT_LIMIT: f64 = 1e-8;
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

/// Wall-clock times of a run (s).
#[derive(Clone, Copy)]
pub struct Times {
    /// Building and starting.
    pub set_up: f64,
    /// Integrating.
    pub wall: f64,
}

/// What a motion leaves besides its report.
pub struct Ran<'a> {
    /// Where the model's things are in the system.
    pub assembly: &'a Assembly,
    /// Values of the expectations.
    pub measured: &'a [Option<f64>],
    /// Events in the order in which they happened.
    pub events: Vec<results::EventEntry>,
    /// What it took.
    pub times: Times,
    /// The comparison with shorter steps, if it was asked for.
    pub step_check: Option<results::StepCheck>,
}

/// The summary of a motion.
pub fn motion(
    model: &Model,
    spec: &MotionSpec,
    system: &System,
    study: &MotionStudy,
    start: &StartReport,
    report: &MotionReport,
    ran: Ran,
) -> results::Summary {
    let Ran { assembly, measured, events, times, step_check } = ran;
    let mut common = common(model, system, assembly, start, outcome(report));
    let end = if report.ending == Ending::Completed { report.state.t } else { study.end };
    common.expectations = expectations(model, measured, end);
    results::Summary {
        common,
        study: study_summary(spec, system, study, report),
        statistics: statistics(report, times),
        events,
        audit: results::Audit { step_check, ..audit(system, study, report) },
    }
}

/// What the summaries of all studies share; expectations are added by the study.
pub fn common(
    model: &Model,
    system: &System,
    assembly: &Assembly,
    start: &StartReport,
    outcome: results::Outcome,
) -> results::Common {
    results::Common {
        model: results::ModelIdentity {
            name: model.name.clone(),
            file: model.source.name.clone(),
            hash: format!("fnv1a64:{:016x}", fnv1a(model.source.text.as_bytes())),
        },
        program: results::Program { name: "poinsot".into(), version: env!("CARGO_PKG_VERSION").into() },
        outcome,
        counts: counts(model, system, start),
        redundancy: redundancy(model, system, assembly, start),
        start: Some(start_summary(start)),
        expectations: vec![],
        files: vec![],
        missing: vec![],
    }
}

/// The outcome of a study that succeeded.
pub fn completed() -> results::Outcome {
    results::Outcome { status: results::Status::Completed, message: String::new(), remedy: String::new() }
}

/// Mobility by rank and by counting, redundant rows and the distance to a singular position.
pub fn redundancy(
    model: &Model,
    system: &System,
    assembly: &Assembly,
    start: &StartReport,
) -> Option<results::RedundancyReport> {
    if system.constraints().is_empty() {
        return None;
    }
    let rows: usize = system.constraints().iter().map(|c| c.law.rows()).sum::<usize>() - start.void;
    let parameters = system.nodes().len() - 1 - assembly.nodes.len();
    let lambda = if model.plane.is_some() { 3 } else { 6 };
    let points = model.bodies.iter().any(|b| b.is_point());
    let taken = (rows - parameters) as u64;
    let count = results::GrueblerCount::of(lambda, model.bodies.len() as u64, taken);
    let rank = system.active_rows();
    Some(results::RedundancyReport {
        coordinates: system.coordinates() as u64,
        rows: rows as u64,
        rank: rank as u64,
        mobility: system.coordinates().saturating_sub(rank) as u64,
        gruebler: (!points).then_some(count),
        redundant: start
            .redundant
            .iter()
            .map(|r| results::RedundantRow { row: r.row.clone(), depends_on: r.depends_on.clone() })
            .collect(),
        singularity: start.distance.as_ref().map(|(relative, weakest_row)| results::SingularityDistance {
            relative: *relative,
            weakest_row: weakest_row.clone(),
        }),
    })
}

/// Zero eigenvalues are freedoms without stiffness, or drifts; it matters what the others do.
fn neutral(values: &[c64]) -> String {
    let (zero, others): (Vec<c64>, Vec<c64>) = values.iter().partition(|v| v.norm() == 0.0);
    let modes = if zero.len() == 1 { "1 mode is".into() } else { format!("{} modes are", zero.len()) };
    let rest = match Verdict::of(others.iter().copied()) {
        _ if others.is_empty() => "",
        Verdict::AsymptoticallyStable => "; the others decay",
        _ => "; the others do not grow",
    };
    format!("{modes} a freedom without stiffness, or a drift{rest}")
}

/// A verdict on eigenvalues (of a pair only one) in words.
pub fn stability(verdict: Verdict, values: &[c64]) -> results::Stability {
    let (verdict, reason) = match verdict {
        Verdict::AsymptoticallyStable => (
            results::Verdict::AsymptoticallyStable,
            "every eigenvalue lies to the left of the imaginary axis",
        ),
        Verdict::Stable => {
            (results::Verdict::Stable, "no eigenvalue lies to the right of the imaginary axis")
        }
        Verdict::Unstable => {
            (results::Verdict::Unstable, "an eigenvalue lies to the right of the imaginary axis")
        }
        Verdict::Neutral => {
            return results::Stability { verdict: results::Verdict::Neutral, reason: neutral(values) };
        }
    };
    results::Stability { verdict, reason: reason.into() }
}

/// The verdict of the indirect method in words.
pub fn linear_stability(found: &LinearStability) -> results::Stability {
    let verdict = match found.verdict() {
        LinearVerdict::AsymptoticallyStable if found.cyclic.is_empty() => {
            results::Verdict::AsymptoticallyStable
        }
        LinearVerdict::AsymptoticallyStable => results::Verdict::Stable,
        LinearVerdict::Unstable => results::Verdict::Unstable,
        LinearVerdict::Marginal | LinearVerdict::MarginalGrowing | LinearVerdict::Undecided => {
            results::Verdict::Neutral
        }
    };
    results::Stability { verdict, reason: found.words() }
}

/// The signals at one state as a table of one row, and the values of the expectations.
pub fn snapshot(
    prepared: &Prepared,
    state: &State,
    a: &[f64],
    found: &StudyResults,
) -> Result<(results::SignalTable, Vec<Option<f64>>), results::RecordError> {
    let Prepared { model, system, assembly, .. } = prepared;
    let a = reported_reactions(system, state, a).unwrap_or_else(|_| a.to_vec());
    let at = poinsot_integrators::instant(state, &a);
    let balance = system.balance(&at, &mut Scratch::default());
    let sample = Sample { at, balance: &balance, supplied: 0.0, dissipated: 0.0 };
    let view = View { model, assembly, system, sample: &sample, results: Some(found) };
    let mut probe = Probe::default();
    let signals = probe.signals(&view);
    let named = if model.signals.is_empty() { vec![] } else { columns(model) };
    let mut table = results::SignalTable::new([named, shape_columns(model)].concat())?;
    let row = [signals.as_slice(), &probe.beam_shapes(&view)].concat();
    table.push_with_gaps(state.t, &row, 0..signals.len())?;
    let value = |expect: &poinsot_model::spec::ExpectSpec| {
        let value = probe.formula(&expect.formula, &view, &signals);
        value.is_finite().then_some(value)
    };
    Ok((table, model.expects.iter().map(value).collect()))
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

fn study_summary(
    spec: &MotionSpec,
    system: &System,
    study: &MotionStudy,
    report: &MotionReport,
) -> results::Study {
    let IntegratorSpec { name, stages, form, .. } = &spec.integrator;
    let (family, roots, tolerance) = match &study.method {
        Method::Gs4(Settings { member, tolerance, .. }) => {
            let family = match member.family {
                Family::U0 => "U0",
                Family::V0 => "V0",
            };
            (family, vec![member.rho_min, member.rho_max, member.rho_s], *tolerance)
        }
        Method::Implicit(settings) => ("", vec![], settings.tolerance.relative),
        Method::Bdf(settings) => ("", vec![], settings.tolerance.relative),
        Method::Explicit(settings) => ("", vec![], settings.tolerance.relative),
        Method::Conserving(settings) => ("", vec![], settings.tolerance),
        Method::Galerkin(settings) => ("", vec![], settings.tolerance),
    };
    let local_tolerance = match study.pace {
        Pace::Fixed { .. } => None,
        Pace::Adaptive { tolerance: Tolerance { relative, absolute }, .. } => {
            Some(results::LocalTolerance { relative, absolute })
        }
    };
    let integrator = results::IntegratorChoice {
        name: (*name).into(),
        family: family.into(),
        roots,
        form: form.word().into(),
        order: spec.integrator.order() as u64,
        stages: stages.map(|stages| stages as u64),
        chosen: spec.integrator.by_default.then(|| why_chosen(system)),
        treatment: treatment::summary(system, study, report),
        step: study.typical_step(report),
        tolerance,
        local_tolerance,
    };
    results::Study { integrator, t_start: report.start_time, t_end: study.end, t_reached: report.state.t }
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
        Ending::Failed(failure) => (results::Status::Failed, failure.to_string(), failure.remedy),
        Ending::EventFailed(reason) => (
            results::Status::Failed,
            reason.clone(),
            "look at the event, and at the state in which it happens",
        ),
        // A refusal may bring its own remedy on a second line.
        Ending::Refused(reason) => {
            let of_signal = "look at the signal's expression where it divides or takes a root";
            let (message, remedy) = reason.split_once('\n').unwrap_or((reason, of_signal));
            (results::Status::Failed, message.into(), remedy)
        }
    };
    results::Outcome { status, message, remedy: remedy.into() }
}

/// A step by length, if any was taken.
fn extreme(step: &Worst) -> Option<results::StepExtreme> {
    (step.value > 0.0 && step.value.is_finite())
        .then_some(results::StepExtreme { length: step.value, time: step.time })
}

fn statistics(report: &MotionReport, times: Times) -> results::Statistics {
    let c = &report.counters;
    let simulated = report.state.t - report.start_time;
    results::Statistics {
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

/// How many bodies, joints, equations and freedoms there are.
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
        variables: model.equations.iter().map(|block| block.variables.len() as u64).sum(),
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
    for change in &start.variables {
        let (from, to) = apart(change.from, change.to);
        messages.push(format!("equations changed `{}` from {from} to {to}", change.name));
    }
    results::Start {
        position_correction: start.moved.0,
        velocity_correction: start.velocity_change.0,
        messages,
    }
}

/// Two different numbers with nine digits, or as many as it takes to tell them apart.
fn apart(a: f64, b: f64) -> (String, String) {
    let text = |digits: usize| (results::short(a, digits), results::short(b, digits));
    (9..17).map(text).find(|(a, b)| a != b).unwrap_or_else(|| text(17))
}

fn audit(system: &System, study: &MotionStudy, report: &MotionReport) -> results::Audit {
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
    let residual = |worst: &Worst, limit: Option<f64>, remark: &str| results::Residual {
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
    let constraints = results::ConstraintAudit {
        position: residual(&a.position, tight, if held { "" } else { NOT_IMPOSED }),
        velocity: residual(&a.velocity, on_velocity, velocity_remark(study, stabilised)),
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
        nearest_singularity: (a.nearest.0 < NEARLY_SINGULAR).then(|| results::SingularityMet {
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

/// Energy–momentum steps satisfy the hidden constraints on velocities to second order
/// (energy-momentum-null-space I-06).
fn velocity_remark(study: &MotionStudy, imposed: bool) -> &'static str {
    match (imposed, &study.method) {
        (true, _) => "",
        (false, Method::Conserving(_)) => "monitored, not imposed: of second order in the step",
        (false, _) => NOT_IMPOSED,
    }
}

/// Whether nobody but the user answers for the phase: fixed steps of a method of second order.
fn limits_rotation(study: &MotionStudy) -> bool {
    let second_order = matches!(study.method, Method::Gs4(_) | Method::Conserving(_));
    matches!(study.pace, Pace::Fixed { .. }) && second_order
}

fn warnings(study: &MotionStudy, report: &MotionReport) -> Vec<String> {
    let audit = &report.audit;
    let rotation = audit.rotation.value;
    let mut warnings = vec![];
    let incompatible = study.method.gs4().and_then(|settings| settings.compatibility());
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
    if let (Method::Conserving(_), true) = (&study.method, rotation > SPIN_LIMIT) {
        // tan θ/2 = ωh/2 for a steady spin (energy-momentum-null-space V-5, G-10).
        let lag = 100.0 * (1.0 - 0.5 * rotation / (0.5 * rotation).tan());
        warnings.push(format!(
            "a body turns by {rotation:.2} rad in a step, where its spin lags by about {lag:.2} %: its phase is inaccurate, \
             take a smaller step"
        ));
    } else if limits_rotation(study) && rotation > ROTATION_LIMIT {
        warnings.push(format!(
            "a body turns by {rotation:.2} rad in a step: its phase is inaccurate, take a smaller step"
        ));
    }
    warnings
}

/// What was expected of the model, beside what was measured.
pub fn expectations(model: &Model, measured: &[Option<f64>], end: f64) -> Vec<results::Expectation> {
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
        [quantity] => quantity.unit(model).unwrap_or_default().into(),
        _ => String::new(),
    }
}
