//! The sections of version 2.2: nodes and elements in one list each; the first tag of an element is its
//! physical group.

use super::numbers::{Form, Numbers};
use super::{Contents, shape};
use crate::file_error::{Fault, FileError};
use poinsot_geometry::Vec3;

/// `$Nodes`.
pub(super) fn nodes(numbers: &mut Numbers<'_, '_>, contents: &mut Contents) -> Result<(), FileError> {
    let count = counted(numbers, "the number of nodes")?;
    contents.cells.places.reserve(numbers.cursor.at_most(count, 8));
    for _ in 0..count {
        let at = numbers.place();
        let label = numbers.small_label("the label of a node")?;
        let mut place = Vec3::zeros();
        for x in place.iter_mut() {
            *x = numbers.real("a coordinate")?;
        }
        contents.node(numbers.cursor, at, label, place)?;
    }
    Ok(())
}

/// `$Elements`. As text each element has its own type and number of tags, in binary files blocks have.
pub(super) fn elements(numbers: &mut Numbers<'_, '_>, contents: &mut Contents) -> Result<(), FileError> {
    let count = counted(numbers, "the number of elements")?;
    let mut done = 0;
    while done < count {
        if numbers.form == Form::Text {
            numbers.int("the label of an element")?;
        }
        let at = numbers.place();
        let kind = numbers.int("a type of elements")?;
        let block = match numbers.form {
            Form::Text => 1,
            _ => numbers.small_label("the number of elements of a block")?.max(1),
        };
        let tags = numbers.small_label("the number of tags")?;
        for _ in 0..block {
            element(numbers, contents, (at, kind), tags)?;
        }
        done += block;
    }
    Ok(())
}

fn element(
    numbers: &mut Numbers<'_, '_>,
    contents: &mut Contents,
    (at, kind): (usize, i64),
    tags: u64,
) -> Result<(), FileError> {
    let shape = shape(numbers.cursor, at, kind)?;
    if numbers.form != Form::Text {
        numbers.int("the label of an element")?;
    }
    let mut physical = None;
    for tag in 0..tags {
        let value = numbers.int("a tag of an element")?;
        if tag == 0 && value != 0 {
            physical = Some((shape.dimension() as i64, value.saturating_abs()));
        }
    }
    let mut nodes = vec![];
    for _ in 0..shape.nodes() {
        let at = numbers.place();
        let label = numbers.small_label("the label of a node")?;
        let unknown = || Fault::Unknown { what: "node", label: label.to_string() };
        let place = contents.labels.place(label).ok_or_else(|| numbers.cursor.error_at(at, unknown()))?;
        nodes.push(place as u32);
    }
    contents.cell(shape, &nodes, physical.into_iter());
    Ok(())
}

/// A number in a line of its own: text in both forms.
fn counted(numbers: &mut Numbers<'_, '_>, expected: &str) -> Result<u64, FileError> {
    let count = numbers.cursor.natural(expected)?;
    numbers.cursor.line();
    Ok(count)
}
