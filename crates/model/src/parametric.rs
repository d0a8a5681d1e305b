//! A model file that was read, to be resolved for any values of its parameters: members of a family, events
//! that set parameters, sweeps. Its text is parsed once and the files beside it are read once.

use crate::diagnostic::{Diagnostic, Diagnostics, Source};
use crate::file::{self, Document};
use crate::input_file::InputFiles;
use crate::load::LoadError;
use crate::raised::Raised;
use crate::spec::Model;
use crate::study::{Studies, StudyEntry, StudyRequest};
use crate::suggest::did_you_mean;
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
    /// The tables as each of its studies sees them, in the order of the file; one if there is none.
    Tables(Vec<Document>),
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
                Some(document) => {
                    resolve::studies::check(&document, studies, &mut found);
                    Content::Tables(of_each_study(&document))
                }
                None => Content::Unreadable,
            },
        };
        let source = Source::new(name, text);
        Arc::new(ParametricModel { source, studies, files: Arc::default(), content, found })
    }

    /// The same file with tables that were changed after they were read.
    pub(crate) fn changed(&self, change: impl Fn(&mut Document)) -> ParametricModel {
        let content = match &self.content {
            Content::Tables(documents) => {
                let mut documents = documents.clone();
                documents.iter_mut().for_each(change);
                Content::Tables(documents)
            }
            Content::Energies => Content::Energies,
            Content::Unreadable => Content::Unreadable,
        };
        let (source, studies, files) = (self.source.clone(), self.studies, self.files.clone());
        ParametricModel { source, studies, files, content, found: self.found.clone() }
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
        self.resolve_given(&given, diagnostics, None)
    }

    /// The model of a study of the file, or that of the first one after all were looked at.
    fn resolve_given(
        self: &Arc<Self>,
        given: &[ParameterValue],
        mut diagnostics: Diagnostics,
        study: Option<usize>,
    ) -> Result<(Model, Vec<Diagnostic>), LoadError> {
        let model = match &self.content {
            Content::Tables(documents) => {
                let first = study.unwrap_or(0);
                let wanted = study.map_or(0..documents.len(), |k| k..k + 1);
                let mut models = wanted.map(|k| {
                    let model = resolve::resolve(self, &documents[k], given, &mut diagnostics);
                    model.filter(|_| k == first)
                });
                let model = models.next().flatten();
                models.for_each(drop);
                model
            }
            Content::Energies => ldae::load(self, given, &mut diagnostics),
            Content::Unreadable => None,
        };
        let model = model.filter(|_| !diagnostics.has_errors());
        let mut diagnostics = diagnostics.into_sorted();
        if let Some(mut model) = model {
            model.raised = Raised::knowing(&diagnostics);
            return Ok((model, diagnostics));
        }
        if !diagnostics.iter().any(Diagnostic::is_error) {
            diagnostics.push(Diagnostic::error("the model could not be resolved"));
        }
        Err(LoadError::Invalid { source_text: self.source.clone(), diagnostics })
    }
}

/// What there is to know of a study before it is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StudyHead {
    /// Its name.
    pub name: Option<String>,
    /// The word of its kind.
    pub word: &'static str,
    /// The study of the file that it starts from.
    pub source: Option<String>,
}

impl Model {
    /// The studies of its file in the order in which they run: each after the one that it starts from, else
    /// as they stand in the file.
    pub fn studies(&self) -> Vec<StudyHead> {
        let Content::Tables(documents) = &self.origin.content else {
            let word = self.study.as_ref().map(|study| study.word());
            return word.into_iter().map(|word| StudyHead { name: None, word, source: None }).collect();
        };
        let list = documents.first().map_or(&[][..], |document| &document.tables.study.list);
        let mut waiting: Vec<StudyHead> = list.iter().map(StudyHead::of).collect();
        let mut order: Vec<StudyHead> = vec![];
        while !waiting.is_empty() {
            let ready = |head: &StudyHead| {
                let source = head.source.as_ref();
                source.is_none_or(|source| order.iter().any(|done| done.name.as_ref() == Some(source)))
            };
            // A circle was refused when the file was read.
            let next = waiting.iter().position(ready).unwrap_or(0);
            order.push(waiting.remove(next));
        }
        order
    }

