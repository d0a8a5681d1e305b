//! Validation numbers of floating-frame-and-ancf V1 … V11 (V12 is the property test of `quaternion.rs`).

use crate::common;
use common::close;
use poinsot_geometry::axis_angle::{AxisAngle, successive_multi_frame, successive_single_frame};
use poinsot_geometry::direction_cosines;
use poinsot_geometry::euler::{Sequence, elementary};
use poinsot_geometry::quaternion::EulerParameters;
use poinsot_geometry::so3::skew;
use poinsot_geometry::{Mat3, Pose, Vec3, Vec4, rodrigues};
use std::f64::consts::PI;

fn v(x: f64, y: f64, z: f64) -> Vec3 {
    Vec3::new(x, y, z)
}

fn rotation(axis: Vec3, degrees: f64) -> AxisAngle {
    AxisAngle::new(&axis, degrees.to_radians()).unwrap()
}

fn ones() -> Vec3 {
    v(1.0, 1.0, 1.0)
}

/// Circulant matrix with the given first row.
fn cyclic(a: f64, b: f64, c: f64) -> Mat3 {
    Mat3::new(a, b, c, c, a, b, b, c, a)
}

fn degrees(x: Vec3) -> Vec3 {
    x * 180.0 / PI
}

#[test]
fn v1_planar_rotation() {
    let angle: f64 = 0.7;
    let q = EulerParameters::from_axis_angle(&Vec3::z(), angle);
    let (s, c) = angle.sin_cos();
    close(q.to_matrix(), Mat3::new(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0), 1e-15);
}

#[test]
fn v2_screw_about_the_diagonal() {
    let a = rotation(ones(), 30.0).matrix();
    close(a, cyclic(0.910684, -0.244017, 0.333333), 2e-6);
    let r = ones().normalize() * 3.0 + a * Vec3::y();
    close(r, v(1.488034, 2.642734, 2.065384), 1e-6);
    // The book's rounded rate, 0.17453 rad/s over 3 s.
    let seed = AxisAngle::new(&ones(), 0.17453 * 3.0).unwrap().matrix();
    close(seed, cyclic(0.91068, -0.24402, 0.33334), 1e-4);
    close(ones().normalize() * 3.0 + seed * Vec3::y(), v(1.48808, 2.64278, 2.06544), 1e-4);
}

#[test]
fn v3_rotation_by_45_degrees() {
    let a = rotation(ones(), 45.0).matrix();
    close(a, cyclic(0.804738, -0.310617, 0.505879), 2e-6);
    close(a * v(2.0, 3.0, 4.0), v(2.701142, 2.183503, 4.115355), 1e-6);
    close(a * ones(), ones(), 1e-15);
    close(a.transpose() * ones(), ones(), 1e-15);
}

#[test]
fn v4_successive_rotations() {
    let (r1, r2) = (rotation(v(1.0, 0.0, 1.0), 180.0), rotation(Vec3::y(), 90.0));
    let a1 = Mat3::new(0.0, 0.0, 1.0, 0.0, -1.0, 0.0, 1.0, 0.0, 0.0);
    close(r1.matrix(), a1, 1e-15);
    let fixed = AxisAngle::new(&(a1 * Vec3::y()), PI / 2.0).unwrap();
    close(fixed.matrix(), Mat3::new(0.0, 0.0, -1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0), 1e-15);
    close(r2.matrix(), Mat3::new(0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0), 1e-15);
    let total = Mat3::from_diagonal(&v(-1.0, -1.0, 1.0));
    close(successive_single_frame(&[r1, r2]), total, 1e-14);
    close(successive_multi_frame(&[r1, r2]), total, 1e-14);
    close(total * Vec3::x(), -Vec3::x(), 1e-15);
}

#[test]
fn v5_infinitesimal_rotation() {
    let r = rotation(v(2.0, 2.0, -1.0), 3.0);
    let linear = Mat3::new(1.0, 0.017453, 0.034907, -0.017453, 1.0, -0.034907, -0.034907, 0.034907, 1.0);
    close(r.linearized(), linear, 2e-6);
    let exact = Mat3::new(
        0.999239, 0.018054, 0.034586, -0.016836, 0.999239, -0.035195, -0.035195, 0.034586, 0.998782,
    );
    close(r.matrix(), exact, 2e-6);
}

