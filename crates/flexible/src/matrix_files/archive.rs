//! Zip archives as NumPy writes them: entries stored as they are, or deflated.
//!
//! ```text
//! for each entry:  local header (30 bytes), name, more, data
//! then for each:   central header (46 bytes), name, more, comment
//! last:            end of the directory (22 bytes), comment
//! ```
//! Sizes are those of the central headers: NumPy leaves them out of the local ones.

use flate2::read::DeflateDecoder;
use std::io::Read;
use thiserror::Error;

/// Deflate makes at most this many bytes of one.
const LARGEST_RATIO: usize = 1032;
/// Where sizes stand that do not fit into 32 bits.
const ELSEWHERE: usize = u32::MAX as usize;

/// What is wrong with an archive.
#[derive(Debug, Error)]
pub(super) enum ArchiveError {
    #[error("it has no directory")]
    NoDirectory,
    #[error("it is one of more than 2 GiB (zip64)")]
    TooLarge,
    #[error("it ends before byte {at} + {length}")]
    Short { at: usize, length: usize },
    #[error("no header at byte {0}")]
    NoHeader(usize),
    #[error("`{0}` is encrypted")]
    Encrypted(String),
    #[error("`{name}` is packed by method {method}, neither stored nor deflated")]
    Method { name: String, method: usize },
    #[error("`{0}` is damaged")]
    Damaged(String),
    #[error("`{0}` is damaged: its checksum is another")]
    Checksum(String),
}

/// Names and bytes of the entries, in the order of the directory.
pub(super) fn unpacked(bytes: &[u8]) -> Result<Vec<(String, Vec<u8>)>, ArchiveError> {
    let end = end_of_directory(bytes).ok_or(ArchiveError::NoDirectory)?;
    let (count, mut at) = (short(bytes, end + 10)?, word(bytes, end + 16)?);
    if at == ELSEWHERE {
        return Err(ArchiveError::TooLarge);
    }
    let mut entries = vec![];
    for _ in 0..count {
        signed(bytes, at, b"PK\x01\x02")?;
        entries.push(entry(bytes, at)?);
        at += 46 + short(bytes, at + 28)? + short(bytes, at + 30)? + short(bytes, at + 32)?;
    }
    Ok(entries)
}

/// Where the end of the directory begins: a comment of up to 65535 bytes may follow it.
fn end_of_directory(bytes: &[u8]) -> Option<usize> {
    let last = bytes.len().checked_sub(22)?;
    let first = last.saturating_sub(usize::from(u16::MAX));
    (first..=last).rev().find(|&at| bytes[at..].starts_with(b"PK\x05\x06"))
}

/// The entry of a central header.
fn entry(bytes: &[u8], header: usize) -> Result<(String, Vec<u8>), ArchiveError> {
    let name = String::from_utf8_lossy(part(bytes, header + 46, short(bytes, header + 28)?)?).into_owned();
    let [checksum, packed, size, place] = [16, 20, 24, 42].map(|offset| word(bytes, header + offset));
    let (checksum, packed, size, place) = (checksum?, packed?, size?, place?);
    if [packed, size, place].contains(&ELSEWHERE) {
        return Err(ArchiveError::TooLarge);
    }
    if short(bytes, header + 8)? & 1 == 1 {
        return Err(ArchiveError::Encrypted(name));
    }
    signed(bytes, place, b"PK\x03\x04")?;
    let start = place + 30 + short(bytes, place + 26)? + short(bytes, place + 28)?;
    let data = part(bytes, start, packed)?;
    let data = match short(bytes, header + 10)? {
        0 => data.to_vec(),
        8 => match inflated(data, size) {
            Some(data) => data,
            None => return Err(ArchiveError::Damaged(name)),
        },
        method => return Err(ArchiveError::Method { name, method }),
    };
    match data.len() == size && crc32fast::hash(&data) as usize == checksum {
        true => Ok((name, data)),
        false => Err(ArchiveError::Checksum(name)),
    }
}

/// A file that promises more than can be packed in it gets no memory.
fn inflated(data: &[u8], size: usize) -> Option<Vec<u8>> {
    if size / LARGEST_RATIO > data.len() {
        return None;
    }
    let mut out = vec![];
    DeflateDecoder::new(data).take(size as u64 + 1).read_to_end(&mut out).ok()?;
    Some(out)
}

fn signed(bytes: &[u8], at: usize, signature: &[u8]) -> Result<(), ArchiveError> {
    match part(bytes, at, signature.len())? == signature {
        true => Ok(()),
        false => Err(ArchiveError::NoHeader(at)),
    }
}

fn short(bytes: &[u8], at: usize) -> Result<usize, ArchiveError> {
    part(bytes, at, 2).map(|pair| usize::from(u16::from_le_bytes([pair[0], pair[1]])))
}

fn word(bytes: &[u8], at: usize) -> Result<usize, ArchiveError> {
    part(bytes, at, 4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]) as usize)
}

fn part(bytes: &[u8], at: usize, length: usize) -> Result<&[u8], ArchiveError> {
    let end = at.checked_add(length);
    end.and_then(|end| bytes.get(at..end)).ok_or(ArchiveError::Short { at, length })
}
