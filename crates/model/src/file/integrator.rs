//! Settings of integrators in a table: their keys follow from what the integrators declare.

use crate::diagnostic::{Diagnostic, Span};
use crate::read::{FromToml, Reader, RestOfTable, Text, add_property, choice, choose};
use crate::study::StudyContext;
use crate::value::{Count, Located, Number};
use poinsot_integrators::{Given, Key, Kind, Value, keys};
use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::Map;
use toml::de::DeTable;

choice! {
    /// What adaptive steps do about kinks and jumps of piecewise laws in the state.
    pub enum Kinks "kinks" {
        /// A step ends where a law has a kink, and the next one begins behind it.
        "locate" => Locate,
        /// Steps go over kinks, as short as the tolerance asks for.
        "ignore" => Ignore,
    }
}

/// The settings of an integrator that a table gives.
#[derive(Clone, Debug)]
pub struct SettingsTable(Vec<(&'static Key, Written)>);

/// A value as it stands in the file.
#[derive(Clone, Debug)]
enum Written {
    Number(Number),
    Count(Located<Count>),
    Flag(Located<bool>),
    Word(Located<&'static str>),
}

impl Written {
    fn read(key: &Key, table: &DeTable, word: &str, reader: &mut Reader) -> Option<Option<Self>> {
        let Some(node) = table.get(word) else { return Some(None) };
        let read = match key.setting.kind {
            Kind::Number(_) => Number::from_toml(node, reader).map(Written::Number),
            Kind::Count(_) => Located::from_toml(node, reader).map(Written::Count),
            Kind::Flag => Located::from_toml(node, reader).map(Written::Flag),
            Kind::Word(_) => {
                let text = Text::from_toml(node, reader)?;
                let words: Vec<&str> = key.words.iter().map(|own| own.word).collect();
                let value = choose(&text, key.setting.key, &words, reader.diagnostics);
                value.map(|value| Written::Word(Located { value, span: text.span }))
            }
        };
        read.map(Some)
    }

    fn span(&self) -> Span {
        match self {
            Written::Number(number) => number.span(),
            Written::Count(located) => located.span.clone(),
            Written::Flag(located) => located.span.clone(),
            Written::Word(located) => located.span.clone(),
        }
    }

    fn value(&self, context: &mut StudyContext) -> Option<Value> {
        Some(match self {
            Written::Number(number) => Value::Number(context.number(number)?),
            Written::Count(located) => Value::Count(located.value.0),
            Written::Flag(located) => Value::Flag(located.value),
            Written::Word(located) => Value::Word(located.value),
        })
    }
}

impl SettingsTable {
    /// All values; none if one of them is wrong.
    pub fn given(&self, context: &mut StudyContext) -> Option<Given> {
        let all = self.0.iter().map(|(key, written)| (key.setting.key, written.value(context)));
        let all: Vec<_> = all.collect();
        all.into_iter().map(|(key, value)| Some((key, value?))).collect()
    }

    /// Where a key is given.
    pub fn span(&self, key: &str) -> Option<Span> {
        self.0.iter().find(|(own, _)| own.setting.key == key).map(|(_, written)| written.span())
    }
}

/// The keys that a table does not declare itself, with their other words.
fn words(own: &[&str]) -> impl Iterator<Item = (&'static Key, &'static str)> {
    let rest = keys().iter().filter(|key| !own.contains(&key.setting.key));
    rest.flat_map(|key| {
        [Some(key.setting.key), key.setting.alias].into_iter().flatten().map(move |word| (key, word))
    })
}

impl RestOfTable for SettingsTable {
    fn keys(own: &[&'static str]) -> Vec<&'static str> {
        words(own).map(|(_, word)| word).collect()
    }

    fn read(table: &DeTable, own: &[&'static str], reader: &mut Reader) -> Option<Self> {
        let read: Vec<_> =
            words(own).map(|(key, word)| (key, word, Written::read(key, table, word, reader))).collect();
        let mut found: Vec<(&'static Key, Written)> = vec![];
        for (key, word, written) in read {
            let Some(written) = written? else { continue };
            if let Some((_, first)) = found.iter().find(|(known, _)| known.setting.key == key.setting.key) {
                reader.diagnostics.push(
                    Diagnostic::error(format!(
                        "`{}` and `{word}` are two words for one thing",
                        key.setting.key
                    ))
                    .at(written.span(), "a second time")
                    .and(first.span(), "said here")
                    .help("give one of them"),
                );
                return None;
            }
            found.push((key, written));
        }
        Some(SettingsTable(found))
    }

    fn properties(
        own: &[&'static str],
        generator: &mut SchemaGenerator,
        object: &mut Map<String, serde_json::Value>,
    ) {
        for (key, word) in words(own) {
            let text = match word == key.setting.key {
                true => key.text.clone(),
                false => format!("Another word for `{}`; give one of the two.", key.setting.key),
            };
            add_property(object, word, schema(key, generator), text, None);
        }
    }
}

fn schema(key: &Key, generator: &mut SchemaGenerator) -> Schema {
    match key.setting.kind {
        Kind::Number(_) => Number::schema(generator),
        Kind::Count(_) => Count::schema(generator),
        Kind::Flag => bool::schema(generator),
        Kind::Word(_) => {
            let (words, texts): (Vec<&str>, Vec<&str>) =
                key.words.iter().map(|own| (own.word, own.text)).unzip();
            json_schema!({
                "type": "string",
                "enum": words,
                "x-taplo": { "docs": { "enumValues": texts } },
            })
        }
    }
}
