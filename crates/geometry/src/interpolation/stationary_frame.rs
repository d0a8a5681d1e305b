//! The interpolated frame, its curvature and their derivatives (motion-interpolation-galerkin §1.11).
//!
//! Written once over real numbers (rotations) and dual numbers (motions). With the weights `l_k`, their
//! slopes `l_k'`, the relative motions `S_k = X⁻¹ X_k` and `U_k = T⁻¹(s_k)`:
//!
//! ```text
//! Σ l_k s_k = 0                                                       frame X
//! J = Σ l_k U_kᵀ ,     J k = Σ l_k' s_k                               curvature k = axial(X⁻¹ X')     (3.39)
//! δu = Σ N_k δu_k ,    N_k = l_k J⁻¹ U_k                                                              (3.38)
//! δk = Σ V_k δu_k ,    V_k = J⁻¹ (M_k − Z N_k) ,
//!                      M_k = l_k' U_k − l_k ∂(U_kᵀ k) ,   Z = Σ M_k S_kᵀ
//! ```
//!
//! `V_k` follows from `J δk = Σ l_k' δs_k − δJ k` with `δs_k = U_k w_k`, `w_k = δu_k − S_kᵀ δu`.

use super::algebra::{M3, Number, Quaternion, V3};
use super::matrix_metric;
use super::metric::{Metric, Parameter};
use super::relative::Relative;
use crate::Mat3;
use crate::quaternion::EulerParameters;
use thiserror::Error;

/// An interpolation that does not exist or was not found.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum InterpolationError {
    /// No nodes were given.
    #[error("interpolation needs at least one node")]
    NoNodes,
    /// The number of weights or slopes differs from that of the nodes.
    #[error("{found} weights or slopes were given for {expected} nodes")]
    WeightCount {
        /// Number of nodes.
        expected: usize,
        /// Number of weights or slopes.
        found: usize,
    },
    /// The node does not exist.
    #[error("there is no node {node} among {count}")]
    NoSuchNode {
        /// Index asked for.
        node: usize,
        /// Number of nodes.
        count: usize,
    },
    /// Weighted frames cancel, so that no frame is nearest to them.
    #[error("the weighted frames cancel: the {metric:?} metric has no unique frame nearest to them")]
    Undefined {
        /// Metric used.
        metric: Metric,
    },
    /// A node is half a turn away from the interpolated frame, where its parameter vector jumps.
    #[error("node {node} is {angle} rad from the interpolated frame, too far for the {metric:?} metric")]
    TooFar {
        /// Metric used.
        metric: Metric,
        /// Index of the node.
        node: usize,
        /// Angle (rad) of the relative rotation.
        angle: f64,
    },
    /// Newton's iteration did not settle.
    #[error("no convergence in {steps} steps with the {metric:?} metric: last rotation {change:e} rad")]
    NotConverged {
        /// Metric used.
        metric: Metric,
        /// Steps taken.
        steps: usize,
        /// Rotation (rad) of the last step.
        change: f64,
    },
    /// Nodes or weights that are not finite.
    #[error("nodes or weights are not finite")]
    NotFinite,
}

/// Rotation (rad) of one Newton step at most.
const ROTATION_RADIUS: f64 = 0.5;
const MAX_STEPS: usize = 60;
/// A step shorter than this (rad) is the last: the next would be shorter than its square.
const LAST_STEP: f64 = 1e-12;
/// Steps below this that no longer shrink have reached the rounding level.
const ROUNDING: f64 = 1e-7;
/// `cos(φ/2)` below which a node counts as half a turn away.
const HALF_TURN: f64 = 1e-7;

/// Interpolation of frames given by (real or dual) unit quaternions, with the results at one point.
#[derive(Debug, Clone)]
pub(super) struct StationaryFrame<T> {
    metric: Metric,
    parameter: Parameter,
    nodes: Vec<Quaternion<T>>,
    weights: Vec<f64>,
    slopes: Vec<f64>,
    pub frame: Quaternion<T>,
    relatives: Vec<Relative<T>>,
    /// `J⁻¹`.
    inverse: M3<T>,
    pub curvature: V3<T>,
    /// `M_k`.
    drives: Vec<M3<T>>,
    /// `Z`.
    coupling: M3<T>,
    /// `N_k`.
    pub increments: Vec<M3<T>>,
    /// `V_k`.
    pub curvature_increments: Vec<M3<T>>,
    forms: Vec<NodeForms<T>>,
}

