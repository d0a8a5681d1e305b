//! Parquet files that can tell whether they are as they were written.
//!
//! The metadata of the footer hold, under the key `poinsot.checksum`, a hash of all other bytes of the file:
//! 64-bit FNV-1a as 16 hexadecimal digits, which count as `-` while it is computed. The hash is checked
//! before anything else of the file is looked at.

use crate::atomic_file::replace_with;
use crate::error::ResultsError;
use crate::plain_file;
use arrow_array::RecordBatch;
use arrow_schema::Schema;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterPropertiesBuilder;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

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

/// Writes a file, whole or not at all. `more` are entries of its metadata.
pub(crate) fn write(
    path: &Path,
    schema: &Arc<Schema>,
    properties: WriterPropertiesBuilder,
    more: &[(&str, String)],
    batches: impl IntoIterator<Item = Result<RecordBatch, ResultsError>>,
) -> Result<(), ResultsError> {
    let mut entries = vec![KeyValue::new(KEY.to_owned(), String::from_utf8_lossy(&BLANK).into_owned())];
    entries.extend(more.iter().map(|(key, value)| KeyValue::new((*key).to_owned(), value.clone())));
    let properties = properties.set_compression(Compression::SNAPPY).set_key_value_metadata(Some(entries));
    let unwritten = |error: ParquetError| ResultsError::io("write", path)(io::Error::other(error));
    replace_with(path, |file| {
        let properties = Some(properties.build());
        let mut writer = ArrowWriter::try_new(&mut *file, schema.clone(), properties)
            .map_err(ResultsError::parquet(path))?;
        for batch in batches {
            writer.write(&batch?).map_err(unwritten)?;
        }
        writer.close().map_err(unwritten)?;
        file.flush().and_then(|()| seal(file.get_mut())).map_err(ResultsError::io("write", path))
    })
}

/// Puts the hash of the other bytes in its place.
fn seal(file: &mut File) -> io::Result<()> {
    let lost = || io::Error::other("the place of the checksum is not found");
    let at = place(file)?.ok_or_else(lost)?;
    let digits = format!("{:016x}", hash_around(file, at)?);
    file.seek(SeekFrom::Start(at))?;
    file.write_all(digits.as_bytes())
}

/// Opens a file after its hash has been checked.
pub(crate) fn open(path: &Path) -> Result<ParquetRecordBatchReaderBuilder<File>, ResultsError> {
    let mut file = plain_file::open(path)?;
    if !is_sealed(&mut file).map_err(ResultsError::io("read", path))? {
        return Err(ResultsError::Damaged { path: path.to_owned() });
    }
    ParquetRecordBatchReaderBuilder::try_new(file).map_err(ResultsError::parquet(path))
}

/// The value of an entry of the metadata.
pub(crate) fn entry<'a>(builder: &'a ParquetRecordBatchReaderBuilder<File>, key: &str) -> Option<&'a str> {
    let entries = builder.metadata().file_metadata().key_value_metadata()?;
    entries.iter().find(|entry| entry.key == key)?.value.as_deref()
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
