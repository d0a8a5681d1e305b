//! The cells of a mesh file, and the mesh that is made of them.
//!
//! Files hold cells that are no part of the structure: the triangles on the surface of a solid, the lines
//! along their edges, points at corners. They say which nodes a group has. A cell is such a *boundary cell*
//! if one cell of higher dimension has all its nodes, unless the file gives it a section.

use crate::file_error::{Fault, FileError, Remark};
use crate::mesh::{ElementKind, Group, Mesh, MeshElement};
use poinsot_geometry::Vec3;

/// What a cell of a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A node alone.
    Point,
    /// A line with a node in the middle: the edge of a quadratic element.
    Line3,
    /// What can be an element.
    Element(ElementKind),
}

impl Shape {
    pub fn nodes(self) -> usize {
        match self {
            Shape::Point => 1,
            Shape::Line3 => 3,
            Shape::Element(kind) => kind.nodes(),
        }
    }

    pub fn dimension(self) -> usize {
        match self {
            Shape::Point => 0,
            Shape::Line3 => 1,
            Shape::Element(kind) => kind.dimension(),
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    shape: Shape,
    /// Where its nodes begin.
    start: usize,
    /// Whether the file says that it is a part of the structure.
    declared: bool,
}

/// A group of a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct CellGroup {
    pub name: String,
    /// Nodes besides those of the cells.
    pub nodes: Vec<u32>,
    pub cells: Vec<u32>,
}

/// Nodes, cells and groups of a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct CellMesh {
    pub places: Vec<Vec3>,
    cells: Vec<Cell>,
    connections: Vec<u32>,
    pub groups: Vec<CellGroup>,
}

/// A mesh of cells, and where its elements come from.
#[derive(Clone, Debug)]
pub(crate) struct FinishedMesh {
    pub mesh: Mesh,
    /// The element that each cell has become.
    pub element_of_cell: Vec<Option<usize>>,
    /// The node that each place has become.
    pub node_of_place: Vec<Option<usize>>,
    pub remarks: Vec<Remark>,
}

impl FinishedMesh {
    /// The labels of the nodes, by those of the places.
    pub fn node_labels(&self, labels: &[u64]) -> Vec<u64> {
        let kept = labels.iter().zip(&self.node_of_place).filter(|(_, node)| node.is_some());
        kept.map(|(label, _)| *label).collect()
    }
}

impl CellMesh {
    /// Places without cells.
    pub fn new(places: Vec<Vec3>) -> Self {
        CellMesh { places, ..CellMesh::default() }
    }

    pub fn add(&mut self, shape: Shape, nodes: impl Iterator<Item = u32>) {
        self.cells.push(Cell { shape, start: self.connections.len(), declared: false });
        self.connections.extend(nodes);
    }

    pub fn cells(&self) -> usize {
        self.cells.len()
    }

    pub fn shape(&self, cell: usize) -> Shape {
        self.cells[cell].shape
    }

    pub fn nodes(&self, cell: usize) -> &[u32] {
        let Cell { shape, start, .. } = self.cells[cell];
        &self.connections[start..start + shape.nodes()]
    }

    pub fn nodes_mut(&mut self, cell: usize) -> &mut [u32] {
        let Cell { shape, start, .. } = self.cells[cell];
        &mut self.connections[start..start + shape.nodes()]
    }

    /// Says that a cell is a part of the structure.
    pub fn declare(&mut self, cell: usize) {
        self.cells[cell].declared = true;
    }

    /// The group of a name, a new one if there is none: equal names are one group.
    pub fn group(&mut self, name: &str) -> &mut CellGroup {
        let known = self.groups.iter().position(|group| group.name == name);
        let k = known.unwrap_or_else(|| {
            self.groups.push(CellGroup { name: name.to_owned(), ..CellGroup::default() });
            self.groups.len() - 1
        });
        &mut self.groups[k]
    }

    /// The mesh of all cells that belong to the structure.
    pub fn finish(self, file: &str) -> Result<FinishedMesh, FileError> {
        let structural = self.structural();
        let mut node_of_place = vec![None; self.places.len()];
        for cell in (0..self.cells.len()).filter(|cell| structural[*cell]) {
            self.nodes(cell).iter().for_each(|node| node_of_place[*node as usize] = Some(0));
        }
        let mut nodes = vec![];
        for (place, node) in self.places.iter().zip(&mut node_of_place).filter(|(_, node)| node.is_some()) {
            *node = Some(nodes.len());
            nodes.push(*place);
        }
        let mut elements = vec![];
        let mut element_of_cell = vec![None; self.cells.len()];
        for cell in (0..self.cells.len()).filter(|cell| structural[*cell]) {
            let Shape::Element(kind) = self.cells[cell].shape else {
                return Err(FileError::whole(file, not_an_element(self.cells[cell].shape)));
            };
            element_of_cell[cell] = Some(elements.len());
            let nodes = self.nodes(cell).iter().filter_map(|node| node_of_place[*node as usize]).collect();
            elements.push(MeshElement { kind, nodes });
        }
        if elements.is_empty() {
            return Err(FileError::whole(file, Fault::Inconsistent("the file has no elements".into())));
        }
        let groups =
            self.groups.iter().map(|group| self.finished_group(group, &node_of_place, &element_of_cell));
        let groups: Vec<Group> = groups.collect();
        let remarks = self.remarks(file, &groups, nodes.len());
        Ok(FinishedMesh { mesh: Mesh { nodes, elements, groups }, element_of_cell, node_of_place, remarks })
    }

