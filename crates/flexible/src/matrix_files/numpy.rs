//! NumPy's `.npy`: a head that says type, order and shape, then the numbers.

use crate::cursor::{Cursor, shown};
use crate::file_error::{Fault, FileError};
use crate::number_type::Type;

/// What the entries of an array are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Number(Type),
    /// Texts of bytes, or of characters of four bytes.
    Text {
        wide: bool,
    },
}

/// An array of a file.
#[derive(Clone, Debug)]
pub(super) struct Array<'a> {
    file: &'a str,
    kind: Kind,
    big: bool,
    /// Whether the first index runs fastest.
    fortran: bool,
    pub shape: Vec<usize>,
    data: &'a [u8],
}

impl<'a> Array<'a> {
    pub fn parse(file: &'a str, bytes: &'a [u8]) -> Result<Self, FileError> {
        let mut cursor = Cursor { binary: true, ..Cursor::new(file, bytes) };
        let magic = cursor.take(6, "the head of an array of NumPy")?;
        if magic != b"\x93NUMPY" {
            return Err(cursor.unexpected(0, magic, "an array of NumPy"));
        }
        let [major, _] = cursor.array("a version")?;
        let length = match major {
            1 => u16::from_le_bytes(cursor.array("the length of the head")?).into(),
            _ => u32::from_le_bytes(cursor.array("the length of the head")?) as usize,
        };
        let head = cursor.take(length, "the head of an array")?;
        let text = std::str::from_utf8(head).map_err(|_| cursor.unexpected(10, head, "a head of text"))?;
        let wrong = |what: &str| cursor.error_at(10, Fault::Inconsistent(format!("the head has no {what}")));
        let description = value(text, "descr").and_then(quoted).ok_or_else(|| wrong("type"))?;
        let (kind, size, big) = kind(description).ok_or_else(|| {
            let what = format!("an array of type `{}`", shown(description.as_bytes()));
            cursor.unsupported(10, what, "save numbers: float64, not objects, records or complex numbers")
        })?;
        let fortran = value(text, "fortran_order").ok_or_else(|| wrong("order"))?.starts_with("True");
        let shape = value(text, "shape").and_then(shape).ok_or_else(|| wrong("shape"))?;
        let count = shape.iter().try_fold(size, |product, n| product.checked_mul(*n));
        let data = cursor.take(count.unwrap_or(usize::MAX), "the numbers of an array")?;
        Ok(Array { file, kind, big, fortran, shape, data })
    }

    fn wrong(&self, text: &str) -> FileError {
        FileError::whole(self.file, Fault::Inconsistent(text.to_owned()))
    }

    fn number(&self) -> Result<Type, FileError> {
        match self.kind {
            Kind::Number(number) => Ok(number),
            Kind::Text { .. } => Err(self.wrong("texts stand where numbers are expected")),
        }
    }

    /// The numbers, in the order of the file.
    pub fn reals(&self) -> Result<Vec<f64>, FileError> {
        let number = self.number()?;
        Ok(self.data.chunks_exact(number.size()).map(|bytes| number.real(bytes, self.big)).collect())
    }

    /// Whole numbers that are not negative.
    pub fn naturals(&self) -> Result<Vec<usize>, FileError> {
        let number = self.number()?;
        let whole = |bytes| number.whole(bytes, self.big).and_then(|value| usize::try_from(value).ok());
        let all = self.data.chunks_exact(number.size()).map(whole).collect::<Option<_>>();
        all.ok_or_else(|| self.wrong("indices must be whole numbers"))
    }

    /// The first text.
    pub fn text(&self) -> String {
        let letters = |step: usize, at: usize| {
            self.data.chunks_exact(step).map(move |c| char::from(c[at])).filter(|c| *c != '\0').collect()
        };
        match self.kind {
            Kind::Text { wide: true } => letters(4, if self.big { 3 } else { 0 }),
            _ => letters(1, 0),
        }
    }

    /// Rows of an array of two dimensions, by a function of row and column.
    pub fn table(&self) -> Result<(usize, usize, impl Fn(usize, usize) -> f64), FileError> {
        let [rows, columns] = self.shape[..] else {
            return Err(self.wrong(&format!("the array has {} dimensions instead of two", self.shape.len())));
        };
        let (numbers, fortran) = (self.reals()?, self.fortran);
        let at = move |i, j| numbers[if fortran { i + j * rows } else { i * columns + j }];
        Ok((rows, columns, at))
    }
}

/// What stands behind a key of the head, which is a dictionary of Python.
fn value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let after = [format!("'{key}'"), format!("\"{key}\"")]
        .iter()
        .find_map(|key| text.find(key.as_str()).map(|at| &text[at + key.len()..]))?;
    Some(after.trim_start().strip_prefix(':')?.trim_start())
}

fn quoted(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|quote| "'\"".contains(*quote))?;
    text[1..].split(quote).next()
}

/// `(3, 4)`, `(3,)` or `()`.
fn shape(text: &str) -> Option<Vec<usize>> {
    let inside = text.strip_prefix('(')?.split(')').next()?;
    let parts =
        inside.split(',').map(|part| part.trim().trim_end_matches('L')).filter(|part| !part.is_empty());
    parts.map(|part| part.parse().ok()).collect()
}

/// Kind, size in bytes and whether the highest byte comes first, of `<f8` and the like.
fn kind(description: &str) -> Option<(Kind, usize, bool)> {
    let mut letters = description.chars();
    let big = match letters.next()? {
        '<' | '|' | '=' => false,
        '>' => true,
        _ => return None,
    };
    let letter = letters.next()?;
    let size: usize = letters.as_str().parse().ok()?;
    let number = match (letter, size) {
        ('f', 8) => Type::Double,
        ('f', 4) => Type::Float,
        ('i', 1 | 2 | 4 | 8) => Type::Signed(size),
        ('u', 1 | 2 | 4 | 8) | ('b', 1) => Type::Unsigned(size),
        ('S', 1..=64) => return Some((Kind::Text { wide: false }, size, big)),
        ('U', 1..=64) => return Some((Kind::Text { wide: true }, 4 * size, big)),
        _ => return None,
    };
    Some((Kind::Number(number), size, big))
}
