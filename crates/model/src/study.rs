//! Studies as a model file knows them. A kind of study has a word, a table, and results that expectations can
//! name; its table becomes a request. Which kinds there are tells who loads the model: [`Studies`].

mod context;
mod entry;
mod initial;
mod result;

pub use crate::value::{Count, List, Located, Number, Text};
pub use context::{StudyContext, transpose};
pub(crate) use entry::{SCHEMA_NAME, StudyEntries, StudyEntry, StudyKeys};
pub use initial::InitialSpec;
pub(crate) use initial::RESERVED;
pub use result::{Answers, Asked, NoResult, ResultFamily, StudyResult, WholeStudy, evaluate, pick};

use crate::diagnostic::Span;
use crate::read::{Reader, Record, Tag};
use schemars::{Schema, SchemaGenerator, json_schema};
use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use toml::de::DeTable;

/// What a study is asked to compute.
pub trait StudyRequest: Any + fmt::Debug + Send + Sync {
    /// Its word in the file.
    fn word(&self) -> &'static str;

    /// Place of the table's header.
    fn span(&self) -> &Span;

    /// Time of the start, or the only time there is.
    fn start(&self) -> f64;

    /// Start and end of a study along time.
    fn times(&self) -> Option<(f64, f64)> {
        None
    }

    /// Whether it follows paths of equilibria, at whose points expectations can look.
    fn has_branches(&self) -> bool {
        false
    }

    /// Whether the study comes by what an expectation gives as `at`; else message, label and help.
    fn passes(&self, at: f64) -> Result<(), (String, &'static str, Option<&'static str>)> {
        match self.times() {
            None => {
                let message = format!("a study of type {:?} has no course of time", self.word());
                Err((message, "`at` is not allowed", Some("remove `at`")))
            }
            Some((start, end)) if !(start..=end).contains(&at) => {
                let message = format!("the time {at} is not within the study ({start} to {end})");
                Err((message, "outside the study", None))
            }
            Some(_) => Ok(()),
        }
    }
}

impl dyn StudyRequest {
    /// The request, if it is of this kind.
    pub fn of<R: StudyRequest>(&self) -> Option<&R> {
        (self as &dyn Any).downcast_ref()
    }
}

/// A study with the types of its table and of its request.
pub trait Study: 'static {
    /// The value of `type` that selects it.
    const WORD: &'static str;
    /// What it is called where it does not know first-order equations; `None` if it knows them.
    const WITHOUT_EQUATIONS: Option<&'static str> = None;
    /// Why no other study can start where it ends; `None` if one can.
    const NO_END: Option<&'static str> = None;
    /// Results that expectations can name.
    const RESULTS: &'static [ResultFamily] = &[];
    /// Its table in the file.
    type Table: Record + fmt::Debug + Send + Sync + 'static;
    /// What the table asks for.
    type Request: StudyRequest;

    /// Evaluates and checks the table; mistakes are reported to the context.
    fn resolve(table: &Self::Table, context: &mut StudyContext) -> Option<Self::Request>;

    /// The key that says when it starts, of a study along time.
    fn start(_table: &Self::Table) -> Option<&Number> {
        None
    }
}

/// A kind of study, whichever it is.
pub trait StudyKind: Sync {
    /// The value of `type` that selects it.
    fn word(&self) -> &'static str;
    /// What it is called where it does not know first-order equations.
    fn without_equations(&self) -> Option<&'static str>;
    /// Results that expectations can name.
    fn results(&self) -> &'static [ResultFamily];
    /// Why no other study can start where one of these ends, if that is so.
    fn no_end(&self) -> Option<&'static str>;
    /// Reads its table; `done` are keys that were looked at already.
    fn read(
        &self,
        table: &DeTable,
        span: Span,
        done: &[&str],
        reader: &mut Reader,
    ) -> Option<Arc<dyn StudyTable>>;
    /// JSON Schema of its table.
    fn schema(&self, generator: &mut SchemaGenerator, tag: Tag) -> Schema;
}

