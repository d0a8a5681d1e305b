//! The sections of version 4.1: nodes and elements in blocks, one for each geometric entity.

use super::numbers::Numbers;
use super::{Contents, shape};
use crate::file_error::{Fault, FileError};
use poinsot_geometry::Vec3;

/// `$Entities`: which physical groups each point, curve, surface and volume is in.
pub(super) fn entities(numbers: &mut Numbers<'_, '_>, contents: &mut Contents) -> Result<(), FileError> {
    let mut counts = [0; 4];
    for count in &mut counts {
        *count = numbers.size("the number of geometric entities")?;
    }
    for (dimension, count) in (0i64..).zip(counts) {
        for _ in 0..count {
            let number = numbers.int("the number of a geometric entity")?;
            // A point has its place, the others have the corners of a box.
            for _ in 0..if dimension == 0 { 3 } else { 6 } {
                numbers.real("a coordinate")?;
            }
            let mut physical = vec![];
            for _ in 0..numbers.size("the number of physical groups")? {
                // The sign tells an orientation.
                physical.push(numbers.int("the number of a physical group")?.saturating_abs());
            }
            if dimension > 0 {
                for _ in 0..numbers.size("the number of bounding entities")? {
                    numbers.int("the number of a bounding entity")?;
                }
            }
            contents.entities.insert((dimension, number), physical);
        }
    }
    Ok(())
}

/// `$Nodes`.
pub(super) fn nodes(numbers: &mut Numbers<'_, '_>, contents: &mut Contents) -> Result<(), FileError> {
    let blocks = numbers.size("the number of blocks")?;
    let total = numbers.size("the number of nodes")?;
    contents.cells.places.reserve(numbers.cursor.at_most(total, 8));
    numbers.size("the least label")?;
    numbers.size("the greatest label")?;
    let mut labels = vec![];
    for _ in 0..blocks {
        let dimension = numbers.int("the dimension of an entity")?;
        numbers.int("the number of an entity")?;
        let parametric = numbers.int("whether there are parameters")? != 0;
        let count = numbers.size("the number of nodes of a block")?;
        labels.clear();
        labels.reserve(numbers.cursor.at_most(count, 2));
        for _ in 0..count {
            labels.push((numbers.place(), numbers.size("the label of a node")?));
        }
        for &(at, label) in &labels {
            let mut place = Vec3::zeros();
            for x in place.iter_mut() {
                *x = numbers.real("a coordinate")?;
            }
            for _ in 0..if parametric { dimension } else { 0 } {
                numbers.real("a parameter")?;
            }
            contents.node(numbers.cursor, at, label, place)?;
        }
    }
    check_total(numbers, "nodes", total, contents.labels.len())
}

/// `$Elements`.
pub(super) fn elements(numbers: &mut Numbers<'_, '_>, contents: &mut Contents) -> Result<(), FileError> {
    let blocks = numbers.size("the number of blocks")?;
    let total = numbers.size("the number of elements")?;
    numbers.size("the least label")?;
    numbers.size("the greatest label")?;
    let mut nodes = vec![];
    for _ in 0..blocks {
        let dimension = numbers.int("the dimension of an entity")?;
        let entity = (dimension, numbers.int("the number of an entity")?);
        let at = numbers.place();
        let kind = numbers.int("a type of elements")?;
        let shape = shape(numbers.cursor, at, kind)?;
        let physical = contents.entities.get(&entity).cloned().unwrap_or_default();
        for _ in 0..numbers.size("the number of elements of a block")? {
            numbers.size("the label of an element")?;
            nodes.clear();
            for _ in 0..shape.nodes() {
                let at = numbers.place();
                let label = numbers.size("the label of a node")?;
                let unknown = || Fault::Unknown { what: "node", label: label.to_string() };
                let place =
                    contents.labels.place(label).ok_or_else(|| numbers.cursor.error_at(at, unknown()))?;
                nodes.push(place as u32);
            }
            contents.cell(shape, &nodes, physical.iter().map(|number| (dimension, *number)));
        }
    }
    check_total(numbers, "elements", total, contents.cells.cells())
}

/// The blocks must have as many things as the section promises.
fn check_total(numbers: &Numbers<'_, '_>, what: &str, said: u64, found: usize) -> Result<(), FileError> {
    if said == found as u64 {
        return Ok(());
    }
    let text = format!("the section promises {said} {what}, its blocks have {found}");
    Err(numbers.cursor.error(Fault::Inconsistent(text)))
}
