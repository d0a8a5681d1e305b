//! The linearize study: A, B, C and D of small motions, for control design.

use crate::failure::StudyError;
use crate::flexible_audit::deformation_at;
use crate::linearize::failure::{ParameterError, ParameterFault};
use crate::linearize::results::answer;
use crate::linearize::{LinearizeSpec, LinearizeSummary, MatrixFormat};
use crate::live::LiveModel;
use crate::modes::{SpectrumPoint, drawn, results as modes};
use crate::small_motions::{about_words, base_state, doubts, lasting, observer_name};
use crate::stability;
use crate::study::{Prepared, Product};
use crate::summarize;
use poinsot_analysis::{EigenvalueVerdict, Input, LinearModel, linearize, residuals};
use poinsot_integrators::instant;
use poinsot_mechanics::{Scratch, State};
use poinsot_model::spec::{InputKind, InputSpec};
use poinsot_model::{Probe, View};
use poinsot_numerics::dense::{Mat, c64};
use poinsot_results::{self as results, Artifact, Signals};
use std::time::Instant;

/// Runs the study.
pub fn run(prepared: Prepared, spec: &LinearizeSpec) -> Result<Product, StudyError> {
    let clock = Instant::now();
    let (state, a) = base_state(&prepared, spec.about, spec.time)?;
    let found = linear_model(&prepared, spec, (&state, &a))?;
    let wall_time_s = clock.elapsed().as_secs_f64();
    let values: Vec<(f64, f64)> = found.poles.iter().map(|p| (p.re, p.im)).collect();
    let entries = [rows(&found.a), rows(&found.b), rows(&found.c), rows(&found.d)];
    let answers = |result| modes::answer(result, &values).or_else(|| answer(result, &entries));
    let (table, measured) = summarize::snapshot(&prepared, &state, &a, &answers)?;
    let Prepared { model, system, assembly, start, set_up, .. } = &prepared;
    let mut common = summarize::common(model, system, start, summarize::completed());
    common.expectations = summarize::expectations(model, &measured, spec.time);
    common.flexible = deformation_at(model, system, assembly, &state);
    let names = |of: &[usize]| -> Vec<String> { of.iter().map(|&k| model.signals[k].name.clone()).collect() };
    let inputs: Vec<String> = spec.inputs.iter().map(|input| input.name.clone()).collect();
    let set = matrices(&found, &inputs, &names(&spec.outputs))?;
    let poles: Vec<results::Complex> =
        found.poles.iter().map(|p| results::Complex::new(p.re, p.im)).collect();
    let mut warnings = doubts(&prepared, spec.about, &state, &a);
    if found.d_rate.norm_max() > 1e-9 * found.d.norm_max().max(1e-300) {
        warnings.push(format!(
            "outputs also take rates of the inputs, by up to {:.3e}: D cannot say that",
            found.d_rate.norm_max()
        ));
    }
    let mut stability = match &found.stability {
        Some(linear) => stability::linear_stability(linear),
        None => stability::stability(EigenvalueVerdict::of(found.poles.iter().copied()), &upper(&found)),
    };
    if poles.is_empty() {
        stability = results::Stability {
            verdict: results::Verdict::Stable,
            reason: "there is no freedom that could move".into(),
        };
    }
    let stability = lasting(stability, found.changing.as_ref(), (system, &state));
    let summary = LinearizeSummary {
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
    let spectrum = spectrum.map(|(k, p)| SpectrumPoint { number: k as u64 + 1, eigenvalue: *p });
    let method =
        format!("Linear system about the {}, {} states.", about_words(spec.about), found.states.len());
    let formats = spec.formats.iter().map(|format| matrix_format(*format)).collect();
    let product = Product::new(Box::new(summary), method, Signals::new(table));
    let product = product.ending(vec![], prepared.named(&state));
    Ok(product.with(Artifact::Matrices(set, formats)).with(drawn(spectrum.collect())))
}

fn matrix_format(format: MatrixFormat) -> results::MatrixFormat {
    match format {
        MatrixFormat::Json => results::MatrixFormat::Json,
        MatrixFormat::Npz => results::MatrixFormat::Npz,
        MatrixFormat::Mat => results::MatrixFormat::Mat,
    }
}

/// The linear model of a study about a state with its accelerations.
pub fn linear_model(
    prepared: &Prepared,
    spec: &LinearizeSpec,
    (state, a): (&State, &[f64]),
) -> Result<LinearModel, StudyError> {
    let inputs = spec.inputs.iter().map(|input| input_of(prepared, input, (state, a)));
    let inputs = inputs.collect::<Result<Vec<Input>, StudyError>>()?;
    let node = prepared.assembly.node(spec.observer);
    let mut of = |state: &State, a: &[f64]| outputs(prepared, spec, state, a);
    let mut found = linearize(&prepared.system, state, a, node, &inputs, &mut of)?;
    for (j, input) in spec.inputs.iter().enumerate() {
        if let InputKind::Parameter(name) = &input.kind {
            // Formulas of outputs may hold the parameter themselves.
            let direct = by_parameter(prepared, name, |changed| outputs(changed, spec, state, a))?;
            direct.iter().enumerate().for_each(|(i, slope)| found.d[(i, j)] += slope);
        }
    }
    Ok(found)
}

fn input_of(
    prepared: &Prepared,
    input: &InputSpec,
    (state, a): (&State, &[f64]),
) -> Result<Input, StudyError> {
    Ok(match &input.kind {
        InputKind::Force { force, component } => {
            Input::Force { force: *force, component: component.map_or(0, |axis| axis.index()) }
        }
        InputKind::Variable { equations, index } => {
            Input::Variable { network: 0, variable: prepared.assembly.variables[*equations] + index }
        }
        InputKind::Parameter(name) => {
            let change = by_parameter(prepared, name, |changed| residuals(&changed.system, state, a))?;
            Input::Residuals(change)
        }
    })
}

/// Relative change of a parameter that a slope is measured with.
const CHANGE: f64 = 1e-3;

/// The slope of anything by a parameter: central differences of fourth order between models with other
/// values, exact to rounding (about 1e-12) where the dependence is a polynomial of fourth degree, else to
/// about 1e-12 times the fifth relative derivative.
fn by_parameter(
    prepared: &Prepared,
    name: &str,
    of: impl Fn(&Prepared) -> Vec<f64>,
) -> Result<Vec<f64>, StudyError> {
    let fail = |reason| StudyError::from(ParameterError { name: name.to_owned(), reason });
    let model = prepared.model;
    let value = model.parameters.iter().find(|p| p.name == name).map_or(0.0, |p| p.value);
    let h = CHANGE * if value == 0.0 { 1.0 } else { value.abs() };
    let mut values = vec![];
    for step in [1.0, -1.0, 2.0, -2.0] {
        let mut live = LiveModel::new(model.clone(), prepared.assembly.clone());
        let mut system = live
            .redo(&[(name.to_owned(), value + step * h)])
            .map_err(|error| fail(ParameterFault::Change(error)))?;
        if system.size() != prepared.system.size() {
            return Err(fail(ParameterFault::OtherEquations));
        }
        system.suspend_rows(&prepared.system.suspended_rows());
        let (state, start) = (prepared.state.clone(), prepared.start.clone());
        values.push(of(&Prepared {
            model: &live.model,
            system,
            assembly: live.assembly,
            state,
            start,
            initial: None,
            set_up: 0.0,
        }));
    }
    let slope = |i: usize| (8.0 * (values[0][i] - values[1][i]) - (values[2][i] - values[3][i])) / (12.0 * h);
    Ok((0..values[0].len()).map(slope).collect())
}

/// The values of the output signals at a state.
fn outputs(prepared: &Prepared, spec: &LinearizeSpec, state: &State, a: &[f64]) -> Vec<f64> {
    let Prepared { model, system, assembly, .. } = prepared;
    let at = instant(state, a);
    let balance = system.balance(&at, &mut Scratch::default());
    let view = View { model, assembly, system, at, balance: &balance, results: None };
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
