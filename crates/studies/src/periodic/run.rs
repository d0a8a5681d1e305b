//! From the request to the motion, its multipliers and the verdict.

use crate::failure::StudyError;
use crate::live::LiveModel;
use crate::periodic::failure::placed;
use crate::periodic::guess;
use crate::periodic::picture::{DrawnMultiplier, MultiplierPlane};
use crate::periodic::request::{PeriodSpec, PeriodicSpec};
use crate::periodic::results::{answer, asked_extreme, extremes, sharpen};
use crate::periodic::sampling::{self, Between};
use crate::periodic::summary::{MultiplierEntry, PeriodicSummary};
use crate::periodic::table::StartsAs;
use crate::progress::{Progress, Watch};
use crate::record::Recorder;
use crate::scene::scene;
use crate::study::{Prepared, Product};
use crate::summarize;
use poinsot_analysis::{
    Changes, Closure, Dependence, FloquetVerdict, Multiplier, PeriodGiven, PeriodicError, PeriodicReport,
    PeriodicScheme, PeriodicSettings, find_periodic, find_periodic_near, swing,
};
use poinsot_integrators::{SaddlePoint, instant};
use poinsot_mechanics::{Scratch, State, System};
use poinsot_model::study::evaluate;
use poinsot_model::{Assembly, Diagnostic, Model, Probe, Quantity, View};
use poinsot_results::{self as results, Artifact, Signals, short};
use std::cell::RefCell;
use std::f64::consts::TAU;
use std::rc::Rc;
use std::time::Instant;

/// States that differ by less are the same, in units of the states.
const SAME: f64 = 1e-7;
/// Change of the states between two meshes above which the summary warns.
const ROUGH: f64 = 1e-3;

/// Runs the study.
pub fn run(prepared: Prepared, spec: &PeriodicSpec, watch: &dyn Watch) -> Result<Product, StudyError> {
    let clock = Instant::now();
    let Prepared { model, mut system, assembly, state, start, set_up, .. } = prepared;
    let FirstMotion { settings, report: found } = search(model, &mut system, &assembly, state, spec)?;
    let scene = scene(model, &system, &assembly);
    let live = Rc::new(RefCell::new(LiveModel::new(model.clone(), assembly)));
    let mut recorder = Recorder::new(
        live.clone(),
        &scene,
        Progress::new(spec.start, spec.start + found.orbit.period, watch),
    )?;
    let asked = model.expects.iter().filter_map(|expect| expect.at).chain(model.keep.iter().copied());
    let times = sampling::times(&found.orbit, spec.rows, asked);
    let rate = TAU / found.orbit.period;
    let mut between = match &found.fourier {
        Some(harmonics) => Between::Harmonics(harmonics),
        None => Between::Steps(settings.scheme.map(&system, rate).map_err(PeriodicError::from)?),
    };
    let mut changes = Changes::new(&system, rate);
    sampling::record(&system, &found.orbit, &mut between, &mut changes, &times, &mut recorder)?;
    recorder.finish(true);
    let repeats = repeats(&system, spec, &found, &mut between, &mut changes)?;
    let mut over_period = extremes(&recorder.table, model.signals.len());
    {
        let live = live.borrow();
        let known = (&live.model, &system, &live.assembly);
        let mut at = |t: f64| sampling::signals_at(known, &found.orbit, &mut between, &mut changes, t).ok();
        sharpen(&mut over_period, &asked_extremes(model), &recorder.table, &mut at);
    }
    let answers = |quantity| match quantity {
        Quantity::Result(result) => answer(result, &found, &over_period),
        _ => None,
    };
    for (expect, measured) in model.expects.iter().zip(&mut recorder.measured) {
        if expect.formula.quantities.iter().any(|q| matches!(q, Quantity::Result(_))) {
            *measured = Some(evaluate(&expect.formula, &answers)).filter(|value| value.is_finite());
        }
    }
    let mut common = summarize::common(model, &system, &start, summarize::completed());
    let end_time = spec.start + found.orbit.period;
    common.expectations = summarize::expectations(model, &recorder.measured, end_time);
    common.flexible = recorder.flexible.audits();
    let mut summary = summary(model, &system, spec, &found, common, [clock.elapsed().as_secs_f64(), set_up]);
    if let Some(parts) = repeats {
        let after = if parts == spec.multiple { 1 } else { spec.multiple / parts };
        summary.warnings.push(format!(
            "the motion repeats itself already after {after} of the {} periods that were asked for",
            spec.multiple
        ));
    }
    summary.turns = turns(&system, &live.borrow().assembly, &found);
    let picture = picture(&found);
    let parts = if found.fourier.is_some() { "times" } else { "elements" };
    let method = format!(
        "Periodic motion by {}, period {} s, {} {parts}.",
        spec.scheme.words(),
        short(found.orbit.period, 9),
        found.mesh.elements
    );
    let end = live.borrow().state(&system, &found.orbit.states[0]);
    let product = Product::new(Box::new(summary), method, Signals::course(recorder.table));
    let product = product.ending(recorder.kept, end).with(picture);
    Ok(product.with(Artifact::Scene(scene, recorder.frames.frames)))
}

