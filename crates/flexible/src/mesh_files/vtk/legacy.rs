//! The legacy format: keywords with arrays, text or binary with the highest byte first.

use super::{Grid, MeshInput};
use crate::cursor::{Cursor, integer_of, real_of, shown};
use crate::file_error::{Fault, FileError};
use crate::number_type::Type;

struct Legacy<'a> {
    cursor: Cursor<'a>,
    binary: bool,
}

/// Reads a legacy file of VTK with an unstructured grid.
pub fn read_vtk(file: &str, bytes: &[u8]) -> Result<MeshInput, FileError> {
    let mut cursor = Cursor::new(file, bytes);
    let first = cursor.line().unwrap_or_default();
    if !first.starts_with(b"# vtk DataFile Version") {
        return Err(cursor.unexpected(
            0,
            first,
            "`# vtk DataFile Version …`, as a legacy file of VTK begins",
        ));
    }
    cursor.line();
    let form = cursor.expect_word("ASCII or BINARY")?;
    let binary = match form.to_ascii_uppercase().as_slice() {
        b"ASCII" => false,
        b"BINARY" => true,
        _ => return Err(cursor.unexpected(cursor.at - form.len(), form, "ASCII or BINARY")),
    };
    let mut legacy = Legacy { cursor, binary };
    legacy.data_set()?;
    let grid = legacy.grid()?;
    grid.finish(&legacy.cursor)
}

impl<'a> Legacy<'a> {
    fn keyword(&mut self, expected: &str) -> Result<Vec<u8>, FileError> {
        Ok(self.cursor.expect_word(expected)?.to_ascii_uppercase())
    }

    /// `DATASET UNSTRUCTURED_GRID`.
    fn data_set(&mut self) -> Result<(), FileError> {
        let keyword = self.keyword("DATASET")?;
        if keyword != b"DATASET" {
            return Err(self.cursor.unexpected(self.cursor.at - keyword.len(), &keyword, "DATASET"));
        }
        let kind = self.keyword("UNSTRUCTURED_GRID")?;
        if kind == b"UNSTRUCTURED_GRID" {
            return Ok(());
        }
        let what = format!("a data set of type {}", shown(&kind));
        Err(self.cursor.unsupported(self.cursor.at - kind.len(), what, "write an unstructured grid"))
    }

    fn grid(&mut self) -> Result<Grid, FileError> {
        let mut grid = Grid::default();
        // Number of cells or points that data belong to, and whether to cells.
        let mut tuples = (0, false);
        while let Some(word) = self.cursor.word() {
            let at = self.cursor.at - word.len();
            match word.to_ascii_uppercase().as_slice() {
                b"POINTS" => {
                    let count = self.cursor.natural("the number of points")?;
                    let kind = self.kind()?;
                    grid.points = self.reals(kind, count, 3, "a coordinate")?;
                }
                b"CELLS" => self.cells(&mut grid)?,
                b"CELL_TYPES" => {
                    let count = self.cursor.natural("the number of cells")?;
                    grid.types = self.wholes(Type::Signed(4), count, "the type of a cell")?;
                }
                b"CELL_DATA" => tuples = (self.cursor.natural("the number of cells")?, true),
                b"POINT_DATA" => tuples = (self.cursor.natural("the number of points")?, false),
                b"METADATA" => self.metadata(),
                b"FIELD" => self.field(&mut grid, tuples.1)?,
                b"SCALARS" => self.scalars(&mut grid, tuples)?,
                b"VECTORS" | b"NORMALS" => self.skipped(tuples.0, 3)?,
                b"TENSORS" => self.skipped(tuples.0, 9)?,
                b"LOOKUP_TABLE" => {
                    self.cursor.expect_word("a name")?;
                    let count = self.cursor.natural("the number of colours")?;
                    let kind = if self.binary { Type::Unsigned(1) } else { Type::Float };
                    self.reals(kind, count, 4, "a colour")?;
                }
                _ => return Err(self.cursor.unexpected(at, word, "a keyword of an unstructured grid")),
            }
        }
        Ok(grid)
    }

    /// A name of a type of numbers.
    fn kind(&mut self) -> Result<Type, FileError> {
        let name = self.cursor.expect_word("a type of numbers")?;
        let unknown = || self.cursor.unexpected(self.cursor.at - name.len(), name, "a type of numbers");
        Type::named(name).ok_or_else(unknown)
    }

    /// Cells as lists of points after their number, or from version 5 on as two arrays.
    fn cells(&mut self, grid: &mut Grid) -> Result<(), FileError> {
        let first = self.cursor.natural("the number of cells")?;
        let second = self.cursor.natural("the number of entries")?;
        let place = self.cursor.at;
        if self.cursor.word().map(|word| word.to_ascii_uppercase()).as_deref() == Some(b"OFFSETS") {
            let kind = self.kind()?;
            let offsets = self.wholes(kind, first, "an offset")?;
            let word = self.keyword("CONNECTIVITY")?;
            if word != b"CONNECTIVITY" {
                return Err(self.cursor.unexpected(self.cursor.at - word.len(), &word, "CONNECTIVITY"));
            }
            let kind = self.kind()?;
            grid.connections = self.wholes(kind, second, "the number of a point")?;
            grid.ends = offsets.into_iter().skip(1).collect();
            return Ok(());
        }
        self.cursor.at = place;
        let list = self.wholes(Type::Signed(4), second, "the number of a point")?;
        let mut rest = list.as_slice();
        for cell in 0..first {
            let points = rest.split_first().and_then(|(count, rest)| rest.split_at_checked(*count as usize));
            let text = || format!("the list of {second} numbers ends inside cell {cell}");
            let (points, after) =
                points.ok_or_else(|| self.cursor.error_at(place, Fault::Inconsistent(text())))?;
            grid.connections.extend(points);
            grid.ends.push(grid.connections.len() as i64);
            rest = after;
        }
        Ok(())
    }

