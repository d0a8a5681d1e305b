//! The factor g(c) of a metric with its derivatives.

use poinsot_geometry::interpolation::Metric;
use poinsot_geometry::motion_parameters::Generator;

/// g and its first three derivatives by c.
pub(super) fn factor(metric: Metric, c: f64) -> [f64; 4] {
    let y = 1.0 + c;
    match metric {
        Metric::Matrix | Metric::Vector(Generator::EulerRodrigues) => [1.0, 0.0, 0.0, 0.0],
        Metric::Quaternion | Metric::Vector(Generator::QuarterSine) => {
            power(std::f64::consts::SQRT_2, -0.5, y)
        }
        Metric::Geodesic | Metric::Vector(Generator::Cartesian) => angle_quotient(c),
        Metric::Vector(Generator::Linear) => [c, 1.0, 0.0, 0.0],
        Metric::Vector(Generator::CayleyGibbs) => power(4.0, -2.0, y),
        Metric::Vector(Generator::WienerMilenkovic) => wiener_milenkovic(y),
    }
}

/// a yⁿ and its first three derivatives.
fn power(a: f64, n: f64, y: f64) -> [f64; 4] {
    let value = a * y.powf(n);
    let first = value * n / y;
    let second = first * (n - 1.0) / y;
    [value, first, second, second * (n - 2.0) / y]
}

/// 4/(η(1 + η)²) = 4(1/η − 1/q − 1/q²) with q = 1 + η, by y = 2η².
fn wiener_milenkovic(y: f64) -> [f64; 4] {
    let [eta, e1, e2, e3] = power(std::f64::consts::FRAC_1_SQRT_2, 0.5, y);
    let (u, v) = (1.0 / eta, 1.0 / (1.0 + eta));
    let f0 = 4.0 * (u - v - v * v);
    let f1 = 4.0 * (-u * u + v.powi(2) + 2.0 * v.powi(3));
    let f2 = 4.0 * (2.0 * u.powi(3) - 2.0 * v.powi(3) - 6.0 * v.powi(4));
    let f3 = 4.0 * (-6.0 * u.powi(4) + 6.0 * v.powi(4) + 24.0 * v.powi(5));
    [f0, f1 * e1, f2 * e1 * e1 + f1 * e2, f3 * e1.powi(3) + 3.0 * f2 * e1 * e2 + f1 * e3]
}

/// φ/sin φ = arccos c/√(1 − c²) and its first three derivatives.
///
/// ```text
/// (1 − c²) g′ = c g − 1,   (1 − c²) g⁽ᵐ⁺¹⁾ = (2m + 1) c g⁽ᵐ⁾ + m² g⁽ᵐ⁻¹⁾
/// g = Σ_k k!/(3/2)_k x^k,   x = ½(1 − c)
/// ```
/// The recurrence cancels as c → 1, where the series is used.
fn angle_quotient(c: f64) -> [f64; 4] {
    let x = 0.5 * (1.0 - c);
    if x >= 0.15 {
        let sine2 = 1.0 - c * c;
        let g0 = c.acos() / sine2.sqrt();
        let g1 = (c * g0 - 1.0) / sine2;
        let g2 = (3.0 * c * g1 + g0) / sine2;
        return [g0, g1, g2, (5.0 * c * g2 + 4.0 * g1) / sine2];
    }

    const TERMS: usize = 26;
    // k!/(3/2)_k from the ratio k/(k + 1/2).
    const COEFFICIENTS: [f64; TERMS] = {
        let mut a = [1.0; TERMS];
        let mut k = 1;
        while k < TERMS {
            a[k] = a[k - 1] * k as f64 / (k as f64 + 0.5);
            k += 1;
        }
        a
    };
    // As many terms as the third derivative needs: k³ xᵏ⁻³ falls below round-off.
    let terms = if x < 1e-3 {
        9
    } else if x < 0.015 {
        13
    } else {
        TERMS
    };
    let mut d = [0.0; 4];
    for a in COEFFICIENTS[..terms].iter().rev() {
        d[3] = d[3] * x + 3.0 * d[2];
        d[2] = d[2] * x + 2.0 * d[1];
        d[1] = d[1] * x + d[0];
        d[0] = d[0] * x + a;
    }
    // d/dc = −½ d/dx.
    [d[0], -0.5 * d[1], 0.25 * d[2], -0.125 * d[3]]
}
