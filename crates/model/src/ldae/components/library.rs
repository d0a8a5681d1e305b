//! The components that come with the program, and those that stand beside a model.

use super::super::statement::is_identifier;
use super::body::Body;
use crate::diagnostic::{Diagnostic, Diagnostics, Source, Span};
use crate::input_file::InputFiles;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// A component of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LibraryComponent {
    /// Its name.
    pub name: &'static str,
    /// The folder it stands in: a discipline, or `transducers` between several.
    pub group: &'static str,
    /// Its text in the language of energy models.
    pub text: &'static str,
}

macro_rules! library {
    ($($group:literal: $($name:literal),+;)+) => {
        &[$($(LibraryComponent {
            name: $name,
            group: $group,
            text: include_str!(concat!("../../../library/", $group, "/", $name, ".ldae")),
        }),+),+]
    };
}

/// All components of the library, by group.
pub const LIBRARY: &[LibraryComponent] = library! {
    "translation": "mass", "spring", "damper", "friction", "lever", "force", "velocity_source";
    "rotation": "inertia", "torsion_spring", "torsion_damper", "gear", "torque", "speed_source";
    "electrical": "resistor", "inductor", "capacitor", "transformer", "diode", "bjt", "op_amp",
        "voltage_source", "current_source";
    "fluid": "tank", "pipe", "valve", "orifice", "check_valve", "fluid_transformer", "pump", "flow_source";
    "thermal": "thermal_capacity", "thermal_resistance", "heat_source", "temperature_source";
    "transducers": "rack", "press", "dc_motor", "solenoid";
};

impl LibraryComponent {
    /// The component of a name.
    pub fn find(name: &str) -> Option<Self> {
        LIBRARY.iter().copied().find(|component| component.name == name)
    }

    /// What its file says about it at the beginning.
    pub fn documentation(&self) -> String {
        let lines = self.text.lines().take_while(|line| line.starts_with('#'));
        let lines: Vec<&str> =
            lines.map(|line| line.trim_start_matches('#').trim_start_matches(' ')).collect();
        lines.join("\n")
    }

    /// The first sentence of it.
    pub fn summary(&self) -> String {
        let text = self.documentation();
        let first = text.lines().next().unwrap_or_default();
        first.to_owned()
    }
}

impl LibraryComponent {
    /// How it is used: ports and parameters with their defaults.
    pub fn usage(&self) -> String {
        let text = super::super::statement::plain(self.text);
        let mut parameters = Vec::new();
        let mut ports = String::new();
        for statement in text.split(';').map(str::trim) {
            let Some((name, value)) = statement.split_once(" = ") else { continue };
            match name {
                "Component" => {}
                "Ports" => ports = value.trim_matches(['[', ']']).to_owned(),
                // What stands behind the variables is a law and no parameter.
                "DisplacementVariables" => break,
                _ => parameters.push(format!("{name} = {value}")),
            }
        }
        let ports =
            ports.split(',').filter_map(|port| port.split(':').next()).map(|port| port.trim().to_owned());
        let arguments: Vec<String> = ports.chain(parameters).collect();
        format!("{}({})", self.name, arguments.join(", "))
    }
}

/// The reference of the library as Markdown.
pub fn library_reference() -> String {
    let mut text = String::from(REFERENCE_HEAD);
    let mut group = "";
    for component in LIBRARY.iter() {
        if component.group != group {
            group = component.group;
            let title = group[..1].to_uppercase() + &group[1..];
            text += &format!("\n## {title}\n\n| component | what it is |\n|---|---|\n");
            for other in LIBRARY.iter().filter(|other| other.group == group) {
                text += &format!("| `{}` | {} |\n", other.name, other.summary());
            }
        }
        let lines = component.documentation();
        let lines: Vec<&str> = lines.lines().skip(1).collect();
        text += &format!(
            "\n### {}\n\n{}\n\n```text\n{}\n```\n\n{}\n",
            component.name,
            component.summary(),
            component.usage(),
            lines.join("\n").replace("\nPort", "\n\nPort").replace(". Port", ".\n\nPort")
        );
    }
    text
}

