//! Why there is no periodic motion, and who is to blame.

use crate::failure::{Blame, Failure, StudyError};
use crate::periodic::request::{PeriodSpec, PeriodicSpec};
use poinsot_analysis::PeriodicError;
use poinsot_model::Diagnostic;

impl Failure for PeriodicError {
    fn blame(&self) -> Blame {
        match self {
            PeriodicError::NotPeriodic { .. } => Blame::Input,
            _ => Blame::Solve,
        }
    }

    fn remedy(&self) -> Option<&'static str> {
        Some(PeriodicError::remedy(self))
    }
}

/// An error at the place of the file that it is about, where there is one.
pub fn placed(error: PeriodicError, spec: &PeriodicSpec) -> StudyError {
    match &error {
        PeriodicError::NotPeriodic { .. } => {
            let label = match spec.period {
                PeriodSpec::Known(_) => "not a period of the model",
                PeriodSpec::Unknown(_) => "the model depends on time",
            };
            let diagnostic = Diagnostic::error(error.to_string()).at(spec.period_span.clone(), label);
            StudyError::Model(Box::new(diagnostic.help(error.remedy())))
        }
        _ => error.into(),
    }
}

/// A period that is said to be unknown of a model that time drives.
pub fn driven(spec: &PeriodicSpec, by: &str) -> StudyError {
    let message = format!("the period cannot be unknown: the model depends on time (seen in {by})");
    let diagnostic =
        Diagnostic::error(message).at(spec.period_span.clone(), "give the period of what drives it");
    StudyError::Model(Box::new(
        diagnostic
            .help("a motion that time drives has the period of its loads and drives, or a multiple of it"),
    ))
}
