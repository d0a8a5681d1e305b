//! A model built piece by piece. Each piece has the keys that its table in a model file has; what was built
//! can be printed as one, and messages about mistakes show its lines.

use crate::error::Error;
use crate::model::Model;
use toml::Value;

/// What a key can be set to: numbers, texts, expressions of parameters as texts, lists of them, pieces.
pub trait IntoValue {
    /// The value as a model file has it.
    fn into_value(self) -> Value;
}

macro_rules! plain {
    ($($type:ty),*) => {
        $(impl IntoValue for $type {
            fn into_value(self) -> Value {
                self.into()
            }
        })*
    };
}
plain!(f64, i64, i32, bool, &str, String);

impl<T: IntoValue, const N: usize> IntoValue for [T; N] {
    fn into_value(self) -> Value {
        Value::Array(self.into_iter().map(T::into_value).collect())
    }
}

impl<T: IntoValue> IntoValue for Vec<T> {
    fn into_value(self) -> Value {
        Value::Array(self.into_iter().map(T::into_value).collect())
    }
}

impl IntoValue for Entry {
    fn into_value(self) -> Value {
        Value::Table(self.0.into_iter().collect())
    }
}

/// A table of keys: a body, a joint, a shape.
#[derive(Clone, Debug, Default)]
pub struct Entry(Vec<(String, Value)>);

impl Entry {
    /// Without any keys: for a table inside another one, such as a shape.
    pub fn new() -> Self {
        Self::default()
    }

    /// An entry of a `type`.
    pub fn of_type(kind: &str) -> Self {
        Self::new().with("type", kind)
    }

    /// Sets a key.
    pub fn set(&mut self, key: &str, value: impl IntoValue) -> &mut Self {
        self.0.retain(|(other, _)| other != key);
        self.0.push((key.to_owned(), value.into_value()));
        self
    }

    /// The entry with a key set.
    pub fn with(mut self, key: &str, value: impl IntoValue) -> Self {
        self.set(key, value);
        self
    }
}

/// A model in the making.
#[derive(Clone, Debug)]
pub struct ModelBuilder {
    settings: Entry,
    parameters: Entry,
    /// Kind and content of each piece, in the order in which they came.
    pieces: Vec<(&'static str, Entry)>,
    study: Option<Entry>,
    /// Studies with names.
    studies: Vec<Entry>,
}

impl ModelBuilder {
    pub(crate) fn new(name: &str) -> Self {
        let settings = Entry::new().with("name", name);
        ModelBuilder { settings, parameters: Entry::new(), pieces: vec![], study: None, studies: vec![] }
    }

    /// Settings of the whole model: `gravity`, `plane`, `description`.
    pub fn settings(&mut self) -> &mut Entry {
        &mut self.settings
    }

    /// A named number, or an expression of others, that keys can use.
    pub fn parameter(&mut self, name: &str, value: impl IntoValue) -> &mut Self {
        self.parameters.set(name, value);
        self
    }

    fn piece(&mut self, kind: &'static str, entry: Entry) -> &mut Entry {
        self.pieces.push((kind, entry));
        let last = self.pieces.len() - 1;
        &mut self.pieces[last].1
    }

    fn named(&mut self, kind: &'static str, name: &str) -> &mut Entry {
        self.piece(kind, Entry::new().with("name", name))
    }

    fn typed(&mut self, kind: &'static str, name: &str, of: &str) -> &mut Entry {
        self.piece(kind, Entry::of_type(of).with("name", name))
    }

    /// A body.
    pub fn body(&mut self, name: &str) -> &mut Entry {
        self.named("body", name)
    }

    /// A beam.
    pub fn beam(&mut self, name: &str) -> &mut Entry {
        self.named("beam", name)
    }

    /// A frame on a body.
    pub fn marker(&mut self, name: &str) -> &mut Entry {
        self.named("marker", name)
    }

    /// A joint of a type, such as `revolute`.
    pub fn joint(&mut self, name: &str, of: &str) -> &mut Entry {
        self.typed("joint", name, of)
    }

    /// A force or compliant element of a type, such as `spring`.
    pub fn force(&mut self, name: &str, of: &str) -> &mut Entry {
        self.typed("force", name, of)
    }

    /// A coupling of a type.
    pub fn coupling(&mut self, name: &str, of: &str) -> &mut Entry {
        self.typed("coupling", name, of)
    }

    /// A drive of a type, such as `joint`.
    pub fn drive(&mut self, name: &str, of: &str) -> &mut Entry {
        self.typed("drive", name, of)
    }

    /// A piece of any other kind that model files have: `constraint`, `equations`, `table`, `event`.
    pub fn other(&mut self, kind: &'static str) -> &mut Entry {
        self.piece(kind, Entry::new())
    }

    /// A quantity to record.
    pub fn signal(&mut self, name: &str, value: &str) -> &mut Entry {
        self.named("signal", name).set("value", value)
    }

    /// What to compute: `motion`, `modes`, `equilibrium` and so on.
    pub fn study(&mut self, of: &str) -> &mut Entry {
        self.study.insert(Entry::of_type(of))
    }

    /// One of several studies: its name and what to compute.
    pub fn named_study(&mut self, name: &str, of: &str) -> &mut Entry {
        self.studies.push(Entry::of_type(of).with("name", name));
        let last = self.studies.len() - 1;
        &mut self.studies[last]
    }

    /// The model file that says the same.
    pub fn to_toml(&self) -> String {
        let mut text = section("[model]", &self.settings);
        if !self.parameters.0.is_empty() {
            text += &section("[parameters]", &self.parameters);
        }
        for (kind, entry) in &self.pieces {
            text += &section(&format!("[[{kind}]]"), entry);
        }
        // Beside others the study without a name is one of the list, where its name is asked for.
        let header = if self.studies.is_empty() { "[study]" } else { "[[study]]" };
        let all = self.study.iter().chain(&self.studies);
        text + &all.map(|study| section(header, study)).collect::<String>()
    }

    /// The model, all of it checked.
    pub fn build(&self) -> Result<Model, Error> {
        let name = self.settings.0.iter().find(|(key, _)| key == "name").and_then(|(_, name)| name.as_str());
        let name = name.unwrap_or("model");
        Model::parse(&format!("{name}.toml"), &self.to_toml())
    }
}

/// A header with a line for each key; tables inside stand on the lines of their keys.
fn section(header: &str, entry: &Entry) -> String {
    let lines = entry.0.iter().map(|(key, value)| {
        let key = if is_bare(key) { key.clone() } else { Value::String(key.clone()).to_string() };
        format!("{key} = {value}\n")
    });
    format!("{header}\n{}\n", lines.collect::<String>())
}

/// Whether a key needs no quotes.
fn is_bare(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}
