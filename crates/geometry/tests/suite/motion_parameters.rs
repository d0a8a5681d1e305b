//! Vectorial parameterisations: motion-interpolation-galerkin §1.5 and §1.7.

use crate::common;
use common::*;
use poinsot_geometry::dual::{Dual, DualMat3, DualNumber, DualVec3};
use poinsot_geometry::dual_quaternion::DualQuaternion;
use poinsot_geometry::line::Line;
use poinsot_geometry::motion::{Screw, motion_tensor};
use poinsot_geometry::motion_parameters::*;
use poinsot_geometry::se3::{self, Pose};
use poinsot_geometry::{Mat6, Vec3};
use proptest::prelude::*;
use std::f64::consts::PI;

fn generator() -> impl Strategy<Value = Generator> {
    (0..6usize).prop_map(|i| Generator::ALL[i])
}

/// A screw whose angle lies well inside the chart, often near zero.
fn screw_in(g: Generator, part: f64) -> impl Strategy<Value = Screw> {
    let fraction = prop_oneof![5 => 0.0..part, 1 => Just(1e-9), 1 => Just(1e-5)];
    (vec3(), unit(), fraction, -2.0..2.0_f64).prop_map(move |(p, l, f, slide)| {
        let angle = f * g.angle_limit().min(PI);
        Screw::new(Line::new(&p, &l).unwrap(), angle, slide)
    })
}

fn case(part: f64) -> impl Strategy<Value = (Generator, Screw, DualVec3)> {
    generator().prop_flat_map(move |g| screw_in(g, part).prop_map(move |s| (g, s, g.parameter_of_screw(&s))))
}

