//! What Arrow's readers (pandas, polars, DuckDB) want to know of a Parquet file besides its columns: the
//! schema in their own words, under the key `ARROW:schema`. Units and descriptions of columns stand there.
//!
//! It is a message in Arrow's format for processes, in base64: four bytes 0xFF, the length, and tables in the
//! encoding of FlatBuffers. A table begins with the distance back to its directory; the directory tells its
//! own length, that of the table and where each entry stands in the table, 0 if it is missing. Texts, lists
//! and other tables stand further on, and the entry holds the distance to them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Key of the metadata.
pub(crate) const KEY: &str = "ARROW:schema";
/// Before the length of a message.
const MESSAGE: [u8; 4] = [0xFF; 4];

/// Numbers of the format.
const VERSION_5: u16 = 4;
const HEADER_SCHEMA: u8 = 1;
const TYPE_FLOAT: u8 = 3;
const TYPE_FIXED_SIZE_LIST: u8 = 16;
const SINGLE: u16 = 1;
const DOUBLE: u16 = 2;

/// What a column holds.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// A 64-bit number in each row, or none.
    Number { optional: bool },
    /// A list of so many 32-bit numbers in each row.
    List(usize),
}

/// What a column says about itself: keys and values.
pub(crate) type About = Vec<(String, String)>;

