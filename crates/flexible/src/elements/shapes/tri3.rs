//! Triangle with three nodes: N_a = L_a. Strains are constant.

use super::super::jet::Jet;
use super::super::quadrature;
use super::{Declaration, triangle_coordinates, with_middles};
use crate::mesh::ElementKind;

pub(super) const CORNERS: [[f64; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

pub(super) fn declaration() -> Declaration {
    Declaration {
        kind: ElementKind::Tri3,
        corners: ElementKind::Tri3,
        places: with_middles(&CORNERS, &[]),
        functions,
        stiffness: quadrature::triangle1(),
        calculix: quadrature::triangle1(),
        mass: quadrature::triangle3(),
        stress: quadrature::triangle3(),
    }
}

fn functions(at: [Jet; 3]) -> Vec<Jet> {
    triangle_coordinates(at).to_vec()
}
