//! Gmsh's `.msh`: versions 4.1 and 2.2, text and binary.
//!
//! A physical group becomes a group of its name; one without a name is called by its dimension and number,
//! `surface 2`.

mod numbers;
mod version2;
mod version4;

use super::MeshInput;
use super::cells::{CellMesh, Shape};
use crate::cursor::Cursor;
use crate::file_error::{Fault, FileError};
use crate::labels::Labels;
use crate::mesh::ElementKind;
use numbers::{Form, Numbers};
use poinsot_geometry::Vec3;
use std::collections::BTreeMap;

/// What Gmsh calls a physical group: dimension and number.
type Physical = (i64, i64);

/// What is read of a file so far.
#[derive(Default)]
struct Contents {
    names: BTreeMap<Physical, String>,
    /// Physical groups of each geometric entity, by dimension and number.
    entities: BTreeMap<(i64, i64), Vec<i64>>,
    labels: Labels,
    cells: CellMesh,
    /// Cells of each physical group.
    members: BTreeMap<Physical, Vec<u32>>,
}

/// Reads a mesh that Gmsh has written.
pub fn read_gmsh(file: &str, bytes: &[u8]) -> Result<MeshInput, FileError> {
    let mut cursor = Cursor::new(file, bytes);
    let (version, form) = header(&mut cursor)?;
    let mut contents = Contents::default();
    while let Some(section) = next_section(&mut cursor)? {
        match section {
            "PhysicalNames" => physical_names(&mut cursor, &mut contents)?,
            "PartitionedEntities" => {
                let help =
                    "save the mesh before it is partitioned, or with Mesh.PartitionCreatePhysicals = 0";
                return Err(cursor.unsupported(cursor.at, "a partitioned mesh", help));
            }
            "Entities" | "Nodes" | "Elements" => {
                let mut numbers = Numbers { cursor: &mut cursor, form };
                match (version, section) {
                    (4, "Entities") => version4::entities(&mut numbers, &mut contents)?,
                    (4, "Nodes") => version4::nodes(&mut numbers, &mut contents)?,
                    (4, _) => version4::elements(&mut numbers, &mut contents)?,
                    (_, "Nodes") => version2::nodes(&mut numbers, &mut contents)?,
                    (_, "Elements") => version2::elements(&mut numbers, &mut contents)?,
                    _ => skip(&mut cursor, section)?,
                }
                cursor.binary = false;
            }
            other => skip(&mut cursor, other)?,
        }
        end(&mut cursor, section)?;
    }
    finish(file, contents)
}

/// `$MeshFormat`: version, form, and size of a number.
fn header(cursor: &mut Cursor<'_>) -> Result<(u32, Form), FileError> {
    let start = cursor.at;
    if cursor.word() != Some(b"$MeshFormat") {
        let found = &cursor.bytes[start..cursor.at];
        return Err(cursor.unexpected(start, found.trim_ascii(), "`$MeshFormat`, as a file of Gmsh begins"));
    }
    let version = cursor.expect_word("the version of the format")?;
    let place = cursor.at - version.len();
    let major = match version {
        b"4.1" => 4,
        b"2" | b"2.1" | b"2.2" => 2,
        _ => {
            let what = format!("version {} of the format", crate::cursor::shown(version));
            let help = "save it as version 4.1: `gmsh old.msh -save -format msh41 -o new.msh`";
            return Err(cursor.unsupported(place, what, help));
        }
    };
    let binary = cursor.integer("0 for text, 1 for binary")?;
    let size = cursor.integer("the size of a number")?;
    if size != 8 {
        let what = format!("a file with numbers of {size} bytes");
        return Err(cursor.unsupported(cursor.at, what, "write it on a machine of 64 bits"));
    }
    let form = match binary {
        0 => Form::Text,
        _ => {
            cursor.line();
            match u32::from_le_bytes(cursor.array("the number 1 that tells the order of bytes")?) {
                1 => Form::Little,
                0x0100_0000 => Form::Big,
                _ => {
                    let text = "the number that tells the order of bytes is not 1";
                    return Err(cursor.error_at(cursor.at - 4, Fault::Inconsistent(text.into())));
                }
            }
        }
    };
    end(cursor, "MeshFormat")?;
    Ok((major, form))
}

/// The name of the section that begins here.
fn next_section<'a>(cursor: &mut Cursor<'a>) -> Result<Option<&'a str>, FileError> {
    let Some(word) = cursor.word() else { return Ok(None) };
    let name = word.strip_prefix(b"$").and_then(|name| std::str::from_utf8(name).ok());
    let name = name.ok_or_else(|| cursor.unexpected(cursor.at - word.len(), word, "a section, `$Name`"))?;
    cursor.line();
    Ok(Some(name))
}

/// The end of a section.
fn end(cursor: &mut Cursor<'_>, section: &str) -> Result<(), FileError> {
    let expected = format!("`$End{section}`");
    let word = cursor.expect_word(&expected)?;
    if word.strip_prefix(b"$End") == Some(section.as_bytes()) {
        return Ok(());
    }
    Err(cursor.unexpected(cursor.at - word.len(), word, &expected))
}

