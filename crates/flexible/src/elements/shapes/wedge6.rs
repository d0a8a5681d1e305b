//! Wedge with six nodes: N_a = ½ L_a (1 ± ζ).
//!
//! CalculiX integrates its stiffness with two points, which miss a deformation of a single element.

use super::super::jet::Jet;
use super::super::quadrature;
use super::{Declaration, triangle_coordinates, with_middles};
use crate::mesh::ElementKind;

pub(super) const CORNERS: [[f64; 3]; 6] =
    [[0.0, 0.0, -1.0], [1.0, 0.0, -1.0], [0.0, 1.0, -1.0], [0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]];

pub(super) fn declaration() -> Declaration {
    Declaration {
        kind: ElementKind::Wedge6,
        corners: ElementKind::Wedge6,
        places: with_middles(&CORNERS, &[]),
        functions,
        stiffness: quadrature::stacked(&quadrature::triangle3(), 2),
        calculix: quadrature::stacked(&quadrature::triangle1(), 2),
        mass: quadrature::stacked(&quadrature::triangle7(), 3),
        stress: quadrature::stacked(&quadrature::triangle3(), 2),
    }
}

fn functions(at: [Jet; 3]) -> Vec<Jet> {
    let l = triangle_coordinates(at);
    [-1.0, 1.0].iter().flat_map(|&z| l.map(|l| l * (at[2] * z + 1.0) * 0.5)).collect()
}