proptest! {
    // (2.31), (2.33–2.35): R(p) is the motion of the screw, and R p = p.
    #[test]
    fn tensor_of_parameter((g, screw, p) in case(0.9)) {
        let r = g.tensor(&p).unwrap();
        close(r, screw.motion_tensor(), 1e-12);
        close(r.transpose() * r, DualMat3::identity(), 1e-12);
        close(r * p, p, 1e-12);
        close(g.pose(&p).unwrap().homogeneous(), screw.pose().homogeneous(), 1e-12);
    }

    #[test]
    fn parameter_of_pose((g, screw, p) in case(0.9)) {
        close(g.parameter(&screw.pose()).unwrap(), p, 1e-10 * (1.0 + p.size()));
    }

    // (2.49–2.50): the printed coefficients, at angles where the plain formulas are sound.
    #[test]
    fn printed_coefficients(g in generator(), f in 0.15..0.9_f64) {
        let phi = f * g.angle_limit().min(PI);
        let (p, slope) = (g.value(phi), g.slope(phi));
        let c = g.coefficients(&Dual::new(Vec3::x() * p, Vec3::zeros())).unwrap();
        let nu = 2.0 * (0.5 * phi).sin() / p;
        let epsl = 2.0 * (0.5 * phi).tan() / p;
        let tol = 1e-10;
        close(c.zeta1.re, nu * nu / epsl, tol);
        close(c.zeta1.re, phi.sin() / p, tol);
        close(c.zeta2.re, 0.5 * nu * nu, tol);
        close(c.chi0.re, slope, tol);
        close(c.chi2.re, (slope - 1.0 / epsl) / (p * p), tol);
        close(c.tau0.re, 1.0 / slope, tol);
        close(c.tau2.re, (1.0 / slope - nu * nu / epsl) / (p * p), tol);
        // table 2.1
        match g {
            Generator::Linear => {
                close(c.chi0.re, (2.0 - epsl) / epsl, tol);
                close(c.chi2.re, -0.25 * epsl, tol);
                close(c.zeta2.re, 0.5 * epsl, tol);
            }
            Generator::Cartesian => close(c.chi2.re, (1.0 - 1.0 / epsl) / (phi * phi), tol),
            Generator::EulerRodrigues => close(c.chi2.re, 0.0, 0.0),
            Generator::QuarterSine => close(c.chi0.re, (0.25 * phi).cos(), tol),
            Generator::CayleyGibbs | Generator::WienerMilenkovic => {}
        }
    }

    // T T⁻¹ = I; (2.51).
    #[test]
    fn tangent_identities((g, _screw, p) in case(0.9)) {
        let (t, inverse) = (g.tangent(&p).unwrap(), g.tangent_inv(&p).unwrap());
        close(t * inverse, DualMat3::identity(), 1e-10);
        let negative = g.tangent_inv(&-p).unwrap();
        close(negative, inverse - p.skew(), 1e-12);
        let r = g.tensor(&p).unwrap();
        let backwards = g.tangent(&-p).unwrap();
        close(backwards * inverse, r, 1e-10);
        close(inverse * backwards, r, 1e-10);
        close(g.tangent6(&p.extended()).unwrap() * g.tangent_inv6(&p.extended()).unwrap(), Mat6::identity(), 1e-10);
    }

    // ṗ = T⁻¹(p) v, and (2.54–2.55) for relative motions.
    #[test]
    fn parameter_rates((g, screw, p) in case(0.8), a in pose(), v1 in vec6(), v2 in vec6()) {
        let (d1, d2) = (DualVec3::from_extended(&v1), DualVec3::from_extended(&v2));
        let b = a * screw.pose();
        let at = |t: f64| {
            let relative = a.update(&(t * v1)).relative(&b.update(&(t * v2)));
            g.parameter(&relative).unwrap().extended()
        };
        let rate = g.relative_rate(&p, &d1, &d2).unwrap();
        close(rate.extended(), time_derivative(at), 2e-8 * (1.0 + rate.size()));
        let alone = g.tangent_inv(&p).unwrap() * d2;
        let zero = Dual::new(Vec3::zeros(), Vec3::zeros());
        close(g.relative_rate(&p, &zero, &d2).unwrap(), alone, 0.0);
    }

    // §1.7: the Cartesian case is the exponential map of SE(3).
    #[test]
    fn cartesian_is_the_exponential(s in twist(6.0)) {
        let g = Generator::Cartesian;
        close(g.tangent6(&s).unwrap(), se3::tangent(&s), 1e-12);
        let inverse = se3::tangent_inv(&s);
        close(g.tangent_inv6(&s).unwrap() / inverse.norm(), inverse / inverse.norm(), 1e-12);
        close(g.pose(&DualVec3::from_extended(&s)).unwrap().homogeneous(), se3::exp(&s).homogeneous(), 1e-12);
    }

    // §1.7: T⁻¹(s) = ½ (tr S I - Sᵀ) for the axial vector s of S; no chart limit but π/2 for s itself.
    #[test]
    fn linear_tangent_from_the_tensor(u in vec3(), t in rotation_vector(1.4)) {
        let pose = Pose::new(u, poinsot_geometry::so3::exp(&t));
        let s = motion_tensor(&pose);
        let g = Generator::Linear;
        close(g.parameter(&pose).unwrap(), s.axial(), 1e-13);
        let (plus, minus) = linear_tangent_inv_of_tensor(&s);
        close(g.tangent_inv(&s.axial()).unwrap(), plus, 1e-11);
        close(g.tangent_inv(&-s.axial()).unwrap(), minus, 1e-11);
    }

    // §1.7 (2.56): T⁻¹(p) = η I + ½ ~p, and p = 2 vec(q).
    #[test]
    fn euler_rodrigues_tangent(u in vec3(), t in rotation_vector(3.0)) {
        let pose = Pose::new(u, poinsot_geometry::so3::exp(&t));
        let g = Generator::EulerRodrigues;
        let q = DualQuaternion::from_pose(&pose);
        let p = g.parameter(&pose).unwrap();
        close(p, DualNumber::real(2.0) * q.vector(), 1e-15);
        let expected = q.scalar() * DualMat3::identity() + q.vector().skew();
        close(g.tangent_inv(&p).unwrap(), expected, 1e-11);
    }
}

#[test]
fn charts_are_refused_outside() {
    let half_turn = Pose::new(Vec3::x(), poinsot_geometry::so3::exp(&(Vec3::z() * PI)));
    let quarter = Pose::new(Vec3::x(), poinsot_geometry::so3::exp(&(Vec3::z() * 1.6)));
    assert!(matches!(Generator::CayleyGibbs.parameter(&half_turn), Err(ChartError::Angle { .. })));
    assert!(matches!(Generator::EulerRodrigues.parameter(&half_turn), Err(ChartError::Angle { .. })));
    assert!(matches!(Generator::Linear.parameter(&quarter), Err(ChartError::Angle { .. })));
    for g in [Generator::Cartesian, Generator::QuarterSine, Generator::WienerMilenkovic] {
        assert!(g.parameter(&half_turn).is_ok());
    }
    for g in Generator::ALL {
        let long = Dual::new(Vec3::x() * g.length_limit(), Vec3::y());
        let error = g.tensor(&long).unwrap_err();
        assert!(error.to_string().contains(&format!("{g:?}")), "{error}");
    }
}