/// Signals of which expectations name the largest or the smallest value.
fn asked_extremes(model: &Model) -> Vec<(usize, bool)> {
    let quantities = model.expects.iter().flat_map(|expect| &expect.formula.quantities);
    let of = |quantity: &Quantity| match quantity {
        Quantity::Result(result) => asked_extreme(result),
        _ => None,
    };
    let mut asked: Vec<(usize, bool)> = quantities.filter_map(of).collect();
    asked.sort_unstable();
    asked.dedup();
    asked
}

/// A motion with how it was looked for.
pub struct FirstMotion {
    /// How it was looked for.
    pub settings: PeriodicSettings,
    /// What was found.
    pub report: PeriodicReport,
}

/// Finds the periodic motion near the start of a model.
pub fn first_motion(prepared: &mut Prepared, spec: &PeriodicSpec) -> Result<FirstMotion, StudyError> {
    let Prepared { model, system, assembly, state, .. } = prepared;
    search(model, system, assembly, state.clone(), spec)
}

/// Finds the periodic motion near a state.
fn search(
    model: &Model,
    system: &mut System,
    assembly: &Assembly,
    state: State,
    spec: &PeriodicSpec,
) -> Result<FirstMotion, StudyError> {
    let settings = settings(model, spec);
    refuse(model, system, spec, &settings)?;
    let state = guess::settled(system, state, spec, settings.period.value())?;
    search_from(model, system, assembly, state, spec, (settings, true))
}

/// The same from a state that has settled; with `returns` the guess of an unknown period is looked at again.
pub(crate) fn search_from(
    model: &Model,
    system: &mut System,
    assembly: &Assembly,
    state: State,
    spec: &PeriodicSpec,
    (mut settings, returns): (PeriodicSettings, bool),
) -> Result<FirstMotion, StudyError> {
    let period = settings.period.value();
    let course = match (spec.from, settings.period) {
        (StartsAs::Rest, _) => vec![],
        (StartsAs::Swing, _) => {
            let (period, course) =
                swing(system, &state, period, spec.amplitude).map_err(|error| placed(error, spec))?;
            settings.period = PeriodGiven::Unknown(period);
            course
        }
        (StartsAs::Motion, given) => {
            let mut course = vec![];
            if let (PeriodGiven::Unknown(guess), true) = (given, returns) {
                let (back, states) = guess::return_time(system, state.clone(), spec, guess)?;
                settings.period = PeriodGiven::Unknown(back);
                course = states;
            }
            // Elements that are chosen end where steps did; others need states of their own.
            let is_free = settings.tolerance.is_some();
            match is_free && !course.is_empty() && !matches!(settings.scheme, PeriodicScheme::Spectral(_)) {
                true => course,
                false => guess::course(system, state.clone(), spec, &settings)?,
            }
        }
    };
    let advances = advances(model, system, assembly, spec)?;
    let pins = |at: &State| held(model, system, assembly, at, spec);
    let closure =
        Closure { advances: &advances, pins: if spec.hold.is_empty() { None } else { Some(&pins) } };
    let found = match spec.from {
        StartsAs::Rest => match settings.scheme {
            PeriodicScheme::Spectral(_) => {
                let end = State { t: state.t + period, ..state.clone() };
                find_periodic_near(system, &[state, end], &settings, closure)
            }
            _ => find_periodic(system, state, &settings, closure),
        },
        _ => find_periodic_near(system, &course, &settings, closure),
    };
    let report = found.map_err(|error| placed(error, spec))?;
    Ok(FirstMotion { settings, report })
}

