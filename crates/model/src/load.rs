//! The entry: a file or text becomes a model, or a list of what is wrong with it.

use crate::diagnostic::{Diagnostic, Source, list_all, render_all};
use crate::input_file;
use crate::parametric::ParametricModel;
use crate::spec::Model;
use crate::study::Studies;
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
    #[error("{}", list_all(diagnostics, source_text))]
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
            LoadError::Invalid { source_text, diagnostics } => render_all(diagnostics, source_text, colour),
        }
    }
}

/// Loads a model file, TOML or an energy model `.ldae`. `overrides` are parameter names and expressions that
/// replace the file's values, `studies` what it may ask for. The second part of the result are the warnings.
pub fn load(
    path: impl AsRef<Path>,
    overrides: &[(String, String)],
    studies: Studies,
) -> Result<(Model, Vec<Diagnostic>), LoadError> {
    let path = path.as_ref();
    let bytes = input_file::read(path, input_file::LARGEST_TEXT)
        .map_err(|error| LoadError::Read { path: path.to_owned(), error })?;
    let name = path.display().to_string();
    match utf8(bytes) {
        Ok(text) => load_str(&name, &text, overrides, studies),
        Err((text, diagnostic)) => {
            Err(LoadError::Invalid { source_text: Source::new(name, text), diagnostics: vec![*diagnostic] })
        }
    }
}

/// The text of a file, or its readable form and what is wrong with it.
pub(crate) fn utf8(bytes: Vec<u8>) -> Result<String, (String, Box<Diagnostic>)> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let byte = error.as_bytes().get(at).copied().unwrap_or_default();
        let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
        // What cannot be read is shown as a replacement character at the same place.
        let place = at..at + char::REPLACEMENT_CHARACTER.len_utf8();
        let diagnostic =
            Diagnostic::error(format!("the file is not UTF-8 text: byte 0x{byte:02x} at offset {at}"))
                .at(place, "not UTF-8")
                .help("save the file as UTF-8");
        (text, Box::new(diagnostic))
    })
}

/// Loads a model from its text. `name` is shown in messages; paths in the text
/// are relative to its directory. A name that ends with `.ldae` is that of an energy model.
pub fn load_str(
    name: &str,
    text: &str,
    overrides: &[(String, String)],
    studies: Studies,
) -> Result<(Model, Vec<Diagnostic>), LoadError> {
    ParametricModel::new(name, text, studies).resolve(overrides)
}