    /// `SCALARS name type [components]`, `LOOKUP_TABLE name`, numbers.
    fn scalars(&mut self, grid: &mut Grid, (count, of_cells): (u64, bool)) -> Result<(), FileError> {
        let name = self.cursor.expect_word("a name")?;
        let kind = self.kind()?;
        let components = integer_of(self.cursor.line().unwrap_or_default().trim_ascii()).unwrap_or(1);
        let place = self.cursor.at;
        if self.cursor.word().map(|word| word.to_ascii_uppercase()).as_deref() == Some(b"LOOKUP_TABLE") {
            self.cursor.expect_word("a name")?;
        } else {
            // Without the newline, which is taken for the end of the line before binary data.
            self.cursor.at = place.saturating_sub(1);
        }
        self.array(grid, of_cells, name, kind, (components, count))
    }

    /// `FIELD name n` and n times `name components tuples type`, numbers.
    fn field(&mut self, grid: &mut Grid, of_cells: bool) -> Result<(), FileError> {
        self.cursor.expect_word("a name")?;
        for _ in 0..self.cursor.natural("the number of arrays")? {
            let mut name = self.cursor.expect_word("the name of an array")?;
            if name == b"METADATA" {
                self.metadata();
                name = self.cursor.expect_word("the name of an array")?;
            }
            let components = self.cursor.integer("the number of components")?;
            let count = self.cursor.natural("the number of tuples")?;
            let kind = self.kind()?;
            self.array(grid, of_cells, name, kind, (components, count))?;
        }
        Ok(())
    }

    fn array(
        &mut self,
        grid: &mut Grid,
        of_cells: bool,
        name: &[u8],
        kind: Type,
        (components, count): (i64, u64),
    ) -> Result<(), FileError> {
        if of_cells && components == 1 && kind.is_whole() {
            let values = self.wholes(kind, count, "a number")?;
            grid.numbers.push((String::from_utf8_lossy(name).into_owned(), values));
            return Ok(());
        }
        self.reals_unchecked(kind, count, u64::try_from(components).unwrap_or(0), "a number").map(|_| ())
    }

    /// `VECTORS name type` and the like.
    fn skipped(&mut self, count: u64, components: u64) -> Result<(), FileError> {
        self.cursor.expect_word("a name")?;
        let kind = self.kind()?;
        self.reals_unchecked(kind, count, components, "a number").map(|_| ())
    }

    /// Lines up to an empty one.
    fn metadata(&mut self) {
        self.cursor.line();
        while self.cursor.line().is_some_and(|line| !line.trim_ascii().is_empty()) {}
    }

    /// The bytes of binary numbers, after the end of a line.
    fn block(&mut self, kind: Type, count: u64, expected: &str) -> Result<&'a [u8], FileError> {
        self.cursor.line();
        self.cursor.binary = true;
        let size = usize::try_from(count).ok().and_then(|count| count.checked_mul(kind.size()));
        let taken = self.cursor.take(size.unwrap_or(usize::MAX), expected)?;
        self.cursor.binary = false;
        Ok(taken)
    }

    fn wholes(&mut self, kind: Type, count: u64, expected: &str) -> Result<Vec<i64>, FileError> {
        if !self.binary {
            let mut values = Vec::with_capacity(self.cursor.at_most(count, 2));
            for _ in 0..count {
                values.push(self.cursor.integer(expected)?);
            }
            return Ok(values);
        }
        let bytes = self.block(kind, count, expected)?;
        let values = bytes.chunks_exact(kind.size()).map(|bytes| kind.whole(bytes, true));
        let wrong = || self.cursor.error(Fault::Inconsistent(format!("{expected} is not a whole number")));
        values.collect::<Option<_>>().ok_or_else(wrong)
    }

    fn reals(&mut self, kind: Type, count: u64, each: u64, expected: &str) -> Result<Vec<f64>, FileError> {
        let values = self.reals_unchecked(kind, count, each, expected)?;
        if values.iter().all(|value| value.is_finite()) {
            return Ok(values);
        }
        Err(self.cursor.error(Fault::Inconsistent(format!("{expected} is not finite"))))
    }

    /// Numbers that are not used may be what they are.
    fn reals_unchecked(
        &mut self,
        kind: Type,
        count: u64,
        each: u64,
        expected: &str,
    ) -> Result<Vec<f64>, FileError> {
        let count = count.saturating_mul(each);
        if self.binary {
            let bytes = self.block(kind, count, expected)?;
            return Ok(bytes.chunks_exact(kind.size()).map(|bytes| kind.real(bytes, true)).collect());
        }
        let mut values = Vec::with_capacity(self.cursor.at_most(count, 2));
        for _ in 0..count {
            let word = self.cursor.expect_word(expected)?;
            let text = || std::str::from_utf8(word).ok()?.parse().ok();
            let value = real_of(word).or_else(text);
            values.push(
                value.ok_or_else(|| self.cursor.unexpected(self.cursor.at - word.len(), word, expected))?,
            );
        }
        Ok(values)
    }
}
