//! Hexahedron with eight nodes: N_a = ⅛ (1 + ξ ξ_a)(1 + η η_a)(1 + ζ ζ_a).

use super::super::jet::Jet;
use super::super::quadrature;
use super::{Declaration, with_middles};
use crate::mesh::ElementKind;

pub(super) const CORNERS: [[f64; 3]; 8] = [
    [-1.0, -1.0, -1.0],
    [1.0, -1.0, -1.0],
    [1.0, 1.0, -1.0],
    [-1.0, 1.0, -1.0],
    [-1.0, -1.0, 1.0],
    [1.0, -1.0, 1.0],
    [1.0, 1.0, 1.0],
    [-1.0, 1.0, 1.0],
];

pub(super) fn declaration() -> Declaration {
    Declaration {
        kind: ElementKind::Hex8,
        corners: ElementKind::Hex8,
        places: with_middles(&CORNERS, &[]),
        functions,
        stiffness: quadrature::cube(2),
        calculix: quadrature::cube(2),
        mass: quadrature::cube(3),
        stress: quadrature::cube(2),
    }
}

fn functions([xi, eta, zeta]: [Jet; 3]) -> Vec<Jet> {
    CORNERS.iter().map(|&[x, y, z]| (xi * x + 1.0) * (eta * y + 1.0) * (zeta * z + 1.0) * 0.125).collect()
}