    /// The same model with another study of its file, with what that one starts from and leaves out.
    /// Parameters that were set and what a program added stay.
    pub fn with_study_named(&self, name: &str) -> Result<Model, LoadError> {
        let Content::Tables(documents) = &self.origin.content else { return Err(self.no_study(name)) };
        let list = documents.first().map_or(&[][..], |document| &document.tables.study.list);
        let index = list.iter().position(|study| study.name() == Some(name));
        let index = index.ok_or_else(|| self.no_study(name))?;
        let given: Vec<ParameterValue> = self.settings().iter().map(ParameterValue::number).collect();
        let (mut model, _) = self.origin.resolve_given(&given, self.origin.found.clone(), Some(index))?;
        model.additions.clone_from(&self.additions);
        Ok(model)
    }

    fn no_study(&self, name: &str) -> LoadError {
        let known: Vec<String> = self.studies().into_iter().filter_map(|study| study.name).collect();
        let help = did_you_mean(name, &known).unwrap_or_else(|| match known.is_empty() {
            true => "no study of this file has a name".into(),
            false => format!("there are {}", known.join(", ")),
        });
        let error = Diagnostic::error(format!("there is no study `{name}`")).help(help);
        LoadError::Invalid { source_text: self.source.clone(), diagnostics: vec![error] }
    }

    /// Parameters that were set from outside the file.
    fn settings(&self) -> Vec<(String, f64)> {
        let set = self.parameters.iter().filter(|p| p.overridden);
        set.map(|p| (p.name.clone(), p.value)).collect()
    }

    /// The same model with other values of parameters, and the warnings that they raise. Values that were set
    /// before and what was chosen outside the file stay: its study, that nothing is expected, and what a
    /// program added.
    pub fn with_parameters(&self, values: &[(String, f64)]) -> Result<(Model, Vec<Diagnostic>), LoadError> {
        let (mut model, warnings) = self.with_parameters_and_study(values)?;
        model.study.clone_from(&self.study);
        Ok((model, warnings))
    }

    /// The same, with the values of the study too.
    pub fn with_parameters_and_study(
        &self,
        values: &[(String, f64)],
    ) -> Result<(Model, Vec<Diagnostic>), LoadError> {
        let given: Vec<ParameterValue> =
            self.settings().iter().chain(values).map(ParameterValue::number).collect();
        let (mut model, warnings) =
            self.origin.resolve_given(&given, self.origin.found.clone(), Some(self.study_index))?;
        model.study_name.clone_from(&self.study_name);
        model.initial.clone_from(&self.initial);
        model.initial_place.clone_from(&self.initial_place);
        model.keep.clone_from(&self.keep);
        model.additions.clone_from(&self.additions);
        if self.expects.is_empty() {
            model.expects.clear();
        }
        Ok((model, warnings))
    }

    /// What the study of the file asks for with other values of parameters: its table may use them.
    pub fn request_with(&self, values: &[(String, f64)]) -> Result<Option<Arc<dyn StudyRequest>>, LoadError> {
        let given: Vec<ParameterValue> =
            self.settings().iter().chain(values).map(ParameterValue::number).collect();
        let (model, _) =
            self.origin.resolve_given(&given, self.origin.found.clone(), Some(self.study_index))?;
        Ok(model.study)
    }
}

/// Whether a name is that of an energy model.
fn is_energy_model(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("ldae"))
}

impl StudyHead {
    fn of(study: &StudyEntry) -> Self {
        let source = study.keys.initial.as_ref().and_then(|initial| initial.source());
        StudyHead {
            name: study.name().map(str::to_owned),
            word: study.word,
            source: source.map(|name| name.value.clone()),
        }
    }
}

/// The tables as each study sees them.
fn of_each_study(document: &Document) -> Vec<Document> {
    let see = |k| Document { tables: document.tables.of_study(k), lost: document.lost.clone() };
    (0..document.tables.study.list.len().max(1)).map(see).collect()
}
