//! Euler angles: floating-frame-and-ancf §1.2.10, §1.2.11; gs4-isochronous-integrators I-70, I-71.

use crate::common;
use common::*;
use poinsot_geometry::euler::{EulerError, Extraction, SINGULAR_MARGIN, Sequence, elementary};
use poinsot_geometry::quaternion::EulerParameters;
use poinsot_geometry::so3::skew;
use poinsot_geometry::{Mat3, Vec3};
use proptest::prelude::*;
use std::f64::consts::{FRAC_PI_2, PI};

fn sequence() -> impl Strategy<Value = Sequence> {
    (0..12usize).prop_map(|i| Sequence::ALL[i])
}

proptest! {
    #[test]
    fn angles_round_trip(s in sequence(), a in -PI..PI, b in 0.01..0.99_f64, c in -PI..PI) {
        let middle = if s.is_proper() { b * PI } else { (b - 0.5) * PI };
        let angles = Vec3::new(a, middle, c);
        close(s.angles(&s.matrix(&angles)).unwrap(), angles, 1e-12);
    }

    // Any rotation is reproduced to rounding, however near the singularity.
    #[test]
    fn extraction_reproduces_the_matrix(s in sequence(), a in rotation()) {
        close(s.matrix(&s.extract(&a).angles()), a, 1e-14);
    }

    #[test]
    fn near_singular_matrices_are_reproduced(
        s in sequence(), a in -PI..PI, c in -PI..PI, gap in -12.0..-2.0_f64, side in any::<bool>(),
    ) {
        let gap = 10f64.powf(gap);
        let middle = match (s.is_proper(), side) {
            (true, true) => PI - gap,
            (true, false) => gap,
            (false, true) => FRAC_PI_2 - gap,
            (false, false) => gap - FRAC_PI_2,
        };
        let m = s.matrix(&Vec3::new(a, middle, c));
        let e = s.extract(&m);
        close(e.margin(), gap.sin(), 1e-14);
        prop_assert_eq!(e.is_singular(), e.margin() < SINGULAR_MARGIN);
        close(s.matrix(&e.angles()), m, 2e-14);
    }

    #[test]
    fn rate_maps(s in sequence(), x in vec3(), d in vec3()) {
        let a = s.matrix(&x);
        let ad = time_derivative(|t| s.matrix(&(x + t * d)));
        close(ad * a.transpose(), skew(&(s.rate_map_space(&x) * d)), 1e-9);
        close(a.transpose() * ad, skew(&(s.rate_map_body(&x) * d)), 1e-9);
        close(s.rate_map_space(&x), a * s.rate_map_body(&x), 1e-14);
        close(s.rate_map_space(&x).determinant().abs(), s.margin(x[1]), 1e-14);
        if s.margin(x[1]) > 1e-2 {
            close(s.rate_map_space(&x) * s.rate_map_space_inv(&x).unwrap(), Mat3::identity(), 1e-11);
            close(s.rate_map_body(&x) * s.rate_map_body_inv(&x).unwrap(), Mat3::identity(), 1e-11);
        }
    }

    // §1.2.8: ᾱ = Ḡ θ̈ + Ḡ̇ θ̇.
    #[test]
    fn acceleration_maps(s in sequence(), x in vec3(), d in vec3()) {
        let space = time_derivative(|t| s.rate_map_space(&(x + t * d)));
        close(s.rate_map_space_rate(&x, &d), space, 1e-9);
        let body = time_derivative(|t| s.rate_map_body(&(x + t * d)));
        close(s.rate_map_body_rate(&x, &d), body, 1e-9);
    }

    // §1.2.10, printed matrices of the 3-1-3 set and its Euler parameters.
    #[test]
    fn printed_313(phi in -PI..PI, theta in 0.1..3.0_f64, psi in -PI..PI) {
        let ((sf, cf), (st, ct), (sp, cp)) = (phi.sin_cos(), theta.sin_cos(), psi.sin_cos());
        let x = Vec3::new(phi, theta, psi);
        let a = Mat3::new(
            cp * cf - ct * sf * sp, -sp * cf - ct * sf * cp, st * sf,
            cp * sf + ct * cf * sp, -sp * sf + ct * cf * cp, -st * cf,
            st * sp, st * cp, ct,
        );
        let s = Sequence::ZXZ;
        close(s.matrix(&x), a, 1e-14);
        close(s.rate_map_space(&x), Mat3::new(0.0, cf, st * sf, 0.0, sf, -st * cf, 1.0, 0.0, ct), 1e-14);
        close(s.rate_map_body(&x), Mat3::new(st * sp, cp, 0.0, st * cp, -sp, 0.0, ct, 0.0, 1.0), 1e-14);
        let inverse = Mat3::new(-sf * ct, cf * ct, st, st * cf, st * sf, 0.0, sf, -cf, 0.0) / st;
        close(s.rate_map_space_inv(&x).unwrap(), inverse, 1e-12);
        let (sum, diff) = (0.5 * (phi + psi), 0.5 * (phi - psi));
        let (sh, ch) = (0.5 * theta).sin_cos();
        let q = EulerParameters::new(ch * sum.cos(), Vec3::new(sh * diff.cos(), sh * diff.sin(), ch * sum.sin()));
        close(q.to_matrix(), a, 1e-14);
        // I-70: rates from body components.
        let w = Vec3::new(0.3, -1.2, 0.7);
        let rates = s.rate_map_body_inv(&x).unwrap() * w;
        let k = w.x * sp + w.y * cp;
        close(rates, Vec3::new(k / st, w.x * cp - w.y * sp, w.z - ct / st * k), 1e-12);
        // I-70 prints the body-from-inertial matrix, the transpose.
        let body_from_space = elementary(2, -psi) * elementary(0, -theta) * elementary(2, -phi);
        close(body_from_space, a.transpose(), 1e-14);
    }

    // §1.2.11, printed matrices of the 1-2-3 set.
    #[test]
    fn printed_123(phi in -PI..PI, theta in -1.5..1.5_f64, psi in -PI..PI) {
        let ((sf, cf), (st, ct), (sp, cp)) = (phi.sin_cos(), theta.sin_cos(), psi.sin_cos());
        let x = Vec3::new(phi, theta, psi);
        let a = Mat3::new(
            ct * cp, -ct * sp, st,
            sf * st * cp + cf * sp, -sf * st * sp + cf * cp, -sf * ct,
            -cf * st * cp + sf * sp, cf * st * sp + sf * cp, cf * ct,
        );
        let s = Sequence::XYZ;
        close(s.matrix(&x), a, 1e-14);
        close(s.rate_map_space(&x), Mat3::new(1.0, 0.0, st, 0.0, cf, -sf * ct, 0.0, sf, cf * ct), 1e-14);
        close(s.rate_map_body(&x), Mat3::new(ct * cp, sp, 0.0, -ct * sp, cp, 0.0, st, 0.0, 1.0), 1e-14);
    }

    // I-71: Cardan 3-2-1 and Bryant 1-2-3, body from space.
    #[test]
    fn printed_cardan_and_bryant(x in vec3()) {
        let ((s1, c1), (s2, c2), (s3, c3)) = (x[0].sin_cos(), x[1].sin_cos(), x[2].sin_cos());
        let a321 = Mat3::new(
            c1 * c2, s1 * c2, -s2,
            -s1 * c3 + c1 * s2 * s3, c1 * c3 + s1 * s2 * s3, c2 * s3,
            s1 * s3 + c1 * s2 * c3, -c1 * s3 + s1 * s2 * c3, c2 * c3,
        );
        close(Sequence::ZYX.matrix(&x), a321.transpose(), 1e-14);
        let a123 = Mat3::new(
            c2 * c3, c1 * s3 + s1 * s2 * c3, s1 * s3 - c1 * s2 * c3,
            -c2 * s3, c1 * c3 - s1 * s2 * s3, s1 * c3 + c1 * s2 * s3,
            s2, -s1 * c2, c1 * c2,
        );
        close(Sequence::XYZ.matrix(&x), a123.transpose(), 1e-14);
    }
}

