//! How the unknowns of a node move what it carries.
//!
//! ```text
//! trial  δx⁺ = c₀ δr + δR⁺ c         motion: δR⁺ = θ̃ R⁺;  directors: δR⁺ itself;  Euler parameters: Σ_j ∂R⁺/∂ε_j δε_j
//! test   δx  = c₀ δr + ω × (R̄ c)      the discrete null space of rigidity, R̄ the mean rotation matrix
//! ```
//! (energy-momentum-null-space I-35). R̄ is not orthogonal; that is what makes the balance of
//! angular momentum exact. For the variational rule R̄ is R at the start.

use super::layout::{Conserving, Kind};
use super::step::ConservingStep;
use crate::nodes::carried::columns;
use crate::nodes::chart::{Chart, Frame};
use poinsot_geometry::Vec3;

/// e_k × y: how y moves under a unit rotation about world axis k.
#[inline]
fn turned(k: usize, y: &Vec3) -> Vec3 {
    match k {
        0 => Vec3::new(0.0, -y.z, y.y),
        1 => Vec3::new(y.z, 0.0, -y.x),
        _ => Vec3::new(-y.y, y.x, 0.0),
    }
}

#[inline]
fn free_motion(y: &Vec3, c0: f64, p: &mut [Vec3; 12]) {
    for k in 0..3 {
        p[k] = Vec3::zeros();
        p[k][k] = c0;
        p[3 + k] = turned(k, y);
    }
}

impl Conserving<'_> {
    /// ∂x⁺/∂u of the carried vector (c₀, c) of a node.
    #[inline]
    pub(crate) fn trial(&self, id: usize, step: &ConservingStep, c0: f64, c: &Vec3, p: &mut [Vec3; 12]) {
        match &self.nodes[id].kind {
            Kind::Chart(Chart::Motion) => free_motion(&(step.end[id].rot * c), c0, p),
            Kind::Chart(chart) => p[..6].copy_from_slice(&columns(chart, &step.end[id], c0, c)),
            Kind::Directors => natural(c0, c, p),
            Kind::PlaneDirectors(plane) => plane.directions(c0, c, p),
            Kind::EulerParameters => {
                free_motion(&Vec3::zeros(), c0, p);
                let by = step.by_parameter(id);
                for (p, by) in p[3..7].iter_mut().zip(&by) {
                    *p = by * c;
                }
            }
        }
    }

    /// The virtual displacements of the carried vector (c₀, c) that the equations of a node are tested with.
    #[inline]
    pub(crate) fn test(&self, id: usize, at: &Frame, c0: f64, c: &Vec3, p: &mut [Vec3; 12]) {
        match &self.nodes[id].kind {
            Kind::Chart(Chart::Motion) => free_motion(&(at.rot * c), c0, p),
            Kind::Chart(chart) => p[..6].copy_from_slice(&columns(chart, at, c0, c)),
            Kind::Directors => natural(c0, c, p),
            Kind::PlaneDirectors(plane) => plane.directions(c0, c, p),
            // The first equation of the parameters is that of their norm.
            Kind::EulerParameters => {
                free_motion(&(at.rot * c), c0, p);
                p[6] = p[5];
                p[5] = p[4];
                p[4] = p[3];
                p[3] = Vec3::zeros();
            }
        }
    }
}

/// Twelve directions: x moves with the origin and with each director by its own component.
#[inline]
fn natural(c0: f64, c: &Vec3, p: &mut [Vec3; 12]) {
    for (j, weight) in [c0, c.x, c.y, c.z].into_iter().enumerate() {
        for k in 0..3 {
            p[3 * j + k] = Vec3::zeros();
            p[3 * j + k][k] = weight;
        }
    }
}
