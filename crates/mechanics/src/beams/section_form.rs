//! How a section between the nodes of an element with interpolated directors follows from the vectors of its
//! nodes, for who writes that out.

use super::beam::BeamError;
use super::interpolation::{MAX_NODES, lagrange, shape};
use super::point::{gauss_points, reference_vectors};
use crate::nodes::chart::Frame;
use poinsot_geometry::Vec6;

/// N_a of an element of so many nodes at ξ: r = Σ N_a r_a, d_k = Σ N_a d_k^a.
pub fn section_weights(nodes: usize, xi: f64) -> Vec<f64> {
    shape(nodes, xi).value[..nodes].to_vec()
}

/// A Gauss point's share in the strains of a section, ε = Σ_g weight (ε_g − reference), with
///
/// ```text
/// Γ_i = d_i·r′,   K_i = ½(d_k·d_j′ − d_j·d_k′),     x = Σ value_a x_a,   x′ = Σ slope_a x_a
/// ```
#[derive(Clone, Debug)]
pub struct StrainShare {
    /// Its weight at the section.
    pub weight: f64,
    /// N_a.
    pub value: Vec<f64>,
    /// dN_a/ds.
    pub slope: Vec<f64>,
    /// Strains of the reference.
    pub reference: Vec6,
}

/// The shares of the Gauss points of an element in the strains at ξ.
pub fn strain_shares(reference: &[Frame], xi: f64) -> Result<Vec<StrainShare>, BeamError> {
    let nodes = reference.len();
    let points = gauss_points(&reference_vectors(reference), nodes.max(2) - 1)?;
    let mut places = [0.0; MAX_NODES];
    places.iter_mut().zip(&points).for_each(|(place, p)| *place = p.xi);
    let weights = lagrange(&places[..points.len()], xi).value;
    let share = |(p, weight): (&super::point::Point, f64)| StrainShare {
        weight,
        value: p.value[..nodes].to_vec(),
        slope: p.slope[..nodes].to_vec(),
        reference: p.reference,
    };
    Ok(points.iter().zip(weights).map(share).collect())
}
