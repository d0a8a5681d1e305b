//! Tetrahedron with four nodes: N_a = L_a. Strains are constant; stiff in bending.

use super::super::jet::Jet;
use super::super::quadrature;
use super::{Declaration, with_middles};
use crate::mesh::ElementKind;

pub(super) const CORNERS: [[f64; 3]; 4] =
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

pub(super) fn declaration() -> Declaration {
    Declaration {
        kind: ElementKind::Tet4,
        corners: ElementKind::Tet4,
        places: with_middles(&CORNERS, &[]),
        functions,
        stiffness: quadrature::tetrahedron1(),
        calculix: quadrature::tetrahedron1(),
        mass: quadrature::tetrahedron4(),
        stress: quadrature::tetrahedron4(),
    }
}

/// Barycentric coordinates 1 − ξ − η − ζ, ξ, η, ζ.
pub(super) fn functions([xi, eta, zeta]: [Jet; 3]) -> Vec<Jet> {
    vec![-(xi + eta + zeta) + 1.0, xi, eta, zeta]
}