/// What has no periodic motion that could be found by steps.
pub(crate) fn refuse(
    model: &Model,
    system: &System,
    spec: &PeriodicSpec,
    settings: &PeriodicSettings,
) -> Result<(), StudyError> {
    let refused = |message: String, label: &str, help: &str| {
        let diagnostic = Diagnostic::error(message).at(spec.span.clone(), label).help(help);
        Err(StudyError::Model(Box::new(diagnostic)))
    };
    if let Some(event) = model.events.first() {
        return refused(
            format!("a periodic motion has no events yet, and the model has the event `{}`", event.name),
            "smooth motions only",
            "leave it out: off = [\"its name\"]",
        );
    }
    if system.has_commands() {
        return refused(
            "drives that follow variables of equations are not known to periodic motions".into(),
            "not with such drives",
            "write the motion of the drive as a formula of time, or a force that follows the variable",
        );
    }
    if let PeriodicScheme::Spectral(_) = settings.scheme {
        let help = "take scheme = \"dg\" or \"shooting\"";
        if let Some(row) = system.velocity_equations().first() {
            let name = system.equation_name(*row);
            let message = format!("harmonics do not serve constraints on velocities, as {name} is");
            return refused(message, "not with this scheme", help);
        }
        if let Some(part) = settings.breaks.first() {
            let t = short(spec.start + part * settings.period.value(), 6);
            let message =
                format!("a law of time has a break at t = {t} s: harmonics of such motions fade slowly");
            return refused(message, "smooth laws only", help);
        }
    }
    Ok(())
}

/// How a motion is looked for.
pub fn settings(model: &Model, spec: &PeriodicSpec) -> PeriodicSettings {
    let period = match spec.period {
        PeriodSpec::Known(period) => PeriodGiven::Known(period),
        PeriodSpec::Unknown(guess) => PeriodGiven::Unknown(guess),
    };
    let length = period.value();
    let breaks = match spec.period {
        PeriodSpec::Known(_) => crate::motion::law_kinks(model, spec.start, spec.start + length),
        PeriodSpec::Unknown(_) => vec![],
    };
    let breaks = breaks.into_iter().map(|t| (t - spec.start) / length);
    PeriodicSettings {
        start: spec.start,
        period,
        scheme: spec.scheme.scheme(),
        elements: spec.elements,
        tolerance: spec.tolerance,
        multipliers: spec.multipliers,
        breaks: breaks.collect(),
        from_rest: spec.from == StartsAs::Rest,
    }
}

/// Variables that advance, by their equations.
pub fn advances(
    model: &Model,
    system: &System,
    assembly: &Assembly,
    spec: &PeriodicSpec,
) -> Result<Vec<(usize, f64)>, StudyError> {
    let mut found = vec![];
    for (name, span, advance) in &spec.advance {
        let of = |block: usize| {
            let variables = 0..model.equations[block].variables.len();
            variables.map(move |index| (block, index))
        };
        let all: Vec<(usize, usize)> = (0..model.equations.len()).flat_map(of).collect();
        let named = |(block, index): &(usize, usize)| model.equations[*block].variable_name(*index) == *name;
        match all.iter().find(|place| named(place)) {
            Some((block, index)) => found.push((assembly.variable(system, *block, *index), *advance)),
            None => {
                let known: Vec<String> =
                    all.iter().map(|(b, i)| model.equations[*b].variable_name(*i)).collect();
                let help = match known.is_empty() {
                    true => "joints may advance by whole turns without being named: leave it out".to_owned(),
                    false => format!("variables are {}", known.join(", ")),
                };
                let diagnostic = Diagnostic::error(format!("there is no variable `{name}`"));
                return Err(StudyError::Model(Box::new(diagnostic.at(span.clone(), "not found").help(help))));
            }
        }
    }
    Ok(found)
}

