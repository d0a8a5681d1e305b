//! The XML format: arrays as text, as base64, or appended behind everything else; plain or compressed by
//! zlib.
//!
//! Appended bytes are not XML. Tags are therefore looked for one after the other, up to that place.

use super::{Grid, MeshInput};
use crate::cursor::{Cursor, shown};
use crate::file_error::{Fault, FileError};
use crate::number_type::Type;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::io::Read;

/// A tag: its name, its attributes and where it begins; closing tags have a name with `/`.
struct Tag<'a> {
    name: &'a str,
    attributes: Vec<(&'a str, &'a str)>,
    at: usize,
    /// Whether it closes itself.
    empty: bool,
}

impl<'a> Tag<'a> {
    fn attribute(&self, key: &str) -> Option<&'a str> {
        self.attributes.iter().find(|(name, _)| *name == key).map(|(_, value)| *value)
    }
}

/// How the bytes of arrays are written.
struct Coding<'a> {
    big: bool,
    /// Size of the numbers of heads.
    head: usize,
    compressed: bool,
    /// What is appended, and whether as base64.
    appended: Option<(&'a [u8], bool)>,
}

/// Reads an XML file of VTK with an unstructured grid.
pub fn read_vtu(file: &str, bytes: &[u8]) -> Result<MeshInput, FileError> {
    let mut cursor = Cursor::new(file, bytes);
    let coding = coding(&mut cursor)?;
    let mut grid = Grid::default();
    let mut part = Grid::default();
    let mut section = "";
    while let Some(tag) = next_tag(&mut cursor)? {
        match tag.name {
            "AppendedData" => break,
            "Points" | "Cells" | "CellData" | "PointData" => section = tag.name,
            "/Points" | "/Cells" | "/CellData" | "/PointData" => section = "",
            "/Piece" => join(&mut grid, std::mem::take(&mut part)),
            "DataArray" if ["Points", "Cells", "CellData"].contains(&section) => {
                array(&cursor, &coding, &tag, section, &mut part)?;
            }
            _ => {}
        }
    }
    grid.finish(&cursor)
}

/// Adds a piece to a grid: its points are counted behind those that are there.
fn join(grid: &mut Grid, part: Grid) {
    let (points, cells) = ((grid.points.len() / 3) as i64, grid.types.len());
    let before = grid.connections.len() as i64;
    grid.points.extend(part.points);
    grid.connections.extend(part.connections.iter().map(|point| point.saturating_add(points)));
    grid.ends.extend(part.ends.iter().map(|end| end.saturating_add(before)));
    grid.types.extend(part.types);
    for (name, values) in part.numbers {
        match grid.numbers.iter_mut().find(|(known, _)| *known == name) {
            Some((_, list)) => list.extend(values),
            None if cells == 0 => grid.numbers.push((name, values)),
            None => {}
        }
    }
}

/// The next tag; comments and declarations are passed.
fn next_tag<'a>(cursor: &mut Cursor<'a>) -> Result<Option<Tag<'a>>, FileError> {
    loop {
        let rest = cursor.rest();
        let Some(start) = rest.iter().position(|byte| *byte == b'<') else { return Ok(None) };
        let at = cursor.at + start;
        let rest = &rest[start..];
        let end: &[u8] = if rest.starts_with(b"<!--") { b"-->" } else { b">" };
        let length = rest.windows(end.len()).position(|window| window == end);
        let length = length.ok_or_else(|| cursor.ends("the end of a tag"))?;
        cursor.at = at + length + end.len();
        if rest.starts_with(b"<!") || rest.starts_with(b"<?") {
            continue;
        }
        let inside = &rest[1..length.max(1)];
        let text = std::str::from_utf8(inside).map_err(|_| cursor.unexpected(at, inside, "a tag"))?;
        let (text, empty) = text.strip_suffix('/').map_or((text, false), |text| (text, true));
        let name = text.split_whitespace().next().unwrap_or_default();
        return Ok(Some(Tag { name, attributes: attributes(&text[name.len()..]), at, empty }));
    }
}

