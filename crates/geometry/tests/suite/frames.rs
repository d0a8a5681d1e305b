//! Frames and Euler angles of lagrangian-dae-modeling §2.2: VC-2.1 … VC-2.3, VC-2.5 … VC-2.8, and the
//! matrices of §1.10.

use crate::common;

use common::*;
use poinsot_geometry::euler::{Sequence, elementary};
use poinsot_geometry::so3::{axial, skew};
use poinsot_geometry::{Mat3, Pose, Vec3, direction_cosines};
use proptest::prelude::*;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_3, FRAC_PI_4, FRAC_PI_6, PI};

/// VC-2.3: a frame from its origin and a point on each axis.
fn frame() -> Pose {
    let origin = Vec3::new(1.0, 4.3, -1.7);
    let on_axes = [
        Vec3::new(1.6010, 5.8755, -1.4844),
        Vec3::new(-1.0208, 4.7185, 0.8751),
        Vec3::new(4.6062, 2.4969, 1.4231),
    ];
    Pose::new(origin, Mat3::from_columns(&on_axes.map(|p| (p - origin).normalize())))
}

#[test]
fn frame_from_four_points() {
    let pose = frame();
    let printed = Mat3::new(
        35354.0, -61237.0, 70710.0, //
        92678.0, 12682.0, -35355.0, //
        12683.0, 78034.0, 61238.0,
    ) * 1e-5;
    // Points with four decimals give five of the matrix to about a unit.
    close(pose.rotation, printed, 1.2e-5);
    assert!(direction_cosines::check(&pose.rotation, 1e-4).is_ok());
    assert!(direction_cosines::check(&pose.rotation, 1e-9).is_err(), "the points are rounded");
    // (x × y) · z = 1.
    let axes = [0, 1, 2].map(|k| pose.rotation.column(k).into_owned());
    assert!((axes[0].cross(&axes[1]).dot(&axes[2]) - 1.0).abs() < 1e-5);
    close(pose.point(&Vec3::new(1.0, 1.0, 1.0)), Vec3::new(1.448274, 5.000050, -0.180460), 0.6e-6);
    // ¹P = ⁰A1ᵀ (⁰P − ⁰Q1).
    let local = pose.rotation.tr_mul(&(Vec3::new(1.0, 1.0, 1.0) - pose.r));
    close(local, Vec3::new(-2.715954, 1.688407, 2.820139), 0.6e-6);
    // Every printed digit.
    assert_eq!(local.map(|x| (x * 1e4).round()), Vec3::new(-27160.0, 16884.0, 28201.0));
}

/// VC-2.7: its XYZ angles are 30°, 45°, 60°.
#[test]
fn angles_of_the_frame() {
    let angles = Sequence::XYZ.angles(&frame().rotation).unwrap();
    assert_eq!(angles.map(|x| (x * 1e4).round()), Vec3::new(5236.0, 7854.0, 10472.0));
    close(angles, Vec3::new(FRAC_PI_6, FRAC_PI_4, FRAC_PI_3), 2e-5);
    let exact = Sequence::XYZ.matrix(&Vec3::new(FRAC_PI_6, FRAC_PI_4, FRAC_PI_3));
    close(Sequence::XYZ.angles(&exact).unwrap(), Vec3::new(FRAC_PI_6, FRAC_PI_4, FRAC_PI_3), 1e-15);
}

/// VC-2.8: 90° about z then the new y, and 90° about y then the new z.
#[test]
fn quarter_turns_do_not_commute() {
    let (z, y) = (elementary(2, FRAC_PI_2), elementary(1, FRAC_PI_2));
    close(z * y, Mat3::new(0.0, -1.0, 0.0, 0.0, 0.0, 1.0, -1.0, 0.0, 0.0), 1e-15);
    close(y * z, Mat3::new(0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0), 1e-15);
}

fn angle() -> impl Strategy<Value = f64> {
    -PI..PI
}