/// What stands before the components.
const REFERENCE_HEAD: &str = "# Components

The library of components for energy models (`.ldae`); [networks.md](networks.md) says how they are used.
`poinsot components` lists them, `poinsot components NAME` prints one with its text. Parameters are shown with their
defaults; a value without unit is in SI units. This page is made by `poinsot components --markdown`.
";

/// Names of the library.
pub(crate) fn names() -> Vec<&'static str> {
    LIBRARY.iter().map(|component| component.name).collect()
}

/// Components that were read, by name.
pub(crate) struct Shelf {
    directory: Option<PathBuf>,
    files: Arc<InputFiles>,
    read: HashMap<String, Option<Rc<Body>>>,
}

impl Shelf {
    /// Components beside the models of a directory come before those of the library.
    pub fn new(directory: Option<&Path>, files: &Arc<InputFiles>) -> Self {
        Shelf { directory: directory.map(Path::to_owned), files: files.clone(), read: HashMap::new() }
    }

    fn file(&self, name: &str) -> Option<PathBuf> {
        let path = self.directory.as_ref()?.join(format!("{name}.ldae"));
        (is_identifier(name) && self.files.has(&path)).then_some(path)
    }

    /// Whether there is a component of a name; a file beside the model is one only if it says so.
    pub fn has(&self, name: &str) -> bool {
        if LibraryComponent::find(name).is_some() {
            return true;
        }
        let text = self.file(name).and_then(|path| self.files.text(&path).ok());
        text.is_some_and(|text| says_component(&String::from_utf8_lossy(&text)))
    }

    /// The component of a name; a mistake in its file is reported at the place of its use.
    pub fn get(&mut self, name: &str, at: &Span, diagnostics: &mut Diagnostics) -> Option<Rc<Body>> {
        if let Some(found) = self.read.get(name) {
            return found.clone();
        }
        let body = self.load(name, at, diagnostics).map(Rc::new);
        self.read.insert(name.to_owned(), body.clone());
        body
    }

    fn load(&self, name: &str, at: &Span, diagnostics: &mut Diagnostics) -> Option<Body> {
        let source = self.source(name, at, diagnostics)?;
        let mut own = Diagnostics::default();
        let body = Body::read(&source.text, &|name| self.has(name), &mut own);
        super::contents::check(&body, name, &mut own);
        let failed = own.has_errors();
        for diagnostic in own.into_sorted() {
            let message = format!("in the component `{name}`: {}", diagnostic.one_line(&source));
            let mut outer = Diagnostic::error(message).at(at.clone(), "used here");
            outer.severity = diagnostic.severity;
            diagnostics.push(outer);
        }
        (!failed).then_some(body)
    }

    fn source(&self, name: &str, at: &Span, diagnostics: &mut Diagnostics) -> Option<Source> {
        if let Some(path) = self.file(name) {
            match self.files.text(&path).map(|bytes| String::from_utf8(bytes.to_vec())) {
                Ok(Ok(text)) if says_component(&text) || LibraryComponent::find(name).is_none() => {
                    return Some(Source::new(path.display().to_string(), text));
                }
                Ok(Ok(_)) => {}
                Ok(Err(error)) => {
                    let offset = error.utf8_error().valid_up_to();
                    let message = format!("{} is not text: byte {offset} is not UTF-8", path.display());
                    diagnostics.push(Diagnostic::error(message).at(at.clone(), "needs this file"));
                    return None;
                }
                Err(error) => {
                    let message = format!("cannot read {}: {error}", path.display());
                    diagnostics.push(Diagnostic::error(message).at(at.clone(), "needs this file"));
                    return None;
                }
            }
        }
        let component = LibraryComponent::find(name)?;
        Some(Source::new(format!("library/{}/{name}.ldae", component.group), component.text))
    }
}

/// Whether a text has the statement that makes it a component.
fn says_component(text: &str) -> bool {
    let plain = super::super::statement::plain(text);
    plain
        .split(';')
        .any(|statement| statement.split_once('=').is_some_and(|(name, _)| name.trim() == "Component"))
}
