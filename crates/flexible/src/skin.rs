//! What is seen of a body: the outer faces of its solids, its shells and plane faces, its lines.

use crate::{ElementKind, Mesh, MeshElement};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::f64::consts::PI;

/// Triangles and lines between the nodes of a body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Skin {
    /// Triangles, counter-clockwise as seen from outside.
    pub triangles: Vec<[usize; 3]>,
    /// Lines, each with the radius of a round section of the same area (m).
    pub lines: Vec<([usize; 2], f64)>,
}

impl Skin {
    /// Of some elements of a mesh; `area` is that of the section of a line.
    pub fn of(mesh: &Mesh, elements: impl Iterator<Item = usize>, area: impl Fn(usize) -> f64) -> Skin {
        let mut skin = Skin::default();
        let mut faces = vec![];
        for index in elements {
            let element = &mesh.elements[index];
            match element.kind.dimension() {
                1 => skin.lines.push(([element.nodes[0], element.nodes[1]], (area(index) / PI).sqrt())),
                2 => faces.push((index, &[0, 1, 2, 3][..corners(element.kind)])),
                _ => faces.extend(faces_of(element.kind).iter().map(|&face| (index, face))),
            }
        }
        let key = |&(index, face): &(usize, &[usize])| {
            let mut nodes: Vec<usize> = face.iter().map(|&k| mesh.elements[index].nodes[k]).collect();
            nodes.sort_unstable();
            nodes
        };
        let mut count: HashMap<Vec<usize>, usize> = HashMap::new();
        faces.iter().for_each(|face| *count.entry(key(face)).or_default() += 1);
        // What two elements share is inside.
        for (index, face) in faces.iter().filter(|face| count[&key(face)] == 1) {
            skin.triangles.extend(triangles(&mesh.elements[*index], face));
        }
        skin
    }
}

/// Number of corners of a face.
fn corners(kind: ElementKind) -> usize {
    match kind {
        ElementKind::Tri3 | ElementKind::Tri6 => 3,
        _ => 4,
    }
}

/// Corners of the faces of a solid, counter-clockwise as seen from outside.
fn faces_of(kind: ElementKind) -> &'static [&'static [usize]] {
    match kind {
        ElementKind::Tet4 | ElementKind::Tet10 => &[&[0, 2, 1], &[0, 1, 3], &[1, 2, 3], &[2, 0, 3]],
        ElementKind::Hex8 | ElementKind::Hex20 => {
            &[&[0, 3, 2, 1], &[4, 5, 6, 7], &[0, 1, 5, 4], &[1, 2, 6, 5], &[2, 3, 7, 6], &[3, 0, 4, 7]]
        }
        ElementKind::Wedge6 | ElementKind::Wedge15 => {
            &[&[0, 2, 1], &[3, 4, 5], &[0, 1, 4, 3], &[1, 2, 5, 4], &[2, 0, 3, 5]]
        }
        _ => &[],
    }
}

/// Ends of the edges in whose middles nodes are, in the order of these.
fn edges_of(kind: ElementKind) -> (usize, &'static [[usize; 2]]) {
    match kind {
        ElementKind::Tri6 => (3, &[[0, 1], [1, 2], [2, 0]]),
        ElementKind::Quad8 => (4, &[[0, 1], [1, 2], [2, 3], [3, 0]]),
        ElementKind::Tet10 => (4, &[[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]]),
        ElementKind::Hex20 => (
            8,
            &[[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4], [0, 4], [1, 5], [2, 6], [3, 7]],
        ),
        ElementKind::Wedge15 => {
            (6, &[[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3], [0, 3], [1, 4], [2, 5]])
        }
        _ => (0, &[]),
    }
}

/// The triangles of a face. With nodes in the middles of its edges: one at each corner, and what is left.
fn triangles(element: &MeshElement, face: &[usize]) -> Vec<[usize; 3]> {
    let (first, edges) = edges_of(element.kind);
    let middle = |a: usize, b: usize| {
        let edge = edges.iter().position(|&edge| edge == [a, b] || edge == [b, a])?;
        Some(element.nodes[first + edge])
    };
    let n = face.len();
    let corner: Vec<usize> = face.iter().map(|&k| element.nodes[k]).collect();
    let fan = |ring: &[usize]| (2..ring.len()).map(|k| [ring[0], ring[k - 1], ring[k]]).collect::<Vec<_>>();
    let middles: Option<Vec<usize>> = (0..n).map(|k| middle(face[k], face[(k + 1) % n])).collect();
    let Some(middles) = middles else { return fan(&corner) };
    let mut list: Vec<[usize; 3]> =
        (0..n).map(|k| [corner[k], middles[k], middles[(k + n - 1) % n]]).collect();
    list.extend(fan(&middles));
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use poinsot_geometry::Vec3;

    /// Volume that triangles enclose: V = Σ a·(b × c)/6.
    fn volume(nodes: &[Vec3], skin: &Skin) -> f64 {
        skin.triangles.iter().map(|&[a, b, c]| nodes[a].dot(&nodes[b].cross(&nodes[c])) / 6.0).sum()
    }

    /// A solid of one element with straight edges: its corners, and nodes in the middles of its edges.
    fn one(kind: ElementKind, corners: &[[f64; 3]]) -> Mesh {
        let mut nodes: Vec<Vec3> = corners.iter().map(|&c| Vec3::from(c)).collect();
        let middles: Vec<Vec3> = edges_of(kind).1.iter().map(|&[a, b]| (nodes[a] + nodes[b]) * 0.5).collect();
        nodes.extend(middles);
        let elements = vec![MeshElement { kind, nodes: (0..nodes.len()).collect() }];
        Mesh { nodes, elements, groups: vec![] }
    }

    #[test]
    fn skins_enclose_the_volume_of_solids() {
        let tet = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 1.0]];
        let base = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let lifted = |c: &[f64; 3]| [c[0], c[1], 0.5];
        let hex: Vec<[f64; 3]> = base.into_iter().chain(base.iter().map(lifted)).collect();
        let wedge: Vec<[f64; 3]> = tet[..3].iter().copied().chain(tet[..3].iter().map(lifted)).collect();
        for (kind, corners, expected, count) in [
            (ElementKind::Tet4, &tet[..], 1.0, 4),
            (ElementKind::Tet10, &tet[..], 1.0, 16),
            (ElementKind::Hex8, &hex[..], 1.0, 12),
            (ElementKind::Hex20, &hex[..], 1.0, 36),
            (ElementKind::Wedge6, &wedge[..], 1.5, 8),
            (ElementKind::Wedge15, &wedge[..], 1.5, 26),
        ] {
            let mesh = one(kind, corners);
            let skin = Skin::of(&mesh, 0..1, |_| 0.0);
            assert_eq!(skin.triangles.len(), count, "{kind:?}");
            assert!((volume(&mesh.nodes, &skin) - expected).abs() < 1e-14, "{kind:?}");
        }
    }

    #[test]
    fn a_face_between_two_elements_is_not_seen() {
        let nodes = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]];
        let tet = |nodes: [usize; 4]| MeshElement { kind: ElementKind::Tet4, nodes: nodes.to_vec() };
        let nodes = nodes.map(Vec3::from).to_vec();
        let mesh = Mesh { nodes, elements: vec![tet([0, 1, 2, 3]), tet([0, 2, 1, 4])], groups: vec![] };
        let skin = Skin::of(&mesh, 0..2, |_| 0.0);
        assert_eq!(skin.triangles.len(), 6);
        assert!((volume(&mesh.nodes, &skin) - 1.0 / 3.0).abs() < 1e-15);
    }
}
