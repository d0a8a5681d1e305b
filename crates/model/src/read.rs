//! From spanned TOML values to typed tables.
//!
//! [`record!`] declares a table once: its keys, their types, defaults and
//! documentation. Reader, list of keys and JSON Schema all come from that one
//! declaration, and a reader reports every mistake of a table, not only the first.

use crate::diagnostic::{Diagnostic, Diagnostics, Span};
use crate::study::Studies;
use crate::suggest::did_you_mean;
pub use crate::value::Text;
use schemars::{Schema, SchemaGenerator, json_schema};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value of the TOML document with its place.
pub type Node<'i> = Spanned<DeValue<'i>>;

/// What the readers share: the text and the list of mistakes.
pub struct Reader<'a> {
    text: &'a str,
    /// The kinds of studies.
    pub(crate) studies: Studies,
    /// The mistakes.
    pub diagnostics: &'a mut Diagnostics,
    /// Names of things that could not be read.
    pub lost: Vec<String>,
    /// Set while a default is read: its place is the table that lacks the key.
    stand_in: Option<Span>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(text: &'a str, studies: Studies, diagnostics: &'a mut Diagnostics) -> Self {
        Reader { text, studies, diagnostics, lost: Vec::new(), stand_in: None }
    }

    /// The place, or that of the table that lacks the key.
    pub fn span(&self, span: Span) -> Span {
        self.stand_in.clone().unwrap_or(span)
    }

    /// Offset of the first byte of a string's content, if the content stands
    /// in the file as it is (no escapes, no line continuation).
    pub fn content_start(&self, span: &Span, value: &str) -> Option<usize> {
        if self.stand_in.is_some() {
            return None;
        }
        let literal = self.text.get(span.clone())?;
        [("\"\"\"", "\n"), ("'''", "\n"), ("\"\"\"", ""), ("'''", ""), ("\"", ""), ("'", "")]
            .iter()
            .find_map(|(quote, newline)| {
                let content = literal.strip_prefix(quote)?.strip_prefix(newline)?.strip_suffix(quote)?;
                (content == value).then_some(span.start + quote.len() + newline.len())
            })
            .or_else(|| (literal == value).then_some(span.start))
    }

    /// Reports a value of another kind.
    pub fn mismatch(&mut self, node: &Node, expected: &str) {
        let found = found(node.get_ref());
        let span = self.span(node.span());
        self.diagnostics.push(
            Diagnostic::error(format!("expected {expected}, found {found}"))
                .at(span, format!("expected {expected}")),
        );
    }
}

/// What a value is, in words.
fn found(value: &DeValue) -> String {
    match value {
        DeValue::String(text) if text.len() <= 40 => format!("the string {:?}", text.as_ref()),
        DeValue::String(_) => "a string".into(),
        DeValue::Integer(number) => format!("the integer {number}"),
        DeValue::Float(number) => format!("the number {number}"),
        DeValue::Boolean(value) => format!("the boolean {value}"),
        DeValue::Datetime(_) => "a date".into(),
        DeValue::Array(items) => match items.len() {
            0 => "an empty array".into(),
            1 => "an array of 1 value".into(),
            n => format!("an array of {n} values"),
        },
        DeValue::Table(_) => "a table".into(),
    }
}

/// A type that can be read from a TOML value and describes itself.
pub trait FromToml: Sized {
    /// What a message calls it: "a number or an expression".
    fn expected() -> String;
    /// Reads the value; on a mistake reports it and returns `None`.
    fn from_toml(node: &Node, reader: &mut Reader) -> Option<Self>;
    /// The value when the key is missing; `None` if the key is required.
    fn absent() -> Option<Self> {
        None
    }
    /// JSON Schema of the values.
    fn schema(generator: &mut SchemaGenerator) -> Schema;
    /// The text of a key of this type, with what the type itself knows.
    fn described(text: String) -> String {
        text
    }
}

/// Reads a default from its TOML text; `place` stands in for its missing place.
pub fn default_value<T: FromToml>(text: &str, place: &Span, reader: &mut Reader) -> Option<T> {
    let node = DeValue::parse(text).ok()?;
    let outer = reader.stand_in.replace(place.clone());
    let value = T::from_toml(&node, reader);
    reader.stand_in = outer;
    value
}

/// A table with a fixed set of keys.
pub trait Record: Sized {
    /// Its keys in the order of declaration.
    const KEYS: &'static [&'static str];
    /// Reads the table; `done` are keys that were looked at already.
    fn read(table: &DeTable, span: Span, done: &[&str], reader: &mut Reader) -> Option<Self>;
    /// JSON Schema; `tag` is the constant key that selects this record.
    fn object(generator: &mut SchemaGenerator, tag: Option<Tag>) -> Schema;
}

