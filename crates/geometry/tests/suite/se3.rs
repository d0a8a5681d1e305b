//! Rigid motions: motion-interpolation-galerkin §0, §1.5, §1.6, §1.7; floating-frame-and-ancf §1.2.13,
//! §1.2.15.

use crate::common;
use common::*;
use poinsot_geometry::euler::elementary;
use poinsot_geometry::nalgebra::Matrix4;
use poinsot_geometry::se3::*;
use poinsot_geometry::so3::{axial, skew};
use poinsot_geometry::{Mat6, Vec3, Vec6};
use proptest::prelude::*;
use std::f64::consts::PI;

/// Material velocity of a path of poses at `t = 0`.
fn velocity(path: impl Fn(f64) -> Pose) -> Vec6 {
    let h = path(0.0);
    let rate = time_derivative(|t| path(t).homogeneous());
    let body = h.inverse().homogeneous() * rate;
    let spin = axial(&body.fixed_view::<3, 3>(0, 0).into());
    join(&body.fixed_view::<3, 1>(0, 3).into(), &spin)
}

fn same(a: &Pose, b: &Pose, tol: f64) {
    close(a.homogeneous(), b.homogeneous(), tol);
}

proptest! {
    // §0 and §1.2.13.
    #[test]
    fn group_laws(a in pose(), b in pose(), c in pose(), x in vec3()) {
        same(&((a * b) * c), &(a * (b * c)), 1e-13);
        same(&(a * a.inverse()), &Pose::identity(), 1e-14);
        same(&a.relative(&b), &(a.inverse() * b), 1e-14);
        close((a * b).homogeneous(), a.homogeneous() * b.homogeneous(), 1e-13);
        same(&Pose::from_homogeneous(&a.homogeneous()), &a, 0.0);
        close((a * b).point(&x), a.point(&b.point(&x)), 1e-13);
        close((a * b).direction(&x), a.direction(&b.direction(&x)), 1e-13);
    }

    // §0: Ad(H) = ext(R + ε ~u R); Ad of a product.
    #[test]
    fn adjoints(a in pose(), b in pose(), v in vec6()) {
        close((a * b).adjoint(), a.adjoint() * b.adjoint(), 1e-13);
        close(a.adjoint() * a.adjoint_inv(), Mat6::identity(), 1e-13);
        close(a.adjoint_inv(), a.inverse().adjoint(), 1e-13);
        // H exp(v) H⁻¹ = exp(Ad(H) v)
        let w = a.adjoint() * (0.3 * v);
        same(&(a * exp(&(0.3 * v)) * a.inverse()), &exp(&w), 1e-13);
    }

    // §0: ad(k)ᵀ p = up(p) k, up skew; ad is the derivative of Ad.
    #[test]
    fn small_adjoint(k in vec6(), p in vec6()) {
        close(ad(&k).transpose() * p, up(&p) * k, 1e-14);
        close(up(&p), -up(&p).transpose(), 0.0);
        close(ad(&k) * p, -ad(&p) * k, 1e-14);
        close(time_derivative(|t| exp(&(t * k)).adjoint()), ad(&k), 1e-9);
    }

    // §1.5: exp6 and log6.
    #[test]
    fn log_inverts_exp(s in twist(PI - 1e-3)) {
        close(log(&exp(&s)), s, 1e-12);
    }

    #[test]
    fn exp_inverts_log(a in pose()) {
        same(&exp(&log(&a)), &a, 1e-13);
        same(&exp(&-log(&a)), &a.inverse(), 1e-13);
    }

    #[test]
    fn log_near_and_at_half_turn(n in unit(), u in vec3(), gap in prop_oneof![Just(0.0), Just(1e-12), Just(1e-9), Just(1e-5)]) {
        let a = Pose::new(u, poinsot_geometry::so3::exp(&(n * (PI - gap))));
        same(&exp(&log(&a)), &a, 1e-13);
    }

    // §1.5: the exponential solves Ḣ = H ŝ.
    #[test]
    fn exponential_has_constant_velocity(s in twist(3.0), t in 0.0..1.0_f64) {
        close(velocity(|d| exp(&((t + d) * s))), s, 1e-9);
    }

    // §1.7: v = T6 ṡ and the printed blocks of T6 and Tinv6.
    #[test]
    fn tangent_is_the_material_velocity(s in twist(5.0), d in vec6()) {
        close(velocity(|t| exp(&(s + t * d))), tangent(&s) * d, 1e-9);
        close(tangent(&s) * tangent_inv(&s), Mat6::identity(), 1e-10);
    }

    #[test]
    fn printed_tangent_blocks(l in vec3(), n in unit(), f in 0.5..6.0_f64) {
        let a = n * f;
        let s = join(&l, &a);
        let (k, ko) = (skew(&a), skew(&l));
        let (sf, cf) = f.sin_cos();
        let (b, c) = ((1.0 - cf) / f.powi(2), (f - sf) / f.powi(3));
        let bp = (f * sf - 2.0 * (1.0 - cf)) / f.powi(4);
        let cp = (3.0 * sf - f * (2.0 + cf)) / f.powi(5);
        let dot = a.dot(&l);
        let corner = -b * ko - bp * dot * k + c * (ko * k + k * ko) + cp * dot * k * k;
        close(tangent(&s).fixed_view::<3, 3>(0, 3).into_owned(), corner, 1e-12);
        // χ2'/f from χ2 = 1/f² - cot(f/2)/(2f)
        let (sh, ch) = (0.5 * f).sin_cos();
        let chi = (1.0 - 0.5 * f * ch / sh) / f.powi(2);
        let chip = (-2.0 / f.powi(3) + 0.25 / (f * sh * sh) + 0.5 * ch / (sh * f * f)) / f;
        let corner = 0.5 * ko + chip * dot * k * k + chi * (k * ko + ko * k);
        let scale = 1.0 + corner.norm();
        close(tangent_inv(&s).fixed_view::<3, 3>(0, 3) / scale, corner / scale, 1e-11);
    }

    // §1.7 (2.51): T⁻¹(-s) = T⁻¹(s) - ad(s); Ad = T(-s) T⁻¹(s) = T⁻¹(s) T(-s).
    #[test]
    fn tangent_identities(s in twist(5.0)) {
        close(tangent_inv(&-s), tangent_inv(&s) - ad(&s), 1e-11);
        close(exp(&s).adjoint(), tangent(&-s) * tangent_inv(&s), 1e-10);
        close(exp(&s).adjoint(), tangent_inv(&s) * tangent(&-s), 1e-10);
    }

    // §1.7 (2.54): relative motion, ṗ = -T⁻¹(-p) v1 + T⁻¹(p) v2.
    #[test]
    fn relative_motion_rate(a in pose(), s in twist(2.5), v1 in vec6(), v2 in vec6()) {
        let b = a * exp(&s);
        let p = |t: f64| log(&a.update(&(t * v1)).relative(&b.update(&(t * v2))));
        close(time_derivative(p), tangent_inv(&s) * v2 - tangent_inv(&-s) * v1, 1e-8);
    }

    #[test]
    fn derivatives_match_differences(
        l in vec3(), n in unit(), w in vec6(), d in vec6(),
        angle in prop_oneof![0.0..4.5_f64, Just(0.0), Just(1e-9), Just(1e-5), Just(3.0), Just(PI)],
    ) {
        let s = join(&l, &(n * angle));
        let tol = 5e-9;
        close(tangent_derivative(&s, &w), jacobian(|x| tangent(x) * w, &s), tol);
        close(tangent_transposed_derivative(&s, &w), jacobian(|x| tangent(x).transpose() * w, &s), tol);
        close(tangent_inv_derivative(&s, &w), jacobian(|x| tangent_inv(x) * w, &s), tol);
        close(
            tangent_inv_transposed_derivative(&s, &w),
            jacobian(|x| tangent_inv(x).transpose() * w, &s),
            tol,
        );
        close(tangent_rate(&s, &d), time_derivative(|t| tangent(&(s + t * d))), tol);
    }

    // §1.6 (2.45): δv = d(δu)/dt + ad(v) δu.
    #[test]
    fn commutation(s in twist(2.0), d in vec6(), w in vec6(), wd in vec6()) {
        let at = |t: f64, e: f64| s + t * d + e * (w + t * wd);
        let v = |e: f64| tangent(&at(0.0, e)) * (d + e * wd);
        let du = |t: f64| tangent(&at(t, 0.0)) * (w + t * wd);
        let expected = velocity_variation(&v(0.0), &du(0.0), &time_derivative(du));
        close(time_derivative(v), expected, 1e-8);
    }

    // §1.2.15: the product of its four factors.
    #[test]
    fn denavit_hartenberg(a in -2.0..2.0_f64, alpha in -3.0..3.0_f64, d in -2.0..2.0_f64, theta in -3.0..3.0_f64) {
        let turn = |axis, angle| Pose::new(Vec3::zeros(), elementary(axis, angle));
        let product = turn(0, alpha)
            * Pose::translation(a * Vec3::x())
            * turn(2, theta)
            * Pose::translation(d * Vec3::z());
        same(&Pose::denavit_hartenberg(a, alpha, d, theta), &product, 1e-14);
    }
}

#[test]
fn homogeneous_inverse_is_not_the_transpose() {
    let h = Pose::new(Vec3::new(1.0, 1.0, -5.0), elementary(2, 0.5)).homogeneous();
    assert!((h.transpose() * h - Matrix4::identity()).norm() > 1.0);
}