/// The table of a study, whichever it is.
pub trait StudyTable: fmt::Debug + Send + Sync {
    /// Evaluates and checks it.
    fn resolve(&self, context: &mut StudyContext) -> Option<Arc<dyn StudyRequest>>;
    /// The key that says when the study starts, of one along time.
    fn start(&self) -> Option<&Number>;
}

/// The kind that a study is.
pub struct Kind<S>(PhantomData<fn() -> S>);

impl<S> Kind<S> {
    /// The kind.
    pub const NEW: Self = Kind(PhantomData);
}

impl<S: Study> StudyKind for Kind<S> {
    fn word(&self) -> &'static str {
        S::WORD
    }
    fn without_equations(&self) -> Option<&'static str> {
        S::WITHOUT_EQUATIONS
    }
    fn results(&self) -> &'static [ResultFamily] {
        S::RESULTS
    }
    fn no_end(&self) -> Option<&'static str> {
        S::NO_END
    }
    fn read(
        &self,
        table: &DeTable,
        span: Span,
        done: &[&str],
        reader: &mut Reader,
    ) -> Option<Arc<dyn StudyTable>> {
        let table = S::Table::read(table, span, done, reader)?;
        Some(Arc::new(TableOf::<S>(table)))
    }
    fn schema(&self, generator: &mut SchemaGenerator, tag: Tag) -> Schema {
        S::Table::object(generator, Some(tag))
    }
}

/// The table of a study.
struct TableOf<S: Study>(S::Table);

impl<S: Study> fmt::Debug for TableOf<S> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<S: Study> StudyTable for TableOf<S> {
    fn resolve(&self, context: &mut StudyContext) -> Option<Arc<dyn StudyRequest>> {
        Some(Arc::new(S::resolve(&self.0, context)?))
    }
    fn start(&self) -> Option<&Number> {
        S::start(&self.0)
    }
}

/// The kinds of studies that a file can ask for; the first one is that of a table without `type`.
#[derive(Clone, Copy, Default)]
pub struct Studies(pub &'static [&'static dyn StudyKind]);

impl fmt::Debug for Studies {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_list().entries(self.words()).finish()
    }
}

/// Title of the table in messages and in the JSON Schema.
const TITLE: &str = "study";

/// What the table is for.
const PURPOSE: &str = "What to compute and how.";

impl Studies {
    /// Their words.
    pub(crate) fn words(self) -> Vec<&'static str> {
        self.0.iter().map(|kind| kind.word()).collect()
    }

    /// The kind of a word.
    pub(crate) fn kind(self, word: &str) -> Option<&'static dyn StudyKind> {
        self.0.iter().copied().find(|kind| kind.word() == word)
    }

    /// Words of those that know first-order equations, as a list.
    pub(crate) fn with_equations(self) -> String {
        let know = self.0.iter().filter(|kind| kind.without_equations().is_none());
        let words: Vec<String> = know.map(|kind| format!("{:?}", kind.word())).collect();
        match words.split_last() {
            Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
            _ => words.concat(),
        }
    }

    /// JSON Schema of the table [study].
    pub(crate) fn schema(self, generator: &mut SchemaGenerator) -> Schema {
        let shared = StudyKeys::object(generator, None).to_value();
        let variant = |(k, kind): (usize, &&dyn StudyKind)| {
            let tag = Tag { key: "type", value: kind.word(), required: k > 0 };
            let mut schema = kind.schema(generator, tag).to_value();
            if let (Some(own), Some(shared)) =
                (schema["properties"].as_object_mut(), shared["properties"].as_object())
            {
                own.extend(shared.clone());
            }
            schema
        };
        let variants: Vec<_> = self.0.iter().enumerate().map(variant).collect();
        json_schema!({ "title": TITLE, "description": PURPOSE, "oneOf": variants })
    }
}