/// What one node adds to a second derivative: forms between δu_k, δu, δk on the left and Δu_k, Δk on the
/// right.
#[derive(Debug, Clone, Copy)]
struct NodeForms<T> {
    node_node: M3<T>,
    node_frame: M3<T>,
    node_curvature: M3<T>,
    frame_node: M3<T>,
    curvature_node: M3<T>,
}

impl<T: Number> StationaryFrame<T> {
    pub fn new(metric: Metric) -> Self {
        Self {
            metric,
            parameter: metric.parameter(),
            nodes: Vec::new(),
            weights: Vec::new(),
            slopes: Vec::new(),
            frame: Quaternion::identity(),
            relatives: Vec::new(),
            inverse: M3::diagonal(T::real(1.0)),
            curvature: V3::zero(),
            drives: Vec::new(),
            coupling: M3::zero(),
            increments: Vec::new(),
            curvature_increments: Vec::new(),
            forms: Vec::new(),
        }
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Takes the nodal quaternions, each with the sign nearer to its predecessor. Allocates only when there
    /// are more nodes than ever before.
    pub fn set_nodes(
        &mut self,
        quaternions: impl ExactSizeIterator<Item = Quaternion<T>>,
    ) -> Result<(), InterpolationError> {
        let n = quaternions.len();
        self.nodes.clear();
        for q in quaternions {
            let turned = self.nodes.last().is_some_and(|last| last.dot(&q).primal() < 0.0);
            self.nodes.push(if turned { q.times(-1.0) } else { q });
        }
        if n == 0 {
            return Err(InterpolationError::NoNodes);
        }
        let at_rest = Relative::new(self.parameter, Quaternion::identity());
        let zero = M3::zero();
        self.weights.resize(n, 0.0);
        self.slopes.resize(n, 0.0);
        self.relatives.resize(n, at_rest);
        self.drives.resize(n, zero);
        self.increments.resize(n, zero);
        self.curvature_increments.resize(n, zero);
        let none = NodeForms {
            node_node: zero,
            node_frame: zero,
            node_curvature: zero,
            frame_node: zero,
            curvature_node: zero,
        };
        self.forms.resize(n, none);
        Ok(())
    }

    /// Finds the frame for given weights.
    pub fn locate(&mut self, weights: &[f64]) -> Result<(), InterpolationError> {
        self.check_count(weights)?;
        self.weights.copy_from_slice(weights);
        self.frame = self.start()?;
        if self.parameter != Parameter::EulerRodrigues {
            self.iterate()?;
        }
        self.look_at_nodes();
        self.check_distance()
    }

    /// Puts the frame at a node, the result for weights that are one there and zero elsewhere.
    pub fn locate_at_node(&mut self, node: usize) -> Result<(), InterpolationError> {
        let frame = self.nodes.get(node);
        self.frame = *frame.ok_or(InterpolationError::NoSuchNode { node, count: self.nodes.len() })?;
        self.weights.fill(0.0);
        self.weights[node] = 1.0;
        self.look_at_nodes();
        self.check_distance()
    }

    /// Curvature at the frame that has been located.
    pub fn bend(&mut self, slopes: &[f64]) -> Result<(), InterpolationError> {
        self.check_count(slopes)?;
        self.slopes.copy_from_slice(slopes);
        let undefined = InterpolationError::Undefined { metric: self.metric };
        self.inverse = self.jacobian().inverse().ok_or(undefined)?;
        let mut drive = V3::zero();
        for (relative, slope) in self.relatives.iter().zip(&self.slopes) {
            drive = drive + relative.s.times(*slope);
        }
        self.curvature = self.inverse * drive;
        Ok(())
    }

    /// First derivatives of frame and curvature.
    pub fn linearize(&mut self) {
        self.coupling = M3::zero();
        for (k, relative) in self.relatives.iter().enumerate() {
            let (weight, slope) = (self.weights[k], self.slopes[k]);
            let u = relative.tangent_inv();
            let drive = u.times(slope) - relative.transposed_derivative(&self.curvature).times(weight);
            self.coupling = self.coupling + drive * relative.tensor().transpose();
            self.drives[k] = drive;
            self.increments[k] = (self.inverse * u).times(weight);
        }
        for k in 0..self.nodes.len() {
            self.curvature_increments[k] =
                self.inverse * (self.drives[k] - self.coupling * self.increments[k]);
        }
    }

    /// Smallest eigenvalue of the Hessian `J + Jᵀ` of the weighted squared distances, in the unit in which
    /// one frame alone gives 2. Positive: the frame is a local minimum.
    pub fn least_stiffness(&self) -> f64 {
        let j = self.jacobian().primal();
        (j + j.transpose()).symmetric_eigenvalues().min()
    }

    /// First derivatives of `f·δu_frame`, differentiated: `f·Δ(δu) = Σ δu_iᵀ H_ij Δu_j`.
    ///
    /// ```text
    /// J Δ(δu) = −ΔJ δu + Σ l_k ΔU_k δu_k
    /// ```
    pub fn increment_hessian(&mut self, f: &V3<T>, emit: impl FnMut(usize, usize, M3<T>)) {
        let z = self.inverse.transpose() * *f;
        for (k, relative) in self.relatives.iter().enumerate() {
            let weight = self.weights[k];
            let node = relative.direct_form(&z).times(weight);
            self.forms[k] = NodeForms {
                node_node: node,
                node_frame: -(node * relative.tensor().transpose()),
                node_curvature: M3::zero(),
                frame_node: -relative.transposed_form(&z).times(weight),
                curvature_node: M3::zero(),
            };
        }
        self.assemble(emit);
    }

    /// Second derivative of `f·k`: `f·Δ(δk) = Σ δu_iᵀ H_ij Δu_j`, with `W_k = Δu_k − S_kᵀ Δu`.
    ///
    /// ```text
    /// J Δ(δk) = −ΔJ δk + Σ [ l_k' ΔU_k w_k − l_k ∂²(U_kᵀ k)[w_k, W_k] − l_k ∂(U_kᵀ Δk)[w_k] ]
    ///           + Σ M_k ~W_k S_kᵀ δu − Z Δ(δu)
    /// ```
    pub fn curvature_hessian(&mut self, f: &V3<T>, emit: impl FnMut(usize, usize, M3<T>)) {
        let back = self.inverse.transpose();
        let y = back * *f;
        let z = back * (self.coupling.transpose() * y);
        for (k, relative) in self.relatives.iter().enumerate() {
            let (weight, slope) = (self.weights[k], self.slopes[k]);
            let s = relative.tensor();
            let moment = self.drives[k].transpose() * y;
            let bent = -relative.transposed_form(&y).times(weight);
            let local = relative.direct_form(&y).times(slope)
                - relative.second_form(&y, &self.curvature).times(weight);
            let node = local - relative.direct_form(&z).times(weight);
            let frame = s * moment.skew() + relative.transposed_form(&z).times(weight) - s * local;
            self.forms[k] = NodeForms {
                node_node: node,
                node_frame: -(node * s.transpose()),
                node_curvature: bent.transpose(),
                frame_node: frame,
                curvature_node: bent,
            };
        }
        self.assemble(emit);
    }

    /// Replaces δu, δk, Δu and Δk in the forms by the nodal increments.
    fn assemble(&self, mut emit: impl FnMut(usize, usize, M3<T>)) {
        let (mut frame_frame, mut frame_curvature, mut curvature_frame) =
            (M3::zero(), M3::zero(), M3::zero());
        for (form, relative) in self.forms.iter().zip(&self.relatives) {
            let s = relative.tensor();
            frame_frame = frame_frame - form.frame_node * s.transpose();
            frame_curvature = frame_curvature - s * form.node_curvature;
            curvature_frame = curvature_frame - form.curvature_node * s.transpose();
        }
        for (j, right) in self.forms.iter().enumerate() {
            let (nj, vj) = (self.increments[j], self.curvature_increments[j]);
            let frame = right.frame_node + frame_frame * nj + frame_curvature * vj;
            let curvature = right.curvature_node + curvature_frame * nj;
            for (i, left) in self.forms.iter().enumerate() {
                let (ni, vi) = (self.increments[i], self.curvature_increments[i]);
                let mut block = left.node_frame * nj
                    + left.node_curvature * vj
                    + ni.transpose() * frame
                    + vi.transpose() * curvature;
                if i == j {
                    block = block + left.node_node;
                }
                emit(i, j, block);
            }
        }
    }

    /// Closed form (quaternion metric), exact primal part (matrix metric) or start of the iteration (others).
    fn start(&self) -> Result<Quaternion<T>, InterpolationError> {
        let undefined = InterpolationError::Undefined { metric: self.metric };
        if self.parameter == Parameter::Linear {
            let nearest = matrix_metric::nearest_rotation(&self.weighted_rotations()).ok_or(undefined)?;
            return Ok(real_quaternion(&nearest));
        }
        let mut sum = Quaternion::identity().times(0.0);
        for (q, weight) in self.nodes.iter().zip(&self.weights) {
            sum.add_scaled(q, *weight);
        }
        match sum.normalized() {
            Some(q) => Ok(q),
            None if self.parameter == Parameter::EulerRodrigues => Err(undefined),
            None => Ok(self.heaviest_node()),
        }
    }

    fn weighted_rotations(&self) -> Mat3 {
        let pairs = self.nodes.iter().zip(&self.weights);
        pairs.fold(Mat3::zeros(), |sum, (q, weight)| sum + q.tensor().primal() * *weight)
    }

    fn heaviest_node(&self) -> Quaternion<T> {
        let mut best = 0;
        for (k, weight) in self.weights.iter().enumerate() {
            if weight.abs() > self.weights[best].abs() {
                best = k;
            }
        }
        self.nodes[best]
    }

    /// Newton's iteration `X ← X exp(J⁻¹ Σ l_k s_k)`, its steps limited in rotation (§1.11.3). The dual part
    /// of the equation is linear, so it is exact when the primal part is.
    fn iterate(&mut self) -> Result<(), InterpolationError> {
        let mut before = f64::INFINITY;
        for _ in 0..MAX_STEPS {
            self.look_at_nodes();
            let mut residual = V3::zero();
            for (relative, weight) in self.relatives.iter().zip(&self.weights) {
                residual = residual + relative.s.times(*weight);
            }
            let inverse = self.jacobian().inverse();
            let step = inverse.ok_or(InterpolationError::Undefined { metric: self.metric })? * residual;
            let rotation = step.primal_norm();
            if !rotation.is_finite() {
                return Err(InterpolationError::NotFinite);
            }
            // Half the step is the vector part of its quaternion to second order.
            let factor = 0.5 * (ROTATION_RADIUS / rotation).min(1.0);
            let turn = Quaternion { scalar: T::real(1.0), vector: step.times(factor) };
            self.frame = self.frame.compose(&turn).normalized().ok_or(InterpolationError::NotFinite)?;
            if rotation <= LAST_STEP || (rotation <= ROUNDING && rotation >= before) {
                return Ok(());
            }
            before = rotation;
        }
        Err(InterpolationError::NotConverged { metric: self.metric, steps: MAX_STEPS, change: before })
    }

    /// Relative motions of all nodes. The quaternion metric keeps the signs of the nodes, the others take the
    /// shorter way.
    fn look_at_nodes(&mut self) {
        let back = self.frame.conjugate();
        for (relative, node) in self.relatives.iter_mut().zip(&self.nodes) {
            let q = back.compose(node);
            let q = if self.parameter == Parameter::EulerRodrigues { q } else { q.canonical() };
            *relative = Relative::new(self.parameter, q);
        }
    }

    fn jacobian(&self) -> M3<T> {
        let mut sum = M3::zero();
        for (relative, weight) in self.relatives.iter().zip(&self.weights) {
            sum = sum + relative.tangent_inv().times(*weight);
        }
        sum.transpose()
    }

    fn check_count(&self, weights: &[f64]) -> Result<(), InterpolationError> {
        let (expected, found) = (self.nodes.len(), weights.len());
        if expected != found {
            return Err(InterpolationError::WeightCount { expected, found });
        }
        if weights.iter().all(|w| w.is_finite()) { Ok(()) } else { Err(InterpolationError::NotFinite) }
    }

    /// Refuses nodes half a turn away if the parameter vector jumps there.
    fn check_distance(&self) -> Result<(), InterpolationError> {
        let smooth = [Parameter::Linear, Parameter::EulerRodrigues, Parameter::HalfSine];
        if smooth.contains(&self.parameter) {
            return Ok(());
        }
        let far = |relative: &Relative<T>| relative.q.scalar.primal() < HALF_TURN;
        match self.relatives.iter().position(far) {
            Some(node) => {
                let angle = 2.0 * self.relatives[node].q.scalar.primal().acos();
                Err(InterpolationError::TooFar { metric: self.metric, node, angle })
            }
            None => Ok(()),
        }
    }
}

fn real_quaternion<T: Number>(rotation: &Mat3) -> Quaternion<T> {
    from_unit(&EulerParameters::from_matrix(rotation))
}

/// A real unit quaternion as one over `T`.
pub(super) fn from_unit<T: Number>(q: &EulerParameters) -> Quaternion<T> {
    let v = q.vector;
    Quaternion { scalar: T::real(q.scalar), vector: V3([T::real(v.x), T::real(v.y), T::real(v.z)]) }
}