/// The key and value that select a variant.
pub struct Tag {
    /// The key.
    pub key: &'static str,
    /// Its value.
    pub value: &'static str,
    /// Whether it must be there.
    pub required: bool,
}

/// Indefinite article and noun.
pub fn a(noun: &str) -> String {
    match noun.chars().next() {
        Some('a' | 'e' | 'i' | 'o') => format!("an {noun}"),
        _ => format!("a {noun}"),
    }
}

/// Reports the keys of `table` that are neither in `keys` nor `done`.
pub fn check_keys(table: &DeTable, title: &str, keys: &[&str], done: &[&str], reader: &mut Reader) {
    for (key, _) in table.iter() {
        let name = key.get_ref().as_ref();
        if keys.contains(&name) || done.contains(&name) {
            continue;
        }
        let mut known = [done, keys].concat();
        let help = did_you_mean(name, &known).unwrap_or_else(|| {
            known.sort_unstable();
            format!("{} has the keys {}", a(title), known.join(", "))
        });
        reader.diagnostics.push(
            Diagnostic::error(format!("unknown key `{name}` in {title}"))
                .at(key.span(), format!("not a key of {}", a(title)))
                .help(help),
        );
    }
}

/// Reads one key of a record.
pub fn read_key<T: FromToml>(
    table: &DeTable,
    place: &Span,
    title: &str,
    key: &str,
    default: Option<&str>,
    reader: &mut Reader,
) -> Option<T> {
    if let Some(node) = table.get(key) {
        return T::from_toml(node, reader);
    }
    if let Some(text) = default {
        return default_value(text, place, reader);
    }
    let absent = T::absent();
    if absent.is_none() {
        reader.diagnostics.push(
            Diagnostic::error(format!("missing key `{key}` in {title}"))
                .at(place.clone(), format!("this {title} needs `{key}`"))
                .help(format!("`{key}` is {}", T::expected())),
        );
    }
    absent
}