#[test]
fn v6_euler_parameter_rates() {
    let (axis, rate, t) = (ones().normalize(), 10.0, 0.1);
    let q = EulerParameters::from_axis_angle(&axis, rate * t);
    close(q.to_vec4(), Vec4::new(0.8776, 0.2768, 0.2768, 0.2768), 1e-4);
    let omega = rate * axis;
    let qd = q.rate_from_space(&omega);
    close(qd, Vec4::new(-2.397, 2.533, 2.533, 2.533), 2e-3);
    close(q.angular_velocity_space(&qd), v(5.773, 5.773, 5.773), 2e-3);
    close(q.angular_velocity_body(&qd), omega, 1e-14);
}

#[test]
fn v7_point_velocity() {
    let axis = ones().normalize();
    let u = rotation(ones(), 30.0).matrix() * Vec3::y();
    let turn = (5.0 * axis).cross(&u);
    close(turn, v(-1.66667, -1.66667, 3.33333), 1e-5);
    close(2.0 * axis + turn, v(-0.511966, -0.511966, 4.488034), 1e-6);
}

#[test]
fn v8_euler_angles_and_rates() {
    let q = EulerParameters::from_vec4(&Vec4::new(0.9239, 0.2209, 0.2209, 0.2209));
    let angles = Sequence::ZXZ.angles(&q.normalized().unwrap().to_matrix()).unwrap();
    close(degrees(angles), v(58.4467, 36.4096, -31.5533), 2e-2);
    let omega = v(120.72, 75.87, -46.59);
    let rates = Sequence::ZXZ.rate_map_space_inv(&angles).unwrap() * omega;
    close(rates, v(-132.2415, 127.8247, 106.4266), 2e-2);
}

#[test]
fn v9_direction_cosines_and_rotations() {
    let axes = [v(0.5, 0.0, 0.5), v(0.25, 0.25, -0.25), v(-2.0, 4.0, 2.0)];
    let start = direction_cosines::from_axes(&axes, 1e-12).unwrap();
    let expected = Mat3::new(
        0.908248, -0.399429, -0.124665, 0.408248, 0.911231, 0.054695, 0.091752, -0.100571, 0.990690,
    );
    let total = start * elementary(2, PI / 4.0) * elementary(0, PI / 3.0);
    close(total, expected, 3e-6);
}

#[test]
fn v10_homogeneous_transform() {
    let pose = Pose::new(v(1.0, 1.0, -5.0), elementary(2, PI / 6.0));
    close(pose.point(&Vec3::y()), v(0.5, 1.8660, -5.0), 1e-4);
    close(pose.inverse().r, v(-1.3660, -0.3660, 5.0), 1e-4);
    let r = pose.homogeneous() * Vec4::new(0.0, 1.0, 0.0, 1.0);
    close(r.xyz(), pose.point(&Vec3::y()), 1e-15);
}

#[test]
fn v11_p3_p4_rotated_vectors() {
    let r3 = rotation(v(3.0, -1.0, 7.0), 30.0).matrix() * v(-2.0, 1.0, 5.0);
    close(r3, v(-2.322441, -1.085295, 4.840290), 1e-6);
    let r4 = rotation(v(-2.0, 1.0, 3.0), 20.0).matrix() * v(0.0, 2.0, -6.0);
    close(r4, v(-0.959059, 0.713558, -6.210559), 1e-6);
}

