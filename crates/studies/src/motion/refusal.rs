//! An integrator that cannot take the model it is asked to.

use poinsot_mechanics::System;
use poinsot_model::{Diagnostic, Model};

/// Why the integrator of a motion cannot take this model, before anything is computed.
pub fn refusal(model: &Model, system: &System) -> Option<Diagnostic> {
    let study = model.motion()?;
    let refusal = study.method_for(system).refusal(system)?;
    let (name, form) = (study.integrator.name, study.integrator.form());
    let diagnostic = Diagnostic::error(format!("{name} cannot take this model: {}", refusal.reason));
    Some(diagnostic.at(study.span.clone(), format!("{name}, form {form}")).help(refusal.remedy))
}