/// What signals are off the values that they are to have at the start.
fn held(model: &Model, system: &System, assembly: &Assembly, at: &State, spec: &PeriodicSpec) -> Vec<f64> {
    let mut a = vec![0.0; system.size()];
    if SaddlePoint::new(system).accelerations(system, at, &mut a).is_ok() {
        system.network_rates(at, &mut a, &mut Scratch::default());
    }
    let instant = instant(at, &a);
    let balance = system.balance(&instant, &mut Scratch::default());
    let view = View { model, assembly, system, at: instant, balance: &balance, results: None };
    let signals = Probe::default().signals(&view);
    spec.hold.iter().map(|(signal, value)| signals[*signal] - value).collect()
}

/// Into how many equal parts a motion of a multiple of the period of its loads falls, if it does.
fn repeats(
    system: &System,
    spec: &PeriodicSpec,
    found: &PeriodicReport,
    between: &mut Between,
    changes: &mut Changes,
) -> Result<Option<usize>, StudyError> {
    let orbit = &found.orbit;
    let mut way = vec![0.0; changes.size()];
    for parts in (2..=spec.multiple).rev().filter(|parts| spec.multiple.is_multiple_of(*parts)) {
        let t = orbit.states[0].t + orbit.period / parts as f64;
        let later = sampling::state_at(system, orbit, between, changes, t)?;
        changes.difference(&orbit.states[0], &later, &mut way);
        if changes.measure(&way) <= SAME.max(10.0 * found.change) {
            return Ok(Some(parts));
        }
    }
    Ok(None)
}

/// Joints that advance by whole turns, and other elements where no joint does.
fn turns(system: &System, assembly: &Assembly, found: &PeriodicReport) -> Vec<(String, f64)> {
    let joint = |place: usize| {
        let tracks =
            |tracked: &Vec<usize>| tracked.iter().any(|&tracker| system.tracked_memory(tracker) == place);
        let joint = assembly.coordinates.iter().position(tracks)?;
        Some(format!("joint `{}`", system.constraints()[joint].name))
    };
    let all = found.windings.iter();
    let joints: Vec<(String, f64)> =
        all.clone().filter_map(|w| joint(w.place).map(|name| (name, w.turns))).collect();
    match joints.is_empty() {
        true => all.map(|w| (w.name.clone(), w.turns)).collect(),
        false => joints,
    }
}

fn picture(found: &PeriodicReport) -> Option<Artifact> {
    let mut number = 0;
    let drawn = found.floquet.multipliers.iter().map(|m| {
        number += u64::from(!m.trivial);
        DrawnMultiplier {
            value: results::Complex::new(m.value.re, m.value.im),
            number: if m.trivial { 0 } else { number },
            outside: !m.trivial && m.log_size.exp() - 1.0 > found.floquet.tolerance(m),
        }
    });
    let drawn: Vec<DrawnMultiplier> =
        drawn.filter(|m| m.value.re.is_finite() && m.value.im.is_finite()).collect();
    (!drawn.is_empty()).then(|| Artifact::Drawing(Box::new(MultiplierPlane(drawn))))
}

fn summary(
    model: &Model,
    system: &System,
    spec: &PeriodicSpec,
    found: &PeriodicReport,
    common: results::Common,
    [wall_time_s, set_up_time_s]: [f64; 2],
) -> PeriodicSummary {
    let mut number = 0;
    let entries = found.floquet.multipliers.iter().map(|m| {
        number += u64::from(!m.trivial);
        entry(model, system, m, if m.trivial { 0 } else { number })
    });
    let all: Vec<MultiplierEntry> = entries.collect();
    PeriodicSummary {
        common,
        period: found.orbit.period,
        unknown_period: matches!(spec.period, PeriodSpec::Unknown(_)),
        start_time: spec.start,
        scheme: spec.scheme.words(),
        by_harmonics: found.fourier.is_some(),
        elements: found.mesh.elements as u64,
        element_lengths: [found.mesh.longest, found.mesh.shortest],
        rounds: found.mesh.rounds as u64,
        corrections: found.correction.iterations as u64,
        gap: found.correction.gap,
        mesh_error: found.mesh.error,
        change: found.change,
        compared_elements: found.compared as u64,
        period_change: found.period_change,
        free_directions: found.correction.free as u64,
        forced: matches!(found.dependence, Dependence::Forced(_)),
        turns: vec![],
        multiplier_count: all.len() as u64,
        multipliers: all.into_iter().take(spec.count).collect(),
        gauge: found.floquet.gauge,
        stability: found.floquet.complete.then(|| verdict(found)),
        wall_time_s,
        set_up_time_s,
        warnings: warnings(spec, found),
    }
}

