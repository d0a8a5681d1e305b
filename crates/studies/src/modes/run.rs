//! From the request to modes, their shapes and the verdict.

use crate::failure::{Failure, StudyError};
use crate::flexible_audit::deformation_at;
use crate::modes::results::answer;
use crate::modes::{Mode, ModesSpec, ModesSummary, Participation, SpectrumPoint, drawn};
use crate::scene::{FrameRecorder, scene};
use crate::shapes::{amplitudes, deformations, shapes_about};
use crate::small_motions::{about_words, base_state, doubts, lasting, observer_name};
use crate::stability;
use crate::study::{Prepared, Product};
use crate::summarize;
use poinsot_analysis::{self as analysis, EigenvalueVerdict, Modes, find_modes};
use poinsot_mechanics::State;
use poinsot_numerics::dense::c64;
use poinsot_results::{self as results, Artifact, Signals};
use std::time::Instant;

impl Failure for poinsot_analysis::ModesError {}

/// Bodies named in a mode.
const NAMED: usize = 3;

/// What the modes say, and of how many it was said.
pub fn verdict(found: &Modes) -> results::Stability {
    if let Some(linear) = &found.stability {
        return stability::linear_stability(linear);
    }
    if found.unresolved > 0 && found.verdict != EigenvalueVerdict::Unstable {
        return results::Stability { verdict: results::Verdict::Neutral, reason: unresolved(found) };
    }
    let values: Vec<c64> = found.modes.iter().map(|m| m.value).collect();
    let mut stability = stability::stability(found.verdict, &values);
    if found.modes.is_empty() {
        stability.verdict = results::Verdict::Stable;
        stability.reason = "there is no freedom that could move".into();
    } else if !found.complete {
        let judged = found.modes.len();
        stability.reason = match found.verdict {
            EigenvalueVerdict::AsymptoticallyStable => {
                format!("the {judged} lowest modes decay; higher ones were not looked at")
            }
            EigenvalueVerdict::Stable => {
                format!("the {judged} lowest modes do not grow; higher ones were not looked at")
            }
            EigenvalueVerdict::Unstable | EigenvalueVerdict::Neutral => stability.reason,
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
    let values: Vec<(f64, f64)> = found.modes.iter().map(|m| (m.value.re, m.value.im)).collect();
    let answers = |result| answer(result, &values);
    let (table, measured) = summarize::snapshot(&prepared, &state, &a, &answers)?;
    let Prepared { model, system, assembly, start, set_up, .. } = &prepared;
    let mut common = summarize::common(model, system, start, summarize::completed());
    common.expectations = summarize::expectations(model, &measured, spec.time);
    common.flexible = deformation_at(model, system, assembly, &state);
    let modes: Vec<Mode> = found.modes.iter().enumerate().map(|(k, m)| mode(&prepared, k, m)).collect();
    let warnings = doubts(&prepared, spec.about, &state, &a);
    let stability = lasting(verdict(&found), found.changing.as_ref(), (system, &state));
    let summary = ModesSummary {
        common,
        about: about_words(spec.about),
        time: spec.time,
        observer: observer_name(&prepared, spec.observer),
        modes: modes.clone(),
        stability: Some(stability),
        method: found.method.into(),
        operator_applications: found.applications as u64,
        wall_time_s,
        set_up_time_s: *set_up,
        warnings,
    };
    let spectrum = modes.iter().map(|m| SpectrumPoint { number: m.number, eigenvalue: m.eigenvalue });
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
    let product = product.ending(vec![], prepared.named(&state));
    Ok(product.with(shapes).with(spectrum).with(Artifact::Scene(scene, recorder.frames)))
}

fn mode(prepared: &Prepared, k: usize, mode: &analysis::Mode) -> Mode {
    let names = prepared.model.bodies.iter().enumerate();
    let states = mode.participation.iter();
    let states = states.map(|(name, share)| Participation { body: name.clone(), share: *share });
    let bodies = names.map(|(k, body)| Participation {
        body: body.name.clone(),
        share: mode.shares[prepared.assembly.nodes[k]],
    });
    // With first-order equations the states take part, not only the masses.
    let mut shares: Vec<Participation> =
        if mode.participation.is_empty() { bodies.collect() } else { states.collect() };
    shares.sort_by(|a, b| b.share.total_cmp(&a.share));
    shares.truncate(NAMED);
    shares.retain(|s| s.share > 0.01);
    let value = results::Complex::new(mode.value.re, mode.value.im);
    Mode::of(k as u64 + 1, value, mode.error.max(1e-9 * mode.value.norm()), shares)
}

/// Shapes of all modes: displacements of the centres of mass and rotations in world axes.
fn shapes(
    prepared: &Prepared,
    state: &State,
    found: &[analysis::Mode],
    modes: &[Mode],
) -> Result<results::ModeShapes, StudyError> {
    let shape = |(mode, summary): (&analysis::Mode, &Mode)| results::ModeShape {
        number: summary.number,
        eigenvalue: summary.eigenvalue,
        frequency_hz: summary.frequency_hz,
        damping_ratio: summary.damping_ratio,
        kind: summary.kind,
        bodies: amplitudes(prepared, &state.frames, &mode.shape),
        amplitudes: deformations(prepared, &mode.shape),
        ..results::ModeShape::default()
    };
    shapes_about(prepared, state, found.iter().zip(modes).map(shape).collect())
}
