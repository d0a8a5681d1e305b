//! A model file that was read, to be resolved for any values of its parameters: members of a family, events
//! that set parameters, sweeps. Its text is parsed once and the files beside it are read once.

use crate::diagnostic::{Diagnostic, Diagnostics, Source};
use crate::file::{self, Document};
use crate::input_file::InputFiles;
use crate::load::LoadError;
use crate::spec::Model;
use crate::study::Studies;
use crate::{ldae, resolve};
use poinsot_expr::Expr;
use std::path::Path;
use std::sync::Arc;

/// A value that a parameter is given from outside the file.
#[derive(Clone, Debug)]
pub(crate) struct ParameterValue {
    pub name: String,
    /// None after a mistake that is reported.
    pub expr: Option<Expr>,
}

impl ParameterValue {
    fn number((name, value): &(String, f64)) -> Self {
        ParameterValue { name: name.clone(), expr: Some(Expr::number(*value)) }
    }

    fn parse((name, text): &(String, String), diagnostics: &mut Diagnostics) -> Self {
        let expr = Expr::parse(text).map_err(|error| {
            let help = error.suggestion.map(|s| format!("did you mean `{s}`?"));
            let message = format!("cannot set `{name}` to `{text}`: {}", error.message);
            diagnostics.push(Diagnostic::error(message).maybe_help(help));
        });
        ParameterValue { name: name.clone(), expr: expr.ok() }
    }
}

/// A model file that was read.
#[derive(Debug)]
pub struct ParametricModel {
    pub(crate) source: Source,
    /// The kinds of studies that the file may ask for.
    pub(crate) studies: Studies,
    /// The files beside it.
    pub(crate) files: Arc<InputFiles>,
    content: Content,
    /// What was found wrong or doubtful when its tables were read.
    found: Diagnostics,
}

#[derive(Debug)]
enum Content {
    Tables(Box<Document>),
    /// The text of an energy model.
    Energies,
    /// No valid TOML.
    Unreadable,
}

impl ParametricModel {
    /// Reads a text. `name` is shown in messages; paths in the text are relative to its directory. A name
    /// that ends with `.ldae` is that of an energy model. What is wrong with it tells [`Self::resolve`].
    pub fn new(name: &str, text: &str, studies: Studies) -> Arc<Self> {
        let mut found = Diagnostics::default();
        let content = match is_energy_model(name) {
            true => Content::Energies,
            false => match file::read(text, studies, &mut found) {
                Some(document) => Content::Tables(Box::new(document)),
                None => Content::Unreadable,
            },
        };
        let source = Source::new(name, text);
        Arc::new(ParametricModel { source, studies, files: Arc::default(), content, found })
    }

    /// The folder that paths in the file are relative to.
    pub(crate) fn directory(&self) -> &Path {
        Path::new(&self.source.name).parent().unwrap_or(Path::new(""))
    }

    /// The model with parameters set by expressions, and warnings.
    pub fn resolve(
        self: &Arc<Self>,
        settings: &[(String, String)],
    ) -> Result<(Model, Vec<Diagnostic>), LoadError> {
        let mut diagnostics = self.found.clone();
        let given: Vec<ParameterValue> =
            settings.iter().map(|one| ParameterValue::parse(one, &mut diagnostics)).collect();
        self.resolve_given(&given, diagnostics)
    }

    fn resolve_given(
        self: &Arc<Self>,
        given: &[ParameterValue],
        mut diagnostics: Diagnostics,
    ) -> Result<(Model, Vec<Diagnostic>), LoadError> {
        let model = match &self.content {
            Content::Tables(document) => resolve::resolve(self, document, given, &mut diagnostics),
            Content::Energies => ldae::load(self, given, &mut diagnostics),
            Content::Unreadable => None,
        };
        let model = model.filter(|_| !diagnostics.has_errors());
        let mut diagnostics = diagnostics.into_sorted();
        if let Some(model) = model {
            return Ok((model, diagnostics));
        }
        if !diagnostics.iter().any(Diagnostic::is_error) {
            diagnostics.push(Diagnostic::error("the model could not be resolved"));
        }
        Err(LoadError::Invalid { source_text: self.source.clone(), diagnostics })
    }
}

impl Model {
    /// The same model with other values of parameters, and the warnings that they raise. Values that were set
    /// before and what was chosen outside the file stay: its study, that nothing is expected, and what a
    /// program added.
    pub fn with_parameters(&self, values: &[(String, f64)]) -> Result<(Model, Vec<Diagnostic>), LoadError> {
        let before = self.parameters.iter().filter(|p| p.overridden).map(|p| (p.name.clone(), p.value));
        let before: Vec<(String, f64)> = before.collect();
        let given: Vec<ParameterValue> = before.iter().chain(values).map(ParameterValue::number).collect();
        let (mut model, warnings) = self.origin.resolve_given(&given, self.origin.found.clone())?;
        model.study.clone_from(&self.study);
        model.additions.clone_from(&self.additions);
        if self.expects.is_empty() {
            model.expects.clear();
        }
        Ok((model, warnings))
    }
}

/// Whether a name is that of an energy model.
fn is_energy_model(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("ldae"))
}