/// Bodies and variables that move most in a mode, with their shares.
pub(crate) fn moving_most(model: &Model, system: &System, m: &Multiplier) -> Vec<(String, f64)> {
    let nodes = system.nodes().len();
    let variables = model
        .equations
        .iter()
        .flat_map(|block| (0..block.variables.len()).map(move |index| block.variable_name(index)));
    let names = system.nodes().iter().map(|node| node.name.clone()).chain(variables);
    let mut shares: Vec<(String, f64)> =
        names.zip(m.participation.iter().copied()).take(nodes + 4096).collect();
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    shares.truncate(3);
    shares.retain(|(_, share)| *share > 0.01);
    shares
}

fn entry(model: &Model, system: &System, m: &Multiplier, number: u64) -> MultiplierEntry {
    MultiplierEntry {
        number,
        value: results::Complex::new(bounded(m.value.re), bounded(m.value.im)),
        magnitude: m.log_size.exp().min(f64::MAX),
        error: m.error,
        growth: m.growth.is_finite().then_some(m.growth),
        frequency_hz: m.frequency / TAU,
        share: m.share,
        moving_most: moving_most(model, system, m),
    }
}

/// A number that files can hold.
fn bounded(x: f64) -> f64 {
    x.clamp(-f64::MAX, f64::MAX)
}

/// What the multipliers say, in words.
fn verdict(found: &PeriodicReport) -> results::Stability {
    let floquet = &found.floquet;
    let Some(largest) = floquet.largest() else {
        let reason = "there is no freedom that could deviate".into();
        return results::Stability { verdict: results::Verdict::Stable, reason };
    };
    let size = largest.log_size.exp();
    let of = |m: &Multiplier| match (m.value.im != 0.0, m.value.re < 0.0) {
        (true, _) => format!(
            "a pair at {} Hz grows: the motion turns into one of two frequencies",
            short(m.frequency / TAU, 5)
        ),
        (false, true) => {
            "a deviation changes its sign with every period: the motion doubles its period".to_owned()
        }
        (false, false) => "a deviation grows to one side".to_owned(),
    };
    let known = short(floquet.tolerance(largest), 2);
    let (verdict, reason) = match floquet.verdict() {
        FloquetVerdict::Unstable => (
            results::Verdict::Unstable,
            format!(
                "|λ| = {} lies outside the unit circle ({} per second); {}",
                short(size, 7),
                short(largest.growth, 4),
                of(largest)
            ),
        ),
        FloquetVerdict::AsymptoticallyStable => (
            results::Verdict::AsymptoticallyStable,
            format!(
                "the largest multiplier is |λ| = {}, inside the unit circle by more than {known} that is left open",
                short(size, 7)
            ),
        ),
        FloquetVerdict::Undecided(open) => {
            let many =
                if open == 1 { "1 multiplier lies".to_owned() } else { format!("{open} multipliers lie") };
            let reason = format!(
                "not decided: {many} on the unit circle as far as is known ({known}), none outside; small \
                 deviations neither grow nor die away faster than that tells"
            );
            (results::Verdict::Neutral, reason)
        }
    };
    results::Stability { verdict, reason }
}

fn warnings(spec: &PeriodicSpec, found: &PeriodicReport) -> Vec<String> {
    let mut warnings = vec![];
    if found.change > ROUGH {
        warnings.push(format!(
            "the motion changes by {} of the units of the states with twice as many elements: take more",
            short(found.change, 2)
        ));
    }
    if let Some(tolerance) = spec.tolerance.filter(|tolerance| found.mesh.error > *tolerance) {
        warnings.push(format!(
            "the errors of the elements add up to {}, and {} were asked for: there are not more elements",
            short(found.mesh.error, 2),
            short(tolerance, 2)
        ));
    }
    if !found.floquet.complete {
        warnings.push(
            "multipliers are not told: with these elements some motions are faster than 3.46 over their length, \
             and continuous elements make them grow; take scheme = \"collocation\" or shorter elements"
                .into(),
        );
    }
    if found.movement < 1e-9 && matches!(found.dependence, Dependence::Autonomous) {
        warnings.push("nothing moves: this is a state of rest".into());
    }
    warnings
}
