//! Quadrilateral with four nodes: N_a = ¼ (1 + ξ ξ_a)(1 + η η_a).
//!
//! Of a rectangle 2b × 2c with ξ = x/b, η = y/c these are (b ± x)(c ± y)/4bc (floating-frame-and-ancf §1.19).

use super::super::jet::Jet;
use super::super::quadrature;
use super::{Declaration, with_middles};
use crate::mesh::ElementKind;

pub(super) const CORNERS: [[f64; 3]; 4] =
    [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]];

pub(super) fn declaration() -> Declaration {
    Declaration {
        kind: ElementKind::Quad4,
        corners: ElementKind::Quad4,
        places: with_middles(&CORNERS, &[]),
        functions,
        stiffness: quadrature::square(2),
        calculix: quadrature::square(2),
        mass: quadrature::square(3),
        stress: quadrature::square(2),
    }
}

fn functions([xi, eta, _]: [Jet; 3]) -> Vec<Jet> {
    CORNERS.iter().map(|&[x, y, _]| (xi * x + 1.0) * (eta * y + 1.0) * 0.25).collect()
}
