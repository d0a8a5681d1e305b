//! The modes study: natural frequencies, damping and shapes of small motions.

use crate::equilibrium;
use crate::scene::{FrameRecorder, scene};
use crate::study::{Prepared, Product, StudyError};
use crate::summarize;
use poinsot_analysis::{Changing, EigenMethod, Mode, Modes, Verdict, find_modes, moving_later};
use poinsot_geometry::Vec3;
use poinsot_integrators::{SaddlePoint, StepFailure};
use poinsot_mechanics::{Frame, Scratch, State, System};
use poinsot_model::StudyResults;
use poinsot_model::spec::{About, BeamSpec, BodyRef, ModesSpec};
use poinsot_numerics::dense::c64;
use poinsot_results::{self as results, Artifact, Signals};
use std::time::Instant;

/// Bodies named in a mode.
const NAMED: usize = 3;

/// The state that a linearisation is about, with accelerations and multipliers.
pub fn base_state(prepared: &Prepared, about: About, time: f64) -> Result<(State, Vec<f64>), StudyError> {
    match about {
        About::Equilibrium => {
            let found = equilibrium::place(prepared, time)?;
            Ok((found.state, found.a))
        }
        About::Start => {
            let (system, state) = (&prepared.system, &prepared.state);
            let mut a = vec![0.0; system.size()];
            SaddlePoint::new(system)
                .accelerations(system, state, &mut a)
                .map_err(|e| StepFailure::singular(system, state.t, &e))?;
            system.network_rates(state, &mut a, &mut Scratch::default());
            Ok((state.clone(), a))
        }
    }
}

/// The name of an observer.
pub fn observer_name(prepared: &Prepared, observer: BodyRef) -> String {
    match observer {
        BodyRef::Ground => "ground".into(),
        BodyRef::Body(k) => prepared.model.bodies[k].name.clone(),
    }
}

/// The state that motions are small about, in words.
pub fn about_words(about: About) -> String {
    match about {
        About::Equilibrium => "equilibrium".into(),
        About::Start => "start".into(),
    }
}

/// What is said instead of a verdict where the linearised system changes with time.
pub fn no_verdict(changing: &Changing, time: f64) -> results::Stability {
    let (percent, after) = (results::short(100.0 * changing.share, 2), results::short(changing.after, 2));
    if !changing.by.is_empty() {
        let many = if changing.by.len() == 1 { "changes" } else { "change" };
        let reason = format!(
            "time is held at t = {time} s; {} {many} with time and {} the state, and with it the linearised system, by \
             {percent} % within {after} s (seen at {}), so that its eigenvalues neither prove nor exclude growth; `run` \
             the motion, and once more from a small deviation",
            changing.by.join(", "),
            if changing.by.len() == 1 { "moves" } else { "move" },
            changing.at
        );
        return results::Stability { verdict: results::Verdict::None, reason };
    }
    let how = match changing.after > 0.0 {
        true => format!("changes with time, by {percent} % within {after} s"),
        false => format!("is another one, by {percent} %, while its drives move as they do at that time"),
    };
    let reason = format!(
        "the linearised system {how} (seen at {}), so that its eigenvalues at t = {time} s neither prove nor exclude \
         growth; `run` the motion from a small deviation over many periods, or choose the observer that sees it steady",
        changing.at
    );
    results::Stability { verdict: results::Verdict::None, reason }
}

/// The verdict, unless the system changes with time; with drives that only stand still for now.
pub fn lasting(
    stability: results::Stability,
    changing: Option<&Changing>,
    (system, state): (&System, &State),
) -> results::Stability {
    if let Some(changing) = changing {
        let mut none = no_verdict(changing, state.t);
        if !changing.by.is_empty() {
            none.reason =
                format!("{} ({}) while {}", stability.verdict.words(), stability.reason, none.reason);
        }
        return none;
    }
    let drives = match system.nodes().iter().any(|n| state.v[n.unknowns()].iter().any(|v| *v != 0.0)) {
        true => vec![],
        false => moving_later(system, state),
    };
    if drives.is_empty() {
        return stability;
    }
    let reason =
        format!("{}, while {} stands as at t = {} s", stability.reason, drives.join(" and "), state.t);
    results::Stability { reason, ..stability }
}

