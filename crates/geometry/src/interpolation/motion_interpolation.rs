//! Interpolation of motions (motion-interpolation-galerkin §1.11, §1.12).

use super::algebra::{M3, Quaternion, V3};
use super::metric::Metric;
use super::stationary_frame::{InterpolationError, StationaryFrame};
use crate::dual::{DualNumber, DualVec3};
use crate::dual_quaternion::DualQuaternion;
use crate::se3::{Pose, join, split};
use crate::{Mat3, Mat6, Vec3, Vec6};

/// Poses at nodes, to be interpolated with given weights.
///
/// The nodes are kept relative to the first one, so that a place far from the origin costs no digits. Only
/// [`new`](Self::new) allocates.
#[derive(Debug, Clone)]
pub struct MotionInterpolation {
    reference: Pose,
    core: StationaryFrame<DualNumber>,
}

impl MotionInterpolation {
    /// Interpolation between the given poses.
    pub fn new(metric: Metric, nodes: &[Pose]) -> Result<Self, InterpolationError> {
        let mut new = Self { reference: Pose::identity(), core: StationaryFrame::new(metric) };
        new.set_nodes(nodes)?;
        Ok(new)
    }

    /// Replaces the poses of the nodes.
    pub fn set_nodes(&mut self, nodes: &[Pose]) -> Result<(), InterpolationError> {
        let finite = |p: &Pose| p.r.iter().chain(p.rotation.iter()).all(|entry| entry.is_finite());
        if !nodes.iter().all(finite) {
            return Err(InterpolationError::NotFinite);
        }
        let reference = *nodes.first().ok_or(InterpolationError::NoNodes)?;
        self.reference = reference;
        self.core.set_nodes(nodes.iter().map(|pose| quaternion(&reference.relative(pose))))
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.core.len()
    }

    /// The interpolated pose for weights `l_k`.
    pub fn pose(&mut self, weights: &[f64]) -> Result<Pose, InterpolationError> {
        self.core.locate(weights)?;
        Ok(self.current())
    }

    /// Pose and curvature alone, for weights `l_k` and slopes `l_k'`.
    pub fn sample(&mut self, weights: &[f64], slopes: &[f64]) -> Result<(Pose, Vec6), InterpolationError> {
        self.core.locate(weights)?;
        self.core.bend(slopes)?;
        Ok((self.current(), twist(&self.core.curvature)))
    }

    /// Pose, curvature and derivatives for weights `l_k` and slopes `l_k'`.
    pub fn at(&mut self, weights: &[f64], slopes: &[f64]) -> Result<MotionPoint<'_>, InterpolationError> {
        self.core.locate(weights)?;
        self.core.bend(slopes)?;
        self.core.linearize();
        Ok(MotionPoint { pose: self.current(), core: &mut self.core })
    }

    /// The same at a node of a nodal basis, where the pose is known; the curvature is `Σ l_k' s_k` (3.44).
    pub fn at_node(&mut self, node: usize, slopes: &[f64]) -> Result<MotionPoint<'_>, InterpolationError> {
        self.core.locate_at_node(node)?;
        self.core.bend(slopes)?;
        self.core.linearize();
        Ok(MotionPoint { pose: self.current(), core: &mut self.core })
    }

    fn current(&self) -> Pose {
        self.reference * pose(&self.core.frame)
    }
}

/// The interpolated motion at one point.
///
/// Six-vectors are material, `{linear ; angular}`; loads are `{force ; moment}` and do work on them.
#[derive(Debug)]
pub struct MotionPoint<'a> {
    pose: Pose,
    core: &'a mut StationaryFrame<DualNumber>,
}

impl MotionPoint<'_> {
    /// Pose `X`.
    pub fn pose(&self) -> Pose {
        self.pose
    }

    /// Generalised curvature `k = {Rᵀ u' ; κ}` of `X⁻¹ X'`.
    pub fn curvature(&self) -> Vec6 {
        twist(&self.core.curvature)
    }

    /// `N_k` of `δu = Σ N_k δu_k`.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn increment(&self, node: usize) -> Mat6 {
        extended(&self.core.increments[node])
    }

    /// `V_k` of `δk = Σ V_k δu_k`.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn curvature_increment(&self, node: usize) -> Mat6 {
        extended(&self.core.curvature_increments[node])
    }

    /// `H_ij = ∂(N_iᵀ load)/∂u_j` at constant load, block by block.
    pub fn increment_hessian(&mut self, load: &Vec6, mut block: impl FnMut(usize, usize, Mat6)) {
        self.core.increment_hessian(&covector(load), |i, j, h| block(i, j, form(&h)));
    }

    /// `H_ij = ∂(V_iᵀ load)/∂u_j` at constant load, block by block: the geometric stiffness of a beam whose
    /// section carries `load`.
    pub fn curvature_hessian(&mut self, load: &Vec6, mut block: impl FnMut(usize, usize, Mat6)) {
        self.core.curvature_hessian(&covector(load), |i, j, h| block(i, j, form(&h)));
    }

    /// Smallest eigenvalue of the Hessian of the weighted squared distances of rotation (one frame alone: 2).
    /// Not positive: the pose is not a local minimum, and the nodes are too far apart for the metric.
    pub fn least_stiffness(&self) -> f64 {
        self.core.least_stiffness()
    }
}

fn quaternion(pose: &Pose) -> Quaternion<DualNumber> {
    let q = DualQuaternion::from_pose(pose);
    Quaternion { scalar: q.scalar(), vector: V3(components(&q.vector())) }
}

/// `u = 2 vec(q° ∘ q̄)`.
fn pose(q: &Quaternion<DualNumber>) -> Pose {
    let (eta, v) = (q.scalar.re, Vec3::from(q.vector.0.map(|a| a.re)));
    let (eta_dual, v_dual) = (q.scalar.du, Vec3::from(q.vector.0.map(|a| a.du)));
    let u = 2.0 * (eta * v_dual - eta_dual * v - v_dual.cross(&v));
    Pose::new(u, q.tensor().primal())
}

fn components(v: &DualVec3) -> [DualNumber; 3] {
    std::array::from_fn(|i| DualNumber::new(v.re[i], v.du[i]))
}

fn twist(k: &V3<DualNumber>) -> Vec6 {
    join(&Vec3::from(k.0.map(|a| a.du)), &Vec3::from(k.0.map(|a| a.re)))
}

fn parts(m: &M3<DualNumber>) -> (Mat3, Mat3) {
    (m.primal(), Mat3::from_fn(|i, j| m.0[i][j].du))
}

/// `[S, S° ; 0, S]`.
fn extended(m: &M3<DualNumber>) -> Mat6 {
    let (primal, dual) = parts(m);
    crate::dual::Dual::new(primal, dual).extended()
}

/// `F + ε M`: the dual part of its dual product with a twist is the work `F·s° + M·s`.
fn covector(load: &Vec6) -> V3<DualNumber> {
    let (force, moment) = split(load);
    V3(components(&DualVec3::new(force, moment)))
}

/// The dual part of a dual bilinear form as a form of six-vectors, `[0, H ; H, H°]`.
fn form(h: &M3<DualNumber>) -> Mat6 {
    let (primal, dual) = parts(h);
    let mut m = Mat6::zeros();
    m.fixed_view_mut::<3, 3>(0, 3).copy_from(&primal);
    m.fixed_view_mut::<3, 3>(3, 0).copy_from(&primal);
    m.fixed_view_mut::<3, 3>(3, 3).copy_from(&dual);
    m
}
