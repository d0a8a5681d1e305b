//! Rotation vector: exponential, logarithm, tangent operators.

use crate::common;
use common::*;
use poinsot_geometry::so3::*;
use poinsot_geometry::{Mat3, Vec3};
use proptest::prelude::*;
use std::f64::consts::PI;

proptest! {
    // floating-frame-and-ancf §1.2.4: sk(Au) = A sk(u) Aᵀ; powers of v~.
    #[test]
    fn skew_identities(a in rotation(), u in vec3(), w in vec3(), v in unit()) {
        close(skew(&u) * w, u.cross(&w), 1e-15);
        close(axial(&skew(&u)), u, 1e-15);
        close(skew(&(a * u)), a * skew(&u) * a.transpose(), 1e-14);
        let k = skew(&v);
        close(k * k * k, -k, 1e-15);
        close(k * k * k * k, -k * k, 1e-15);
    }

    // §1.2.1: the exponential is a proper rotation that keeps its axis.
    #[test]
    fn exponential_is_a_rotation(t in rotation_vector(20.0)) {
        let a = exp(&t);
        close(a.transpose() * a, Mat3::identity(), 1e-14);
        close(a.determinant(), 1.0, 1e-14);
        close(a * t, t, 1e-13);
        close(exp(&-t), a.transpose(), 1e-15);
    }

    #[test]
    fn log_inverts_exp(t in rotation_vector(PI - 1e-6)) {
        close(log(&exp(&t)), t, 1e-14 * (1.0 + t.norm()));
    }

    // Relative accuracy for tiny rotations.
    #[test]
    fn log_of_tiny_rotations(n in unit(), e in -12.0..-3.0_f64) {
        let t = n * 10f64.powf(e);
        close(log(&exp(&t)) / t.norm(), n, 1e-14);
    }

    // Near and at π the logarithm stays accurate, up to the sign of the axis.
    #[test]
    fn log_near_pi(n in unit(), gap in prop_oneof![Just(0.0), Just(1e-12), Just(1e-9), Just(1e-5), 0.0..0.1_f64]) {
        let t = n * (PI - gap);
        let back = log(&exp(&t));
        let error = (back - t).norm().min((back + n * (PI + gap)).norm());
        prop_assert!(error < 1e-13, "{error:e}");
        close(exp(&back), exp(&t), 1e-14);
    }

    // Aᵀ dA = skew(T dθ) and dA Aᵀ = skew(Tᵀ dθ).
    #[test]
    fn tangent_is_the_body_derivative(t in rotation_vector(6.0), d in vec3()) {
        let a = exp(&t);
        let da = time_derivative(|s| exp(&(t + s * d)));
        close(a.transpose() * da, skew(&(tangent(&t) * d)), 1e-10);
        close(da * a.transpose(), skew(&(spatial_tangent(&t) * d)), 1e-10);
        close(spatial_tangent(&t), tangent(&t).transpose(), 1e-15);
        close(spatial_tangent(&t), a * tangent(&t), 1e-14);
    }

    #[test]
    fn tangent_inverses(t in rotation_vector(6.0)) {
        close(tangent(&t) * tangent_inv(&t), Mat3::identity(), 1e-12);
        close(spatial_tangent(&t) * spatial_tangent_inv(&t), Mat3::identity(), 1e-12);
    }

    // Also through the neighbourhood of π and of the series seam at 3.
    #[test]
    fn derivatives_match_differences(
        n in unit(),
        angle in prop_oneof![0.0..5.0_f64, Just(0.0), Just(1e-9), Just(1e-5), Just(3.0), Just(PI)],
        w in vec3(),
        d in vec3(),
    ) {
        let t = n * angle;
        let tol = 2e-9;
        close(tangent_derivative(&t, &w), jacobian(|x| tangent(x) * w, &t), tol);
        close(tangent_transposed_derivative(&t, &w), jacobian(|x| tangent(x).transpose() * w, &t), tol);
        close(tangent_inv_derivative(&t, &w), jacobian(|x| tangent_inv(x) * w, &t), tol);
        close(
            tangent_inv_transposed_derivative(&t, &w),
            jacobian(|x| tangent_inv(x).transpose() * w, &t),
            tol,
        );
        close(tangent_rate(&t, &d), time_derivative(|s| tangent(&(t + s * d))), tol);
        close(tangent_inv_rate(&t, &d), time_derivative(|s| tangent_inv(&(t + s * d))), tol);
    }

    // §1.2.8: ᾱ = T θ̈ + Ṫ θ̇.
    #[test]
    fn angular_acceleration(t in rotation_vector(3.0), d in vec3(), dd in vec3()) {
        let path = |s: f64| t + s * d + 0.5 * s * s * dd;
        let omega = |s: f64| tangent(&path(s)) * (d + s * dd);
        close(tangent(&t) * dd + tangent_rate(&t, &d) * d, time_derivative(omega), 1e-9);
    }

    // gs4-isochronous-integrators I-76: δω̄ = ϖ̇ + ω̄~ ϖ and δω = ϖ̇_s - ω~ ϖ_s.
    #[test]
    fn variations_commute(t in rotation_vector(2.0), d in vec3(), v in vec3(), vd in vec3()) {
        // θ(s, e) = t + s d + e (v + s vd): time s, variation e.
        let theta = |s: f64, e: f64| t + s * d + e * (v + s * vd);
        let omega = |e: f64| tangent(&theta(0.0, e)) * (d + e * vd);
        let varpi = |s: f64| tangent(&theta(s, 0.0)) * (v + s * vd);
        close(time_derivative(omega), time_derivative(varpi) + omega(0.0).cross(&varpi(0.0)), 1e-9);
        let omega_s = |e: f64| spatial_tangent(&theta(0.0, e)) * (d + e * vd);
        let varpi_s = |s: f64| spatial_tangent(&theta(s, 0.0)) * (v + s * vd);
        close(time_derivative(omega_s), time_derivative(varpi_s) - omega_s(0.0).cross(&varpi_s(0.0)), 1e-9);
    }

    #[test]
    fn orthonormalisation(a in rotation(), x in vec3(), y in vec3(), z in vec3()) {
        let noise = Mat3::from_columns(&[x, y, z]);
        let bent = a + 1e-6 * noise;
        let defect = |m: &Mat3| (m.transpose() * m - Mat3::identity()).norm();
        // One step squares the defect.
        prop_assert!(defect(&orthonormalize(&bent)) < defect(&bent) * defect(&bent) + 1e-15);
        let far = a + 0.1 * noise;
        let repaired = polar(&far).unwrap();
        prop_assert!(defect(&repaired) < 1e-14);
        // Polar: Qᵀ X is symmetric.
        let s = repaired.transpose() * far;
        close(s, s.transpose(), 1e-13);
    }

    #[test]
    fn angle_between_orientations(a in rotation(), t in rotation_vector(3.0)) {
        close(angle_between(&a, &(a * exp(&t))), t.norm(), 1e-13);
    }
}

#[test]
fn half_turns_about_the_coordinate_axes() {
    for k in 0..3 {
        let n = Vec3::ith(k, 1.0);
        let a = Mat3::from_diagonal(&Vec3::from_fn(|i, _| if i == k { 1.0 } else { -1.0 }));
        let t = log(&a);
        close(t.norm(), PI, 1e-15);
        close(t.cross(&n), Vec3::zeros(), 1e-15);
    }
}

#[test]
fn identity_has_zero_logarithm() {
    assert_eq!(log(&Mat3::identity()), Vec3::zeros());
    assert_eq!(exp(&Vec3::zeros()), Mat3::identity());
}

#[test]
fn polar_refuses_singular_and_non_finite() {
    assert!(polar(&Mat3::zeros()).is_none());
    assert!(polar(&Mat3::from_diagonal(&Vec3::new(1.0, 1.0, 0.0))).is_none());
    assert!(polar(&Mat3::from_element(f64::NAN)).is_none());
}
