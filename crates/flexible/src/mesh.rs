//! A mesh: nodes, elements between them, and groups of both with names.

use poinsot_geometry::Vec3;

/// A mesh of finite elements.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Places of the nodes (m).
    pub nodes: Vec<Vec3>,
    /// The elements.
    pub elements: Vec<MeshElement>,
    /// Groups with names: sections, supports, interfaces.
    pub groups: Vec<Group>,
}

/// An element of a mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeshElement {
    /// What it is.
    pub kind: ElementKind,
    /// Its nodes, in the order of its kind.
    pub nodes: Vec<usize>,
}

/// Nodes and elements with a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// The name.
    pub name: String,
    /// Nodes of the group.
    pub nodes: Vec<usize>,
    /// Elements of the group.
    pub elements: Vec<usize>,
}

/// Shape of an element, with the numbering of its nodes.
///
/// The numbering is that of Abaqus and CalculiX: corners first, then the middles of the edges in the order
/// that is given here, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementKind {
    /// A line for a bar: 1, 2.
    Bar2,
    /// A line for a beam: 1, 2.
    Beam2,
    /// Triangle: 1, 2, 3 around it.
    Tri3,
    /// Triangle as `Tri3`; 4 on 1–2, 5 on 2–3, 6 on 3–1.
    Tri6,
    /// Quadrilateral: 1, 2, 3, 4 around it.
    Quad4,
    /// Quadrilateral as `Quad4`; 5 on 1–2, 6 on 2–3, 7 on 3–4, 8 on 4–1.
    Quad8,
    /// Tetrahedron: 1, 2, 3 counter-clockwise as seen from 4.
    Tet4,
    /// Tetrahedron as `Tet4`; 5 on 1–2, 6 on 2–3, 7 on 3–1, 8 on 1–4, 9 on 2–4, 10 on 3–4.
    Tet10,
    /// Hexahedron: 1, 2, 3, 4 around the base, counter-clockwise as seen from the top, 5 … 8 above them.
    Hex8,
    /// Hexahedron as `Hex8`; 9 … 12 on 1–2, 2–3, 3–4, 4–1, 13 … 16 on 5–6, 6–7, 7–8, 8–5, 17 … 20 on 1–5,
    /// 2–6, 3–7, 4–8.
    Hex20,
    /// Wedge: 1, 2, 3 around the base, counter-clockwise as seen from the top, 4, 5, 6 above them.
    Wedge6,
    /// Wedge as `Wedge6`; 7, 8, 9 on 1–2, 2–3, 3–1, 10, 11, 12 on 4–5, 5–6, 6–4, 13, 14, 15 on 1–4, 2–5, 3–6.
    Wedge15,
}

impl ElementKind {
    /// Number of nodes.
    pub fn nodes(self) -> usize {
        match self {
            ElementKind::Bar2 | ElementKind::Beam2 => 2,
            ElementKind::Tri3 => 3,
            ElementKind::Quad4 | ElementKind::Tet4 => 4,
            ElementKind::Tri6 | ElementKind::Wedge6 => 6,
            ElementKind::Quad8 | ElementKind::Hex8 => 8,
            ElementKind::Tet10 => 10,
            ElementKind::Wedge15 => 15,
            ElementKind::Hex20 => 20,
        }
    }

    /// Dimension: 1 of lines, 2 of faces, 3 of solids.
    pub fn dimension(self) -> usize {
        match self {
            ElementKind::Bar2 | ElementKind::Beam2 => 1,
            ElementKind::Tri3 | ElementKind::Tri6 | ElementKind::Quad4 | ElementKind::Quad8 => 2,
            _ => 3,
        }
    }
}

impl Mesh {
    /// The mesh without nodes that belong to no element, and where each old node went.
    pub fn without_loose_nodes(&self) -> (Mesh, Vec<Option<usize>>) {
        let used = crate::mesh_checks::used_nodes(self, |_| true);
        let mut next = 0..;
        let new: Vec<Option<usize>> =
            used.iter().map(|used| used.then(|| next.next().expect("without end"))).collect();
        let at = |&node: &usize| new.get(node).copied().flatten();
        let renumbered = |nodes: &[usize]| nodes.iter().filter_map(at).collect::<Vec<_>>();
        let elements = self.elements.iter();
        let groups = self.groups.iter();
        let mesh = Mesh {
            nodes: self.nodes.iter().zip(&used).filter(|(_, used)| **used).map(|(place, _)| *place).collect(),
            elements: elements.map(|e| MeshElement { kind: e.kind, nodes: renumbered(&e.nodes) }).collect(),
            groups: groups.map(|g| Group { nodes: renumbered(&g.nodes), ..g.clone() }).collect(),
        };
        (mesh, new)
    }
}