/// The key a field stands for: a field named like a word of Rust has `r#` before it.
pub const fn key_name(field: &'static str) -> &'static str {
    let bytes = field.as_bytes();
    if bytes.len() > 2 && bytes[0] == b'r' && bytes[1] == b'#' { field.split_at(2).1 } else { field }
}

/// The text of doc comment lines as one paragraph.
pub fn paragraph(lines: &[&str]) -> String {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    lines.join(" ").trim().to_owned()
}

/// Adds a property to an object schema.
pub fn add_property(
    object: &mut serde_json::Map<String, serde_json::Value>,
    key: &str,
    schema: Schema,
    description: String,
    default: Option<&str>,
) {
    let mut property = schema.to_value();
    // A reference next to other keywords is ignored by draft 7: wrap it.
    if property.get("$ref").is_some() {
        property = serde_json::json!({ "allOf": [property] });
    }
    if let Some(map) = property.as_object_mut() {
        map.insert("description".into(), description.into());
        if let Some(value) = default.and_then(|text| serde_json::from_str(text).ok()) {
            map.insert("default".into(), value);
        }
    }
    object.insert(key.to_owned(), property);
}

/// The object schema around its properties.
pub fn object_schema(
    title: &str,
    description: String,
    properties: serde_json::Map<String, serde_json::Value>,
    required: Vec<&str>,
) -> Schema {
    json_schema!({
        "type": "object",
        "title": title,
        "description": description,
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// Keys of a table that are not declared with it.
pub trait RestOfTable: Sized {
    /// The keys, but those that the table declares itself.
    fn keys(own: &[&'static str]) -> Vec<&'static str>;
    /// Reads them.
    fn read(table: &DeTable, own: &[&'static str], reader: &mut Reader) -> Option<Self>;
    /// Adds them to the schema of the table.
    fn properties(
        own: &[&'static str],
        generator: &mut SchemaGenerator,
        object: &mut serde_json::Map<String, serde_json::Value>,
    );
}

/// Declares a table: `key: Type`, `key: Option<Type>` or `key: Type = default`; with `and name: Type` behind
/// it, keys that follow from other declarations ([`RestOfTable`]).
#[macro_export]
macro_rules! record {
    (
        $(#[doc = $doc:literal])*
        $visible:vis struct $name:ident $title:literal {
            $( $(#[doc = $key_doc:literal])* $key:ident : $type:ty $(= $default:tt)? ),* $(,)?
        } $(and $rest:ident : $rest_type:ty)?
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug)]
        $visible struct $name {
            $( $(#[doc = $key_doc])* pub $key: $type, )*
            $( #[doc = "Keys that are declared elsewhere."] pub $rest: $rest_type, )?
            /// Place of the table's header.
            #[allow(dead_code)]
            pub span: $crate::diagnostic::Span,
        }

        impl $crate::read::Record for $name {
            const KEYS: &'static [&'static str] = &[$($crate::read::key_name(stringify!($key))),*];

            fn read(
                table: &toml::de::DeTable,
                span: $crate::diagnostic::Span,
                done: &[&str],
                reader: &mut $crate::read::Reader,
            ) -> Option<Self> {
                use $crate::read::{check_keys, key_name, read_key};
                let rest: &[Vec<&'static str>] =
                    &[$( <$rest_type as $crate::read::RestOfTable>::keys(Self::KEYS) )?];
                check_keys(table, $title, &[Self::KEYS, &rest.concat()].concat(), done, reader);
                $(
                    let default: Option<&str> = [$(stringify!($default))?].first().copied();
                    let name = key_name(stringify!($key));
                    let $key = read_key(table, &span, $title, name, default, reader);
                )*
                $(
                    let $rest =
                        <$rest_type as $crate::read::RestOfTable>::read(table, Self::KEYS, reader);
                )?
                Some($name { $($key: $key?,)* $($rest: $rest?,)? span })
            }

            fn object(
                generator: &mut schemars::SchemaGenerator,
                tag: Option<$crate::read::Tag>,
            ) -> schemars::Schema {
                use $crate::read::{FromToml, add_property, key_name, object_schema, paragraph};
                let mut properties = serde_json::Map::new();
                let mut required = Vec::new();
                if let Some(tag) = tag {
                    properties.insert(tag.key.into(), serde_json::json!({ "const": tag.value }));
                    if tag.required {
                        required.push(tag.key);
                    }
                }
                $(
                    let default: Option<&str> = [$(stringify!($default))?].first().copied();
                    let schema = <$type as FromToml>::schema(generator);
                    let text = <$type as FromToml>::described(paragraph(&[$($key_doc),*]));
                    let name = key_name(stringify!($key));
                    add_property(&mut properties, name, schema, text, default);
                    if default.is_none() && <$type as FromToml>::absent().is_none() {
                        required.push(name);
                    }
                )*
                $(
                    <$rest_type as $crate::read::RestOfTable>::properties(
                        <Self as $crate::read::Record>::KEYS,
                        generator,
                        &mut properties,
                    );
                )?
                object_schema($title, paragraph(&[$($doc),*]), properties, required)
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                <$name as $crate::read::Record>::object(generator, None)
            }
        }

        impl $crate::read::FromToml for $name {
            fn expected() -> String {
                format!("a table ({})", $title)
            }
            fn from_toml(
                node: &$crate::read::Node,
                reader: &mut $crate::read::Reader,
            ) -> Option<Self> {
                match node.get_ref() {
                    toml::de::DeValue::Table(table) => {
                        let span = reader.span(node.span());
                        <$name as $crate::read::Record>::read(table, span, &[], reader)
                    }
                    _ => {
                        reader.mismatch(node, &Self::expected());
                        None
                    }
                }
            }
            fn schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                generator.subschema_for::<$name>()
            }
        }
    };
}

/// Declares a table whose key `type` selects one of several records; where these have a trait in common,
/// named after a colon, with what they declare, `entry` gives the one that it is.
macro_rules! tagged {
    (
        $(#[doc = $doc:literal])*
        $visible:vis enum $name:ident $title:literal $(default $default:literal)? $(: $entry:ident of $of:ident)? {
            $( $tag:expr => $variant:ident($record:ident) ),* $(,)?
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug)]
        #[allow(clippy::large_enum_variant)]
        $visible enum $name {
            $(
                #[doc = concat!("The table of the type `", stringify!($variant), "`.")]
                $variant($record),
            )*
        }

        impl $name {
            /// The values of `type`.
            pub const TYPES: &'static [&'static str] = &[$($tag),*];
        }

        $crate::read::entries!($name [$($entry $of)?] $($variant($record))*);

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                use $crate::read::{Record, Tag, paragraph};
                let default: Option<&str> = [$($default)?].first().copied();
                let variants = [$(
                    $record::object(generator, Some(Tag {
                        key: "type",
                        value: $tag,
                        required: default != Some($tag),
                    }))
                ),*];
                schemars::json_schema!({
                    "title": $title,
                    "description": paragraph(&[$($doc),*]),
                    "oneOf": variants,
                })
            }
        }

        impl $crate::read::FromToml for $name {
            fn expected() -> String {
                format!("a table ({})", $title)
            }
            fn from_toml(
                node: &$crate::read::Node,
                reader: &mut $crate::read::Reader,
            ) -> Option<Self> {
                let default: Option<&str> = [$($default)?].first().copied();
                let tag = $crate::read::read_tag(node, $title, Self::TYPES, default, reader)?;
                let toml::de::DeValue::Table(table) = node.get_ref() else { return None };
                let span = reader.span(node.span());
                $(
                    if tag == $tag {
                        let table =
                            <$record as $crate::read::Record>::read(table, span, &["type"], reader);
                        return table.map($name::$variant);
                    }
                )*
                None
            }
            fn schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                generator.subschema_for::<$name>()
            }
        }
    };
}

/// What the records of a tagged table have in common, if they implement a trait.
macro_rules! entries {
    ($name:ident [] $($variant:ident($record:ident))*) => {};
    ($name:ident [$entry:ident $of:ident] $($variant:ident($record:ident))*) => {
        impl $name {
            /// What its types declare, in order.
            #[allow(dead_code)]
            pub(crate) fn declared() -> Vec<&'static $of> {
                vec![$( <$record as $crate::declared::Declared<$of>>::declared() ),*]
            }

            /// The table that it is.
            pub(crate) fn entry(&self) -> &dyn $entry {
                match self { $( $name::$variant(table) => table, )* }
            }
        }
    };
}

/// Reads the key `type` of a tagged table and checks it against the known ones.
pub fn read_tag(
    node: &Node,
    title: &str,
    types: &[&'static str],
    default: Option<&'static str>,
    reader: &mut Reader,
) -> Option<&'static str> {
    let DeValue::Table(table) = node.get_ref() else {
        reader.mismatch(node, &format!("a table ({title})"));
        return None;
    };
    let list = types.join(", ");
    let Some(value) = table.get("type") else {
        if default.is_none() {
            reader.diagnostics.push(
                Diagnostic::error(format!("missing key `type` in {title}"))
                    .at(reader.span(node.span()), format!("this {title} needs `type`"))
                    .help(format!("one of {list}")),
            );
        }
        return default;
    };
    let text = Text::from_toml(value, reader)?;
    choose(&text, &format!("{title} type"), types, reader.diagnostics)
}

/// Looks a word up among the allowed ones; reports the mistake otherwise.
pub fn choose(
    text: &Text,
    what: &str,
    choices: &[&'static str],
    diagnostics: &mut Diagnostics,
) -> Option<&'static str> {
    let found = choices.iter().find(|choice| **choice == text.value);
    if found.is_none() {
        let list = format!("known are {}", choices.join(", "));
        let help = match did_you_mean(&text.value, choices) {
            Some(help) => format!("{help} {list}"),
            None => list,
        };
        diagnostics.push(
            Diagnostic::error(format!("unknown {what} {:?}", text.value))
                .at(text.span.clone(), format!("not {}", a(what)))
                .help(help),
        );
    }
    found.copied()
}

/// Declares an enum of words: `"word" => Variant`.
#[macro_export]
macro_rules! choice {
    (
        $(#[doc = $doc:literal])*
        pub enum $name:ident $title:literal {
            $( $(#[doc = $word_doc:literal])* $word:literal => $variant:ident ),* $(,)?
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $( $(#[doc = $word_doc])* $variant, )*
        }

        impl $name {
            /// The words of the file that select one.
            pub const WORDS: &'static [&'static str] = &[$($word),*];

            /// Its word in the file.
            #[allow(dead_code)]
            pub fn word(self) -> &'static str {
                match self { $( $name::$variant => $word, )* }
            }

            /// The one that a word selects.
            #[allow(dead_code)]
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $( $word => Some($name::$variant), )* _ => None }
            }
        }

        impl $crate::read::FromToml for $name {
            fn expected() -> String {
                format!("one of {}", Self::WORDS.join(", "))
            }
            fn from_toml(
                node: &$crate::read::Node,
                reader: &mut $crate::read::Reader,
            ) -> Option<Self> {
                let text = $crate::read::Text::from_toml(node, reader)?;
                match $crate::read::choose(&text, $title, Self::WORDS, reader.diagnostics)? {
                    $( $word => Some($name::$variant), )*
                    _ => None,
                }
            }
            fn schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "type": "string",
                    "enum": [$($word),*],
                    "x-taplo": { "docs": { "enumValues": [
                        $( $crate::read::paragraph(&[$($word_doc),*]) ),*
                    ] } },
                })
            }
        }
    };
}

pub use {choice, record};
pub(crate) use {entries, tagged};