#[test]
fn v11_p7_p8_spinning_body() {
    let axis = v(1.0, 0.0, 3.0).normalize();
    let omega = 20.0 * axis;
    close(omega, v(6.324555, 0.0, 18.973666), 1e-6);
    let a = AxisAngle::new(&axis, 2.0).unwrap().matrix();
    let expected = Mat3::new(
        -0.274532, -0.862635, 0.424844, 0.862635, -0.416147, -0.287545, 0.424844, 0.287545, 0.858385,
    );
    close(a, expected, 2e-6);
    // eigenvalues 1 and -0.416147 ± 0.909297 i
    let values = a.complex_eigenvalues();
    for value in values.iter() {
        let on_axis = (value.re - 1.0).abs() < 1e-9 && value.im.abs() < 1e-9;
        let pair = (value.re + 0.416147).abs() < 1e-6 && (value.im.abs() - 0.909297).abs() < 1e-6;
        assert!(on_axis || pair, "{value}");
    }
    let later = AxisAngle::new(&axis, 4.0).unwrap().matrix();
    let velocity = omega.cross(&(later * v(0.0, 1.0, 5.0)));
    close(velocity, v(-10.302059, 35.806076, 3.434020), 2e-6);
}

#[test]
fn v11_p9_point_moving_in_a_turning_frame() {
    let (t, axis) = (0.1, ones().normalize());
    let a = AxisAngle::new(&axis, 10.0 * t).unwrap().matrix();
    let (x, xd) = (v(t, t * t, 0.0), v(1.0, 2.0 * t, 0.0));
    let velocity = a * xd + a * skew(&(10.0 * axis)) * x;
    close(velocity, v(0.062891, 1.314099, -0.176990), 2e-6);
}

#[test]
fn v11_p12_rates_of_v8() {
    let q = EulerParameters::from_vec4(&Vec4::new(0.9239, 0.2209, 0.2209, 0.2209));
    let qd = q.rate_from_space(&v(120.72, 75.87, -46.59));
    close(qd, Vec4::new(-16.5675, 69.2923, 16.5688, -16.5686), 2e-4);
    let gd = rodrigues::from_euler_parameter_rates(&q).unwrap() * qd;
    close(gd, v(79.287, 22.221, -13.646), 2e-3);
}

#[test]
fn v11_p13_p14_rates() {
    let q = EulerParameters::from_vec4(&Vec4::new(0.866, 0.2887, 0.2887, 0.2887));
    let omega = v(110.0, 90.0, 0.0);
    let qd = q.rate_from_space(&omega);
    close(qd, Vec4::new(-28.87, 60.6215, 23.0915, 2.887), 2e-3);
    let gd = rodrigues::from_euler_parameter_rates(&q).unwrap() * qd;
    close(gd, v(81.115, 37.778, 14.447), 2e-3);
    let a = q.normalized().unwrap().to_matrix();
    let angles = Sequence::ZXZ.angles(&a).unwrap();
    close(degrees(angles), v(63.437, 48.194, -26.563), 1e-2);
    let rates = Sequence::ZXZ.rate_map_space_inv(&angles).unwrap() * omega;
    close(rates, v(-51.996, 129.690, 78.001), 1e-2);
}

#[test]
fn v11_p19_axes_and_rotations() {
    let axes = [v(0.0, 1.0, 1.0), v(-1.0, 1.0, -1.0), v(-2.0, -1.0, 1.0)];
    let start = direction_cosines::from_axes(&axes, 1e-12).unwrap();
    let expected =
        Mat3::new(-0.5, -0.781474, -0.373226, 0.853553, -0.517564, -0.059787, -0.146447, -0.348462, 0.925812);
    close(start * elementary(2, PI / 3.0) * elementary(0, PI / 4.0), expected, 3e-6);
}

#[test]
fn v11_p22_extraction() {
    let a = rotation(ones(), 30.0).matrix();
    let r = AxisAngle::from_matrix(&a).unwrap();
    close(r.angle().to_degrees(), 30.0, 1e-12);
    close(r.axis(), ones().normalize(), 1e-14);
    let q = EulerParameters::from_matrix(&a).to_vec4();
    close(q, Vec4::new(0.965926, 0.149429, 0.149429, 0.149429), 2e-6);
    close(rodrigues::from_matrix(&a).unwrap(), 0.154701 * ones(), 2e-6);
    close(degrees(Sequence::ZXZ.angles(&a).unwrap()), v(53.794, 24.400, -36.206), 1e-3);
}
