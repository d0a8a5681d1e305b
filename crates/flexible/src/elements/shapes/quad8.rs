//! Quadrilateral with eight nodes.
//!
//! ```text
//! corners: N_a = ¼ (1 + ξ ξ_a)(1 + η η_a)(ξ ξ_a + η η_a − 1)
//! middles: N_a = ½ (1 − ξ²)(1 + η η_a) where ξ_a = 0, ½ (1 + ξ ξ_a)(1 − η²) where η_a = 0
//! ```

use super::super::jet::Jet;
use super::super::quadrature;
use super::quad4::CORNERS;
use super::{Declaration, with_middles};
use crate::mesh::ElementKind;
use poinsot_geometry::Vec3;

pub(super) const EDGES: [(usize, usize); 4] = [(0, 1), (1, 2), (2, 3), (3, 0)];

pub(super) fn declaration() -> Declaration {
    Declaration {
        kind: ElementKind::Quad8,
        corners: ElementKind::Quad4,
        places: with_middles(&CORNERS, &EDGES),
        functions,
        stiffness: quadrature::square(3),
        calculix: quadrature::square(3),
        mass: quadrature::square(3),
        stress: quadrature::square(2),
    }
}

fn functions([xi, eta, _]: [Jet; 3]) -> Vec<Jet> {
    let one = |place: &Vec3| match (place.x, place.y) {
        (0.0, y) => (-(xi * xi) + 1.0) * (eta * y + 1.0) * 0.5,
        (x, 0.0) => (xi * x + 1.0) * (-(eta * eta) + 1.0) * 0.5,
        (x, y) => (xi * x + 1.0) * (eta * y + 1.0) * (xi * x + eta * y - 1.0) * 0.25,
    };
    with_middles(&CORNERS, &EDGES).iter().map(one).collect()
}
