//! An `.ldae` file as a whole model: one block of equations, a study and signals.

use super::energy::{Around, EnergyModel, Times, read};
use super::lower::{Derived, Lowering, derive, places};
use super::options::{Amount, Options};
use crate::build::build;
use crate::diagnostic::{Diagnostic, Diagnostics, Span};
use crate::parametric::{ParameterValue, ParametricModel};
use crate::quantity::Quantity;
use crate::raised::Raised;
use crate::spec::{
    Formula, IntegratorSpec, Kinks, Looks, Model, MotionSpec, PaceSpec, SignalSpec, ToleranceOf,
    ToleranceSpec,
};
use crate::study::InitialSpec;
use poinsot_expr::{Expr, Program};
use poinsot_geometry::Vec3;
use poinsot_integrators::{Given, Tolerance};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

/// Loads the text of an `.ldae` file; the model is there if no error was found.
pub(crate) fn load(
    origin: &Arc<ParametricModel>,
    given: &[ParameterValue],
    diagnostics: &mut Diagnostics,
) -> Option<Model> {
    let overrides = given.iter().map(|given| Some((given.name.clone(), given.expr.clone()?)));
    let around = Around {
        overrides: overrides.collect::<Option<_>>()?,
        directory: Some(origin.directory().to_owned()),
        files: origin.files.clone(),
        ..Around::default()
    };
    let model = read(&origin.source.text, &around, diagnostics)?;
    let study = study(&model, diagnostics)?;
    let form = model.options.form.as_ref().map(|form| form.value).unwrap_or_default();
    let derived = derive(model, form, false, diagnostics)?;
    let model = whole(origin, &derived, study, diagnostics)?;
    check_index(&model, &derived.model.options, diagnostics);
    Some(model)
}

/// A name that a block can have: that of the file as far as it goes.
pub(crate) fn block_name(path: &str) -> String {
    let stem = Path::new(path).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let plain = |c: char| if c.is_alphanumeric() { c } else { '_' };
    let name: String = stem.unwrap_or_default().chars().map(plain).collect();
    match name.starts_with(char::is_alphabetic) {
        true => name,
        false => format!("model_{name}"),
    }
}

/// The motion from InitialTime to FinalTime.
fn study(model: &EnergyModel, diagnostics: &mut Diagnostics) -> Option<MotionSpec> {
    let Times { start, end, points } = &model.times;
    let Some(end) = end else {
        diagnostics.push(
            Diagnostic::error("FinalTime is missing: there is nothing to run to")
                .at(model.span.clone(), "in this file")
                .help("give it: `FinalTime = 10;`"),
        );
        return None;
    };
    let first = start.as_ref().map_or(0.0, |start| start.value);
    let options = &model.options;
    let (integrator, _) = IntegratorSpec::named("radau", &Given::default()).ok()?;
    let (tolerance, tolerances) = tolerances(options, model.variables.len());
    Some(MotionSpec {
        start: first,
        end: end.value,
        integrator: IntegratorSpec { by_default: true, ..integrator },
        pace: PaceSpec::Adaptive { first: options.first_step, longest: None },
        tolerance,
        tolerances,
        kinks: Kinks::Locate,
        output_step: points.as_ref().map(|points| (end.value - first) / (points.value - 1) as f64),
        stops: options.event_times.clone(),
        max_steps: options.max_steps,
        span: end.span.clone(),
    })
}

/// The tolerance of all unknowns and those of single ones. Multipliers have the loosest that is given.
fn tolerances(options: &Options, variables: usize) -> (Option<Tolerance>, Vec<ToleranceSpec>) {
    if options.absolute.is_none() && options.relative.is_none() {
        return (None, vec![]);
    }
    let default = Tolerance::default();
    let all = |amount: &Option<Amount>, default: f64| match amount {
        None => default,
        Some(Amount::All(value)) => *value,
        Some(Amount::Each(list)) => list.iter().copied().fold(0.0, f64::max),
    };
    let common = Tolerance {
        relative: all(&options.relative, default.relative),
        absolute: all(&options.absolute, default.absolute),
    };
    let each = |amount: &Option<Amount>| matches!(amount, Some(Amount::Each(_)));
    if !each(&options.absolute) && !each(&options.relative) {
        return (Some(common), vec![]);
    }
    let one = |amount: &Option<Amount>, k: usize, common: f64| match amount {
        Some(Amount::Each(list)) => list.get(k).copied().unwrap_or(common),
        _ => common,
    };
    let of_variable = |k: usize| ToleranceSpec {
        of: ToleranceOf::Variable { equations: 0, index: k },
        tolerance: Tolerance {
            relative: one(&options.relative, k, common.relative),
            absolute: one(&options.absolute, k, common.absolute),
        },
    };
    (Some(common), (0..variables).map(of_variable).collect())
}

