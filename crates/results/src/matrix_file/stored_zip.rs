//! A zip archive whose entries are stored as they are, without times: equal entries make equal files.
//!
//! ```text
//! for each entry:  local header, name, data
//! then for each:   central header, name
//! last:            end of the directory
//! ```

use std::io::{self, Write};

/// Of the format that a reader must know: 2.0.
const VERSION: u16 = 20;
/// 1 January 1980, the first day of the format.
const DATE: u16 = (1 << 5) | 1;
/// Names are UTF-8.
const UNICODE: u16 = 1 << 11;

/// An archive that is being written.
pub(super) struct StoredZip<W> {
    out: W,
    /// Bytes written so far.
    length: usize,
    directory: Vec<u8>,
    entries: u16,
}

impl<W: Write> StoredZip<W> {
    /// An empty one.
    pub(super) fn new(out: W) -> Self {
        StoredZip { out, length: 0, directory: vec![], entries: 0 }
    }

    /// Adds an entry.
    pub(super) fn add(&mut self, name: &str, data: &[u8]) -> io::Result<()> {
        let (place, size) = (limited(self.length)?, limited(data.len())?);
        let crc = crc32fast::hash(data);
        let flags = if name.is_ascii() { 0 } else { UNICODE };
        // In both headers: version, flags, method, time, date, checksum, sizes, lengths of name and extra.
        let mut common = vec![];
        common.extend([VERSION, flags, 0, 0, DATE].iter().flat_map(|word| word.to_le_bytes()));
        common.extend([crc, size, size].iter().flat_map(|word| word.to_le_bytes()));
        common.extend(short(name.len())?.to_le_bytes());
        common.extend([0; 2]);
        let header = [b"PK\x03\x04", &common[..], name.as_bytes()].concat();
        self.out.write_all(&header)?;
        self.out.write_all(data)?;
        self.length += header.len() + data.len();
        self.directory.extend(b"PK\x01\x02");
        self.directory.extend(VERSION.to_le_bytes());
        self.directory.extend(common);
        // No comment, first disk, no attributes.
        self.directory.extend([0; 10]);
        self.directory.extend(place.to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.entries = self.entries.checked_add(1).ok_or_else(too_large)?;
        Ok(())
    }

    /// Writes the directory.
    pub(super) fn finish(mut self) -> io::Result<()> {
        let (place, size) = (limited(self.length)?, limited(self.directory.len())?);
        self.out.write_all(&self.directory)?;
        self.out.write_all(b"PK\x05\x06\x00\x00\x00\x00")?;
        self.out.write_all(&[self.entries, self.entries].map(u16::to_le_bytes).concat())?;
        self.out.write_all(&[size, place].map(u32::to_le_bytes).concat())?;
        self.out.write_all(&[0; 2])
    }
}

fn limited(bytes: usize) -> io::Result<u32> {
    u32::try_from(bytes).map_err(|_| too_large())
}

fn short(bytes: usize) -> io::Result<u16> {
    u16::try_from(bytes).map_err(|_| too_large())
}

fn too_large() -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, "a zip archive holds 4 GiB and 65535 arrays")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_those_of_the_format() {
        let mut bytes = vec![];
        let mut archive = StoredZip::new(&mut bytes);
        archive.add("a.npy", b"abc").unwrap();
        archive.add("λ.npy", b"").unwrap();
        archive.finish().unwrap();
        // Local headers of 30 bytes, central ones of 46, an end of 22.
        assert_eq!(bytes.len(), (30 + 5 + 3) + (30 + 6) + (46 + 5) + (46 + 6) + 22);
        assert_eq!(&bytes[..4], b"PK\x03\x04");
        assert_eq!(bytes[14..18], 0x352441C2u32.to_le_bytes(), "the checksum of abc");
        assert_eq!(&bytes[30..38], b"a.npyabc");
        assert_eq!(bytes[38 + 6..38 + 8], UNICODE.to_le_bytes());
        let end = &bytes[bytes.len() - 22..];
        assert_eq!((&end[..4], end[10], end[16]), (&b"PK\x05\x06"[..], 2, 38 + 36));
    }

    #[test]
    fn what_is_too_large_is_refused() {
        let mut archive = StoredZip::new(io::sink());
        archive.length = 1 << 32;
        assert_eq!(archive.add("a", b"").unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert!(archive.finish().is_err());
    }
}