/// A part of a message.
enum Part<'a> {
    Missing,
    Byte(u8),
    Short(u16),
    Int(u32),
    Text(&'a str),
    List(Vec<Part<'a>>),
    Table(Vec<Part<'a>>),
}

/// The schema of columns: name, content, what it says about itself.
pub(crate) fn encode<'a>(columns: impl Iterator<Item = (&'a str, Kind, &'a About)>) -> String {
    let fields = columns.map(|(name, kind, about)| field(name, kind, about)).collect();
    let schema = Part::Table(vec![Part::Missing, Part::List(fields)]);
    let root = Part::Table(vec![Part::Short(VERSION_5), Part::Byte(HEADER_SCHEMA), schema]);
    let mut message = Writer { bytes: vec![0; 4] };
    let at = message.put(&root);
    message.link(0, at);
    message.align(8);
    let length = (message.bytes.len() as u32).to_le_bytes();
    STANDARD.encode([&MESSAGE[..], &length, &message.bytes].concat())
}

/// Name, whether it can be missing, kind and details of its type, a dictionary, children, metadata.
fn field<'a>(name: &'a str, kind: Kind, about: &'a About) -> Part<'a> {
    let float = |precision| Part::Table(vec![Part::Short(precision)]);
    let plain = |name, optional: bool, precision| {
        let optional = Part::Byte(optional.into());
        vec![
            Part::Text(name),
            optional,
            Part::Byte(TYPE_FLOAT),
            float(precision),
            Part::Missing,
            Part::List(vec![]),
        ]
    };
    let mut entries = match kind {
        Kind::Number { optional } => plain(name, optional, DOUBLE),
        Kind::List(length) => {
            let size = Part::Table(vec![Part::Int(length as u32)]);
            let item = Part::List(vec![Part::Table(plain("item", false, SINGLE))]);
            let kind = Part::Byte(TYPE_FIXED_SIZE_LIST);
            vec![Part::Text(name), Part::Byte(0), kind, size, Part::Missing, item]
        }
    };
    if !about.is_empty() {
        let pair = |(key, value): &'a (String, String)| Part::Table(vec![Part::Text(key), Part::Text(value)]);
        entries.push(Part::List(about.iter().map(pair).collect()));
    }
    Part::Table(entries)
}

/// Writes parts one after another. Everything in a table takes four bytes, which aligns it.
struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    fn align(&mut self, to: usize) {
        self.bytes.resize(self.bytes.len().next_multiple_of(to), 0);
    }

    fn int(&mut self, value: u32) {
        self.bytes.extend(value.to_le_bytes());
    }

    /// Lets an entry point to a part further on.
    fn link(&mut self, entry: usize, to: usize) {
        self.bytes[entry..entry + 4].copy_from_slice(&((to - entry) as u32).to_le_bytes());
    }

    /// Writes a part that others point to, with all that it points to; tells where it begins.
    fn put(&mut self, part: &Part<'_>) -> usize {
        self.align(4);
        let begin = self.bytes.len();
        match part {
            Part::Text(text) => {
                self.int(text.len() as u32);
                self.bytes.extend(text.bytes().chain([0]));
                begin
            }
            Part::List(parts) => {
                self.int(parts.len() as u32);
                self.entries(parts);
                begin
            }
            Part::Table(parts) => self.table(parts),
            Part::Missing | Part::Byte(_) | Part::Short(_) | Part::Int(_) => begin,
        }
    }

    fn table(&mut self, parts: &[Part<'_>]) -> usize {
        let directory = self.bytes.len();
        let present = parts.iter().filter(|part| !matches!(part, Part::Missing)).count();
        let mut place = 4;
        let mut words = vec![4 + 2 * parts.len(), 4 + 4 * present];
        words.extend(parts.iter().map(|part| match part {
            Part::Missing => 0,
            _ => {
                place += 4;
                place - 4
            }
        }));
        self.bytes.extend(words.iter().flat_map(|word| (*word as u16).to_le_bytes()));
        self.align(4);
        let begin = self.bytes.len();
        self.int((begin - directory) as u32);
        self.entries(parts);
        begin
    }

    fn entries(&mut self, parts: &[Part<'_>]) {
        let mut links = vec![];
        for part in parts {
            match part {
                Part::Missing => continue,
                Part::Byte(value) => self.int(u32::from(*value)),
                Part::Short(value) => self.int(u32::from(*value)),
                Part::Int(value) => self.int(*value),
                Part::Text(_) | Part::List(_) | Part::Table(_) => {
                    links.push((self.bytes.len(), part));
                    self.int(0);
                }
            }
        }
        for (entry, part) in links {
            let at = self.put(part);
            self.link(entry, at);
        }
    }
}

/// What the columns say about themselves; nothing if the text is no schema.
pub(crate) fn decode(text: &str) -> Option<Vec<About>> {
    let bytes = STANDARD.decode(text).ok()?;
    let message =
        Reader(bytes.strip_prefix(&MESSAGE).map_or(&bytes[..], |rest| rest.get(4..).unwrap_or(&[])));
    let schema = message.entry(message.follow(0)?, 2)?;
    let fields = message.list(message.entry(schema, 1)?)?;
    let pair = |at| Some((message.text(message.entry(at, 0)?)?, message.text(message.entry(at, 1)?)?));
    let about = |at| match message.entry(at, 6) {
        Some(list) => message.list(list)?.into_iter().map(pair).collect(),
        None => Some(vec![]),
    };
    fields.into_iter().map(about).collect()
}

/// Finds parts of a message.
#[derive(Clone, Copy)]
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn short(&self, at: usize) -> Option<usize> {
        self.0.get(at..)?.first_chunk().map(|bytes| usize::from(u16::from_le_bytes(*bytes)))
    }

    fn int(&self, at: usize) -> Option<usize> {
        self.0.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes) as usize)
    }

    /// Where an entry points to.
    fn follow(&self, at: usize) -> Option<usize> {
        at.checked_add(self.int(at)?)
    }

    /// The part that an entry of a table points to.
    fn entry(&self, table: usize, entry: usize) -> Option<usize> {
        let back = self.int(table)? as u32 as i32;
        let directory = usize::try_from(table as i64 - i64::from(back)).ok()?;
        let place = 4 + 2 * entry;
        let known = place < self.short(directory)?;
        let place = if known { self.short(directory + place)? } else { 0 };
        if place == 0 { None } else { self.follow(table + place) }
    }

    /// Where the parts of a list are.
    fn list(&self, at: usize) -> Option<Vec<usize>> {
        let length = self.int(at)?;
        (length <= self.0.len() / 4).then_some(())?;
        (0..length).map(|k| self.follow(at + 4 + 4 * k)).collect()
    }

    fn text(&self, at: usize) -> Option<String> {
        let bytes = self.0.get(at + 4..)?.get(..self.int(at)?)?;
        Some(String::from_utf8_lossy(bytes).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As pyarrow 26 writes a column `time` with unit `s`, one with gaps and a list of 14 numbers.
    const OF_ARROW: &str = "\
        //////gBAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAMAAAACAAIAAAABAAIAAAABAAAAAMAAAA0AQAA8AAAAAQAAADq/v//AAAA\
        EBgAAACIAAAACAAAABgAAAABAAAAkAAAAAUAAABwb3NlcwAAAAIAAAA4AAAABAAAALz+//8gAAAABAAAABEAAAB4IHkgeiBxeCBx\
        eSBxeiBxdwAAAAUAAABwYXJ0cwAAAOz+//8YAAAABAAAAAkAAABbImEiLCJiIl0AAAACAAAAb2YAAAAABgAIAAQABgAAAA4AAAAQ\
        ABQACAAAAAcADAAAABAAEAAAAAAAAAMQAAAAGAAAAAQAAAAAAAAABAAAAGl0ZW0AAAAAIv///wAAAQAQABQACAAGAAcADAAAABAA\
        EAAAAAAAAQMQAAAAHAAAAAQAAAAAAAAAAgAAAM+GAAAAAAYABgAEAAYAAAACABIAGAAIAAAABwAMAAAAEAAUABIAAAAAAAADFAAA\
        AIAAAAAIAAAAFAAAAAAAAAAEAAAAdGltZQAAAAACAAAAMAAAAAQAAADg////EAAAAAQAAAABAAAAcwAAAAQAAAB1bml0AAAAAAgA\
        DAAEAAgACAAAABQAAAAEAAAABAAAAFplaXQAAAAACwAAAGRlc2NyaXB0aW9uAAAABgAIAAYABgAAAAAAAgA=";

    fn columns() -> Vec<(&'static str, Kind, About)> {
        let about = |pairs: &[(&str, &str)]| pairs.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect();
        vec![
            ("time", Kind::Number { optional: false }, about(&[("description", "Zeit"), ("unit", "s")])),
            ("φ", Kind::Number { optional: true }, about(&[])),
            ("poses", Kind::List(14), about(&[("of", "[\"a\",\"b\"]"), ("parts", "x y z qx qy qz qw")])),
        ]
    }

    #[test]
    fn what_columns_say_comes_back() {
        let columns = columns();
        let text = encode(columns.iter().map(|(name, kind, about)| (*name, *kind, about)));
        let expected: Vec<About> = columns.into_iter().map(|(_, _, about)| about).collect();
        assert_eq!(decode(&text).unwrap(), expected);
        assert_eq!(decode(OF_ARROW).unwrap(), expected);
    }

    #[test]
    fn a_damaged_schema_is_no_schema() {
        let bytes = STANDARD.decode(OF_ARROW).unwrap();
        for length in 0..bytes.len() {
            decode(&STANDARD.encode(&bytes[..length]));
        }
        for k in 0..bytes.len() {
            for change in [0x01, 0x80, 0xFF] {
                let mut bytes = bytes.clone();
                bytes[k] ^= change;
                decode(&STANDARD.encode(&bytes));
            }
        }
        assert!(decode("").is_none() && decode("no base64!").is_none());
    }
}
