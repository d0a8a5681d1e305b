//! Hexahedron with twenty nodes.
//!
//! ```text
//! corners: N_a = ⅛ (1 + ξ ξ_a)(1 + η η_a)(1 + ζ ζ_a)(ξ ξ_a + η η_a + ζ ζ_a − 2)
//! middles: N_a = ¼ (1 − ξ²)(1 + η η_a)(1 + ζ ζ_a) where ξ_a = 0, and likewise for η_a, ζ_a
//! ```

use super::super::jet::Jet;
use super::super::quadrature;
use super::hex8::CORNERS;
use super::{Declaration, with_middles};
use crate::mesh::ElementKind;
use poinsot_geometry::Vec3;

const EDGES: [(usize, usize); 12] =
    [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)];

pub(super) fn declaration() -> Declaration {
    Declaration {
        kind: ElementKind::Hex20,
        corners: ElementKind::Hex8,
        places: with_middles(&CORNERS, &EDGES),
        functions,
        stiffness: quadrature::cube(3),
        calculix: quadrature::cube(3),
        mass: quadrature::cube(3),
        stress: quadrature::cube(2),
    }
}

fn functions(at: [Jet; 3]) -> Vec<Jet> {
    with_middles(&CORNERS, &EDGES).iter().map(|place| function(&at, place)).collect()
}

fn function(at: &[Jet; 3], place: &Vec3) -> Jet {
    let side = |k: usize| if place[k] == 0.0 { -(at[k] * at[k]) + 1.0 } else { at[k] * place[k] + 1.0 };
    let product = side(0) * side(1) * side(2);
    if place.iter().any(|&x| x == 0.0) {
        return product * 0.25;
    }
    product * (at[0] * place.x + at[1] * place.y + at[2] * place.z - 2.0) * 0.125
}
