//! Axis and angle: floating-frame-and-ancf §1.2.1, §1.2.4, §1.2.6, §1.2.7, §1.2.14, §1.2.16;
//! gs4-isochronous-integrators I-72, I-75.

use crate::common;
use common::*;
use poinsot_geometry::axis_angle::{AxisAngle, successive_multi_frame, successive_single_frame};
use poinsot_geometry::joint_axis::{JointAxis, JointCoordinates};
use poinsot_geometry::so3::{exp, skew};
use poinsot_geometry::{Mat3, Vec3};
use proptest::prelude::*;
use std::f64::consts::PI;

proptest! {
    // §1.2.1 and I-72.
    #[test]
    fn matrix_forms(v in unit(), angle in -7.0..7.0_f64) {
        let a = AxisAngle::new(&v, angle).unwrap().matrix();
        let k = skew(&v);
        close(a, Mat3::identity() + angle.sin() * k + (1.0 - angle.cos()) * k * k, 1e-14);
        let nn = v * v.transpose();
        close(a, angle.cos() * Mat3::identity() + (1.0 - angle.cos()) * nn + angle.sin() * k, 1e-14);
        close(a, exp(&(angle * v)), 1e-14);
        close(a.trace(), 1.0 + 2.0 * angle.cos(), 1e-14);
        close(a * v, v, 1e-14);
        // eigenvalues e^{±iφ}: characteristic polynomial at 1 and the determinant
        close(a.determinant(), 1.0, 1e-14);
    }

    // I-72, small angles: Aᵀ ≈ I - Δφ n~ + ½ Δφ² (nnᵀ - I) + (Δφ³/6) n~.
    #[test]
    fn small_angle_expansion(n in unit(), f in -1e-3..1e-3_f64) {
        let a = AxisAngle::new(&n, f).unwrap().matrix().transpose();
        let k = skew(&n);
        let series = Mat3::identity() - f * k
            + 0.5 * f * f * (n * n.transpose() - Mat3::identity())
            + f.powi(3) / 6.0 * k;
        close(a, series, 1e-13);
    }

    // §1.2.4: ∂ⁿA/∂θⁿ = v~ⁿ A = A v~ⁿ.
    #[test]
    fn derivatives_at_fixed_axis(v in unit(), angle in -4.0..4.0_f64) {
        let at = |t: f64| AxisAngle::new(&v, angle + t).unwrap();
        let a = at(0.0).matrix();
        let k = skew(&v);
        close(at(0.0).matrix_derivative(), time_derivative(|t| at(t).matrix()), 1e-10);
        close(time_derivative(|t| at(t).matrix_derivative()), k * k * a, 1e-10);
        close(k * a, a * k, 1e-14);
        // §1.2.14
        let d = at(0.0).matrix_derivative();
        close(d, k * angle.cos() + k * k * angle.sin(), 1e-14);
        close(a.transpose() * d, k, 1e-14);
        close(d.transpose() * d, -k * k, 1e-14);
    }

    // §1.2.16 by the safe route.
    #[test]
    fn extraction(v in unit(), angle in prop_oneof![1e-9..PI, Just(1e-9), Just(1e-5), Just(PI - 1e-9)]) {
        let r = AxisAngle::new(&v, angle).unwrap();
        let back = AxisAngle::from_matrix(&r.matrix()).unwrap();
        close(back.angle(), angle, 1e-13);
        // The axis carries the relative error of the matrix entries, of order one unit of rounding.
        close(back.axis(), v, 1e-13);
        close(back.rotation_vector(), r.rotation_vector(), 1e-13);
    }

    // §1.2.7: ω with a moving axis.
    #[test]
    fn angular_velocity(v in unit(), d in vec3(), angle in -3.0..3.0_f64, rate in -2.0..2.0_f64) {
        let axis_rate = d - v * v.dot(&d);
        let at = |t: f64| AxisAngle::new(&(v + t * axis_rate), angle + t * rate).unwrap().matrix();
        let (a, ad) = (at(0.0), time_derivative(at));
        let r = AxisAngle::new(&v, angle).unwrap();
        close(ad * a.transpose(), skew(&r.angular_velocity_space(&axis_rate, rate)), 1e-8);
        close(a.transpose() * ad, skew(&r.angular_velocity_body(&axis_rate, rate)), 1e-8);
    }

    // §1.2.6: both methods of successive rotation.
    #[test]
    fn successive_rotations(list in prop::collection::vec((unit(), -3.0..3.0_f64), 0..6)) {
        let r: Vec<_> = list.iter().map(|(v, f)| AxisAngle::new(v, *f).unwrap()).collect();
        close(successive_single_frame(&r), successive_multi_frame(&r), 1e-13);
    }

    // §1.2.6: parallel axes commute, infinitesimal rotations add.
    #[test]
    fn commuting_rotations(v in unit(), f in -3.0..3.0_f64, g in -3.0..3.0_f64, w in unit()) {
        let (a, b) = (AxisAngle::new(&v, f).unwrap().matrix(), AxisAngle::new(&v, g).unwrap().matrix());
        close(a * b, b * a, 1e-14);
        let h = 1e-6;
        let (x, y) = (AxisAngle::new(&v, h).unwrap(), AxisAngle::new(&w, h).unwrap());
        let sum = Mat3::identity() + h * skew(&(v + w));
        close(x.linearized() * y.linearized(), sum, 2.0 * h * h);
        close(x.matrix() * y.matrix(), sum, 3.0 * h * h);
    }

    // §1.2.14: homogeneous rates of a joint.
    #[test]
    fn joint_rates(v in unit(), q in vec3(), p in vec3()) {
        let at = |t: f64| {
            let angle = q.x + p.x * t + 0.5 * q.z * t * t;
            let slide = q.y + p.y * t + 0.5 * p.z * t * t;
            JointAxis::new(&AxisAngle::new(&v, angle).unwrap(), slide)
        };
        let rate = JointCoordinates { angle: p.x, slide: p.y };
        let second = JointCoordinates { angle: q.z, slide: p.z };
        close(at(0.0).homogeneous_rate(rate), time_derivative(|t| at(t).pose().homogeneous()), 1e-9);
        close(
            at(0.0).homogeneous_second_rate(rate, second),
            second_time_derivative(|t| at(t).pose().homogeneous()),
            1e-7,
        );
    }

    // §1.2.8 and I-75: r̈ = A r̄̈ + 2 ω×(A r̄̇) + α×r + ω×(ω×r).
    #[test]
    fn moving_point_acceleration(w in vec3(), alpha in vec3(), x in vec3(), xd in vec3(), xdd in vec3()) {
        let a = |t: f64| exp(&(t * w + 0.5 * t * t * alpha));
        let r = |t: f64| a(t) * (x + t * xd + 0.5 * t * t * xdd);
        let exact = xdd + 2.0 * w.cross(&xd) + alpha.cross(&x) + w.cross(&w.cross(&x));
        close(second_time_derivative(r), exact, 1e-6);
        close(time_derivative(r), xd + w.cross(&x), 1e-8);
    }
}

#[test]
fn axes_of_extreme_length() {
    for scale in [1e-300, 1e300] {
        let r = AxisAngle::new(&(scale * Vec3::new(1.0, 1.0, 0.0)), 1.0).unwrap();
        close(r.axis().norm(), 1.0, 1e-15);
    }
    assert!(AxisAngle::new(&Vec3::zeros(), 1.0).is_err());
    assert!(AxisAngle::new(&Vec3::new(f64::NAN, 0.0, 0.0), 1.0).is_err());
    assert!(AxisAngle::new(&Vec3::new(f64::INFINITY, 0.0, 0.0), 1.0).is_err());
    assert!(AxisAngle::from_matrix(&Mat3::identity()).is_none());
}
