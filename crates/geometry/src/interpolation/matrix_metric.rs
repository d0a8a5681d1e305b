//! Closed solutions of the matrix metric (motion-interpolation-galerkin §1.11.1).
//!
//! The frame nearest to the sum `G = Σ l_k R_k` of motion tensors makes `S = Rᵀ G` symmetric. Two ways, which
//! agree to rounding:
//!
//! - polar: `G = R S`, then `[tr(S) I − S] z = 2 axial(Rᵀ G°)`, `R° = R ~z`;
//! - Davenport: the eigenvector `q` of the largest eigenvalue `λ` of `W(G)`, then
//!   `[W − λ I, −q ; −qᵀ, 0] {q° ; λ°} = −{W° q ; 0}`.

use crate::dual::{Dual, DualMat3};
use crate::dual_quaternion::{DualQuaternion, dual_trace_matrix};
use crate::motion::pose_of_tensor;
use crate::quaternion::{EulerParameters, trace_matrix};
use crate::se3::Pose;
use crate::so3::{axial, polar, skew};
use crate::{Mat3, Vec4};

/// Gap below which two largest eigenvalues or `tr(S) I − S` count as degenerate, relative to `|G|`.
const DEGENERATE: f64 = 1e-12;

/// The rotation nearest to `g` in the Frobenius norm; `None` if several are equally near.
///
/// The polar factor if `det g > 0`; otherwise the variant in which the smallest singular value takes the sign
/// of the determinant.
pub fn nearest_rotation(g: &Mat3) -> Option<Mat3> {
    let scale = g.norm();
    if !scale.is_finite() || scale == 0.0 {
        return None;
    }
    if (g / scale).determinant() > 1e-4 {
        return polar(g);
    }
    Some(EulerParameters::from_vec4(&largest_eigenvector(g)?).to_matrix())
}

/// Nearest motion to a sum of motion tensors by the dual polar decomposition.
pub fn polar_motion(g: &DualMat3) -> Option<Pose> {
    let rotation = nearest_rotation(&g.re)?;
    let s = rotation.transpose() * g.re;
    let operator = Mat3::from_diagonal_element(s.trace()) - s;
    let z = operator.try_inverse()? * (2.0 * axial(&(rotation.transpose() * g.du)));
    Some(pose_of_tensor(&Dual::new(rotation, rotation * skew(&z))))
}

/// Nearest motion to a sum of motion tensors by the eigenproblem of its quaternion.
pub fn davenport_motion(g: &DualMat3) -> Option<Pose> {
    let w = dual_trace_matrix(g);
    let q = largest_eigenvector(&g.re)?;
    let lambda = (w.re * q).dot(&q);
    let mut bordered = nalgebra::Matrix5::zeros();
    let shifted = w.re - crate::Mat4::from_diagonal_element(lambda);
    bordered.fixed_view_mut::<4, 4>(0, 0).copy_from(&shifted);
    bordered.fixed_view_mut::<4, 1>(0, 4).copy_from(&-q);
    bordered.fixed_view_mut::<1, 4>(4, 0).copy_from(&-q.transpose());
    let load = w.du * q;
    let right = nalgebra::Vector5::new(-load[0], -load[1], -load[2], -load[3], 0.0);
    let solution = bordered.lu().solve(&right)?;
    let dual = Vec4::new(solution[0], solution[1], solution[2], solution[3]);
    Some(DualQuaternion { q: Dual::new(q, dual) }.pose())
}

/// Unit eigenvector of `W(g)` for its largest eigenvalue; `None` if that is not simple.
fn largest_eigenvector(g: &Mat3) -> Option<Vec4> {
    let eigen = trace_matrix(g).symmetric_eigen();
    let top = eigen.eigenvalues.imax();
    let apart = |k: usize| eigen.eigenvalues[top] - eigen.eigenvalues[k] > DEGENERATE * g.norm();
    let simple = (0..4).filter(|&k| k != top).all(apart);
    simple.then(|| eigen.eigenvectors.column(top).normalize())
}
