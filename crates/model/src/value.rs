//! The values of a file: numbers, strings, arrays, each with its place.

use crate::diagnostic::{Diagnostic, Span};
use crate::read::{FromToml, Node, Reader};
use schemars::{Schema, SchemaGenerator, json_schema};
use toml::de::DeValue;

impl<T: FromToml> FromToml for Option<T> {
    fn described(text: String) -> String {
        T::described(text)
    }
    fn expected() -> String {
        T::expected()
    }
    fn from_toml(node: &Node, reader: &mut Reader) -> Option<Self> {
        T::from_toml(node, reader).map(Some)
    }
    fn absent() -> Option<Self> {
        Some(None)
    }
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        T::schema(generator)
    }
}

/// The key `name` of a table.
pub(crate) fn name_of(node: &Node) -> Option<String> {
    let name = node.get_ref().as_table()?.get("name")?;
    Some(name.get_ref().as_str()?.to_owned())
}

/// A table that may be missing and whose mistakes do not keep the others from being read.
#[derive(Clone, Debug)]
pub struct Part<T> {
    /// The table, if it was there and could be read.
    pub table: Option<T>,
    /// True if it was there.
    pub present: bool,
}

impl<T: FromToml> FromToml for Part<T> {
    fn expected() -> String {
        T::expected()
    }
    fn from_toml(node: &Node, reader: &mut Reader) -> Option<Self> {
        let table = T::from_toml(node, reader);
        Some(Part { table, present: true })
    }
    fn absent() -> Option<Self> {
        Some(Part { table: None, present: false })
    }
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        T::schema(generator)
    }
}

/// Lists (arrays of tables) may be missing: they are then empty.
impl<T: FromToml> FromToml for Vec<T> {
    fn expected() -> String {
        format!("an array, each {}", T::expected())
    }
    fn from_toml(node: &Node, reader: &mut Reader) -> Option<Self> {
        let DeValue::Array(items) = node.get_ref() else {
            reader.mismatch(node, &Self::expected());
            return None;
        };
        let mut list = Vec::new();
        for item in items.iter() {
            match T::from_toml(item, reader) {
                Some(value) => list.push(value),
                None => reader.lost.extend(name_of(item)),
            }
        }
        Some(list)
    }
    fn absent() -> Option<Self> {
        Some(Vec::new())
    }
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "items": T::schema(generator) })
    }
}

/// A list of values that is read as a whole: with a mistake in one it has none.
#[derive(Clone, Debug)]
pub struct List<T>(pub Vec<T>);

impl<T: FromToml> FromToml for List<T> {
    fn expected() -> String {
        format!("an array, each {}", T::expected())
    }
    fn from_toml(node: &Node, reader: &mut Reader) -> Option<Self> {
        let DeValue::Array(items) = node.get_ref() else {
            reader.mismatch(node, &Self::expected());
            return None;
        };
        let read: Vec<Option<T>> = items.iter().map(|item| T::from_toml(item, reader)).collect();
        read.into_iter().collect::<Option<_>>().map(List)
    }
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "items": T::schema(generator) })
    }
}

impl<T: FromToml, const N: usize> FromToml for [T; N] {
    fn expected() -> String {
        format!("an array of {N} values")
    }
    fn from_toml(node: &Node, reader: &mut Reader) -> Option<Self> {
        match node.get_ref() {
            DeValue::Array(items) if items.len() == N => {
                let read: Vec<Option<T>> = items.iter().map(|item| T::from_toml(item, reader)).collect();
                let all: Option<Vec<T>> = read.into_iter().collect();
                all?.try_into().ok()
            }
            _ => {
                reader.mismatch(node, &Self::expected());
                None
            }
        }
    }
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "items": T::schema(generator), "minItems": N, "maxItems": N })
    }
}

impl FromToml for bool {
    fn expected() -> String {
        "true or false".into()
    }
    fn from_toml(node: &Node, reader: &mut Reader) -> Option<Self> {
        match node.get_ref() {
            DeValue::Boolean(value) => Some(*value),
            _ => {
                reader.mismatch(node, &Self::expected());
                None
            }
        }
    }
    fn schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "boolean" })
    }
}

/// A whole number from 1 on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Count(pub usize);

