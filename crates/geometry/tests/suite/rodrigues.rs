//! Rodrigues parameters: floating-frame-and-ancf §1.2.9.

use crate::common;
use common::*;
use poinsot_geometry::so3::{exp, skew};
use poinsot_geometry::{Mat3, Vec3, rodrigues};
use proptest::prelude::*;
use std::f64::consts::PI;

proptest! {
    #[test]
    fn matrix_forms(g in vec3()) {
        let a = rodrigues::matrix(&g);
        let angle = 2.0 * g.norm().atan();
        close(a, exp(&(g / g.norm() * angle)), 1e-14);
        let s = 1.0 / (1.0 + g.norm_squared());
        let (x, y, z) = (g.x, g.y, g.z);
        let printed = s * Mat3::new(
            1.0 + x * x - y * y - z * z, 2.0 * (x * y - z), 2.0 * (x * z + y),
            2.0 * (x * y + z), 1.0 - x * x + y * y - z * z, 2.0 * (y * z - x),
            2.0 * (x * z - y), 2.0 * (y * z + x), 1.0 - x * x - y * y + z * z,
        );
        close(a, printed, 1e-14);
        close(rodrigues::from_matrix(&a).unwrap(), g, 1e-13);
        close(rodrigues::to_quaternion(&g).to_matrix(), a, 1e-14);
    }

    // Ḡ = 2ĒD, G = 2ED, γ̇ = Cθ̇, CD = I.
    #[test]
    fn rate_maps(g in vec3(), d in vec3()) {
        let q = rodrigues::to_quaternion(&g);
        let map = rodrigues::to_euler_parameter_rates(&g);
        close(2.0 * q.e_body() * map, rodrigues::rate_map_body(&g), 1e-14);
        close(2.0 * q.e_space() * map, rodrigues::rate_map_space(&g), 1e-14);
        let c = rodrigues::from_euler_parameter_rates(&q).unwrap();
        close(c * map, Mat3::identity(), 1e-13);
        let a = rodrigues::matrix(&g);
        let ad = time_derivative(|t| rodrigues::matrix(&(g + t * d)));
        close(ad * a.transpose(), skew(&(rodrigues::rate_map_space(&g) * d)), 1e-9);
        close(a.transpose() * ad, skew(&(rodrigues::rate_map_body(&g) * d)), 1e-9);
        close(rodrigues::rate_map_body(&g) * rodrigues::rate_map_body_inv(&g), Mat3::identity(), 1e-14);
        close(rodrigues::rate_map_space(&g) * rodrigues::rate_map_space_inv(&g), Mat3::identity(), 1e-14);
    }

    #[test]
    fn acceleration_maps(g in vec3(), d in vec3()) {
        let body = time_derivative(|t| rodrigues::rate_map_body(&(g + t * d)));
        close(rodrigues::rate_map_body_rate(&g, &d), body, 1e-9);
        let space = time_derivative(|t| rodrigues::rate_map_space(&(g + t * d)));
        close(rodrigues::rate_map_space_rate(&g, &d), space, 1e-9);
    }

    #[test]
    fn composition(a in vec3(), b in vec3()) {
        prop_assume!((1.0 - a.dot(&b)).abs() > 1e-3);
        let c = rodrigues::compose(&a, &b).unwrap();
        let closed = (a + b + a.cross(&b)) / (1.0 - a.dot(&b));
        close(c / (1.0 + closed.norm()), closed / (1.0 + closed.norm()), 1e-12);
        close(rodrigues::matrix(&c), rodrigues::matrix(&a) * rodrigues::matrix(&b), 1e-12);
    }

    #[test]
    fn half_turn_is_refused(n in unit(), gap in prop_oneof![Just(0.0), Just(1e-9), Just(1e-8)]) {
        let error = rodrigues::from_matrix(&exp(&(n * (PI - gap)))).unwrap_err();
        close(error.from_half_turn, gap, 1e-14);
    }
}

#[test]
fn huge_parameters_are_half_turns() {
    let q = rodrigues::to_quaternion(&Vec3::new(0.0, 1e200, 0.0));
    close(q.to_matrix(), Mat3::from_diagonal(&Vec3::new(-1.0, 1.0, -1.0)), 1e-15);
}
