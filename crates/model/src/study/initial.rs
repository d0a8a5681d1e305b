//! The state that a study starts from.

use crate::diagnostic::{Diagnostic, Span};
use crate::file::FileTable;
use crate::named_state::NamedState;
use crate::read::{FromToml, Node, Reader, Record, record};
use crate::resolve::Resolver;
use crate::spec::BodyRef;
use crate::value::{Number, Text};
use schemars::{Schema, SchemaGenerator, json_schema};
use std::path::PathBuf;
use std::sync::Arc;
use toml::de::DeValue;

/// Words with a meaning of their own: no study can have them as its name.
pub(crate) const RESERVED: [&str; 2] = ["equilibrium", "steady"];

record! {
    /// The state that a study starts from; one of `study`, `run` and `steady`.
    pub struct InitialStateTable "initial state" {
        /// Name of another study of the file.
        study: Option<Text>,
        /// Folder of results, relative to the model file.
        run: Option<Text>,
        /// Time at which the state is taken, s; default: the end.
        time: Option<Number>,
        /// The body in whose axes the machine is at rest while it turns.
        steady: Option<Text>,
    }
}

/// The key `initial` of a study.
#[derive(Clone, Debug)]
pub enum InitialTable {
    /// A word or the name of a study.
    Word(Text),
    /// A table.
    Table(InitialStateTable),
}

impl FromToml for InitialTable {
    fn expected() -> String {
        "\"equilibrium\", \"steady\", the name of a study, or a table with `study`, `run` or `steady`".into()
    }
    fn from_toml(node: &Node, reader: &mut Reader) -> Option<Self> {
        match node.get_ref() {
            DeValue::Table(table) => {
                let read = InitialStateTable::from_toml(node, reader).map(InitialTable::Table);
                // With a key that is not known it says something, only nobody knows what.
                let known = |key: &str| InitialStateTable::KEYS.contains(&key);
                read.filter(|_| table.iter().all(|(key, _)| known(key.get_ref())))
            }
            DeValue::String(_) => Text::from_toml(node, reader).map(InitialTable::Word),
            _ => {
                reader.mismatch(node, &Self::expected());
                None
            }
        }
    }
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        let table = InitialStateTable::schema(generator);
        json_schema!({ "anyOf": [{ "type": "string" }, table] })
    }
}

impl InitialTable {
    /// Its place in the file.
    pub(crate) fn span(&self) -> &Span {
        match self {
            InitialTable::Word(word) => &word.span,
            InitialTable::Table(table) => &table.span,
        }
    }

    /// The study that it names, if it does.
    pub(crate) fn source(&self) -> Option<&Text> {
        match self {
            InitialTable::Word(word) => Some(word).filter(|word| !RESERVED.contains(&word.value.as_str())),
            InitialTable::Table(table) => table.study.as_ref(),
        }
    }
}

impl InitialTable {
    /// Whether it is a steady motion.
    pub(crate) fn is_steady(&self) -> bool {
        match self {
            InitialTable::Word(word) => word.value == "steady",
            InitialTable::Table(table) => table.steady.is_some(),
        }
    }
}

/// The state that a study starts from.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum InitialSpec {
    /// As modelled.
    #[default]
    Modelled,
    /// At rest in the position of equilibrium.
    Equilibrium,
    /// Turning with everything at rest in the axes of a body; `None`: of the one that turns.
    Steady(Option<BodyRef>),
    /// As another study of the file ends, or is at a time.
    Study {
        /// Its name.
        name: String,
        /// The time; `None` is the end.
        time: Option<f64>,
    },
    /// As a run that was kept ends, or is at a time.
    Run {
        /// Its folder.
        folder: PathBuf,
        /// The time; `None` is the end.
        time: Option<f64>,
    },
    /// A state that was found before.
    Given {
        /// The state.
        state: Arc<NamedState>,
        /// Where it comes from, in words.
        from: String,
    },
}

impl InitialSpec {
    /// A state of another study in words.
    pub fn told(study: &str, time: Option<f64>) -> String {
        match time {
            Some(time) => format!("the study `{study}` at {time} s"),
            None => format!("the end of the study `{study}`"),
        }
    }
}

impl Resolver<'_> {
    /// The state that a study starts from.
    pub(crate) fn initial(&mut self, table: &InitialTable, file: &FileTable) -> Option<InitialSpec> {
        match table {
            InitialTable::Word(word) => Some(match word.value.as_str() {
                "equilibrium" => InitialSpec::Equilibrium,
                "steady" => InitialSpec::Steady(None),
                name => InitialSpec::Study { name: name.to_owned(), time: None },
            }),
            InitialTable::Table(table) => self.initial_state(table, file),
        }
    }

    fn initial_state(&mut self, table: &InitialStateTable, file: &FileTable) -> Option<InitialSpec> {
        let time = match &table.time {
            Some(number) => Some(self.number(number)?),
            None => None,
        };
        match (&table.study, &table.run, &table.steady) {
            (Some(study), None, None) => {
                self.check_time_of_source(study, time, table, file)?;
                Some(InitialSpec::Study { name: study.value.clone(), time })
            }
            (None, Some(run), None) => {
                Some(InitialSpec::Run { folder: self.directory().join(&run.value), time })
            }
            (None, None, Some(body)) => {
                if let Some(number) = &table.time {
                    self.time_not_used(number.span());
                }
                self.observer(body).map(|body| InitialSpec::Steady(Some(body)))
            }
            given => {
                let (message, label) = match given {
                    (None, None, None) => ("the initial state says nothing", "which one?"),
                    _ => ("the initial state is given twice", "one too many"),
                };
                self.diagnostics.push(
                    Diagnostic::error(message)
                        .at(table.span.clone(), label)
                        .help("give one of `study`, `run` and `steady`"),
                );
                None
            }
        }
    }

    /// Only a study along time has a state at a time.
    fn check_time_of_source(
        &mut self,
        study: &Text,
        time: Option<f64>,
        table: &InitialStateTable,
        file: &FileTable,
    ) -> Option<()> {
        let (Some(time), Some(number), Some(source)) = (time, &table.time, file.study.named(&study.value))
        else {
            return Some(());
        };
        if source.table.start().is_some() {
            return Some(());
        }
        let message = format!("the study `{}` has no course of time: no state at {time} s", study.value);
        self.diagnostics.push(
            Diagnostic::error(message)
                .at(number.span(), "`time` is not allowed")
                .and(source.span.clone(), "this study")
                .help("remove `time`"),
        );
        None
    }

    fn time_not_used(&mut self, span: Span) {
        self.diagnostics.push(
            Diagnostic::warning("`time` is not used: a steady state has none")
                .at(span, "not used")
                .help("the time is that of the study"),
        );
    }
}
