//! Mass of a beam element: consistent with its interpolation, or lumped on its nodes (energy-momentum-null-space I-40).
//!
//! ```text
//! consistent   T = ½ Σ_ab ∫N_a N_b ds (A_ρ ṙ_a·ṙ_b + 2 S_κ ṙ_a·ḋ_κ^b + M_κλ ḋ_κ^a·ḋ_λ^b),     κ, λ = 1, 2
//! lumped       the same with ∫N_a ds on the diagonal: a small rigid body on each node
//! ```

use super::beam::{BeamError, gauss_points, nodal_vectors};
use super::section::SectionMass;
use crate::body::Body;
use crate::chart::Frame;
use crate::inertia::Inertia;
use crate::joints::Attachment;
use poinsot_geometry::{Mat3, Vec3};

/// Vectors with mass at a node: r, d₁, d₂.
const MASSIVE: usize = 3;

/// The consistent mass of an element; `reference` as in [`Beam::new`](super::Beam::new).
pub fn consistent_mass(
    nodes: &[Attachment],
    reference: &[Frame],
    mass: &SectionMass,
) -> Result<Inertia, BeamError> {
    let x = nodal_vectors(nodes, reference)?;
    let points = gauss_points(&x, nodes.len() + 2)?;
    let carried = nodes.iter().flat_map(|node| [node.point(), node.axis(0), node.axis(1)]).collect();
    let table = mass.table();
    let coefficient = |i: usize, j: usize| {
        let (a, b) = (i / MASSIVE, j / MASSIVE);
        let shared: f64 = points.iter().map(|p| p.weight * p.value[a] * p.value[b]).sum();
        shared * table[i % MASSIVE][j % MASSIVE]
    };
    Ok(Inertia::new(carried, coefficient))
}

/// Mass lumped on the nodes of elements, one body for each node in the order of its first appearance.
pub fn lumped_mass<'a>(
    elements: impl IntoIterator<Item = (&'a [Attachment], &'a [Frame])>,
    mass: &SectionMass,
) -> Result<Vec<Body>, BeamError> {
    let mut lumps: Vec<(usize, f64, Vec3, Mat3)> = vec![];
    for (nodes, reference) in elements {
        let points = gauss_points(&nodal_vectors(nodes, reference)?, nodes.len() + 2)?;
        for (a, node) in nodes.iter().enumerate() {
            let length: f64 = points.iter().map(|p| p.weight * p.value[a]).sum();
            let (m, first, second) = moments(node, length, mass);
            match lumps.iter_mut().find(|lump| lump.0 == node.node) {
                Some(lump) => *lump = (lump.0, lump.1 + m, lump.2 + first, lump.3 + second),
                None => lumps.push((node.node, m, first, second)),
            }
        }
    }
    let body = |(node, mass, first, euler): (usize, f64, Vec3, Mat3)| {
        let inertia = Mat3::identity() * euler.trace() - euler;
        Body { node, mass, centre: if mass > 0.0 { first / mass } else { first }, inertia }
    };
    Ok(lumps.into_iter().map(body).collect())
}

/// ∫ρ, ∫ρ X and ∫ρ X Xᵀ of a piece of beam on a node, in body axes; X = origin + ζ₁ a₁ + ζ₂ a₂.
fn moments(node: &Attachment, length: f64, mass: &SectionMass) -> (f64, Vec3, Mat3) {
    let (o, [a1, a2]) = (node.origin, [0, 1].map(|k| node.axes.column(k).into_owned()));
    let ([s1, s2], [m11, m22, m12]) = (mass.first, mass.second);
    let (m, offset) = (mass.mass * length, (a1 * s1 + a2 * s2) * length);
    let products = a1 * a1.transpose() * m11
        + a2 * a2.transpose() * m22
        + (a1 * a2.transpose() + a2 * a1.transpose()) * m12;
    let second = o * o.transpose() * m + o * offset.transpose() + offset * o.transpose() + products * length;
    (m, o * m + offset, second)
}
