//! Stiffness of stress that inertia makes (gap 15): what holds a spinning blade straight.
//!
//! ```text
//! a(X) = γ + W X,   W = α̃ + ω̃ω̃,   load −ρ a  →  static stress σ  →  K_σ
//! force on shape k = −Σ_l q_l (γ·ḡ_kl + W : D_kl)
//! ḡ_kl,i = (UᵀK_σ[−ρ e_i]U)_kl,   D_kl,ij = (UᵀK_σ[−ρ e_i X_j]U)_kl
//! ```
//! The acceleration is that of the body frame in its own axes, less gravity. Stress is linear in it, so that
//! twelve static answers are all. What balances the load is a choice: the reference that is held takes it,
//! or, with mean axes, the inertia of the rigid motion that it causes (inertia relief), which is exact for a
//! body in free flight.
//!
//! Forces λ and torques μ on the body at its interfaces make stress likewise, six answers for each:
//!
//! ```text
//! force on shape k = −Σ_l q_l Σ_c λ_c G_kl,c,   G_kl,c = (UᵀK_σ[unit load c]U)_kl
//! ```
//! It is that of an interface that moves back by ½ Σ_kl G_kl,c q_k q_l where the body bends.

use super::linked::Linked;
use super::{Reduced, Reduction, ReductionError, Reference, basis, small};
use crate::{FiniteElements, FullBody};
use nalgebra::DMatrix;
use poinsot_geometry::{Mat3, Vec3};
use poinsot_numerics::SymmetricMatrix;
use serde::{Deserialize, Serialize};

/// Stiffness of the shapes for unit accelerations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GeometricStiffness {
    /// ḡ_kl at k n + l.
    pub mean: Vec<Vec3>,
    /// D_kl at k n + l.
    pub moments: Vec<Mat3>,
    /// G_kl of the three forces and the three torques on each interface, at k n + l.
    pub loads: Vec<Vec<[f64; 6]>>,
    /// What balances the load, in words.
    pub support: String,
}

impl GeometricStiffness {
    /// Σ_i γ_i ḡ_i + W : D as a matrix of the shapes.
    pub fn at(&self, gamma: &Vec3, w: &Mat3) -> DMatrix<f64> {
        let n = self.mean.len().isqrt();
        DMatrix::from_fn(n, n, |k, l| gamma.dot(&self.mean[k * n + l]) + w.dot(&self.moments[k * n + l]))
    }
}

/// Gives a reduced body the stiffness of its stress; what keeps its frame takes the loads.
pub fn stiffen(
    elements: &FiniteElements,
    full: &FullBody,
    request: &Reduction,
    reduced: &mut Reduced,
) -> Result<(), ReductionError> {
    // A displacement of another length gives a matrix of no size, which is refused.
    let mut stress = |u: &[f64]| {
        let matrix = elements.geometric_stiffness(u);
        matrix.unwrap_or_else(|_| SymmetricMatrix::from_entries(0, std::iter::empty()))
    };
    let stiffness = geometric_stiffness(full, request, reduced, &request.reference, &mut stress)?;
    reduced.body.geometric = Some(stiffness);
    Ok(())
}

/// Stiffness of stress for unit accelerations. `stress_stiffness` gives K_σ of the stress of a displacement,
/// a number for each unknown of the full body; it is linear in the displacement.
pub fn geometric_stiffness(
    full: &FullBody,
    request: &Reduction,
    reduced: &Reduced,
    support: &Reference,
    stress_stiffness: &mut dyn FnMut(&[f64]) -> SymmetricMatrix,
) -> Result<GeometricStiffness, ReductionError> {
    let body = Linked::new(full, &request.interfaces)?;
    let supported = basis::reference_held(&body, support)?;
    let n = reduced.body.size();
    let mut stiffness = GeometricStiffness {
        mean: vec![Vec3::zeros(); n * n],
        moments: vec![Mat3::zeros(); n * n],
        loads: vec![vec![[0.0; 6]; n * n]; body.interfaces.len()],
        support: match support {
            Reference::MeanAxis => "inertia relief".into(),
            held => held.words(),
        },
    };
    let mut answer = |mut load: DMatrix<f64>| -> Result<Option<DMatrix<f64>>, ReductionError> {
        supported.respond(load.as_mut_slice());
        let displacement = body.to_full(&load);
        if displacement.amax() == 0.0 {
            return Ok(None);
        }
        let matrix = stress_stiffness(displacement.as_slice());
        if matrix.size() != full.unknowns.len() {
            let words =
                format!("a stress stiffness of {} rows for {} unknowns", matrix.size(), full.unknowns.len());
            return Err(ReductionError::Given(words));
        }
        Ok(Some(small::congruence(&matrix, &reduced.shapes)))
    };
    for load in 0..12 {
        // ∫ρ S_a e_i and ∫ρ S_a e_i X_j, by rows; moments are column by column.
        let row = if load < 3 { full.mean.row(load) } else { full.moments.row(load - 3) };
        let force = body.to_linked(&DMatrix::from_fn(row.len(), 1, |a, _| -row[a]));
        let Some(part) = answer(force)? else { continue };
        for k in 0..n {
            for l in 0..n {
                match load {
                    0..3 => stiffness.mean[k * n + l][load] = part[(k, l)],
                    _ => stiffness.moments[k * n + l][((load - 3) % 3, (load - 3) / 3)] = part[(k, l)],
                }
            }
        }
    }
    let (forces, width) = (body.interface_loads(None), body.motions.len());
    let held = support.interface(&body)?;
    for column in (0..forces.ncols()).filter(|column| Some(column / width) != held) {
        let (interface, component) = (column / width, body.motions[column % width]);
        let Some(part) = answer(forces.columns(column, 1).into_owned())? else { continue };
        for k in 0..n {
            for l in 0..n {
                // Symmetric but for rounding.
                stiffness.loads[interface][k * n + l][component] = 0.5 * (part[(k, l)] + part[(l, k)]);
            }
        }
    }
    Ok(stiffness)
}
