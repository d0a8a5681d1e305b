//! The linearize study: A, B, C and D of small motions, for control design.

use crate::modes::{about_words, base_state, doubts, observer_name, steadiness};
use crate::study::{Prepared, Product, StudyError};
use crate::summarize;
use poinsot_analysis::{Input, LinearModel, Sample, Verdict, linearize};
use poinsot_integrators::instant;
use poinsot_mechanics::{Scratch, State};
use poinsot_model::spec::LinearizeSpec;
use poinsot_model::{Probe, StudyResults, View};
use poinsot_numerics::dense::{Mat, c64};
use poinsot_results as results;
use std::time::Instant;

/// Runs the study.
pub fn run(prepared: Prepared, spec: &LinearizeSpec) -> Result<Product, StudyError> {
    let clock = Instant::now();
    let (state, a) = base_state(&prepared, spec.about, spec.time)?;
    let inputs: Vec<Input> = spec
        .inputs
        .iter()
        .map(|input| Input { force: input.force, component: input.component.map_or(0, |axis| axis.index()) })
        .collect();
    let node = prepared.assembly.node(spec.observer);
    let mut outputs = |state: &State, a: &[f64]| outputs(&prepared, spec, state, a);
    let found = linearize(&prepared.system, &state, &a, node, &inputs, &mut outputs)?;
    let wall_time_s = clock.elapsed().as_secs_f64();
    let study_results = StudyResults {
        modes: found.poles.iter().map(|p| (p.re, p.im)).collect(),
        matrices: [rows(&found.a), rows(&found.b), rows(&found.c), rows(&found.d)],
        stable: None,
        events: vec![],
    };
    let (table, measured) = summarize::snapshot(&prepared, &state, &a, &study_results)?;
    let Prepared { model, system, assembly, start, set_up, .. } = &prepared;
    let mut common = summarize::common(model, system, assembly, start, summarize::completed());
    common.expectations = summarize::expectations(model, &measured, spec.time);
    let names = |of: &[usize]| -> Vec<String> { of.iter().map(|&k| model.signals[k].name.clone()).collect() };
    let inputs: Vec<String> = spec.inputs.iter().map(|input| input.name.clone()).collect();
    let set = matrices(&found, &inputs, &names(&spec.outputs))?;
    let poles: Vec<results::Complex> =
        found.poles.iter().map(|p| results::Complex::new(p.re, p.im)).collect();
    let mut warnings = steadiness(found.unsteadiness);
    warnings.extend(doubts(&prepared, spec.about, &state, &a));
    let mut stability = summarize::stability(Verdict::of(found.poles.iter().copied()), &upper(&found));
    if poles.is_empty() {
        stability = results::Stability {
            verdict: results::Verdict::Stable,
            reason: "there is no freedom that could move".into(),
        };
    }
    let summary = results::LinearizeSummary {
        common,
        about: about_words(spec.about),
        time: spec.time,
        observer: observer_name(&prepared, spec.observer),
        states: found.states.clone(),
        inputs,
        outputs: names(&spec.outputs),
        matrices: set.shapes(),
        poles: poles.clone(),
        stability: Some(stability),
        wall_time_s,
        set_up_time_s: *set_up,
        warnings,
    };
    let spectrum = poles.iter().enumerate();
    let spectrum =
        spectrum.map(|(k, p)| results::SpectrumPoint { number: k as u64 + 1, eigenvalue: *p }).collect();
    let method =
        format!("Linear system about the {}, {} states.", about_words(spec.about), found.states.len());
    let matrices = Some((set, spec.formats.clone()));
    Ok(Product { matrices, spectrum, ..Product::new(Box::new(summary), method, table) })
}

/// The values of the output signals at a state.
fn outputs(prepared: &Prepared, spec: &LinearizeSpec, state: &State, a: &[f64]) -> Vec<f64> {
    let Prepared { model, system, assembly, .. } = prepared;
    let at = instant(state, a);
    let balance = system.balance(&at, &mut Scratch::default());
    let sample = Sample { at, balance: &balance, supplied: 0.0, dissipated: 0.0 };
    let view = View { model, assembly, system, sample: &sample, results: None };
    let signals = Probe::default().signals(&view);
    spec.outputs.iter().map(|&k| signals[k]).collect()
}

/// Of every pair of poles the one with positive imaginary part.
fn upper(found: &LinearModel) -> Vec<c64> {
    found.poles.iter().copied().filter(|pole| pole.im >= 0.0).collect()
}

fn rows(m: &Mat<f64>) -> Vec<Vec<f64>> {
    (0..m.nrows()).map(|i| (0..m.ncols()).map(|j| m[(i, j)]).collect()).collect()
}

fn matrices(
    found: &LinearModel,
    inputs: &[String],
    outputs: &[String],
) -> Result<results::MatrixSet, StudyError> {
    let mut set = results::MatrixSet::new();
    let sizes = [("A", &found.a), ("B", &found.b), ("C", &found.c), ("D", &found.d)];
    let (n, m, p) = (found.states.len(), inputs.len(), outputs.len());
    let shapes = [(n, n), (n, m), (p, n), (p, m)];
    for ((name, matrix), (r, c)) in sizes.into_iter().zip(shapes) {
        set.add_matrix(name, r, c, rows(matrix).concat())?;
    }
    set.add_list("states", found.states.clone())?;
    set.add_list("inputs", inputs.to_vec())?;
    set.add_list("outputs", outputs.to_vec())?;
    Ok(set)
}
