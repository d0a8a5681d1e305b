//! Euler parameters: floating-frame-and-ancf §1.2.2 … §1.2.8, V12; gs4-isochronous-integrators I-73, I-74.

use crate::common;
use common::*;
use poinsot_geometry::nalgebra::Matrix4;
use poinsot_geometry::quaternion::{EulerParameters, trace_matrix};
use poinsot_geometry::so3::{exp, log, skew};
use poinsot_geometry::{Mat3, Mat3x4, Vec3, Vec4};
use proptest::prelude::*;
use std::f64::consts::PI;

fn quaternion() -> impl Strategy<Value = EulerParameters> {
    (unit(), -PI..PI).prop_map(|(n, f)| EulerParameters::from_axis_angle(&n, 2.0 * f))
}

/// A quaternion with a rate that keeps its norm.
fn moving() -> impl Strategy<Value = (EulerParameters, Vec4, Vec3)> {
    (quaternion(), vec3()).prop_map(|(q, w)| (q, q.rate_from_space(&w), w))
}

/// Path of unit norm with constant spatial angular velocity.
fn path(q: &EulerParameters, w: &Vec3, t: f64) -> EulerParameters {
    EulerParameters::from_rotation_vector(&(t * w)) * *q
}

proptest! {
    // §1.2.2 and I-73: matrix, both diagonal forms.
    #[test]
    fn matrix_of_parameters(q in quaternion()) {
        let a = q.to_matrix();
        close(a.transpose() * a, Mat3::identity(), 1e-14);
        let e0 = q.scalar;
        let other = (2.0 * e0 * e0 - 1.0) * Mat3::identity()
            + 2.0 * (q.vector * q.vector.transpose() + e0 * skew(&q.vector));
        close(a, other, 1e-14);
        for k in 0..3 {
            close(a[(k, k)], 2.0 * (e0 * e0 + q.vector[k].powi(2)) - 1.0, 1e-14);
        }
    }

    // §1.2.3: A = E Ēᵀ.
    #[test]
    fn semi_transformations(q in quaternion()) {
        let (e, eb, p) = (q.e_space(), q.e_body(), q.to_vec4());
        close(e * eb.transpose(), q.to_matrix(), 1e-14);
        // §1.2.4
        close(e * e.transpose(), Mat3::identity(), 1e-14);
        close(eb * eb.transpose(), Mat3::identity(), 1e-14);
        let projector = Matrix4::identity() - p * p.transpose();
        close(e.transpose() * e, projector, 1e-14);
        close(eb.transpose() * eb, projector, 1e-14);
        close(e * p, Vec3::zeros(), 1e-14);
        close(eb * p, Vec3::zeros(), 1e-14);
    }

    // §1.2.4: identities with rates. E is linear in θ, so Ė = E(θ̇).
    #[test]
    fn rate_identities((q, rate, _w) in moving()) {
        let r = EulerParameters::from_vec4(&rate);
        let (e, eb, ed, ebd): (Mat3x4, Mat3x4, Mat3x4, Mat3x4) =
            (q.e_space(), q.e_body(), r.e_space(), r.e_body());
        close(ed * rate, Vec3::zeros(), 1e-14);
        close(ebd * rate, Vec3::zeros(), 1e-14);
        close(e * ebd.transpose(), ed * eb.transpose(), 1e-14);
        close(q.to_vec4().dot(&rate), 0.0, 1e-14);
        let (w, wb) = (q.angular_velocity_space(&rate), q.angular_velocity_body(&rate));
        close(4.0 * ed * e.transpose(), 2.0 * skew(&w), 1e-13);
        close(-4.0 * e * ed.transpose(), 2.0 * skew(&w), 1e-13);
        close(4.0 * eb * ebd.transpose(), 2.0 * skew(&wb), 1e-13);
        close(-4.0 * ebd * eb.transpose(), 2.0 * skew(&wb), 1e-13);
        // §1.2.7
        close(w, -2.0 * ed * q.to_vec4(), 1e-13);
        close(wb, -2.0 * ebd * q.to_vec4(), 1e-13);
        close(2.0 * ed * e.transpose(), skew(&w), 1e-13);
        close(2.0 * eb * ebd.transpose(), skew(&wb), 1e-13);
    }

    // §1.2.5: composition, H orthogonal.
    #[test]
    fn composition(a in quaternion(), b in quaternion(), u in vec3()) {
        let c = a * b;
        close(c.to_matrix(), a.to_matrix() * b.to_matrix(), 1e-14);
        close(a.left_matrix() * b.to_vec4(), c.to_vec4(), 1e-14);
        close(b.right_matrix() * a.to_vec4(), c.to_vec4(), 1e-14);
        close(a.left_matrix().transpose() * c.to_vec4(), b.to_vec4(), 1e-14);
        close(a.left_matrix() * a.left_matrix().transpose(), Matrix4::identity(), 1e-14);
        close(a.rotate(&u), a.to_matrix() * u, 1e-14);
        close(a.conjugate().to_matrix(), a.to_matrix().transpose(), 1e-15);
    }

    // Shepperd's rule at every angle, including 0 and π.
    #[test]
    fn extraction(n in unit(), angle in prop_oneof![0.0..PI, Just(PI), Just(PI - 1e-9), Just(1e-9), Just(0.0)]) {
        let q = EulerParameters::from_axis_angle(&n, angle);
        let back = EulerParameters::from_matrix(&q.to_matrix());
        let error = (back.to_vec4() - q.to_vec4()).norm().min((back.to_vec4() + q.to_vec4()).norm());
        prop_assert!(error < 1e-14, "{error:e}");
        close(back.norm(), 1.0, 1e-15);
        prop_assert!(back.scalar >= 0.0);
    }

    #[test]
    fn rotation_vectors(t in rotation_vector(PI)) {
        let q = EulerParameters::from_rotation_vector(&t);
        close(q.to_matrix(), exp(&t), 1e-14);
        close(q.rotation_vector(), log(&exp(&t)), 1e-13);
    }

    // §1.2.7 and I-74: Ȧ = ω~ A = A ω̄~, ω = A ω̄; inverse maps.
    #[test]
    fn angular_velocity(q in quaternion(), w in vec3()) {
        let rate = time_derivative(|t| path(&q, &w, t).to_vec4());
        let a = q.to_matrix();
        let ad = time_derivative(|t| path(&q, &w, t).to_matrix());
        close(ad, skew(&w) * a, 1e-9);
        close(q.angular_velocity_space(&rate), w, 1e-10);
        close(a * q.angular_velocity_body(&rate), w, 1e-10);
        close(q.rate_from_space(&w), rate, 1e-10);
        close(q.rate_from_body(&(a.transpose() * w)), rate, 1e-10);
    }

    // §1.2.7: ṙ = Ṙ + ω×u = Ṙ - A ū~ Ḡ θ̇; I-76: δr = δr_O + A δρ - A ρ~ ϖ has the same form.
    #[test]
    fn point_velocity(q in quaternion(), w in vec3(), v in vec3(), u in vec3(), ud in vec3()) {
        let r = |t: f64| t * v + path(&q, &w, t).to_matrix() * (u + t * ud);
        let (a, rate) = (q.to_matrix(), q.rate_from_space(&w));
        let g_body = 2.0 * q.e_body();
        let exact = v + a * ud - a * skew(&u) * g_body * rate;
        close(time_derivative(r), exact, 1e-9);
        close(exact, v + a * ud + w.cross(&(a * u)), 1e-13);
    }

    // §1.2.8: α = 2 E θ̈, and the inverse map with the normal term.
    #[test]
    fn angular_acceleration(q in quaternion(), w in vec3(), wd in vec3()) {
        let at = |t: f64| {
            EulerParameters::from_rotation_vector(&(t * w + 0.5 * t * t * wd)) * q
        };
        let rate = q.rate_from_space(&w);
        let second = second_time_derivative(|t| at(t).to_vec4());
        // d/dt of (T θ̇) at t = 0 is θ̈ for a rotation vector through zero, so α = wd.
        close(q.angular_acceleration_space(&second), wd, 1e-7);
        close(q.second_rate_from_space(&w, &wd), second, 1e-7);
        let a = q.to_matrix();
        let (wb, wdb) = (a.transpose() * w, a.transpose() * wd);
        let exact = q.second_rate_from_body(&wb, &wdb);
        close(exact, q.second_rate_from_space(&w, &wd), 1e-13);
        close(q.angular_acceleration_body(&exact), wdb, 1e-13);
        close(q.angular_acceleration_space(&exact), wd, 1e-13);
        // d²(θᵀθ)/dt² = 0
        close(q.to_vec4().dot(&exact) + rate.norm_squared(), 0.0, 1e-13);
    }

    // §1.2.7: relative angular velocity adds in common components.
    #[test]
    fn angular_velocities_add(j in quaternion(), r in quaternion(), wj in vec3(), wr in vec3()) {
        let total = |t: f64| (path(&j, &wj, t) * path(&r, &wr, t)).to_vec4();
        let q = j * r;
        let w = q.angular_velocity_space(&time_derivative(total));
        close(w, wj + j.to_matrix() * wr, 1e-9);
    }

    // motion-interpolation-galerkin §1.4 (2.23–2.26), real part.
    #[test]
    fn trace_identity(q in quaternion(), g in quaternion(), x in vec3(), y in vec3(), z in vec3()) {
        let m = Mat3::from_columns(&[x, y, z]);
        let p = q.to_vec4();
        close(1.0 + (q.to_matrix().transpose() * m).trace(), (p.transpose() * trace_matrix(&m) * p)[0], 1e-12);
        let pg = g.to_vec4();
        close(trace_matrix(&g.to_matrix()), 4.0 * pg * pg.transpose(), 1e-14);
        let left = q.left_matrix();
        close(
            trace_matrix(&(q.to_matrix().transpose() * m)),
            left.transpose() * trace_matrix(&m) * left,
            1e-12,
        );
    }
}

#[test]
fn normalisation() {
    let q = EulerParameters::new(2.0, Vec3::new(0.0, 0.0, 2.0));
    close(q.normalized().unwrap().norm(), 1.0, 1e-15);
    assert!(EulerParameters::new(0.0, Vec3::zeros()).normalized().is_none());
    assert_eq!(EulerParameters::identity().to_matrix(), Mat3::identity());
}
