//! Parquet files that can tell whether they are as they were written.
//!
//! The metadata of the footer hold, under the key `poinsot.checksum`, a hash of all other bytes of the file:
//! 64-bit FNV-1a as 16 hexadecimal digits, which count as `-` while it is computed. The hash is checked
//! before anything else of the file is looked at.

use crate::arrow_schema::{self, About, Kind};
use crate::atomic_file::replace_with;
use crate::error::ResultsError;
use crate::plain_file;
use parquet::basic::{Compression, ConvertedType, LogicalType, Repetition, Type as Number};
use parquet::column::reader::ColumnReader;
use parquet::column::writer::ColumnWriterImpl;
use parquet::data_type::{DoubleType, FloatType};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterPropertiesBuilder;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Most rows that stand together in a file, column by column.
const GROUP: usize = 1 << 20;
/// Numbers written at a time, about, which bounds the memory a long run takes.
const BATCH: usize = 1 << 20;
/// Rows read at a time.
const ROWS: usize = 1 << 10;
const KEY: &str = "poinsot.checksum";
/// Stands for the digits until they are known.
const BLANK: [u8; 16] = [b'-'; 16];
/// What a Parquet file begins and ends with.
const MAGIC: &[u8] = b"PAR1";
/// Before the digits: a text as the second field of an entry, 16 bytes long (Thrift, compact protocol).
const TEXT_OF_16: [u8; 2] = [0x18, 0x10];

