//! What is said of a study, a question or a folder of results that failed, with its exit code.

use crate::message;
use poinsot_model::Model;
use poinsot_results::ResultsError;
use poinsot_studies::{Blame, Complaint, StudyError};
use std::process::ExitCode;

/// Complains about results that cannot be kept.
pub fn unkept(error: &ResultsError) -> ExitCode {
    message::failed(&error.to_string(), None)
}

/// What is said about a study that gave nothing, and what to do about it.
pub fn study_text(model: &Model, error: &StudyError) -> (String, String) {
    match error {
        StudyError::Model(diagnostic) => {
            (diagnostic.render(&model.source, false), "correct the model file: the page follows".into())
        }
        error => (error.to_string(), error.remedy().unwrap_or_default().into()),
    }
}

/// Complains about a study that gave nothing.
pub fn study_error(model: &Model, error: &StudyError) -> ExitCode {
    match error {
        StudyError::Model(diagnostic) => message::wrong(diagnostic, &model.source),
        error if error.blame() == Blame::Input => {
            message::bad_input(&format!("{}: {error}", model.source.name))
        }
        error => message::failed(&format!("{}: {error}", model.source.name), error.remedy()),
    }
}

/// Says what was answered, or complains.
pub fn answered(model: &Model, answer: Result<String, Complaint>) -> ExitCode {
    match answer {
        Ok(text) => message::print(&text),
        Err(complaint) => complained(model, &complaint),
    }
}

/// Complains about a question that was not answered.
pub fn complained(model: &Model, complaint: &Complaint) -> ExitCode {
    match complaint {
        Complaint::Study(error) => study_error(model, error),
        Complaint::Text(Blame::Input, text) => message::bad_input(text),
        Complaint::Text(_, text) => message::failed(text, None),
    }
}
