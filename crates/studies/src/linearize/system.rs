//! The linear system of a model for what goes on with it: responses, feedback.

use crate::failure::StudyError;
use crate::linearize::{LinearizeSpec, linear_model};
use crate::small_motions::{base_state, no_verdict};
use crate::study::{Prepared, prepare};
use poinsot_analysis::LinearModel;
use poinsot_model::Model;
use thiserror::Error;

/// A name of an input or a variable that means nothing.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum NameError {
    /// No input.
    #[error("there is no input `{name}`; {help}")]
    NoInput {
        /// As it was written.
        name: String,
        /// What there is.
        help: String,
    },
    /// No variable of equations.
    #[error("there is no variable `{name}` of equations; {help}")]
    NoVariable {
        /// As it was written.
        name: String,
        /// What there is.
        help: String,
    },
    /// One of each is enough.
    #[error("the {what} `{name}` is named twice")]
    Twice {
        /// Input or variable.
        what: &'static str,
        /// Its name.
        name: String,
    },
}

/// A model as a linear system about a state.
pub struct LinearSystem<'a> {
    /// The model at its start.
    pub prepared: Prepared<'a>,
    /// What was asked for.
    pub spec: LinearizeSpec,
    /// What was found.
    pub found: LinearModel,
}

impl<'a> LinearSystem<'a> {
    /// Linearises a model.
    pub fn of(model: &'a Model, spec: LinearizeSpec) -> Result<Self, StudyError> {
        let prepared = prepare(model, spec.time)?;
        let (state, a) = base_state(&prepared, spec.about, spec.time)?;
        let found = linear_model(&prepared, &spec, (&state, &a))?;
        Ok(LinearSystem { prepared, spec, found })
    }

    /// Why it does not speak for the motion, if the system changes with time.
    pub fn doubt(&self) -> Option<String> {
        self.found.changing.as_ref().map(|changing| no_verdict(changing, self.spec.time).reason)
    }
}

/// The linearisation that a model asks for, or one with the defaults, with these inputs if there are any.
pub fn with_inputs(model: &Model, inputs: &[String]) -> Result<LinearizeSpec, NameError> {
    let mut spec =
        model.study_of().cloned().unwrap_or_else(|| LinearizeSpec::at(model.start(), model.signals.len()));
    if !inputs.is_empty() {
        spec.inputs.clear();
    }
    for name in inputs {
        let found = model.input(name).ok_or_else(|| unknown_input(model, name))?;
        if spec.inputs.iter().any(|other| other.kind == found.kind) {
            return Err(NameError::Twice { what: "input", name: name.clone() });
        }
        spec.inputs.push(found);
    }
    Ok(spec)
}

fn unknown_input(model: &Model, name: &str) -> NameError {
    let mut names: Vec<String> = model.forces.iter().map(|f| f.name.clone()).collect();
    names.extend(model.variable_names());
    names.extend(model.equations.iter().flat_map(|b| b.variables.iter().map(|v| v.name.clone())));
    names.extend(model.parameters.iter().map(|p| p.name.clone()));
    let help = poinsot_expr::suggest(name, &names).map_or_else(
        || "inputs are components of forces (NAME.x), springs, variables of equations and parameters".into(),
        |s| format!("did you mean `{s}`?"),
    );
    NameError::NoInput { name: name.into(), help }
}

/// The equation number of a variable of equations; an error if there is none of that name.
pub fn variable(prepared: &Prepared, name: &str) -> Result<usize, NameError> {
    let Prepared { model, system, assembly, .. } = prepared;
    if let Some((block, index)) = model.variable(name) {
        return Ok(assembly.variable(system, block, index));
    }
    let names = model.variable_names();
    let own = model.equations.iter().flat_map(|b| b.variables.iter().map(|v| v.name.clone()));
    let all: Vec<String> = names.iter().cloned().chain(own).collect();
    let help = match poinsot_expr::suggest(name, &all) {
        Some(s) => format!("did you mean `{s}`?"),
        None if names.is_empty() => "the model has no [[equations]]".into(),
        None => format!("variables: {}", names.join(", ")),
    };
    Err(NameError::NoVariable { name: name.into(), help })
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
