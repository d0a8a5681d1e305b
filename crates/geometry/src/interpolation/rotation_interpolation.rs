//! Interpolation of rotations (motion-interpolation-galerkin §1.11).

use super::algebra::{M3, V3};
use super::metric::Metric;
use super::stationary_frame::{InterpolationError, StationaryFrame, from_unit};
use crate::quaternion::EulerParameters;
use crate::{Mat3, Vec3};

/// Rotations at nodes, to be interpolated with given weights.
///
/// The nodes are kept relative to the first one. Only [`new`](Self::new) allocates.
#[derive(Debug, Clone)]
pub struct RotationInterpolation {
    reference: Mat3,
    core: StationaryFrame<f64>,
}

impl RotationInterpolation {
    /// Interpolation between the given rotations.
    pub fn new(metric: Metric, nodes: &[Mat3]) -> Result<Self, InterpolationError> {
        let mut new = Self { reference: Mat3::identity(), core: StationaryFrame::new(metric) };
        new.set_nodes(nodes)?;
        Ok(new)
    }

    /// Replaces the rotations at the nodes.
    pub fn set_nodes(&mut self, nodes: &[Mat3]) -> Result<(), InterpolationError> {
        if nodes.iter().any(|r| !r.iter().all(|entry| entry.is_finite())) {
            return Err(InterpolationError::NotFinite);
        }
        self.reference = *nodes.first().ok_or(InterpolationError::NoNodes)?;
        let back = self.reference.transpose();
        self.core.set_nodes(nodes.iter().map(|r| from_unit(&EulerParameters::from_matrix(&(back * r)))))
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.core.len()
    }

    /// The interpolated rotation for weights `l_k`.
    pub fn rotation(&mut self, weights: &[f64]) -> Result<Mat3, InterpolationError> {
        self.core.locate(weights)?;
        Ok(self.current())
    }

    /// Rotation and curvature alone, for weights `l_k` and slopes `l_k'`.
    pub fn sample(&mut self, weights: &[f64], slopes: &[f64]) -> Result<(Mat3, Vec3), InterpolationError> {
        self.core.locate(weights)?;
        self.core.bend(slopes)?;
        Ok((self.current(), Vec3::from(self.core.curvature.0)))
    }

    /// Rotation, curvature and derivatives for weights `l_k` and slopes `l_k'`.
    pub fn at(&mut self, weights: &[f64], slopes: &[f64]) -> Result<RotationPoint<'_>, InterpolationError> {
        self.core.locate(weights)?;
        self.core.bend(slopes)?;
        self.core.linearize();
        Ok(RotationPoint { rotation: self.current(), core: &mut self.core })
    }

    /// The same at a node of a nodal basis, where the rotation is known.
    pub fn at_node(&mut self, node: usize, slopes: &[f64]) -> Result<RotationPoint<'_>, InterpolationError> {
        self.core.locate_at_node(node)?;
        self.core.bend(slopes)?;
        self.core.linearize();
        Ok(RotationPoint { rotation: self.current(), core: &mut self.core })
    }

    fn current(&self) -> Mat3 {
        self.reference * self.core.frame.tensor().primal()
    }
}

/// The interpolated rotation at one point.
#[derive(Debug)]
pub struct RotationPoint<'a> {
    rotation: Mat3,
    core: &'a mut StationaryFrame<f64>,
}

impl RotationPoint<'_> {
    /// Rotation `R`.
    pub fn rotation(&self) -> Mat3 {
        self.rotation
    }

    /// Material curvature `κ = axial(Rᵀ R')`.
    pub fn curvature(&self) -> Vec3 {
        Vec3::from(self.core.curvature.0)
    }

    /// `N_k` of `δψ = Σ N_k δψ_k`, material rotation increments.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn increment(&self, node: usize) -> Mat3 {
        matrix(&self.core.increments[node])
    }

    /// `V_k` of `δκ = Σ V_k δψ_k`.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn curvature_increment(&self, node: usize) -> Mat3 {
        matrix(&self.core.curvature_increments[node])
    }

    /// `H_ij = ∂(N_iᵀ moment)/∂ψ_j`, block by block.
    pub fn increment_hessian(&mut self, moment: &Vec3, mut block: impl FnMut(usize, usize, Mat3)) {
        self.core.increment_hessian(&V3((*moment).into()), |i, j, h| block(i, j, matrix(&h)));
    }

    /// `H_ij = ∂(V_iᵀ moment)/∂ψ_j`, block by block.
    pub fn curvature_hessian(&mut self, moment: &Vec3, mut block: impl FnMut(usize, usize, Mat3)) {
        self.core.curvature_hessian(&V3((*moment).into()), |i, j, h| block(i, j, matrix(&h)));
    }

    /// Smallest eigenvalue of the Hessian of the weighted squared distances (one frame alone: 2). Not
    /// positive: the rotation is not a local minimum, and the nodes are too far apart for the metric.
    pub fn least_stiffness(&self) -> f64 {
        self.core.least_stiffness()
    }
}

fn matrix(m: &M3<f64>) -> Mat3 {
    m.primal()
}
