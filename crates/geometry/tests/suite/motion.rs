//! Lines, motion tensor, Chasles, dual quaternions: motion-interpolation-galerkin §1.2, §1.3, §1.4, §1.6.

use crate::common;
use common::*;
use poinsot_geometry::dual::{Dual, DualMat3, DualNumber};
use poinsot_geometry::dual_quaternion::{DualQuaternion, dual_trace_matrix};
use poinsot_geometry::line::Line;
use poinsot_geometry::motion::*;
use poinsot_geometry::se3::{self, Pose, join};
use poinsot_geometry::so3;
use poinsot_geometry::{Mat3, Mat4, Vec3};
use proptest::prelude::*;
use std::f64::consts::PI;

fn line() -> impl Strategy<Value = Line> {
    (vec3(), unit()).prop_map(|(p, l)| Line::new(&p, &l).unwrap())
}

fn dual_mat3() -> impl Strategy<Value = DualMat3> {
    [vec3(), vec3(), vec3(), vec3(), vec3(), vec3()].prop_map(|v| {
        Dual::new(Mat3::from_columns(&[v[0], v[1], v[2]]), Mat3::from_columns(&[v[3], v[4], v[5]]))
    })
}

proptest! {
    // §1.2: dual unit vector, foot point.
    #[test]
    fn plucker_coordinates(p in vec3(), l in unit(), t in -3.0..3.0_f64) {
        let line = Line::new(&p, &(2.5 * l)).unwrap();
        close(line.direction(), l, 1e-14);
        close(line.direction().dot(&line.moment()), 0.0, 1e-14);
        close(line.dual().dot(&line.dual()), DualNumber::real(1.0), 1e-14);
        close(line.foot().dot(&l), 0.0, 1e-14);
        close(line.distance_to_point(&line.foot()), 0.0, 1e-14);
        // any point of the line gives the same line
        close(Line::new(&(p + t * l), &l).unwrap().dual(), line.dual(), 1e-13);
    }

    // §1.2: pᵀq = cos(α), ~p q = sin(α) n.
    #[test]
    fn two_lines(p in line(), q in line()) {
        let angle = p.dual_angle(&q);
        prop_assume!(angle.re.sin() > 0.05);
        close(p.dual().dot(&q.dual()), angle.cos(), 1e-13);
        let n = p.common_normal(&q).unwrap();
        close(angle.sin() * n.dual(), p.dual().cross(&q.dual()), 1e-11);
        // distance by elementary geometry
        let gap = (q.foot() - p.foot()).dot(&n.direction());
        close(angle.du, gap, 1e-11);
        // the normal meets both lines at right angles: pᵀn = 0
        let (c, d) = p.orthogonal_intersection_defect(&n);
        let (e, f) = q.orthogonal_intersection_defect(&n);
        prop_assert!(c + d + e + f < 1e-10);
    }

    #[test]
    fn parallel_lines(p in line(), shift in vec3()) {
        let q = Line::new(&(p.foot() + shift), &p.direction()).unwrap();
        let across = shift - p.direction() * p.direction().dot(&shift);
        let angle = p.dual_angle(&q);
        close(angle.re, 0.0, 1e-14);
        close(angle.du, across.norm(), 1e-13);
        prop_assert!(p.common_normal(&q).is_none());
    }

    // §1.3 (2.10) and lines map as b = R a.
    #[test]
    fn motion_tensors(a in pose(), b in pose(), p in vec3(), l in unit()) {
        let r = motion_tensor(&a);
        close(r.transpose() * r, DualMat3::identity(), 1e-13);
        close(motion_tensor(&(a * b)), r * motion_tensor(&b), 1e-13);
        close(extended_motion_tensor(&a), a.adjoint(), 1e-15);
        close(pose_of_tensor(&r).r, a.r, 1e-14);
        let moved = move_line(&a, &Line::new(&p, &l).unwrap()).unwrap();
        let direct = Line::new(&a.point(&p), &a.direction(&l)).unwrap();
        close(moved.dual(), direct.dual(), 1e-13);
        // angle and distance of two lines are invariant
        let other = Line::new(&l, &(p + 3.0 * Vec3::x())).unwrap();
        let image = move_line(&a, &other).unwrap();
        let before = other.dual().dot(&Line::new(&p, &l).unwrap().dual());
        close(image.dual().dot(&moved.dual()), before, 1e-13);
    }

    // §1.3 (2.16): Chasles and the dual Rodrigues formula.
    #[test]
    fn chasles(axis in line(), angle in 0.05..3.1_f64, slide in -2.0..2.0_f64) {
        let screw = Screw::new(axis, angle, slide);
        let pose = screw.pose();
        // points of the axis slide along it
        close(pose.point(&axis.foot()), axis.foot() + slide * axis.direction(), 1e-13);
        close(se3::exp(&screw.twist()).homogeneous(), pose.homogeneous(), 1e-13);
        let found = Screw::of_pose(&pose).unwrap();
        close(found.angle, screw.angle, 1e-11);
        close(found.axis.dual(), axis.dual(), 1e-11);
        close(found.pitch().unwrap(), slide / angle, 1e-9);
        // tr R = 1 + 2 cos φ (dual)
        let two = DualNumber::real(2.0);
        close(motion_tensor(&pose).trace(), DualNumber::real(1.0) + two * screw.angle.cos(), 1e-13);
        close(dual_angle_from_trace(&motion_tensor(&pose)), screw.angle, 1e-9);
    }

    #[test]
    fn chasles_without_rotation(u in vec3()) {
        let screw = Screw::of_pose(&Pose::translation(u)).unwrap();
        close(screw.angle, Dual::new(0.0, u.norm()), 1e-15);
        close(screw.pose().r, u, 1e-14);
        prop_assert!(screw.pitch().is_none());
    }

    #[test]
    fn chasles_of_half_turns(axis in line(), slide in -2.0..2.0_f64) {
        let pose = Screw::new(axis, PI, slide).pose();
        let found = Screw::of_pose(&pose).unwrap();
        close(found.angle.re, PI, 1e-14);
        close(found.pose().homogeneous(), pose.homogeneous(), 1e-13);
    }

    // §1.6 (2.41): v = φ̇ n + sin φ ṅ - (1 - cos φ) ~n ṅ.
    #[test]
    fn screw_velocity(axis in line(), f in dual_number(), fd in dual_number(), w in dual_vec3()) {
        // n moves as a line under the rigid motion exp(t w): ṅ = w × n.
        let rate = w.cross(&axis.dual());
        let at = |t: f64| {
            let moved = motion_tensor(&se3::exp(&(t * w.extended()))) * axis.dual();
            let angle = f + Dual::new(t, 0.0) * fd;
            Screw { axis: Line::from_dual(&moved).unwrap(), angle }.pose()
        };
        let h = at(0.0);
        let body = h.inverse().homogeneous() * time_derivative(|t| at(t).homogeneous());
        let spin = so3::axial(&body.fixed_view::<3, 3>(0, 0).into());
        let material = join(&body.fixed_view::<3, 1>(0, 3).into(), &spin);
        let v = Screw { axis, angle: f }.velocity(fd, &rate);
        close(v.extended(), material, 1e-8);
    }

    // §1.4: conversions both ways, unit norm, orthogonality of the parts.
    #[test]
    fn dual_quaternions(a in pose()) {
        let q = DualQuaternion::from_pose(&a);
        close(q.norm_squared(), DualNumber::real(1.0), 1e-14);
        close(q.pose().homogeneous(), a.homogeneous(), 1e-14);
        let (eta, v) = (q.scalar(), q.vector());
        close(eta.du, -0.5 * a.r.dot(&v.re), 1e-14);
        close(v.du, 0.5 * (eta.re * a.r + a.r.cross(&v.re)), 1e-14);
        // (2.19), both forms
        close(q.tensor(), motion_tensor(&a), 1e-13);
        let outer = Dual::new(
            v.re * v.re.transpose(),
            v.re * v.du.transpose() + v.du * v.re.transpose(),
        );
        let two = DualNumber::real(2.0);
        let other = (eta * eta - v.dot(&v)) * DualMat3::identity() + two * eta * v.skew() + two * outer;
        close(q.tensor(), other, 1e-13);
        close((q * q.conjugate()).pose().homogeneous(), Mat4::identity(), 1e-13);
    }

    // §1.4 (2.20–2.22).
    #[test]
    fn dual_quaternion_products(a in pose(), b in pose()) {
        let (p, q) = (DualQuaternion::from_pose(&a), DualQuaternion::from_pose(&b));
        close((p * q).pose().homogeneous(), (a * b).homogeneous(), 1e-13);
        close(p.left_matrix() * q.q, q.right_matrix() * p.q, 1e-13);
        let one = Dual::new(Mat4::identity(), Mat4::zeros());
        close(p.left_matrix().transpose() * p.left_matrix(), one, 1e-13);
        close(p.right_matrix().transpose() * p.right_matrix(), one, 1e-13);
        // A(q) B(q)ᵀ = B(q)ᵀ A(q) = diag(1, R(q))
        let product = p.left_matrix() * p.right_matrix().transpose();
        close(product, p.right_matrix().transpose() * p.left_matrix(), 1e-13);
        let r = motion_tensor(&a);
        close(product.re.fixed_view::<3, 3>(1, 1).into_owned(), r.re, 1e-13);
        close(product.du.fixed_view::<3, 3>(1, 1).into_owned(), r.du, 1e-13);
        close(product.re[(0, 0)], 1.0, 1e-14);
        close(product.du[(0, 0)], 0.0, 1e-13);
    }

    // §1.4 (2.23–2.26): trace identity, W = 4 g gᵀ, shift.
    #[test]
    fn dual_trace_identity(a in pose(), b in pose(), g in dual_mat3()) {
        let q = DualQuaternion::from_pose(&a);
        let trace = DualNumber::real(1.0) + (motion_tensor(&a).transpose() * g).trace();
        close(trace, q.q.dot(&(dual_trace_matrix(&g) * q.q)), 1e-11);
        let p = DualQuaternion::from_pose(&b).q;
        let outer = Dual::new(
            4.0 * p.re * p.re.transpose(),
            4.0 * (p.re * p.du.transpose() + p.du * p.re.transpose()),
        );
        close(dual_trace_matrix(&motion_tensor(&b)), outer, 1e-13);
        let left = q.left_matrix();
        let shifted = dual_trace_matrix(&(motion_tensor(&a).transpose() * g));
        close(shifted, left.transpose() * dual_trace_matrix(&g) * left, 1e-11);
    }

    // §1.4 (2.29): extraction in dual arithmetic, also at a half turn.
    #[test]
    fn extraction(u in vec3(), n in unit(), angle in prop_oneof![0.0..PI, Just(PI), Just(0.0), Just(1e-9)]) {
        let a = Pose::new(u, so3::exp(&(n * angle)));
        let q = DualQuaternion::from_tensor(&motion_tensor(&a));
        close(q.pose().homogeneous(), a.homogeneous(), 1e-13);
        close(q.norm_squared(), DualNumber::real(1.0), 1e-13);
    }

    // §1.7 (2.47), (2.52–2.53 corrected): rates of quaternions.
    #[test]
    fn quaternion_rates(a in pose(), b in pose(), v1 in vec6(), v2 in vec6()) {
        let (d1, d2) = (Dual::<Vec3>::from_extended(&v1), Dual::<Vec3>::from_extended(&v2));
        // Continue the sign of the quaternion along the path by composing with a small one.
        let step = |v: &poinsot_geometry::Vec6, t: f64| DualQuaternion::from_pose(&se3::exp(&(t * v)));
        let (q1, q2) = (DualQuaternion::from_pose(&a), DualQuaternion::from_pose(&b));
        let at = |t: f64| q1 * step(&v1, t);
        close(time_derivative(|t| at(t).q.re), q1.rate(&d1).re, 1e-8);
        close(time_derivative(|t| at(t).q.du), q1.rate(&d1).du, 1e-8);
        let relative = |t: f64| at(t).conjugate() * (q2 * step(&v2, t));
        let rate = (q1.conjugate() * q2).relative_rate(&d1, &d2);
        close(time_derivative(|t| relative(t).q.re), rate.re, 1e-8);
        close(time_derivative(|t| relative(t).q.du), rate.du, 1e-8);
    }
}

#[test]
fn lines_need_a_direction() {
    assert!(Line::new(&Vec3::zeros(), &Vec3::zeros()).is_none());
    assert!(Line::new(&Vec3::zeros(), &Vec3::new(f64::NAN, 0.0, 0.0)).is_none());
    assert!(Screw::of_pose(&Pose::identity()).is_none());
}
