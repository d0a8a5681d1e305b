//! VTK's unstructured grids: legacy `.vtk` and XML `.vtu`, text and binary.
//!
//! VTK has no names of groups. Whole numbers of cells, as programs write them for materials and geometric
//! entities, become groups `array = value`.

mod legacy;
mod xml;

pub use legacy::read_vtk;
pub use xml::read_vtu;

use super::MeshInput;
use super::cells::{CellMesh, Shape};
use crate::cursor::Cursor;
use crate::file_error::{Fault, FileError};
use crate::mesh::ElementKind::{self, *};
use poinsot_geometry::Vec3;
use std::collections::BTreeMap;

/// A numbering of cells with more values than this is not one of groups.
const MOST_GROUPS: usize = 256;

/// An unstructured grid as VTK has it.
#[derive(Default)]
struct Grid {
    /// Coordinates of the points, one after the other.
    points: Vec<f64>,
    connections: Vec<i64>,
    /// Where the points of each cell end.
    ends: Vec<i64>,
    types: Vec<i64>,
    /// Whole numbers of the cells, by name.
    numbers: Vec<(String, Vec<i64>)>,
}

impl Grid {
    /// The mesh of the grid.
    fn finish(self, cursor: &Cursor<'_>) -> Result<MeshInput, FileError> {
        let wrong = |text: String| FileError::whole(cursor.file, Fault::Inconsistent(text));
        let (cells, count) = (self.types.len(), self.points.len() / 3);
        if self.ends.len() != cells {
            return Err(wrong(format!("there are {cells} types of cells and {} cells", self.ends.len())));
        }
        let points = self.points.chunks_exact(3).map(|p| Vec3::new(p[0], p[1], p[2]));
        let mut mesh = CellMesh::new(points.collect());
        let mut start = 0;
        for (cell, (kind, end)) in self.types.iter().zip(&self.ends).enumerate() {
            let range = usize::try_from(*end).ok().and_then(|end| self.connections.get(start..end));
            let nodes = range.ok_or_else(|| wrong(format!("the points of cell {cell} end at {end}")))?;
            start += nodes.len();
            let (shape, order) = shape(*kind).map_err(|fault| FileError::whole(cursor.file, fault))?;
            if nodes.len() != shape.nodes() {
                let text = format!(
                    "cell {cell} of type {kind} has {} points instead of {}",
                    nodes.len(),
                    shape.nodes()
                );
                return Err(wrong(text));
            }
            if let Some(node) = nodes.iter().find(|node| !(0..count as i64).contains(node)) {
                return Err(wrong(format!("cell {cell} has point {node}, but there are {count}")));
            }
            mesh.add(shape, (0..nodes.len()).map(|k| nodes[order.map_or(k, |order| order[k])] as u32));
            orient_wedge(&mut mesh, cell);
        }
        for (name, values) in self.numbers.iter().filter(|(_, values)| values.len() == cells) {
            group(&mut mesh, name, values);
        }
        let finished = mesh.finish(cursor.file)?;
        let labels: Vec<u64> = (0..count as u64).collect();
        let node_labels = finished.node_labels(&labels);
        Ok(MeshInput::plain(finished.mesh, node_labels, finished.remarks))
    }
}

/// Groups of cells with equal numbers.
fn group(mesh: &mut CellMesh, name: &str, values: &[i64]) {
    let mut groups: BTreeMap<i64, Vec<u32>> = BTreeMap::new();
    for (cell, value) in (0..).zip(values) {
        groups.entry(*value).or_default().push(cell);
        if groups.len() > MOST_GROUPS {
            return;
        }
    }
    groups.into_iter().for_each(|(value, cells)| mesh.group(&format!("{name} = {value}")).cells = cells);
}

/// What a type of cell is, and the order of its nodes if it is not ours.
fn shape(kind: i64) -> Result<(Shape, Option<&'static [usize]>), Fault> {
    let element = |kind: ElementKind| Ok((Shape::Element(kind), None));
    match kind {
        1 => Ok((Shape::Point, None)),
        3 => element(Beam2),
        5 => element(Tri3),
        8 => Ok((Shape::Element(Quad4), Some(&[0, 1, 3, 2]))),
        9 => element(Quad4),
        10 => element(Tet4),
        11 => Ok((Shape::Element(Hex8), Some(&[0, 1, 3, 2, 4, 5, 7, 6]))),
        12 => element(Hex8),
        13 => element(Wedge6),
        21 => Ok((Shape::Line3, None)),
        22 => element(Tri6),
        23 => element(Quad8),
        24 => element(Tet10),
        25 => element(Hex20),
        26 => element(Wedge15),
        _ => {
            let what = match kind {
                14 | 27 | 37 => "a pyramid".to_owned(),
                28 => "a quadrilateral of 9 nodes".to_owned(),
                29 => "a hexahedron of 27 nodes".to_owned(),
                _ => format!("a cell of VTK's type {kind}"),
            };
            let help =
                "use tetrahedra, hexahedra of 8 or 20 nodes, wedges of 6 or 15, triangles, quadrilaterals";
            Err(Fault::Unsupported { what, help: help.into() })
        }
    }
}

/// Writers do not agree whether the first triangle of a wedge is seen counter-clockwise from inside or from
/// outside. The volume tells.
fn orient_wedge(mesh: &mut CellMesh, cell: usize) {
    let Shape::Element(Wedge6 | Wedge15) = mesh.shape(cell) else { return };
    let x: Vec<Vec3> = mesh.nodes(cell)[..6].iter().map(|node| mesh.places[*node as usize]).collect();
    let up = (x[3] + x[4] + x[5]) - (x[0] + x[1] + x[2]);
    if (x[1] - x[0]).cross(&(x[2] - x[0])).dot(&up) >= 0.0 {
        return;
    }
    let nodes = mesh.nodes_mut(cell);
    let pairs: &[(usize, usize)] = match nodes.len() {
        6 => &[(1, 2), (4, 5)],
        _ => &[(1, 2), (4, 5), (6, 8), (9, 11), (13, 14)],
    };
    pairs.iter().for_each(|(a, b)| nodes.swap(*a, *b));
}
