//! Gradient, Hessian and Newton's method on the motion manifold: motion-interpolation-galerkin §1.8.

use crate::common;
use common::*;
use poinsot_geometry::manifold_newton::*;
use poinsot_geometry::nalgebra::{DMatrix, DVector};
use poinsot_geometry::se3::{Pose, join};
use poinsot_geometry::so3::{axial, skew};
use poinsot_geometry::{Mat3, Mat6, Vec3, Vec6};
use proptest::prelude::*;

/// `f(H) = ½ |u - u0|² + tr(I - R0ᵀ R)`, a squared distance from the pose `target`.
fn distance(target: &Pose, h: &Pose) -> f64 {
    let turn = target.rotation.transpose() * h.rotation;
    0.5 * (h.r - target.r).norm_squared() + 3.0 - turn.trace()
}

/// Material gradient: `d f = (Rᵀ(u - u0))·s° + 2 axial(R0ᵀR)·s`.
fn gradient(target: &Pose, h: &Pose) -> Vec6 {
    let turn = target.rotation.transpose() * h.rotation;
    join(&(h.rotation.transpose() * (h.r - target.r)), &(2.0 * axial(&turn)))
}

/// Derivative of the gradient vector: `δ(Rᵀd) = s° + ~(Rᵀd) s`, `δ 2 axial(S) = (tr S I - Sᵀ) s` for `δS = S
/// ~s`.
fn hessian(target: &Pose, h: &Pose) -> Mat6 {
    let s = target.rotation.transpose() * h.rotation;
    let d = h.rotation.transpose() * (h.r - target.r);
    let mut m = Mat6::zeros();
    m.fixed_view_mut::<3, 3>(0, 0).copy_from(&Mat3::identity());
    m.fixed_view_mut::<3, 3>(0, 3).copy_from(&skew(&d));
    let block = Mat3::from_diagonal_element(s.trace()) - s.transpose();
    m.fixed_view_mut::<3, 3>(3, 3).copy_from(&block);
    m
}

fn scalar(f: impl Fn(f64) -> f64) -> f64 {
    time_derivative(|t| poinsot_geometry::nalgebra::Vector1::new(f(t)))[0]
}