impl FromToml for Count {
    fn expected() -> String {
        "a whole number".into()
    }
    fn from_toml(node: &Node, reader: &mut Reader) -> Option<Self> {
        let DeValue::Integer(integer) = node.get_ref() else {
            reader.mismatch(node, &Self::expected());
            return None;
        };
        let value = i128::from_str_radix(integer.as_str(), integer.radix()).ok();
        let count = value.and_then(|v| usize::try_from(v).ok()).filter(|v| (1..=MOST).contains(v));
        if count.is_none() {
            let span = reader.span(node.span());
            reader.diagnostics.push(
                Diagnostic::error(format!(
                    "expected a whole number from 1 to {MOST}, found {}",
                    integer.as_str()
                ))
                .at(span, "out of range"),
            );
        }
        count.map(Count)
    }
    fn schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": 1, "maximum": MOST })
    }
}

/// Greatest [`Count`].
const MOST: usize = 1_000_000;

/// A value and the place it was read from.
#[derive(Clone, Debug, PartialEq)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Its place.
    pub span: Span,
}

impl<T: FromToml> FromToml for Located<T> {
    fn expected() -> String {
        T::expected()
    }
    fn from_toml(node: &Node, reader: &mut Reader) -> Option<Self> {
        let value = T::from_toml(node, reader)?;
        let span = reader.span(node.span());
        Some(Located { value, span })
    }
    fn absent() -> Option<Self> {
        None
    }
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        T::schema(generator)
    }
}

/// A string of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// The content, escapes resolved.
    pub value: String,
    /// Its place, quotes included.
    pub span: Span,
    pub(crate) content_start: Option<usize>,
}

impl Text {
    /// A string with its content and place.
    pub fn new(value: &str, span: Span, reader: &Reader) -> Self {
        let content_start = reader.content_start(&span, value);
        Text { value: value.to_owned(), span: reader.span(span), content_start }
    }

    /// A part of the content as a text of its own.
    pub fn part(&self, inner: Span) -> Text {
        let value = self.value.get(inner.clone()).unwrap_or(&self.value).to_owned();
        let content_start = self.content_start.map(|start| start + inner.start);
        Text { value, span: self.locate(inner), content_start }
    }

    /// The place in the file of a range of bytes of the content; the whole
    /// string if escapes make the two differ.
    pub fn locate(&self, inner: Span) -> Span {
        match self.content_start {
            Some(start) if inner.end <= self.value.len() && inner.start <= inner.end => {
                start + inner.start..start + inner.end
            }
            _ => self.span.clone(),
        }
    }
}

impl FromToml for Text {
    fn expected() -> String {
        "a string".into()
    }
    fn from_toml(node: &Node, reader: &mut Reader) -> Option<Self> {
        match node.get_ref() {
            DeValue::String(value) => Some(Text::new(value, node.span(), reader)),
            _ => {
                reader.mismatch(node, &Self::expected());
                None
            }
        }
    }
    fn schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

/// A number of the file: written out, or an expression still to be evaluated.
#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    /// A TOML integer or float.
    Value(Located<f64>),
    /// A string holding an expression.
    Expression(Text),
}

impl Number {
    /// Its place.
    pub fn span(&self) -> Span {
        match self {
            Number::Value(number) => number.span.clone(),
            Number::Expression(text) => text.span.clone(),
        }
    }
}

impl FromToml for Number {
    fn expected() -> String {
        "a number or an expression in quotes".into()
    }
    fn from_toml(node: &Node, reader: &mut Reader) -> Option<Self> {
        let value = match node.get_ref() {
            DeValue::String(text) => {
                return Some(Number::Expression(Text::new(text, node.span(), reader)));
            }
            DeValue::Integer(integer) => i128::from_str_radix(integer.as_str(), integer.radix())
                .map(|i| i as f64)
                .or_else(|_| integer.as_str().parse::<f64>())
                .ok(),
            DeValue::Float(float) => float.as_str().parse::<f64>().ok(),
            _ => None,
        };
        match value {
            Some(value) => Some(Number::Value(Located { value, span: reader.span(node.span()) })),
            None => {
                reader.mismatch(node, &Self::expected());
                None
            }
        }
    }
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<NumberSchema>()
    }
}

/// Carrier of the shared definition "number or expression".
pub(crate) struct NumberSchema;

impl schemars::JsonSchema for NumberSchema {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Number".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A number, or an expression of the parameters in quotes, e.g. \"0.5*m*L^2\".",
            "anyOf": [{ "type": "number" }, { "type": "string" }]
        })
    }
}
