//! Dual numbers: motion-interpolation-galerkin §1.1.

use crate::common;
use common::*;
use poinsot_geometry::dual::{Dual, DualNumber};
use proptest::prelude::*;

/// Slope of a real function by differences.
fn slope(f: impl Fn(f64) -> f64, x: f64) -> f64 {
    time_derivative(|t| poinsot_geometry::nalgebra::Vector1::new(f(x + t)))[0]
}

proptest! {
    #[test]
    fn arithmetic(a in dual_number(), b in dual_number(), c in dual_number()) {
        // kept away from zero divisors
        let b = Dual::new(b.re + b.re.signum() * 0.1, b.du);
        close(a * b, Dual::new(a.re * b.re, a.re * b.du + a.du * b.re), 0.0);
        let quotient = Dual::new(a.re / b.re, (a.du * b.re - a.re * b.du) / (b.re * b.re));
        close(a / b, quotient, 1e-11);
        close((a / b) * b, a, 1e-13);
        close(a * (b + c), a * b + a * c, 1e-13);
        close((a - b) + b, a, 1e-14);
        close(-a + a, Dual::new(0.0, 0.0), 0.0);
        close(a * a * a, a.powi(3), 1e-13);
        close(b.powi(-2) * b * b, DualNumber::real(1.0), 1e-11);
        close(a.powi(0), DualNumber::real(1.0), 0.0);
    }

    // f(a + ε a°) = f(a) + ε a° f'(a).
    #[test]
    fn analytic_functions(x in 0.1..0.9_f64, d in -2.0..2.0_f64) {
        type Pair = (fn(DualNumber) -> DualNumber, fn(f64) -> f64);
        let functions: [Pair; 7] = [
            (DualNumber::sin, f64::sin),
            (DualNumber::cos, f64::cos),
            (DualNumber::tan, f64::tan),
            (DualNumber::acos, f64::acos),
            (DualNumber::exp, f64::exp),
            (DualNumber::ln, f64::ln),
            (DualNumber::sqrt, f64::sqrt),
        ];
        let a = Dual::new(x, d);
        for (dual, real) in functions {
            close(dual(a), Dual::new(real(x), d * slope(real, x)), 1e-8);
        }
    }

    #[test]
    fn identities(a in dual_number()) {
        let one = DualNumber::real(1.0);
        close(a.sin() * a.sin() + a.cos() * a.cos(), one, 1e-14);
        close(a.exp().ln(), a, 1e-14);
        close((a * a + one).sqrt().powi(2), a * a + one, 1e-13);
        close(a.sin().atan2(a.cos()), a, 1e-14);
    }

    // §1.2: components of the cross product; ext() turns dual products into real ones.
    #[test]
    fn dual_vectors(p in dual_vec3(), q in dual_vec3()) {
        close(p.skew() * q, p.cross(&q), 1e-14);
        close((p.skew() * q).extended(), p.skew().extended() * q.extended(), 1e-14);
        close((p.skew() * q.skew()).extended(), p.skew().extended() * q.skew().extended(), 1e-13);
        close(p.skew().axial(), p, 0.0);
        close(p.dot(&p.cross(&q)), Dual::new(0.0, 0.0), 1e-13);
    }
}
