//! The tables [study] and [[study]] of a file: keys that all studies have, and those of their kind.

use super::{StudyTable, TITLE};
use crate::diagnostic::Span;
use crate::read::{FromToml, Node, Reader, Record, read_tag, record};
use crate::study::initial::InitialTable;
use crate::value::{List, Number, Text, name_of};
use schemars::{Schema, SchemaGenerator, json_schema};
use std::sync::Arc;
use toml::de::{DeTable, DeValue};

record! {
    /// Keys that all studies have.
    pub struct StudyKeys "study of any type" {
        /// Name, unique among the studies of the file; required where there are several.
        name: Option<Text>,
        /// The state it starts from: "equilibrium", "steady", the name of another study, or a table with
        /// `study`, `run` or `steady`; default: as modelled.
        initial: Option<InitialTable>,
        /// Names of joints, couplings, drives, constraints, forces, equations and events that it leaves out.
        off: List<Text> = [],
        /// Times at which the whole state is kept in `states.json`, s, beside the end; of a study along time.
        keep: List<Number> = [],
    }
}

/// A study of a file.
#[derive(Clone, Debug)]
pub(crate) struct StudyEntry {
    /// Word of its kind.
    pub word: &'static str,
    /// Place of the header.
    pub span: Span,
    /// Keys that all studies have.
    pub keys: StudyKeys,
    /// The table of its kind.
    pub table: Arc<dyn StudyTable>,
}

/// The studies of a file: one table [study], or [[study]].
#[derive(Clone, Debug, Default)]
pub(crate) struct StudyEntries {
    /// Those that could be read.
    pub list: Vec<StudyEntry>,
    /// True if there is any.
    pub present: bool,
    /// Names of those that could not be read.
    pub lost: Vec<String>,
    /// Index of the study at hand.
    pub at_hand: usize,
}

impl StudyEntries {
    /// The study at hand, which the file is resolved for.
    pub fn at_hand(&self) -> Option<&StudyEntry> {
        self.list.get(self.at_hand)
    }

    /// The study of a name.
    pub fn named(&self, name: &str) -> Option<&StudyEntry> {
        self.list.iter().find(|study| study.name() == Some(name))
    }

    /// The names of all.
    pub fn names(&self) -> Vec<&str> {
        self.list.iter().filter_map(StudyEntry::name).collect()
    }
}

impl StudyEntry {
    /// Its name, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.keys.name.as_ref().map(|name| name.value.as_str())
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let words = reader.studies.words();
        let word = read_tag(node, TITLE, &words, words.first().copied(), reader)?;
        let DeValue::Table(table) = node.get_ref() else { return None };
        let span = reader.span(node.span());
        let own: DeTable = table
            .iter()
            .filter(|(key, _)| StudyKeys::KEYS.contains(&key.get_ref().as_ref()))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        let keys = StudyKeys::read(&own, span.clone(), &[], reader);
        let done = [&["type"], StudyKeys::KEYS].concat();
        let table = reader.studies.kind(word)?.read(table, span.clone(), &done, reader);
        Some(StudyEntry { word, span, keys: keys?, table: table? })
    }
}

/// Name of the table in the JSON Schema; [`schema`](crate::schema) puts the kinds there.
pub(crate) const SCHEMA_NAME: &str = "StudyTable";

impl schemars::JsonSchema for StudyEntries {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        SCHEMA_NAME.into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({})
    }
}

impl FromToml for StudyEntries {
    fn expected() -> String {
        format!("a table ({TITLE}), or an array of them")
    }
    fn from_toml(node: &Node, reader: &mut Reader) -> Option<Self> {
        let mut entries = StudyEntries { present: true, ..StudyEntries::default() };
        let mut enter = |node: &Node, reader: &mut Reader| match StudyEntry::read(node, reader) {
            Some(study) => entries.list.push(study),
            None => entries.lost.extend(name_of(node)),
        };
        match node.get_ref() {
            DeValue::Array(items) => items.iter().for_each(|item| enter(item, reader)),
            _ => enter(node, reader),
        }
        Some(entries)
    }
    fn absent() -> Option<Self> {
        Some(StudyEntries::default())
    }
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<StudyEntries>();
        json_schema!({ "anyOf": [one, { "type": "array", "items": one, "minItems": 1 }] })
    }
}
