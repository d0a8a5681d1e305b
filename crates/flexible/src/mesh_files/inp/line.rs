//! Lines of an input file: data between commas, keywords with parameters.

use crate::cursor::{Cursor, integer_of, real_of, shown};
use crate::file_error::{Fault, FileError, Place};

/// A line that is neither empty nor a comment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    pub file: &'a str,
    pub number: usize,
    pub text: &'a [u8],
}

/// The lines of a file.
pub(super) struct Lines<'a> {
    cursor: Cursor<'a>,
    number: usize,
}

impl<'a> Lines<'a> {
    pub fn new(file: &'a str, bytes: &'a [u8]) -> Self {
        Lines { cursor: Cursor::new(file, bytes), number: 0 }
    }

    pub fn next(&mut self) -> Option<Line<'a>> {
        loop {
            let text = self.cursor.line()?;
            self.number += 1;
            if !text.trim_ascii().is_empty() && !text.starts_with(b"**") {
                return Some(Line { file: self.cursor.file, number: self.number, text });
            }
        }
    }
}

/// Something between commas: where it begins in its line, and what it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field<'a> {
    pub start: usize,
    pub text: &'a [u8],
}

impl<'a> Line<'a> {
    pub fn is_keyword(&self) -> bool {
        self.text.trim_ascii_start().starts_with(b"*")
    }

    /// What stands between the commas. An empty end after the last comma is none.
    pub fn fields(&self) -> impl Iterator<Item = Field<'a>> + use<'a> {
        let mut start = 0;
        let text = self.text.trim_ascii_end();
        let text = text.strip_suffix(b",").unwrap_or(text);
        text.split(|byte| *byte == b',').map(move |part| {
            let blank = part.len() - part.trim_ascii_start().len();
            let field = Field { start: start + blank, text: part.trim_ascii() };
            start += part.len() + 1;
            field
        })
    }

    pub fn error(&self, start: usize, fault: Fault) -> FileError {
        let before = &self.text[..start.min(self.text.len())];
        let column = before.iter().filter(|byte| **byte & 0xC0 != 0x80).count() + 1;
        let place = Place::Text { line: self.number, column };
        FileError { file: self.file.to_owned(), place, fault }
    }

    pub fn unexpected(&self, field: Field<'_>, expected: &str) -> FileError {
        let fault = Fault::Unexpected { found: shown(field.text), expected: expected.to_owned() };
        self.error(field.start, fault)
    }

    pub fn label(&self, field: Field<'_>, expected: &str) -> Result<u64, FileError> {
        let value = integer_of(field.text).and_then(|value| u64::try_from(value).ok());
        value.ok_or_else(|| self.unexpected(field, expected))
    }

    pub fn real(&self, field: Field<'_>, expected: &str) -> Result<f64, FileError> {
        // An empty field is zero.
        if field.text.is_empty() {
            return Ok(0.0);
        }
        real_of(field.text).ok_or_else(|| self.unexpected(field, expected))
    }
}

/// A keyword with its parameters. Names are in capitals and without blanks.
pub(super) struct Keyword<'a> {
    pub line: Line<'a>,
    pub name: String,
    /// As it is written, for messages.
    pub written: String,
    parameters: Vec<(String, String)>,
}

impl<'a> Keyword<'a> {
    /// A line of a keyword, and those by which it goes on: it does where it ends with a comma.
    pub fn parse(line: Line<'a>, lines: &mut Lines<'a>) -> Self {
        let mut fields: Vec<String> = line.fields().map(|field| text_of(field.text)).collect();
        let mut last = line;
        while last.text.trim_ascii_end().ends_with(b",") {
            let Some(next) = lines.next() else { break };
            fields.extend(next.fields().map(|field| text_of(field.text)));
            last = next;
        }
        let mut fields = fields.into_iter();
        let written = fields.next().unwrap_or_default();
        let parameter = |field: String| match field.split_once('=') {
            Some((key, value)) => (plain(key), value.trim().trim_matches('"').to_owned()),
            None => (plain(&field), String::new()),
        };
        Keyword { line, name: plain(&written[1..]), parameters: fields.map(parameter).collect(), written }
    }

    /// The value of a parameter.
    pub fn parameter(&self, key: &str) -> Option<&str> {
        self.parameters.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// The value of a parameter that must be there.
    pub fn required(&self, key: &str) -> Result<&str, FileError> {
        let found = self.parameter(key).filter(|value| !value.is_empty());
        found.ok_or_else(|| {
            let expected = format!("a parameter `{key}=…`");
            self.error(Fault::Unexpected { found: self.written.clone(), expected })
        })
    }

    pub fn error(&self, fault: Fault) -> FileError {
        self.line.error(0, fault)
    }

    pub fn unsupported(&self, what: impl Into<String>, help: &str) -> FileError {
        self.error(Fault::Unsupported { what: what.into(), help: help.to_owned() })
    }
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A name without blanks and in capitals, by which names are compared.
pub(super) fn plain(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_ascii_uppercase()).collect()
}
