//! Numbers of a file of Gmsh, as text or as bytes.

use crate::cursor::Cursor;
use crate::file_error::{Fault, FileError};

/// How numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Text,
    /// Binary, lowest byte first.
    Little,
    /// Binary, highest byte first.
    Big,
}

pub(super) struct Numbers<'c, 'a> {
    pub cursor: &'c mut Cursor<'a>,
    pub form: Form,
}

impl Numbers<'_, '_> {
    /// Where the next number stands.
    pub fn place(&mut self) -> usize {
        if self.form == Form::Text {
            let blanks = self.cursor.rest().iter().take_while(|byte| byte.is_ascii_whitespace());
            self.cursor.at += blanks.count();
        }
        self.cursor.at
    }

    /// An `int`: 4 bytes.
    pub fn int(&mut self, expected: &str) -> Result<i64, FileError> {
        match self.form {
            Form::Text => self.cursor.integer(expected),
            Form::Little => Ok(i32::from_le_bytes(self.bytes(expected)?).into()),
            Form::Big => Ok(i32::from_be_bytes(self.bytes(expected)?).into()),
        }
    }

    /// A `size_t`: 8 bytes.
    pub fn size(&mut self, expected: &str) -> Result<u64, FileError> {
        match self.form {
            Form::Text => self.cursor.natural(expected),
            Form::Little => Ok(u64::from_le_bytes(self.bytes(expected)?)),
            Form::Big => Ok(u64::from_be_bytes(self.bytes(expected)?)),
        }
    }

    /// A `double`: 8 bytes.
    pub fn real(&mut self, expected: &str) -> Result<f64, FileError> {
        let value = match self.form {
            Form::Text => return self.cursor.real(expected),
            Form::Little => f64::from_le_bytes(self.bytes(expected)?),
            Form::Big => f64::from_be_bytes(self.bytes(expected)?),
        };
        if value.is_finite() {
            return Ok(value);
        }
        let fault = Fault::Unexpected { found: value.to_string(), expected: expected.to_owned() };
        Err(self.cursor.error_at(self.cursor.at - 8, fault))
    }

    /// A label that is an `int` in binary files.
    pub fn small_label(&mut self, expected: &str) -> Result<u64, FileError> {
        let at = self.place();
        let value = self.int(expected)?;
        let fault = || Fault::Unexpected { found: value.to_string(), expected: expected.to_owned() };
        u64::try_from(value).map_err(|_| self.cursor.error_at(at, fault()))
    }

    fn bytes<const N: usize>(&mut self, expected: &str) -> Result<[u8; N], FileError> {
        self.cursor.binary = true;
        self.cursor.array(expected)
    }
}
