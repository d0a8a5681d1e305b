//! Triangle with six nodes: N_a = L_a (2 L_a − 1) at corners, N_ab = 4 L_a L_b between them.

use super::super::jet::Jet;
use super::super::quadrature;
use super::{Declaration, triangle_coordinates, with_middles};
use crate::mesh::ElementKind;

pub(super) const EDGES: [(usize, usize); 3] = [(0, 1), (1, 2), (2, 0)];

pub(super) fn declaration() -> Declaration {
    Declaration {
        kind: ElementKind::Tri6,
        corners: ElementKind::Tri3,
        places: with_middles(&super::tri3::CORNERS, &EDGES),
        functions,
        stiffness: quadrature::triangle3(),
        calculix: quadrature::triangle3(),
        mass: quadrature::triangle7(),
        stress: quadrature::triangle3(),
    }
}

fn functions(at: [Jet; 3]) -> Vec<Jet> {
    let l = triangle_coordinates(at);
    let corners = l.iter().map(|&l| l * (l * 2.0 - 1.0));
    let middles = EDGES.iter().map(|&(a, b)| l[a] * l[b] * 4.0);
    corners.chain(middles).collect()
}