/// What else makes a linearisation doubtful: a start at rest that will not stay there, dry friction.
pub fn doubts(prepared: &Prepared, about: About, state: &State, a: &[f64]) -> Vec<String> {
    let system = &prepared.system;
    let mut doubts = vec![];
    let twist = |k: usize, v: &[f64]| {
        let twist = system.twist(k, v);
        twist.linear.norm() + system.length_scale() * twist.angular.norm()
    };
    let largest = |v: &[f64]| (1..system.nodes().len()).map(|k| twist(k, v)).fold(0.0, f64::max);
    let leaving = largest(a);
    if about == About::Start && largest(&state.v) == 0.0 && leaving > 1e-6 * system.gravity.norm().max(1e-3) {
        doubts.push(format!(
            "the start is at rest but no equilibrium: bodies accelerate by up to {leaving:.1e} m/s²; use about = \"equilibrium\""
        ));
    }
    if about == About::Start {
        doubts.extend(changing(prepared, a));
    }
    if !system.frictions().is_empty() {
        doubts.push(
            "dry friction counts as viscous damping here: its smoothed slope at the speed of the state"
                .into(),
        );
    }
    doubts
}

/// The variable that changes fastest at a start that is no equilibrium.
fn changing(prepared: &Prepared, a: &[f64]) -> Option<String> {
    let networks = prepared.system.networks().iter();
    let rates = networks
        .flat_map(|n| n.law.variables.iter().enumerate().map(|(j, v)| (&v.name, a[n.unknown(j)], v.nominal)));
    let (name, rate, _) = rates
        .filter(|(_, rate, nominal)| rate.abs() > 1e-9 * nominal)
        .max_by(|x, y| (x.1 / x.2).abs().total_cmp(&(y.1 / y.2).abs()))?;
    Some(format!(
        "the start is no equilibrium: `{name}` changes by {rate:.1e} per second, and the matrices with it; \
         use about = \"equilibrium\""
    ))
}

/// What the modes say, and of how many it was said.
pub fn verdict(found: &Modes) -> results::Stability {
    if let Some(linear) = &found.stability {
        return summarize::linear_stability(linear);
    }
    if found.unresolved > 0 && found.verdict != Verdict::Unstable {
        return results::Stability { verdict: results::Verdict::Neutral, reason: unresolved(found) };
    }
    let values: Vec<c64> = found.modes.iter().map(|m| m.value).collect();
    let mut stability = summarize::stability(found.verdict, &values);
    if found.modes.is_empty() {
        stability.verdict = results::Verdict::Stable;
        stability.reason = "there is no freedom that could move".into();
    } else if !found.complete {
        let judged = found.modes.len();
        stability.reason = match found.verdict {
            Verdict::AsymptoticallyStable => {
                format!("the {judged} lowest modes decay; higher ones were not looked at")
            }
            Verdict::Stable => {
                format!("the {judged} lowest modes do not grow; higher ones were not looked at")
            }
            Verdict::Unstable | Verdict::Neutral => stability.reason,
        };
    }
    stability
}

/// Zeros that may be none, with how fast they may be.
fn unresolved(found: &Modes) -> String {
    let zeros = found.modes.iter().filter(|m| m.value.norm() == 0.0);
    let open = zeros.map(|m| m.error).fold(0.0, f64::max);
    let modes = if found.unresolved == 1 { "1 mode".into() } else { format!("{} modes", found.unresolved) };
    format!(
        "not decided: {modes} cannot be told from a freedom without stiffness, rounding beside \
         the stiffest parts leaves {open:.1e} 1/s open"
    )
}

