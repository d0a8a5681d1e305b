//! Why there is no periodic motion, and who is to blame.

use crate::failure::{Blame, Failure, StudyError};
use crate::periodic::request::PeriodicSpec;
use poinsot_analysis::{FourierOrbitError, PeriodicError};
use poinsot_model::{Diagnostic, Span};

impl Failure for PeriodicError {
    fn blame(&self) -> Blame {
        match self {
            PeriodicError::NotPeriodic { .. } | PeriodicError::Driven { .. } => Blame::Input,
            PeriodicError::TooLarge { .. } | PeriodicError::Fourier(FourierOrbitError::TooLarge(_)) => {
                Blame::Input
            }
            _ => Blame::Solve,
        }
    }

    fn remedy(&self) -> Option<&'static str> {
        Some(PeriodicError::remedy(self))
    }
}

/// An error at the place of the file that it is about, where there is one.
pub fn placed(error: PeriodicError, spec: &PeriodicSpec) -> StudyError {
    let at = |place: &Span, label: &str| {
        let diagnostic = Diagnostic::error(error.to_string()).at(place.clone(), label);
        StudyError::Model(Box::new(diagnostic.help(error.remedy())))
    };
    match &error {
        PeriodicError::NotPeriodic { .. } => at(&spec.period_span, "not a period of the model"),
        PeriodicError::Driven { .. } => at(&spec.period_span, "give the period of what drives it"),
        PeriodicError::TooLarge { .. } | PeriodicError::Fourier(FourierOrbitError::TooLarge(_)) => {
            at(&spec.span, "not with this scheme")
        }
        _ => error.into(),
    }
}
