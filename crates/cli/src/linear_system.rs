//! The linear system of a model for commands that go on with it.

use crate::message;
use crate::overrides::{Overrides, load};
use crate::run::{Base, rebase, study_error};
use poinsot_analysis::LinearModel;
use poinsot_model::Model;
use poinsot_results::Stability;
use poinsot_studies::linearize::{LinearizeSpec, linear_model};
use poinsot_studies::small_motions::{base_state, no_verdict};
use poinsot_studies::{Prepared, prepare};
use std::path::Path;
use std::process::ExitCode;

/// Loads a model with parameters set, without its expectations.
pub fn load_bare(path: &Path, set: &[(String, String)]) -> Result<Model, ExitCode> {
    let mut model = load(path, &Overrides { set: set.to_vec(), ..Overrides::default() })?;
    model.expects.clear();
    Ok(model)
}

/// Linearises a model with the inputs of the command line, or else those of its study, and hands it on.
pub fn with_linear_system(
    model: &Model,
    base: &Base,
    inputs: &[String],
    then: impl FnOnce(&Prepared, &LinearizeSpec, &LinearModel) -> ExitCode,
) -> ExitCode {
    let spec = match specification(model, base, inputs) {
        Ok(spec) => spec,
        Err(text) => return message::bad_input(&text),
    };
    let found = prepare(model, spec.time).and_then(|prepared| {
        let (state, a) = base_state(&prepared, spec.about, spec.time)?;
        let found = linear_model(&prepared, &spec, (&state, &a))?;
        Ok((prepared, found))
    });
    match found {
        Ok((prepared, found)) => {
            if let Some(changing) = &found.changing {
                let Stability { reason, .. } = no_verdict(changing, spec.time);
                message::complain(&format!("Warning: {}: {reason}", model.source.name));
            }
            then(&prepared, &spec, &found)
        }
        Err(error) => study_error(model, &error),
    }
}

fn specification(model: &Model, base: &Base, inputs: &[String]) -> Result<LinearizeSpec, String> {
    let mut spec =
        model.study_of().cloned().unwrap_or_else(|| LinearizeSpec::at(model.start(), model.signals.len()));
    if !inputs.is_empty() {
        spec.inputs.clear();
    }
    for name in inputs {
        let found = model.input(name).ok_or_else(|| unknown_input(model, name))?;
        if spec.inputs.iter().any(|other| other.kind == found.kind) {
            return Err(format!("the input `{name}` is named twice"));
        }
        spec.inputs.push(found);
    }
    rebase(base, model, &mut spec.about, &mut spec.time, &mut spec.observer)?;
    Ok(spec)
}

fn unknown_input(model: &Model, name: &str) -> String {
    let mut names: Vec<String> = model.forces.iter().map(|f| f.name.clone()).collect();
    names.extend(model.variable_names());
    names.extend(model.equations.iter().flat_map(|b| b.variables.iter().map(|v| v.name.clone())));
    names.extend(model.parameters.iter().map(|p| p.name.clone()));
    let hint = poinsot_expr::suggest(name, &names).map_or_else(
        || "inputs are components of forces (NAME.x), springs, variables of equations and parameters".into(),
        |s| format!("did you mean `{s}`?"),
    );
    format!("there is no input `{name}`; {hint}")
}

/// The equation number of a variable of equations; a complaint if there is none of that name.
pub fn variable(prepared: &Prepared, name: &str) -> Result<usize, String> {
    let Prepared { model, system, assembly, .. } = prepared;
    if let Some((block, index)) = model.variable(name) {
        return Ok(assembly.variable(system, block, index));
    }
    let names = model.variable_names();
    let own = model.equations.iter().flat_map(|b| b.variables.iter().map(|v| v.name.clone()));
    let all: Vec<String> = names.iter().cloned().chain(own).collect();
    let hint = match poinsot_expr::suggest(name, &all) {
        Some(s) => format!("did you mean `{s}`?"),
        None if names.is_empty() => "the model has no [[equations]]".into(),
        None => format!("variables: {}", names.join(", ")),
    };
    Err(format!("there is no variable `{name}` of equations; {hint}"))
}

/// The index of a state by its full name, or by the part behind the last dot where only one has it.
pub fn state_named(states: &[String], name: &str) -> Option<usize> {
    let own = |state: &String| state.rsplit_once('.').map(|(_, own)| own.to_owned());
    states.iter().position(|s| s == name).or_else(|| {
        let mut found = (0..states.len()).filter(|&k| own(&states[k]).as_deref() == Some(name));
        let first = found.next()?;
        found.next().is_none().then_some(first)
    })
}
