//! Tetrahedron with ten nodes: N_a = L_a (2 L_a − 1) at corners, N_ab = 4 L_a L_b between them.

use super::super::jet::Jet;
use super::super::quadrature;
use super::{Declaration, with_middles};
use crate::mesh::ElementKind;

const EDGES: [(usize, usize); 6] = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)];

pub(super) fn declaration() -> Declaration {
    Declaration {
        kind: ElementKind::Tet10,
        corners: ElementKind::Tet4,
        places: with_middles(&super::tet4::CORNERS, &EDGES),
        functions,
        stiffness: quadrature::tetrahedron4(),
        calculix: quadrature::tetrahedron4(),
        mass: quadrature::tetrahedron15(),
        stress: quadrature::tetrahedron4(),
    }
}

fn functions(at: [Jet; 3]) -> Vec<Jet> {
    let l = super::tet4::functions(at);
    let corners = l.iter().map(|&l| l * (l * 2.0 - 1.0));
    let middles = EDGES.iter().map(|&(a, b)| l[a] * l[b] * 4.0);
    corners.chain(middles).collect()
}