proptest! {
    #[test]
    fn gradient_and_hessian(target in pose(), h in pose(), l in vec6(), r in vec6()) {
        let slope = scalar(|e| distance(&target, &h.update(&(e * l))));
        close(l.dot(&gradient(&target, &h)), slope, 1e-8);
        let directional = time_derivative(|e| gradient(&target, &h.update(&(e * r))));
        close(hessian(&target, &h) * r, directional, 1e-8);
        // (2.62): s_Lᵀ Hess s_R = ∂²/∂e_L∂e_R f(H exp(e_R s_R) exp(e_L s_L)).
        let mixed = scalar(|er| {
            let moved = h.update(&(er * r));
            scalar(|el| distance(&target, &moved.update(&(el * l))))
        });
        close(l.dot(&(hessian(&target, &h) * r)), mixed, 1e-5);
    }

    // (2.64): the Taylor expansion needs only the symmetric part.
    #[test]
    fn taylor(target in pose(), h in pose(), s in vec6()) {
        let e = 1e-3;
        let (g, m) = (gradient(&target, &h), hessian(&target, &h));
        let model = distance(&target, &h) + e * s.dot(&g) + 0.5 * e * e * s.dot(&(m * s));
        close(distance(&target, &h.update(&(e * s))), model, 100.0 * e * e * e);
    }

    // Algorithm 1 reaches the minimum from rotations well inside the basin.
    #[test]
    fn newton_finds_the_minimum(target in pose(), s in twist(1.2)) {
        let options = NewtonOptions::default();
        let system = |h: &Pose| (gradient(&target, h), hessian(&target, h));
        let solution = newton(target.update(&s), &options, system).unwrap();
        close(solution.pose.homogeneous(), target.homogeneous(), 1e-11);
        prop_assert!(solution.residual <= options.tolerance);
        // At a minimum Hess + Hessᵀ is positive definite.
        let m = hessian(&target, &solution.pose);
        prop_assert!((m + m.transpose()).cholesky().is_some());
    }

    #[test]
    fn trust_region(s in vec6(), radius in 0.1..3.0_f64) {
        let options = NewtonOptions { rotation_radius: radius, ..NewtonOptions::default() };
        let step = options.step_factor(&s) * s;
        prop_assert!(step.fixed_rows::<3>(3).norm() <= radius * (1.0 + 1e-14));
        if s.fixed_rows::<3>(3).norm() <= radius {
            close(step, s, 0.0);
        }
    }

    // (2.66–2.68): nearest pose to `target` whose point `x` lies on the plane n·y = θ, with θ drawn to θ0.
    #[test]
    fn constrained_minimum(target in pose(), n in unit(), x in vec3(), offset in -0.3..0.3_f64) {
        let theta0 = n.dot(&target.point(&x)) + offset;
        let terms = |state: &ConstrainedState| {
            let (h, nu) = (&state.pose, state.multipliers[0]);
            let nb = h.rotation.transpose() * n;
            // r = n·(u + R x) - θ; material derivative [nbᵀ, (x × nb)ᵀ]; second: δnb = -~s nb = ~nb s.
            let row = join(&nb, &x.cross(&nb));
            let mut second = Mat6::zeros();
            second.fixed_view_mut::<3, 3>(0, 3).copy_from(&skew(&nb));
            second.fixed_view_mut::<3, 3>(3, 3).copy_from(&(skew(&x) * skew(&nb)));
            let theta = state.parameters[0];
            LagrangianTerms {
                parameter_gradient: DVector::from_element(1, theta - theta0 - nu),
                motion_gradient: gradient(&target, h) + nu * row,
                constraints: DVector::from_element(1, n.dot(&h.point(&x)) - theta),
                parameter_hessian: DMatrix::from_element(1, 1, 1.0),
                parameter_motion: DMatrix::zeros(1, 6),
                motion_parameter: DMatrix::zeros(6, 1),
                motion_hessian: hessian(&target, h) + nu * second,
                constraint_parameter: DMatrix::from_element(1, 1, -1.0),
                constraint_motion: DMatrix::from_row_slice(1, 6, row.as_slice()),
            }
        };
        let start = ConstrainedState {
            parameters: DVector::zeros(1),
            pose: target,
            multipliers: DVector::zeros(1),
        };
        let options = NewtonOptions { tolerance: 1e-11, ..NewtonOptions::default() };
        let (state, steps) = constrained_newton(start, &options, terms).unwrap();
        prop_assert!(steps <= 12, "{steps}");
        close(n.dot(&state.pose.point(&x)), state.parameters[0], 1e-10);
        close(state.parameters[0] - theta0, state.multipliers[0], 1e-10);
        prop_assert!(state.multipliers[0].abs() <= offset.abs() + 1e-10);
    }
}

#[test]
fn failures_are_reported() {
    let options = NewtonOptions { max_steps: 3, ..NewtonOptions::default() };
    let flat = |_: &Pose| (Vec6::repeat(1.0), Mat6::zeros());
    assert!(matches!(newton(Pose::identity(), &options, flat), Err(NewtonError::Singular { step: 0, .. })));
    let stuck = |_: &Pose| (Vec6::repeat(1.0), Mat6::identity());
    assert!(matches!(
        newton(Pose::identity(), &options, stuck),
        Err(NewtonError::NotConverged { steps: 3, .. })
    ));
    let bad = |_: &Pose| (Vec6::repeat(f64::NAN), Mat6::identity());
    assert!(matches!(
        newton(Pose::translation(Vec3::x()), &options, bad),
        Err(NewtonError::NotFinite { step: 0 })
    ));
}

#[test]
fn blocks_of_wrong_size_are_refused() {
    let start = ConstrainedState {
        parameters: DVector::zeros(2),
        pose: Pose::identity(),
        multipliers: DVector::zeros(1),
    };
    let terms = |_: &ConstrainedState| LagrangianTerms {
        parameter_gradient: DVector::zeros(2),
        motion_gradient: Vec6::zeros(),
        constraints: DVector::zeros(1),
        parameter_hessian: DMatrix::zeros(2, 2),
        parameter_motion: DMatrix::zeros(2, 5),
        motion_parameter: DMatrix::zeros(6, 2),
        motion_hessian: Mat6::identity(),
        constraint_parameter: DMatrix::zeros(1, 2),
        constraint_motion: DMatrix::zeros(1, 6),
    };
    let error = constrained_newton(start, &NewtonOptions::default(), terms).unwrap_err();
    assert_eq!(error, NewtonError::Size { parameters: 2, constraints: 1 });
}