    fn finished_group(
        &self,
        group: &CellGroup,
        nodes: &[Option<usize>],
        elements: &[Option<usize>],
    ) -> Group {
        let of_cells = group.cells.iter().flat_map(|cell| self.nodes(*cell as usize));
        let all = of_cells.chain(&group.nodes).filter_map(|node| nodes[*node as usize]);
        let elements = group.cells.iter().filter_map(|cell| elements[*cell as usize]);
        Group { name: group.name.clone(), nodes: sorted(all.collect()), elements: sorted(elements.collect()) }
    }

    fn remarks(&self, file: &str, groups: &[Group], used: usize) -> Vec<Remark> {
        let remark = |text| Remark { file: file.to_owned(), line: None, text };
        let unused = self.places.len() - used;
        let nodes =
            (unused > 0).then(|| remark(format!("{unused} nodes belong to no element and are left out")));
        let empty = groups.iter().filter(|group| group.nodes.is_empty());
        let empty = empty.map(|group| remark(format!("group `{}` has no node of the structure", group.name)));
        nodes.into_iter().chain(empty).collect()
    }

    /// Whether each cell is a part of the structure.
    fn structural(&self) -> Vec<bool> {
        let highest = self.cells.iter().map(|cell| cell.shape.dimension()).max().unwrap_or(0);
        let lower = |cell: &usize| self.cells[*cell].shape.dimension() < highest;
        let mut structural = vec![true; self.cells.len()];
        if !(0..self.cells.len()).any(|cell| lower(&cell)) {
            return structural;
        }
        let around = self.cells_around_lower_nodes(highest);
        for cell in (0..self.cells.len()).filter(lower) {
            let point = self.cells[cell].shape == Shape::Point;
            structural[cell] = self.cells[cell].declared || !point && !self.is_boundary(cell, &around);
        }
        structural
    }

    /// For each node of a cell that is not of the highest dimension: the cells of two or three dimensions
    /// that have it. As starts of lists, and the lists.
    fn cells_around_lower_nodes(&self, highest: usize) -> (Vec<u32>, Vec<u32>) {
        let mut wanted = vec![false; self.places.len()];
        let dimension = |cell: usize| self.cells[cell].shape.dimension();
        for cell in (0..self.cells.len()).filter(|cell| dimension(*cell) < highest) {
            self.nodes(cell).iter().for_each(|node| wanted[*node as usize] = true);
        }
        let pairs = || {
            let large = (0..self.cells.len()).filter(|cell| dimension(*cell) >= 2);
            let pair = |cell: usize| self.nodes(cell).iter().map(move |node| (*node as usize, cell as u32));
            large.flat_map(pair).filter(|(node, _)| wanted[*node])
        };
        let mut starts = vec![0u32; self.places.len() + 1];
        pairs().for_each(|(node, _)| starts[node + 1] += 1);
        (0..self.places.len()).for_each(|node| starts[node + 1] += starts[node]);
        let mut next = starts.clone();
        let mut lists = vec![0; starts.last().map_or(0, |end| *end as usize)];
        for (node, cell) in pairs() {
            lists[next[node] as usize] = cell;
            next[node] += 1;
        }
        (starts, lists)
    }

    /// Whether one cell of higher dimension has all nodes of this one.
    fn is_boundary(&self, cell: usize, (starts, lists): &(Vec<u32>, Vec<u32>)) -> bool {
        let (nodes, dimension) = (self.nodes(cell), self.cells[cell].shape.dimension());
        let first = nodes[0] as usize;
        lists[starts[first] as usize..starts[first + 1] as usize].iter().any(|other| {
            let other = *other as usize;
            let higher = self.cells[other].shape.dimension() > dimension;
            higher && nodes.iter().all(|node| self.nodes(other).contains(node))
        })
    }
}

fn not_an_element(shape: Shape) -> Fault {
    let (what, help) = match shape {
        Shape::Point => ("a mesh of points alone", "mesh lines, faces or volumes"),
        _ => ("a line with a node in the middle", "mesh lines with two nodes: order 1"),
    };
    Fault::Unsupported { what: what.into(), help: help.into() }
}

fn sorted(mut list: Vec<usize>) -> Vec<usize> {
    list.sort_unstable();
    list.dedup();
    list
}