/// Runs the study.
pub fn run(prepared: Prepared, spec: &ModesSpec) -> Result<Product, StudyError> {
    let clock = Instant::now();
    let (state, a) = base_state(&prepared, spec.about, spec.time)?;
    let node = prepared.assembly.node(spec.observer);
    let found = find_modes(&prepared.system, &state, &a, node, spec.count)?;
    let wall_time_s = clock.elapsed().as_secs_f64();
    let values = found.modes.iter().map(|m| (m.value.re, m.value.im)).collect();
    let study_results = StudyResults { modes: values, ..StudyResults::default() };
    let (table, measured) = summarize::snapshot(&prepared, &state, &a, &study_results)?;
    let Prepared { model, system, assembly, start, set_up, .. } = &prepared;
    let mut common = summarize::common(model, system, assembly, start, summarize::completed());
    common.expectations = summarize::expectations(model, &measured, spec.time);
    let modes: Vec<results::Mode> =
        found.modes.iter().enumerate().map(|(k, m)| mode(&prepared, k, m)).collect();
    let warnings = doubts(&prepared, spec.about, &state, &a);
    let stability = lasting(verdict(&found), found.changing.as_ref(), (system, &state));
    let summary = results::ModesSummary {
        common,
        about: about_words(spec.about),
        time: spec.time,
        observer: observer_name(&prepared, spec.observer),
        modes: modes.clone(),
        stability: Some(stability),
        method: match found.method {
            EigenMethod::Dense => results::EigenMethod::Dense,
            EigenMethod::ShiftInvert => results::EigenMethod::ShiftInvert,
        },
        operator_applications: found.applications as u64,
        wall_time_s,
        set_up_time_s: *set_up,
        warnings,
    };
    let spectrum =
        modes.iter().map(|m| results::SpectrumPoint { number: m.number, eigenvalue: m.eigenvalue });
    let spectrum = drawn(spectrum.collect());
    let method = format!("Modes about the {}, {} of them.", about_words(spec.about), modes.len());
    let no_shapes = modes.is_empty() || model.bodies.is_empty();
    let shapes = if no_shapes { None } else { Some(shapes(&prepared, &state, &found.modes, &modes)?) };
    let shapes = shapes.map(|shapes| Artifact::Shapes { shapes, drawn: true });
    let scene = scene(prepared.model, &prepared.system, &prepared.assembly);
    let mut recorder = FrameRecorder::new(&scene);
    let at = poinsot_integrators::instant(&state, &a);
    recorder.record(prepared.model, &prepared.system, &prepared.assembly, &at, state.t);
    let product = Product::new(Box::new(summary), method, Signals::new(table));
    Ok(product.with(shapes).with(spectrum).with(Artifact::Scene(scene, recorder.frames)))
}

/// Eigenvalues as a drawing, if there are any.
pub(crate) fn drawn(points: Vec<results::SpectrumPoint>) -> Option<Artifact> {
    (!points.is_empty()).then(|| Artifact::Drawing(Box::new(results::Spectrum(points))))
}

fn mode(prepared: &Prepared, k: usize, mode: &Mode) -> results::Mode {
    let names = prepared.model.bodies.iter().enumerate();
    let states = mode.participation.iter();
    let states = states.map(|(name, share)| results::Participation { body: name.clone(), share: *share });
    let bodies = names.map(|(k, body)| results::Participation {
        body: body.name.clone(),
        share: mode.shares[prepared.assembly.nodes[k]],
    });
    // With first-order equations the states take part, not only the masses.
    let mut shares: Vec<results::Participation> =
        if mode.participation.is_empty() { bodies.collect() } else { states.collect() };
    shares.sort_by(|a, b| b.share.total_cmp(&a.share));
    shares.truncate(NAMED);
    shares.retain(|s| s.share > 0.01);
    let value = results::Complex::new(mode.value.re, mode.value.im);
    results::Mode::of(k as u64 + 1, value, mode.error.max(1e-9 * mode.value.norm()), shares)
}