proptest! {
    // VC-2.1, VC-2.2: circular motion in a frame that turns about z.
    #[test]
    fn circular_motion(theta in angle(), rate in -5.0..5.0f64, radius in 0.1..4.0f64) {
        let (s, c) = theta.sin_cos();
        let a = elementary(2, theta);
        close(a, Mat3::new(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0), 1e-15);
        let velocity = Vec3::new(-s, c, 0.0) * (radius * rate);
        let spin = Vec3::new(0.0, 0.0, rate);
        close(spin.cross(&(a * Vec3::x() * radius)), velocity, 1e-14);
        close(a * skew(&spin) * Vec3::x() * radius, velocity, 1e-14);
    }

    // (2.5): ω̃ = Aᵀ Ȧ, and (2.16), (2.18), (2.19) of the XYZ sequence entry by entry.
    #[test]
    fn xyz_matrices(al in angle(), be in -1.4..1.4f64, ga in angle(), x in -3.0..3.0f64, y in -3.0..3.0f64, z in -3.0..3.0f64) {
        let ((sa, ca), (sb, cb), (sg, cg)) = (al.sin_cos(), be.sin_cos(), ga.sin_cos());
        let (angles, rates) = (Vec3::new(al, be, ga), Vec3::new(x, y, z));
        let a = Mat3::new(
            cb * cg, -cb * sg, sb,
            sa * sb * cg + ca * sg, -sa * sb * sg + ca * cg, -sa * cb,
            -ca * sb * cg + sa * sg, ca * sb * sg + sa * cg, ca * cb,
        );
        close(Sequence::XYZ.matrix(&angles), a, 1e-15);
        let found = Vec3::new((-a[(1, 2)]).atan2(a[(2, 2)]), a[(0, 2)].asin(), (-a[(0, 1)]).atan2(a[(0, 0)]));
        close(Sequence::XYZ.angles(&a).unwrap(), found, 1e-13);
        let map = Mat3::new(cb * cg, sg, 0.0, -cb * sg, cg, 0.0, sb, 0.0, 1.0);
        close(Sequence::XYZ.rate_map_body(&angles), map, 1e-15);
        let inverse = Mat3::new(cg, -sg, 0.0, cb * sg, cb * cg, 0.0, -sb * cg, sb * sg, cb) / cb;
        close(Sequence::XYZ.rate_map_body_inv(&angles).unwrap(), inverse, 1e-13);
        close(turning(&Sequence::XYZ, &angles, &rates), map * rates, 1e-13);
        close(Sequence::ZYX.matrix(&Vec3::new(ga, be, al)), elementary(2, ga) * elementary(1, be) * elementary(0, al), 1e-15);
    }

    // ZXZ, matrix and rates.
    #[test]
    fn zxz_matrices(al in angle(), be in 0.1..3.0f64, ga in angle(), x in -3.0..3.0f64, y in -3.0..3.0f64, z in -3.0..3.0f64) {
        let ((sa, ca), (sb, cb), (sg, cg)) = (al.sin_cos(), be.sin_cos(), ga.sin_cos());
        let (angles, rates) = (Vec3::new(al, be, ga), Vec3::new(x, y, z));
        let a = Mat3::new(
            ca * cg - sa * cb * sg, -ca * sg - sa * cb * cg, sa * sb,
            sa * cg + ca * cb * sg, -sa * sg + ca * cb * cg, -ca * sb,
            sb * sg, sb * cg, cb,
        );
        close(Sequence::ZXZ.matrix(&angles), a, 1e-15);
        let map = Mat3::new(sb * sg, cg, 0.0, sb * cg, -sg, 0.0, cb, 0.0, 1.0);
        close(Sequence::ZXZ.rate_map_body(&angles), map, 1e-15);
        close(turning(&Sequence::ZXZ, &angles, &rates), map * rates, 1e-13);
    }

    // VC-2.5, VC-2.6: a disk of radius ρ on a shaft inclined by α that turns with ω_Z, with an arm l1 before
    // it.
    #[test]
    fn disk_on_a_shaft(al in -1.5..1.5f64, l1 in 0.0..2.0f64, l2 in 0.1..3.0f64, rho in 0.1..2.0f64, wz in -4.0..4.0f64, wc in -4.0..4.0f64) {
        let sequence: Sequence = "zxy".parse().unwrap();
        let (angles, rates) = (Vec3::new(0.0, al, 0.0), Vec3::new(wz, 0.0, wc));
        let (a, spin) = (sequence.matrix(&angles), sequence.rate_map_body(&angles) * rates);
        let (s, c) = al.sin_cos();
        // The arm turns with ω_Z alone; the point of the disk is fixed in the last frame.
        let (arm, local) = (Vec3::new(0.0, l1, 0.0), Vec3::new(0.0, l2, rho));
        let position = arm + a * local;
        close(position, Vec3::new(0.0, l1 + l2 * c - rho * s, l2 * s + rho * c), 1e-14);
        let velocity = Vec3::new(0.0, 0.0, wz).cross(&arm) + a * skew(&spin) * local;
        let along = rho * (wc + wz * s) - l1 * wz - l2 * wz * c;
        close(velocity, Vec3::new(along, 0.0, 0.0), 1e-13);
        // VC-2.5 is the same without the arm.
        let alone = a * skew(&spin) * local;
        close(alone, Vec3::new(rho * (wc + wz * s) - l2 * wz * c, 0.0, 0.0), 1e-13);
    }
}

/// The axial vector of Aᵀ Ȧ, with Ȧ by the product rule.
fn turning(sequence: &Sequence, angles: &Vec3, rates: &Vec3) -> Vec3 {
    let axes = sequence.axes();
    let turn = |k: usize| elementary(axes[k], angles[k]);
    let rate = |k: usize| turn(k) * skew(&(Vec3::ith(axes[k], 1.0) * rates[k]));
    let dot = rate(0) * turn(1) * turn(2) + turn(0) * rate(1) * turn(2) + turn(0) * turn(1) * rate(2);
    axial(&(sequence.matrix(angles).transpose() * dot))
}
