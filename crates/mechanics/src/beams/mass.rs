//! Mass of a beam element: consistent with its interpolation, or lumped on its nodes
//! (energy-momentum-null-space I-40).
//!
//! ```text
//! consistent   T = ½ Σ_ab ∫N_a N_b ds (A_ρ ṙ_a·ṙ_b + 2 S_i ṙ_a·ḋ_i^b + M_ij ḋ_i^a·ḋ_j^b)
//! lumped       the same with ∫N_a ds on the diagonal: a small rigid body on each node
//! ```
//! The third axis takes part only where a section has mass along the line, see [`RigidSection`].

use super::beam::BeamError;
use super::interpolation::MAX_NODES;
use super::section_mass::RigidSection;
use crate::beams::point::{gauss_points, nodal_vectors};
use crate::joints::Attachment;
use crate::mass::body::Body;
use crate::mass::inertia::Inertia;
use crate::nodes::chart::Frame;
use poinsot_geometry::{Mat3, Vec3};

/// The consistent mass of an element; `reference` as in [`Beam::new`](super::Beam::new), `mass` a
/// [`SectionMass`](super::SectionMass) or a whole [`Section`](super::Section).
pub fn consistent_mass(
    nodes: &[Attachment],
    reference: &[Frame],
    mass: impl Into<RigidSection>,
) -> Result<Inertia, BeamError> {
    let mass = mass.into();
    let x = nodal_vectors(nodes, reference, MAX_NODES)?;
    let points = gauss_points(&x, nodes.len() + 2)?;
    // Vectors with mass at a node: r, d₁, d₂, perhaps d₃.
    let massive = if mass.is_thin() { 3 } else { 4 };
    let vectors = |node: &Attachment| [node.point(), node.axis(0), node.axis(1), node.axis(2)];
    let carried = nodes.iter().flat_map(|node| vectors(node).into_iter().take(massive)).collect();
    let table = mass.table();
    let coefficient = |i: usize, j: usize| {
        let (a, b) = (i / massive, j / massive);
        let shared: f64 = points.iter().map(|p| p.weight * p.value[a] * p.value[b]).sum();
        shared * table[i % massive][j % massive]
    };
    Ok(Inertia::new(carried, coefficient))
}

/// Mass lumped on the nodes of elements, one body for each node in the order of its first appearance.
pub fn lumped_mass<'a>(
    elements: impl IntoIterator<Item = (&'a [Attachment], &'a [Frame])>,
    mass: impl Into<RigidSection>,
) -> Result<Vec<Body>, BeamError> {
    let mass = mass.into();
    let mut lumps: Vec<(usize, f64, Vec3, Mat3)> = vec![];
    for (nodes, reference) in elements {
        let points = gauss_points(&nodal_vectors(nodes, reference, MAX_NODES)?, nodes.len() + 2)?;
        for (a, node) in nodes.iter().enumerate() {
            let length: f64 = points.iter().map(|p| p.weight * p.value[a]).sum();
            let (m, first, second) = moments(node, length, &mass);
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

/// ∫ρ, ∫ρ X and ∫ρ X Xᵀ of a piece of beam on a node, in body axes; X = origin + Σ ζ_i a_i.
fn moments(node: &Attachment, length: f64, mass: &RigidSection) -> (f64, Vec3, Mat3) {
    let (o, axes) = (node.origin, &node.axes);
    let (m, offset) = (mass.mass * length, axes * mass.first * length);
    let products = axes * mass.euler * axes.transpose();
    let second = o * o.transpose() * m + o * offset.transpose() + offset * o.transpose() + products * length;
    (m, o * m + offset, second)
}
