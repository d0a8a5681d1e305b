//! Principal values of symmetric tensors, equivalent stresses.

use poinsot_geometry::{Mat3, Vec3};

/// Principal values with their directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Principal {
    /// Descending.
    pub values: [f64; 3],
    /// Unit vectors; each is determined but for its sign, those of equal values but for their mixture.
    pub directions: [Vec3; 3],
}

/// σ n = s n.
pub fn principal(tensor: &Mat3) -> Principal {
    let eigen = tensor.symmetric_eigen();
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]));
    Principal {
        values: order.map(|k| eigen.eigenvalues[k]),
        directions: order.map(|k| eigen.eigenvectors.column(k).into_owned()),
    }
}

/// Von Mises: √(3/2 s:s) of the deviator s = σ − ⅓ tr σ.
pub fn von_mises(stress: &Mat3) -> f64 {
    let deviator = stress - Mat3::identity() * (stress.trace() / 3.0);
    (1.5 * deviator.norm_squared()).sqrt()
}

/// Tresca: the difference of the largest and least principal stress.
pub fn tresca(stress: &Mat3) -> f64 {
    let [first, _, last] = principal(stress).values;
    first - last
}