/// The model around the block.
fn whole(
    origin: &Arc<ParametricModel>,
    derived: &Derived,
    study: MotionSpec,
    diagnostics: &mut Diagnostics,
) -> Option<Model> {
    let source = &origin.source;
    let name = block_name(&source.name);
    let parameters: HashMap<String, f64> =
        derived.model.parameters.iter().map(|p| (p.name.clone(), p.value)).collect();
    let lowering = Lowering {
        block: &name,
        index: 0,
        unknowns: places(&derived.equations.unknowns),
        parameters: &parameters,
        prefixed: false,
        readings: &HashMap::new(),
    };
    let block = lowering.block(derived, &derived.model.span, &|span| span);
    let signals = signals(derived, &lowering, diagnostics)?;
    let title = Path::new(&source.name).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    Some(Model {
        origin: origin.clone(),
        source: source.clone(),
        files: origin.files.list(),
        name: title.unwrap_or_else(|| source.name.clone()),
        description: None,
        gravity: Vec3::zeros(),
        plane: None,
        turning: None,
        parameters: derived.model.parameters.clone(),
        bodies: vec![],
        beams: vec![],
        plates: vec![],
        flexible: vec![],
        markers: vec![],
        joints: vec![],
        couplings: vec![],
        drives: vec![],
        constraints: vec![],
        equations: vec![block],
        tables: derived.model.tables.clone(),
        forces: vec![],
        study: Some(Arc::new(study)),
        study_name: None,
        study_index: 0,
        initial: InitialSpec::Modelled,
        initial_place: None,
        off: vec![],
        keep: vec![],
        events: vec![],
        signals,
        expects: vec![],
        looks: Looks::default(),
        additions: vec![],
        raised: Raised::default(),
    })
}

/// All unknowns, then all definitions that are signals, by their own names.
fn signals(derived: &Derived, lowering: &Lowering, diagnostics: &mut Diagnostics) -> Option<Vec<SignalSpec>> {
    let (mut list, mut names) = (Vec::new(), HashSet::new());
    let model = &derived.model;
    let unknowns = derived.equations.unknowns.iter().enumerate();
    let of_unknown = unknowns.filter_map(|(k, unknown)| {
        let span = model.variables.get(k).map_or(model.span.clone(), |word| word.span.clone());
        Some((unknown.name.clone(), span, Expr::name(&unknown.name)?))
    });
    let of_signal = model.signals.iter().map(|s| (s.name.text.clone(), s.name.span.clone(), s.expr.clone()));
    for (name, span, expr) in of_unknown.chain(of_signal) {
        // The column of times has the name `time`, and multipliers may be called as a definition is.
        let taken = name == "time" || !names.insert(name.clone());
        let own = name.clone();
        let name = if taken { lowering.full(&name) } else { name };
        let formula = formula(&expr, &span, lowering, diagnostics)?;
        let unit = model.units.get(&own).cloned();
        list.push(SignalSpec { name, span, unit, description: None, formula });
    }
    Some(list)
}

fn formula(expr: &Expr, span: &Span, lowering: &Lowering, diagnostics: &mut Diagnostics) -> Option<Formula> {
    let text = expr.to_string();
    let (expr, named) = lowering.expr(expr);
    let (arguments, quantities): (Vec<String>, Vec<Quantity>) = named.into_iter().unzip();
    let names: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match Program::compile(&expr, &names, &|name| lowering.parameters.get(name).copied()) {
        Ok(program) => Some(Formula { text, span: span.clone(), expr, arguments, quantities, program }),
        Err(error) => {
            diagnostics.push(Diagnostic::error(error.to_string()).at(span.clone(), "this definition"));
            None
        }
    }
}

/// Compares the indices that the file gives with those that the structure of the equations tells.
fn check_index(model: &Model, options: &Options, diagnostics: &mut Diagnostics) {
    let Some(given) = &options.index else { return };
    let Ok((system, _)) = build(model) else { return };
    let [network] = system.networks() else { return };
    let wrong: Vec<String> = (0..network.law.variables.len())
        .filter(|&k| given.value.get(k).is_some_and(|&index| index != network.index(k)))
        .map(|k| format!("`{}` has {}", model.equations[0].variables[k].name, network.index(k)))
        .collect();
    if !wrong.is_empty() {
        diagnostics.push(
            Diagnostic::warning("DifferentiationIndex differs from the structure of the equations")
                .at(given.span.clone(), "other indices")
                .help(format!("by structure {}; the solver uses these", wrong.join(", "))),
        );
    }
}
