//! The entry: a file or text becomes a model, or a list of what is wrong with it.

use crate::diagnostic::{Diagnostic, Diagnostics, Source};
use crate::spec::Model;
use crate::{file, resolve};
use std::path::{Path, PathBuf};

/// Why a model could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file could not be read.
    #[error("cannot read {}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        error: std::io::Error,
    },
    /// The file is not valid; at least one diagnostic is an error.
    #[error("{}", summary(source_text, diagnostics))]
    Invalid {
        /// Name and text of the file.
        source_text: Source,
        /// Errors and warnings in the order of the file.
        diagnostics: Vec<Diagnostic>,
    },
}

impl LoadError {
    /// Errors and warnings; none if the file could not be read at all.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            LoadError::Read { .. } => &[],
            LoadError::Invalid { diagnostics, .. } => diagnostics,
        }
    }

    /// The full form of all diagnostics, with the lines of the file.
    pub fn render(&self, colour: bool) -> String {
        match self {
            LoadError::Read { .. } => format!("Error: {self}\n"),
            LoadError::Invalid { source_text, diagnostics } => {
                let parts = diagnostics.iter().map(|d| d.render(source_text, colour));
                parts.collect::<Vec<_>>().join("\n")
            }
        }
    }
}

/// One line for each diagnostic.
fn summary(source: &Source, diagnostics: &[Diagnostic]) -> String {
    let lines: Vec<String> = diagnostics.iter().map(|d| d.one_line(source)).collect();
    lines.join("\n")
}

/// Loads a model file. `overrides` are parameter names and expressions that
/// replace the file's values. The second part of the result are the warnings.
pub fn load(
    path: impl AsRef<Path>,
    overrides: &[(String, String)],
) -> Result<(Model, Vec<Diagnostic>), LoadError> {
    let path = path.as_ref();
    let text =
        std::fs::read_to_string(path).map_err(|error| LoadError::Read { path: path.to_owned(), error })?;
    load_str(&path.display().to_string(), &text, overrides)
}

/// Loads a model from its text. `name` is shown in messages; paths in the text
/// are relative to its directory.
pub fn load_str(
    name: &str,
    text: &str,
    overrides: &[(String, String)],
) -> Result<(Model, Vec<Diagnostic>), LoadError> {
    let source = Source::new(name, text);
    let directory = Path::new(name).parent().unwrap_or(Path::new(""));
    let mut diagnostics = Diagnostics::default();
    let (model, diagnostics) = match file::read(text, &mut diagnostics) {
        Some(document) => resolve::resolve(&source, document, directory, overrides, diagnostics),
        None => (None, diagnostics),
    };
    let mut diagnostics = diagnostics.into_sorted();
    match model {
        Some(model) => Ok((model, diagnostics)),
        None => {
            if !diagnostics.iter().any(Diagnostic::is_error) {
                diagnostics.push(Diagnostic::error("the model could not be resolved"));
            }
            Err(LoadError::Invalid { source_text: source, diagnostics })
        }
    }
}
