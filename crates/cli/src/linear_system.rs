//! The linear system of a model for commands that go on with it.

use crate::base::{Base, rebase};
use crate::chosen_study::ChosenStudy;
use crate::complaints::study_error;
use crate::message;
use poinsot_model::Model;
use poinsot_studies::linearize::{LinearSystem, LinearizeSpec, with_inputs};
use std::process::ExitCode;

/// Linearises a model with the inputs of the command line, or else those of its study, and hands it on.
pub fn with_linear_system(
    model: &Model,
    base: &Base,
    inputs: &[String],
    then: impl FnOnce(&LinearSystem) -> ExitCode,
) -> ExitCode {
    let spec = with_inputs(model, inputs).map_err(|error| error.to_string()).and_then(|mut spec| {
        let own = model.study_of::<LinearizeSpec>().is_some();
        let elsewhere = ChosenStudy::default().starts_elsewhere(model, own);
        rebase(base, model, elsewhere, &mut spec.about, &mut spec.time, &mut spec.observer)?;
        Ok(spec)
    });
    let spec = match spec {
        Ok(spec) => spec,
        Err(text) => return message::bad_input(&text),
    };
    match LinearSystem::of(model, spec) {
        Ok(system) => {
            if let Some(reason) = system.doubt() {
                message::complain(&format!("Warning: {}: {reason}", model.source.name));
            }
            then(&system)
        }
        Err(error) => study_error(model, &error),
    }
}