#[test]
fn names() {
    for s in Sequence::ALL {
        assert_eq!(s.to_string().parse::<Sequence>(), Ok(s));
    }
    assert_eq!("313".parse(), Ok(Sequence::ZXZ));
    assert_eq!("3-2-1".parse(), Ok(Sequence::ZYX));
    assert_eq!("XYZ".parse(), Ok(Sequence::XYZ));
    for bad in ["", "xx", "xxy", "xyy", "xyzx", "abc", "41x"] {
        assert!(matches!(bad.parse::<Sequence>(), Err(EulerError::UnknownSequence { .. })), "{bad}");
    }
}

#[test]
fn exact_singularity_is_reported() {
    for s in Sequence::ALL {
        let middles = if s.is_proper() { [0.0, PI] } else { [FRAC_PI_2, -FRAC_PI_2] };
        for middle in middles {
            let m = s.matrix(&Vec3::new(0.4, middle, 0.3));
            let e = s.extract(&m);
            assert!(matches!(e, Extraction::Singular { margin, .. } if margin < 1e-15));
            close(s.matrix(&e.angles()), m, 1e-14);
            assert!(matches!(s.angles(&m), Err(EulerError::Singular { margin, .. }) if margin < 1e-15));
            let x = Vec3::new(0.4, middle, 0.3);
            assert!(s.rate_map_body_inv(&x).is_err() && s.rate_map_space_inv(&x).is_err());
        }
    }
}