/// Shapes of all modes: displacements of the centres of mass and rotations in world axes.
fn shapes(
    prepared: &Prepared,
    state: &State,
    found: &[Mode],
    modes: &[results::Mode],
) -> Result<results::ModeShapes, StudyError> {
    let shape = |(mode, summary): (&Mode, &results::Mode)| results::ModeShape {
        number: summary.number,
        eigenvalue: summary.eigenvalue,
        frequency_hz: summary.frequency_hz,
        damping_ratio: summary.damping_ratio,
        kind: summary.kind,
        bodies: amplitudes(prepared, &state.frames, &mode.shape),
        ..results::ModeShape::default()
    };
    shapes_about(prepared, state, found.iter().zip(modes).map(shape).collect())
}

/// Shapes with the bodies and joints of a state.
pub fn shapes_about(
    prepared: &Prepared,
    state: &State,
    shapes: Vec<results::ModeShape>,
) -> Result<results::ModeShapes, StudyError> {
    let Prepared { model, system, assembly, .. } = prepared;
    let zero = vec![0.0; system.size()];
    let at = poinsot_integrators::instant(state, &zero);
    let frame = |(k, body): (usize, &poinsot_model::spec::BodySpec)| {
        let z = &state.frames[assembly.nodes[k]];
        results::BodyFrame {
            name: body.name.clone(),
            position: assembly.position(BodyRef::Body(k), &at).into(),
            rotation: std::array::from_fn(|i| std::array::from_fn(|j| z.rot[(i, j)])),
            centre_of_mass: z.r.into(),
        }
    };
    let bodies = model.bodies.iter().enumerate().map(frame).collect();
    let link = |joint: &poinsot_model::spec::JointSpec| {
        let end = |end: &poinsot_model::spec::EndSpec| {
            let z = &state.frames[assembly.node(end.body)];
            let body = match end.body {
                BodyRef::Ground => None,
                BodyRef::Body(k) => Some(k),
            };
            let position = (z.r + z.rot * assembly.from_node(end.body, &end.frame.r)).into();
            results::LinkEnd { body, position }
        };
        results::Link { name: joint.name.clone(), ends: [end(&joint.first), end(&joint.second)] }
    };
    let node =
        |k: usize| results::LinkEnd { body: Some(k), position: state.frames[assembly.nodes[k]].r.into() };
    let line = |beam: &BeamSpec| {
        let pieces = beam.nodes.clone().zip(beam.nodes.clone().skip(1));
        let name = beam.name.clone();
        pieces.map(move |(a, b)| results::Link { name: name.clone(), ends: [node(a), node(b)] })
    };
    let links = model.joints.iter().map(link).chain(model.beams.iter().flat_map(line)).collect();
    Ok(results::ModeShapes::new(bodies, links, system.length_scale(), shapes)?)
}

/// How a shape moves each body of a state.
pub fn amplitudes(prepared: &Prepared, state: &[Frame], shape: &[c64]) -> Vec<results::BodyAmplitude> {
    let part = |pick: fn(&c64) -> f64| shape.iter().map(pick).collect::<Vec<f64>>();
    let (re, im) = (part(|c| c.re), part(|c| c.im));
    let moved = |&node: &usize| {
        let [(a, tilt_a), (b, tilt_b)] = [&re, &im].map(|values| {
            let twist = prepared.system.twist(node, values);
            (twist.linear, state[node].rot * twist.angular)
        });
        let complex = |re: Vec3, im: Vec3| {
            results::ComplexVector::new(std::array::from_fn(|k| results::Complex::new(re[k], im[k])))
        };
        results::BodyAmplitude { translation: complex(a, b), rotation: complex(tilt_a, tilt_b) }
    };
    prepared.assembly.nodes.iter().map(moved).collect()
}
