//! A place in the bytes of a file that moves on as they are read. Lines and columns are counted only for
//! errors.

use crate::file_error::{Fault, FileError, Place};

/// Longest text of a file that is repeated in a message.
const SHOWN: usize = 40;

/// The bytes of a file and how far they are read.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a> {
    pub file: &'a str,
    pub bytes: &'a [u8],
    pub at: usize,
    /// Whether what is read now is not text: then places are offsets.
    pub binary: bool,
}

impl<'a> Cursor<'a> {
    pub fn new(file: &'a str, bytes: &'a [u8]) -> Self {
        Cursor { file, bytes, at: 0, binary: false }
    }

    /// The line of an offset, from 1.
    pub fn line_of(&self, at: usize) -> usize {
        self.bytes[..at.min(self.bytes.len())].iter().filter(|byte| **byte == b'\n').count() + 1
    }

    /// An error at an offset.
    pub fn error_at(&self, at: usize, fault: Fault) -> FileError {
        let place = if self.binary {
            Place::Byte(at)
        } else {
            let before = &self.bytes[..at.min(self.bytes.len())];
            let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |k| k + 1);
            // Columns are characters: bytes that go on with one are not counted.
            let column = before[start..].iter().filter(|byte| **byte & 0xC0 != 0x80).count() + 1;
            Place::Text { line: self.line_of(at), column }
        };
        FileError { file: self.file.to_owned(), place, fault }
    }

    /// An error here.
    pub fn error(&self, fault: Fault) -> FileError {
        self.error_at(self.at, fault)
    }

    pub fn ends(&self, expected: &str) -> FileError {
        self.error(Fault::Ends { expected: expected.to_owned() })
    }

    /// Something else than expected at an offset.
    pub fn unexpected(&self, at: usize, found: &[u8], expected: &str) -> FileError {
        self.error_at(at, Fault::Unexpected { found: shown(found), expected: expected.to_owned() })
    }

    pub fn unsupported(&self, at: usize, what: impl Into<String>, help: &str) -> FileError {
        self.error_at(at, Fault::Unsupported { what: what.into(), help: help.to_owned() })
    }

    pub fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at.min(self.bytes.len())..]
    }

    /// How many things of at least some bytes each may still follow, of those that are promised: what may be
    /// reserved for them.
    pub fn at_most(&self, promised: u64, least: usize) -> usize {
        usize::try_from(promised).unwrap_or(usize::MAX).min(self.rest().len() / least + 1)
    }

    /// The next line without its end.
    pub fn line(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest();
        if rest.is_empty() {
            return None;
        }
        let length = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        self.at += (length + 1).min(rest.len());
        Some(rest[..length].strip_suffix(b"\r").unwrap_or(&rest[..length]))
    }

    /// The next word between blanks, lines or none.
    pub fn word(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest();
        let Some(start) = rest.iter().position(|byte| !byte.is_ascii_whitespace()) else {
            self.at = self.bytes.len();
            return None;
        };
        let length = rest[start..].iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len() - start);
        self.at += start + length;
        Some(&rest[start..start + length])
    }

    /// The next word, which must be there.
    pub fn expect_word(&mut self, expected: &str) -> Result<&'a [u8], FileError> {
        self.word().ok_or_else(|| self.ends(expected))
    }

    pub fn real(&mut self, expected: &str) -> Result<f64, FileError> {
        let word = self.expect_word(expected)?;
        real_of(word).ok_or_else(|| self.unexpected(self.at - word.len(), word, expected))
    }

    pub fn integer(&mut self, expected: &str) -> Result<i64, FileError> {
        let word = self.expect_word(expected)?;
        integer_of(word).ok_or_else(|| self.unexpected(self.at - word.len(), word, expected))
    }

    /// A number that is not negative: a count or a label.
    pub fn natural(&mut self, expected: &str) -> Result<u64, FileError> {
        let word = self.expect_word(expected)?;
        let value = integer_of(word).and_then(|value| u64::try_from(value).ok());
        value.ok_or_else(|| self.unexpected(self.at - word.len(), word, expected))
    }

    /// Some bytes.
    pub fn take(&mut self, count: usize, expected: &str) -> Result<&'a [u8], FileError> {
        let taken = self.rest().get(..count).ok_or_else(|| self.ends(expected))?;
        self.at += count;
        Ok(taken)
    }

    /// Some bytes of a number.
    pub fn array<const N: usize>(&mut self, expected: &str) -> Result<[u8; N], FileError> {
        let taken = self.take(N, expected)?;
        Ok(std::array::from_fn(|k| taken[k]))
    }
}

/// Bytes as they are shown in a message.
pub(crate) fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let visible = |c: char| if c.is_control() { '\u{FFFD}' } else { c };
    let mut short: String = text.chars().take(SHOWN).map(visible).collect();
    if text.chars().nth(SHOWN).is_some() {
        short.push('…');
    }
    short
}

/// A finite number; the exponent may be written with the D of Fortran.
pub(crate) fn real_of(word: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(word).ok()?;
    let plain = |text: &str| text.parse().ok().filter(|value: &f64| value.is_finite());
    plain(text).or_else(|| match text.find(['d', 'D']) {
        Some(at) if at > 0 => plain(&text.replacen(['d', 'D'], "e", 1)),
        _ => None,
    })
}

/// A whole number.
pub(crate) fn integer_of(word: &[u8]) -> Option<i64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}