/// Goes on with a hash, 64-bit FNV-1a: h ← (h ⊕ byte) · prime.
fn fnv1a_on(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |h, byte| (h ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// 64-bit FNV-1a of a text.
pub(crate) fn hash(text: &str) -> u64 {
    fnv1a_on(0xcbf2_9ce4_8422_2325, text.as_bytes())
}

/// A column to be written.
pub(crate) struct Column<'a> {
    pub name: &'a str,
    pub about: About,
    pub content: Content<'a>,
}

/// What a column holds.
pub(crate) enum Content<'a> {
    /// A number in each row; where it is optional, NaN is a null.
    Numbers { values: &'a [f64], optional: bool },
    /// A list of so many numbers in each row, given for some rows at a time.
    Lists { length: usize, of: Box<dyn Fn(Range<usize>) -> Vec<f32> + 'a> },
}

impl Column<'_> {
    fn kind(&self) -> Kind {
        match self.content {
            Content::Numbers { optional, .. } => Kind::Number { optional },
            Content::Lists { length, .. } => Kind::List(length),
        }
    }

    fn field(&self) -> Result<Type, ParquetError> {
        let number = |name, of: Number, repetition| {
            Type::primitive_type_builder(name, of).with_repetition(repetition).build()
        };
        match self.kind() {
            Kind::Number { optional: true } => number(self.name, Number::DOUBLE, Repetition::OPTIONAL),
            Kind::Number { optional: false } => number(self.name, Number::DOUBLE, Repetition::REQUIRED),
            Kind::List(_) => {
                let item = number("item", Number::FLOAT, Repetition::REQUIRED)?;
                let list = Type::group_type_builder("list").with_repetition(Repetition::REPEATED);
                let list = list.with_fields(vec![Arc::new(item)]).build()?;
                let field = Type::group_type_builder(self.name).with_repetition(Repetition::REQUIRED);
                let field =
                    field.with_converted_type(ConvertedType::LIST).with_logical_type(Some(LogicalType::List));
                field.with_fields(vec![Arc::new(list)]).build()
            }
        }
    }
}

/// Writes a file, whole or not at all. `more` are entries of its metadata.
pub(crate) fn write(
    path: &Path,
    rows: usize,
    columns: &[Column<'_>],
    properties: WriterPropertiesBuilder,
    more: &[(&str, String)],
) -> Result<(), ResultsError> {
    let schema = arrow_schema::encode(columns.iter().map(|c| (c.name, c.kind(), &c.about)));
    let known = [(KEY, String::from_utf8_lossy(&BLANK).into_owned()), (arrow_schema::KEY, schema)];
    let entries =
        known.iter().chain(more).map(|(key, value)| KeyValue::new((*key).to_owned(), value.clone()));
    let entries = Some(entries.collect());
    let properties = properties.set_compression(Compression::SNAPPY).set_key_value_metadata(entries);
    let fields = columns.iter().map(|column| column.field().map(Arc::new)).collect::<Result<_, _>>();
    let schema = fields.and_then(|fields| Type::group_type_builder("schema").with_fields(fields).build());
    let schema = schema.map_err(ResultsError::parquet(path))?;
    let unwritten = |error: ParquetError| ResultsError::io("write", path)(io::Error::other(error));
    replace_with(path, |file| {
        let mut writer =
            SerializedFileWriter::new(&mut *file, Arc::new(schema), Arc::new(properties.build()))
                .map_err(ResultsError::parquet(path))?;
        for start in (0..rows).step_by(GROUP) {
            write_group(&mut writer, start..(start + GROUP).min(rows), columns).map_err(unwritten)?;
        }
        writer.close().map_err(unwritten)?;
        file.flush().and_then(|()| seal(file.get_mut())).map_err(ResultsError::io("write", path))
    })
}

fn write_group<W: Write + Send>(
    writer: &mut SerializedFileWriter<W>,
    rows: Range<usize>,
    columns: &[Column<'_>],
) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    for column in columns {
        let Some(mut place) = group.next_column()? else { break };
        match &column.content {
            Content::Numbers { values, optional } => {
                write_numbers(place.typed::<DoubleType>(), &values[rows.clone()], *optional)?;
            }
            Content::Lists { length, of } => {
                let step = (BATCH / length.max(&1)).max(1);
                for start in rows.clone().step_by(step) {
                    let numbers = of(start..(start + step).min(rows.end));
                    // A list begins where the level of repetition is 0; none is missing.
                    let begins = (0..numbers.len()).map(|k| i16::from(!k.is_multiple_of(*length)));
                    let (whole, begins) = (vec![1; numbers.len()], begins.collect::<Vec<i16>>());
                    place.typed::<FloatType>().write_batch(&numbers, Some(&whole), Some(&begins))?;
                }
            }
        }
        place.close()?;
    }
    group.close().map(|_| ())
}

fn write_numbers(
    place: &mut ColumnWriterImpl<'_, DoubleType>,
    values: &[f64],
    optional: bool,
) -> Result<(), ParquetError> {
    for part in values.chunks(BATCH) {
        if optional {
            let levels: Vec<i16> = part.iter().map(|value| i16::from(!value.is_nan())).collect();
            let known: Vec<f64> = part.iter().copied().filter(|value| !value.is_nan()).collect();
            place.write_batch(&known, Some(&levels), None)?;
        } else {
            place.write_batch(part, None, None)?;
        }
    }
    Ok(())
}

/// Puts the hash of the other bytes in its place.
fn seal(file: &mut File) -> io::Result<()> {
    let lost = || io::Error::other("the place of the checksum is not found");
    let at = place(file)?.ok_or_else(lost)?;
    let digits = format!("{:016x}", hash_around(file, at)?);
    file.seek(SeekFrom::Start(at))?;
    file.write_all(digits.as_bytes())
}

/// A file whose hash has been checked.
pub(crate) struct SealedFile {
    reader: SerializedFileReader<File>,
}

/// The numbers of a column in some rows.
pub(crate) enum Chunk {
    /// A number for each row, if it has one.
    Numbers(Vec<Option<f64>>),
    /// The lists of all rows, one after another.
    Lists(Vec<f32>),
}

impl Chunk {
    /// The numbers, where there is one for each row.
    pub fn numbers(&self) -> &[Option<f64>] {
        match self {
            Chunk::Numbers(numbers) => numbers,
            Chunk::Lists(_) => &[],
        }
    }

    /// The numbers of lists.
    pub fn lists(&self) -> &[f32] {
        match self {
            Chunk::Numbers(_) => &[],
            Chunk::Lists(numbers) => numbers,
        }
    }
}

impl SealedFile {
    /// Opens a file after its hash has been checked.
    pub fn open(path: &Path) -> Result<Self, ResultsError> {
        let mut file = plain_file::open(path)?;
        if !is_sealed(&mut file).map_err(ResultsError::io("read", path))? {
            return Err(ResultsError::Damaged { path: path.to_owned() });
        }
        let reader = SerializedFileReader::new(file).map_err(ResultsError::parquet(path))?;
        Ok(SealedFile { reader })
    }

    /// The value of an entry of the metadata.
    pub fn entry(&self, key: &str) -> Option<&str> {
        let entries = self.reader.metadata().file_metadata().key_value_metadata()?;
        entries.iter().find(|entry| entry.key == key)?.value.as_deref()
    }

    /// Names of the columns and what they hold: `f64`, `[f32]` or another type.
    pub fn columns(&self) -> Vec<(&str, String)> {
        let is_float = |item: &Type| matches!(item, Type::PrimitiveType { physical_type: Number::FLOAT, .. });
        let kind = |field: &Type| match field {
            Type::PrimitiveType { physical_type: Number::DOUBLE, .. } => "f64".to_owned(),
            Type::PrimitiveType { physical_type, .. } => physical_type.to_string(),
            Type::GroupType { fields, .. } => match fields.first().map(Arc::as_ref) {
                Some(Type::GroupType { fields, .. }) if fields.iter().all(|item| is_float(item)) => {
                    "[f32]".to_owned()
                }
                _ => "a group".to_owned(),
            },
        };
        let fields = self.reader.metadata().file_metadata().schema().get_fields();
        fields.iter().map(|field| (field.name(), kind(field))).collect()
    }

    /// What the columns say about themselves, as far as it is known.
    pub fn about(&self) -> Vec<About> {
        self.entry(arrow_schema::KEY).and_then(arrow_schema::decode).unwrap_or_default()
    }

    /// Hands out all rows, some at a time: their number, and the numbers of each column.
    pub fn read(
        &self,
        path: &Path,
        mut take: impl FnMut(usize, &[Chunk]) -> Result<(), ResultsError>,
    ) -> Result<(), ResultsError> {
        let unreadable = |error: ParquetError| ResultsError::parquet(path)(error);
        for k in 0..self.reader.num_row_groups() {
            let group = self.reader.get_row_group(k).map_err(unreadable)?;
            let columns = (0..group.num_columns()).map(|c| group.get_column_reader(c));
            let mut columns = columns.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
            let mut left = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
            while left > 0 {
                let rows = left.min(ROWS);
                let chunks = columns.iter_mut().map(|column| chunk(column, rows));
                take(rows, &chunks.collect::<Result<Vec<_>, _>>().map_err(unreadable)?)?;
                left -= rows;
            }
        }
        Ok(())
    }
}

/// The next rows of a column.
fn chunk(column: &mut ColumnReader, rows: usize) -> Result<Chunk, ParquetError> {
    let (mut levels, mut begins) = (vec![], vec![]);
    let (read, chunk) = match column {
        ColumnReader::DoubleColumnReader(reader) => {
            let mut values = vec![];
            let (read, ..) = reader.read_records(rows, Some(&mut levels), None, &mut values)?;
            // Without levels no number is missing.
            levels.resize(read, 1);
            let mut values = values.into_iter();
            let numbers = levels.iter().map(|level| if *level > 0 { values.next() } else { None });
            (read, Chunk::Numbers(numbers.collect()))
        }
        ColumnReader::FloatColumnReader(reader) => {
            let mut values = vec![];
            let (read, ..) = reader.read_records(rows, Some(&mut levels), Some(&mut begins), &mut values)?;
            (read, Chunk::Lists(values))
        }
        _ => return Err(ParquetError::General("a column of another type".into())),
    };
    if read == rows { Ok(chunk) } else { Err(ParquetError::EOF("rows are missing".into())) }
}

fn is_sealed(file: &mut File) -> io::Result<bool> {
    let Some(at) = place(file)? else { return Ok(false) };
    let mut digits = BLANK;
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut digits)?;
    Ok(digits == format!("{:016x}", hash_around(file, at)?).as_bytes())
}

/// Where the digits stand: after the key in the footer, whose length is told before the last four bytes.
fn place(file: &mut File) -> io::Result<Option<u64>> {
    let length = file.seek(SeekFrom::End(0))?;
    if length < 12 {
        return Ok(None);
    }
    let mut end = [0; 8];
    file.seek(SeekFrom::Start(length - 8))?;
    file.read_exact(&mut end)?;
    let [a, b, c, d, magic @ ..] = end;
    let footer = u64::from(u32::from_le_bytes([a, b, c, d]));
    if magic != MAGIC || footer > length - 12 {
        return Ok(None);
    }
    let from = length - 8 - footer;
    let mut bytes = vec![];
    file.seek(SeekFrom::Start(from))?;
    file.take(footer).read_to_end(&mut bytes)?;
    let key = [KEY.as_bytes(), &TEXT_OF_16].concat();
    let found = bytes.windows(key.len() + BLANK.len()).position(|window| window.starts_with(&key));
    Ok(found.map(|at| from + (at + key.len()) as u64))
}

/// The hash of all bytes, with blanks where the digits stand.
fn hash_around(file: &mut File, at: u64) -> io::Result<u64> {
    file.rewind()?;
    let mut reader = BufReader::with_capacity(1 << 16, &mut *file);
    let mut part = vec![0; 1 << 16];
    let (mut sum, mut from) = (hash(""), 0);
    loop {
        let count = reader.read(&mut part)?;
        if count == 0 {
            break;
        }
        for (k, blank) in BLANK.iter().enumerate() {
            let here = at + k as u64;
            if (from..from + count as u64).contains(&here) {
                part[(here - from) as usize] = *blank;
            }
        }
        sum = fnv1a_on(sum, &part[..count]);
        from += count as u64;
    }
    file.rewind()?;
    Ok(sum)
}