/// `key="value"` one after the other.
fn attributes(text: &str) -> Vec<(&str, &str)> {
    let mut found = vec![];
    let mut rest = text;
    while let Some((key, after)) = rest.split_once('=') {
        let after = after.trim_start();
        let Some(quote) = after.chars().next().filter(|quote| "\"'".contains(*quote)) else { break };
        let Some((value, next)) = after[1..].split_once(quote) else { break };
        found.push((key.trim(), value));
        rest = next;
    }
    found
}

/// `<VTKFile …>`, and what is appended.
fn coding<'a>(cursor: &mut Cursor<'a>) -> Result<Coding<'a>, FileError> {
    let expected = "`<VTKFile type=\"UnstructuredGrid\" …>`";
    let tag = next_tag(cursor)?.ok_or_else(|| cursor.ends(expected))?;
    if tag.name != "VTKFile" {
        return Err(cursor.unexpected(tag.at, tag.name.as_bytes(), expected));
    }
    let kind = tag.attribute("type").unwrap_or_default();
    if kind != "UnstructuredGrid" {
        let what = format!("a file of type {}", shown(kind.as_bytes()));
        return Err(cursor.unsupported(tag.at, what, "write an unstructured grid"));
    }
    let compressor = tag.attribute("compressor");
    if let Some(name) = compressor.filter(|name| *name != "vtkZLibDataCompressor") {
        let what = format!("the compressor {}", shown(name.as_bytes()));
        return Err(cursor.unsupported(
            tag.at,
            what,
            "write with vtkZLibDataCompressor or without compression",
        ));
    }
    let head = if tag.attribute("header_type") == Some("UInt64") { 8 } else { 4 };
    let big = tag.attribute("byte_order") == Some("BigEndian");
    Ok(Coding { big, head, compressed: compressor.is_some(), appended: appended(cursor) })
}

/// The bytes behind the underscore of `<AppendedData>`.
fn appended<'a>(cursor: &Cursor<'a>) -> Option<(&'a [u8], bool)> {
    let rest = cursor.rest();
    let start = rest.windows(13).position(|window| window == b"<AppendedData")?;
    let mut inside = Cursor { at: cursor.at + start, ..cursor.clone() };
    let tag = next_tag(&mut inside).ok()??;
    let rest = inside.rest();
    let data = &rest[rest.iter().position(|byte| *byte == b'_')? + 1..];
    Some((data, tag.attribute("encoding") != Some("raw")))
}

/// Reads an array into its place.
fn array(
    cursor: &Cursor<'_>,
    coding: &Coding<'_>,
    tag: &Tag<'_>,
    section: &str,
    grid: &mut Grid,
) -> Result<(), FileError> {
    let wrong = |text: &str| cursor.error_at(tag.at, Fault::Inconsistent(text.to_owned()));
    let kind = tag.attribute("type").and_then(|name| Type::named(name.as_bytes()));
    let name = tag.attribute("Name").unwrap_or_default();
    let components = tag.attribute("NumberOfComponents").unwrap_or("1");
    let group = section == "CellData" && components == "1" && kind.is_some_and(Type::is_whole);
    if section == "CellData" && !group {
        return Ok(());
    }
    let kind = kind.ok_or_else(|| wrong("the type of the array is not known"))?;
    if section == "Points" {
        if components != "3" {
            return Err(wrong("points have three components"));
        }
        let reals = numbers(
            cursor,
            coding,
            tag,
            kind,
            |text| text.parse().ok(),
            |bytes| Some(kind.real(bytes, coding.big)),
        )?;
        if !reals.iter().all(|value: &f64| value.is_finite()) {
            return Err(wrong("a coordinate is not finite"));
        }
        grid.points = reals;
        return Ok(());
    }
    let whole = |bytes: &[u8]| kind.whole(bytes, coding.big);
    let values = numbers(cursor, coding, tag, kind, |text| text.parse().ok(), whole)?;
    match (section, name) {
        ("CellData", _) => grid.numbers.push((name.to_owned(), values)),
        (_, "connectivity") => grid.connections = values,
        (_, "offsets") => grid.ends = values,
        (_, "types") => grid.types = values,
        _ => {}
    }
    Ok(())
}