/// Goes to the end of a section that is not read.
fn skip(cursor: &mut Cursor<'_>, section: &str) -> Result<(), FileError> {
    let end = format!("$End{section}");
    let found = cursor.rest().windows(end.len()).position(|window| window == end.as_bytes());
    cursor.at += found.ok_or_else(|| cursor.ends(&format!("`{end}`")))?;
    Ok(())
}

/// Lines `dimension number "name"`, text in both forms.
fn physical_names(cursor: &mut Cursor<'_>, contents: &mut Contents) -> Result<(), FileError> {
    for _ in 0..cursor.natural("the number of physical names")? {
        let physical = (cursor.integer("a dimension")?, cursor.integer("the number of a physical group")?);
        let start = cursor.at;
        let line = cursor.line().ok_or_else(|| cursor.ends("a name"))?.trim_ascii();
        let name = line.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\""));
        let name = name.ok_or_else(|| cursor.unexpected(start, line, "a name in quotation marks"))?;
        contents.names.insert(physical, String::from_utf8_lossy(name).into_owned());
    }
    Ok(())
}

impl Contents {
    /// Adds a node.
    fn node(&mut self, cursor: &Cursor<'_>, at: usize, label: u64, place: Vec3) -> Result<(), FileError> {
        let twice = || cursor.error_at(at, Fault::Twice { what: "node", label: label.to_string() });
        self.labels.add(label).ok_or_else(twice)?;
        self.cells.places.push(place);
        Ok(())
    }

    /// Adds a cell whose nodes come in the order of Gmsh.
    fn cell(&mut self, shape: Shape, nodes: &[u32], physical: impl Iterator<Item = Physical>) {
        let cell = self.cells.cells() as u32;
        self.cells.add(shape, order(shape, nodes));
        physical.for_each(|group| self.members.entry(group).or_default().push(cell));
    }
}

/// What a type of element of Gmsh is.
fn shape(cursor: &Cursor<'_>, at: usize, number: i64) -> Result<Shape, FileError> {
    use ElementKind::*;
    let incomplete = "save without nodes inside faces and volumes: Mesh.SecondOrderIncomplete = 1";
    let order = "mesh with elements of order 1 or 2";
    let (what, help) = match number {
        15 => return Ok(Shape::Point),
        8 => return Ok(Shape::Line3),
        1 => return Ok(Shape::Element(Beam2)),
        2 => return Ok(Shape::Element(Tri3)),
        3 => return Ok(Shape::Element(Quad4)),
        4 => return Ok(Shape::Element(Tet4)),
        5 => return Ok(Shape::Element(Hex8)),
        6 => return Ok(Shape::Element(Wedge6)),
        9 => return Ok(Shape::Element(Tri6)),
        11 => return Ok(Shape::Element(Tet10)),
        16 => return Ok(Shape::Element(Quad8)),
        17 => return Ok(Shape::Element(Hex20)),
        18 => return Ok(Shape::Element(Wedge15)),
        10 => ("a quadrilateral of 9 nodes".into(), incomplete),
        12 => ("a hexahedron of 27 nodes".into(), incomplete),
        13 => ("a wedge of 18 nodes".into(), incomplete),
        7 | 14 | 19 => ("a pyramid".into(), "mesh with tetrahedra, hexahedra and wedges alone"),
        _ => (format!("an element of Gmsh's type {number}"), order),
    };
    Err(cursor.unsupported(at, what, help))
}

/// The nodes of a cell in our order. Gmsh counts the edges of its solids from corner to corner.
fn order(shape: Shape, nodes: &[u32]) -> impl Iterator<Item = u32> {
    const TET10: [usize; 10] = [0, 1, 2, 3, 4, 5, 6, 7, 9, 8];
    const HEX20: [usize; 20] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15];
    const WEDGE15: [usize; 15] = [0, 1, 2, 3, 4, 5, 6, 9, 7, 12, 14, 13, 8, 10, 11];
    let order: Option<&'static [usize]> = match shape {
        Shape::Element(ElementKind::Tet10) => Some(&TET10),
        Shape::Element(ElementKind::Hex20) => Some(&HEX20),
        Shape::Element(ElementKind::Wedge15) => Some(&WEDGE15),
        _ => None,
    };
    (0..nodes.len()).map(move |k| nodes[order.map_or(k, |order| order[k])])
}

fn finish(file: &str, contents: Contents) -> Result<MeshInput, FileError> {
    let Contents { names, members, mut cells, labels, .. } = contents;
    for ((dimension, number), mut list) in members {
        let kind = ["point", "curve", "surface", "volume"].get(dimension as usize).unwrap_or(&"group");
        let unnamed = || format!("{kind} {number}");
        let name = names.get(&(dimension, number)).cloned().unwrap_or_else(unnamed);
        cells.group(&name).cells.append(&mut list);
    }
    let finished = cells.finish(file)?;
    let node_labels = finished.node_labels(labels.all());
    Ok(MeshInput::plain(finished.mesh, node_labels, finished.remarks))
}
