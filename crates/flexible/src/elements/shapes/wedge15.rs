//! Wedge with fifteen nodes.
//!
//! ```text
//! corners:            N_a = ½ L_a (1 ± ζ)(2 L_a − 2 ± ζ)
//! edges of triangles: N_ab = 2 L_a L_b (1 ± ζ)
//! other edges:        N_a = L_a (1 − ζ²)
//! ```

use super::super::jet::Jet;
use super::super::quadrature;
use super::wedge6::CORNERS;
use super::{Declaration, triangle_coordinates, with_middles};
use crate::mesh::ElementKind;

const EDGES: [(usize, usize); 9] = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)];

pub(super) fn declaration() -> Declaration {
    Declaration {
        kind: ElementKind::Wedge15,
        corners: ElementKind::Wedge6,
        places: with_middles(&CORNERS, &EDGES),
        functions,
        stiffness: quadrature::stacked(&quadrature::triangle3(), 3),
        calculix: quadrature::stacked(&quadrature::triangle3(), 3),
        mass: quadrature::stacked(&quadrature::triangle7(), 3),
        stress: quadrature::stacked(&quadrature::triangle3(), 2),
    }
}

fn functions(at: [Jet; 3]) -> Vec<Jet> {
    let l = triangle_coordinates(at);
    let zeta = at[2];
    let corners =
        [-1.0, 1.0].map(|z| l.map(|l| l * (zeta * z + 1.0) * (l * 2.0 + zeta * z - 2.0) * 0.5)).concat();
    let middles = [-1.0, 1.0]
        .map(|z| [(0, 1), (1, 2), (2, 0)].map(|(a, b)| l[a] * l[b] * (zeta * z + 1.0) * 2.0))
        .concat();
    let uprights = l.map(|l| l * (-(zeta * zeta) + 1.0));
    corners.into_iter().chain(middles).chain(uprights).collect()
}