/// The numbers of an array.
fn numbers<T>(
    cursor: &Cursor<'_>,
    coding: &Coding<'_>,
    tag: &Tag<'_>,
    kind: Type,
    of_text: impl Fn(&str) -> Option<T>,
    of_bytes: impl Fn(&[u8]) -> Option<T>,
) -> Result<Vec<T>, FileError> {
    let wrong = |text: &str| cursor.error_at(tag.at, Fault::Inconsistent(text.to_owned()));
    let format = tag.attribute("format").unwrap_or("ascii");
    let content = if tag.empty { &[][..] } else { inside(cursor) };
    if format == "ascii" {
        let mut words =
            Cursor { at: cursor.at, bytes: &cursor.bytes[..cursor.at + content.len()], ..cursor.clone() };
        let mut values = vec![];
        while let Some(word) = words.word() {
            let value = std::str::from_utf8(word).ok().and_then(&of_text);
            values.push(value.ok_or_else(|| words.unexpected(words.at - word.len(), word, "a number"))?);
        }
        return Ok(values);
    }
    let bytes = match format {
        "binary" => decode(coding, content.trim_ascii(), true),
        "appended" => coding.appended.and_then(|(data, base64)| {
            let offset = tag.attribute("offset").and_then(|offset| offset.parse().ok()).unwrap_or(0);
            decode(coding, data.get(offset..)?, base64)
        }),
        _ => return Err(wrong("the format of an array is ascii, binary or appended")),
    };
    let bytes = bytes.ok_or_else(|| wrong("the bytes of the array are not whole"))?;
    let values = bytes.chunks_exact(kind.size()).map(of_bytes).collect::<Option<_>>();
    values.ok_or_else(|| wrong("the array has numbers that are not whole"))
}

/// What stands before the next tag.
fn inside<'a>(cursor: &Cursor<'a>) -> &'a [u8] {
    let rest = cursor.rest();
    &rest[..rest.iter().position(|byte| *byte == b'<').unwrap_or(rest.len())]
}

/// The bytes of an array. Plain ones come after their number. Compressed ones come in blocks after a head:
///
/// ```text
/// number of blocks, size of a block, size of the last one if it is shorter, compressed size of each
/// ```
/// In base64 a compressed head is a text of its own.
fn decode(coding: &Coding<'_>, data: &[u8], base64: bool) -> Option<Vec<u8>> {
    let head = coding.head;
    let number = |bytes: &[u8]| usize::try_from(Type::Unsigned(head).whole(bytes, coding.big)?).ok();
    if !coding.compressed {
        let length = number(&some_bytes(data, head, base64)?)?;
        let mut bytes = some_bytes(data, head.checked_add(length)?, base64)?;
        bytes.drain(..head);
        return Some(bytes);
    }
    let blocks = number(&some_bytes(data, head, base64)?)?;
    let length = blocks.checked_add(3)?.checked_mul(head)?;
    let sizes = some_bytes(data, length, base64)?;
    let sizes: Vec<usize> = sizes.chunks_exact(head).map(number).collect::<Option<_>>()?;
    let start = if base64 { length.div_ceil(3).checked_mul(4)? } else { length };
    let total = sizes[3..].iter().try_fold(0usize, |sum, size| sum.checked_add(*size))?;
    let packed = some_bytes(data.get(start..)?, total, base64)?;
    let (mut unpacked, mut rest) = (vec![], packed.as_slice());
    for (block, size) in sizes[3..].iter().enumerate() {
        let (now, after) = rest.split_at_checked(*size)?;
        let last = block + 1 == blocks && sizes[2] > 0;
        let expected = if last { sizes[2] } else { sizes[1] };
        let before = unpacked.len();
        flate2::read::ZlibDecoder::new(now).take(expected as u64).read_to_end(&mut unpacked).ok()?;
        if unpacked.len() - before != expected {
            return None;
        }
        rest = after;
    }
    Some(unpacked)
}

/// The first bytes of data that may be base64.
fn some_bytes(data: &[u8], count: usize, base64: bool) -> Option<Vec<u8>> {
    if !base64 {
        return Some(data.get(..count)?.to_vec());
    }
    let text = data.get(..count.div_ceil(3).checked_mul(4)?)?;
    let mut bytes = STANDARD.decode(text).ok()?;
    (bytes.len() >= count).then(|| {
        bytes.truncate(count);
        bytes
    })
}
